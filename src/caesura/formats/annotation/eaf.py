"""EAF (ELAN): tiers of annotations in XML, some with times, some that refer to others."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple
from xml.etree.ElementTree import Element
from xml.sax.saxutils import escape, quoteattr

from caesura.core.transcript import Transcript
from caesura.formats.annotation.tiers import (
    Interval,
    NewInterval,
    NewTier,
    Tier,
    Tiered,
    choose_tiers,
    make_tiers,
    transcript_of_tiers,
)
from caesura.formats.base import Source, seconds
from caesura.formats.safe_xml import legal, tree

MILLI = 1000
UNKNOWN = ("und", "mis", "mul", "zxx", "")
"""Language codes that say the language is not known."""

_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT AUTHOR="" DATE="1970-01-01T00:00:00+00:00" FORMAT="3.0" VERSION="3.0"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    xsi:noNamespaceSchemaLocation="http://www.mpi.nl/tools/elan/EAFv3.0.xsd">
    <HEADER MEDIA_FILE="" TIME_UNITS="milliseconds"/>
"""


@dataclass(frozen=True, repr=False)
class Eaf(Tiered):
    """ELAN annotations (XML): words are those of the tiers whose name or type says so.

    A tier's participant is the speaker.
    Annotations that divide another one share its times: the first has its start, the last its
    end. Without tiers of words, those of utterances are read, and each is a sentence; else the
    only tier, or those of several speakers. `tier` names another one, or several, or numbers them.
    """

    name = "eaf"
    suffixes = (".eaf",)
    carries = frozenset({"start", "end", "speaker", "opening", "mark", "sentences", "language"})

    @classmethod
    def recognises(cls, source: Source) -> bool:
        """Whether it is XML whose first element is ELAN's."""
        return b"<" in source.data[:8] and tree(source).tag == "ANNOTATION_DOCUMENT"

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Read the tiers, then choose among them."""
        root = tree(source)
        if root.tag != "ANNOTATION_DOCUMENT":
            raise source.error(
                "this is not an EAF file", remedy="its first element has to be ANNOTATION_DOCUMENT"
            )
        choice = choose_tiers(_Reader(source, root).tiers(), self.wanted, source, self.name)
        languages = {tier.language for tier, _ in choice.text}.difference(UNKNOWN)
        yield transcript_of_tiers(choice, source, languages.pop() if len(languages) == 1 else "")

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Write a tier of words for each speaker, and of sentences."""
        transcript = self.single(transcripts)
        tiers = make_tiers(transcript, self.name, MILLI, least=0)
        slots = _Slots(tiers)
        language = legal(transcript.language)
        yield _HEAD
        yield from slots.rendered()
        number = 0
        for tier in tiers:
            yield from _rendered_tier(tier, slots, number, language)
            number += len(tier.intervals)
        for kind in dict.fromkeys(tier.kind for tier in tiers):
            yield (
                f'    <LINGUISTIC_TYPE GRAPHIC_REFERENCES="false" LINGUISTIC_TYPE_ID="{kind}" '
                'TIME_ALIGNABLE="true"/>\n'
            )
        if language:
            yield f"    <LANGUAGE LANG_ID={quoteattr(language)}/>\n"
        yield "</ANNOTATION_DOCUMENT>\n"


class _Slot(NamedTuple):
    """A time slot: its time, the last known time up to it, and its number."""

    time: float
    anchor: float
    number: int


class _Annotation(NamedTuple):
    id: str
    text: str
    slots: tuple[str, str]
    parent: str
    previous: str


class _Reader:
    """Finds the times of annotations, their own or those of what they refer to."""

    def __init__(self, source: Source, root: Element) -> None:
        self.source = source
        self.root = root
        units = next((header.get("TIME_UNITS") for header in root.iter("HEADER")), "")
        if units not in (None, "", "milliseconds"):
            raise source.error(f"times in {units!r} cannot be read, only those in milliseconds")
        self.slots = dict(self._slots())
        self.found: dict[str, Interval] = {}

    def _slots(self) -> Iterator[tuple[str, _Slot]]:
        anchor = 0.0
        for number, slot in enumerate(self.root.iter("TIME_SLOT")):
            value = slot.get("TIME_VALUE", "")
            time = seconds(value, 0.001) if value else math.nan
            if value and math.isnan(time):
                raise self.source.error(f"{value!r} is not a time in milliseconds")
            anchor = anchor if math.isnan(time) else time
            yield slot.get("TIME_SLOT_ID", ""), _Slot(time, anchor, number)

    def tiers(self) -> list[Tier]:
        """Read all tiers; those that others refer to come first."""
        elements = {tier: [*map(_annotation, _inner(tier))] for tier in self.root.iter("TIER")}
        waiting = dict(elements)
        while waiting:
            ready = [
                tier
                for tier, annotations in waiting.items()
                if all(not a.parent or a.parent in self.found for a in annotations)
            ]
            if not ready:
                raise self.source.error("annotations refer to others that are not there")
            for tier in ready:
                self._times(waiting.pop(tier))
        return [self._tier(tier, annotations) for tier, annotations in elements.items()]

    def _tier(self, tier: Element, annotations: list[_Annotation]) -> Tier:
        found = [self.found[annotation.id] for annotation in annotations]
        return Tier(
            tier.get("TIER_ID", ""),
            sorted(found, key=lambda interval: (interval.anchor, interval.order)),
            kind=tier.get("LINGUISTIC_TYPE_REF", ""),
            participant=tier.get("PARTICIPANT", "").strip(),
            child=bool(tier.get("PARENT_REF")),
            language=tier.get("LANG_REF", ""),
        )

    def _times(self, annotations: list[_Annotation]) -> None:
        """Find the times of a tier's annotations."""
        children: dict[str, list[_Annotation]] = {}
        for annotation in annotations:
            if annotation.parent:
                children.setdefault(annotation.parent, []).append(annotation)
            else:
                self.found[annotation.id] = self._aligned(annotation)
        for parent, parts in children.items():
            whole = self.found[parent]
            for at, part in enumerate(_in_order(parts)):
                start = whole.start if at == 0 else math.nan
                end = whole.end if at == len(parts) - 1 else math.nan
                order = (*whole.order, at)
                self.found[part.id] = Interval(start, end, part.text, whole.anchor, order)

    def _aligned(self, annotation: _Annotation) -> Interval:
        try:
            first, last = (self.slots[slot] for slot in annotation.slots)
        except KeyError as error:
            raise self.source.error(
                f"annotation {annotation.id!r} refers to a time slot that is not there"
            ) from error
        if last.time < first.time:
            raise self.source.error(f"annotation {annotation.id!r} ends before it begins")
        return Interval(first.time, last.time, annotation.text, first.anchor, (first.number,))


def _inner(tier: Element) -> Iterator[Element]:
    for annotation in tier.iter("ANNOTATION"):
        yield from (e for e in annotation if e.tag in ("ALIGNABLE_ANNOTATION", "REF_ANNOTATION"))


def _annotation(element: Element) -> _Annotation:
    value = element.findtext("ANNOTATION_VALUE") or ""
    return _Annotation(
        element.get("ANNOTATION_ID", ""),
        value,
        (element.get("TIME_SLOT_REF1", ""), element.get("TIME_SLOT_REF2", "")),
        element.get("ANNOTATION_REF", ""),
        element.get("PREVIOUS_ANNOTATION", ""),
    )


def _in_order(parts: list[_Annotation]) -> list[_Annotation]:
    """Sort the parts of an annotation: each names the one before it."""
    after = {part.previous: part for part in parts if part.previous}
    ids = {part.id for part in parts}
    ordered: dict[str, _Annotation] = {}
    for head in [part for part in parts if part.previous not in ids] + parts:
        part: _Annotation | None = head
        while part is not None and part.id not in ordered:
            ordered[part.id] = part
            part = after.get(part.id)
    return list(ordered.values())


class _Slots:
    """The time slots of a file to be written: two for each annotation, in the order of time."""

    def __init__(self, tiers: Iterable[NewTier]) -> None:
        times = [
            (time, interval.order, edge)
            for tier in tiers
            for interval in tier.intervals
            for edge, time in enumerate(interval[:2])
        ]
        self.times = sorted(times)
        self.names = {key: f"ts{at}" for at, key in enumerate(self.times, 1)}

    def rendered(self) -> Iterator[str]:
        """Write the slots."""
        yield "    <TIME_ORDER>\n"
        for key in self.times:
            slot = f'TIME_SLOT_ID="{self.names[key]}" TIME_VALUE="{key[0]}"'
            yield f"        <TIME_SLOT {slot}/>\n"
        yield "    </TIME_ORDER>\n"

    def references(self, interval: NewInterval) -> str:
        """Return the attributes that refer to the slots of an annotation."""
        first = self.names[interval.start, interval.order, 0]
        last = self.names[interval.end, interval.order, 1]
        return f'TIME_SLOT_REF1="{first}" TIME_SLOT_REF2="{last}"'


def _rendered_tier(tier: NewTier, slots: _Slots, number: int, language: str) -> Iterator[str]:
    names = {"LANG_REF": language, "PARTICIPANT": legal(tier.speaker)}
    further = "".join(f"{name}={quoteattr(value)} " for name, value in names.items() if value)
    name = quoteattr(legal(tier.name))
    yield f'    <TIER {further}LINGUISTIC_TYPE_REF="{tier.kind}" TIER_ID={name}>\n'
    for at, interval in enumerate(tier.intervals, number + 1):
        text = escape(legal(interval.text))
        yield (
            f'        <ANNOTATION>\n            <ALIGNABLE_ANNOTATION ANNOTATION_ID="a{at}" '
            f"{slots.references(interval)}>\n                <ANNOTATION_VALUE>{text}"
            "</ANNOTATION_VALUE>\n            </ALIGNABLE_ANNOTATION>\n        </ANNOTATION>\n"
        )
    yield "    </TIER>\n"
