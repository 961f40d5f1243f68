"""JSON of Rev's editor and of Rev AI: a text in pieces, which are words, punctuation or blanks."""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from caesura.core.transcript import Transcript
from caesura.formats.base import (
    JsonFormat,
    Source,
    items,
    number,
    seconds,
    share,
    speaker_names,
    string,
)
from caesura.formats.builder import Rows
from caesura.text.punctuation import is_opening

logger = logging.getLogger("caesura")


class Element(NamedTuple):
    """A piece of the text; `spoken` if it is a word or part of one, and not punctuation."""

    value: str
    spoken: bool
    start: float = math.nan
    end: float = math.nan
    confidence: float = math.nan


Joins = Callable[[Element, Element], bool]
"""Whether a spoken element is part of the word that the element before it belongs to."""


def add_elements(rows: Rows, elements: Iterable[Element], joins: Joins, **cells: Any) -> None:
    """Add the words of one speaker's turn.

    A word has the start of its first and the end of its last spoken element.
    """
    rows.turn()
    for chunk in _chunks(elements):
        for i, word in enumerate(_words(chunk, joins)):
            if i:
                rows.glue()
            spoken = [element for element in word if element.spoken] or word
            rows.phrase(
                "".join(element.value for element in word),
                spoken[0].start,
                spoken[-1].end,
                confidence=spoken[0].confidence,
                **cells,
            )


def _chunks(elements: Iterable[Element]) -> Iterator[list[Element]]:
    """Split the text at blanks; if an element has blanks, its first piece has the start."""
    chunk: list[Element] = []
    for element in elements:
        pieces = re.findall(r"\s+|\S+", element.value)
        places = [i for i, piece in enumerate(pieces) if not piece.isspace()]
        for i, piece in enumerate(pieces):
            if i in places:
                start = element.start if i == places[0] else math.nan
                end = element.end if i == places[-1] else math.nan
                chunk.append(element._replace(value=piece, start=start, end=end))
            elif chunk:
                yield chunk
                chunk = []
    if chunk:
        yield chunk


def _words(chunk: Iterable[Element], joins: Joins) -> list[list[Element]]:
    """Group elements without a blank between them into words with their punctuation."""
    words: list[list[Element]] = [[]]
    for element in chunk:
        if any(before.spoken for before in words[-1]):
            begins = (
                not joins(words[-1][-1], element) if element.spoken else is_opening(element.value)
            )
            if begins:
                words.append([])
        words[-1].append(element)
    return words


JOINERS = "-–.&:/'’@_+"
"""Characters that join spans into one word: African-American, D.C., R&B, 7:00, he's."""


@dataclass(frozen=True, repr=False)
class Rev(JsonFormat):
    """Rev's transcript editor (JSON): spans that together are the text.

    What is between blanks is a word.
    Spans without times are blanks, punctuation, or words typed in later. Notes such as
    `(laughs)` and `[inaudible 00:00:04]` are words with brackets as their opening and mark.
    """

    name = "rev"
    carries = frozenset("start end speaker opening mark blank id".split())
    expects = "Rev's editor has 'monologues' with 'spans'"

    @classmethod
    def matches(cls, document: Any) -> bool:
        """Whether there are monologues with spans, or a table of speakers and no monologue."""
        if not isinstance(document, dict) or not isinstance(document.get("monologues"), list):
            return False
        monologues = items(document["monologues"])
        return any(isinstance(m.get("spans"), list) for m in monologues) or (
            not document["monologues"] and isinstance(document.get("speakers"), list)
        )

    def convert(self, documents: list[Any], source: Source) -> Iterator[Transcript]:
        """Read each JSON value as a recording."""
        for i, document in enumerate(documents):
            if number(document.get("offsetSeconds")) > 0:
                logger.warning("%s: 'offsetSeconds' is not added to the times", source.name)
            id = source.numbered(i, len(documents)) or string(document.get("name"))
            yield _transcript(document, id)


def _transcript(document: dict[str, Any], id: str) -> Transcript:
    rows = Rows()
    names = speaker_names(items(document.get("speakers")), "id")
    for monologue in items(document["monologues"]):
        key = string(monologue.get("speaker"))
        spans = [_element(span) for span in items(monologue.get("spans"))]
        add_elements(rows, spans, _joins, speaker=names.get(key, key) or None)
    return rows.transcript(id)


def _element(span: dict[str, Any]) -> Element:
    value = string(span.get("value"))
    start, end = seconds(span.get("ts")), seconds(span.get("endTs"))
    timed = start == start or end == end
    return Element(value, timed or any(map(str.isalnum, value)), start, end)


def _joins(before: Element, span: Element) -> bool:
    """Whether a span continues a word: a joiner is between them, or one of them was typed in."""
    if before.value[-1] in JOINERS or span.value[0] in JOINERS:
        return True
    return before.spoken and (before.start != before.start or span.start != span.start)


MESSAGES = frozenset({"final", "partial", "connected"})
"""Types of messages in a stream; only `final` ones are read."""

ELEMENT_JOINERS = ("-", "'", "’", "&", "/", "@")
"""Punctuation that joins two texts into one word: well-known, R&B."""


@dataclass(frozen=True, repr=False)
class RevAi(JsonFormat):
    """Rev AI, the speech recogniser (JSON): transcripts and saved streams.

    Elements of type `text` are words, `punct` are punctuation or blanks.
    There is a blank between monologues, unless one ends with an empty `punct`. Of a stream,
    saved as a list or one message after another, only final hypotheses are read.
    """

    name = "revai"
    carries = frozenset("start end confidence speaker opening mark blank".split())
    expects = "Rev AI has 'monologues' with 'elements'"

    @classmethod
    def matches(cls, document: Any) -> bool:
        """Whether this is a transcript, a message of a stream or a list of messages."""
        if isinstance(document, list):
            return bool(document) and all(_is_message(part) for part in document)
        if not isinstance(document, dict):
            return False
        monologues = document.get("monologues")
        if isinstance(monologues, list):
            inner = items(monologues)
            return any(isinstance(m.get("elements"), list) for m in inner) or (
                not monologues and "speakers" not in document
            )
        return _is_message(document)

    def convert(self, documents: list[Any], source: Source) -> Iterator[Transcript]:
        """Yield each transcript, and the messages of a stream as one."""
        parts = [part for d in documents for part in (d if isinstance(d, list) else [d])]
        recordings = [part for part in parts if "monologues" in part]
        finals = [part for part in parts if part.get("type") == "final"]
        if finals or not recordings:
            recordings.append({"monologues": finals})
        for i, recording in enumerate(recordings):
            yield _recording_transcript(recording, source.numbered(i, len(recordings)))


def _is_message(document: Any) -> bool:
    if not isinstance(document, dict) or not isinstance(document.get("type"), str):
        return False
    if document["type"] == "connected":
        return "id" in document
    return document["type"] in MESSAGES and isinstance(document.get("elements"), list)


def _recording_transcript(recording: dict[str, Any], id: str) -> Transcript:
    rows = Rows()
    names = speaker_names(items(recording.get("speakers")), "id")
    for monologue in items(recording.get("monologues")):
        info = monologue.get("speaker_info")
        shown = string(info.get("display_name")) if isinstance(info, dict) else ""
        number = string(monologue.get("speaker"))
        elements = [_ai_element(element) for element in items(monologue.get("elements"))]
        speaker = shown or names.get(number, number) or None
        add_elements(rows, elements, _ai_joins, speaker=speaker)
        if elements and not elements[-1].value and not elements[-1].spoken:
            rows.glue()
    return rows.transcript(id)


def _ai_element(element: dict[str, Any]) -> Element:
    return Element(
        string(element.get("value")),
        element.get("type") != "punct",
        seconds(element.get("ts")),
        seconds(element.get("end_ts")),
        share(element.get("confidence")),
    )


def _ai_joins(before: Element, element: Element) -> bool:
    """Whether a word continues after an element that joins words."""
    return element.spoken and not before.spoken and before.value in ELEMENT_JOINERS
