"""CoNLL-U of Universal Dependencies: words with lemma, tags, heads, and times in MISC."""

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
from caesura.formats.base import TextFormat
from caesura.formats.linguistic.bio import entities, iob2
from caesura.formats.linguistic.conllu_rows import Sheet
from caesura.formats.source import Source, counted, number

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


logger = logging.getLogger("caesura")

ENTITY_KEYS = ("ner", "NE", "NER")
"""Where tools put entity tags; the last one with content counts."""

_FIRST_ROW = re.compile(
    r"(?:#.*\n|[^\S\n]*\n)*+(?:1|1-[0-9]+|0\.1)\t[^\t\n]+(?:\t[^\t\n]*){8}(?:\n|$)"
)
_NEWDOC = re.compile(r"\n#[ \t]*newdoc\b(?:[ \t]+id)?[ \t]*(?:=[ \t]*(.*))?")
_SENT_ID = re.compile(r"\n#[ \t]*sent_id[ \t]*=[ \t]*+(.+?)(?:__|-)[0-9]+[ \t]*\n")
_SPEAKER = re.compile(r"\n#[ \t]*(speaker|speaker_id)[ \t]*=[ \t]*(.*)")


@dataclass(frozen=True, repr=False)
class ConllU(TextFormat):
    """Universal Dependencies, CoNLL-U and CoNLL-U Plus; words stay as they are tokenised.

    A recording begins at `# newdoc`; where there is none, it is the front that the `sent_id`s
    of following sentences share (`RECORDING__N`, `RECORDING-N`), or else the file. Times are
    AlignBegin and AlignEnd in MISC, in milliseconds: one of 0 after the recording has begun
    is not known, nor are two that run backwards. `columns` names the columns to read where not
    all are of interest: `conllu(columns="FORM UPOS")` takes half the time.
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
        """Read all rows, then part them into recordings."""
        sheet = Sheet(source, self.columns)
        if sheet.empty:
            told = counted(sheet.empty, "empty node is", "empty nodes are")
            logger.warning("%s: %s left out", source.name, told)
        layers = _layers(sheet)
        names = _recordings(sheet)
        bounds = [*(sheet.first[sentence] for sentence, _ in names), len(sheet.words)]
        for (_, id), first, stop in zip(names, bounds, bounds[1:], strict=False):
            yield _recording(sheet, layers, id, first, stop)

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Write each sentence with its comments and rows."""
        for transcript in transcripts:
            yield from rendered(transcript)


def _recordings(sheet: Sheet) -> list[tuple[int, str]]:
    """Give the first sentence and the id of each recording."""
    stem = sheet.source.stem
    found = [(i, _NEWDOC.search(c)) for i, c in enumerate(sheet.comments) if "newdoc" in c]
    named = [(i, (match[1] or "").strip()) for i, match in found if match]
    if named:
        if named[0][0] > 0:
            named.insert(0, (0, ""))
        several = len(named) > 1 and stem
        return [
            (i, id or (f"{stem}-{n}" if several else stem)) for n, (i, id) in enumerate(named, 1)
        ]
    fronts = [match and match[1] for match in map(_SENT_ID.search, sheet.comments)]
    runs = [(i, f) for i, f in enumerate(fronts) if f and (i == 0 or fronts[i - 1] != f)]
    if None in fronts or len({front for _, front in runs}) < len(runs):
        return [(0, stem)] if sheet.first else []
    return runs


def _layers(sheet: Sheet) -> dict[str, Any]:
    """Give the columns over all words of the file: texts as tuples, the others as arrays."""
    cells = sheet.cells
    layers: dict[str, Any] = {TEXTS[name]: tuple(cells[name]) for name in TEXTS if name in cells}
    for key in ESCAPED.keys() & cells.keys():
        layers[ESCAPED[key]] = tuple(map(unescaped, cells[key]))
    speakers = _speakers(sheet)
    if speakers:
        own = layers.get("speaker", speakers)
        layers["speaker"] = tuple(a or b for a, b in zip(own, speakers, strict=True))
    for key, layer, no in (("SpaceAfter", "blank", "No"), ("BunsetuBILabel", "cluster", "I")):
        if key in cells:
            layers[layer] = np.fromiter([cell != no for cell in cells[key]], np.bool_)
    if sheet.heads:
        layers["head"] = np.concatenate(sheet.heads)
    for key in ENTITY_KEYS:
        if any(cells.get(key, ())):
            layers["entities"] = tuple(cells[key])
    return layers | _measures(sheet)


def _measures(sheet: Sheet) -> dict[str, Floats]:
    """Give times in seconds, and confidences."""
    cells = sheet.cells
    found = {}
    if "AlignBegin" in cells or "AlignEnd" in cells:
        for key, layer in (("AlignBegin", "start"), ("AlignEnd", "end")):
            milliseconds = _numbers(cells.get(key, [""] * len(sheet.words)))
            found[layer] = np.round(milliseconds * 1000) / 1_000_000
    if "Confidence" in cells:
        found["confidence"] = _numbers(cells["Confidence"])
    return found


def _numbers(cells: list[str]) -> Floats:
    try:
        numbers = np.array([float(cell or "nan") for cell in cells])
    except ValueError:
        numbers = np.array([number(cell) for cell in cells])
    return np.where(np.isfinite(numbers), numbers, np.nan)


def _speakers(sheet: Sheet) -> list[str]:
    """Give the speaker of each word, as the comments before its sentence say."""
    if not any("speaker" in comment for comment in sheet.comments):
        return []
    names = []
    for comment in sheet.comments:
        said = dict(_SPEAKER.findall(comment))
        names.append((said.get("speaker") or said.get("speaker_id", "")).strip())
    stops = [*sheet.first[1:], len(sheet.words)]
    spoken = zip(names, sheet.first, stops, strict=True)
    return [name for name, first, stop in spoken for name in [name] * (stop - first)]


def _recording(sheet: Sheet, layers: dict[str, Any], id: str, first: int, stop: int) -> Transcript:
    """Make a transcript of words `first` to before `stop`; columns without content are left out."""
    parts = {name: layer[first:stop] for name, layer in layers.items()}
    begins = sheet.first[bisect_left(sheet.first, first) : bisect_left(sheet.first, stop)]
    ends = np.array([*begins[1:], stop]) - first - 1
    boundary = np.zeros(stop - first, np.bool_)
    boundary[ends] = True
    if "start" in parts:
        parts["start"], parts["end"] = _times(parts["start"], parts["end"])
    if "head" in parts:
        parts["head"] = np.where(parts["head"] < 0, -1, parts["head"] - first)
    if "entities" in parts:
        tags = parts["entities"]
        begin = [0, *(ends + 1).tolist()]
        parts["entities"] = tuple(s for a, b in pairwise(begin) for s in entities(tags[a:b], a))
    spans = sheet.multiwords
    inside = spans[bisect_left(spans, (first,)) : bisect_left(spans, (stop,))]
    parts["multiwords"] = tuple(Span(s.first - first, s.last - first, s.label) for s in inside)
    known = {name: cells for name, cells in parts.items() if _has_content(cells)}
    words = tuple(sheet.words[first:stop])
    return Transcript(words, id, sentences=Segmentation(boundary), **known)


def _has_content(cells: Any) -> bool:
    if isinstance(cells, tuple):
        return any(cells)
    if cells.dtype == np.bool_:
        return not cells.all()
    return bool((cells >= 0).any())


def _times(start: Floats, end: Floats) -> tuple[Floats, Floats]:
    """Blot out times that cannot be: 0 after the beginning, and both where they run backwards."""
    latest = np.fmax.accumulate(np.fmax(start, end))
    begun = np.concatenate(([False], latest[:-1] > 0))
    start = np.where(begun & (start == 0), np.nan, start)
    end = np.where(begun & (end == 0), np.nan, end)
    backward = end < start
    return np.where(backward, np.nan, start), np.where(backward, np.nan, end)
