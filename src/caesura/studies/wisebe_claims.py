"""What the paper's own numbers and our data say about its claims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from caesura.contracts import Undefined
from caesura.numeric.stats import Interval, Resampling, interval
from caesura.studies.rankings import Ranking
from caesura.studies.transcribers import Accord, correlated, spread
from caesura.studies.wisebe_checks import correlation, table_5
from caesura.studies.wisebe_rankings import against_mean, turning
from caesura.studies.wisebe_tables import CORRELATION, RANGE, SYSTEMS, TABLE_6, VIDEOS
from caesura.studies.writing import Part, between, listed, number, signed, table

MEASURES = {"mean F1": "mean", "F1 over windows": "f1", "WiSeBE": "wisebe"}
UNLIKELY = 0.05


def claims(
    section: int, accords: Sequence[Accord], rankings: Sequence[Ranking], resampling: Resampling
) -> Part:
    """Hold the paper's claims against its own numbers and against ours."""
    text = [
        f"### R_GAR goes along with kappa (correlation {CORRELATION})",
        _correlations(accords, resampling),
        f"### Annotators agree with R_GAR from {RANGE['lowest'][1]} to {RANGE['highest'][1]}",
        _ranges(accords),
        "### S2 is the better system, and WiSeBE may rank otherwise than mean F1",
        _averages(resampling),
    ]
    if rankings:
        text += ["### The ranking depends on the reference", _rankings(rankings)]
    return Part(
        "claims",
        f"{section}. What this says of the paper's claims",
        "\n\n".join(text),
        _numbers(resampling),
        (_short(resampling),),
    )


def of_paper(resampling: Resampling) -> tuple[float, Interval]:
    """Pearson's coefficient of Table 6, and its interval when the ten videos are drawn again."""
    columns = (map(float, TABLE_6[name]) for name in ("R_GAR", "kappa"))
    value, limits = correlated(list(zip(*columns, strict=True)), resampling)
    if isinstance(value, Undefined) or isinstance(limits, Undefined):
        raise ArithmeticError("Table 6 has no correlation")
    return value, limits


def difference(name: str, resampling: Resampling) -> tuple[list[float], Interval]:
    """S1 minus S2 in each video by Table 5, and the interval of the mean over videos."""
    columns = [
        np.array([float(getattr(row, name)) for row in table_5() if row.system == system])
        for system in SYSTEMS
    ]
    found = columns[0] - columns[1]
    random = np.random.default_rng(resampling.seed)
    chosen = random.integers(len(found), size=(resampling.resamples, len(found)))
    limits = interval(found[chosen].mean(1).tolist(), resampling.level)
    if isinstance(limits, Undefined):
        raise ArithmeticError(limits.reason)
    return found.tolist(), limits


def _numbers(resampling: Resampling) -> dict[str, Any]:
    value, limits = of_paper(resampling)
    numbers: dict[str, Any] = {"correlation": value, "correlation_interval": limits}
    for title, name in MEASURES.items():
        found, around = difference(name, resampling)
        numbers[f"S1 - S2, {title}"] = {"mean": sum(found) / len(found), "interval": around}
    return numbers


def _correlations(accords: Sequence[Accord], resampling: Resampling) -> str:
    value, limits = of_paper(resampling)
    rows = [["paper, Table 6", "3", str(len(VIDEOS)), number(value), between(limits)]]
    for each in accords:
        ours, around = each.correlation
        name, references = each.group.corpus.name, len(each.group.texts)
        rows.append([name, str(references), str(len(each.ratios)), number(ours), between(around)])
    _, low, high = correlation()
    head = ("data", "references", "recordings", "Pearson", "95 % interval")
    return "\n\n".join(
        [
            f"The printed {CORRELATION} follows from Table 6; rounding there allows {low:.3f} to "
            f"{high:.3f}, ten videos drawn again {between(limits)}.",
            table(head, rows),
            "Such a correlation is to be expected and says little in favour of R_GAR: both are "
            "made of the same counts, and of two references R_GAR is F1 / (2 − F1), while kappa "
            "of rare boundaries is nearly F1. What sets them apart is elsewhere: kappa allows for "
            "chance, and R_GAR depends on how many references there are."
            + "".join(_moves(each) for each in accords if len(each.group.texts) > 2),
        ]
    )


def _moves(accord: Accord) -> str:
    found = []
    for name in ("agreement_ratio", "kappa"):
        each = [spread(values, name)["mean"] for _, values in accord.subsets]
        found.append(", ".join(number(mean) for mean in each))
    sizes = ", ".join(str(size) for size, _ in accord.subsets)
    return (
        f" On {accord.group.corpus.name}, with {sizes} of the same transcribers, R_GAR is "
        f"{found[0]} in the mean, and kappa {found[1]}."
    )


def _ranges(accords: Sequence[Accord]) -> str:
    low, high = RANGE["lowest"][1], RANGE["highest"][1]
    rows = [["paper", "3", f"{low} – {high}", f"{len(VIDEOS)} of {len(VIDEOS)}", "–", "–"]]
    for each in accords:
        ratios = [ratio for ratio, _ in each.ratios]
        inside = sum(float(low) <= ratio <= float(high) for ratio in ratios)
        values, limits = each.scores.values[0], each.scores.intervals[0]
        rows.append(
            [
                each.group.corpus.name,
                str(len(each.group.texts)),
                f"{min(ratios):.3f} – {max(ratios):.3f}" if ratios else "–",
                f"{inside} of {len(ratios)}",
                f"{number(values['agreement_ratio'])} {between(limits.get('agreement_ratio'))}",
                number(each.shared.values[0]["agreement_ratio"]),
            ]
        )
    head = (
        "data",
        "references",
        "R_GAR by recording",
        "in the paper's range",
        "all recordings",
        "on shared words",
    )
    return (
        "The paper's evaluators marked sentences in the same words, and had instructions; ours "
        "wrote their own words, each in the way of their trade. R_GAR is also the ceiling of "
        "WiSeBE: no system, however good, can score more.\n\n" + table(head, rows)
    )


def _averages(resampling: Resampling) -> str:
    rows, within = [], 0
    for title, name in MEASURES.items():
        found, limits = difference(name, resampling)
        won = f"{sum(d > 0 for d in found)} : {sum(d < 0 for d in found)}"
        rows.append([title, signed(sum(found) / len(found)), between(limits), won])
        within += limits[0] <= 0 <= limits[1]
    by_mean, by_wisebe = (difference(name, resampling)[0] for name in ("mean", "wisebe"))
    turned = [v for v, a, b in zip(VIDEOS, by_mean, by_wisebe, strict=True) if (a > 0) != (b > 0)]
    head = ("paper, S1 − S2", "mean over videos", "95 % interval", "videos won S1 : S2")
    return (
        f"By the paper's own Table 5, {within} of {len(rows)} differences of the means over ten "
        "videos are within what drawing the videos again allows (a mean of rates, as the paper "
        f"has it). WiSeBE ranks otherwise than mean F1 in {len(turned)} of {len(VIDEOS)} videos "
        f"({', '.join(turned)}).\n\n" + table(head, rows)
    )


def _rankings(rankings: Sequence[Ranking]) -> str:
    told = []
    for each in rankings:
        pair = each.pair
        sure = [
            judge
            for judge, row in pair.differences.items()
            if row.p_corrected is not None and row.p_corrected < UNLIKELY
        ]
        told.append(
            f"{each.accord.group.corpus.name}: over all recordings the winner of S1 and S2 "
            f"{'changes' if pair.disputed_pooled else 'does not change'} with the reference; in "
            f"single recordings it does in {sum(pair.disputed)} of {len(pair.disputed)}. Judges "
            "that prefer the other system than the mean of references does: "
            f"{', '.join(against_mean(pair)) or 'none'}. "
            f"Judges whose difference chance does not explain (p < {UNLIKELY} after Holm's "
            f"correction): {', '.join(sure) or 'none'}."
        )
    return listed([*told, turning(rankings)])


def _short(resampling: Resampling) -> str:
    value, limits = of_paper(resampling)
    parts = []
    for title, name in MEASURES.items():
        found, around = difference(name, resampling)
        parts.append(f"{title} {signed(sum(found) / len(found))} {between(around)}")
    return (
        f"The paper's claims: the correlation is {value:.3f} {between(limits)} over its ten "
        f"videos; its S1 and S2 differ by {', '.join(parts)}."
    )
