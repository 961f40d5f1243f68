"""How fast are boundaries and links found, does the time grow with the length, what is kept?

On one core (OMP_NUM_THREADS=1), in seconds of the processor's time, on made-up scores with
sentences of about eight units and links of at most 15. The peer is the same search span by span
in plain Python, on 100 units.

Must hold: at least 40,000 units a second for the best structure and for the probabilities of
boundaries with 10,000 units; as fast with 100,000 units as with
10,000, to 25 %; less than 100 MB for 100,000 units. Of units that arrive, with links of at most
10, one takes less than 0.4 ms and ten at once take less than 0.6 ms in 99 of 100 cases, each
case timed as the fastest of some passes; and what is kept of them does not grow.
"""

from __future__ import annotations

import sys
import time
import tracemalloc
from collections.abc import Callable
from functools import cache, partial

import numpy as np

from caesura.ml.parsing.boundary_search import IncrementalSearch, best_parse, boundary_probabilities
from caesura.ml.parsing.chart import ParseScores, parse_sentences

SIZES = (1_000, 10_000, 100_000)
LONGEST = (30, 40)
REACH = 15
PATIENCE = {30: 10, 40: 20}
ARRIVING = {1: 0.4, 10: 0.6}
"""Units that are pushed at once, and the milliseconds that this may take."""
NEAR = 10
PLAIN = 100


def made_up(size: int, reach: int = REACH) -> ParseScores:
    """Make scores as models give them: some gaps are clear boundaries, near heads are likely."""
    chance = np.random.default_rng(7)
    distance = np.abs(np.arange(-reach, reach + 1))
    links = chance.normal(-1, 2, (size, 2 * reach + 1)) - 0.4 * distance
    odds = np.where(chance.random(size - 1) < 1 / 8, 6.0, -4.0) + chance.normal(0, 2, size - 1)
    gaps = -np.logaddexp(0, np.stack([odds, -odds], axis=1))
    return ParseScores(links, chance.normal(-3, 2, size), gaps)


def seconds(work: Callable[[], object], passes: int = 3) -> float:
    """Give the seconds of the fastest of some passes."""
    found = []
    for _ in range(passes):
        begun = time.process_time()
        work()
        found.append(time.process_time() - begun)
    return min(found)


def plain(scores: ParseScores, longest: int) -> float:
    """Find the best score span by span."""
    links, roots, gaps, reach = scores.arcs, scores.roots, scores.gaps, scores.reach
    stay: list[float] = gaps[:, 0].tolist()

    def link(unit: int, head: int) -> float:
        far = head - unit
        return float(links[unit, reach + far]) if abs(far) <= reach else -np.inf

    @cache
    def right(i: int, j: int) -> float:
        ways = (inner(i, k) + link(k, i) + right(k, j) for k in range(i + 1, j + 1))
        return max(ways) if i < j else 0.0

    @cache
    def left(i: int, j: int) -> float:
        ways = (left(i, k) + inner(k, j) + link(k, j) for k in range(i, j))
        return max(ways) if i < j else 0.0

    @cache
    def inner(i: int, j: int) -> float:
        return max(right(i, k) + stay[k + 1] + left(k + 1, j) for k in range(i, j))

    before = [0.0]
    for j in range(len(scores)):
        before.append(
            max(
                before[i] + (gaps[i, 1] if i else 0.0) + left(i, r) + roots[r] + right(r, j)
                for i in range(max(j - longest + 1, 0), j + 1)
                for r in range(i, j + 1)
            )
        )
    return float(before[-1])


def arriving(longest: int, piece: int, passes: int = 30) -> bool:
    """Push units in pieces, and say whether that takes as long and keeps as much as it may."""
    scores, patience = made_up(400 * piece, NEAR), PATIENCE[longest]
    took = np.full((passes, 400), np.inf)
    kept = 0
    for run in took:
        growing = IncrementalSearch(longest, patience)
        for at in range(len(run)):
            units = scores[at * piece : (at + 1) * piece]
            begun = time.perf_counter()
            growing.push(units)
            run[at] = 1000 * (time.perf_counter() - begun)
            kept = max(kept, (at + 1) * piece - growing.given)
    each = took.min(axis=0)
    median, most = np.median(each), np.quantile(each, 0.99)
    told = f"median {median:.2f} ms, p99 {most:.2f} ms, at most {kept} units kept"
    print(f"{piece} at once, patience {patience}: {told}")
    return bool(most < ARRIVING[piece]) and kept <= patience + longest + piece


def memory(work: Callable[[], object]) -> float:
    """Give the most memory that is taken, in MB."""
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def speeds(longest: int, size: int) -> dict[str, float]:
    """Give units a second of each search."""
    scores = made_up(size)
    ends = best_parse(scores, longest).ends
    work: dict[str, Callable[[], object]] = {
        "best": partial(best_parse, scores, longest),
        "posterior": partial(boundary_probabilities, scores, longest),
        "normal": partial(parse_sentences, scores.arcs, scores.roots, ends),
    }
    found = {name: size / seconds(each) for name, each in work.items()}
    told = ", ".join(f"{name} {rate:,.0f}" for name, rate in found.items())
    print(f"{size:,} units, {1 / ends.mean():.1f} a sentence: {told} units/s")
    return found


def all_holds(longest: int) -> bool:
    """Measure with sentences of at most so many units, and say whether all holds that must."""
    print(f"sentences of at most {longest} units")
    rates = {size: speeds(longest, size) for size in SIZES}
    few = made_up(PLAIN)
    assert np.isclose(plain(few, longest), best_parse(few, longest).score)
    ratio = rates[10_000]["best"] * seconds(partial(plain, few, longest), 1) / PLAIN
    print(f"plain Python is {ratio:.0f} times slower")
    many = made_up(SIZES[-1])
    taken = [memory(partial(find, many, longest)) for find in (best_parse, boundary_probabilities)]
    print(f"memory for {len(many):,} units: best {taken[0]:.0f} MB, posterior {taken[1]:.0f} MB")
    prompt = [arriving(longest, piece) for piece in ARRIVING]
    fast = all(rates[10_000][name] >= 40_000 for name in ("best", "posterior"))
    steady = all(
        rates[100_000][name] >= 0.75 * rates[10_000][name] for name in ("best", "posterior")
    )
    return fast and steady and max(taken) < 100 and all(prompt)


def main() -> int:
    """Measure, and say whether all holds."""
    found = [all_holds(longest) for longest in LONGEST]
    holds = all(found)
    print("holds" if holds else "does not hold")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
