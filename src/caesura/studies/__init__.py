"""What `reproduce` runs: a paper's numbers computed again, and its questions put to other data."""

from __future__ import annotations

import difflib
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from caesura.errors import UnknownName

if TYPE_CHECKING:
    from caesura.studies.writing import Outcome

STUDIES = {
    "wisebe": "caesura.studies.wisebe:run",
    "jp": "caesura.studies.jp:run",
    "gotoh-renals": "caesura.studies.gotohrenals:run",
    "oba": "caesura.studies.oba:run",
    "atene": "caesura.studies.atene:run",
}
"""For each study the function that runs it, imported when it is asked for."""


class Run(Protocol):
    """Runs a study: reads corpora below `data`, writes a report into `out`."""

    def __call__(self, data: Path, out: Path) -> Outcome:
        """Run it."""


def find(name: str) -> Run:
    """Give the function that runs the study of that name."""
    place = STUDIES.get(name)
    if place is None:
        close = difflib.get_close_matches(name, STUDIES, n=1, cutoff=0.5)
        hint = f"did you mean {close[0]!r}?" if close else f"known are {', '.join(STUDIES)}"
        raise UnknownName(f"no study is named {name!r}", remedy=hint)
    module, _, attribute = place.partition(":")
    found: Run = getattr(import_module(module), attribute)
    return found
