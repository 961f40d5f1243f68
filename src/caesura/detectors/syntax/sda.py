"""Sentence ends by sequential dependency analysis: boundaries and links are found together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Flags, Floats, Indices
from caesura.core.config import between, one_of, prefixed_state, split_state, whole
from caesura.core.errors import LayerError
from caesura.core.protocols import Stream, TrainableDetector
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript, batches
from caesura.detectors.gaps import NO_GAP, gaps_after_words
from caesura.detectors.syntax.chunking import CLUSTER, SENTENCE
from caesura.detectors.syntax.crf_svm import CRF, begins
from caesura.detectors.syntax.dependency_parser import drawn, ends_of, lesson_of, units_of
from caesura.detectors.syntax.sda_stream import SHORTEST, StretchStream
from caesura.detectors.syntax.word_features import hashes_of
from caesura.detectors.window_stream import WindowStream
from caesura.ml import viterbi
from caesura.ml.parsing import arcs, chart, search
from caesura.ml.parsing.arcs import Heads, Sight
from caesura.ml.parsing.chart import Scores

DECISIONS = ("best", "posterior")

BATCH = 1 << 16
"""Words that are analysed at a time."""

AHEAD, BEHIND = 25, 75
"""Words around a gap that a stream looks at where it does not search for the best sentences."""

CHUNKER = CRF()


@dataclass(frozen=True, eq=False)
class Analysis:
    """What is known of a recording: the words that are no punctuation, their clusters, and links.

    `first` and `content` number the first and the content word of each cluster among the words
    that are kept.
    """

    kept: Flags
    first: Indices
    content: Indices
    scores: Scores

    def decided(self, sda: SDA) -> Segmentation:
        """Decide where sentences end, which is between clusters."""
        log_odds, boundary = np.full(len(self.kept), NO_GAP), np.zeros(len(self.kept), np.bool_)
        gaps = gaps_after_words(self.kept)
        between = gaps[self.first[1:] - 1]
        likely = search.posterior(self.scores, sda.longest)
        log_odds[between] = np.clip(
            viterbi.logs(likely) - viterbi.logs(1 - likely), NO_GAP, -NO_GAP
        )
        log_odds[gaps[-1:]] = 0.0
        if sda.decision == "best":
            boundary[between] = search.best(self.scores, sda.longest).ends[:-1]
        else:
            boundary[between] = log_odds[between] > 0
        return Segmentation(boundary, None, log_odds)

    def links(self, sentences: Segmentation) -> Indices:
        """Give the head of each cluster in the best links inside sentences, -1 for roots."""
        ends = ends_of(sentences.boundary[gaps_after_words(self.kept)], self.first)
        return chart.normal(self.scores.links, self.scores.roots, ends).heads


@dataclass(frozen=True, repr=False)
class SDA(TrainableDetector[Heads]):
    """Labels by a CRF and links between clusters, weighed together.

    What speaks for sentences and the links inside them is the sum of the logarithms of the
    probability of each link and, `alpha` times, of the label at each gap between clusters
    (equation 5), and `bias` for each boundary. Links reach over `reach` clusters, of which a
    cluster sees `ahead` after it; a head farther on has not been seen yet. Of all sentences of at
    most `longest` clusters and the links inside them, `decision` takes the 'best', or 'posterior',
    a boundary where the sum over all gives one a probability above 1/2.

    Links are learnt with weights held back by `ridge` and kept under hashes of so many `bits`. In
    a stream words are labelled at each `pause` of so many seconds, at the latest after `stretch`
    words, and a sentence is final at the latest when `patience` clusters follow it. Of the
    settings of the `crf`, `bias` and `decision` play no part here.
    """

    crf: CRF = CHUNKER
    alpha: float = 1.2
    bias: float = 0.0
    reach: int = 10
    ahead: int = 4
    longest: int = 40
    decision: str = "best"
    ridge: float = 2.0
    bits: int = 18
    pause: float = 0.2
    stretch: int = 15
    patience: int = 4

    name = "SDA"
    needs: ClassVar = {"scipy": "scipy"}
    retrain_settings = frozenset({"reach", "ahead", "ridge", "bits"})

    def __post_init__(self) -> None:
        if not isinstance(self.crf, CRF):
            raise ValueError(f"crf is a CRF, not {self.crf!r}")
        between("alpha", self.alpha, 0, 1000)
        between("bias", self.bias, -1e9, 1e9)
        whole("longest", self.longest, 1, chart.MOST)
        whole("reach", self.reach, 1, self.longest)
        whole("ahead", self.ahead, 0, self.reach)
        one_of("decision", self.decision, DECISIONS)
        between("ridge", self.ridge, 1e-9, 1e9)
        whole("bits", self.bits, arcs.FEWEST, arcs.MOST)
        between("pause", self.pause, 0, 1e9)
        whole("stretch", self.stretch, SHORTEST, 1 << 31)
        whole("patience", self.patience, 1, 1 << 31)

    @property
    def sight(self) -> Sight:
        """How many clusters each cluster sees."""
        return Sight(self.reach, self.ahead)

    def train(
        self,
        train: Sequence[Transcript],
        dev: Sequence[Transcript] = (),  # noqa: ARG002 - settings are tuned from outside
        text: Sequence[Transcript] = (),
    ) -> SDA:
        """Train the CRF, and learn links from all recordings and text that have trees."""
        crf, train, text = self.crf.prepared(train, text)
        return replace(self, crf=crf).trained(train, text)

    def trained(self, train: Sequence[Transcript], text: Sequence[Transcript]) -> SDA:
        """Learn from recordings as they are tagged."""
        trees = [each for each in (*train, *text) if each.head is not None and each.sentences]
        if not trees:
            raise LayerError(
                f"none of {len(train) + len(text)} recordings has trees",
                remedy="train on text with heads and relations, such as a treebank in conllu",
            )
        return replace(self, crf=self.crf.trained(train, text)).linked(trees)

    def linked(self, trees: Sequence[Transcript]) -> SDA:
        """Learn links from recordings with trees; the CRF has learnt before."""
        crf = self.crf
        lessons = [lesson_of(crf.spoken(each), crf.model.subtags) for each in trees]
        return self.with_model(arcs.learn(lessons, self.sight, self.bits, self.ridge))

    def state(self) -> Mapping[str, NDArray[Any]]:
        """Give weights of links, and what the CRF has learnt."""
        return {**self.model.arrays(), **prefixed_state({"crf": self.crf})}

    def from_state(self, state: Mapping[str, NDArray[Any]]) -> SDA:
        """Give the same detector with what was learnt before."""
        own, crf = split_state(state, "crf")
        known = Heads.of(own)
        if known.bits != self.bits:
            raise arcs.damaged(f"it has weights under {known.bits} bits, not {self.bits}")
        return replace(self, crf=self.crf.from_state(crf)).with_model(known)

    def log_odds(self, transcript: Transcript) -> Floats:
        """Weigh a boundary at each gap between clusters against none, over all structures.

        The best of them may have a boundary against these odds, or none in favour of them.
        """
        found = self.detect(transcript).log_odds
        return np.zeros(0) if found is None else found

    def detect(self, transcript: Transcript) -> Segmentation:
        """Decide for one recording."""
        return self.detect_all([transcript])[0]

    def detect_all(self, transcripts: Sequence[Transcript]) -> list[Segmentation]:
        """Decide for many recordings, as many at a time as fit into memory."""
        return [each.decided(self) for each in self.analyses(transcripts)]

    def annotate(self, transcript: Transcript) -> Transcript:
        """Give the transcript with sentences, and with the clusters and heads that they rest on."""
        (analysis,) = self.analyses([transcript])
        sentences = analysis.decided(self)
        links = analysis.links(sentences)
        cluster, head = drawn(analysis.kept, analysis.first, analysis.content, links)
        return transcript.replace(sentences=sentences, cluster=cluster, head=head, relation=None)

    def analyses(self, transcripts: Sequence[Transcript]) -> Iterator[Analysis]:
        """Label the words of recordings, and weigh the links between their clusters."""
        chances = self.model.chances
        for batch in batches(transcripts, BATCH):
            heard = self.crf.find_words_all(batch)
            words = [hashes_of(spoken, self.crf.model.subtags) for _, spoken in heard]
            for (kept, spoken), own, labels in zip(
                heard, words, self.crf.probabilities(words), strict=True
            ):
                first = np.flatnonzero(begins(labels))
                units = units_of(spoken, first, own)
                scores = self.scores(chances(units.looks, self.sight), labels[first], opens=True)
                yield Analysis(kept, first, units.content, scores)

    def scores(self, chances: Floats, labels: Floats, *, opens: bool) -> Scores:
        """Weigh links, roots and gaps, given probabilities of heads and of labels of clusters.

        The gap in front of the first one counts unless it `opens` the recording.
        """
        links, roots = arcs.links_of(chances, self.sight)
        gaps = self.alpha * viterbi.logs(labels[:, [CLUSTER, SENTENCE]])
        gaps[:, 1] += self.bias
        return Scores(links, roots, gaps[1:] if opens else gaps)

    def coverage(self, transcript: Transcript) -> float:
        """Give the share of the words that are known."""
        return self.crf.coverage(transcript)

    def lacks(self, transcript: Transcript) -> str:
        """Say so if not a word is known."""
        return self.crf.lacks(transcript)

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        """Label words stretch by stretch, and give the best sentences as soon as they are final.

        A sum over all sentences is taken over the words around each gap.
        """
        if self.decision == "posterior":
            return WindowStream(self, ahead=AHEAD, behind=BEHIND, state=state)
        return StretchStream(self, state)
