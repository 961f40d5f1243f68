"""JSON of Vosk: results with timed words in lower case, without punctuation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from caesura.core.transcript import Transcript
from caesura.formats.base import JsonFormat, Source, items, seconds, share, string
from caesura.formats.builder import Segment, TimedText, transcript_of_segments

VOICE = frozenset({"spk", "spk_frames"})
"""Keys of the voice print of a speaker."""

BARE = (frozenset({"text"}), frozenset({"partial"}), frozenset({"partial", "partial_result"}))
"""Keys of results that have no timed words."""


@dataclass(frozen=True, repr=False)
class Vosk(JsonFormat):
    """Vosk (JSON): results one after another or in a list, also as videogrep writes them.

    The first alternative is taken; partial results and voice prints (`spk`) are left out.
    """

    name = "vosk"
    carries = frozenset({"start", "end", "confidence", "opening", "mark", "blank"})
    expects = "that has `result` with `word`, `alternatives`, or `content` with `words`"

    @classmethod
    def matches(cls, document: Any) -> bool:
        """Whether this is a result of Vosk, or a list of them."""
        return all(map(_is_result, _listed(document)))

    @classmethod
    def recognises(cls, source: Source) -> bool:
        """Whether all are results of Vosk, and at least one has timed words."""
        results = [one for document in source.documents for one in _listed(document)]
        return all(map(_is_result, results)) and any(map(_is_timed, results))

    def convert(self, documents: list[Any], source: Source) -> Iterator[Transcript]:
        """Read all results as one recording."""
        results = [
            one for document in documents for one in _listed(document) if "partial" not in one
        ]
        yield transcript_of_segments(map(_segment, results), source.name, source.stem)


def _listed(document: Any) -> list[Any]:
    return document if isinstance(document, list) else [document]


def _is_result(one: Any) -> bool:
    if not isinstance(one, dict):
        return False
    if _is_timed(one):
        return True
    if isinstance(one.get("content"), str):
        return "start" in one and "end" in one
    text = one.get("partial", one.get("text"))
    return isinstance(text, str) and one.keys() - VOICE in BARE


def _is_timed(one: dict[str, Any]) -> bool:
    """Whether a result has timed words as only Vosk writes them."""
    if isinstance(one.get("alternatives"), list):
        alternatives = items(one["alternatives"])
        return bool(alternatives) and all(
            isinstance(best.get("text"), str) for best in alternatives
        )
    words = one.get("words" if "content" in one else "result")
    return isinstance(words, list) and all("word" in word for word in items(words))


def _segment(one: dict[str, Any]) -> Segment:
    best = next(iter(items(one.get("alternatives"))), one)
    name = "content" if "content" in best else "text"
    text = best.get(name)
    words = [
        TimedText(
            string(word.get("word")),
            seconds(word.get("start")),
            seconds(word.get("end")),
            share(word.get("conf")),
        )
        for word in items(best.get("words" if name == "content" else "result"))
    ]
    whole = text if isinstance(text, str) else " ".join(word.text for word in words)
    return Segment(whole, words, seconds(best.get("start")), seconds(best.get("end")))
