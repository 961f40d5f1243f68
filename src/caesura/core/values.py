"""Counts and values: what a metric counts, and the numbers that follow, or why there is none."""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np


class Counts(Mapping[str, float]):
    """Counts of a metric by name. They add, and a name that is not there counts 0."""

    __slots__ = ("_numbers",)

    def __init__(self, **numbers: float) -> None:
        self._numbers = numbers

    def __getitem__(self, name: str) -> float:
        return self._numbers.get(name, 0)

    def __contains__(self, name: object) -> bool:
        return name in self._numbers

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts):
            return NotImplemented
        return all(self[name] == other[name] for name in (*self, *other))

    __hash__ = None  # type: ignore[assignment]

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def items(self) -> ItemsView[str, float]:
        """Return the names and numbers."""
        return self._numbers.items()

    def __add__(self, other: Counts) -> Counts:
        if not isinstance(other, Counts):
            return NotImplemented
        names = dict.fromkeys((*self, *other))
        return Counts(**{name: self[name] + other[name] for name in names})

    def __radd__(self, nothing: object) -> Counts:
        return self if nothing == 0 else NotImplemented

    @classmethod
    def total(cls, many: Iterable[Counts]) -> Counts:
        """Add many counts in one pass."""
        numbers: dict[str, float] = {}
        for each in many:
            for name, number in each.items():
                numbers[name] = numbers.get(name, 0) + number
        return cls(**numbers)

    def __repr__(self) -> str:
        return f"Counts({', '.join(f'{name}={n}' for name, n in self._numbers.items())})"


@dataclass(frozen=True)
class Undefined:
    """A value that does not exist, and the reason, such as 'no boundary in the reference'."""

    reason: str


Value = float | Undefined


def ratio(numerator: float, denominator: float, reason: str) -> Value:
    """Divide; if the denominator is 0, the value is undefined for this reason."""
    return numerator / denominator if denominator else Undefined(reason)


def as_json(value: Any) -> Any:
    """Return a value as JSON can hold it: NaN, infinity and undefined values become null."""
    if isinstance(value, Undefined):
        return None
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value
