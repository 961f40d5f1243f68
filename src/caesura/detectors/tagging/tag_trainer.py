"""How a tagger learns: maximum entropy by words, then by tags that were guessed unseen."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from caesura.core.arrays import Floats, Indices, Strings
from caesura.detectors.tagging.tag_features import FIRST, SECOND, Words
from caesura.detectors.tagging.tag_weights import Rounds, joined
from caesura.ml import maxent

logger = logging.getLogger("caesura.training")

FOLDS = 2
"""Parts of the words, each tagged by what the others teach, so that tags are as wrong as later."""

ROUGH = maxent.Search(steps=25, gain=1e-4)
FINE = maxent.Search(steps=60, gain=1e-4)
"""Searches that tell which clues matter, and that find their weights."""

WIDE = 4
"""So many times the clues to be kept are looked at together before most are left out."""

SHARE = 4
"""The first round has so many times the clues of the second."""

FIRMER = 10.0
"""How much more the weights of the second round are held back: tags are guesses."""


@dataclass(frozen=True)
class Lessons:
    """Words whose tags are known, and how to learn from them."""

    words: Words
    labels: Indices
    """The number of the tag of each word, -1 where it is not known."""

    tags: Strings
    size: int
    cutoff: int
    ridge: float
    base: Floats | None = None
    """What is known of the tags of each word before."""

    def state(self) -> Rounds:
        """Learn both rounds; the second adds to what the first says."""
        keys, rows = self._kept(self.words.keys(FIRST), self.size)
        logger.info("  by words: %s clues", f"{len(keys):,}")
        weights = self._fitted(rows)
        guessed = self._unseen(rows)
        second = replace(self, base=guessed, ridge=self.ridge * FIRMER)
        around = self.words.keys(SECOND, guessed.argmax(axis=1) + 1)
        more, wider = second._kept(around, self.size // SHARE)
        logger.info("  by tags: %s clues", f"{len(more):,}")
        return joined(self.tags, [(keys, weights), (more, second._fitted(wider))])

    def _kept(self, seen: Indices, size: int) -> tuple[Indices, Any]:
        """Choose the clues that matter most, and give them with rows that name them."""
        keys, columns, times = np.unique(seen, return_inverse=True, return_counts=True)
        kept = np.flatnonzero((times >= self.cutoff) & (keys >= 0))
        rows = maxent.rows_of(_renumbered(columns.reshape(seen.shape), kept, len(keys)), len(kept))
        for most, weigh in ((WIDE * size, self._told), (size, self._mattering)):
            if len(kept) > most:
                best = np.sort(np.argsort(-weigh(rows), kind="stable")[:most])
                kept, rows = kept[best], rows[:, best].tocsr()
        return keys[kept], rows

    def _told(self, rows: Any) -> Floats:
        """Say how many nats each clue, taken alone, tells of the tags of all words it is at."""
        known = np.flatnonzero(self.labels >= 0)
        labels = self.labels[known]
        counts = rows[known].T @ np.eye(len(self.tags))[labels]
        usual = np.bincount(labels, minlength=len(self.tags)) / len(labels)
        share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        told: Floats = (counts * np.log(np.where(counts > 0, share, usual) / usual)).sum(axis=1)
        return told

    def _mattering(self, rows: Any) -> Floats:
        """Say how much the weights of clues, found roughly, matter in all."""
        weights = self._fitted(rows, search=ROUGH)
        times = np.asarray(rows.sum(axis=0)).ravel()
        weighed: Floats = np.sqrt(times) * np.abs(weights).max(axis=1)
        return weighed

    def _fitted(
        self,
        rows: Any,
        here: Any = True,
        search: maxent.Search = FINE,
    ) -> Floats:
        known = np.flatnonzero((self.labels >= 0) & here)
        return maxent.multinomial(
            rows[known],
            self.labels[known],
            len(self.tags),
            self.ridge,
            None if self.base is None else self.base[known],
            search,
        )

    def _unseen(self, rows: Any) -> Floats:
        """Score each word by what the words of the other parts teach."""
        count = rows.shape[0]
        fold = np.arange(count) * FOLDS // max(count, 1)
        scores = np.zeros((count, len(self.tags)))
        for part in range(FOLDS):
            away = self._fitted(rows, fold != part)
            scores[fold == part] = rows[fold == part] @ away
        return scores


def _renumbered(columns: Indices, kept: Indices, count: int) -> Indices:
    """Number columns anew, -1 for those that are not kept."""
    numbers = np.full(count, -1, np.int64)
    numbers[kept] = np.arange(len(kept))
    return numbers[columns]


def numbered(tags: Sequence[Strings]) -> tuple[Strings, Indices]:
    """Name the tags there are in order, and number those of all words; -1 is an unknown one."""
    names = tuple(sorted({tag for each in tags for tag in each} - {""}))
    numbers = {"": -1, **{name: number for number, name in enumerate(names)}}
    return names, np.array([numbers[tag] for each in tags for tag in each], np.int64)
