"""CoNLL-U (Universal Dependencies): words with lemma, tags and heads, and times in MISC."""

from __future__ import annotations

import logging
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from caesura.core.arrays import Floats, Strings
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Span, Transcript
from caesura.formats.base import Source, TextFormat, counted, number
from caesura.formats.linguistic.bio import entities, iob2
from caesura.formats.linguistic.conllu_rows import Table

logger = logging.getLogger("caesura")

TEXTS = {
    "LEMMA": "lemma",
    "UPOS": "tag",
    "XPOS": "subtag",
    "FEATS": "features",
    "DEPREL": "relation",
}
"""Columns and their layers."""

ESCAPED = {"Speaker": "speaker", "Opening": "opening", "Mark": "mark", "Pause": "pause"}
"""Keys of MISC for layers whose cells may be any text."""

_CODES = {"\\\\": "\\", "\\p": "|", "\\s": " ", "\\t": "\t", "\\n": "\n", "\\r": "\r"}
_CODE = re.compile(r"\\[\\pstnr]")
_ESCAPES = str.maketrans({text: code for code, text in _CODES.items()})
_CONTROLS = str.maketrans("\t\n\r", "   ")

ENTITY_KEYS = ("ner", "NE", "NER")
"""Keys of MISC with entity tags; the last one with content is read."""

_FIRST_ROW = re.compile(
    r"(?:#.*\n|[^\S\n]*\n)*+(?:1|1-[0-9]+|0\.1)\t[^\t\n]+(?:\t[^\t\n]*){8}(?:\n|$)"
)
_NEWDOC = re.compile(r"\n#[ \t]*newdoc\b(?:[ \t]+id)?[ \t]*(?:=[ \t]*(.*))?")
_SENT_ID = re.compile(r"\n#[ \t]*sent_id[ \t]*=[ \t]*+(.+?)(?:__|-)[0-9]+[ \t]*\n")
_SPEAKER = re.compile(r"\n#[ \t]*(speaker|speaker_id)[ \t]*=[ \t]*(.*)")


@dataclass(frozen=True, repr=False)
class ConllU(TextFormat):
    """CoNLL-U and CoNLL-U Plus of Universal Dependencies; the tokens are the words.

    A recording begins at `# newdoc`. Without it, neighbouring sentences whose `sent_id`s begin
    alike (`RECORDING__N`, `RECORDING-N`) are a recording, or else the file is one. Times are
    AlignBegin and AlignEnd in MISC, in milliseconds; a time of 0 after the recording has begun
    counts as unknown, and so do two that run backwards. `columns` names the columns to read if
    not all are needed: `conllu(columns="FORM UPOS")` takes half the time.
    """

    columns: str = ""

    name = "conllu"
    may_be_empty = True
    suffixes = (".conllu", ".conllup", ".conll")
    carries = frozenset(
        "start end confidence head blank cluster opening mark pause speaker tag subtag features "
        "lemma relation entities multiwords sentences id".split()
    )
    holds = "many"

    @classmethod
    def recognises(cls, source: Source) -> bool:
        """Whether the first row has ten columns and begins with 1."""
        return _FIRST_ROW.match(source.text.replace("\r\n", "\n")) is not None

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Read all rows, then split them into recordings."""
        table = Table(source, self.columns)
        if table.empty:
            nodes = counted(table.empty, "empty node is", "empty nodes are")
            logger.warning("%s: %s left out", source.name, nodes)
        layers = _layers(table)
        names = _recordings(table)
        bounds = [*(table.first[sentence] for sentence, _ in names), len(table.words)]
        for (_, id), first, stop in zip(names, bounds, bounds[1:], strict=False):
            yield _recording(table, layers, id, first, stop)

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Write each sentence with its comments and rows."""
        for transcript in transcripts:
            yield from _rendered_sentences(transcript)


def _recordings(table: Table) -> list[tuple[int, str]]:
    """Return the first sentence and the id of each recording."""
    stem = table.source.stem
    matches = [(i, _NEWDOC.search(c)) for i, c in enumerate(table.comments) if "newdoc" in c]
    named = [(i, (match[1] or "").strip()) for i, match in matches if match]
    if named:
        if named[0][0] > 0:
            named.insert(0, (0, ""))
        several = len(named) > 1 and stem
        return [
            (i, id or (f"{stem}-{n}" if several else stem)) for n, (i, id) in enumerate(named, 1)
        ]
    prefixes = [match and match[1] for match in map(_SENT_ID.search, table.comments)]
    runs = [(i, f) for i, f in enumerate(prefixes) if f and (i == 0 or prefixes[i - 1] != f)]
    if None in prefixes or len({prefix for _, prefix in runs}) < len(runs):
        return [(0, stem)] if table.first else []
    return runs


def _layers(table: Table) -> dict[str, Any]:
    """Return the layers of all words of the file: texts as tuples, the others as arrays."""
    cells = table.cells
    layers: dict[str, Any] = {TEXTS[name]: tuple(cells[name]) for name in TEXTS if name in cells}
    for key in ESCAPED.keys() & cells.keys():
        layers[ESCAPED[key]] = tuple(map(_unescaped, cells[key]))
    speakers = _speakers(table)
    if speakers:
        own = layers.get("speaker", speakers)
        layers["speaker"] = tuple(a or b for a, b in zip(own, speakers, strict=True))
    for key, layer, no in (("SpaceAfter", "blank", "No"), ("BunsetuBILabel", "cluster", "I")):
        if key in cells:
            layers[layer] = np.fromiter([cell != no for cell in cells[key]], np.bool_)
    if table.heads:
        layers["head"] = np.concatenate(table.heads)
    for key in ENTITY_KEYS:
        if any(cells.get(key, ())):
            layers["entities"] = tuple(cells[key])
    return layers | _times_and_confidences(table)


def _unescaped(cell: str) -> str:
    """Return the text that a value in MISC stands for."""
    return _CODE.sub(lambda code: _CODES[code[0]], cell)


def _times_and_confidences(table: Table) -> dict[str, Floats]:
    """Return times in seconds, and confidences."""
    cells = table.cells
    layers = {}
    if "AlignBegin" in cells or "AlignEnd" in cells:
        for key, layer in (("AlignBegin", "start"), ("AlignEnd", "end")):
            milliseconds = _numbers(cells.get(key, [""] * len(table.words)))
            layers[layer] = np.round(milliseconds * 1000) / 1_000_000
    if "Confidence" in cells:
        layers["confidence"] = _numbers(cells["Confidence"])
    return layers


def _numbers(cells: list[str]) -> Floats:
    try:
        numbers = np.array([float(cell or "nan") for cell in cells])
    except ValueError:
        numbers = np.array([number(cell) for cell in cells])
    return np.where(np.isfinite(numbers), numbers, np.nan)


def _speakers(table: Table) -> list[str]:
    """Return the speaker of each word from the comments before its sentence."""
    if not any("speaker" in comment for comment in table.comments):
        return []
    names = []
    for comment in table.comments:
        comments = dict(_SPEAKER.findall(comment))
        names.append((comments.get("speaker") or comments.get("speaker_id", "")).strip())
    stops = [*table.first[1:], len(table.words)]
    spans = zip(names, table.first, stops, strict=True)
    return [name for name, first, stop in spans for name in [name] * (stop - first)]


def _recording(table: Table, layers: dict[str, Any], id: str, first: int, stop: int) -> Transcript:
    """Make a transcript of words `first` to before `stop`, without layers that have no content."""
    parts = {name: layer[first:stop] for name, layer in layers.items()}
    begins = table.first[bisect_left(table.first, first) : bisect_left(table.first, stop)]
    ends = np.array([*begins[1:], stop]) - first - 1
    boundary = np.zeros(stop - first, np.bool_)
    boundary[ends] = True
    if "start" in parts:
        parts["start"], parts["end"] = _possible_times(parts["start"], parts["end"])
    if "head" in parts:
        parts["head"] = np.where(parts["head"] < 0, -1, parts["head"] - first)
    if "entities" in parts:
        tags = parts["entities"]
        begin = [0, *(ends + 1).tolist()]
        parts["entities"] = tuple(s for a, b in pairwise(begin) for s in entities(tags[a:b], a))
    spans = table.multiwords
    inside = spans[bisect_left(spans, (first,)) : bisect_left(spans, (stop,))]
    parts["multiwords"] = tuple(Span(s.first - first, s.last - first, s.label) for s in inside)
    known = {name: cells for name, cells in parts.items() if _has_content(cells)}
    words = tuple(table.words[first:stop])
    return Transcript(words, id, sentences=Segmentation(boundary), **known)


def _has_content(cells: Any) -> bool:
    if isinstance(cells, tuple):
        return any(cells)
    if cells.dtype == np.bool_:
        return not cells.all()
    return bool((cells >= 0).any())


def _possible_times(start: Floats, end: Floats) -> tuple[Floats, Floats]:
    """Remove impossible times: 0 after the beginning, and both where they run backwards."""
    latest = np.fmax.accumulate(np.fmax(start, end))
    begun = np.concatenate(([False], latest[:-1] > 0))
    start = np.where(begun & (start == 0), np.nan, start)
    end = np.where(begun & (end == 0), np.nan, end)
    backward = end < start
    return np.where(backward, np.nan, start), np.where(backward, np.nan, end)


# Writing.


class _Writer:
    """Renders a recording sentence by sentence."""

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
        """Yield the comments of sentence n; several speakers of a sentence go to its words."""
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
        """Yield the rows of a sentence, multiword tokens before their first word."""
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


def _rendered_sentences(transcript: Transcript) -> Iterator[str]:
    """Yield the sentences of a recording; without known sentences it is one sentence."""
    writer = _Writer(transcript)
    sentences = transcript.sentences or Segmentation(np.zeros(len(transcript), np.bool_))
    for n, (first, last) in enumerate(sentences.sentences, 1):
        yield "\n".join(
            (*writer.comments(n, first, last + 1), *writer.rows(first, last + 1), "", "")
        )


def _cell(text: str) -> str:
    return text.translate(_CONTROLS).strip(" ") or "_"


def _cells(texts: Strings | None, count: int) -> list[str]:
    return ["_"] * count if texts is None else [_cell(text) for text in texts]


def _pair(key: str, text: str) -> str:
    return f"|{key}={text.translate(_ESCAPES)}" if text else ""


def _misc(transcript: Transcript) -> list[str]:
    """Return the cell MISC of each word, without blanks and speakers; a bar precedes each pair."""
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
    """Return a number in full, '' where it is not known."""
    return "" if number != number else f"{round(number, 6):f}".rstrip("0").rstrip(".")


def _ranges(spans: Iterable[Span], first: int, stop: int) -> dict[int, Span]:
    """Return the multiword tokens of a sentence by their first word, without overlapping ones."""
    inside: dict[int, Span] = {}
    free = first
    for span in spans:
        if free <= span.first and span.last < stop:
            inside[span.first] = span
            free = span.last + 1
    return inside
