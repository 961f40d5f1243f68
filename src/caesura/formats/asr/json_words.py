"""A transcript's words one by one, as writers of JSON need them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, groupby
from typing import Any, NamedTuple

from caesura.core.arrays import MISSING, Floats, Strings
from caesura.core.transcript import Transcript
from caesura.formats.source import string


class Cells(NamedTuple):
    """All that is known of a word; numbers that are not known are None."""

    opening: str
    word: str
    mark: str
    blank: bool
    start: float | None
    end: float | None
    confidence: float | None
    speaker: str

    @property
    def surface(self) -> str:
        """The word as it is written, without the blank that may follow."""
        return self.opening + self.word + self.mark


def cells(transcript: Transcript) -> list[Cells]:
    """Give the words of a transcript."""
    columns = (
        _texts(transcript, "opening"),
        transcript.words,
        _texts(transcript, "mark"),
        [True] * len(transcript) if transcript.blank is None else transcript.blank.tolist(),
        _numbers(transcript.start, len(transcript)),
        _numbers(transcript.end, len(transcript)),
        _numbers(transcript.confidence, len(transcript)),
        _texts(transcript, "speaker"),
    )
    return [Cells(*row) for row in zip(*columns, strict=True)]


def _texts(transcript: Transcript, name: str) -> Strings:
    layer: Strings | None = getattr(transcript, name)
    return (MISSING[name],) * len(transcript) if layer is None else layer


def _numbers(layer: Floats | None, count: int) -> list[float | None]:
    if layer is None:
        return [None] * count
    return [None if cell != cell else cell for cell in layer.tolist()]


def text(words: Iterable[Cells]) -> str:
    """Give the running text of some words."""
    return "".join(word.surface + " " * word.blank for word in words).rstrip(" ")


def turns(words: Iterable[Cells]) -> Iterator[tuple[str, list[Cells]]]:
    """Give each speaker in turn with the words until another speaks."""
    for speaker, turn in groupby(words, key=lambda word: word.speaker):
        yield speaker, list(turn)


def known(**values: Any) -> dict[str, Any]:
    """Make a JSON object of what is known: without None and without empty texts."""
    return {key: value for key, value in values.items() if value is not None and value != ""}


def speaker_key(speaker: str) -> int | str:
    """Give a speaker as recognisers do that count them: a number as a number."""
    return int(speaker) if re.fullmatch(r"0|[1-9][0-9]{0,8}", speaker) else speaker


def speaker_names(table: Iterable[dict[str, Any]], key: str) -> dict[str, str]:
    """Give the name for each speaker's id; the id itself where names are absent or shared."""
    names = {string(row.get(key)): string(row.get("name")).strip() for row in table}
    given = list(names.values())
    return {id: name if name and given.count(name) == 1 else id for id, name in names.items()}


def stops(surfaces: Sequence[str], pieces: Iterable[str]) -> list[bool] | None:
    """Tell which words end where a piece of a running text ends; blanks do not matter.

    None if the text is not made of these words.
    """
    bare = ["".join(surface.split()) for surface in surfaces]
    stretches = ["".join(piece.split()) for piece in pieces]
    if "".join(bare) != "".join(stretches):
        return None
    ends = set(accumulate(len(stretch) for stretch in stretches))
    return [end in ends for end in accumulate(len(word) for word in bare)]
