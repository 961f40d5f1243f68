"""Timed text on its way into a transcript: what captions of any format have in common."""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from caesura.formats.rows import Rows
from caesura.formats.source import Source
from caesura.formats.width import spaceless
from caesura.text.marks import split_marks
from caesura.transcript import Transcript

logger = logging.getLogger("caesura")

AT_ONCE = 0.02
"""Seconds; a cue that begins so soon after another one ends follows it at once."""

NOTES = frozenset("♪♫♬♩")
LEADS = frozenset(("-", "–", "—", "‐", ">>", ">>>", "•"))
"""What a line begins with when somebody else speaks."""

_INVISIBLE = "".join(map(chr, (*range(0x200B, 0x2010), *range(0x202A, 0x202F), 0x2060, 0xFEFF)))
_DIALOGUE = re.compile(r"-(?=[^\W\d_])")
_CLOCK = r"(?:([0-9]{1,5}):)?([0-9]{1,2}):([0-9]{1,2})(?:[.,:]([0-9]{1,9}))?"
TIMING = re.compile(rf"\s*{_CLOCK}\s*--\s?>\s*{_CLOCK}(?![\w:])")
"""A line with the times of a cue."""


class Run(NamedTuple):
    """Text of a line that has one speaker; its first word may have a start, its last an end."""

    text: str
    start: float = math.nan
    end: float = math.nan
    speaker: str = ""


Line = Sequence[Run]


class Shown(NamedTuple):
    """Lines that are shown from `start` to `end` (seconds)."""

    start: float
    end: float
    lines: Sequence[Line]

    def plain(self) -> list[str]:
        """Give the lines that have text, without what surrounds it."""
        return [text for text in map(_text, self.lines) if text]


def _text(line: Line) -> str:
    return " ".join("".join(run.text for run in line).split())


def clock(hours: str | None, minutes: str, seconds: str, fraction: str | None) -> float:
    """Give the seconds of a clock time."""
    whole = int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds)
    return round(float(f"{whole}.{fraction or 0}"), 6)


def timing(line: str, number: int, source: Source) -> tuple[float, float] | None:
    """Read a line with the times of a cue; None if it is none."""
    if ">" not in line:
        return None
    found = TIMING.match(line)
    if found:
        groups = found.groups()
        return clock(*groups[:4]), clock(*groups[4:])
    if "-->" in line and line.lstrip()[:1].isdigit():
        raise source.error(
            f"{line.strip()[:40]!r} are not the times of a cue",
            number,
            "write them as 00:00:01,000 --> 00:00:02,000",
        )
    return None


def transcript(shown: Iterable[Shown], source: Source, language: str = "") -> Transcript:
    """Make a transcript: the first word of a cue has its start, the last its end."""
    cues = _each_word_once(_in_order([cue for cue in shown if cue.plain()], source), source)
    rows = Rows()
    for cue in cues:
        _add(rows, cue, source)
    return rows.transcript(source.stem, language)


def _in_order(cues: list[Shown], source: Source) -> list[Shown]:
    if not any(b.start < a.start for a, b in pairwise(cues)):
        return cues
    logger.warning("%s: cues are not in the order of their times and were sorted", source.name)
    return sorted(cues, key=lambda cue: 0 if math.isnan(cue.start) else cue.start)


def _each_word_once(cues: list[Shown], source: Source) -> list[Shown]:
    """Undo lines that roll up: those that a cue shows again from the cue before are dropped.

    Since a word may well be said twice, that is done only if at least half of the cues that
    follow another one at once begin with its lines, and some of them go on after these.
    """
    plain = [cue.plain() for cue in cues]
    repeated = [0] * len(cues)
    followers = repeating = rolling = 0
    for at in range(1, len(cues)):
        count = _overlap(plain[at - 1], plain[at])
        more = count < len(plain[at])
        if cues[at].start - cues[at - 1].end <= AT_ONCE:
            followers += 1
            repeating += count > 0
            rolling += count > 0 and more
            repeated[at] = count
        elif more:
            repeated[at] = count
    if not rolling or 2 * repeating < followers:
        return cues
    logger.info("%s: lines that roll up were read once", source.name)
    return [
        cue._replace(lines=[line for line in cue.lines if _text(line)][count:])
        for cue, count in zip(cues, repeated, strict=True)
    ]


def _overlap(before: list[str], lines: list[str]) -> int:
    """Count the last lines of one cue that the next one begins with."""
    for count in range(min(len(before), len(lines)), 0, -1):
        if before[-count:] == lines[:count]:
            return count
    return 0


def _add(rows: Rows, cue: Shown, source: Source) -> None:
    """Add the words of a cue."""
    first = len(rows)
    for line in cue.lines:
        _add_line(rows, line)
    last = len(rows) - 1
    if last < first:
        return
    if math.isnan(rows.cell("start", first)) and not math.isnan(cue.start):
        rows.set("start", first, cue.start)
    if cue.end < cue.start:
        logger.warning("%s: a cue at %g s ends before it begins", source.name, cue.start)
    elif math.isnan(rows.cell("end", last)) and not math.isnan(cue.end):
        rows.set("end", last, cue.end)


class _Token(NamedTuple):
    surface: str
    start: float
    end: float
    speaker: str


def _tokens(line: Line) -> list[_Token]:
    """Part a line at blanks; a token that several runs share belongs to the one it begins in."""
    if len(line) == 1 and math.isnan(line[0].start) and math.isnan(line[0].end):
        who = line[0].speaker
        return [_Token(word, math.nan, math.nan, who) for word in line[0].text.split()]
    text = "".join(run.text for run in line)
    found: list[_Token] = []
    words = [(match.start(), match[0]) for match in re.finditer(r"\S+", text)]
    stop = 0
    for run in line:
        stop += len(run.text)
        first = len(found)
        while len(found) < len(words) and words[len(found)][0] < stop:
            begins = run.start if len(found) == first else math.nan
            found.append(_Token(words[len(found)][1], begins, math.nan, run.speaker))
        if len(found) > first:
            found[-1] = found[-1]._replace(end=run.end)
    return found


def _add_line(rows: Rows, line: Line) -> None:
    tokens = _tokens(line)
    if tokens and len(rows) and _unparted(rows, tokens[0].surface):
        rows.glue()
    if any(split_marks(token.surface).word for token in tokens):
        rows.turn()
    for at, (surface, start, end, speaker) in enumerate(tokens):
        if not surface.isalnum():
            surface = _cleared(rows, surface, at == 0, at + 1 == len(tokens))
        rows.token(surface, start=start, end=end, speaker=speaker or None)


def _cleared(rows: Rows, surface: str, first: bool, last: bool) -> str:
    """Give what remains of a token as a word: signs of a change of speaker and music open it."""
    surface = surface.strip(_INVISIBLE)
    if first and not last and surface in LEADS:
        rows.open(surface, blank=True)
        return ""
    if surface and not set(surface) - NOTES:
        rows.punctuation(surface)
        return ""
    if first and _DIALOGUE.match(surface):
        rows.open("-")
        return surface[1:]
    return surface


def _unparted(rows: Rows, surface: str) -> bool:
    """Whether a line goes on, without a blank, in a script that has none."""
    last = len(rows) - 1
    before = rows.words[last] + rows.cell("mark", last)
    return spaceless(before[-1:] or " ") and spaceless(surface[0])
