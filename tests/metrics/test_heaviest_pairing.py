"""The heaviest pairing, compared with trying all of them."""

from hypothesis import given
from hypothesis import strategies as st

from caesura.metrics.entity_matching import heaviest_pairing

Weights = list[dict[int, int]]

WEIGHTS = st.lists(st.dictionaries(st.integers(0, 5), st.integers(1, 9), max_size=5), max_size=6)


def slow(weights: Weights, taken: frozenset[int] = frozenset()) -> int:
    """Try each partner and none for the first, then for the rest."""
    if not weights:
        return 0
    first, *rest = weights
    sums = [
        each + slow(rest, taken | {right}) for right, each in first.items() if right not in taken
    ]
    return max([slow(rest, taken), *sums])


def total(weights: Weights) -> int:
    pairs = heaviest_pairing(weights)
    assert len(set(pairs.values())) == len(pairs)
    return sum(weights[left][right] for left, right in pairs.items())


@given(WEIGHTS)
def test_no_pairing_is_heavier(weights: Weights) -> None:
    assert total(weights) == slow(weights)


def test_one_may_lose_its_partner() -> None:
    assert heaviest_pairing([{0: 5}, {0: 7}]) == {1: 0}


def test_partners_are_changed_along_a_path() -> None:
    assert heaviest_pairing([{0: 9, 1: 8}, {0: 9, 2: 1}, {0: 9}]) == {0: 1, 1: 2, 2: 0}


def test_large_numbers_stay_exact() -> None:
    huge = 10**40
    assert heaviest_pairing([{0: huge, 1: huge}, {0: huge + 1, 1: huge}]) == {0: 1, 1: 0}


def test_nothing() -> None:
    assert heaviest_pairing([]) == {}
    assert heaviest_pairing([{}, {}]) == {}
