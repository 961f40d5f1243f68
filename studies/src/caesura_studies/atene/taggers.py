"""The protocol of the entity taggers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from caesura.core.arrays import Strings
from caesura.core.transcript import Span, Transcript

Spans = tuple[Span, ...]


class Trained(Protocol):
    """A trained tagger."""

    def tag(self, texts: Sequence[Strings]) -> list[Spans]:
        """Return the entities of each text, which do not overlap."""


class Tagger(Protocol):
    """A tagger that can be trained on texts with entities that do not overlap."""

    @property
    def name(self) -> str:
        """Its name."""

    def train(self, texts: Sequence[Transcript]) -> Trained:
        """Train a tagger."""
