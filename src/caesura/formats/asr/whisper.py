"""JSON of Whisper and of the programs built on it, which write it in many variants."""

from __future__ import annotations

import json
import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from caesura.core.arrays import Flags
from caesura.core.transcript import Transcript
from caesura.formats.base import JsonFormat, Source, items, number, seconds, share, string
from caesura.formats.builder import (
    Segment,
    TimedText,
    align_words,
    merge_pieces,
    transcript_of_segments,
)
from caesura.text.punctuation import has_script_without_blanks

CONFIDENCE = ("probability", "confidence", "score")
"""Keys of the confidence: in Whisper, whisper-timestamped and whisperX."""

SEGMENT_KEYS = ("words", "tokens", "avg_logprob", "no_speech_prob", "seek")
"""Keys that only segments of Whisper have, besides `start`, `end` and `text`."""

LONG_PAUSE = 1.0
"""Seconds of a pause that ends a written segment if sentences are unknown."""

OTHER_KEYS = frozenset({"audio_url", "audio_src_url", "acoustic_model", "utterances", "monologues"})
"""Keys of other recognisers, some of which also have `segments`."""


@dataclass(frozen=True, repr=False)
class Whisper(JsonFormat):
    """Whisper (JSON): openai-whisper, its API, faster-whisper, whisperX, stable-ts, HF and others.

    A segment is not a sentence. Words without times stay without times; if a segment has no
    words, its first word gets its start and its last word its end. Punctuation that is in the
    text of a segment but not in its words is taken from the text.
    """

    name = "whisper"
    writable = True
    carries = frozenset(
        {"start", "end", "confidence", "speaker", "opening", "mark", "blank", "language"}
    )
    expects = "that has `segments` or `chunks` with `text`, or `words` with `word`"

    @classmethod
    def matches(cls, document: Any) -> bool:
        """Whether there are segments, chunks or words."""
        if isinstance(document, list):
            return all(map(_is_segment, document)) or _is_words(document)
        if not isinstance(document, dict) or OTHER_KEYS & document.keys():
            return False
        document = _unwrapped(document)
        for name, fits in (("segments", _is_segment), ("chunks", _is_chunk)):
            if isinstance(document.get(name), list):
                named = "text" in document or "language" in document
                return all(map(fits, document[name])) and (named or bool(document[name]))
        return _has_words(document) or _is_segment(document)

    @classmethod
    def recognises(cls, source: Source) -> bool:
        """Whether only Whisper has this; a bare list needs more than `start`, `end`, `text`."""
        documents = source.documents
        if not all(map(cls.matches, documents)):
            return False
        if isinstance(documents[0], list) and _is_words(documents[0]):
            return True
        bare = documents[0] if isinstance(documents[0], list) else documents
        if isinstance(documents[0], dict) and not _is_segment(documents[0]):
            return True
        return bool(bare) and all(
            not isinstance(one, dict) or any(sign in one for sign in SEGMENT_KEYS) for one in bare
        )

    def convert(self, documents: list[Any], source: Source) -> Iterator[Transcript]:
        """Read each JSON value as a recording; successive segments are one recording."""
        if all(isinstance(one, dict) and _is_segment(one) for one in documents):
            documents = [documents]
        for i, document in enumerate(documents, 1):
            id = f"{source.stem}-{i}" if len(documents) > 1 else source.stem
            yield transcript_of_segments(_segments(document), source.name, id, _language(document))

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Write openai-whisper's keys, and `speaker` as whisperX has it."""
        transcript = self.single(transcripts)
        words = _timed_words(transcript)
        segments = [
            _segment_document(i, words[first:stop])
            for i, (first, stop) in enumerate(_spans(_segment_ends(transcript)))
        ]
        text = "".join(segment["text"] for segment in segments)
        document = {"text": text, "segments": segments, "language": transcript.language}
        yield json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _is_segment(value: Any) -> bool:
    one = _as_object(value)
    if isinstance(one.get("text"), str):
        return "start" in one and "end" in one
    return "content" not in one and any(
        isinstance(word.get("word"), str) for word in items(one.get("words"))
    )


def _is_words(document: list[Any]) -> bool:
    """Whether a list has words, as some programs keep of whisperX; not all have times."""
    return all(
        isinstance(word, dict) and isinstance(word.get("word"), str) and "words" not in word
        for word in document
    ) and any("start" in word for word in document)


def _is_chunk(value: Any) -> bool:
    return isinstance(value, dict) and "timestamp" in value and isinstance(value.get("text"), str)


def _has_words(document: dict[str, Any]) -> bool:
    words = items(document.get("words"))
    timed = all("word" in word and "start" in word for word in words)
    return bool(words) and timed and isinstance(document.get("text"), str)


def _unwrapped(document: dict[str, Any]) -> dict[str, Any]:
    """Return the object with the segments, which old stable-ts and whisperX servers wrap."""
    inner = document.get("ori_dict", document.get("result"))
    return inner if "segments" not in document and isinstance(inner, dict) else document


def _as_object(value: Any) -> dict[str, Any]:
    """Return a segment or word as an object; a tuple has start, end and text one after another."""
    if isinstance(value, dict):
        return value
    if not isinstance(value, list):
        return {}
    at = next((i for i, cell in enumerate(value) if isinstance(cell, str)), 0)
    if at < 2 or any(math.isnan(number(cell)) for cell in value[at - 2 : at]):
        return {}
    rest = value[at + 1 :]
    inner = (cell for cell in rest if isinstance(cell, list) and cell and _as_object(cell[0]))
    return {
        "start": value[at - 2],
        "end": value[at - 1],
        "text": value[at],
        "probability": rest[0] if rest else None,
        "words": next(inner, None),
    }


def _segments(document: Any) -> list[Segment]:
    if isinstance(document, list):
        if _is_words(document):
            return [Segment("", [_word(one) for one in document])]
        return [_segment(one) for one in document]
    document = _unwrapped(document)
    if isinstance(document.get("chunks"), list):
        return _chunks(document)
    segments = [_segment(one) for one in _list(document.get("segments"))]
    flat = document.get("words") or document.get("word_segments")
    words = [_word(word) for word in _list(flat)]
    if not words or any(segment.words for segment in segments):
        return segments
    text = string(document.get("text"))
    if not segments or align_words(text, words):
        return [Segment(text, words)]
    return _assigned_by_time(words, segments)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _segment(value: Any) -> Segment:
    one = _as_object(value)
    speaker = string(one.get("speaker"))
    given = one.get("words")
    words = [_word(word, speaker) for word in _list(given)]
    if any("t_dtw" in word for word in items(given)):
        words = merge_pieces(words)
    text = one.get("text")
    text = text if isinstance(text, str) else "".join(word.text for word in words)
    return Segment(text, words, *_times(one), speaker)


def _word(value: Any, speaker: str = "") -> TimedText:
    one = _as_object(value)
    text = one["word"] if "word" in one else one.get("text")
    confidence = next((share(one[name]) for name in CONFIDENCE if name in one), math.nan)
    own = string(one.get("speaker"))
    return TimedText(string(text), *_times(one), confidence, own or speaker)


def _times(one: dict[str, Any]) -> tuple[float, float]:
    pair = one.get("timestamp")
    if isinstance(pair, list) and len(pair) == 2:
        return seconds(pair[0]), seconds(pair[1])
    return seconds(one.get("start")), seconds(one.get("end"))


def _chunks(document: dict[str, Any]) -> list[Segment]:
    """Read the chunks of the HF pipeline, which are segments or words."""
    words = [_word(chunk) for chunk in items(document["chunks"])]
    turns = [_word(turn) for turn in items(document.get("speakers"))]
    turns = [turn for turn in turns if not math.isnan(turn.start)]
    if turns:
        places = _segment_numbers(words, [turn.start for turn in turns])
        words = [
            word._replace(speaker=turns[at].speaker) for word, at in zip(words, places, strict=True)
        ]
    single = all(
        len(word.text.split()) < 2 and not has_script_without_blanks(word.text) for word in words
    )
    if single and len(words) > 1:
        return [Segment(string(document.get("text")), words)]
    return [Segment(word.text, (), word.start, word.end, word.speaker) for word in words]


def _segment_numbers(words: list[TimedText], starts: list[float]) -> Iterator[int]:
    """Yield for each word the number of the segment in which it begins, by their `starts`."""
    at = 0
    for word in words:
        if not math.isnan(word.start):
            at = max(bisect_right(starts, word.start + 0.001) - 1, 0)
        yield at


def _assigned_by_time(words: list[TimedText], segments: list[Segment]) -> list[Segment]:
    """Assign the words of a recording to the segments in which they begin."""
    words_of: list[list[TimedText]] = [[] for _ in segments]
    starts = [0.0 if math.isnan(segment.start) else segment.start for segment in segments]
    for word, at in zip(words, _segment_numbers(words, starts), strict=True):
        words_of[at].append(word)
    assigned = zip(segments, words_of, strict=True)
    return [segment._replace(words=inner) for segment, inner in assigned if inner]


def _language(document: Any) -> str:
    """Return the code of the language; the API writes its name, some put it beside segments."""
    if not isinstance(document, dict):
        return ""
    holders = [document, *(inner for inner in document.values() if isinstance(inner, dict))]
    named = [holder.get("language") for holder in holders]
    if isinstance(document.get("info"), list):
        named += document["info"][:1]
    language = next((one for one in named if isinstance(one, str) and one), "")
    return LANGUAGES.get(language.lower(), language)


def _segment_ends(transcript: Transcript) -> Flags:
    """Return after which words a segment ends: at sentence ends or, if unknown, at long pauses."""
    if transcript.sentences is not None:
        return transcript.sentences.boundary
    ends = transcript.pauses() > LONG_PAUSE
    if transcript.blank is not None:
        ends &= transcript.blank
    if len(ends):
        ends[-1] = True
    return ends


def _spans(ends: Flags) -> Iterator[tuple[int, int]]:
    """Yield the first word of each segment, and the first after it."""
    stops = (np.flatnonzero(ends) + 1).tolist()
    yield from pairwise([0, *stops])


def _timed_words(transcript: Transcript) -> list[TimedText]:
    """Return the words as they are written, with the blank before them; multiwords once."""
    unknown = [math.nan] * len(transcript)
    start, end, confidence = (
        unknown if column is None else column.tolist()
        for column in (transcript.start, transcript.end, transcript.confidence)
    )
    speaker = transcript.speaker or ("",) * len(transcript)
    words, blank = [], " "
    for i, surface in enumerate(transcript.surface()):
        words.append(
            TimedText(
                blank * bool(surface) + surface.strip(), start[i], end[i], confidence[i], speaker[i]
            )
        )
        if surface:
            blank = " " if surface[-1].isspace() else ""
    return words


def _segment_document(id: int, words: list[TimedText]) -> dict[str, Any]:
    words = [word for word in words if word.text]
    speakers = {word.speaker for word in words}
    starts = [word.start for word in words if not math.isnan(word.start)]
    ends = [word.end for word in words if not math.isnan(word.end)]
    return {
        "id": id,
        "start": starts[0] if starts else None,
        "end": ends[-1] if ends else None,
        "text": "".join(word.text for word in words),
        **({"speaker": words[0].speaker} if len(speakers) == 1 and speakers != {""} else {}),
        "words": [_word_document(word) for word in words],
    }


def _word_document(word: TimedText) -> dict[str, Any]:
    cells = {"start": word.start, "end": word.end, "probability": word.confidence}
    return {
        "word": word.text,
        **{name: cell for name, cell in cells.items() if not math.isnan(cell)},
        **({"speaker": word.speaker} if word.speaker else {}),
    }


LANGUAGES = dict(
    pair.split(":")
    for pair in (
        "afrikaans:af albanian:sq amharic:am arabic:ar armenian:hy assamese:as azerbaijani:az "
        "bashkir:ba basque:eu belarusian:be bengali:bn bosnian:bs breton:br bulgarian:bg "
        "burmese:my cantonese:yue castilian:es catalan:ca chinese:zh croatian:hr czech:cs "
        "danish:da dutch:nl english:en estonian:et faroese:fo finnish:fi flemish:nl french:fr "
        "galician:gl georgian:ka german:de greek:el gujarati:gu haitian:ht hausa:ha hawaiian:haw "
        "hebrew:he hindi:hi hungarian:hu icelandic:is indonesian:id italian:it japanese:ja "
        "javanese:jw kannada:kn kazakh:kk khmer:km korean:ko lao:lo latin:la latvian:lv "
        "lingala:ln lithuanian:lt luxembourgish:lb macedonian:mk malagasy:mg malay:ms "
        "malayalam:ml maltese:mt mandarin:zh maori:mi marathi:mr moldavian:ro mongolian:mn "
        "myanmar:my nepali:ne norwegian:no nynorsk:nn occitan:oc panjabi:pa pashto:ps persian:fa "
        "polish:pl portuguese:pt punjabi:pa pushto:ps romanian:ro russian:ru sanskrit:sa "
        "serbian:sr shona:sn sindhi:sd sinhala:si sinhalese:si slovak:sk slovenian:sl somali:so "
        "spanish:es sundanese:su swahili:sw swedish:sv tagalog:tl tajik:tg tamil:ta tatar:tt "
        "telugu:te thai:th tibetan:bo turkish:tr turkmen:tk ukrainian:uk urdu:ur uzbek:uz "
        "valencian:ca vietnamese:vi welsh:cy yiddish:yi yoruba:yo"
    ).split()
)
"""Codes of Whisper's languages by their names in its API."""
