"""What tests of several formats ask of a column."""

import numpy as np

from caesura.core.arrays import Floats


def known(column: Floats | None) -> dict[int, float]:
    """Cells that are known, by the word they belong to."""
    assert column is not None
    return {at: float(column[at]) for at in np.flatnonzero(~np.isnan(column)).tolist()}
