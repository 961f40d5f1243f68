"""What the figures of the study share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from caesura.scores import Scores
from caesura.studies.drawing import curves
from caesura.studies.gotohrenals.measuring import MEASURES
from caesura.studies.measures import value

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def measures(axes: Axes, points: Mapping[float, Scores]) -> None:
    """Draw recall, precision, P&R and SER."""
    curves(
        axes,
        {
            title: {x: value(scores, name) for x, scores in points.items()}
            for name, title in MEASURES.items()
        },
    )
