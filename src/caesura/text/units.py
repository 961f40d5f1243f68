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

from caesura.columns import ByValue, Indices
from caesura.errors import LayerError, UnknownName

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
