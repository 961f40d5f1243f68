"""Output of the Japanese analysers JUMAN, KNP and CaboCha. It is only read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from caesura.core.transcript import Span, Transcript
from caesura.formats.base import Source, TextFormat
from caesura.formats.builder import Rows
from caesura.formats.linguistic.bio import entities

FIELDS = 11
"""Surface, reading, lemma, part of speech, its kind, inflection and form, with their numbers."""

_UNESCAPED_BLANK = re.compile(r"(?<!\\) ")
_PHRASE = re.compile(r"([*+])(?: \d+)?(?: (-1|\d{1,6})([DPIAO]))?(?: (\d+)/\d+ \S+)?(?: (<.*))?")
_SENTENCE = re.compile(r"#+ ?S-ID: ?(\S+)")
_RECORDING = re.compile(r"(.+)-[0-9]+")
_PAIR = re.compile(r"<([A-Za-z_\[\]]+)=([^<>]*)>")
_ENTITY = re.compile(r"<NE:([^<>]+):(head|middle|tail|single)>")
_NAMED = re.compile(r"<NE:([^:<>]+):([^<>]+)>")
_PREFIXES = {"head": "B", "middle": "I", "tail": "E", "single": "S"}


@dataclass(frozen=True, repr=False)
class Knp(TextFormat):
    """Japanese analysers: output of JUMAN and KNP (`-tab`), and CaboCha's lattice.

    Bunsetsu are clusters.
    The head of a word is the head morpheme of its basic phrase, or of its bunsetsu where there are
    no basic phrases. The head of that morpheme is the head morpheme of the phrase on which its own
    phrase depends. Inflection is in `features` (Type and Form), as is each `<key=value>` after a
    morpheme. A morpheme of blanks is no word. `S-ID:RECORDING-N` names the recording.
    """

    name = "knp"
    writable = False
    suffixes = (".knp", ".juman", ".jumanpp", ".cabocha")
    carries = frozenset(
        "head blank cluster tag subtag features lemma relation entities sentences id "
        "language".split()
    )
    holds = "many"

    @classmethod
    def recognises(cls, source: Source) -> bool:
        """Whether sentences end in EOS, and the first one is in the format of JUMAN."""
        sentence = _Sentence()
        for _, line in source.lines():
            if line == "EOS":
                return bool(sentence.morphemes) and not sentence.tabbed
            if line.strip() and not _is_comment(line) and not sentence.add(line, 0):
                return False
        return False

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Read sentence by sentence; a recording ends where its name in the S-ID changes."""
        rows, recording = Rows(), ""
        for sentence in _sentences(source):
            if sentence.recording != recording and len(rows):
                yield rows.transcript(recording or source.stem, "ja")
                rows = Rows()
            recording = sentence.recording
            sentence.fill(rows)
        if len(rows):
            yield rows.transcript(recording or source.stem, "ja")


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
                recording = _RECORDING.fullmatch(named[1])
                sentence.recording = recording[1] if recording else ""
        elif line.strip() and not sentence.add(line, number):
            raise source.error(f"{line[:40]!r} is no morpheme, bunsetsu or EOS", number)
    if sentence.morphemes:
        yield sentence.closed(source)


class _Sentence:
    """A sentence while it is read."""

    def __init__(self, recording: str = "") -> None:
        self.recording = recording
        self.morphemes: list[Morpheme] = []
        self.phrases: dict[str, list[Phrase]] = {"*": [], "+": []}
        self.named: list[tuple[str, str, Phrase]] = []
        self.tabbed = False

    def add(self, line: str, number: int) -> bool:
        """Add a bunsetsu, basic phrase or morpheme; skip another analysis of a morpheme."""
        phrase = _PHRASE.fullmatch(line)
        if phrase:
            self._begin(phrase, number)
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

    def _begin(self, match: re.Match[str], line: int) -> None:
        sign, parent, kind, head, features = match.groups()
        first = len(self.morphemes)
        number = None if parent is None else int(parent)
        kind = DIRECT if kind in (None, "O") else kind
        phrase = Phrase(first, first, number, kind, None if head is None else int(head), line)
        if self.phrases[sign]:
            self.phrases[sign][-1].stop = first
        self.phrases[sign].append(phrase)
        self.named += [(label, name, phrase) for label, name in _NAMED.findall(features or "")]

    def closed(self, source: Source) -> _Sentence:
        """End the last phrases; raise an error for one that depends on none that exists."""
        for phrases in self.phrases.values():
            for phrase in phrases[-1:]:
                phrase.stop = len(self.morphemes)
            for phrase in phrases:
                if phrase.parent is not None and phrase.parent >= len(phrases):
                    raise source.error(
                        f"a phrase depends on phrase {phrase.parent}, but there are only "
                        f"{len(phrases)}",
                        phrase.line,
                    )
        return self

    def fill(self, rows: Rows) -> None:
        """Add the sentence to a recording."""
        offset, morphemes = len(rows), self.morphemes
        phrases = self.phrases["+"] or self.phrases["*"]
        heads, relations = _heads_and_relations(morphemes, phrases)
        begins = {phrase.first for phrase in self.phrases["*"]}
        for at, morpheme in enumerate(morphemes):
            rows.add(
                morpheme.surface,
                lemma=morpheme.lemma or None,
                tag=morpheme.tag or None,
                subtag=morpheme.subtag or None,
                features=morpheme.features or None,
                head=heads[at] + offset if heads[at] >= 0 else None,
                relation=relations[at] or None,
                cluster=(at == 0 or at in begins) if begins else None,
                blank=morpheme.blank,
            )
        for span in self._entities():
            rows.entity(span.first + offset, span.last + offset, span.label)
        rows.end_sentence()

    def _entities(self) -> Iterator[Span]:
        """Yield entities from tags on morphemes, or else from names on the phrase they end in."""
        tags = [morpheme.entity for morpheme in self.morphemes]
        if any(tags):
            yield from entities(tags)
            return
        for label, name, phrase in self.named:
            found = _find_name(name, [m.surface for m in self.morphemes[: phrase.stop]])
            if found:
                yield Span(*found, label)


def _find_name(name: str, surfaces: list[str]) -> tuple[int, int] | None:
    """Return the last words that make up a name."""
    for last in range(len(surfaces) - 1, -1, -1):
        text = ""
        for first in range(last, -1, -1):
            text = surfaces[first] + text
            if text == name:
                return first, last
            if not name.endswith(text):
                break
    return None


# Morphemes, and their heads.

FUNCTION = frozenset("特殊 助詞 助動詞 判定詞 接頭辞 接尾辞 記号 接頭詞 補助記号".split())
"""Parts of speech of function words, in JUMAN and in MeCab's dictionaries."""

HEAD_MARKS = ("基本句-主辞", "文節主辞")
"""Marks of the head morpheme of a basic phrase or bunsetsu, the better one first."""

DIRECT = "D"
"""The plain kind of dependency; others are P (parallel), I (incomplete) and A (apposition)."""


@dataclass
class Morpheme:
    """A word with the values of its line."""

    surface: str
    lemma: str = ""
    tag: str = ""
    subtag: str = ""
    features: str = ""
    marks: str = ""
    blank: bool = False
    entity: str = ""
    """A tag of the scheme IOB2 or BIOES."""


@dataclass
class Phrase:
    """A bunsetsu or basic phrase from morpheme `first` to before `stop`.

    `parent` is the number of the phrase it depends on: -1 for none, None if not known.
    """

    first: int
    stop: int
    parent: int | None
    kind: str = DIRECT
    head: int | None = None
    """The head morpheme, counted within the phrase, where the file names it."""
    line: int = 0


def head_word(morphemes: list[Morpheme], phrase: Phrase) -> int:
    """Return the head morpheme of a phrase: the one so marked, or else its content word.

    That is the first morpheme that is no function word; if others with the same part of speech
    follow it, it is the last of these, as compounds have their head at the end.
    """
    inside = range(phrase.first, phrase.stop)
    if phrase.head is not None and 0 <= phrase.head < len(inside):
        return inside[phrase.head]
    for mark in HEAD_MARKS:
        marked = [at for at in inside if f"<{mark}>" in morphemes[at].marks]
        if marked:
            return marked[-1]
    at = next((at for at in inside if morphemes[at].tag not in FUNCTION), phrase.first)
    while at + 1 < phrase.stop and morphemes[at + 1].tag == morphemes[at].tag:
        at += 1
    return at


def _heads_and_relations(
    morphemes: list[Morpheme], phrases: list[Phrase]
) -> tuple[list[int], list[str]]:
    """Return head and relation of each morpheme.

    The head morpheme of a phrase has those of the phrase; the head of the others is the head
    morpheme of their phrase. -1 is an unknown head.
    """
    heads, relations = [-1] * len(morphemes), [""] * len(morphemes)
    phrase_heads = [
        head_word(morphemes, phrase) if phrase.first < phrase.stop else -1 for phrase in phrases
    ]
    for phrase, phrase_head in zip(phrases, phrase_heads, strict=True):
        if phrase_head < 0:
            continue
        for at in range(phrase.first, phrase.stop):
            heads[at] = phrase_head
        if phrase.parent is None:
            heads[phrase_head] = -1
        else:
            heads[phrase_head] = phrase_heads[phrase.parent] if phrase.parent >= 0 else phrase_head
            relations[phrase_head] = phrase.kind
    return heads, relations


def _fields(line: str) -> list[str] | None:
    """Return the fields of a morpheme, the rest of its line as the last; None if it is none."""
    for fields in (_UNESCAPED_BLANK.split(line), line.split(" ")):
        numbers = fields[4:FIELDS:2]
        if len(fields) >= FIELDS and all(n.isascii() and n.isdigit() for n in numbers):
            return [*fields[:FIELDS], " ".join(fields[FIELDS:])]
    return None


def _juman(line: str) -> Morpheme | None:
    """Read a line of JUMAN: `*` is an empty field, a blank in a word is escaped."""
    fields = _fields(line)
    if fields is None or not fields[0]:
        return None
    surface, lemma = (fields[at].replace("\\ ", " ") for at in (0, 2))
    marks = fields[FIELDS]
    entity = _ENTITY.search(marks)
    return Morpheme(
        surface,
        _known(lemma) or (lemma if surface == lemma else ""),
        _known(fields[3]),
        _known(fields[5]),
        _features(fields[7], fields[9], dict(_PAIR.findall(marks))),
        marks,
        entity=f"{_PREFIXES[entity[2]]}-{entity[1]}" if entity else "",
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
