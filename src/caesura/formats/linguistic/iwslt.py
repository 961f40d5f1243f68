"""Punctuation labels as in IWSLT: one word a line with the name of the mark after it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from caesura.core.arrays import Strings
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.formats.base import Source, TextFormat
from caesura.text.punctuation import end_mark

LABELS = {
    "O": "",
    "COMMA": ",",
    "PERIOD": ".",
    "QUESTION": "?",
    "EXCLAMATION": "!",
    "SEMICOLON": ";",
    "COLON": ":",
    "DASH": "—",
    "ELLIPSIS": "…",
    "QUESTIONMARK": "?",
    "EXCLAMATIONMARK": "!",
    "QUESTION_MARK": "?",
    "EXCLAMATION_MARK": "!",
    "FULL_STOP": ".",
}
"""Names of marks in corpora; of several names for one mark the first is written."""

NAMES = {mark: name for name, mark in reversed(LABELS.items())}
ENDS = ".?!"
_CONTROLS = re.compile(r"[\t\n\r]")


@dataclass(frozen=True, repr=False)
class Iwslt(TextFormat):
    """Punctuation labels as in IWSLT: a word, a TAB and O, COMMA, PERIOD, QUESTION or another.

    PERIOD, QUESTION and EXCLAMATION end sentences; every mark is the label of its gap, and in
    the layer `mark`. A row without a word is still a word, so that there are as many words as
    rows.
    """

    name = "iwslt"
    may_be_empty = True
    suffixes = (".tsv", ".iwslt", ".txt")
    carries = frozenset({"sentences", "labels"})

    @classmethod
    def recognises(cls, source: Source) -> bool:
        """Whether every row has a word and a label, and not all labels are O."""
        labels = {line.partition("\t")[2] for _, line in source.lines() if line.strip()}
        return labels > {"O"} and labels <= LABELS.keys()

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Read row by row."""
        words, marks = [], []
        for number, line in source.lines():
            if not line.strip():
                continue
            word, tab, label = line.partition("\t")
            if label not in LABELS or not tab:
                raise source.error(
                    f"{label!r} is no label" if tab else f"{word!r} has no label",
                    number,
                    "a row has a word, a TAB and one of " + ", ".join(LABELS),
                )
            words.append(word.strip())
            marks.append(LABELS[label])
        if not words:
            return
        boundary = np.array([bool(mark) and mark in ENDS for mark in marks], np.bool_)
        yield Transcript(
            words=tuple(words),
            id=source.stem,
            mark=tuple(marks) if any(marks) else None,
            sentences=Segmentation(boundary, tuple(marks)),
        )

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Write each word with the label of its gap."""
        transcript = self.single(transcripts)
        for word, mark in zip(transcript.words, _marks(transcript), strict=True):
            yield f"{_CONTROLS.sub(' ', word)}\t{NAMES.get(mark, 'O')}\n"


def _marks(transcript: Transcript) -> Strings:
    """Return the mark of each gap: the label of known sentences, or else the punctuation."""
    written = tuple(map(_plain, transcript.mark or ("",) * len(transcript)))
    sentences = transcript.sentences
    if sentences is None:
        return written
    last = len(transcript) - 1
    marks = []
    for at, ends in enumerate(sentences.boundary.tolist()):
        mark = written[at] if sentences.label is None else sentences.label[at]
        if ends and at < last and mark not in tuple(ENDS):
            mark = "."
        elif not ends and mark in tuple(ENDS):
            mark = ""
        marks.append(mark)
    return tuple(marks)


def _plain(mark: str) -> str:
    """Return the one mark that the punctuation after a word stands for."""
    signs = mark.replace("...", "…").replace("--", "—").replace("–", "—")
    return end_mark(mark) or next(
        (sign for sign in signs if sign in NAMES and sign not in ENDS), ""
    )
