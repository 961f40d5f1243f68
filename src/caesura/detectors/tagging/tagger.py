"""Parts of speech of words as recognisers write them: lower case, no punctuation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Strings
from caesura.core.config import ModelBacked, between, whole
from caesura.core.errors import LayerError
from caesura.core.protocols import WordTagger
from caesura.core.transcript import Transcript, batches
from caesura.detectors.tagging.tag_features import Words
from caesura.detectors.tagging.tag_trainer import Lessons, numbered
from caesura.detectors.tagging.tag_weights import Rounds
from caesura.text.normalization.steps import standing
from caesura.text.vocabulary import spelling

PUNCT = "PUNCT"

AT_ONCE = 1 << 17
"""Words that are tagged at a time."""

_spelt = lru_cache(maxsize=1 << 16)(spelling)


@dataclass(frozen=True, repr=False)
class Tagger(ModelBacked[Rounds], WordTagger):
    """Part of speech of each word, from the word, its letters and its neighbours.

    Words are seen in lower case and without punctuation. A first round goes by words up to two
    places away, and a second adds what the tags say that the first gave. Of the clues seen
    `cutoff` times in training the `size` that matter most are kept, and a quarter as many for the
    second round; `ridge` holds their weights back.
    """

    size: int = 19500
    cutoff: int = 2
    ridge: float = 0.5

    name = "Tagger"
    retrain_settings: ClassVar[frozenset[str]] = frozenset({"size", "cutoff", "ridge"})

    def __post_init__(self) -> None:
        whole("size", self.size, 1, 1_000_000)
        whole("cutoff", self.cutoff, 1, 1000)
        between("ridge", self.ridge, 1e-6, 1e6)

    def train(
        self,
        train: Sequence[Transcript],
        dev: Sequence[Transcript] = (),  # noqa: ARG002 - there is nothing to tune
        text: Sequence[Transcript] = (),
    ) -> Tagger:
        """Learn from all recordings that have tags; punctuation is left out.

        Sentences with tokens that are written as one word are learnt from once more with that
        word, as a recogniser would write it: `don't` beside `do` and `n't`, with the first tag.
        """
        tagged = [each for each in (*train, *text) if each.tag is not None]
        known = [*map(_spoken, tagged), *(one for each in tagged for one in _written(each))]
        tags, labels = numbered([each.tag for each in known if each.tag is not None])
        if not tags:
            raise LayerError(
                f"none of {len(train) + len(text)} recordings has tags",
                remedy="train on text with parts of speech, such as a treebank in conllu",
            )
        words = Words.of([spelt(each.words) for each in known])
        lessons = Lessons(words, labels, tags, self.size, self.cutoff, self.ridge)
        return self.with_model(lessons.state())

    def tag(self, transcript: Transcript) -> Transcript:
        """Tag one recording."""
        return self.tag_all([transcript])[0]

    def tag_all(self, transcripts: Sequence[Transcript]) -> list[Transcript]:
        """Tag many recordings together, as many at a time as fit into memory."""
        return [each for batch in batches(transcripts, AT_ONCE) for each in self._tagged(batch)]

    def state(self) -> Mapping[str, NDArray[Any]]:
        """Give keys, weights and tags."""
        return self.model.arrays()

    def from_state(self, state: Mapping[str, NDArray[Any]]) -> Tagger:
        """Give the same tagger with keys, weights and tags that were learnt before."""
        return self.with_model(Rounds.of(state))

    def describe(self) -> str:
        """Name the tags."""
        return f"tags: {' '.join(self.model.tags)}"

    def _tagged(self, transcripts: Sequence[Transcript]) -> Iterator[Transcript]:
        alone = [standing(each) for each in transcripts]
        spoken = [
            [word for word, mark in zip(each.words, marks.tolist(), strict=True) if not mark]
            for each, marks in zip(transcripts, alone, strict=True)
        ]
        best = self.model.scores(Words.of([spelt(words) for words in spoken])).argmax(axis=1)
        names = np.array([*self.model.tags, PUNCT], object)
        done = 0
        for each, marks in zip(transcripts, alone, strict=True):
            numbers = np.full(len(each), len(names) - 1)
            count = int((~marks).sum())
            numbers[~marks] = best[done : done + count]
            done += count
            yield each.replace(tag=tuple(names[numbers].tolist()))


def spelt(words: Sequence[str]) -> Strings:
    """Give words as the tagger sees them."""
    return tuple(map(_spelt, words))


def _spoken(transcript: Transcript) -> Transcript:
    """Give words and tags alone, without punctuation."""
    return transcript.only(["tag"]).take(~standing(transcript))


def _written(transcript: Transcript) -> Iterator[Transcript]:
    """Give the sentences that have tokens written as one word, with that word instead of them."""
    if not transcript.multiwords:
        return
    for each in transcript.only(["tag", "multiwords", "sentences"]).iter_sentences():
        words, kept = list(each.words), np.ones(len(each), np.bool_)
        for span in each.multiwords or ():
            words[span.first] = span.label
            kept[span.first + 1 : span.last + 1] = False
        if not kept.all():
            yield _spoken(each.replace(words=tuple(words)).take(kept))
