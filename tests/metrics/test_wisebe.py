"""WiSeBE: worked examples, and comparison with slow exact code."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core.values import Counts, Undefined, Value
from caesura.metrics.agreement import NO_CHANCE, Agreement
from caesura.metrics.base import NO_BOUNDARY, NO_GAPS, NO_HYPOTHESIS, NONE_GIVEN, ONE_GIVEN
from caesura.metrics.wisebe import WiSeBE
from metrics import oracle
from metrics.oracle import Exact, Places, same, text, texts

THREE: list[Places] = [{4, 8, 12}, {4, 9, 12}, {5, 12}]


def values(
    count: int, references: list[Places], hypothesis: Places, window_gap: int | None = None
) -> dict[str, Value]:
    metric = WiSeBE(window_gap=window_gap)
    return metric.values(
        metric.count(text(count, hypothesis), [text(count, each) for each in references])
    )


def test_settings() -> None:
    assert WiSeBE() == WiSeBE(protocol="paper") == WiSeBE(window_gap=2)
    assert repr(WiSeBE(protocol="tool")) == "WiSeBE(protocol='tool', window_gap=3)"
    with pytest.raises(ValueError, match="protocol is one of"):
        WiSeBE(protocol="book")
    for wrong in (-1, 2.0, True, "2"):
        with pytest.raises(ValueError, match="window_gap is a number of words"):
            WiSeBE(window_gap=wrong)  # type: ignore[arg-type]


# Examples worked out by hand: words, references, hypothesis; ratio, kappa, alpha ('-' for
# undefined); window_gap, windows, boundaries inside, windows hit, P, R, F1, WiSeBE.
WORKED: list[tuple[int, list[Places], Places, str, list[str]]] = [
    (16, THREE, {4, 9, 10, 14}, "1/3 29/74 15/37",
     ["2 3 2 2 1/2 2/3 4/7 4/21", "3 1 3 1 3/4 1 6/7 2/7"]),
    (12, [{4, 8}] * 3, {4, 7}, "1 1 1", ["2 2 1 1 1/2 1/2 1/2 1/2"]),
    (12, [{4, 8}], {4, 8}, "- - -", ["2 2 2 2 1 1 1 -"]),
    (16, THREE, set(), "1/3 29/74 15/37", ["2 3 0 0 - 0 - -"]),
    (12, [set()] * 3, {4}, "- - -", ["2 0 0 0 0 - - -"]),
    (12, [set()] * 3, set(), "- - -", ["2 0 0 0 - - - -"]),
    (12, [{4, 8}, {4}, set()], {4, 9}, "1/3 4/15 13/45", ["2 2 1 1 1/2 1/2 1/2 1/6"]),
    (14, [{3, 10}, {5, 10}, {8, 12}], {4, 9, 10}, "2/15 1/66 4/99",
     ["1 5 1 1 1/3 1/5 1/4 1/30", "2 2 3 2 1 1 1 2/15", "3 1 3 1 1 1 1 2/15"]),
    (14, [{5}, {6}, {8}], {5, 6, 7, 12}, "0 -1/12 -1/18",
     ["0 3 2 2 1/2 2/3 4/7 0", "1 2 2 1 1/2 1/2 1/2 0", "2 1 3 1 3/4 1 6/7 0"]),
    (12, [{3}, {6}, {9}], {3, 6, 9}, "0 -1/10 -1/15",
     ["2 3 3 3 1 1 1 0", "3 1 3 1 1 1 1 0"]),
    (12, [{3, 9}, {3, 9}, {3, 8}], {6}, "5/9 16/27 49/81", ["2 2 0 0 0 0 0 0"]),
    (10, [{4, 7}, {4, 8}], {4, 8}, "1/3 5/14 11/28",
     ["0 3 2 2 1 2/3 4/5 4/15", "1 2 2 2 1 1 1 1/3"]),
    (12, [{4, 6}] * 3, {5}, "1 1 1", ["1 2 0 0 0 0 0 0", "2 1 1 1 1 1 1 1"]),
]  # fmt: skip


def exact(cells: str) -> list[Exact]:
    return [None if cell == "-" else Fraction(cell) for cell in cells.split()]


@pytest.mark.parametrize(("count", "references", "hypothesis", "shared", "rows"), WORKED)
def test_worked_examples(
    count: int, references: list[Places], hypothesis: Places, shared: str, rows: list[str]
) -> None:
    ratio, kappa, alpha = exact(shared)
    names = ("windows", "boundaries_inside", "windows_hit", "precision", "recall", "f1", "wisebe")
    for row in rows:
        window_gap, *expected = exact(row)
        assert window_gap is not None
        wanted = dict(zip(names, expected, strict=True))
        wanted |= {"agreement_ratio": ratio, "kappa": kappa}
        same(values(count, references, hypothesis, int(window_gap)), wanted)
        slow = oracle.wisebe(count, references, hypothesis, int(window_gap), False)
        assert {name: slow[name] for name in wanted} == wanted
    among = Agreement().count(text(count, hypothesis), [text(count, one) for one in references])
    same(Agreement().values(among), {"agreement_ratio": ratio, "kappa": kappa, "alpha": alpha})


def undefined(found: dict[str, Value]) -> dict[str, str]:
    return {name: value.reason for name, value in found.items() if isinstance(value, Undefined)}


@pytest.mark.parametrize(
    ("count", "references", "hypothesis", "reasons", "defined"),
    [
        # One reference.
        (12, [{4, 8}], {4, 7}, {"wisebe agreement_ratio kappa": ONE_GIVEN},
         {"precision": 0.5, "recall": 0.5, "f1": 0.5}),
        # No boundary in any reference.
        (12, [set()] * 3, {4}, {"wisebe agreement_ratio recall f1": NO_BOUNDARY,
                                "kappa": NO_CHANCE}, {"precision": 0.0}),
        (12, [set()] * 3, set(), {"wisebe agreement_ratio recall": NO_BOUNDARY,
                                  "precision f1": NO_HYPOTHESIS, "kappa": NO_CHANCE}, {}),
        # No boundary in the hypothesis.
        (16, THREE, set(), {"wisebe precision f1": NO_HYPOTHESIS}, {"recall": 0.0}),
        # Both defined, and no hit.
        (12, [{3}, {3}], {9}, {}, {"precision": 0.0, "recall": 0.0, "f1": 0.0, "wisebe": 0.0}),
        # Every gap is a boundary of every reference.
        (3, [{1, 2}, {1, 2}], {1}, {"kappa": NO_CHANCE}, {"agreement_ratio": 1.0, "wisebe": 1.0}),
        # No gaps at all.
        (1, [set(), set()], set(), {"wisebe agreement_ratio kappa": NO_GAPS,
                                    "precision f1": NO_HYPOTHESIS, "recall": NO_BOUNDARY}, {}),
        (0, [set(), set()], set(), {"wisebe agreement_ratio kappa": NO_GAPS,
                                    "precision f1": NO_HYPOTHESIS, "recall": NO_BOUNDARY}, {}),
    ],
)  # fmt: skip
def test_what_has_no_value_says_why(
    count: int,
    references: list[Places],
    hypothesis: Places,
    reasons: dict[str, str],
    defined: dict[str, float],
) -> None:
    found = values(count, references, hypothesis)
    told = {name: reason for names, reason in reasons.items() for name in names.split()}
    assert undefined(found) == told
    assert {name: found[name] for name in defined} == defined


def test_without_references_nothing_is_claimed() -> None:
    for metric in (WiSeBE(), WiSeBE(protocol="tool")):
        found = metric.values(metric.count(text(5, {2}), []))
        assert set(undefined(found).values()) == {NONE_GIVEN}
        assert set(undefined(found)) == set(found)


def test_references_that_share_nothing_are_reported() -> None:
    metric = WiSeBE()
    counts = metric.count(text(12, {3}), [text(12, {3}), text(12, {9})])
    assert metric.values(counts)["wisebe"] == 0.0
    assert metric.remarks(counts) == [
        "the references share no boundary: WiSeBE is 0 for every hypothesis with boundaries"
    ]


def test_the_ceiling_is_reported() -> None:
    metric = WiSeBE()
    counts = metric.count(text(16, {4}), [text(16, each) for each in THREE])
    assert metric.remarks(counts) == ["WiSeBE cannot exceed the agreement ratio, here 0.3333"]
    assert metric.remarks(metric.count(text(16, {4}), [text(16, {4})])) == []
    assert metric.remarks(Counts()) == []


def test_windows_may_swallow_true_boundaries() -> None:
    metric = WiSeBE(protocol="tool")
    counts = metric.count(text(6, {6}), [text(6, {3, 6})] * 3)
    assert metric.values(counts)["wisebe"] == 1.0


@given(texts(), st.integers(0, 8), st.sampled_from(["paper", "tool"]))
def test_equals_sets_and_fractions(
    drawn: tuple[int, list[Places], Places], window_gap: int, protocol: str
) -> None:
    count, references, hypothesis = drawn
    metric = WiSeBE(protocol, window_gap)
    counts = metric.count(text(count, hypothesis), [text(count, each) for each in references])
    expected = oracle.wisebe(count, references, hypothesis, window_gap, protocol == "tool")
    found = metric.values(counts)
    assert ("smooth_f1" in found) == (protocol == "tool")
    same(found, {name: expected[name] for name in found})
    assert all(type(number) is int for number in counts.values())


@given(texts(most=4), texts(most=4))
def test_documents_are_pooled(
    one: tuple[int, list[Places], Places], other: tuple[int, list[Places], Places]
) -> None:
    """Kappa and the ratio of two recordings are computed from all their gaps."""
    many = min(len(one[1]), len(other[1]))
    metric = WiSeBE("tool", 1)
    pair = [(count, refs[:many], ours) for count, refs, ours in (one, other)]
    counts = sum(
        (metric.count(text(n, ours), [text(n, each) for each in refs]) for n, refs, ours in pair),
        Counts(),
    )
    # Far enough apart that no window reaches from one text into the other.
    tables: list[Places] = [set() for _ in range(many)]
    gaps: list[int] = []
    for start, (n, refs, _) in zip((0, 1000), pair, strict=True):
        gaps += range(start + 1, start + n + 1)
        for table, each in zip(tables, refs, strict=True):
            table |= {start + place for place in oracle.scored_places(n, each, True)}
    wanted = {
        "kappa": oracle.kappa(gaps, tables),
        "agreement_ratio": oracle.agreement_ratio(tables),
        "kappa_borders": oracle.kappa(sorted(set().union(*tables)), tables),
        "windows": Fraction(len(oracle.windows(set().union(*tables), 1))),
    }
    same(metric.values(counts), wanted)
