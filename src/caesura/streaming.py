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
from typing import Any, BinaryIO

from caesura.contracts import Detector
from caesura.detectors.model import chosen
from caesura.errors import FormatError, MismatchError, UnknownName
from caesura.formats.arriving import Arriving, Line
from caesura.formats.chunks import chunks
from caesura.live import Live, Streamed
from caesura.outputs import atomic
from caesura.version import __version__

logger = logging.getLogger("caesura")

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
    bad: str = "stop",
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
    arriving = Arriving(format, bad, name, saved.get("words"), language)
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
    for name, array in sorted(detector.learnt().items()):
        found.update(f"{name} {array.dtype} {array.shape}".encode())
        found.update(array.tobytes())
    for part in detector.parts():
        found.update(part.checksum.encode())
    return found.hexdigest()


def _checksum(document: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
