"""Find sentences in words that arrive over time, and save the state of a stream.

`stream_sentences` is what `caesura.stream` and the command `caesura stream` call. It reads words
from a source, passes them to a `StreamSession`, which runs the detector on one recording after
another, and saves the state of both in a `StateFile`, so that a cut stream can go on later.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple

import numpy as np

from caesura import __version__
from caesura.core.atomic import atomic
from caesura.core.errors import FormatError, MismatchError, UnknownName
from caesura.core.protocols import Detector, Stream
from caesura.core.serialize import to_document
from caesura.core.transcript import Transcript, only_speaker
from caesura.core.values import as_json
from caesura.detectors.stored_model import get_detector
from caesura.detectors.window_stream import with_delay
from caesura.formats.live_words import Line, LiveWords, chunks
from caesura.text.restore import as_read, restore

logger = logging.getLogger("caesura")

WordSource = str | Path | Iterable[Line]
"""A file (- is standard input), or lines, objects or transcripts one by one."""

LineFormat = Literal["text", "json", "jsonl"]
"""A sentence as a line: its text, a JSON object with place and delay, or all layers as JSONL."""

MOST_IDS = 1000
"""Ids of recordings that are remembered, to notice when one comes again."""

ENDLESS = 2000
"""Words without a sentence end after which a warning is logged."""


class StreamedSentence(NamedTuple):
    """A sentence that is final, and the index of its first word in the recording."""

    first: int
    sentence: Transcript

    def to_dict(self) -> dict[str, Any]:
        """Return text, place, times, speaker and delay, as JSON can hold them."""
        sentence, last = self.sentence, len(self.sentence) - 1
        evidence = sentence.evidence or {}

        def cell(column: Any, at: int) -> Any:
            return None if column is None else as_json(column[at].item())

        return {
            "id": sentence.id,
            "first": self.first,
            "last": self.first + last,
            "text": sentence.text,
            "read": as_read(sentence).text,
            "start": cell(sentence.start, 0),
            "end": cell(sentence.end, last),
            "speaker": only_speaker(sentence.speaker or ()),
            "delay_words": int(evidence["delay_words"][last]),
            "delay_seconds": cell(evidence.get("delay_seconds"), last),
        }

    def to_line(self, to: LineFormat) -> str:
        """Write the sentence as one line."""
        if to == "text":
            return self.sentence.text
        document = self.to_dict() if to == "json" else to_document(self.sentence)
        return json.dumps(document, ensure_ascii=False)


def stream_sentences(
    words: WordSource,
    *,
    detector: str | Detector = "auto",
    prefer: str = "f1",
    shortest: int | str | None = None,
    longest: int | str | None = None,
    format: str | None = None,
    state: str | Path | None = None,
    on_error: str = "stop",
    language: str = "",
    silence: float | None = None,
    restore: bool = True,
    waiting: AbstractContextManager[Any] | None = None,
) -> Iterator[StreamedSentence]:
    """Yield each sentence, with the index of its first word, as soon as it is final.

    A `silence` of so many seconds, between words or while none arrives, ends a sentence at once.
    With a `state` file, a stream that is interrupted, or stopped by a line that cannot be read,
    saves its state there; without one, the words left are given as if the stream had ended. The
    state is saved after the sentences before it have been taken. Sentences get the capitals and
    marks that they lack, unless `restore` is false. `waiting` is entered while the stream waits
    for words.
    """
    longest_silence = _check_silence(silence)
    deciding = get_detector(detector, prefer, shortest, longest, "stream")
    file = StateFile(state, deciding)
    saved = file.load()
    name = _source_name(words)
    reader = LiveWords(format, on_error, name, saved.get("words"), language)
    session = StreamSession(deciding, saved.get("session"), longest_silence, restore)
    if saved:
        logger.info("%s: going on after line %d", name, reader.lines)
    batches = reader.batches(_read_lines(words, reader.lines, waiting, longest_silence))
    while True:
        try:
            batch = next(batches, None)
        except (KeyboardInterrupt, FormatError):
            if state:
                file.save_now(reader, session)
                text = "%s: stopped after line %d; the same command with --state %s goes on there"
                logger.info(text, name, reader.lines, state)
            else:
                yield from _close(reader, session)
            raise
        if batch is None:
            break
        if len(batch):
            yield from session.push(batch)
        elif silence is not None:
            yield from session.pause()
        file.save(reader, session)
    yield from _close(reader, session)
    file.remove()


def _close(reader: LiveWords, session: StreamSession) -> Iterator[StreamedSentence]:
    for words in reader.flush():
        yield from session.push(words)
    yield from session.close()


def _check_silence(silence: float | None) -> float:
    if silence is None:
        return math.inf
    if not (type(silence) in (int, float) and 0 < silence < math.inf):
        raise UnknownName(f"a silence is a number of seconds above 0, not {silence!r}")
    return silence


def _source_name(words: WordSource) -> str:
    if not isinstance(words, (str, Path)):
        return "<words>"
    return "<stdin>" if str(words) == "-" else str(words)


def _read_lines(
    words: WordSource, skip: int, waiting: AbstractContextManager[Any] | None, silence: float
) -> Iterator[Sequence[Line]]:
    """Read lines; those of a file after the first `skip` lines, which were read before."""
    if not isinstance(words, (str, Path)):
        yield from ([line] for line in words)
        return
    try:
        if str(words) == "-":
            yield from chunks(_standard_input(), 0, waiting, silence)
        else:
            with Path(words).open("rb") as file:
                yield from chunks(file, skip, waiting, silence)
    except OSError as error:
        name = _source_name(words)
        raise FormatError(f"cannot be read: {error.strerror}", where=name) from error


def _standard_input() -> BinaryIO:
    if sys.stdin is None:
        raise FormatError("standard input is closed")
    return sys.stdin.buffer


class StreamSession:
    """Runs a detector on recordings that arrive one after another.

    A `silence` of so many seconds before a word ends the sentence before it. Sentences get the
    capitals and marks that they lack if `restore` is true.
    """

    def __init__(
        self,
        detector: Detector,
        state: Mapping[str, Any] | None = None,
        silence: float = math.inf,
        restore: bool = False,
    ) -> None:
        saved = state or {"id": "", "pushed": 0, "given": 0, "end": None, "stream": None}
        self.detector, self.silence, self.restore = detector, silence, restore
        self.id: str = saved["id"]
        self.pushed: int = saved["pushed"]
        """Words of the recording that have arrived."""
        self.given: int = saved["given"]
        """Words of the sentences that were given out."""
        self.end: float = math.nan if saved["end"] is None else saved["end"]
        self._seen_ids: set[str] = set()
        self._warned = False
        is_open = saved["stream"] is not None
        self.stream: Stream | None = detector.stream(saved["stream"]) if is_open else None

    def push(self, words: Transcript) -> list[StreamedSentence]:
        """Add words and return the sentences that are final; another id ends the recording."""
        found, words = [], as_read(words)
        if self.stream is None or words.id != self.id:
            found = self.close()
            self.stream, self.id = self.detector.stream(), words.id
            self._warn_if_seen(words.id)
        silent = self._after_silence(words)
        for first, stop in pairwise(sorted({0, *silent, len(words)})):
            part = words[first:stop] if stop - first < len(words) else words
            if first in silent:
                found += self.pause(part)
            found += self._push(part)
        return found

    def pause(self, following: Transcript | None = None) -> list[StreamedSentence]:
        """End the open sentence, because nobody has spoken for a while.

        If that is known from the words `following`, the delay is counted up to the first of them.
        """
        if self.stream is None:
            return []
        sentences = self.stream.close()
        if following is not None and len(following):
            lengths = [len(sentence) for sentence in sentences]
            end = math.nan if following.end is None else float(following.end[0])
            sentences = [
                with_delay(sentence, sum(lengths[at + 1 :]) + 1, end)
                for at, sentence in enumerate(sentences)
            ]
        found, state = self._number(sentences), self.stream.next_state()
        self.stream = self.detector.stream(state)
        return found

    def close(self) -> list[StreamedSentence]:
        """End the recording and return the sentences that are left."""
        found = self._number(self.stream.close()) if self.stream is not None else []
        self.stream = None
        self.pushed = self.given = 0
        self.end = math.nan
        return found

    def state(self) -> dict[str, Any]:
        """Return, as JSON can hold it, what is needed to go on."""
        return {
            "id": self.id,
            "pushed": self.pushed,
            "given": self.given,
            "end": None if math.isnan(self.end) else self.end,
            "stream": None if self.stream is None else self.stream.state(),
        }

    def _warn_if_seen(self, id: str) -> None:
        """Warn, once, about a recording that comes again after another one."""
        if id in self._seen_ids and not self._warned:
            self._warned = True
            logger.warning(
                "%s comes again after another recording, and begins anew each time: give the words "
                "of one recording, or channel, after those of another, not in turns",
                id or "a recording",
            )
        if len(self._seen_ids) < MOST_IDS:
            self._seen_ids.add(id)

    def _after_silence(self, words: Transcript) -> list[int]:
        """Return the indices of the words that follow a silence."""
        if self.silence == math.inf or words.start is None or words.end is None:
            return []
        before = np.append(self.end, words.end)[: len(words)]
        found: list[int] = np.flatnonzero(words.start - before >= self.silence).tolist()
        return found

    def _push(self, words: Transcript) -> list[StreamedSentence]:
        assert self.stream is not None
        self.pushed += len(words)
        if words.end is not None and len(words):
            self.end = float(words.end[-1])
        open_before = self.pushed - self.given
        found = self._number(self.stream.push(words))
        if open_before - len(words) < ENDLESS <= self.pushed - self.given:
            logger.warning(
                "%s: no sentence has ended for %s words: is there anything to go by?",
                words.id or "a recording",
                f"{ENDLESS:,}",
            )
        return found

    def _number(self, sentences: Sequence[Transcript]) -> list[StreamedSentence]:
        """Number sentences by their first word, add delays that are not given, and restore them."""
        found = []
        for sentence in sentences:
            first, self.given = self.given, self.given + len(sentence)
            if "delay_words" not in (sentence.evidence or {}):
                sentence = with_delay(sentence, self.pushed - self.given, self.end)
            if self.restore and self.stream is not None:
                sentence = restore(sentence, self.stream.language(sentence))
            found.append(StreamedSentence(first, sentence))
        return found


STATE, VERSION = "caesura_stream", 2
SAVING_SHARE = 20
"""While words come fast, saving takes at most one second in this many."""


class StateFile:
    """The file in which the state of a stream is saved; without a path nothing is saved."""

    def __init__(self, path: str | Path | None, detector: Detector) -> None:
        self.path = Path(path) if path else None
        self.header = {STATE: VERSION, "caesura": __version__, "detector": repr(detector)}
        self._next_save = 0.0
        if self.path:
            self.header["fingerprint"] = fingerprint(detector)

    def load(self) -> dict[str, Any]:
        """Read the state; {} if there is none yet, an error if it is of another detector."""
        if self.path is None or not self.path.exists():
            return {}
        try:
            found = json.loads(self.path.read_bytes())
            is_whole = found.pop("checksum") == _checksum(found)
        except (
            OSError,
            ValueError,
            RecursionError,
            LookupError,
            TypeError,
            AttributeError,
        ) as error:
            raise self._damaged() from error
        if not is_whole:
            raise self._damaged()
        for name, ours in self.header.items():
            if found.get(name) != ours:
                raise self._mismatch(name, found.get(name), ours)
        return dict(found)

    def save(self, reader: LiveWords, session: StreamSession) -> None:
        """Write the state, unless saving has taken too much of the time lately."""
        begun = time.monotonic()
        if begun >= self._next_save:
            self.save_now(reader, session)
            now = time.monotonic()
            self._next_save = now + SAVING_SHARE * (now - begun)

    def save_now(self, reader: LiveWords, session: StreamSession) -> None:
        """Write the state; the old one is replaced when the new one is complete."""
        if self.path is None:
            return
        document = {**self.header, "words": reader.state(), "session": session.state()}
        # The checksum is that of the document as it will be read: a tuple is a list there.
        document = json.loads(json.dumps(document))
        document["checksum"] = _checksum(document)
        with atomic(self.path) as file:
            file.write(json.dumps(document, ensure_ascii=False).encode())

    def remove(self) -> None:
        """Delete the file, because the stream has ended."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)

    def _damaged(self) -> FormatError:
        return FormatError(
            "this is not the state of a stream, or it is damaged",
            where=str(self.path),
            remedy="remove it to start again",
        )

    def _mismatch(self, name: str, theirs: object, ours: object) -> MismatchError:
        what = {
            STATE: f"the state has version {theirs}, which this program does not know",
            "caesura": f"the state was saved by version {theirs} of Caesura, and this is {ours}",
            "detector": f"the state is of the detector {theirs}, not of {ours}",
            "fingerprint": "the state is of a detector that was trained differently",
        }[name]
        remedy = "go on with the same detector and version, or remove the state to start again"
        return MismatchError(what, where=str(self.path), remedy=remedy)


def fingerprint(detector: Detector) -> str:
    """Return a hash of a detector's settings and of what it was trained to."""
    found = hashlib.sha256(repr(detector).encode())
    for name, array in sorted(detector.state().items()):
        found.update(f"{name} {array.dtype} {array.shape}".encode())
        found.update(array.tobytes())
    for part in detector.parts():
        found.update(part.checksum.encode())
    return found.hexdigest()


def _checksum(document: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
