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
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from caesura.contracts import Detector, Stream
from caesura.detectors.model import chosen
from caesura.detectors.window import delayed
from caesura.errors import FormatError, MismatchError
from caesura.formats.arriving import Arriving, Line, chunks
from caesura.outputs import atomic
from caesura.transcript import Transcript
from caesura.version import __version__

logger = logging.getLogger("caesura")

Words = str | Path | Iterable[Line]
"""A file (- is standard input), or lines, objects or transcripts one by one."""

STATE, VERSION = "caesura_stream", 1
ENDLESS = 2000
"""Words without a sentence end after which something seems to be wrong."""

SHARE = 20
"""Saving takes no more than one in so many seconds while words come fast."""


class Streamed(NamedTuple):
    """A sentence, and the number of its first word in the recording."""

    first: int
    sentence: Transcript


class Live:
    """A detector at work on recordings that arrive one after another."""

    def __init__(self, detector: Detector, saved: Mapping[str, Any] | None = None) -> None:
        kept = saved or {"id": "", "pushed": 0, "given": 0, "end": None, "stream": None}
        self.detector = detector
        self.id: str = kept["id"]
        self.pushed: int = kept["pushed"]
        self.given: int = kept["given"]
        self.end: float = math.nan if kept["end"] is None else kept["end"]
        begun = kept["stream"] is not None
        self.stream: Stream | None = detector.stream(kept["stream"]) if begun else None

    def push(self, words: Transcript) -> list[Streamed]:
        """Take words; those of another recording end the one before."""
        ended = []
        if self.stream is None or words.id != self.id:
            ended = self.close()
            self.stream, self.id = self.detector.stream(), words.id
        self.pushed += len(words)
        if words.end is not None and len(words):
            self.end = float(words.end[-1])
        open_before = self.pushed - self.given
        found = [*ended, *self._numbered(self.stream.push(words))]
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
    bad: str = "stop",
    waiting: AbstractContextManager[Any] | None = None,
) -> Iterator[Streamed]:
    """Give each sentence, numbered by its first word, as soon as it is final.

    Interrupted, or stopped by a bad line, it saves its state if it has one, else gives what is
    left as if the words had ended. The state is saved after the sentences have been taken.
    """
    deciding = chosen(detector)
    file = StateFile(state, deciding)
    saved = file.load()
    name = ("<stdin>" if str(words) == "-" else str(words)) if _is_name(words) else "<words>"
    arriving = Arriving(format, bad, name, saved.get("words"))
    live = Live(deciding, saved.get("live"))
    if saved:
        logger.info("%s: going on after line %d", name, arriving.lines)
    batches = arriving.batches(_opened(words, arriving.lines, waiting))
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
        yield from live.push(batch)
        file.save(arriving, live)
    yield from _left(arriving, live)
    file.remove()


def _left(arriving: Arriving, live: Live) -> Iterator[Streamed]:
    for words in arriving.rest():
        yield from live.push(words)
    yield from live.close()


def _is_name(words: Words) -> bool:
    return isinstance(words, (str, Path))


def _opened(
    words: Words, skip: int, waiting: AbstractContextManager[Any] | None
) -> Iterator[Sequence[Line]]:
    """Read lines; of a file those after the ones that were read before."""
    if not isinstance(words, (str, Path)):
        yield from ([line] for line in words)
    elif str(words) == "-":
        yield from chunks(_standard_input(), 0, waiting)
    else:
        try:
            with Path(words).open("rb") as file:
                yield from chunks(file, skip, waiting)
        except OSError as error:
            raise FormatError(f"cannot be read: {error.strerror}", where=str(words)) from error


def _standard_input() -> BinaryIO:
    if sys.stdin is None:
        raise FormatError("standard input is closed")
    return sys.stdin.buffer


def fingerprint(detector: Detector) -> str:
    """Tell apart detectors of the same settings that have learnt different things."""
    found = hashlib.sha256(repr(detector).encode())
    for name, array in sorted(detector.learnt().items()):
        found.update(f"{name} {array.dtype} {array.shape}".encode())
        found.update(array.tobytes())
    for part in detector.parts():
        found.update(part.checksum.encode())
    return found.hexdigest()


def _checksum(document: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
