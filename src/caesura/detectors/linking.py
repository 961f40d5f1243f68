"""Clusters as units of dependency analysis: how they look, and what is known of their heads."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from caesura.detectors.gaps import OTHER, turns
from caesura.detectors.surroundings import Columns, hashes_of
from caesura.numeric import features
from caesura.numeric.charts import MOST
from caesura.numeric.features import Hashes
from caesura.numeric.heads import Lesson
from caesura.numeric.sights import Looks
from caesura.text import clusters
from caesura.transcript import Flags, Indices, Transcript

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
    content = clusters.content_words(spoken, first)
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
        found[1:] += TURN * (turns(spoken.speaker) == OTHER)
    return found


def lesson_of(spoken: Transcript, subtags: Hashes, *, normal: bool = False) -> Lesson:
    """Give the clusters of a recording whose trees are known, with sentences if they are given."""
    units = clusters.units(spoken)
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
