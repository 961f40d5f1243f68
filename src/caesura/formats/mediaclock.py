"""Times of TTML: on a clock, as an offset, in frames or in ticks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from caesura.formats.source import LATEST, Source
from caesura.formats.xml import local

_DIGITS = "[0-9]{1,15}"
_OFFSET = re.compile(rf"({_DIGITS}(?:\.[0-9]+)?)(h|ms|m|s|f|t)")
_TIME = re.compile(
    rf"({_DIGITS}):({_DIGITS}):({_DIGITS})"
    rf"(?:[.,]({_DIGITS})|[:;]({_DIGITS})(?:\.({_DIGITS}))?)?"
)
_RATIO = re.compile(rf"({_DIGITS})(?:[\s:]+({_DIGITS}))?")


@dataclass(frozen=True)
class Clock:
    """How a file counts frames and ticks; `counted` if its clock counts frames (SMPTE)."""

    frames: float = 30.0
    """A second, in name."""
    multiplier: float = 1.0
    """What turns that into real frames a second."""
    parts: float = 1.0
    """Of a frame."""
    ticks: float = 1.0
    """A second."""
    counted: bool = False
    dropped: str = "nonDrop"

    @classmethod
    def of(cls, root: Element, source: Source) -> Clock:
        """Read the parameters of a file."""
        given = {local(name): value.strip() for name, value in root.attrib.items()}
        frames = _rate(given, "frameRate", 30.0, source)
        parts = _rate(given, "subFrameRate", 1.0, source)
        real = frames * _rate(given, "frameRateMultiplier", 1.0, source)
        usual = real * parts if "frameRate" in given else 1.0
        return cls(
            frames,
            real / frames,
            parts,
            _rate(given, "tickRate", usual, source),
            given.get("timeBase") == "smpte",
            given.get("dropMode", "nonDrop"),
        )

    def seconds(self, text: str, source: Source) -> float:
        """Read a time."""
        offset, time = _OFFSET.fullmatch(text.strip()), _TIME.fullmatch(text.strip())
        if offset:
            found = self._offset(float(offset[1]), offset[2])
        elif time:
            found = self._time(*(cell or "0" for cell in time.groups()))
        else:
            found = -1.0
        if not 0 <= found <= LATEST:
            raise source.error(
                f"{text[:40]!r} is not a time", remedy="write it as 00:00:01.500 or 1.5s"
            )
        return found

    def _offset(self, number: float, unit: str) -> float:
        real = self.frames * self.multiplier
        units = {"h": 3600, "m": 60, "s": 1, "ms": 0.001, "f": 1 / real, "t": 1 / self.ticks}
        return number * units[unit]

    def _time(
        self, hours: str, minutes: str, seconds: str, fraction: str, frames: str, parts: str
    ) -> float:
        whole = int(hours) * 3600 + int(minutes) * 60 + int(seconds)
        shown = int(frames) + int(parts) / self.parts
        if not self.counted:
            return float(f"{whole}.{fraction}") + shown / (self.frames * self.multiplier)
        count = whole * self.frames + shown - self._left_out(int(hours) * 60 + int(minutes))
        return count / (self.frames * self.multiplier) + float(f"0.{fraction}")

    def _left_out(self, minutes: int) -> int:
        """Frames that a clock has skipped so as to keep up with real time."""
        if self.dropped == "dropNTSC":
            return 2 * (minutes - minutes // 10)
        if self.dropped == "dropPAL":
            return 4 * (minutes // 2 - minutes // 20)
        return 0


def _rate(given: dict[str, str], name: str, usual: float, source: Source) -> float:
    text = given.get(name)
    if text is None:
        return usual
    found = _RATIO.fullmatch(text)
    above, below = (int(found[1]), int(found[2] or 1)) if found else (0, 0)
    if not above or not below:
        raise source.error(f"{text[:40]!r} is not a {name}", remedy="write a number above 0")
    return above / below
