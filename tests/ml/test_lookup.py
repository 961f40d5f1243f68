"""The hash table of integers, compared with a dictionary."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.ml.features import Table

NUMBERS = st.one_of(st.integers(0, 40), st.integers(0, (1 << 63) - 1))


@given(st.sets(NUMBERS, max_size=60), st.lists(st.one_of(NUMBERS, st.integers(-3, -1))))
def test_lookups_are_those_of_a_dictionary(known: set[int], others: list[int]) -> None:
    keys = sorted(known)
    places = {key: at for at, key in enumerate(keys)}
    wanted = [*keys, *others, *(key + 1 for key in keys if key < 1 << 62)]
    found = Table(np.array(keys, np.int64)).find(np.array(wanted, np.int64))
    assert found.dtype == np.int64
    assert found.tolist() == [places.get(key, -1) for key in wanted]


@pytest.mark.parametrize("count", [1, 2, 3, 200])
def test_colliding_keys_are_found(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("secrets.randbits", lambda bits: 0x9E3779B97F4A7C15)
    inverse = pow(0x9E3779B97F4A7C15, -1, 1 << 64)
    # Products with the inverse land one after another in the lowest slot, or in the highest.
    low = [(at * inverse) % (1 << 64) for at in range(1, 5000)]
    high = [((-1 - at) * inverse) % (1 << 64) for at in range(5000)]
    for clashing in (low, high):
        keys = sorted(key for key in clashing if key < 1 << 63)[: 2 * count]
        known = np.array(keys[::2], np.int64)
        expected = [at // 2 if at % 2 == 0 else -1 for at in range(len(keys))]
        assert Table(known).find(np.array(keys, np.int64)).tolist() == expected


def test_many_lookups_at_once() -> None:
    keys = np.unique(np.random.default_rng(1).integers(0, 1 << 40, 100_000))
    table = Table(keys)
    assert (table.find(keys[::-1]) == np.arange(len(keys))[::-1]).all()
    missing = np.setdiff1d(keys + 1, keys)
    assert (table.find(missing) == -1).all()


def test_an_empty_table_finds_nothing() -> None:
    empty = np.zeros(0, np.int64)
    assert Table(empty).find(np.array([-1, 0, 7])).tolist() == [-1, -1, -1]
    assert Table(np.array([5])).find(empty).tolist() == []
