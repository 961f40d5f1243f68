"""How fast are boundaries and links found, does the time grow with the length, what is kept?

On one core (OMP_NUM_THREADS=1), in seconds of the processor's time, on made-up scores with
sentences of about eight units and links of at most 15. The peer is the same search span by span
in plain Python, on 100 units.

Must hold: at least 40,000 units a second for the best structure and for the probabilities of
boundaries with 10,000 units; as fast with 100,000 units as with
10,000, to 25 %; less than 100 MB for 100,000 units; units that arrive one by one take less than
2 ms each in 99 of 100 cases, and what is kept of them does not grow.
"""

from __future__ import annotations

import sys
import time
import tracemalloc
from collections.abc import Callable
from functools import cache, partial

import numpy as np

from caesura.numeric.charts import Growing, Scores, best, normal, posterior

SIZES = (1_000, 10_000, 100_000)
LONGEST = (30, 40)
REACH = 15
PATIENCE = 20
PLAIN = 100


def made_up(size: int) -> Scores:
    """Make scores as models give them: some gaps are clear boundaries, near heads are likely."""
    chance = np.random.default_rng(7)
    distance = np.abs(np.arange(-REACH, REACH + 1))
    links = chance.normal(-1, 2, (size, 2 * REACH + 1)) - 0.4 * distance
    odds = np.where(chance.random(size - 1) < 1 / 8, 6.0, -4.0) + chance.normal(0, 2, size - 1)
    gaps = -np.logaddexp(0, np.stack([odds, -odds], axis=1))
    return Scores(links, chance.normal(-3, 2, size), gaps)


def seconds(work: Callable[[], object], passes: int = 3) -> float:
    """Give the seconds of the fastest of some passes."""
    found = []
    for _ in range(passes):
        begun = time.process_time()
        work()
        found.append(time.process_time() - begun)
    return min(found)


def plain(scores: Scores, longest: int) -> float:
    """Find the best score span by span."""
    links, roots, gaps, reach = scores.links, scores.roots, scores.gaps, scores.reach
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


def arriving(scores: Scores, longest: int) -> tuple[float, float, int]:
    """Push units one by one: median and 99th percentile in ms, most units kept."""
    growing = Growing(longest, PATIENCE)
    took, kept = [], 0
    for at in range(len(scores)):
        unit = scores[at : at + 1]
        begun = time.thread_time()
        growing.push(unit)
        took.append(1000 * (time.thread_time() - begun))
        kept = max(kept, at + 1 - growing.given)
    return float(np.median(took)), float(np.quantile(took, 0.99)), kept


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
    ends = best(scores, longest).ends
    work: dict[str, Callable[[], object]] = {
        "best": partial(best, scores, longest),
        "posterior": partial(posterior, scores, longest),
        "normal": partial(normal, scores.links, scores.roots, ends),
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
    assert np.isclose(plain(few, longest), best(few, longest).score)
    ratio = rates[10_000]["best"] * seconds(partial(plain, few, longest), 1) / PLAIN
    print(f"plain Python is {ratio:.0f} times slower")
    many = made_up(SIZES[-1])
    taken = [memory(partial(find, many, longest)) for find in (best, posterior)]
    print(f"memory for {len(many):,} units: best {taken[0]:.0f} MB, posterior {taken[1]:.0f} MB")
    median, most, kept = arriving(made_up(3_000), longest)
    print(f"one by one: median {median:.2f} ms, p99 {most:.2f} ms, at most {kept} units kept")
    fast = all(rates[10_000][name] >= 40_000 for name in ("best", "posterior"))
    steady = all(
        rates[100_000][name] >= 0.75 * rates[10_000][name] for name in ("best", "posterior")
    )
    return fast and steady and max(taken) < 100 and most < 2 and kept <= PATIENCE + longest


def main() -> int:
    """Measure, and say whether all holds."""
    found = [all_holds(longest) for longest in LONGEST]
    holds = all(found)
    print("holds" if holds else "does not hold")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
