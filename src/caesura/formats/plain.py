"""Plain text: a sentence, a turn or an utterance a line, running text, or tokens."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from caesura.formats.base import TextFormat
from caesura.formats.rows import Rows
from caesura.formats.source import Source
from caesura.formats.trn import Trn
from caesura.formats.written import Written
from caesura.text.marks import sentence_ends
from caesura.text.tokens import lacks_blanks
from caesura.transcript import Transcript

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
    if not lines or is_columned(lines) or Trn.recognises(source):
        return ""
    if len(lines) == 1:
        return "text"
    text = Written(lacks_blanks(sample))
    for line in lines:
        text.add(line)
        text.end()
    inner = text.inner_ends(".?!") / len(lines)
    return "lines" if inner <= FEW else "text" if inner >= MANY else ""


_MARKUP = re.compile(r"[{<]|\[\s*([\[{\"\d\]]|$)|WEBVTT|File type = |-DOCSTART-|#!|# ")
_LABEL = re.compile(r"O|[BIESLU]-\S+|COMMA|PERIOD|QUESTION|EXCLAMATION")


def is_columned(lines: list[str]) -> bool:
    """Whether lines look like columns, cues or mark-up rather than like text."""
    shown = lines[:200]
    if _MARKUP.match(shown[0].lstrip("\ufeff \t")) or any("-->" in line for line in shown):
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
