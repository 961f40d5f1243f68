"""The chapter that tests the paper's claims, and compares with the numbers of a pilot study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from caesura.core.values import Undefined, Value
from caesura.evaluation.comparison import Difference
from caesura.evaluation.reports.table import format_interval
from caesura_studies.claims import (
    Claim,
    Evidence,
    better_system,
    claim,
    claims_table,
    value,
    verdict,
    verdict_summary,
)
from caesura_studies.oba.chapter_tables import NORMAL
from caesura_studies.oba.experiment import (
    CRF_TUNED,
    CRF_VITERBI,
    SDA_ALPHA,
    SDA_ALPHA_BIAS,
    SDA_EQUATION_5,
    SDA_POSTERIOR,
    SDA_RELINKED,
    SVM_GREEDY,
    SVM_TUNED,
    Trial,
)
from caesura_studies.report import (
    Part,
    format_difference,
    format_value,
    make_table,
    markdown_list,
)

TITLE = "The paper's claims"
MAX_LOSS = 0.02
"""A system whose F is lower by at most this does about equally well."""

TITLES = {"f1": "F"}
RIVALS = (CRF_VITERBI, CRF_TUNED)

EXPECTED = {
    "naija": (0.715, 0.735, 0.83, 0.96),
    "french-rhapsodie": (0.675, 0.69, 0.80, 0.95),
    "japanese-gsd": (0.765, 0.785, 0.84, 0.92),
}
"""The least numbers that an earlier pilot study on these treebanks lets us expect."""

EXPECTED_MEASURES = (
    "boundary F, CRF, tuned threshold",
    "boundary F, SDA+CRF, α and bias tuned",
    "right heads, clusters and sentences given",
    "cluster F, CRF, Viterbi",
)


@dataclass(frozen=True)
class Expectation:
    """A number that should be reached, and the number that was found."""

    language: str
    what: str
    expected: float
    found: Value

    @property
    def reached(self) -> bool:
        """Whether the number found is as high, with as many digits as in the tables."""
        return not isinstance(self.found, Undefined) and round(self.found, 3) >= self.expected

    @property
    def verdict(self) -> str:
        """Whether it is reached, and the difference."""
        if isinstance(self.found, Undefined):
            return "undefined"
        apart = format_difference(self.found - self.expected)
        return f"reached ({apart})" if self.reached else f"missed ({apart})"


def chapter(trials: Sequence[Trial]) -> Part:
    """Write the chapter: test each claim."""
    claims, ours = [*_of_the_paper(trials)], [*_ours(trials)]
    marks = [key for trial in trials for key in _expectations(trial)]
    text = [
        "Each claim is decided by tests, one for each treebank: it is supported or contradicted "
        "only if the difference is significant (p below 0.05 after Holm's correction); else it is "
        "open. That a system is not below another takes an interval of the difference that stays "
        f"above −{MAX_LOSS:g}. The paper's SVM and CRF are decided greedily and by Viterbi; "
        "against a tuned threshold, which costs nothing, the same claims are harder.",
        f"Few recordings bound what a test can say: {'; '.join(map(_smallest_p, trials))}. Where "
        "that is near 0.05, *open* may mean no more than too few recordings; the intervals say "
        "more.",
        claims_table(claims),
        "The same of what we have added: a bias for each boundary, and the posterior with a "
        "threshold.",
        claims_table(ours),
        "### In detail",
        *(
            f"**{each.text}** ({each.verdict})\n\n{markdown_list(each.details)}"
            for each in (*claims, *ours)
        ),
        "### Expected and found",
        "A pilot study with other code on the same treebanks lets us expect at least:",
        make_table(
            ("treebank", "measure", "expected", "found", "verdict"),
            [
                [
                    each.language,
                    each.what,
                    format_value(each.expected),
                    format_value(each.found),
                    each.verdict,
                ]
                for each in marks
            ],
            2,
        ),
    ]
    numbers = {
        "claims": [vars(each) | {"verdict": each.verdict} for each in claims],
        "additions": [vars(each) | {"verdict": each.verdict} for each in ours],
        "marks": [vars(each) | {"reached": each.reached} for each in marks],
    }
    reached = sum(each.reached for each in marks)
    missed = "; ".join(
        f"{each.language}, {each.what}: {format_value(each.found)} for "
        f"{format_value(each.expected)}"
        for each in marks
        if not each.reached
    )
    short = [
        *verdict_summary("Claims of the paper", claims),
        *verdict_summary("The same with our additions", ours),
        f"Expected numbers: {reached} of {len(marks)} reached"
        + (f" (not: {missed})." if missed else "."),
    ]
    return Part("claims", TITLE, "\n\n".join(text), numbers, short)


def _smallest_p(trial: Trial) -> str:
    """Give the smallest corrected p-value that the number of recordings allows."""
    units = len(trial.language.units)
    tests = sum(metric == "boundary" for metric, _, _ in trial.tests)
    least = max(2.0 ** (1 - units), 1 / (trial.scores(CRF_TUNED).settings.resampling.resamples + 1))
    return f"{trial.language.name} has {units}, so no corrected p is below {tests * least:.3f}"


def _of_the_paper(trials: Sequence[Trial]) -> Iterator[Claim]:
    yield claim("CRF beats SVM, as in the paper", _comparisons(trials, CRF_VITERBI, SVM_GREEDY))
    yield claim("CRF beats SVM, both tuned", _comparisons(trials, CRF_TUNED, SVM_TUNED))
    for rival in RIVALS:
        yield from (_beats(trials, system, rival) for system in (SDA_EQUATION_5, SDA_ALPHA))
    yield from (_links(trials, SDA_ALPHA, rival) for rival in RIVALS)


def _ours(trials: Sequence[Trial]) -> Iterator[Claim]:
    for rival in RIVALS:
        yield from (_beats(trials, system, rival) for system in (SDA_ALPHA_BIAS, SDA_POSTERIOR))
    for rival in RIVALS:
        yield from (
            _links(trials, system, rival)
            for system in (SDA_ALPHA_BIAS, SDA_POSTERIOR, SDA_RELINKED)
        )


def _beats(trials: Sequence[Trial], system: str, rival: str) -> Claim:
    return claim(f"boundaries: {system} beats {rival}", _comparisons(trials, system, rival))


def _links(trials: Sequence[Trial], system: str, rival: str) -> Claim:
    text = f"dependencies: {system} is not below {rival}{NORMAL}"
    return claim(text, _not_below(trials, system, rival))


def _comparisons(trials: Sequence[Trial], one: str, other: str) -> Iterator[Evidence]:
    for trial in trials:
        row = trial.tests["boundary", one, other]
        yield better_system(row), f"{trial.language.name}: {_describe(row, one, other)}"


def _not_below(trials: Sequence[Trial], one: str, other: str) -> Iterator[Evidence]:
    for trial in trials:
        row = trial.tests["dependency", one, other]
        yield not_below(row), f"{trial.language.name}: {_describe(row, one, other)}"


def not_below(row: Difference) -> int:
    """Return 1 if the first system is about as good or better, -1 if it is worse, 0 if open."""
    if better_system(row) < 0:
        return -1
    return int(row.interval is not None and row.interval[0] > -MAX_LOSS)


def _describe(row: Difference, one: str, other: str) -> str:
    return f"{verdict(row, one, other, TITLES)}; interval {format_interval(row.interval)}"


def _expectations(trial: Trial) -> Iterator[Expectation]:
    expected = EXPECTED[trial.language.key]
    found = (
        value(trial.scores(CRF_TUNED), "f1"),
        value(trial.scores(SDA_ALPHA_BIAS), "f1"),
        trial.attachment[0],
        value(trial.scores(CRF_VITERBI, "cluster"), "f1"),
    )
    for what, least, ours in zip(EXPECTED_MEASURES, expected, found, strict=True):
        yield Expectation(trial.language.name, what, least, ours)
