"""Pauses, speakers and marks, each on a text that can be checked by eye."""

import logging

import numpy as np
import pytest

from caesura import api
from caesura.core.transcript import Transcript
from caesura.detectors.pause import Pause


def timed(*spans: tuple[float, float], **layers: object) -> Transcript:
    """Words a, b, c, … at these times."""
    words = tuple(chr(ord("a") + i) for i in range(len(spans)))
    start, end = np.array(spans, dtype=np.float64).reshape(-1, 2).T
    return Transcript(words, start=start, end=end, **layers)  # type: ignore[arg-type]


def ends(transcript: Transcript, **settings: object) -> list[int]:
    found: list[int] = Pause(**settings).detect(transcript).gaps.tolist()  # type: ignore[arg-type]
    return found


def test_the_boundary_lies_after_the_word_before_the_pause() -> None:
    #       a    b         c
    #     0 .. 1 1 . 2     3 . 4
    assert ends(timed((0, 1), (1, 2), (3, 4))) == [1, 2]


@pytest.mark.parametrize(("pause", "found"), [(0.399, [1]), (0.4, [0, 1]), (0.401, [0, 1])])
def test_a_pause_of_just_the_threshold_counts(pause: float, found: list[int]) -> None:
    assert ends(timed((0.1, 0.3), (0.3 + pause, 1.0))) == found


def test_the_threshold_can_be_set() -> None:
    spoken = timed((0, 1), (1.3, 2), (2.7, 3))
    assert ends(spoken, threshold=0.3) == [0, 1, 2]
    assert ends(spoken, threshold=0.5) == [1, 2]
    assert ends(spoken, threshold=1) == [2]


def test_overlap_and_unknown_times_are_no_pause() -> None:
    assert ends(timed((0, 3), (1, 2), (2, 2.5))) == [2]
    assert ends(timed((0, 1), (np.nan, np.nan), (9, 10)), threshold=0) == [2]


def test_another_speaker_ends_a_sentence_and_can_be_switched_off() -> None:
    spoken = timed((0, 1), (1, 2), (2, 3), speaker=("A", "A", "B"))
    assert ends(spoken) == [1, 2]
    assert ends(spoken, evidence=("pause", "marks")) == [2]


def test_an_unknown_speaker_is_no_change() -> None:
    assert ends(timed((0, 1), (1, 2), (2, 3), speaker=("A", "", "A"))) == [2]


def test_markers_say_which_pauses_count() -> None:
    spans = (0.0, 1.0), (2.0, 3.0), (4.0, 5.0), (6.0, 7.0), (7.0, 8.0), (8.0, 9.0)
    spoken = timed(*spans, pause=("<s>", "<sil>", "", "<s>", "", "<s>"))
    assert ends(spoken) == [0, 1, 2, 5]
    assert ends(spoken, markers=("<s>",)) == [0, 5]
    assert ends(spoken, markers=["<s>", "<sil>"]) == [0, 1, 5]
    assert ends(spoken, markers=("<s>",), threshold=0) == [0, 3, 5]
    assert ends(spoken, markers=("<s>",), threshold=2) == [5]
    assert ends(timed(*spans), markers=("<s>",), threshold=0) == [5]


def test_a_marked_pause_without_times_is_unknown() -> None:
    spoken = timed((0, 1), (np.nan, np.nan), (9, 10), pause=("<s>", "<s>", ""))
    assert ends(spoken, markers=("<s>",), threshold=0) == [2]
    lacking = Pause(evidence=("pause",), markers=("<s>", "<sil>")).lacks
    assert lacking(spoken) == "no pauses marked <s> or <sil> to go by"
    assert lacking(timed((0, 1), (2, 3))) == "no pauses marked <s> or <sil> to go by"
    assert lacking(timed((0, 1), (2, 3), pause=("<s>", ""))) == ""


def test_markers_are_texts() -> None:
    with pytest.raises(ValueError, match="markers is a tuple of texts"):
        Pause(markers="<s>")  # type: ignore[arg-type]


def test_marks_outweigh_pauses_where_the_text_is_punctuated() -> None:
    spoken = timed((0, 1), (3, 4), (4, 5), (5, 6), mark=("", "", ".", "?"))
    assert ends(spoken) == [2, 3]
    assert ends(spoken, evidence=("pause",)) == [0, 3]


def test_where_marks_are_missing_pauses_decide() -> None:
    spans = [(i, i + 1.0) for i in range(100)]
    spans[95:] = [(i + 5, i + 6.0) for i in range(95, 100)]
    marks = tuple("." if i == 9 else "" for i in range(100))
    words = tuple("w" for _ in spans)
    start, end = np.array(spans, dtype=np.float64).T
    spoken = Transcript(words, start=start, end=end, mark=marks)
    assert ends(spoken) == [9, 94, 99]


def test_a_comma_is_no_end_even_with_a_pause() -> None:
    assert ends(timed((0, 1), (2, 3), mark=(",", ""))) == [1]


def test_labels_are_the_plain_marks() -> None:
    found = Pause().detect(timed((0, 1), (1, 2), mark=("?!”", "。")))
    assert found.label == ("?", ".")


def test_missing_evidence_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="caesura"):
        found = list(api.segment(Transcript(("a", "b"), id="talk"), detector="Pause"))
    assert found[0].sentences is not None
    assert found[0].sentences.gaps.tolist() == [1]
    assert "talk: no word times and no speakers and no sentence marks" in caplog.text


def test_one_word_and_no_word() -> None:
    assert ends(timed((0, 1))) == [0]
    assert ends(Transcript(())) == []


def test_marks_that_stand_as_words_are_marks() -> None:
    words = 'so it goes . well , not quite ! " yes'.split()
    found = Pause().detect(Transcript(tuple(words)))
    assert found.gaps.tolist() == [3, 9, 10]
    assert found.label is not None
    assert [mark for mark in found.label if mark] == [".", "!"]
    assert Pause().lacks(Transcript(("a", "."))) == ""
    assert "no sentence marks" in Pause().lacks(Transcript(("a", ",", "b")))


def test_marks_before_the_first_word_end_nothing() -> None:
    found = Pause().detect(Transcript((".", "so", ".", "well")))
    assert found.gaps.tolist() == [2, 3]
