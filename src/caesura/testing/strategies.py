"""Random transcripts, for hypothesis, with the layers that a law is about."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from caesura.core.arrays import MISSING, Floats
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Span, Transcript
from caesura.text.punctuation import is_abbreviation

WORDS = st.one_of(
    st.from_regex(r"[A-Za-z]{1,8}('[a-z]{1,2})?", fullmatch=True),
    st.from_regex(r"[0-9]{1,4}%?", fullmatch=True),
    st.sampled_from(
        [
            "U.S.",
            "Mr.",
            "th-",
            "naïve",
            "Straße",
            "καλά",
            "привет",
            "שלום",
            "今日",
            "मैं",
            "🙂",
            "$4.5",
        ]
    ),
)
NAMES = st.from_regex(r"[A-Za-z][A-Za-z0-9]{0,5}", fullmatch=True)


def for_all(examples: int, *drawn: st.SearchStrategy[Any]) -> Callable[[Callable[..., None]], None]:
    """Return a decorator that runs a function at once, on so many random arguments."""

    def run(law: Callable[..., None]) -> None:
        # Deadlines and slow drawing are about the machine, and not about what is checked.
        chosen = settings(
            max_examples=examples,
            deadline=None,
            report_multiple_bugs=False,
            suppress_health_check=[HealthCheck.too_slow],
        )
        chosen(given(*drawn)(law))()

    return run


@st.composite
def transcripts(draw: st.DrawFn, layers: Collection[str], smallest: int = 1) -> Transcript:
    """Draw a recording with exactly these layers, of at least `smallest` words."""
    words = draw(st.lists(WORDS, min_size=smallest, max_size=12))
    count = len(words)
    ends = draw(st.lists(st.booleans(), min_size=count, max_size=count))
    if count:
        ends[-1] = True
    columns: dict[str, Any] = {}
    steps = draw(st.lists(st.integers(0, 900), min_size=2 * count, max_size=2 * count))
    times = np.cumsum(steps) / 1000
    columns["start"], columns["end"] = times[0::2], times[1::2]
    hundredths = st.integers(0, 100).map(lambda n: n / 100)
    columns["confidence"] = draw(st.lists(hundredths, min_size=count, max_size=count))
    columns["head"] = draw(_heads(ends))
    columns["blank"] = draw(st.lists(st.booleans(), min_size=count, max_size=count))
    columns["cluster"] = [first or draw(st.booleans()) for first in [True, *ends[:-1]][:count]]
    columns["opening"] = draw(_cells(count, st.sampled_from(["", "", "(", "“"])))
    inner = draw(_cells(count, st.sampled_from(["", "", ",", ":"])))
    final = draw(_cells(count, st.sampled_from([".", "?", "!", "?”"])))
    marks = [f if end else i for end, i, f in zip(ends, inner, final, strict=True)]
    columns["mark"] = [
        _unambiguous_mark(word, mark) for word, mark in zip(words, marks, strict=True)
    ]
    columns["pause"] = [*draw(_cells(max(count - 1, 0), st.sampled_from(["", "<sil>"]))), ""][
        :count
    ]
    for name in ("speaker", "tag", "subtag", "lemma", "relation"):
        columns[name] = draw(_cells(count, NAMES))
    columns["features"] = draw(
        _cells(count, st.sampled_from(["", "Number=Plur", "Case=Nom|Tense=Past"]))
    )
    known: dict[str, Any] = {
        name: tuple(cells) if isinstance(MISSING[name], str) else cells
        for name, cells in columns.items()
        if name in layers
    }
    return Transcript(
        words=tuple(words),
        id=draw(NAMES) if "id" in layers else "",
        language=draw(st.sampled_from(["en", "fr"])) if "language" in layers else "",
        entities=draw(_spans(ends)) if "entities" in layers else None,
        multiwords=draw(_multiwords(ends, words)) if "multiwords" in layers else None,
        alternatives=draw(_alternatives(ends)) if "alternatives" in layers else None,
        evidence=draw(_evidence(count)) if "evidence" in layers else None,
        sentences=_sentences(draw, ends, layers) if "sentences" in layers else None,
        **known,
    )


def _unambiguous_mark(word: str, mark: str) -> str:
    """Return a mark that cannot be taken for the dot of an abbreviation."""
    if word.endswith("."):
        return ""
    return "!" if mark == "." and is_abbreviation(word) else mark


def _cells(count: int, cells: st.SearchStrategy[str]) -> st.SearchStrategy[list[str]]:
    """Return a strategy for a column of texts."""
    return st.lists(cells, min_size=count, max_size=count)


@st.composite
def _heads(draw: st.DrawFn, ends: list[bool]) -> list[int]:
    """Draw a tree for each sentence: one root, and every other word depends on it."""
    heads: list[int] = []
    first = 0
    for last, end in enumerate(ends):
        if end:
            root = draw(st.integers(first, last))
            heads += [root] * (last + 1 - first)
            first = last + 1
    return heads


@st.composite
def _spans(draw: st.DrawFn, ends: list[bool]) -> tuple[Span, ...]:
    """Draw spans that do not overlap, touch or cross a sentence end."""
    spans, at = [], 0
    while at < len(ends):
        stop = ends.index(True, at)
        last = draw(st.integers(at, min(stop, at + 2)))
        if draw(st.booleans()):
            spans.append(Span(at, last, draw(st.sampled_from(["PER", "LOC", "ORG"]))))
            last += 1
        at = last + 1
    return tuple(spans)


@st.composite
def _multiwords(draw: st.DrawFn, ends: list[bool], words: list[str]) -> tuple[Span, ...]:
    """Draw multiword tokens, written as their words without blanks."""
    spans = draw(_spans(ends))
    return tuple(
        Span(s.first, s.last, "".join(words[s.first : s.last + 1]))
        for s in spans
        if s.last > s.first
    )


@st.composite
def _alternatives(draw: st.DrawFn, ends: list[bool]) -> tuple[Span, ...]:
    """Draw alternative transcriptions of some words of a sentence; they may overlap."""
    spans = []
    for _ in range(draw(st.integers(0, 3)) if ends else 0):
        first = draw(st.integers(0, len(ends) - 1))
        last = draw(st.integers(first, min(first + 2, ends.index(True, first))))
        spans.append(Span(first, last, draw(st.sampled_from(["", "two", "Um five.", "C.E.O. of"]))))
    return tuple(spans)


@st.composite
def _evidence(draw: st.DrawFn, count: int) -> dict[str, Floats]:
    """Draw columns of evidence about each gap: log-odds and probabilities."""
    log_odds = st.one_of(st.just(np.nan), st.integers(-80, 80).map(lambda n: n / 8))
    probability = st.one_of(st.just(np.nan), st.integers(0, 100).map(lambda n: n / 100))
    columns = {"prosody": log_odds, "bert": probability}
    return {
        name: np.array(draw(st.lists(cells, min_size=count, max_size=count)), np.float64)
        for name, cells in columns.items()
    }


def _sentences(draw: st.DrawFn, ends: list[bool], layers: Collection[str]) -> Segmentation:
    """Make the segmentation with these ends, with labels and log-odds if they are asked for."""
    label = tuple("." if end else "" for end in ends) if "labels" in layers else None
    odds = None
    if "log_odds" in layers:
        whole = st.integers(-8, 8)
        odds = np.array(draw(st.lists(whole, min_size=len(ends), max_size=len(ends))), np.float64)
    return Segmentation(np.array(ends, dtype=np.bool_), label, odds)


def carried_part(transcript: Transcript, carries: Collection[str]) -> Transcript:
    """Reduce a transcript to what a format must keep: layers it carries that are not empty."""
    kept = transcript.only(carries)
    changes: dict[str, Any] = {}
    if "id" not in carries:
        changes["id"] = ""
    if "language" not in carries:
        changes["language"] = ""
    for name, missing in MISSING.items():
        cells = getattr(kept, name)
        if cells is None:
            continue
        if name == "blank" and len(cells):
            cells = np.append(cells[:-1], True)
            changes[name] = cells
        if all(c == missing or c != c for c in cells):
            changes[name] = None
    for name in ("entities", "multiwords", "alternatives"):
        changes[name] = getattr(kept, name) or None
    inner = kept.sentences
    if inner is not None:
        changes["sentences"] = Segmentation(
            inner.boundary,
            inner.label if "labels" in carries else None,
            inner.log_odds if "log_odds" in carries else None,
        )
    return kept.replace(**changes)
