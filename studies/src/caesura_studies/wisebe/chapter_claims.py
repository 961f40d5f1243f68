"""The chapter that tests the paper's claims on its own numbers and on our data."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from caesura.core.values import Undefined, Value
from caesura.evaluation.correlation import pearson_with_interval
from caesura.evaluation.reports.table import format_interval
from caesura.evaluation.resampling import Interval, bootstrap_sums, percentile_interval
from caesura_studies.report import (
    Part,
    Picture,
    draw_points,
    format_difference,
    format_share,
    format_value,
    make_table,
    with_interval,
)
from caesura_studies.wisebe import chapter_checks, paper
from caesura_studies.wisebe.chapter_agreement import RESAMPLING, CorpusAgreement
from caesura_studies.wisebe.chapter_rankings import Ranking
from caesura_studies.wisebe.paper import SYSTEMS, VIDEOS
from caesura_studies.wisebe.system_pairs import difference, disagree, winner

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PAPER_LABEL = f"paper, {len(paper.REFERENCES)} references"


def chapter(agreements: Sequence[CorpusAgreement], rankings: Sequence[Ranking]) -> Part:
    """Write the chapter on the paper's claims."""
    text = [
        f"### R_GAR correlates with kappa (correlation {paper.CORRELATION})",
        _correlations(agreements),
        f"### Annotators agree with R_GAR from {paper.LOWEST[1]} to {paper.HIGHEST[1]}",
        _range(agreements),
        "### S2 is the better system, and WiSeBE may rank otherwise than mean F1",
        _mean_differences(),
    ]
    if rankings:
        text += ["### The ranking depends on the reference", _rankings(rankings)]
    drawn = Picture(
        "agreement.svg", "Kappa over R_GAR, by recording", (6.0, 4.5), partial(_draw, agreements)
    )
    numbers = {
        "correlation": _correlation(),
        "differences": {n: _difference_by_video(n) for n in paper.SCORES},
    }
    description = ", ".join(
        f"{name} {with_interval(*_difference_by_video(name)[1:])}" for name in paper.SCORES
    )
    short = (
        f"The paper's claims: over its ten videos the correlation is "
        f"{with_interval(*_correlation())}, and S1 − S2 is in {description}."
    )
    title = "The paper's claims"
    return Part("claims", title, "\n\n".join(text), numbers, (short,), (drawn,))


def _correlation() -> tuple[Value, Interval | Undefined]:
    return pearson_with_interval(*chapter_checks.agreement(), resampling=RESAMPLING)


def _correlations(agreements: Sequence[CorpusAgreement]) -> str:
    value, limits = _correlation()
    rows = [[PAPER_LABEL, str(len(VIDEOS)), format_value(value), format_interval(limits)]]
    for each in agreements:
        ours, around = each.correlation
        rows.append(
            [
                _name_and_references(each),
                str(len(each.kappas)),
                format_value(ours),
                format_interval(around),
            ]
        )
    return (
        make_table(("data", "recordings", "Pearson", "95% interval"), rows)
        + "\n\nSuch a correlation is to be expected and says little in favour of R_GAR: both are "
        "made of the same counts. Of two references it is mere arithmetic: R_GAR is F1 / (2 − F1), "
        "and kappa of rare boundaries is nearly F1. What sets them apart is elsewhere: kappa "
        "allows for chance, and R_GAR moves with the number of references."
    )


def _name_and_references(agreement: CorpusAgreement) -> str:
    return f"{agreement.corpus.name}, {len(agreement.texts)} references"


def _range(agreements: Sequence[CorpusAgreement]) -> str:
    low, high = (float(ratio) for _, ratio in (paper.LOWEST, paper.HIGHEST))
    description = []
    for each in agreements:
        inside = sum(low <= ratio <= high for ratio, _ in each.kappas)
        share = format_share(inside, len(each.kappas))
        description.append(f" On {each.corpus.name} it lies there in {share} recordings.")
    return (
        "The paper's evaluators marked sentences in the same words, and had instructions; ours "
        f"wrote their own words, each by their own conventions.{''.join(description)} R_GAR is "
        "also the ceiling of WiSeBE: no system, however good, can score more."
    )


def _difference_by_video(name: str) -> tuple[list[float], float, Interval | Undefined]:
    """Return S1 minus S2 in each video (Table 5), their mean and its interval."""
    one, other = ([float(paper.TABLE_5[v, s, name]) for v in VIDEOS] for s in SYSTEMS)
    found = np.subtract(one, other)
    drawn = [float(total) / len(found) for (total,) in bootstrap_sums([found], RESAMPLING)]
    return found.tolist(), float(found.mean()), percentile_interval(drawn, RESAMPLING.level)


def _mean_differences() -> str:
    rows = []
    for name in paper.SCORES:
        found, mean, limits = _difference_by_video(name)
        won = f"{sum(d > 0 for d in found)} : {sum(d < 0 for d in found)}"
        rows.append([name, format_difference(mean), format_interval(limits), won])
    by_mean, by_wisebe = (_difference_by_video(name)[0] for name in (paper.MEAN_F1, paper.WISEBE))
    turned = [
        video
        for video, a, b in zip(VIDEOS, by_mean, by_wisebe, strict=True)
        if disagree(winner(a, 0), winner(b, 0))
    ]
    return (
        "By the paper's own Table 5 (means of rates, as the paper has them; the videos bootstrapped"
        "):\n\n"
        + make_table(("S1 − S2", "mean over videos", "95% interval", "videos won S1 : S2"), rows)
        + f"\n\nWiSeBE ranks otherwise than mean F1 in {len(turned)} of {len(VIDEOS)} videos "
        f"({', '.join(turned)}); section 1 tests it."
    )


def _rankings(rankings: Sequence[Ranking]) -> str:
    """Say how far apart the systems are whose ranking changes with the reference."""
    every = [(ranking, pair) for ranking in rankings for pair in ranking.system_pairs.values()]
    turned = [(ranking, pair) for ranking, pair in every if pair.changes_with_reference]
    single = [each for _, pair in every for each in pair.disputed]
    description = (
        "In single recordings, which are what the paper looks at, the winner changes with the "
        f"reference in {format_share(sum(single), len(single))} meetings of two systems; over all "
        f"recordings in {format_share(len(turned), len(every))}."
    )
    apart = [difference(*pair.values(paper.MEAN_F1)) for _, pair in turned]
    known = [abs(each) for each in apart if not isinstance(each, Undefined)]
    certain = sum(ranking.is_significant(pair.systems) for ranking, pair in turned)
    if known:
        description += (
            f" These pairs are {max(known):.3f} apart in mean F1 at most, {certain or 'none'} of "
            "them by more than chance explains."
        )
    return description


def _draw(agreements: Sequence[CorpusAgreement], axes: Axes) -> None:
    series = {PAPER_LABEL: list(zip(*chapter_checks.agreement(), strict=True))}
    draw_points(axes, series | {_name_and_references(each): each.kappas for each in agreements})
    axes.set_xlabel("agreement ratio R_GAR")
    axes.set_ylabel("Fleiss' kappa")
    axes.legend()
