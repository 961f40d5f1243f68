"""ATENE: how much harder recognition errors make it to find names (Ben Jannet et al. 2015)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np

from caesura.core.config import check_number, check_one_of
from caesura.core.protocols import Disagreement, EntityModel, PerGapCounts
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Undefined, Value, ratio
from caesura.detectors.tagging.entity_model import entities_of_classes, matching_class
from caesura.metrics import base, entity_words
from caesura.metrics.atene_risks import UNIT, Contribution, JudgedNames, MarginLosses
from caesura.metrics.base import (
    Pairwise,
    ResultCache,
    context_words,
    require_entities,
    split_by_reference,
)
from caesura.models.store import find_folder, load, read_card
from caesura.text.alignment.word_alignment import align
from caesura.text.entity_projection import (
    COLLAR,
    clocks_differ,
    comparable_words,
    drop_overlaps,
    project,
    separate_overlaps,
)
from caesura.text.languages import languages_differ
from caesura.text.normalization.alternatives import choose_alternatives
from caesura.text.normalization.steps import compose
from caesura.text.phonetics import SOURCES
from caesura.text.punctuation import strip_punctuation

NO_KNOWN_NAME = "the reference has no name of a class that the model knows"
NO_TEXT = "no text was scored"
HIDDEN_COUNTS = ("starts", "ends", "outside", "segments", "documents", "foreign", "apart")
"""Counts that are not shown as values, besides those of entity classes and of shared words."""


@dataclass(frozen=True, repr=False)
class ATENE(Pairwise):
    """How much recognition errors make names harder to find, and false names likelier.

    ATENE (Ben Jannet et al. 2015). An entity `model` (one that ships, a folder, or a trained
    `Margins`) gives the probability that a name of each class starts, ends or continues at a
    word; the margin is the probability of the right label minus that of the likeliest other one.
    `atene_ds` (deletions and substitutions) is the mean change of the margins at starts and ends
    of names from the reference to the hypothesis; `atene_i` (insertions) is that of the least
    margin in the segments between names; `atene` = -100 × (atene_ds + atene_i) / 2: 0 for a
    perfect text, higher is worse. Reference names are found in the hypothesis by time (with a
    `collar` in seconds) and `phones` ('letters' or 'dictionary'), or else by alignment; those
    that are not found count as `lost`.
    """

    model: str | EntityModel = "atene"
    collar: float = COLLAR
    phones: str = "letters"

    name = "ATENE"
    compares = ()
    same_words = False
    raw = True
    parts = "words"
    best: ClassVar = {"atene": 0.0}
    main = "atene"

    def __post_init__(self) -> None:
        if not isinstance(self.model, EntityModel) and (
            not isinstance(self.model, str) or not self.model or "\0" in self.model
        ):
            raise ValueError(
                f"model is the name or the folder of an entity model, not {self.model!r}"
            )
        check_number("collar", self.collar, 0, 1e6)
        check_one_of("phones", self.phones, SOURCES)

    @property
    def entity_model(self) -> EntityModel:
        """The model, read when it is first needed."""
        if isinstance(self.model, EntityModel):
            return self.model
        folder = find_folder(self.model)
        return _load_model(str(folder.resolve()), read_card(folder).checksum)

    @cached_property
    def checksum(self) -> str:
        """The checksum of the model: of its card, or of its settings and weights."""
        within = "".join(part.checksum for part in self.entity_model.parts())
        if isinstance(self.model, str) and not within:
            return read_card(find_folder(self.model)).checksum
        whole = hashlib.sha256(f"{within} {self.entity_model!r}".encode())
        for name, array in sorted(self.entity_model.state().items()):
            whole.update(f"{name} {array.dtype} {array.shape} ".encode() + array.tobytes())
        return whole.hexdigest()

    @cached_property
    def _language(self) -> str:
        """The language on the model's card; '' if there is none."""
        return read_card(find_folder(self.model)).language if isinstance(self.model, str) else ""

    def compare(
        self, hypothesis: Transcript, reference: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts:
        """Yield margins, counted at their place in the hypothesis."""
        judged = self.judged(hypothesis, reference)
        size, losses = max(1, len(hypothesis)), judged.losses
        at = np.array([judged.place(name.first) for name in judged.placed], np.int64)
        lost = np.array([name.by == "lost" for name in judged.placed], np.bool_)
        around = np.array([judged.place(word) for word in losses.riskiest.tolist()], np.int64)
        once = np.zeros(1, np.int64)
        foreign = any(
            languages_differ(self._language, transcript.language)
            for transcript in (hypothesis, reference)
        )
        for name, places, numbers in (
            ("entities", at, 1),
            ("findable", at, losses.findable),
            ("lost", at, lost),
            ("starts", at, -losses.start),
            ("ends", at, -losses.end),
            ("segments", around, 1),
            ("outside", around, -losses.outside),
            ("documents", once, 1),
            ("foreign", once, int(foreign)),
            ("apart", once, int(judged.apart)),
        ):
            column = np.zeros(size, np.int64)
            np.add.at(column, places, numbers)
            yield name, column
        yield from entity_words.class_columns(judged.unknown, size)
        yield from base.match_columns(judged.alignment, size)

    def judged(self, hypothesis: Transcript, reference: Transcript) -> JudgedNames:
        """Return the names of a reference in a hypothesis, and their margins in both."""
        kept = self._kept.get(self, hypothesis, reference)
        return kept or self._kept.put(
            self, hypothesis, reference, self._judge(hypothesis, reference)
        )

    @cached_property
    def _kept(self) -> ResultCache[JudgedNames]:
        return ResultCache()

    def _judge(self, hypothesis: Transcript, reference: Transcript) -> JudgedNames:
        require_entities(reference, hypothesis)
        entity_model = self.entity_model
        (ours, kept), (spoken, _) = (
            comparable_words(
                transcript.replace(lemma=transcript.words) if entity_model.capitals else transcript
            )
            for transcript in (hypothesis, reference)
        )
        # The longest names are chosen in the reference as written: the same for all systems.
        theirs = spoken.replace(entities=entities_of_classes(spoken, entity_model.classes))
        if theirs.alternatives:
            theirs = choose_alternatives(theirs, ours.words)
            theirs = theirs.replace(entities=drop_overlaps(theirs.entities or ()))
        alignment = align(theirs.words, ours.words)
        placed = separate_overlaps(project(theirs, ours, self.collar, alignment, self.phones))
        if entity_model.capitals:
            ours, theirs = _with_capitals(ours), _with_capitals(theirs)
        losses = MarginLosses.of(placed, *entity_model.probabilities_all([ours, theirs]))
        unknown = tuple(
            span
            for span in spoken.entities or ()
            if matching_class(span.label, entity_model.classes) is None
        )
        apart = clocks_differ(theirs, ours, alignment, self.collar)
        return JudgedNames(ours, kept, theirs, alignment, placed, losses, unknown, apart)

    def rates(self, counts: Counts) -> dict[str, Value]:
        """Return equations (7), (11) and (12) for one reference."""
        edges = counts["starts"] + counts["ends"]
        there = entity_words.list_left_out(counts)
        none = f"{NO_KNOWN_NAME}: there are {there}" if there else NO_KNOWN_NAME
        ds = ratio(edges / UNIT, 2 * counts["entities"], none)
        inside = ratio(counts["outside"] / UNIT, counts["segments"], NO_TEXT)
        whole = ds if isinstance(ds, Undefined) else inside
        if not isinstance(ds, Undefined) and not isinstance(inside, Undefined):
            whole = 50 * (0.0 - ds - inside)
        return {"atene": whole, "atene_ds": ds, "atene_i": inside}

    def values(self, counts: Counts) -> dict[str, Value]:
        """Return the rates, and the numbers of names, findable names and lost names."""
        values, hidden = (
            super().values(counts),
            (*HIDDEN_COUNTS, entity_words.LEFT_OUT_PREFIX, base.PREFIX),
        )
        return {name: value for name, value in values.items() if not name.startswith(hidden)}

    def remarks(self, counts: Counts) -> list[str]:
        """Warn about comparisons that are not valid, and about what the model cannot judge."""
        parts = split_by_reference(counts)
        remarks = [one for at, part in enumerate(parts, 1) for one in _match_remarks(part, at)]
        recordings = max((part["documents"] for part in parts), default=0)
        if recordings > 1:
            remarks.append(
                f"the margins of {recordings:g} recordings are summed, each relative to its own "
                "reference: compare systems on the same recordings, not recordings"
            )
        foreign = max((part["foreign"] for part in parts), default=0)
        if foreign:
            remarks.append(
                f"the language of {foreign:g} of {recordings:g} recordings is not that of the "
                f"model ({self._language}), so that its margins mean little; another can be "
                "trained: caesura train Margins"
            )
        apart = max((part["apart"] for part in parts), default=0)
        if apart:
            remarks.append(
                f"in {apart:g} of {recordings:g} recordings the times of hypothesis and reference "
                "differ too much: names were found by alignment"
            )
        total = Counts.total(parts)
        if total["findable"] < base.HALF * total["entities"]:
            remarks.append(
                f"the model finds {total['findable']:g} of {total['entities']:g} names in the "
                "reference itself; it would miss the others even without errors, but they count "
                "in atene all the same; another can be trained: caesura train Margins"
            )
        unknown = sum(entity_words.class_counts(total).values())
        if unknown:
            are = "entity is of a class" if unknown == 1 else "entities are of classes"
            remarks.append(
                f"{unknown:g} {are} that the model does not know, and left out: "
                f"{entity_words.list_left_out(total)} "
                f"(it knows {', '.join(self.entity_model.classes)}; another can be trained: "
                "caesura train Margins)"
            )
        return [*remarks, *entity_words.rev_remark(total)]

    def contributions(
        self, hypothesis: Transcript, reference: Transcript
    ) -> tuple[Contribution, ...]:
        """Return how much each name and each segment adds to the loss, in order."""
        return self.judged(hypothesis, reference).contributions()

    def disagreements(
        self, hypothesis: Transcript, references: Sequence[Transcript]
    ) -> Iterator[Disagreement]:
        """Yield names that became harder to find, and places where false ones became likelier."""
        for number, reference in enumerate(references, 1):
            judged = self.judged(hypothesis, reference)
            words = judged.hypothesis.words
            for part in judged.contributions():
                if part.loss > 0:
                    kind = f"{part.label} lost" if part.by == "lost" else part.label or "risk"
                    around = context_words(words, part.first, part.last)
                    texts = (part.reference, part.hypothesis, *around)
                    at = judged.place(part.first)
                    yield Disagreement(part.level, kind, *texts, at, number, part.loss)


def _match_remarks(counts: Counts, number: int) -> Iterator[str]:
    """Warn about texts that share few words, and about hypotheses with few words."""
    yield from base.mismatch_remarks(counts, number)
    share = base.recognised_share(counts)
    if share is not None:
        yield (
            f"the hypothesis has {share:.0%} as many words as reference {number}: where words are "
            "missing, none can be taken for a name, which makes atene_i and atene too good"
        )


@lru_cache(maxsize=8)
def _load_model(folder: str, checksum: str) -> EntityModel:  # noqa: ARG001 - another checksum, another model
    return load(folder).entity_model


def _with_capitals(text: Transcript) -> Transcript:
    """Restore the capitals of words, which were kept as lemmas; alternatives have none."""
    pairs = zip(text.lemma or (), text.words, strict=True)
    words = (strip_punctuation(compose(lemma)).rstrip(".") or word for lemma, word in pairs)
    return text.replace(words=tuple(words), lemma=None)
