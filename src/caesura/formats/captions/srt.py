"""SubRip (.srt): numbered cues with times and lines of text."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from caesura.core.transcript import Transcript
from caesura.formats.base import Source
from caesura.formats.captions.cue_text import (
    CUE_TIMES,
    Cue,
    OpenTags,
    Run,
    cue_times,
    transcript_of_cues,
)
from caesura.formats.captions.line_breaks import Captions

logger = logging.getLogger("caesura")

_CODE = re.compile(r"\{\\[^{}]*\}|\{[A-Za-z]:[^{}]*\}")
_BREAK = re.compile(r"\\N|<br\s*/?>", re.IGNORECASE)
_TAG = re.compile(r"<(/?)([A-Za-z][\w.]*+)[^<>]*>")
_KNOWN = frozenset(("b", "i", "u", "s", "font", "c", "v", "em", "strong", "span", "ruby", "rt"))
_NUMBER = re.compile(r"\s*[0-9]+\s*")


@dataclass(frozen=True, repr=False)
class Srt(Captions):
    """SubRip captions; tags and position codes are not read, speakers are not written."""

    name = "srt"
    may_be_empty = True
    suffixes = (".srt",)
    carries = frozenset({"opening", "mark"})

    @classmethod
    def recognises(cls, source: Source) -> bool:
        """Whether it begins with the times of a cue, perhaps after its number."""
        lines = [line for _, line in source.lines() if line.strip()]
        if lines and _NUMBER.fullmatch(lines[0]):
            lines = lines[1:]
        return bool(lines) and CUE_TIMES.match(lines[0]) is not None

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Read the lines between those with times."""
        cues = list(_cues(source))
        if not cues and source.text.strip():
            raise source.error(
                "no line has the times of a cue",
                remedy="a cue begins with a line such as 00:00:01,000 --> 00:00:02,000",
            )
        yield transcript_of_cues(cues, source)

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Write numbered cues."""
        cues = self.cues(self.single(transcripts))
        rows = zip(*cues.timestamps(","), cues.text, strict=True)
        yield "".join(
            f"{at}\n{start} --> {end}\n{text}\n\n" for at, (start, end, text) in enumerate(rows, 1)
        )


def _cues(source: Source) -> Iterator[Cue]:
    """Find the cues; a number above the times is no text if the first cue has one too.

    Below the last cue no times follow: a number there is text.
    """
    before: list[str] = []
    cues: list[tuple[tuple[float, float], list[str]]] = []
    for number, line in source.lines():
        times = cue_times(line, number, source)
        if times is not None:
            cues.append((times, []))
        else:
            (cues[-1][1] if cues else before).append(line)
    if cues and before and _NUMBER.fullmatch(before[-1]):
        for lines in (before, *(lines for _, lines in cues[:-1])):
            if lines and _NUMBER.fullmatch(lines[-1]):
                lines.pop()
    if cues and any(map(str.strip, before)):
        logger.warning("%s: text before the first cue is left out", source.name)
    for times, lines in cues:
        yield Cue(*times, _lines("\n".join(lines)))


def _lines(text: str) -> list[list[Run]]:
    """Return the lines of a cue without codes and tags; what only looks like a tag stays."""
    text = _BREAK.sub("\n", _CODE.sub("", text).replace("\\h", " "))
    if "<" not in text:
        return [[Run(line)] for line in text.split("\n")]
    lines: list[list[Run]] = [[]]
    for piece, style in _split_at_tags(text):
        first, *others = piece.split("\n")
        lines[-1].append(Run(first, style=style))
        lines += ([Run(line, style=style)] for line in others)
    return lines


def _split_at_tags(text: str) -> Iterator[tuple[str, str]]:
    """Return the pieces of a text between its tags, each with its style."""
    found = list(_TAG.finditer(text))
    sides: dict[str, set[str]] = {"": set(), "/": set()}
    for tag in found:
        sides[tag[1]].add(tag[2].lower())
    tags = _KNOWN | (sides[""] & sides["/"])
    at, open_tags = 0, OpenTags()
    for tag in found:
        name = tag[2].partition(".")[0].lower()
        if name in tags:
            yield text[at : tag.start()], open_tags.style
            at = tag.end()
            open_tags.update(name, tag[0], closes=bool(tag[1]))
    yield text[at:], open_tags.style
