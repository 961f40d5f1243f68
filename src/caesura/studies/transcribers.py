"""Recordings that several people transcribed: how far they agree on where sentences end.

They do not share words. So the words of one of them, the base, carry the boundaries of all:
every other transcript is aligned with it word by word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from caesura.contracts import Counts, Undefined, Value, ratio
from caesura.formats.files import read
from caesura.metrics.agreement import Agreement
from caesura.metrics.gaps import ends
from caesura.numeric.stats import Interval, Resampling, interval, pearson
from caesura.pairing import paired
from caesura.scores import Scores, scored
from caesura.scoring import NO_RESAMPLING, Terms
from caesura.text.align import align
from caesura.text.normalize import normalize
from caesura.transcript import Transcript

NORMALIZE = ("case", "dots", "punctuation")
FURTHER = (NORMALIZE, (*NORMALIZE, "events"), (*NORMALIZE, "events", "fillers"))
"""Normalisations to compare: the one used, then also without sounds, then without hesitations."""

POOLED = ("agreement_ratio", "kappa", "alpha", "pairwise_f1")


@dataclass(frozen=True)
class Corpus:
    """Where the transcripts of a corpus lie, and what its recordings are called."""

    name: str
    transcripts: tuple[str, ...]
    below: str
    things: str

    def folders(self, data: Path) -> dict[str, Path]:
        """Give the folder of each transcript."""
        return {one: data / self.name / one / self.below for one in self.transcripts}


CORPORA = (
    Corpus("coraal-multi", ("amberscript", "coraal", "rev", "rev_aa"), "nlp", "interviews"),
    Corpus("rev16", ("verbatim", "nonverbatim"), "", "podcast episodes"),
)


def lacking(corpus: Corpus, data: Path) -> str:
    """Say what of a corpus is not there; '' if all is."""
    if not (data / corpus.name).is_dir():
        return f"there is no folder {corpus.name}/"
    missing = [
        folder.relative_to(data).as_posix()
        for folder in corpus.folders(data).values()
        if not any(folder.glob("*.nlp"))
    ]
    return f"there are no .nlp files in {', '.join(missing)}" if missing else ""


@dataclass(frozen=True)
class Group:
    """A corpus as it was read: all recordings of each transcript."""

    corpus: Corpus
    texts: Mapping[str, Sequence[Transcript]]

    @classmethod
    def read(cls, corpus: Corpus, data: Path) -> Group:
        """Read all transcripts."""
        return cls(
            corpus,
            {
                name: [each for file in sorted(folder.glob("*.nlp")) for each in read(file)]
                for name, folder in corpus.folders(data).items()
            },
        )

    @property
    def base(self) -> str:
        """The transcript with most words: on it, boundaries of the others find most places."""
        return max(self.texts, key=lambda name: sum(map(len, self.texts[name])))

    def on(
        self,
        base: str,
        normalize: tuple[str, ...] = NORMALIZE,
        resampling: Resampling = NO_RESAMPLING,
    ) -> Scores:
        """Score the agreement of all transcripts on the words of one of them."""
        terms = Terms(normalize, True, resampling)
        return scored(self.texts[base], list(self.texts.values()), [Agreement()], terms)

    def shared(self) -> Scores:
        """Score the agreement on those words of the base that all transcripts have.

        A boundary after a word that somebody lacks moves to the shared word before it.
        """
        kept: list[list[Transcript]] = [[] for _ in self.texts]
        for base, others in paired(self.texts[self.base], list(self.texts.values())):
            ours = normalize(base, NORMALIZE)
            theirs = [normalize(one, NORMALIZE) for one in others]
            aligned = [align(one.words, ours.words) for one in theirs]
            common = np.logical_and.reduce([each.equal for each in aligned])
            for texts, one, each in zip(kept, theirs, aligned, strict=True):
                texts.append(one.take(each.source[common]))
        return scored(kept[0], kept, [Agreement()], Terms((), False))

    def on_pairs(self) -> dict[tuple[str, str], Value]:
        """F1 of each pair of transcripts on the gaps after words that both have."""
        return {
            (one, other): _f1_after_equal(self.texts[one], self.texts[other])
            for one, other in combinations(self.texts, 2)
        }


@dataclass(frozen=True)
class Accord:
    """How far the transcripts of a group agree, by recording and together."""

    group: Group
    resampling: Resampling

    @cached_property
    def scores(self) -> Scores:
        """Agreement on the words of the group's base."""
        return self.group.on(self.group.base, resampling=self.resampling)

    @property
    def recordings(self) -> list[tuple[str, int, dict[str, Value]]]:
        """For each recording its id, how many words, and its values."""
        return [
            (each.id, each.words, self.scores.metrics[0].values(each.counts[0]))
            for each in self.scores.documents
        ]

    @property
    def ratios(self) -> list[tuple[float, float]]:
        """Agreement ratio and kappa of each recording that has both."""
        found = [(each["agreement_ratio"], each["kappa"]) for *_, each in self.recordings]
        return [
            (a, b)
            for a, b in found
            if not isinstance(a, Undefined) and not isinstance(b, Undefined)
        ]

    @cached_property
    def correlation(self) -> tuple[Value, Interval | Undefined]:
        """Pearson's coefficient of agreement ratio and kappa over recordings, and its interval."""
        return correlated(self.ratios, self.resampling)

    @cached_property
    def subsets(self) -> list[tuple[int, list[dict[str, Value]]]]:
        """For each number of transcripts the pooled values of every choice of so many."""
        names = range(len(self.group.texts))
        return [
            (size, [self._of(chosen) for chosen in combinations(names, size)])
            for size in range(2, len(names) + 1)
        ]

    def _of(self, chosen: Sequence[int]) -> dict[str, Value]:
        metric = Agreement()
        counts = (
            metric.count(each.compared, [each.carried[i] for i in chosen])
            for each in self.scores.documents
        )
        return metric.values(sum(counts, Counts()))

    @cached_property
    def prepared(self) -> list[tuple[str, tuple[str, ...], Scores]]:
        """Agreement on the words of every transcript, and after every normalisation."""
        names = list(self.group.texts)
        return [(base, NORMALIZE, self.group.on(base)) for base in names] + [
            (self.group.base, steps, self.group.on(self.group.base, steps)) for steps in FURTHER[1:]
        ]

    @cached_property
    def shared(self) -> Scores:
        """Agreement on the words that all transcripts have."""
        return self.group.shared()

    @cached_property
    def on_pairs(self) -> dict[tuple[str, str], Value]:
        """F1 of each pair after words that both have."""
        return self.group.on_pairs()

    def coverage(self) -> dict[str, dict[str, int]]:
        """Sum up, for each transcript, what found no counterpart on the base's words."""
        found: dict[str, dict[str, int]] = {}
        for i, name in enumerate(self.group.texts):
            parts = [vars(each.coverage[i]) for each in self.scores.documents]
            found[name] = {key: sum(part[key] for part in parts) for key in parts[0]}
            found[name]["words"] = sum(len(each.references[i]) for each in self.scores.documents)
        return found

    def to_json(self) -> dict[str, Any]:
        """Give all numbers."""
        value, limits = self.correlation
        return {
            "base": self.group.base,
            "coverage": self.coverage(),
            "scores": self.scores.to_json(),
            "correlation": None if isinstance(value, Undefined) else value,
            "correlation_interval": None if isinstance(limits, Undefined) else limits,
            "by_number_of_references": [
                {"references": size, **{name: spread(each, name) for name in POOLED}}
                for size, each in self.subsets
            ],
            "shared_words": {"words": sum(each.words for each in self.shared.documents)}
            | _known(self.shared.values[0]),
            "f1_after_words_of_both": {
                f"{one} {other}": None if isinstance(f1, Undefined) else f1
                for (one, other), f1 in self.on_pairs.items()
            },
            "by_base_and_normalisation": [
                {"base": base, "normalize": list(steps)} | _known(one.values[0])
                for base, steps, one in self.prepared
            ],
        }


def correlated(
    pairs: Sequence[tuple[float, float]], resampling: Resampling
) -> tuple[Value, Interval | Undefined]:
    """Pearson's coefficient, and its interval when pairs are drawn again."""
    rows = np.array(pairs, np.float64).reshape(-1, 2)
    random = np.random.default_rng(resampling.seed)
    drawn = [
        pearson(*rows[random.integers(len(rows), size=len(rows))].T.tolist())
        for _ in range(resampling.resamples if len(rows) else 0)
    ]
    return pearson(*rows.T.tolist()), interval(drawn, resampling.level)


def _f1_after_equal(ours: Sequence[Transcript], theirs: Sequence[Transcript]) -> Value:
    common = total = 0
    for one, (other,) in paired(ours, [theirs]):
        target, source = normalize(one, NORMALIZE), normalize(other, NORMALIZE)
        aligned = align(source.words, target.words)
        here = ends(target)[aligned.equal]
        there = ends(source)[aligned.source[aligned.equal]]
        common += int((here & there).sum())
        total += int(here.sum() + there.sum())
    return ratio(2 * common, total, "no boundary after a word that both have")


def spread(found: Sequence[Mapping[str, Value]], name: str) -> dict[str, float | None]:
    """Mean, least and most of a value over several choices of references."""
    known = [value for each in found if not isinstance(value := each[name], Undefined)]
    if not known:
        return {"mean": None, "least": None, "most": None}
    return {"mean": sum(known) / len(known), "least": min(known), "most": max(known)}


def _known(values: Mapping[str, Value]) -> dict[str, float | None]:
    return {n: None if isinstance(v, Undefined) else v for n, v in values.items()}
