"""Whole numbers behind the paper's Table 4.

Precision, recall and F1 of a cell are made of three whole numbers: the boundaries of the
system (Table 3), those of the reference (Table 2), and how many both share. Only the last is
not printed. So each cell is tried with every possible number, and each video with every order
of the three references, as a table may have its rows exchanged.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import permutations, product

from caesura_studies.printed import Number, wrong
from caesura_studies.wisebe.tables import BY_VIDEO, REFERENCES, SYSTEMS, TABLE_4


def _numbers(place: tuple[str, str, str], shared: int, real: int) -> dict[str, Number]:
    """Give the measures of a cell as printed, and as they are with these whole numbers."""
    video, system, _ = place
    found = int(BY_VIDEO[system, video])
    right = {"P": Fraction(shared, found), "R": Fraction(shared, real)}
    right["F1"] = Fraction(2 * shared, found + real)
    why = f"{shared} shared boundaries of {found} and {real}"
    return {
        name: Number(f"Table 4, {' '.join(place)} {name}", TABLE_4[(*place, name)], value, why)
        for name, value in right.items()
    }


@cache
def cell(place: tuple[str, str, str], real: int) -> dict[str, Number]:
    """Choose the number of shared boundaries that fits best, if the reference has so many."""
    tried = [_numbers(place, shared, real) for shared in range(real + 1)]
    return min(tried, key=lambda each: len(wrong(each.values())))


def misfits(video: str, order: tuple[str, ...]) -> int:
    """How many of a video's 18 numbers fit no whole number, with Table 2's rows in this order."""
    pairs = list(zip(REFERENCES, order, strict=True))
    return sum(
        len(wrong(cell((video, system, reference), int(BY_VIDEO[name, video])).values()))
        for system, (reference, name) in product(SYSTEMS, pairs)
    )


@cache
def order(video: str) -> tuple[str, ...]:
    """Give the order of Table 2's rows with the fewest misfits; as printed if that is one."""
    return min(permutations(REFERENCES), key=lambda each: (misfits(video, each), each))


def sizes(video: str) -> dict[str, int]:
    """Boundaries of each reference as Table 4 names them."""
    names = zip(REFERENCES, order(video), strict=True)
    return {reference: int(BY_VIDEO[name, video]) for reference, name in names}


def fitting(video: str, system: str, reference: str) -> dict[str, Number]:
    """Give the measures of a cell with all exchanges undone."""
    return cell((video, system, reference), sizes(video)[reference])
