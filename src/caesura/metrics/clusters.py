"""Clusters found and missed: one is right if it begins and ends where a real one does."""

from __future__ import annotations

import numpy as np

from caesura.contracts import Counts, Value, ratio
from caesura.metrics.gaps import harmonic
from caesura.transcript import Flags


def count(found: Flags, real: Flags) -> Counts:
    """Count clusters, given which words begin one, and those that are the same span."""
    begin = np.flatnonzero(found & real)
    ends = (np.append(np.flatnonzero(each)[1:], len(each)) for each in (found, real))
    places = (np.flatnonzero(each) for each in (found, real))
    ours, theirs = (
        stop[np.searchsorted(place, begin)] for place, stop in zip(places, ends, strict=True)
    )
    return Counts(correct=int((ours == theirs).sum()), found=int(found.sum()), real=int(real.sum()))


def rates(counts: Counts) -> dict[str, Value]:
    """Give precision, recall and F1."""
    precision = ratio(counts["correct"], counts["found"], "no cluster in the hypothesis")
    recall = ratio(counts["correct"], counts["real"], "no cluster in the reference")
    return {"precision": precision, "recall": recall, "f1": harmonic(precision, recall)}
