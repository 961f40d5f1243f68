"""Random transcripts, for hypothesis, with the layers that a law is about."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
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
INNER_MARKS = st.sampled_from(["", "", ",", ":"])
FINAL_MARKS = st.sampled_from([".", "?", "!", "?”"])
CELLS = {
    "confidence": st.integers(0, 100).map(lambda n: n / 100),
    "opening": st.sampled_from(["", "", "(", "“"]),
    "read": st.sampled_from(["", "", "so", "“it", "goes."]),
    "pause": st.sampled_from(["", "<sil>"]),
    "features": st.sampled_from(["", "Number=Plur", "Case=Nom|Tense=Past"]),
}
"""Layers whose cells do not depend on the words or the sentences; others hold names."""


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
    pool = draw(st.lists(WORDS, min_size=1, max_size=6))
    words = draw(st.lists(st.sampled_from(pool), min_size=smallest, max_size=12))
    count = len(words)
    ends = draw(flags(count))
    if count:
        ends[-1] = True
    known: dict[str, Any] = {}
    for name, missing in MISSING.items():
        if name in layers and name not in ("start", "end"):
            cells = draw(_column(name, words, ends))
            known[name] = tuple(cells) if isinstance(missing, str) else list(cells)
    if "start" in layers or "end" in layers:
        steps = draw(_cells(2 * count, st.integers(0, 900)))
        times = np.cumsum(steps) / 1000
        known |= {name: times[at::2] for at, name in enumerate(("start", "end")) if name in layers}
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


@st.composite
def _column(draw: st.DrawFn, name: str, words: list[str], ends: list[bool]) -> Sequence[Any]:
    """Draw the cells of one layer."""
    count = len(words)
    if name == "head":
        return draw(_heads(ends))
    if name == "blank":
        return draw(flags(count))
    if name == "cluster":
        firsts = [True, *ends[:-1]][:count]
        return [first or more for first, more in zip(firsts, draw(flags(count)), strict=True)]
    if name == "mark":
        inner, final = draw(_cells(count, INNER_MARKS)), draw(_cells(count, FINAL_MARKS))
        marks = [f if end else i for end, i, f in zip(ends, inner, final, strict=True)]
        return [_unambiguous_mark(word, mark) for word, mark in zip(words, marks, strict=True)]
    if name == "pause":
        return (*draw(_cells(max(count - 1, 0), CELLS["pause"])), "")[:count]
    if name in CELLS:
        return draw(_cells(count, CELLS[name]))
    return draw(_cells(count, st.sampled_from(draw(st.lists(NAMES, min_size=1, max_size=4)))))


def _cells(count: int, cells: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    """Return a strategy for the cells of a column; a tuple is drawn faster than a list."""
    return st.tuples(*[cells] * count)


def flags(count: int) -> st.SearchStrategy[list[bool]]:
    """Return a strategy for a column of flags, drawn at once as the bits of a number."""
    numbers = st.integers(0, 2**count - 1)
    return numbers.map(lambda number: [bool(number >> at & 1) for at in range(count)])


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
        name: np.array(draw(_cells(count, cells)), np.float64) for name, cells in columns.items()
    }


def _sentences(draw: st.DrawFn, ends: list[bool], layers: Collection[str]) -> Segmentation:
    """Make the segmentation with these ends, and what else about it is asked for."""
    label = tuple("." if end else "" for end in ends) if "labels" in layers else None
    odds = None
    if "log_odds" in layers:
        odds = np.array(draw(_cells(len(ends), st.integers(-8, 8))), np.float64)
    written = None
    if "written" in layers:
        written = draw(_cells(len(ends), st.sampled_from(["", "McCoy", "iPhone", "US"])))
    return Segmentation(np.array(ends, dtype=np.bool_), label, odds, written)


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
            inner.written if "written" in carries else None,
        )
    return kept.replace(**changes)
