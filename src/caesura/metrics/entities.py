"""Entities: word errors inside entities (NE-WER), slot error rates (SER, ETER), F1 schemas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from caesura.core.arrays import Strings
from caesura.core.config import check_number, check_one_of, check_texts
from caesura.core.protocols import Disagreement, PerGapCounts
from caesura.core.transcript import Span, Transcript
from caesura.core.values import Counts, Undefined, Value, ratio
from caesura.metrics import base, entity_words
from caesura.metrics.base import (
    Pairwise,
    ResultCache,
    context_words,
    require_entities,
    split_by_reference,
)
from caesura.metrics.entity_matching import OUTCOMES, SCHEMAS, EntityMatching
from caesura.metrics.entity_words import (
    INSERTIONS,
    EntityWords,
    class_suffix,
    classes_in,
    sort_names,
)
from caesura.metrics.words import COUNT_NAMES
from caesura.text.alignment.transfer import project_spans
from caesura.text.alignment.word_alignment import WEIGHTS, Alignment, align
from caesura.text.entity_projection import SPELLING_CLASSES, drop_overlaps
from caesura.text.normalization.alternatives import choose_alternatives

NO_REFERENCE_ENTITY = "no entity in the reference"
NO_HYPOTHESIS_ENTITY = "no entity in the hypothesis"
NO_ENTITY = "no entity anywhere"
OF_COUNTED_CLASS = " has a class that counts"
NO_HYPOTHESIS_LAYER = "a hypothesis has no entities: give the output of an entity tagger"

RATES = ("precision", "recall", "f1")
KINDS = ("", "another class", "another extent", "another class and extent")

HALF = 0.5

SLOTS = {"ser": "strict", "ser_half": "half", "eter": "eter"}
"""Slot error rates, and the scheme of matching of each."""

Difference = tuple[int, int, str, tuple[str, str]]
"""The first and last word of the hypothesis, the kind, and both texts."""


@dataclass(frozen=True)
class ComparedEntities:
    """The entities of a reference on the words of a hypothesis, their words and their matches."""

    reference: Transcript
    alignment: Alignment
    real: tuple[Span, ...]
    placed: tuple[Span, ...]
    words: EntityWords
    places: tuple[Span, ...]
    counted: tuple[Span, ...]
    others: tuple[Span, ...]
    """Entities of the reference that count (nested ones too), and those that do not."""

    matched: EntityMatching | None
    """None if the hypothesis has no entities layer."""


COMPARISONS: ResultCache[ComparedEntities] = ResultCache()
"""Comparisons made for counting, so that disagreements are found without aligning again."""


@dataclass(frozen=True, repr=False)
class Entities(Pairwise):
    """Word errors inside entities (NE-WER), and entity errors: SER, ETER and four F1 schemas.

    `ne_wer` is the word error rate over the words of reference entities, overall and by class.
    Insertions between the first and last recognised word of an entity count; with
    `insertions='edges'` also those next to it, with 'none' no insertion. All other values need a
    hypothesis with entities. Reference entities are projected to its words by an alignment
    (`weights` as in `Words`) and matched one to one with overlapping ones at the least cost. Slot
    error rates = cost / reference entities: `ser` counts any error as 1 (Makhoul et al. 1999),
    `ser_half` a wrong class or extent as 1/2, `eter` as 1 - `alpha` and `alpha` (Ben Jannet et
    al. 2014); a missed or spurious entity costs 1. strict, exact, partial and type are the
    schemas of nervaluate. Of overlapping entities only the longest counts, with `nested` all.
    Only entities of `classes` count (default: all), and none of the classes `without`. Of
    alternative transcriptions, those with the fewest edits count.
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
            object.__setattr__(self, name, check_texts(name, getattr(self, name)))
        asked: object = self.insertions
        if isinstance(asked, bool):
            object.__setattr__(self, "insertions", "inside" if asked else "none")
        check_one_of("insertions", self.insertions, INSERTIONS)
        check_one_of("weights", self.weights, WEIGHTS)
        check_number("alpha", self.alpha, 0, 1)
        if type(self.nested) is not bool:
            raise ValueError(f"nested is True or False, not {self.nested!r}")

    def compare(
        self, hypothesis: Transcript, reference: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts:
        """Yield words and entities, counted at their place in the hypothesis."""
        compared = self.compared(hypothesis, reference)
        size = max(1, len(hypothesis))
        yield from compared.words.columns()
        places = np.array([min(span.first, size - 1) for span in compared.placed], np.int64)
        lost = np.array([span.last < span.first for span in compared.placed], np.bool_)
        yield "entities", np.bincount(places, minlength=size)
        yield "lost", np.bincount(places[lost], minlength=size)
        yield from entity_words.class_columns(compared.others, size)
        yield from entity_words.class_columns(compared.counted, size, entity_words.COUNTED_PREFIX)
        yield from base.match_columns(compared.alignment, size)
        if compared.matched is None:
            yield "unnamed", np.eye(1, size, dtype=np.int64)[0]
        else:
            yield from compared.matched.columns(self.alpha)

    def compared(self, hypothesis: Transcript, reference: Transcript) -> ComparedEntities:
        """Return the entities of a reference on the words of a hypothesis."""
        kept = COMPARISONS.get(self, hypothesis, reference)
        return kept or COMPARISONS.put(
            self, hypothesis, reference, self._compare(hypothesis, reference)
        )

    def _compare(self, hypothesis: Transcript, reference: Transcript) -> ComparedEntities:
        entities = require_entities(reference, hypothesis)
        named = self._counting(entities)
        # The longest are chosen in the reference as written, so that they are the same for all.
        chosen = _choose_alternatives(reference.replace(entities=drop_overlaps(named)), hypothesis)
        aligned = align(chosen.words, hypothesis.words, self.weights)
        level = real = drop_overlaps(chosen.entities or ())
        if self.nested:
            real = (
                _choose_alternatives(reference.replace(entities=named), hypothesis).entities or ()
            )
        there, matched = project_spans(real, aligned), None
        if hypothesis.entities is not None:
            recognised = self._counting(hypothesis.entities)
            recognised = recognised if self.nested else drop_overlaps(recognised)
            matched = EntityMatching.of(there, recognised, len(hypothesis))
        words = EntityWords.of(level, aligned, self.insertions)
        not_counted = tuple(span for span in entities if not self._counts(span))
        places = project_spans(level, aligned)
        return ComparedEntities(
            chosen, aligned, real, there, words, places, named, not_counted, matched
        )

    def _counting(self, spans: Iterable[Span]) -> tuple[Span, ...]:
        """Return the entities of classes that count."""
        return tuple(filter(self._counts, spans))

    def _counts(self, span: Span) -> bool:
        wanted = not self.classes or span.label in self.classes
        return wanted and span.label not in self.without

    def values(self, counts: Counts) -> dict[str, Value]:
        """Return the rates; some are undefined for hypotheses without entities."""
        parts = split_by_reference(counts)
        names = sort_names(tuple(dict.fromkeys(name for part in parts for name in part)))
        whole = {f"{name}_{at}": part[name] for at, part in enumerate(parts, 1) for name in names}
        values = super().values(Counts(**whole))
        if any(part["unnamed"] for part in parts):
            ways = tuple(f"{way}_" for way in OUTCOMES)
            values |= {
                name: Undefined(NO_HYPOTHESIS_LAYER) for name in values if name.startswith(ways)
            }
        hidden = (
            "unnamed",
            entity_words.LEFT_OUT_PREFIX,
            entity_words.COUNTED_PREFIX,
            base.PREFIX,
        )
        return {name: value for name, value in values.items() if not name.startswith(hidden)}

    def rates(self, counts: Counts) -> dict[str, Value]:
        """Return the rates for one reference."""
        hits, substitutions, deletions, insertions = (counts[f"ne_{name}"] for name in COUNT_NAMES)
        wrong = substitutions + deletions
        which, there = (
            OF_COUNTED_CLASS if self.classes or self.without else "",
            entity_words.list_left_out(counts),
        )
        none = f"{NO_REFERENCE_ENTITY}{which}" + (f": there are {there}" if there else "")
        rates: dict[str, Value] = {"ne_wer": ratio(wrong + insertions, hits + wrong, none)}
        for label in sorted({*classes_in(tuple(counts)), *map(class_suffix, self.classes)}):
            wrong, said = (counts[f"ne_{what}_{label}"] for what in ("errors", "words"))
            rates[f"ne_wer_{label}"] = ratio(
                wrong, said, f"{NO_REFERENCE_ENTITY} is of class {label}"
            )
        for name, way in SLOTS.items():
            rates[name] = _slot_error_rate(counts, way, HALF if way == "half" else self.alpha, none)
        for schema in SCHEMAS:
            rates |= _schema_rates(
                counts, schema, (f"{NO_HYPOTHESIS_ENTITY}{which}", none, NO_ENTITY + which)
            )
        if counts["unnamed"]:
            apart = Undefined(NO_HYPOTHESIS_LAYER)
            rates |= {name: apart for name in rates if not name.startswith("ne_wer")}
        return rates

    def remarks(self, counts: Counts) -> list[str]:
        """Warn about texts or classes that do not match, and about classes that name nothing."""
        parts = split_by_reference(counts)
        remarks = [
            remark for at, part in enumerate(parts, 1) for remark in base.mismatch_remarks(part, at)
        ]
        present = {label for part in parts for label in classes_in(tuple(part))}
        odd = tuple(label for label in SPELLING_CLASSES if label in present)
        if odd and not self.classes:
            remarks.append(
                f"classes that name nothing count as entities: {', '.join(odd)}; leave them out "
                f"with without={odd!r}"
            )
        total = Counts.total(parts)
        if total["type_incorrect"] and not total["type_correct"]:
            remarks.append(
                "no entity has the class of the one it was matched with: do hypothesis and "
                "reference use the same names for classes?"
            )
        if total["entities"]:
            remarks += entity_words.unknown_class_remarks(total, (*self.classes, *self.without))
        return [*remarks, *entity_words.rev_remark(total)]

    def disagreements(
        self, hypothesis: Transcript, references: Sequence[Transcript]
    ) -> Iterator[Disagreement]:
        """Yield entities with wrong words, and entities that were missed, added or changed."""
        for number, reference in enumerate(references, 1):
            compared = self.compared(hypothesis, reference)
            differences = [
                *_word_differences(compared, hypothesis),
                *_entity_differences(compared, hypothesis, self.alpha),
            ]
            for first, last, kind, texts in sorted(differences):
                yield Disagreement(
                    "entity",
                    kind,
                    *texts,
                    *context_words(hypothesis.words, first, last),
                    max(0, min(first, len(hypothesis) - 1)),
                    number,
                )


def _choose_alternatives(reference: Transcript, hypothesis: Transcript) -> Transcript:
    """Choose the alternatives that are closest to a hypothesis."""
    return choose_alternatives(reference, hypothesis.words) if reference.alternatives else reference


def _slot_error_rate(counts: Counts, way: str, alpha: float, none: str) -> Value:
    """Return the cost of errors divided by the number of reference entities."""
    whole = sum(counts[f"{way}_{name}"] for name in ("missed", "spurious", "incorrect", "both"))
    part = (1 - alpha) * counts[f"{way}_class"] + alpha * counts[f"{way}_extent"]
    return ratio(whole + part, counts["entities"], none)


def _schema_rates(counts: Counts, way: str, none: tuple[str, str, str]) -> dict[str, Value]:
    """Return precision, recall and F1 of a schema; a partial match counts half."""
    shared = [counts[f"{way}_{name}"] for name in ("correct", "incorrect", "partial")]
    right = shared[0] + shared[2] / 2
    recognised = sum(shared) + counts[f"{way}_spurious"]
    real = sum(shared) + counts[f"{way}_missed"]
    return {
        f"{way}_precision": ratio(right, recognised, none[0]),
        f"{way}_recall": ratio(right, real, none[1]),
        f"{way}_f1": ratio(2 * right, recognised + real, none[2]),
    }


def _text(transcript: Transcript, span: Span, named: bool = True) -> str:
    words = " ".join(transcript.words[span.first : span.last + 1])
    return f"{words} ({span.label})" if named else words


def _word_differences(compared: ComparedEntities, hypothesis: Transcript) -> Iterator[Difference]:
    """Yield the entities with wrong words."""
    words = compared.words
    for at in np.flatnonzero(words.errors).tolist():
        place = compared.places[at]
        texts = _text(compared.reference, words.spans[at]), _text(hypothesis, place, named=False)
        kind = "words wrong" if place.last >= place.first else "lost"
        yield place.first, place.last, kind, texts


def _entity_differences(
    compared: ComparedEntities, hypothesis: Transcript, alpha: float
) -> Iterator[Difference]:
    """Yield the entities that are missed, added, or of another class or extent."""
    matched = compared.matched
    if matched is None:
        return
    pairs = matched.pairs("eter", alpha)
    for at, (real, place) in enumerate(zip(compared.real, compared.placed, strict=True)):
        text = _text(compared.reference, real)
        if at not in pairs:
            yield place.first, place.last, "missed", (text, _text(hypothesis, place, named=False))
    for (i, j), kind in zip(pairs.items(), matched.kinds(pairs).tolist(), strict=True):
        if kind:
            ours = matched.found[j]
            texts = _text(compared.reference, compared.real[i]), _text(hypothesis, ours)
            yield ours.first, ours.last, KINDS[kind], texts
    for j in sorted(set(range(len(matched.found))) - set(pairs.values())):
        ours = matched.found[j]
        yield ours.first, ours.last, "added", ("", _text(hypothesis, ours))
