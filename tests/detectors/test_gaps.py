"""Which class each gap has."""

import numpy as np
import pytest

from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.detectors.gaps import (
    check_classes,
    class_count,
    class_labels,
    classes_of_gaps,
    ends_sentence,
    marked_words,
)

MARKS = (".", "?", ",")


def spoken(boundary: str, label: tuple[str, ...] | None = None, **layers: object) -> Transcript:
    """Words with boundaries where there is a bar."""
    flags = np.array([sign == "|" for sign in boundary])
    words = ("w",) * len(boundary)
    return Transcript(words, sentences=Segmentation(flags, label), **layers)  # type: ignore[arg-type]


def found(transcript: Transcript, labels: tuple[str, ...]) -> list[int] | None:
    numbers = classes_of_gaps(transcript, labels)
    return None if numbers is None else numbers.tolist()


def test_without_labels_a_boundary_is_the_only_class() -> None:
    assert found(spoken("-|-|", (",", "?", "", "")), ()) == [0, 1, 0, 1]
    assert found(Transcript(("a", "b")), ()) is None
    assert found(Transcript(("a", "b")), MARKS) is None
    assert found(spoken(""), ()) == []
    assert found(spoken(""), MARKS) == []


def test_labels_are_classes() -> None:
    assert found(spoken("-|-|", (",", "?", "", ".")), MARKS) == [3, 2, 0, 1]


def test_boundaries_without_a_label_have_the_class_of_their_mark() -> None:
    marks = (",", "?”", "", ").")
    assert found(spoken("-|-|", mark=marks), MARKS) == [3, 2, 0, 1]
    assert found(spoken("-|-|", mark=marks), ("?", ".")) == [0, 1, 0, 2]


def test_a_label_is_worth_more_than_a_mark() -> None:
    assert found(spoken("-|", ("", "?"), mark=("", ".")), MARKS) == [0, 2]


def test_boundaries_of_no_class_have_the_first_that_ends_sentences() -> None:
    assert found(spoken("|||", ("!", "", ",")), (",", ".", "?")) == [2, 2, 2]
    assert found(spoken("|||"), MARKS) == [1, 1, 1]


def test_inside_a_sentence_only_what_does_not_end_one_counts() -> None:
    assert found(spoken("--|", (".", "-", "."), mark=("?", ",", "")), MARKS) == [0, 3, 1]


def test_which_classes_end_sentences() -> None:
    assert ends_sentence(()).tolist() == [False, True]
    assert ends_sentence(MARKS).tolist() == [False, True, True, False]
    assert (class_count(()), class_count(("?",)), class_count(MARKS)) == (2, 2, 4)


def test_labels_are_written_as_they_are_read() -> None:
    assert class_labels([0, 3, 1, 2], MARKS) == ("", ",", ".", "?")


@pytest.mark.parametrize("wrong", [("",), (".", "."), (",",), (",", ":"), "x", 3, (1,), None])
def test_wrong_classes_are_refused(wrong: object) -> None:
    with pytest.raises(ValueError, match="class"):
        check_classes(wrong)


def test_classes_may_be_a_list() -> None:
    assert check_classes([".", ","]) == (".", ",")
    assert check_classes([]) == ()


def test_a_dash_after_the_end_of_a_sentence_is_the_start_of_what_follows() -> None:
    words = ("thanks", ".", "-", "ann", "-", "and", "bob", "--", "yes")
    marked = marked_words(Transcript(words))
    assert list(marked.words) == ["thanks", "ann", "and", "bob", "yes"]
    assert list(marked.marks) == [".", "-", "", "--", ""]
    assert marked.first.tolist() == [0, 3, 5, 6, 8]
    assert marked.last.tolist() == [1, 4, 5, 7, 8]
