"""What the figures of the study share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from caesura.evaluation.scores import Scores
from caesura_studies.drawing import curves
from caesura_studies.gotohrenals.measuring import MEASURES
from caesura_studies.measures import value

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
