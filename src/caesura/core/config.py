"""Things that are made with settings, and those among them that learn."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from math import isfinite
from typing import Any, ClassVar, Generic, Self, TypeVar

from numpy.typing import NDArray

from caesura.core.errors import ModelError, UnknownName
from caesura.core.transcript import Transcript


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


COMMA = re.compile(r",(?![^(]*\))")
"""A comma between values, and not inside one that is written in brackets."""

MOST_POINTS = 1000
HOW = "setting=first:last, setting=first:last:step or setting=one,another"


def number(text: str) -> int | float:
    """Read a whole number or a fraction; anything else is a `ValueError`."""
    try:
        value = float(text)
    except ValueError as error:
        raise ValueError from error
    if not isfinite(value):
        raise ValueError
    return int(text) if text.strip().lstrip("+-").isdecimal() else value


def points(
    text: str, what: str = "sweep", single: Callable[[str], Any] = number
) -> tuple[str, tuple[Any, ...]]:
    """Read a setting and its values; `single` reads those that stand in a list."""
    setting, equals, values = text.partition("=")
    try:
        found = _range(values) if ":" in values else tuple(map(single, COMMA.split(values)))
    except ValueError as error:
        reason = str(error) or f"write {HOW}"
        raise UnknownName(f"{text!r} is not a {what}", remedy=reason) from error
    if not equals or not setting.strip():
        raise UnknownName(f"{text!r} is not a {what}", remedy=f"write {HOW}")
    if len(found) > MOST_POINTS:
        raise UnknownName(
            f"{text!r} has {len(found)} points", remedy=f"{what} through {MOST_POINTS} at most"
        )
    return setting.strip(), found


def _range(values: str) -> tuple[Any, ...]:
    first, last, *more = [number(each) for each in values.split(":")]
    if not more and not (isinstance(first, int) and isinstance(last, int)):
        raise ValueError("a range of fractions needs a step, as in seconds=0.1:0.5:0.1")
    step = more[0] if more else 1
    if len(more) > 1 or step <= 0 or last < first or (last - first) / step > MOST_POINTS * 10:
        raise ValueError
    # A millionth of a step makes up for what floats lack.
    count = int((last - first) / step + 1e-6) + 1
    return tuple(number(repr(round(first + i * step, 9))) for i in range(count))


M = TypeVar("M")


class Configured:
    """A frozen dataclass whose `repr` is the text a user types to get it."""

    name: ClassVar[str]
    """The registered name."""

    @property
    def settings(self) -> dict[str, Any]:
        """What it was made with."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    @property
    def brief(self) -> str:
        """The least that a user types to get it: settings that are not the usual ones, if any."""
        usual = {field.name: field.default for field in fields(self)}  # type: ignore[arg-type]
        own = [f"{k}={v!r}" for k, v in self.settings.items() if v != usual[k]]
        return f"{self.name}({', '.join(own)})" if own else self.name

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(f'{k}={v!r}' for k, v in self.settings.items())})"


class Trainable(Configured, ABC):
    """What can learn from transcripts, and be stored as a model."""

    retrain_settings: ClassVar[frozenset[str]] = frozenset()
    """Settings on which depends what is learnt; all others can be changed after training."""

    needs: ClassVar[Mapping[str, str]] = {}
    """Modules that training imports, and the packages of the extra `train` that have them."""

    def train(
        self,
        train: Sequence[Transcript],
        dev: Sequence[Transcript] = (),
        text: Sequence[Transcript] = (),
    ) -> Self:
        """Give one of this configuration with what can be learnt from transcripts.

        `train` is speech like that to be met, `text` more sentences of other kinds; `dev` is for
        what must not be learnt from the same recordings. What has nothing to learn gives itself.
        """
        return self

    def state(self) -> Mapping[str, NDArray[Any]]:
        """Give what training taught, as arrays with names; nothing if there is nothing to learn."""
        return {}

    def from_state(self, state: Mapping[str, NDArray[Any]]) -> Self:
        """Give the same with what another of this configuration has learnt."""
        return self

    def describe(self) -> str:
        """Say in a sentence what was learnt, if that can be said: it goes on a model's card."""
        return ""

    def adjusted(self, **settings: Any) -> Self:
        """Give the same, and what it has learnt, with other settings."""
        return replace(self, **settings)  # type: ignore[type-var]

    @property
    def checksum(self) -> str:
        """What tells a model that is referred to by its name from others of that name."""
        return ""

    def parts(self) -> Iterator[Trainable]:
        """Give itself, and all that can learn among its settings."""
        yield self
        yield from _within(tuple(self.settings.values()))


def _within(setting: object) -> Iterator[Trainable]:
    if isinstance(setting, Trainable):
        yield from setting.parts()
    elif isinstance(setting, (tuple, list)):
        for each in setting:
            yield from _within(each)


class ModelBacked(Trainable, Generic[M]):
    """What has a model, which training or a stored model gives it.

    The model is no setting: `repr` and equality tell things by what was chosen, not by what was
    learnt.
    """

    _model: M | None = None

    @property
    def model(self) -> M:
        """What was learnt."""
        if self._model is None:
            raise ModelError(
                f"{self.name} has to be trained before it can say anything",
                remedy=f"train it: caesura train {self.name} --train FILES --output MODEL",
            )
        return self._model

    @property
    def is_trained(self) -> bool:
        """Whether there is a model."""
        return self._model is not None

    def with_model(self, model: M | None) -> Self:
        """Give the same with a model."""
        made = replace(self)  # type: ignore[type-var]
        object.__setattr__(made, "_model", model)
        return made

    def adjusted(self, **settings: Any) -> Self:
        """Give the same, and its model, with other settings."""
        changed: Self = replace(self, **settings)  # type: ignore[type-var]
        return changed.with_model(self._model)

    @abstractmethod
    def state(self) -> Mapping[str, NDArray[Any]]:
        """Give the model as arrays with names."""

    @abstractmethod
    def from_state(self, state: Mapping[str, NDArray[Any]]) -> Self:
        """Give the same with a model made of arrays, or raise a `ModelError`."""


def prefixed_state(parts: Mapping[str, Trainable]) -> dict[str, NDArray[Any]]:
    """Join the states of several parts: each array is named after its part, as in 'lm.keys'."""
    states = {name: part.state() for name, part in parts.items()}
    return {f"{name}.{key}": array for name, own in states.items() for key, array in own.items()}


def split_state(state: Mapping[str, NDArray[Any]], *names: str) -> list[dict[str, NDArray[Any]]]:
    """Undo `prefixed_state`: return first what belongs to no part, then the state of each part."""
    found: dict[str, dict[str, NDArray[Any]]] = {name: {} for name in ("", *names)}
    for key, array in state.items():
        name, dot, inner = key.partition(".")
        if dot and name in names:
            found[name][inner] = array
        else:
            found[""][key] = array
    return list(found.values())
