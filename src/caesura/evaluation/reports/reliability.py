"""Draw how far probabilities can be trusted: the share of boundaries over the probability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caesura.core.atomic import atomic
from caesura.core.errors import OutputError
from caesura.evaluation.reports.figures import COLOURS, METADATA, panel_image, require_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE = 3.4
"""Width and height in inches."""


def write_reliability(rows: Sequence[Mapping[str, Any]], path: str | Path, title: str = "") -> None:
    """Draw the bins of a card into a PNG or SVG file; the same bins give the same bytes.

    The area of a dot shows how many gaps its bin has; the line is perfect calibration.
    """
    path = Path(path)
    kind = path.suffix.lower().removeprefix(".")
    if kind not in METADATA:
        raise OutputError(
            "a figure is a .png or .svg file", where=str(path), remedy="choose one of these"
        )
    if not rows:
        raise OutputError(
            "the card has no reliability table to draw",
            where=str(path),
            remedy="train the model with --dev",
        )
    require_matplotlib(str(path))
    image = panel_image(SIZE, SIZE, lambda axes: _draw(axes, rows, title), kind)
    with atomic(path) as file:
        file.write(image)


def _draw(axes: Axes, rows: Sequence[Mapping[str, Any]], title: str) -> None:
    most = max(row["gaps"] for row in rows)
    axes.plot([0, 1], [0, 1], color="0.6", lw=0.8, ls="--")
    predicted, observed = ([row[name] for row in rows] for name in ("predicted", "observed"))
    axes.plot(predicted, observed, color=COLOURS[0], lw=1.0)
    sizes = [8 + 40 * row["gaps"] / most for row in rows]
    axes.scatter(predicted, observed, s=sizes, color=COLOURS[0], zorder=3)
    axes.set_xlabel("probability of a boundary")
    axes.set_ylabel("share of boundaries")
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(-0.02, 1.02)
    axes.set_aspect("equal")
    axes.grid(color="0.88", lw=0.5)
    axes.set_title(title)
