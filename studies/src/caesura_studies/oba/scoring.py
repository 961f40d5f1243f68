"""The scores of systems, and tests of whether they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from caesura.core.arrays import Flags
from caesura.core.protocols import Metric
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Undefined
from caesura.evaluation.comparison import Comparison, Difference
from caesura.evaluation.document import Document, ScoringSettings
from caesura.evaluation.resampling import Resampling, holm
from caesura.evaluation.scores import Scores
from caesura.metrics.boundary import Boundary
from caesura.metrics.cluster import Cluster
from caesura.metrics.dependency import Dependency
from caesura_studies.claims import value_with_interval
from caesura_studies.oba.corpora import Language

METRICS: dict[str, Metric] = {
    "boundary": Boundary(),
    "cluster": Cluster(),
    "dependency": Dependency(),
}
"""The metrics; of each, F1 is used."""

Measured = Mapping[str, Scores]
"""The scores of a system by metric."""

Pair = tuple[str, str, str]
"""A metric and two systems."""


def score(
    language: Language, found: Sequence[Transcript], resampling: Resampling, names: Sequence[str]
) -> dict[str, Scores]:
    """Score the output of a system on all evaluation recordings."""
    return {name: _score_metric(language, found, METRICS[name], resampling) for name in names}


def _score_metric(
    language: Language, found: Sequence[Transcript], metric: Metric, resampling: Resampling
) -> Scores:
    documents, rest = [], iter(found)
    for unit in language.units:
        pairs = [(next(rest), reference) for reference in unit]
        counts = sum((metric.count(ours, [theirs]) for ours, theirs in pairs), Counts())
        ours, theirs = pairs[0]
        documents.append(Document(theirs.id, ours, (theirs,), (counts,)))
    return Scores((metric,), tuple(documents), 1, ScoringSettings((), False, resampling))


def compare_pairs(systems: Mapping[str, Measured], pairs: Sequence[Pair]) -> dict[Pair, Difference]:
    """Test pairs of systems, with Holm's correction for all pairs of a metric."""
    rows = [
        Comparison((one, other), (systems[one][name], systems[other][name]), ("f1",)).rows[0]
        for name, one, other in pairs
    ]
    for metric in {name for name, _, _ in pairs}:
        known = [
            at
            for at, row in enumerate(rows)
            if pairs[at][0] == metric and row.p_randomization is not None
        ]
        corrected = holm([rows[at].p_randomization or 0.0 for at in known])
        for at, chance in zip(known, corrected, strict=True):
            rows[at] = replace(rows[at], p_corrected=chance)
    return dict(zip(pairs, rows, strict=True))


def f1(found: Sequence[Flags], real: Sequence[Flags]) -> float:
    """Return the F1 of boundaries over recordings; 0 if there are none at all."""
    right = sum(int((ours & theirs).sum()) for ours, theirs in zip(found, real, strict=True))
    both = sum(int(ours.sum() + theirs.sum()) for ours, theirs in zip(found, real, strict=True))
    return 2 * right / both if both else 0.0


def f1_above(odds: Sequence[np.ndarray[Any, Any]], real: Sequence[Flags], least: float) -> float:
    """Return the F1 of the boundaries whose log-odds are above a threshold."""
    return f1([each > least for each in odds], real)


def scores_as_json(system: Measured) -> dict[str, Any]:
    """Return the scores of a system for `results.json`."""
    found = {}
    for name, scores in system.items():
        value, around = value_with_interval(scores, "f1")
        interval = None if isinstance(around, Undefined) else around
        found[name] = {"f1": value, "interval": interval}
    return found
