"""The stream of `SDA`: labels segment by segment, dependency arcs behind.

A segment of words is labelled when a pause ends it, or when it has become long. Its last cluster
is carried over to the next segment, where it is labelled again with what follows; all labels
before it are final. A cluster enters the search for arcs when all clusters that are candidates
for its head have arrived.
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
from caesura.detectors.syntax.chunking import INSIDE, LABELS, hashes_of
from caesura.detectors.syntax.crf_svm import CRF, cluster_starts
from caesura.detectors.syntax.dependency_parser import cluster_features, word_heads
from caesura.detectors.window_stream import delay_evidence, with_delay_after
from caesura.ml.crf import posterior_after
from caesura.ml.features import REACH
from caesura.ml.parsing.arcs import MARGIN, UnitFeatures
from caesura.ml.parsing.boundary_search import IncrementalSearch
from caesura.ml.parsing.chart import Parse
from caesura.text.punctuation import punctuation_flags

if TYPE_CHECKING:
    from caesura.detectors.syntax.sda import SDA

CONTEXT = REACH + 4
"""Words before a segment that its labels and tags depend on."""

LONGEST = 4
"""A cluster is cut where it is longer than this many segments."""

BEFORE_ALL = -1
"""Stands for the label before the first word."""


class LabelledClusters(NamedTuple):
    """Clusters whose labels are final, with the words of each, and which is its content word."""

    features: UnitFeatures
    labels: Floats
    sizes: Indices
    content: Indices


class Labeller:
    """Labels the words of a stream, segment by segment.

    `words` has the words that wait for their labels and, before them, `context` words whose
    labels are final, the last of which is `before`. Punctuation is left out.
    """

    def __init__(self, crf: CRF, segment: int, state: Mapping[str, Any] | None) -> None:
        saved = state or {
            "words": {"words": []},
            "tagged": False,
            "context": 0,
            "before": BEFORE_ALL,
        }
        self.crf, self.longest = crf, LONGEST * segment
        self.words = from_document(saved["words"])
        self.tagged: Transcript | None = None
        """The words with tags, once they are tagged."""
        self.context = int(saved["context"])
        self.before = int(saved["before"])
        if saved["tagged"]:
            self.tag()

    def state(self) -> dict[str, Any]:
        """Return, as JSON can hold it, what is needed to go on."""
        return {
            "words": to_document(self.words),
            "tagged": self.tagged is not None,
            "context": self.context,
            "before": self.before,
        }

    def add(self, more: Transcript) -> None:
        """Add words that wait for their labels."""
        self.words = Transcript.join([self.words, more]) if len(self.words) else more
        self.tagged = None

    def tag(self) -> Transcript:
        """Tag the words, if that has not been done."""
        if self.tagged is None:
            (self.tagged,) = self.crf.tagged([self.words])
        return self.tagged

    def label(self, spare: int) -> LabelledClusters:
        """Label all words that wait, and return the clusters before the last one.

        The last cluster begins at least `spare` words before the end, and is labelled again
        later. With 0 all clusters are returned.
        """
        words = self.tag()
        hashes = hashes_of(words, self.crf.model.subtags)
        states, chain = self.crf.scored(hashes, self.context), self.crf.model.scorer
        probabilities = posterior_after(states, chain.transitions, self.before)
        first = np.flatnonzero(cluster_starts(probabilities))
        stop = self._stop(first, len(probabilities), spare)
        first = first[first < stop]
        edges = np.append(first, stop)
        # The words that follow are a cluster too, whose label is not final.
        begins = edges[edges < len(probabilities)] + self.context
        features, content = cluster_features(words, begins, hashes)
        count = len(first)
        inside = content[:count] - begins[:count]
        self._move(stop, probabilities)
        return LabelledClusters(features[:count], probabilities[first], np.diff(edges), inside)

    def _stop(self, first: Indices, count: int, spare: int) -> int:
        """Return how many of the words that wait get final labels."""
        if not spare:
            return count
        stop = int(first[first <= count - spare].max(initial=0))
        return count - spare if not stop and count > self.longest else stop

    def _move(self, stop: int, probabilities: Floats) -> None:
        """Turn the first words that waited into context."""
        if stop:
            last = probabilities[stop - 1]
            # Where a cluster begins, P(I) may still be the largest of the three.
            self.before = INSIDE if last[INSIDE] > 1 / 2 else int(last[:INSIDE].argmax())
        spare = max(self.context + stop - CONTEXT, 0)
        self.words, self.context = self.words[spare:], self.context + stop - spare


LAG = 4
"""Words that follow a cluster before it is labelled where there is no pause."""

SHORTEST = 4
"""Words of the shortest segment: the work for one is done when the next one ends."""

ENTERING = 5
"""Clusters that enter the search for arcs with one word."""


class ClusterBuffer:
    """Clusters whose labels are final: their features and labels.

    Only those that the arcs of later clusters depend on are kept, from number `first` on.
    """

    def __init__(self, state: Mapping[str, Any] | None) -> None:
        saved = state or {"first": 0, "columns": {}, "gaps": [], "labels": []}
        self.first = int(saved["first"])
        columns = {name: np.array(cells, np.uint64) for name, cells in saved["columns"].items()}
        self.features = UnitFeatures(columns, np.array(saved["gaps"], np.int64))
        self.labels = np.array(saved["labels"], np.float64).reshape(-1, len(LABELS))

    @property
    def count(self) -> int:
        """The number of all clusters so far."""
        return self.first + len(self.features)

    def add(self, features: UnitFeatures, labels: Floats) -> None:
        """Add clusters at the end."""
        self.features = self.features.extended(features)
        self.labels = np.concatenate([self.labels, labels])

    def drop(self, number: int) -> None:
        """Remove the clusters before a number."""
        spare = max(number - self.first, 0)
        self.features, self.labels = self.features[spare:], self.labels[spare:]
        self.first += spare

    def state(self) -> dict[str, Any]:
        """Return, as JSON can hold it, what is needed to go on."""
        return {
            "first": self.first,
            "columns": {name: cells.tolist() for name, cells in self.features.columns.items()},
            "gaps": self.features.gaps.tolist(),
            "labels": self.labels.tolist(),
        }


class SegmentStream(Stream):
    """Returns the sentences of the best parse as soon as they are final.

    The result does not depend on how many words are pushed at once: each word is looked at when
    it arrives, and where it ends a segment, that is decided by the words so far alone. The
    segment is tagged with the next word and labelled with the word after that. Then arcs are
    searched for, a few clusters with each word, and the sentences found are given out. So no
    single word has to wait for all of the work, and all is done when the next segment ends.
    """

    def __init__(self, sda: SDA, state: Mapping[str, Any] | None) -> None:
        saved = state or {}
        self.sda, self.arc_model = sda, sda.model
        self.labeller = Labeller(sda.crf, sda.stretch, saved.get("labeller"))
        self.clusters = ClusterBuffer(saved.get("clusters"))
        self.search = IncrementalSearch(sda.longest, sda.patience, saved.get("search"))
        self.open = [from_document(part) for part in saved.get("open", ())]
        """Words of sentences that are not final, punctuation included."""
        self.new = [from_document(part) for part in saved.get("new", ())]
        """Words after them, of the segment that has not ended."""
        self.new_words = int(saved.get("new_words", 0))
        """How many of these are no punctuation."""
        self.end: float | None = saved.get("end")
        """When the last of these ended."""
        self.token_counts: list[int] = list(saved.get("token_counts", ()))
        """For each word that waits for its label: 1 + the punctuation after it."""
        self.shapes: list[list[int]] = [list(shape) for shape in saved.get("shapes", ())]
        """For each cluster that waits for its arcs: words with punctuation, words without, and
        which of these is its content word."""
        self.spare = int(saved.get("spare", 0))
        """If words are to be labelled with the next word, how many of them are left over."""
        self.labelled = bool(saved.get("labelled", False))
        """Whether clusters can enter the search for arcs, which they do with the next word."""
        self.final = [FinalSentence(*map(np.array, each)) for each in saved.get("final", ())]
        """Sentences that are final, and are given out with the next word."""
        self.scored = int(saved.get("scored", 0))
        """Clusters that have entered the search for arcs."""

    def state(self) -> Mapping[str, Any]:
        """Return, as JSON can hold it, what is needed to go on."""
        return {
            "labeller": self.labeller.state(),
            "clusters": self.clusters.state(),
            "search": self.search.state(),
            "open": [to_document(part) for part in self.open],
            "new": [to_document(part) for part in self.new],
            "new_words": self.new_words,
            "end": self.end,
            "token_counts": list(self.token_counts),
            "shapes": [list(shape) for shape in self.shapes],
            "spare": self.spare,
            "labelled": self.labelled,
            "final": [[cells.tolist() for cells in each] for each in self.final],
            "scored": self.scored,
        }

    def push(self, words: Transcript) -> list[Transcript]:
        """Add words and return the sentences that are final now."""
        found: list[Transcript] = []
        done = 0
        for at, paused in self._find_pauses(words):
            self.new_words += 1
            if self.labeller.tagged is None:
                self.labeller.tag()
            elif self.spare:
                self._label(self.spare)
            elif self.labelled:
                self._search(self.sda.ahead + MARGIN, ENTERING)
            elif self.final:
                found += self._give_out(at + 1 - done)
            if (paused and self.new_words > SHORTEST) or self.new_words >= self.sda.stretch:
                self.new.append(words if at + 1 - done == len(words) else words[done : at + 1])
                done = at + 1
                self._end_segment()
                self.spare = 1 if paused else LAG
        if done < len(words):
            self.new.append(words[done:] if done else words)
        return found

    def close(self) -> list[Transcript]:
        """Decide what is left; the last word ends a sentence."""
        if self.spare:
            self._label(self.spare)
        self._end_segment()
        self._label(0)
        self._search(0, self.clusters.count)
        self._add_final(self.search.close())
        if self.final or not self.open:
            return self._give_out(0)
        # Punctuation without any word is a sentence.
        words, self.open = Transcript.join(self.open), []
        ends = Segmentation(np.zeros(len(words), np.bool_))
        return with_delay_after([words.replace(sentences=ends)], words)

    def _find_pauses(self, words: Transcript) -> Iterator[tuple[int, bool]]:
        """Yield the index of each word that is no punctuation, and whether a pause precedes it."""
        count = len(words)
        start = [np.nan] * count if words.start is None else words.start.tolist()
        end = [np.nan] * count if words.end is None else words.end.tolist()
        for at, is_punctuation in enumerate(punctuation_flags(words).tolist()):
            if not is_punctuation:
                paused = self.end is not None and round(start[at] - self.end, 3) >= self.sda.pause
                self.end = None if isnan(end[at]) else end[at]
                yield at, paused

    def _end_segment(self) -> None:
        """Move the words of the segment to those that wait for their labels."""
        segment = Transcript.join(self.new)
        self.new, self.new_words = [], 0
        self.open += [segment] if len(segment) else []
        is_word, words = find_words(segment)
        self._count_tokens(is_word.tolist())
        self.labeller.add(words)

    def _count_tokens(self, is_word: list[bool]) -> None:
        """Count punctuation with the word before it; with the first word if there is none."""
        lead = 0
        for flag in is_word:
            if flag:
                self.token_counts.append(1 + lead)
                lead = 0
            elif self.token_counts:
                self.token_counts[-1] += 1
            else:
                lead += 1

    def _label(self, spare: int) -> None:
        """Label the words that wait."""
        self.spare, self.labelled = 0, True
        found = self.labeller.label(spare)
        self.clusters.add(found.features, found.labels)
        first = 0
        for size, content in zip(found.sizes.tolist(), found.content.tolist(), strict=True):
            self.shapes.append([sum(self.token_counts[first : first + size]), size, content])
            first += size
        del self.token_counts[:first]

    def _search(self, after: int, most: int) -> None:
        """Let at most `most` clusters enter the search that have `after` clusters after them."""
        clusters, ready = self.clusters, self.clusters.count - after
        stop = min(ready, self.scored + most)
        self.labelled = stop < ready
        if stop <= self.scored:
            return
        part = slice(self.scored - clusters.first, stop - clusters.first)
        logs = self.arc_model.log_probabilities(clusters.features, self.sda.candidate_window, part)
        scores = self.sda.scores(logs, clusters.labels[part], opens=not self.scored)
        self.scored = stop
        clusters.drop(stop - self.sda.reach - MARGIN)
        self._add_final(self.search.push(scores))

    def _add_final(self, parse: Parse) -> None:
        """Keep the clusters and heads of sentences that are final."""
        heads = parse.heads - (self.search.given - len(parse.heads))
        stops = (np.flatnonzero(parse.ends) + 1).tolist()
        for first, stop in pairwise((0, *stops)):
            shapes = np.array(self.shapes[first:stop])
            self.final.append(FinalSentence(shapes, heads[first:stop] - first))
        del self.shapes[: len(parse.ends)]

    def _give_out(self, more: int) -> list[Transcript]:
        """Return the sentences that are final, with their delay.

        Of the words that are being pushed `more` have arrived.
        """
        sentences, self.final = self.final, []
        words = Transcript.join(self.open)
        arrived = len(words) + sum(map(len, self.new)) + more
        now = np.nan if self.end is None else self.end
        found, done = [], 0
        for final in sentences:
            sentence = words[done : done + final.words]
            done += len(sentence)
            found.append(
                sentence.replace(
                    sentences=Segmentation(np.zeros(len(sentence), np.bool_)),
                    evidence=delay_evidence(sentence, arrived - done, now),
                    **final.layers(sentence),
                )
            )
        self.open = [words[done:]] if done < len(words) else []
        return found


class FinalSentence(NamedTuple):
    """The clusters of a sentence (see `SegmentStream.shapes`), and the head of each."""

    shapes: Indices
    heads: Indices

    @property
    def words(self) -> int:
        """The number of words, punctuation included."""
        return int(self.shapes[:, 0].sum())

    def layers(self, sentence: Transcript) -> dict[str, Any]:
        """Return the layers `cluster`, `head` and `relation` of the words."""
        first = np.cumsum(self.shapes[:, 1]) - self.shapes[:, 1]
        content = first + self.shapes[:, 2]
        cluster, head = word_heads(~punctuation_flags(sentence), first, content, self.heads)
        return {"cluster": cluster, "head": head, "relation": None}
