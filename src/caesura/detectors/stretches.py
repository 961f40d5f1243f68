"""Sequential dependency analysis of words that arrive: labels stretch by stretch, links behind.

A stretch of words is labelled when a pause ends it, or when it has become long. Its last cluster
is carried over to the next stretch, where it is labelled again with what follows; all labels
before it are decided and never change. Clusters enter the search for links when as many have
followed as they can see.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import accumulate
from math import isnan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from caesura.contracts import Stream
from caesura.detectors.chunking import LABELS
from caesura.detectors.crf import begins
from caesura.detectors.language import without_punctuation
from caesura.detectors.linking import units_of
from caesura.detectors.surroundings import hashes_of
from caesura.detectors.window import delayed
from caesura.documents import from_document, to_document
from caesura.numeric import few
from caesura.numeric.charts import Growing, Structure
from caesura.numeric.features import REACH
from caesura.numeric.sights import MARGIN, Looks
from caesura.text.normalize import standing
from caesura.transcript import Floats, Indices, Segmentation, Transcript

if TYPE_CHECKING:
    from caesura.detectors.sda import SDA

CONTEXT = REACH + 4
"""Words before a stretch that bear on its labels and tags."""

LAG = 4
"""Words that follow a cluster before it is decided where no pause is."""

LONGEST = 4
"""A cluster is cut where it is longer than so many stretches."""

BEFORE_ALL = -1
"""Stands for the label before the first word."""


class Decided(NamedTuple):
    """Clusters whose labels are decided, and the number of words of each."""

    looks: Looks
    labels: Floats
    sizes: Indices


class Labelling:
    """Words that wait for their labels, and those before them that bear on these."""

    def __init__(self, sda: SDA, saved: Mapping[str, Any] | None) -> None:
        kept = saved or {"near": {"words": []}, "context": 0, "before": BEFORE_ALL}
        self.crf, self.longest = sda.crf, LONGEST * sda.stretch
        self.near = from_document(kept["near"])
        """Words without punctuation, of which the first `context` are decided."""
        self.context = int(kept["context"])
        self.before = int(kept["before"])
        """The label of the last of those."""

    def state(self) -> dict[str, Any]:
        """Give what is kept, as JSON can hold it."""
        near = to_document(self.near)
        return {"near": near, "context": self.context, "before": self.before}

    def decide(self, more: Transcript, spare: int) -> Decided:
        """Label more words and those that wait, and decide what lies before the last cluster.

        That one begins at least `spare` words before the end; with 0 everything is decided.
        """
        self.near = Transcript.join([self.near, more]) if len(self.near) else more
        (near,) = self.crf.tagged([self.near])
        words = hashes_of(near, self.crf.model.subtags)
        states, chain = self.crf.scored(words)[self.context :], self.crf.model.scorer
        likely = few.posterior(states, chain.transitions, self.before)
        first = np.flatnonzero(begins(likely))
        stop = self._stop(first, len(likely), spare)
        first = first[first < stop]
        looks = units_of(near[: self.context + stop], first + self.context, words).looks
        self._move(stop, likely)
        return Decided(looks, likely[first], np.diff(np.append(first, stop)))

    def _stop(self, first: Indices, count: int, spare: int) -> int:
        """Give the number of words, of those that wait, that are decided."""
        if not spare:
            return count
        stop = int(first[first <= count - spare].max(initial=0))
        return count - spare if not stop and count > self.longest else stop

    def _move(self, stop: int, likely: Floats) -> None:
        """Let the first words that waited be context."""
        if stop:
            self.before = int(likely[stop - 1].argmax())
        spare = max(self.context + stop - CONTEXT, 0)
        self.near, self.context = self.near[spare:], self.context + stop - spare


class Units:
    """Clusters that are decided: what is seen of them, their labels, and how many words they are.

    Those that still bear on the links of others are kept, from number `first` on.
    """

    def __init__(self, saved: Mapping[str, Any] | None) -> None:
        kept = saved or {"first": 0, "columns": {}, "gaps": [], "labels": []}
        self.first = int(kept["first"])
        columns = {name: np.array(cells, np.uint64) for name, cells in kept["columns"].items()}
        self.looks = Looks(columns, np.array(kept["gaps"], np.int64))
        self.labels = np.array(kept["labels"], np.float64).reshape(-1, len(LABELS))

    @property
    def count(self) -> int:
        """How many there have been."""
        return self.first + len(self.looks)

    def add(self, looks: Looks, labels: Floats) -> None:
        """Put more behind them."""
        self.looks = self.looks.then(looks)
        self.labels = np.concatenate([self.labels, labels])

    def drop(self, number: int) -> None:
        """Forget those before a number."""
        spare = max(number - self.first, 0)
        self.looks, self.labels = self.looks[spare:], self.labels[spare:]
        self.first += spare

    def state(self) -> dict[str, Any]:
        """Give what is kept, as JSON can hold it."""
        return {
            "first": self.first,
            "columns": {name: cells.tolist() for name, cells in self.looks.columns.items()},
            "gaps": self.looks.gaps.tolist(),
            "labels": self.labels.tolist(),
        }


class StretchStream(Stream):
    """Takes words, and gives the sentences of the best links as soon as they are final.

    What comes out does not depend on how many words are pushed at once: each is looked at when
    it arrives, and where it ends a stretch, that is decided by the words so far alone. Links are
    searched for when the next word arrives, so that no word has to wait for all of the work.
    """

    def __init__(self, sda: SDA, state: Mapping[str, Any] | None) -> None:
        saved = state or {}
        self.sda = sda
        self.labelling = Labelling(sda, saved.get("labelling"))
        self.units = Units(saved.get("units"))
        self.growing = Growing(sda.longest, sda.patience, saved.get("growing"))
        self.open = [from_document(part) for part in saved.get("open", ())]
        """Words of sentences that are not final, punctuation included."""
        self.fresh = [from_document(part) for part in saved.get("fresh", ())]
        """Words behind them that have never been labelled."""
        self.spoken = int(saved.get("spoken", 0))
        """How many of these are no punctuation."""
        self.end: float | None = saved.get("end")
        """When the last of those ended."""
        self.covers: list[int] = list(saved.get("covers", ()))
        """Words, with the punctuation behind it, for each that waits for its label."""
        self.sizes: list[int] = list(saved.get("sizes", ()))
        """Words, with punctuation, of each cluster that waits for its links."""
        self.labelled = bool(saved.get("labelled", False))
        """Whether clusters may enter the search for links, which they do with the next word."""
        self.scored = int(saved.get("scored", 0))
        """Clusters that have entered the search for links."""

    def state(self) -> Mapping[str, Any]:
        """Give all that is kept."""
        return {
            "labelling": self.labelling.state(),
            "units": self.units.state(),
            "growing": self.growing.state(),
            "open": [to_document(part) for part in self.open],
            "fresh": [to_document(part) for part in self.fresh],
            "spoken": self.spoken,
            "end": self.end,
            "covers": list(self.covers),
            "sizes": list(self.sizes),
            "labelled": self.labelled,
            "scored": self.scored,
        }

    def push(self, words: Transcript) -> list[Transcript]:
        """Take words; give the sentences that are final now."""
        found: list[Transcript] = []
        done = 0
        for at, paused in self._spoken(words):
            self.spoken += 1
            if self.labelled:
                found += self._linked(self.sda.ahead + MARGIN, at + 1 - done)
            if (paused and self.spoken > 1) or self.spoken >= self.sda.stretch:
                self.fresh.append(words[done : at + 1])
                done = at + 1
                self._decide(1 if paused else LAG)
        if done < len(words):
            self.fresh.append(words[done:] if done else words)
        return found

    def close(self) -> list[Transcript]:
        """Decide what is left; the last word ends a sentence."""
        self._decide(0)
        found = self._linked(0, 0)
        found += self._given(self.growing.close(), 0)
        # Punctuation without any word is a sentence.
        return found if found or not self.open else self._cut([sum(map(len, self.open))], 0)

    def _spoken(self, words: Transcript) -> Iterator[tuple[int, bool]]:
        """Give the place of each word that is no punctuation, and whether a pause precedes it."""
        count = len(words)
        start = [np.nan] * count if words.start is None else words.start.tolist()
        end = [np.nan] * count if words.end is None else words.end.tolist()
        for at, alone in enumerate(standing(words).tolist()):
            if not alone:
                paused = self.end is not None and round(start[at] - self.end, 3) >= self.sda.pause
                self.end = None if isnan(end[at]) else end[at]
                yield at, paused

    def _decide(self, spare: int) -> None:
        """Label the words that are new, and those that wait."""
        words = Transcript.join(self.fresh)
        self.fresh, self.spoken, self.labelled = [], 0, True
        self.open += [words] if len(words) else []
        alone = standing(words)
        self._cover(alone.tolist())
        decided = self.labelling.decide(without_punctuation(words, ~alone), spare)
        self.units.add(decided.looks, decided.labels)
        first = 0
        for size in decided.sizes.tolist():
            self.sizes.append(sum(self.covers[first : first + size]))
            first += size
        del self.covers[:first]

    def _cover(self, alone: list[bool]) -> None:
        """Count punctuation with the word before it, or with the first word of all."""
        lead = 0
        for mark in alone:
            if not mark:
                self.covers.append(1 + lead)
                lead = 0
            elif self.covers:
                self.covers[-1] += 1
            else:
                lead += 1

    def _linked(self, behind: int, more: int) -> list[Transcript]:
        """Let the clusters that have so many behind them enter the search for links.

        Of the words that are being pushed `more` have arrived.
        """
        self.labelled = False
        units, stop = self.units, self.units.count - behind
        if stop <= self.scored:
            return []
        part = slice(self.scored - units.first, stop - units.first)
        chances = self.sda.model.chances(units.looks, self.sda.sight, part)
        scores = self.sda.scores(chances, units.labels[part], opens=not self.scored)
        self.scored = stop
        units.drop(stop - self.sda.reach - MARGIN)
        return self._given(self.growing.push(scores), more)

    def _given(self, final: Structure, more: int) -> list[Transcript]:
        """Give the sentences of clusters that are final."""
        if not len(final.ends):
            return []
        totals = np.cumsum(self.sizes[: len(final.ends)])[final.ends]
        del self.sizes[: len(final.ends)]
        return self._cut(np.diff(totals, prepend=0).tolist(), more)

    def _cut(self, counts: list[int], more: int) -> list[Transcript]:
        """Cut off sentences of so many words, and note how long each was waited for."""
        words = Transcript.join(self.open)
        arrived = len(words) + sum(map(len, self.fresh)) + more
        now = np.nan if self.end is None else self.end
        stops = list(accumulate(counts))
        self.open = [words[stops[-1] :]] if stops[-1] < len(words) else []
        return [
            delayed(_undivided(words[stop - count : stop]), arrived - stop, now)
            for count, stop in zip(counts, stops, strict=True)
        ]


def _undivided(words: Transcript) -> Transcript:
    return words.replace(sentences=Segmentation(np.zeros(len(words), np.bool_)))
