"""The chapter on disagreements of taggers and ATENE: by recogniser, by class, and by entity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from caesura.core.arrays import Flags, Floats
from caesura.core.values import Undefined, Value
from caesura.evaluation.correlation import ranks
from caesura.metrics.entity_words import EntityWords
from caesura.text.alignment.transfer import project_spans
from caesura_studies.atene.correlations import Table, is_below
from caesura_studies.atene.experiment import APART, REFERENCE, Trial
from caesura_studies.atene.plan import MAIN, ORDER
from caesura_studies.atene.scoring import Column, Costs, Key
from caesura_studies.atene.text_preparation import ALL, View
from caesura_studies.report import Part, format_value, make_table

TITLE = "Where taggers and ATENE disagree"
MISSED, SEEN = "missed by ATENE", "seen by ATENE alone"
MAX_EXAMPLES = 6
"""Examples of each kind."""

BY_RECOGNISER = """\
The mean rank of each recogniser over calls (1 is best): by ETER, the mean over taggers, and by \
each measure. A measure errs where its rank is not that of ETER."""

BY_CLASS = """\
All recognisers and calls together, entities of classes that ATENE was trained on. *Misheard*: \
entities with a wrong word. *Harm*: how much more an entity costs in ETER than in the reference, \
the mean over taggers. *ATENE*: the mean fall of its margins. The last columns say how well \
misheard words, and the fall of margins, tell entities that a tagger loses (that cost more than in \
the reference) from the others: the share of pairs in the right order, the mean over taggers; 0.5 \
is chance."""


@dataclass(frozen=True)
class Cases:
    """Entities that ATENE scores, as they were recognised: one element or row for each.

    `harm` has a column for each tagger: by how much the entity costs more than in the reference.
    """

    label: tuple[str, ...]
    loss: Floats
    misheard: Flags
    harm: Floats
    texts: tuple[tuple[str, str, str], ...]
    """The recogniser, the reference words and the recognised words."""


def cases(trial: Trial, view: View = ALL) -> Cases:
    """Collect all data of every entity."""
    risks, found = trial.risks(view, MAIN, trial.plan.features[MAIN]), trial.entity_costs(view)
    label: list[str] = []
    loss: list[float] = []
    misheard: list[Flags] = []
    harm: list[Floats] = []
    texts: list[tuple[str, str, str]] = []
    for key, both in trial.compared.items():
        every = view.spans(both.reference.entities or ())
        losses = risks[key].losses
        known = np.array([span.key in losses for span in every], np.bool_)
        spans = [span for span in every if span.key in losses]
        label += [span.label for span in spans]
        loss += [losses[span.key] for span in spans]
        misheard.append(EntityWords.of(every, both.aligned, "inside").errors[known] > 0)
        harm.append(np.stack([_added_costs(cells, key) for cells in found.values()], axis=1)[known])
        for span, place in zip(spans, project_spans(spans, both.aligned), strict=True):
            said = " ".join(both.reference.words[span.first : span.last + 1])
            recognised = " ".join(both.hypothesis.words[place.first : place.last + 1])
            texts.append((key[0], said, recognised))
    return Cases(
        tuple(label), np.array(loss), np.concatenate(misheard), np.concatenate(harm), tuple(texts)
    )


def _added_costs(cells: Mapping[Key, Costs], key: Key) -> Floats:
    """Return by how much each entity costs more than in the reference."""
    before = cells[REFERENCE, key[1]]
    known = dict(zip(before.keys, before.each.tolist(), strict=True))
    now = cells[key]
    more: Floats = now.each - np.array([known.get(each, 1.0) for each in now.keys])
    return more


def roc_area(scores: Floats, real: Flags) -> Value:
    """Return how often a score is higher where `real` is true (area under the ROC curve)."""
    yes, no = int(real.sum()), int((~real).sum())
    if not yes or not no:
        return Undefined("there are no two kinds")
    return float((ranks(scores)[real].sum() - yes * (yes + 1) / 2) / (yes * no))


def chapter(trial: Trial) -> Part:
    """Write the chapter: ranks of recognisers, classes of entities, and single entities."""
    found, whole = cases(trial), trial.tables[ALL.key, APART]
    order = mean_ranks(whole)
    classes = by_class(found)
    agreed = agreement(whole)
    text = [
        "### By recogniser",
        BY_RECOGNISER,
        _ranks(order, whole),
        "Of all pairs of recognisers in a call, "
        + ", ".join(f"{name} orders {share:.1%}" for name, share in agreed.items())
        + " as the mean ETER over taggers does.",
        "### By class",
        BY_CLASS,
        _classes(classes),
        "### Single entities",
        "Where most taggers fail as the margins do not fall, and where margins fall most though "
        "no tagger fails:",
        *_examples(found),
        _summarise(found, order, classes),
    ]
    numbers = {"ranks": order, "agreement": agreed, "classes": classes}
    short = (_summarise(found, order, classes),)
    return Part("analysis", TITLE, "\n\n".join(text), numbers, short)


def mean_ranks(found: Table) -> dict[str, dict[str, float]]:
    """Rank recognisers in each call, and average the ranks."""
    columns = {"ETER": _mean_eter(found)} | {name: found.measures[name] for name in ORDER}
    names = found.recognisers
    calls = _calls_with_all_numbers(columns)
    made: dict[str, dict[str, float]] = {}
    for title, column in columns.items():
        rows = np.array([ranks([column[name, call] for name in names]) for call in calls])
        made[title] = dict(zip(names, rows.mean(axis=0).tolist(), strict=True))
    return made


def _calls_with_all_numbers(columns: Mapping[str, Column]) -> list[str]:
    """Name the calls in which every recogniser has all the numbers."""
    calls = {call for column in columns.values() for _, call in column}
    lacking = {
        call for column in columns.values() for (_, call), cell in column.items() if cell != cell
    }
    return sorted(calls - lacking)


def _mean_eter(found: Table) -> dict[Key, float]:
    columns = list(found.eter.values())
    return {key: float(np.mean([each[key] for each in columns])) for key in columns[0]}


def agreement(found: Table) -> dict[str, float]:
    """Return the share of pairs of recognisers that measures order as the mean ETER does."""
    eter, measures = _mean_eter(found), {title: found.measures[title] for title in ORDER}
    calls = _calls_with_all_numbers({"ETER": eter, **measures})
    made = {}
    for title, measure in measures.items():
        same, count = 0, 0
        for call in calls:
            one, other = (
                np.array([column[name, call] for name in found.recognisers])
                for column in (eter, measure)
            )
            first, second = np.triu_indices(len(one), 1)
            apart = np.sign(one[first] - one[second]), np.sign(other[first] - other[second])
            same, count = same + int((apart[0] == apart[1]).sum()), count + len(first)
        made[title] = same / max(count, 1)
    return made


def by_class(found: Cases) -> dict[str, dict[str, Value]]:
    """Average over the entities of each class."""
    labels = np.array(found.label)
    made = {}
    for label in ("all", *sorted(set(found.label))):
        here = np.ones(len(labels), np.bool_) if label == "all" else labels == label
        lost = found.harm[here] > 0
        made[label] = {
            "entities": float(here.sum()),
            "misheard": float(found.misheard[here].mean()),
            "harm": float(found.harm[here].mean()),
            "loss": float(found.loss[here].mean()),
            "by_words": _mean([roc_area(found.misheard[here], each) for each in lost.T]),
            "by_margins": _mean([roc_area(found.loss[here], each) for each in lost.T]),
        }
    return made


def _mean(values: Sequence[Value]) -> Value:
    known = [each for each in values if not isinstance(each, Undefined)]
    return float(np.mean(known)) if known else Undefined("there are no two kinds")


def examples(found: Cases) -> Iterator[list[str]]:
    """Return the clearest cases of disagreement, each text once."""
    failing, taggers = (found.harm > 0).sum(axis=1), found.harm.shape[1]
    kinds = {
        MISSED: ((2 * failing > taggers) & (found.loss <= 0), (found.loss, -failing)),
        SEEN: ((failing == 0) & (found.loss > 0), (-found.loss,)),
    }
    for kind, (so, by) in kinds.items():
        seen: set[tuple[str, str]] = set()
        order = np.lexsort(by)
        for at in order[so[order]].tolist():
            recogniser, said, recognised = found.texts[at]
            if (said, recognised) in seen or len(seen) == MAX_EXAMPLES:
                continue
            seen.add((said, recognised))
            lost = f"{failing[at]} of {taggers}"
            fall = f"{found.loss[at]:+.2f}"
            yield [kind, found.label[at], recogniser, said, recognised or "–", lost, fall]


def _examples(found: Cases) -> Iterator[str]:
    """Write the table of examples, and name the kinds without any."""
    rows = list(examples(found))
    if rows:
        head = ("", "class", "recogniser", "said", "recognised", "taggers that lose it", "fall")
        yield make_table(head, rows, 5)
    for kind in (MISSED, SEEN):
        if not any(row[0] == kind for row in rows):
            yield f"No entity is {kind}."


def _ranks(order: Mapping[str, Mapping[str, float]], found: Table) -> str:
    names = sorted(found.recognisers, key=order["ETER"].__getitem__)
    rows = [[name, *(f"{order[title][name]:.2f}" for title in order)] for name in names]
    return make_table(("recogniser", *order), rows)


def _classes(classes: Mapping[str, Mapping[str, Value]]) -> str:
    rows = [
        [label, f"{row['entities']:,.0f}", *(format_value(row[name]) for name in list(row)[1:])]
        for label, row in classes.items()
    ]
    head = ("class", "entities", "misheard", "harm", "ATENE", "told by words", "told by margins")
    return make_table(head, rows)


def _summarise(
    found: Cases,
    order: Mapping[str, Mapping[str, float]],
    classes: Mapping[str, Mapping[str, Value]],
) -> str:
    """Summarise the numbers in words."""
    whole = classes["all"]
    ahead = [
        label
        for label, row in classes.items()
        if label != "all" and is_below(row["by_margins"], row["by_words"])
    ]
    description = ", ".join(
        f"{title} {_largest_rank_error(order[title], order['ETER'])}" for title in ORDER
    )
    return (
        f"Mean ranks: {description}. {_describe_unharmed(found)} The fall of margins tells lost "
        f"entities from others with {format_value(whole['by_margins'])}, misheard words with "
        f"{format_value(whole['by_words'])}; words tell more in {', '.join(ahead) or 'no class'}."
    )


def _describe_unharmed(found: Cases) -> str:
    if not found.misheard.any():
        return "No entity is misheard."
    share = (found.harm[found.misheard] <= 0).mean()
    return f"A misheard entity costs a tagger nothing in {share:.0%} of cases."


def _largest_rank_error(ranks: Mapping[str, float], real: Mapping[str, float]) -> str:
    """Name the recogniser whose rank is furthest from its rank by ETER."""
    name = max(ranks, key=lambda name: abs(ranks[name] - real[name]))
    if ranks[name] == real[name]:
        return "is off nowhere"
    return f"is furthest off on {name} ({ranks[name]:.2f} for {real[name]:.2f})"
