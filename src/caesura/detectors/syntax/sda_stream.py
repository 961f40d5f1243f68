"""Sequential dependency analysis of words that arrive: labels stretch by stretch, links behind.

A stretch of words is labelled when a pause ends it, or when it has become long. Its last cluster
is carried over to the next stretch, where it is labelled again with what follows; all labels
before it are decided and never change. Clusters enter the search for links when as many have
followed as they can see.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from math import isnan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from caesura.core.arrays import Floats, Indices
from caesura.core.protocols import Stream
from caesura.core.segmentation import Segmentation
from caesura.core.serialize import from_document, to_document
from caesura.core.transcript import Transcript
from caesura.detectors.gaps import find_words
from caesura.detectors.syntax.chunking import INSIDE, LABELS
from caesura.detectors.syntax.crf_svm import CRF, begins
from caesura.detectors.syntax.dependency_parser import drawn, units_of
from caesura.detectors.syntax.word_features import hashes_of
from caesura.detectors.window_stream import delay_evidence, with_delay_after
from caesura.ml import crf
from caesura.ml.features import REACH
from caesura.ml.parsing.arcs import MARGIN, Looks
from caesura.ml.parsing.chart import Structure
from caesura.ml.parsing.search import Growing
from caesura.text.normalization.steps import standing

if TYPE_CHECKING:
    from caesura.detectors.syntax.sda import SDA

CONTEXT = REACH + 4
"""Words before a stretch that bear on its labels and tags."""

LONGEST = 4
"""A cluster is cut where it is longer than so many stretches."""

BEFORE_ALL = -1
"""Stands for the label before the first word."""


class Decided(NamedTuple):
    """Clusters whose labels are decided, with how many words each has, and which is its content."""

    looks: Looks
    labels: Floats
    sizes: Indices
    content: Indices


class Labelling:
    """Words that wait for their labels, and those before them that bear on these."""

    def __init__(self, crf: CRF, stretch: int, saved: Mapping[str, Any] | None) -> None:
        kept = saved or {"near": {"words": []}, "tagged": False, "context": 0, "before": BEFORE_ALL}
        self.crf, self.longest = crf, LONGEST * stretch
        self.near = from_document(kept["near"])
        """Words without punctuation, of which the first `context` are decided."""
        self.tagged: Transcript | None = None
        """The same with tags, once they are tagged."""
        self.context = int(kept["context"])
        self.before = int(kept["before"])
        """The label of the last of those."""
        if kept["tagged"]:
            self.tag()

    def state(self) -> dict[str, Any]:
        """Give what is kept, as JSON can hold it."""
        return {
            "near": to_document(self.near),
            "tagged": self.tagged is not None,
            "context": self.context,
            "before": self.before,
        }

    def hear(self, more: Transcript) -> None:
        """Let more words wait."""
        self.near = Transcript.join([self.near, more]) if len(self.near) else more
        self.tagged = None

    def tag(self) -> Transcript:
        """Tag them, if that has not been done."""
        if self.tagged is None:
            (self.tagged,) = self.crf.tagged([self.near])
        return self.tagged

    def decide(self, spare: int) -> Decided:
        """Label all words that wait, and decide what lies before the last cluster.

        That one begins at least `spare` words before the end; with 0 everything is decided.
        """
        near = self.tag()
        words = hashes_of(near, self.crf.model.subtags)
        states, chain = self.crf.scored(words, self.context), self.crf.model.scorer
        likely = crf.posterior(states, chain.transitions, self.before)
        first = np.flatnonzero(begins(likely))
        stop = self._stop(first, len(likely), spare)
        first = first[first < stop]
        edges = np.append(first, stop)
        # What follows is a cluster too, of which nothing is decided.
        begun = edges[edges < len(likely)] + self.context
        looks, content = units_of(near, begun, words)
        count = len(first)
        inside = content[:count] - begun[:count]
        self._move(stop, likely)
        return Decided(looks[:count], likely[first], np.diff(edges), inside)

    def _stop(self, first: Indices, count: int, spare: int) -> int:
        """Give the number of words, of those that wait, that are decided."""
        if not spare:
            return count
        stop = int(first[first <= count - spare].max(initial=0))
        return count - spare if not stop and count > self.longest else stop

    def _move(self, stop: int, likely: Floats) -> None:
        """Let the first words that waited be context."""
        if stop:
            last = likely[stop - 1]
            # Where a cluster begins, P(I) may still be the largest of the three.
            self.before = INSIDE if last[INSIDE] > 1 / 2 else int(last[:INSIDE].argmax())
        spare = max(self.context + stop - CONTEXT, 0)
        self.near, self.context = self.near[spare:], self.context + stop - spare


LAG = 4
"""Words that follow a cluster before it is decided where no pause is."""

SHORTEST = 4
"""Words of the shortest stretch: the work for one is done when the next one ends."""

ENTERING = 5
"""Clusters that enter the search for links with one word."""


class Waiting:
    """Clusters that are decided: what is seen of them, and their labels.

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
    it arrives, and where it ends a stretch, that is decided by the words so far alone. The stretch
    is tagged with the next word and labelled with the one after; then links are searched for, a
    few clusters with each word, and what was found is given: so no word has to wait for all of the
    work, and all is done when the next stretch ends.
    """

    def __init__(self, sda: SDA, state: Mapping[str, Any] | None) -> None:
        saved = state or {}
        self.sda, self.heads = sda, sda.model
        self.labelling = Labelling(sda.crf, sda.stretch, saved.get("labelling"))
        self.units = Waiting(saved.get("units"))
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
        self.shapes: list[list[int]] = [list(shape) for shape in saved.get("shapes", ())]
        """Of each cluster that waits for its links: words with punctuation, without, and which of
        these is its content."""
        self.spare = int(saved.get("spare", 0))
        """If words are to be labelled with the next one, how many of them are left over."""
        self.labelled = bool(saved.get("labelled", False))
        """Whether clusters may enter the search for links, which they do with the next word."""
        self.final = [Drawing(*map(np.array, each)) for each in saved.get("final", ())]
        """Sentences that are final, and are given with the next word."""
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
            "shapes": [list(shape) for shape in self.shapes],
            "spare": self.spare,
            "labelled": self.labelled,
            "final": [[cells.tolist() for cells in each] for each in self.final],
            "scored": self.scored,
        }

    def push(self, words: Transcript) -> list[Transcript]:
        """Take words; give the sentences that are final now."""
        found: list[Transcript] = []
        done = 0
        for at, paused in self._spoken(words):
            self.spoken += 1
            if self.labelling.tagged is None:
                self.labelling.tag()
            elif self.spare:
                self._decide(self.spare)
            elif self.labelled:
                self._link(self.sda.ahead + MARGIN, ENTERING)
            elif self.final:
                found += self._cut(at + 1 - done)
            if (paused and self.spoken > SHORTEST) or self.spoken >= self.sda.stretch:
                self.fresh.append(words if at + 1 - done == len(words) else words[done : at + 1])
                done = at + 1
                self._hear()
                self.spare = 1 if paused else LAG
        if done < len(words):
            self.fresh.append(words[done:] if done else words)
        return found

    def close(self) -> list[Transcript]:
        """Decide what is left; the last word ends a sentence."""
        if self.spare:
            self._decide(self.spare)
        self._hear()
        self._decide(0)
        self._link(0, self.units.count)
        self._draw(self.growing.close())
        if self.final or not self.open:
            return self._cut(0)
        # Punctuation without any word is a sentence.
        words, self.open = Transcript.join(self.open), []
        ends = Segmentation(np.zeros(len(words), np.bool_))
        return with_delay_after([words.replace(sentences=ends)], words)

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

    def _hear(self) -> None:
        """Let the words that are new wait for their labels."""
        words = Transcript.join(self.fresh)
        self.fresh, self.spoken = [], 0
        self.open += [words] if len(words) else []
        kept, spoken = find_words(words)
        self._cover(kept.tolist())
        self.labelling.hear(spoken)

    def _decide(self, spare: int) -> None:
        """Label the words that wait."""
        self.spare, self.labelled = 0, True
        decided = self.labelling.decide(spare)
        self.units.add(decided.looks, decided.labels)
        first = 0
        for size, content in zip(decided.sizes.tolist(), decided.content.tolist(), strict=True):
            self.shapes.append([sum(self.covers[first : first + size]), size, content])
            first += size
        del self.covers[:first]

    def _cover(self, kept: list[bool]) -> None:
        """Count punctuation with the word before it, or with the first word of all."""
        lead = 0
        for spoken in kept:
            if spoken:
                self.covers.append(1 + lead)
                lead = 0
            elif self.covers:
                self.covers[-1] += 1
            else:
                lead += 1

    def _link(self, behind: int, most: int) -> None:
        """Let `most` of the clusters that have so many behind them enter the search for links."""
        units, ready = self.units, self.units.count - behind
        stop = min(ready, self.scored + most)
        self.labelled = stop < ready
        if stop <= self.scored:
            return
        part = slice(self.scored - units.first, stop - units.first)
        chances = self.heads.chances(units.looks, self.sda.sight, part)
        scores = self.sda.scores(chances, units.labels[part], opens=not self.scored)
        self.scored = stop
        units.drop(stop - self.sda.reach - MARGIN)
        self._draw(self.growing.push(scores))

    def _draw(self, final: Structure) -> None:
        """Keep the clusters and links of sentences that are final."""
        links = final.heads - (self.growing.given - len(final.heads))
        stops = (np.flatnonzero(final.ends) + 1).tolist()
        for first, stop in pairwise((0, *stops)):
            shapes = np.array(self.shapes[first:stop])
            self.final.append(Drawing(shapes, links[first:stop] - first))
        del self.shapes[: len(final.ends)]

    def _cut(self, more: int) -> list[Transcript]:
        """Cut off the words of sentences that are final, and note how long each was waited for.

        Of the words that are being pushed `more` have arrived.
        """
        drawings, self.final = self.final, []
        words = Transcript.join(self.open)
        arrived = len(words) + sum(map(len, self.fresh)) + more
        now = np.nan if self.end is None else self.end
        found, done = [], 0
        for drawing in drawings:
            sentence = words[done : done + drawing.words]
            done += len(sentence)
            found.append(
                sentence.replace(
                    sentences=Segmentation(np.zeros(len(sentence), np.bool_)),
                    evidence=delay_evidence(sentence, arrived - done, now),
                    **drawing.layers(sentence),
                )
            )
        self.open = [words[done:]] if done < len(words) else []
        return found


class Drawing(NamedTuple):
    """The clusters of a sentence (see `StretchStream.shapes`), and the head of each."""

    shapes: Indices
    links: Indices

    @property
    def words(self) -> int:
        """How many words there are, punctuation included."""
        return int(self.shapes[:, 0].sum())

    def layers(self, sentence: Transcript) -> dict[str, Any]:
        """Give the layers of its words that tell clusters and heads."""
        first = np.cumsum(self.shapes[:, 1]) - self.shapes[:, 1]
        content = first + self.shapes[:, 2]
        cluster, head = drawn(~standing(sentence), first, content, self.links)
        return {"cluster": cluster, "head": head, "relation": None}
