"""Boundary: worked examples, and comparison with slow exact code."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core import registry
from caesura.core.errors import LayerError
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Undefined
from caesura.metrics.boundary import Boundary
from metrics import oracle


def text(count: int, *gaps: int, label: str = "") -> Transcript:
    sentences = Segmentation.of_gaps(count, gaps)
    labels = tuple(label.replace("_", " ").split(" ")) if label else None
    marked = tuple("" if mark == "-" else mark for mark in labels) if labels else None
    return Transcript(("w",) * count, sentences=Segmentation(sentences.boundary, marked))


def test_by_hand() -> None:
    # reference   w w|w w w|w w|w w|      hypothesis  w w|w w|w w w|w w|
    counts = Boundary().count(text(9, 1, 3, 6), [text(9, 1, 4, 6)])
    assert counts == Counts(correct_1=2, incorrect_1=0, missing_1=1, spurious_1=1)
    values = Boundary().values(counts)
    assert values["precision"] == values["recall"] == values["f1"] == pytest.approx(2 / 3)
    assert values["ser"] == pytest.approx(2 / 3)


def test_the_last_gap_counts_only_if_asked() -> None:
    assert not any(Boundary().count(text(3), [text(3)]).values())
    assert Boundary(count_end=True).count(text(3), [text(3)])["correct_1"] == 1


def test_classes() -> None:
    metric = Boundary(classes=(".", "?", ","))
    ours = text(6, 1, 3, label=", . - ? - .")
    theirs = text(6, 1, 3, label="- ? , ? - .")
    #  gap:  0 spurious  1 incorrect  2 missing  3 correct
    counts = metric.count(ours, [theirs])
    assert counts == Counts(correct_1=1, incorrect_1=1, missing_1=1, spurious_1=1)
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


Rates = dict[str, Fraction | None]


def rates(ours: set[int], theirs: set[int]) -> Rates:
    """Return precision, recall, F1 and SER for one reference; None if undefined."""
    hits = len(ours & theirs)
    precision = oracle.over(hits, len(ours))
    recall = oracle.over(hits, len(theirs))
    return {
        "precision": precision,
        "recall": recall,
        "f1": oracle.f1(precision, recall),
        "ser": oracle.over(len(ours ^ theirs), len(theirs)),
    }


def averaged(each: list[Rates]) -> Rates:
    """Return the mean over references; None if one of them is undefined."""
    found: Rates = {}
    for name in each[0]:
        known = [one[name] for one in each]
        complete = [value for value in known if value is not None]
        whole = len(complete) == len(known)
        found[name] = sum(complete, Fraction(0)) / len(known) if whole else None
    return found


@given(oracle.texts(), st.booleans())
def test_equals_sets(drawn: tuple[int, list[set[int]], set[int]], count_end: bool) -> None:
    count, references, hypothesis = drawn
    metric = Boundary(count_end=count_end)
    values = metric.values(
        metric.count(
            oracle.text(count, hypothesis), [oracle.text(count, one) for one in references]
        )
    )
    ours = oracle.scored_places(count, hypothesis, count_end)
    each = [rates(ours, oracle.scored_places(count, one, count_end)) for one in references]
    oracle.same(values, averaged(each))
    for number, one in enumerate(each if len(each) > 1 else [], 1):
        oracle.same(values, {f"{name}_{number}": value for name, value in one.items()})


@pytest.mark.parametrize(
    ("count", "references", "hypothesis", "expected"),
    [
        (
            16,
            [{4, 8, 12}, {4, 9, 12}, {5, 12}],
            {4, 9, 10, 14},
            {
                "precision": "1/4 1/2 0 1/4",
                "recall": "1/3 2/3 0 1/3",
                "f1": "2/7 4/7 0 2/7",
                "ser": "5/3 1 3 17/9",
            },
        ),
        (
            14,
            [{3, 10}, {5, 10}, {8, 12}],
            {4, 9, 10},
            {
                "precision": "1/3 1/3 0 2/9",
                "recall": "1/2 1/2 0 1/3",
                "f1": "2/5 2/5 0 4/15",
                "ser": "3/2 3/2 5/2 11/6",
            },
        ),
    ],
)
def test_several_references(
    count: int, references: list[set[int]], hypothesis: set[int], expected: dict[str, str]
) -> None:
    """The values of each reference, and the mean."""
    each = [oracle.text(count, one) for one in references]
    values = Boundary().values(Boundary().count(oracle.text(count, hypothesis), each))
    for name, row in expected.items():
        cells = (Fraction(cell) for cell in row.split())
        names = (f"{name}_1", f"{name}_2", f"{name}_3", name)
        oracle.same(values, dict(zip(names, cells, strict=True)))


def test_one_empty_reference_leaves_no_mean() -> None:
    values = Boundary().values(Boundary().count(text(6, 2), [text(6, 2), text(6)]))
    assert values["f1"] == Undefined("reference 2: no boundary in the reference")
    assert (values["f1_1"], values["precision"], values["precision_2"]) == (1.0, 0.5, 0.0)


# For the candidates A and B of the video in the paper of WiSeBE: correct boundaries against
# each reference, the mean of precision, recall, F1 (and SER), and SER against each.
VIDEO = {
    "Boundary()": ({"A": 108, "B": 92, "1": 98, "2": 87, "3": 39}, {
        "A": ((53, 49, 23), ".3858 .5646 .44335 1.5750", "1.0204 1.1149 2.5897"),
        "B": ((46, 48, 23), ".4239 .5370 .45722 1.3778", "1.0000 .9540 2.1795"),
    }),
    "Boundary(count_end=True)": ({"A": 109, "B": 93, "1": 99, "2": 88, "3": 40}, {
        "A": ((54, 50, 24), ".3914 .5712 .4497", ""),
        "B": ((47, 49, 24), ".4301 .5439 .4640", ""),
    }),
}  # fmt: skip


@pytest.mark.parametrize("name", VIDEO)
@pytest.mark.parametrize("candidate", ["A", "B"])
def test_video_of_the_wisebe_paper(video: dict[str, Transcript], name: str, candidate: str) -> None:
    metric = registry.parse("metric", name)
    sizes, rows = VIDEO[name]
    hits, means, errors = rows[candidate]
    values = metric.values(metric.count(video[candidate], [video[each] for each in "123"]))
    for number, correct in zip("123", hits, strict=True):
        found, real = sizes[candidate], sizes[number]
        exact = {
            "correct": Fraction(correct),
            "precision": Fraction(correct, found),
            "recall": Fraction(correct, real),
            "f1": Fraction(2 * correct, found + real),
            "ser": Fraction(found + real - 2 * correct, real),
        }
        oracle.same(values, {f"{key}_{number}": value for key, value in exact.items()})
    for key, cell in zip(("precision", "recall", "f1", "ser"), means.split(), strict=False):
        digits = len(cell.partition(".")[2])
        assert values[key] == pytest.approx(float(cell), abs=0.51 * 10**-digits)
    for number, cell in zip("123", errors.split(), strict=False):
        assert values[f"ser_{number}"] == pytest.approx(float(cell), abs=5.1e-5)


def test_counts_add_and_zero_is_neutral() -> None:
    one, two = Counts(a=1, b=2.5), Counts(b=1, c=3)
    assert one + two == Counts(a=1, b=3.5, c=3)
    assert sum([one, two], Counts()) == one + two
    assert one["absent"] == 0
    assert repr(one) == "Counts(a=1, b=2.5)"
    with pytest.raises(TypeError):
        one + 1  # type: ignore[operator]
