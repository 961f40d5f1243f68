"""Writing results to a file, of the kind that its suffix says."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from caesura.core.atomic import atomic
from caesura.core.errors import OutputError
from caesura.evaluation.comparison import Comparison
from caesura.evaluation.scores import Scores


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

    def to_dict(self) -> dict[str, Any]:
        """Give what the command prints with `--json`."""
        if self.comparison is not None:
            return self.comparison.to_dict()
        return self.scores[0].to_dict()


Output = str | Path | Sequence[str | Path]


def _html(results: Results, path: Path) -> None:
    from caesura.evaluation.reports.page import page, payload

    put(path, page(payload(results)))


def _markdown(results: Results, path: Path) -> None:
    from caesura.evaluation.reports.render import markdown

    put(path, markdown(results))


def _latex(results: Results, path: Path) -> None:
    from caesura.evaluation.reports.render import latex

    put(path, latex(results))


def _json(results: Results, path: Path) -> None:
    put(path, json.dumps(results.to_dict(), ensure_ascii=False, indent=1) + "\n")


def _figure(results: Results, path: Path) -> None:
    from caesura.evaluation.reports.figures import figure

    figure(results, path)


KINDS: Mapping[str, Callable[[Results, Path], None]] = {
    ".html": _html,
    ".md": _markdown,
    ".tex": _latex,
    ".json": _json,
    ".png": _figure,
    ".svg": _figure,
}


def kinds(output: Output, known: Collection[str] = KINDS) -> list[Path]:
    """Check, before any work is done, that the suffixes say what to write, and that it can be."""
    paths = [Path(output)] if isinstance(output, (str, Path)) else list(map(Path, output))
    for path in paths:
        if path.suffix.lower() not in known:
            raise OutputError(
                "the suffix does not say what kind of report to write",
                where=str(path),
                remedy=f"use one of {', '.join(known)}",
            )
        if KINDS[path.suffix.lower()] is _figure:
            from caesura.evaluation.reports.figures import require_matplotlib

            require_matplotlib(str(path))
    return paths


def write_report(results: Results, output: Output) -> list[Path]:
    """Write one report or several; gives the files written."""
    paths = kinds(output)
    for path in paths:
        KINDS[path.suffix.lower()](results, path)
    return paths


def put(path: Path, text: str) -> None:
    """Write a text into a file."""
    with atomic(path) as file:
        file.write(text.encode("utf-8", "replace"))
