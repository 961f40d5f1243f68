"""ATENE: how much harder recognition errors make it to find the names of a text."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar, NamedTuple

import numpy as np

from caesura.contracts import (
    Counts,
    Disagreement,
    Naming,
    Spread,
    Undefined,
    Value,
    ratio,
)
from caesura.errors import LayerError
from caesura.metrics import leftout
from caesura.metrics.gaps import Pairwise, by_reference
from caesura.metrics.kept import Kept
from caesura.metrics.risks import UNIT, Risks
from caesura.namers.classes import called, names
from caesura.settings import between, one_of
from caesura.storage import card, find, load
from caesura.text.align import Alignment, align
from caesura.text.normalize import BARE, normalize, standing
from caesura.text.phones import SOURCES
from caesura.text.projection import COLLAR, Projected, parted, project
from caesura.text.readings import nearest
from caesura.transcript import Indices, Span, Transcript

NONE_KNOWN = "no name in the reference of a class that the model knows"
NONE_SCORED = "no text was scored"
HIDDEN = ("starts", "ends", "outside", "stretches", "documents", leftout.FRONT)
"""Beginnings of counts that are no values."""

AROUND = 3
"""Words that are told before and after a place."""


class Contribution(NamedTuple):
    """What became of a name, or of a stretch between names, and by how much its margins fell.

    `loss` is the mean fall at the start and the end of a name (at most 2, below 0 if it became
    easier to find), or the fall in a stretch, where a name is seen that is none.
    """

    level: str
    """'name' or 'stretch'."""

    label: str
    reference: str
    hypothesis: str
    loss: float
    by: str
    """How a name was found: 'time', 'alignment' or 'lost'."""

    first: int
    last: int
    """Words of the hypothesis; of a stretch the riskiest."""


@dataclass(frozen=True, eq=False)
class Judged:
    """A reference and a hypothesis as the model sees them, the names of the one in the other."""

    hypothesis: Transcript
    kept: Indices
    """The places of its words among those that were given."""

    reference: Transcript
    alignment: Alignment
    placed: tuple[Projected, ...]
    risks: Risks
    unknown: tuple[Span, ...]
    """Names of classes that the model does not know."""

    def place(self, word: int) -> int:
        """Give the place of a word, or of what stands before it, among those that were given."""
        last = len(self.kept) - 1
        return int(self.kept[min(max(word, 0), last)]) if last >= 0 else 0


@dataclass(frozen=True, repr=False)
class ATENE(Pairwise):
    """By how much recognition errors make names harder to find, and false ones likelier.

    A `model` (one that ships, a folder, or what `Margins` gave) says how likely a name of each
    class starts, ends and goes on at a word; the margin is the probability of the right label
    less that of the likeliest other. `atene_ds` is the mean change of margins at the starts and
    ends of names from the reference to the hypothesis (deletions and substitutions), `atene_i`
    that of the least margin in the stretches between names (insertions), and `atene` is -100
    times the mean of both: 0 is a perfect text, more is worse. Names of the reference are found
    by times (with a `collar` of seconds) and `phones` ('letters' or 'dictionary') or else by
    alignment; those that are nowhere are `lost`.
    """

    model: str | Naming = "atene"
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
        if not isinstance(self.model, Naming) and (
            not isinstance(self.model, str) or not self.model or "\0" in self.model
        ):
            raise ValueError(f"model is the name or the folder of a namer, not {self.model!r}")
        between("collar", self.collar, 0, 1e6)
        one_of("phones", self.phones, SOURCES)

    @property
    def namer(self) -> Naming:
        """The model, read when it is first needed."""
        if isinstance(self.model, Naming):
            return self.model
        folder = find(self.model)
        return _opened(str(folder.resolve()), card(folder).checksum)

    @cached_property
    def checksum(self) -> str:
        """The checksum of the model's card, or of what it has learnt, and of what it refers to."""
        within = "".join(part.checksum for part in self.namer.parts())
        if isinstance(self.model, str) and not within:
            return card(find(self.model)).checksum
        whole = hashlib.sha256(f"{within} {self.namer!r}".encode())
        for name, array in sorted(self.namer.learnt().items()):
            whole.update(f"{name} {array.dtype} {array.shape} ".encode() + array.tobytes())
        return whole.hexdigest()

    def compare(
        self, hypothesis: Transcript, reference: Transcript, references: Sequence[Transcript]
    ) -> Spread:
        """Count margins at their place in the hypothesis."""
        found = self.judged(hypothesis, reference)
        size, risks = max(1, len(hypothesis)), found.risks
        at = np.array([found.place(each.first) for each in found.placed], np.int64)
        lost = np.array([each.by == "lost" for each in found.placed], np.bool_)
        around = np.array([found.place(word) for word in risks.riskiest.tolist()], np.int64)
        for name, places, numbers in (
            ("entities", at, 1),
            ("lost", at, lost),
            ("starts", at, -risks.start),
            ("ends", at, -risks.end),
            ("stretches", around, 1),
            ("outside", around, -risks.outside),
            ("documents", np.zeros(1, np.int64), 1),
        ):
            column = np.zeros(size, np.int64)
            np.add.at(column, places, numbers)
            yield name, column
        yield from leftout.columns(found.unknown, size)

    def judged(self, hypothesis: Transcript, reference: Transcript) -> Judged:
        """Find the names of a reference in a hypothesis, and their margins in both."""
        kept = self._kept.get(self, hypothesis, reference)
        return kept or self._kept.put(
            self, hypothesis, reference, self._judge(hypothesis, reference)
        )

    @cached_property
    def _kept(self) -> Kept[Judged]:
        return Kept()

    def _judge(self, hypothesis: Transcript, reference: Transcript) -> Judged:
        if reference.entities is None:
            raise LayerError(
                f"a reference ({reference.id or 'unnamed'}) has no entities",
                remedy="give a file that has them, such as nlp, bio or jsonl",
            )
        namer = self.namer
        steps = BARE[-1:] if namer.capitals else BARE
        ours, said = normalize(hypothesis, steps), normalize(reference, steps)
        if said.readings:
            said = nearest(said, ours.words)
        known = names(said, namer.classes)
        theirs = said.replace(entities=known)
        lower = [tuple(map(str.lower, each.words)) for each in (theirs, ours)]
        alignment = align(lower[0], lower[1])
        placed = parted(project(theirs, ours, self.collar, alignment, self.phones))
        risks = Risks.of(placed, *namer.likely_all([ours, theirs]))
        kept = np.flatnonzero(~standing(hypothesis))
        spans = said.entities or ()
        unknown = tuple(each for each in spans if called(each.label, namer.classes) is None)
        return Judged(ours, kept, theirs, alignment, placed, risks, unknown)

    def rates(self, counts: Counts) -> dict[str, Value]:
        """Give equations (7), (11) and (12) against one reference."""
        edges = counts["starts"] + counts["ends"]
        there = leftout.there(counts)
        none = f"{NONE_KNOWN}: there are {there}" if there else NONE_KNOWN
        ds = ratio(edges / UNIT, 2 * counts["entities"], none)
        inside = ratio(counts["outside"] / UNIT, counts["stretches"], NONE_SCORED)
        whole = ds if isinstance(ds, Undefined) else inside
        if not isinstance(ds, Undefined) and not isinstance(inside, Undefined):
            whole = 50 * (0.0 - ds - inside)
        return {"atene": whole, "atene_ds": ds, "atene_i": inside}

    def values(self, counts: Counts) -> dict[str, Value]:
        """Give the rates, and how many names there are and were lost."""
        found = super().values(counts)
        return {name: value for name, value in found.items() if not name.startswith(HIDDEN)}

    def remarks(self, counts: Counts) -> list[str]:
        """Tell what must not be compared, and what the model cannot judge."""
        told, parts = [], by_reference(counts)
        recordings = max((part["documents"] for part in parts), default=0)
        if recordings > 1:
            told.append(
                f"the margins of {recordings:g} recordings are added up; each is relative to its "
                "own reference: compare systems on the same recordings, not recordings"
            )
        total = Counts.total(parts)
        if leftout.of(total):
            told.append(
                f"{sum(leftout.of(total).values()):g} entities are of classes that the model does "
                f"not know, and are left out: {leftout.there(total)} "
                f"(it knows {', '.join(self.namer.classes)}; another can be trained: "
                "caesura train Margins)"
            )
        return [*told, *leftout.elsewhere(total)]

    def contributions(
        self, hypothesis: Transcript, reference: Transcript
    ) -> tuple[Contribution, ...]:
        """Say of each name and each stretch how much it adds to the loss, in their order."""
        found = self.judged(hypothesis, reference)
        told = [*_of_names(found), *_of_stretches(found)]
        return tuple(sorted(told, key=lambda each: (each.first, each.last)))

    def disagreements(
        self, hypothesis: Transcript, references: Sequence[Transcript]
    ) -> Iterator[Disagreement]:
        """Tell the names that became harder to find, and where false ones became likely."""
        for number, reference in enumerate(references, 1):
            found = self.judged(hypothesis, reference)
            words = found.hypothesis.words
            for each in self.contributions(hypothesis, reference):
                if each.loss > 0:
                    kind = f"{each.label} lost" if each.by == "lost" else each.label or "risk"
                    before = " ".join(words[max(0, each.first - AROUND) : each.first])
                    after = " ".join(words[each.last + 1 : each.last + 1 + AROUND])
                    texts = (each.reference, each.hypothesis, before, after)
                    at = found.place(each.first)
                    yield Disagreement(each.level, kind, *texts, at, number, each.loss)


def _of_names(found: Judged) -> Iterator[Contribution]:
    falls = ((found.risks.start + found.risks.end) / (2 * UNIT)).tolist()
    for each, fall in zip(found.placed, falls, strict=True):
        span = each.entity
        said = " ".join(found.reference.words[span.first : span.last + 1])
        ours = " ".join(found.hypothesis.words[each.first : each.last + 1])
        yield Contribution("name", span.label, said, ours, fall, each.by, each.first, each.last)


def _of_stretches(found: Judged) -> Iterator[Contribution]:
    """Tell the riskiest word of each stretch, and what was said in its place."""
    source = found.alignment.source
    for word, fall in zip(
        found.risks.riskiest.tolist(), (found.risks.outside / UNIT).tolist(), strict=True
    ):
        ours = found.hypothesis.words[word : word + 1]
        near = source[max(0, word - 1) : word + 2]
        near = near[near >= 0]
        said = found.reference.words[near[0] : near[-1] + 1] if len(near) else ()
        texts = (" ".join(said), " ".join(ours))
        yield Contribution("stretch", "", *texts, fall, "alignment", word, word)


@lru_cache(maxsize=8)
def _opened(folder: str, checksum: str) -> Naming:  # noqa: ARG001 - another checksum, another model
    return load(folder).namer
