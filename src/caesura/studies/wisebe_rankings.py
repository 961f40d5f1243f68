"""The chapter on rankings: which of two systems is better, and whom one has to ask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from caesura.contracts import Undefined, Value
from caesura.studies.lexical import Lexical
from caesura.studies.rankings import ALL, Contest, Ranking, winner
from caesura.studies.systems import ENOUGH, PAIR, SOURCES
from caesura.studies.writing import Part, between, listed, number, signed, table

MEAN = "mean of references"
NEAR, FAR = 0.01, 0.03
"""Differences in mean F1 that part close pairs of systems from others, and those from far ones."""

CLOSE = (
    (f"below {NEAR}", 0.0, NEAR),
    (f"{NEAR} to {FAR}", NEAR, FAR),
    (f"{FAR} and more", FAR, float("inf")),
)


def chapter(section: int, rankings: Sequence[Ranking]) -> Part:
    """Tell how far rankings depend on the reference."""
    parts = [_introduction(rankings[0].systems)]
    for each in rankings:
        parts += [f"### {each.accord.group.corpus.name}", *_corpus(each)]
    parts += ["### Every two systems", _every_pair(rankings)]
    return Part(
        "systems",
        f"{section}. Two systems: whom does one trust?",
        "\n\n".join(parts),
        {each.accord.group.corpus.name: each.to_json() for each in rankings}
        | {"systems": {n: {"at_home": s.f1} for n, s in rankings[0].systems.items()}},
        tuple(_short(each) for each in rankings),
    )


def _introduction(systems: Mapping[str, Lexical]) -> str:
    lines = [[name, SOURCES[name], number(one.f1)] for name, one in systems.items()]
    return (
        "These corpora come without the output of recognisers and without times. So the systems "
        "here find sentences from lower-case words alone: a log-linear model of the words around "
        "a gap, the same for all, trained on other corpora "
        f"({ENOUGH:,} words each where there are so many), its threshold chosen for the best F1 "
        "on held-out text of its own kind. They differ in what they were trained on, and in "
        "nothing else.\n\n"
        + table(("system", "trained on", "F1 at home"), lines, 2)
        + f"\n\nTwo of them are compared closely, as the paper does: **S1** ({PAIR[0]}) and **S2** "
        f"({PAIR[1]}), picked because the first finds far more boundaries than the second, as the "
        "paper's S1 does. This was not a blind choice: all systems had been run on these corpora "
        "before. The table of every two systems, at the end, is free of it. F1 at home is of the "
        "texts that the threshold was chosen on, and a little too kind for that. Judges "
        "that use all references at once: the mean of F1 over them, F1 against their majority "
        "(boundaries that at least half of them have: of two references, either), and F1 over "
        "windows and WiSeBE with the paper's window limit. p is of approximate randomization, "
        "Holm's correction is for all rows of a table."
    )


def _corpus(ranking: Ranking) -> list[str]:
    return [
        _more(ranking.pair),
        _judges(ranking.pair),
        _disputes(ranking.pair),
        "Difference S1 − S2 in F1 on the words of each transcript (rows), by judge (columns):",
        _bases(ranking),
        _own_words(ranking),
        "All systems, F1 over all recordings:",
        _systems(ranking),
    ]


def _more(pair: Contest) -> str:
    one, other = (each.values[2]["boundaries"] for each in pair.scores)
    if isinstance(one, Undefined) or isinstance(other, Undefined) or not other:
        return f"S1 finds {number(one)} boundaries, S2 {number(other)}."
    share = 100 * (one / other - 1)
    side = "more" if share >= 0 else "fewer"
    return f"S1 finds {number(one)} boundaries, S2 {number(other)}: {abs(share):.0f} % {side}."


def _judges(pair: Contest) -> str:
    head = (
        "judge",
        "better",
        "S1",
        "S2",
        "S1 − S2",
        "95 % interval",
        "p",
        "p (Holm)",
        "won S1 : S2",
    )
    lines = []
    for judge in pair.judges:
        row, values, won = pair.differences[judge], pair.pooled(judge), pair.winners(judge)
        lines.append(
            [
                judge,
                _name(winner(*values)),
                *map(number, values),
                signed(row.difference),
                between(row.interval),
                number(row.p_randomization),
                number(row.p_corrected),
                f"{won.count(0)} : {won.count(1)}",
            ]
        )
    return table(head, lines, 2)


def _name(won: int | None) -> str:
    return "–" if won is None else f"S{won + 1}"


def _disputes(pair: Contest) -> str:
    disputed, count = sum(pair.disputed), len(pair.disputed)
    winners = {name: _name(winner(*pair.pooled(name))) for name in pair.references}
    sides = {side: [n for n, s in winners.items() if s == side] for side in ("S1", "S2")}
    told = "; ".join(f"{side} by {', '.join(names)}" for side, names in sides.items() if names)
    mean = pair.winners(MEAN)
    others = ", ".join(
        f"{judge} {_contradicted(mean, pair.winners(judge))}" for judge in ("majority", "WiSeBE")
    )
    return listed(
        [
            f"Over all recordings the better system is {told}: the ranking "
            + ("**changes**" if pair.disputed_pooled else "does not change")
            + " with the reference.",
            f"In {disputed} of {count} recordings ({_percent(disputed, count)}) the winner changes "
            "with the reference.",
            f"Judges that contradict the mean of references over all recordings: "
            f"{', '.join(against_mean(pair)) or 'none'}; in single recordings: {others}.",
        ]
    )


def against_mean(pair: Contest) -> list[str]:
    """Name the judges of all references that prefer the other system."""
    mean = winner(*pair.pooled(MEAN))
    return [judge for judge in ALL if winner(*pair.pooled(judge)) != mean]


def _contradicted(one: Sequence[int | None], other: Sequence[int | None]) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True))


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "–"


def _bases(ranking: Ranking) -> str:
    lines = []
    for base, found in ranking.on_bases.items():
        contest = Contest(ranking.references, PAIR, (found[PAIR[0]], found[PAIR[1]]))
        cells = [signed(_difference(contest, name), 4) for name in ranking.references]
        cells += [signed(_difference(contest, name), 4) for name in (MEAN, "WiSeBE")]
        lines.append([base, *cells])
    return table(("words of", *ranking.references, "mean", "WiSeBE"), lines)


def _difference(contest: Contest, judge: str) -> Value:
    one, other = contest.pooled(judge)
    if isinstance(one, Undefined) or isinstance(other, Undefined):
        return Undefined("a value is undefined")
    return float(one - other)


def _own_words(ranking: Ranking) -> str:
    """Say how much a transcript gains by lending its words."""
    gains = []
    for base, found in ranking.on_bases.items():
        i = ranking.references.index(base) + 1
        for name, one in found.items():
            own = one.values[0][f"f1_{i}"]
            other = [
                value
                for elsewhere, scores in ranking.on_bases.items()
                if elsewhere != base
                and not isinstance(value := scores[name].values[0][f"f1_{i}"], Undefined)
            ]
            if other and not isinstance(own, Undefined):
                gains.append(own - sum(other) / len(other))
    if not gains:
        return ""
    return (
        f"F1 against a transcript changes by {signed(sum(gains) / len(gains))} (mean over all "
        "systems) when the common words are its own rather than another's: F1 against different "
        "references is to be compared with that in mind."
    )


def _systems(ranking: Ranking) -> str:
    head = ("system", "boundaries", *ranking.references, "mean", "majority", "windows", "WiSeBE")
    lines = [
        [
            name,
            number(one.values[2]["boundaries"]),
            *(number(one.values[0][f"f1_{i}"]) for i in range(1, len(ranking.references) + 1)),
            number(one.values[0]["f1"]),
            number(one.values[1]["f1"]),
            number(one.values[2]["f1"]),
            number(one.values[2]["wisebe"]),
        ]
        for name, one in ranking.all.items()
    ]
    return table(head, lines)


def _every_pair(rankings: Sequence[Ranking]) -> str:
    every = [(each, _difference(each, MEAN)) for r in rankings for each in r.pairs]
    lines = []
    for name, low, high in CLOSE:
        chosen = [c for c, d in every if isinstance(d, float) and low <= abs(d) < high]
        meetings = sum(len(each.disputed) for each in chosen)
        disputed = sum(sum(each.disputed) for each in chosen)
        turned = sum(map(_ranked_otherwise, chosen))
        lines.append(
            [
                name,
                str(len(chosen)),
                str(sum(each.disputed_pooled for each in chosen)),
                str(turned),
                f"{disputed} of {meetings} ({_percent(disputed, meetings)})",
            ]
        )
    head = (
        "difference in mean F1",
        "pairs",
        "winner changes with reference",
        "WiSeBE against mean F1",
        "recordings disputed",
    )
    return (
        "Each pair of systems on each corpus, by how far apart they are in mean F1 over all "
        "recordings: pairs whose winner over all recordings changes with the reference, pairs "
        "that WiSeBE ranks otherwise than mean F1 does, and how often a single recording's winner "
        "changes with the reference (more references give more occasions for that).\n\n"
        + table(head, lines)
        + "\n\n"
        + turning(rankings)
    )


def _ranked_otherwise(contest: Contest) -> bool:
    return winner(*contest.pooled(MEAN)) != winner(*contest.pooled("WiSeBE"))


def turning(rankings: Sequence[Ranking]) -> str:
    """Say how far apart the systems are whose ranking changes with the reference."""
    found = [each for ranking in rankings for each in ranking.turned]
    if not found:
        return "No two systems change places with the reference."
    judge = MEAN
    widest = max(abs(d) for each in found if isinstance(d := _difference(each, judge), float))
    rows = [row for each in found if (row := each.differences[judge]).interval is not None]
    sure = sum(not low <= 0 <= high for low, high in (row.interval for row in rows if row.interval))
    return (
        f"The {len(found)} pairs that change places with the reference differ by at most "
        f"{widest:.3f} in mean F1; {sure or 'none'} of these differences "
        f"{'is' if sure < 2 else 'are'} larger than chance explains (95 % interval without 0)."
    )


def _short(ranking: Ranking) -> str:
    pair = ranking.pair
    disputed, count = sum(pair.disputed), len(pair.disputed)
    return (
        f"Rankings on {ranking.accord.group.corpus.name}: the winner of S1 and S2 over all "
        f"recordings {'changes' if pair.disputed_pooled else 'does not change'} with the "
        f"reference; in single recordings it changes in {disputed} of {count}. Pairs of systems "
        f"that change places with the reference: {len(ranking.turned)} of {len(ranking.pairs)}; "
        f"that WiSeBE ranks otherwise than mean F1: {sum(map(_ranked_otherwise, ranking.pairs))}."
    )
