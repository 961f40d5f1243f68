"""JSON of Deepgram: responses with channels and words, and saved streams."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from caesura.core.transcript import Transcript
from caesura.formats.base import JsonFormat, Source, items, number, seconds, share, string
from caesura.formats.builder import Rows, piece_ends

MESSAGES = frozenset({"Results", "Metadata", "UtteranceEnd", "SpeechStarted", "Finalize"})
"""Types of messages in a stream; only `Results` have words."""


@dataclass(frozen=True, repr=False)
class Deepgram(JsonFormat):
    """Deepgram (JSON): responses and saved streams.

    Of each channel the first alternative is read; several channels are several recordings.
    Words have their punctuation if the file has it. Sentences are those of `paragraphs`. Of a
    stream, saved as a list or one message after another, only final results are read.
    """

    name = "deepgram"
    carries = frozenset(
        "start end confidence speaker opening mark blank entities sentences language".split()
    )
    expects = "Deepgram has 'results' with 'channels', or messages with 'type' and 'channel'"

    @classmethod
    def matches(cls, document: Any) -> bool:
        """Whether this is a response, a message or a list of them."""
        if isinstance(document, list):
            return bool(items(document)) and all(
                isinstance(part, dict) and cls.matches(part) for part in document
            )
        if not isinstance(document, dict):
            return False
        if isinstance(document.get("results"), dict):
            return isinstance(document["results"].get("channels"), list)
        message = document.get("type")
        if message == "Results":
            return isinstance(document.get("channel"), dict)
        return isinstance(message, str) and message in MESSAGES

    def convert(self, documents: list[Any], source: Source) -> Iterator[Transcript]:
        """Yield the channels of each response, then those of the stream."""
        parts = [part for d in documents for part in (d if isinstance(d, list) else [d])]
        responses = [part["results"]["channels"] for part in parts if "results" in part]
        stream = _stream([part for part in parts if "results" not in part])
        recordings = [*responses, *([stream] if stream or not responses else [])]
        for i, response in enumerate(recordings):
            id = source.numbered(i, len(recordings))
            channels = items(response) or [{}]
            for n, channel in enumerate(channels):
                yield _transcript(channel, id if len(channels) == 1 else f"{id}.{n}")


def _stream(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Join the final results of each channel into the channels of a response."""
    channels: dict[str, list[dict[str, Any]]] = {}
    for message in messages:
        if message.get("type") == "Results" and message.get("is_final", True) is True:
            index = message.get("channel_index")
            key = string(index[0]) if isinstance(index, list) and index else ""
            channels.setdefault(key, []).append(message["channel"])
    return [_joined(channels[key]) for key in sorted(channels)]


def _joined(channels: list[dict[str, Any]]) -> dict[str, Any]:
    """Join the channels of successive messages into one."""
    alternatives = [_first(channel) for channel in channels]
    entities = []
    count = 0
    for alternative in alternatives:
        for entity in items(alternative.get("entities")):
            shifted = {key: number(entity.get(key)) + count for key in ("start_word", "end_word")}
            entities.append({**entity, **shifted})
        count += len(items(alternative.get("words")))
    whole = {
        "transcript": " ".join(string(a.get("transcript")) for a in alternatives),
        "words": [word for a in alternatives for word in items(a.get("words"))],
        "languages": [x for a in alternatives for x in _list(a.get("languages"))],
        "entities": entities,
    }
    language = next((c["detected_language"] for c in channels if c.get("detected_language")), "")
    return {"alternatives": [whole], "detected_language": language}


def _first(channel: dict[str, Any]) -> dict[str, Any]:
    return next(iter(items(channel.get("alternatives"))), {})


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _transcript(channel: dict[str, Any], id: str) -> Transcript:
    alternative = _first(channel)
    rows = Rows()
    running = string(alternative.get("transcript"))
    words = items(alternative.get("words"))
    surfaces = [string(word.get("punctuated_word")) or string(word.get("word")) for word in words]
    blanks = piece_ends(surfaces, running.split()) or [True] * len(words)
    places = []
    for word, surface, blank in zip(words, surfaces, blanks, strict=True):
        places.append(len(rows))
        rows.phrase(
            surface,
            seconds(word.get("start")),
            seconds(word.get("end")),
            confidence=share(word.get("confidence")),
            speaker=string(word.get("speaker")) or None,
        )
        if not blank:
            rows.glue()
    if not words:
        rows.phrase(running)
    _add_entities(rows, alternative, places)
    _add_sentences(rows, alternative, surfaces, places)
    return rows.transcript(id, _language(channel, alternative))


def _language(channel: dict[str, Any], alternative: dict[str, Any]) -> str:
    """Return the language that was detected, or that of all words."""
    languages = dict.fromkeys(string(x) for x in _list(alternative.get("languages")))
    return string(channel.get("detected_language")) or (
        next(iter(languages)) if len(languages) == 1 else ""
    )


def _add_entities(rows: Rows, alternative: dict[str, Any], places: list[int]) -> None:
    """Add the entities, which are given by the numbers of their words."""
    for entity in items(alternative.get("entities")):
        first, stop = number(entity.get("start_word")), number(entity.get("end_word"))
        length = len(string(entity.get("value")).split()) or stop - first
        if not 0 <= first < first + length <= len(places):
            continue
        last = int(first + length)
        last_word = (places[last] if last < len(places) else len(rows)) - 1
        if places[int(first)] <= last_word:
            rows.entity(places[int(first)], last_word, string(entity.get("label")))


def _add_sentences(
    rows: Rows, alternative: dict[str, Any], surfaces: list[str], places: list[int]
) -> None:
    """End sentences where the texts of sentences in `paragraphs` end."""
    holder = alternative.get("paragraphs")
    paragraphs = items(holder.get("paragraphs")) if isinstance(holder, dict) else []
    sentences = [
        string(sentence.get("text"))
        for paragraph in paragraphs
        for sentence in items(paragraph.get("sentences"))
    ]
    ends = piece_ends(surfaces, sentences) if sentences else None
    if ends:
        following = [*places[1:], len(rows)]
        rows.ends = sorted({n - 1 for n, end in zip(following, ends, strict=True) if end and n})
