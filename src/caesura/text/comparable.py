"""Texts as their names are compared: words alone, each with the place where it stood."""

from __future__ import annotations

import numpy as np

from caesura.text.normalize import BARE, normalize
from caesura.transcript import Indices, Transcript

STEPS = ("unicode", *BARE)
"""Recognisers do not agree on capitals, marks and ways to write what looks the same."""


def comparable(transcript: Transcript) -> tuple[Transcript, Indices]:
    """Give the words without case and punctuation, and their places among those given."""
    # Confidence is the one number that a word keeps for itself when others go.
    places = np.arange(len(transcript), dtype=np.float64)
    found = normalize(transcript.replace(confidence=places), STEPS)
    assert found.confidence is not None
    left = found.confidence.astype(np.int64)
    own = None if transcript.confidence is None else transcript.confidence[left]
    return found.replace(confidence=own), left
