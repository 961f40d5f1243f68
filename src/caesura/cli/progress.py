"""A line on the terminal that says how far long work has come."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterable, Iterator

from caesura.transcript import Transcript

PATIENCE = 1.0
"""Seconds before anything is shown."""

STEP = 0.2


def watched(transcripts: Iterable[Transcript]) -> Iterator[Transcript]:
    """Pass recordings on, counting them on standard error if that is a terminal."""
    if not sys.stderr.isatty() or not logging.getLogger("caesura").isEnabledFor(logging.INFO):
        yield from transcripts
        return
    begun = shown = time.monotonic()
    words = 0
    try:
        for recordings, transcript in enumerate(transcripts, 1):
            words += len(transcript)
            now = time.monotonic()
            if now - begun > PATIENCE and now - shown > STEP:
                shown = now
                rate = words / (now - begun)
                line = f"{recordings:,} recordings, {words:,} words, {rate:,.0f} words/s"
                sys.stderr.write(f"\r\033[K{line}")
                sys.stderr.flush()
            yield transcript
    finally:
        if shown > begun:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
