"""Show words of reference and hypothesis side by side: in a terminal, on the page, as JSON."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from caesura.core.arrays import Indices
from caesura.core.errors import UnknownName
from caesura.evaluation.reports.table import display_width, printable
from caesura.evaluation.reports.write import Results
from caesura.evaluation.scores import Scores
from caesura.metrics.words import AlignedWords, Words
from caesura.text.alignment.word_alignment import DELETED, EQUAL, INSERTED, KINDS

SIGNS = " SDI"
"""The letters of equal, substituted, deleted and inserted words in a terminal."""

CODES = "=sdi"
"""The same letters for the page."""

KEY = """REF reference, HYP hypothesis, with the number of the first word on the line;
S substituted, D deleted, I inserted"""

NARROWEST = 40
RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
ISOLATED = "\u2068{}\u2069"


class Cell(NamedTuple):
    """A word of the reference and one of the hypothesis under it."""

    kind: int
    said: str
    found: str
    width: int


class Line(NamedTuple):
    """Cells that fit on one line, and the numbers of the first words on it, counted from 1."""

    cells: list[Cell]
    said: int
    found: int

    @property
    def wrong(self) -> bool:
        """Whether the line has an error."""
        return any(cell.kind != EQUAL for cell in self.cells)


def format_alignments(results: Results, which: str, width: int) -> str:
    """Lay out the words of all documents for a terminal: all lines, or those with errors."""
    scores = results.scores[0]
    metric = words_metric(scores)
    against = [f" against {name}" for name in results.references]
    parts = []
    for document in scores.documents:
        hypothesis, references = document.texts_for(metric)
        for label, reference in zip(against, references, strict=True):
            title = f"{document.id or results.systems[0]}{label}"
            lines = _fill_lines(metric.aligned(hypothesis, reference), max(width, NARROWEST))
            parts.append(
                "\n".join([printable(title), "", *_format_lines(list(lines), which == "errors")])
            )
    return "\n\n".join([*parts, KEY])


def words_metric(scores: Scores) -> Words:
    """Return the metric that aligns words, or raise an error."""
    for metric in scores.metrics:
        if isinstance(metric, Words):
            return metric
    raise UnknownName("no metric has words side by side to show", remedy="add --metric Words")


def _fill_lines(aligned: AlignedWords, width: int) -> Iterator[Line]:
    """Yield lines that are filled with words; the end of a reference sentence ends a line too."""
    ends = set(_sentence_end_rows(aligned).tolist())
    digits = len(str(max(len(aligned.reference), len(aligned.hypothesis), 1)))
    room = width - len("REF ") - digits - 1
    said = found = used = 0
    line = Line([], 1, 1)
    for at, cell in enumerate(_cells(aligned)):
        if line.cells and used + cell.width > room:
            yield line
            line, used = Line([], said + 1, found + 1), 0
        line.cells.append(cell)
        used += cell.width + 1
        said += cell.kind != INSERTED
        found += cell.kind != DELETED
        if at in ends:
            yield line
            line, used = Line([], said + 1, found + 1), 0
    if line.cells:
        yield line


def _sentence_end_rows(aligned: AlignedWords) -> Indices:
    """Return the rows where a sentence of the reference ends, words inserted there included."""
    sentences = aligned.reference.sentences
    if sentences is None:
        return np.zeros(0, np.int64)
    # Words inserted between two sentences belong to the first.
    firsts = np.flatnonzero(np.isin(aligned.rows.source, sentences.gaps[:-1] + 1))
    if aligned.stops is not None:
        firsts = np.flatnonzero(np.diff(aligned.rows.part, prepend=0))
    return firsts - 1


def _cells(aligned: AlignedWords) -> Iterator[Cell]:
    said = [printable(word) for word in aligned.reference.words]
    found = [printable(word) for word in aligned.hypothesis.words]
    rows = aligned.rows
    cells = (each.tolist() for each in (rows.kind, rows.source, rows.target))
    for kind, i, j in zip(*cells, strict=True):
        ours, theirs = said[i] if i >= 0 else "", found[j] if j >= 0 else ""
        width = max(display_width(ours), display_width(theirs), 1)
        yield Cell(kind, ours or "*" * width, theirs or "*" * width, width)


def _format_lines(lines: list[Line], errors: bool) -> Iterator[str]:
    """Yield the text of lines, and how many words were left out between those with errors."""
    digits = len(str(max((max(line.said, line.found) for line in lines), default=1)))
    skipped = 0
    for line in lines:
        if errors and not line.wrong:
            skipped += len(line.cells)
            continue
        if skipped:
            yield from (_skipped(skipped), "")
            skipped = 0
        sides = (
            (f"REF {line.said:>{digits}}", [cell.said for cell in line.cells]),
            (f"HYP {line.found:>{digits}}", [cell.found for cell in line.cells]),
            (" " * (digits + 4), [SIGNS[cell.kind] for cell in line.cells]),
        )
        for front, words in sides:
            yield f"{front} {_side(words, line.cells)}".rstrip()
        yield ""
    if skipped:
        yield _skipped(skipped)


def _skipped(count: int) -> str:
    return f"⋯ {count} word{'s' * (count != 1)} without errors"


def _side(words: list[str], cells: list[Cell]) -> str:
    return " ".join(
        isolate_direction(word) + " " * (cell.width - display_width(word))
        for word, cell in zip(words, cells, strict=True)
    )


def isolate_direction(word: str) -> str:
    """Isolate a right-to-left word, so that it does not reorder the words around it."""
    if word.isascii() or RIGHT_TO_LEFT.isdisjoint(map(unicodedata.bidirectional, word)):
        return word
    return ISOLATED.format(word)


def alignments_as_json(results: Results, which: str) -> list[dict[str, Any]]:
    """Return runs of equal, substituted, deleted and inserted words with their places."""
    scores = results.scores[0]
    metric = words_metric(scores)
    found = []
    for document in scores.documents:
        hypothesis, references = document.texts_for(metric)
        for number, reference in enumerate(references, 1):
            runs = _runs(metric.aligned(hypothesis, reference))
            kept = [run for run in runs if which == "all" or run["kind"] != KINDS[EQUAL]]
            found.append({"document": document.id, "reference": number, "runs": kept})
    return found


def _runs(aligned: AlignedWords) -> Iterator[dict[str, Any]]:
    kinds = aligned.rows.kind
    edges = [0, *(np.flatnonzero(np.diff(kinds)) + 1).tolist(), len(kinds)]
    said = np.append(0, np.cumsum(kinds != INSERTED)).tolist()
    found = np.append(0, np.cumsum(kinds != DELETED)).tolist()
    for first, beyond in pairwise(edges) if len(kinds) else ():
        yield {
            "kind": KINDS[kinds[first]],
            "reference": [said[first], said[beyond]],
            "hypothesis": [found[first], found[beyond]],
        }


def page_alignments(results: Results) -> dict[str, Any] | None:
    """Return what the page shows: each reference text once, and what differs for each system."""
    try:
        metrics = [words_metric(each) for each in results.scores]
    except UnknownName:
        return None
    first = results.scores[0]
    by_id = [{each.id: each for each in one.documents} for one in results.scores]
    single = len(first.documents) == 1
    documents = []
    for document in first.documents:
        texts: dict[tuple[str, tuple[int, ...]], int] = {}
        systems = []
        for metric, one, scores in zip(metrics, by_id, results.scores, strict=True):
            own = scores.documents[0] if single else one[document.id]
            hypothesis, references = own.texts_for(metric)
            systems.append(
                [_page_alignment(metric.aligned(hypothesis, each), texts) for each in references]
            )
        documents.append(
            {"texts": [{"words": w, "ends": list(e)} for w, e in texts], "systems": systems}
        )
    return {"metric": first.metrics.index(metrics[0]), "documents": documents}


def _page_alignment(
    aligned: AlignedWords, texts: dict[tuple[str, tuple[int, ...]], int]
) -> dict[str, Any]:
    """Return the number of the reference text, runs of kinds, and the words that differ."""
    sentences = aligned.reference.sentences
    ends = () if sentences is None else tuple(sentences.gaps.tolist())
    key = ("\n".join(map(_flat, aligned.reference.words)), ends)
    rows = aligned.rows
    edges = np.flatnonzero(np.diff(rows.kind, prepend=-1, append=-1)).tolist()
    runs = [f"{b - a}{CODES[rows.kind[a]]}" for a, b in pairwise(edges)]
    places = rows.target[(rows.kind != EQUAL) & (rows.target >= 0)].tolist()
    words = aligned.hypothesis.words
    return {
        "text": texts.setdefault(key, len(texts)),
        "runs": "".join(runs),
        "words": "\n".join(_flat(words[at]) for at in places),
    }


def _flat(word: str) -> str:
    return word.replace("\n", " ")
