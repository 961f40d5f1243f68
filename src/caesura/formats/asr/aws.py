"""JSON of Amazon Transcribe: transcription jobs, medical jobs and call analytics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from caesura.core.transcript import Transcript
from caesura.formats.base import (
    JsonFormat,
    Source,
    items,
    number,
    seconds,
    share,
    string,
    with_plain_keys,
)
from caesura.formats.builder import Rows, piece_ends
from caesura.text.punctuation import is_opening


@dataclass(frozen=True, repr=False)
class Aws(JsonFormat):
    """Amazon Transcribe (JSON): jobs, medical jobs and call analytics.

    Of each item the first alternative is read; times and confidences are strings in these files.
    Punctuation is an item without times and becomes the mark of the word before it. Several
    channels are several recordings, named `job.channel`. In call analytics the speaker is the
    participant's role.
    """

    name = "aws"
    carries = frozenset("start end confidence speaker opening mark blank id language".split())
    expects = (
        "Amazon Transcribe has 'results' with 'items', and analytics of calls have a "
        "'Transcript' with 'ParticipantRole'"
    )

    @classmethod
    def matches(cls, document: Any) -> bool:
        """Whether this is the result of a job or of call analytics."""
        if not isinstance(document, dict):
            return False
        results = document.get("results")
        if isinstance(results, dict):
            return isinstance(results.get("items"), list)
        return any("ParticipantRole" in turn for turn in items(document.get("Transcript")))

    def convert(self, documents: list[Any], source: Source) -> Iterator[Transcript]:
        """Yield the recording of each job, or of each of its channels."""
        for document in documents:
            job = with_plain_keys(document)
            id = string(job.get("jobname")) or source.stem
            if "results" in job:
                yield from _channels(job["results"], id)
            else:
                yield _call(items(job["transcript"]), id, string(job.get("languagecode")))


@dataclass
class _Word:
    """A word and the punctuation items around it."""

    content: str
    start: float
    end: float
    confidence: float
    speaker: str
    mark: str = ""


def _channels(results: dict[str, Any], id: str) -> Iterator[Transcript]:
    language = _language(results)
    speakers = _Speakers(results)
    channels = items(with_plain_keys(results.get("channel_labels")).get("channels"))
    if not channels:
        running = " ".join(string(t.get("transcript")) for t in items(results.get("transcripts")))
        rows = Rows()
        _add(rows, [_item(item, speakers) for item in items(results["items"])], running)
        yield rows.transcript(id, language)
    for channel in channels:
        label = string(channel.get("channel_label"))
        rows = Rows()
        _add(rows, [_item(item, speakers) for item in items(channel.get("items"))], "")
        yield rows.transcript(f"{id}.{label}" if len(channels) > 1 else id, language)


def _call(parts: Iterable[dict[str, Any]], id: str, language: str) -> Transcript:
    rows = Rows()
    for part in parts:
        turn = with_plain_keys(part)
        speaker = string(turn.get("participantrole"))
        content = string(turn.get("content"))
        spoken = items(turn.get("items"))
        if spoken:
            _add(rows, [_call_item(with_plain_keys(item), speaker) for item in spoken], content)
        else:
            start, end = _millis(turn)
            rows.phrase(content, start, end, speaker=speaker or None)
    return rows.transcript(id, language)


def _language(results: dict[str, Any]) -> str:
    """Return the language of the job: the one set, else the most spoken or most probable one."""
    spoken = [
        (number(language.get("duration_in_seconds")), string(language.get("language_code")))
        for language in items(results.get("language_codes"))
    ]
    predicted = [
        (number(language.get("score")), string(language.get("code")))
        for language in items(results.get("language_identification"))
    ]
    _, best = max((pair for pair in spoken or predicted if pair[0] >= 0), default=(0, ""))
    return string(results.get("language_code")) or best


class _Speakers:
    """Who speaks when, in files that have this apart from the words."""

    def __init__(self, results: dict[str, Any]) -> None:
        self.starts: dict[float, str] = {}
        self.spans: list[tuple[float, float, str]] = []
        for segment in items(with_plain_keys(results.get("speaker_labels")).get("segments")):
            words = items(segment.get("items"))
            for word in words:
                self.starts[seconds(word.get("start_time"))] = string(word.get("speaker_label"))
            if not words:
                start, end = seconds(segment.get("start_time")), seconds(segment.get("end_time"))
                self.spans.append((start, end, string(segment.get("speaker_label"))))

    def at(self, time: float) -> str:
        """Return the speaker of the word that starts at this time."""
        if time in self.starts and time >= 0:
            return self.starts[time]
        return next((name for start, end, name in self.spans if start <= time < end), "")


def _item(item: dict[str, Any], speakers: _Speakers) -> tuple[bool, _Word]:
    """Return whether an item is punctuation, and its content."""
    best = next(iter(items(item.get("alternatives"))), {})
    start = seconds(item.get("start_time"))
    return item.get("type") == "punctuation", _Word(
        string(best.get("content")),
        start,
        seconds(item.get("end_time")),
        share(best.get("confidence")),
        string(item.get("speaker_label")) or speakers.at(start),
    )


def _call_item(item: dict[str, Any], speaker: str) -> tuple[bool, _Word]:
    """Return the same for an item of call analytics, whose times are milliseconds."""
    start, end = _millis(item)
    confidence = share(item.get("confidence"))
    word = _Word(string(item.get("content")), start, end, confidence, speaker)
    return string(item.get("type")).lower() == "punctuation", word


def _millis(part: dict[str, Any]) -> tuple[float, float]:
    return seconds(part.get("beginoffsetmillis"), 1e-3), seconds(part.get("endoffsetmillis"), 1e-3)


def _add(rows: Rows, parts: Iterable[tuple[bool, _Word]], running: str) -> None:
    """Add items; the running text shows where there are blanks."""
    words = _with_punctuation(parts)
    blanks = piece_ends([word.content + word.mark for word in words], running.split())
    for word, blank in zip(words, blanks or [True] * len(words), strict=True):
        rows.phrase(
            word.content,
            word.start,
            word.end,
            confidence=word.confidence,
            speaker=word.speaker or None,
        )
        last = len(rows) - 1
        if word.mark and last >= 0:
            rows.set("mark", last, rows.cell("mark", last) + word.mark)
        if not blank:
            rows.glue()
    if not words:
        rows.phrase(running)


def _with_punctuation(parts: Iterable[tuple[bool, _Word]]) -> list[_Word]:
    """Attach punctuation to the word before it, or to the next word if it opens something."""
    words: list[_Word] = []
    opening = ""
    for is_mark, word in parts:
        if is_mark and words and not is_opening(word.content):
            words[-1].mark += word.content
        elif is_mark:
            opening += word.content
        elif word.content:
            word.content, opening = opening + word.content, ""
            words.append(word)
    if words:
        words[-1].mark += opening
    return words
