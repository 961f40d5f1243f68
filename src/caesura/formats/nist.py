"""What the files of NIST's scoring tools have in common: rows of fields parted by blanks."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator

from caesura.formats.source import LATEST, Source, number, seconds

UNKNOWN = frozenset({"<na>", "n/a", "null", "unknown", ""})
"""Ways to write that a field is not known, in lower case."""

Channel = tuple[str, str]
"""Name of a recording, name of a channel."""


def rows(source: Source) -> Iterator[tuple[int, str]]:
    """Give the lines that are neither blank nor a comment, with their numbers."""
    for line, text in source.lines():
        if text.strip() and not text.lstrip().startswith(";;"):
            yield line, text


def time(cell: str, line: int, source: Source) -> float:
    """Read a time; a star behind it says that it is rough."""
    found = seconds(cell.rstrip("*"))
    if math.isnan(found):
        if number(cell.rstrip("*")) > LATEST:
            raise source.error(
                f"the time {cell!r} is later than any recording lasts",
                line,
                "give times in seconds from the beginning of the recording",
            )
        raise source.error(f"{cell!r} is not a time in seconds", line)
    return found


def known(cell: str) -> str:
    """Give a name, '' for one that says it is not known."""
    return "" if cell.lower() in UNKNOWN else cell


def ids(channels: Iterable[Channel]) -> dict[Channel, str]:
    """Name each channel: as its recording, or `recording.channel` where there are several.

    A name that is taken already, as by a recording called `talk.A`, gets a number.
    """
    keys = list(channels)
    count = Counter(recording for recording, _ in keys)
    names: dict[Channel, str] = {}
    taken: set[str] = set()
    for key in keys:
        wanted = name = ".".join(key) if count[key[0]] > 1 else key[0]
        place = 1
        while name in taken:
            place += 1
            name = f"{wanted}-{place}"
        names[key] = name
        taken.add(name)
    return names


def front(id: str) -> str:
    """Give the fields recording and channel for a recording."""
    recording, _, channel = id.rpartition(".")
    if recording and len(channel) == 1 and channel.isalnum():
        return f"{field(recording)} {channel}"
    return f"{field(id) or 'recording'} 1"


def field(text: str) -> str:
    """Make one field: blanks become `_`."""
    return "_".join(text.split())
