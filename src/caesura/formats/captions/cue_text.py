"""Timed text on its way into a transcript: what captions of any format have in common."""

from __future__ import annotations

import logging
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from caesura.core.transcript import Transcript
from caesura.formats.asr.segments import Spoken, merged
from caesura.formats.builder import Rows
from caesura.formats.source import Source
from caesura.text.display_width import spaceless
from caesura.text.punctuation import split_marks

AT_ONCE = 0.02
"""Seconds; a cue that begins so soon after another one ends follows it at once."""


class Run(NamedTuple):
    """Text of a line that has one speaker; its first word may have a start, its last an end."""

    text: str
    start: float = math.nan
    end: float = math.nan
    speaker: str = ""
    marked: bool = False
    """Whether it is underlined or coloured."""


Line = Sequence[Run]


class Shown(NamedTuple):
    """Lines that are shown from `start` to `end` (seconds)."""

    start: float
    end: float
    lines: Sequence[Line]

    def plain(self) -> list[str]:
        """Give the lines that have text, without what surrounds it."""
        return [text for text in map(plain, self.lines) if text]

    def follows(self, other: Shown) -> bool:
        """Whether it is shown as soon as another cue ends."""
        return self.start - other.end <= AT_ONCE


def whole(line: Line) -> str:
    """Give the text of a line as it is written."""
    return "".join(run.text for run in line)


def plain(line: Line) -> str:
    """Give the text of a line with single blanks."""
    return " ".join(whole(line).split())


def counted_from(zero: float, shown: Sequence[Shown]) -> Sequence[Shown]:
    """Let times count from `zero`; they do already if some start lies before it."""
    starts = [cue.start for cue in shown]
    starts += (run.start for cue in shown for line in cue.lines for run in line)
    if not zero or any(start < zero for start in starts):
        return shown
    return [
        Shown(
            round(cue.start - zero, 6),
            round(cue.end - zero, 6),
            [[_earlier(run, zero) for run in line] for line in cue.lines],
        )
        for cue in shown
    ]


def _earlier(run: Run, by: float) -> Run:
    return run._replace(start=round(run.start - by, 6), end=round(run.end - by, 6))


class _Mark(NamedTuple):
    """The place of a marked run in the text of a cue, and when it is shown."""

    first: int
    stop: int
    start: float
    end: float


def said_once(cues: Sequence[Shown]) -> list[Shown]:
    """Make one cue of those that show the same text with a mark that moves on through it.

    Between two words the text may be shown without a mark.
    """
    if not any(run.marked for cue in cues for line in cue.lines for run in line):
        return list(cues)
    marks = [_marks(cue) for cue in cues]
    texts = [_text(cue) for cue in cues]
    found: list[Shown] = []
    at = 0
    while at < len(cues):
        group = [at]
        for after in range(at + 1, len(cues) if len(marks[at]) == 1 else 0):
            if texts[after] != texts[at] or not cues[after].follows(cues[after - 1]):
                break
            if marks[after] and not _moves_on(marks[group[-1]], marks[after]):
                break
            if marks[after]:
                group.append(after)
        found.append(_joined(cues[at], [marks[i][0] for i in group]) if group[1:] else cues[at])
        at = group[-1] + 1
    return found


def _moves_on(before: Sequence[_Mark], after: Sequence[_Mark]) -> bool:
    return len(after) == 1 and before[0].stop <= after[0].first


def _text(cue: Shown) -> str:
    return "\n".join(map(whole, cue.lines)).rstrip()


def _marks(cue: Shown) -> list[_Mark]:
    """Find the marked runs of a cue."""
    found, at = [], 0
    for line in cue.lines:
        for run in line:
            if run.marked and run.text.strip():
                found.append(_Mark(at, at + len(run.text), cue.start, cue.end))
            at += len(run.text)
        at += 1
    return found


def _joined(cue: Shown, marks: Sequence[_Mark]) -> Shown:
    """Give the cue the times of all its marks."""
    lines, at = [], 0
    for line in cue.lines:
        text = whole(line)
        speaker = line[0].speaker if line else ""
        lines.append([run._replace(speaker=speaker) for run in _runs(text, at, marks)])
        at += len(text) + 1
    return Shown(cue.start, marks[-1].end, lines)


def _runs(text: str, at: int, marks: Sequence[_Mark]) -> Iterator[Run]:
    """Part the line that begins at character `at` of a cue where marks begin and end."""
    done = 0
    for mark in marks:
        first, stop = mark.first - at, mark.stop - at
        if 0 <= first < len(text):
            yield Run(text[done:first])
            yield Run(text[first:stop], mark.start, mark.end)
            done = stop
    yield Run(text[done:])


SHARE = 0.3
"""Of cues that begin with a name, if names come again."""

_LEAD = r"\s*(?:>{2,3}\s*|[-–—]\s*)?"
_SAID = r"(?=\W{0,99}\w)"
_NUMBERED = re.compile(
    rf"{_LEAD}(?P<label>\[?(?P<name>speaker[ _]?[0-9]{{1,4}})\]?:\s+"
    rf"|\(speaker (?P<number>[0-9]{{1,4}}|\?)\)\s*){_SAID}",
    re.IGNORECASE,
)
_PART = r"(?![\d_])\w[\w.'’-]*"
_NAMED = re.compile(rf"{_LEAD}(?P<label>(?P<name>{_PART}(?: {_PART}){{0,3}}):\s+){_SAID}")
_CHANGE = re.compile(r"\s*(?:>>|-\s)")


def with_speakers(cues: Sequence[Shown]) -> list[Shown]:
    """Give words the speakers that labels name; a label holds until the next, and is no word.

    A label with a number is one anyway. Names count if the file has them time and again.
    """
    texts = [_texts(cue) for cue in cues]
    voices = any(run.speaker for cue in cues for line in cue.lines for run in line)
    names = not voices and _are_labels(texts)
    if not names and not any(_NUMBERED.match(text) for lines in texts for text in lines):
        return list(cues)
    speaker = ""
    found = []
    for cue, written in zip(cues, texts, strict=True):
        lines = []
        for line, text in zip(cue.lines, written, strict=True):
            label = _NUMBERED.match(text) or (_named(text) if names else None)
            if label:
                speaker = label["name"] or label["number"].strip("?")
                line = list(_without(line, *label.span("label")))
            elif _CHANGE.match(text):
                speaker = ""
            lines.append([run if run.speaker else run._replace(speaker=speaker) for run in line])
        found.append(cue._replace(lines=lines))
    return found


def _texts(cue: Shown) -> list[str]:
    """Give each line together with the one after it: a label may have a line of its own."""
    lines = [whole(line) for line in cue.lines]
    return ["\n".join(lines[at : at + 2]) for at in range(len(lines))]


def _named(text: str) -> re.Match[str] | None:
    label = _NAMED.match(text) if ":" in text else None
    return label if label and _is_name(label["name"]) else None


def _is_name(name: str) -> bool:
    """Whether each part is capitalised, as far as its script knows capitals."""
    return not any(part[0].islower() for part in name.split())


def _are_labels(cues: Sequence[Sequence[str]]) -> bool:
    """Whether names before a colon are those of speakers throughout a file."""
    count: Counter[str] = Counter()
    labelled = 0
    for lines in cues:
        labels = [label for text in lines if (label := _named(text))]
        found = {label["name"] for label in labels if not _NUMBERED.match(label.string)}
        count.update(found)
        labelled += bool(found)
    if labelled < 2:
        return False
    again = max(count.values()) > 1
    return 2 * labelled > len(cues) or (again and labelled >= SHARE * len(cues))


def _without(line: Line, first: int, stop: int) -> Iterator[Run]:
    """Leave out characters of a line."""
    at = 0
    for run in line:
        kept = run.text[: max(0, first - at)] + run.text[max(0, stop - at) :]
        at += len(run.text)
        yield run._replace(text=kept)


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
