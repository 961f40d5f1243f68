"""Things that are made with settings, and those among them that learn."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, ClassVar, Self

from numpy.typing import NDArray

from caesura.transcript import Transcript


class Configured:
    """A frozen dataclass whose `repr` is the text a user types to get it."""

    name: ClassVar[str]
    """The registered name."""

    @property
    def settings(self) -> dict[str, Any]:
        """What it was made with."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(f'{k}={v!r}' for k, v in self.settings.items())})"


class Trainable(Configured, ABC):
    """What can learn from transcripts, and be stored as a model."""

    relearns: ClassVar[frozenset[str]] = frozenset()
    """Settings on which depends what is learnt; all others can be changed after training."""

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
