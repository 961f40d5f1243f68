"""Lines of a file or a pipe, as soon as they are there."""

from __future__ import annotations

import select
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from math import inf
from typing import Any, BinaryIO

LONGEST = 1 << 20
"""Bytes of a line."""

AT_ONCE = 200
"""Lines that are given at once, however many are there: so what comes of them comes soon."""


def chunks(
    file: BinaryIO,
    skip: int = 0,
    waiting: AbstractContextManager[Any] | None = None,
    silence: float = inf,
) -> Iterator[Sequence[bytes]]:
    """Give whole lines as soon as they are there, some at once.

    The first `skip` lines are passed over. `waiting` is entered while there is nothing to read.
    Nothing at all is given, once, where nothing comes for `silence` seconds.
    """
    rest, spoken = b"", False
    patience = waiting or nullcontext()
    while True:
        with patience:
            quiet = spoken and _quiet(file, silence)
            data = b"" if quiet else file.read1(1 << 16)  # type: ignore[attr-defined]
        if quiet:
            spoken = False
            yield []
            continue
        if not data:
            break
        *lines, rest = (rest + data).split(b"\n")
        if len(rest) > LONGEST:
            lines, rest = [*lines, rest], b""
        passed = min(skip, len(lines))
        skip -= passed
        for first in range(passed, len(lines), AT_ONCE):
            spoken = True
            yield lines[first : first + AT_ONCE]
    if rest and not skip:
        yield [rest]


def _quiet(file: BinaryIO, seconds: float) -> bool:
    """Whether nothing comes through a pipe for so long; a file is always ready."""
    if seconds == inf:
        return False
    try:
        return not select.select([file], [], [], seconds)[0]
    except (OSError, ValueError):
        return False
