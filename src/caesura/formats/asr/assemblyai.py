"""JSON of AssemblyAI: transcripts with words in milliseconds, lists of sentences, and streams."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from caesura.core.transcript import Transcript
from caesura.formats.base import JsonFormat, Source, items, number, seconds, share, string
from caesura.formats.builder import Rows, piece_ends

PENDING = frozenset({"queued", "processing", "submitted"})
STATES = PENDING | {"completed", "error"}
MESSAGES = frozenset(
    "SessionBegins PartialTranscript FinalTranscript SessionInformation SessionTerminated".split()
)
"""Messages of the older stream; the newer one has `Begin`, `Turn` and `Termination`."""

MILLISECOND = 0.001


@dataclass(frozen=True, repr=False)
class AssemblyAi(JsonFormat):
    """AssemblyAI (JSON): a transcript, its list of sentences, or a saved stream.

    Of a stream, the final messages are read.
    Several channels are several recordings. A transcript has no sentences; they are read from
    the service's separate list of sentences.
    """

    name = "assemblyai"
    carries = frozenset(
        "start end confidence speaker opening mark blank sentences language".split()
    )
    expects = "AssemblyAI has 'status', 'text' and 'words' with times in milliseconds"

    @classmethod
    def matches(cls, document: Any) -> bool:
        """Whether this is a transcript, a list of sentences, or messages of a stream."""
        if isinstance(document, list):
            return bool(document) and all(_is_message(part) for part in document)
        if not isinstance(document, dict):
            return False
        inner = _unwrapped(document)
        return _is_message(inner) or _is_transcript(inner)

    def convert(self, documents: list[Any], source: Source) -> Iterator[Transcript]:
        """Yield each transcript, and the messages of a stream as one."""
        parts = [part for d in documents for part in (d if isinstance(d, list) else [d])]
        recordings = [_unwrapped(part) for part in parts if not _is_message(part)]
        messages = [part for part in parts if _is_message(part)]
        if messages:
            recordings.append({"utterances": _final_messages(messages)})
        for i, recording in enumerate(recordings):
            _check_status(recording, source)
            yield from _transcripts(recording, source, source.numbered(i, len(recordings)))


def _unwrapped(document: dict[str, Any]) -> dict[str, Any]:
    """Return the transcript, which early versions of the service wrapped in `transcript`."""
    inner = document.get("transcript")
    return inner if isinstance(inner, dict) else document


def _is_message(document: Any) -> bool:
    if not isinstance(document, dict):
        return False
    if document.get("type") == "Turn":
        return "turn_order" in document
    if document.get("type") in ("Begin", "Termination"):
        return "id" in document or "audio_duration_seconds" in document
    kind = document.get("message_type")
    return isinstance(kind, str) and kind in MESSAGES


def _is_transcript(document: dict[str, Any]) -> bool:
    status = document.get("status")
    if isinstance(status, str) and status in STATES:
        return any(key in document for key in ("audio_url", "audio_src_url", "acoustic_model"))
    sentences = items(document.get("sentences")) or items(document.get("paragraphs"))
    words = items(sentences[0].get("words")) if sentences else items(document.get("words"))
    if not words or not ("text" in document or "audio_duration" in document):
        return False
    return {"text", "start", "end", "confidence"} <= set(words[0]) and "type" not in words[0]


def _final_messages(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the final messages; of each turn of the newer stream, the last version.

    Of a turn that was cut off before its end, only the final words are kept.
    """
    finals = [m for m in messages if m.get("message_type") == "FinalTranscript"]
    latest: dict[str, dict[str, Any]] = {}
    for turn in (m for m in messages if m.get("type") == "Turn"):
        order = string(turn["turn_order"])
        if _ended(turn) or not _ended(latest.get(order, {})):
            latest[order] = turn
    return [*finals, *map(_final_words, latest.values())]


def _ended(turn: dict[str, Any]) -> bool:
    return turn.get("end_of_turn") is True


def _final_words(turn: dict[str, Any]) -> dict[str, Any]:
    if _ended(turn):
        return turn
    words = [word for word in items(turn.get("words")) if word.get("word_is_final") is True]
    return {**turn, "words": words}


def _check_status(recording: dict[str, Any], source: Source) -> None:
    status = recording.get("status")
    if status == "error":
        why = " ".join(string(recording.get("error")).split()) or "no reason is given"
        raise source.error(f"AssemblyAI could not transcribe this: {why}")
    if isinstance(status, str) and status in PENDING:
        raise source.error(
            f"this transcript is not finished: its status is {status!r}",
            remedy="fetch it again when the status is 'completed'",
        )


def _transcripts(recording: dict[str, Any], source: Source, id: str) -> Iterator[Transcript]:
    """Yield a recording for each channel; without words, one with the text alone."""
    language = string(recording.get("language_code"))
    words = _words(recording)
    channels = list(dict.fromkeys(string(word.get("channel")) for word in words))
    if len(channels) > 1:
        for channel in channels:
            spoken = [word for word in words if string(word.get("channel")) == channel]
            yield _rows(spoken, "", source).transcript(f"{id}.{channel}", language)
        return
    rows = _rows(words, _text(recording), source)
    sentences = items(recording.get("sentences"))
    ends = piece_ends([_text(word) for word in words], map(_text, sentences)) if sentences else None
    if ends is not None and len(rows) == len(words):
        rows.ends = [i for i, end in enumerate(ends) if end]
    yield rows.transcript(id, language)


def _words(recording: dict[str, Any]) -> list[dict[str, Any]]:
    """Return each word once, taken from where the speakers are known."""
    words = list(items(recording.get("words")))
    holders = next(
        (recording[key] for key in ("utterances", "sentences", "paragraphs") if recording.get(key)),
        None,
    )
    inner = [
        {**word, **{key: holder.get(key) for key in ("speaker", "channel") if not word.get(key)}}
        for holder in items(holders)
        for word in items(holder.get("words"))
    ]
    labelled = any(word.get("speaker") for word in words)
    return words if words and (labelled or len(words) != len(inner)) else inner


def _text(holder: dict[str, Any]) -> str:
    return string(holder.get("text"))


def _rows(words: list[dict[str, Any]], running: str, source: Source) -> Rows:
    rows = Rows()
    surfaces = [_text(word) for word in words]
    blanks = piece_ends(surfaces, running.split()) or [True] * len(words)
    for word, surface, blank in zip(words, surfaces, blanks, strict=True):
        rows.phrase(
            surface,
            _time(word.get("start"), source),
            _time(word.get("end"), source),
            confidence=share(word.get("confidence")),
            speaker=string(word.get("speaker")) or None,
        )
        if not blank:
            rows.glue()
    if not words:
        rows.phrase(running)
    return rows


def _time(value: Any, source: Source) -> float:
    """Read milliseconds; a fraction means that the file has seconds, which is an error."""
    time = number(value)
    if time == time and not time.is_integer():
        raise source.error(
            f"a time is {value!r} where AssemblyAI has whole milliseconds",
            remedy="choose the format that the file has with --format",
        )
    return seconds(time, MILLISECOND)
