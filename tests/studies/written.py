"""Reading the files that a study has written."""

import json
from typing import Any

from caesura_studies.report import Outcome


def results(outcome: Outcome) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((outcome.files[0].parent / "results.json").read_bytes())
    return found


def report(outcome: Outcome) -> str:
    return (outcome.files[0].parent / "report.md").read_text(encoding="utf-8")
