"""WebVTT: cues with speakers (voices) and perhaps a time for each word."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile

from caesura.core.transcript import Transcript
from caesura.formats.base import Source
from caesura.formats.captions.cue_text import (
    Cue,
    OpenTags,
    Run,
    clock_seconds,
    cue_times,
    subtract_offset,
    transcript_of_cues,
)
from caesura.formats.captions.line_breaks import Captions

_PIECES = re.compile(r"(</?[A-Za-z0-9][^<>\n]*>|</>|\n)")
_STAMP = re.compile(r"<(?:([0-9]{1,5}):)?([0-9]{1,2}):([0-9]{1,2})[.,]([0-9]{1,9})>")
_VOICE = re.compile(r"</v>|<v(?:\.[^\s>]*)?(?:\s+(.*))?>")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]*);")
_LANGUAGE = re.compile(r"Language:\s*(\S+)")
_HIGHLIGHT = re.compile(r"<(/?)(u|font)(?![\w-])[^>]*>")
_OFFSET = re.compile(
    r"X-TIMESTAMP-MAP=.*\bLOCAL:(?:([0-9]{1,5}):)?([0-9]{1,2}):([0-9]{1,2})[.,]([0-9]{1,9})"
)
_NO_CUE = re.compile(r"(?:NOTE|STYLE|REGION)(?!\S)")


@dataclass(frozen=True, repr=False)
class Vtt(Captions):
    """WebVTT captions; lines that roll up, as YouTube's do, are read once.

    Times inside cues are starts of words.
    """

    name = "vtt"
    suffixes = (".vtt",)
    carries = frozenset({"opening", "mark", "speaker", "language"})

    @classmethod
    def recognises(cls, source: Source) -> bool:
        """Whether it begins with WEBVTT."""
        return re.match(r"WEBVTT(?!\S)", source.text) is not None

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Read the header's language and the cues."""
        cues = list(_cues(source))
        if not cues and not self.recognises(source):
            raise source.error("this is not WebVTT", 1, "it has to begin with WEBVTT")
        header = list(takewhile(bool, (line for _, line in source.lines())))
        named = next(filter(None, map(_LANGUAGE.match, header)), None)
        offsets = (clock_seconds(*match.groups()) for match in map(_OFFSET.match, header) if match)
        shifted = subtract_offset(cues, next(offsets, 0.0))
        yield transcript_of_cues(shifted, source, named[1] if named else "")

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Write a header, and cues with their speakers."""
        transcript = self.single(transcripts)
        cues = self.cues(transcript)
        language = "".join(transcript.language.split())
        yield f"WEBVTT\nLanguage: {language}\n" if language else "WEBVTT\n"
        voices = {speaker: _voice(speaker) for speaker in set(cues.speaker)}
        rows = zip(*cues.timestamps("."), cues.speaker, cues.text, strict=True)
        yield "".join(
            f"\n{start} --> {end}\n{voices[who].format(_escaped(text))}\n"
            for start, end, who, text in rows
        )


def _escaped(text: str) -> str:
    return html.escape(text, quote=False)


def _voice(speaker: str) -> str:
    """Return a format string for the words of a speaker."""
    name = _escaped(" ".join(speaker.split())).replace("{", "{{").replace("}", "}}")
    return f"<v {name}>{{}}</v>" if name else "{}"


def _cues(source: Source) -> Iterator[Cue]:
    """Find the cues: a line with times and the lines after it.

    A blank line ends a cue, but text after it that is no comment, style or name of the next cue
    still belongs to it.
    """
    times: tuple[float, float] | None = None
    text: list[str] = []
    block: list[str] = []
    after_blank = False
    for number, line in [*source.lines(), (0, "")]:
        found = cue_times(line, number, source)
        if found is None and line:
            block.append(line)
            continue
        if not (after_blank and block and _NO_CUE.match(block[0])):
            text += block[:-1] if after_blank and found else block
        if found:
            if times is not None:
                yield Cue(*times, _lines(text))
            times, text = found, []
        block, after_blank = [], found is None
    if times is not None:
        yield Cue(*times, _lines(text))


def _lines(block: list[str]) -> list[list[Run]]:
    """Split a cue into lines, and these at times and where the speaker or the style changes."""
    lines: list[list[Run]] = [[]]
    time, speaker, hidden, open_tags = math.nan, "", False, OpenTags()
    for piece in _PIECES.split("\n".join(block)):
        if piece == "\n":
            lines.append([])
            time = math.nan
        elif not _PIECES.fullmatch(piece):
            if piece and not hidden:
                lines[-1].append(Run(_unescaped(piece), time, math.nan, speaker, open_tags.style))
                time = math.nan if piece.strip() else time
        elif stamp := _STAMP.fullmatch(piece):
            time = clock_seconds(*stamp.groups())
        elif voice := _VOICE.fullmatch(piece):
            name = " ".join(_unescaped(voice[1] or "").split())
            speaker = "" if name == "-" else name
        elif tag := _HIGHLIGHT.fullmatch(piece):
            open_tags.update(tag[2], piece, closes=bool(tag[1]))
        elif piece[:4] in ("<rt>", "<rt."):
            hidden = True
        else:
            hidden = hidden and piece != "</rt>"
    return lines


def _unescaped(text: str) -> str:
    return _ENTITY.sub(lambda found: html.unescape(found[0]), text)
