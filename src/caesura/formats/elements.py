"""Words out of a running text that is given in elements: words, punctuation and blanks."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from caesura.formats.rows import Rows
from caesura.text.marks import is_opening


class Element(NamedTuple):
    """A piece of the text; `spoken` tells a word, or a part of one, from what is only written."""

    value: str
    spoken: bool
    start: float = math.nan
    end: float = math.nan
    confidence: float = math.nan


Joins = Callable[[Element, Element], bool]
"""Whether a spoken element is part of the word that the element before it belongs to."""


def add_elements(rows: Rows, elements: Iterable[Element], joins: Joins, **cells: Any) -> None:
    """Add the words of one speaker's turn.

    A word has the start of its first and the end of its last spoken element.
    """
    rows.turn()
    for chunk in _chunks(elements):
        for i, word in enumerate(_words(chunk, joins)):
            if i:
                rows.glue()
            spoken = [element for element in word if element.spoken] or word
            rows.phrase(
                "".join(element.value for element in word),
                spoken[0].start,
                spoken[-1].end,
                confidence=spoken[0].confidence,
                **cells,
            )


def _chunks(elements: Iterable[Element]) -> Iterator[list[Element]]:
    """Part the text at blanks; of an element with blanks in it, the first piece has the start."""
    chunk: list[Element] = []
    for element in elements:
        pieces = re.findall(r"\s+|\S+", element.value)
        places = [i for i, piece in enumerate(pieces) if not piece.isspace()]
        for i, piece in enumerate(pieces):
            if i in places:
                start = element.start if i == places[0] else math.nan
                end = element.end if i == places[-1] else math.nan
                chunk.append(element._replace(value=piece, start=start, end=end))
            elif chunk:
                yield chunk
                chunk = []
    if chunk:
        yield chunk


def _words(chunk: Iterable[Element], joins: Joins) -> list[list[Element]]:
    """Group what stands together without a blank into words with their punctuation."""
    words: list[list[Element]] = [[]]
    for element in chunk:
        if any(before.spoken for before in words[-1]):
            begins = (
                not joins(words[-1][-1], element) if element.spoken else is_opening(element.value)
            )
            if begins:
                words.append([])
        words[-1].append(element)
    return words
