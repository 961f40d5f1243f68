"""How likely each gap is a sentence end.

Log-odds decide at 0, where F1 is best, which makes boundaries look likelier than they are. A
model's card has the scale and the bias that set this right, fitted on recordings that training
did not see.
"""

from __future__ import annotations

import numpy as np

from caesura.core.arrays import Floats
from caesura.core.protocols import Detector
from caesura.core.transcript import Transcript
from caesura.detectors.fusion import CERTAIN
from caesura.detectors.stored_model import get_detector
from caesura.text.restore import as_read


def probabilities(
    transcript: Transcript, *, detector: str | Detector = "auto"
) -> tuple[float, ...] | None:
    """Return how likely each gap is a sentence end; None if the detector cannot tell.

    Of ten gaps with a probability of .3, three should be ends. The models `en` and `en-fast` can
    tell, and so can those that were trained with development recordings. The end of a recording
    has a probability like any other gap.
    """
    given: object = transcript
    if not isinstance(given, Transcript):
        what = f"a transcript is wanted, not {type(given).__name__}"
        raise TypeError(f"{what}: caesura.read(...) gives them")
    deciding = get_detector(detector)
    bare = as_read(transcript).replace(sentences=None)
    found = calibrated(deciding, bare, deciding.log_odds(bare))
    return None if found is None else tuple(found.tolist())


def calibrated(detector: Detector, transcript: Transcript, log_odds: Floats) -> Floats | None:
    """Return the probabilities that follow from the log-odds of a detector, if it can tell."""
    found = detector.calibration(transcript)
    return None if found is None else as_probabilities(found[0] * log_odds + found[1])


def as_probabilities(log_odds: Floats) -> Floats:
    """Return log-odds as probabilities; what is not known stays NaN."""
    found: Floats = 0.5 + 0.5 * np.tanh(np.clip(log_odds, -CERTAIN, CERTAIN) / 2)
    return found
