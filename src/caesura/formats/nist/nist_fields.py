"""What the files of NIST's scoring tools have in common: rows of fields parted by blanks."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from caesura.core.errors import FormatError
from caesura.formats.builder import Rows
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


NOTHING = "@"
"""In alternatives: nothing was said."""

MOST = 100
"""Ways to read one alternative; others inside it multiply them."""

Way = list[str]
Write = Callable[[Iterable[str], Rows], None]


def add(
    pieces: Iterable[str], rows: Rows, write: Write, refuse: Callable[[str], FormatError]
) -> None:
    """Write pieces into rows: of alternatives the first way that has words, as it is the text.

    The other ways become its alternatives; where no way has words nothing is written.
    """
    groups: list[_Group] = []
    for piece in pieces:
        if piece == "{":
            groups.append(_Group())
        elif not groups:
            write([piece], rows)
        elif piece == "/":
            groups[-1].part()
        elif piece != "}":
            groups[-1].follow([[piece] if piece != NOTHING else []])
        else:
            ways = groups.pop().ways
            if groups:
                groups[-1].follow(ways)
            else:
                _choose(ways, rows, write)
        if groups and len(groups[-1].ways) > MOST:
            raise refuse(f"an alternative can be read in more than {MOST} ways")
    if groups:
        raise refuse("an alternative that begins with { is not closed")


class _Group:
    """What stands between braces: ways that are complete, and those that still grow."""

    def __init__(self) -> None:
        self.complete: list[Way] = []
        self.growing: list[Way] = [[]]

    @property
    def ways(self) -> list[Way]:
        return self.complete + self.growing

    def part(self) -> None:
        self.complete, self.growing = self.ways, [[]]

    def follow(self, ways: list[Way]) -> None:
        """Let each way go on in each of those given."""
        if len(ways) > 1:
            self.growing = [way + more for way in self.growing for more in ways]
            return
        for way in self.growing:
            way += ways[0]


def _choose(ways: list[Way], rows: Rows, write: Write) -> None:
    said = []
    for way in ways:
        alone = Rows()
        write(way, alone)
        said.append(" ".join(alone.words))
    text = next((place for place, words in enumerate(said) if words), None)
    if text is None:
        return
    first = len(rows)
    write(ways[text], rows)
    for label in dict.fromkeys(said[:text] + said[text + 1 :]):
        rows.reading(first, len(rows) - 1, label)
