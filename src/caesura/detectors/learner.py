"""What detectors that learn have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Generic, Self, TypeVar

from numpy.typing import NDArray

from caesura.contracts import Detector
from caesura.errors import LayerError, ModelError

M = TypeVar("M")


class Learner(Detector, Generic[M]):
    """A detector with a model, which training or a stored model gives it.

    The model is no setting: `repr` and equality tell detectors by what was chosen, not by what
    was learnt.
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

    def with_model(self, model: M | None) -> Self:
        """Give the same detector with a model."""
        made = replace(self)  # type: ignore[type-var]
        object.__setattr__(made, "_model", model)
        return made

    def adjusted(self, **settings: Any) -> Self:
        """Give the same detector, and its model, with other settings."""
        changed: Self = replace(self, **settings)  # type: ignore[type-var]
        return changed.with_model(self._model)

    @abstractmethod
    def learnt(self) -> Mapping[str, NDArray[Any]]:
        """Give the model as arrays with names."""

    @abstractmethod
    def knowing(self, learnt: Mapping[str, NDArray[Any]]) -> Self:
        """Give the same detector with a model made of arrays, or raise a `ModelError`."""


def missing_sentences(count: int) -> LayerError:
    """Say that there is nothing to learn from."""
    return LayerError(
        f"none of {count} recordings has sentences",
        remedy="train on transcripts whose sentences are known",
    )
