"""The chapter on rankings: which of two systems is better, and whom one has to ask."""

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
from caesura_studies.lexical import Lexical
from caesura_studies.report import Part, Picture, dots, number, part_of, signed, table
from caesura_studies.wisebe.chapter_agreement import Accord
from caesura_studies.wisebe.paper import MEAN_F1, WISEBE
from caesura_studies.wisebe.system_pairs import METRICS, OF_ALL, TESTS, Duel, by_metric, difference
from caesura_studies.wisebe.systems import ENOUGH, PAIR, SOURCES, scored_by

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TITLE = "Two systems: whom does one trust?"
UNLIKELY = 0.05
CLOSE = {"below 0.01": (0.0, 0.01), "0.01 to 0.03": (0.01, 0.03), "0.03 and more": (0.03, 2.0)}
"""How far apart two systems are in mean F1."""


@dataclass(frozen=True)
class Ranking:
    """All systems on one corpus."""

    accord: Accord
    systems: Mapping[str, Lexical]

    @property
    def name(self) -> str:
        """The name of the corpus."""
        return self.accord.corpus.name

    @cached_property
    def scores(self) -> dict[str, Scores]:
        """The scores of every system on the words of the base."""
        return {
            name: scored_by(system, self.accord.scores, METRICS)
            for name, system in self.systems.items()
        }

    @cached_property
    def duels(self) -> dict[tuple[str, str], Duel]:
        """Every two systems."""
        return {
            (a, b): Duel(tuple(self.accord.texts), (a, b), (self.scores[a], self.scores[b]))
            for a, b in combinations(self.scores, 2)
        }

    @property
    def pair(self) -> Duel:
        """The two systems that are looked at closely."""
        return self.duels[PAIR]

    @cached_property
    def bases(self) -> dict[str, Duel]:
        """The two systems on the words of each transcript."""
        found = {}
        for base, agreement in self.accord.bases.items():
            one, other = (scored_by(self.systems[name], agreement, METRICS) for name in PAIR)
            found[base] = Duel(tuple(self.accord.texts), PAIR, (one, other))
        return found

    @cached_property
    def tests(self) -> dict[tuple[str, str], Difference]:
        """Mean F1 of every two systems, corrected for the number of pairs."""
        names, metrics = tuple(self.systems), (Boundary(),)
        found = [scored_by(each, self.accord.scores, metrics) for each in self.systems.values()]
        rows = Comparison(names, tuple(found), ("f1",)).rows
        return {(names[row.a], names[row.b]): row for row in rows}

    def sure(self, pair: tuple[str, str]) -> bool:
        """Whether chance does not explain that two systems differ in mean F1."""
        chance = self.tests[pair].p_corrected
        return chance is not None and chance < UNLIKELY


def chapter(rankings: Sequence[Ranking]) -> Part:
    """Tell how far rankings depend on the reference."""
    text = [_introduction(rankings[0].systems)]
    for each in rankings:
        text += [f"### {each.name}", *_corpus(each)]
    text += ["### Every two systems", _every_two(rankings)]
    return Part(
        "systems",
        TITLE,
        "\n\n".join(text),
        {each.name: _numbers(each) for each in rankings},
        [_short(each) for each in rankings],
        [_picture(each.pair, each.name) for each in rankings],
    )


def _introduction(systems: Mapping[str, Lexical]) -> str:
    rows = [[name, SOURCES[name], number(one.f1)] for name, one in systems.items()]
    return (
        "These corpora come without the output of recognisers and without times. So the systems "
        "here find sentences from lower-case words alone: smoothed counts of the words around a "
        f"gap, taken from other corpora ({ENOUGH:,} words each where there are so many), with the "
        "threshold that gives the best F1 on held-out text of the same kind (F1 at home, a little "
        "too kind for that). They differ in what they were trained on, and in nothing else.\n\n"
        + table(("system", "trained on", "F1 at home"), rows, 2)
        + f"\n\nTwo of them are compared closely, as the paper does: **S1** ({PAIR[0]}) and **S2** "
        f"({PAIR[1]}), picked because the first finds far more boundaries than the second, as the "
        "paper's S1 does. This was not a blind choice: systems trained on these texts had been run "
        "on these corpora before. The table of every two systems, at the end, is free of it. "
        + TESTS
    )


def _corpus(ranking: Ranking) -> list[str]:
    pair = ranking.pair
    found = [number(by_metric(each)[WiSeBE()]["boundaries"]) for each in pair.scores]
    against = [judge for judge in OF_ALL if pair.contradicts(judge)]
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


def _changes(pair: Duel) -> str:
    return (
        f"Over all recordings the winner {'changes' if pair.turns else 'does not change'} with the "
        "reference, in single recordings it changes in "
        f"{part_of(sum(pair.disputed), len(pair.disputed))}."
    )


def _winners(pair: Duel) -> str:
    columns = [[won or "–" for won in pair.winners(judge)] for judge in pair.judges]
    ids = [each.id for each in pair.scores[0].documents]
    rows = [list(row) for row in zip(ids, *columns, strict=True)]
    rows.append(["S1 : S2", *(f"{each.count('S1')} : {each.count('S2')}" for each in columns)])
    return table(("recording", *pair.judges), rows)


def _bases(ranking: Ranking) -> str:
    rows = [
        [base, *(signed(difference(*duel.values(judge))) for judge in duel.judges)]
        for base, duel in ranking.bases.items()
    ]
    return table(("words of", *ranking.pair.judges), rows)


def _systems(ranking: Ranking) -> str:
    rows = []
    for name, scores in ranking.scores.items():
        values = by_metric(scores)
        cells = [values[metric][value] for metric, value in ranking.pair.judges.values()]
        rows.append([name, number(values[WiSeBE()]["boundaries"]), *map(number, cells)])
    return table(("system", "boundaries", *ranking.pair.judges), rows)


def _every_two(rankings: Sequence[Ranking]) -> str:
    rows = []
    for title, (low, high) in CLOSE.items():
        near = [
            (ranking, duel)
            for ranking in rankings
            for duel in ranking.duels.values()
            if not isinstance(off := difference(*duel.values(MEAN_F1)), Undefined)
            and low <= abs(off) < high
        ]
        disputed = [each for _, duel in near for each in duel.disputed]
        counts = [
            len(near),
            sum(ranking.sure(duel.systems) for ranking, duel in near),
            sum(duel.turns for _, duel in near),
            sum(duel.contradicts(WISEBE) for _, duel in near),
        ]
        rows.append([title, *map(str, counts), part_of(sum(disputed), len(disputed))])
    head = ("difference in mean F1", "pairs", "sure", "turned", "WiSeBE", "recordings disputed")
    return (
        "Each pair of systems on each corpus, by how far apart they are in mean F1 over all "
        f"recordings. `sure`: chance does not explain it (p < {UNLIKELY}, Holm-corrected for all "
        "pairs on the corpus). `turned`: the winner over all recordings changes with the "
        "reference. `WiSeBE`: it prefers the other system than mean F1 does. The last column: "
        "single recordings whose winner changes with the reference (more references give more "
        "occasions for that).\n\n" + table(head, rows)
    )


def _picture(pair: Duel, corpus: str) -> Picture:
    height = 1.2 + 0.2 * len(pair.disputed)
    caption = f"{corpus}: difference of the two systems in each recording, by reference"
    return Picture(f"ranking-{corpus}.svg", caption, (7.2, height), partial(_draw, pair))


def _draw(pair: Duel, axes: Axes) -> None:
    ids = [each.id for each in pair.scores[0].documents]
    series = {}
    for name in pair.references:
        off = [difference(*values) for values in pair.recordings[name]]
        series[name] = [(x, at) for at, x in enumerate(off) if not isinstance(x, Undefined)]
    dots(axes, series)
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
            {"systems": names, "turned": duel.turns, "disputed": sum(duel.disputed)}
            | {"test": ranking.tests[names]}
            for names, duel in ranking.duels.items()
        ],
    }


def _short(ranking: Ranking) -> str:
    duels = ranking.duels.values()
    return (
        f"{ranking.name}, S1 against S2: {_changes(ranking.pair)} Of all {len(duels)} pairs of "
        f"systems {sum(duel.turns for duel in duels)} change places with the reference, "
        f"{sum(duel.contradicts(WISEBE) for duel in duels)} with WiSeBE in place of mean F1."
    )
