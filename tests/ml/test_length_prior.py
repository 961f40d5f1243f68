"""Priors over sentence lengths: what they learn, and what they say of any length."""

import numpy as np
import pytest

from caesura.ml.length_prior import SECOND, LengthPrior, learn_prior
from caesura.ml.semi_markov import NAT, PriorScores


def test_geometric_lengths_say_nothing() -> None:
    sizes = np.random.default_rng(1).geometric(0.1, 20_000)
    prior = learn_prior(sizes, "words")
    assert np.abs(prior.values(np.arange(1, 40))).max() < 0.25
    assert prior.slope > -0.05


def test_lengths_that_are_usual_gain_and_others_lose() -> None:
    sizes = np.random.default_rng(1).integers(8, 13, 5_000)
    values = learn_prior(sizes, "words").values(np.array([1, 10, 30, 60]))
    assert values[1] > 1
    assert values[0] < -3
    assert values[3] < values[2] < values[1]


def test_durations_are_counted_by_half_seconds() -> None:
    sizes = np.repeat(np.array([3 * SECOND, 4 * SECOND]), 500)
    prior = learn_prior(sizes, "seconds")
    near = prior.values(np.array([3 * SECOND, 3 * SECOND + SECOND // 2 - 1, SECOND]))
    assert near[0] == near[1] > 1 > near[2]


def test_few_sentences_change_little() -> None:
    few = learn_prior(np.array([5, 6, 7]), "words").values(np.array([1, 6]))
    many = learn_prior(np.repeat(np.array([5, 6, 7]), 1000), "words").values(np.array([1, 6]))
    assert np.all(np.abs(few) < np.abs(many))
    assert np.isfinite(learn_prior(np.array([1, 1]), "words").values(np.arange(1, 9))).all()


def test_without_sentences_nothing_can_be_learnt() -> None:
    with pytest.raises(ValueError, match="no sentences"):
        learn_prior(np.zeros(0, np.int64), "words")


def test_beyond_the_table_a_straight_line_falls() -> None:
    prior = LengthPrior("words", np.array([0.0, 1.0, 2.0]), -0.5)
    assert prior.values(np.array([0, 2, 3, 4, 7])).tolist() == [0.0, 2.0, 2.0, 1.5, 0.0]
    scores = PriorScores(prior, 2.0)
    assert [scores.value(size) / NAT for size in (0, 2, 3, 4, 7)] == [0.0, 4.0, 4.0, 3.0, 0.0]
    sizes = np.array([7, 4, 2])
    assert scores.values(sizes).tolist() == [scores.value(size) for size in sizes.tolist()]


@pytest.mark.parametrize("unit", ["words", "seconds"])
def test_the_most_that_a_longer_sentence_gains(unit: str) -> None:
    random = np.random.default_rng(2)
    scores = PriorScores(LengthPrior(unit, random.normal(size=5), -0.3), 1.0)
    for more in range(0, 9 * scores.step, max(scores.step // 3, 1)):
        sizes = np.arange(0, 20 * scores.step, max(scores.step // 7, 1)).tolist()
        most = max(scores.value(size + more) - scores.value(size) for size in sizes)
        assert most <= scores.most_gain(more)


@pytest.mark.parametrize(
    ("unit", "table", "slope", "message"),
    [
        ("letters", [0.0], 0.0, "unit is one of words, seconds"),
        ("words", [], 0.0, "list of numbers"),
        ("words", [np.nan], 0.0, "list of numbers"),
        ("words", [0.0], 0.5, r"from -1e\+06 to 0"),
        ("words", [0.0], -np.inf, r"from -1e\+06 to 0"),
        ("words", [1e300], 0.0, "numbers beyond"),
    ],
)
def test_wrong_priors_are_refused(
    unit: str, table: list[float], slope: float, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        LengthPrior(unit, np.array(table), slope)
