"""JSON of whisper.cpp (`-oj`, `-ojf`): segments in milliseconds, tokens are pieces of words."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from caesura.core.transcript import Transcript
from caesura.formats.base import JsonFormat, Source, items, seconds, share, string
from caesura.formats.builder import (
    Segment,
    TimedText,
    is_special,
    mend_characters,
    merge_pieces,
    transcript_of_segments,
)
from caesura.text.punctuation import has_script_without_blanks

logger = logging.getLogger("caesura")

BROKEN = "\ufffd"
PIECE = 4
"""Characters of a segment, on average: text without blanks has one word a segment up to that."""


class _SplitCharacters(Source):
    """A file in which the bytes of one character may be in two tokens."""

    @cached_property
    def text(self) -> str:
        return self.data.decode("utf-8-sig", "surrogateescape")


@dataclass(frozen=True, repr=False)
class WhisperCpp(JsonFormat):
    """whisper.cpp (JSON): with and without tokens, also one word a segment (`-ml 1`).

    Characters whose bytes are in two tokens are put together again; if another program has
    replaced them, the words are taken from the text of the segment. Turns of speakers without
    names (`-tdrz`) are numbered.
    """

    name = "whispercpp"
    carries = frozenset("start end confidence speaker opening mark blank language".split())
    expects = "that has `transcription` with `text` and `offsets`"

    @classmethod
    def matches(cls, document: Any) -> bool:
        """Whether there is a transcription with offsets, which no other recogniser has."""
        if not isinstance(document, dict) or not isinstance(document.get("transcription"), list):
            return False
        transcription = document["transcription"]
        timed = any(isinstance(one.get("offsets"), dict) for one in items(transcription))
        known = isinstance(document.get("result"), dict) or "systeminfo" in document
        return (timed or known) and all(
            isinstance(one, dict) and isinstance(one.get("text"), str) for one in transcription
        )

    @classmethod
    def recognises(cls, source: Source) -> bool:
        """Whether it has the keys, even if it is not clean UTF-8."""
        return super().recognises(_readable(source))

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Read the file, even if it is not clean UTF-8."""
        return super().parse(_readable(source))

    def convert(self, documents: list[Any], source: Source) -> Iterator[Transcript]:
        """Read each JSON value as a recording; usually there is one."""
        for i, document in enumerate(documents, 1):
            id = f"{source.stem}-{i}" if len(documents) > 1 else source.stem
            result = document.get("result")
            language = string(result.get("language")) if isinstance(result, dict) else ""
            segments = _segments(document["transcription"])
            yield transcript_of_segments(segments, source.name, id, mend_characters(language))


def _readable(source: Source) -> Source:
    """Return the file so that it can be decoded, even if characters are cut in two."""
    try:
        source.data.decode("utf-8")
    except UnicodeDecodeError as error:
        if b'"transcription"' in source.data:
            line = source.data[: error.start].count(b"\n") + 1
            logger.warning("%s:%d: the bytes of a character are in two tokens", source.name, line)
            return _SplitCharacters(source.name, source.data)
    return source


def _segments(transcription: list[dict[str, Any]]) -> list[Segment]:
    pieces = list(map(_whole, transcription, _speakers(transcription)))
    if _is_word_by_word(pieces):
        words = merge_pieces(pieces)
        return [Segment("".join(word.text for word in words), words)]
    return [
        Segment(
            mend_characters(one.text), _words(segment, one.speaker), one.start, one.end, one.speaker
        )
        for one, segment in zip(pieces, transcription, strict=True)
    ]


def _whole(segment: dict[str, Any], speaker: str) -> TimedText:
    tokens = [token for token in items(segment.get("tokens")) if not is_special(_text(token))]
    known = [share(token["p"]) for token in tokens if "p" in token]
    known = [p for p in known if not math.isnan(p)]
    mean = round(math.fsum(known) / len(known), 6) if known else math.nan
    return TimedText(segment["text"], *_times(segment), mean, speaker)


def _text(token: dict[str, Any]) -> str:
    text = token.get("text")
    return text if isinstance(text, str) else ""


def _times(one: dict[str, Any]) -> tuple[float, float]:
    offsets = one.get("offsets")
    if not isinstance(offsets, dict):
        return math.nan, math.nan
    return seconds(offsets.get("from"), 0.001), seconds(offsets.get("to"), 0.001)


def _speakers(transcription: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the speaker of each segment, or the number of the turn if there are no names."""
    turns = any(segment.get("speaker_turn_next") is True for segment in transcription)
    turn = 1
    for segment in transcription:
        speaker = mend_characters(string(segment.get("speaker")))
        yield str(turn) if turns and not speaker else speaker if speaker != "?" else ""
        turn += segment.get("speaker_turn_next") is True


def _is_word_by_word(segments: list[TimedText]) -> bool:
    """Whether each segment is a word or a piece of one, as with `-ml 1`."""
    texts = [segment.text.strip() for segment in segments if segment.text.strip()]
    if len(texts) < 2 or any(len(text.split()) > 1 for text in texts):
        return False
    return not any(map(has_script_without_blanks, texts)) or sum(map(len, texts)) <= PIECE * len(
        texts
    )


def _words(segment: dict[str, Any], speaker: str) -> list[TimedText]:
    """Return the words of the tokens; none if characters are lost."""
    tokens = items(segment.get("tokens"))
    pieces = [
        TimedText(_text(token), *_times(token), share(token.get("p")), speaker) for token in tokens
    ]
    words = merge_pieces(pieces)
    return [] if any(BROKEN in word.text for word in words) else words
