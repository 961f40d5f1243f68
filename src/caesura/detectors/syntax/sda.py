"""The detector `SDA`: sequential dependency analysis (Oba and others).

Boundaries and dependency arcs are found together, in one search over both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Flags, Floats, Indices
from caesura.core.config import (
    check_integer,
    check_number,
    check_one_of,
    prefixed_state,
    split_state,
)
from caesura.core.errors import LayerError
from caesura.core.protocols import BatchDetector, Stream, TrainableDetector
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript, batches
from caesura.detectors.gaps import NO_GAP, gaps_after_words
from caesura.detectors.syntax.chunking import CLUSTER, SENTENCE, hashes_of
from caesura.detectors.syntax.crf_svm import CRF, cluster_starts
from caesura.detectors.syntax.dependency_parser import (
    arc_example,
    cluster_features,
    sentence_ends,
    word_heads,
)
from caesura.detectors.syntax.sda_stream import SHORTEST, SegmentStream
from caesura.detectors.window_stream import WindowStream
from caesura.ml import viterbi
from caesura.ml.parsing import arcs
from caesura.ml.parsing.arcs import ArcModel, CandidateWindow
from caesura.ml.parsing.boundary_search import best_parse, boundary_probabilities
from caesura.ml.parsing.chart import MOST_UNITS, ParseScores, parse_sentences

DECISIONS = ("best", "posterior")

BATCH = 1 << 16
"""Words that are analysed at a time."""

AHEAD, BEHIND = 25, 75
"""Words around a gap that a stream looks at if the decision is 'posterior'."""

CHUNKER = CRF()


@dataclass(frozen=True, eq=False)
class Analysis:
    """The clusters of a recording and the scores of their arcs.

    `is_word` says which tokens are no punctuation. `first` and `content` are the first and the
    content word of each cluster, counted without punctuation.
    """

    is_word: Flags
    first: Indices
    content: Indices
    scores: ParseScores

    def segment(self, sda: SDA) -> Segmentation:
        """Decide where sentences end; boundaries lie between clusters."""
        log_odds, boundary = (
            np.full(len(self.is_word), NO_GAP),
            np.zeros(len(self.is_word), np.bool_),
        )
        gaps = gaps_after_words(self.is_word)
        between = gaps[self.first[1:] - 1]
        probabilities = boundary_probabilities(self.scores, sda.longest)
        log_odds[between] = np.clip(
            viterbi.logs(probabilities) - viterbi.logs(1 - probabilities), NO_GAP, -NO_GAP
        )
        log_odds[gaps[-1:]] = 0.0
        if sda.decision == "best":
            boundary[between] = best_parse(self.scores, sda.longest).ends[:-1]
        else:
            boundary[between] = log_odds[between] > 0
        return Segmentation(boundary, None, log_odds)

    def heads(self, sentences: Segmentation) -> Indices:
        """Return the head of each cluster in the best trees of sentences, -1 for roots."""
        ends = sentence_ends(sentences.boundary[gaps_after_words(self.is_word)], self.first)
        return parse_sentences(self.scores.arcs, self.scores.roots, ends).heads


@dataclass(frozen=True, repr=False)
class SDA(BatchDetector, TrainableDetector[ArcModel]):
    """The labels of a CRF and dependency arcs between clusters, in one search.

    The score of sentences and the arcs inside them is the sum of the log-probability of each arc
    and, `alpha` times, of the label at each gap between clusters (equation 5), and `bias` for
    each boundary. A head is at most `reach` clusters away; of the clusters after it a cluster
    sees `ahead`, and heads beyond them are candidates that have not been seen yet. Sentences
    have at most `longest` clusters. `decision` is 'best', the sentences of the best parse, or
    'posterior', a boundary where the sum over all parses gives it a probability above 1/2.

    The arc model is trained with the penalty `ridge`, and has weights under hashes of `bits`
    bits. In a stream words are labelled in segments, which end at a `pause` of so many seconds,
    at the latest after `stretch` words; a sentence is final at the latest when `patience`
    clusters follow it. The settings `bias` and `decision` of the `crf` are not used here.
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
        check_number("alpha", self.alpha, 0, 1000)
        check_number("bias", self.bias, -1e9, 1e9)
        check_integer("longest", self.longest, 1, MOST_UNITS)
        check_integer("reach", self.reach, 1, self.longest)
        check_integer("ahead", self.ahead, 0, self.reach)
        check_one_of("decision", self.decision, DECISIONS)
        check_number("ridge", self.ridge, 1e-9, 1e9)
        check_integer("bits", self.bits, arcs.FEWEST_BITS, arcs.MOST_BITS)
        check_number("pause", self.pause, 0, 1e9)
        check_integer("stretch", self.stretch, SHORTEST, 1 << 31)
        check_integer("patience", self.patience, 1, 1 << 31)

    @property
    def candidate_window(self) -> CandidateWindow:
        """The clusters around a cluster that are candidates for its head."""
        return CandidateWindow(self.reach, self.ahead)

    def train(
        self,
        train: Sequence[Transcript],
        dev: Sequence[Transcript] = (),  # noqa: ARG002 - settings are tuned from outside
        text: Sequence[Transcript] = (),
    ) -> SDA:
        """Train the CRF, and the arc model on all recordings and text that have trees."""
        crf, train, text = self.crf.with_predicted_tags(train, text)
        return replace(self, crf=crf).train_tagged(train, text)

    def train_tagged(self, train: Sequence[Transcript], text: Sequence[Transcript]) -> SDA:
        """Train on recordings with the tags that they have."""
        trees = [each for each in (*train, *text) if each.head is not None and each.sentences]
        if not trees:
            raise LayerError(
                f"none of {len(train) + len(text)} recordings has trees",
                remedy="train on text with heads and relations, such as a treebank in conllu",
            )
        return replace(self, crf=self.crf.train_tagged(train, text)).train_arc_model(trees)

    def train_arc_model(self, trees: Sequence[Transcript]) -> SDA:
        """Train the arc model on recordings with trees; the CRF is trained before."""
        crf = self.crf
        examples = [arc_example(crf.words(each), crf.model.subtags) for each in trees]
        return self.with_model(
            arcs.train_arcs(examples, self.candidate_window, self.bits, self.ridge)
        )

    def state(self) -> Mapping[str, NDArray[Any]]:
        """Return the weights of arcs, and the state of the CRF."""
        return {**self.model.arrays(), **prefixed_state({"crf": self.crf})}

    def from_state(self, state: Mapping[str, NDArray[Any]]) -> SDA:
        """Return this detector with stored weights and a stored state of the CRF."""
        own, crf = split_state(state, "crf")
        model = ArcModel.of(own)
        if model.bits != self.bits:
            raise arcs.damaged(f"it has weights under {model.bits} bits, not {self.bits}")
        return replace(self, crf=self.crf.from_state(crf)).with_model(model)

    def detect_all(self, transcripts: Sequence[Transcript]) -> list[Segmentation]:
        """Segment many recordings, as many at a time as fit into memory.

        The log-odds are those of a boundary at each gap between clusters, over all parses. The
        best parse may have a boundary where they are below 0, or none where they are above.
        """
        return [each.segment(self) for each in self.analyses(transcripts)]

    def annotate(self, transcript: Transcript) -> Transcript:
        """Return the transcript with sentences, clusters and heads."""
        (analysis,) = self.analyses([transcript])
        sentences = analysis.segment(self)
        heads = analysis.heads(sentences)
        cluster, head = word_heads(analysis.is_word, analysis.first, analysis.content, heads)
        return transcript.replace(sentences=sentences, cluster=cluster, head=head, relation=None)

    def analyses(self, transcripts: Sequence[Transcript]) -> Iterator[Analysis]:
        """Label the words of recordings, and score the arcs between their clusters."""
        for batch in batches(transcripts, BATCH):
            found = self.crf.find_words_all(batch)
            hashes = [hashes_of(words, self.crf.model.subtags) for _, words in found]
            probabilities = self.crf.probabilities(hashes)
            for (is_word, words), own, labels in zip(found, hashes, probabilities, strict=True):
                first = np.flatnonzero(cluster_starts(labels))
                clusters = cluster_features(words, first, own)
                logs = self.model.log_probabilities(clusters.features, self.candidate_window)
                scores = self.scores(logs, labels[first], opens=True)
                yield Analysis(is_word, first, clusters.content, scores)

    def scores(self, log_probabilities: Floats, labels: Floats, *, opens: bool) -> ParseScores:
        """Score arcs, roots and gaps, given probabilities of heads and of labels of clusters.

        The gap in front of the first cluster counts unless it `opens` the recording.
        """
        scores, roots = arcs.arc_scores(log_probabilities, self.candidate_window)
        gaps = self.alpha * viterbi.logs(labels[:, [CLUSTER, SENTENCE]])
        gaps[:, 1] += self.bias
        return ParseScores(scores, roots, gaps[1:] if opens else gaps)

    def coverage(self, transcript: Transcript) -> float:
        """Return the share of the words that the CRF knows."""
        return self.crf.coverage(transcript)

    def lacks(self, transcript: Transcript) -> str:
        """Return a message if none of the words is known, else ''."""
        return self.crf.lacks(transcript)

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        """Return a stream of the best parse; for 'posterior', one with a window around each gap."""
        if self.decision == "posterior":
            return WindowStream(self, ahead=AHEAD, behind=BEHIND, state=state)
        return SegmentStream(self, state)
