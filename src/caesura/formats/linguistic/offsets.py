"""JSON with character offsets, as libraries that analyse text save it: spaCy, Stanza, one's own."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from caesura.core.errors import FormatError
from caesura.core.transcript import Transcript
from caesura.formats.base import JsonFormat
from caesura.formats.builder import Rows
from caesura.formats.linguistic.bio import entities
from caesura.formats.linguistic.offsets_text import KEYS, Page, Text, is_text, pair, placed
from caesura.formats.source import Source, counted, string

logger = logging.getLogger("caesura")

_ID = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


def is_sentences(document: Any) -> bool:
    """Whether a JSON value is a list of lists of tokens."""
    return (
        isinstance(document, list)
        and bool(document)
        and all(isinstance(s, list) and all(map(_is_token, s)) for s in document)
    )


def _is_token(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("text"), str)


def has_offsets(document: list[list[dict[str, Any]]]) -> bool:
    """Whether its tokens are numbered, and some have offsets."""
    tokens = [token for sentence in document for token in sentence]
    return all("id" in token for token in tokens) and any(
        "start_char" in token or "start_char=" in string(token.get("misc")) for token in tokens
    )


class Sentences:
    """The words of a document, read sentence by sentence."""

    def __init__(self, document: list[list[dict[str, Any]]], source: Source, place: str) -> None:
        self.source, self.place = source, place
        self.rows = Rows()
        self.empty = 0
        self._last, self._blank = -1, True
        """Last word of the token before, and whether a blank is said to follow it."""
        self._end: int | None = None
        """The offset where that token ends."""
        for n, entries in enumerate(document):
            self._sentence(n, entries)
        if self.empty:
            told = counted(self.empty, "empty node is", "empty nodes are")
            logger.warning("%s: %s left out", source.name, told)

    def _error(self, what: str) -> FormatError:
        return self.source.error(self.place + what)

    def _sentence(self, n: int, entries: list[dict[str, Any]]) -> None:
        rows = self.rows
        base, closing = len(rows), len(rows) - 1
        heads: list[tuple[str, Any]] = []
        tokens: list[tuple[int, int]] = []
        tags: list[str] = []
        for k, entry in enumerate(entries):
            name, at = f"[{n}][{k}]", len(rows)
            ids = _numbers(entry.get("id", at - base + 1))
            if len(ids) == 2 and ids[0] <= at - base:
                self.empty += 1
                continue
            last = self._numbered(ids, base, name)
            if len(ids) == 2 and at > closing:
                rows.multiword(at, last, self._text(entry, name))
            else:
                rows.add(self._text(entry, name), **_cells(entry))
                heads.append((name, entry.get("head")))
            if at > closing:
                self._token(entry, last, name)
                tokens.append((at, last))
                tags.append(self._tag(entry))
                closing = last
        if closing >= len(rows):
            raise self._error(f"sentence [{n}] lacks words of its last multiword token")
        self._heads(heads, base)
        for span in entities(tags):
            rows.entity(tokens[span.first][0], tokens[span.last][1], span.label)
        rows.end_sentence()

    def _numbered(self, ids: tuple[int, ...], base: int, name: str) -> int:
        """Give the last word of a token whose first must be the next one of its sentence."""
        expected = len(self.rows) - base + 1
        if not ids or len(ids) > 2 or ids[0] != expected or ids[-1] < expected:
            raise self._error(f"the id of {name} is not {expected}: ids count the words from 1")
        return base + ids[-1] - 1

    def _text(self, entry: dict[str, Any], name: str) -> str:
        text = entry["text"]
        if not text.strip():
            raise self._error(f"the text of {name} is empty")
        return str(text)

    def _token(self, entry: dict[str, Any], last: int, name: str) -> None:
        """Find from its place whether a blank stands before a token."""
        misc = _misc(entry)
        start, end = (_offset(entry, misc, key) for key in ("start_char", "end_char"))
        if start is not None and end is not None and not 0 <= start <= end:
            raise self._error(f"{name} is at [{start}, {end}], which cannot be")
        blank = self._blank
        if start is not None and self._end is not None:
            if start < self._end:
                raise self._error(
                    f"{name} begins at {start}, before the token before it ends, at {self._end}"
                )
            blank = start > self._end
        if self._last >= 0:
            self.rows.set("blank", self._last, blank)
        self._last, self._end = last, end
        self._blank = misc.get("SpaceAfter") != "No"

    def _tag(self, entry: dict[str, Any]) -> str:
        tag = string(entry.get("ner", _misc(entry).get("ner")))
        if tag and self.rows.entities is None:
            self.rows.entities = []
        return tag

    def _heads(self, heads: list[tuple[str, Any]], base: int) -> None:
        for at, (name, head) in enumerate(heads, base):
            if head is None or head == "_":
                continue
            if type(head) is not int or not 0 <= head <= len(heads):
                raise self._error(f"the head of {name} is {head!r}, which is no word's id")
            self.rows.set("head", at, base + head - 1 if head else at)


def _numbers(id: Any) -> tuple[int, ...]:
    """Read the id of a word, or those of the first and last word: 3, [3], [3, 4], '3-4'."""
    match = _ID.fullmatch(id) if isinstance(id, str) else None
    if match:
        return tuple(int(part) for part in match.groups() if part)
    ids = id if isinstance(id, list) else [id]
    return tuple(ids) if all(type(one) is int for one in ids) else ()


def _misc(entry: dict[str, Any]) -> dict[str, str]:
    pairs = (pair.partition("=") for pair in string(entry.get("misc")).split("|"))
    return {key: value for key, _, value in pairs}


def _offset(entry: dict[str, Any], misc: dict[str, str], key: str) -> int | None:
    said = entry.get(key, misc.get(key))
    numbers = _numbers(said)
    return numbers[0] if len(numbers) == 1 else None


def _cells(entry: dict[str, Any]) -> dict[str, str]:
    """Give what is said of a word; Stanza, as CoNLL-U, writes `_` for nothing."""
    found = {
        layer: string(entry[key]) for layer, keys in KEYS.items() for key in keys if key in entry
    }
    return {layer: cell for layer, cell in found.items() if cell not in ("", "_")}


@dataclass(frozen=True, repr=False)
class Offsets(JsonFormat):
    """A `text` with `tokens`, `sentences` and `entities` that tell where in it they lie.

    Tokens are words as they stand, or without them what stands between blanks; offsets count
    characters. What spaCy's `Doc.to_json()`
    and Stanza's `Document.to_dict()` give is read as it is; documents may stand in a list or
    one after another.
    """

    name = "offsets"
    writable = True
    carries = frozenset(
        "head blank opening mark tag subtag features lemma relation entities multiwords sentences "
        "id language".split()
    )
    tokenised = True
    holds = "many"
    expects = (
        "that has `text` and `tokens` or `sentences`, or sentences as lists of tokens with `text`"
    )

    @classmethod
    def matches(cls, document: Any) -> bool:
        """Whether it is a text told apart, a list of such, or a list of Stanza's sentences."""
        return all(is_text(one) or is_sentences(one) for one in _listed(document))

    @classmethod
    def recognises(cls, source: Source) -> bool:
        """Whether all tokens have whole numbers for offsets, and there are some."""
        documents = [one for document in source.documents for one in _listed(document)]
        if not all(map(cls.matches, documents)):
            return False
        texts = [document for document in documents if isinstance(document, dict)]
        told = all(_lies(each, text) for text in texts for each in placed(text))
        others = all(has_offsets(one) for one in documents if isinstance(one, list))
        return told and others and (len(texts) < len(documents) or any(map(placed, texts)))

    def convert(self, documents: list[Any], source: Source) -> Iterator[Transcript]:
        """Read each document as a recording."""
        found = [one for document in documents for one in _listed(document)]
        for n, document in enumerate(found):
            place = f"document {n + 1}: " if len(found) > 1 else ""
            id = source.numbered(n, len(found))
            if isinstance(document, dict):
                id = string(document.get("id")) or id
                yield Text(document, source, place).transcript(id)
            else:
                yield Sentences(document, source, place).rows.transcript(id)

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Write one object, or a list of several."""
        documents = [self.document(transcript) for transcript in transcripts]
        whole = documents[0] if len(documents) == 1 else documents
        yield json.dumps(whole, ensure_ascii=False, indent=1) + "\n"

    def document(self, transcript: Transcript) -> Any:
        """Give the text with its tokens."""
        return Page(transcript).document()


def _lies(value: Any, text: dict[str, Any]) -> bool:
    ends = pair(value)
    return ends is not None and 0 <= ends[0] <= ends[1] <= len(text["text"])


def _listed(document: Any) -> list[Any]:
    several = isinstance(document, list) and bool(document) and all(map(is_text, document))
    return document if several else [document]
