"""Restoration: how well marks and capitals were restored, over words that may differ."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import ClassVar, NamedTuple

import numpy as np

from caesura.core.arrays import Flags, Indices, Strings
from caesura.core.protocols import Disagreement, PerGapCounts
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Value, ratio
from caesura.metrics.base import (
    PREFIX,
    Pairwise,
    context_words,
    harmonic_mean,
    match_columns,
    mismatch_remarks,
    split_by_reference,
)
from caesura.text.alignment.word_alignment import Alignment, align
from caesura.text.normalization.steps import compose, marks
from caesura.text.punctuation import ELLIPSES, LONG_DASHES, end_mark, sentence_ends
from caesura.text.restore import has_capital

CLASSES = {",": "comma", ".": "period", "?": "question", "!": "exclamation"}
"""The classes of marks, and their names in values."""

CLASS_PREFIXES = {mark: f"{name}_" for mark, name in CLASSES.items()}
"""What the names of the counts of a class begin with."""

LIKE_COMMA = frozenset((*",，、،፣၊", *":：", *LONG_DASHES, "-"))
LIKE_PERIOD = {"!": "."}
"""Classes that count as another one in the values over all marks."""

CAPITALS, INNER = "capitals", "inner_capitals"
NO_CASE = "no word that both texts share has letters with case"


@lru_cache(maxsize=1 << 12)
def mark_class(mark: str) -> str:
    """Return the class of the marks after a word: `,`, `.`, `?`, `!`, or '' for none."""
    end = end_mark(mark)
    if end or any(dots in mark for dots in ELLIPSES):
        return "." if end in ("", ";") else end
    return "," if not LIKE_COMMA.isdisjoint(mark) else ""


class WrittenWords(NamedTuple):
    """The words of a text without punctuation, and what is compared of them."""

    words: Strings
    keys: Strings
    """What words are aligned by: their letters in lower case."""

    marks: Strings
    """The class of the mark after each word."""

    starts: Flags
    """Whether a word begins a sentence."""

    places: Indices
    """The index of each word in the transcript."""

    @classmethod
    def of(cls, transcript: Transcript) -> WrittenWords:
        """Take words and marks of a transcript; a token of punctuation is a mark."""
        kept = transcript.only(("opening", "mark", "tag", "sentences"))
        # A layer of numbers shows which words are left.
        text = marks(kept.replace(start=np.arange(len(kept))))
        shown = tuple(compose(word).replace("’", "'").rstrip(".") for word in text.words)
        after = text.mark or ("",) * len(text)
        if text.sentences is None:
            ends = np.array(sentence_ends(text.words, after, ".?!"), np.str_) != ""
        else:
            ends = text.sentences.boundary
        starts = np.append(True, ends)[: len(text)]
        places = np.zeros(0) if text.start is None else text.start
        classes = tuple(map(mark_class, after))
        return cls(shown, tuple(map(_key, shown)), classes, starts, places.astype(np.int64))


def _key(word: str) -> str:
    # Both letters i of Turkish stand for one, because their capitals are those of English.
    return word.lower().replace("i̇", "i").replace("ı", "i")


class MarkPair(NamedTuple):
    """A mark of the reference and one of the hypothesis at the same gap; '' where there is none."""

    gap: int
    reference: str
    hypothesis: str


class Compared(NamedTuple):
    """A hypothesis, a reference, and their alignment."""

    ours: WrittenWords
    theirs: WrittenWords
    alignment: Alignment

    @classmethod
    def of(cls, hypothesis: Transcript, reference: Transcript) -> Compared:
        """Align two texts."""
        ours, theirs = WrittenWords.of(hypothesis), WrittenWords.of(reference)
        return cls(ours, theirs, align(theirs.keys, ours.keys))

    def mark_pairs(self, same: Mapping[str, str] = MappingProxyType({})) -> Iterator[MarkPair]:
        """Yield the marks at each gap of the hypothesis; `same` maps classes that count as one.

        A mark of the reference goes after the last word that is aligned at or before it, or to
        the first word if there is none. Of several at one gap, one can be right.
        """
        there = defaultdict(list)
        for gap, mark in zip(self.alignment.gaps.tolist(), self.theirs.marks, strict=True):
            if mark:
                there[gap].append(same.get(mark, mark))
        here = {at: same.get(mark, mark) for at, mark in enumerate(self.ours.marks) if mark}
        for gap in sorted(here.keys() | there.keys()):
            wanted, found = there[gap], here.get(gap, "")
            if wanted:
                beside = wanted.index(found) if found in wanted else 0
                yield MarkPair(max(gap, 0), wanted.pop(beside), found)
            else:
                yield MarkPair(gap, "", found)
            yield from (MarkPair(max(gap, 0), missed, "") for missed in wanted)

    def cased_words(self) -> Iterator[tuple[int, int]]:
        """Yield the indices of words that are equal but perhaps for their case, and have case."""
        for at in np.flatnonzero(self.alignment.equal).tolist():
            if self.ours.words[at].lower() != self.ours.words[at].upper():
                yield at, int(self.alignment.source[at])


@dataclass(frozen=True, repr=False)
class Restoration(Pairwise):
    """Precision, recall and F1 of marks, accuracy of case, F1 of capitals inside sentences.

    Words are aligned with the fewest edits, whatever their case, and the marks of the reference
    go to the words of the hypothesis as boundaries do: after the last word aligned at or before
    them. A mark is a comma, a full stop, a question mark or an exclamation mark, each with values
    of its own; `;` and an ellipsis count as a full stop, `:` and dashes as a comma, and of
    several marks `?` or `!` counts first, then a full stop. A mark of the wrong class is spurious
    in one class and missing in another. `precision`, `recall` and `f1` are those of `,`, `.` and
    `?` together, where `!` is a full stop. `case_accuracy` is the share of the words that both
    texts have, and whose letters have case, that are written alike. `capitals_f1` is about words
    with an upper-case letter, without those that begin a sentence of the reference;
    `inner_capitals_f1` also without those that begin a sentence of the hypothesis, so that
    boundaries have no part in it. Several references: the mean.
    """

    name = "Restoration"
    compares = ()
    same_words = False
    raw = True
    shown = True
    parts = "words"
    best: ClassVar = {
        **dict.fromkeys(("precision", "recall", "f1"), 1.0),
        **{
            f"{name}_{rate}": 1.0
            for name in (*CLASSES.values(), CAPITALS, INNER)
            for rate in ("precision", "recall", "f1")
        },
        "case_accuracy": 1.0,
    }
    main = "f1"

    def compare(
        self, hypothesis: Transcript, reference: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts:
        """Yield right, missing and spurious marks and capitals, and words by their case."""
        compared = Compared.of(hypothesis, reference)
        size = max(1, len(hypothesis))
        columns = {name: np.zeros(size, np.int64) for name in _count_names()}
        places = np.append(compared.ours.places, 0)
        for same, names in ((LIKE_PERIOD, dict.fromkeys(CLASSES, "")), ({}, CLASS_PREFIXES)):
            for gap, wanted, found in compared.mark_pairs(same):
                if wanted == found:
                    columns[f"{names[found]}right"][places[gap]] += 1
                else:
                    columns[f"{names.get(wanted, '')}missing"][places[gap]] += bool(wanted)
                    columns[f"{names.get(found, '')}spurious"][places[gap]] += bool(found)
        for at, beside in compared.cased_words():
            ours, theirs = compared.ours.words[at], compared.theirs.words[beside]
            columns["case_right" if ours == theirs else "case_wrong"][places[at]] += 1
            capital = has_capital(ours), has_capital(theirs)
            if any(capital) and not compared.theirs.starts[beside]:
                kind = {(True, True): "right", (True, False): "spurious"}.get(capital, "missing")
                columns[f"{CAPITALS}_{kind}"][places[at]] += 1
                columns[f"{INNER}_{kind}"][places[at]] += not compared.ours.starts[at]
        yield from columns.items()
        yield from match_columns(compared.alignment, size)

    def rates(self, counts: Counts) -> dict[str, Value]:
        """Return the rates of all marks, of case and of capitals."""
        rates = _rates("", "mark", counts)
        for name in CLASSES.values():
            rates |= _rates(f"{name}_", f"{name} mark" if name[0] in "qe" else name, counts)
        right, wrong = counts["case_right"], counts["case_wrong"]
        rates["case_accuracy"] = ratio(right, right + wrong, NO_CASE)
        for name in (CAPITALS, INNER):
            rates |= _rates(f"{name}_", "capital inside a sentence", counts)
        return rates

    def values(self, counts: Counts) -> dict[str, Value]:
        """Return rates and counts, without those for remarks."""
        found = super().values(counts)
        return {name: value for name, value in found.items() if not name.startswith(PREFIX)}

    def remarks(self, counts: Counts) -> list[str]:
        """Warn about texts that share few words."""
        parts = enumerate(split_by_reference(counts), 1)
        return [remark for number, part in parts for remark in mismatch_remarks(part, number)]

    def disagreements(
        self, hypothesis: Transcript, references: Sequence[Transcript]
    ) -> Iterator[Disagreement]:
        """Yield each mark that differs, and each word that differs in case, in order."""
        for number, reference in enumerate(references, 1):
            compared = Compared.of(hypothesis, reference)
            words, places = compared.ours.words, np.append(compared.ours.places, 0)
            found: list[tuple[int, str, str, str, str, int]] = [
                (gap, "mark", _kind(wanted, here), wanted, here, gap + 1)
                for gap, wanted, here in compared.mark_pairs()
                if wanted != here
            ]
            for at, beside in compared.cased_words():
                if words[at] != compared.theirs.words[beside]:
                    pair = compared.theirs.words[beside], words[at]
                    found.append((at, "word", "case", *pair, at))
            for at, level, kind, theirs, ours, first in sorted(found):
                around = context_words(words, first, at)
                yield Disagreement(level, kind, theirs, ours, *around, int(places[at]), number)


def _count_names() -> Iterable[str]:
    for name in ("", *CLASS_PREFIXES.values(), f"{CAPITALS}_", f"{INNER}_"):
        yield from (f"{name}{kind}" for kind in ("right", "missing", "spurious"))
    yield from ("case_right", "case_wrong")


def _kind(wanted: str, found: str) -> str:
    return "changed" if wanted and found else "missed" if wanted else "added"


def _rates(prefix: str, what: str, counts: Counts) -> dict[str, Value]:
    right = counts[f"{prefix}right"]
    found, wanted = right + counts[f"{prefix}spurious"], right + counts[f"{prefix}missing"]
    precision = ratio(right, found, f"no {what} in the hypothesis")
    recall = ratio(right, wanted, f"no {what} in the reference")
    rates = (precision, recall, harmonic_mean(precision, recall))
    names = ("precision", "recall", "f1")
    return {f"{prefix}{name}": rate for name, rate in zip(names, rates, strict=True)}
