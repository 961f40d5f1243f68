"""Taggers of entities, of as many kinds as recognised words may meet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from caesura.core.arrays import Strings
from caesura.core.transcript import Span, Transcript

Spans = tuple[Span, ...]


class Trained(Protocol):
    """Finds entities in words."""

    def tag(self, texts: Sequence[Strings]) -> list[Spans]:
        """Return the entities of each text, which do not overlap."""


class Tagger(Protocol):
    """Learns from texts whose entities are known and do not overlap."""

    @property
    def name(self) -> str:
        """What it is called."""

    def train(self, texts: Sequence[Transcript]) -> Trained:
        """Learn."""
