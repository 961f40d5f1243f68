"""Sentences that end at a silence, and lines that come through a pipe."""

import json
import math
import os
import threading
import time
from io import BytesIO

import numpy as np
import pytest

import caesura
from caesura.core.errors import UnknownName
from caesura.core.transcript import Transcript
from caesura.detectors.lm import LM
from caesura.detectors.pause import Pause
from caesura.detectors.streaming import StreamSession
from caesura.formats.live_words import AT_ONCE, chunks
from caesura.testing.detector_laws import made_up_recording

GAP = 3.0
PATIENT = Pause(threshold=100.0, evidence=("pause",))
"""Never ends a sentence by itself."""


def said(text: str, *silences: int) -> Transcript:
    """Words of half a second each, with a gap before those that are numbered."""
    words = tuple(text.split())
    start = np.arange(len(words), dtype=np.float64) * 0.5
    for place in silences:
        start[place:] += GAP
    return Transcript(words, id="talk", start=start, end=start + 0.5)


def texts(words: Transcript, silence: float | None, size: int = 1) -> list[str]:
    parts = [words[at : at + size] for at in range(0, len(words), size)]
    found = caesura.stream(parts, detector=PATIENT, restore=False, silence=silence)
    return [sentence.text for sentence in found]


@pytest.mark.parametrize("size", [1, 2, 3, 6])
def test_a_silence_ends_a_sentence_however_words_arrive(size: int) -> None:
    talk = said("a b c d e f", 2, 5)
    assert texts(talk, None, size) == texts(talk, GAP + 0.1, size) == ["a b c d e f"]
    assert texts(talk, GAP, size) == texts(talk, 0.1, size) == ["a b", "c d e", "f"]


def test_words_without_times_have_no_silence() -> None:
    talk = said("a b c", 1)
    assert texts(talk.only(()), 0.1) == ["a b c"]
    unknown = talk.replace(end=np.array([math.nan, 4.0, 4.5]))
    assert texts(unknown, 0.1) == ["a b c"]


def test_a_delay_ends_at_the_word_after_the_silence() -> None:
    live = StreamSession(PATIENT, silence=GAP)
    live.push(said("a b", 1)[:1])
    (found,) = live.push(said("a b c", 1)[1:])
    evidence = found.sentence.evidence or {}
    assert (found.first, found.sentence.text) == (0, "a")
    assert evidence["delay_words"].tolist() == [1]
    assert evidence["delay_seconds"].tolist() == [GAP + 0.5]
    (rest,) = live.close()
    assert (rest.first, rest.sentence.text) == (1, "b c")


def test_a_silence_at_which_no_word_comes_has_no_delay_in_words() -> None:
    live = StreamSession(PATIENT)
    assert live.pause() == []
    live.push(said("a b"))
    (found,) = live.pause()
    assert (found.sentence.evidence or {})["delay_words"][-1] == 0
    assert live.pause() == live.close() == []


def test_sentences_before_a_silence_are_those_of_a_recording_that_ends_there() -> None:
    """The end of speech is decided as the end of a recording is."""
    learnt = LM(cutoff=1).train([made_up_recording(seed, 150) for seed in range(4)])
    talk = made_up_recording(9, 60).only(()).replace(id="talk")
    start = np.arange(60) * 0.5 + np.where(np.arange(60) < 40, 0, GAP)
    whole = talk.replace(start=start, end=start + 0.5)
    found = [each.words for each in caesura.stream([whole], detector=learnt, silence=GAP)]
    apart = [
        each.words
        for part in (whole[:40], whole[40:])
        for each in caesura.stream([part], detector=learnt)
    ]
    assert found == apart


@pytest.mark.parametrize("silence", [0, -1.0, math.inf, math.nan, True, "2"])
def test_a_silence_is_a_number_of_seconds(silence: float) -> None:
    with pytest.raises(UnknownName, match="a number of seconds above 0"):
        list(caesura.stream([said("a")], silence=silence))


def test_the_language_is_for_words_without_one() -> None:
    lines = [b'{"word": "a"}', b'{"word": "b", "id": "other", "language": "fr"}']
    found = [each.language for each in caesura.stream(lines, detector=PATIENT, language="en")]
    assert found == ["en", "fr"]
    assert [each.language for each in caesura.stream(lines[:1], detector=PATIENT)] == [""]


def test_lines_that_are_there_are_given_some_at_once() -> None:
    count = 2 * AT_ONCE + 1
    data = b"".join(b"%d\n" % number for number in range(count))
    found = list(chunks(BytesIO(data), silence=1.0))
    assert [len(part) for part in found] == [AT_ONCE, AT_ONCE, 1]
    assert b"\n".join(line for part in found for line in part) + b"\n" == data
    assert [line for part in chunks(BytesIO(data), count - 2) for line in part] == [
        b"%d" % number for number in (count - 2, count - 1)
    ]


def test_nothing_is_given_once_where_nothing_comes() -> None:
    read, write = os.pipe()
    reading = os.fdopen(read, "rb")

    def speak() -> None:
        with os.fdopen(write, "wb", buffering=0) as out:
            out.write(b"a\nb\n")
            time.sleep(0.5)
            out.write(b"c\n")

    speaker = threading.Thread(target=speak)
    speaker.start()
    with reading:
        found = list(chunks(reading, silence=0.05))
    speaker.join()
    assert found == [[b"a", b"b"], [], [b"c"]]


def test_the_last_row_of_a_ctm_is_not_held_in_a_silence() -> None:
    from caesura.formats.live_words import LiveWords

    rows = [f"talk 1 {at} 0.5 w{at}".encode() for at in range(3)]
    batches = LiveWords("ctm", "stop", "<words>").batches([rows[:2], [], rows[2:]])
    assert [batch.words for batch in batches] == [("w0",), ("w1",), ()]


def test_lines_of_json_may_be_parted_by_silences() -> None:
    lines = [
        json.dumps({"word": word, "start": start, "end": start + 0.5})
        for word, start in (("a", 0.0), ("b", 0.5), ("c", 5.0))
    ]
    found = caesura.stream(lines, detector=PATIENT, restore=False, silence=2)
    assert [each.text for each in found] == ["a b", "c"]


def test_recordings_that_take_turns_cause_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    told = "comes again after another recording"
    for ids, warned in ((("a", "a", "b"), 0), (("a", "b", "a", "b"), 1)):
        caplog.clear()
        list(caesura.stream([said("x").replace(id=id) for id in ids], detector=PATIENT))
        assert caplog.text.count(told) == warned


def test_an_empty_batch_is_ignored_without_a_silence() -> None:
    talk = said("a b")
    parts = [talk[:1], Transcript(()), talk[1:]]
    assert [each.text for each in caesura.stream(parts, detector=PATIENT, restore=False)] == ["a b"]
    found = caesura.stream(parts, detector=PATIENT, restore=False, silence=9)
    assert [each.text for each in found] == ["a", "b"]
