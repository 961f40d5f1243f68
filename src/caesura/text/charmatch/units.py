"""A text as a stream of characters that is cut into tokens and sentences.

Blanks count for nothing: they are taken out of tokens, and what is then empty is left out.
Characters are code points, so that combining and invisible ones count like any other.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from caesura.core import registry
from caesura.core.arrays import ByValue, Flags, Indices, Strings
from caesura.core.errors import LayerError, UnknownName
from caesura.core.transcript import Transcript

QUOTES: Mapping[str, str] = {"``": '"', "''": '"'}
"""Tokens that stand for the same thing wherever streams of characters differ."""

TABLES: Mapping[str, Mapping[str, str]] = {
    "brackets": {
        "-LRB-": "(",
        "-RRB-": ")",
        "-LSB-": "[",
        "-RSB-": "]",
        "-LCB-": "{",
        "-RCB-": "}",
    },
    "curly": {"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "‚": "'"},
    "ellipsis": {"…": "..."},
}
"""Further tables of whole tokens, used when they are asked for by name."""

_BLANK = re.compile(r"\s")


@dataclass(frozen=True, eq=False)
class Units(ByValue):
    """The characters of a text, and where in them each token and each sentence ends.

    `kept_tokens` and `kept_sentences` say which of the given ones these are.
    """

    text: str
    tokens: Indices
    sentences: Indices
    kept_tokens: Indices
    kept_sentences: Indices

    def __post_init__(self) -> None:
        for field in fields(self)[1:]:
            values = np.array(getattr(self, field.name), dtype=np.int64)
            values.flags.writeable = False
            object.__setattr__(self, field.name, values)

    @classmethod
    def of(cls, tokens: Sequence[str], ends: Indices | Sequence[int]) -> Units:
        """Make units from tokens and the index of the last token of each sentence.

        A sentence without tokens ends where the one before it does, or at -1.
        """
        last = np.asarray(ends, dtype=np.int64)
        _check(last, len(tokens))
        text = "".join(tokens)
        lengths = np.fromiter(map(len, tokens), np.int64, len(tokens))
        blanks = np.fromiter((blank.start() for blank in _BLANK.finditer(text)), np.int64)
        if len(blanks):
            owners = np.searchsorted(np.cumsum(lengths), blanks, side="right")
            lengths -= np.bincount(owners, minlength=len(lengths))
            text = _BLANK.sub("", text)
        stops = np.cumsum(lengths)
        kept = np.flatnonzero(lengths)
        sentence_stops = np.concatenate(([0], stops))[last + 1]
        kept_sentences = np.flatnonzero(np.diff(sentence_stops, prepend=0))
        return cls(text, stops[kept], sentence_stops[kept_sentences], kept, kept_sentences)

    @property
    def forms(self) -> list[str]:
        """The tokens, without blanks."""
        return self.pieces(self.tokens)

    def pieces(self, ends: Indices) -> list[str]:
        """Cut the text at these places, of which the last is its end."""
        stops = ends.tolist()
        pairs = zip([0, *stops[:-1]], stops, strict=True) if stops else ()
        return [self.text[start:stop] for start, stop in pairs]

    def rewritten(self, tables: Sequence[str] = ()) -> Units:
        """Put every token into one of its equal forms: by table, else composed (NFC)."""
        table = equivalents(tables)
        composed = self.text.isascii() or unicodedata.is_normalized("NFC", self.text)
        if composed and not any(form in self.text for form in table):
            return self
        forms = self.forms
        new = {form: table.get(form) or unicodedata.normalize("NFC", form) for form in set(forms)}
        if all(form == changed for form, changed in new.items()):
            return self
        changed = [new[form] for form in forms]
        stops = np.cumsum(np.fromiter(map(len, changed), np.int64, len(changed)))
        sentences = stops[np.searchsorted(self.tokens, self.sentences)]
        return replace(self, text="".join(changed), tokens=stops, sentences=sentences)


def equivalents(tables: Sequence[str] = ()) -> dict[str, str]:
    """Give the table of quotes together with those that are named."""
    table = dict(QUOTES)
    for name in tables:
        if name not in TABLES:
            raise UnknownName(
                f"no table of equal tokens is named {name!r}",
                remedy=f"known are {', '.join(TABLES)}",
            )
        table |= TABLES[name]
    return table


def _check(last: Indices, count: int) -> None:
    steps = np.diff(last, prepend=-1)
    if last.ndim != 1 or (steps < 0).any() or (last[-1] if len(last) else -1) != count - 1:
        raise LayerError(
            f"sentences do not cover the {count} tokens in order",
            remedy="give the index of the last token of each sentence",
        )


@dataclass(frozen=True, eq=False)
class Cutting:
    """Tokens as they are written, the last token of each sentence, and the words.

    A token is one word, or a multiword token of some: `owner` is the token of each word,
    `shares` whether that is a multiword token, and `source` the index of the word in the
    transcript, -1 for punctuation that stands alone there.
    """

    tokens: Strings
    ends: Indices
    words: Strings
    owner: Indices
    shares: Flags
    source: Indices


def cutting(transcript: Transcript, split: bool = False) -> Cutting:
    """Cut a transcript into tokens.

    Where punctuation was taken off words, tokens are what stands between blanks; else, and where
    a format says what its tokens are, they are the words, or with `split` unset the multiword
    tokens that several of them form.
    """
    count = len(transcript)
    ends = (
        np.array([count - 1] if count else [], np.int64)
        if transcript.sentences is None
        else transcript.sentences.gaps
    )
    marked = transcript.opening is not None or transcript.mark is not None
    if marked and not _is_tokenised(transcript):
        return _between_blanks(transcript, ends)
    every = np.arange(count)
    shares = np.zeros(count, np.bool_)
    if split or not transcript.multiwords:
        return Cutting(transcript.words, ends, transcript.words, every, shares, every)
    first = np.ones(count, np.bool_)
    tokens = list(transcript.words)
    for span in transcript.multiwords:
        shares[span.first : span.last + 1] = True
        first[span.first + 1 : span.last + 1] = False
        tokens[span.first] = span.label or "".join(transcript.words[span.first : span.last + 1])
    owner = np.cumsum(first) - 1
    kept = np.flatnonzero(first).tolist()
    written = tuple(map(tokens.__getitem__, kept))
    return Cutting(written, owner[ends], transcript.words, owner, shares, every)


def _is_tokenised(transcript: Transcript) -> bool:
    kind = transcript.origin.format if transcript.origin else ""
    return bool(kind) and registry.find("format", kind).tokenised


def _between_blanks(transcript: Transcript, ends: Indices) -> Cutting:
    """Cut at the blanks in what is written before and after each word, not at those inside it."""
    count = len(transcript)
    opening = transcript.opening or ("",) * count
    mark = transcript.mark or ("",) * count
    tokens: list[str] = []
    place = np.zeros(count, np.int64)
    last = np.zeros(count, np.int64)
    for at, (front, word, back) in enumerate(zip(opening, transcript.words, mark, strict=True)):
        before, after = front.split(), back.split()
        if before and not front[-1].isspace():
            word = before.pop() + word
        if after and not back[0].isspace():
            word += after.pop(0)
        place[at] = len(tokens) + len(before)
        tokens += [*before, word, *after]
        last[at] = len(tokens) - 1
    every = np.arange(len(tokens))
    source = np.full(len(tokens), -1, np.int64)
    source[place] = np.arange(count)
    shares = np.zeros(len(tokens), np.bool_)
    written = tuple(tokens)
    return Cutting(written, last[ends], written, every, shares, source)
