"""Comparison of systems: differences, paired tests, and the reasons where there are none."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from caesura.core import registry
from caesura.core.errors import MismatchError, UnknownName
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Undefined
from caesura.evaluation.comparison import Comparison, Difference
from caesura.evaluation.document import ScoringSettings
from caesura.evaluation.resampling import Resampling, holm
from caesura.evaluation.scores import Scores, score_recordings

DRAWN = Resampling(300, 5)
METRICS = ("Boundary", "WiSeBE")


def text(flags: Any, id: str = "", word: str = "w") -> Transcript:
    boundary = np.array(flags, np.bool_)
    return Transcript((word,) * len(boundary), id=id, sentences=Segmentation(boundary))


def corpus(
    count: int, *errors: float, words: int = 40, seed: int = 1
) -> tuple[list[list[Transcript]], list[list[Transcript]]]:
    """Systems that are wrong at so many of a hundred gaps, and two references, on recordings."""
    random = np.random.default_rng(seed)
    truth = [random.random(words) < 0.15 for _ in range(count)]

    def side(wrong: float) -> list[Transcript]:
        return [
            text(flags ^ (random.random(words) < wrong / 100), str(i))
            for i, flags in enumerate(truth)
        ]

    references = [side(3), side(5)]
    return [side(each) for each in errors], references


def compared(
    systems: Sequence[Sequence[Transcript]],
    references: Sequence[Sequence[Transcript]],
    *chosen: str,
    metrics: Sequence[str] = METRICS,
    resampling: Resampling = DRAWN,
) -> Comparison:
    parsed = [registry.parse("metric", name) for name in metrics]
    terms = ScoringSettings((), False, resampling)
    scores = tuple(score_recordings(one, references, parsed, terms) for one in systems)
    return Comparison(tuple("ABCDEFG"[: len(systems)]), scores, chosen)


def test_three_systems() -> None:
    found = compared(*corpus(20, 2, 4, 20))
    assert [(row.metric[:6], row.value, row.a, row.b) for row in found.rows] == [
        (metric, value, a, b)
        for metric, value in (("Bounda", "f1"), ("WiSeBE", "wisebe"))
        for a, b in ((0, 1), (0, 2), (1, 2))
    ]
    for row in found.rows:
        metric = METRICS.index(row.metric.partition("(")[0])
        a, b = (found.scores[i].values[metric][row.value] for i in (row.a, row.b))
        assert row.difference == a - b  # type: ignore[operator]
        assert row.undefined == ""
        assert row.interval is not None
        assert row.interval[0] <= a - b <= row.interval[1]  # type: ignore[operator]
    chances = [row.p_randomization for row in found.rows]
    assert [row.p_corrected for row in found.rows] == holm(chances)  # type: ignore[arg-type]
    # The third system is far worse than the others, and that is seen.
    assert all(row.p_corrected < 0.05 for row in found.rows if row.b == 2)  # type: ignore[operator]


def slow(one: Scores, other: Scores, name: str) -> tuple[list[float], list[float]]:
    """Differences of the first metric: resampled, and traded; units added one by one."""
    metric, count = one.metrics[0], len(one.documents)
    units = [[each.counts[0] for each in scores.documents] for scores in (one, other)]

    def minus(a: Counts, b: Counts) -> float:
        values = [metric.values(each)[name] for each in (a, b)]
        assert not any(isinstance(value, Undefined) for value in values)
        return values[0] - values[1]  # type: ignore[operator]

    random = np.random.default_rng(DRAWN.seed)
    drawn = []
    for _ in range(DRAWN.resamples):
        places = random.integers(count, size=count).tolist()
        drawn.append(minus(*(sum((side[at] for at in places), Counts()) for side in units)))
    random = np.random.default_rng(DRAWN.seed)
    traded = []
    for _ in range(DRAWN.resamples):
        swaps = random.integers(2, size=count).tolist()
        sides = [
            sum((units[i ^ swap][at] for at, swap in enumerate(swaps)), Counts()) for i in (0, 1)
        ]
        traded.append(minus(*sides))
    return drawn, traded


@pytest.mark.parametrize("metric", METRICS)
def test_tests_are_paired_and_of_the_pooled_numbers(metric: str) -> None:
    found = compared(*corpus(15, 6, 8), metrics=[metric])
    (row,) = found.rows
    drawn, traded = slow(found.scores[0], found.scores[1], row.value)
    assert row.difference is not None
    assert row.interval == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975]).tolist()))
    low, high = sum(d <= 0 for d in drawn), sum(d >= 0 for d in drawn)
    assert row.p_bootstrap == pytest.approx(min(1, 2 * (min(low, high) + 1) / 301))
    reached = sum(abs(d) >= abs(row.difference) - 1e-12 for d in traded)
    assert row.p_randomization == pytest.approx((reached + 1) / 301)
    assert row.p_corrected == row.p_randomization


def test_identical_systems_do_not_differ() -> None:
    systems, references = corpus(10, 10)
    for row in compared(systems * 3, references).rows:
        assert (row.difference, row.interval) == (0.0, (0.0, 0.0))
        assert row.p_bootstrap == row.p_randomization == row.p_corrected == 1.0


def test_the_order_of_systems_flips_the_sign() -> None:
    (one, other), references = corpus(15, 4, 7)
    forth = compared([one, other], references).rows
    back = compared([other, one], references).rows
    for a, b in zip(forth, back, strict=True):
        assert a.difference is not None
        assert a.interval is not None
        assert b.interval == pytest.approx((-a.interval[1], -a.interval[0]))
        assert b.difference == -a.difference != 0
        assert (a.p_bootstrap, a.p_randomization) == (b.p_bootstrap, b.p_randomization)


def test_recordings_are_paired_by_name() -> None:
    (one, other), references = corpus(12, 4, 9)
    assert compared([one, other[::-1]], references).rows == compared([one, other], references).rows


def test_equal_seeds_give_equal_results() -> None:
    data = corpus(12, 4, 9)
    first, again, other = (
        compared(*data, resampling=Resampling(300, seed)).rows for seed in (1, 1, 2)
    )
    assert first == again != other


def test_chosen_values() -> None:
    found = compared(*corpus(9, 2, 8), "recall", "ser")
    assert [(row.metric[:6], row.value) for row in found.rows] == [
        ("Bounda", "recall"),
        ("Bounda", "ser"),
        ("WiSeBE", "recall"),
    ]
    for name, advice in (
        ("SER", "did you mean 'ser'"),
        ("wer", r"wer is a value of Words: metric='Words' \(--metric Words\)"),
        ("recal", "did you mean 'recall'"),
    ):
        with pytest.raises(UnknownName, match=f"gives a value '{name}'; {advice}"):
            compared(*corpus(2, 2, 8), name)
    with pytest.raises(UnknownName, match="gives a value 'f2'; they give precision, recall"):
        compared(*corpus(2, 2, 8), "f2")


def test_an_undefined_value_is_reported_and_not_corrected_for() -> None:
    (one, other), references = corpus(12, 2, 9)
    silent = [text([False] * 40, each.id) for each in one]
    found = compared([one, silent, other], references, metrics=["Boundary"])
    rows = {(row.a, row.b): row for row in found.rows}
    assert rows[0, 1] == Difference(
        "Boundary(count_end=False, classes=())",
        "f1",
        0,
        1,
        undefined="B: reference 1: no boundary in the hypothesis",
    )
    assert rows[1, 2].undefined == rows[0, 1].undefined
    assert rows[0, 2].p_corrected == rows[0, 2].p_randomization is not None


def test_a_value_that_many_resamples_do_not_have_is_not_tested() -> None:
    (one,), references = corpus(8, 5)
    rare = [text([False] * 40, each.id) for each in one]
    rare[0] = text([True] * 40, "0")
    (row,) = compared([one, rare], references, metrics=["Boundary"]).rows
    assert row.difference is not None
    assert row.undefined.endswith("of 300 resamples have no value")
    assert (row.interval, row.p_bootstrap, row.p_corrected) == (None, None, None)


def test_one_document_is_tested_by_blocks() -> None:
    systems, references = corpus(1, 2, 20, words=600)
    found = compared(systems, references)
    units = [one.units[0] for one in found.scores]
    assert len(units[0]) == len(units[1]) > 10
    for row in found.rows:
        assert row.undefined == ""
        assert row.p_randomization is not None
        assert row.p_randomization < 0.05


def test_one_document_with_other_words_is_not_tested() -> None:
    (one, _), references = corpus(1, 2, 20, words=300)
    parsed = [registry.parse("metric", "Boundary")]
    terms = ScoringSettings((), True, DRAWN)
    other = [text(one[0].sentences.boundary[:-1], word="w")]  # type: ignore[union-attr]
    scores = tuple(score_recordings(system, references, parsed, terms) for system in (one, other))
    (row,) = Comparison(("A", "B"), scores).rows
    assert row.difference is not None
    assert row.undefined == "the systems' words differ: tests take several documents then"
    assert row.p_corrected is None


def test_one_block_is_not_tested() -> None:
    systems, references = corpus(1, 2, 20, words=20)
    (row,) = compared(systems, references, metrics=["Boundary"]).rows
    assert row.undefined == "there is nothing to resample: it takes several documents or blocks"


def test_nothing_is_tested_unless_asked() -> None:
    found = compared(*corpus(9, 2, 20), resampling=Resampling(0))
    assert {row.undefined for row in found.rows} == {"nothing was resampled"}
    assert all(row.difference is not None for row in found.rows)


@pytest.mark.parametrize(
    ("documents", "systems", "reported"),
    [
        (5, 2, "5 documents cannot reach p < 0.05: give 6 or more"),
        (6, 2, ""),
        (6, 3, "6 documents cannot reach p < 0.05 in 3 tests: give 7 or more"),
        (7, 3, ""),
        (1, 2, ""),
    ],
)
def test_too_few_documents_are_reported(documents: int, systems: int, reported: str) -> None:
    """Of 2 ** n ways to trade n documents, two always leave the difference as it is."""
    errors = [1, 60, 30][:systems]
    words = 40 if documents > 1 else 400
    found = compared(*corpus(documents, *errors, words=words), metrics=["Boundary"])
    assert found.tests == systems * (systems - 1) // 2
    assert found.remarks == ([reported] if reported else [])
    assert found.to_dict()["remarks"] == found.remarks


@pytest.mark.parametrize("seed", range(20))
def test_chance_does_not_make_five_documents_enough(seed: int) -> None:
    found = compared(*corpus(5, 1, 60), metrics=["Boundary"], resampling=Resampling(100, seed))
    (row,) = found.rows
    assert row.p_randomization is not None
    assert row.p_randomization >= 2 / 2**5


def test_missing_recordings_are_refused() -> None:
    (one, other), references = corpus(4, 2, 8)
    parsed = [registry.parse("metric", "Boundary")]
    whole = score_recordings(one, references, parsed, ScoringSettings((), False))
    part = score_recordings(
        other[1:], [side[1:] for side in references], parsed, ScoringSettings((), False)
    )
    with pytest.raises(MismatchError, match="1 recording is not in B: '0'; give both sides"):
        Comparison(("A", "B"), (whole, part))
    with pytest.raises(MismatchError, match="1 recording is not in A: '0'"):
        Comparison(("A", "B"), (part, whole))


def test_one_system_is_no_comparison() -> None:
    with pytest.raises(MismatchError, match="a comparison takes two systems or more"):
        compared(*corpus(3, 2))


def test_json() -> None:
    found = compared(*corpus(9, 2, 20), metrics=["Boundary"])
    reported = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert list(reported) == ["systems", "differences", "remarks", "signatures"]
    assert [each["name"] for each in reported["systems"]] == ["A", "B"]
    assert reported["systems"][1]["scores"] == found.scores[1].to_dict()["scores"]
    (row,) = reported["differences"]
    assert (row["a"], row["b"], row["value"]) == ("A", "B", "f1")
    assert tuple(row["interval"]) == found.rows[0].interval
    assert row["p_corrected"] == found.rows[0].p_corrected
    assert reported["signatures"] == list(found.signatures)


def test_signature() -> None:
    found = compared(*corpus(9, 2, 4, 8))
    lines = found.signatures
    tests = "|tests=bootstrap+randomization+holm(6)"
    assert list(lines) == [line + tests for line in found.scores[0].signatures]
    assert all("resamples=300,level=0.95,seed=5" in line for line in lines)
