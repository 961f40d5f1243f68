"""The chapter that tests the paper's claims, and expectations of our own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from caesura.core.values import Undefined
from caesura.evaluation.comparison import Difference
from caesura.evaluation.reports.table import format_interval
from caesura_studies.claims import (
    Claim,
    Evidence,
    better_system,
    claim,
    claims_table,
    find_test,
    value,
    verdict_summary,
)
from caesura_studies.gotohrenals import paper
from caesura_studies.gotohrenals.chapter_orders import ORDERS, PAPER_ORDER, SMOOTHING, Orders
from caesura_studies.gotohrenals.chapter_pauses import best_threshold
from caesura_studies.gotohrenals.chapter_text_size import BOTH, Sizes
from caesura_studies.gotohrenals.chapter_weights import DECIDED
from caesura_studies.gotohrenals.chapter_word_errors import (
    REFERENCES,
    Points,
    with_and_without_worst,
)
from caesura_studies.gotohrenals.experiment import METHODS, Trial
from caesura_studies.gotohrenals.scoring import MEASURES, compare_pairs, verdict
from caesura_studies.gotohrenals.systems import MAIN, Decision
from caesura_studies.report import Part, format_value, markdown_list, with_interval

TITLE = "The paper's claims"
LM, THRESHOLD, PAUSE = "language model", "pause threshold", "pause model"
ALONE = (LM, THRESHOLD, PAUSE)
RECOGNISED = "recognised words"

EXPECTED_PAUSE, PAUSE_TOLERANCE = 0.44, 0.03
"""The expected P&R of the best pause threshold on such calls, and the tolerance."""

MARGIN = 0.02
"""Two systems whose P&R differs by less than this do about equally well."""

MIN_COMBINED = 0.60
"""The P&R that the combined models must reach on references."""


def chapter(
    trials: Mapping[str, Trial], orders: Orders, sizes: Sizes, points: Mapping[str, Points]
) -> Part:
    """Write the chapter: test each claim."""
    claims = [*_of_the_paper(trials, orders, sizes, points)]
    musts = [*_expectations(trials)]
    text = [
        "Each claim is decided by tests, on the references and on the words of each recogniser "
        "with times: a comparison supports or contradicts it only if the difference is significant "
        "(p below 0.05 after Holm's correction); else it is open. That two systems do equally "
        "well, or that nothing is gained, requires more than an insignificant difference: its "
        f"interval must stay below {MARGIN:g}.",
        claims_table(claims),
        "### What must hold",
        "Of any system of this kind on such calls, whatever the paper's data said:",
        claims_table(musts),
        "### In detail",
        *(
            f"**{each.text}** ({each.verdict})\n\n{markdown_list(each.details)}"
            for each in (*claims, *musts)
        ),
    ]
    numbers = {
        name: [vars(each) | {"verdict": each.verdict} for each in group]
        for name, group in (("paper", claims), ("must_hold", musts))
    }
    short = [
        *verdict_summary("Claims of the paper", claims),
        *verdict_summary("What must hold", musts),
    ]
    return Part("claims", TITLE, "\n\n".join(text), numbers, short)


def _of_the_paper(
    trials: Mapping[str, Trial], orders: Orders, sizes: Sizes, points: Mapping[str, Points]
) -> Iterator[Claim]:
    yield claim(
        "pauses alone beat the language model alone (P&R)",
        _comparisons(trials, "f1", THRESHOLD, LM),
    )
    yield claim(
        "pauses alone beat the language model alone (SER)",
        _comparisons(trials, "ser", THRESHOLD, LM),
    )
    for measure in ("f1", "ser"):
        title = f"B beats A, by Viterbi ({MEASURES[measure]})"
        yield claim(title, _comparisons(trials, measure, "B", "A", ("direct",)))
        title = f"B beats A, by tuned thresholds ({MEASURES[measure]})"
        yield claim(title, _comparisons(trials, measure, "B", "A", ("tuned",)))
    yield from _combined(trials, "direct")
    yield _large_weight(trials)
    yield from _orders(orders)
    yield from _sizes(sizes)
    rows = [
        (
            1 if each.falls_straight else 0,
            f"{name}: correlation {with_interval(*each.correlation)}, bend {each.bend:.3f}",
        )
        for name, each in with_and_without_worst(points).items()
    ]
    yield claim("P&R falls about linearly with WER", iter(rows))


def _comparisons(
    trials: Mapping[str, Trial],
    measure: str,
    one: str,
    other: str,
    decisions: tuple[Decision, ...] = ("direct", "tuned"),
) -> Iterator[Evidence]:
    """Compare two systems on each source."""
    for name, trial in trials.items():
        for decision in decisions:
            row = find_test(trial.tests[decision], measure, one, other)
            yield better_system(row), f"{name}, {DECIDED[decision]}: {verdict(row, one, other)}"


def _large_weight(trials: Mapping[str, Trial]) -> Claim:
    """Compare B with a large weight with the pause model that decides directly, as in the paper."""
    rows = []
    for name, trial in trials.items():
        ours = trial.weights["B", "direct"][paper.LARGE_WEIGHT]
        row = compare_pairs({"B": ours, PAUSE: trial.scores("pause", "direct")}, ["f1"])[
            "f1", "B", PAUSE
        ]
        rows.append((better_system(row), f"{name}, Viterbi: {verdict(row, 'B', PAUSE)}"))
    return claim(f"B with μ = {paper.LARGE_WEIGHT:g} beats the pause model (P&R)", iter(rows))


def _orders(orders: Orders) -> Iterator[Claim]:
    row = orders.smoothing["f1", *SMOOTHING]
    description = f"{verdict(row, *SMOOTHING)}; interval {format_interval(row.interval)}"
    yield Claim("interpolation and backoff do as well (P&R)", (_as_well(row),), (description,))
    named = {order: f"{order}-gram" for order in ORDERS}
    for measure in ("f1", "ser"):
        row = find_test(orders.orders, measure, named[PAPER_ORDER], named[2])
        text = f"the trigram beats the bigram ({MEASURES[measure]})"
        yield Claim(text, (better_system(row),), (verdict(row, named[PAPER_ORDER], named[2]),))
    rows = []
    for longer in (order for order in ORDERS if order > PAPER_ORDER):
        row = find_test(orders.orders, "f1", named[longer], named[PAPER_ORDER])
        decided = verdict(row, named[longer], named[PAPER_ORDER])
        description = f"{decided}; interval {format_interval(row.interval)}"
        rows.append((_no_gain(row), description))
    yield claim("nothing is gained beyond the trigram (P&R)", iter(rows))


def _as_well(row: Difference) -> int:
    """Return 1 if two systems are about equally good, -1 if they are not, 0 if it is open."""
    if better_system(row):
        return -1
    return int(row.interval is not None and max(map(abs, row.interval)) < MARGIN)


def _no_gain(row: Difference) -> int:
    """Return 1 if the first system gains next to nothing, -1 if it gains, 0 if it is open."""
    if better_system(row) > 0:
        return -1
    return int(row.interval is not None and row.interval[1] < MARGIN)


def _sizes(sizes: Sizes) -> Iterator[Claim]:
    rows = [
        (better_system(row := sizes.all_against_smallest(name)), name, row) for name in sizes.tests
    ]
    description = tuple(
        f"{name}: {verdict(row, 'all calls', 'an eighth')}" for _, name, row in rows
    )
    yield Claim("more text of the same kind helps", tuple(sign for sign, *_ in rows), description)
    mixed = {
        name: find_test(compare_pairs, "f1", BOTH, "all")
        for name, compare_pairs in sizes.tests.items()
        if ("f1", "all", BOTH) in compare_pairs
    }
    if mixed:
        description = tuple(
            f"{name}: {verdict(row, 'the mixture', 'calls alone')}" for name, row in mixed.items()
        )
        yield Claim(
            "other text on top helps", tuple(map(better_system, mixed.values())), description
        )


def _expectations(trials: Mapping[str, Trial]) -> Iterator[Claim]:
    recognised = _groups(trials).get(RECOGNISED, {})
    for measure in ("f1", "ser"):
        for method in METHODS:
            text = f"{method} beats the language model on each recogniser ({MEASURES[measure]})"
            yield claim(text, _comparisons(recognised, measure, method, LM, ("tuned",)))
    yield from _combined(trials, "tuned")
    yield from _levels(trials[REFERENCES])


def _combined(trials: Mapping[str, Trial], decision: Decision) -> Iterator[Claim]:
    """Compare both methods of combination with each model alone."""
    for measure in ("f1", "ser"):
        for name, group in _groups(trials).items():
            rows = [
                row
                for method in METHODS
                for other in ALONE
                for row in _comparisons(group, measure, method, other, (decision,))
            ]
            where = f"{name}, {DECIDED[decision]}"
            text = f"A and B beat each model alone on {where} ({MEASURES[measure]})"
            yield claim(text, iter(rows))


def _groups(trials: Mapping[str, Trial]) -> dict[str, Mapping[str, Trial]]:
    recognised = {name: trial for name, trial in trials.items() if name != REFERENCES}
    found = {REFERENCES: {REFERENCES: trials[REFERENCES]}, RECOGNISED: recognised}
    return {name: group for name, group in found.items() if group}


def _levels(trial: Trial) -> Iterator[Claim]:
    best = best_threshold(trial)
    reached = value(trial.thresholds[best], "f1")
    if not isinstance(reached, Undefined):
        near = 1 if abs(reached - EXPECTED_PAUSE) <= PAUSE_TOLERANCE else -1
        description = f"{format_value(reached)} at {best:g} s; near is within {PAUSE_TOLERANCE:g}"
        yield Claim(
            f"pauses alone reach about {EXPECTED_PAUSE:g} P&R on references",
            (near,),
            (description,),
        )
    for decision in MAIN:
        values = {method: value(trial.scores(method, decision), "f1") for method in METHODS}
        known = [each for each in values.values() if not isinstance(each, Undefined)]
        enough = 1 if known and max(known) >= MIN_COMBINED else -1
        description = ", ".join(f"{method} {format_value(each)}" for method, each in values.items())
        text = f"A or B reaches {MIN_COMBINED:.2f} P&R on references, {DECIDED[decision]}"
        yield Claim(text, (enough,), (description,))
