"""SubRip."""
from __future__ import annotations
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from caesura.formats.captions import Captions
from caesura.formats.source import Source
from caesura.transcript import Transcript

@dataclass(frozen=True, repr=False)
class Srt(Captions):
    """x."""
    name = "srt"
    suffixes = (".srt",)
    carries = frozenset({"opening", "mark"})

    def parse(self, source: Source) -> Iterator[Transcript]:
        """x."""
        yield Transcript(())

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """x."""
        yield "".join(
            f"{i}\n{stamp(c.start)} --> {stamp(c.end)}\n{c.text}\n\n"
            for i, c in enumerate(self.cues(self.single(transcripts)), 1)
        )

def stamp(ms):
    s, ms = divmod(ms, 1000)
    return f"{s//3600:02d}:{s//60%60:02d}:{s%60:02d},{ms:03d}"
