"""Things that are made with settings, and those among them that learn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, ClassVar, Generic, Self, TypeVar

from numpy.typing import NDArray

from caesura.errors import ModelError
from caesura.transcript import Transcript

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

    relearns: ClassVar[frozenset[str]] = frozenset()
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

    def learnt(self) -> Mapping[str, NDArray[Any]]:
        """Give what training taught, as arrays with names; nothing if there is nothing to learn."""
        return {}

    def knowing(self, learnt: Mapping[str, NDArray[Any]]) -> Self:
        """Give the same with what another of this configuration has learnt."""
        return self

    def told(self) -> str:
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


class Learning(Trainable, Generic[M]):
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
                remedy=f"train it: caesura train {self.name} --train FILES --out MODEL",
            )
        return self._model

    @property
    def has_learnt(self) -> bool:
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
    def learnt(self) -> Mapping[str, NDArray[Any]]:
        """Give the model as arrays with names."""

    @abstractmethod
    def knowing(self, learnt: Mapping[str, NDArray[Any]]) -> Self:
        """Give the same with a model made of arrays, or raise a `ModelError`."""
