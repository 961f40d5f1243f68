"""JSON of Rev.com's editor: monologues of spans, timed where a word was aligned."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from caesura.formats.base import JsonFormat
from caesura.formats.cells import Cells, cells, known, speaker_names, turns
from caesura.formats.elements import Element, add_elements
from caesura.formats.rows import Rows
from caesura.formats.source import Source, items, number, seconds, string
from caesura.transcript import Transcript

logger = logging.getLogger("caesura")

JOINERS = "-–.&:/'’@_+"
"""What joins spans into one written word: African-American, D.C., R&B, 7:00, he's."""


@dataclass(frozen=True, repr=False)
class Rev(JsonFormat):
    """Spans put together are the text; what stands between blanks is a word.

    Untimed spans are blanks, punctuation, or words that were typed in later. Notes such as
    `(laughs)` and `[inaudible 00:00:04]` are words with brackets as their opening and mark.
    """

    name = "rev"
    carries = frozenset("start end speaker opening mark id".split())
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
        """Yield each document as a recording."""
        for i, document in enumerate(documents):
            if number(document.get("offsetSeconds")) > 0:
                logger.warning("%s: 'offsetSeconds' is not added to the times", source.name)
            id = source.numbered(i, len(documents)) or string(document.get("name"))
            yield _transcript(document, id)

    def document(self, transcript: Transcript) -> Any:
        """Give a monologue for each turn of a speaker."""
        words = cells(transcript)
        labels = list(dict.fromkeys(word.speaker for word in words if word.speaker))
        monologues: list[dict[str, Any]] = []
        for speaker, turn in turns(words):
            spans = [span for word in turn for span in _spans(word)]
            number = labels.index(speaker) if speaker else None
            monologues.append({"id": len(monologues) + 1, "speaker": number, "spans": spans})
        return {
            "speakers": [{"id": i, "name": label} for i, label in enumerate(labels)],
            "monologues": monologues,
            "offsetSeconds": 0,
            "name": transcript.id,
        }


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
    """Whether a span goes on with a word: after or with a joiner, or typed right beside it."""
    if before.value[-1] in JOINERS or span.value[0] in JOINERS:
        return True
    return before.spoken and (before.start != before.start or span.start != span.start)


def _spans(word: Cells) -> Iterator[dict[str, Any]]:
    """Give a word with its punctuation and blank as spans."""
    if word.opening:
        yield {"type": 0, "value": word.opening}
    yield {"type": 0, "value": word.word, **known(ts=word.start, endTs=word.end)}
    after = word.mark + " " * word.blank
    if after:
        yield {"type": 0, "value": after}
