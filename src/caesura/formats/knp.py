"""Japanese sentences as JUMAN and KNP print them, and as CaboCha does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from caesura.formats.base import TextFormat
from caesura.formats.entities import entities
from caesura.formats.knp_page import OVERRIDES, rendered
from caesura.formats.knp_units import DIRECT, Morpheme, Unit, implied
from caesura.formats.rows import Rows
from caesura.formats.source import Source
from caesura.transcript import Span, Transcript

FIELDS = 11
"""Surface, reading, lemma, part of speech, its kind, inflection and form, with their numbers."""

_BLANK = re.compile(r"(?<!\\) ")
_UNIT = re.compile(r"([*+])(?: \d+)?(?: (-1|\d{1,6})([DPIAO]))?(?: (\d+)/\d+ \S+)?(?: (<.*))?")
_SENTENCE = re.compile(r"#+ ?S-ID: ?(\S+)")
_RECORDING = re.compile(r"(.+)-[0-9]+")
_SAID = re.compile(r"<([A-Za-z_\[\]]+)=([^<>]*)>")
_ENTITY = re.compile(r"<NE:([^<>]+):(head|middle|tail|single)>")
_NAMED = re.compile(r"<NE:([^:<>]+):([^<>]+)>")
_PREFIXES = {"head": "B", "middle": "I", "tail": "E", "single": "S"}


@dataclass(frozen=True, repr=False)
class Knp(TextFormat):
    """Output of JUMAN and KNP (`-tab`), and CaboCha's lattice; bunsetsu are clusters.

    The head of a word is the head morpheme of its basic phrase (or bunsetsu, where there are
    none); that morpheme hangs on the head morpheme of the phrase that its own depends on.
    Inflection is in `features` (Type and Form). A blank stands where there is a morpheme of
    blanks, and that is no word. The front of `S-ID:RECORDING-N` names the recording. What
    KNP has no place for (other heads, features) is written as `<key=value>` after a morpheme.
    """

    name = "knp"
    suffixes = (".knp", ".juman", ".jumanpp", ".cabocha")
    carries = frozenset(
        "head blank cluster tag subtag features lemma relation entities sentences id".split()
    )
    holds = "many"

    @classmethod
    def recognises(cls, source: Source) -> bool:
        """Whether sentences end in EOS, and the first one is JUMAN's."""
        sentence = _Sentence()
        for _, line in source.lines():
            if line == "EOS":
                return bool(sentence.morphemes) and not sentence.tabbed
            if line.strip() and not _is_comment(line) and not sentence.add(line, 0):
                return False
        return False

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Read sentence by sentence; a recording ends where the front of the S-ID changes."""
        rows, recording = Rows(), ""
        for sentence in _sentences(source):
            if sentence.recording != recording and len(rows):
                yield rows.transcript(recording or source.stem, "ja")
                rows = Rows()
            recording = sentence.recording
            sentence.fill(rows)
        if len(rows):
            yield rows.transcript(recording or source.stem, "ja")

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Write JUMAN's lines, with bunsetsu where they are known."""
        for transcript in transcripts:
            yield from rendered(transcript)


def _is_comment(line: str) -> bool:
    return line.startswith(("#", ";;")) and _fields(line) is None


def _sentences(source: Source) -> Iterator[_Sentence]:
    sentence = _Sentence()
    for number, line in source.lines():
        if line == "EOS":
            yield sentence.closed(source)
            sentence = _Sentence(sentence.recording)
        elif _is_comment(line):
            named = _SENTENCE.match(line)
            if named:
                front = _RECORDING.fullmatch(named[1])
                sentence.recording = front[1] if front else ""
        elif line.strip() and not sentence.add(line, number):
            raise source.error(f"{line[:40]!r} is no morpheme, bunsetsu or EOS", number)
    if sentence.morphemes:
        yield sentence.closed(source)


class _Sentence:
    """One sentence in the making."""

    def __init__(self, recording: str = "") -> None:
        self.recording = recording
        self.morphemes: list[Morpheme] = []
        self.units: dict[str, list[Unit]] = {"*": [], "+": []}
        self.named: list[tuple[str, str, Unit]] = []
        self.tabbed = False

    def add(self, line: str, number: int) -> bool:
        """Take a line that is a bunsetsu, a basic phrase, a morpheme or another reading of one."""
        unit = _UNIT.fullmatch(line)
        if unit:
            self._begin(unit, number)
            return True
        if line.startswith("@ ") and _fields(line[2:]):
            return True
        morpheme = _cabocha(line) if "\t" in line else _juman(line)
        if morpheme is None:
            return False
        self.tabbed |= "\t" in line
        if morpheme.subtag != "空白":
            self.morphemes.append(morpheme)
        elif self.morphemes:
            self.morphemes[-1].blank = True
        return True

    def _begin(self, found: re.Match[str], line: int) -> None:
        sign, parent, kind, head, features = found.groups()
        first = len(self.morphemes)
        number = None if parent is None else int(parent)
        kind = DIRECT if kind in (None, "O") else kind
        unit = Unit(first, first, number, kind, None if head is None else int(head), line)
        if self.units[sign]:
            self.units[sign][-1].stop = first
        self.units[sign].append(unit)
        self.named += [(label, name, unit) for label, name in _NAMED.findall(features or "")]

    def closed(self, source: Source) -> _Sentence:
        """End the last units; complain of one that depends on nothing there is."""
        for units in self.units.values():
            for unit in units[-1:]:
                unit.stop = len(self.morphemes)
            for unit in units:
                if unit.parent is not None and unit.parent >= len(units):
                    raise source.error(
                        f"a phrase depends on number {unit.parent}, and there are {len(units)}",
                        unit.line,
                    )
        return self

    def fill(self, rows: Rows) -> None:
        """Add the sentence to a recording."""
        offset, morphemes = len(rows), self.morphemes
        units = self.units["+"] or self.units["*"]
        heads, relations = implied(morphemes, units)
        begins = {unit.first for unit in self.units["*"]}
        for at, morpheme in enumerate(morphemes):
            head = _overridden(morpheme, at, heads[at], len(morphemes))
            rows.add(
                morpheme.surface,
                lemma=morpheme.lemma or None,
                tag=morpheme.tag or None,
                subtag=morpheme.subtag or None,
                features=morpheme.features or None,
                head=head + offset if head >= 0 else None,
                relation=morpheme.said.get("relation", relations[at]) or None,
                cluster=(at == 0 or at in begins) if begins else None,
                blank=morpheme.blank,
            )
        for span in self._entities():
            rows.entity(span.first + offset, span.last + offset, span.label)
        rows.end_sentence()

    def _entities(self) -> Iterator[Span]:
        """Entities of tags on morphemes, or else of names on the phrase that they end in."""
        tags = [morpheme.entity for morpheme in self.morphemes]
        if any(tags):
            yield from entities(tags)
            return
        for label, name, unit in self.named:
            found = _found(name, [m.surface for m in self.morphemes[: unit.stop]])
            if found:
                yield Span(*found, label)


def _found(name: str, surfaces: list[str]) -> tuple[int, int] | None:
    """Find the last words that make up a name."""
    for last in range(len(surfaces) - 1, -1, -1):
        text = ""
        for first in range(last, -1, -1):
            text = surfaces[first] + text
            if text == name:
                return first, last
            if not name.endswith(text):
                break
    return None


def _overridden(morpheme: Morpheme, at: int, head: int, count: int) -> int:
    """Give the head, counted from 0, that a morpheme names itself or that is implied."""
    said = morpheme.said.get("head", "")
    if said == "_":
        return -1
    if said.isascii() and said.isdigit() and len(said) < 7 and int(said) <= count:
        return int(said) - 1 if int(said) else at
    return head


def _fields(line: str) -> list[str] | None:
    """Fields of a morpheme's line, everything after the eleventh as one; None if it is none."""
    for fields in (_BLANK.split(line), line.split(" ")):
        numbers = fields[4:FIELDS:2]
        if len(fields) >= FIELDS and all(n.isascii() and n.isdigit() for n in numbers):
            return [*fields[:FIELDS], " ".join(fields[FIELDS:])]
    return None


def _juman(line: str) -> Morpheme | None:
    """Read a line of JUMAN: an asterisk stands for nothing, a blank in a word is escaped."""
    fields = _fields(line)
    if fields is None or not fields[0]:
        return None
    surface, lemma = (fields[at].replace("\\ ", " ") for at in (0, 2))
    marks = fields[FIELDS]
    pairs = dict(_SAID.findall(marks))
    said = {key: pairs.pop(key) for key in OVERRIDES if key in pairs}
    entity = _ENTITY.search(marks)
    return Morpheme(
        surface,
        _known(lemma) or (lemma if surface == lemma else ""),
        _known(fields[3]),
        _known(fields[5]),
        _features(fields[7], fields[9], pairs),
        marks,
        entity=f"{_PREFIXES[entity[2]]}-{entity[1]}" if entity else "",
        said=said,
    )


def _cabocha(line: str) -> Morpheme | None:
    """Read a line of CaboCha or MeCab: surface, features of the dictionary, perhaps an entity."""
    surface, features, *entity = line.split("\t")
    cells = [*features.split(","), *["*"] * 8]
    if not surface or "," not in features:
        return None
    lemma = cells[7] if features.count(",") > 8 else cells[6]
    return Morpheme(
        surface,
        _known(lemma),
        _known(cells[0]),
        _known(cells[1]),
        _features(cells[4], cells[5], {}),
        entity=entity[0] if entity and entity[0] != "O" else "",
    )


def _known(cell: str) -> str:
    return "" if cell == "*" else cell


def _features(inflection: str, form: str, more: dict[str, str]) -> str:
    pairs = {"Type": _known(inflection), "Form": _known(form)} | more
    return "|".join(f"{key}={cell}" for key, cell in pairs.items() if cell)
