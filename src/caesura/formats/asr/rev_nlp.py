"""The .nlp files of Rev: a token a row, columns named in the first row and parted by `|`."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from caesura.core.arrays import Floats
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Span, Transcript
from caesura.formats.base import LATEST, Source, TextFormat, number
from caesura.text.punctuation import end_mark

logger = logging.getLogger("caesura")

ENDS = ".?!"
"""Marks that end a sentence."""

BOTH = "both"
TAGS = ("tags", "wer_tags", BOTH)
"""Columns that name entities, or both of them."""

_QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")


@dataclass(frozen=True, repr=False)
class Nlp(TextFormat):
    """Rev's .nlp tables: a token a row with speaker, times, punctuation and entities.

    Tags such as `<laugh>` are words.
    Sentences end where the punctuation is `.`, `?` or `!`; a file without any has none. The
    percent sign that some recognisers put into the punctuation is given back to the word.
    `entities` names the column they are taken from: `tags` has classes (`5:TIME`), `wer_tags`
    more entities but only their ids, whose class is '' if `tags` has none for the same words;
    `both` gives those of `tags`, and as well those of `wer_tags` that are others.
    """

    entities: str = "tags"

    name = "nlp"
    writable = False
    suffixes = (".nlp",)
    carries = frozenset(
        "start end confidence opening mark speaker entities sentences labels".split()
    )

    def __post_init__(self) -> None:
        if self.entities not in TAGS:
            raise ValueError(f"entities is one of {', '.join(TAGS)}, not {self.entities!r}")

    @classmethod
    def recognises(cls, source: Source) -> bool:
        """Whether the first row names the columns."""
        header = source.text.split("\n", 1)[0].strip().split("|")
        return "token" in header and "punctuation" in header

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Read all rows at once, column by column."""
        table = _Table(source)
        words, marks, labels = _punctuated(table.column("token"), table.column("punctuation"))
        kept = [i for i, word in enumerate(words) if word]
        if len(kept) < len(words):
            table.warn("has no token", len(words) - len(kept), words.index(""))
            _hand_back(words, marks, labels)
        whole = Transcript(
            words=tuple(words),
            id=source.stem,
            start=table.numbers("ts", LATEST),
            end=table.numbers("endTs", LATEST),
            confidence=table.numbers("confidence", 1.0),
            opening=_known(table.column("prepunctuation")),
            mark=_known(marks),
            speaker=_known(table.column("speaker")),
            entities=tuple(_entities(table, self.entities)) or None,
            sentences=Segmentation(np.array(labels) != "", tuple(labels)) if any(labels) else None,
        )
        yield whole if len(kept) == len(words) else whole.take(np.array(kept, dtype=np.int64))


class _Table:
    """The cells of a file by the names of their columns."""

    def __init__(self, source: Source) -> None:
        self.source = source
        lines = [line for _, line in source.lines()]
        self.first = next((i for i, line in enumerate(lines) if line.strip()), 0) + 1
        header = [name.strip() for name in lines[self.first - 1].split("|")]
        if "token" not in header:
            raise source.error(
                "the first row does not name a column 'token'",
                self.first,
                "an .nlp file begins with token|speaker|ts|endTs|punctuation|...",
            )
        rows = [line.split("|") for line in lines[self.first :]]
        self.lines: list[int] = list(range(self.first + 1, len(lines) + 1))
        odd = [i for i, row in enumerate(rows) if len(row) != len(header)]
        if odd:
            self._mend(rows, odd, len(header))
        self.count = len(rows)
        cells = zip(*rows, strict=True) if rows else [()] * len(header)
        self.columns: dict[str, tuple[str, ...]] = dict(zip(header, cells, strict=True))

    def _mend(self, rows: list[list[str]], odd: list[int], width: int) -> None:
        """Drop blank rows; fill up or cut rows of another width, whose front is still good."""
        blank = {i for i in odd if not "".join(rows[i]).strip()}
        uneven = [i for i in odd if i not in blank]
        for i in uneven:
            if len(rows[i]) < 2:
                raise self.source.error(
                    f"a row has one cell where {width} are named", self.lines[i]
                )
            rows[i] = (rows[i] + [""] * width)[:width]
        if uneven:
            self.warn(f"does not have {width} cells", len(uneven), uneven[0])
        if blank:
            rows[:] = [row for i, row in enumerate(rows) if i not in blank]
            self.lines = [line for i, line in enumerate(self.lines) if i not in blank]

    def warn(self, what: str, count: int, first: int) -> None:
        """Warn of bad rows, and say where the first one is."""
        more = f" ({count} rows are so)" if count > 1 else ""
        logger.warning("%s:%d: a row %s%s", self.source.name, self.lines[first], what, more)

    def column(self, name: str) -> tuple[str, ...]:
        """Return the cells of a column; empty ones if the file has no such column."""
        return self.columns.get(name) or ("",) * self.count

    def numbers(self, name: str, largest: float) -> Floats | None:
        """Return a column of numbers; None if it has no numbers."""
        cells = self.column(name)
        if not any(cells):
            return None
        try:
            numbers = np.array([cell or "nan" for cell in cells], dtype=np.float64)
        except ValueError:
            numbers = np.array([number(cell) for cell in cells])
        numbers[~((numbers >= 0) & (numbers <= largest))] = np.nan
        wrong = [i for i in np.flatnonzero(np.isnan(numbers)).tolist() if cells[i]]
        if wrong:
            self.warn(f"has {cells[wrong[0]]!r} as {name}", len(wrong), wrong[0])
        return None if np.isnan(numbers).all() else np.round(numbers, 6)


def _punctuated(
    tokens: Sequence[str], punctuation: Sequence[str]
) -> tuple[list[str], list[str], list[str]]:
    """Return words, marks and the class of each sentence end; `5` and `%.` become `5%` and `.`."""
    words, marks = [token.strip() for token in tokens], list(punctuation)
    if any(mark.startswith("%") for mark in set(marks)):
        for i, mark in enumerate(marks):
            if mark.startswith("%") and words[i]:
                words[i], marks[i] = words[i] + "%", mark[1:]
    plain = {mark: end_mark(mark) for mark in set(marks)}
    ends = {mark: end if end in ENDS else "" for mark, end in plain.items()}
    return words, marks, [ends[mark] for mark in marks]


def _hand_back(words: list[str], marks: list[str], labels: list[str]) -> None:
    """Attach the punctuation of rows without a token to the word before them."""
    last = -1
    for i, word in enumerate(words):
        if word:
            last = i
        elif last >= 0:
            marks[last] += marks[i]
            labels[last] = labels[i] or labels[last]


def _known(cells: Sequence[str]) -> tuple[str, ...] | None:
    return tuple(cells) if any(cells) else None


def _entities(table: _Table, name: str) -> list[Span]:
    """Return the entities of one column, or of both."""
    tagged = _runs(table.column("tags"))
    named = [
        span._replace(label=label, key=key)
        for span in tagged
        for key, _, label in [span.label.rpartition(":")]
    ]
    if name == "tags":
        return named
    bare = [span._replace(label="", key=span.label) for span in _runs(table.column("wer_tags"))]
    if name == BOTH:
        known = {(span.first, span.last, span.key) for span in named}
        return named + [span for span in bare if (span.first, span.last, span.key) not in known]
    classes = {(span.key, i): span.label for span in named for i in _inside(span)}
    labels = ([classes.get((span.key, i), "") for i in _inside(span)] for span in bare)
    return [
        s._replace(label=next(filter(None, some), "")) for s, some in zip(bare, labels, strict=True)
    ]


def _inside(span: Span) -> range:
    return range(span.first, span.last + 1)


def _runs(cells: Sequence[str]) -> list[Span]:
    """Return the runs of words that have the same item in a column, which is their label."""
    spans: list[Span] = []
    open: dict[str, int] = {}
    items: list[str] = []
    for i, cell in enumerate((*cells, "")):
        if len(cell) < 3 and not items:
            continue
        before, items = items, _items(cell)
        spans += [Span(open.pop(item), i - 1, item) for item in before if item not in items]
        for item in items:
            open.setdefault(item, i)
    return spans


def _items(cell: str) -> list[str]:
    """Return the strings of a list in Python's notation, each once."""
    if len(cell) < 3:
        return []
    found = (single or double for single, double in _QUOTED.findall(cell))
    return list(dict.fromkeys(item.strip() for item in found if item.strip()))
