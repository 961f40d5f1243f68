"""Placing a recording's words and sentences on tiers, where nothing may overlap."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from caesura.formats.source import counted
from caesura.formats.tiers import SILENCES
from caesura.formats.times import filled_times
from caesura.transcript import Transcript

logger = logging.getLogger("caesura")

TRIMMED = 0.01
"""Seconds by which an interval may run into the next and is cut short for it."""


class Piece(NamedTuple):
    """An interval, times in whole units; `order` is its place in the recording."""

    start: int
    end: int
    text: str
    order: float


@dataclass
class Placed:
    """A tier in the making."""

    name: str
    speaker: str
    kind: str
    intervals: list[Piece] = field(default_factory=list)


class _Places:
    """Tiers by what they hold and for whom; what overlaps goes to a further one."""

    def __init__(self, units: int, least: int) -> None:
        self.units = units
        self.least = least
        self.trimmed = 0
        self.tiers: dict[tuple[str, str], list[Placed]] = {}

    def put(self, kind: str, speaker: str, piece: Piece) -> Piece:
        """Place an interval; give it with the times it has there."""
        tiers = self.tiers.setdefault((kind, speaker), [])
        for tier in tiers:
            if self._makes_room(tier, piece.start):
                break
        else:
            tier = Placed(_name(kind, speaker, len(tiers)), speaker, kind)
            tiers.append(tier)
        start = max(piece.start, tier.intervals[-1].end if tier.intervals else 0)
        end = max(piece.end, start + self.least)
        tier.intervals.append(piece._replace(start=start, end=end))
        return tier.intervals[-1]

    def _makes_room(self, tier: Placed, start: int) -> bool:
        """Whether an interval can begin at `start`, the one before it being cut a little."""
        if not tier.intervals:
            return True
        before = tier.intervals[-1]
        over = before.end - start
        if over * 1_000_000 < self.units:
            return True
        if over > TRIMMED * self.units or start < before.start:
            return False
        tier.intervals[-1] = before._replace(end=max(start, before.start + self.least))
        self.trimmed += 1
        return True


def placed(transcript: Transcript, format: str, units: int, least: int) -> list[Placed]:
    """Give tiers of words for each speaker and, when known, of sentences.

    Times count `units` in a second; `least` is the length an interval has to have.
    """
    places = _Places(units, least)
    words = list(_words(transcript, format, places)) if len(transcript) else []
    if transcript.sentences is not None:
        speakers = transcript.speaker or ("",) * len(transcript)
        for first, last in transcript.sentences.sentences:
            who = {" ".join(name.split()) for name in speakers[first : last + 1]}
            end = max(word.end for word in words[first : last + 1])
            sentence = Piece(
                words[first].start, end, transcript[first : last + 1].text, first - 0.5
            )
            places.put("sentences", who.pop() if len(who) == 1 else "", sentence)
    if places.trimmed:
        logger.warning(
            "%s: cut short %s a little into the next",
            transcript.id or "a recording",
            counted(places.trimmed, "interval that ran", "intervals that ran"),
        )
    found = [tier for tiers in places.tiers.values() for tier in tiers]
    return found or [Placed("words", "", "words")]


def _words(transcript: Transcript, format: str, places: _Places) -> Iterator[Piece]:
    """Place the words, one after another; of two, the first begins first."""
    starts, ends = filled_times(transcript, format)
    speakers = transcript.speaker or ("",) * len(transcript)
    surface = transcript.surface()
    before = -places.least
    for i, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        begin = round(start * places.units)
        if i == 0 or start >= starts[i - 1]:
            begin = max(begin, before + places.least)
        text = " ".join(surface[i].split())
        text = f" {text}" if text in SILENCES else text
        speaker = " ".join(speakers[i].split())
        word = places.put("words", speaker, Piece(begin, round(end * places.units), text, i))
        before = word.start
        yield word


def _name(kind: str, speaker: str, further: int) -> str:
    name = f"{speaker} - {kind}" if speaker else kind
    if not further:
        return name
    return f"{name} (overlap)" if further == 1 else f"{name} (overlap {further})"
