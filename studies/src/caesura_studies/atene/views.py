"""Which entities count, and what their classes are called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from caesura.core.transcript import Span, Transcript
from caesura.detectors.tagging.entity_classes import SAME


@dataclass(frozen=True)
class View:
    """A choice of classes; the others are no entities. Without a choice all count."""

    key: str
    title: str
    classes: Mapping[str, str] | None = None

    def spans(self, spans: Iterable[Span]) -> tuple[Span, ...]:
        """Keep the entities that count, under the names of their classes here."""
        if self.classes is None:
            return tuple(spans)
        return tuple(
            span._replace(label=self.classes[span.label])
            for span in spans
            if span.label in self.classes
        )

    def of(self, text: Transcript) -> Transcript:
        """Give a text with the entities that count."""
        return text.replace(entities=self.spans(text.entities or ()))


def _same(classes: str) -> dict[str, str]:
    return {name: name for name in classes.split()}


ALL = View("all", "all classes")
NAMES = View("names", "names only", _same("PERSON ORG GPE LOC NORP PRODUCT EVENT OTHER"))
THREE = View(
    "three",
    "persons, places and organisations",
    {
        written: name
        for other, name in SAME.items()
        if name in ("PER", "LOC", "ORG")
        for written in (other, other.upper())
    },
)
VIEWS = (ALL, NAMES, THREE)
