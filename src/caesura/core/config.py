"""Objects with settings: metrics, formats, and detectors and others that are trained.

First the base classes: `Configured` has settings and a `repr` that users can type, `Trainable` can
also learn and be stored, `ModelBacked` keeps what it has learnt. Then functions that check a
setting, for `__post_init__`. Last the texts in which users give a range of values of a setting.
"""

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

M = TypeVar("M")


class Configured:
    """A frozen dataclass with `repr=False`; its `repr` is the text a user types to get it.

    The fields are the settings. `parse(repr(x)) == x` holds, and equal objects give equal results.
    """

    name: ClassVar[str]
    """The registered name, which users type."""

    @property
    def settings(self) -> dict[str, Any]:
        """The settings by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    @property
    def brief(self) -> str:
        """The shortest text that makes an equal object: only settings that are not the default."""
        usual = {field.name: field.default for field in fields(self)}  # type: ignore[arg-type]
        own = [f"{k}={v!r}" for k, v in self.settings.items() if v != usual[k]]
        return f"{self.name}({', '.join(own)})" if own else self.name

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(f'{k}={v!r}' for k, v in self.settings.items())})"


class Trainable(Configured, ABC):
    """An object that can learn from transcripts and be stored as a model.

    What is learnt is no setting: a trained object is equal to an untrained one, and has the same
    `repr`. Classes that learn nothing can leave all methods as they are.
    """

    retrain_settings: ClassVar[frozenset[str]] = frozenset()
    """Settings that training depends on; all others can be changed without training again."""

    needs: ClassVar[Mapping[str, str]] = {}
    """Modules that training imports, and the packages of `needs_extra` that have them."""

    needs_extra: ClassVar[str] = "train"
    """The extra of Caesura that has the packages which training needs."""

    def train(
        self,
        train: Sequence[Transcript],
        dev: Sequence[Transcript] = (),
        text: Sequence[Transcript] = (),
    ) -> Self:
        """Return a trained object with the same settings; this one stays as it is.

        `train` is speech like that to be processed, and `text` is more text of other kinds. `dev`
        is for what must not be learnt from the training data, such as weights between parts.
        """
        return self

    def state(self) -> Mapping[str, NDArray[Any]]:
        """Return what was learnt as arrays of numbers by name; {} if there is nothing to learn."""
        return {}

    def from_state(self, state: Mapping[str, NDArray[Any]]) -> Self:
        """Return an object with the same settings that has learnt what `state` says.

        This is the inverse of `state`. Arrays that do not fit are a `ModelError`.
        """
        return self

    def describe(self) -> str:
        """Return a sentence about what was learnt, for the card of the model, or ''."""
        return ""

    def adjusted(self, **settings: Any) -> Self:
        """Return an object with other settings that keeps what was learnt."""
        return replace(self, **settings)  # type: ignore[type-var]

    @property
    def checksum(self) -> str:
        """The checksum of a stored model that this object only names, else ''."""
        return ""

    def parts(self) -> Iterator[Trainable]:
        """Yield this object and all trainable objects among its settings."""
        yield self
        yield from _trainable_parts(tuple(self.settings.values()))


def _trainable_parts(setting: object) -> Iterator[Trainable]:
    if isinstance(setting, Trainable):
        yield from setting.parts()
    elif isinstance(setting, (tuple, list)):
        for each in setting:
            yield from _trainable_parts(each)


class ModelBacked(Trainable, Generic[M]):
    """A trainable object that keeps what it has learnt in `model`, which may be of any type.

    `train` and `from_state` return `self.with_model(...)`.
    """

    _model: M | None = None

    @property
    def model(self) -> M:
        """What was learnt; a `ModelError` if nothing was."""
        if self._model is None:
            raise ModelError(
                f"{self.name} has to be trained first",
                remedy=f"train it: caesura train {self.name} --train FILES --output MODEL",
            )
        return self._model

    @property
    def is_trained(self) -> bool:
        """Whether there is a model."""
        return self._model is not None

    def with_model(self, model: M | None) -> Self:
        """Return an object with the same settings and this model."""
        made = replace(self)  # type: ignore[type-var]
        object.__setattr__(made, "_model", model)
        return made

    def adjusted(self, **settings: Any) -> Self:
        """Return an object with other settings and the same model."""
        changed: Self = replace(self, **settings)  # type: ignore[type-var]
        return changed.with_model(self._model)

    @abstractmethod
    def state(self) -> Mapping[str, NDArray[Any]]:
        """Return the model as arrays of numbers by name."""

    @abstractmethod
    def from_state(self, state: Mapping[str, NDArray[Any]]) -> Self:
        """Return an object with the model that the arrays describe, or raise a `ModelError`."""


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


def check_texts(name: str, value: object, known: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return a setting that is a list of texts as a tuple; if `known` is given, of these only."""
    if not isinstance(value, (tuple, list)) or not all(isinstance(v, str) for v in value):
        hint = f": write {name}=({value!r},)" if isinstance(value, str) else ""
        raise ValueError(f"{name} is a tuple of texts, not {value!r}{hint}")
    for text in value:
        if known and text not in known:
            raise ValueError(f"{name} is some of {known}, not {text!r}")
    return tuple(value)


def check_tuple(name: str, value: object) -> tuple[Any, ...]:
    """Return a setting that is a list of numbers as a tuple; the numbers are not checked."""
    if not isinstance(value, (tuple, list)):
        raise ValueError(f"{name} is a tuple of numbers, not {value!r}")
    return tuple(value)


def check_one_of(name: str, value: object, known: Sequence[object]) -> None:
    """Refuse a setting that is not one of the known values."""
    if type(value) is bool or value not in known:
        raise ValueError(f"{name} is one of {', '.join(map(str, known))}, not {value!r}")


def check_number(name: str, value: object, least: float, most: float) -> None:
    """Refuse a setting that is not a number in a range."""
    if type(value) not in (int, float) or not least <= value <= most:  # type: ignore[operator]
        raise ValueError(f"{name} is a number from {least:g} to {most:g}, not {value!r}")


def check_integer(name: str, value: object, least: int, most: int) -> None:
    """Refuse a setting that is not a whole number in a range."""
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"{name} is a whole number from {least} to {most}, not {value!r}")


COMMA = re.compile(r",(?![^(]*\))")
"""A comma between values, and not inside a value in brackets."""

MOST_VALUES = 1000
SYNTAX = "setting=first:last, setting=first:last:step or setting=one,another"


def parse_number(text: str) -> int | float:
    """Parse a whole number or a fraction; anything else is a `ValueError`."""
    try:
        value = float(text)
    except ValueError as error:
        raise ValueError from error
    if not isfinite(value):
        raise ValueError
    return int(text) if text.strip().lstrip("+-").isdecimal() else value


def parse_setting(
    text: str, what: str = "sweep", parse_value: Callable[[str], Any] = parse_number
) -> tuple[str, tuple[Any, ...]]:
    """Parse a setting with several values, as in 'window_gap=0:20' or 'order=2,3'.

    `parse_value` parses each value of a list; `what` names the text in errors.
    """
    setting, equals, values = text.partition("=")
    try:
        parsed = _range(values) if ":" in values else tuple(map(parse_value, COMMA.split(values)))
    except ValueError as error:
        reason = str(error) or f"write {SYNTAX}"
        raise UnknownName(f"{text!r} is not a {what}", remedy=reason) from error
    if not equals or not setting.strip():
        raise UnknownName(f"{text!r} is not a {what}", remedy=f"write {SYNTAX}")
    if len(parsed) > MOST_VALUES:
        raise UnknownName(
            f"{text!r} has {len(parsed)} values", remedy=f"{what} through {MOST_VALUES} at most"
        )
    return setting.strip(), parsed


def _range(values: str) -> tuple[Any, ...]:
    """Return the numbers of 'first:last' or 'first:last:step', both ends included."""
    first, last, *more = [parse_number(each) for each in values.split(":")]
    if not more and not (isinstance(first, int) and isinstance(last, int)):
        raise ValueError("a range of fractions needs a step, as in seconds=0.1:0.5:0.1")
    step = more[0] if more else 1
    if len(more) > 1 or step <= 0 or last < first or (last - first) / step > MOST_VALUES * 10:
        raise ValueError
    # A millionth of a step makes up for rounding errors.
    count = int((last - first) / step + 1e-6) + 1
    return tuple(parse_number(repr(round(first + i * step, 9))) for i in range(count))
