"""Writing Japanese sentences as JUMAN and KNP print them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from caesura.formats.entities import iob2
from caesura.formats.knp_units import DIRECT, Morpheme, Unit, head_word, implied
from caesura.transcript import Segmentation, Transcript

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
