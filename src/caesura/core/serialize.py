"""Transcripts as JSON objects, without loss: the lines of a JSONL file, and states of streams."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from caesura.core.arrays import MISSING
from caesura.core.errors import FormatError
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import CARRIED, SPANS, Span, Transcript

KEYS = frozenset((*CARRIED, "words"))
SHAPE = "a recording is an object whose 'words' is a list of texts"


def is_recording(document: Any) -> bool:
    """Tell whether a JSON value has the words of a recording."""
    return isinstance(document, dict) and _strings(document.get("words"))


def to_document(transcript: Transcript) -> dict[str, Any]:
    """Return the JSON object of a recording; a layer that is not known has no key."""
    document: dict[str, Any] = {}
    if transcript.id:
        document["id"] = transcript.id
    if transcript.language:
        document["language"] = transcript.language
    document["words"] = list(transcript.words)
    for name in transcript.layers:
        layer = getattr(transcript, name)
        if name in SPANS:
            document[name] = [[*span[:3], *([span.key] if span.key else [])] for span in layer]
        elif name == "evidence":
            document[name] = {column: _nulls(cells) for column, cells in layer.items()}
        elif name == "sentences":
            document[name] = [list(sentence) for sentence in layer.sentences]
            if layer.label is not None:
                document["labels"] = list(layer.label)
            if layer.log_odds is not None:
                document["log_odds"] = _nulls(layer.log_odds)
            if layer.written is not None:
                document["written"] = list(layer.written)
        else:
            document[name] = list(layer) if isinstance(layer, tuple) else _nulls(layer)
    return document


def _nulls(array: np.ndarray[Any, Any]) -> list[Any]:
    cells: list[Any] = array.tolist()
    if array.dtype.kind != "f":
        return cells
    return [cell if math.isfinite(cell) else None for cell in cells]


def from_document(document: Any) -> Transcript:
    """Make a transcript from a JSON object."""
    if not is_recording(document):
        raise FormatError(SHAPE)
    unknown = sorted(set(document) - KEYS)
    if unknown:
        raise FormatError(
            f"unknown key {unknown[0]!r}", remedy=f"known are {', '.join(sorted(KEYS))}"
        )
    changes = _layers(document)
    for name in ("id", "language"):
        if not isinstance(document.get(name, ""), str):
            raise FormatError(f"{name!r} is not a text")
        changes[name] = document.get(name, "")
    if "sentences" in document:
        changes["sentences"] = _sentences(document)
    for name in ("labels", "log_odds", "written"):
        if name in document and "sentences" not in document:
            raise FormatError(f"{name!r} belongs to 'sentences', and there are none")
    return Transcript(words=tuple(document["words"]), **changes)


def _layers(document: dict[str, Any]) -> dict[str, Any]:
    """Read all layers but the sentences."""
    layers = {name: _column(name, document[name]) for name in MISSING if name in document}
    layers.update({name: _spans(name, document[name]) for name in SPANS if name in document})
    if "evidence" in document:
        layers["evidence"] = _evidence(document["evidence"])
    return layers


def _strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(cell, str) for cell in value)


def _column(name: str, cells: Any) -> Any:
    missing = MISSING[name]
    if not isinstance(cells, list):
        raise FormatError(f"{name!r} is not a list")
    filled = [missing if cell is None else cell for cell in cells]
    for cell in filled:
        if not _fits(cell, missing):
            raise FormatError(f"{name!r} has a cell {cell!r} that it cannot hold")
    return tuple(filled) if isinstance(missing, str) else np.array(filled, dtype=type(missing))


def _fits(cell: Any, missing: Any) -> bool:
    """Tell whether a cell has the type of the column's missing cell."""
    if isinstance(missing, (str, bool)):
        return type(cell) is type(missing)
    kinds = (int,) if missing == -1 else (int, float)
    return (type(cell) in kinds and abs(cell) < 1 << 53) or cell is missing


def _evidence(columns: Any) -> dict[str, list[float]]:
    if not isinstance(columns, dict):
        raise FormatError("'evidence' is an object of columns by name")
    for name, cells in columns.items():
        if not isinstance(cells, list):
            raise FormatError(f"evidence {name!r} is not a list")
        for cell in cells:
            # In this order, since an endless integer is no float.
            number = type(cell) in (int, float) and abs(cell) <= sys.float_info.max
            if cell is not None and not number:
                raise FormatError(f"evidence {name!r} has a cell {cell!r} that is no number")
    return {
        name: [math.nan if cell is None else cell for cell in cells]
        for name, cells in columns.items()
    }


def _spans(name: str, spans: Any) -> tuple[Span, ...]:
    made = []
    for span in spans if isinstance(spans, list) else [()]:
        shape = isinstance(span, list) and 3 <= len(span) <= 4
        if not shape or not all(type(n) is int for n in span[:2]) or not _strings(span[2:]):
            raise FormatError(f"{name!r} is a list of [first, last, label]")
        made.append(Span(*span))
    return tuple(made)


def _sentences(document: dict[str, Any]) -> Segmentation:
    pairs = document["sentences"]
    if not isinstance(pairs, list) or not all(
        isinstance(pair, list) and len(pair) == 2 and all(type(n) is int for n in pair)
        for pair in pairs
    ):
        raise FormatError("'sentences' is a list of [first, last]")
    segmentation = Segmentation.of_sentences(len(document["words"]), [(a, b) for a, b in pairs])
    label, written = _texts(document, "labels"), _texts(document, "written")
    log_odds = document.get("log_odds")
    evidence = None if log_odds is None else _column("confidence", log_odds)
    return Segmentation(segmentation.boundary, label, evidence, written)


def _texts(document: dict[str, Any], name: str) -> tuple[str, ...] | None:
    """Return a list of texts under a key, '' for null; None if there is none."""
    cells = document.get(name)
    if isinstance(cells, list):
        cells = ["" if cell is None else cell for cell in cells]
    if cells is None:
        return None
    if not _strings(cells):
        raise FormatError(f"{name!r} is a list of texts")
    return tuple(cells)
