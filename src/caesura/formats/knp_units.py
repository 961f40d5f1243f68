"""Sentences as KNP sees them: morphemes in bunsetsu and basic phrases that depend on each other."""

from __future__ import annotations

from dataclasses import dataclass, field

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
