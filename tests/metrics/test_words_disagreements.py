"""Remarks and disagreements of Words: where errors are, which they are, and warnings."""

from hypothesis import given

from caesura import api
from caesura.core.transcript import Transcript
from caesura.metrics.words import COUNT_NAMES, Words
from metrics.wording import text, texts

Places = dict[str, list[int]]


def places(hypothesis: Transcript, *references: Transcript, unit: str = "document") -> list[Places]:
    """Return the places of hits, substitutions, deletions and insertions for each reference."""
    columns = dict(Words(unit=unit).per_gap_counts(hypothesis, references))
    return [
        {name: columns[f"{name}_{number}"].tolist() for name in COUNT_NAMES}
        for number in range(1, len(references) + 1)
    ]


def test_errors_stand_at_their_word_and_deletions_at_the_word_before() -> None:
    reference = text("z a b c d e f g y")
    hypothesis = text("  a b x d uh e g")
    wrong, right = places(hypothesis, reference, hypothesis)
    assert wrong == {
        "hits":          [1, 1, 0, 1, 0, 1, 1],
        "substitutions": [0, 0, 1, 0, 0, 0, 0],
        "deletions":     [1, 0, 0, 0, 0, 1, 1],
        "insertions":    [0, 0, 0, 0, 1, 0, 0],
    }  # fmt: skip
    assert right == {name: [0] * 7 for name in COUNT_NAMES} | {"hits": [1] * 7}
    (none,) = places(text(""), text("a b"))
    assert none == {name: [0] for name in COUNT_NAMES} | {"deletions": [2]}


def test_deletions_at_the_end_of_a_sentence_stay_in_it() -> None:
    sides = text("a x c d", 1, 4), text("a b c d", 2, 4)
    (found,) = places(*sides, unit="sentence")
    assert found == {
        "hits":          [1, 0, 1, 1],
        "substitutions": [0, 0, 0, 0],
        "deletions":     [1, 0, 0, 0],
        "insertions":    [0, 1, 0, 0],
    }  # fmt: skip


@given(texts, texts)
def test_deletions_stand_before_the_next_word_that_was_recognised(
    x: list[str], y: list[str]
) -> None:
    source = Words().aligned(text(y), text(x)).alignment.source.tolist()
    expected = {name: [0] * max(1, len(y)) for name in COUNT_NAMES}
    for j, i in enumerate(source):
        kind = "insertions" if i < 0 else "hits" if x[i] == y[j] else "substitutions"
        expected[kind][j] += 1
    for i in set(range(len(x))) - set(source):
        following = next((j for j, other in enumerate(source) if other > i), len(y))
        expected["deletions"][max(0, following - 1)] += 1
    assert places(text(y), text(x)) == [expected]


def test_disagreements_are_reported_word_by_word() -> None:
    reference, hypothesis = text("a b c d e f"), text("a x c d g f h")
    found = list(Words().disagreements(hypothesis, [reference, hypothesis]))
    assert [
        (e.level, e.kind, e.reference, e.hypothesis, e.place, e.reference_number) for e in found
    ] == [
        ("word", "substituted", "b", "x", 1, 1),
        ("word", "substituted", "e", "g", 4, 1),
        ("word", "inserted", "", "h", 6, 1),
    ]
    assert [(e.before, e.after) for e in found] == [("a", "c d g"), ("x c d", "f h"), ("d g f", "")]
    (lost,) = Words().disagreements(text("a c"), [text("a b c")])
    assert (lost.kind, lost.reference, lost.before, lost.after, lost.place) == (
        "deleted", "b", "a", "c", 1,
    )  # fmt: skip
    (only,) = Words().disagreements(text(""), [text("a")])
    assert (only.kind, only.place) == ("deleted", 0)


def test_errors_in_the_first_and_the_last_word_are_reported_like_others() -> None:
    first, last = Words().disagreements(text("x b c"), [text("a b c d")])
    assert (first.kind, first.reference, first.hypothesis, first.place) == (
        "substituted", "a", "x", 0,
    )  # fmt: skip
    assert (first.before, first.after) == ("", "b c")
    assert (last.kind, last.reference, last.hypothesis, last.place) == ("deleted", "d", "", 2)
    assert (last.before, last.after) == ("x b c", "")
    (second,) = Words().disagreements(text("x b"), [text("x b"), text("b")])
    assert (second.kind, second.place, second.reference_number) == ("inserted", 0, 2)


def test_texts_that_share_few_words_raise_a_doubt() -> None:
    """For example a text in another language, for which all values are defined."""
    metric, reference = Words(), text("wo ist die katze jetzt")
    counts = metric.count(text("where is the cat now"), [reference, text("where is a cat")])
    (doubt,) = metric.remarks(counts)
    assert "0% of the words of reference 1" in doubt
    assert metric.values(counts)["wer_1"] == 1
    assert metric.remarks(metric.count(reference, [reference, text("")])) == []
    (short,) = metric.remarks(metric.count(text("katze"), [text("where is the cat now katze")]))
    assert "17% of the words of reference 1" in short


def test_words_that_look_alike_raise_a_doubt() -> None:
    reference = Transcript(("caf\u00e9", "soft", "na\u00efve", "'o", "end"))
    hypothesis = Transcript(("cafe\u0301", "so\u00adft", "naive", "'o", "end"))
    words = Words()
    assert words.remarks(words.count(hypothesis, [reference]))[1:] == [
        "2 words differ from those of reference 1 only in their Unicode form: "
        "add unicode to --normalize"
    ]
    assert words.remarks(words.count(reference, [reference])) == []
    quoted = Transcript(("caf\u00e9\\", '"\\n', "end")), Transcript(("cafe\u0301\\", '"\\m', "end"))
    assert "1 words differ" in words.remarks(words.count(quoted[1], [quoted[0]]))[-1]
    scores = api.score([hypothesis], reference=[reference], metric="Words", resamples=0)
    assert scores.values[0]["substitutions"] == 1
    assert "normalize=unicode+case+dots+punctuation" in scores.signatures[0]


def test_pairs_are_neither_printed_nor_drawn() -> None:
    words = " ".join(f"w{k % 7}" for k in range(1000))
    reference, hypothesis = text(words), text(words.replace("w3", "w4"))
    found = api.score(hypothesis, reference=reference, metric="Words", resamples=50)
    json = found.to_dict()
    assert set(json["documents"][0]["scores"][0]["counts"]) == {f"{name}_1" for name in COUNT_NAMES}
    assert set(json["scores"][0]["values"]) == {"wer", "mer", "wil", "ril", *COUNT_NAMES}
    low, high = json["scores"][0]["intervals"]["wer"]
    assert low < 1 / 7 < high
    assert json["scores"][0]["intervals"]["ril"] is None
    remarks = json["scores"][0]["remarks"]
    assert any("ril is computed from pairs of words" in remark for remark in remarks)
    assert "units=10 blocks(100 words)" in json["scores"][0]["signature"]
