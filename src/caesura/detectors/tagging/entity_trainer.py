"""How an entity model learns: three maximum-entropy models that see the same clues."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from caesura.core.arrays import Floats, Indices, Strings
from caesura.detectors.tagging.entity_features import Clues
from caesura.detectors.tagging.entity_weights import MODELS, Weighed
from caesura.ml import maxent
from caesura.ml.crf import frequent
from caesura.ml.lookup import Table

logger = logging.getLogger("caesura.training")

ROUGH = maxent.Search(steps=12, gain=1e-4, even=0.02)
FINE = maxent.Search(steps=40, gain=1e-5, even=0.02)
"""Searches that tell which clues matter, and that find their weights."""

TOLD = ("starts", "ends", "goes on")


class Lessons(NamedTuple):
    """Words whose names are known, and how to learn from them."""

    clues: Clues
    labels: Sequence[Indices]
    """The number of the label of each word, for each model."""

    classes: Strings
    cutoff: int
    ridge: float
    size: int

    def state(self) -> Weighed:
        """Learn the weights of clues that are seen often enough, and of these the best."""
        seen = self.clues.keys()
        keys = frequent([seen], self.cutoff)
        places = Table(keys).find(seen.ravel()).reshape(seen.shape).T
        logger.info("  %s words, %s clues", f"{len(places):,}", f"{len(keys):,}")
        # Frequent clues side by side stay in the processor's cache.
        order = np.argsort(-np.bincount(places[places >= 0], minlength=len(keys)), kind="stable")
        rank = np.append(np.argsort(order, kind="stable"), -1)
        keys, rows = keys[order], maxent.rows_of(rank[places], len(keys))
        if self.size and len(keys) > self.size:
            kept = self._best(rows)
            keys, rows = keys[kept], rows[:, kept].tocsr()
            logger.info("  %s of them are kept", f"{len(keys):,}")
        back = np.argsort(keys)
        return Weighed.rounded(self.classes, keys[back], self._fitted(rows, FINE)[back])

    def _best(self, rows: Any) -> Indices:
        """Choose the clues whose weights, found roughly, matter most in any of the models."""
        weights = self._fitted(rows, ROUGH).reshape(rows.shape[1], MODELS, -1)
        times = np.asarray(rows.sum(axis=0)).ravel()
        matter = np.sqrt(times) * np.ptp(weights, axis=2).max(axis=1)
        return np.sort(np.argsort(-matter, kind="stable")[: self.size])

    def _fitted(self, rows: Any, search: maxent.Search) -> Floats:
        weights = []
        for told, labels in zip(TOLD, self.labels, strict=True):
            logger.info("  where a name %s", told)
            count = len(self.classes) + 1
            weights.append(maxent.multinomial(rows, labels, count, self.ridge, search=search))
        return np.concatenate(weights, axis=1)
