"""Sentences from words that arrive over time, and the state that lets a stream go on later."""

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
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from caesura import __version__
from caesura.core.atomic import atomic
from caesura.core.errors import FormatError, MismatchError, UnknownName
from caesura.core.protocols import Detector, Stream
from caesura.core.transcript import Transcript
from caesura.detectors.stored_model import chosen
from caesura.detectors.window_stream import delayed
from caesura.formats.live_words import Arriving, Line, chunks

logger = logging.getLogger("caesura")

MOST = 1000
"""Names of recordings that are kept, to see whether they come again."""

ENDLESS = 2000
"""Words without a sentence end after which something seems to be wrong."""


class Streamed(NamedTuple):
    """A sentence, and the number of its first word in the recording."""

    first: int
    sentence: Transcript


class Live:
    """A detector at work on recordings that arrive one after another.

    A `silence` of so many seconds before a word ends the sentence before it.
    """

    def __init__(
        self,
        detector: Detector,
        saved: Mapping[str, Any] | None = None,
        silence: float = math.inf,
    ) -> None:
        kept = saved or {"id": "", "pushed": 0, "given": 0, "end": None, "stream": None}
        self.detector, self.silence = detector, silence
        self.id: str = kept["id"]
        self.pushed: int = kept["pushed"]
        self.given: int = kept["given"]
        self.end: float = math.nan if kept["end"] is None else kept["end"]
        self._begun: set[str] = set()
        self._warned = False
        begun = kept["stream"] is not None
        self.stream: Stream | None = detector.stream(kept["stream"]) if begun else None

    def push(self, words: Transcript) -> list[Streamed]:
        """Take words; those of another recording end the one before."""
        found = []
        if self.stream is None or words.id != self.id:
            found = self.close()
            self.stream, self.id = self.detector.stream(), words.id
            self._begin(words.id)
        silent = self._silent(words)
        for first, stop in pairwise(sorted({0, *silent, len(words)})):
            part = words[first:stop] if stop - first < len(words) else words
            if first in silent:
                found += self.pause(part)
            found += self._pushed(part)
        return found

    def pause(self, then: Transcript | None = None) -> list[Streamed]:
        """End the sentence that is open, since nobody has spoken for a while.

        If words come `then` it is their first that told so, else no word did.
        """
        if self.stream is None:
            return []
        sentences, self.stream = self.stream.close(), self.detector.stream()
        if then is not None and len(then):
            left = [len(sentence) for sentence in sentences]
            end = math.nan if then.end is None else float(then.end[0])
            sentences = [
                delayed(sentence, sum(left[at + 1 :]) + 1, end)
                for at, sentence in enumerate(sentences)
            ]
        return self._numbered(sentences)

    def _begin(self, id: str) -> None:
        """Warn, once, of a recording that comes again after another."""
        if id in self._begun and not self._warned:
            self._warned = True
            logger.warning(
                "%s comes again after another recording, and begins anew each time: give the words "
                "of one recording, or channel, after those of another, not in turns",
                id or "a recording",
            )
        if len(self._begun) < MOST:
            self._begun.add(id)

    def _silent(self, words: Transcript) -> list[int]:
        """Give the words that follow a silence."""
        if self.silence == math.inf or words.start is None or words.end is None:
            return []
        before = np.append(self.end, words.end)[: len(words)]
        found: list[int] = np.flatnonzero(words.start - before >= self.silence).tolist()
        return found

    def _pushed(self, words: Transcript) -> list[Streamed]:
        assert self.stream is not None
        self.pushed += len(words)
        if words.end is not None and len(words):
            self.end = float(words.end[-1])
        open_before = self.pushed - self.given
        found = self._numbered(self.stream.push(words))
        if open_before - len(words) < ENDLESS <= self.pushed - self.given:
            logger.warning(
                "%s: no sentence has ended for %s words: is there anything to go by?",
                words.id or "a recording",
                f"{ENDLESS:,}",
            )
        return found

    def close(self) -> list[Streamed]:
        """End the recording."""
        found = self._numbered(self.stream.close()) if self.stream is not None else []
        self.stream = None
        self.pushed = self.given = 0
        self.end = math.nan
        return found

    def state(self) -> dict[str, Any]:
        """Give, as JSON can hold it, what is needed to go on."""
        return {
            "id": self.id,
            "pushed": self.pushed,
            "given": self.given,
            "end": None if math.isnan(self.end) else self.end,
            "stream": None if self.stream is None else self.stream.state(),
        }

    def _numbered(self, sentences: Sequence[Transcript]) -> list[Streamed]:
        """Number sentences, and note their delays if the stream does not tell them."""
        found = []
        for sentence in sentences:
            first, self.given = self.given, self.given + len(sentence)
            if "delay_words" not in (sentence.evidence or {}):
                sentence = delayed(sentence, self.pushed - self.given, self.end)
            found.append(Streamed(first, sentence))
        return found


Words = str | Path | Iterable[Line]
"""A file (- is standard input), or lines, objects or transcripts one by one."""

STATE, VERSION = "caesura_stream", 1
SHARE = 20
"""Saving takes no more than one in so many seconds while words come fast."""


class StateFile:
    """Where the state of a stream is kept; without a path nothing is."""

    def __init__(self, path: str | Path | None, detector: Detector) -> None:
        self.path = Path(path) if path else None
        self.front = {STATE: VERSION, "caesura": __version__, "detector": repr(detector)}
        self._next = 0.0
        if self.path:
            self.front["knows"] = fingerprint(detector)

    def load(self) -> dict[str, Any]:
        """Read the state; nothing if there is none yet, an error if it is of another stream."""
        if self.path is None or not self.path.exists():
            return {}
        try:
            found = json.loads(self.path.read_bytes())
            checksum = found.pop("checksum") == _checksum(found)
        except (
            OSError,
            ValueError,
            RecursionError,
            LookupError,
            TypeError,
            AttributeError,
        ) as error:
            raise self._damaged() from error
        if not checksum:
            raise self._damaged()
        for name, ours in self.front.items():
            if found.get(name) != ours:
                raise self._other(name, found.get(name), ours)
        return dict(found)

    def save(self, words: Arriving, live: Live) -> None:
        """Write the state, unless so much of the time has gone into that of late."""
        begun = time.monotonic()
        if begun >= self._next:
            self.save_now(words, live)
            now = time.monotonic()
            self._next = now + SHARE * (now - begun)

    def save_now(self, words: Arriving, live: Live) -> None:
        """Write the state, which replaces the former one when it is complete."""
        if self.path is None:
            return
        document = {**self.front, "words": words.state(), "live": live.state()}
        # As it will be read: a tuple is a list there.
        document = json.loads(json.dumps(document))
        document["checksum"] = _checksum(document)
        with atomic(self.path) as file:
            file.write(json.dumps(document, ensure_ascii=False).encode())

    def remove(self) -> None:
        """Forget a stream that has come to its end."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)

    def _damaged(self) -> FormatError:
        return FormatError(
            "this is no state of a stream, or it is damaged",
            where=str(self.path),
            remedy="remove it to begin anew",
        )

    def _other(self, name: str, theirs: object, ours: object) -> MismatchError:
        what = {
            STATE: f"the state is of a form ({theirs}) that this program does not know",
            "caesura": f"the state was saved by version {theirs} of Caesura, and this is {ours}",
            "detector": f"the state is of the detector {theirs}, not of {ours}",
            "knows": "the state is of a detector that has learnt something else",
        }[name]
        remedy = "go on as you began, or remove the state to begin anew"
        return MismatchError(what, where=str(self.path), remedy=remedy)


def streamed(
    words: Words,
    *,
    detector: str | Detector = "en",
    format: str | None = None,
    state: str | Path | None = None,
    on_error: str = "stop",
    language: str = "",
    silence: float | None = None,
    waiting: AbstractContextManager[Any] | None = None,
) -> Iterator[Streamed]:
    """Give each sentence, numbered by its first word, as soon as it is final.

    A silence of so many seconds, between words or while none arrives, ends a sentence at once.
    Interrupted, or stopped by a bad line, it saves its state if it has one, else gives what is
    left as if the words had ended. The state is saved after the sentences have been taken.
    """
    quiet = _seconds(silence)
    deciding = chosen(detector)
    file = StateFile(state, deciding)
    saved = file.load()
    name = ("<stdin>" if str(words) == "-" else str(words)) if _is_name(words) else "<words>"
    arriving = Arriving(format, on_error, name, saved.get("words"), language)
    live = Live(deciding, saved.get("live"), quiet)
    if saved:
        logger.info("%s: going on after line %d", name, arriving.lines)
    batches = arriving.batches(_opened(words, arriving.lines, waiting, quiet))
    while True:
        try:
            batch = next(batches, None)
        except (KeyboardInterrupt, FormatError):
            if state:
                file.save_now(arriving, live)
            else:
                yield from _left(arriving, live)
            raise
        if batch is None:
            break
        if len(batch):
            yield from live.push(batch)
        elif silence is not None:
            yield from live.pause()
        file.save(arriving, live)
    yield from _left(arriving, live)
    file.remove()


def _seconds(silence: float | None) -> float:
    if silence is None:
        return math.inf
    if not (type(silence) in (int, float) and 0 < silence < math.inf):
        raise UnknownName(f"a silence is a number of seconds above 0, not {silence!r}")
    return silence


def _left(arriving: Arriving, live: Live) -> Iterator[Streamed]:
    for words in arriving.rest():
        yield from live.push(words)
    yield from live.close()


def _is_name(words: Words) -> bool:
    return isinstance(words, (str, Path))


def _opened(
    words: Words, skip: int, waiting: AbstractContextManager[Any] | None, silence: float
) -> Iterator[Sequence[Line]]:
    """Read lines; of a file those after the ones that were read before."""
    if not isinstance(words, (str, Path)):
        yield from ([line] for line in words)
    elif str(words) == "-":
        yield from chunks(_standard_input(), 0, waiting, silence)
    else:
        try:
            with Path(words).open("rb") as file:
                yield from chunks(file, skip, waiting, silence)
        except OSError as error:
            raise FormatError(f"cannot be read: {error.strerror}", where=str(words)) from error


def _standard_input() -> BinaryIO:
    if sys.stdin is None:
        raise FormatError("standard input is closed")
    return sys.stdin.buffer


def fingerprint(detector: Detector) -> str:
    """Tell apart detectors of the same settings that have learnt different things."""
    found = hashlib.sha256(repr(detector).encode())
    for name, array in sorted(detector.state().items()):
        found.update(f"{name} {array.dtype} {array.shape}".encode())
        found.update(array.tobytes())
    for part in detector.parts():
        found.update(part.checksum.encode())
    return found.hexdigest()


def _checksum(document: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
