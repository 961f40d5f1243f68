"""Reading captions: what SubRip, WebVTT and TTML have in common.

The reader of each format finds the cues of a file: their times and lines. `transcript_of_cues`
makes a transcript of them. On the way it undoes what is done for the screen only: captions that
are repeated to highlight each word, lines that roll up, words shown in pieces, and the names of
speakers at the beginning of lines.
"""

from __future__ import annotations

import logging
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from caesura.core.transcript import Transcript
from caesura.formats.base import Source
from caesura.formats.builder import Rows, TimedText, merge_pieces
from caesura.text.display_width import is_spaceless
from caesura.text.punctuation import split_marks

logger = logging.getLogger("caesura")

MAX_GAP = 0.02
"""Seconds: a cue that begins so soon after another one ends follows it without a pause."""

HIGHLIGHT_TAGS = frozenset(("u", "font"))
"""Tags that tools use to highlight one word after another; others are for emphasis."""


class Run(NamedTuple):
    """Text of a line by one speaker and in one style.

    Its first word may have a start, its last an end.
    """

    text: str
    start: float = math.nan
    end: float = math.nan
    speaker: str = ""
    style: str = ""
    """The highlight tags around it, '' for none."""


Line = Sequence[Run]


class Cue(NamedTuple):
    """Lines that are shown from `start` to `end` (seconds)."""

    start: float
    end: float
    lines: Sequence[Line]

    def texts(self) -> list[str]:
        """Return the texts of the lines that have any, with single blanks."""
        return [text for text in map(_plain_text, self.lines) if text]

    def follows(self, other: Cue) -> bool:
        """Whether it begins as soon as another cue ends."""
        return self.start - other.end <= MAX_GAP


class OpenTags:
    """The highlight tags that are open at one place of a cue."""

    def __init__(self) -> None:
        self._tags: list[tuple[str, str]] = []

    def update(self, name: str, tag: str, closes: bool) -> None:
        """Open or close a tag; one that highlights nothing is ignored."""
        if name not in HIGHLIGHT_TAGS:
            return
        if not closes:
            self._tags.append((name, tag.lower()))
            return
        for at in range(len(self._tags) - 1, -1, -1):
            if self._tags[at][0] == name:
                del self._tags[at]
                return

    @property
    def style(self) -> str:
        """The open tags as one text."""
        return "".join(tag for _, tag in self._tags)


_CLOCK = r"(?:([0-9]{1,5}):)?([0-9]{1,2}):([0-9]{1,2})(?:[.,:]([0-9]{1,9}))?"
CUE_TIMES = re.compile(rf"\s*{_CLOCK}\s*--\s?>\s*{_CLOCK}(?![\w:])")
"""A line with the times of a cue."""


def clock_seconds(hours: str | None, minutes: str, seconds: str, fraction: str | None) -> float:
    """Return the seconds of a clock time."""
    whole = int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds)
    return round(float(f"{whole}.{fraction or 0}"), 6)


def cue_times(line: str, number: int, source: Source) -> tuple[float, float] | None:
    """Return start and end if a line has the times of a cue, else None."""
    if ">" not in line:
        return None
    match = CUE_TIMES.match(line)
    if match:
        groups = match.groups()
        return clock_seconds(*groups[:4]), clock_seconds(*groups[4:])
    if "-->" in line and line.lstrip()[:1].isdigit():
        raise source.error(
            f"{line.strip()[:40]!r} are not the times of a cue",
            number,
            "write them as 00:00:01,000 --> 00:00:02,000",
        )
    return None


def subtract_offset(cues: Sequence[Cue], offset: float) -> Sequence[Cue]:
    """Subtract `offset` seconds from all times, unless some time is earlier than that."""
    starts = [cue.start for cue in cues]
    starts += (run.start for cue in cues for line in cue.lines for run in line)
    if not offset or any(start < offset for start in starts):
        return cues
    return [
        Cue(
            round(cue.start - offset, 6),
            round(cue.end - offset, 6),
            [[_earlier(run, offset) for run in line] for line in cue.lines],
        )
        for cue in cues
    ]


def _earlier(run: Run, offset: float) -> Run:
    return run._replace(start=round(run.start - offset, 6), end=round(run.end - offset, 6))


def transcript_of_cues(cues: Iterable[Cue], source: Source, language: str = "") -> Transcript:
    """Make a transcript: the first word of a cue has its start, the last its end."""
    shown = _sort_by_time([cue for cue in cues if cue.texts()], source)
    shown = _drop_rolled_lines(merge_highlights(shown), source)
    rows = Rows()
    for cue in assign_speakers(_join_word_pieces(shown)):
        _add_cue(rows, cue, source)
    return rows.transcript(source.stem, language)


def _sort_by_time(cues: list[Cue], source: Source) -> list[Cue]:
    if not any(b.start < a.start for a, b in pairwise(cues)):
        return cues
    logger.warning("%s: cues are not in the order of their times and were sorted", source.name)
    return sorted(cues, key=lambda cue: 0 if math.isnan(cue.start) else cue.start)


def _line_text(line: Line) -> str:
    """Return the text of a line as it is written."""
    return "".join(run.text for run in line)


def _plain_text(line: Line) -> str:
    """Return the text of a line with single blanks."""
    return " ".join(_line_text(line).split())


# Captions that are repeated, each time with the next word highlighted.


class _Highlight(NamedTuple):
    """Which characters of a cue's text are highlighted, and when."""

    first: int
    stop: int
    start: float
    end: float


def merge_highlights(cues: Sequence[Cue]) -> list[Cue]:
    """Merge cues that repeat the same text while a highlight moves on through its words.

    A tag around a word is a highlight only if the repeats have it around later words, or nowhere.
    Between two words the text may be shown without it.
    """
    if not any(run.style for cue in cues for line in cue.lines for run in line):
        return list(cues)
    texts = ["\n".join(map(_line_text, cue.lines)).rstrip() for cue in cues]
    highlights = [_highlights(cue) for cue in cues]
    merged_cues: list[Cue] = []
    at = stop = 0
    while at < len(cues):
        if stop <= at:
            stop = at + 1
            while (
                stop < len(cues) and texts[stop] == texts[at] and cues[stop].follows(cues[stop - 1])
            ):
                stop += 1
        count, moving = _moving_highlight(highlights, at, stop)
        merged_cues.append(_with_times(cues[at], moving) if count > 1 else cues[at])
        at += count
    return merged_cues


def _moving_highlight(
    highlights: Sequence[dict[str, list[_Highlight]]], first: int, stop: int
) -> tuple[int, list[_Highlight]]:
    """Return how many cues from `first` on are one caption, and the highlights of its words.

    The cues before `stop` repeat the same text. Of several styles, the one that moves on for
    longest is the highlight.
    """
    best: tuple[int, list[_Highlight]] = (1, [])
    for style in highlights[first]:
        moving: list[_Highlight] = []
        count = 1
        for at in range(first, stop):
            places = highlights[at].get(style, [])
            if len(places) > 1 or (moving and places and places[0].first < moving[-1].stop):
                break
            if places:
                moving += places
                count = at - first + 1
        if len(moving) > max(len(best[1]), 1):
            best = (count, moving)
    return best


def _highlights(cue: Cue) -> dict[str, list[_Highlight]]:
    """Return the highlighted places of a cue by their style."""
    by_style: dict[str, list[_Highlight]] = {}
    at = 0
    for line in cue.lines:
        for style, group in groupby(line, key=lambda run: run.style):
            text = "".join(run.text for run in group)
            if style and text.strip():
                place = _Highlight(at, at + len(text), cue.start, cue.end)
                by_style.setdefault(style, []).append(place)
            at += len(text)
        at += 1
    return by_style


def _with_times(cue: Cue, highlights: Sequence[_Highlight]) -> Cue:
    """Return the cue with the times of all its highlights."""
    lines, at = [], 0
    for line in cue.lines:
        text = _line_text(line)
        speaker = line[0].speaker if line else ""
        lines.append([run._replace(speaker=speaker) for run in _split(text, at, highlights)])
        at += len(text) + 1
    return Cue(cue.start, highlights[-1].end, lines)


def _split(text: str, at: int, highlights: Sequence[_Highlight]) -> Iterator[Run]:
    """Split the line that begins at character `at` of a cue where highlights begin and end."""
    done = 0
    for highlight in highlights:
        first, stop = highlight.first - at, highlight.stop - at
        if 0 <= first < len(text):
            yield Run(text[done:first])
            yield Run(text[first:stop], highlight.start, highlight.end)
            done = stop
    yield Run(text[done:])


# Lines that roll up, and words shown in pieces.


def _drop_rolled_lines(cues: list[Cue], source: Source) -> list[Cue]:
    """Drop the lines that a cue shows again from the cue before, as they roll up.

    Since a word may well be said twice, that is done only if at least half of the cues that
    follow another one without a pause begin with its lines, and some of them go on after these.
    """
    texts = [cue.texts() for cue in cues]
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
        cue._replace(lines=[line for line in cue.lines if _plain_text(line)][count:])
        for cue, count in zip(cues, repeated, strict=True)
    ]


def _overlap(before: list[str], lines: list[str]) -> int:
    """Count the last lines of one cue that the next one begins with."""
    for count in range(min(len(before), len(lines)), 0, -1):
        if before[-count:] == lines[:count]:
            return count
    return 0


ONE_TOKEN_SHARE = 0.95
"""Least share of cues with a single token where words are shown in pieces."""

WORD_START_SHARE = 0.3
"""Least share of pieces that begin a word."""


def _join_word_pieces(cues: list[Cue]) -> list[Cue]:
    """Join words that are shown in pieces, as whisper.cpp does with `-ml 1`.

    There nearly all cues are one piece, and those that begin a word begin with a blank.
    """
    texts = ["".join(map(_line_text, cue.lines)) for cue in cues]
    single = sum(len(text.split()) == 1 for text in texts)
    begun = sum(text[:1].isspace() for text in texts)
    enough = WORD_START_SHARE * len(cues) <= begun < len(cues)
    if single < ONE_TOKEN_SHARE * len(cues) or not enough:
        return cues
    spoken = [TimedText(text, cue.start, cue.end) for cue, text in zip(cues, texts, strict=True)]
    return [Cue(word.start, word.end, [[Run(word.text)]]) for word in merge_pieces(spoken)]


# Names of speakers at the beginning of lines.

LABELLED_SHARE = 0.3
"""Least share of cues that begin with a name, if names come more than once."""

_LEAD = r"\s*(?:>{2,3}\s*|[-–—]\s*)?"
_TEXT_FOLLOWS = r"(?=\W{0,99}\w)"
_NUMBERED = re.compile(
    rf"{_LEAD}(?P<label>\[?(?P<name>speaker[ _]?[0-9]{{1,4}})\]?:\s++"
    rf"|\(speaker (?P<number>[0-9]{{1,4}}|\?)\)\s*+){_TEXT_FOLLOWS}",
    re.IGNORECASE,
)
_PART = r"(?![\d_])\w[\w.'’-]*"
_NAMED = re.compile(rf"{_LEAD}(?P<label>(?P<name>{_PART}(?: {_PART}){{0,3}}):\s++){_TEXT_FOLLOWS}")
_SPEAKER_CHANGE = re.compile(r"\s*(?:>>|-\s)")


def assign_speakers(cues: Sequence[Cue]) -> list[Cue]:
    """Assign the speakers that labels name; a label holds until the next one, and is no word.

    `Speaker 1:` is always a label. `Jane Doe:` is one if the file has such names again and again.
    """
    texts = [_line_pairs(cue) for cue in cues]
    voices = any(run.speaker for cue in cues for line in cue.lines for run in line)
    names = not voices and _are_labels(texts)
    if not names and not any(_NUMBERED.match(text) for lines in texts for text in lines):
        return list(cues)
    speaker = ""
    assigned = []
    for cue, cue_texts in zip(cues, texts, strict=True):
        lines = []
        for line, text in zip(cue.lines, cue_texts, strict=True):
            label = _NUMBERED.match(text) or (_name_label(text) if names else None)
            if label:
                speaker = label["name"] or label["number"].strip("?")
                line = list(_without(line, *label.span("label")))
            elif _SPEAKER_CHANGE.match(text):
                speaker = ""
            lines.append([run if run.speaker else run._replace(speaker=speaker) for run in line])
        assigned.append(cue._replace(lines=lines))
    return assigned


def _line_pairs(cue: Cue) -> list[str]:
    """Return each line together with the one after it: a label may have a line of its own."""
    lines = [_line_text(line) for line in cue.lines]
    return ["\n".join(lines[at : at + 2]) for at in range(len(lines))]


def _name_label(text: str) -> re.Match[str] | None:
    label = _NAMED.match(text) if ":" in text else None
    return label if label and _is_name(label["name"]) else None


def _is_name(name: str) -> bool:
    """Whether each part is capitalised, as far as its script has capitals."""
    return not any(part[0].islower() for part in name.split())


def _are_labels(cues: Sequence[Sequence[str]]) -> bool:
    """Whether names before a colon are those of speakers throughout a file."""
    count: Counter[str] = Counter()
    labelled = 0
    for lines in cues:
        labels = [label for text in lines if (label := _name_label(text))]
        speakers = {label["name"] for label in labels if not _NUMBERED.match(label.string)}
        count.update(speakers)
        labelled += bool(speakers)
    if labelled < 2:
        return False
    again = max(count.values()) > 1
    return 2 * labelled > len(cues) or (again and labelled >= LABELLED_SHARE * len(cues))


def _without(line: Line, first: int, stop: int) -> Iterator[Run]:
    """Leave out characters `first` to `stop` of a line."""
    at = 0
    for run in line:
        rest = run.text[: max(0, first - at)] + run.text[max(0, stop - at) :]
        at += len(run.text)
        yield run._replace(text=rest)


# Words with their times.

NOTES = frozenset("♪♫♬♩")
LINE_STARTS = frozenset(("-", "–", "—", "‐", ">>", ">>>", "•"))
"""Beginnings of a line where another speaker begins."""

_INVISIBLE = "".join(map(chr, (*range(0x200B, 0x2010), *range(0x202A, 0x202F), 0x2060, 0xFEFF)))
_DIALOGUE = re.compile(r"-(?=[^\W\d_])")


def _add_cue(rows: Rows, cue: Cue, source: Source) -> None:
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
    """Split a line at blanks; a token that several runs share belongs to the one it begins in.

    Its end is the last that is known.
    """
    if len(line) == 1 and math.isnan(line[0].start) and math.isnan(line[0].end):
        speaker = line[0].speaker
        return [_Token(word, math.nan, math.nan, speaker) for word in line[0].text.split()]
    words = list(re.finditer(r"\S+", _line_text(line)))
    tokens: list[_Token] = []
    stop = 0
    for run in line:
        begin, stop = stop, stop + len(run.text)
        first = len(tokens)
        while len(tokens) < len(words) and words[len(tokens)].start() < stop:
            start = run.start if len(tokens) == first else math.nan
            tokens.append(_Token(words[len(tokens)][0], start, math.nan, run.speaker))
        if tokens and words[len(tokens) - 1].end() > begin and not math.isnan(run.end):
            tokens[-1] = tokens[-1]._replace(end=run.end)
    return tokens


def _add_line(rows: Rows, line: Line) -> None:
    tokens = _tokens(line)
    if tokens and len(rows) and _continues_without_blank(rows, tokens[0].surface):
        rows.glue()
    if any(split_marks(token.surface).word for token in tokens):
        rows.turn()
    for at, (surface, start, end, speaker) in enumerate(tokens):
        if not surface.isalnum():
            surface = _take_signs(rows, surface, at == 0, at + 1 == len(tokens))
        rows.token(surface, start=start, end=end, speaker=speaker or None)


def _take_signs(rows: Rows, surface: str, first: bool, last: bool) -> str:
    """Return what of a token is a word: signs of music and of another speaker open the word."""
    surface = surface.strip(_INVISIBLE)
    if first and not last and surface in LINE_STARTS:
        rows.open(surface, blank=True)
        return ""
    if surface and not set(surface) - NOTES:
        rows.punctuation(surface)
        return ""
    if first and _DIALOGUE.match(surface):
        rows.open("-")
        return surface[1:]
    return surface


def _continues_without_blank(rows: Rows, surface: str) -> bool:
    """Whether a line goes on, without a blank, in a script that has none."""
    last = len(rows) - 1
    before = rows.words[last] + rows.cell("mark", last)
    return is_spaceless(before[-1]) and is_spaceless(surface[0])
