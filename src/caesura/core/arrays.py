"""The kinds of columns that values are made of: immutable, compared by value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caesura.core.errors import LayerError

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]
Strings = tuple[str, ...]

MISSING: Mapping[str, Any] = {
    "start": np.nan,
    "end": np.nan,
    "confidence": np.nan,
    "head": -1,
    "blank": True,
    "cluster": True,
    "opening": "",
    "mark": "",
    "pause": "",
    "speaker": "",
    "tag": "",
    "subtag": "",
    "features": "",
    "lemma": "",
    "relation": "",
}
"""Columns over words and what stands in a cell that is not known."""


def column(name: str, values: ArrayLike | Sequence[str], missing: Any = None) -> Any:
    """Make one immutable column of the kind its missing cell shows."""
    missing = MISSING[name] if missing is None else missing
    if isinstance(missing, str):
        return texts(name, values)
    kind = np.bool_ if missing is True else np.int64 if missing == -1 else np.float64
    if isinstance(values, np.ndarray) and values.dtype == kind and _is_fixed(values):
        return values
    try:
        array = np.array(values, dtype=kind)
    except (ValueError, TypeError) as error:
        raise LayerError(f"{name} cannot hold these cells: {error}") from error
    if array.ndim != 1:
        raise LayerError(f"{name} has {array.ndim} dimensions, and a column has one")
    array.flags.writeable = False
    return array


def texts(name: str, values: Any) -> Strings:
    """Make an immutable column of texts."""
    column = () if isinstance(values, str) else tuple(values)
    if isinstance(values, str) or not set(map(type, column)) <= {str, np.str_}:
        raise LayerError(f"{name} is a sequence of texts")
    return column


def chosen(words: ArrayLike, count: int) -> Indices:
    """Give the indices of some of `count` words, named by a mask or by ascending indices."""
    given = np.asarray(words)
    mask = given.dtype == np.bool_
    if given.ndim != 1 or (mask and len(given) != count):
        raise LayerError(f"a choice of words is a mask of {count} cells or a list of indices")
    kept = np.flatnonzero(given) if mask else given.astype(np.int64)
    if len(kept) and (kept[0] < 0 or kept[-1] >= count or (np.diff(kept) <= 0).any()):
        raise LayerError(f"indices of words ascend from 0 to {count - 1}")
    return kept


def _is_fixed(array: NDArray[Any]) -> bool:
    return bool(array.flags.owndata) and not array.flags.writeable


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    return type(a) is type(b) and bool(a == b)


class ByValue:
    """Equality by value for dataclasses that hold arrays."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        names = [f.name for f in fields(self) if f.compare]  # type: ignore[arg-type]
        return all(_same(getattr(self, name), getattr(other, name)) for name in names)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        values = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        return _rebuilt, (type(self), values)


def _rebuilt(kind: type[Any], values: dict[str, Any]) -> Any:
    """Make a copy through the constructor, so that its columns are immutable again."""
    return kind(**values)


class Evidence(Mapping[str, Floats]):
    """Named columns of numbers over gaps, as other systems give them; NaN is unknown.

    The higher a number, the more it speaks for a boundary in the gap after its word. Columns are
    immutable and compared by value, whatever their order.
    """

    __slots__ = ("_columns",)

    def __init__(self, columns: Mapping[str, ArrayLike]) -> None:
        if not isinstance(columns, Mapping):
            raise LayerError("evidence is columns by name, as in {'name': [0.5, 0.1]}")
        self._columns = {_named(name): _numbers(name, columns[name]) for name in columns}

    def __getitem__(self, name: str) -> Floats:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Evidence):
            return NotImplemented
        return self.keys() == other.keys() and all(_same(self[name], other[name]) for name in self)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Evidence({self._columns!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Evidence, (self._columns,)

    def each(self, change: Callable[[Floats], Floats]) -> Evidence:
        """Change every column in the same way."""
        return Evidence({name: change(cells) for name, cells in self.items()})

    @classmethod
    def join(cls, parts: Sequence[Evidence | None], lengths: Sequence[int]) -> Evidence:
        """One after another; cells of columns that a part lacks are unknown."""
        filled = [
            (part or cls({}), np.full(n, np.nan)) for part, n in zip(parts, lengths, strict=True)
        ]
        names = dict.fromkeys(name for part, _ in filled for name in part)
        return cls(
            {
                name: np.concatenate([part.get(name, unknown) for part, unknown in filled])
                for name in names
            }
        )


def _named(name: object) -> str:
    if not isinstance(name, str) or not name:
        raise LayerError(f"a column of evidence has a text as its name, not {name!r}")
    return name


def _numbers(name: str, cells: ArrayLike) -> Floats:
    shown = f"evidence {name!r}"
    array: Floats = column(shown, cells, np.nan)
    if np.isinf(array).any():
        at = int(np.flatnonzero(np.isinf(array))[0])
        raise LayerError(
            f"{shown} is endless after word {at + 1}",
            remedy="write a large number for what is certain",
        )
    return array


def taken(name: str, layer: Any, kept: Indices) -> Any:
    """Give the cells of the kept words, and what dropped words hand on to them."""
    if name == "evidence":
        strongest = np.fmax.reduceat if len(kept) else np.take
        return layer.each(lambda cells: strongest(cells, kept))
    if name == "head":
        return _reattached(layer, kept)
    if name == "pause":
        return _handed_back(layer, kept)
    if isinstance(layer, tuple):
        return tuple(map(layer.__getitem__, kept.tolist()))
    if len(kept) and name == "blank":
        return np.logical_or.reduceat(layer, kept)
    if len(kept) and name == "cluster":
        after_kept = np.concatenate(([0], kept[:-1] + 1))
        return np.logical_or.reduceat(layer[: kept[-1] + 1], after_kept)
    return layer[kept]


def _handed_back(layer: Strings, kept: Indices) -> Strings:
    """Cells of the kept words; an empty one gets the first cell of the dropped words after it."""
    given = np.array([at for at, cell in enumerate(layer) if cell], np.int64)
    cells = [""] * len(kept)
    owners = np.searchsorted(kept, given, side="right") - 1
    for at, owner in zip(given.tolist(), owners.tolist(), strict=True):
        if owner >= 0:
            cells[owner] = cells[owner] or layer[at]
    return tuple(cells)


def _reattached(head: Indices, kept: Indices) -> Indices:
    """Heads among the kept words; those of dropped words are handed up the tree.

    A word below a dropped root becomes a root; a loop that is broken leaves no head.
    """
    count = len(head)
    place = np.full(count, -1, dtype=np.int64)
    place[kept] = np.arange(len(kept))
    up = np.where((place < 0) & (head >= 0), head, np.arange(count))
    for _ in range(count.bit_length()):
        up = up[up]
    known = head[kept] >= 0
    target = np.where(known, up[head[kept]], kept)
    known &= (target != kept) | (head[kept] == kept)
    at_root = (place[target] < 0) & (head[target] == target)
    return np.where(known, np.where(at_root, np.arange(len(kept)), place[target]), -1)


def joined(name: str, layers: Sequence[Any], offsets: Sequence[int]) -> Any:
    """Put columns one after another; a part that lacks the column has missing cells."""
    lengths = np.diff(offsets).tolist()
    if name == "evidence":
        return Evidence.join(layers, lengths)
    filled = [
        [MISSING[name]] * length if layer is None else layer
        for layer, length in zip(layers, lengths, strict=True)
    ]
    if isinstance(MISSING[name], str):
        return tuple(cell for layer in filled for cell in layer)
    if name == "head":
        filled = [
            np.where(np.asarray(layer, np.int64) >= 0, np.asarray(layer, np.int64) + offset, -1)
            for layer, offset in zip(filled, offsets, strict=False)
        ]
    return np.concatenate([np.asarray(layer) for layer in filled])
