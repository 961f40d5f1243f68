"""JSON of Amberscript's editor: a table of speakers, and segments of timed words."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from caesura.core.transcript import Transcript
from caesura.formats.base import (
    JsonFormat,
    Source,
    items,
    number,
    seconds,
    share,
    speaker_names,
    string,
)
from caesura.formats.builder import Rows

logger = logging.getLogger("caesura")


@dataclass(frozen=True, repr=False)
class Amberscript(JsonFormat):
    """Amberscript's editor (JSON): words with their punctuation, times and speakers.

    The time in a note such as `[laughter 00:00:04]` is no word.
    """

    name = "amberscript"
    carries = frozenset("start end confidence speaker opening mark id".split())
    expects = "Amberscript has 'speakers' with 'spkid' and 'segments' with 'words'"

    @classmethod
    def matches(cls, document: Any) -> bool:
        """Whether speakers have a `spkid`, or words the key `pristine`."""
        if not isinstance(document, dict) or not isinstance(document.get("segments"), list):
            return False
        words = [w for s in items(document["segments"]) for w in items(s.get("words"))]
        return (
            any("spkid" in speaker for speaker in items(document.get("speakers")))
            or any("pristine" in word for word in words)
            or (not document["segments"] and "startTimeOffset" in document)
        )

    def convert(self, documents: list[Any], source: Source) -> Iterator[Transcript]:
        """Read each JSON value as a recording."""
        for i, document in enumerate(documents):
            if number(document.get("startTimeOffset")) > 0:
                logger.warning("%s: 'startTimeOffset' is not added to the times", source.name)
            id = source.numbered(i, len(documents)) or string(document.get("filename"))
            yield _transcript(document, id)


def _transcript(document: dict[str, Any], id: str) -> Transcript:
    rows = Rows()
    names = speaker_names(items(document.get("speakers")), "spkid")
    for segment in items(document["segments"]):
        key = string(segment.get("speaker"))
        rows.turn()
        for word in items(segment.get("words")):
            start, end = seconds(word.get("start")), seconds(word.get("end"))
            if end != end:
                end = round(start + seconds(word.get("duration")), 6)
            rows.phrase(
                string(word.get("text")),
                start,
                end,
                confidence=share(word.get("conf")),
                speaker=names.get(key, key) or None,
            )
    return rows.transcript(id)
