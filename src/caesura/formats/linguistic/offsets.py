"""JSON with character offsets: of spaCy, of Stanza, or one's own. It is only read.

There are two shapes. A *text document* (spaCy's, or one's own) has a `text`, and `tokens`,
`sentences` and `entities` that say at which characters they begin and end. *Stanza's document* is
a list of sentences, which are lists of tokens.
"""

from __future__ import annotations

import logging
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from caesura.core.errors import FormatError
from caesura.core.transcript import Transcript
from caesura.formats.base import JsonFormat, Source, counted, items, string
from caesura.formats.builder import Rows
from caesura.formats.linguistic.bio import entities

logger = logging.getLogger("caesura")

KEYS = {
    "tag": ("pos", "upos"),
    "subtag": ("tag", "xpos"),
    "features": ("morph", "feats"),
    "lemma": ("lemma",),
    "relation": ("dep", "deprel"),
}
"""Layers of texts and their keys, spaCy's and Stanza's."""

AROUND = ("opening", "mark")
"""Layers of text before and after a token that belongs to no token."""


@dataclass(frozen=True, repr=False)
class Offsets(JsonFormat):
    """JSON of spaCy, Stanza or one's own: a text with offsets of tokens, sentences and entities.

    Tokens are the words; without tokens, the words are what is between blanks. Offsets count
    characters. The JSON of spaCy's `Doc.to_json()` and of Stanza's `Document.to_dict()` is read as
    well; there may be several documents, in a list or one after another.
    """

    name = "offsets"
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
        """Whether it is a text document, a list of them, or a document of Stanza."""
        return all(_is_text(one) or _is_sentences(one) for one in _listed(document))

    @classmethod
    def recognises(cls, source: Source) -> bool:
        """Whether there are tokens, and all have whole numbers as offsets."""
        documents = [one for document in source.documents for one in _listed(document)]
        if not all(map(cls.matches, documents)):
            return False
        texts = [document for document in documents if isinstance(document, dict)]
        valid = all(_is_inside(value, text) for text in texts for value in _offset_list(text))
        lists_valid = all(_has_offsets(one) for one in documents if isinstance(one, list))
        return (
            valid and lists_valid and (len(texts) < len(documents) or any(map(_offset_list, texts)))
        )

    def convert(self, documents: list[Any], source: Source) -> Iterator[Transcript]:
        """Read each document as a recording."""
        recordings = [one for document in documents for one in _listed(document)]
        for n, document in enumerate(recordings):
            place = f"document {n + 1}: " if len(recordings) > 1 else ""
            id = source.numbered(n, len(recordings))
            if isinstance(document, dict):
                id = string(document.get("id")) or id
                yield _TextDocument(document, source, place).transcript(id)
            else:
                yield _StanzaDocument(document, source, place).rows.transcript(id)


def _is_inside(value: Any, text: dict[str, Any]) -> bool:
    ends = _offsets(value)
    return ends is not None and 0 <= ends[0] <= ends[1] <= len(text["text"])


def _listed(document: Any) -> list[Any]:
    several = isinstance(document, list) and bool(document) and all(map(_is_text, document))
    return document if several else [document]


# Text documents.

COUNTED = (
    "offsets count characters from 0 (code points, neither bytes nor UTF-16 units), "
    "and an end is the offset after the last character"
)
_PIECE = re.compile(r"\S+")
_LAST_PIECE = re.compile(r"(?<!\S)\S*\Z")


def _is_text(document: Any) -> bool:
    """Whether a JSON value is an object with a text and a list of its tokens or sentences."""
    return (
        isinstance(document, dict)
        and isinstance(document.get("text"), str)
        and isinstance(_offset_list(document), list)
    )


def _offset_list(document: dict[str, Any]) -> Any:
    """Return the tokens, or the sentences if there are no tokens."""
    for key in ("tokens", "sentences", "sents"):
        if key in document:
            return document[key]
    return None


def _offsets(value: Any) -> tuple[int, int] | None:
    """Read `[start, end]` or an object with these keys; None if it is neither."""
    ends: list[Any] = []
    if isinstance(value, dict):
        ends = [value.get(key, value.get(f"{key}_char")) for key in ("start", "end")]
    elif isinstance(value, list):
        ends = value[:2]
    return (ends[0], ends[1]) if [type(end) for end in ends] == [int, int] else None


class _Token(NamedTuple):
    """The characters and the words of a token; `last` is the last word."""

    start: int
    end: int
    first: int
    last: int


class _TextDocument:
    """Reads a text document; a token of white space, as spaCy has them, is no word."""

    def __init__(self, document: dict[str, Any], source: Source, place: str) -> None:
        self.document, self.source, self.place = document, source, place
        self.text: str = document["text"]
        self.rows = Rows()
        self.words: list[tuple[str, dict[str, Any]]] = []
        """The path of each word in the document, and its JSON object."""
        values = document.get("tokens")
        if values is None:
            values = [list(piece.span()) for piece in _PIECE.finditer(self.text)]
        places = self._places("tokens", values)
        self.tokens = [
            self._token(f"tokens[{n}]", value, *ends)
            for n, (value, ends) in enumerate(zip(values, places, strict=True))
        ]
        self.visible = [t for t in self.tokens if not self.text[t.start : t.end].isspace()]
        self._gaps()
        self._heads()
        self._sentences()
        self._entities()

    def transcript(self, id: str) -> Transcript:
        """Return the transcript, without words of white space."""
        transcript = self.rows.transcript(id, string(self.document.get("language")))
        visible = [bool(word.strip()) for word in transcript.words]
        return transcript if all(visible) else transcript.take(visible)

    def _error(self, what: str, remedy: str = "") -> FormatError:
        return self.source.error(self.place + what, remedy=remedy)

    def _place(self, name: str, value: Any) -> tuple[int, int]:
        """Read the offsets of something, and check that they are in the text."""
        ends = _offsets(value)
        if ends is None:
            raise self._error(
                f"{name} has no start and end", 'write [0, 5] or {"start": 0, "end": 5}'
            )
        if not 0 <= ends[0] <= ends[1] <= len(self.text):
            raise self._error(
                f"{name} is {list(ends)}, which cannot be in {len(self.text)} characters",
                COUNTED,
            )
        return ends

    def _places(self, key: str, values: list[Any]) -> list[tuple[int, int]]:
        """Read the offsets of things that follow one another."""
        places = [self._place(f"{key}[{n}]", value) for n, value in enumerate(values)]
        for n, (before, after) in enumerate(pairwise(places), 1):
            if after[0] < before[1]:
                raise self._error(
                    f"{key}[{n}] is {list(after)} and begins before {key}[{n - 1}] ends, "
                    f"at {before[1]}"
                )
        return places

    def _token(self, name: str, value: Any, start: int, end: int) -> _Token:
        word, item = self.text[start:end], value if isinstance(value, dict) else {}
        if not word:
            raise self._error(f"{name} is [{start}, {end}] and empty", COUNTED)
        if item.get("text", word) != word:
            raise self._error(
                f"{name} is {item['text']!r}, but the text has {word!r} at [{start}, {end}]",
                COUNTED,
            )
        first = len(self.rows)
        inner = items(item.get("words"))
        for n, one in enumerate(inner):
            self._word(f"{name}.words[{n}]", one.get("text"), one)
        if not inner:
            self._word(name, word, item)
        last = len(self.rows) - 1
        if inner:
            self.rows.multiword(first, last, word)
        return _Token(start, end, first, last)

    def _word(self, name: str, word: Any, item: dict[str, Any]) -> None:
        if not isinstance(word, str) or not word:
            raise self._error(f"{name} has no text")
        texts = {
            layer: string(item[key]) for layer, keys in KEYS.items() for key in keys if key in item
        }
        texts |= {layer: string(item.get(layer)) for layer in AROUND}
        cells: dict[str, Any] = {layer: cell for layer, cell in texts.items() if cell}
        self.rows.add(word, **cells, blank=False if item.get("blank") is False else None)
        self.words.append((name, item))

    def _gaps(self) -> None:
        """Find blanks between tokens; other text between them goes to `mark` and `opening`."""
        rows, outside = self.rows, 0
        ends = [(0, -1), *((token.end, token.last) for token in self.visible)]
        starts = [*((token.start, token.first) for token in self.visible), (len(self.text), -1)]
        for (end, last), (start, first) in zip(ends, starts, strict=True):
            named_mark = rows.cell("mark", last) if last >= 0 else ""
            named_opening = rows.cell("opening", first) if first >= 0 else ""
            gap = self.text[end:start]
            outside += not named_mark and not named_opening and any(map(str.isalnum, gap))
            mark, blank, opening = _split_gap(gap, named_mark, named_opening)
            if last < 0:
                mark, opening = "", (mark.lstrip() + " " * blank if mark else "") + opening
            if first < 0:
                mark, opening = mark + (" " * blank + opening if opening else ""), ""
            if last >= 0:
                rows.set("mark", last, mark)
            if last >= 0 and first >= 0:
                rows.set("blank", last, blank)
            if first >= 0:
                rows.set("opening", first, opening)
        if outside:
            logger.warning(
                "%s: %s%s to no token: kept as punctuation",
                self.source.name,
                self.place,
                counted(outside, "piece of the text belongs", "pieces of the text belong"),
            )

    def _heads(self) -> None:
        """Find heads by their ids, or by their numbers where tokens have no ids."""
        if all(item.get("head") is None for _, item in self.words):
            return
        ids = [item["id"] for _, item in self.words if type(item.get("id")) in (int, str)]
        numbers = ids or list(range(len(self.words)))
        place = {id: at for at, id in enumerate(numbers)}
        if len(place) < len(self.words):
            raise self._error("tokens have heads, but not each token has an id of its own")
        for at, (name, item) in enumerate(self.words):
            head = item.get("head")
            if head is None or (item.get("dep") == "" and place.get(_id(head)) == at):
                continue
            if _id(head) not in place:
                raise self._error(f"the head of {name} is {head!r}, which is no token's id")
            self.rows.set("head", at, place[_id(head)])

    def _list(self, *keys: str) -> tuple[str, list[Any]] | None:
        """Return the list under one of these keys, and the key."""
        named = [key for key in keys if isinstance(self.document.get(key), list)]
        return (named[0], self.document[named[0]]) if named else None

    def _sentences(self) -> None:
        """End a sentence between two tokens that are in different sentences."""
        listed = self._list("sentences", "sents")
        if listed is None:
            return
        key, values = listed
        places = self._places(key, values)
        stops = [stop for _, stop in places]
        owners = [bisect_right(stops, token.start) for token in self.visible]
        for token, owner in zip(self.visible, owners, strict=True):
            start, stop = places[owner] if owner < len(places) else (0, 0)
            if not start <= token.start < token.end <= stop:
                raise self._outside_error(token, key, places)
        pairs = zip(self.visible, pairwise(owners), strict=False)
        self.rows.ends = [token.last for token, (own, next) in pairs if own != next]

    def _outside_error(self, token: _Token, key: str, places: list[tuple[int, int]]) -> FormatError:
        name = self.words[token.first][0].partition(".")[0]
        place = f"{name} is [{token.start}, {token.end}]"
        for n, (start, end) in enumerate(places):
            if start < token.end and end > token.start:
                return self._error(
                    f"{place} and only partly inside {key}[{n}], [{start}, {end}]",
                    COUNTED,
                )
        return self._error(f"{place} and inside none of the {key}")

    def _entities(self) -> None:
        """Find the words of entities: those of all tokens that an entity overlaps."""
        found = self._list("entities", "ents")
        if found is None:
            return
        self.rows.entities = []
        starts, ends = [t.start for t in self.tokens], [t.end for t in self.tokens]
        uneven = 0
        for n, value in enumerate(found[1]):
            start, end = self._place(f"{found[0]}[{n}]", value)
            first, last = bisect_right(ends, start), bisect_left(starts, end) - 1
            if first > last:
                raise self._error(f"{found[0]}[{n}] is [{start}, {end}], where no token is")
            uneven += starts[first] < start or ends[last] > end
            words = (self.tokens[first].first, self.tokens[last].last)
            self.rows.entity(*_entity_words(value, words), *_label(value))
        if uneven:
            logger.warning(
                "%s: %s%s inside a token: extended to its edges",
                self.source.name,
                self.place,
                counted(uneven, "entity begins or ends", "entities begin or end"),
            )


def _id(value: Any) -> Any:
    return value if type(value) in (int, str) else None


def _label(value: Any) -> tuple[str, str]:
    """Return the class of an entity and its key, such as a link to a knowledge base."""
    if isinstance(value, dict):
        label, key = value.get("label", value.get("type")), value.get("key", value.get("kb_id"))
        return string(label), string(key)
    return string(value[2] if len(value) > 2 else ""), ""


def _entity_words(value: Any, words: tuple[int, int]) -> tuple[int, int]:
    """Return the words of an entity: those it names, if they are among those of its characters."""
    named = _offsets(value.get("words")) if isinstance(value, dict) else None
    inside = named is not None and words[0] <= named[0] <= named[1] <= words[1]
    return named if named is not None and inside else words


def _split_gap(gap: str, mark: str, opening: str) -> tuple[str, bool, str]:
    """Split the text between two tokens: mark of the first, blank, opening of the second.

    The mark and opening that the tokens name are used if they fit; else what stands directly
    before the next token is its opening.
    """
    middle = gap[len(mark) : len(gap) - len(opening)]
    if gap == mark + middle + opening and not middle.strip():
        return mark, bool(middle), opening
    match = _LAST_PIECE.search(gap)
    opening = match[0] if match else ""
    if opening == gap:
        return gap, False, ""
    return " ".join(re.split(r"\s+", gap[: len(gap) - len(opening)].rstrip())), True, opening


# Stanza's documents.

_ID = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


def _is_sentences(document: Any) -> bool:
    """Whether a JSON value is a list of lists of tokens."""
    return (
        isinstance(document, list)
        and bool(document)
        and all(isinstance(s, list) and all(map(_is_token, s)) for s in document)
    )


def _is_token(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("text"), str)


def _has_offsets(document: list[list[dict[str, Any]]]) -> bool:
    """Whether the tokens of a document are numbered, and some have offsets."""
    tokens = [token for sentence in document for token in sentence]
    return all("id" in token for token in tokens) and any(
        "start_char" in token or "start_char=" in string(token.get("misc")) for token in tokens
    )


class _StanzaDocument:
    """Reads a document of Stanza, sentence by sentence."""

    def __init__(self, document: list[list[dict[str, Any]]], source: Source, place: str) -> None:
        self.source, self.place = source, place
        self.rows = Rows()
        self.empty = 0
        self._last, self._blank = -1, True
        """Last word of the token before, and whether a blank follows it according to MISC."""
        self._end: int | None = None
        """The offset where that token ends."""
        for n, entries in enumerate(document):
            self._sentence(n, entries)
        if self.empty:
            nodes = counted(self.empty, "empty node is", "empty nodes are")
            logger.warning("%s: %s left out", source.name, nodes)

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
        """Return the last word of a token; its first must be the next word of the sentence."""
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
        """Find from the offsets whether there is a blank before a token."""
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
    value = entry.get(key, misc.get(key))
    numbers = _numbers(value)
    return numbers[0] if len(numbers) == 1 else None


def _cells(entry: dict[str, Any]) -> dict[str, str]:
    """Return the layers of a word; Stanza, like CoNLL-U, writes `_` for an empty one."""
    layers = {
        layer: string(entry[key]) for layer, keys in KEYS.items() for key in keys if key in entry
    }
    return {layer: cell for layer, cell in layers.items() if cell not in ("", "_")}
