"""Dependency trees of sentences that are given: the *normal* analysis of Oba and others.

`SDA` shares the features of clusters and the conversion to the heads of words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from caesura.core.arrays import Flags, Indices
from caesura.core.transcript import Transcript
from caesura.detectors.gaps import OTHER, gaps_after_words, speaker_turns
from caesura.detectors.syntax.chunking import Chunker, Columns, hashes_of
from caesura.ml import features
from caesura.ml.features import Hashes
from caesura.ml.parsing.arcs import (
    ArcExample,
    ArcModel,
    CandidateWindow,
    UnitFeatures,
    arc_scores,
    train_arcs,
)
from caesura.ml.parsing.chart import MOST_UNITS, parse_sentences
from caesura.text import cluster_rules

TURN = features.NO_PAUSE + 1
"""What another speaker adds to the number of a gap."""


class ClusterFeatures(NamedTuple):
    """The features of clusters, and the content word of each."""

    features: UnitFeatures
    content: Indices


def cluster_features(words: Transcript, first: Indices, hashes: Columns) -> ClusterFeatures:
    """Return the features of clusters, which begin at the words `first`.

    The recording has no punctuation; `hashes` are those of its words. A cluster has the features
    of its content word, its first word and its last word.
    """
    content = cluster_rules.content_words(words, first)
    last = np.append(first[1:], len(words))[: len(first)] - 1
    found = {}
    for name in ("word", "tag", "subtag"):
        if name in hashes:
            suffix = "" if name == "word" else f"_{name}"
            found[name] = hashes[name][content]
            found[f"first{suffix}"] = hashes[name][first]
            found[f"last{suffix}"] = hashes[name][last]
    return ClusterFeatures(UnitFeatures(found, gap_numbers(words)[first]), content)


def gap_numbers(words: Transcript) -> Indices:
    """Return a number for the gap before each word: 0 unknown, then pauses, then other speakers."""
    count = len(words)
    found = np.zeros(count, np.int64)
    if words.start is not None and words.end is not None:
        before = np.append(np.nan, words.pauses()[:-1])[:count]
        bins = features.pause_bins(before)
        found = np.where(bins == features.NO_PAUSE, 0, bins + 1)
    if words.speaker is not None:
        found[1:] += TURN * (speaker_turns(words.speaker) == OTHER)
    return found


def arc_example(words: Transcript, subtags: Hashes, *, normal: bool = False) -> ArcExample:
    """Return the clusters of a recording with trees as a training example.

    In `normal` mode the example says where sentences end.
    """
    units = cluster_rules.cluster_tree(words)
    found = cluster_features(words, units.first, hashes_of(words, subtags)).features
    assert words.sentences is not None
    ends = sentence_ends(words.sentences.boundary, units.first)
    return ArcExample(found, units.link, ends if normal else None)


def sentence_ends(boundary: Flags, first: Indices) -> Flags:
    """Return which clusters end sentences, given which words do.

    Sentences that are too long for a chart are cut.
    """
    ends = np.append(boundary[first[1:] - 1], True)[: len(first)]
    at = np.arange(len(ends))
    begin = np.maximum.accumulate(np.where(np.append(True, ends)[:-1], at, 0))
    found: Flags = ends | ((at - begin + 1) % MOST_UNITS == 0)
    return found


def word_heads(
    is_word: Flags, first: Indices, content: Indices, heads: Indices
) -> tuple[Flags, Indices]:
    """Return which words begin clusters, and the head of each word, given the heads of clusters.

    `first` and `content` are the first and the content word of each cluster, counted without
    punctuation. The head of a root is the word itself, that of punctuation is unknown (-1). All
    other words of a cluster depend on its content word.
    """
    places = np.flatnonzero(is_word)
    begins, head = np.zeros(len(is_word), np.bool_), np.full(len(is_word), -1)
    begins[places[first]] = True
    own = places[content]
    head[places] = np.repeat(own, np.diff(np.append(first, len(places))))
    head[own] = np.where(heads < 0, own, own[np.maximum(heads, 0)])
    return begins, head


@dataclass(frozen=True)
class DependencyParser:
    """Finds clusters and sentences by a trained chunker, and then the best tree of each sentence.

    Only clusters of the same sentence, up to `reach` before and after, can be the head of one.
    """

    chunker: Chunker[Any]
    arc_model: ArcModel
    reach: int

    @classmethod
    def train(
        cls,
        chunker: Chunker[Any],
        trees: Sequence[Transcript],
        reach: int = 10,
        ridge: float = 2.0,
        bits: int = 18,
    ) -> DependencyParser:
        """Train on recordings that have trees, tagged as the chunker's training data were."""
        subtags = chunker.model.subtags
        examples = [arc_example(chunker.words(each), subtags, normal=True) for each in trees]
        return cls(chunker, train_arcs(examples, CandidateWindow(reach, reach), bits, ridge), reach)

    def annotate(self, transcript: Transcript) -> Transcript:
        """Return the transcript with clusters and heads; also with sentences if it has none."""
        found = transcript.sentences or self.chunker.detect(transcript)
        is_word, words = self.chunker.find_words(transcript)
        boundary = found.boundary[gaps_after_words(is_word)]
        begins = self.chunker.starts(transcript)[is_word]
        begins[1:] |= boundary[:-1]
        first = np.flatnonzero(begins)
        clusters = cluster_features(words, first, hashes_of(words, self.chunker.model.subtags))
        ends = sentence_ends(boundary, first)
        window = CandidateWindow(self.reach, self.reach)
        logs = self.arc_model.log_probabilities(clusters.features, window, ends=ends)
        heads = parse_sentences(*arc_scores(logs, window), ends).heads
        cluster, head = word_heads(is_word, first, clusters.content, heads)
        return transcript.replace(sentences=found, cluster=cluster, head=head, relation=None)
