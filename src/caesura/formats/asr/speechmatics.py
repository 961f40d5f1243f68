"""JSON of Speechmatics: jobs and streams with words, punctuation and entities."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from caesura.core.transcript import Transcript
from caesura.formats.base import JsonFormat, Source, items, seconds, share, string
from caesura.formats.builder import Rows

TYPES = frozenset({"word", "punctuation", "entity", "speaker_change"})
MESSAGES = frozenset(
    "StartRecognition RecognitionStarted AddAudio AudioAdded ChannelAudioAdded EndOfStream "
    "AddTranslation AddPartialTranslation AudioEventStarted AudioEventEnded SpeakersResult "
    "EndOfUtterance EndOfTranscript".split()
)
"""Messages of a stream without words."""

UNKNOWN = "UU"
"""The label of an unknown speaker."""

UNSPACED = frozenset("ja cmn zh yue th lo km my".split())
"""Languages without blanks between words; only for these an empty `word_delimiter` is used."""

Json = dict[str, Any]


@dataclass(frozen=True, repr=False)
class Speechmatics(JsonFormat):
    """Speechmatics (JSON): jobs and saved streams.

    Of each result the first alternative is read; an entity has the words of its written form.
    Sentences end where the recogniser says so (`is_eos`). Several channels are several
    recordings. Of a stream, saved as a list or one message after another, `AddTranscript`
    messages are read.
    """

    name = "speechmatics"
    carries = frozenset(
        "start end confidence speaker opening mark blank entities sentences language id".split()
    )
    expects = "Speechmatics has 'results' of the types 'word' and 'punctuation'"

    @classmethod
    def matches(cls, document: Any) -> bool:
        """Whether this is a job's transcript, a message of a stream or a list of messages."""
        if isinstance(document, list):
            return bool(document) and all(_is_message(part) for part in document)
        if not isinstance(document, dict):
            return False
        results = document.get("results")
        if not isinstance(results, list) or _is_message(document):
            return _is_message(document)
        if not results:
            return isinstance(document.get("format"), str) and "metadata" in document
        first = next(iter(items(results)), {})
        kind = first.get("type")
        return (
            isinstance(kind, str)
            and kind in TYPES
            and ("alternatives" in first or "start_time" in first)
        )

    def convert(self, documents: list[Any], source: Source) -> Iterator[Transcript]:
        """Yield each job, and the messages of a stream as one."""
        parts = [part for d in documents for part in (d if isinstance(d, list) else [d])]
        jobs = [part for part in parts if not _is_message(part)]
        messages = [part for part in parts if _is_message(part)]
        if messages:
            jobs.append(_stream(messages))
        for i, job in enumerate(jobs):
            id = source.numbered(i, len(jobs)) or string(_object(job, "job").get("data_name"))
            yield from _transcripts(job, id)


def _object(holder: Json, key: str) -> Json:
    inner = holder.get(key)
    return inner if isinstance(inner, dict) else {}


def _is_message(document: Any) -> bool:
    """Whether this is a message of a stream; messages with words have results."""
    if not isinstance(document, dict) or not isinstance(document.get("message"), str):
        return False
    named = document["message"]
    if named in ("AddTranscript", "AddPartialTranscript"):
        return isinstance(document.get("results"), list)
    return named in MESSAGES


def _stream(messages: list[Json]) -> Json:
    """Join the final messages of a stream into a job."""
    results = [
        {"channel": message.get("channel"), **result}
        for message in messages
        if message["message"] == "AddTranscript"
        for result in items(message["results"])
    ]
    started = next((m for m in messages if m["message"] == "RecognitionStarted"), {})
    return {"results": results, "metadata": started}


def _transcripts(job: Json, id: str) -> Iterator[Transcript]:
    results = items(job["results"])
    metadata = _object(job, "metadata")
    language = string(_object(metadata, "transcription_config").get("language"))
    if language in ("", "auto"):
        spoken = (string(_first(result).get("language")) for result in results)
        language = next(filter(None, spoken), "")
    delimiter = _object(metadata, "language_pack_info").get("word_delimiter", " ")
    blank = delimiter != "" or language.split("_")[0] not in UNSPACED
    channels: dict[str, Rows] = {} if results else {"": Rows()}
    for result in results:
        channel = string(result.get("channel"))
        _add(channels.setdefault(channel, Rows()), result, blank)
    for channel, rows in channels.items():
        yield rows.transcript(id if len(channels) == 1 else f"{id}.{channel}", language)


def _first(result: Json) -> Json:
    return next(iter(items(result.get("alternatives"))), {})


def _add(rows: Rows, result: Json, blank: bool) -> None:
    """Add a result: a word, punctuation or an entity; others are ignored."""
    kind = result.get("type")
    if kind == "entity":
        _add_entity(rows, result, blank)
    elif kind == "punctuation":
        _add_punctuation(rows, result, blank)
    elif kind == "word":
        _add_word(rows, result, blank)
    if result.get("is_eos") is True:
        rows.end_sentence()


def _add_word(rows: Rows, result: Json, blank: bool) -> None:
    first = _first(result)
    speaker = string(first.get("speaker"))
    rows.phrase(
        string(first.get("content")),
        seconds(result.get("start_time")),
        seconds(result.get("end_time")),
        confidence=share(first.get("confidence")),
        speaker=None if speaker in ("", UNKNOWN) else speaker,
    )
    if not blank:
        rows.glue()


def _add_entity(rows: Rows, result: Json, blank: bool) -> None:
    """Add the written form (`$2.05`, not `two dollars five`) and the entity."""
    first = len(rows)
    for inner in items(result.get("written_form")):
        if inner.get("type") != "entity":
            _add(rows, inner, blank)
    if len(rows) == first:
        _add_word(rows, result, blank)
    if len(rows) > first:
        rows.entity(first, len(rows) - 1, string(result.get("entity_class")))


def _add_punctuation(rows: Rows, result: Json, blank: bool) -> None:
    surface = string(_first(result).get("content")).strip()
    side = result.get("attaches_to", "previous")
    if not surface:
        return
    if side == "next":
        rows.open(surface)
    elif side == "none":
        rows.punctuation(surface, blank)
    else:
        rows.attach(surface, blank and side != "both")
