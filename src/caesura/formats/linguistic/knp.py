"""Japanese sentences as JUMAN and KNP print them, and as CaboCha does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Span, Transcript
from caesura.formats.base import TextFormat
from caesura.formats.builder import Rows
from caesura.formats.linguistic.bio import entities, iob2
from caesura.formats.source import Source

FUNCTION = frozenset("特殊 助詞 助動詞 判定詞 接頭辞 接尾辞 記号 接頭詞 補助記号".split())
"""Parts of speech of JUMAN, and of MeCab's dictionaries, that are no content words."""

HEAD_MARKS = ("基本句-主辞", "文節主辞")
"""Features of the head morpheme of a basic phrase or bunsetsu, the better one first."""

DIRECT = "D"
"""The plain kind of dependency; others are P (parallel), I (incomplete) and A (apposition)."""


@dataclass
class Morpheme:
    """A word and all that its line says."""

    surface: str
    lemma: str = ""
    tag: str = ""
    subtag: str = ""
    features: str = ""
    marks: str = ""
    blank: bool = False
    entity: str = ""
    """A tag of the scheme IOB2 or BIOES."""
    said: dict[str, str] = field(default_factory=dict)
    """What overrides the rules by which heads and relations follow from phrases."""


@dataclass
class Unit:
    """A bunsetsu or basic phrase from morpheme `first` to before `stop`.

    `parent` is the number of the unit it depends on: -1 for none, None if that is not known.
    """

    first: int
    stop: int
    parent: int | None
    kind: str = DIRECT
    head: int | None = None
    """The head morpheme, counted within the unit, where the file names it."""
    line: int = 0


def head_word(morphemes: list[Morpheme], unit: Unit) -> int:
    """Find the head morpheme of a unit: the one so marked, or else its content word.

    That is the first one that is no function word, or the last of a row of such with the same
    part of speech: compounds have their head at the end.
    """
    inside = range(unit.first, unit.stop)
    if unit.head is not None and 0 <= unit.head < len(inside):
        return inside[unit.head]
    for mark in HEAD_MARKS:
        marked = [at for at in inside if f"<{mark}>" in morphemes[at].marks]
        if marked:
            return marked[-1]
    at = next((at for at in inside if morphemes[at].tag not in FUNCTION), unit.first)
    while at + 1 < unit.stop and morphemes[at + 1].tag == morphemes[at].tag:
        at += 1
    return at


def implied(morphemes: list[Morpheme], units: list[Unit]) -> tuple[list[int], list[str]]:
    """Give head and relation of each morpheme: those of its unit for the head morpheme.

    The others hang on the head morpheme of their unit. -1 is a head that is not known.
    """
    heads, relations = [-1] * len(morphemes), [""] * len(morphemes)
    tops = [head_word(morphemes, unit) if unit.first < unit.stop else -1 for unit in units]
    for unit, top in zip(units, tops, strict=True):
        if top < 0:
            continue
        for at in range(unit.first, unit.stop):
            heads[at] = top
        if unit.parent is None:
            heads[top] = -1
        else:
            heads[top] = tops[unit.parent] if unit.parent >= 0 else top
            relations[top] = unit.kind
    return heads, relations


OVERRIDES = ("head", "relation")
"""Keys of `<key=value>` for what does not follow from the phrases."""

NUMBERS = {
    name: number
    for number, name in enumerate(
        "特殊 動詞 形容詞 判定詞 助動詞 名詞 指示詞 副詞 助詞 接続詞 連体詞 感動詞 接頭辞 接尾辞 "
        "未定義語".split(),
        1,
    )
}
"""JUMAN's numbers of the parts of speech; those of their kinds are left at 0."""

BLANK = "\\  \\  \\  特殊 1 空白 6 * 0 * 0"
_POSITIONS = {"BE": "single", "B": "head", "E": "tail", "": "middle"}
_BRACKETS = str.maketrans("<>", "＜＞")


def rendered(transcript: Transcript) -> Iterator[str]:
    """Write a recording; without known sentences it is one sentence."""
    id = "_".join(transcript.id.split())
    whole = Segmentation(np.zeros(len(transcript), np.bool_))
    for n, (first, last) in enumerate((transcript.sentences or whole).sentences, 1):
        part = transcript[first : last + 1]
        blank = part.blank is not None and last < len(transcript) - 1 and bool(part.blank[-1])
        lines = [f"# S-ID:{id}-{n}" if id else f"# S-ID:{n}", *_lines(part, blank), "EOS", ""]
        yield "\n".join(lines)


def _lines(sentence: Transcript, blank_at_end: bool) -> Iterator[str]:
    morphemes = _morphemes(sentence)
    units = _units(sentence, morphemes)
    heads, relations = implied(morphemes, units)
    _override(sentence, morphemes, heads, relations)
    begins = {unit.first: unit for unit in units}
    for at, morpheme in enumerate(morphemes):
        if at in begins:
            unit = begins[at]
            depends = "" if unit.parent is None else f" {unit.parent}{unit.kind}"
            names = _names(sentence, unit)
            yield f"*{depends}"
            yield f"+{depends}{' ' * bool(names)}{names}"
        yield _line(morpheme)
        blank = sentence.blank is not None and bool(sentence.blank[at])
        if blank and (at < len(sentence) - 1 or blank_at_end):
            yield BLANK


def _morphemes(sentence: Transcript) -> list[Morpheme]:
    names = ("lemma", "tag", "subtag", "features")
    columns = [getattr(sentence, name) or ("",) * len(sentence) for name in names]
    found = [Morpheme(*cells) for cells in zip(sentence.words, *columns, strict=True)]
    for morpheme, place in zip(found, _places(sentence), strict=True):
        morpheme.entity = place
    return found


def _places(sentence: Transcript) -> list[str]:
    """Say of each word whether it is the head, middle or tail of an entity, or all of it."""
    tags = [*iob2(sentence.entities or (), len(sentence), "knp"), "O"]
    places = []
    for tag, following in pairwise(tags):
        begin = "B" if tag.startswith("B") else ""
        end = "" if following.startswith("I") else "E"
        places.append("" if tag == "O" else f"<NE:{_plain(tag[2:])}:{_POSITIONS[begin + end]}>")
    return places


def _units(sentence: Transcript, morphemes: list[Morpheme]) -> list[Unit]:
    """Make a unit of each cluster; it depends on the one that its head morpheme leads to."""
    if sentence.cluster is None:
        return []
    begins = [0, *(at for at in np.flatnonzero(sentence.cluster).tolist() if at)]
    units = [
        Unit(first, stop, None)
        for first, stop in zip(begins, [*begins[1:], len(sentence)], strict=True)
    ]
    if sentence.head is None:
        return units
    owner = [number for number, unit in enumerate(units) for _ in range(unit.first, unit.stop)]
    heads = sentence.head.tolist()
    for number, unit in enumerate(units):
        top = head_word(morphemes, unit)
        out = _way_out(heads, owner, top)
        unit.parent = None if out < 0 else owner[out] if owner[out] != number else -1
        kind = sentence.relation[top] if sentence.relation else DIRECT
        unit.kind = kind if kind in ("P", "I", "A") else DIRECT
    return units


def _way_out(heads: list[int], owner: list[int], at: int) -> int:
    """Climb from a word until its unit is left, the root reached, or nothing known."""
    for _ in heads:
        up = heads[at]
        if up in (at, -1) or owner[up] != owner[at]:
            return up
        at = up
    return -1


def _override(
    sentence: Transcript, morphemes: list[Morpheme], heads: list[int], relations: list[str]
) -> None:
    """Note on each morpheme what its unit does not say."""
    for at, morpheme in enumerate(morphemes):
        head = -1 if sentence.head is None else int(sentence.head[at])
        if head != heads[at] and sentence.head is not None:
            morpheme.said["head"] = "_" if head < 0 else str(0 if head == at else head + 1)
        if sentence.relation is not None and sentence.relation[at] != relations[at]:
            morpheme.said["relation"] = sentence.relation[at]


def _names(sentence: Transcript, unit: Unit) -> str:
    """Name the entities that end in a unit, as KNP does."""
    return "".join(
        f"<NE:{_plain(span.label)}:{_plain(''.join(sentence.words[span.first : span.last + 1]))}>"
        for span in sentence.entities or ()
        if unit.first <= span.last < unit.stop
    )


def _line(morpheme: Morpheme) -> str:
    """Write a morpheme; its reading is not known, so the surface stands for it."""
    pairs = [pair.partition("=") for pair in morpheme.features.split("|") if pair]
    features = {key: cell for key, _, cell in pairs}
    inflection, form = features.pop("Type", ""), features.pop("Form", "")
    marks = "".join(f"<{key}={_plain(cell)}>" for key, cell in (features | morpheme.said).items())
    surface = _cell(morpheme.surface) or "_"
    number = NUMBERS.get(morpheme.tag, 0)
    front = f"{surface} {surface} {_cell(morpheme.lemma) or '*'} {_tag(morpheme.tag)} {number}"
    middle = f"{_tag(morpheme.subtag)} 0 {_tag(inflection)} 0 {_tag(form)} 0"
    return f"{front} {middle} {morpheme.entity}{marks}".rstrip(" ")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace(" ", "\\ ")


def _tag(text: str) -> str:
    return "_".join(text.split()) or "*"


def _plain(text: str) -> str:
    return " ".join(text.split()).translate(_BRACKETS)


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
