"""A chain scores as all its sequences of labels do, and as CRFsuite does."""

from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from caesura.core.arrays import Floats, Indices
from caesura.core.errors import CaesuraError, ModelError
from caesura.ml import crf
from caesura.ml.crf import NEVER, Chain, TrainingExample, Weights


def drawn(seed: int, count: int, labels: int = 3) -> tuple[Chain, Indices]:
    """Return a chain with some of the keys 0 to 19, and keys of words in four templates."""
    chance = np.random.default_rng(seed)
    known = np.sort(chance.choice(20, 12, replace=False))
    weights = Weights(known, chance.normal(0, 2, (12, labels)))
    chain = Chain(weights, chance.normal(0, 2, (labels + 1, labels)))
    return chain, chance.integers(0, 20, (4, count))


def by_hand(chain: Chain, keys: Indices, sequence: tuple[int, ...]) -> float:
    """The score of one sequence of labels, weight by weight."""
    rows = dict(zip(chain.weights.keys.tolist(), chain.weights.rows.tolist(), strict=True))
    before = [chain.labels, *sequence]
    total = 0.0
    for at, label in enumerate(sequence):
        total += chain.transitions[before[at], label]
        for key in keys[:, at].tolist():
            total += rows[key][label] if key in rows else 0.0
    return total


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.lists(st.integers(1, 5), min_size=1, max_size=3))
def test_equals_all_sequences_of_labels(seed: int, lengths: list[int]) -> None:
    chain, keys = drawn(seed, sum(lengths))
    states = chain.weights.summed(keys)
    probabilities = chain.posterior(states, np.array(lengths))
    best = chain.viterbi(states, np.array(lengths))
    for first, count in zip(np.cumsum([0, *lengths]).tolist(), lengths, strict=False):
        here = slice(first, first + count)
        ways = list(product(range(3), repeat=count))
        scores = np.array([by_hand(chain, keys[:, here], way) for way in ways])
        assert tuple(best[here].tolist()) == ways[int(scores.argmax())]
        shares = np.exp(scores - scores.max())
        shares /= shares.sum()
        expected = np.zeros((count, 3))
        for way, share in zip(ways, shares.tolist(), strict=True):
            expected[range(count), way] += share
        assert np.allclose(probabilities[here], expected, atol=1e-12)
        assert np.allclose(probabilities.sum(axis=1), 1)


def test_a_sum_does_not_depend_on_how_many_words_there_are() -> None:
    chain, keys = drawn(3, 50)
    whole = chain.weights.summed(keys)
    one_by_one = [chain.weights.summed(keys[:, at : at + 1]) for at in range(50)]
    assert whole.tobytes() == np.concatenate(one_by_one).tobytes()


def training(seed: int, labels: int = 3) -> tuple[Indices, list[TrainingExample]]:
    """Return made-up recordings in which features depend on labels."""
    chance = Random(seed)
    found = []
    for _ in range(5):
        numbers = [chance.randrange(labels) for _ in range(30)]
        rows = [[chance.choice([label, label + 3, 9, -1]) for label in numbers] for _ in range(4)]
        found.append(TrainingExample(np.array(rows), np.array(numbers)))
    return np.arange(100, 200, 10), found


def theirs(model: Path, example: TrainingExample) -> tuple[list[int], Floats]:
    """Return the labels and probabilities of CRFsuite itself."""
    pycrfsuite = pytest.importorskip("pycrfsuite")
    tagger = pycrfsuite.Tagger()
    tagger.open(str(model))
    items = [[str(at) for at in word if at >= 0] for word in example.places.T.tolist()]
    best = [int(label) for label in tagger.tag(items)]
    probabilities = np.zeros((len(items), 3))
    for at, name in product(range(len(items)), tagger.labels()):
        probabilities[at, int(name)] = tagger.marginal(name, at)
    tagger.close()
    return best, probabilities


@pytest.mark.parametrize(("seed", "labels"), [(0, 3), (1, 3), (2, 2)])
def test_equals_crfsuite(
    seed: int, labels: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pycrfsuite")
    read = crf.read_crfsuite

    def kept(model: Path, known: Indices, count: int) -> Chain:
        (tmp_path / "model").write_bytes(model.read_bytes())
        return read(model, known, count)

    monkeypatch.setattr(crf, "read_crfsuite", kept)
    known, given = training(seed, labels)
    chain = crf.train_chain(known, given, 3, c2=0.1, iterations=40)
    for example in training(seed + 10, labels)[1]:
        keys = np.where(example.places < 0, 7, known[example.places])
        states, lengths = chain.weights.summed(keys), np.array([keys.shape[1]])
        best, probabilities = theirs(tmp_path / "model", example)
        assert chain.viterbi(states, lengths).tolist() == best
        assert np.abs(chain.posterior(states, lengths) - probabilities).max() < 1e-9
    assert (chain.transitions == NEVER).any() == (labels < 3)
    assert len(np.unique(chain.weights.rows)) > 5


def test_features_with_weights_of_0_are_dropped() -> None:
    weights = Weights(np.array([2, 5, 8]), np.array([[0, 0.0], [1, 0], [0, 2]]))
    small = Chain(weights, np.zeros((3, 2))).with_weights(weights.rounded())
    assert small.weights.keys.tolist() == [5, 8]
    assert small.weights.rows.dtype == np.float16
    again = Chain.of(small.arrays(), 2)
    assert again.weights.summed(np.array([[2, 5, 8]])).tolist() == [[0, 0], [1, 0], [0, 2]]


def test_weights_too_large_for_half_precision_are_clipped() -> None:
    rows = np.array([[7e4, -1e9, 1e-3]])
    kept = Weights(np.array([5]), rows).rounded()
    assert kept.rows.tolist() == [[crf.MOST_WEIGHT, -crf.MOST_WEIGHT, np.float16(1e-3)]]
    assert len(Weights.of(kept.arrays(), 3).keys) == 1


def test_features_that_matter_most_are_kept_in_order() -> None:
    rows = np.array([[9.0, 9.0], [1, 0], [0, -3], [0, 1.5], [1, 0]])
    weights = Weights(np.arange(10, 60, 10), rows)
    times = np.array([100, 4, 1, 1, 4])
    assert weights.largest(1, times).keys.tolist() == [30]
    kept = weights.largest(3, times)
    assert kept.keys.tolist() == [20, 30, 50]
    assert kept.rows.tolist() == [[1, 0], [0, -3], [1, 0]]
    assert weights.largest(99, times).keys.tolist() == weights.keys.tolist()


@given(st.integers(0, 10**6))
def test_features_are_counted(seed: int) -> None:
    known, given = training(seed)
    places = [at for example in given for at in example.places.ravel().tolist()]
    assert crf.feature_counts(given, len(known)).tolist() == [
        places.count(at) for at in range(len(known))
    ]


def test_features_seen_often_enough() -> None:
    keys = [np.array([[1, 5], [5, 9]]), np.array([[9], [9]])]
    assert crf.frequent(keys, 1).tolist() == [1, 5, 9]
    assert crf.frequent(keys, 3).tolist() == [9]


GOOD: dict[str, NDArray[Any]] = {
    "keys": np.array([3, 7], np.uint32),
    "weights": np.ones((2, 3), np.float16),
    "transitions": np.zeros((4, 3)),
}
LARGE = np.full((2, 3), 6e4, np.float16)


@pytest.mark.parametrize(
    "damage",
    [
        {"keys": np.array([7, 3], np.uint32)},
        {"keys": np.array([3, 3], np.uint32)},
        {"keys": np.array([-1, 3])},
        {"keys": np.array([3.0, 7.0])},
        {"keys": np.array([3], np.uint32)},
        {"keys": np.array([[3, 7]], np.uint32)},
        {"weights": np.ones((2, 2), np.float16)},
        {"weights": np.ones((2, 3), np.int32)},
        {"weights": np.ones((2, 3), np.float32)},
        {"weights": np.full((2, 3), np.nan, np.float16)},
        {"weights": LARGE},
        {"transitions": np.zeros((3, 3))},
        {"transitions": np.full((4, 3), np.inf)},
        {"transitions": np.zeros((4, 3), np.int64)},
    ],
)
def test_damaged_arrays_are_refused(damage: dict[str, Indices]) -> None:
    Chain.of(GOOD, 3)
    with pytest.raises(ModelError, match="damaged"):
        Chain.of({**GOOD, **damage}, 3)


def test_without_crfsuite_training_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pycrfsuite", None)
    with pytest.raises(CaesuraError, match=r"caesura\[train\]"):
        crf.train_chain(*training(0), 3, 1.0, 1)
