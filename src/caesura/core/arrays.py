"""Columns over words: immutable arrays and tuples that are checked once and compared by value.

`column` makes one from whatever a user gives, `take_cells` and `join_cells` keep some words or put
recordings together. `Evidence` is several columns of numbers by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any
from weakref import WeakValueDictionary

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
    "read": "",
    "pause": "",
    "speaker": "",
    "tag": "",
    "subtag": "",
    "features": "",
    "lemma": "",
    "relation": "",
}
"""Columns over words, and the value of a cell that is not known."""


TIMES = ("start", "end")

EXPECTED = {
    "f": "a number, or None where it is not known",
    "i": "the index of a word, or -1 where it is not known",
    "b": "True or False",
    "U": "a text, or '' where it is not known",
}
"""What a cell of a column may be, by the kind of its array."""


_COLUMNS: WeakValueDictionary[int, NDArray[Any]] = WeakValueDictionary()
"""The columns in use, which were checked when they were made, by their identity."""


def column(name: str, values: ArrayLike | Sequence[str], missing: Any = None) -> Any:
    """Make one immutable column, of the kind that its missing cell has.

    A cell of the wrong kind is a `LayerError` that names the column and the index.
    """
    missing = MISSING[name] if missing is None else missing
    if isinstance(missing, str):
        return text_column(name, values)
    kind = np.bool_ if missing is True else np.int64 if missing == -1 else np.float64
    if isinstance(values, np.ndarray) and values.dtype == kind and values.ndim == 1:
        owner = values if values.base is None else values.base
        if _COLUMNS.get(id(owner)) is owner:
            return values if owner is values else frozen(values.copy())
    array = np.array(_checked_array(name, values, missing), dtype=kind)
    if array.ndim != 1:
        raise LayerError(f"{name} has {array.ndim} dimensions, and a column has one")
    return frozen(array)


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Make an array immutable, and remember it as a column that needs no check."""
    array.flags.writeable = False
    _COLUMNS[id(array)] = array
    return array


def _checked_array(name: str, values: Any, missing: Any) -> NDArray[Any]:
    """Return an array of cells that a column can hold; None becomes the missing cell."""
    expected = EXPECTED[np.asarray(missing).dtype.kind]
    if isinstance(values, str) or not hasattr(values, "__len__"):
        raise LayerError(f"{name} is {values!r}, and should be a list: each cell is {expected}")
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise LayerError(f"{name} has lists as cells, and each should be {expected}") from error
    if array.ndim != 1:
        return array
    cells: list[Any] = list(values) if array.dtype.kind not in "biuf" else []
    if cells:
        # Texts, None and other objects lead here; a text is no number, even if it reads like one.
        cells = [missing if cell is None else cell for cell in cells]
        numbers = [isinstance(cell, (bool, int, float, np.number)) for cell in cells]
        array = np.array([cell if ok else np.inf for cell, ok in zip(cells, numbers, strict=True)])
    for at in np.flatnonzero(~_fitting(array, missing))[:1].tolist():
        cell = cells[at] if cells else array[at].item()
        raise LayerError(f"{name}[{at}] is {cell!r}, and should be {expected}")
    if name in TIMES:
        for at in np.flatnonzero(array < 0)[:1].tolist():
            raise LayerError(
                f"{name}[{at}] is {array[at]}, and times are seconds from 0 on",
                remedy="write None where a time is not known",
            )
    return array


def _fitting(array: NDArray[Any], missing: Any) -> Flags:
    """Tell which numbers a column with this missing cell can hold."""
    if missing is True:
        return np.asarray(np.isin(array, (0, 1)))
    if array.dtype.kind == "b":
        return np.zeros(array.shape, np.bool_)
    fitting: Flags = ~np.isinf(array)
    if missing == -1:
        fitting &= array == np.floor(array)
    return fitting


def text_column(name: str, values: Any) -> Strings:
    """Make an immutable column of texts; None becomes '', but for words."""
    if isinstance(values, str):
        split = f"write {values[:20]!r}.split(), or caesura.Text(...) for running text"
        raise LayerError(
            f"{name} is one text, and should be a list of texts",
            remedy=split
            if name == "words"
            else f"give a text for each word: [{values[:20]!r}, ...]",
        )
    try:
        cells = tuple(values)
    except TypeError as error:
        raise LayerError(f"{name} is {values!r}, and should be a list of texts") from error
    kinds = set(map(type, cells))
    if kinds <= {str}:
        return cells
    if name != "words":
        cells = tuple("" if cell is None else cell for cell in cells)
    for at, cell in enumerate(cells):
        if not isinstance(cell, str):
            expected = "a text" if name == "words" else EXPECTED["U"]
            raise LayerError(f"{name}[{at}] is {cell!r}, and should be {expected}")
    return tuple(map(str, cells))


def word_indices(words: ArrayLike, count: int) -> Indices:
    """Return the indices of some of `count` words, given as a mask or as ascending indices."""
    array = np.asarray(words)
    mask = array.dtype == np.bool_
    if array.ndim != 1 or (mask and len(array) != count):
        raise LayerError(f"words are chosen by a mask of {count} cells or a list of indices")
    kept = np.flatnonzero(array) if mask else array.astype(np.int64)
    if len(kept) and (kept[0] < 0 or kept[-1] >= count or (np.diff(kept) <= 0).any()):
        raise LayerError(f"indices of words ascend from 0 to {count - 1}")
    return kept


def _are_equal(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    return type(a) is type(b) and bool(a == b)


class ByValue:
    """Equality by value for dataclasses that hold arrays."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        names = [f.name for f in fields(self) if f.compare]  # type: ignore[arg-type]
        return all(_are_equal(getattr(self, name), getattr(other, name)) for name in names)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        values = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        return _rebuild, (type(self), values)


def _rebuild(kind: type[Any], values: dict[str, Any]) -> Any:
    """Make a copy by the constructor, so that its columns are immutable again."""
    return kind(**values)


class Evidence(Mapping[str, Floats]):
    """Columns of numbers about the gaps, by name, as other systems give them; NaN is unknown.

    The higher a number, the more likely is a boundary in the gap after that word. Columns are
    immutable and compared by value; their order does not matter.
    """

    __slots__ = ("_columns",)

    def __init__(self, columns: Mapping[str, ArrayLike]) -> None:
        if not isinstance(columns, Mapping):
            raise LayerError(
                "evidence should be columns by name", remedy="write {'name': [0.5, 0.1]}"
            )
        self._columns = {_checked_name(name): _numbers(name, columns[name]) for name in columns}

    def __getitem__(self, name: str) -> Floats:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Evidence):
            return NotImplemented
        return self.keys() == other.keys() and all(
            _are_equal(self[name], other[name]) for name in self
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Evidence({self._columns!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Evidence, (self._columns,)

    def map_columns(self, change: Callable[[Floats], Floats]) -> Evidence:
        """Return evidence with every column changed in the same way."""
        return Evidence({name: change(cells) for name, cells in self.items()})

    @classmethod
    def join(cls, parts: Sequence[Evidence | None], lengths: Sequence[int]) -> Evidence:
        """Put parts one after another; cells of columns that a part lacks are unknown."""
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


def _checked_name(name: object) -> str:
    if not isinstance(name, str) or not name:
        raise LayerError(f"a column of evidence has a text as its name, not {name!r}")
    return name


def _numbers(name: str, cells: ArrayLike) -> Floats:
    numbers: Floats = column(f"evidence {name!r}", cells, np.nan)
    return numbers


def take_cells(name: str, layer: Any, kept: Indices) -> Any:
    """Return the cells of the words that are kept, and what moves to them from dropped words."""
    if name == "evidence":
        highest = np.fmax.reduceat if len(kept) else np.take
        return layer.map_columns(lambda cells: highest(cells, kept))
    if name == "head":
        return _reattach_heads(layer, kept)
    if name == "pause":
        return _move_back(layer, kept)
    if isinstance(layer, tuple):
        return tuple(map(layer.__getitem__, kept.tolist()))
    if len(kept) and name == "blank":
        return frozen(np.logical_or.reduceat(layer, kept))
    if len(kept) and name == "cluster":
        after_kept = np.concatenate(([0], kept[:-1] + 1))
        return frozen(np.logical_or.reduceat(layer[: kept[-1] + 1], after_kept))
    return frozen(layer[kept])


def _move_back(layer: Strings, kept: Indices) -> Strings:
    """Return the kept cells; an empty one gets the first cell of the dropped words after it."""
    given = np.array([at for at, cell in enumerate(layer) if cell], np.int64)
    cells = [""] * len(kept)
    owners = np.searchsorted(kept, given, side="right") - 1
    for at, owner in zip(given.tolist(), owners.tolist(), strict=True):
        if owner >= 0:
            cells[owner] = cells[owner] or layer[at]
    return tuple(cells)


def _reattach_heads(head: Indices, kept: Indices) -> Indices:
    """Return the heads of the kept words: for a dropped head, its nearest kept ancestor.

    A word below a dropped root becomes a root; in a loop that is broken the head is unknown.
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


def join_cells(name: str, layers: Sequence[Any], offsets: Sequence[int]) -> Any:
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
