"""Units: a text as characters, with the ends of its tokens and sentences.

Blanks do not count: they are removed from tokens, and tokens that are then empty are left out.
Characters are code points, so that combining and invisible ones count like any other.
`tokenize` makes tokens of a transcript.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from caesura.core import registry
from caesura.core.arrays import ByValue, Flags, Indices, Strings
from caesura.core.errors import LayerError, UnknownName
from caesura.core.transcript import Transcript

QUOTE_FORMS: Mapping[str, str] = {"``": '"', "''": '"'}
"""Tokens that are equal to others wherever the characters of two texts differ."""

TOKEN_TABLES: Mapping[str, Mapping[str, str]] = {
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
"""Further tables of equal tokens, used when they are named."""

_BLANK = re.compile(r"\s")


Codes = NDArray[np.int32]
"""Characters as code points."""


def char_codes(text: str) -> Codes:
    """Return the code points of a text."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.int32)


@dataclass(frozen=True, eq=False)
class Units(ByValue):
    """The characters of a text, and where each token and each sentence ends.

    `kept_tokens` and `kept_sentences` are their indices among the given ones, of which empty
    ones are left out.
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
        _check_ends(last, len(tokens))
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
        """Split the text at these places, of which the last is its end."""
        stops = ends.tolist()
        pairs = zip([0, *stops[:-1]], stops, strict=True) if stops else ()
        return [self.text[start:stop] for start, stop in pairs]

    def rewritten(self, tables: Sequence[str] = ()) -> Units:
        """Rewrite every token to one of its equal forms: by table, else composed (NFC)."""
        table = token_forms(tables)
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


def token_forms(tables: Sequence[str] = ()) -> dict[str, str]:
    """Return the table of quotes together with the named tables."""
    table = dict(QUOTE_FORMS)
    for name in tables:
        if name not in TOKEN_TABLES:
            raise UnknownName(
                f"no table of equal tokens is named {name!r}",
                remedy=f"known are {', '.join(TOKEN_TABLES)}",
            )
        table |= TOKEN_TABLES[name]
    return table


def _check_ends(last: Indices, count: int) -> None:
    steps = np.diff(last, prepend=-1)
    if last.ndim != 1 or (steps < 0).any() or (last[-1] if len(last) else -1) != count - 1:
        raise LayerError(
            f"sentences do not cover the {count} tokens in order",
            remedy="give the index of the last token of each sentence",
        )


@dataclass(frozen=True, eq=False)
class Tokenization:
    """The tokens of a transcript as written, the last token of each sentence, and the words.

    A token is one word or a multiword token: `owner` is the token of each word, `shares` flags
    words of multiword tokens, and `source` is the index of the word in the transcript, -1 for
    punctuation that is no word there.
    """

    tokens: Strings
    ends: Indices
    words: Strings
    owner: Indices
    shares: Flags
    source: Indices


def tokenize(transcript: Transcript, split: bool = False) -> Tokenization:
    """Split a transcript into tokens.

    If punctuation was taken off the words on reading, tokens are what stands between blanks. If
    not, or if the format is tokenised, they are the words; multiword tokens are one token each
    unless `split` is set.
    """
    count = len(transcript)
    ends = (
        np.array([count - 1] if count else [], np.int64)
        if transcript.sentences is None
        else transcript.sentences.gaps
    )
    marked = transcript.opening is not None or transcript.mark is not None
    if marked and not _is_tokenised(transcript):
        return _tokenize_at_blanks(transcript, ends)
    every = np.arange(count)
    shares = np.zeros(count, np.bool_)
    if split or not transcript.multiwords:
        return Tokenization(transcript.words, ends, transcript.words, every, shares, every)
    first = np.ones(count, np.bool_)
    tokens = list(transcript.words)
    for span in transcript.multiwords:
        shares[span.first : span.last + 1] = True
        first[span.first + 1 : span.last + 1] = False
        tokens[span.first] = span.label or "".join(transcript.words[span.first : span.last + 1])
    owner = np.cumsum(first) - 1
    kept = np.flatnonzero(first).tolist()
    written = tuple(map(tokens.__getitem__, kept))
    return Tokenization(written, owner[ends], transcript.words, owner, shares, every)


def _is_tokenised(transcript: Transcript) -> bool:
    kind = transcript.origin.format if transcript.origin else ""
    return bool(kind) and registry.find("format", kind).tokenised


def _tokenize_at_blanks(transcript: Transcript, ends: Indices) -> Tokenization:
    """Split at the blanks before and after each word, not at those inside it."""
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
    return Tokenization(written, last[ends], written, every, shares, source)
