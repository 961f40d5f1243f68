"""Values are checked at the door and stay as they are."""

import copy
import io
import pickle
from typing import Any

import numpy as np
import pytest

from caesura.core import registry
from caesura.core.errors import CaesuraError, LayerError
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript

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


@pytest.mark.parametrize("again", [pickle.loads(pickle.dumps(WORDS)), copy.deepcopy(WORDS)])
def test_copies_are_equal_and_immutable(again: Transcript) -> None:
    assert again == WORDS
    assert again.start is not None
    with pytest.raises(ValueError, match="read-only"):
        again.start[0] = 7
    with pytest.raises(AttributeError):
        again.id = "other"  # type: ignore[misc]


def test_what_was_given_can_change_without_harm() -> None:
    start = np.array([0.0, 1.0, 2.0])
    words = Transcript(("a", "b", "c"), start=start)
    start[0] = 9
    assert words.start is not None
    assert words.start[0] == 0


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: MAKE("hello"), "words is a sequence of texts"),
        (lambda: MAKE((1, 2)), "words is a sequence of texts"),
        (lambda: WORDS.replace(speaker=(1, 2, 3)), "speaker is a sequence of texts"),
        (lambda: WORDS.replace(start=["x", "y", "z"]), "start cannot hold these cells"),
        (lambda: WORDS.replace(start=np.zeros((3, 1))), "start has 2 dimensions"),
        (lambda: WORDS.replace(start=np.zeros(2)), "start has 2 cells for 3 words"),
        (lambda: UNTYPED[0], "a transcript is sliced"),
        (lambda: WORDS[::2], "steps of one word"),
        (lambda: WORDS.take([2, 0]), "indices of words ascend"),
        (lambda: WORDS.take([0, 0]), "indices of words ascend"),
        (lambda: WORDS.take([-1]), "indices of words ascend"),
        (lambda: WORDS.take([True]), "a mask of 3 cells"),
        (lambda: CUT([3, 7]), "a truth value for each gap"),
        (lambda: Segmentation(np.zeros((2, 2), np.bool_)), "a truth value for each gap"),
        (lambda: CUT(np.array([True]), label=(None,)), "label is a sequence of texts"),
        (lambda: Segmentation.of_gaps(3, [3]), "outside the 3 gaps"),
    ],
)
def test_what_does_not_fit_is_refused(made: object, message: str) -> None:
    with pytest.raises(LayerError, match=message):
        made()  # type: ignore[operator]


def test_sentences_from_gaps_pairs_and_flags_are_the_same() -> None:
    flags = Segmentation(np.array([False, True, False, False]))
    assert (
        flags == Segmentation.of_gaps(4, [1, 3]) == Segmentation.of_sentences(4, [(0, 1), (2, 3)])
    )
    assert flags.sentences == [(0, 1), (2, 3)]
    assert len(Segmentation(np.zeros(0, np.bool_)).sentences) == 0


def test_an_error_about_an_endless_word_stays_readable() -> None:
    with pytest.raises(CaesuraError) as caught:
        list(registry.parse("format", "iwslt").read(io.BytesIO(b"a" * 1_000_000)))
    assert len(str(caught.value)) < 600
