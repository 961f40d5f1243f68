"""Write results to a file, of the kind that its suffix says: the `--report` of the commands.

`write_report` takes what `score`, `compare`, `agree` and `correlate` return; nothing is read or
computed again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from caesura.core.atomic import atomic
from caesura.core.errors import OutputError
from caesura.evaluation.comparison import Comparison
from caesura.evaluation.correlation import Correlations
from caesura.evaluation.scores import Scores


@dataclass(frozen=True)
class Results:
    """What a report shows: scores of systems by name, and their comparison if there is one.

    If `between_annotators` is set, the references were compared with each other: there is no
    system, and the one name stands for all annotators.
    """

    systems: Sequence[str]
    scores: Sequence[Scores]
    comparison: Comparison | None = None
    between_annotators: bool = False

    @classmethod
    def of(cls, measured: Scores | Comparison) -> Results:
        """Make results of what `score`, `agree` or `compare` returned."""
        if isinstance(measured, Comparison):
            return cls(measured.systems, measured.scores, measured)
        name = "annotators" if measured.between_annotators else measured.system or "hypothesis"
        return cls((name,), (measured,), between_annotators=measured.between_annotators)

    @property
    def references(self) -> tuple[str, ...]:
        """The names of the references, or their numbers if they have none."""
        first = self.scores[0]
        return first.reference_names or tuple(map(str, range(1, first.references + 1)))

    def to_dict(self) -> dict[str, Any]:
        """Return what the command prints with `--json`."""
        measured = self.scores[0] if self.comparison is None else self.comparison
        return measured.to_dict()


Output = str | Path | Sequence[str | Path]


def _html(results: Results, path: Path) -> None:
    from caesura.evaluation.reports.page import page_payload, render_page

    write_text(path, render_page(page_payload(results)))


def _markdown(results: Results, path: Path) -> None:
    from caesura.evaluation.reports.render import markdown

    write_text(path, markdown(results))


def _latex(results: Results, path: Path) -> None:
    from caesura.evaluation.reports.render import latex

    write_text(path, latex(results))


def _json(results: Results, path: Path) -> None:
    write_json(path, results.to_dict())


def _figure(results: Results, path: Path) -> None:
    from caesura.evaluation.reports.figures import write_figure

    write_figure(results, path)


KINDS: Mapping[str, Callable[[Results, Path], None]] = {
    ".html": _html,
    ".md": _markdown,
    ".tex": _latex,
    ".json": _json,
    ".png": _figure,
    ".svg": _figure,
}
"""What writes a report of scores, by the suffix of its file."""

CORRELATION_KINDS = (".md", ".tex", ".json", ".png", ".svg")
"""The suffixes that a report of correlations may have."""


def report_paths(output: Output, correlations: bool = False) -> list[Path]:
    """Check, before any work is done, that reports can be written; return their paths."""
    known = CORRELATION_KINDS if correlations else tuple(KINDS)
    paths = [Path(output)] if isinstance(output, (str, Path)) else list(map(Path, output))
    for path in paths:
        suffix = path.suffix.lower()
        if suffix not in known:
            raise OutputError(
                "the suffix does not say what kind of report to write",
                where=str(path),
                remedy=f"use one of {', '.join(known)}",
            )
        if suffix in (".png", ".svg"):
            from caesura.evaluation.reports.figures import require_matplotlib

            require_matplotlib(str(path))
    return paths


def write_report(
    measured: Scores | Comparison | Correlations | Results, output: Output
) -> list[Path]:
    """Write one report or several; return the paths of the files."""
    paths = report_paths(output, isinstance(measured, Correlations))
    for path in paths:
        if isinstance(measured, Correlations):
            from caesura.evaluation.reports.correlation_tables import write_correlations

            write_correlations(measured, path)
        else:
            results = measured if isinstance(measured, Results) else Results.of(measured)
            KINDS[path.suffix.lower()](results, path)
    return paths


def write_text(path: Path, text: str) -> None:
    """Write a text into a file, whole or not at all."""
    with atomic(path) as file:
        file.write(text.encode("utf-8", "replace"))


def write_json(path: Path, value: Any) -> None:
    """Write a value as JSON into a file."""
    write_text(path, json.dumps(value, ensure_ascii=False, indent=1) + "\n")
