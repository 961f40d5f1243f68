"""Whole numbers behind the paper's Table 4, and where its digits cannot come from any.

Precision, recall and F1 of a cell are all made of three whole numbers: the boundaries of the
system (Table 3), those of the reference (Table 2), and how many both share. Only the last is
not printed. So each cell is tried with every possible number, and each video with every order
of the three references, as a table may have its rows exchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import permutations

from caesura.studies.printed import fits, three
from caesura.studies.wisebe_tables import (
    MEASURES,
    REFERENCES,
    SYSTEMS,
    TABLE_2,
    TABLE_3,
    TABLE_4,
    TABLE_4_MEANS,
    VIDEOS,
    rows,
)

Order = tuple[int, int, int]
AS_PRINTED: Order = (0, 1, 2)


@dataclass(frozen=True)
class Finding:
    """A printed number that cannot be right: where, what it should be, and how one can tell."""

    place: str
    printed: str
    right: str
    evidence: str


@dataclass(frozen=True)
class Cell:
    """Precision, recall and F1 of a system against a reference, as printed and as they must be."""

    video: str
    system: str
    reference: str
    printed: tuple[str, str, str]
    shared: int
    found: int
    real: int

    @property
    def exact(self) -> tuple[Fraction, Fraction, Fraction]:
        """Precision, recall and F1 of the whole numbers."""
        return rates(self.shared, self.found, self.real)

    @property
    def misfits(self) -> list[int]:
        """Which of the three are not printed as they must be."""
        pairs = zip(self.exact, self.printed, strict=True)
        return [i for i, (value, text) in enumerate(pairs) if not fits(value, text)]

    def findings(self) -> Iterator[Finding]:
        """Tell each misprint in it."""
        parts = (
            f"{self.shared}/{self.found}",
            f"{self.shared}/{self.real}",
            f"{2 * self.shared}/{self.found + self.real}",
        )
        fitting = [MEASURES[i] for i in range(3) if i not in self.misfits]
        for i in self.misfits:
            yield Finding(
                f"Table 4, {self.video} {self.system} {self.reference} {MEASURES[i]}",
                self.printed[i],
                f"{three(self.exact[i])} ({parts[i]})",
                f"{self.shared} shared boundaries of {self.found} and {self.real} "
                f"({' and '.join(fitting)} fit{'s' * (len(fitting) == 1)} them)",
            )


def rates(shared: int, found: int, real: int) -> tuple[Fraction, Fraction, Fraction]:
    """Precision, recall and F1."""
    return Fraction(shared, found), Fraction(shared, real), Fraction(2 * shared, found + real)


def printed(video: str, system: str) -> list[str]:
    """Give the twelve numbers of a row of Table 4: a triple for each reference, then the mean."""
    for name, of, *cells in rows(TABLE_4):
        if (name, of) == (video, system):
            return [cell.rstrip("*") for cell in cells]
    raise KeyError(video, system)


def bold(video: str, system: str) -> list[bool]:
    """Tell which of the four F1 of a row are bold."""
    for name, of, *cells in rows(TABLE_4):
        if (name, of) == (video, system):
            return [cell.endswith("*") for cell in cells[2::3]]
    raise KeyError(video, system)


@cache
def cells(video: str, order: Order) -> tuple[Cell, ...]:
    """Find the best whole numbers of all cells of a video, its references taken in this order."""
    at = VIDEOS.index(video)
    sizes = [TABLE_2[REFERENCES[i]][at] for i in order]
    return tuple(
        _best(video, system, i, sizes[i], TABLE_3[system][at])
        for system in SYSTEMS
        for i in range(3)
    )


def _best(video: str, system: str, i: int, real: int, found: int) -> Cell:
    """Choose the number of shared boundaries that leaves the fewest misfits."""
    triple = printed(video, system)[3 * i : 3 * i + 3]
    tried = [
        Cell(video, system, REFERENCES[i], (triple[0], triple[1], triple[2]), shared, found, real)
        for shared in range(min(found, real) + 1)
    ]
    return min(tried, key=lambda cell: (len(cell.misfits), _distance(cell)))


def _distance(cell: Cell) -> Fraction:
    return sum(
        (abs(a - Fraction(b)) for a, b in zip(cell.exact, cell.printed, strict=True)), Fraction()
    )


def misfits(video: str, order: Order) -> int:
    """How many of a video's 18 numbers do not fit, its references taken in this order."""
    return sum(len(cell.misfits) for cell in cells(video, order))


@cache
def order(video: str) -> Order:
    """Give the order of references that leaves the fewest misfits; as printed if that is one."""
    possible: list[Order] = [(a, b, c) for a, b, c in permutations(range(3))]
    return min(possible, key=lambda each: (misfits(video, each), each != AS_PRINTED))


def true_cells(system: str) -> list[list[Cell]]:
    """For each video the cells of a system, against each reference."""
    return [[cell for cell in cells(v, order(v)) if cell.system == system] for v in VIDEOS]


def exchanged() -> list[Finding]:
    """Find videos in which Table 2 has references exchanged against Table 4."""
    found = []
    for at, video in enumerate(VIDEOS):
        best = order(video)
        if best == AS_PRINTED:
            continue
        moved = [i for i in range(3) if best[i] != i]
        sizes = [str(TABLE_2[REFERENCES[i]][at]) for i in moved]
        right = [str(TABLE_2[REFERENCES[best[i]]][at]) for i in moved]
        found.append(
            Finding(
                f"Table 2, {video} {' and '.join(REFERENCES[i] for i in moved)}",
                " and ".join(sizes),
                " and ".join(right),
                f"{misfits(video, AS_PRINTED)} of 18 numbers of Table 4 fit no whole number of "
                f"shared boundaries as printed, {misfits(video, best)} do not when exchanged",
            )
        )
    return found


def undecided() -> list[str]:
    """Name the videos in which references of equal size could be exchanged unseen."""
    return [
        video
        for at, video in enumerate(VIDEOS)
        if len({TABLE_2[reference][at] for reference in REFERENCES}) < len(REFERENCES)
    ]


def true_sizes(reference: int) -> list[int]:
    """Boundaries of a reference in each video, exchanges undone."""
    return [TABLE_2[REFERENCES[order(video)[reference]]][at] for at, video in enumerate(VIDEOS)]


def single_cells() -> list[Finding]:
    """Find numbers that do not fit their cell's whole numbers."""
    return [
        finding
        for video in VIDEOS
        for cell in cells(video, order(video))
        for finding in cell.findings()
    ]


def row_means() -> list[Finding]:
    """Find means over references that the cells' whole numbers do not give."""
    found = []
    for system in SYSTEMS:
        for video, three_cells in zip(VIDEOS, true_cells(system), strict=True):
            for i, text in enumerate(printed(video, system)[9:]):
                right = _mean([cell.exact[i] for cell in three_cells])
                if not fits(right, text):
                    shown = ", ".join(three(cell.exact[i]) for cell in three_cells)
                    place = f"Table 4, {video} {system} mean {MEASURES[i]}"
                    found.append(Finding(place, text, _digits(right, text), f"mean of {shown}"))
    return found


def column_means() -> list[Finding]:
    """Find means over videos that the cells' whole numbers do not give."""
    found = []
    for system in SYSTEMS:
        all_cells = true_cells(system)
        columns = [[row[i].exact[2] for row in all_cells] for i in range(3)]
        columns.append([_mean([cell.exact[2] for cell in row]) for row in all_cells])
        for i, (column, text) in enumerate(zip(columns, TABLE_4_MEANS[system], strict=True)):
            right = _mean(column)
            if not fits(right, text):
                name = (*REFERENCES, "mean")[i]
                taken = _mean([Fraction(printed(v, system)[3 * i + 2]) for v in VIDEOS])
                evidence = f"the ten F1 as printed have the mean {three(taken)}"
                place = f"Table 4, mean scores {system} {name} F1"
                found.append(Finding(place, text, _digits(right, text), evidence))
    return found


def _mean(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction()) / len(values)


def _digits(value: Fraction, text: str) -> str:
    """Write a number with as many digits as another has in print."""
    return three(value, len(text.partition(".")[2]))
