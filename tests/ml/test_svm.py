"""Labels from left to right: each looks at the three before it."""

import sys
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core.arrays import Indices
from caesura.core.errors import CaesuraError, LayerError, ModelError
from caesura.ml import svm
from caesura.ml.crf import TrainingExample, Weights
from caesura.ml.svm import Margins
from ml.test_crf import training

NONE = Weights(np.zeros(0, np.int64), np.zeros((0, 3), np.float16))


@given(st.integers(0, 10**6), st.lists(st.integers(0, 8), max_size=4))
def test_runs_as_one_would_by_hand(seed: int, lengths: list[int]) -> None:
    chance = np.random.default_rng(seed)
    table = chance.normal(0, 1, (64, 3))
    states = chance.normal(0, 1, (sum(lengths), 3))
    found = Margins(NONE, table).run(states, np.array(lengths, np.int64))
    at = 0
    for count in lengths:
        before = [3, 3, 3]
        for _ in range(count):
            a, b, c = before[-3:]
            row = states[at] + table[a * 16 + b * 4 + c]
            assert found[at].tolist() == row.tolist()
            before.append(int(row.argmax()))
            at += 1


def test_histories_are_the_three_labels_before() -> None:
    labels = np.array([0, 2, 1, 1, 0])
    padded = [3, 3, 3, *labels.tolist()]
    expected = [a * 16 + b * 4 + c for a, b, c in zip(padded, padded[1:], padded[2:], strict=False)]
    assert svm.label_histories(labels, 3).tolist() == expected[:5]


def test_history_features_distinguish_positions_and_runs() -> None:
    every = np.array([a * 16 + b * 4 + c for a, b, c in product(range(4), repeat=3)])
    seen: dict[int, set[tuple[int, ...]]] = {}
    for a, b, c in product(range(4), repeat=3):
        rows = svm.history_features(every, 4)[:, a * 16 + b * 4 + c].tolist()
        for number, told in zip(rows, [(c,), (b, c), (a, b, c), (b,), (a,)], strict=True):
            seen.setdefault(number, set()).add(told)
    assert all(len(told) == 1 for told in seen.values())
    assert len(seen) == 4 + 16 + 64 + 4 + 4


@pytest.mark.parametrize("labels", [2, 3])
def test_equals_scikit_learn(labels: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sklearn")
    machines = []
    read = svm._read_weights

    def kept(machine: object, known: Indices, present: Indices, count: int) -> Margins:
        machines.append(machine)
        return read(machine, known, present, count)

    monkeypatch.setattr(svm, "_read_weights", kept)
    known, given = training(4, labels)
    margins = svm.train_margins(known, given, 3, 0.5)
    example = given[0]
    states = margins.weights.summed(np.where(example.places < 0, 7, known[example.places]))
    found = margins.run(states, np.array([len(states)]))
    rows = np.zeros((len(states), len(known) + svm.WIDTH * 64))
    before = svm.label_histories(found.argmax(axis=1), 3)
    for at in range(len(states)):
        for place in [*example.places[:, at].tolist()]:
            rows[at, place] += place >= 0
        rows[at, svm.history_features(before, 4)[:, at] + len(known)] += 1
    expected = machines[0].decision_function(rows)  # type: ignore[attr-defined]
    ours = found if labels == 3 else found[:, 1]
    assert np.allclose(ours, expected, atol=1e-5)


def test_one_label_alone_teaches_nothing() -> None:
    pytest.importorskip("sklearn")
    same = TrainingExample(np.zeros((1, 3), np.int64), np.zeros(3, np.int64))
    with pytest.raises(LayerError, match="same label"):
        svm.train_margins(np.array([5]), [same], 3, 1.0)


@pytest.mark.parametrize(
    "table", [np.zeros((27, 3)), np.full((64, 3), np.nan), np.zeros((64, 3), int)]
)
def test_damaged_histories_are_refused(table: Indices) -> None:
    arrays = {**NONE.arrays(), "histories": np.zeros((64, 3))}
    Margins.of(arrays, 3)
    with pytest.raises(ModelError, match="damaged"):
        Margins.of({**arrays, "histories": table}, 3)


def test_without_scikit_learn_training_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.svm", None)
    with pytest.raises(CaesuraError, match=r"caesura\[train\]"):
        svm.train_margins(*training(0), 3, 1.0)
