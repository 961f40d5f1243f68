"""Written words on their way to a transcript, many at a time."""

from __future__ import annotations

import numpy as np

from caesura.text.marks import end_mark, is_opening, sentence_ends, split_marks
from caesura.text.tokens import joined, pieces
from caesura.transcript import Indices, Segmentation, Transcript


class Written:
    """Text line by line: what `Rows.token` does word by word, fast enough for large corpora."""

    def __init__(self, characters: bool = False) -> None:
        """Begin; with `characters` the text has no blanks and its characters are words."""
        self.characters = characters
        self.surfaces: list[str] = []
        self.blank: list[bool] = []
        self.ends: list[int] = []

    def __len__(self) -> int:
        return len(self.surfaces)

    def add(self, line: str) -> None:
        """Add a line of text."""
        if not self.characters:
            self.surfaces += line.split()
            return
        for i, piece in enumerate(pieces(line, characters=True)):
            surface = piece.lstrip()
            if self.surfaces:
                close = joined(self.surfaces[-1], surface) if i == 0 else piece == surface
                self.blank[-1] = not close
            self.surfaces.append(surface)
            self.blank.append(True)

    def end(self) -> None:
        """End a sentence here."""
        self.ends.append(len(self.surfaces))

    def transcript(self, id: str, marks: str = "") -> Transcript:
        """Make the transcript; sentences end where told, and where words carry one of `marks`.

        The label of a sentence is the plain mark at its end.
        """
        table = _Table(self.surfaces, self.blank)
        words, tails = table.words, table.tails
        labels = sentence_ends(words, tails, marks) if marks else [""] * len(words)
        boundary = np.fromiter(map(bool, labels), np.bool_, len(words))
        for last in table.lasts(self.ends):
            boundary[last] = True
            labels[last] = labels[last] or _final(words[last], tails[last])
        label = tuple(labels) if any(labels) else None
        return Transcript(
            words=tuple(words),
            id=id,
            blank=None if all(table.blank) else np.array(table.blank),
            opening=tuple(table.openings) if any(table.openings) else None,
            mark=tuple(tails) if any(tails) else None,
            sentences=Segmentation(boundary, label),
        )

    def inner_ends(self, marks: str) -> int:
        """Count sentence ends by marks that are not told ends."""
        table = _Table(self.surfaces, self.blank)
        found = sentence_ends(table.words, table.tails, marks)
        told = set(table.lasts(self.ends))
        return sum(1 for i, label in enumerate(found) if label and i not in told)


def _final(word: str, mark: str) -> str:
    """Give the plain mark at a sentence end that is known to be one."""
    return end_mark(mark) or ("." if word.endswith(".") else "")


class _Table:
    """Words, and the punctuation before and after them; lone punctuation goes to a neighbour."""

    def __init__(self, surfaces: list[str], blank: list[bool]) -> None:
        split = [split_marks(surface) for surface in surfaces]
        self.openings, self.words, self.tails = map(
            list, zip(*split, strict=True) if split else ([], [], [])
        )
        self.blank = list(blank) or [True] * len(split)
        self.kept: Indices | None = None
        bare = [i for i, word in enumerate(self.words) if not word]
        if bare:
            self._attach(bare)

    def _attach(self, bare: list[int]) -> None:
        said = np.array(list(map(bool, self.words)))
        self.kept = np.flatnonzero(said)
        kept = self.kept.tolist()
        leads: dict[int, str] = {}
        for i, place in zip(bare, np.searchsorted(self.kept, bare).tolist(), strict=True):
            surface = self.openings[i]
            if place == 0 or is_opening(surface):
                leads[place] = leads.get(place, "") + surface + " " * self.blank[i]
                continue
            before = kept[place - 1]
            self.tails[before] += " " * self.blank[before] + surface
            self.blank[before] = self.blank[i]
        for place, lead in leads.items():
            if place < len(kept):
                self.openings[kept[place]] = lead + self.openings[kept[place]]
            elif kept:
                self.tails[kept[-1]] += " " + lead.rstrip()
        for column in (self.openings, self.words, self.tails, self.blank):
            column[:] = [column[i] for i in kept]

    def lasts(self, ends: list[int]) -> list[int]:
        """Give the last word of each stretch that ends before the surfaces at `ends`."""
        counts = np.unique(np.array(ends, dtype=np.int64))
        if self.kept is not None:
            counts = np.unique(np.searchsorted(self.kept, counts))
        return [int(count) - 1 for count in counts if count]
