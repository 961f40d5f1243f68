"""Scores of recogniser output, call by call: ETER of taggers, WER, NE-WER and ATENE.

`ComparedCall` pairs a recognised call with its reference; all measures start from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from caesura.core.arrays import Floats, Strings
from caesura.core.protocols import EntityModel, WordTagger
from caesura.core.transcript import Span, Transcript
from caesura.core.values import Counts, Undefined, Value, ratio
from caesura.detectors.tagging.entity_model import Margins
from caesura.metrics.atene import ATENE
from caesura.metrics.atene_risks import UNIT, MarginLosses
from caesura.metrics.entity_matching import EntityMatching, pair_costs
from caesura.metrics.entity_words import EntityWords
from caesura.metrics.words import Words
from caesura.models.store import find_folder, load
from caesura.text.alignment.transfer import project_spans
from caesura.text.alignment.word_alignment import Alignment, align
from caesura.text.entity_projection import Projected, drop_overlaps, project, separate_overlaps
from caesura.text.normalization.alternatives import choose_alternatives
from caesura_studies.atene.corpora import REFERENCES, flat_entities, lower, merge_classes
from caesura_studies.atene.plan import Features
from caesura_studies.atene.text_preparation import View

ALPHA = 0.5
"""The cost of a wrong extent; a wrong class costs the rest."""


@dataclass(frozen=True)
class ComparedCall:
    """A recognised call and its reference, with the nearest alternatives, in lower case."""

    hypothesis: Transcript
    reference: Transcript
    marked: tuple[Span, ...]
    """All that Rev marks in the reference, nested; the entities of the reference are flat."""

    cased: tuple[Transcript, Transcript]
    """The same two texts with their capitals."""

    @classmethod
    def of(cls, hypothesis: Transcript, reference: Transcript) -> ComparedCall:
        """Choose the alternatives of the reference; the written words are kept as lemmas.

        The longest entities are chosen in the written words, so that they are the same for all
        recognisers.
        """
        longest = {span.key for span in flat_entities(reference.entities or ())}
        ours = lower(hypothesis)
        theirs = choose_alternatives(lower(reference.replace(lemma=reference.words)), ours.words)
        every = theirs.entities or ()
        kept = merge_classes(span for span in every if span.key in longest)
        plain = theirs.replace(lemma=None, entities=kept)
        word_rates = zip(theirs.lemma or (), theirs.words, strict=True)
        written = plain.replace(words=tuple(lemma or word for lemma, word in word_rates))
        return cls(ours, plain, every, (hypothesis, written))

    @cached_property
    def aligned(self) -> Alignment:
        """The alignment of the two texts."""
        return align(self.reference.words, self.hypothesis.words)


@dataclass(frozen=True)
class Costs:
    """The costs of the entities found in a text: of each reference entity, and of spurious ones."""

    keys: tuple[str, ...]
    """The keys of the reference entities."""

    each: Floats
    spurious: int

    @classmethod
    def of(
        cls, flat_entities: Sequence[Span], project_spans: Sequence[Span], found: Sequence[Span]
    ) -> Costs:
        """Match entities as `Entities` does for ETER; `placed` are on the words of `found`."""
        matched = EntityMatching.of(tuple(project_spans), tuple(found), 1)
        pairs = matched.pairs("eter", ALPHA)
        price = np.array(pair_costs("eter", ALPHA), float)
        spent = np.ones(len(flat_entities))
        spent[list(pairs)] = price[matched.kinds(pairs)]
        return cls(tuple(span.key for span in flat_entities), spent, len(found) - len(pairs))

    @property
    def eter(self) -> Value:
        """Equation 4."""
        spent = float(self.each.sum()) + self.spurious
        return ratio(spent, len(self.each), "no entity in the reference")


def score_entities(both: ComparedCall, found: Sequence[Span], view: View) -> Costs:
    """Score entities found in recognised words."""
    flat_entities = view.spans(both.reference.entities or ())
    return Costs.of(flat_entities, project_spans(flat_entities, both.aligned), view.spans(found))


def score_reference(reference: Transcript, found: Sequence[Span], view: View) -> Costs:
    """Score entities found in the reference itself."""
    flat_entities = view.spans(reference.entities or ())
    return Costs.of(flat_entities, flat_entities, view.spans(found))


def as_float(value: Value) -> float:
    """Return a number that can be averaged: NaN for undefined values."""
    return float("nan") if isinstance(value, Undefined) else value


Key = tuple[str, str]
"""A recogniser and a call."""

Comparisons = Mapping[Key, ComparedCall]
Column = dict[Key, float]
"""A number for each recogniser and call, NaN if undefined."""

WORDS = {"wer": "WER", "wil": "WIL", "ril": "RIL"}
EDGES = "NE-WER, words at the edges too"
VARIANTS = {
    "NE-WER": ("nearest", "inside"),
    "NE-WER without insertions": ("nearest", "none"),
    EDGES: ("nearest", "edges"),
    "NE-WER, plain reference": ("plain", "inside"),
    "NE-WER, plain reference, edges": ("plain", "edges"),
}
"""Variants of NE-WER: the form of the reference, and the inserted words that count."""

NO_WORDS = "no word in the entities"


class Errors(NamedTuple):
    """Word errors and reference words."""

    wrong: int
    said: int

    @property
    def rate(self) -> Value:
        """The word error rate."""
        return ratio(self.wrong, self.said, NO_WORDS)


def word_rates(compared: Comparisons) -> tuple[dict[str, Column], dict[Key, Counts]]:
    """Return WER, WIL and RIL of each call, and their counts."""
    metric = Words()
    counts = {key: metric.count(e.hypothesis, [e.reference]) for key, e in compared.items()}
    values = {key: metric.values(each) for key, each in counts.items()}
    columns = {
        title: {key: as_float(each[name]) for key, each in values.items()}
        for name, title in WORDS.items()
    }
    return columns, {key: metric.resampled_counts(each) for key, each in counts.items()}


def pooled(counts: Mapping[Key, Counts], recogniser: str) -> float:
    """Return the WER of a recogniser over all calls together."""
    whole = Counts.total(each for (name, _), each in counts.items() if name == recogniser)
    return as_float(Words().values(whole)["wer"])


def errors_as_read(read: Mapping[str, Mapping[str, Transcript]], name: str) -> list[Errors]:
    """Count the word errors of a recogniser, call by call, in texts that are only lower case.

    Fillers, sounds and hyphens stay, as fstalign has it.
    """
    metric, found = Words(), []
    for id, recognised in read[name].items():
        reference = lower(read[REFERENCES][id].only(("alternatives",)))
        counts = metric.aligned(lower(recognised.only(())), reference).alignment
        found.append(Errors(counts.edits, counts.source_length))
    return found


class Sampled(NamedTuple):
    """A word error rate, and its standard error due to missing calls."""

    rate: float
    error: float

    @classmethod
    def of(cls, calls: Sequence[Errors], there: int) -> Sampled:
        """Pool a sample of `there` calls, and compute the standard error of the ratio."""
        wrong, said = np.array(calls, float).T
        rate = wrong.sum() / said.sum()
        if len(calls) < 2:
            return cls(float(rate), float("nan"))
        left = max(1 - len(calls) / there, 0.0)
        spread = np.var(wrong - rate * said, ddof=1)
        return cls(float(rate), float(np.sqrt(left * spread / len(calls)) / said.mean()))


def in_entities(spans: Sequence[Span], aligned: Alignment, insertions: str) -> Errors:
    """Count the word errors in entities, as NE-WER does."""
    outcome = np.bincount(EntityWords.of(tuple(spans), aligned, insertions).outcome, minlength=4)
    return Errors(int(outcome[1:].sum()), int(outcome[:3].sum()))


def ne_wer(compared: Comparisons, plain: Mapping[str, Transcript], view: View) -> dict[str, Column]:
    """Return all variants of NE-WER; `plain` are the references as written."""
    found: dict[str, Column] = {title: {} for title in VARIANTS}
    for key, both in compared.items():
        written = plain[key[1]]
        forms = {
            "nearest": (both.reference, both.aligned),
            "plain": (written, align(written.words, both.hypothesis.words)),
        }
        for title, (form, insertions) in VARIANTS.items():
            text, aligned = forms[form]
            spans = view.spans(text.entities or ())
            found[title][key] = as_float(in_entities(spans, aligned, insertions).rate)
    return found


def by_class(compared: Comparisons) -> dict[tuple[str, str], Errors]:
    """Count word errors by recogniser and class of Rev's marks, nested as they are."""
    found: dict[tuple[str, str], list[Errors]] = {}
    for (recogniser, _), both in compared.items():
        for label in {span.label for span in both.marked}:
            spans = drop_overlaps(span for span in both.marked if span.label == label)
            errors = in_entities(spans, both.aligned, "inside")
            found.setdefault((recogniser, label), []).append(errors)
    return {
        key: Errors(*(int(total) for total in np.array(each).sum(axis=0)))
        for key, each in found.items()
    }


def mean(column: Column, recogniser: str) -> float:
    """Average the calls of a recogniser."""
    values: Floats = np.array([each for (name, _), each in column.items() if name == recogniser])
    return float(np.nanmean(values)) if np.isfinite(values).any() else float("nan")


Places = Mapping[Key, Sequence[Projected]]
"""The places of reference entities in the recognised words."""

TAGGER_MODEL = "en-sda"
"""The shipped model whose tagger gives parts of speech."""


@dataclass(frozen=True)
class Risk:
    """ATENE of a call, its two parts, and the margin loss of each entity of known classes."""

    atene: float
    ds: float
    i: float
    keys: Strings
    falls: Floats

    @classmethod
    def of(cls, risks: MarginLosses, keys: Strings) -> Risk:
        """Average as the metric does."""
        counts = Counts(
            starts=-int(risks.start.sum()),
            ends=-int(risks.end.sum()),
            entities=len(keys),
            outside=-int(risks.outside.sum()),
            segments=len(risks.outside),
        )
        atene, ds, i = map(as_float, ATENE().rates(counts).values())
        return cls(atene, ds, i, keys, np.round((risks.start + risks.end) / (2 * UNIT), 6))

    @property
    def losses(self) -> dict[str, float]:
        """The losses by the keys of entities."""
        return dict(zip(self.keys, self.falls.tolist(), strict=True))


def make_entity_model(features: Features) -> Margins:
    """Make an untrained entity model with these features."""
    tagger = _tagger() if features.tags else None
    return Margins(affixes=features.affixes, capitals=features.capitals, tagger=tagger)


@lru_cache(maxsize=1)
def _tagger() -> WordTagger:
    chunker: Any = load(find_folder(TAGGER_MODEL)).learner
    tagger: WordTagger = chunker.crf.tagger
    return tagger


def project_entities(compared: Comparisons, view: View) -> Places:
    """Project the entities of references onto recognised words, where they may overlap."""
    return {
        key: project(view.of(both.reference), both.hypothesis, alignment=both.aligned)
        for key, both in compared.items()
    }


def compute_risks(
    compared: Comparisons, places: Places, entity_model: EntityModel
) -> dict[Key, Risk]:
    """Score each call by the entities of classes that a model knows; others take no words.

    Lost entities have the margins of the words around their place.
    """
    texts = [text for both in compared.values() for text in _texts(both, entity_model)]
    likely = entity_model.probabilities_all(texts)
    made = {}
    for at, key in enumerate(compared):
        found = separate_overlaps(
            [each for each in places[key] if each.entity.label in entity_model.classes]
        )
        risks = MarginLosses.of(found, *likely[2 * at : 2 * at + 2])
        made[key] = Risk.of(risks, tuple(each.entity.key for each in found))
    return made


def _texts(both: ComparedCall, entity_model: EntityModel) -> tuple[Transcript, Transcript]:
    """Return both texts as a model must see them."""
    return both.cased if entity_model.capitals else (both.hypothesis, both.reference)


def columns(title: str, risks: Mapping[Key, Risk]) -> dict[str, Column]:
    """Return ATENE and its parts; larger is worse."""
    return {
        title: {key: each.atene for key, each in risks.items()},
        f"{title}: DS alone": {key: -each.ds for key, each in risks.items()},
        f"{title}: I alone": {key: -each.i for key, each in risks.items()},
    }
