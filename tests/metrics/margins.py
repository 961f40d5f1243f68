"""A small entity model, and texts with names written in one line."""

from functools import cache

from caesura.core.transcript import Span, Transcript
from caesura.detectors.tagging.entity_model import Margins
from caesura.metrics.atene import ATENE
from detectors.toy_entities import entity_text


@cache
def entity_model() -> Margins:
    return Margins().train([entity_text(seed) for seed in range(3)])


def metric() -> ATENE:
    return ATENE(entity_model())


def spoken(text: str) -> Transcript:
    """Make a transcript; names are written as `[new york LOC]`."""
    words: list[str] = []
    spans: list[Span] = []
    for part in text.replace("[", "\n[").replace("]", "]\n").split("\n"):
        inside = part.strip("[] ").split()
        if part.startswith("["):
            spans.append(Span(len(words), len(words) + len(inside) - 2, inside.pop()))
        words += inside
    return Transcript(tuple(words), entities=tuple(spans))
