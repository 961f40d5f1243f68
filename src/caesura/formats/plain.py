"""Plain text: a sentence, a turn or an utterance a line, running text, or tokens."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np

from caesura.core.arrays import Indices
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.formats.base import TextFormat
from caesura.formats.builder import Rows
from caesura.formats.recognize import MARKUP, recognizes
from caesura.formats.source import Source
from caesura.text.punctuation import Pieces, end_mark, is_opening, sentence_ends, split_marks
from caesura.text.tokens import joined, lacks_blanks, pieces

HYPHEN = Pieces("", "-", "")
"""In plain text a lone hyphen is a word: `u s - soviet` has four, as its annotators count."""


class Written:
    """Text line by line: what `Rows.token` does word by word, fast enough for large corpora."""

    def __init__(self, characters: bool = False) -> None:
        """Begin; with `characters` the text has no blanks and its characters are words."""
        self.characters = characters
        self.surfaces: list[str] = []
        self.blank: list[bool] = []
        self.ends: list[int] = []

    def __len__(self) -> int:
        return len(self.surfaces)

    def add(self, line: str) -> None:
        """Add a line of text."""
        if not self.characters:
            self.surfaces += line.split()
            return
        for i, piece in enumerate(pieces(line, characters=True)):
            surface = piece.lstrip()
            if self.surfaces:
                close = joined(self.surfaces[-1], surface) if i == 0 else piece == surface
                self.blank[-1] = not close
            self.surfaces.append(surface)
            self.blank.append(True)

    def end(self) -> None:
        """End a sentence here."""
        if self.ends[-1:] != [len(self.surfaces)]:
            self.ends.append(len(self.surfaces))

    def transcript(self, id: str, marks: str = "") -> Transcript:
        """Make the transcript; sentences end where told, and where words carry one of `marks`.

        The label of a sentence is the plain mark at its end.
        """
        table = _Table(self)
        words, tails = table.words, table.tails
        labels = table.found(marks)
        boundary = np.fromiter(map(bool, labels), np.bool_, len(words))
        for last in table.lasts():
            boundary[last] = True
            labels[last] = labels[last] or _final(words[last], tails[last])
        label = tuple(labels) if any(labels) else None
        return Transcript(
            words=tuple(words),
            id=id,
            blank=None if all(table.blank) else np.array(table.blank),
            opening=tuple(table.openings) if any(table.openings) else None,
            mark=tuple(tails) if any(tails) else None,
            sentences=Segmentation(boundary, label),
        )

    def inner_ends(self, marks: str) -> int:
        """Count sentence ends by marks that are not told ends."""
        table = _Table(self)
        told = set(table.lasts())
        return sum(1 for i, mark in enumerate(table.found(marks)) if mark and i not in told)


def _final(word: str, mark: str) -> str:
    """Give the plain mark at a sentence end that is known to be one."""
    return end_mark(mark) or ("." if word.endswith(".") else "")


class _Table:
    """Words, and the punctuation before and after them; lone punctuation goes to a neighbour."""

    def __init__(self, text: Written) -> None:
        split = [HYPHEN if surface == "-" else split_marks(surface) for surface in text.surfaces]
        columns = zip(*split, strict=True) if split else ((), (), ())
        self.openings, self.words, self.tails = (list(column) for column in columns)
        self.blank = list(text.blank) or [True] * len(split)
        self.ends = np.array(text.ends, dtype=np.int64)
        bare = [i for i, word in enumerate(self.words) if not word]
        if bare:
            self._attach(bare)

    def _attach(self, bare: list[int]) -> None:
        """Give lone punctuation to the word before it, or after it if that is where it belongs."""
        kept = np.flatnonzero(list(map(bool, self.words)))
        leads: dict[int, str] = {}
        for i, place in zip(bare, np.searchsorted(kept, bare).tolist(), strict=True):
            surface = self.openings[i]
            if place == 0 or is_opening(surface) or self._leads(i, kept[place - 1 : place + 1]):
                leads[place] = leads.get(place, "") + surface + " " * self.blank[i]
                continue
            before = int(kept[place - 1])
            self.tails[before] += " " * self.blank[before] + surface
            self.blank[before] = self.blank[i]
        for place, lead in leads.items():
            if place < len(kept):
                self.openings[kept[place]] = lead + self.openings[kept[place]]
            elif len(kept):
                self.tails[kept[-1]] += " " + lead.rstrip()
        self.ends = np.searchsorted(kept, self.ends)
        self.openings = [self.openings[i] for i in kept.tolist()]
        self.words = [self.words[i] for i in kept.tolist()]
        self.tails = [self.tails[i] for i in kept.tolist()]
        self.blank = [self.blank[i] for i in kept.tolist()]

    def _leads(self, at: int, around: Indices) -> bool:
        """Whether punctuation begins a stretch that has the second of the words around it."""
        stretch = np.searchsorted(self.ends, [at, *around.tolist()], side="right").tolist()
        return len(stretch) == 3 and stretch[1] < stretch[0] == stretch[2]

    def found(self, marks: str) -> list[str]:
        """Give the sentence mark of each gap; most have no punctuation and are passed over."""
        marked = [i for i, tail in enumerate(self.tails) if tail or self.words[i][-1] == "."]
        after = [*self.words[1:], ""]
        words = [word for i in marked for word in (self.words[i], after[i])]
        tails = [tail for i in marked for tail in (self.tails[i], "")]
        labels = [""] * len(self.words)
        if marked:
            for i, label in zip(marked, sentence_ends(words, tails, marks)[::2], strict=True):
                labels[i] = label
        return labels

    def lasts(self) -> list[int]:
        """Give the last word of each stretch whose end was told."""
        return [end - 1 for end in np.unique(self.ends).tolist() if end]


MARKS = ".?!;"
"""Sentence marks that end sentences in running text."""

SAMPLE = 200_000
"""Characters that are looked at to tell what kind of text a file is."""

FEW, MANY = 0.02, 0.2
"""Sentence ends inside lines, a line: fewer make lines sentences, more make them running text."""


@dataclass(frozen=True, repr=False)
class Lines(TextFormat):
    """One sentence a line; empty lines mean nothing."""

    name = "lines"
    plain = True
    may_be_empty = True
    suffixes = (".txt",)
    carries = frozenset({"opening", "mark", "sentences"})

    @classmethod
    def recognises(cls, source: Source) -> bool:
        """Whether there are several lines, and hardly a sentence end inside any."""
        return _kind(source) == cls.name

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Read each line as a sentence."""
        text = Written(lacks_blanks(source.text))
        for _, line in source.lines():
            text.add(line)
            text.end()
        yield text.transcript(source.stem)

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Write each sentence as a line."""
        yield from _sentences(self.single(transcripts))


@dataclass(frozen=True, repr=False)
class Text(TextFormat):
    """Running text of one recording: sentences end at `marks` and at empty lines."""

    marks: str = MARKS

    name = "text"
    plain = True
    may_be_empty = True
    suffixes = (".txt",)
    carries = frozenset({"opening", "mark"})

    @classmethod
    def recognises(cls, source: Source) -> bool:
        """Whether there is one line, or many sentence ends inside lines."""
        return _kind(source) == cls.name

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Read all lines as one text."""
        text = Written(lacks_blanks(source.text))
        for _, line in source.lines():
            if line.strip():
                text.add(line)
            else:
                text.end()
        text.end()
        yield text.transcript(source.stem, self.marks)

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Write the text; an empty line where no mark tells the sentence end."""
        transcript = self.single(transcripts)
        pieces = transcript.surface()
        if transcript.sentences is not None and pieces:
            marks = transcript.mark or ("",) * len(transcript)
            told = sentence_ends(transcript.words, marks, self.marks)
            for last in transcript.sentences.gaps.tolist():
                pieces[last] = pieces[last] if told[last] else pieces[last].rstrip() + "\n\n"
        yield "".join(pieces).rstrip() + "\n"


@dataclass(frozen=True, repr=False)
class Turns(TextFormat):
    """One turn a line: sentences end at `marks` and line ends, recordings at empty lines."""

    marks: str = MARKS

    name = "turns"
    may_be_empty = True
    suffixes = (".txt",)
    carries = frozenset({"opening", "mark"})
    holds = "many"

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Read recordings one by one; several are numbered."""
        found = _recordings(source)
        first, second = next(found, None), next(found, None)
        if first is None:
            return
        if second is None:
            yield first.transcript(source.stem, self.marks)
            return
        stem = f"{source.stem}-" if source.stem else ""
        for number, text in enumerate(chain((first, second), found), 1):
            yield text.transcript(f"{stem}{number}", self.marks)

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Write each sentence as a line, an empty line between recordings."""
        between = ""
        for transcript in transcripts:
            if len(transcript):
                yield between
                yield from _sentences(transcript)
                between = "\n"


@dataclass(frozen=True, repr=False)
class Tokens(TextFormat):
    """A tokenised sentence a line: tokens are parted by single blanks and kept as they are."""

    name = "tokens"
    may_be_empty = True
    suffixes = (".txt",)
    carries = frozenset({"sentences"})

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Split at line feeds and blanks only, as other white space may be in tokens."""
        rows = Rows()
        for line in source.text.split("\n"):
            for token in line.removesuffix("\r").split(" "):
                if token:
                    rows.add(token)
            rows.end_sentence()
        yield rows.transcript(source.stem)

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Write each sentence as a line; white space inside a word becomes `_`."""
        for sentence in self.single(transcripts).iter_sentences():
            yield " ".join("_".join(word.split()) for word in sentence.words) + "\n"


@dataclass(frozen=True, repr=False)
class Utterances(TextFormat):
    """One utterance a line, each a recording named after its line; one may have no words."""

    name = "utterances"
    every_line = True
    suffixes = (".txt",)
    carries = frozenset({"opening", "mark"})
    holds = "many"

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Read line by line; what the last line end ends is no further line."""
        if not source.text:
            raise source.error("the file is empty: it has no line, not even one of no words")
        characters = lacks_blanks(source.text)
        for number, line in enumerate(source.text.removesuffix("\n").split("\n"), 1):
            text = Written(characters)
            text.add(line)
            yield text.transcript(str(number)).replace(sentences=None)

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Write a line a recording, in their order; their names are not written."""
        for transcript in transcripts:
            yield " ".join(transcript.text.split()) + "\n"


def _sentences(transcript: Transcript) -> Iterator[str]:
    for sentence in transcript.iter_sentences():
        line = " ".join(sentence.text.split())
        if line:
            yield line + "\n"


def _recordings(source: Source) -> Iterator[Written]:
    characters = lacks_blanks(source.text)
    text = Written(characters)
    for _, line in source.lines():
        if line.strip():
            text.add(line)
            text.end()
        elif len(text):
            yield text
            text = Written(characters)
    if len(text):
        yield text


def _kind(source: Source) -> str:
    """Tell `lines` from `text` by how often sentences end inside lines; '' if that is unclear."""
    sample = source.text[:SAMPLE]
    lines = [line for line in sample.splitlines() if line.strip()]
    if not lines or is_columned(lines) or recognizes("trn", source):
        return ""
    if len(lines) == 1:
        return "text"
    text = Written(lacks_blanks(sample))
    for line in lines:
        text.add(line)
        text.end()
    inner = text.inner_ends(".?!") / len(lines)
    return "lines" if inner <= FEW else "text" if inner >= MANY else ""


_LABEL = re.compile(r"O|[BIESLU]-\S+|COMMA|PERIOD|QUESTION|EXCLAMATION")


def is_columned(lines: list[str]) -> bool:
    """Whether lines look like columns, cues or mark-up rather than like text."""
    shown = lines[:200]
    if MARKUP.match(shown[0].lstrip("\ufeff \t")) or any("-->" in line for line in shown):
        return True
    fields = [line.split() for line in shown]
    tests = (
        lambda i: "\t" in shown[i].strip(),
        lambda i: shown[i].count("|") > 2,
        lambda i: len(fields[i]) > 1 and _LABEL.fullmatch(fields[i][-1]) and len(fields[i]) < 6,
        lambda i: sum(map(_is_time, fields[i][1:5])) > 1,
    )
    return any(2 * sum(map(bool, map(test, range(len(shown))))) > len(shown) for test in tests)


def _is_time(field: str) -> bool:
    return bool(re.fullmatch(r"\d+(\.\d*)?", field))
