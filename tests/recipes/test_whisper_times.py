"""What Whisper's word times would be."""

import math

import numpy as np
import pytest
from recipes.whisper_times import with_whisper_times

from caesura.core.transcript import Transcript
from recipes import whisper_times


@pytest.fixture(autouse=True)
def _every_mark_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whisper_times, "WRITTEN", {"end": 1.0, "comma": 1.0})
    monkeypatch.setattr(whisper_times, "LATE", 0.0)


def recording(marks: str, pauses: list[float]) -> Transcript:
    """Make a recording of words of 0.2 seconds."""
    start = np.concatenate([[0.0], np.cumsum(0.2 + np.array(pauses))])
    words = tuple(f"word{at}" for at in range(len(start)))
    mark = tuple("" if each == "-" else each for each in marks)
    return Transcript(words, mark=mark, start=start, end=start + 0.2)


def spans(found: Transcript) -> list[tuple[float, float]]:
    """Return start and end of each word."""
    assert found.start is not None
    assert found.end is not None
    return list(zip(found.start.tolist(), found.end.tolist(), strict=True))


def test_words_and_marks_lie_end_to_end() -> None:
    found = with_whisper_times(recording("--,-", [0.1, 0.0, 0.5]))
    assert spans(found) == [(0, 0.3), (0.3, 0.5), (0.5, 1.2), (1.2, 1.4)]


def test_a_long_pause_at_a_sentence_end_is_cut_to_twice_the_usual_length() -> None:
    # The full stop lasts 1 s, words and marks 0.2 s by the median: 0.4 s of it are left.
    found = with_whisper_times(recording("--.-", [0.0, 0.0, 1.0]))
    assert spans(found) == [(0, 0.2), (0.2, 0.4), (0.4, 1.0), (1.6, 1.8)]


def test_a_long_word_after_a_sentence_end_begins_later(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = [
        whisper_times.Token("word", 0, 0.0, 0.2),
        whisper_times.Token(".", 0, 0.2, 0.4),
        whisper_times.Token("word", 1, 0.4, 2.0),
    ]
    whisper_times.shorten(tokens)
    assert tokens[2].start == pytest.approx(1.6)


def test_a_pause_without_a_mark_may_go_to_the_word_after_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(whisper_times, "LATE", 1.0)
    assert spans(with_whisper_times(recording("--", [0.5]))) == [(0, 0.2), (0.2, 0.9)]


def test_words_without_times_stay_so() -> None:
    given = recording("---", [0.1, 0.1])
    assert given.start is not None
    assert given.end is not None
    start, end = given.start.copy(), given.end.copy()
    start[1] = end[1] = np.nan
    found = spans(with_whisper_times(given.replace(start=start, end=end)))
    assert found[0] == (0.0, 0.6)
    assert all(map(math.isnan, found[1]))
    with pytest.raises(ValueError, match="no times"):
        with_whisper_times(Transcript(("a",)))
