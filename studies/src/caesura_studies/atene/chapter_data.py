"""The chapter on the data: calls, entities, and word error rates beside those of Rev."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from caesura_studies.atene import paper, scoring
from caesura_studies.atene.corpora import PARTS, flat_entities, merge_classes
from caesura_studies.atene.experiment import Trial
from caesura_studies.atene.scoring import Sampled
from caesura_studies.report import Part, make_table

TITLE = "Calls, entities and word errors"
PRINTED = dict(zip(paper.RECOGNISERS, paper.WER, strict=True))

PREPARATION = """\
Of what Rev marks, contractions, abbreviations and the like are no entities; of entities that \
overlap the longest counts; years are dates; classes with a few dozen entities are one, OTHER. All \
texts are compared in lower case without punctuation, numbers are spelt: some recognisers write \
digits and others do not, and a tagger would otherwise mainly see that. Where Rev lists \
alternative transcriptions, the one nearest to the recognised words counts."""

PARTITION = f"""\
The calls are divided into {PARTS} parts. While two parts are evaluated, one of the others trains \
the taggers and the other trains ATENE, so that neither has seen a call it is used on, nor the \
training calls of the other."""

RATES = f"""\
Per cent, all calls together, with the alternatives. Rev's are of all {paper.CALLS} calls, by \
fstalign; ours are of the calls that are there: in lower case alone, which is what fstalign \
compares, and as the study compares texts. *By chance* is the standard error that comes from calls \
that are missing: it is as large as calls differ."""

BY_CLASS = """\
Per cent: ours, and in brackets Rev's. Nested as Rev marks them; words put in between the first \
and the last word of an entity count to it."""

ByClass = dict[str, dict[str, tuple[float, float | None]]]
"""Word error rates by class and recogniser: ours and Rev's."""


def chapter(trial: Trial) -> Part:
    """Write the chapter on the data."""
    rates = {name: 100 * scoring.pooled(trial.words[1], name) for name in trial.calls.recognised}
    read = {name: trial.as_read(name) for name in trial.calls.recognised}
    by_class = _by_class(trial)
    text = [
        f"{_sizes(trial)} {PREPARATION}",
        PARTITION,
        "### Word error rates",
        RATES,
        _rates(read, rates),
        _describe_offsets(read),
        "### Word error rates by class",
        BY_CLASS,
        _class_table(by_class, list(trial.calls.recognised)),
        _describe_class_offsets(by_class),
    ]
    description = ", ".join(f"{name} {rate:.1f}" for name, rate in rates.items())
    apart = ", ".join(f"{name} {100 * each.rate:.1f}" for name, each in read.items())
    short = (
        f"WER in per cent, all calls together, with all alternatives: {description}; lower case "
        f"alone, as fstalign compares: {apart}.",
    )
    numbers = {
        "calls": len(trial.calls.references),
        "entities": dict(_classes(trial)),
        **_numbers(read, rates, by_class),
    }
    return Part("data", TITLE, "\n\n".join(text), numbers, short)


def _classes(trial: Trial) -> Counter[str]:
    """Count the entities of each class."""
    calls = trial.calls.references.values()
    return Counter(
        span.label for call in calls for span in merge_classes(flat_entities(call.entities or ()))
    )


def _sizes(trial: Trial) -> str:
    calls, classes = trial.calls.references.values(), _classes(trial)
    counted = ", ".join(f"{name} {count:,}" for name, count in classes.most_common())
    return (
        f"{len(calls)} earnings calls of 2020 with {sum(map(len, calls)):,} words (fillers and "
        f"non-speech sounds left out) and {classes.total():,} entities: {counted}."
    )


def _numbers(
    read: dict[str, Sampled], rates: dict[str, float], by_class: ByClass
) -> dict[str, Any]:
    return {
        "word_error_rates": rates,
        "word_error_rates_lower_case": {name: 100 * each.rate for name, each in read.items()},
        "word_error_rates_by_chance": {name: 100 * each.error for name, each in read.items()},
        "by_class": {
            label: {
                name: {"ours": ours, "published": theirs} for name, (ours, theirs) in row.items()
            }
            for label, row in by_class.items()
        },
    }


def published(label: str, recogniser: str) -> float | None:
    """Return Rev's word error rate of a class in per cent."""
    row = paper.CLASS_WER.get(label)
    known = row is not None and recogniser in paper.RECOGNISERS
    return row[paper.RECOGNISERS.index(recogniser)] if row is not None and known else None


def _rates(read: dict[str, Sampled], rates: dict[str, float]) -> str:
    rows = []
    for name, each in read.items():
        theirs = PRINTED.get(name)
        beside = ["–"] * 3 if theirs is None else _beside(100 * each.rate, theirs)
        rows.append(
            [
                name,
                f"{100 * each.rate:.1f}",
                *beside,
                f"{100 * each.error:.1f}",
                f"{rates[name]:.1f}",
            ]
        )
    head = ("lower case", "Rev's", "difference", "in proportion", "by chance", "in this study")
    return make_table(("recogniser", *head), rows)


def _beside(ours: float, theirs: float) -> list[str]:
    return [f"{theirs:.1f}", f"{ours - theirs:+.1f}", f"{ours / theirs - 1:+.1%}"]


def _describe_offsets(read: dict[str, Sampled]) -> str:
    """Say whether one recogniser differs more than the others."""
    off = {
        name: 100 * each.rate / PRINTED[name] - 1 for name, each in read.items() if name in PRINTED
    }
    if not off:
        return "No recogniser has published rates."
    low, high = min(off.values()), max(off.values())
    same = "all are on the same side" if low > 0 or high < 0 else "they are on both sides"
    return (
        f"In proportion to its errors each recogniser is between {low:+.1%} and {high:+.1%} off, "
        f"{float(np.median(list(off.values()))):+.1%} in the median; {same}."
    )


def _by_class(trial: Trial) -> ByClass:
    errors = scoring.by_class(trial.compared)
    labels = sorted({label for _, label in errors} & set(paper.CLASS_WER))
    return {
        label: {
            name: (
                100 * errors[name, label].wrong / errors[name, label].said,
                published(label, name),
            )
            for name in trial.calls.recognised
            if (name, label) in errors and errors[name, label].said
        }
        for label in labels
    }


def _class_table(by_class: ByClass, names: list[str]) -> str:
    def cell(found: tuple[float, float | None] | None) -> str:
        if found is None:
            return "–"
        ours, theirs = found
        return f"{ours:.1f}" + ("" if theirs is None else f" ({theirs:.1f})")

    rows = [[label, *(cell(row.get(name)) for name in names)] for label, row in by_class.items()]
    return make_table(("class", *names), rows)


def _describe_class_offsets(by_class: ByClass) -> str:
    cells: Any = [
        (ours, theirs)
        for row in by_class.values()
        for ours, theirs in row.values()
        if theirs is not None
    ]
    if len(cells) < 2:
        return "No class has published rates."
    ours, theirs = np.array(cells).T
    off = ours - theirs
    return (
        f"Over {len(cells)} cells ours are {np.median(off):+.1f} points off in the median, half of "
        f"them between {np.quantile(off, 0.25):+.1f} and {np.quantile(off, 0.75):+.1f}, and "
        f"correlate with Rev's {np.corrcoef(ours, theirs)[0, 1]:.2f}."
    )
