"""Sentence ends from words: the class n-gram language model of Gotoh and Renals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from numpy.typing import NDArray

from caesura.core.arrays import Floats, Strings
from caesura.core.config import between, one_of, several, whole
from caesura.core.transcript import Transcript
from caesura.detectors import gap_classes
from caesura.detectors.hmm import DECISIONS, FiniteState
from caesura.detectors.lm_counts import Language, Spoken, counted, joint, share_known, words_of
from caesura.detectors.nested_arrays import TrainableDetector, missing_sentences
from caesura.ml.ngram import FACTORS, Counts
from caesura.ml.smoothing import KINDS
from caesura.text.vocabulary import Vocabulary

MOST_HISTORIES = 1 << 12
"""Sequences of classes that are told apart: each word has a score for every one of them."""


@dataclass(frozen=True, repr=False)
class LM(FiniteState, TrainableDetector[Language]):
    """How words follow each other inside sentences and across their ends, up to `order` words.

    `factors` is 'class' to draw the class of a word before the word (equation 4), 'word' to
    draw it after; `smoothing` is 'interpolation', where shorter histories count with the
    `strength` for words and classes, or 'backoff'. Words seen fewer than `cutoff` times are
    unknown; sequences of 2, 3, ... words seen less often than `prune` says are left out. Where
    there is text of another kind to learn from it has a model of its own, pruned by
    `text_prune`, with a `share` in the mixture. With `classes` each of these labels is a class
    of its own, as in ('.', '?', ','). `decision` is 'posterior' or 'viterbi'; `bias` is added
    to the log-odds.
    """

    order: int = 3
    factors: str = "word"
    smoothing: str = "interpolation"
    strength: tuple[float, float] = (4.0, 16.0)
    cutoff: int = 2
    prune: tuple[int, ...] = ()
    text_prune: tuple[int, ...] = ()
    share: float = 0.5
    classes: Strings = ()
    decision: str = "posterior"
    bias: float = 0.0

    name = "LM"
    retrain_settings = frozenset({"order", "cutoff", "prune", "text_prune", "classes"})

    def __post_init__(self) -> None:
        whole("order", self.order, 2, 5)
        one_of("factors", self.factors, FACTORS)
        one_of("smoothing", self.smoothing, KINDS)
        one_of("decision", self.decision, DECISIONS)
        whole("cutoff", self.cutoff, 1, 1 << 31)
        between("share", self.share, 0, 1)
        between("bias", self.bias, -1e9, 1e9)
        object.__setattr__(self, "classes", gap_classes.checked(self.classes))
        if self.histories > MOST_HISTORIES:
            raise ValueError(
                f"{len(self.classes)} classes are too many for an order of {self.order}: there "
                f"would be {self.histories:,} sequences of them, and {MOST_HISTORIES:,} is the most"
            )
        for name in ("strength", "prune", "text_prune"):
            object.__setattr__(self, name, several(name, getattr(self, name)))
        if len(self.strength) != 2:
            raise ValueError(f"strength is two numbers, not {self.strength!r}")
        for number in self.strength:
            between("strength", number, 1e-9, 1e9)
        for name in ("prune", "text_prune"):
            least = getattr(self, name)
            for number in least:
                whole(name, number, 1, 1 << 31)
            if len(least) > self.order - 1 or any(a > b for a, b in pairwise(least)):
                raise ValueError(
                    f"{name} is up to {self.order - 1} numbers that do not fall, not {least!r}"
                )

    @property
    def histories(self) -> int:
        """How many sequences of classes are told apart."""
        return int(gap_classes.count(self.classes) ** self.order)

    def train(
        self,
        train: Sequence[Transcript],
        dev: Sequence[Transcript] = (),  # noqa: ARG002 - settings are tuned from outside
        text: Sequence[Transcript] = (),
    ) -> LM:
        """Count in recordings whose sentences are known; words are those of `train`."""
        vocabulary = Vocabulary.of((each.words for each in train), self.cutoff)
        counts: list[Counts] = []
        for given, prune in ((train, self.prune), (text, self.text_prune)):
            words = words_of(given, vocabulary)
            found = [(each, gap_classes.of_gaps(each, self.classes)) for each in words]
            pairs = [(each, labels) for each, labels in found if labels is not None]
            if not pairs:
                if given or not counts:
                    raise missing_sentences(len(given))
                continue
            least = [*prune, *[max(prune, default=1)] * (self.order - 1 - len(prune))]
            known, labels = zip(*pairs, strict=True)
            width = gap_classes.count(self.classes)
            counts.append(counted(known, labels, vocabulary, width, least))
        return self.with_model(Language(vocabulary, tuple(counts)))

    def state(self) -> Mapping[str, NDArray[Any]]:
        """Give hashes of the words and all counts."""
        return self.model.arrays()

    def from_state(self, state: Mapping[str, NDArray[Any]]) -> LM:
        """Give the same detector with words and counts that were learnt before."""
        width = gap_classes.count(self.classes)
        return self.with_model(Language.of(state, width, self.order))

    def spoken(self, transcripts: Sequence[Transcript]) -> Spoken:
        """Number the words of recordings."""
        return Spoken.of(transcripts, self.model.vocabulary)

    def scores(self, transcripts: Sequence[Transcript], spoken: Spoken) -> Floats:  # noqa: ARG002
        """Score each class of each word after each history."""
        models = self.model.ngrams(self.factors, self.smoothing, self.strength)
        return joint(models, spoken.text, self.share)

    def coverage(self, transcript: Transcript) -> float:
        """Give the share of the words that are known."""
        return share_known(transcript, self.model.vocabulary)

    def lacks(self, transcript: Transcript) -> str:
        """Say so if not a word is known."""
        known = len(transcript) < 2 or self.coverage(transcript) > 0
        return "" if known else "no word that the model knows"
