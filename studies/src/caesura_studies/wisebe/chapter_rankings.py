"""The chapter on rankings: which of two systems is better, and whether the reference decides it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from typing import TYPE_CHECKING

from caesura.core.values import Undefined
from caesura.evaluation.comparison import Comparison, Difference
from caesura.evaluation.scores import Scores
from caesura.metrics.boundary import Boundary
from caesura.metrics.wisebe import WiSeBE
from caesura_studies.lexical import WordBaseline
from caesura_studies.report import (
    Part,
    Picture,
    draw_points,
    format_difference,
    format_share,
    format_value,
    make_table,
)
from caesura_studies.wisebe.chapter_agreement import CorpusAgreement
from caesura_studies.wisebe.paper import MEAN_F1, WISEBE
from caesura_studies.wisebe.system_pairs import (
    JOINT_JUDGES,
    METRICS,
    TESTS_NOTE,
    SystemPair,
    by_metric,
    difference,
)
from caesura_studies.wisebe.systems import MAX_WORDS, PAIR, SOURCES, score_system

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TITLE = "Two systems: does the ranking depend on the reference?"
SIGNIFICANCE_LEVEL = 0.05
DIFFERENCE_RANGES = {
    "below 0.01": (0.0, 0.01),
    "0.01 to 0.03": (0.01, 0.03),
    "0.03 and more": (0.03, 2.0),
}
"""Ranges of the difference of two systems in mean F1."""


@dataclass(frozen=True)
class Ranking:
    """All systems on one corpus."""

    agreement: CorpusAgreement
    systems: Mapping[str, WordBaseline]

    @property
    def name(self) -> str:
        """The name of the corpus."""
        return self.agreement.corpus.name

    @cached_property
    def scores(self) -> dict[str, Scores]:
        """The scores of every system on the words of the base."""
        return {
            name: score_system(system.detect, self.agreement.scores, METRICS)
            for name, system in self.systems.items()
        }

    @cached_property
    def system_pairs(self) -> dict[tuple[str, str], SystemPair]:
        """All pairs of systems."""
        return {
            (a, b): SystemPair(
                tuple(self.agreement.texts), (a, b), (self.scores[a], self.scores[b])
            )
            for a, b in combinations(self.scores, 2)
        }

    @property
    def pair(self) -> SystemPair:
        """The pair of systems that is compared in detail."""
        return self.system_pairs[PAIR]

    @cached_property
    def bases(self) -> dict[str, SystemPair]:
        """The detailed pair on the words of each transcript."""
        found = {}
        for base, agreement in self.agreement.bases.items():
            one, other = (
                score_system(self.systems[name].detect, agreement, METRICS) for name in PAIR
            )
            found[base] = SystemPair(tuple(self.agreement.texts), PAIR, (one, other))
        return found

    @cached_property
    def tests(self) -> dict[tuple[str, str], Difference]:
        """The tests of mean F1 of all pairs, with Holm's correction."""
        names, metrics = tuple(self.systems), (Boundary(),)
        found = [
            score_system(each.detect, self.agreement.scores, metrics)
            for each in self.systems.values()
        ]
        rows = Comparison(names, tuple(found), ("f1",)).rows
        return {(names[row.a], names[row.b]): row for row in rows}

    def is_significant(self, pair: tuple[str, str]) -> bool:
        """Whether two systems differ significantly in mean F1."""
        chance = self.tests[pair].p_corrected
        return chance is not None and chance < SIGNIFICANCE_LEVEL


def chapter(rankings: Sequence[Ranking]) -> Part:
    """Write the chapter: how far rankings depend on the reference."""
    text = [_introduction(rankings[0].systems)]
    for each in rankings:
        text += [f"### {each.name}", *_corpus(each)]
    text += ["### Every two systems", _all_pairs(rankings)]
    return Part(
        "systems",
        TITLE,
        "\n\n".join(text),
        {each.name: _numbers(each) for each in rankings},
        [_short(each) for each in rankings],
        [_picture(each.pair, each.name) for each in rankings],
    )


def _introduction(systems: Mapping[str, WordBaseline]) -> str:
    rows = [[name, SOURCES[name], format_value(one.f1)] for name, one in systems.items()]
    return (
        "These corpora come without the output of recognisers and without times. So the systems "
        "here find sentences from lower-case words alone: smoothed counts of the words around a "
        f"gap, taken from other corpora ({MAX_WORDS:,} words each if available), with "
        "the threshold that gives the best F1 on held-out text of the same kind (F1 at home, a "
        "little too high for that reason). They differ only in their training texts.\n\n"
        + make_table(("system", "trained on", "F1 at home"), rows, 2)
        + f"\n\nTwo of them are compared in detail, as in the paper: **S1** ({PAIR[0]}) and **S2** "
        f"({PAIR[1]}), picked because the first finds far more boundaries than the second, as the "
        "paper's S1 does. This was not a blind choice: systems trained on these texts had been run "
        "on these corpora before. The table of every two systems, at the end, is free of it. "
        + TESTS_NOTE
    )


def _corpus(ranking: Ranking) -> list[str]:
    pair = ranking.pair
    found = [format_value(by_metric(each)[WiSeBE()]["boundaries"]) for each in pair.scores]
    against = [judge for judge in JOINT_JUDGES if pair.contradicts_mean_f1(judge)]
    return [
        f"S1 finds {found[0]} boundaries, S2 {found[1]}.",
        pair.table(),
        f"{_changes(pair)} Judges of all references that prefer the other system than mean F1 "
        f"does: {', '.join(against) or 'none'}.",
        "The winner of each recording, by judge:",
        _winners(pair),
        "S1 − S2 on the words of each transcript (rows), by judge (columns):",
        _bases(ranking),
        "All systems:",
        _systems(ranking),
    ]


def _changes(pair: SystemPair) -> str:
    verb = "changes" if pair.changes_with_reference else "does not change"
    return (
        f"Over all recordings the winner {verb} with the reference, in single recordings it "
        f"changes in {format_share(sum(pair.disputed), len(pair.disputed))}."
    )


def _winners(pair: SystemPair) -> str:
    columns = [[won or "–" for won in pair.winners(judge)] for judge in pair.judges]
    ids = [each.id for each in pair.scores[0].documents]
    rows = [list(row) for row in zip(ids, *columns, strict=True)]
    rows.append(["S1 : S2", *(f"{each.count('S1')} : {each.count('S2')}" for each in columns)])
    return make_table(("recording", *pair.judges), rows)


def _bases(ranking: Ranking) -> str:
    rows = [
        [
            base,
            *(format_difference(difference(*pair.values(judge))) for judge in pair.judges),
        ]
        for base, pair in ranking.bases.items()
    ]
    return make_table(("words of", *ranking.pair.judges), rows)


def _systems(ranking: Ranking) -> str:
    rows = []
    for name, scores in ranking.scores.items():
        values = by_metric(scores)
        cells = [values[metric][value] for metric, value in ranking.pair.judges.values()]
        rows.append([name, format_value(values[WiSeBE()]["boundaries"]), *map(format_value, cells)])
    return make_table(("system", "boundaries", *ranking.pair.judges), rows)


def _all_pairs(rankings: Sequence[Ranking]) -> str:
    rows = []
    for title, (low, high) in DIFFERENCE_RANGES.items():
        near = [
            (ranking, pair)
            for ranking in rankings
            for pair in ranking.system_pairs.values()
            if not isinstance(off := difference(*pair.values(MEAN_F1)), Undefined)
            and low <= abs(off) < high
        ]
        disputed = [each for _, pair in near for each in pair.disputed]
        counts = [
            len(near),
            sum(ranking.is_significant(pair.systems) for ranking, pair in near),
            sum(pair.changes_with_reference for _, pair in near),
            sum(pair.contradicts_mean_f1(WISEBE) for _, pair in near),
        ]
        rows.append([title, *map(str, counts), format_share(sum(disputed), len(disputed))])
    head = ("difference in mean F1", "pairs", "sure", "turned", "WiSeBE", "recordings disputed")
    return (
        "Each pair of systems on each corpus, by how far apart they are in mean F1 over all "
        f"recordings. `sure`: chance does not explain it (p < {SIGNIFICANCE_LEVEL}, Holm-corrected "
        "for all pairs on the corpus). `turned`: the winner over all recordings changes with the "
        "reference. `WiSeBE`: it prefers the other system than mean F1 does. The last column: "
        "single recordings whose winner changes with the reference (more references give more "
        "occasions for that).\n\n" + make_table(head, rows)
    )


def _picture(pair: SystemPair, corpus: str) -> Picture:
    height = 1.2 + 0.2 * len(pair.disputed)
    caption = f"{corpus}: difference of the two systems in each recording, by reference"
    return Picture(f"ranking-{corpus}.svg", caption, (7.2, height), partial(_draw, pair))


def _draw(pair: SystemPair, axes: Axes) -> None:
    ids = [each.id for each in pair.scores[0].documents]
    series = {}
    for name in pair.references:
        off = [difference(*values) for values in pair.recordings[name]]
        series[name] = [(x, at) for at, x in enumerate(off) if not isinstance(x, Undefined)]
    draw_points(axes, series)
    axes.axvline(0, color="0.4", lw=0.8)
    axes.set_yticks(range(len(ids)), ids)
    axes.invert_yaxis()
    axes.set_xlabel(f"F1 of S1 ({pair.systems[0]}) minus F1 of S2 ({pair.systems[1]})")
    axes.legend(title="judged by", loc="center left", bbox_to_anchor=(1, 0.5))


def _numbers(ranking: Ranking) -> dict[str, object]:
    pair = ranking.pair
    return {
        "pair": pair.systems,
        "judges": {
            judge: {"values": pair.values(judge), "test": row, "winners": pair.winners(judge)}
            for judge, row in pair.differences.items()
        },
        "systems": {
            name: dict(zip(scores.signatures, scores.values, strict=True))
            for name, scores in ranking.scores.items()
        },
        "pairs": [
            {
                "systems": names,
                "turned": pair.changes_with_reference,
                "disputed": sum(pair.disputed),
            }
            | {"test": ranking.tests[names]}
            for names, pair in ranking.system_pairs.items()
        ],
    }


def _short(ranking: Ranking) -> str:
    pairs = ranking.system_pairs.values()
    changed = sum(pair.changes_with_reference for pair in pairs)
    contradicted = sum(pair.contradicts_mean_f1(WISEBE) for pair in pairs)
    return (
        f"{ranking.name}, S1 against S2: {_changes(ranking.pair)} Of all {len(pairs)} pairs of "
        f"systems {changed} change places with the reference, "
        f"{contradicted} with WiSeBE in place of mean F1."
    )
