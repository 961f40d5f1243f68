"""Calls of segeval without its warnings, and texts in the forms of segeval and nltk."""

import warnings

import numpy as np

from metrics.oracle import Places

with warnings.catch_warnings():
    # it compares numbers with `is`, also in what it imports when first called
    warnings.simplefilter("ignore", SyntaxWarning)
    import segeval.data  # noqa: F401
    from segeval import (
        boundary_similarity,
        compute_window_size,
        pk,
        segmentation_similarity,
        window_diff,
    )

__all__ = [
    "boundary_similarity",
    "compute_window_size",
    "flags",
    "masses",
    "pk",
    "segmentation_similarity",
    "window_diff",
]


def flags(count: int, places: Places) -> str:
    """Return the gaps inside a text as nltk needs them."""
    return "".join("01"[gap in places] for gap in range(1, count))


def masses(count: int, places: Places) -> tuple[int, ...]:
    """Return the lengths of sentences, as segeval needs them."""
    ends = sorted(place for place in places if place < count)
    return tuple(np.diff([0, *ends, count]).tolist())
