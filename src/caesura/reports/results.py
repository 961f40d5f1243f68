"""Results that reports are made of: the scores of systems and, of several, their comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from caesura.comparison import Comparison
from caesura.scores import Scores


@dataclass(frozen=True)
class Results:
    """Scores of systems by name on the same recordings, and their comparison if any.

    If it is `among` the references only, as of annotators who are compared with each other,
    there is no system: the one name stands for all of them.
    """

    systems: Sequence[str]
    scores: Sequence[Scores]
    comparison: Comparison | None = None
    among: bool = False

    @property
    def references(self) -> tuple[str, ...]:
        """The names of the references, or their numbers if they have none."""
        first = self.scores[0]
        return first.reference_names or tuple(map(str, range(1, first.references + 1)))

    def to_json(self) -> dict[str, Any]:
        """Give what the command prints with `--json`."""
        if self.comparison is not None:
            return self.comparison.to_json()
        return self.scores[0].to_json()
