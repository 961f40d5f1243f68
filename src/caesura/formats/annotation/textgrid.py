"""TextGrid (Praat): tiers of intervals and points, in the long or the short form."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from caesura.core.errors import FormatError
from caesura.core.transcript import Transcript
from caesura.formats.annotation.tiers import (
    Interval,
    NewTier,
    Tier,
    Tiered,
    choose_tiers,
    make_tiers,
    transcript_of_tiers,
)
from caesura.formats.base import LATEST, Source

logger = logging.getLogger("caesura")

_PIECE = re.compile(r'"(?P<text>[^"]*(?:""[^"]*)*)"|!.*|(?P<word>[^\s"]+)')
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
NANO = 1_000_000_000
"""Units of time in a second, small since an interval must have a length and a word may not."""


@dataclass(frozen=True, repr=False)
class TextGrid(Tiered):
    """Praat TextGrid: words are those of the tier named word, words, ort or the like.

    The words of `Ana - words` are Ana's.
    Without such a tier, the labels of the sentences, of the transcription, of the only tier or of
    tiers for several speakers are the text. `tier` names another one, or several, or numbers them.
    Sentences are those of a tier of sentences or utterances.
    """

    name = "textgrid"
    suffixes = (".textgrid",)
    carries = frozenset({"start", "end", "speaker", "opening", "mark", "sentences"})

    @classmethod
    def recognises(cls, source: Source) -> bool:
        """Whether the first lines say that it is a TextGrid."""
        return _is_textgrid(_decodable(source))

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Read the tiers, then choose those with the words."""
        tiers = _Reader(_decodable(source)).tiers()
        yield transcript_of_tiers(choose_tiers(tiers, self.wanted, source, self.name), source)

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Write the long form."""
        tiers = make_tiers(self.single(transcripts), self.name, NANO, least=1)
        last = max((interval[1] for tier in tiers for interval in tier.intervals), default=NANO)
        yield 'File type = "ooTextFile"\nObject class = "TextGrid"\n\n'
        yield f"xmin = 0 \nxmax = {_time(last)} \ntiers? <exists> \nsize = {len(tiers)} \n"
        yield "item []: \n"
        for number, tier in enumerate(tiers, 1):
            yield from _rendered_tier(number, tier, last)


def _decodable(source: Source) -> Source:
    """Return the source in UTF-8; older files of Praat are in Latin-1."""
    if b"ooTextFile" not in source.data[:100]:
        return source
    try:
        source.data.decode("utf-8")
    except UnicodeDecodeError:
        logger.warning("%s: not UTF-8, so it is read as Latin-1", source.name)
        return Source(source.name, source.data.decode("latin-1").encode("utf-8"))
    return source


def _is_textgrid(source: Source) -> bool:
    head = source.text[:200]
    return "ooTextFile" in head and '"TextGrid"' in head


class _Reader:
    """Reads the values of a file in their order: numbers, quoted texts and flags.

    Everything else, such as `xmin =`, is a comment in TextGrid.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        if not _is_textgrid(source):
            raise source.error(
                "this is not a TextGrid", 1, 'it has to begin with File type = "ooTextFile"'
            )
        self.pieces = _PIECE.finditer(source.text)
        self.at = 0

    def _next(self, wanted: str) -> str:
        """Return the next text, number or flag, whichever is wanted."""
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
        number = float(self._next("number"))
        if not 0 <= number <= len(self.source.text):
            raise self._error(f"{number:g} is not a count")
        return int(number)

    def _time(self) -> float:
        number = float(self._next("number"))
        if not 0 <= number < LATEST:
            raise self._error(f"{number:g} is not a time in seconds")
        return number + 0.0

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


def _rendered_tier(number: int, tier: NewTier, last: int) -> Iterator[str]:
    """Write a tier; the time between its intervals is filled with empty ones."""
    intervals = list(_without_gaps(tier, last))
    yield f'    item [{number}]:\n        class = "IntervalTier" \n'
    yield f"        name = {_quoted(tier.name)} \n"
    yield f"        xmin = 0 \n        xmax = {_time(last)} \n"
    yield f"        intervals: size = {len(intervals)} \n"
    for at, (start, end, text) in enumerate(intervals, 1):
        yield f"        intervals [{at}]:\n            xmin = {_time(start)} \n"
        yield f"            xmax = {_time(end)} \n            text = {_quoted(text)} \n"


def _without_gaps(tier: NewTier, last: int) -> Iterator[tuple[int, int, str]]:
    at = 0
    for start, end, text, _ in tier.intervals:
        if start > at:
            yield at, start, ""
        yield start, end, text
        at = end
    if at < last or not tier.intervals:
        yield at, last, ""


def _time(nanoseconds: int) -> str:
    """Return seconds as a decimal number."""
    whole, rest = divmod(nanoseconds, NANO)
    return f"{whole}.{rest:09d}".rstrip("0").rstrip(".")


def _quoted(text: str) -> str:
    doubled = text.replace('"', '""')
    return f'"{doubled}"'
