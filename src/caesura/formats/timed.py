"""Timed text on its way into a transcript: what captions of any format have in common."""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from caesura.formats.highlights import said_once
from caesura.formats.labels import with_speakers
from caesura.formats.rows import Rows
from caesura.formats.shown import Line, Run, Shown, plain
from caesura.formats.source import Source
from caesura.formats.spoken import Spoken
from caesura.formats.width import spaceless
from caesura.formats.wordpieces import merged
from caesura.text.marks import split_marks
from caesura.transcript import Transcript

logger = logging.getLogger("caesura")

PIECES = 0.95
"""Share of cues that are one token where words are shown in pieces."""
BEGUN = 0.3
"""Least share of pieces that begin a word."""

NOTES = frozenset("♪♫♬♩")
LEADS = frozenset(("-", "–", "—", "‐", ">>", ">>>", "•"))
"""What a line begins with when somebody else speaks."""

_INVISIBLE = "".join(map(chr, (*range(0x200B, 0x2010), *range(0x202A, 0x202F), 0x2060, 0xFEFF)))
_DIALOGUE = re.compile(r"-(?=[^\W\d_])")
_CLOCK = r"(?:([0-9]{1,5}):)?([0-9]{1,2}):([0-9]{1,2})(?:[.,:]([0-9]{1,9}))?"
TIMING = re.compile(rf"\s*{_CLOCK}\s*--\s?>\s*{_CLOCK}(?![\w:])")
"""A line with the times of a cue."""


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
    cues = said_once(_in_order([cue for cue in shown if cue.plain()], source))
    cues = _whole_words(_each_word_once(cues, source))
    rows = Rows()
    for cue in with_speakers(cues):
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
    texts = [cue.plain() for cue in cues]
    repeated = [0] * len(cues)
    followers = repeating = rolling = 0
    for at in range(1, len(cues)):
        count = _overlap(texts[at - 1], texts[at])
        more = count < len(texts[at])
        if cues[at].follows(cues[at - 1]):
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
        cue._replace(lines=[line for line in cue.lines if plain(line)][count:])
        for cue, count in zip(cues, repeated, strict=True)
    ]


def _overlap(before: list[str], lines: list[str]) -> int:
    """Count the last lines of one cue that the next one begins with."""
    for count in range(min(len(before), len(lines)), 0, -1):
        if before[-count:] == lines[:count]:
            return count
    return 0


def _whole_words(cues: list[Shown]) -> list[Shown]:
    """Put words together that are shown in pieces, as whisper.cpp does with `-ml 1`.

    There nearly all cues are one piece, and those that begin a word begin with a blank.
    """
    texts = ["".join(run.text for line in cue.lines for run in line) for cue in cues]
    single = sum(len(text.split()) == 1 for text in texts)
    begun = sum(text[:1].isspace() for text in texts)
    if single < PIECES * len(cues) or not BEGUN * len(cues) <= begun < len(cues):
        return cues
    spoken = [Spoken(text, cue.start, cue.end) for cue, text in zip(cues, texts, strict=True)]
    return [Shown(word.start, word.end, [[Run(word.text)]]) for word in merged(spoken)]


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
    """Part a line at blanks; a token that several runs share belongs to the one it begins in.

    Its end is the last that is known.
    """
    if len(line) == 1 and math.isnan(line[0].start) and math.isnan(line[0].end):
        who = line[0].speaker
        return [_Token(word, math.nan, math.nan, who) for word in line[0].text.split()]
    text = "".join(run.text for run in line)
    found: list[_Token] = []
    words = list(re.finditer(r"\S+", text))
    stop = 0
    for run in line:
        begin, stop = stop, stop + len(run.text)
        first = len(found)
        while len(found) < len(words) and words[len(found)].start() < stop:
            begins = run.start if len(found) == first else math.nan
            found.append(_Token(words[len(found)][0], begins, math.nan, run.speaker))
        if found and words[len(found) - 1].end() > begin and not math.isnan(run.end):
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
