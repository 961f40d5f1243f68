"""A text and where in it its tokens, sentences and entities lie, counted in characters."""

from __future__ import annotations

import logging
import re
from bisect import bisect_left, bisect_right
from itertools import pairwise
from typing import Any, NamedTuple

from caesura.core.errors import FormatError
from caesura.core.transcript import Span, Transcript
from caesura.formats.builder import Rows
from caesura.formats.source import Source, counted, items, string

logger = logging.getLogger("caesura")

KEYS = {
    "tag": ("pos", "upos"),
    "subtag": ("tag", "xpos"),
    "features": ("morph", "feats"),
    "lemma": ("lemma",),
    "relation": ("dep", "deprel"),
}
"""Layers of texts and the keys they go by: the first, spaCy's, is written."""

AROUND = ("opening", "mark")
"""Layers of what stands before and after a token without being one."""


class Page:
    """A recording on its way out: its text, and where each word lies in it."""

    def __init__(self, transcript: Transcript) -> None:
        self.transcript = _seen(transcript)
        self.text = ""
        self.tokens: list[dict[str, Any]] = []
        self.spans: list[Span] = []
        """The token that each word belongs to."""
        self.start: list[int] = []
        self.end: list[int] = []
        self._write()

    def document(self) -> dict[str, Any]:
        """Give the JSON object; what is not known is an absent key."""
        found: dict[str, Any] = {}
        for name in ("id", "language"):
            if getattr(self.transcript, name):
                found[name] = getattr(self.transcript, name)
        found |= {"text": self.text, "tokens": self.tokens}
        if self.transcript.sentences is not None:
            sentences = self.transcript.sentences.sentences
            found["sentences"] = [self._sentence(first, last) for first, last in sentences]
        if self.transcript.entities is not None:
            found["entities"] = [self._entity(span) for span in self.transcript.entities]
        return found

    def _write(self) -> None:
        words = self.transcript.words
        multiwords = _multiwords(self.transcript)
        pieces: list[str] = []
        at = length = 0
        while at < len(words):
            span = multiwords.get(at) or Span(at, at, words[at])
            opening, mark = self._cell("opening", at), self._cell("mark", span.last)
            start = length + len(opening)
            end = start + len(span.label)
            token = {"start": start, "end": end}
            inner = range(at, span.last + 1)
            if at in multiwords:
                self.tokens.append(token | {"words": [self._word(i, span) for i in inner]})
            else:
                self.tokens.append(token | self._said(at))
            self.spans += [span] * len(inner)
            self.start += [start] * len(inner)
            self.end += [end] * len(inner)
            at = span.last + 1
            blank = " " if at < len(words) and self._has_blank(span.last) else ""
            pieces += opening, span.label, mark, blank
            length = end + len(mark) + len(blank)
        self.text = "".join(pieces)

    def _word(self, at: int, span: Span) -> dict[str, Any]:
        """Give a word of a multiword token, which has no place of its own in the text."""
        word = {"text": self.transcript.words[at], **self._said(at)}
        return word if at == span.last or self._has_blank(at) else word | {"blank": False}

    def _said(self, at: int) -> dict[str, Any]:
        named = {keys[0]: self._cell(layer, at) for layer, keys in KEYS.items()}
        named |= {layer: self._cell(layer, at) for layer in AROUND}
        said: dict[str, Any] = {key: cell for key, cell in named.items() if cell}
        if self.transcript.head is not None and self.transcript.head[at] >= 0:
            said["head"] = int(self.transcript.head[at])
        return said

    def _cell(self, layer: str, at: int) -> str:
        cells = getattr(self.transcript, layer)
        return "" if cells is None else str(cells[at])

    def _has_blank(self, at: int) -> bool:
        return self.transcript.blank is None or bool(self.transcript.blank[at])

    def _sentence(self, first: int, last: int) -> list[int]:
        start = self.start[first] - len(self._cell("opening", first))
        return [start, self.end[last] + len(self._cell("mark", last))]

    def _entity(self, span: Span) -> dict[str, Any]:
        """Give an entity; one that begins or ends inside a multiword token also by its words."""
        first, last, label, key = span
        found: dict[str, Any] = {"start": self.start[first], "end": self.end[last], "label": label}
        if key:
            found["key"] = key
        if (self.spans[first].first, self.spans[last].last) != (first, last):
            found["words"] = [first, last]
        return found


def _seen(transcript: Transcript) -> Transcript:
    """Leave out words without characters: they have no place in a text."""
    seen = [bool(word.strip()) for word in transcript.words]
    if all(seen):
        return transcript
    told = counted(seen.count(False), "empty word", "empty words")
    logger.warning("%s cannot be written as offsets", told)
    return transcript.take(seen)


def _multiwords(transcript: Transcript) -> dict[int, Span]:
    """Multiword tokens by their first word; those that overlap or cross sentences are left out."""
    ends = set() if transcript.sentences is None else set(transcript.sentences.gaps.tolist())
    kept: dict[int, Span] = {}
    free = 0
    for span in transcript.multiwords or ():
        inside = span.first >= free and ends.isdisjoint(range(span.first, span.last))
        if inside and span.label.strip():
            kept[span.first] = span
            free = span.last + 1
    return kept


COUNTED = (
    "offsets count characters from 0 (code points, neither bytes nor UTF-16 units), "
    "and an end is the offset after the last character"
)
_PIECE = re.compile(r"\S+")
_LAST_PIECE = re.compile(r"(?<!\S)\S*\Z")


def is_text(document: Any) -> bool:
    """Whether a JSON value is an object with a text and a list of its tokens or sentences."""
    return (
        isinstance(document, dict)
        and isinstance(document.get("text"), str)
        and isinstance(placed(document), list)
    )


def placed(document: dict[str, Any]) -> Any:
    """Give what tells where things lie: the tokens, or the sentences if there are no tokens."""
    for key in ("tokens", "sentences", "sents"):
        if key in document:
            return document[key]
    return None


def pair(value: Any) -> tuple[int, int] | None:
    """Read [start, end] or an object with these; None if it is neither."""
    ends: list[Any] = []
    if isinstance(value, dict):
        ends = [value.get(key, value.get(f"{key}_char")) for key in ("start", "end")]
    elif isinstance(value, list):
        ends = value[:2]
    return (ends[0], ends[1]) if [type(end) for end in ends] == [int, int] else None


class _Token(NamedTuple):
    """A token's characters and its words, the last one inside."""

    start: int
    end: int
    first: int
    last: int


class Text:
    """A document in the making; a token of white space, as spaCy has them, is no word."""

    def __init__(self, document: dict[str, Any], source: Source, place: str) -> None:
        self.document, self.source, self.place = document, source, place
        self.text: str = document["text"]
        self.rows = Rows()
        self.words: list[tuple[str, dict[str, Any]]] = []
        """Where in the document each word is, and what is said of it."""
        values = document.get("tokens")
        if values is None:
            values = [list(found.span()) for found in _PIECE.finditer(self.text)]
        places = self._places("tokens", values)
        self.tokens = [
            self._token(f"tokens[{n}]", value, *ends)
            for n, (value, ends) in enumerate(zip(values, places, strict=True))
        ]
        self.seen = [t for t in self.tokens if not self.text[t.start : t.end].isspace()]
        self._gaps()
        self._heads()
        self._sentences()
        self._entities()

    def transcript(self, id: str) -> Transcript:
        """Give the words that can be seen."""
        found = self.rows.transcript(id, string(self.document.get("language")))
        seen = [bool(word.strip()) for word in found.words]
        return found if all(seen) else found.take(seen)

    def _error(self, what: str, remedy: str = "") -> FormatError:
        return self.source.error(self.place + what, remedy=remedy)

    def _place(self, name: str, value: Any) -> tuple[int, int]:
        """Read where something lies, and check that it lies in the text."""
        ends = pair(value)
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
        """Read where things lie that follow one another."""
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
        told = {
            layer: string(item[key]) for layer, keys in KEYS.items() for key in keys if key in item
        }
        told |= {layer: string(item.get(layer)) for layer in AROUND}
        said: dict[str, Any] = {layer: cell for layer, cell in told.items() if cell}
        self.rows.add(word, **said, blank=False if item.get("blank") is False else None)
        self.words.append((name, item))

    def _gaps(self) -> None:
        """Find blanks between tokens; what else lies there goes to `mark` and `opening`."""
        rows, outside = self.rows, 0
        ends = [(0, -1), *((token.end, token.last) for token in self.seen)]
        starts = [*((token.start, token.first) for token in self.seen), (len(self.text), -1)]
        for (end, last), (start, first) in zip(ends, starts, strict=True):
            said = rows.cell("mark", last) if last >= 0 else ""
            opened = rows.cell("opening", first) if first >= 0 else ""
            gap = self.text[end:start]
            outside += not said and not opened and any(map(str.isalnum, gap))
            mark, blank, opening = _parted(gap, said, opened)
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
                counted(outside, "stretch of the text belongs", "stretches of the text belong"),
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
        """Give the list that goes by one of some keys, and the key."""
        named = [key for key in keys if isinstance(self.document.get(key), list)]
        return (named[0], self.document[named[0]]) if named else None

    def _sentences(self) -> None:
        """End a sentence wherever two tokens lie in different ones."""
        found = self._list("sentences", "sents")
        if found is None:
            return
        key, values = found
        places = self._places(key, values)
        stops = [stop for _, stop in places]
        owners = [bisect_right(stops, token.start) for token in self.seen]
        for token, owner in zip(self.seen, owners, strict=True):
            start, stop = places[owner] if owner < len(places) else (0, 0)
            if not start <= token.start < token.end <= stop:
                raise self._astray(token, key, places)
        pairs = zip(self.seen, pairwise(owners), strict=False)
        self.rows.ends = [token.last for token, (own, next) in pairs if own != next]

    def _astray(self, token: _Token, key: str, places: list[tuple[int, int]]) -> FormatError:
        name = self.words[token.first][0].partition(".")[0]
        lies = f"{name} is [{token.start}, {token.end}]"
        for n, (start, end) in enumerate(places):
            if start < token.end and end > token.start:
                return self._error(
                    f"{lies} and lies only in part in {key}[{n}], [{start}, {end}]",
                    COUNTED,
                )
        return self._error(f"{lies} and lies in none of the {key}")

    def _entities(self) -> None:
        """Find the words of entities: those of all tokens that an entity touches."""
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
            self.rows.entity(*_within(value, words), *_label(value))
        if uneven:
            logger.warning(
                "%s: %s%s inside a token: taken to its edges",
                self.source.name,
                self.place,
                counted(uneven, "entity begins or ends", "entities begin or end"),
            )


def _id(value: Any) -> Any:
    return value if type(value) in (int, str) else None


def _label(value: Any) -> tuple[str, str]:
    """Give the class of an entity and the key that tells which one it is."""
    if isinstance(value, dict):
        label, key = value.get("label", value.get("type")), value.get("key", value.get("kb_id"))
        return string(label), string(key)
    return string(value[2] if len(value) > 2 else ""), ""


def _within(value: Any, words: tuple[int, int]) -> tuple[int, int]:
    """Give the words of an entity; it may name some of those its characters tell."""
    named = pair(value.get("words")) if isinstance(value, dict) else None
    inside = named is not None and words[0] <= named[0] <= named[1] <= words[1]
    return named if named is not None and inside else words


def _parted(gap: str, mark: str, opening: str) -> tuple[str, bool, str]:
    """Part what lies between tokens: what belongs to the one, a blank, what belongs to the other.

    If it is as said, so be it; else what is glued to the next token opens that.
    """
    middle = gap[len(mark) : len(gap) - len(opening)]
    if gap == mark + middle + opening and not middle.strip():
        return mark, bool(middle), opening
    found = _LAST_PIECE.search(gap)
    opening = found[0] if found else ""
    if opening == gap:
        return gap, False, ""
    return " ".join(re.split(r"\s+", gap[: len(gap) - len(opening)].rstrip())), True, opening
