"""Settings to be tuned: ranges as users write them, and things that have other settings.

The name of a setting may lead into what is within another: `lm.order`, `detectors.0.smooth`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, TypeVar

from caesura.contracts import Trainable
from caesura.errors import UnknownName
from caesura.numeric.ranges import MOST_POINTS, number, points

T = TypeVar("T", bound=Trainable)

WORDS = {"True": True, "False": False, "None": None}


def ranges(tune: str | Sequence[str]) -> dict[str, tuple[Any, ...]]:
    """Read the settings to tune, each with its values."""
    found: dict[str, tuple[Any, ...]] = {}
    for written in [tune] if isinstance(tune, str) else tune:
        setting, values = points(written, "range to tune", _single)
        if setting in found:
            raise UnknownName(f"{setting!r} is to be tuned twice", remedy="give all values at once")
        found[setting] = values
    count = prod(map(len, found.values()))
    if count > MOST_POINTS:
        raise UnknownName(
            f"there are {count:,} combinations to try", remedy=f"tune through {MOST_POINTS} at most"
        )
    return found


def _single(text: str) -> Any:
    """Read a number, True, False, None, numbers in brackets, or a text such as a name."""
    text = text.strip()
    if text.startswith("(") and text.endswith(")"):
        return tuple(_single(each) for each in text[1:-1].split(",") if each.strip())
    if text in WORDS:
        return WORDS[text]
    try:
        return number(text)
    except ValueError:
        if not text.isidentifier() or text in ("nan", "inf", "infinity"):
            raise
    return text


def changed(detector: T, settings: Mapping[str, Any]) -> T:
    """Give a detector with other settings, and all that it and those within it have learnt."""
    for name, value in settings.items():
        try:
            detector = _with(detector, name.split("."), value, name)
        except (TypeError, ValueError) as error:
            raise UnknownName(f"{name}={value}: {error}", remedy="tune other values") from error
    return detector


def _with(thing: Any, path: Sequence[str], value: Any, name: str) -> Any:
    if not path:
        return value
    part = _part(thing, path[0], name)
    inner = _with(part, path[1:], value, name)
    if isinstance(thing, tuple):
        at = int(path[0])
        return (*thing[:at], inner, *thing[at + 1 :])
    return thing.adjusted(**{path[0]: inner})


def learns_anew(detector: Trainable, name: str) -> bool:
    """Whether what is learnt depends on a setting, of a detector or of one within it."""
    thing: Any = detector
    for step in name.split("."):
        part = _part(thing, step, name)
        if isinstance(thing, Trainable) and step in thing.relearns:
            return True
        thing = part
    return False


def _part(thing: Any, step: str, name: str) -> Any:
    """Give what a step of a dotted name leads to: a setting, or one of several detectors."""
    if isinstance(thing, Trainable) and step in thing.settings:
        return thing.settings[step]
    if isinstance(thing, tuple) and step.isdecimal() and int(step) < len(thing):
        return thing[int(step)]
    what = thing.name if isinstance(thing, Trainable) else repr(thing)
    known = ", ".join(thing.settings) if isinstance(thing, Trainable) else ""
    raise UnknownName(
        f"{what} has no setting {step!r}" + (f" (of {name!r})" if step != name else ""),
        remedy=f"it has {known}" if known else "see: caesura list detectors",
    )


def shown(settings: Mapping[str, Any]) -> str:
    """Write settings on a line."""
    return ", ".join(f"{name}={value}" for name, value in settings.items())
