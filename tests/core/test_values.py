"""Transcripts and segmentations check their arguments and are immutable."""

import copy
import io
import pickle
from typing import Any

import numpy as np
import pytest

from caesura.core import registry
from caesura.core.errors import CaesuraError, LayerError
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Span, Transcript

WORDS = Transcript(
    ("a", "b", "c"),
    id="talk",
    start=np.array([0.0, 1.0, 2.0]),
    speaker=("A", "A", "B"),
    sentences=Segmentation(np.array([False, True, True])),
)


UNTYPED: Any = WORDS
MAKE: Any = Transcript
CUT: Any = Segmentation
SHORT = Segmentation(np.array([True, True]))


@pytest.mark.parametrize("again", [pickle.loads(pickle.dumps(WORDS)), copy.deepcopy(WORDS)])
def test_copies_are_equal_and_immutable(again: Transcript) -> None:
    assert again == WORDS
    assert again.start is not None
    with pytest.raises(ValueError, match="read-only"):
        again.start[0] = 7
    with pytest.raises(AttributeError):
        again.id = "other"  # type: ignore[misc]


def test_lists_and_unknown_cells_are_accepted() -> None:
    made: Transcript = MAKE(
        ["a", "b", "c"],
        start=[0, None, 2.5],
        confidence=[None, None, None],
        head=[1, -1, 2.0],
        blank=[True, 0, 1],
        speaker=["x", None, np.str_("y")],
        entities=[(2, np.int64(2), "PER"), Span(0, 1, "LOC", "k")],
        evidence={"x": [0.5, None, 1]},
        sentences=[(0, 1), (2, 2)],
    )
    assert made == Transcript(
        ("a", "b", "c"),
        start=np.array([0, np.nan, 2.5]),
        confidence=np.full(3, np.nan),
        head=np.array([1, -1, 2]),
        blank=np.array([True, False, True]),
        speaker=("x", "", "y"),
        entities=(Span(0, 1, "LOC", "k"), Span(2, 2, "PER")),
        evidence={"x": np.array([0.5, np.nan, 1])},
        sentences=Segmentation.of_gaps(3, [1]),
    )
    assert made.speaker is not None
    assert {type(cell) for cell in made.speaker} == {str}
    assert Transcript([], start=[], head=[], blank=[], sentences=[]).layers == (
        "start",
        "head",
        "blank",
        "sentences",
    )


def test_changing_an_argument_afterwards_does_not_change_the_transcript() -> None:
    start = np.array([0.0, 1.0, 2.0])
    words = Transcript(("a", "b", "c"), start=start)
    start[0] = 9
    assert words.start is not None
    assert words.start[0] == 0


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: MAKE("so it goes"), r"words is one text, .*; write 'so it goes'.split\(\), or"),
        (lambda: MAKE(7), "words is 7, and should be a list of texts"),
        (lambda: MAKE(("a", 2)), r"words\[1\] is 2, and should be a text$"),
        (lambda: MAKE(("a", None)), r"words\[1\] is None, and should be a text$"),
        (lambda: MAKE((), id=3), "id is 3, and should be a text"),
        (lambda: MAKE((), language=None), "language is None, and should be a text"),
        (lambda: WORDS.replace(speaker=("a", 2, "b")), r"speaker\[1\] is 2, and should be a text,"),
        (lambda: WORDS.replace(speaker="ann"), r"speaker is one text, .*; give a text for each w"),
        (
            lambda: WORDS.replace(start=[0, "y", 1]),
            r"start\[1\] is 'y', and should be a number, or",
        ),
        (lambda: WORDS.replace(start=["0", "1", "2"]), r"start\[0\] is '0', and should be a numbe"),
        (lambda: WORDS.replace(start=np.array(["0", "1", "2"])), r"start\[0\] is .*'0'"),
        (lambda: WORDS.replace(start=[0, None, np.inf]), r"start\[2\] is inf, and should be a num"),
        (lambda: WORDS.replace(start=[0, np.nan, -2]), r"start\[2\] is -2.0, and times are second"),
        (lambda: WORDS.replace(end=[[0], [1], [2, 3]]), "end has lists as cells"),
        (lambda: WORDS.replace(end=5), "end is 5, and should be a list"),
        (lambda: WORDS.replace(confidence=[True] * 3), r"confidence\[0\] is True, and should be"),
        (lambda: WORDS.replace(head=[0, 1.5, 2]), r"head\[1\] is 1.5, and should be the index of"),
        (lambda: WORDS.replace(head=[0, 0, 3]), r"head\[2\] is 3, and points outside the 3 words"),
        (lambda: WORDS.replace(head=[0, -2, 0]), r"head\[1\] is -2, and points outside"),
        (lambda: WORDS.replace(blank=[True, 2, True]), r"blank\[1\] is 2, and should be True or F"),
        (lambda: WORDS.replace(blank=["a", True, True]), r"blank\[0\] is 'a', and should be True"),
        (
            lambda: WORDS.replace(sentences=[(0, 1), (1, 2)]),
            r"sentences\[1\] is \(1, 2\), and begi",
        ),
        (
            lambda: WORDS.replace(sentences=[(0, 0), (2, 2)]),
            r"sentences\[1\] .* word 1 is in no se",
        ),
        (
            lambda: WORDS.replace(sentences=[(1, 2), (0, 0)]),
            r"sentences\[0\] .* word 0 is in no se",
        ),
        (lambda: WORDS.replace(sentences=[(0, 1)]), "the sentences cover 2 of 3 words; let the la"),
        (lambda: WORDS.replace(sentences=[(0, 3)]), r"sentences\[0\] .* end between 0 and 2"),
        (lambda: WORDS.replace(sentences=[(0, -1)]), r"sentences\[0\] .* end between 0 and 2"),
        (lambda: WORDS.replace(sentences=[0, 2]), r"sentences\[0\] is 0; write \(first, last\)"),
        (lambda: WORDS.replace(sentences=[(0, "2")]), r"sentences\[0\] is \(0, '2'\); write"),
        (lambda: WORDS.replace(sentences=3), r"sentences is 3; write \(first, last\)"),
        (lambda: WORDS.replace(sentences=SHORT), "sentences has 2 cells for 3 words; give a cell"),
        (
            lambda: WORDS.replace(entities=[(0, 5, "PER")]),
            r"entities\[0\], 'PER' at \[0, 5\], lies",
        ),
        (
            lambda: WORDS.replace(entities=[(2, 1, "PER")]),
            r"entities\[0\], 'PER' at \[2, 1\], lies",
        ),
        (lambda: WORDS.replace(entities=[(0, 1)]), r"entities\[0\] is \(0, 1\), and should be a"),
        (
            lambda: WORDS.replace(entities=[(0, "1", "A")]),
            r"entities\[0\] is .*; write Span\(first",
        ),
        (lambda: WORDS.replace(entities=[(0, 1, 7)]), r"entities\[0\] is \(0, 1, 7\), and should"),
        (lambda: WORDS.replace(entities=4), "entities is 4, and should be a list of spans"),
        (lambda: MAKE(("a",), id="talk", start=[0, 1]), "^talk: start has 2 cells for 1 words"),
        (lambda: WORDS.replace(start=np.zeros((3, 1))), "start has 2 dimensions"),
        (lambda: WORDS.replace(start=np.zeros(2)), "start has 2 cells for 3 words"),
        (lambda: UNTYPED[0], "a transcript is sliced"),
        (lambda: WORDS[::2], "steps of one word"),
        (lambda: WORDS.take([2, 0]), "indices of words ascend"),
        (lambda: WORDS.take([0, 0]), "indices of words ascend"),
        (lambda: WORDS.take([-1]), "indices of words ascend"),
        (lambda: WORDS.take([True]), "a mask of 3 cells"),
        (lambda: CUT([3, 7]), "True or False for each gap"),
        (lambda: Segmentation(np.zeros((2, 2), np.bool_)), "True or False for each gap"),
        (
            lambda: CUT(np.array([True]), label=(3,)),
            r"label\[0\] is 3, and should be a text, or ''",
        ),
        (lambda: CUT(np.array([True]), log_odds=["x"]), "log_odds has a cell that is no number"),
        (lambda: CUT(np.array([True]), log_odds=[[1]]), "log_odds has 2 dimensions"),
        (lambda: Segmentation.of_gaps(3, [1, 3]), r"gaps\[1\] is 3, and the gaps are 0 to 2"),
        (lambda: CUT.of_gaps(3, [0.5]), r"gaps\[0\] is 0.5, and should be the index"),
    ],
)
def test_an_argument_that_does_not_fit_is_refused(made: object, message: str) -> None:
    with pytest.raises(LayerError, match=message):
        made()  # type: ignore[operator]


def test_sentences_from_gaps_pairs_and_flags_are_the_same() -> None:
    flags = Segmentation(np.array([False, True, False, False]))
    assert (
        flags == Segmentation.of_gaps(4, [1, 3]) == Segmentation.of_sentences(4, [(0, 1), (2, 3)])
    )
    assert flags.sentences == [(0, 1), (2, 3)]
    assert len(Segmentation(np.zeros(0, np.bool_)).sentences) == 0


def test_an_error_about_a_very_long_word_stays_short() -> None:
    with pytest.raises(CaesuraError) as caught:
        list(registry.parse("format", "iwslt").read(io.BytesIO(b"a" * 1_000_000)))
    assert len(str(caught.value)) < 600
