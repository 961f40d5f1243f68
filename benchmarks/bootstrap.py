"""How long do intervals and paired tests take over 500 documents?

Two systems, three references, 500 documents of 300 words: 1,000 resamples of WiSeBE and of
boundary F1, with intervals of the difference, bootstrap and randomization p-values. The peer
is the plain way to do it: `scipy.stats.bootstrap`-like drawing of documents whose counts are
added one by one.
"""

from __future__ import annotations

import time

import numpy as np

from caesura.core.protocols import Metric
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.core.values import Counts
from caesura.evaluation.comparison import Comparison
from caesura.evaluation.document import ScoringSettings
from caesura.evaluation.resampling import Resampling
from caesura.evaluation.scores import Scores, score_recordings
from caesura.metrics.boundary import Boundary
from caesura.metrics.wisebe import WiSeBE

DOCUMENTS, WORDS, RESAMPLES = 500, 300, 1000


def made(seed: int) -> list[Transcript]:
    """Documents with a boundary every 16 words or so."""
    random = np.random.default_rng(seed)
    return [
        Transcript(("w",) * WORDS, id=str(i), sentences=Segmentation(random.random(WORDS) < 1 / 16))
        for i in range(DOCUMENTS)
    ]


def plain(metric: Metric, i: int, systems: list[Scores]) -> float:
    """Draw documents, add their counts, subtract: no arrays."""
    begun = time.perf_counter()
    random = np.random.default_rng(1)
    for _ in range(RESAMPLES):
        drawn = random.integers(DOCUMENTS, size=DOCUMENTS).tolist()
        for scores in systems:
            metric.values(sum((scores.documents[at].counts[i] for at in drawn), Counts()))
    return time.perf_counter() - begun


def main() -> None:
    """Print seconds and ratios."""
    references = [made(seed) for seed in (1, 2, 3)]
    for metric in (WiSeBE(), Boundary()):
        terms = ScoringSettings(("case",), False, Resampling(RESAMPLES))
        systems = [score_recordings(made(seed), references, [metric], terms) for seed in (4, 5)]
        slow = plain(metric, 0, systems)
        begun = time.perf_counter()
        rows = Comparison(("a", "b"), tuple(systems)).rows
        ours = time.perf_counter() - begun
        print(
            f"{metric.name:10} {RESAMPLES} resamples, {DOCUMENTS} documents, 2 systems: "
            f"{ours:.2f} s for interval and both tests ({slow / ours:.0f}x the plain way, "
            f"{slow:.2f} s for the bootstrap alone); p = {rows[0].p_randomization:.3f}"
        )


if __name__ == "__main__":
    main()
