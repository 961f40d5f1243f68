"""Utterances, one a line: TRN of NIST's sclite, and the `text` of a Kaldi data folder."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from caesura.errors import OutputError
from caesura.formats import nist
from caesura.formats.base import TextFormat
from caesura.formats.ctm import EVENT
from caesura.formats.rows import Rows
from caesura.formats.source import Source
from caesura.transcript import Span, Transcript

NOTHING = "@"
"""In alternatives: nothing was said."""

_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, repr=False)
class Trn(TextFormat):
    """Words, then the utterance's id in brackets; each utterance is a recording.

    Of alternatives `{ a / b / @ }` the first that has words is the text, the others are its
    readings; these are not written. Lines that begin with `;;` are comments.
    """

    name = "trn"
    may_be_empty = True
    suffixes = (".trn", ".txt")
    carries = frozenset({"opening", "mark", "id"})
    holds = "many"

    @classmethod
    def recognises(cls, source: Source) -> bool:
        """Whether there are several lines, all with ids of their own that have a digit."""
        seen: set[str] = set()
        for _, text in nist.rows(source):
            _, id = _parted(text)
            if id in seen or not _DIGIT.search(id):
                return False
            seen.add(id)
        return len(seen) > 1

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Read line by line."""
        seen: set[str] = set()
        for line, text in nist.rows(source):
            words, id = _parted(text)
            if not id:
                raise source.error(
                    "a line does not end in the id of its utterance",
                    line,
                    "write it in brackets: words (id)",
                )
            _refuse_twice(id, seen, line, source)
            yield _transcript(id, words.split(), line, source)

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Write a line an utterance."""
        for id, words in _written(transcripts, "trn"):
            if set(id) & set("()"):
                raise OutputError(f"the id {id!r} has brackets, which end it in a TRN")
            if "{" in words:
                raise OutputError(f"a word of {id!r} is '{{', which begins an alternative in a TRN")
            if words and words[0].startswith(";;"):
                raise OutputError(f"the utterance {id!r} would be a comment in a TRN")
            yield " ".join([*words, f"({id})"]) + "\n"


@dataclass(frozen=True, repr=False)
class Kaldi(TextFormat):
    """The utterance's id, then its words; each utterance is a recording."""

    name = "kaldi"
    may_be_empty = True
    suffixes = (".txt",)
    carries = frozenset({"opening", "mark", "id"})
    holds = "many"

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Read line by line."""
        seen: set[str] = set()
        for line, text in source.lines():
            id, *words = text.split() or [""]
            if id:
                _refuse_twice(id, seen, line, source)
                yield _rows(words).transcript(id)

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Write a line an utterance."""
        for id, words in _written(transcripts, "Kaldi's text"):
            yield " ".join([id, *words]) + "\n"


def _parted(text: str) -> tuple[str, str]:
    """Part a line into words and id; '' if it does not end in one."""
    words, _, id = text.rstrip().removesuffix(")").rpartition("(")
    told = text.rstrip().endswith(")") and id.split() == [id] and ")" not in id
    return words, id if told else ""


def _refuse_twice(id: str, seen: set[str], line: int, source: Source) -> None:
    if id in seen:
        raise source.error(f"the utterance {id!r} comes again", line, "give each its own id")
    seen.add(id)


def _rows(words: Iterable[str], rows: Rows | None = None) -> Rows:
    """Add written words; a sound such as `[noise]` is one word."""
    rows = Rows() if rows is None else rows
    for word in words:
        if EVENT.fullmatch(word):
            rows.add(word)
        else:
            rows.token(word)
    return rows


def _transcript(id: str, words: list[str], line: int, source: Source) -> Transcript:
    rows, readings = Rows(), list[Span]()
    at = 0
    while at < len(words):
        if words[at] != "{":
            _rows(words[at : at + 1], rows)
            at += 1
            continue
        stop = words.index("}", at) if "}" in words[at:] else len(words)
        inside = words[at + 1 : stop]
        if stop == len(words) or "{" in inside:
            what = "is not closed" if stop == len(words) else "has another inside"
            raise source.error(f"an alternative that begins with {{ {what}", line)
        readings += _alternatives(inside, rows)
        at = stop + 1
    return rows.transcript(id).replace(readings=tuple(readings) or None)


def _alternatives(words: list[str], rows: Rows) -> Iterator[Span]:
    """Add the words of the first alternative that has some, and give the others as readings."""
    ways: list[list[str]] = [[]]
    for word in words:
        if word == "/":
            ways.append([])
        elif word != NOTHING:
            ways[-1].append(word)
    said = [_rows(way).words for way in ways]
    text = next((place for place, way in enumerate(said) if way), None)
    if text is None:
        return
    first = len(rows)
    _rows(ways[text], rows)
    written = [" ".join(way) for place, way in enumerate(said) if place != text]
    for label in dict.fromkeys(written):
        yield Span(first, len(rows) - 1, label)


def _written(transcripts: Iterable[Transcript], what: str) -> Iterator[tuple[str, list[str]]]:
    """Give the id of each recording, and its words as they are written."""
    taken: set[str] = set()
    for transcript in transcripts:
        id = nist.field(transcript.id) or "recording"
        if id in taken:
            raise OutputError(
                f"two recordings would be {id!r} in {what}",
                remedy="write into a folder, or give one of them another id",
            )
        taken.add(id)
        words = [word for word in map(nist.field, transcript.surface()) if word]
        yield id, words
