"""What NIST's files (CTM, STM, RTTM, TRN) share: rows of fields, ids, alternatives in braces."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from caesura.core.errors import FormatError
from caesura.formats.base import LATEST, Source, number, seconds
from caesura.formats.builder import Rows

UNKNOWN = frozenset({"<na>", "n/a", "null", "unknown", ""})
"""Ways to write that a field is not known, in lower case."""

Channel = tuple[str, str]
"""Name of a recording and name of a channel."""


def content_lines(source: Source) -> Iterator[tuple[int, str]]:
    """Yield the lines that are neither blank nor a comment, with their numbers."""
    for line, text in source.lines():
        if text.strip() and not text.lstrip().startswith(";;"):
            yield line, text


def read_time(cell: str, line: int, source: Source) -> float:
    """Read a time in seconds; a star after it says that it is approximate."""
    time = seconds(cell.rstrip("*"))
    if math.isnan(time):
        if number(cell.rstrip("*")) > LATEST:
            raise source.error(
                f"the time {cell!r} is later than any recording lasts",
                line,
                "give times in seconds from the beginning of the recording",
            )
        raise source.error(f"{cell!r} is not a time in seconds", line)
    return time


def read_name(cell: str) -> str:
    """Return a name, '' for one such as `<NA>` that says it is not known."""
    return "" if cell.lower() in UNKNOWN else cell


def recording_ids(channels: Iterable[Channel]) -> dict[Channel, str]:
    """Name each channel after its recording, or `recording.channel` where there are several.

    A name that is in use already, as by a recording called `talk.A`, gets a number.
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


def id_fields(id: str) -> str:
    """Return the fields recording and channel for the id of a recording."""
    recording, _, channel = id.rpartition(".")
    if recording and len(channel) == 1 and channel.isalnum():
        return f"{as_field(recording)} {channel}"
    return f"{as_field(id) or 'recording'} 1"


def as_field(text: str) -> str:
    """Make one field of a text: blanks become `_`."""
    return "_".join(text.split())


NOTHING = "@"
"""The alternative of no words."""

MAX_ALTERNATIVES = 100
"""Most alternatives for the same words; those inside others multiply them."""

Alternative = list[str]
AddWords = Callable[[Iterable[str], Rows], None]


def add_with_alternatives(
    pieces: Iterable[str], rows: Rows, add_words: AddWords, error: Callable[[str], FormatError]
) -> None:
    """Add pieces to rows: of alternatives `{ a / b / @ }` the first that has words is the text.

    The others become its alternatives; where none has words nothing is added.
    """
    groups: list[_Group] = []
    for piece in pieces:
        if piece == "{":
            groups.append(_Group())
        elif not groups:
            add_words([piece], rows)
        elif piece == "/":
            groups[-1].begin_alternative()
        elif piece != "}":
            groups[-1].append([[piece] if piece != NOTHING else []])
        else:
            alternatives = groups.pop().alternatives
            if groups:
                groups[-1].append(alternatives)
            else:
                _add_group(alternatives, rows, add_words)
        if groups and len(groups[-1].alternatives) > MAX_ALTERNATIVES:
            raise error(f"an alternative can be read in more than {MAX_ALTERNATIVES} ways")
    if groups:
        raise error("an alternative that begins with { is not closed")


class _Group:
    """What is between braces: the alternatives before the last `/`, and those after it."""

    def __init__(self) -> None:
        self.complete: list[Alternative] = []
        self.growing: list[Alternative] = [[]]

    @property
    def alternatives(self) -> list[Alternative]:
        return self.complete + self.growing

    def begin_alternative(self) -> None:
        self.complete, self.growing = self.alternatives, [[]]

    def append(self, alternatives: list[Alternative]) -> None:
        """Continue each growing alternative with each of those given."""
        if len(alternatives) > 1:
            self.growing = [front + back for front in self.growing for back in alternatives]
            return
        for front in self.growing:
            front += alternatives[0]


def _add_group(alternatives: list[Alternative], rows: Rows, add_words: AddWords) -> None:
    texts = []
    for alternative in alternatives:
        alone = Rows()
        add_words(alternative, alone)
        texts.append(" ".join(alone.words))
    chosen = next((at for at, text in enumerate(texts) if text), None)
    if chosen is None:
        return
    first = len(rows)
    add_words(alternatives[chosen], rows)
    for label in dict.fromkeys(texts[:chosen] + texts[chosen + 1 :]):
        rows.alternative(first, len(rows) - 1, label)
