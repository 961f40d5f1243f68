"""Writing text with character offsets: where each token lies, and what is known of it."""

from __future__ import annotations

import logging
from typing import Any

from caesura.formats.source import counted
from caesura.transcript import Span, Transcript

logger = logging.getLogger("caesura")

KEYS = {
    "tag": ("pos", "upos"),
    "subtag": ("tag", "xpos"),
    "features": ("morph", "feats"),
    "lemma": ("lemma",),
    "relation": ("dep", "deprel"),
}
"""Layers of texts and the keys they go by: the first, spaCy's, is written."""

AROUND = ("opening", "mark")
"""Layers of what stands before and after a token without being one."""


class Page:
    """A recording on its way out: its text, and where each word lies in it."""

    def __init__(self, transcript: Transcript) -> None:
        self.transcript = _seen(transcript)
        self.text = ""
        self.tokens: list[dict[str, Any]] = []
        self.spans: list[Span] = []
        """The token that each word belongs to."""
        self.start: list[int] = []
        self.end: list[int] = []
        self._write()

    def document(self) -> dict[str, Any]:
        """Give the JSON object; what is not known is an absent key."""
        found: dict[str, Any] = {}
        for name in ("id", "language"):
            if getattr(self.transcript, name):
                found[name] = getattr(self.transcript, name)
        found |= {"text": self.text, "tokens": self.tokens}
        if self.transcript.sentences is not None:
            sentences = self.transcript.sentences.sentences
            found["sentences"] = [self._sentence(first, last) for first, last in sentences]
        if self.transcript.entities is not None:
            found["entities"] = [self._entity(span) for span in self.transcript.entities]
        return found

    def _write(self) -> None:
        words = self.transcript.words
        multiwords = _multiwords(self.transcript)
        pieces: list[str] = []
        at = length = 0
        while at < len(words):
            span = multiwords.get(at) or Span(at, at, words[at])
            opening, mark = self._cell("opening", at), self._cell("mark", span.last)
            start = length + len(opening)
            end = start + len(span.label)
            token = {"start": start, "end": end}
            inner = range(at, span.last + 1)
            if at in multiwords:
                self.tokens.append(token | {"words": [self._word(i, span) for i in inner]})
            else:
                self.tokens.append(token | self._said(at))
            self.spans += [span] * len(inner)
            self.start += [start] * len(inner)
            self.end += [end] * len(inner)
            at = span.last + 1
            blank = " " if at < len(words) and self._has_blank(span.last) else ""
            pieces += opening, span.label, mark, blank
            length = end + len(mark) + len(blank)
        self.text = "".join(pieces)

    def _word(self, at: int, span: Span) -> dict[str, Any]:
        """Give a word of a multiword token, which has no place of its own in the text."""
        word = {"text": self.transcript.words[at], **self._said(at)}
        return word if at == span.last or self._has_blank(at) else word | {"blank": False}

    def _said(self, at: int) -> dict[str, Any]:
        named = {keys[0]: self._cell(layer, at) for layer, keys in KEYS.items()}
        named |= {layer: self._cell(layer, at) for layer in AROUND}
        said: dict[str, Any] = {key: cell for key, cell in named.items() if cell}
        if self.transcript.head is not None and self.transcript.head[at] >= 0:
            said["head"] = int(self.transcript.head[at])
        return said

    def _cell(self, layer: str, at: int) -> str:
        cells = getattr(self.transcript, layer)
        return "" if cells is None else str(cells[at])

    def _has_blank(self, at: int) -> bool:
        return self.transcript.blank is None or bool(self.transcript.blank[at])

    def _sentence(self, first: int, last: int) -> list[int]:
        start = self.start[first] - len(self._cell("opening", first))
        return [start, self.end[last] + len(self._cell("mark", last))]

    def _entity(self, span: Span) -> dict[str, Any]:
        """Give an entity; one that begins or ends inside a multiword token also by its words."""
        first, last, label, key = span
        found: dict[str, Any] = {"start": self.start[first], "end": self.end[last], "label": label}
        if key:
            found["key"] = key
        if (self.spans[first].first, self.spans[last].last) != (first, last):
            found["words"] = [first, last]
        return found


def _seen(transcript: Transcript) -> Transcript:
    """Leave out words without characters: they have no place in a text."""
    seen = [bool(word.strip()) for word in transcript.words]
    if all(seen):
        return transcript
    told = counted(seen.count(False), "empty word", "empty words")
    logger.warning("%s cannot be written as offsets", told)
    return transcript.take(seen)


def _multiwords(transcript: Transcript) -> dict[int, Span]:
    """Multiword tokens by their first word; those that overlap or cross sentences are left out."""
    ends = set() if transcript.sentences is None else set(transcript.sentences.gaps.tolist())
    kept: dict[int, Span] = {}
    free = 0
    for span in transcript.multiwords or ():
        inside = span.first >= free and ends.isdisjoint(range(span.first, span.last))
        if inside and span.label.strip():
            kept[span.first] = span
            free = span.last + 1
    return kept
