"""Alternatives in transcripts of NIST, `{ a / b / @ }`: one is the text, others its readings."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from caesura.errors import FormatError
from caesura.formats.rows import Rows

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

    The other ways become its readings; where no way has words nothing is written.
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
