"""Links inside sentences that are given: the *normal* dependency analysis of Oba and others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from caesura.core.arrays import Flags, Indices
from caesura.core.transcript import Transcript
from caesura.detectors.gaps import OTHER, gaps_after_words, speaker_turns
from caesura.detectors.syntax.chunking import Chunker
from caesura.detectors.syntax.word_features import Columns, hashes_of
from caesura.ml import features
from caesura.ml.features import Hashes
from caesura.ml.parsing import arcs, chart
from caesura.ml.parsing.arcs import Heads, Lesson, Looks, Sight
from caesura.ml.parsing.chart import MOST
from caesura.text import cluster_rules

TURN = features.NO_PAUSE + 1
"""What another speaker adds to the number of a gap."""


class Seen(NamedTuple):
    """What is seen of clusters, and the content word of each."""

    looks: Looks
    content: Indices


def units_of(spoken: Transcript, first: Indices, words: Columns) -> Seen:
    """Give what is seen of the clusters of a recording without punctuation, and of its words.

    A cluster is seen by its content word, its first word and its last word.
    """
    content = cluster_rules.content_words(spoken, first)
    last = np.append(first[1:], len(spoken))[: len(first)] - 1
    found = {}
    for name in words.keys() & {"word", "tag", "subtag"}:
        behind = "" if name == "word" else f"_{name}"
        found[name] = words[name][content]
        found[f"first{behind}"] = words[name][first]
        found[f"last{behind}"] = words[name][last]
    return Seen(Looks(found, gap_numbers(spoken)[first]), content)


def gap_numbers(spoken: Transcript) -> Indices:
    """Number what lies in front of each word: nothing known, then pauses, then other speakers."""
    count = len(spoken)
    found = np.zeros(count, np.int64)
    if spoken.start is not None and spoken.end is not None:
        before = np.append(np.nan, spoken.pauses()[:-1])[:count]
        bins = features.pause_bins(before)
        found = np.where(bins == features.NO_PAUSE, 0, bins + 1)
    if spoken.speaker is not None:
        found[1:] += TURN * (speaker_turns(spoken.speaker) == OTHER)
    return found


def lesson_of(spoken: Transcript, subtags: Hashes, *, normal: bool = False) -> Lesson:
    """Give the clusters of a recording whose trees are known, with sentences if they are given."""
    units = cluster_rules.units(spoken)
    looks = units_of(spoken, units.first, hashes_of(spoken, subtags)).looks
    assert spoken.sentences is not None
    ends = ends_of(spoken.sentences.boundary, units.first)
    return Lesson(looks, units.link, ends if normal else None)


def ends_of(ended: Flags, first: Indices) -> Flags:
    """Tell which clusters end sentences, given which words do; what no chart can hold is cut."""
    ends = np.append(ended[first[1:] - 1], True)[: len(first)]
    at = np.arange(len(ends))
    begin = np.maximum.accumulate(np.where(np.append(True, ends)[:-1], at, 0))
    found: Flags = ends | ((at - begin + 1) % MOST == 0)
    return found


def drawn(kept: Flags, first: Indices, content: Indices, links: Indices) -> tuple[Flags, Indices]:
    """Tell which words of a recording begin clusters, and the head of each; a root is its own.

    `first` and `content` number the first and the content word of each cluster among the words
    that are kept, `links` is the head of each cluster. A word that is not the content of its
    cluster hangs on the one that is; the head of punctuation is not known.
    """
    places = np.flatnonzero(kept)
    begun, head = np.zeros(len(kept), np.bool_), np.full(len(kept), -1)
    begun[places[first]] = True
    own = places[content]
    head[places] = np.repeat(own, np.diff(np.append(first, len(places))))
    head[own] = np.where(links < 0, own, own[np.maximum(links, 0)])
    return begun, head


@dataclass(frozen=True)
class Normal:
    """Finds clusters and sentences by a chunker that has learnt, and then the best links.

    Only clusters of the same sentence, up to `reach` before and after, can be the head of one.
    """

    chunker: Chunker[Any]
    heads: Heads
    reach: int

    @classmethod
    def learn(
        cls,
        chunker: Chunker[Any],
        trees: Sequence[Transcript],
        reach: int = 10,
        ridge: float = 2.0,
        bits: int = 18,
    ) -> Normal:
        """Learn links from recordings that have trees, tagged as the chunker's were."""
        subtags = chunker.model.subtags
        lessons = [lesson_of(chunker.spoken(each), subtags, normal=True) for each in trees]
        return cls(chunker, arcs.learn(lessons, Sight(reach, reach), bits, ridge), reach)

    def annotate(self, transcript: Transcript) -> Transcript:
        """Give the transcript with clusters and heads; also with sentences if it has none."""
        found = transcript.sentences or self.chunker.detect(transcript)
        kept, spoken = self.chunker.find_words(transcript)
        ended = found.boundary[gaps_after_words(kept)]
        begun = self.chunker.starts(transcript)[kept]
        begun[1:] |= ended[:-1]
        first = np.flatnonzero(begun)
        words = hashes_of(spoken, self.chunker.model.subtags)
        units = units_of(spoken, first, words)
        ends = ends_of(ended, first)
        sight = Sight(self.reach, self.reach)
        chances = self.heads.chances(units.looks, sight, ends=ends)
        links = chart.normal(*arcs.links_of(chances, sight), ends).heads
        cluster, head = drawn(kept, first, units.content, links)
        return transcript.replace(sentences=found, cluster=cluster, head=head, relation=None)
