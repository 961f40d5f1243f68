"""Writing CoNLL-U: a recording's cells, sentence by sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import numpy as np

from caesura.formats.entities import iob2
from caesura.transcript import Segmentation, Span, Strings, Transcript

TEXTS = {
    "LEMMA": "lemma",
    "UPOS": "tag",
    "XPOS": "subtag",
    "FEATS": "features",
    "DEPREL": "relation",
}
"""Columns and the layers they are."""

ESCAPED = {"Speaker": "speaker", "Opening": "opening", "Mark": "mark", "Pause": "pause"}
"""Keys of MISC for layers whose cells may hold anything."""

_CODES = {"\\\\": "\\", "\\p": "|", "\\s": " ", "\\t": "\t", "\\n": "\n", "\\r": "\r"}
_CODE = re.compile(r"\\[\\pstnr]")
_ESCAPES = str.maketrans({text: code for code, text in _CODES.items()})
_CONTROLS = str.maketrans("\t\n\r", "   ")


class _Page:
    """A recording on its way out: cells of all words, to be written sentence by sentence."""

    def __init__(self, transcript: Transcript) -> None:
        self.transcript = transcript
        self.id = " ".join(transcript.id.split())
        self.surface = transcript.surface()
        count = len(transcript)
        self.texts = [
            _cells(getattr(transcript, name), count)
            for name in ("words", "lemma", "tag", "subtag", "features", "relation")
        ]
        self.heads = [-1] * count if transcript.head is None else transcript.head.tolist()
        self.tight = [False] * count if transcript.blank is None else (~transcript.blank).tolist()
        self.misc = _misc(transcript)

    def comments(self, n: int, first: int, stop: int) -> Iterator[str]:
        """Comments of sentence n; a speaker who does not speak all of it goes to the words."""
        if n == 1:
            yield f"# newdoc id = {self.id}" if self.id else "# newdoc"
        yield f"# sent_id = {self.id.replace(' ', '_')}-{n}" if self.id else f"# sent_id = {n}"
        speakers = (self.transcript.speaker or ("",) * stop)[first:stop]
        if len(set(speakers)) > 1:
            for at, speaker in enumerate(speakers, first):
                self.misc[at] += _pair("Speaker", speaker)
        elif speakers[0]:
            yield f"# speaker = {' '.join(speakers[0].split())}"
        yield f"# text = {_cell(''.join(self.surface[first:stop]))}"

    def rows(self, first: int, stop: int) -> Iterator[str]:
        """Rows of a sentence, multiword tokens before their first word."""
        forms, lemmas, tags, subtags, features, relations = self.texts
        closing = -1
        spans = _ranges(self.transcript.multiwords or (), first, stop)
        for at in range(first, stop):
            if at in spans:
                closing, form = spans[at].last, _cell(spans[at].label)
                space = "SpaceAfter=No" if self.tight[closing] else "_"
                yield f"{at - first + 1}-{closing - first + 1}\t{form}" + 7 * "\t_" + f"\t{space}"
            head = self.heads[at]
            inner = head - first + 1 if head != at else 0
            pairs = self.misc[at] + ("|SpaceAfter=No" if self.tight[at] and at != closing else "")
            yield "\t".join(
                (
                    str(at - first + 1),
                    forms[at],
                    lemmas[at],
                    tags[at],
                    subtags[at],
                    features[at],
                    str(inner) if first <= head < stop else "_",
                    relations[at],
                    "_",
                    pairs[1:] or "_",
                )
            )


def rendered(transcript: Transcript) -> Iterator[str]:
    """Write a recording; without known sentences it is one sentence."""
    page = _Page(transcript)
    sentences = transcript.sentences or Segmentation(np.zeros(len(transcript), np.bool_))
    for n, (first, last) in enumerate(sentences.sentences, 1):
        yield "\n".join((*page.comments(n, first, last + 1), *page.rows(first, last + 1), "", ""))


def _cell(text: str) -> str:
    return text.translate(_CONTROLS).strip(" ") or "_"


def _cells(texts: Strings | None, count: int) -> list[str]:
    return ["_"] * count if texts is None else [_cell(text) for text in texts]


def _pair(key: str, text: str) -> str:
    return f"|{key}={text.translate(_ESCAPES)}" if text else ""


def _misc(transcript: Transcript) -> list[str]:
    """What MISC says of each word but for blanks and speakers, a bar before each pair."""
    count = len(transcript)
    misc = [""] * count
    columns: dict[str, Iterable[str]] = {}
    if transcript.entities:
        tags = iob2(transcript.entities, count, "conllu")
        columns["NER"] = ["" if tag == "O" else tag for tag in tags]
    for key, times in (("AlignBegin", transcript.start), ("AlignEnd", transcript.end)):
        if times is not None:
            columns[key] = [_decimal(1000 * time) for time in times.tolist()]
    if transcript.confidence is not None:
        columns["Confidence"] = [_decimal(c) for c in transcript.confidence.tolist()]
    if transcript.cluster is not None:
        columns["BunsetuBILabel"] = ["B" if c else "I" for c in transcript.cluster.tolist()]
    for key, layer in ESCAPED.items():
        if key != "Speaker":
            columns[key] = getattr(transcript, layer) or ()
    for key, cells in columns.items():
        for at, cell in enumerate(cells):
            misc[at] += _pair(key, cell)
    return misc


def _decimal(number: float) -> str:
    """A number in full, '' where it is not known."""
    return "" if number != number else f"{round(number, 6):f}".rstrip("0").rstrip(".")


def _ranges(spans: Iterable[Span], first: int, stop: int) -> dict[int, Span]:
    """Multiword tokens inside a sentence by their first word; those that overlap are left out."""
    inside: dict[int, Span] = {}
    free = first
    for span in spans:
        if free <= span.first and span.last < stop:
            inside[span.first] = span
            free = span.last + 1
    return inside


def unescaped(cell: str) -> str:
    """Give the text that a value in MISC stands for."""
    return _CODE.sub(lambda code: _CODES[code[0]], cell)
