"""The algorithms of Jo et al. (2024) exactly as printed, as a metric for study: they are wrong.

Algorithm 1 merges pieces until the *next* ones are equal, not until the merged ones are. It reads
past the end of a text and does not always terminate. The paper leaves two things open, which are
settled here so that it can run at all: past the end stands a piece without characters that is
equal only to itself, and the merged text starts empty at each mismatch.

For the correct counts use the metric `Joint`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import eq
from typing import ClassVar

import numpy as np

from caesura.core.arrays import Strings
from caesura.core.config import check_one_of
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Undefined, Value
from caesura.metrics.base import PerReference, split_by_reference
from caesura.metrics.joint import Joint, unit_counts, unit_rates
from caesura.text.charmatch.units import Units, tokenize

UNITS = ("sentence", "token")
ALGORITHMS = (1, 3)
ENDLESS = "the printed algorithm does not terminate here"

Group = tuple[slice, slice]
Sentences = Sequence[Sequence[str]]


@dataclass(frozen=True, repr=False)
class PrintedJoint(PerReference):
    """Precision, recall and F1 of tokens and sentences by the paper's printed pseudo-code.

    Runs Algorithm 1 (on sentences, then on the tokens within them) or Algorithm 3 (whose counts
    are those of Algorithm 2) of Jo et al. (2024) as printed, faults included. Values of a text on
    which the algorithm does not terminate are undefined. `multiwords` and `tables` are those of
    `Joint`, which counts the same things correctly. Texts are compared as they were read.
    """

    algorithm: int = 1
    multiwords: str = "kept"
    tables: Strings = ()

    name = "PrintedJoint"
    same_words = False
    raw = True
    best: ClassVar = {
        f"{unit}_{rate}": 1.0 for unit in UNITS for rate in ("precision", "recall", "f1")
    }
    main = "sentence_f1"

    def __post_init__(self) -> None:
        check_one_of("algorithm", self.algorithm, ALGORITHMS)
        joint = Joint(self.multiwords, self.tables)
        object.__setattr__(self, "tables", joint.tables)

    def count(self, hypothesis: Transcript, references: Sequence[Transcript]) -> Counts:
        """Run the algorithm on the hypothesis and each reference."""
        return Counts(
            **{
                f"{name}_{number}": count
                for number, reference in enumerate(references, 1)
                for name, count in self._compare(hypothesis, reference).items()
            }
        )

    def _compare(self, hypothesis: Transcript, reference: Transcript) -> dict[str, int]:
        system, gold = self._units(hypothesis), self._units(reference)
        texts = _sentences(system), _sentences(gold)
        if self.algorithm == 1:
            sentences, tokens = run_algorithm_1_in_sentences(*texts)
            found = sum(run.found for run in tokens)
            terminates = all(run.terminates for run in (sentences, *tokens))
        else:
            sentences, found = run_algorithm_3(*texts)
            terminates = sentences.terminates
        return {
            **unit_counts("sentence", len(gold.sentences), len(system.sentences), sentences.found),
            **unit_counts("token", len(gold.tokens), len(system.tokens), found),
            "sentence_endless": int(not sentences.terminates),
            "token_endless": int(not terminates),
        }

    def _units(self, transcript: Transcript) -> Units:
        cut = tokenize(transcript, self.multiwords == "split")
        return Units.of(cut.tokens, cut.ends).rewritten(self.tables)

    def values(self, counts: Counts) -> dict[str, Value]:
        """Return the rates and counts; undefined where the algorithm did not terminate."""
        found = super().values(counts)
        for unit in UNITS:
            if any(part[f"{unit}_endless"] for part in split_by_reference(counts)):
                kinds = tuple(f"{unit}_{kind}" for kind in ("tp", "fp", "fn"))
                found |= {name: Undefined(ENDLESS) for name in found if name.startswith(kinds)}
        return found

    def rates(self, counts: Counts) -> dict[str, Value]:
        """Precision, recall and F1 of sentences and of tokens."""
        found: dict[str, Value] = {}
        for unit in UNITS:
            rates = unit_rates(unit, *(counts[f"{unit}_{kind}"] for kind in ("tp", "fp", "fn")))
            endless = counts[f"{unit}_endless"]
            found |= dict.fromkeys(rates, Undefined(ENDLESS)) if endless else rates
        return found


def _sentences(units: Units) -> list[list[str]]:
    """Return the tokens of each sentence."""
    ends = np.searchsorted(units.tokens, units.sentences) + 1
    forms = units.forms
    return [forms[a:b] for a, b in pairwise([0, *ends.tolist()])]


@dataclass(frozen=True)
class PrintedRun:
    """The outcome of an algorithm: its true positives, and the groups of pieces it aligned.

    `groups` are slices of the pieces of both sides that were equal or merged. If the algorithm
    does not terminate, all of this is what it had found before its endless loop.
    """

    found: int
    groups: tuple[Group, ...]
    terminates: bool


def run_algorithm_1(left: Sequence[str], right: Sequence[str]) -> PrintedRun:
    """Run Algorithm 1 on pieces; in the paper those of the system are left, the gold ones right."""
    groups: list[Group] = []
    found = i = j = 0
    while i < len(left) and j < len(right):
        first = i, j
        if left[i] == right[j]:
            found += 1
        else:
            reached = _merge(left, right, i, j)
            if reached is None:
                return PrintedRun(found, tuple(groups), False)
            i, j = reached
        i, j = i + 1, j + 1
        groups.append((slice(first[0], i), slice(first[1], j)))
    return PrintedRun(found, tuple(groups), True)


def _merge(left: Sequence[str], right: Sequence[str], i: int, j: int) -> tuple[int, int] | None:
    """Advance the shorter side until the next pieces are equal; None if that never happens."""
    left_length, right_length = len(left[i]), len(right[j])
    while _piece(left, i + 1) != _piece(right, j + 1):
        # A side that is past its end grows no more, so that it stays the shorter one for ever.
        if left_length > right_length:
            j += 1
            if j >= len(right):
                return None
            right_length += len(right[j])
        else:
            i += 1
            if i >= len(left):
                return None
            left_length += len(left[i])
    return i, j


def _piece(pieces: Sequence[str], at: int) -> str | None:
    return pieces[at] if at < len(pieces) else None


def run_algorithm_1_in_sentences(
    left: Sentences, right: Sentences
) -> tuple[PrintedRun, list[PrintedRun]]:
    """Run Algorithm 1 on sentences, then on the tokens of each group of aligned sentences."""
    joined = [["".join(sentence) for sentence in text] for text in (left, right)]
    sentences = run_algorithm_1(joined[0], joined[1])
    tokens = [
        run_algorithm_1(
            [token for sentence in left[left_slice] for token in sentence],
            [token for sentence in right[right_slice] for token in sentence],
        )
        for left_slice, right_slice in sentences.groups
    ]
    return sentences, tokens


def run_algorithm_3(left: Sentences, right: Sentences) -> tuple[PrintedRun, int]:
    """Run Algorithm 3, and with it Algorithm 2, which counts the same in two passes.

    Tokens are compared at equal positions. Where sentences differ and the next ones do too, it
    adds the same two sentences for ever; where the next ones are equal, it adds nothing and finds
    no token.
    """
    left_texts, right_texts = (["".join(sentence) for sentence in text] for text in (left, right))
    found = tokens = 0
    groups: list[Group] = []
    for at in range(min(len(left_texts), len(right_texts))):
        if left_texts[at] == right_texts[at]:
            found += 1
            tokens += sum(map(eq, left[at], right[at]))
        elif _piece(left_texts, at + 1) != _piece(right_texts, at + 1):
            return PrintedRun(found, tuple(groups), False), tokens
        groups.append((slice(at, at + 1), slice(at, at + 1)))
    return PrintedRun(found, tuple(groups), True), tokens
