"""The chapter on gaps where the SVM and the CRF decide differently, and which of them is right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb

import numpy as np

from caesura.core.arrays import Flags, Floats, Indices, Strings
from caesura.core.transcript import Transcript
from caesura.evaluation.reports.table import format_p
from caesura.evaluation.resampling import holm
from caesura.text.cluster_rules import cluster_starts
from caesura_studies.claims import SIGNIFICANCE_LEVEL
from caesura_studies.oba.corpora import detector_input, inner_boundaries
from caesura_studies.oba.experiment import Trial
from caesura_studies.report import Part, format_share, make_table

TITLE = "Where SVM and CRF differ"
MIN_GAPS = 20
"""A class is tested only if so many gaps have exactly one correct system."""

MAX_SHOWN = 8
"""Classes of each treebank that the report shows."""

PAUSES = ((0.05, "none"), (0.2, "below 0.2 s"), (0.5, "0.2 to 0.5 s"), (np.inf, "0.5 s and more"))
LENGTHS = ((4, "1 to 3"), (8, "4 to 7"), (16, "8 to 15"), (np.inf, "16 and more"))
"""Upper limits of classes, and their names."""

Classes = Mapping[str, Strings]
"""The criterion of a classification, and the class of each gap."""


@dataclass(frozen=True)
class Class:
    """A class of gaps: how many are boundaries, and on how many only one of the two is right."""

    kind: str
    name: str
    gaps: int
    real: int
    svm: int
    crf: int
    p: float
    p_corrected: float = 1.0


@dataclass(frozen=True)
class Differing:
    """The gaps of a language on which the two differ."""

    gaps: int
    differing: int
    found: Mapping[str, int]
    """Boundaries and false boundaries that only one of the two finds."""
    classes: tuple[Class, ...]


def count_differences(trial: Trial) -> Differing:
    """Classify the gaps of the evaluation recordings, in one order, and count."""
    recordings = trial.language.first_orders
    shown = [detector_input(each) for each in recordings]
    real = np.concatenate([inner_boundaries(each) for each in recordings])
    svm, crf = (
        np.concatenate([each.boundary[:-1] for each in detector.detect_all(shown)])
        for detector in (trial.svm, trial.crf)
    )
    classed = [classes_of(each) for each in recordings]
    return Differing(
        len(real),
        int((svm != crf).sum()),
        {
            "boundaries that only the SVM finds": int((real & svm & ~crf).sum()),
            "boundaries that only the CRF finds": int((real & crf & ~svm).sum()),
            "false ones of the SVM alone": int((~real & svm & ~crf).sum()),
            "false ones of the CRF alone": int((~real & crf & ~svm).sum()),
        },
        tuple(_count_classes(classed, real, svm == real, crf == real)),
    )


def classes_of(recording: Transcript) -> Classes:
    """Classify each gap of a recording but the last by its context."""
    inner = inner_boundaries(recording)
    at = np.arange(len(inner))
    begun = np.maximum.accumulate(np.where(np.append(True, inner[:-1])[: len(at)], at, 0))
    count_differences = {"words since the last boundary": _bin_names(at - begun + 1, LENGTHS)}
    begins = cluster_starts(recording)
    if begins is not None:
        names = ("inside a cluster", "between clusters")
        count_differences["gap"] = tuple(names[int(each)] for each in begins[1:])
    if recording.tag is not None:
        count_differences["word before"] = recording.tag[:-1]
        count_differences["word after"] = recording.tag[1:]
    if recording.start is not None:
        pauses = np.nan_to_num(recording.pauses()[:-1], nan=0.0)
        count_differences["pause"] = _bin_names(pauses, PAUSES)
    return count_differences


def _bin_names(numbers: Floats | Indices, bins: Sequence[tuple[float, str]]) -> Strings:
    places = np.searchsorted([end for end, _ in bins], numbers, side="right")
    return tuple(bins[place][1] for place in places.tolist())


def _count_classes(
    classed: Sequence[Classes], real: Flags, svm: Flags, crf: Flags
) -> Iterator[Class]:
    """Count and test each class that has enough gaps."""
    rows = []
    for kind in dict.fromkeys(kind for each in classed for kind in each):
        if not all(kind in each for each in classed):
            continue
        names = np.array([name for each in classed for name in each[kind]])
        for name in np.unique(names).tolist():
            here = names == name
            alone = int((here & svm & ~crf).sum()), int((here & crf & ~svm).sum())
            if sum(alone) >= MIN_GAPS:
                sizes = int(here.sum()), int((here & real).sum())
                rows.append(Class(kind, name, *sizes, *alone, sign_test(*alone)))
    corrected = holm([each.p for each in rows])
    for each, p in zip(rows, corrected, strict=True):
        yield replace(each, p_corrected=p)


def sign_test(one: int, other: int) -> float:
    """Return the two-sided p-value of a split if both are equally good (exact McNemar test)."""
    count, least = one + other, min(one, other)
    tail = sum(comb(count, at) for at in range(least + 1))
    return min(1.0, float(Fraction(2 * tail, 2**count)))


def chapter(differing: Mapping[str, Differing]) -> Part:
    """Write the chapter on the differences."""
    text = [
        "Both with tuned thresholds. Counted are gaps on which exactly one of the two is right, in "
        "classes of gaps by their context; those classes are shown in which one of them is ahead "
        "most clearly. p is of an exact sign test with Holm's correction for all classes of a "
        f"treebank with at least {MIN_GAPS} such gaps; gaps of a recording are not independent, so "
        "p is too small.",
    ]
    for name, each in differing.items():
        rows = [
            [
                *(row.kind, row.name, f"{row.gaps:,}", f"{row.real:,}"),
                *(str(row.svm), str(row.crf), format_p(row.p), format_p(row.p_corrected)),
            ]
            for row in _clearest(each)
        ]
        head = ("class by", "class", "gaps", "boundaries", "only SVM right", "only CRF right")
        text += [
            f"### {name}",
            f"They differ on {format_share(each.differing, each.gaps)} gaps: "
            + ", ".join(f"{kind} {count}" for kind, count in each.found.items())
            + ".",
            make_table((*head, "p", "p (Holm)"), rows, 2),
            _summarise(each),
        ]
    short = [f"SVM against CRF, {name}: {_summarise(each)}" for name, each in differing.items()]
    return Part("differing", TITLE, "\n\n".join(text), dict(differing), short)


def _clearest(differing: Differing) -> list[Class]:
    return sorted(differing.classes, key=lambda each: each.p)[:MAX_SHOWN]


def _summarise(differing: Differing) -> str:
    """Name the classes in which one system is significantly better."""
    description = []
    for name, sign in (("CRF", 1), ("SVM", -1)):
        ahead = [
            f"{each.kind}: {each.name}"
            for each in differing.classes
            if each.p_corrected < SIGNIFICANCE_LEVEL and (each.crf - each.svm) * sign > 0
        ]
        if ahead:
            description.append(f"the {name} is ahead where ({'), ('.join(ahead)})")
    return f"{'; '.join(description) or 'in no class is one of them ahead beyond chance'}."
