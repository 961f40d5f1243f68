"""The detector `Column`: log-odds or probabilities of another system, read from the transcript."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from caesura.core.arrays import Floats
from caesura.core.errors import LayerError
from caesura.core.protocols import Detector, Stream
from caesura.core.transcript import Transcript

SCALES = ("log_odds", "probability")
LEAST = 1e-6
"""Probabilities stay this far from 0 and 1, which no other evidence could outweigh."""


@dataclass(frozen=True, repr=False)
class Column(Detector):
    """A column of the transcript's `evidence`, on the `scale` 'log_odds' or 'probability'.

    Probabilities become log-odds, at most those of 0.000001 and 0.999999. A missing value has
    log-odds 0. `bias` is added to all.
    """

    column: str
    scale: str = "log_odds"
    bias: float = 0.0

    name = "Column"
    reach = 1

    def __post_init__(self) -> None:
        if not isinstance(self.column, str) or not self.column:
            raise ValueError(f"column is the name of a column of evidence, not {self.column!r}")
        if self.scale not in SCALES:
            raise ValueError(f"scale is one of {SCALES}, not {self.scale!r}")
        if type(self.bias) not in (int, float) or not np.isfinite(self.bias):
            raise ValueError(f"bias is a number, not {self.bias!r}")

    def log_odds(self, transcript: Transcript) -> Floats:
        """Return the column as log-odds."""
        missing = self.lacks(transcript)
        if missing:
            raise LayerError(
                missing,
                where=transcript.id,
                remedy="name another, or write it into 'evidence' of a jsonl file",
            )
        cells = (transcript.evidence or {}).get(self.column, np.zeros(0))
        if self.scale == "probability":
            _check_probabilities(transcript, cells)
            clipped = np.clip(cells, LEAST, 1 - LEAST)
            cells = np.log(clipped) - np.log1p(-clipped)
        return np.where(np.isnan(cells), 0.0, cells) + self.bias

    def lacks(self, transcript: Transcript) -> str:
        """Return which column is missing, and which ones there are."""
        known = transcript.evidence or {}
        if self.column in known or not len(transcript):
            return ""
        instead = f"only {', '.join(map(repr, known))}" if known else "and no other"
        return f"there is no column of evidence {self.column!r}, {instead}"

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        """Return a stream that decides each gap when the next word has arrived."""
        from caesura.detectors.window_stream import LocalStream

        return LocalStream(self, ahead=self.reach, behind=self.reach, state=state)


def _check_probabilities(transcript: Transcript, cells: Floats) -> None:
    wrong = np.flatnonzero((cells < 0) | (cells > 1))
    if len(wrong):
        at = int(wrong[0])
        raise LayerError(
            f"{cells[at]} after word {at + 1}, {transcript.words[at]!r}, is no probability",
            where=transcript.id,
            remedy="probabilities lie in 0 to 1; for log-odds set scale='log_odds'",
        )
