"""Features of words: what stands around each, as one number for each combination looked at.

A column has a number for each word, spread over 64 bits (a hash of its spelling, say). A
template names some columns and positions; its key at a word is a hash of what stands there.
Two things that differ have the same key about once in 2^63 pairs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from caesura.columns import Floats, Indices

REACH = 3
"""How many words before and after are looked at."""

Hashes = NDArray[np.uint64]
Template = tuple[tuple[str, int], ...]
"""Names of columns, each with a position: 0 is the word itself, -1 the one before."""

PAUSES = (0.0, 0.05, 0.2, 0.5, 1.0)
"""Seconds from which on pauses are told apart; what lies below 0 is speech that overlaps.

Times that were interpolated leave gaps of some milliseconds next to real pauses, and no pause
elsewhere: what is shorter than 0.05 is no pause."""

NO_PAUSE = len(PAUSES) + 1
"""The bin of pauses that are not known."""


def _alike(columns: Sequence[str], *shapes: Sequence[int]) -> list[Template]:
    """Give a template of each shape for each column."""
    return [tuple((name, at) for at in shape) for name in columns for shape in shapes]


TEMPLATES: tuple[Template, ...] = (
    (),
    *_alike(("word", "tag", "subtag"), *((at,) for at in range(-REACH, REACH + 1))),
    *_alike(("tag", "subtag"), (-2, -1), (-1, 0), (0, 1), (1, 2)),
    *_alike(("tag", "subtag"), (-2, -1, 0), (-1, 0, 1), (0, 1, 2)),
    *_alike(("word",), (-1, 0), (0, 1)),
    (("word", -1), ("tag", 0)),
    (("tag", -1), ("word", 0)),
    *_alike(("pause",), (-1,), (0,), (1,)),
    (("pause", 0), ("word", 0)),
    (("pause", 0), ("tag", 0)),
    (("pause", 0), ("tag", -1)),
    (("pause", 0), ("tag", -1), ("tag", 0)),
    (("turn", 0),),
    (("turn", 0), ("pause", 0)),
)
"""What is looked at. `pause` and `turn` at a position are those of the gap before that word."""


def pause_bins(pauses: Floats) -> Indices:
    """Number the bins of pauses: 0 where speech overlaps, `NO_PAUSE` where nothing is known."""
    # To whole milliseconds, so that what a subtraction leaves over does not count as overlap.
    bins = np.searchsorted(PAUSES, np.round(pauses, 3), side="right")
    return np.where(np.isnan(pauses), NO_PAUSE, bins).astype(np.int64)


def spread(numbers: Indices) -> Hashes:
    """Spread small numbers over 64 bits."""
    known = np.array(
        [_constant(f"number {each}") for each in range(int(numbers.max(initial=0)) + 1)]
    )
    found: Hashes = known.astype(np.uint64)[numbers]
    return found


@cache
def _constant(text: str) -> np.uint64:
    """Give an odd number that stands for a text, the same everywhere."""
    return np.uint64(int.from_bytes(blake2b(text.encode(), digest_size=8).digest()) | 1)


def padded(column: Hashes) -> Hashes:
    """Put what stands for nothing before and after a column."""
    return np.pad(column, REACH)


def usable(columns: Mapping[str, Hashes], templates: Sequence[Template]) -> list[Template]:
    """Give the templates whose columns are there."""
    return [each for each in templates if all(name in columns for name, _ in each)]


def keys(
    columns: Mapping[str, Hashes],
    first: int,
    stop: int,
    templates: Sequence[Template] = TEMPLATES,
) -> NDArray[np.int64]:
    """Give a row of keys for each template, a column for each of the words `first` to `stop`.

    Columns are padded; templates whose columns are missing have no row.
    """
    chosen = usable(columns, templates)
    parts: dict[tuple[str, int], Hashes] = {}
    for part in dict.fromkeys(part for template in chosen for part in template):
        name, at = part
        here = columns[name][first + REACH + at : stop + REACH + at]
        parts[part] = here * _constant(f"{name} {at}")
    found = np.empty((len(chosen), stop - first), np.uint64)
    for row, template in zip(found, chosen, strict=True):
        row[:] = _constant(repr(template))
        for part in template:
            row += parts[part]
    return (found >> np.uint64(1)).astype(np.int64)
