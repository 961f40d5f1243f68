"""Measures of a recogniser's output, call by call, that need no tagger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from caesura.core.arrays import Floats
from caesura.core.transcript import Span, Transcript
from caesura.core.values import Counts, Value, ratio
from caesura.metrics.entity_words import Heard
from caesura.metrics.words import Words
from caesura.text.alignment.word_alignment import Alignment, align
from caesura.text.entity_spans import flat
from caesura_studies.atene.calls import REFERENCES, lower
from caesura_studies.atene.comparing import Compared, number
from caesura_studies.atene.views import View

Key = tuple[str, str]
"""A recogniser and a call."""

Comparisons = Mapping[Key, Compared]
Column = dict[Key, float]
"""A number for each recogniser and call, NaN where it is undefined."""

WORDS = {"wer": "WER", "wil": "WIL", "ril": "RIL"}
EDGES = "NE-WER, words at the edges too"
VARIANTS = {
    "NE-WER": ("nearest", "inside"),
    "NE-WER without insertions": ("nearest", "none"),
    EDGES: ("nearest", "edges"),
    "NE-WER, plain reference": ("plain", "inside"),
    "NE-WER, plain reference, edges": ("plain", "edges"),
}
"""How NE-WER may be read: which form of the reference counts, and which inserted words."""

NO_WORDS = "no word in the entities"


class Errors(NamedTuple):
    """Wrong words and words that were said."""

    wrong: int
    said: int

    @property
    def rate(self) -> Value:
        """The share that is wrong."""
        return ratio(self.wrong, self.said, NO_WORDS)


def words(compared: Comparisons) -> tuple[dict[str, Column], dict[Key, Counts]]:
    """Give WER, WIL and RIL of each call, and the counts behind them."""
    metric = Words()
    counts = {key: metric.count(e.hypothesis, [e.reference]) for key, e in compared.items()}
    values = {key: metric.values(each) for key, each in counts.items()}
    columns = {
        title: {key: number(each[name]) for key, each in values.items()}
        for name, title in WORDS.items()
    }
    return columns, {key: metric.drawn(each) for key, each in counts.items()}


def pooled(counts: Mapping[Key, Counts], recogniser: str) -> float:
    """Give the WER of a recogniser over all calls together."""
    whole = Counts.total(each for (name, _), each in counts.items() if name == recogniser)
    return number(Words().values(whole)["wer"])


def as_read(read: Mapping[str, Mapping[str, Transcript]], name: str) -> list[Errors]:
    """Count the wrong words of a recogniser, call by call, in texts that are only lower case.

    Fillers, sounds and hyphens stay, as fstalign has it.
    """
    metric, found = Words(), []
    for id, heard in read[name].items():
        reference = lower(read[REFERENCES][id].only(("alternatives",)))
        counts = metric.aligned(lower(heard.only(())), reference).alignment
        found.append(Errors(counts.edits, counts.source_length))
    return found


class Sampled(NamedTuple):
    """The share of words that is wrong, and how far some of all calls may be off by chance."""

    rate: float
    error: float

    @classmethod
    def of(cls, calls: Sequence[Errors], there: int) -> Sampled:
        """Pool calls, of which there are so many in all; a standard error of the ratio."""
        wrong, said = np.array(calls, float).T
        rate = wrong.sum() / said.sum()
        if len(calls) < 2:
            return cls(float(rate), float("nan"))
        left = max(1 - len(calls) / there, 0.0)
        spread = np.var(wrong - rate * said, ddof=1)
        return cls(float(rate), float(np.sqrt(left * spread / len(calls)) / said.mean()))


def in_entities(spans: Sequence[Span], aligned: Alignment, insertions: str) -> Errors:
    """Count the words of entities that are wrong, as NE-WER does."""
    outcome = np.bincount(Heard.of(tuple(spans), aligned, insertions).outcome, minlength=4)
    return Errors(int(outcome[1:].sum()), int(outcome[:3].sum()))


def ne_wer(compared: Comparisons, plain: Mapping[str, Transcript], view: View) -> dict[str, Column]:
    """Give NE-WER in all its alternatives; `plain` are the references as they are written."""
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
            found[title][key] = number(in_entities(spans, aligned, insertions).rate)
    return found


def by_class(compared: Comparisons) -> dict[tuple[str, str], Errors]:
    """Count wrong words by recogniser and class of what Rev marks, nested as it is."""
    found: dict[tuple[str, str], list[Errors]] = {}
    for (recogniser, _), both in compared.items():
        for label in {span.label for span in both.marked}:
            spans = flat(span for span in both.marked if span.label == label)
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
