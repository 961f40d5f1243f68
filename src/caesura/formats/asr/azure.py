"""JSON of Azure Speech: batch and fast transcriptions, and real-time results."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from rapidfuzz.distance import LCSseq

from caesura.core.transcript import Transcript
from caesura.formats.base import (
    JsonFormat,
    Source,
    items,
    number,
    recording_id,
    seconds,
    share,
    string,
    with_plain_keys,
    without_lone_surrogates,
)
from caesura.formats.builder import Rows, piece_ends
from caesura.text.punctuation import split_marks

TICK = 1e-7
"""Seconds in a tick of Azure: 100 nanoseconds."""

NOBODY = frozenset({"Unknown", "Unidentified"})
"""Names for an unknown speaker."""

ISO = re.compile(r"P(?=.*\d)(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d*)?)S)?", re.ASCII)

Phrases = list[dict[str, Any]]


@dataclass(frozen=True, repr=False)
class Azure(JsonFormat):
    """Azure Speech (JSON): batch and fast transcriptions, and real-time results.

    Of each phrase the first of `nBest` is read, even if another has a higher confidence.
    Words are the lexical ones, with the case and punctuation of the display text where the two
    agree; numbers stay as spoken. Several channels are several recordings. Real-time results, in
    a list or one after another, are one recording.
    """

    name = "azure"
    carries = frozenset("start end confidence speaker opening mark blank id language".split())
    expects = (
        "Azure has 'recognizedPhrases', 'phrases' with 'combinedPhrases', or results with "
        "'RecognitionStatus'"
    )

    @classmethod
    def matches(cls, document: Any) -> bool:
        """Whether this is a transcription, a real-time result, or a list of results."""
        if isinstance(document, list):
            return bool(document) and all(_is_result(_unwrapped(part)) for part in document)
        outer = _unwrapped(document)
        lists = {key for key, value in outer.items() if isinstance(value, list)}
        if "recognizedphrases" in lists or "audiofileresults" in lists:
            return True
        return {"phrases", "combinedphrases"} <= lists or _is_result(outer)

    def convert(self, documents: list[Any], source: Source) -> Iterator[Transcript]:
        """Yield each channel of each transcription."""
        results: Phrases = []
        for document in documents:
            outer = _unwrapped(document)
            if isinstance(document, list) or _is_result(outer):
                results += map(_unwrapped, document if isinstance(document, list) else [document])
            elif "audiofileresults" in outer:
                for file in map(with_plain_keys, items(outer["audiofileresults"])):
                    id = recording_id(string(file.get("audiofilename"))) or source.stem
                    yield from _channels(_phrases(file.get("segmentresults")), id)
            else:
                id = recording_id(string(outer.get("source"))) or source.stem
                yield from _channels(_transcribed(outer), id)
        if results:
            yield from _channels(results, source.stem)


def _unwrapped(value: Any) -> dict[str, Any]:
    """Return a result, which the JavaScript client wraps in `privJson`, perhaps as a string."""
    outer = with_plain_keys(value)
    outer = with_plain_keys(outer.get("privresult")) or outer
    inner = outer.get("privjson")
    if isinstance(inner, str):
        try:
            inner = json.loads(without_lone_surrogates(inner))
        except (ValueError, RecursionError):
            return outer
    return with_plain_keys(inner) or outer


def _is_result(outer: dict[str, Any]) -> bool:
    return "recognitionstatus" in outer and bool({"offset", "nbest", "displaytext"} & set(outer))


def _phrases(value: Any) -> Phrases:
    return [with_plain_keys(item) for item in items(value)]


def _transcribed(outer: dict[str, Any]) -> Phrases:
    """Return the phrases of a transcription; without any, the whole text of each channel."""
    if "phrases" in outer:
        milliseconds = [phrase | {"unit": 1e-3} for phrase in _phrases(outer["phrases"])]
        return milliseconds or _phrases(outer.get("combinedphrases"))
    return _phrases(outer["recognizedphrases"]) or _phrases(outer.get("combinedrecognizedphrases"))


def _channels(phrases: Phrases, id: str) -> Iterator[Transcript]:
    channels: dict[str, Phrases] = {}
    for phrase in phrases:
        channel = _first(phrase, "channel", "channelnumber") or "0"
        channels.setdefault(channel, []).append(phrase)
    for channel, part in (channels or {"0": []}).items():
        yield _transcript(part, f"{id}.{channel}" if len(channels) > 1 else id)


def _transcript(phrases: Phrases, id: str) -> Transcript:
    rows = Rows()
    languages: Counter[str] = Counter()
    for phrase in phrases:
        _add(rows, phrase)
        language = with_plain_keys(phrase.get("primarylanguage")).get("language")
        languages[string(phrase.get("locale")) or string(language)] += 1
    del languages[""]
    return rows.transcript(id, languages.most_common(1)[0][0] if languages else "")


def _add(rows: Rows, phrase: dict[str, Any]) -> None:
    """Add a phrase word by word, or its text if it has no words."""
    best = next(iter(_phrases(phrase.get("nbest"))), phrase)
    display = _first(best, "display", "displaytext", "text", "lexical")
    unit = phrase.get("unit", TICK)
    named = _first(phrase, "speaker", "speakerid")
    speaker = None if named in NOBODY else named or None
    first = len(rows)
    words = _words(best, display)
    if not words:
        rows.phrase(display, speaker=speaker)
    for word, (surface, blank) in words:
        confidence = share(word.get("confidence"))
        rows.phrase(surface, *_times(word, unit), confidence=confidence, speaker=speaker)
        if not blank:
            rows.glue()
    if len(rows) > first:
        for name, at, time in zip(("start", "end"), (first, -1), _times(phrase, unit), strict=True):
            at %= len(rows)
            if time >= 0 and not rows.cell(name, at) >= 0:
                rows.set(name, at, time)


def _words(best: dict[str, Any], display: str) -> list[tuple[dict[str, Any], DisplayWord]]:
    """Return the lexical words, else the display words, each with its written form."""
    words, shown = _phrases(best.get("words")), _phrases(best.get("displaywords"))
    lexical = [word for word in words if _first(word, "word")]
    if not lexical:
        shown = shown or words
    surfaces = [_first(word, "displaytext", "text", "word") for word in shown]
    if not lexical:
        return list(zip(shown, _spaced(surfaces, display), strict=True))
    forms = _display_forms([_first(word, "word") for word in lexical], surfaces, display)
    return list(zip(lexical, forms, strict=True))


def _first(part: dict[str, Any], *keys: str) -> str:
    """Return the first of these values that is not empty."""
    return next((found for key in keys if (found := string(part.get(key)))), "")


def _display_forms(words: list[str], shown: list[str], display: str) -> list[DisplayWord]:
    """Return the written forms: of the display words if they are the same, else of the text."""
    bare = [plain(split_marks("".join(surface.split()[:1])).word) for surface in shown]
    same = bare == [plain(word) for word in words]
    return _spaced(shown, display) if same else display_words(words, display)


def _spaced(surfaces: list[str], display: str) -> list[DisplayWord]:
    blanks = piece_ends(surfaces, display.split()) or [True] * len(surfaces)
    return [DisplayWord(*pair) for pair in zip(surfaces, blanks, strict=True)]


def _times(part: dict[str, Any], unit: float) -> tuple[float, float]:
    """Return start and end in seconds."""
    start, length = (_time(part, key, unit) for key in ("offset", "duration"))
    return start, seconds(start + length)


def _time(part: dict[str, Any], key: str, unit: float) -> float:
    """Return a time given in ticks, milliseconds or as `PT1M2.5S`; a bare number is in `unit`."""
    plain = part.get(key)
    stated = ISO.fullmatch(plain) if isinstance(plain, str) else None
    for value, scale in (
        (part.get(f"{key}inticks"), TICK),
        (part.get(f"{key}milliseconds"), 1e-3),
        (plain if stated is None else None, unit),
    ):
        if number(value) >= 0:
            return seconds(value, scale)
    if stated is None:
        return seconds(None)
    days, hours, minutes, rest = (number(piece or 0) for piece in stated.groups())
    return seconds(((days * 24 + hours) * 60 + minutes) * 60 + rest)


class DisplayWord(NamedTuple):
    """A word as it is displayed, and whether a blank follows."""

    surface: str
    blank: bool


class _Match(NamedTuple):
    """A word, and the first and last token of the display text that belong to it."""

    word: int
    first: int
    last: int


def display_words(words: Sequence[str], display: str) -> list[DisplayWord]:
    """Return lexical words with the case and the punctuation of the display text.

    Where the two differ, as with numbers (`twenty twenty` and `2020.`), the lexical words stay,
    and the first and the last of them get the punctuation around the displayed text.
    """
    tokens = _tokens(display)
    uncased = sum(unicodedata.category(word[0]) == "Lo" for word in words)
    if not tokens or len(tokens) >= len(words) or 2 * uncased < len(words):
        matches = _by_token(words, tokens)
        return [DisplayWord(surface, True) for surface in _surfaces(words, tokens, matches)]
    letters = _letters(display)
    matches = _by_letter(words, letters)
    return _without_blanks(words, letters, matches, display)


def plain(word: str) -> str:
    """Return the form in which words are compared."""
    return word.lower().casefold()


def _tokens(display: str) -> list[str]:
    """Split at blanks; punctuation alone stays with the token before it."""
    tokens: list[str] = []
    for piece in display.split():
        if tokens and not split_marks(piece).word:
            tokens[-1] += " " + piece
        else:
            tokens.append(piece)
    return tokens


def _bare(token: str) -> str:
    return plain(split_marks(token.split()[0]).word)


def _by_token(words: Sequence[str], tokens: Sequence[str]) -> list[_Match]:
    pairs = _common([plain(word) for word in words], [_bare(token) for token in tokens])
    return [_Match(word, token, token) for word, token in pairs]


def _common(one: Sequence[str], two: Sequence[str]) -> list[tuple[int, int]]:
    """Return the places of a longest common subsequence."""
    return [
        pair
        for step in LCSseq.opcodes(one, two)
        if step.tag == "equal"
        for pair in zip(
            range(step.src_start, step.src_end),
            range(step.dest_start, step.dest_end),
            strict=True,
        )
    ]


def _is_letter(char: str) -> bool:
    return unicodedata.category(char)[0] not in "PZC"


def _letters(display: str) -> list[str]:
    """Split into single letters, each with the punctuation and blanks after it."""
    letters: list[str] = []
    for char in display.strip():
        if letters and not _is_letter(char):
            letters[-1] += char
        else:
            letters.append(char)
    return letters


def _by_letter(words: Sequence[str], letters: Sequence[str]) -> list[_Match]:
    """Match words letter by letter, because Japanese and Chinese have no blanks."""
    owners = [(i, char) for i, word in enumerate(words) for char in plain(word) if _is_letter(char)]
    places: dict[int, list[int]] = {}
    for at, letter in _common([char for _, char in owners], [plain(x[0]) for x in letters]):
        places.setdefault(owners[at][0], []).append(letter)
    lengths = [sum(map(_is_letter, plain(word))) for word in words]
    return [
        _Match(word, letters_of_word[0], letters_of_word[-1])
        for word, letters_of_word in places.items()
        if len(letters_of_word) == lengths[word] == letters_of_word[-1] - letters_of_word[0] + 1
    ]


def _surfaces(words: Sequence[str], tokens: Sequence[str], matches: list[_Match]) -> list[str]:
    """Return each word as its tokens write it; unmatched words get the punctuation around them."""
    surfaces = list(words)
    word, token = 0, 0
    for match in [*matches, _Match(len(words), len(tokens), len(tokens))]:
        if word < match.word and token < match.first:
            opening, _, _ = split_marks(tokens[token])
            last = tokens[match.first - 1]
            kept = split_marks(last.split()[0])
            surfaces[word] = opening + surfaces[word]
            surfaces[match.word - 1] += last[len(kept.opening + kept.word) :].rstrip()
        if match.word < len(words):
            surfaces[match.word] = "".join(tokens[match.first : match.last + 1]).rstrip()
        word, token = match.word + 1, match.last + 1
    return surfaces


def _without_blanks(
    words: Sequence[str], letters: Sequence[str], matches: list[_Match], display: str
) -> list[DisplayWord]:
    """Return the words with their blanks, in a text that has hardly any."""
    surfaces = _surfaces(words, letters, matches)
    spaced = not matches or any(char.isspace() for char in display.strip())
    blanks = [spaced or word.isascii() for word in words]
    for match, follower in pairwise(matches):
        if follower.word == match.word + 1:
            blanks[match.word] = letters[match.last][-1].isspace()
    return [DisplayWord(*pair) for pair in zip(surfaces, blanks, strict=True)]
