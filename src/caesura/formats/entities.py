"""Entities as tags on words: IOB1, IOB2, IO, BIOES and BILOU in, IOB2 out."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence

from caesura.formats.source import counted
from caesura.transcript import Span

logger = logging.getLogger("caesura")

OUTSIDE = ("O", "", "_")
"""Tags of words that belong to no entity."""

BEGINS = "BSU"
ENDS = "ESLU"
PREFIXES = frozenset("BIESLUM")


def parted(tag: str) -> tuple[str, str]:
    """Give the prefix and the class of a tag; a bare class (IO) counts as inside."""
    if tag[:1] in PREFIXES and tag[1:2] in ("-", ""):
        return tag[0], tag[2:]
    return "I", tag


def entities(tags: Sequence[str], first: int = 0) -> Iterator[Span]:
    """Read the entities of one sentence whose first word has the index `first`.

    A word continues the entity before it unless its tag says that it begins one, its class
    differs, or the tag before said that the entity ends: that reads all the schemes alike.
    """
    begin, label = -1, ""
    for at, tag in enumerate([*tags, "O"], first):
        prefix, own = ("", "") if tag in OUTSIDE else parted(tag)
        if begin >= 0 and (not prefix or prefix in BEGINS or own != label):
            yield Span(begin, at - 1, label)
            begin = -1
        if prefix and begin < 0:
            begin, label = at, own
        if prefix and prefix in ENDS:
            yield Span(begin, at, label)
            begin = -1


def iob2(spans: Iterable[Span], count: int, format: str) -> list[str]:
    """Tag `count` words; a word has one tag, so of entities that overlap the first is kept."""
    tags = ["O"] * count
    lost = 0
    for first, last, label, _ in spans:
        if any(tag != "O" for tag in tags[first : last + 1]):
            lost += 1
            continue
        name = "_".join(label.split())
        tags[first : last + 1] = [f"B-{name}", *[f"I-{name}"] * (last - first)]
    if lost:
        told = counted(lost, "entity overlaps", "entities overlap")
        logger.warning("%s others and cannot be written as %s", told, format)
    return tags
