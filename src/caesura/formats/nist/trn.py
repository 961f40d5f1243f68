"""One utterance a line with its id: TRN of NIST's sclite, and `text` of a Kaldi data folder."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import PurePath

from caesura.core.errors import OutputError
from caesura.core.transcript import Transcript
from caesura.formats.base import Source, TextFormat
from caesura.formats.builder import Rows
from caesura.formats.nist import nist_fields
from caesura.formats.nist.ctm import EVENT

_DIGIT = re.compile(r"\d")
_ID = re.compile(r"(?=.*\d)(?=.*(?:-|[^\W\d]))\w[\w./-]*\w")
"""An id, not a word or a list number: it has digits, and letters or dashes with them."""


@dataclass(frozen=True, repr=False)
class Trn(TextFormat):
    """TRN (NIST's sclite): words, then the utterance's id in brackets; each is a recording.

    Of alternatives `{ a / b / @ }` the first that has words is the text, the others are its
    alternatives; these are not written. Lines that begin with `;;` are comments.
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
        for _, text in nist_fields.content_lines(source):
            _, id = _split_id(text)
            if id in seen or not _DIGIT.search(id):
                return False
            seen.add(id)
        return len(seen) > 1

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Read line by line."""
        seen: set[str] = set()
        for line, text in nist_fields.content_lines(source):
            words, id = _split_id(text)
            if not id:
                raise source.error(
                    "a line does not end in the id of its utterance",
                    line,
                    "write it in brackets: words (id)",
                )
            _check_unique(id, seen, line, source)
            rows, error = Rows(), partial(source.error, line=line)
            nist_fields.add_with_alternatives(words.split(), rows, _add_words, error)
            yield rows.transcript(id)

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Write one utterance a line."""
        for id, words in _ids_and_words(transcripts, "trn"):
            if set(id) & set("()"):
                raise OutputError(f"the id {id!r} has brackets, which end it in a TRN")
            if "{" in words:
                raise OutputError(f"a word of {id!r} is '{{', which begins an alternative in a TRN")
            if words and words[0].startswith(";;"):
                raise OutputError(f"the utterance {id!r} would be a comment in a TRN")
            yield " ".join([*words, f"({id})"]) + "\n"


@dataclass(frozen=True, repr=False)
class Kaldi(TextFormat):
    """`text` of a Kaldi data folder: an utterance's id, then its words; each is a recording."""

    name = "kaldi"
    may_be_empty = True
    suffixes = (".txt", ".kaldi")
    carries = frozenset({"opening", "mark", "id"})
    holds = "many"

    @classmethod
    def recognises(cls, source: Source) -> bool:
        """Whether the file has the name it has in a data folder, and its lines have ids."""
        return PurePath(source.name).name == "text" and has_ids(source)

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Read line by line."""
        seen: set[str] = set()
        for line, text in source.lines():
            id, *words = text.split() or [""]
            if id:
                _check_unique(id, seen, line, source)
                rows = Rows()
                _add_words(words, rows)
                yield rows.transcript(id)

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Write one utterance a line."""
        for id, words in _ids_and_words(transcripts, "Kaldi's text"):
            yield " ".join([id, *words]) + "\n"


def _split_id(text: str) -> tuple[str, str]:
    """Split a line into words and id; the id is '' if the line does not end in one."""
    words, _, id = text.rstrip().removesuffix(")").rpartition("(")
    is_id = text.rstrip().endswith(")") and id.split() == [id] and ")" not in id
    return words, id if is_id else ""


def _check_unique(id: str, seen: set[str], line: int, source: Source) -> None:
    if id in seen:
        raise source.error(f"the utterance {id!r} comes again", line, "give each its own id")
    seen.add(id)


def has_ids(source: Source) -> bool:
    """Whether there are several lines, and all begin with ids of their own, as Kaldi's do."""
    seen: set[str] = set()
    has_words = False
    for _, text in source.lines():
        id, *words = text.split(maxsplit=1) or [""]
        if id and (id in seen or not _ID.fullmatch(id)):
            return False
        seen.add(id)
        has_words = has_words or bool(words)
    return has_words and len(seen - {""}) > 1


def _add_words(words: Iterable[str], rows: Rows) -> None:
    """Add written words; a sound such as `[noise]` is one word."""
    for word in words:
        if EVENT.fullmatch(word):
            rows.add(word)
        else:
            rows.token(word)


def _ids_and_words(transcripts: Iterable[Transcript], what: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the id of each recording, and its words with their punctuation."""
    used: set[str] = set()
    for transcript in transcripts:
        id = nist_fields.as_field(transcript.id) or "recording"
        if id in used:
            raise OutputError(
                f"two recordings would be {id!r} in {what}",
                remedy="write into a folder, or give one of them another id",
            )
        used.add(id)
        words = [word for word in map(nist_fields.as_field, transcript.surface()) if word]
        yield id, words
