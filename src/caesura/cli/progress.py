"""The line on standard error that counts recordings while a command works.

Nothing else may be written beside it: it is shown only if the output goes elsewhere, and it is
cleared before every message.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable, Iterator
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from caesura.core.transcript import Transcript

SECONDS_BEFORE_PROGRESS = 1.0
SECONDS_BETWEEN_UPDATES = 0.2


class ProgressLine:
    """A line of a terminal that is written over and over."""

    def __init__(self) -> None:
        self.shown = False

    def show(self, text: str) -> None:
        """Write the line in place of the one before."""
        self._write(f"\r\033[K{text}")
        self.shown = True

    def clear(self) -> None:
        """Remove the line, if there is one, so that something else can be written."""
        if self.shown:
            self._write("\r\033[K")
            self.shown = False

    def _write(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


line = ProgressLine()
"""The only one: a terminal has one place for it."""


class MessageHandler(logging.StreamHandler):  # type: ignore[type-arg]
    """Writes messages to standard error, each on a line of its own."""

    def emit(self, record: logging.LogRecord) -> None:
        """Clear the line of progress and write the message."""
        line.clear()
        super().emit(record)


class Count:
    """How many recordings and words have come, and how fast since the first recording.

    What is before the first, such as loading a model, says nothing about the speed.
    """

    def __init__(self) -> None:
        self.recordings = self.words = 0
        self.first_words = 0
        self.begun = 0.0

    def add(self, words: int, now: float) -> None:
        """Count a recording that has come at the time `now`."""
        if not self.recordings:
            self.first_words, self.begun = words, now
        self.recordings += 1
        self.words += words

    def describe(self, now: float) -> str:
        """Give the counts, and the rate once it has been measured for a while."""
        text = f"{_counted(self.recordings, 'recording')}, {_counted(self.words, 'word')}"
        seconds = now - self.begun
        if self.recordings == 1 or seconds < SECONDS_BEFORE_PROGRESS:
            return text
        return f"{text}, {(self.words - self.first_words) / seconds:,.0f} words/s"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def with_progress(transcripts: Iterable[Transcript], output: str) -> Iterator[Transcript]:
    """Pass recordings on, counting them on standard error if that is a terminal.

    They are not counted where the terminal shows the recordings themselves.
    """
    talks = sys.stderr.isatty() and logging.getLogger("caesura").isEnabledFor(logging.INFO)
    if not talks or (output == "-" and sys.stdout.isatty()):
        yield from transcripts
        return
    count = Count()
    begun = updated = monotonic()
    try:
        for transcript in transcripts:
            now = monotonic()
            count.add(len(transcript), now)
            if now - begun > SECONDS_BEFORE_PROGRESS and now - updated > SECONDS_BETWEEN_UPDATES:
                updated = now
                line.show(count.describe(now))
            yield transcript
    finally:
        line.clear()
