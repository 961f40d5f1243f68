"""The chapter that tests the paper's claims."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from caesura.core.arrays import Strings
from caesura.core.values import Undefined
from caesura.evaluation.reports.table import format_interval, format_p
from caesura.evaluation.resampling import holm
from caesura_studies.atene.chapter_preparation import Prepared
from caesura_studies.atene.chapter_table2 import worst_recogniser
from caesura_studies.atene.correlations import Table, Test, is_below
from caesura_studies.atene.experiment import APART, SHARED, TRAINED, Trial
from caesura_studies.atene.plan import MAIN, ORDER
from caesura_studies.atene.scoring import VARIANTS
from caesura_studies.atene.text_preparation import ALL, NAMES, SPELT, VIEWS
from caesura_studies.claims import SIGNIFICANCE_LEVEL, Claim, claim, claims_table, verdict_summary
from caesura_studies.report import (
    Part,
    format_difference,
    format_value,
    make_table,
    markdown_list,
)

TITLE = "The paper's claims"

CAPITALS = "ATENE is better without capitals (which no tagger sees here)"

EXPECTED = {
    ("all", "WER"): 0.527,
    ("all", "NE-WER"): 0.563,
    ("all", "ATENE"): 0.666,
    ("all", MAIN): 0.687,
    ("names", "WER"): 0.487,
    ("names", "NE-WER"): 0.495,
    ("names", "ATENE"): 0.643,
    ("names", MAIN): 0.712,
}
"""Correlations of an earlier pilot study on these calls; half of them trained taggers and ATENE."""


@dataclass(frozen=True)
class ClaimTest:
    """A test for a claim: the claim, the data it is made on, and the test."""

    claim: str
    where: str
    test: Test

    @property
    def sign(self) -> int:
        """1 if the first measure is significantly better, -1 if the second is, 0 if it is open."""
        difference = self.test.difference
        if isinstance(difference, Undefined) or self.test.p_corrected >= SIGNIFICANCE_LEVEL:
            return 0
        return 1 if difference > 0 else -1

    @property
    def describe(self) -> str:
        """Which measure is better, by how much and with which p-value."""
        test = self.test
        if isinstance(test.difference, Undefined):
            return f"{self.where}: open ({test.one} − {test.other}: {test.difference.reason})"
        said = {1: f"{test.one} is ahead", -1: f"{test.other} is ahead", 0: "open"}[self.sign]
        return (
            f"{self.where}: {said} ({test.one} − {test.other} {format_difference(test.difference)} "
            f"{format_interval(test.interval)}, p {format_p(test.p)}, corrected "
            f"{format_p(test.p_corrected)})"
        )


def run_claim_tests(trial: Trial, preparations: Sequence[Prepared]) -> list[ClaimTest]:
    """Run all tests, with Holm's correction for their number."""
    found = [*_of_the_paper(trial), *_of_variants(trial), *_of_preparations(preparations)]
    corrected = holm([each.test.p for each in found])
    return [
        replace(each, test=replace(each.test, p_corrected=p))
        for each, p in zip(found, corrected, strict=True)
    ]


def _tables(trial: Trial) -> Iterator[tuple[str, Table, Strings]]:
    """Return the tables with and without the worst recogniser."""
    for view in (ALL, NAMES):
        for apart in dict.fromkeys(((), worst_recogniser(trial))):
            where = f"{view.title}, without {apart[0]}" if apart else view.title
            yield where, trial.tables[view.key, APART], apart


def _of_the_paper(trial: Trial) -> Iterator[ClaimTest]:
    for one, other in ((MAIN, "NE-WER"), ("NE-WER", "WER"), (MAIN, "WER")):
        for where, found, apart in _tables(trial):
            yield ClaimTest(
                f"{one} predicts ETER better than {other}", where, found.tested(one, other, apart)
            )
    for where, found, apart in _tables(trial):
        if "ATENE" in found.measures:
            test = found.tested(MAIN, "ATENE", apart)
            yield ClaimTest("affixes make ATENE better", where, test)
    whole = trial.tables[ALL.key, APART]
    for title in (MAIN, "ATENE"):
        if f"{title}, capitals" in whole.measures:
            test = whole.tested(title, f"{title}, capitals")
            yield ClaimTest(CAPITALS, ALL.title, test)


def _of_variants(trial: Trial) -> Iterator[ClaimTest]:
    for view in (ALL, NAMES):
        found = trial.tables[view.key, APART]
        for title in VARIANTS:
            if title != "NE-WER":
                text = f"{MAIN} beats NE-WER however that is read"
                yield ClaimTest(text, view.title, found.tested(MAIN, title))
    for (key, trained), found in trial.tables.items():
        if trained != APART:
            title = next(view.title for view in VIEWS if view.key == key)
            text = f"{MAIN} beats NE-WER whatever both learn from"
            where = f"{TRAINED[trained]}, {title}"
            yield ClaimTest(text, where, found.tested(MAIN, "NE-WER"))


def _of_preparations(preparations: Sequence[Prepared]) -> Iterator[ClaimTest]:
    for each in preparations:
        if each.preparation != SPELT:
            text = f"{MAIN} beats NE-WER in texts prepared otherwise"
            yield ClaimTest(text, each.where, each.found.tested(MAIN, "NE-WER"))


def chapter(trial: Trial, preparations: Sequence[Prepared]) -> Part:
    """Write the chapter: test each claim."""
    found = run_claim_tests(trial, preparations)
    claims = [_claim(text, found) for text in dict.fromkeys(each.claim for each in found)]
    text = [
        "Each claim is decided by tests of mean correlations over calls and taggers: approximate "
        f"randomization over calls, p below {SIGNIFICANCE_LEVEL:g} after Holm's correction for all "
        f"{len(found)} of them; else it is open. All taggers are included.",
        claims_table(claims),
        _by_tagger(trial),
        "### In detail",
        *(f"**{each.text}** ({each.verdict})\n\n{markdown_list(each.details)}" for each in claims),
        "### Expected and found",
        "A pilot study with other code on these calls trained both taggers and ATENE on one half "
        "of them and evaluated on the other. So it is compared with the results here for training "
        "on the same calls (a quarter of them), where these were measured:",
        _expected(trial),
    ]
    numbers = {
        "claims": [vars(each) | {"verdict": each.verdict} for each in claims],
        "tests": [vars(each) | {"sign": each.sign} for each in found],
    }
    short = verdict_summary("Claims", claims)
    return Part("claims", TITLE, "\n\n".join(text), numbers, short)


def _claim(text: str, found: list[ClaimTest]) -> Claim:
    return claim(text, ((each.sign, each.describe) for each in found if each.claim == text))


def _by_tagger(trial: Trial) -> str:
    """Say for which taggers the order of the paper holds."""
    description = []
    for where, found, apart in _tables(trial):
        means = found.means(apart)
        order = [means[title].taggers for title in ORDER]
        names = [
            name
            for name in found.eter
            if is_below(order[0][name], order[1][name]) and is_below(order[1][name], order[2][name])
        ]
        best = [name for name in found.eter if is_below(order[1][name], order[2][name])]
        description.append(
            f"{where}: {MAIN} is above NE-WER for {len(best)} of {len(found.eter)} taggers, and "
            f"NE-WER above WER as well for {len(names)}"
        )
    return markdown_list(description)


def _expected(trial: Trial) -> str:
    rows = []
    for (key, title), probe in EXPECTED.items():
        for trained in (SHARED, APART):
            means = trial.tables[key, trained].means()
            if title in means:
                value = means[title].value
                off = "–" if isinstance(value, Undefined) else format_difference(value - probe)
                view = next(view.title for view in VIEWS if view.key == key)
                found = (format_value(probe), format_value(value), off)
                rows.append([view, title, TRAINED[trained], *found])
                break
    return make_table(("classes", "measure", "here", "probe", "found", "difference"), rows, 3)
