"""Words with unit='sentence', and alternatives."""

import jiwer
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.core.errors import LayerError, MismatchError
from caesura.core.transcript import Span, Transcript
from caesura.core.values import Counts
from caesura.metrics.words import Words
from metrics.wording import said, text, values


@settings(max_examples=50)
@given(st.lists(st.tuples(said, said), min_size=1, max_size=5))
def test_utterances_are_aligned_one_by_one(utterances: list[tuple[list[str], list[str]]]) -> None:
    peer = jiwer.process_words(
        [" ".join(x) for x, _ in utterances], [" ".join(y) for _, y in utterances]
    )
    sides = []
    for side in (0, 1):
        words = [word for each in utterances for word in each[side]]
        sizes = [len(each[side]) for each in utterances]
        sides.append(text(words, *(sum(sizes[: k + 1]) for k in range(len(sizes)))))
    metric = Words(unit="sentence")
    reference, hypothesis = sides
    together = values(reference, hypothesis, metric)
    assert [together[name] for name in ("wer", "mer", "wil")] == pytest.approx(
        [peer.wer, peer.mer, peer.wil]
    )
    alone = Counts.total(Words().count(text(y), [text(x)]) for x, y in utterances)
    assert together == Words().values(alone)
    rows = metric.aligned(hypothesis, reference).rows
    for i, j, part in zip(rows.source, rows.target, rows.part, strict=True):
        for at, side in ((i, 0), (j, 1)):
            first = sum(len(each[side]) for each in utterances[:part])
            assert at < 0 or first <= at < first + len(utterances[part][side])
    for column in (rows.source, rows.target):
        assert column[column >= 0].tolist() == list(range((column >= 0).sum()))


def test_alternatives_of_a_reference_count_if_they_are_nearer() -> None:
    reference = text("it is ok", alternatives=(Span(0, 1, "it's"), Span(2, 2, "okay")))
    told = values(reference, text("it's ok"))
    assert (told["wer"], told["hits"]) == (0, 2)
    assert list(Words().disagreements(text("it's ok"), [reference])) == []


def test_other_numbers_of_sentences_are_refused() -> None:
    metric = Words(unit="sentence")
    with pytest.raises(MismatchError, match="2 in the hypothesis, 1 in a reference"):
        metric.count(text("a b", 1, 2), [text("a b", 2)])
    advice = (
        "use unit='document' if each recording is one utterance; if not, find sentences first: "
        "caesura segment"
    )
    for hypothesis, name in ((text("a b"), "a transcript"), (Transcript(("a",), id="x"), "x")):
        with pytest.raises(LayerError) as caught:
            metric.count(hypothesis, [text("a b", 2)])
        assert str(caught.value) == f"{name} has no sentences; {advice}"


def test_alternatives_are_chosen_sentence_by_sentence() -> None:
    """Also an empty alternative for a whole sentence, which keeps its number."""
    reference = text("um ten o'clock ten", 1, 3, 4).replace(
        alternatives=(Span(0, 0, ""), Span(1, 2, "ten"), Span(3, 3, "10"))
    )
    heard = text("x ten 10", 1, 2, 3)
    found = Words(unit="sentence").aligned(heard, reference)
    assert found.reference.words == ("um", "ten", "10")
    assert found.alignment.edits == 1
    emptied = reference.replace(alternatives=(Span(0, 0, ""),))
    heard = text("ten ten", 1, 2)
    with pytest.raises(MismatchError):
        Words(unit="sentence").aligned(heard, emptied)
    three = text("a b ten o'clock", 1, 3, 4).replace(alternatives=(Span(1, 2, ""),))
    aligned = Words(unit="sentence").aligned(text("a c o'clock", 1, 2, 3), three)
    assert aligned.reference.words == ("a", "o'clock")
    assert aligned.rows.part.tolist() == [0, 1, 2]
    assert aligned.alignment.insertions == 1
