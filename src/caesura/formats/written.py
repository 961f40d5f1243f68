"""Written words on their way to a transcript, many at a time."""

from __future__ import annotations

import numpy as np

from caesura.text.marks import Pieces, end_mark, is_opening, sentence_ends, split_marks
from caesura.text.tokens import joined, pieces
from caesura.transcript import Indices, Segmentation, Transcript

HYPHEN = Pieces("", "-", "")
"""In plain text a lone hyphen is a word: `u s - soviet` has four, as its annotators count."""


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
        if self.ends[-1:] != [len(self.surfaces)]:
            self.ends.append(len(self.surfaces))

    def transcript(self, id: str, marks: str = "") -> Transcript:
        """Make the transcript; sentences end where told, and where words carry one of `marks`.

        The label of a sentence is the plain mark at its end.
        """
        table = _Table(self)
        words, tails = table.words, table.tails
        labels = table.found(marks)
        boundary = np.fromiter(map(bool, labels), np.bool_, len(words))
        for last in table.lasts():
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
        table = _Table(self)
        told = set(table.lasts())
        return sum(1 for i, mark in enumerate(table.found(marks)) if mark and i not in told)


def _final(word: str, mark: str) -> str:
    """Give the plain mark at a sentence end that is known to be one."""
    return end_mark(mark) or ("." if word.endswith(".") else "")


class _Table:
    """Words, and the punctuation before and after them; lone punctuation goes to a neighbour."""

    def __init__(self, text: Written) -> None:
        split = [HYPHEN if surface == "-" else split_marks(surface) for surface in text.surfaces]
        columns = zip(*split, strict=True) if split else ((), (), ())
        self.openings, self.words, self.tails = (list(column) for column in columns)
        self.blank = list(text.blank) or [True] * len(split)
        self.ends = np.array(text.ends, dtype=np.int64)
        bare = [i for i, word in enumerate(self.words) if not word]
        if bare:
            self._attach(bare)

    def _attach(self, bare: list[int]) -> None:
        """Give lone punctuation to the word before it, or after it if that is where it belongs."""
        kept = np.flatnonzero(list(map(bool, self.words)))
        leads: dict[int, str] = {}
        for i, place in zip(bare, np.searchsorted(kept, bare).tolist(), strict=True):
            surface = self.openings[i]
            if place == 0 or is_opening(surface) or self._leads(i, kept[place - 1 : place + 1]):
                leads[place] = leads.get(place, "") + surface + " " * self.blank[i]
                continue
            before = int(kept[place - 1])
            self.tails[before] += " " * self.blank[before] + surface
            self.blank[before] = self.blank[i]
        for place, lead in leads.items():
            if place < len(kept):
                self.openings[kept[place]] = lead + self.openings[kept[place]]
            elif len(kept):
                self.tails[kept[-1]] += " " + lead.rstrip()
        self.ends = np.searchsorted(kept, self.ends)
        self.openings = [self.openings[i] for i in kept.tolist()]
        self.words = [self.words[i] for i in kept.tolist()]
        self.tails = [self.tails[i] for i in kept.tolist()]
        self.blank = [self.blank[i] for i in kept.tolist()]

    def _leads(self, at: int, around: Indices) -> bool:
        """Whether punctuation begins a stretch that has the second of the words around it."""
        stretch = np.searchsorted(self.ends, [at, *around.tolist()], side="right").tolist()
        return len(stretch) == 3 and stretch[1] < stretch[0] == stretch[2]

    def found(self, marks: str) -> list[str]:
        """Give the sentence mark of each gap; most have no punctuation and are passed over."""
        marked = [i for i, tail in enumerate(self.tails) if tail or self.words[i][-1] == "."]
        after = [*self.words[1:], ""]
        words = [word for i in marked for word in (self.words[i], after[i])]
        tails = [tail for i in marked for tail in (self.tails[i], "")]
        labels = [""] * len(self.words)
        if marked:
            for i, label in zip(marked, sentence_ends(words, tails, marks)[::2], strict=True):
                labels[i] = label
        return labels

    def lasts(self) -> list[int]:
        """Give the last word of each stretch whose end was told."""
        return [end - 1 for end in np.unique(self.ends).tolist() if end]
