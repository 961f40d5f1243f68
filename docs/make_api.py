"""Write docs/api.md from the docstrings of all public names: `python docs/make_api.py`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any

import caesura
from caesura import api
from caesura.core import registry

PAGE = Path(__file__).parent / "api.md"

INTRODUCTION = """\
# API reference

All names that `import caesura` offers. This page is generated from the docstrings by
`python docs/make_api.py`; change those, not this page. The commands of the command line have the
same names and parameters as the functions (`caesura COMMAND --help`).

Wherever a function reads files, it takes paths (`str` or `pathlib.Path`; a `str` is always a path),
folders, transcripts, open files, recognisers' result dicts, tables of pandas, Polars or Arrow,
`caesura.Text`, `caesura.Sentences` and `caesura.Words`, one of them or a list.
"""

QUICK = "Values in one line"
SECTIONS = {
    "Sentences": ("segment", "stream", "explain", "probabilities", "load", "train", "adapt"),
    "Files and formats": ("read", "write", "convert", "dumps", "loads"),
    "Evaluation": ("score", "compare", "agree", "correlate", "align", "align_to_script", "project"),
    QUICK: (
        *("wer", "cer", "mer", "wil"),
        *("f1", "precision", "recall", "ser"),
        *("pk", "windowdiff", "boundary_similarity", "wisebe"),
    ),
    "Input in memory": ("Text", "Sentences", "Words"),
    "Transcripts": (
        "Transcript",
        "Sentence",
        "Segmentation",
        "Span",
        "restore",
        "as_read",
        "normalize",
        "transfer_layers",
        "Transferred",
    ),
    "Results": (
        *("Scores", "Comparison", "Correlations", "ScriptAlignment", "Alignment", "Projection"),
        *("Training", "Adaptation", "Explanation", "Counts", "Value", "Undefined"),
    ),
    "Names and plug-ins": ("parse", "register", "catalogue", "list_models", "reproduce"),
    "Protocols and errors": (
        *("Metric", "Detector", "TrainableDetector", "Stream", "Format"),
        *("WordTagger", "EntityModel", "CaesuraError", "PluginError"),
    ),
    "Metrics": tuple(name for name in registry.NAMES["metric"] if name != "Words"),
    "Detectors": tuple(registry.NAMES["detector"]),
    "Taggers and entity models": (
        *registry.NAMES["tagger"],
        *registry.NAMES["entity-model"],
    ),
}
"""The order of the page; names that are missing here come last."""

METHODS = ("Transcripts", "Results", "Protocols and errors")
"""Sections whose classes are shown with their methods."""


def page() -> str:
    """Return the text of the page."""
    listed = {name for names in SECTIONS.values() for name in names}
    others = tuple(name for name in caesura.__all__ if name not in listed)
    parts = [INTRODUCTION]
    for title, names in {**SECTIONS, "Other": others}.items():
        if names:
            parts.append("\n".join([f"## {title}\n", *intro(title), *map(entry(title), names)]))
    return "\n".join(parts).rstrip() + "\n"


def intro(title: str) -> Iterator[str]:
    """Say what holds for a whole section."""
    if title == "Files and formats":
        writers = ", ".join(f"`to_{name}`" for name in api.writable_formats())
        yield (
            f"`dumps(transcript, FORMAT)` has a short form for each format: {writers}, and "
            "`to_NAME` for a format of a plug-in.\n"
        )
    if title == QUICK:
        from caesura.evaluation import quick

        yield (inspect.getdoc(quick) or "").split("\n\n", 1)[1] + "\n"
    if title == "Metrics":
        yield (
            "As classes, or as texts such as `'WiSeBE(window_gap=3)'`. The metric `Words` is "
            "`caesura.metrics.words.Words`, because `caesura.Words` is input.\n"
        )


def entry(title: str) -> Any:
    """Return the function that describes a name of a section."""

    def described(name: str) -> str:
        found = getattr(caesura, name)
        lines = [f"### {name}\n", "```py", signature(name, found), "```\n", document(found)]
        if inspect.isclass(found) and title in METHODS:
            lines += methods(found)
        return "\n".join(lines)

    return described


def signature(name: str, found: Any) -> str:
    """Show how a function is called, or which settings a class has."""
    if inspect.isclass(found):
        if is_dataclass(found):
            return wrapped(f"class {name}", list(settings(found)))
        if hasattr(found, "_fields"):
            given = inspect.signature(found).parameters.values()
            return wrapped(f"class {name}", [with_default(each) for each in given])
        return f"class {name}"
    try:
        parameters = inspect.signature(found).parameters.values()
    except (TypeError, ValueError):
        return f"{name} = {type_name(str(found))}"
    cells = []
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in cells:
            cells.append("*")
        cells.append(with_default(parameter))
    returned = inspect.signature(found).return_annotation
    arrow = "" if returned is inspect.Signature.empty else f" -> {type_name(returned)}"
    return wrapped(name, cells) + arrow


def with_default(parameter: inspect.Parameter) -> str:
    """Show a parameter with its type and default."""
    stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    text = stars + parameter.name
    if parameter.annotation is not parameter.empty:
        text += f": {type_name(parameter.annotation)}"
    return text if parameter.default is parameter.empty else f"{text} = {parameter.default!r}"


def settings(found: Any) -> Iterator[str]:
    """Give the fields of a dataclass with their defaults."""
    for field in fields(found):
        if field.init:
            default = "" if field.default is MISSING else f" = {field.default!r}"
            yield f"{field.name}: {type_name(field.type)}{default}"


def type_name(annotation: Any) -> str:
    """Give a type without the modules it comes from."""
    annotation = getattr(annotation, "__forward_arg__", annotation)
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return re.sub(r"\b(?:caesura|collections|pathlib|typing|numpy)(?:\.\w+)*\.(?=\w)", "", text)


def wrapped(name: str, cells: list[str]) -> str:
    """Write a call on one line, or with a line for each parameter."""
    line = f"{name}({', '.join(cells)})"
    if len(line) <= 90:
        return line
    return "\n".join([f"{name}(", *(f"    {cell}," for cell in cells), ")"])


def document(found: Any) -> str:
    """Give the docstring; values that are no class or function have none."""
    if not (inspect.isclass(found) or callable(found)):
        return "A type alias.\n"
    return (inspect.getdoc(found) or "") + "\n"


def methods(found: Any) -> list[str]:
    """List the public methods and properties of a class, one line each."""
    rows = []
    for name, member in vars(found).items():
        inner = member.__func__ if isinstance(member, (classmethod, staticmethod)) else member
        is_property = isinstance(inner, property) or type(inner).__name__ == "cached_property"
        if name.startswith("_") or not (inspect.isfunction(inner) or is_property):
            continue
        first = (inspect.getdoc(inner) or "").split("\n", 1)[0]
        call = name if is_property else wrapped_call(name, inner)
        rows.append(f"- `{call}`: {first}")
    return [*rows, ""] if rows else []


def wrapped_call(name: str, function: Any) -> str:
    """Write a method with the names of its parameters."""
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    names = [
        stars.get(each.kind, "") + each.name
        for each in inspect.signature(function).parameters.values()
        if each.name not in ("self", "cls")
    ]
    return f"{name}({', '.join(names)})"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
