"""Figures of the study, as SVG; they need matplotlib."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from caesura.contracts import Undefined
from caesura.studies.rankings import Ranking
from caesura.studies.transcribers import Accord
from caesura.studies.wisebe_tables import TABLE_6

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
"""Told apart by colour-blind readers too (Okabe and Ito)."""

SHAPES = "os^Dv*"


def figures(accords: Sequence[Accord], rankings: Sequence[Ranking]) -> dict[str, bytes]:
    """Draw all figures; nothing if matplotlib is not installed."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return {}
    found = {"agreement.svg": _agreement(accords)}
    for each in rankings:
        found[f"ranking-{each.accord.group.corpus.name}.svg"] = _ranking(each)
    return found


def _agreement(accords: Sequence[Accord]) -> bytes:
    """Plot kappa over the agreement ratio, for the paper's videos and for our recordings."""
    figure, axes = _blank(6.0, 4.5)
    series: dict[str, Sequence[tuple[float, float]]] = {
        "paper, 3 references": [
            (float(a), float(b)) for a, b in zip(TABLE_6["R_GAR"], TABLE_6["kappa"], strict=True)
        ]
    }
    for accord in accords:
        label = f"{accord.group.corpus.name}, {len(accord.group.texts)} references"
        series[label] = accord.ratios
    for i, (label, points) in enumerate(series.items()):
        axes.scatter(
            [a for a, _ in points],
            [b for _, b in points],
            label=label,
            color=COLOURS[i],
            marker=SHAPES[i],
        )
    axes.set_xlabel("agreement ratio R_GAR")
    axes.set_ylabel("Fleiss' kappa")
    axes.legend(frameon=False)
    return _svg(figure)


def _ranking(ranking: Ranking) -> bytes:
    """Plot for each recording the difference of the two systems by each reference."""
    pair = ranking.pair
    ids = [each.id for each in pair.scores[0].documents]
    figure, axes = _blank(7.0, 1.2 + 0.28 * len(ids))
    for i, (name, points) in enumerate(_differences(ranking).items()):
        rows = list(points)
        axes.scatter(
            [points[row] for row in rows],
            rows,
            label=name,
            color=COLOURS[i % len(COLOURS)],
            marker=SHAPES[i % len(SHAPES)],
            s=28,
        )
    axes.axvline(0, color="#666666", linewidth=0.8)
    axes.set_yticks(range(len(ids)), ids)
    axes.invert_yaxis()
    axes.set_xlabel(f"F1 of S1 ({pair.systems[0]}) minus F1 of S2 ({pair.systems[1]})")
    axes.legend(frameon=False, title="judged by", loc="center left", bbox_to_anchor=(1, 0.5))
    return _svg(figure)


def _differences(ranking: Ranking) -> Mapping[str, dict[int, float]]:
    """For each reference the difference in each recording where there is one."""
    found: dict[str, dict[int, float]] = {}
    for name in ranking.references:
        found[name] = {}
        for row, (one, other) in enumerate(ranking.pair.by_recording(name)):
            if not isinstance(one, Undefined) and not isinstance(other, Undefined):
                found[name][row] = one - other
    return found


def _blank(width: float, height: float) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot()
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return figure, axes


def _svg(figure: Figure) -> bytes:
    """Write a figure so that the same numbers give the same bytes."""
    from matplotlib import rc_context

    file = io.BytesIO()
    with rc_context({"svg.hashsalt": "caesura", "svg.fonttype": "none"}):
        figure.savefig(file, format="svg", metadata={"Date": None})
    return file.getvalue()
