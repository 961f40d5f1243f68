"""The chapter on Table 1 of the paper: nltk on six English treebanks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np

from caesura.core.transcript import Transcript
from caesura.core.values import Counts
from caesura.formats.files import read_file
from caesura.metrics.joint import Joint
from caesura.text.charmatch.matching import Matching
from caesura_studies.jp.literal import PrintedJoint
from caesura_studies.jp.paper import CORPORA, TABLE_1
from caesura_studies.jp.treebanks import KINDS, Result, Treebank
from caesura_studies.report import Part, make_table, with_interval

TITLE = "Table 1: nltk on six English treebanks"
METRIC = Joint(multiwords="split")
PRINTED = PrintedJoint(multiwords="split")
FOLDER = "jp-table1"
FILES = ("gold.conllu", "nltk.txt")
DOES_NOT_END = "does not end"


def what_is_missing(data: Path) -> str:
    """Say which folder or file is missing; '' if nothing is."""
    if not (data / FOLDER).is_dir():
        return f"there is no folder {FOLDER}/"
    places = [f"{FOLDER}/{corpus}/{file}" for corpus in CORPORA for file in FILES]
    missing = [place for place in places if not (data / place).is_file()]
    return f"there is no {missing[0]}" if missing else ""


@dataclass(frozen=True)
class Row:
    """One corpus: its gold file, nltk's output, and the paper's counts."""

    treebank: Treebank
    system: Transcript

    @classmethod
    def read(cls, folder: Path) -> Row:
        """Read the gold file and nltk's output."""
        gold, output = (folder / file for file in FILES)
        return cls(
            Treebank(folder.name, gold, "en"),
            Transcript.join(read_file(output, "tokens")),
        )

    @property
    def name(self) -> str:
        """The corpus."""
        return self.treebank.name

    @cached_property
    def matching(self) -> Matching:
        """The characters of both texts matched, in syntactic words, as the paper counts."""
        return METRIC.match(self.system, self.treebank.gold).matching

    @cached_property
    def result(self) -> Result:
        """Our counts."""
        return Result.of(self.matching, self.treebank.units)

    def printed(self, kind: str) -> str:
        """Return the counts of the paper."""
        return "/".join(TABLE_1[self.name, kind])

    def agrees(self, kind: str) -> bool:
        """Whether our counts are those of the paper."""
        return self.result.triple(kind) == self.printed(kind)

    def as_printed(self, kind: str) -> str:
        """Return the true positives of the printed pseudo-code, and say if it does not end."""
        found = str(int(self._as_printed[f"{kind}_tp_1"]))
        return f"{DOES_NOT_END} ({found})" if self._as_printed[f"{kind}_endless_1"] else found

    @cached_property
    def _as_printed(self) -> Counts:
        return PRINTED.count(self.system, [self.treebank.gold])

    @property
    def equal(self) -> bool:
        """Whether all characters are the same."""
        return self.matching.gold.text == self.matching.system.text

    @property
    def raw_equal(self) -> bool:
        """Whether they are the same even before tokens such as quotes are made equal."""
        texts = ("".join(each.words) for each in (self.system, self.treebank.gold))
        one, other = ("".join(text.split()) for text in texts)
        return one == other

    @property
    def missing_true_positives(self) -> int:
        """How many true positives of tokens fewer the paper has."""
        return self.result.counts["token_tp"] - int(TABLE_1[self.name, "token"][0])

    @property
    def totals_agree(self) -> bool:
        """Whether the paper's totals of system and gold tokens are ours."""
        tp, fp, fn = map(int, TABLE_1[self.name, "token"])
        system, gold = self.matching.system.tokens, self.matching.gold.tokens
        return (tp + fp, tp + fn) == (len(system), len(gold))

    def to_json(self) -> dict[str, object]:
        """Return all numbers."""
        return {
            "computed": self.result.to_json(),
            "printed": {kind: self.printed(kind) for kind in KINDS},
            "agrees": {kind: self.agrees(kind) for kind in KINDS},
            "pseudo_code": {kind: self.as_printed(kind) for kind in KINDS},
            "characters_equal": self.equal,
        }


def merged_repetitions(matching: Matching) -> dict[str, list[int]]:
    """Find repeated gold sentences whose first copy the system merges with the text before.

    For each the right tokens of the two system sentences that hold them.
    """
    gold, system = matching.gold, matching.system
    said, made = (each.pieces(each.sentences) for each in (gold, system))
    partner = dict(matching.sentences.tolist())
    ends, bounds = system.tokens[matching.tokens[:, 1]], np.append(0, system.sentences)
    found = {}
    for i, (one, other) in enumerate(pairwise(said)):
        last = partner.get(i + 1, 0)
        if one == other and i not in partner and last and made[last - 1].endswith(one):
            around = bounds[last - 1 : last + 2]
            found[one] = np.diff(np.searchsorted(ends, around, side="right")).tolist()
    return found


def chapter(data: Path) -> Part:
    """Score nltk's output and compare the counts with the printed ones."""
    rows = [Row.read(data / FOLDER / corpus) for corpus in CORPORA]
    agreeing = sum(row.agrees(kind) for row in rows for kind in KINDS)
    all = len(rows) * len(KINDS)
    description = f"{agreeing} of {all} triples of counts (TP/FP/FN) come out as printed"
    odd = [row for row in rows if not row.agrees("token")]
    text = [
        "The paper runs nltk (Punkt and its word tokeniser) on the test files of six English "
        "treebanks and counts sentences and *syntactic words*, so multiword tokens are split here"
        f" (`{METRIC!r}`). nltk's output is taken from `{FOLDER}/`. The paper's rows "
        f"for stanza need models and are not computed. **{description}.**",
        'The column "pseudo-code" has the TP that Algorithm 1 gives if it is run as printed, on '
        "the sentences of a file and on the tokens within what it aligns; where it does not end, "
        f"what it finds besides is in brackets.{_pseudo_code_deviations(rows)}",
        *(each for kind in KINDS for each in _kind(rows, kind)),
        "### Characters",
        _characters(rows),
        *(["### Where the tokens differ", *map(_explain_difference, odd)] if odd else []),
    ]
    short = [f"Table 1, nltk: {description}{_list_differing(rows)}."]
    return Part(
        "table_1",
        TITLE,
        "\n\n".join(text),
        {r.name: r.to_json() for r in rows},
        short,
    )


def _list_differing(rows: list[Row]) -> str:
    bad = [f"{kind}s of {row.name}" for row in rows for kind in KINDS if not row.agrees(kind)]
    return f"; not so: {', '.join(bad)}" if bad else ""


def _pseudo_code_deviations(rows: list[Row]) -> str:
    """Say where the pseudo-code does not give what the paper prints."""
    places = [
        f"{kind}s of {row.name}"
        for row in rows
        for kind in KINDS
        if row.as_printed(kind) != TABLE_1[row.name, kind][0]
    ]
    if not places:
        return ""
    return (
        f" It is not the paper's for {', '.join(places)}: the printed pseudo-code can hardly be "
        "the program that made the table."
    )


def _kind(rows: list[Row], kind: str) -> list[str]:
    head = ("corpus", "verdict", "computed", "printed", "pseudo-code", "precision", "recall", "F1")
    cells = [
        [
            row.name,
            "same" if row.agrees(kind) else "differs",
            row.result.triple(kind),
            row.printed(kind),
            row.as_printed(kind),
            *(_rate(row.result, f"{kind}_{rate}") for rate in ("precision", "recall", "f1")),
        ]
        for row in rows
    ]
    return [f"### {kind.capitalize()}s", make_table(head, cells, 2)]


def _rate(result: Result, name: str) -> str:
    return with_interval(result.values[name], result.intervals[name])


def _characters(rows: list[Row]) -> str:
    groups: Mapping[str, list[str]] = {
        "the same from the start": [r.name for r in rows if r.raw_equal],
        "the same once nltk's quotation marks are read as straight ones": [
            r.name for r in rows if r.equal and not r.raw_equal
        ],
        "not the same": [r.name for r in rows if not r.equal],
    }
    description = "; ".join(
        f"{what}: {', '.join(names)}" for what, names in groups.items() if names
    )
    return (
        f"Blanks aside, the characters of nltk's output and the gold file are {description}. Where "
        "they are the same, counting is comparing spans, which leaves nothing to choose; where "
        "not, the CoNLL 2018 evaluator refuses the file."
    )


def _explain_difference(row: Row) -> str:
    """Explain token counts that differ from the printed ones, as far as possible."""
    description = [
        f"**{row.name}**: computed {row.result.triple('token')}, printed {row.printed('token')}."
    ]
    missing = row.missing_true_positives
    if row.totals_agree:
        description.append(
            "The paper's sums (TP + FP and TP + FN) are ours, which speaks for the same input and "
            f"output; it has {abs(missing)} right tokens {'fewer' if missing > 0 else 'more'}."
        )
    made = row.as_printed("token")
    if made not in (TABLE_1[row.name, "token"][0], str(row.result.counts["token_tp"])):
        description.append(f"The pseudo-code gives neither number: {made}.")
    if row.equal:
        description.append(
            "Quotation marks aside all characters are the same: what spans share is certain."
        )
    for said, counts in merged_repetitions(row.matching).items():
        if sum(counts) == missing:
            description.append(
                f"The gold file has one sentence twice in a row (“{said[:17]}…”, blanks aside), "
                "and nltk glues the first to what stands before: the pattern on which the printed "
                f"pseudo-code loses its place (section 2). nltk's two sentences there hold "
                f"{' + '.join(map(str, counts))} = {sum(counts)} right tokens, just what the "
                "paper lacks. So its program may well have passed over them; that is no proof, as "
                "only the program could tell."
            )
    return " ".join(description)
