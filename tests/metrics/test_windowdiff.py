"""Pk and WindowDiff: worked examples, comparison with slow exact code, nltk and segeval."""

from decimal import InvalidOperation
from fractions import Fraction
from math import floor

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.metrics.segmentation import pk as nltk_pk
from nltk.metrics.segmentation import windowdiff as nltk_windowdiff

from caesura.core.errors import MismatchError
from caesura.core.values import Counts, Undefined
from caesura.metrics.windowdiff import NO_WINDOW, Pk, WindowDiff
from metrics import peers
from metrics.oracle import Exact, Places, over, same, text, texts
from metrics.peers import flags, masses
from metrics.worked import (
    DIFFER,
    EQUAL,
    SCATTERED,
    Example,
    averaged,
    exact,
    printed,
    scored,
    video,
)


def test_settings() -> None:
    assert repr(Pk()) == "Pk(k='own')"
    assert repr(WindowDiff(k=7)) == "WindowDiff(k=7)"
    for wrong in (0, -1, 2.0, True, "mine", None, [1]):
        with pytest.raises(ValueError, match="k is 'own', 'pooled' or a number of words"):
            Pk(k=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("example", "k", "sizes", "pk", "window_diff"),
    [
        (DIFFER, "own", [2, 2, 3], "1/2 5/14 7/13", "1/2 3/7 7/13"),
        (DIFFER, "pooled", [2, 2, 2], "1/2 5/14 9/14", "1/2 3/7 9/14"),
        (EQUAL, "own", [2, 2, 2], "1/5 1/5 1/5", "1/5 1/5 1/5"),
        (EQUAL, "pooled", [2, 2, 2], "1/5 1/5 1/5", "1/5 1/5 1/5"),
        (SCATTERED, "own", [2, 2, 2], "1/4 1/4 7/12", "1/3 1/3 7/12"),
        (SCATTERED, "pooled", [2, 2, 2], "1/4 1/4 7/12", "1/3 1/3 7/12"),
    ],
)
def test_by_hand(example: Example, k: str, sizes: list[int], pk: str, window_diff: str) -> None:
    for metric, name, cells in ((Pk(k), "pk", pk), (WindowDiff(k), "window_diff", window_diff)):
        values = scored(metric, example)
        for number, (size, value) in enumerate(zip(sizes, exact(cells), strict=True), 1):
            same(values, {f"{name}_{number}": value})
            assert values[f"windows_{number}"] == example[0] - size
        same(values, {name: averaged(exact(cells))})
        assert values["windows"] == sum(example[0] - size for size in sizes)


def test_on_the_video() -> None:
    systems, references = video()
    sizes = [Pk().size(one, references) for one in references]
    assert (sizes, Pk("pooled").size(references[0], references)) == ([8, 9, 20], 11)
    for metric, name, rows in (
        (Pk(), "pk", [".3112 .3176 .4576", ".3156 .3038 .4317"]),
        (WindowDiff(), "window_diff", [".3783 .3911 .6397", ".3557 .3465 .6201"]),
        (Pk("pooled"), "pk", [".3212 .3187 .4400", ".3281 .3143 .3979"]),
        (WindowDiff("pooled"), "window_diff", [".4657 .4331 .4865", ".4224 .3853 .4538"]),
    ):
        for system, row in zip(systems, rows, strict=True):
            printed(metric.values(metric.count(system, references)), name, row)


def width(count: int, chosen: list[Places]) -> int:
    """Return half the mean sentence length, rounded half up, at least 1."""
    sentences = sum(len(one) + 1 for one in chosen)
    return max(floor(Fraction(count * len(chosen), 2 * sentences) + Fraction(1, 2)), 1)


def slow(count: int, reference: Places, hypothesis: Places, k: int) -> tuple[Exact, Exact]:
    """Compute Pk and WindowDiff window by window."""
    seen = [
        (len(reference & set(range(i, i + k))), len(hypothesis & set(range(i, i + k))))
        for i in range(1, count - k + 1)
    ]
    return (
        over(sum((theirs > 0) != (ours > 0) for theirs, ours in seen), len(seen)),
        over(sum(theirs != ours for theirs, ours in seen), len(seen)),
    )


@given(texts(), st.sampled_from(["own", "pooled"]) | st.integers(1, 30))
def test_equals_slow_code(drawn: tuple[int, list[Places], Places], k: int | str) -> None:
    count, marked, ours = drawn
    references, hypothesis = [one - {count} for one in marked], ours - {count}
    pairs = []
    for one in references:
        size = k if isinstance(k, int) else width(count, references if k == "pooled" else [one])
        pairs.append(slow(count, one, hypothesis, size))
    for metric, name, side in ((Pk(k), "pk", 0), (WindowDiff(k), "window_diff", 1)):
        expected = [pair[side] for pair in pairs]
        values = scored(metric, drawn)
        same(values, {name: averaged(expected)})
        if len(references) > 1:
            same(values, {f"{name}_{i}": value for i, value in enumerate(expected, 1)})


def test_documents_are_pooled() -> None:
    metric = WindowDiff(k=2)
    one = metric.count(text(12, {4, 7}), [text(12, {4, 8})])
    two = metric.count(text(5, {1}), [text(5, {1})])
    assert one == Counts(errors_1=2, windows_1=10)
    same(metric.values(one + two), {"window_diff": Fraction(2, 13)})


def test_undefined_where_no_window_fits() -> None:
    for metric, name in ((Pk(k=4), "pk"), (WindowDiff(k=4), "window_diff")):
        for count in (0, 1, 4):
            assert scored(metric, (count, [set()], set()))[name] == Undefined(NO_WINDOW)
        assert scored(metric, (5, [{2}], {2}))[name] == 0
    with pytest.raises(MismatchError, match="has 3 words and a reference 4"):
        Pk().count(text(3, set()), [text(4, set())])


def test_pk_is_blind_to_how_many_and_edges_are_cheap() -> None:
    assert scored(Pk(2), (10, [{4, 5, 6}], {4, 6}))["pk"] == 0
    same(scored(WindowDiff(2), (10, [{4, 5, 6}], {4, 6})), {"window_diff": Fraction(1, 4)})
    same(scored(Pk(3), (12, [set()], {1})), {"pk": Fraction(1, 9)})
    same(scored(Pk(3), (12, [set()], {6})), {"pk": Fraction(1, 3)})


@given(texts(most=1), st.integers(1, 24))
def test_equals_nltk_with_the_same_k(drawn: tuple[int, list[Places], Places], k: int) -> None:
    count, (reference,), hypothesis = drawn
    if k < count:
        pair = flags(count, reference), flags(count, hypothesis)
        assert scored(Pk(k), drawn)["pk"] == pytest.approx(nltk_pk(*pair, k))
        assert scored(WindowDiff(k), drawn)["window_diff"] == pytest.approx(
            nltk_windowdiff(*pair, k)
        )


@given(texts(most=1), st.integers(2, 24))
def test_equals_segeval_with_the_same_k(drawn: tuple[int, list[Places], Places], k: int) -> None:
    count, (reference,), hypothesis = drawn
    if k < count:
        pair = masses(count, hypothesis), masses(count, reference)
        for metric, name, peer in (
            (Pk(k), "pk", peers.pk),
            (WindowDiff(k), "window_diff", peers.window_diff),
        ):
            assert scored(metric, drawn)[name] == pytest.approx(float(peer(*pair, window_size=k)))


def test_where_nltk_differs() -> None:
    # k is half the length by boundaries, not by sentences: 3 where 2 is right
    inner = flags(12, {4, 8}), flags(12, {4, 7})
    assert nltk_pk(*inner) == pytest.approx(2 / 9)
    same(scored(Pk(), (12, [{4, 8}], {4, 7})), {"pk": Fraction(1, 5)})
    # with the end as a boundary k is right, but there is a window too many
    assert nltk_pk(inner[0] + "1", inner[1] + "1") == pytest.approx(2 / 11)
    # half to even makes k 0, and all that is wrong perfect
    assert nltk_pk("11111", "00000") == 0
    assert scored(Pk(), (6, [{1, 2, 3, 4, 5}], set()))["pk"] == 1
    assert nltk_windowdiff("11111", "00000", 0) == 0
    # windows wider than the text
    assert str(nltk_pk("010", "010", 5)) == "-0.0"
    assert scored(Pk(5), (4, [{2}], {2}))["pk"] == Undefined(NO_WINDOW)
    with pytest.raises(ZeroDivisionError):
        nltk_pk("010", "010", 4)
    assert scored(Pk(4), (4, [{2}], {2}))["pk"] == Undefined(NO_WINDOW)


def test_where_segeval_differs() -> None:
    # half to even: 20 words in 4 sentences make 2.5
    assert peers.compute_window_size((5, 5, 5, 5)) == 2
    assert Pk().size(text(20, {5, 10, 15}), []) == 3
    # never below 2
    assert peers.compute_window_size((1, 1, 1)) == 2
    assert Pk().size(text(3, {1, 2}), []) == 1
    # numbers above 256 are not `is`
    with pytest.raises(AssertionError):
        peers.window_diff((600, 600), (600, 600))
    assert scored(WindowDiff(), (1200, [{600}], {600}))["window_diff"] == 0
    # no window
    assert peers.pk((1, 1), (1, 1)) == 0
    with pytest.raises(InvalidOperation):
        peers.window_diff((1, 1), (1, 1))
    assert scored(Pk(2), (2, [{1}], {1}))["pk"] == Undefined(NO_WINDOW)
    # a division by one window too many
    fixed = peers.window_diff((4, 8), (4, 8), lamprier_et_al_2007_fix=True, return_parts=True)
    windows = 12 + 2 * 3 - 3
    assert fixed == (0, windows + 1)
