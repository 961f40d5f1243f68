"""The settings that the study tries; tests use a smaller plan."""

from __future__ import annotations

from dataclasses import dataclass, field

from caesura.evaluation.resampling import Resampling

REACH, LONGEST = 10, 40
"""The longest arc in clusters, and the longest sentence in clusters."""


@dataclass(frozen=True)
class Plan:
    """The values tried for each setting, and the number of resamples."""

    folds: int = 4
    c2: tuple[float, ...] = (1.0, 5.0)
    compared: int = 2
    """Folds on which `c2` is compared, as the CRF takes longest to train."""
    iterations: int = 120
    """Training iterations of the CRF."""
    pauses: tuple[float, ...] = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.7, 1.0)
    alphas: tuple[float, ...] = (0.0, 0.5, 1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0)
    steps: tuple[float, ...] = (1.0, 0.5, 0.25)
    """Step sizes of the search for the best bias."""
    size: int = 40
    """Sentences of a pseudo-document."""
    orders: int = 10
    """Sentence orders of each pseudo-document for evaluation."""
    aheads: tuple[int, ...] = (1, 2, 4, 10)
    patiences: tuple[int, ...] = (2, 6, 15)
    """Clusters after which sentences are final in a stream."""
    stretches: tuple[int, ...] = (4, 8)
    """Buffer sizes in words that are smaller than the default."""
    windows: tuple[int, ...] = (1, 2, 4, 8, 16)
    """Words of look-ahead of a CRF in a stream."""
    resampling: Resampling = field(default_factory=Resampling)


PLAN = Plan()
