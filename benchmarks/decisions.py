"""How fast are the best sentences within limits found, against trying each beginning in turn?

On one core and in seconds of the processor's time, on made-up log-odds. The peer is the plain
dynamic programme that tries, for each word, every sentence that may end there, in numpy.

Must hold: the time grows with the number of words and not faster, with limits and with priors; and
limits alone cost the same whether a sentence has at most 20 words or 2,000.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from caesura.core.arrays import Flags, Floats
from caesura.ml.length_prior import SECOND, learn_prior
from caesura.ml.semi_markov import Limit, Rules, decode

SIZES = (10_000, 100_000, 1_000_000)
GROWTH, LEVEL = 1.6, 1.6
"""The most that a word may cost more in a long recording, and with a far limit."""


def plain(log_odds: Floats, longest: int) -> Flags:
    """Find the best sentences of at most so many words by trying each beginning."""
    count = len(log_odds)
    best, back = np.zeros(count + 1), np.zeros(count + 1, np.int64)
    for stop in range(1, count + 1):
        first = max(stop - longest, 0)
        back[stop] = first + int(best[first:stop].argmax())
        best[stop] = best[back[stop]] + log_odds[stop - 1]
    boundary = np.zeros(count, np.bool_)
    at = count
    while at:
        boundary[at - 1] = True
        at = int(back[at])
    return boundary


def made_up(count: int) -> tuple[Floats, Floats, Floats]:
    """Give log-odds and times of words."""
    random = np.random.default_rng(7)
    start = np.cumsum(random.uniform(0.2, 0.6, count))
    return random.normal(-3, 2, count), start, start + 0.2


def seconds(run: Callable[..., object], *given: object) -> float:
    """Return the processor's time of a run."""
    begun = time.process_time()
    run(*given)
    return time.process_time() - begun


def main() -> int:
    """Print microseconds a word for each size and kind of rules; 1 if something does not hold."""
    words = np.maximum(np.random.default_rng(7).lognormal(2.5, 0.6, 20_000).astype(np.int64), 1)
    by_words, by_time = learn_prior(words, "words"), learn_prior(words * 400_000, "seconds")
    kinds = {
        "at most 20 words": Rules(longest=Limit(20, "words")),
        "at most 2,000 words": Rules(longest=Limit(2_000, "words")),
        "3 words to 12 s": Rules(Limit(3, "words"), Limit(12 * SECOND, "seconds")),
        "prior of words": Rules(priors=(by_words,)),
        "both priors, 12 s": Rules(None, Limit(12 * SECOND, "seconds"), (by_words, by_time)),
    }
    cost: dict[tuple[str, int], float] = {}
    print(f"{'microseconds a word':24}" + "".join(f"{size:>12,}" for size in SIZES))
    for kind, rules in kinds.items():
        for size in SIZES:
            log_odds, start, end = made_up(size)
            cost[kind, size] = seconds(decode, log_odds, rules, start, end) / size * 1e6
        print(f"{kind:24}" + "".join(f"{cost[kind, size]:12.2f}" for size in SIZES))
    log_odds = made_up(SIZES[1])[0]
    assert np.array_equal(plain(log_odds, 2_000), decode(log_odds, kinds["at most 2,000 words"]))
    for longest in (20, 2_000):
        ours = cost[f"at most {longest:,} words", SIZES[1]]
        peer = seconds(plain, log_odds, longest) / SIZES[1] * 1e6
        print(f"plain programme, {longest:,} words: {peer:.2f}, {peer / ours:.2f} times ours")
    growth = max(cost[kind, SIZES[-1]] / cost[kind, SIZES[0]] for kind in kinds)
    level = cost["at most 2,000 words", SIZES[-1]] / cost["at most 20 words", SIZES[-1]]
    print(f"growth of the cost of a word: {growth:.2f}; far limit against near: {level:.2f}")
    return int(growth > GROWTH or level > LEVEL)


if __name__ == "__main__":
    sys.exit(main())
