"""The features, labels and Viterbi decoder of the taggers.

Features of a word are the word and its neighbours, their prefixes and suffixes, and their shape.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Floats, Indices, Strings
from caesura.core.transcript import Span, Transcript
from caesura.ml import features
from caesura.ml.crf import frequent
from caesura.ml.features import Table, hash_spelling

AFFIX = 3
"""The length of prefixes and suffixes."""

NUMBERS = frozenset(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety "
    "hundred thousand million billion trillion point oh".split()
)
"""Words of spelt numbers."""

TEMPLATES: tuple[features.Template, ...] = (
    (),
    *((("word", at),) for at in range(-2, 3)),
    *((("word", at), ("word", at + 1)) for at in (-1, 0)),
    *(((name, at),) for name in ("prefix", "suffix", "shape") for at in (-1, 0, 1)),
    *((("shape", at), ("shape", at + 1)) for at in (-1, 0)),
)

Keys = NDArray[np.int64]


def keys(words: Strings) -> Keys:
    """Return a row of feature keys for each template, a column for each word."""
    columns = zip(*map(_hash_parts, words), strict=True) if words else ((),) * 4
    found = {
        name: features.padded(np.array(cells, np.uint64))
        for name, cells in zip(("word", "prefix", "suffix", "shape"), columns, strict=True)
    }
    return features.keys(found, 0, len(words), TEMPLATES)


@lru_cache(maxsize=1 << 17)
def _hash_parts(word: str) -> tuple[int, int, int, int]:
    parts = (word, "<" + word[:AFFIX], word[-AFFIX:] + ">", f"/{shape(word)}")
    one, two, three, four = map(hash_spelling, parts)
    return one, two, three, four


def shape(word: str) -> str:
    """Return the shape of a word: runs of letters are `a`, of digits `9`; spelt numbers are `n`."""
    if word in NUMBERS:
        return "n"
    return re.sub(r"\d+", "9", re.sub(r"[^\W\d_]+", "a", word))


class KnownFeatures:
    """The feature keys that were frequent enough in training."""

    def __init__(self, texts: Sequence[Keys], cutoff: int) -> None:
        self.keys = frequent(texts, cutoff)
        self._table = Table(self.keys)

    def __len__(self) -> int:
        return len(self.keys)

    def feature_ids(self, keys: Keys) -> Indices:
        """Number the known features of each word, one row a word; -1 for unknown ones."""
        return self._table.find(keys.ravel()).reshape(keys.shape).T


OUTSIDE = 0
NEVER = -1e4
"""The score of a label that cannot follow another."""

Scores = NDArray[np.float32]


@dataclass(frozen=True)
class Labels:
    """0 outside entities; 2k + 1 at the beginning of one of class k, 2k + 2 inside it."""

    classes: tuple[str, ...]

    @classmethod
    def of(cls, texts: Iterable[Transcript]) -> Labels:
        """Collect the classes of entities in texts."""
        found = {span.label for text in texts for span in text.entities or ()}
        return cls(tuple(sorted(found)))

    def __len__(self) -> int:
        return 2 * len(self.classes) + 1

    def coded(self, text: Transcript) -> Indices:
        """Return the label of each word; the entities do not overlap."""
        found = np.zeros(len(text), np.int64)
        number = {name: at for at, name in enumerate(self.classes)}
        for span in text.entities or ():
            found[span.first : span.last + 1] = 2 * number[span.label] + 2
            found[span.first] -= 1
        return found

    def spans(self, codes: Indices) -> tuple[Span, ...]:
        """Return the entities of labels; an inside label without its class before begins one."""
        before = np.append(OUTSIDE, codes[:-1])[: len(codes)]
        kind, kind_before = (codes + 1) // 2, (before + 1) // 2
        begins = (codes > OUTSIDE) & ((codes % 2 == 1) | (kind != kind_before))
        goes_on = (codes > OUTSIDE) & ~begins
        first = np.flatnonzero(begins)
        stops = np.flatnonzero(~goes_on)
        after = np.append(stops, len(codes))[np.searchsorted(stops, first, side="right")]
        rows = zip(first.tolist(), after.tolist(), kind[first].tolist(), strict=True)
        return tuple(Span(a, stop - 1, self.classes[number - 1]) for a, stop, number in rows)

    def allowed(self) -> Floats:
        """Score each label (column) after each (row): 0, or `NEVER` if it cannot follow.

        The last row is for what stands first.
        """
        found = np.zeros((len(self) + 1, len(self)))
        for inside in range(2, len(self), 2):
            found[:, inside] = NEVER
            found[[inside - 1, inside], inside] = 0.0
        return found


def viterbi(
    states: Sequence[Floats | Scores], transitions: Floats, tables: Sequence[Indices] | None = None
) -> list[Indices]:
    """Return the best label sequence of each text, from label and transition scores (Viterbi).

    There may be several tables of `transitions`; then `tables` names one for each word. All texts
    advance together, which makes many of them fast.
    """
    lengths = np.array([len(each) for each in states], np.int64)
    order = np.argsort(-lengths, kind="stable").tolist()
    steps = int(lengths.max(initial=0))
    whole = transitions.reshape(-1, *transitions.shape[-2:])
    to_from = np.ascontiguousarray(whole[:, :-1].transpose(0, 2, 1), np.float32)
    rows = [np.zeros((length, 1), np.int64) for length in lengths]
    rows = rows if tables is None else [each[:, None] for each in tables]
    scores = _stack([states[at] for at in order], steps, np.float32)
    chosen = _stack([rows[at] for at in order], steps, np.int64)[..., 0]
    here = (scores[:, 0] + whole[0, -1]).astype(np.float32) if steps else scores[:, :0]
    origin = np.zeros((steps, *here.shape), np.int16)
    for at in range(1, steps):
        live = int(np.count_nonzero(lengths > at))
        moved = here[:live, None, :] + to_from[chosen[:live, at]]
        came = moved.argmax(axis=2)
        origin[at, :live] = came
        here[:live] = np.take_along_axis(moved, came[..., None], 2)[..., 0] + scores[:live, at]
    found: list[Indices] = [np.zeros(0, np.int64)] * len(states)
    for row, text in enumerate(order):
        found[text] = _trace_back(origin[:, row], here[row], int(lengths[text]))
    return found


def _stack(parts: Sequence[NDArray[Any]], steps: int, dtype: type) -> NDArray[Any]:
    """Put arrays of several heights into one, padded with zeros."""
    width = parts[0].shape[1] if parts else 0
    table: NDArray[Any] = np.zeros((len(parts), steps, width), dtype)
    for row, each in zip(table, parts, strict=True):
        row[: len(each)] = each
    return table


def _trace_back(origin: NDArray[np.int16], last: Scores, length: int) -> Indices:
    found = np.zeros(length, np.int64)
    label = int(last.argmax()) if length else 0
    for at in range(length - 1, -1, -1):
        found[at] = label
        label = int(origin[at, label])
    return found
