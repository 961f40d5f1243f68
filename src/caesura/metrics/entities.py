"""What a recogniser does to entities: their words, and the entities found in what it wrote."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from caesura.core.arrays import Strings
from caesura.core.config import between, one_of, strings
from caesura.core.protocols import Disagreement, PerGapCounts
from caesura.core.transcript import Span, Transcript
from caesura.core.values import Counts, Undefined, Value, ratio
from caesura.metrics import entity_words, text_match
from caesura.metrics.base import (
    Pairwise,
    ResultCache,
    context_words,
    require_entities,
    split_by_reference,
)
from caesura.metrics.entity_matching import OUTCOMES, SCHEMAS, Matched
from caesura.metrics.entity_words import INSERTIONS, Heard, ended, labels, ordered
from caesura.metrics.words import COUNTED
from caesura.text.alignment.transfer import project_spans
from caesura.text.alignment.word_alignment import WEIGHTS, Alignment, align
from caesura.text.entity_projection import SPELLING_CLASSES, drop_overlaps
from caesura.text.normalization.alternatives import choose_alternatives

NONE_REAL = "no entity in the reference"
NONE_FOUND = "no entity in the hypothesis"
NONE_ANYWHERE = "no entity anywhere"
THAT_COUNTS = " has a class that counts"
NOT_LOOKED_FOR = "a hypothesis has no entities of its own: give one in which they were looked for"

RATES = ("precision", "recall", "f1")
KINDS = ("", "another class", "another extent", "another class and extent")

HALF = 0.5

SLOTS = {"ser": "strict", "ser_half": "half", "eter": "eter"}
"""Values that are costs of entities, and the way of matching each."""

Told = tuple[int, int, str, tuple[str, str]]
"""First and last word of the hypothesis, the kind, and both texts."""


@dataclass(frozen=True)
class Compared:
    """A reference on the words of a hypothesis: its entities, their words and what they match."""

    reference: Transcript
    alignment: Alignment
    real: tuple[Span, ...]
    placed: tuple[Span, ...]
    heard: Heard
    places: tuple[Span, ...]
    counted: tuple[Span, ...]
    others: tuple[Span, ...]
    """Entities of the reference that count, also inside others, and that do not."""

    matched: Matched | None
    """None if the hypothesis has no entities of its own."""


COMPARED: ResultCache[Compared] = ResultCache()
"""What was found to count, so that what differs can be told without aligning again."""


@dataclass(frozen=True, repr=False)
class Entities(Pairwise):
    """Word errors inside entities (NE-WER), and errors of entities: SER, ETER, four schemas.

    `ne_wer` is the word error rate of words inside entities of the reference, overall and for
    each class. Words put in between the first and the last recognised word of an entity count
    to it; with `insertions='edges'` those next to it too, with 'none' no such word does. The
    other values need a hypothesis with entities of its own. Those of the reference are put on
    its words by an alignment (`weights` as in `Words`), and matched one to one, at the least
    cost, with those that overlap: the slot error rate `ser` counts any error as 1, `ser_half` a
    wrong class or a wrong extent as 1/2, `eter` as 1 - `alpha` and `alpha`; strict, exact,
    partial and type are the schemas of nervaluate. Of entities that overlap the longest counts,
    with `nested` each does. Only entities of these `classes` count (none named: all), and none of
    the classes `without`. If a reference has alternatives, those count that leave the fewest edits.
    """

    classes: Strings = ()
    without: Strings = ()
    insertions: str = "inside"
    alpha: float = 0.5
    nested: bool = False
    weights: str = "edits"

    name = "Entities"
    compares = ()
    same_words = False
    parts = "words"
    best: ClassVar = {
        **dict.fromkeys(("ne_wer", "ser", "ser_half", "eter"), 0.0),
        **{f"{schema}_{rate}": 1.0 for schema in SCHEMAS for rate in RATES},
    }
    main = "ne_wer"

    def __post_init__(self) -> None:
        for name in ("classes", "without"):
            object.__setattr__(self, name, strings(name, getattr(self, name)))
        asked: object = self.insertions
        if isinstance(asked, bool):
            object.__setattr__(self, "insertions", "inside" if asked else "none")
        one_of("insertions", self.insertions, INSERTIONS)
        one_of("weights", self.weights, WEIGHTS)
        between("alpha", self.alpha, 0, 1)
        if type(self.nested) is not bool:
            raise ValueError(f"nested is True or False, not {self.nested!r}")

    def compare(
        self, hypothesis: Transcript, reference: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts:
        """Count words and entities at their place in the hypothesis."""
        found = self.compared(hypothesis, reference)
        size = max(1, len(hypothesis))
        yield from found.heard.columns()
        places = np.array([min(span.first, size - 1) for span in found.placed], np.int64)
        lost = np.array([span.last < span.first for span in found.placed], np.bool_)
        yield "entities", np.bincount(places, minlength=size)
        yield "lost", np.bincount(places[lost], minlength=size)
        yield from entity_words.left_out_columns(found.others, size)
        yield from entity_words.left_out_columns(found.counted, size, entity_words.COUNTED_CLASSES)
        yield from text_match.columns(found.alignment, size)
        if found.matched is None:
            yield "unnamed", np.eye(1, size, dtype=np.int64)[0]
        else:
            yield from found.matched.columns(self.alpha)

    def compared(self, hypothesis: Transcript, reference: Transcript) -> Compared:
        """Put the entities of a reference on the words of a hypothesis."""
        kept = COMPARED.get(self, hypothesis, reference)
        return kept or COMPARED.put(self, hypothesis, reference, self._look(hypothesis, reference))

    def _look(self, hypothesis: Transcript, reference: Transcript) -> Compared:
        given = require_entities(reference, hypothesis)
        named = self._counting(given)
        # Which are the longest is seen in the reference as written: the same for all systems.
        said = _read(reference.replace(entities=drop_overlaps(named)), hypothesis)
        aligned = align(said.words, hypothesis.words, self.weights)
        level = real = drop_overlaps(said.entities or ())
        if self.nested:
            real = _read(reference.replace(entities=named), hypothesis).entities or ()
        there, matched = project_spans(real, aligned), None
        if hypothesis.entities is not None:
            found = self._counting(hypothesis.entities)
            found = found if self.nested else drop_overlaps(found)
            matched = Matched.of(there, found, len(hypothesis))
        heard = Heard.of(level, aligned, self.insertions)
        others = tuple(span for span in given if not self._counts(span))
        places = project_spans(level, aligned)
        return Compared(said, aligned, real, there, heard, places, named, others, matched)

    def _counting(self, spans: Iterable[Span]) -> tuple[Span, ...]:
        """Give the entities of classes that count."""
        return tuple(filter(self._counts, spans))

    def _counts(self, span: Span) -> bool:
        wanted = not self.classes or span.label in self.classes
        return wanted and span.label not in self.without

    def values(self, counts: Counts) -> dict[str, Value]:
        """Give the rates; what hypotheses without entities leave open is undefined."""
        parts = split_by_reference(counts)
        names = ordered(tuple(dict.fromkeys(name for part in parts for name in part)))
        whole = {f"{name}_{at}": part[name] for at, part in enumerate(parts, 1) for name in names}
        found = super().values(Counts(**whole))
        if any(part["unnamed"] for part in parts):
            ways = tuple(f"{way}_" for way in OUTCOMES)
            found |= {name: Undefined(NOT_LOOKED_FOR) for name in found if name.startswith(ways)}
        hidden = ("unnamed", entity_words.LEFT_OUT, entity_words.COUNTED_CLASSES, text_match.FRONT)
        return {name: value for name, value in found.items() if not name.startswith(hidden)}

    def rates(self, counts: Counts) -> dict[str, Value]:
        """Give the rates against one reference."""
        hits, replaced, left_out, put_in = (counts[f"ne_{name}"] for name in COUNTED)
        wrong = replaced + left_out
        which, there = (
            THAT_COUNTS if self.classes or self.without else "",
            entity_words.there(counts),
        )
        none = f"{NONE_REAL}{which}" + (f": there are {there}" if there else "")
        rates: dict[str, Value] = {"ne_wer": ratio(wrong + put_in, hits + wrong, none)}
        for label in sorted({*labels(tuple(counts)), *map(ended, self.classes)}):
            wrong, said = (counts[f"ne_{what}_{label}"] for what in ("errors", "words"))
            rates[f"ne_wer_{label}"] = ratio(wrong, said, f"{NONE_REAL} is of class {label}")
        for name, way in SLOTS.items():
            rates[name] = _slots(counts, way, HALF if way == "half" else self.alpha, none)
        for schema in SCHEMAS:
            rates |= _schema(counts, schema, (f"{NONE_FOUND}{which}", none, NONE_ANYWHERE + which))
        if counts["unnamed"]:
            apart = Undefined(NOT_LOOKED_FOR)
            rates |= {name: apart for name in rates if not name.startswith("ne_wer")}
        return rates

    def remarks(self, counts: Counts) -> list[str]:
        """Tell if texts or classes seem not to belong together, and if classes name nothing."""
        parts = split_by_reference(counts)
        told = [each for at, part in enumerate(parts, 1) for each in text_match.doubts(part, at)]
        present = {label for part in parts for label in labels(tuple(part))}
        odd = tuple(label for label in SPELLING_CLASSES if label in present)
        if odd and not self.classes:
            told.append(
                f"classes that name nothing count as entities: {', '.join(odd)}; leave them out "
                f"with without={odd!r}"
            )
        total = Counts.total(parts)
        if total["type_incorrect"] and not total["type_correct"]:
            told.append(
                "no entity has the class of the one it was matched with: do hypothesis and "
                "reference name their classes alike?"
            )
        if total["entities"]:
            told += entity_words.absent(total, (*self.classes, *self.without))
        return [*told, *entity_words.elsewhere(total)]

    def disagreements(
        self, hypothesis: Transcript, references: Sequence[Transcript]
    ) -> Iterator[Disagreement]:
        """Tell the entities whose words are wrong, and those that were found otherwise."""
        for number, reference in enumerate(references, 1):
            found = self.compared(hypothesis, reference)
            told = [*_misheard(found, hypothesis), *_mistaken(found, hypothesis, self.alpha)]
            for first, last, kind, texts in sorted(told):
                yield Disagreement(
                    "entity",
                    kind,
                    *texts,
                    *context_words(hypothesis.words, first, last),
                    max(0, min(first, len(hypothesis) - 1)),
                    number,
                )


def _read(reference: Transcript, hypothesis: Transcript) -> Transcript:
    """Put the alternatives in place that are nearest to a hypothesis."""
    return choose_alternatives(reference, hypothesis.words) if reference.alternatives else reference


def _slots(counts: Counts, way: str, alpha: float, none: str) -> Value:
    """Give what entities cost, for each of the reference."""
    whole = sum(counts[f"{way}_{name}"] for name in ("missed", "spurious", "incorrect", "both"))
    part = (1 - alpha) * counts[f"{way}_class"] + alpha * counts[f"{way}_extent"]
    return ratio(whole + part, counts["entities"], none)


def _schema(counts: Counts, way: str, none: tuple[str, str, str]) -> dict[str, Value]:
    """Give precision, recall and F1, or why there is none; what is partly right counts half."""
    shared = [counts[f"{way}_{name}"] for name in ("correct", "incorrect", "partial")]
    right = shared[0] + shared[2] / 2
    found = sum(shared) + counts[f"{way}_spurious"]
    real = sum(shared) + counts[f"{way}_missed"]
    return {
        f"{way}_precision": ratio(right, found, none[0]),
        f"{way}_recall": ratio(right, real, none[1]),
        f"{way}_f1": ratio(2 * right, found + real, none[2]),
    }


def _text(transcript: Transcript, span: Span, named: bool = True) -> str:
    words = " ".join(transcript.words[span.first : span.last + 1])
    return f"{words} ({span.label})" if named else words


def _misheard(found: Compared, hypothesis: Transcript) -> Iterator[Told]:
    """Tell the entities of which words are wrong."""
    heard = found.heard
    for at in np.flatnonzero(heard.errors).tolist():
        place = found.places[at]
        texts = _text(found.reference, heard.spans[at]), _text(hypothesis, place, named=False)
        kind = "words wrong" if place.last >= place.first else "lost"
        yield place.first, place.last, kind, texts


def _mistaken(found: Compared, hypothesis: Transcript, alpha: float) -> Iterator[Told]:
    """Tell the entities that are missed, added, or not of the same class and extent."""
    matched = found.matched
    if matched is None:
        return
    pairs = matched.pairs("eter", alpha)
    for at, (real, place) in enumerate(zip(found.real, found.placed, strict=True)):
        said = _text(found.reference, real)
        if at not in pairs:
            yield place.first, place.last, "missed", (said, _text(hypothesis, place, named=False))
    for (i, j), kind in zip(pairs.items(), matched.kinds(pairs).tolist(), strict=True):
        if kind:
            ours = matched.found[j]
            texts = _text(found.reference, found.real[i]), _text(hypothesis, ours)
            yield ours.first, ours.last, KINDS[kind], texts
    for j in sorted(set(range(len(matched.found))) - set(pairs.values())):
        ours = matched.found[j]
        yield ours.first, ours.last, "added", ("", _text(hypothesis, ours))
