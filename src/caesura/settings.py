"""Checks of what things are made with: one `ValueError` that names the setting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def strings(name: str, value: object, known: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Check a setting that is a list of texts, of the known ones if there are such."""
    if not isinstance(value, (tuple, list)) or not all(isinstance(v, str) for v in value):
        hint = f": write {name}=({value!r},)" if isinstance(value, str) else ""
        raise ValueError(f"{name} is a tuple of texts, not {value!r}{hint}")
    for text in value:
        if known and text not in known:
            raise ValueError(f"{name} is some of {known}, not {text!r}")
    return tuple(value)


def one_of(name: str, value: object, known: Sequence[object]) -> None:
    """Check a setting that is one of a few values."""
    if type(value) is bool or value not in known:
        raise ValueError(f"{name} is one of {', '.join(map(str, known))}, not {value!r}")


def between(name: str, value: object, least: float, most: float) -> None:
    """Check a setting that is a number."""
    if type(value) not in (int, float) or not least <= value <= most:  # type: ignore[operator]
        raise ValueError(f"{name} is a number from {least:g} to {most:g}, not {value!r}")


def whole(name: str, value: object, least: int, most: int) -> None:
    """Check a setting that is a whole number."""
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"{name} is a whole number from {least} to {most}, not {value!r}")


def several(name: str, value: object) -> tuple[Any, ...]:
    """Check a setting that is a list."""
    if not isinstance(value, (tuple, list)):
        raise ValueError(f"{name} is a tuple of numbers, not {value!r}")
    return tuple(value)
