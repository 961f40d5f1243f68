"""TTML, and its older form DFXP: timed text in XML."""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from xml.etree.ElementTree import Element
from xml.sax.saxutils import escape, quoteattr

from caesura.core.transcript import Transcript
from caesura.formats.base import LATEST, Source
from caesura.formats.captions.cue_text import Cue, Run, subtract_offset, transcript_of_cues
from caesura.formats.captions.line_breaks import Captions, Cues
from caesura.formats.safe_xml import legal, local, tree

_DIGITS = "[0-9]{1,15}"
_OFFSET = re.compile(rf"({_DIGITS}(?:\.[0-9]+)?)(h|ms|m|s|f|t)")
_TIME = re.compile(
    rf"({_DIGITS}):({_DIGITS}):({_DIGITS})"
    rf"(?:[.,]({_DIGITS})|[:;]({_DIGITS})(?:\.({_DIGITS}))?)?"
)
_RATIO = re.compile(rf"({_DIGITS})(?:[\s:]+({_DIGITS}))?")


@dataclass(frozen=True)
class Clock:
    """The time expressions of a file: its rates of frames and ticks."""

    frames: float = 30.0
    """Nominal frames a second."""
    multiplier: float = 1.0
    """Real frames a second divided by nominal ones."""
    parts: float = 1.0
    """Parts of a frame."""
    ticks: float = 1.0
    """Ticks a second."""
    smpte: bool = False
    """Whether clock times count frames (SMPTE), not seconds."""
    drop_mode: str = "nonDrop"

    @classmethod
    def of(cls, root: Element, source: Source) -> Clock:
        """Read the parameters of a file."""
        parameters = {local(name): value.strip() for name, value in root.attrib.items()}
        frames = _rate(parameters, "frameRate", 30.0, source)
        parts = _rate(parameters, "subFrameRate", 1.0, source)
        real = frames * _rate(parameters, "frameRateMultiplier", 1.0, source)
        usual = real * parts if "frameRate" in parameters else 1.0
        return cls(
            frames,
            real / frames,
            parts,
            _rate(parameters, "tickRate", usual, source),
            parameters.get("timeBase") == "smpte",
            parameters.get("dropMode", "nonDrop"),
        )

    def seconds(self, text: str, source: Source) -> float:
        """Read a time expression."""
        offset, time = _OFFSET.fullmatch(text.strip()), _TIME.fullmatch(text.strip())
        if offset:
            time_in_seconds = self._offset(float(offset[1]), offset[2])
        elif time:
            time_in_seconds = self._time(*(cell or "0" for cell in time.groups()))
        else:
            time_in_seconds = -1.0
        if not 0 <= time_in_seconds <= LATEST:
            raise source.error(
                f"{text[:40]!r} is not a time", remedy="write it as 00:00:01.500 or 1.5s"
            )
        return time_in_seconds

    def _offset(self, number: float, unit: str) -> float:
        real = self.frames * self.multiplier
        units = {"h": 3600, "m": 60, "s": 1, "ms": 0.001, "f": 1 / real, "t": 1 / self.ticks}
        return number * units[unit]

    def _time(
        self, hours: str, minutes: str, seconds: str, fraction: str, frames: str, parts: str
    ) -> float:
        whole = int(hours) * 3600 + int(minutes) * 60 + int(seconds)
        shown = int(frames) + int(parts) / self.parts
        if not self.smpte:
            return float(f"{whole}.{fraction}") + shown / (self.frames * self.multiplier)
        count = whole * self.frames + shown - self._dropped_frames(int(hours) * 60 + int(minutes))
        return count / (self.frames * self.multiplier) + float(f"0.{fraction}")

    def _dropped_frames(self, minutes: int) -> int:
        """Return how many frame numbers the clock has skipped to keep up with real time."""
        if self.drop_mode == "dropNTSC":
            return 2 * (minutes - minutes // 10)
        if self.drop_mode == "dropPAL":
            return 4 * (minutes // 2 - minutes // 20)
        return 0


def _rate(parameters: dict[str, str], name: str, usual: float, source: Source) -> float:
    text = parameters.get(name)
    if text is None:
        return usual
    match = _RATIO.fullmatch(text)
    above, below = (int(match[1]), int(match[2] or 1)) if match else (0, 0)
    if not above or not below:
        raise source.error(f"{text[:40]!r} is not a {name}", remedy="write a number above 0")
    return above / below


logger = logging.getLogger("caesura")

MAX_DEPTH = 100
"""Most levels of nested elements; real files have four."""

_XML = "{http://www.w3.org/XML/1998/namespace}"
_NO_TEXT = frozenset("metadata set animate image audio title desc copyright agent name".split())
_RUBY = frozenset(("text", "textContainer", "delimiter"))
_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttm="http://www.w3.org/ns/ttml#metadata" xml:lang={}>
"""


@dataclass(frozen=True, repr=False)
class Ttml(Captions):
    """TTML captions (W3C, XML); all their kinds of times are read, and agents are speakers."""

    name = "ttml"
    suffixes = (".ttml", ".dfxp", ".itt")
    carries = frozenset({"opening", "mark", "speaker", "language"})

    @classmethod
    def recognises(cls, source: Source) -> bool:
        """Whether it is XML whose first element is `tt`."""
        return b"<" in source.data[:8] and local(tree(source).tag) == "tt"

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Read the paragraphs; a file in several languages gives a transcript for each."""
        root = tree(_with_closed_breaks(source))
        if local(root.tag) != "tt":
            raise source.error("this is not TTML", remedy="its first element has to be <tt>")
        context = _Context(language=root.get(f"{_XML}lang", "").strip())
        reader = _Reader(source, Clock.of(root, source), _agents(root))
        for body in root:
            if local(body.tag) == "body":
                reader.add_element(body, context)
        offset = _programme_start(root, reader.clock, source)
        for language, cues in (reader.cues or {context.language: []}).items():
            yield transcript_of_cues(subtract_offset(cues, offset), source, language)

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Write one paragraph for each cue."""
        transcript = self.single(transcripts)
        cues = self.cues(transcript)
        names = dict.fromkeys(who for who in cues.speaker if who)
        agents = {who: f"speaker{at}" for at, who in enumerate(names, 1)}
        yield _HEAD.format(quoteattr(legal(transcript.language)))
        yield "".join(_head(agents))
        yield " <body>\n  <div>\n"
        yield "".join(_paragraphs(cues, agents))
        yield "  </div>\n </body>\n</tt>\n"


def _with_closed_breaks(source: Source) -> Source:
    """Close line breaks that are written as in HTML: `<br>`."""
    if b"<br>" not in source.data or b"</br>" in source.data:
        return source
    return replace(source, data=source.data.replace(b"<br>", b"<br/>"))


def _head(agents: Mapping[str, str]) -> Iterator[str]:
    """Render the names of the speakers."""
    if agents:
        yield " <head>\n  <metadata>\n"
        for who, id in agents.items():
            name = f'<ttm:name type="full">{escape(legal(" ".join(who.split())))}</ttm:name>'
            yield f'   <ttm:agent type="person" xml:id="{id}">{name}</ttm:agent>\n'
        yield "  </metadata>\n </head>\n"


def _paragraphs(cues: Cues, agents: Mapping[str, str]) -> Iterator[str]:
    for start, end, text, who in zip(*cues.timestamps("."), cues.text, cues.speaker, strict=True):
        agent = f' ttm:agent="{agents[who]}"' if who else ""
        lines = escape(text).replace("\n", "<br/>")
        yield f'   <p begin="{start}" end="{end}"{agent}>{lines}</p>\n'


def _agents(root: Element) -> dict[str, str]:
    """Return the names of the speakers by their ids."""
    by_id = {}
    for agent in root.iter():
        if local(agent.tag) == "agent":
            id = agent.get(f"{_XML}id", "")
            names = ["".join(e.itertext()).strip() for e in agent if local(e.tag) == "name"]
            by_id[id] = next(filter(None, names), id)
    return by_id


def _programme_start(root: Element, clock: Clock, source: Source) -> float:
    """Return the time at which the programme starts, which EBU-TT states in frames."""
    starts = (e.text for e in root.iter() if local(e.tag) == "documentStartOfProgramme")
    text = next(starts, None) if clock.smpte else None
    return clock.seconds(text, source) if text else 0.0


@dataclass(frozen=True)
class _Context:
    """What an element inherits from those around it; unknown times are NaN."""

    begin: float = math.nan
    end: float = math.nan
    language: str = ""
    speaker: str = ""
    depth: int = 0


@dataclass
class _Reader:
    """Collects the cues of a file."""

    source: Source
    clock: Clock
    agents: Mapping[str, str]
    cues: dict[str, list[Cue]] = field(default_factory=dict)
    """Cues by their language."""

    def add_element(self, element: Element, parent: _Context) -> float:
        """Collect the paragraphs below an element, and return its end."""
        context = self._context_in(element, parent)
        if local(element.tag) == "p":
            lines: list[list[Run]] = [[]]
            self._add_runs(element, context, replace(context, begin=math.nan, end=math.nan), lines)
            starts = [run.start for line in lines for run in line if not math.isnan(run.start)]
            begin = min(starts, default=math.nan) if math.isnan(context.begin) else context.begin
            self.cues.setdefault(context.language, []).append(Cue(begin, context.end, lines))
            return context.end
        context = replace(context, language=element.get(f"{_XML}lang", context.language).strip())
        ends: list[float] = []
        following = context
        for inner in element:
            ends.append(self.add_element(inner, following))
            if element.get("timeContainer") == "seq" and not math.isnan(ends[-1]):
                following = replace(context, begin=ends[-1])
        if not math.isnan(context.end):
            return context.end
        return max((end for end in ends if not math.isnan(end)), default=math.nan)

    def _context_in(self, element: Element, parent: _Context) -> _Context:
        """Return the context inside an element: its times count from the begin of its parent.

        If it would then begin after the end of its parent, its times count from zero.
        """
        if parent.depth > MAX_DEPTH:
            raise self.source.error(f"elements are nested more than {MAX_DEPTH} deep")
        begin, end, duration = (self._time(element, name) for name in ("begin", "end", "dur"))
        base = 0.0 if math.isnan(parent.begin) else parent.begin
        known = not all(map(math.isnan, (begin, end, duration)))
        start = base + (0.0 if math.isnan(begin) else begin) if known else parent.begin
        stops = [parent.end, base + end, start + duration]
        if begin > 0 and start >= parent.end:
            start, stops = begin, [end, begin + duration]
        agent = next((v for k, v in element.attrib.items() if local(k) == "agent"), "").split()
        return replace(
            parent,
            begin=round(start, 6),
            end=round(min((s for s in stops if not math.isnan(s)), default=math.nan), 6),
            speaker=self.agents.get(agent[0], agent[0]) if agent else parent.speaker,
            depth=parent.depth + 1,
        )

    def _time(self, element: Element, name: str) -> float:
        text = element.get(name)
        return math.nan if text is None else self.clock.seconds(text, self.source)

    def _add_runs(
        self, element: Element, parent: _Context, own: _Context, lines: list[list[Run]]
    ) -> None:
        """Collect the text of a paragraph or span; words of a timed span have its times."""
        self._add_run(element.text, own, lines)
        for inner in element:
            tag = local(inner.tag)
            if tag == "br":
                lines.append([])
            elif tag and tag not in _NO_TEXT and not _is_ruby(inner):
                context = self._context_in(inner, parent)
                timed = {"begin", "end", "dur"} & set(inner.attrib)
                within = self._checked(context) if timed else replace(own, speaker=context.speaker)
                self._add_runs(inner, context, within, lines)
            self._add_run(inner.tail, own, lines)

    def _checked(self, context: _Context) -> _Context:
        """Return the context with an unknown end if the end is before the begin."""
        if not context.end < context.begin:
            return context
        logger.warning("%s: a span at %g s ends before it begins", self.source.name, context.begin)
        return replace(context, end=math.nan)

    @staticmethod
    def _add_run(text: str | None, own: _Context, lines: list[list[Run]]) -> None:
        if text:
            lines[-1].append(Run(text, own.begin, own.end, own.speaker))


def _is_ruby(element: Element) -> bool:
    """Whether an element gives the pronunciation of the one before it."""
    return any(local(k) == "ruby" and v in _RUBY for k, v in element.attrib.items())
