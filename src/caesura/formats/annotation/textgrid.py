"""TextGrid of Praat: tiers of intervals and points, in the long form or the short one."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from caesura.core.errors import FormatError
from caesura.core.transcript import Transcript
from caesura.formats.annotation.tiers import (
    Interval,
    Placed,
    Tier,
    Tiered,
    choose,
    placed,
    transcript,
)
from caesura.formats.source import LATEST, Source

logger = logging.getLogger("caesura")

_PIECE = re.compile(r'"(?P<text>[^"]*(?:""[^"]*)*)"|!.*|(?P<word>[^\s"]+)')
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
NANO = 1_000_000_000
"""Units of time in a second: an interval has to have a length, and a word may have none."""


@dataclass(frozen=True, repr=False)
class TextGrid(Tiered):
    """Words are those of the tier named word, words, ort or the like; `Ana - words` is Ana's.

    Without such a tier, the labels of the sentences, of the transcription, of the only tier or of
    tiers for several speakers are the text. `tier` names another one, or several, or numbers them.
    Sentences are those of a tier of sentences or utterances.
    """

    name = "textgrid"
    suffixes = (".textgrid",)
    carries = frozenset({"start", "end", "speaker", "opening", "mark", "sentences"})

    @classmethod
    def recognises(cls, source: Source) -> bool:
        """Whether the first lines say so."""
        return _is_textgrid(_decodable(source))

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Read the tiers, then choose among them."""
        tiers = _Reader(_decodable(source)).tiers()
        yield transcript(choose(tiers, self.wanted, source, self.name), source)

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Write the long form."""
        tiers = placed(self.single(transcripts), self.name, NANO, least=1)
        last = max((interval[1] for tier in tiers for interval in tier.intervals), default=NANO)
        yield 'File type = "ooTextFile"\nObject class = "TextGrid"\n\n'
        yield f"xmin = 0 \nxmax = {_time(last)} \ntiers? <exists> \nsize = {len(tiers)} \n"
        yield "item []: \n"
        for number, tier in enumerate(tiers, 1):
            yield from _written(number, tier, last)


def _decodable(source: Source) -> Source:
    """Give the source in UTF-8 where it is in Latin-1, as Praat once wrote it."""
    if b"ooTextFile" not in source.data[:100]:
        return source
    try:
        source.data.decode("utf-8")
    except UnicodeDecodeError:
        logger.warning("%s: not UTF-8, and read as Latin-1", source.name)
        return Source(source.name, source.data.decode("latin-1").encode("utf-8"))
    return source


def _is_textgrid(source: Source) -> bool:
    head = source.text[:200]
    return "ooTextFile" in head and '"TextGrid"' in head


class _Reader:
    """Reads what counts in a file: the numbers and texts that stand free, in their order."""

    def __init__(self, source: Source) -> None:
        self.source = source
        if not _is_textgrid(source):
            raise source.error(
                "this is not a TextGrid", 1, 'it has to begin with File type = "ooTextFile"'
            )
        self.pieces = _PIECE.finditer(source.text)
        self.at = 0

    def _next(self, wanted: str) -> str:
        """Give the next text or number, whichever is wanted, or flag."""
        for piece in self.pieces:
            self.at = piece.start()
            text, word = piece["text"], piece["word"]
            if text is not None and wanted == "text":
                return text.replace('""', '"')
            if text is not None or (word and _NUMBER.fullmatch(word)):
                if wanted == "number" and word:
                    return word
                break
            if word and wanted == "flag" and word.startswith("<"):
                return word
        raise self._error(f"the TextGrid has no {wanted} where there should be one")

    def _error(self, what: str) -> FormatError:
        return self.source.error(what, self.source.text[: self.at].count("\n") + 1)

    def _count(self) -> int:
        found = float(self._next("number"))
        if not 0 <= found <= len(self.source.text):
            raise self._error(f"{found:g} is not a number of things")
        return int(found)

    def _time(self) -> float:
        found = float(self._next("number"))
        if not 0 <= found < LATEST:
            raise self._error(f"{found:g} is not a time in seconds")
        return found + 0.0

    def tiers(self) -> list[Tier]:
        """Read all tiers."""
        for wanted in ("text", "text", "number", "number"):
            self._next(wanted)
        if self._next("flag") != "<exists>":
            return []
        return [self._tier() for _ in range(self._count())]

    def _tier(self) -> Tier:
        points = self._next("text") != "IntervalTier"
        name = self._next("text")
        for _ in range(2):
            self._next("number")
        count = self._count()
        return Tier(name, [self._interval(points) for _ in range(count)], points=points)

    def _interval(self, point: bool) -> Interval:
        start = self._time()
        end = start if point else self._time()
        if end < start:
            raise self._error("an interval ends before it begins")
        return Interval(start, end, self._next("text"), start, (start,))


def _written(number: int, tier: Placed, last: int) -> Iterator[str]:
    """Write a tier; the time between its intervals is filled with empty ones."""
    intervals = list(_tiled(tier, last))
    yield f'    item [{number}]:\n        class = "IntervalTier" \n'
    yield f"        name = {_quoted(tier.name)} \n"
    yield f"        xmin = 0 \n        xmax = {_time(last)} \n"
    yield f"        intervals: size = {len(intervals)} \n"
    for at, (start, end, text) in enumerate(intervals, 1):
        yield f"        intervals [{at}]:\n            xmin = {_time(start)} \n"
        yield f"            xmax = {_time(end)} \n            text = {_quoted(text)} \n"


def _tiled(tier: Placed, last: int) -> Iterator[tuple[int, int, str]]:
    at = 0
    for start, end, text, _ in tier.intervals:
        if start > at:
            yield at, start, ""
        yield start, end, text
        at = end
    if at < last or not tier.intervals:
        yield at, last, ""


def _time(nanoseconds: int) -> str:
    """Write seconds."""
    whole, rest = divmod(nanoseconds, NANO)
    return f"{whole}.{rest:09d}".rstrip("0").rstrip(".")


def _quoted(text: str) -> str:
    doubled = text.replace('"', '""')
    return f'"{doubled}"'
