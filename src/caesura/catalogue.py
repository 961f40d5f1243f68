"""What there is to choose from, described from the things themselves."""

from __future__ import annotations

from dataclasses import MISSING, fields
from inspect import getdoc
from typing import Any, get_args

from caesura import registry
from caesura.errors import UnknownName
from caesura.text.normalize import STEPS

KINDS = (*(f"{kind}s" for kind in get_args(registry.Kind)), "steps")


def described(kind: str = "") -> dict[str, list[dict[str, str]]]:
    """Describe one kind of thing (formats, detectors, taggers, namers, metrics, steps), or all."""
    if kind and kind not in KINDS:
        raise UnknownName(f"nothing is called {kind!r}", remedy=f"known are {', '.join(KINDS)}")
    wanted = [kind] if kind else list(KINDS)
    return {each: _steps() if each == "steps" else _registered(each) for each in wanted}


def _steps() -> list[dict[str, str]]:
    return [{"name": name, "about": _first_line(step)} for name, step in STEPS.items()]


def _registered(kind: str) -> list[dict[str, str]]:
    singular: Any = kind.removesuffix("s")
    rows = []
    for name in registry.names(singular):
        found: Any = registry.find(singular, name)
        row = {"name": name, "about": _first_line(found)}
        if singular != "format":
            row["settings"] = _settings(found)
        else:
            row["suffixes"] = " ".join(found.suffixes)
            row["carries"] = " ".join(sorted(found.carries))
        rows.append(row)
    return rows


def _settings(kind: Any) -> str:
    """What can be set, and what it is if nothing is said."""
    shown = [
        field.name if field.default is MISSING else f"{field.name}={field.default!r}"
        for field in fields(kind)
    ]
    return ", ".join(shown)


def _first_line(thing: object) -> str:
    return (getdoc(thing) or "").split("\n", 1)[0]
