"""Build a transcript word by word."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from caesura.core.arrays import MISSING
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Span, Transcript
from caesura.text.punctuation import is_opening, split_marks

STAMP = re.compile(r"(?=.*:)[\d:.–-]+(?:\].*)?|[–-]")
"""A time inside a note of the transcriber: `[inaudible 00:00:04]`, `[laughter 1:02-1:04].`"""


class Rows:
    """The words of a transcript so far, with their columns (layers).

    A column exists from its first known cell on.
    """

    def __init__(self) -> None:
        self.words: list[str] = []
        self.columns: dict[str, list[Any]] = {}
        self.entities: list[Span] | None = None
        self.multiwords: list[Span] | None = None
        self.alternatives: list[Span] | None = None
        self.ends: list[int] | None = None
        self.labels: dict[int, str] = {}
        self._opening = ""
        self._turn = 0

    def __len__(self) -> int:
        return len(self.words)

    def add(self, word: str, **cells: Any) -> None:
        """Add a word as it is; cells are its values in columns (None or NaN: unknown)."""
        count = len(self.words)
        for name, cell in cells.items():
            if cell is None or cell != cell:
                continue
            column = self.columns.get(name)
            if column is None:
                column = self.columns[name] = [MISSING[name]] * count
            elif len(column) < count:
                column.extend([MISSING[name]] * (count - len(column)))
            column.append(cell)
        self.words.append(word)

    def token(self, surface: str, **cells: Any) -> None:
        """Add a written word; its punctuation goes into the layers `opening` and `mark`.

        Punctuation without a word goes to the word before it, or to the next word if it opens
        something.
        """
        opening, word, mark = split_marks(surface)
        if word:
            opening = self._opening + opening
            self._opening = ""
            self.add(word, **{"opening": opening or None, "mark": mark or None, **cells})
        elif surface:
            self.punctuation(surface, blank=cells.get("blank", True))

    def phrase(
        self, surface: str, start: float = math.nan, end: float = math.nan, **cells: Any
    ) -> None:
        """Add what a file has as one word, and what may be several words with blanks between.

        The start belongs to the first word and the end to the last. Punctuation before the first
        word opens that word. The time in a note such as `[inaudible 00:00:04]` is no word but
        part of the mark.
        """
        first, noted = len(self.words), False
        pieces = surface.split()
        if any(split_marks(piece).word and not self._in_note(piece) for piece in pieces):
            self.turn()
        for piece in pieces:
            if self._in_note(piece):
                self.punctuation(piece)
                noted = True
            else:
                self.token(piece, **cells)
        last = len(self.words) - 1
        if last >= first and not math.isnan(start):
            self.set("start", first, start)
        if (last >= first or noted) and not math.isnan(end):
            self.set("end", last, end)

    def _in_note(self, piece: str) -> bool:
        """Whether a piece is the time in a note that began with the word before."""
        last = len(self.words) - 1
        if last < 0 or "[" not in self.cell("opening", last) or "]" in self.cell("mark", last):
            return False
        return STAMP.fullmatch(piece) is not None

    def turn(self) -> None:
        """Begin a turn: punctuation before its first word will open that word."""
        self._turn = len(self.words)

    def glue(self) -> None:
        """Remove the blank after what was added last."""
        if self._opening:
            self._opening = self._opening.removesuffix(" ")
        elif self.words:
            self.set("blank", len(self.words) - 1, False)

    def open(self, surface: str, blank: bool = False) -> None:
        """Add punctuation that opens the next word."""
        self._opening += surface + (" " if blank else "")

    def punctuation(self, surface: str, blank: bool = True) -> None:
        """Attach punctuation that is separated by blanks; the blank before it is kept."""
        if len(self.words) == self._turn or is_opening(surface):
            self.open(surface, blank)
            return
        before = " " if self.cell("blank", len(self.words) - 1) else ""
        self.attach(before + surface, blank)

    def attach(self, surface: str, blank: bool = True) -> None:
        """Attach punctuation to the last word, without a blank."""
        if not self.words:
            self.open(surface, blank)
            return
        last = len(self.words) - 1
        self.set("mark", last, self.cell("mark", last) + surface)
        self.set("blank", last, blank)

    def cell(self, name: str, at: int) -> Any:
        """Return the cell of a word."""
        column = self.columns.get(name, ())
        return column[at] if at < len(column) else MISSING[name]

    def set(self, name: str, at: int, cell: Any) -> None:
        """Change the cell of a word that was added before."""
        if self.cell(name, at) == cell:
            return
        column = self.columns.setdefault(name, [])
        column.extend([MISSING[name]] * (at + 1 - len(column)))
        column[at] = cell

    def end_sentence(self, label: str = "") -> None:
        """End a sentence after the last word, unless one ends there already."""
        if self.ends is None:
            self.ends = []
        last = len(self.words) - 1
        if last >= 0 and (not self.ends or self.ends[-1] != last):
            self.ends.append(last)
        if label and last >= 0:
            self.labels[last] = label

    def entity(self, first: int, last: int, label: str, key: str = "") -> None:
        """Add a named entity over words `first` to `last`."""
        self.entities = self.entities or []
        self.entities.append(Span(first, last, label, key))

    def multiword(self, first: int, last: int, surface: str) -> None:
        """Add that words `first` to `last` are written together as `surface`."""
        self.multiwords = self.multiwords or []
        self.multiwords.append(Span(first, last, surface))

    def alternative(self, first: int, last: int, label: str) -> None:
        """Add that `label` is an alternative transcription of words `first` to `last`."""
        self.alternatives = self.alternatives or []
        self.alternatives.append(Span(first, last, label))

    def transcript(self, id: str = "", language: str = "") -> Transcript:
        """Return the transcript."""
        count = len(self.words)
        if self._opening and count:
            mark = self.cell("mark", count - 1) + " " + self._opening.rstrip()
            self.set("mark", count - 1, mark)
        for name, column in self.columns.items():
            column.extend([MISSING[name]] * (count - len(column)))
        sentences = None
        if self.ends is not None:
            boundary = np.zeros(count, dtype=np.bool_)
            boundary[self.ends] = True
            label = tuple(self.labels.get(i, "") for i in range(count)) if self.labels else None
            sentences = Segmentation(boundary, label)
        return Transcript(
            words=tuple(self.words),
            id=id,
            language=language,
            entities=None if self.entities is None else tuple(self.entities),
            multiwords=None if self.multiwords is None else tuple(self.multiwords),
            alternatives=None if self.alternatives is None else tuple(self.alternatives),
            sentences=sentences,
            **{name: _immutable(column) for name, column in self.columns.items()},
        )


def _immutable(column: list[Any]) -> Any:
    """Return a tuple of strings; numbers become arrays in the transcript."""
    return tuple(column) if isinstance(column[0], str) else column


def piece_ends(surfaces: Sequence[str], pieces: Iterable[str]) -> list[bool] | None:
    """Return for each word whether a piece of the running text ends with it, blanks aside.

    Return None if the text is not made of these words.
    """
    bare = ["".join(surface.split()) for surface in surfaces]
    bare_pieces = ["".join(piece.split()) for piece in pieces]
    if "".join(bare) != "".join(bare_pieces):
        return None
    ends = set(accumulate(map(len, bare_pieces)))
    return [end in ends for end in accumulate(len(word) for word in bare)]
