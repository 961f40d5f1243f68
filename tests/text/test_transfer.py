"""Transfer of layers from one text to another."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core.errors import LayerError
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Span, Transcript
from caesura.text.alignment.transfer import project_spans, transfer_layers
from caesura.text.alignment.word_alignment import Alignment, align
from metrics.named import entities, on_hypothesis

TEXTS = st.lists(st.sampled_from("abcde"), max_size=9).map(tuple)


def text(words: str, *ends: int) -> Transcript:
    split = tuple(words.split())
    return Transcript(split, sentences=Segmentation.of_gaps(len(split), ends))


@pytest.mark.parametrize(
    ("source", "ends", "target", "expected", "lost"),
    [
        # boundary after a deleted word goes to the nearest kept word before it
        ("a b c d", [1], "a c d", [0, 2], []),
        # boundary before an inserted stretch stays after the last matched word
        ("a b c", [1], "a b x y c", [1, 4], []),
        # a deleted beginning has no word before it
        ("a b c", [0], "c", [0], [0]),
        # two boundaries that fall together
        ("a b c d", [0, 1], "a d", [0, 1], [0]),
        # a boundary that falls onto the last word is no longer one inside the text
        ("a b c", [1], "a b", [1], [1]),
        ("a b c d", [0, 2], "a b c", [0, 2], [2]),
        ("a b", [0], "", [], [0]),
    ],
)
def test_boundaries_find_their_word(
    source: str, ends: list[int], target: str, expected: list[int], lost: list[int]
) -> None:
    carried = transfer_layers(text(source, *ends), Transcript(tuple(target.split())), ["sentences"])
    assert carried.transcript.sentences is not None
    assert carried.transcript.sentences.gaps.tolist() == expected
    assert carried.lost_boundaries.tolist() == lost


def test_boundaries_go_to_the_gaps_that_are_given() -> None:
    places = np.array([0, 2, 3])
    found = transfer_layers(text("a b c", 1), Transcript(tuple("abxc")), gaps=places).transcript
    assert found.sentences == Segmentation.of_gaps(4, [2])


def test_no_boundary_is_lost_if_sentences_are_not_transferred() -> None:
    found = transfer_layers(text("a b c", 0, 1), Transcript(("c",)), ["tag"])
    assert found.transcript == Transcript(("c",))
    assert found.lost_boundaries.tolist() == []
    assert found.lost_boundaries.dtype == np.int64


def test_boundaries_do_not_depend_on_those_of_the_target() -> None:
    places = [
        transfer_layers(text("a b c d", 1), text("a b um uh c d", *known)).transcript.sentences
        for known in ((), (2,), (3,), (0, 4))
    ]
    assert [each.gaps.tolist() for each in places if each] == [[1, 5]] * 4


def test_times_go_to_words_in_the_same_place_and_tags_to_equal_words() -> None:
    source = Transcript(
        ("a", "b", "c"),
        start=np.array([0.0, 1.0, 2.0]),
        end=np.array([0.5, 1.5, 2.5]),
        tag=("X", "Y", "Z"),
        head=np.array([1, 1, 1]),
        speaker=("one", "one", "two"),
        entities=(Span(0, 1, "PER"), Span(2, 2, "LOC")),
    )
    target = Transcript(("a", "x", "q", "c"))
    layers = ["start", "end", "tag", "head", "speaker", "entities"]
    found = transfer_layers(source, target, layers).transcript
    assert found.start is not None
    assert found.head is not None
    assert found.start.tolist()[::3] == [0.0, 2.0]
    assert int(np.isnan(found.start).sum()) == 1
    assert found.tag == ("X", "", "", "Z")
    assert found.speaker == ("one", "one", "one", "two")
    assert found.entities is not None
    assert found.entities[-1] == Span(3, 3, "LOC")
    assert set(found.head.tolist()) <= {-1, 0, 1, 2, 3}


def test_an_entity_without_any_word_is_lost() -> None:
    source = Transcript(("a", "b", "c"), entities=(Span(1, 1, "PER"), Span(2, 2, "LOC")))
    found = transfer_layers(source, Transcript(("a", "c")), ["entities"])
    assert found.transcript.entities == (Span(1, 1, "LOC"),)
    assert found.lost_entities == 1


@given(TEXTS, TEXTS)
def test_equal_texts_carry_everything(source: tuple[str, ...], more: tuple[str, ...]) -> None:
    ends = [i for i in range(len(source)) if i % 2]
    whole = Transcript(
        source,
        sentences=Segmentation.of_gaps(len(source), ends),
        speaker=tuple(word.upper() for word in source),
    )
    found = transfer_layers(whole, Transcript(source))
    assert found.transcript == whole
    assert found.alignment.edits == 0
    assert len(found.lost_boundaries) == 0
    assert len(transfer_layers(whole, Transcript(more)).transcript) == len(more)


def test_an_inserted_word_has_the_speaker_of_the_word_before_it() -> None:
    source = Transcript(tuple("abc"), speaker=("one", "two", "two"))
    found = transfer_layers(source, Transcript(tuple("xabyc")), ["speaker"]).transcript
    assert found.speaker == ("one", "one", "two", "two", "two")
    nobody = transfer_layers(Transcript((), speaker=()), Transcript(("x",)), ["speaker"]).transcript
    assert nobody.speaker == ("",)


def test_a_word_that_is_not_equal_has_a_blank_after_it_and_no_confidence() -> None:
    source = Transcript(tuple("abc"), blank=[False] * 3, confidence=[0.5, 0.6, 0.7])
    found = transfer_layers(source, Transcript(tuple("axc")), ["blank", "confidence"]).transcript
    assert found == Transcript(
        tuple("axc"), blank=[False, True, False], confidence=[0.5, None, 0.7]
    )


def test_columns_of_evidence_go_to_equal_words() -> None:
    source = Transcript(("a", "b", "c"), evidence={"x": np.array([1.0, 2.0, 3.0])})
    found = transfer_layers(
        source, Transcript(("a", "z", "c", "d")), ["evidence"]
    ).transcript.evidence
    assert found is not None
    np.testing.assert_equal(found["x"], [1, np.nan, 3, np.nan])


def test_labels_and_evidence_go_with_their_gaps() -> None:
    # a. | b, | c.
    given = Segmentation(np.array([True, False, True]), (".", ",", "."), np.array([2.0, -1, 3]))
    found = transfer_layers(Transcript(("a", "b", "c"), sentences=given), Transcript(("a", "c")))
    moved = found.transcript.sentences
    assert moved == Segmentation(np.array([True, True]), (".", "."), np.array([2.0, 3]))
    assert moved == given.take(np.array([0, 2]))
    longer = transfer_layers(
        Transcript(("a", "b", "c"), sentences=given), Transcript(tuple("axbcy"))
    )
    assert longer.transcript.sentences == Segmentation(
        np.array([True, False, False, False, True]),
        (".", "", ",", "", "."),
        np.array([2.0, np.nan, -1, np.nan, 3]),
    )
    assert len(longer.lost_boundaries) == 0


@given(TEXTS, st.data())
def test_dropping_words_carries_sentences_as_take_does(
    source: tuple[str, ...], data: st.DataObject
) -> None:
    count = len(source)
    flags = st.lists(st.booleans(), min_size=count, max_size=count)
    labels = st.lists(st.sampled_from(["", ",", "."]), min_size=count, max_size=count)
    sentences = Segmentation(np.array(data.draw(flags), bool), tuple(data.draw(labels)))
    kept = np.flatnonzero(data.draw(flags))
    whole = Transcript(tuple(map(str, range(count))), sentences=sentences)
    part = whole.take(kept)
    assert transfer_layers(whole, part.only([]), ["sentences"]).transcript == part


def test_heads_hold_between_equal_words_only() -> None:
    source = Transcript(("a", "b", "c"), head=np.array([1, 1, 0]))
    found = transfer_layers(source, Transcript(("a", "x", "c")), ["head"]).transcript
    assert found.head is not None
    assert found.head.tolist() == [-1, -1, 0]
    unknown = Transcript(("a", "b"), head=np.array([-1, 0]))
    assert transfer_layers(unknown, unknown.only([]), ["head"]).transcript == unknown


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("we ca n't go", (Span(1, 2, "can't"),)),
        ("so we ca n't go", (Span(2, 3, "can't"),)),
        ("ca n't go", (Span(0, 1, "can't"),)),
        ("n't go", ()),
        ("we ca not go", ()),
        ("we ca go", ()),
        ("we ca uh n't go", ()),
    ],
)
def test_multiwords_need_all_their_words(target: str, expected: tuple[Span, ...]) -> None:
    source = Transcript(("we", "ca", "n't", "go"), multiwords=(Span(1, 2, "can't"),))
    found = transfer_layers(source, Transcript(tuple(target.split())), ["multiwords"])
    assert found.transcript.multiwords == expected
    assert found.lost_entities == 0


def test_alternatives_need_all_their_words() -> None:
    spans = Span(1, 3, "'m gonna"), Span(4, 4, "leave")
    source = Transcript(("i", "am", "going", "to", "go"), alternatives=spans)
    target = Transcript(("well", "i", "am", "going", "to", "walk"))
    found = transfer_layers(source, target, ["alternatives"]).transcript
    assert found == target.replace(alternatives=(Span(2, 4, "'m gonna"),))


@given(
    st.lists(st.sampled_from("abc"), max_size=8),
    st.lists(st.sampled_from("abc"), max_size=8),
    st.data(),
)
def test_entities_stand_on_the_words_in_their_place(
    ours: list[str], theirs: list[str], data: st.DataObject
) -> None:
    named = data.draw(entities(len(ours)))
    aligned = align(ours, theirs)
    for span, there in zip(named, project_spans(named, aligned), strict=True):
        slow = on_hypothesis(span, aligned)
        if slow is None:
            before = [j for j, i in enumerate(aligned.source.tolist()) if 0 <= i < span.first]
            assert there.last == max(before, default=-1)
            assert there.first == there.last + 1
        else:
            assert there == slow


def test_an_entity_without_words_stands_before_what_is_inserted_there() -> None:
    """Of `a b c` only `b` is there, between two other words."""
    aligned = Alignment(np.array([-1, 1, -1]), np.array([False, True, False]), 3)
    spans = Span(0, 0, "PER"), Span(2, 2, "LOC")
    assert project_spans(spans, aligned) == (Span(0, -1, "PER"), Span(2, 1, "LOC"))


def test_what_does_not_fit_is_reported() -> None:
    texts = Transcript(("a", "b")), Transcript(("a",))
    with pytest.raises(LayerError) as caught:
        transfer_layers(*texts, alignment=align(["a"], ["a"]))
    assert str(caught.value) == "the alignment is of 1 and 1 words, the texts have 2 and 1"
    with pytest.raises(LayerError, match="no layer is named 'sentence'; known are start, end"):
        transfer_layers(*texts, ["sentence"])
