"""What the paper's own numbers and our data say about its claims."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from caesura.core.values import Undefined, Value
from caesura.evaluation.correlation_coefficients import pearson_with_interval
from caesura.evaluation.reports.table import format_interval
from caesura.evaluation.resampling import Interval, bootstrap_sums, percentile_interval
from caesura_studies.report import Part, Picture, dots, number, part_of, signed, sure, table
from caesura_studies.wisebe import chapter_checks, paper
from caesura_studies.wisebe.chapter_agreement import RESAMPLING, Accord
from caesura_studies.wisebe.chapter_rankings import Ranking
from caesura_studies.wisebe.paper import SYSTEMS, VIDEOS
from caesura_studies.wisebe.system_pairs import difference, opposed, winner

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OF_PAPER = f"paper, {len(paper.REFERENCES)} references"


def chapter(accords: Sequence[Accord], rankings: Sequence[Ranking]) -> Part:
    """Hold the paper's claims against its own numbers and against ours."""
    text = [
        f"### R_GAR goes along with kappa (correlation {paper.CORRELATION})",
        _correlations(accords),
        f"### Annotators agree with R_GAR from {paper.LOWEST[1]} to {paper.HIGHEST[1]}",
        _range(accords),
        "### S2 is the better system, and WiSeBE may rank otherwise than mean F1",
        _averages(),
    ]
    if rankings:
        text += ["### The ranking depends on the reference", _rankings(rankings)]
    drawn = Picture(
        "agreement.svg", "Kappa over R_GAR, by recording", (6.0, 4.5), partial(_draw, accords)
    )
    numbers = {"correlation": _correlation(), "differences": {n: _change(n) for n in paper.SCORES}}
    told = ", ".join(f"{name} {sure(*_change(name)[1:])}" for name in paper.SCORES)
    short = (
        f"The paper's claims: over its ten videos the correlation is {sure(*_correlation())}, and "
        f"S1 − S2 is in {told}."
    )
    title = "What this says of the paper's claims"
    return Part("claims", title, "\n\n".join(text), numbers, (short,), (drawn,))


def _correlation() -> tuple[Value, Interval | Undefined]:
    return pearson_with_interval(*chapter_checks.agreement(), resampling=RESAMPLING)


def _correlations(accords: Sequence[Accord]) -> str:
    value, limits = _correlation()
    rows = [[OF_PAPER, str(len(VIDEOS)), number(value), format_interval(limits)]]
    for each in accords:
        ours, around = each.correlation
        rows.append([_named(each), str(len(each.kappas)), number(ours), format_interval(around)])
    return (
        table(("data", "recordings", "Pearson", "95% interval"), rows)
        + "\n\nSuch a correlation is to be expected and says little in favour of R_GAR: both are "
        "made of the same counts. Of two references it is mere arithmetic: R_GAR is F1 / (2 − F1), "
        "and kappa of rare boundaries is nearly F1. What sets them apart is elsewhere: kappa "
        "allows for chance, and R_GAR moves with the number of references."
    )


def _named(accord: Accord) -> str:
    return f"{accord.corpus.name}, {len(accord.texts)} references"


def _range(accords: Sequence[Accord]) -> str:
    low, high = (float(ratio) for _, ratio in (paper.LOWEST, paper.HIGHEST))
    told = []
    for each in accords:
        inside = sum(low <= ratio <= high for ratio, _ in each.kappas)
        share = part_of(inside, len(each.kappas))
        told.append(f" On {each.corpus.name} it lies there in {share} recordings.")
    return (
        "The paper's evaluators marked sentences in the same words, and had instructions; ours "
        f"wrote their own words, each in the way of their trade.{''.join(told)} R_GAR is also the "
        "ceiling of WiSeBE: no system, however good, can score more."
    )


def _change(name: str) -> tuple[list[float], float, Interval | Undefined]:
    """S1 minus S2 in each video by Table 5, the mean over videos, and its interval."""
    one, other = ([float(paper.TABLE_5[v, s, name]) for v in VIDEOS] for s in SYSTEMS)
    found = np.subtract(one, other)
    drawn = [float(total) / len(found) for (total,) in bootstrap_sums([found], RESAMPLING)]
    return found.tolist(), float(found.mean()), percentile_interval(drawn, RESAMPLING.level)


def _averages() -> str:
    rows = []
    for name in paper.SCORES:
        found, mean, limits = _change(name)
        won = f"{sum(d > 0 for d in found)} : {sum(d < 0 for d in found)}"
        rows.append([name, signed(mean), format_interval(limits), won])
    by_mean, by_wisebe = (_change(name)[0] for name in (paper.MEAN_F1, paper.WISEBE))
    turned = [
        video
        for video, a, b in zip(VIDEOS, by_mean, by_wisebe, strict=True)
        if opposed(winner(a, 0), winner(b, 0))
    ]
    return (
        "By the paper's own Table 5 (means of rates, as the paper has them; the videos drawn "
        "again):\n\n"
        + table(("S1 − S2", "mean over videos", "95% interval", "videos won S1 : S2"), rows)
        + f"\n\nWiSeBE ranks otherwise than mean F1 in {len(turned)} of {len(VIDEOS)} videos "
        f"({', '.join(turned)}); section 1 has how sure that is."
    )


def _rankings(rankings: Sequence[Ranking]) -> str:
    """Say how far apart the systems are whose ranking changes with the reference."""
    every = [(ranking, duel) for ranking in rankings for duel in ranking.duels.values()]
    turned = [(ranking, duel) for ranking, duel in every if duel.turns]
    single = [each for _, duel in every for each in duel.disputed]
    told = (
        "In single recordings, which are what the paper looks at, the winner changes with the "
        f"reference in {part_of(sum(single), len(single))} meetings of two systems; over all "
        f"recordings in {part_of(len(turned), len(every))}."
    )
    apart = [difference(*duel.values(paper.MEAN_F1)) for _, duel in turned]
    known = [abs(each) for each in apart if not isinstance(each, Undefined)]
    certain = sum(ranking.sure(duel.systems) for ranking, duel in turned)
    if known:
        told += (
            f" These pairs are {max(known):.3f} apart in mean F1 at most, {certain or 'none'} of "
            "them by more than chance explains."
        )
    return told


def _draw(accords: Sequence[Accord], axes: Axes) -> None:
    series = {OF_PAPER: list(zip(*chapter_checks.agreement(), strict=True))}
    dots(axes, series | {_named(each): each.kappas for each in accords})
    axes.set_xlabel("agreement ratio R_GAR")
    axes.set_ylabel("Fleiss' kappa")
    axes.legend()
