"""The counts and rates of Gotoh and Renals, by hand and against slow exact code."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.contracts import Counts, Undefined
from caesura.errors import LayerError
from caesura.metrics.boundary import Boundary
from caesura.transcript import Segmentation, Transcript


def text(count: int, *gaps: int, label: str = "") -> Transcript:
    sentences = Segmentation.of_gaps(count, gaps)
    labels = tuple(label.replace("_", " ").split(" ")) if label else None
    marked = tuple("" if mark == "-" else mark for mark in labels) if labels else None
    return Transcript(("w",) * count, sentences=Segmentation(sentences.boundary, marked))


def test_by_hand() -> None:
    # reference   w w|w w w|w w|w w|      hypothesis  w w|w w|w w w|w w|
    counts = Boundary().count(text(9, 1, 3, 6), [text(9, 1, 4, 6)])
    assert counts == Counts(correct=2, incorrect=0, missing=1, spurious=1)
    values = Boundary().values(counts)
    assert values["precision"] == values["recall"] == values["f1"] == pytest.approx(2 / 3)
    assert values["ser"] == pytest.approx(2 / 3)


def test_the_last_gap_counts_only_if_asked() -> None:
    assert Boundary().count(text(3), [text(3)]) == Counts(
        correct=0, incorrect=0, missing=0, spurious=0
    )
    assert Boundary(count_end=True).count(text(3), [text(3)])["correct"] == 1


def test_classes() -> None:
    metric = Boundary(classes=(".", "?", ","))
    ours = text(6, 1, 3, label=", . - ? - .")
    theirs = text(6, 1, 3, label="- ? , ? - .")
    #  gap:  0 spurious  1 incorrect  2 missing  3 correct
    counts = metric.count(ours, [theirs])
    assert counts == Counts(correct=1, incorrect=1, missing=1, spurious=1)
    values = metric.values(counts)
    assert values["recall"] == pytest.approx(1 / 3)
    assert values["precision"] == pytest.approx(1 / 3)
    assert values["ser"] == pytest.approx(3 / 3)


def test_undefined_has_a_reason() -> None:
    none = Boundary().values(Boundary().count(text(4), [text(4, 1)]))
    assert none["precision"] == Undefined("no boundary in the hypothesis")
    assert none["f1"] == Undefined("no boundary in the hypothesis")
    assert none["recall"] == 0
    empty = Boundary().values(Boundary().count(text(4, 1), [text(4)]))
    assert empty["precision"] == 0
    assert empty["ser"] == Undefined("no boundary in the reference")


def test_no_hit_is_a_true_zero() -> None:
    assert Boundary().values(Boundary().count(text(4, 0), [text(4, 1)]))["f1"] == 0


def test_missing_layers_are_named() -> None:
    with pytest.raises(LayerError, match="has no sentences"):
        Boundary().count(Transcript(("a",)), [text(1)])
    with pytest.raises(LayerError, match="have no classes"):
        Boundary(classes=(".",)).count(text(1), [text(1)])


GAPS = st.lists(st.booleans(), min_size=12, max_size=12)


@given(GAPS, st.lists(GAPS, min_size=1, max_size=4), st.booleans())
def test_equals_sets(ours: list[bool], theirs: list[list[bool]], count_end: bool) -> None:
    def made(flags: list[bool]) -> Transcript:
        return Transcript(("w",) * 12, sentences=Segmentation(np.array(flags)))

    def places(flags: list[bool]) -> set[int]:
        inside = {i for i, flag in enumerate(flags[:-1]) if flag}
        return inside | {11} if count_end else inside

    metric = Boundary(count_end=count_end)
    values = metric.values(metric.count(made(ours), [made(flags) for flags in theirs]))
    hits = sum(len(places(ours) & places(flags)) for flags in theirs)
    found = len(places(ours)) * len(theirs)
    real = sum(len(places(flags)) for flags in theirs)
    if found and real:
        assert values["f1"] == pytest.approx(float(Fraction(2 * hits, found + real)))
        assert values["ser"] == pytest.approx(float(Fraction(found + real - 2 * hits, real)))


def test_counts_add_and_zero_is_neutral() -> None:
    one, two = Counts(a=1, b=2.5), Counts(b=1, c=3)
    assert one + two == Counts(a=1, b=3.5, c=3)
    assert sum([one, two], Counts()) == one + two
    assert one["absent"] == 0
    assert repr(one) == "Counts(a=1, b=2.5)"
    with pytest.raises(TypeError):
        one + 1  # type: ignore[operator]
