"""Plain text: a line is a sentence, a turn or an utterance; or running text; or tokens."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np

from caesura.core.arrays import Indices
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.formats.base import Source, TextFormat
from caesura.formats.builder import Rows
from caesura.formats.recognize import MARKUP, recognizes
from caesura.text.punctuation import (
    WordParts,
    end_mark,
    is_opening,
    is_without_blanks,
    sentence_ends,
    split_marks,
    split_words,
    written_together,
)

HYPHEN = WordParts("", "-", "")
"""A hyphen between blanks is a word: annotators count four words in `u s - soviet`."""


class TextBuilder:
    """Builds a transcript line by line, as `Rows.token` does word by word, but much faster."""

    def __init__(self, characters: bool = False) -> None:
        """`characters`: the text has no blanks between words, and each character is a word."""
        self.characters = characters
        self.surfaces: list[str] = []
        self.blank: list[bool] = []
        self.ends: list[int] = []

    def __len__(self) -> int:
        return len(self.surfaces)

    def add(self, line: str) -> None:
        """Add the words of a line."""
        if not self.characters:
            self.surfaces += line.split()
            return
        for i, piece in enumerate(split_words(line, characters=True)):
            surface = piece.lstrip()
            if self.surfaces:
                close = written_together(self.surfaces[-1], surface) if i == 0 else piece == surface
                self.blank[-1] = not close
            self.surfaces.append(surface)
            self.blank.append(True)

    def end(self) -> None:
        """End a sentence after the last word."""
        if self.ends[-1:] != [len(self.surfaces)]:
            self.ends.append(len(self.surfaces))

    def transcript(self, id: str, marks: str = "") -> Transcript:
        """Return the transcript; sentences end where `end` was called and at `marks`.

        The label of a sentence is the mark at its end.
        """
        table = _WordTable(self)
        words, tails = table.words, table.tails
        labels = table.end_marks(marks)
        boundary = np.fromiter(map(bool, labels), np.bool_, len(words))
        for last in table.last_words():
            boundary[last] = True
            labels[last] = labels[last] or _final_mark(words[last], tails[last])
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
        """Count the marks that end a sentence where `end` was not called."""
        table = _WordTable(self)
        ends = set(table.last_words())
        return sum(1 for i, mark in enumerate(table.end_marks(marks)) if mark and i not in ends)


def _final_mark(word: str, mark: str) -> str:
    """Return the mark at a known sentence end; it may be the dot of an abbreviation."""
    return end_mark(mark) or ("." if word.endswith(".") else "")


class _WordTable:
    """Words, and the punctuation before and after each; punctuation alone goes to a neighbour."""

    def __init__(self, text: TextBuilder) -> None:
        split = [HYPHEN if surface == "-" else split_marks(surface) for surface in text.surfaces]
        columns = zip(*split, strict=True) if split else ((), (), ())
        self.openings, self.words, self.tails = (list(column) for column in columns)
        self.blank = list(text.blank) or [True] * len(split)
        self.ends = np.array(text.ends, dtype=np.int64)
        bare = [i for i, word in enumerate(self.words) if not word]
        if bare:
            self._attach(bare)

    def _attach(self, bare: list[int]) -> None:
        """Attach punctuation without a word to the word before it, or to the next one."""
        kept = np.flatnonzero(list(map(bool, self.words)))
        leads: dict[int, str] = {}
        for i, place in zip(bare, np.searchsorted(kept, bare).tolist(), strict=True):
            surface = self.openings[i]
            if (
                place == 0
                or is_opening(surface)
                or self._begins_line(i, kept[place - 1 : place + 1])
            ):
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

    def _begins_line(self, at: int, around: Indices) -> bool:
        """Whether punctuation is in the sentence of the word after it, and not before it."""
        sentence = np.searchsorted(self.ends, [at, *around.tolist()], side="right").tolist()
        return len(sentence) == 3 and sentence[1] < sentence[0] == sentence[2]

    def end_marks(self, marks: str) -> list[str]:
        """Return the sentence mark after each word, '' for none."""
        # Most words have no punctuation and need not be looked at.
        marked = [i for i, tail in enumerate(self.tails) if tail or self.words[i][-1] == "."]
        after = [*self.words[1:], ""]
        words = [word for i in marked for word in (self.words[i], after[i])]
        tails = [tail for i in marked for tail in (self.tails[i], "")]
        labels = [""] * len(self.words)
        if marked:
            for i, label in zip(marked, sentence_ends(words, tails, marks)[::2], strict=True):
                labels[i] = label
        return labels

    def last_words(self) -> list[int]:
        """Return the last word of each sentence that `end` ended."""
        return [end - 1 for end in np.unique(self.ends).tolist() if end]


MARKS = ".?!;"
"""Marks that end sentences in running text."""

SAMPLE = 200_000
"""Characters of a file by which `lines` are told from `text`."""

MOST_FOR_LINES, LEAST_FOR_TEXT = 0.02, 0.2
"""Sentence ends inside lines, for each line: at most so many in `lines`, at least in `text`."""


@dataclass(frozen=True, repr=False)
class Lines(TextFormat):
    """One sentence a line; empty lines are ignored."""

    name = "lines"
    plain = True
    may_be_empty = True
    suffixes = (".txt",)
    carries = frozenset({"opening", "mark", "sentences"})

    @classmethod
    def recognises(cls, source: Source) -> bool:
        """Whether there are several lines, and hardly any sentence ends inside a line."""
        return _kind(source) == cls.name

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Read each line as a sentence."""
        text = TextBuilder(is_without_blanks(source.text))
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
        text = TextBuilder(is_without_blanks(source.text))
        for _, line in source.lines():
            if line.strip():
                text.add(line)
            else:
                text.end()
        text.end()
        yield text.transcript(source.stem, self.marks)

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Write the text; an empty line follows a sentence that has no mark at its end."""
        transcript = self.single(transcripts)
        pieces = transcript.surface()
        if transcript.sentences is not None and pieces:
            marks = transcript.mark or ("",) * len(transcript)
            visible = sentence_ends(transcript.words, marks, self.marks)
            for last in transcript.sentences.gaps.tolist():
                pieces[last] = pieces[last] if visible[last] else pieces[last].rstrip() + "\n\n"
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
        """Read recording by recording; several are numbered."""
        recordings = _recordings(source)
        first, second = next(recordings, None), next(recordings, None)
        if first is None:
            return
        if second is None:
            yield first.transcript(source.stem, self.marks)
            return
        stem = f"{source.stem}-" if source.stem else ""
        for number, text in enumerate(chain((first, second), recordings), 1):
            yield text.transcript(f"{stem}{number}", self.marks)

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Write each sentence as a line, and an empty line between recordings."""
        between = ""
        for transcript in transcripts:
            if len(transcript):
                yield between
                yield from _sentences(transcript)
                between = "\n"


@dataclass(frozen=True, repr=False)
class Tokens(TextFormat):
    """One tokenised sentence a line: tokens have a blank between them and are kept as they are."""

    name = "tokens"
    may_be_empty = True
    suffixes = (".txt",)
    carries = frozenset({"sentences"})

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Split at line feeds and blanks only, because tokens may contain other white space."""
        rows = Rows()
        for line in source.text.split("\n"):
            for token in line.removesuffix("\r").split(" "):
                if token:
                    rows.add(token)
            rows.end_sentence()
        yield rows.transcript(source.stem)

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Write each sentence as a line; white space inside a word becomes `_`."""
        for sentence in self.single(transcripts).split_sentences():
            yield " ".join("_".join(word.split()) for word in sentence.words) + "\n"


@dataclass(frozen=True, repr=False)
class Utterances(TextFormat):
    """One utterance a line, each a recording; its id is the line number, and it may be empty."""

    name = "utterances"
    every_line = True
    suffixes = (".txt",)
    carries = frozenset({"opening", "mark"})
    holds = "many"

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Read line by line; nothing follows the last line end."""
        if not source.text:
            raise source.error(
                "the file is empty: it needs a line for each utterance, even if nothing was said"
            )
        characters = is_without_blanks(source.text)
        for number, line in enumerate(source.text.removesuffix("\n").split("\n"), 1):
            text = TextBuilder(characters)
            text.add(line)
            yield text.transcript(str(number)).replace(sentences=None)

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Write each recording as a line, without its id."""
        for transcript in transcripts:
            yield " ".join(transcript.text.split()) + "\n"


def _sentences(transcript: Transcript) -> Iterator[str]:
    for sentence in transcript.split_sentences():
        line = " ".join(sentence.text.split())
        if line:
            yield line + "\n"


def _recordings(source: Source) -> Iterator[TextBuilder]:
    characters = is_without_blanks(source.text)
    text = TextBuilder(characters)
    for _, line in source.lines():
        if line.strip():
            text.add(line)
            text.end()
        elif len(text):
            yield text
            text = TextBuilder(characters)
    if len(text):
        yield text


def _kind(source: Source) -> str:
    """Tell `lines` from `text` by how often sentences end inside lines; '' if it is unclear."""
    sample = source.text[:SAMPLE]
    lines = [line for line in sample.splitlines() if line.strip()]
    if not lines or _is_table(lines) or recognizes("trn", source):
        return ""
    if len(lines) == 1:
        return "text"
    text = TextBuilder(is_without_blanks(sample))
    for line in lines:
        text.add(line)
        text.end()
    inner = text.inner_ends(".?!") / len(lines)
    return "lines" if inner <= MOST_FOR_LINES else "text" if inner >= LEAST_FOR_TEXT else ""


_LABEL = re.compile(r"O|[BIESLU]-\S+|COMMA|PERIOD|QUESTION|EXCLAMATION")


def _is_table(lines: list[str]) -> bool:
    """Whether lines look like a table, captions or mark-up and not like text."""
    first = lines[:200]
    if MARKUP.match(first[0].lstrip("\ufeff \t")) or any("-->" in line for line in first):
        return True
    fields = [line.split() for line in first]
    tests = (
        lambda i: "\t" in first[i].strip(),
        lambda i: first[i].count("|") > 2,
        lambda i: len(fields[i]) > 1 and _LABEL.fullmatch(fields[i][-1]) and len(fields[i]) < 6,
        lambda i: sum(map(_is_time, fields[i][1:5])) > 1,
    )
    return any(2 * sum(map(bool, map(test, range(len(first))))) > len(first) for test in tests)


def _is_time(field: str) -> bool:
    return bool(re.fullmatch(r"\d+(\.\d*)?", field))
