"""Treebanks: their raw text as a tool gets it, and scores of a tool's segmentation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np

from caesura.core.arrays import Indices
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Undefined, Value, ratio
from caesura.evaluation.document import BLOCK_SENTENCES
from caesura.evaluation.resampling import (
    Interval,
    Resampling,
    Rows,
    bootstrap_sums,
    percentile_interval,
)
from caesura.formats.files import load, read_file
from caesura.metrics.joint import Joint
from caesura.text.charmatch.matching import Matching
from caesura.text.charmatch.units import Units

RESAMPLING = Resampling()
KINDS = ("sentence", "token")
COUNTS = tuple(f"{kind}_{count}" for kind in KINDS for count in ("tp", "fp", "fn"))

LANGUAGES = {
    name: code
    for code, name in map(
        str.split,
        """ar arabic, cs czech, da danish, de german, el greek, en english, es spanish,
        fi finnish, fr french, he hebrew, hi hindi, id indonesian, it italian, ja japanese,
        ko korean, nl dutch, no norwegian, pl polish, pt portuguese, ru russian, sv swedish,
        tr turkish, uk ukrainian, zh chinese""".split(","),
    )
}
UNKNOWN = "xx"
"""The code of an unknown language, as some tools write it."""

_SENTENCES = re.compile(r"\n[ \t\r]*\n")
_ROW = re.compile(r"^[0-9]", re.MULTILINE)
_OPENING = re.compile(r"^#[ \t]*new(?:doc|par)\b", re.MULTILINE)


@dataclass(frozen=True)
class Treebank:
    """A CoNLL-U file, scored as one text."""

    name: str
    file: Path
    language: str

    @cached_property
    def documents(self) -> list[Transcript]:
        """Its documents, if the file marks any."""
        return list(read_file(self.file, "conllu(columns='FORM MISC')"))

    @cached_property
    def gold(self) -> Transcript:
        """The whole file as one transcript."""
        return Transcript.join(self.documents)

    @property
    def units(self) -> Indices:
        """The first sentence of each resampling unit: a document, or a few sentences."""
        sizes = [len(each.sentences.sentences) for each in self.documents if each.sentences]
        if len(sizes) == 1:
            return np.arange(0, sizes[0], BLOCK_SENTENCES)
        return np.cumsum([0, *sizes[:-1]])

    @property
    def paragraphs(self) -> list[str]:
        """Its raw text: surface tokens with the blanks that the file gives them."""
        pieces, sentences = self.gold.surface(), self.gold.sentences
        assert sentences is not None
        blocks = _SENTENCES.split(load(str(self.file)).text)
        opened = [bool(_OPENING.search(block)) for block in blocks if _ROW.search(block)]
        firsts = [first for first, _ in sentences.sentences]
        bounds = [0, *(f for f, new in zip(firsts, opened, strict=True) if new and f), len(pieces)]
        return ["".join(pieces[a:b]).strip() for a, b in pairwise(bounds)]


def treebanks(data: Path) -> list[Treebank]:
    """List all test files: those of the paper, and any in `ud`."""
    paper = sorted(data.glob("jp-table1/*/gold.conllu"))
    others = sorted(data.glob("ud/*/test.conllu"))
    return [
        *(Treebank(file.parent.name, file, "en") for file in paper),
        *(
            Treebank(name, file, LANGUAGES.get(name.partition("-")[0], UNKNOWN))
            for file in others
            for name in [file.parent.name]
        ),
    ]


def transcript_of(sentences: Iterable[Sequence[str]]) -> Transcript:
    """Make a transcript of sentences, which are lists of tokens."""
    full = [each for each in sentences if each]
    ends = np.cumsum([len(each) for each in full], dtype=np.int64) - 1
    words = tuple(token for each in full for token in each)
    return Transcript(words, sentences=Segmentation.of_gaps(len(words), ends.tolist()))


@dataclass(frozen=True)
class Result:
    """Counts of a text, one row for each resampling unit."""

    rows: Rows
    shared: Value
    """The share of all characters that is matched."""

    @classmethod
    def of(cls, matching: Matching, units: Indices) -> Result:
        """Count matching units; `units` has the first gold sentence of each resampling unit."""
        total = len(matching.gold.text) + len(matching.system.text)
        return cls(_rows(matching, units), ratio(2 * matching.characters, total, "no text"))

    @cached_property
    def counts(self) -> dict[str, int]:
        """Sums over all units."""
        return dict(zip(COUNTS, self.rows.sum(axis=0).tolist(), strict=True))

    @cached_property
    def values(self) -> dict[str, Value]:
        """Precision, recall and F1."""
        return _rates(self.rows.sum(axis=0))

    @cached_property
    def intervals(self) -> dict[str, Interval | Undefined]:
        """Bootstrap intervals of the rates."""
        if len(self.rows) < 2:
            return dict.fromkeys(self.values, Undefined("there is one unit only"))
        drawn = [_rates(row) for (row,) in bootstrap_sums([self.rows], RESAMPLING)]
        level = RESAMPLING.level
        return {
            name: percentile_interval([each[name] for each in drawn], level) for name in self.values
        }

    def triple(self, kind: str) -> str:
        """Return TP/FP/FN as text."""
        return "/".join(str(self.counts[f"{kind}_{count}"]) for count in ("tp", "fp", "fn"))

    def to_json(self) -> dict[str, object]:
        """Return counts, rates and intervals."""
        return {
            "counts": self.counts,
            "values": self.values,
            "intervals": self.intervals,
            "units": len(self.rows),
            "characters_shared": self.shared,
        }


def _rates(row: Rows) -> dict[str, Value]:
    counts = Counts(**dict(zip(COUNTS, row.tolist(), strict=True)))
    return {n: value for n, value in Joint().rates(counts).items() if n.startswith(KINDS)}


def _rows(matching: Matching, units: Indices) -> Rows:
    """Count true positives, false positives and false negatives in each resampling unit."""
    of_sentence = np.searchsorted(units, matching.gold.kept_sentences, side="right") - 1
    columns = []
    for kind in KINDS:
        real, made = (_unit_ends(each, kind) for each in (matching.gold, matching.system))
        pairs = matching.sentences if kind == "sentence" else matching.tokens
        last = real - 1
        right, found, wanted = (
            np.bincount(
                of_sentence[np.searchsorted(matching.gold.sentences, place, side="right")],
                minlength=len(units),
            )
            for place in (last[pairs[:, 0]], _to_gold_offsets(made - 1, matching.runs), last)
        )
        columns += [right, found - right, wanted - right]
    return np.stack(columns, axis=1)


def _unit_ends(units: Units, kind: str) -> Indices:
    return units.sentences if kind == "sentence" else units.tokens


def _to_gold_offsets(places: Indices, runs: Indices) -> Indices:
    """Map character offsets of the tool's text to the last matched one in the gold text."""
    if not len(runs):
        return np.zeros_like(places)
    run = np.maximum(np.searchsorted(runs[:, 1], places, side="right") - 1, 0)
    offset = np.clip(places - runs[run, 1], 0, runs[run, 2] - 1)
    return np.asarray(runs[run, 0] + offset)
