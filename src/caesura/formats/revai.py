"""JSON of the Rev AI interface: monologues of elements, blanks and punctuation among them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from caesura.formats.base import JsonFormat
from caesura.formats.cells import Cells, cells, known, speaker_key, speaker_names, turns
from caesura.formats.elements import Element, add_elements
from caesura.formats.rows import Rows
from caesura.formats.source import Source, items, seconds, share, string
from caesura.transcript import Transcript

MESSAGES = frozenset({"final", "partial", "connected"})
"""Types of messages in a stream; only `final` counts."""

JOINERS = ("-", "'", "’", "&", "/", "@")
"""Punctuation that joins two texts into one word: well-known, R&B."""


@dataclass(frozen=True, repr=False)
class RevAi(JsonFormat):
    """Elements of type `text` are words, `punct` are punctuation or blanks.

    A monologue's end stands for a blank; to write that there is none, an empty `punct` is used.
    Of a stream, saved as a list or one message after another, final hypotheses count.
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
        """Yield each transcript, and what the messages of a stream say together."""
        parts = [part for d in documents for part in (d if isinstance(d, list) else [d])]
        recordings = [part for part in parts if "monologues" in part]
        finals = [part for part in parts if part.get("type") == "final"]
        if finals or not recordings:
            recordings.append({"monologues": finals})
        for i, recording in enumerate(recordings):
            yield _transcript(recording, source.numbered(i, len(recordings)))

    def document(self, transcript: Transcript) -> Any:
        """Give a monologue for each turn of a speaker."""
        words = cells(transcript)
        labels = dict.fromkeys(word.speaker for word in words if word.speaker)
        counted = all(isinstance(speaker_key(label), int) for label in labels)
        numbers = {
            label: speaker_key(label) if counted else place for place, label in enumerate(labels)
        }
        monologues = []
        for speaker, turn in turns(words):
            number = numbers.get(speaker)
            named = {"id": number, "display_name": speaker} if speaker and not counted else None
            elements = [element for word in turn for element in _elements(word)]
            if turn[-1].blank:
                elements.pop()
            else:
                elements.append({"type": "punct", "value": ""})
            monologues.append(known(speaker=number, speaker_info=named, elements=elements))
        return {"monologues": monologues}


def _is_message(document: Any) -> bool:
    if not isinstance(document, dict) or not isinstance(document.get("type"), str):
        return False
    if document["type"] == "connected":
        return "id" in document
    return document["type"] in MESSAGES and isinstance(document.get("elements"), list)


def _transcript(recording: dict[str, Any], id: str) -> Transcript:
    rows = Rows()
    names = speaker_names(items(recording.get("speakers")), "id")
    for monologue in items(recording.get("monologues")):
        info = monologue.get("speaker_info")
        shown = string(info.get("display_name")) if isinstance(info, dict) else ""
        number = string(monologue.get("speaker"))
        elements = [_element(element) for element in items(monologue.get("elements"))]
        speaker = shown or names.get(number, number) or None
        add_elements(rows, elements, _joins, speaker=speaker)
        if elements and not elements[-1].value and not elements[-1].spoken:
            rows.glue()
    return rows.transcript(id)


def _element(element: dict[str, Any]) -> Element:
    return Element(
        string(element.get("value")),
        element.get("type") != "punct",
        seconds(element.get("ts")),
        seconds(element.get("end_ts")),
        share(element.get("confidence")),
    )


def _joins(before: Element, element: Element) -> bool:
    """Whether a word goes on after an element that joins, with no blank on either side."""
    return element.spoken and not before.spoken and before.value in JOINERS


def _elements(word: Cells) -> Iterator[dict[str, Any]]:
    """Give a word with its punctuation and blank as elements."""
    if word.opening:
        yield {"type": "punct", "value": word.opening}
    yield {
        "type": "text",
        "value": word.word,
        **known(ts=word.start, end_ts=word.end, confidence=word.confidence),
    }
    if word.mark:
        yield {"type": "punct", "value": word.mark}
    if word.blank:
        yield {"type": "punct", "value": " "}
