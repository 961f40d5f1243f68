"""Counts as arrays and back, and arrays that are no counts."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from caesura.core.arrays import Floats
from caesura.core.errors import ModelError
from caesura.ml.ngram_counts import (
    Counts,
    NumberedText,
    SparseTable,
    collect_ngrams,
    pack_counts,
    unpack_counts,
)

Arrays = dict[str, NDArray[Any]]
SIZE = 6


def counted(order: int = 3, classes: int = 2, words: int = 60, least: int = 1) -> Counts:
    chance = np.random.default_rng(words + order)
    numbers = np.array([0, *chance.integers(1, SIZE, words), 0, *chance.integers(1, SIZE, 9)])
    labels = chance.integers(0, classes, len(numbers))
    first = np.array([0, words + 1])
    labels[first] = 1
    return Counts.of(NumberedText(numbers, first), labels, SIZE, classes, [least] * (order - 1))


def opened(arrays: Arrays, order: int = 3, classes: int = 2) -> Counts:
    return unpack_counts(arrays, SIZE, classes, order)


def whole(cells: SparseTable) -> Floats:
    return cells.dense(np.arange(cells.rows))


def equal(one: Counts, other: Counts) -> bool:
    pairs = [*zip(one.index.keys, other.index.keys, strict=True)]
    same = all(a.tolist() == b.tolist() for a, b in pairs)
    tables = zip(map(whole, one.tables), map(whole, other.tables), strict=True)
    return same and all((a == b).all() for a, b in tables)


@given(st.integers(2, 5), st.integers(2, 4), st.integers(0, 80), st.integers(1, 3))
def test_what_is_packed_comes_back(order: int, classes: int, words: int, least: int) -> None:
    counts = counted(order, classes, words, least)
    assert equal(opened(pack_counts(counts), order, classes), counts)


def test_large_counts_come_back() -> None:
    # More than a byte holds: occurrences, words that follow a word, and their classes.
    count = 70_000
    words = np.array([0, *[2, 3] * count, *(n for k in range(4, 700) for n in (2, k))])
    labels = np.zeros(len(words), np.int64)
    labels[0] = 1
    counts = Counts.of(NumberedText(words, np.array([0])), labels, 700, 2, [1, 1])
    arrays = pack_counts(counts)
    assert equal(unpack_counts(arrays, 700, 2, 3), counts)
    assert whole(counts.full(1))[3, 0] == count
    assert arrays["children.2"].dtype == np.uint8
    assert arrays["times.1.more"].max() > 1 << 16


def test_arrays_are_small_whole_numbers() -> None:
    for array in pack_counts(counted()).values():
        assert array.dtype == np.uint8
        assert array.ndim == 1


def changed(name: str, change: Callable[[NDArray[Any]], NDArray[Any]]) -> Arrays:
    arrays = pack_counts(counted())
    return arrays | {name: change(arrays[name])}


NAMES = sorted(pack_counts(counted()))
FILLED = [name for name, array in pack_counts(counted()).items() if len(array)]


@pytest.mark.parametrize("name", NAMES)
def test_every_array_is_needed(name: str) -> None:
    arrays = pack_counts(counted())
    del arrays[name]
    with pytest.raises(ModelError, match="damaged: it has the arrays"):
        opened(arrays)


def test_other_arrays_are_refused() -> None:
    with pytest.raises(ModelError, match="damaged: it has the arrays"):
        opened(pack_counts(counted()) | {"more": np.zeros(3, np.uint8)})
    with pytest.raises(ModelError, match="it has the arrays none"):
        opened({})


CHANGES: dict[str, Callable[[NDArray[Any]], NDArray[Any]]] = {
    "floats": lambda array: array.astype(np.float64),
    "truth values": lambda array: array.astype(np.bool_),
    "complex": lambda array: array.astype(np.complex128),
    "two dimensions": lambda array: array[:, None],
    "no dimension": lambda array: np.array(3),
    "one more": lambda array: np.append(array, np.uint8(1)),
    "negative": lambda array: np.full(max(len(array), 1), -1),
    "huge": lambda array: np.full(max(len(array), 1), (1 << 64) - 1, np.uint64),
    "large": lambda array: np.full(max(len(array), 1), 1 << 40, np.int64),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", CHANGES)
def test_damage_is_found(name: str, kind: str) -> None:
    with pytest.raises(ModelError, match="damaged"):
        opened(changed(name, CHANGES[kind]))


@pytest.mark.parametrize("name", FILLED)
def test_cut_arrays_are_found(name: str) -> None:
    for cut in (lambda a: a[:-1], lambda a: a[1:], lambda a: a[:0]):
        with pytest.raises(ModelError, match="damaged"):
            opened(changed(name, cut))


@pytest.mark.parametrize(
    ("name", "at", "value", "message"),
    [
        ("words.2", 1, 7, "words.2 has numbers outside 0 to 5"),
        ("words.2", 2, 0, "words.2 are not in order"),
        ("children.2", 0, 40, "words.2 and children.2 do not belong together"),
        ("columns.3", 0, 8, "columns.3 has numbers outside 0 to 7"),
        ("cells.1", 0, 1, "cells.1, columns.1 and times.1 do not belong together"),
        ("times.2", 0, 0, "columns.2 or times.2 are no counts"),
        ("times.3", 0, 255, "times.3 and times.3.more do not belong together"),
        ("times.3", 0, 200, "times.3 are more than times.2"),
    ],
)
def test_says_what_is_wrong(name: str, at: int, value: int, message: str) -> None:
    def change(array: NDArray[Any]) -> NDArray[Any]:
        made = array.copy()
        made[at] = value
        return made

    with pytest.raises(ModelError, match=re.escape(message)):
        opened(changed(name, change))


def test_a_part_that_is_not_known_is_found() -> None:
    # 2 3 4 is known and 3 4 is not.
    words, first = np.array([0, 2, 3, 4]), np.array([0])
    grams, _ = collect_ngrams(words, first, SIZE, [1, 1])
    keys = [key for key in grams.keys[0].tolist() if key != 3 * SIZE + 4]
    arrays = pack_counts(counted())
    arrays["words.2"] = np.array([key % SIZE for key in keys], np.uint8)
    arrays["children.2"] = np.bincount([key // SIZE for key in keys], minlength=SIZE).astype("u1")
    arrays["words.3"] = np.array([4], np.uint8)
    arrays["children.3"] = np.array([0] * (len(keys) - 1) + [1], np.uint8)
    assert keys[-1] == 2 * SIZE + 3
    with pytest.raises(ModelError, match="of which a part is not"):
        opened(arrays)


def test_a_sequence_is_known_once() -> None:
    arrays = pack_counts(counted())
    words = arrays["words.2"].copy()
    at = int(arrays["children.2"][0])
    assert arrays["children.2"][1] > 1
    words[at + 1] = words[at]
    with pytest.raises(ModelError, match=r"words.2 are not in order"):
        opened(arrays | {"words.2": words})


def test_small_numbers_stand_in_their_column() -> None:
    arrays = pack_counts(counted())
    times = arrays["times.1"].copy()
    more = np.array([times[0]], np.uint8)
    times[0] = 255
    with pytest.raises(ModelError, match=r"times.1 and times.1.more do not belong together"):
        opened(arrays | {"times.1": times, "times.1.more": more})


def test_what_is_before_a_recording_is_no_word() -> None:
    arrays = pack_counts(counted())
    cells, columns, times = (arrays[f"{kind}.1"] for kind in ("cells", "columns", "times"))
    arrays["cells.1"] = np.array([1, *cells[1:]], np.uint8)
    arrays["columns.1"] = np.array([0, *columns], np.uint8)
    arrays["times.1"] = np.array([1, *times], np.uint8)
    with pytest.raises(ModelError, match="before a recording is counted as a word"):
        opened(arrays)


def test_a_small_file_never_makes_a_large_table() -> None:
    huge = np.full(SIZE, 1 << 40, np.int64)
    full = np.full(SIZE, 255, np.uint8)
    with pytest.raises(ModelError, match=r"children.2.more has numbers outside"):
        opened(pack_counts(counted()) | {"children.2": full, "children.2.more": huge})
    with pytest.raises(ModelError, match=r"cells.1.more has numbers outside"):
        opened(pack_counts(counted()) | {"cells.1": full, "cells.1.more": huge})


@given(st.data())
def test_flipped_numbers_are_found_or_leave_counts(data: st.DataObject) -> None:
    arrays = pack_counts(counted())
    name = data.draw(st.sampled_from(FILLED))
    array = arrays[name].copy()
    at = data.draw(st.integers(0, len(array) - 1))
    array[at] ^= 1 << data.draw(st.integers(0, 7))
    try:
        found = opened(arrays | {name: array})
    except ModelError:
        return
    # What is accepted is consistent: no part of a sequence is rarer than the sequence.
    assert not whole(found.full(1))[0].any()
    for length in range(2, 4):
        suffix = found.index.suffixes[length - 1]
        assert suffix.min() >= 0
        most = whole(found.short(length))
        sums = np.zeros_like(most)
        np.add.at(sums, suffix, whole(found.full(length)))
        assert (sums <= most).all()
    again = pack_counts(found)
    assert again.keys() == arrays.keys()
    assert again[name].tolist() == array.tolist()
