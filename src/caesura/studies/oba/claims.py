"""What the paper claims, and what was to be expected, decided by the numbers of the study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from caesura.comparison import Difference
from caesura.contracts import Undefined, Value
from caesura.reports.grid import between
from caesura.studies.claims import Claim, Told, claim, grouped, laid_out
from caesura.studies.measures import better, value
from caesura.studies.oba.trials import (
    BOTH,
    CHOSEN,
    COMBINED,
    GREEDY,
    MARGIN,
    VITERBI,
    Trial,
)
from caesura.studies.verdicts import verdict
from caesura.studies.writing import Part, listed, number, signed, table

TITLE = "What this says of the paper's claims"
SLACK = 0.02
"""F by which a system may be lower that does about as well."""

TITLES = {"f1": "F"}

MARKS = {
    "naija": (0.715, 0.735, 0.83, 0.96),
    "french-rhapsodie": (0.675, 0.69, 0.80, 0.95),
    "japanese-gsd": (0.765, 0.785, 0.84, 0.92),
}
"""What an earlier probe on these treebanks leads to expect at least."""

MARKED = (
    "boundary F, CRF, tuned threshold",
    "boundary F, SDA+CRF, α and bias tuned",
    "right heads, clusters and sentences given",
    "cluster F, CRF, Viterbi",
)


@dataclass(frozen=True)
class Mark:
    """A number that is to be reached, and what was found."""

    language: str
    what: str
    expected: float
    found: Value

    @property
    def reached(self) -> bool:
        """Whether what was found is as high, with as many digits as the tables have."""
        return not isinstance(self.found, Undefined) and round(self.found, 3) >= self.expected

    @property
    def verdict(self) -> str:
        """Say so, or how much is lacking."""
        if isinstance(self.found, Undefined):
            return "undefined"
        apart = signed(self.found - self.expected)
        return f"reached ({apart})" if self.reached else f"missed ({apart})"


def chapter(trials: Sequence[Trial]) -> Part:
    """Hold each claim against the numbers."""
    claims = [*_claims(trials)]
    marks = [mark for trial in trials for mark in _marks(trial)]
    text = [
        "Each claim is decided by tests, one for each treebank: it is borne out, or spoken "
        "against, only if chance does not explain the difference (p below 0.05 after Holm's "
        "correction); else it is open. That a system is not below another takes an interval of "
        f"the difference that stays above −{SLACK:g}. The paper's SVM and CRF are decided "
        "greedily and by Viterbi; against a tuned threshold, which costs nothing, the same claims "
        "are harder.",
        laid_out(claims),
        "### In detail",
        *(f"**{each.text}** ({each.verdict})\n\n{listed(each.details)}" for each in claims),
        "### Expected and found",
        "An earlier probe with other code on the same treebanks leads to expect at least:",
        table(
            ("treebank", "measure", "expected", "found", "verdict"),
            [
                [each.language, each.what, number(each.expected), number(each.found), each.verdict]
                for each in marks
            ],
            2,
        ),
    ]
    numbers = {
        "claims": [vars(each) | {"verdict": each.verdict} for each in claims],
        "marks": [vars(each) | {"reached": each.reached} for each in marks],
    }
    reached = sum(each.reached for each in marks)
    missed = "; ".join(
        f"{each.language}, {each.what}: {number(each.found)} for {number(each.expected)}"
        for each in marks
        if not each.reached
    )
    short = [
        *grouped("Claims of the paper", claims),
        f"Expected numbers: {reached} of {len(marks)} reached"
        + (f" (not: {missed})." if missed else "."),
    ]
    return Part("claims", TITLE, "\n\n".join(text), numbers, short)


def _claims(trials: Sequence[Trial]) -> Iterator[Claim]:
    yield claim("the CRF beats the SVM, as in the paper", _duels(trials, VITERBI, GREEDY))
    yield claim("the CRF beats the SVM, both tuned", _duels(trials, CHOSEN, MARGIN))
    for system, rival in ((system, rival) for rival in (VITERBI, CHOSEN) for system in COMBINED):
        text = f"{system} beats {rival}: boundaries"
        yield claim(text, _duels(trials, system, rival))
    for system, rival in (
        (system, rival) for rival in (VITERBI, CHOSEN) for system in COMBINED[1:]
    ):
        text = f"{system} is not below {rival}, and normal links: dependencies"
        yield claim(text, _not_below(trials, system, rival))


def _duels(trials: Sequence[Trial], one: str, other: str) -> Iterator[Told]:
    for trial in trials:
        row = trial.tests["boundary", one, other]
        yield better(row), f"{trial.language.name}: {_said(row, one, other)}"


def _not_below(trials: Sequence[Trial], one: str, other: str) -> Iterator[Told]:
    for trial in trials:
        row = trial.tests["dependency", one, other]
        yield not_below(row), f"{trial.language.name}: {_said(row, one, other)}"


def not_below(row: Difference) -> int:
    """Say whether the first is surely about as good or better, surely worse, or it is open."""
    if better(row) < 0:
        return -1
    return int(row.interval is not None and row.interval[0] > -SLACK)


def _said(row: Difference, one: str, other: str) -> str:
    return f"{verdict(row, one, other, TITLES)}; interval {between(row.interval)}"


def _marks(trial: Trial) -> Iterator[Mark]:
    expected = MARKS[trial.language.key]
    found = (
        value(trial.scores(CHOSEN), "f1"),
        value(trial.scores(BOTH), "f1"),
        trial.attachment[0],
        value(trial.scores(VITERBI, "cluster"), "f1"),
    )
    for what, least, ours in zip(MARKED, expected, found, strict=True):
        yield Mark(trial.language.name, what, least, ours)
