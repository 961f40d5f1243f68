"""Clusters as spans."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from caesura.contracts import Counts, Undefined
from caesura.metrics import clusters

Pair = list[tuple[bool, bool]]


def spans(begun: list[bool]) -> set[tuple[int, int]]:
    first = [at for at, here in enumerate(begun) if here]
    return set(pairwise([*first, len(begun)]))


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=12))
def test_equals_sets_of_spans(pair: Pair) -> None:
    ours, theirs = [a for a, _ in pair], [b for _, b in pair]
    found = clusters.count(np.array(ours, np.bool_), np.array(theirs, np.bool_))
    one, two = spans(ours), spans(theirs)
    assert found == Counts(correct=len(one & two), found=len(one), real=len(two))


def test_rates() -> None:
    found = clusters.rates(Counts(correct=1, found=2, real=4))
    assert found == {"precision": 0.5, "recall": 0.25, "f1": 1 / 3}
    assert isinstance(clusters.rates(Counts())["f1"], Undefined)
