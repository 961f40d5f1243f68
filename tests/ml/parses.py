"""Brute force over all parses, for tests of the search."""

from collections.abc import Iterator
from functools import cache
from itertools import pairwise, product

import numpy as np
import pytest

from caesura.core.arrays import Floats
from caesura.ml.parsing.chart import Parse, ParseScores

KINDS = ("smooth", "ties", "holes", "rightward", "harsh")


def random_scores(seed: int, size: int, reach: int, kind: str) -> ParseScores:
    chance = np.random.default_rng(seed)
    links = chance.normal(0, 3, (size, 2 * reach + 1))
    roots, gaps = chance.normal(0, 3, size), chance.normal(0, 3, (max(size - 1, 0), 2))
    for part in (links, roots, gaps):
        if kind == "ties":
            part[...] = chance.integers(-1, 2, part.shape)
        if kind == "holes":
            part[chance.random(part.shape) < 0.3] = -np.inf
        if kind == "harsh":
            part *= 1000
    if kind == "rightward":
        links[:, : reach + 1] = -np.inf
    return ParseScores(links, roots, gaps)


def is_tree(heads: tuple[int, ...]) -> bool:
    """Return whether all units lead to the root, and no arc crosses another or the root."""
    root = heads.index(-1)
    for unit in range(len(heads)):
        for _ in heads:
            unit = unit if unit == root else heads[unit]
        if unit != root:
            return False
    links = [tuple(sorted((unit, head))) for unit, head in enumerate(heads) if head >= 0]
    if any(low < root < high for low, high in links):
        return False
    return not any(a < c < b < d for (a, b), (c, d) in product(links, links))


@cache
def trees(size: int) -> list[tuple[int, ...]]:
    """Yield all trees of a sentence."""
    found = []
    for root in range(size):
        choices = [
            [-1] if unit == root else [head for head in range(size) if head != unit]
            for unit in range(size)
        ]
        found += [heads for heads in product(*choices) if is_tree(heads)]
    return found


def tree_score(scores: ParseScores, first: int, heads: tuple[int, ...]) -> float:
    total = 0.0
    for unit, head in enumerate(heads):
        if head < 0:
            total += scores.roots[first + unit]
        elif abs(head - unit) > scores.reach:
            return -np.inf
        else:
            total += scores.arcs[first + unit, scores.reach + head - unit]
    return float(total)


def segmentations(size: int, longest: int) -> Iterator[list[int]]:
    """All ways to cut units into sentences, as the first units of these and the end."""
    for cuts in product([False, True], repeat=size - 1):
        edges = [0, *[at for at, cut in enumerate(cuts, 1) if cut], size]
        if all(stop - first <= longest for first, stop in pairwise(edges)):
            yield edges


def brute_force(scores: ParseScores, longest: int) -> tuple[float, Floats]:
    """Best score, and the probability of a boundary at each gap."""
    size = len(scores)
    each = {
        (first, stop): [tree_score(scores, first, tree) for tree in trees(stop - first)]
        for first in range(size)
        for stop in range(first + 1, min(first + longest, size) + 1)
    }
    top, sums, flags = -np.inf, [], []
    for edges in segmentations(size, longest):
        flag = np.isin(np.arange(1, size), edges)
        gaps = scores.gaps[np.arange(1, size), flag.astype(int)].sum()
        found = [each[sentence] for sentence in pairwise(edges)]
        top = max(top, gaps + sum(map(max, found)))
        sums.append(gaps + sum(np.logaddexp.reduce(np.array(some)) for some in found))
        flags.append(flag)
    weights = np.exp(np.array(sums) - max(np.logaddexp.reduce(sums), -1e300))
    return float(top), weights @ np.array(flags)


def check(scores: ParseScores, found: Parse, longest: int) -> None:
    """Check that a parse is valid, and that its score is right."""
    size = len(scores)
    edges = [0, *(np.flatnonzero(found.ends) + 1).tolist()]
    assert edges[-1] == size
    total = scores.gaps[np.arange(1, size), found.ends[:-1].astype(int)].sum()
    for first, stop in pairwise(edges):
        assert stop - first <= longest
        heads = tuple(
            head - first if head >= 0 else -1 for head in found.heads[first:stop].tolist()
        )
        assert heads.count(-1) == 1
        assert is_tree(heads)
        total += tree_score(scores, first, heads)
    assert found.score == pytest.approx(total, rel=1e-12, abs=1e-9)
