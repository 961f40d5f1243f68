"""Maximum entropy, compared with plain sums, numerical gradients and scikit-learn."""

import builtins
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from caesura.core.errors import CaesuraError
from caesura.ml import maxent
from caesura.ml.maxent import (
    Search,
    conditional_logit,
    group_log_softmax,
    log_softmax,
    multinomial,
    sparse_rows,
)

pytest.importorskip("scipy")

Floats = NDArray[np.float64]
EXACT = Search(steps=2000, gain=1e-15)


def label_loss(rows: Floats, labels: list[int], ridge: float, weights: Floats) -> float:
    """Return the loss of labels, row by row."""
    total = ridge / 2 * sum(w * w for w in weights.ravel().tolist())
    for row, label in zip(rows.tolist(), labels, strict=True):
        logits = [sum(x * w for x, w in zip(row, column, strict=True)) for column in weights.T]
        total += math.log(sum(math.exp(s) for s in logits)) - logits[label]
    return total


def group_loss(
    rows: Floats, groups: list[list[int]], chosen: list[int], ridge: float, weights: Floats
) -> float:
    """Return the loss of choices, group by group."""
    total: float = ridge / 2 * sum(w * w for w in weights.tolist())
    for group, best in zip(groups, chosen, strict=True):
        logits = {k: float(rows[k] @ weights) for k in group}
        total += math.log(sum(math.exp(s) for s in logits.values())) - logits[best]
    return total


def random_rows(seed: int, count: int, width: int, filled: float = 0.4) -> Floats:
    chance = np.random.default_rng(seed)
    return (chance.random((count, width)) < filled).astype(np.float64)


def sparse(rows: Floats) -> Any:
    from scipy.sparse import csr_matrix

    return csr_matrix(rows)


def numerical_gradient(loss: Any, at: Floats) -> Floats:
    """Return the gradient by differences, one direction after another."""
    found = np.zeros(at.size)
    for k in range(at.size):
        step = np.zeros(at.size)
        step[k] = 1e-5
        up, down = (at.ravel() + sign * step for sign in (1, -1))
        found[k] = (loss(up.reshape(at.shape)) - loss(down.reshape(at.shape))) / 2e-5
    return found


def collect_losses(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Collect the losses that would be minimised."""
    losses: list[Any] = []

    def search(loss: Any, start: Floats, *_: Any) -> Floats:
        losses.append(loss)
        return start

    monkeypatch.setattr(maxent, "_minimise", search)
    return losses


@pytest.mark.parametrize("at_once", [1 << 20, 7])
def test_loss_and_gradient_of_labels(monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    monkeypatch.setattr(maxent, "AT_ONCE", at_once)
    rows, labels = random_rows(1, 12, 4), [0, 1, 2, 0, 0, 1, 2, 2, 1, 0, 1, 2]
    losses = collect_losses(monkeypatch)
    multinomial(sparse(rows), np.array(labels), 3, ridge=0.7)
    weights = np.random.default_rng(2).normal(size=(4, 3))
    value, gradient = losses[0](weights.ravel())
    assert value == pytest.approx(label_loss(rows, labels, 0.7, weights), rel=1e-12)
    expected = numerical_gradient(lambda w: label_loss(rows, labels, 0.7, w), weights)
    assert gradient == pytest.approx(expected, abs=1e-6)


def test_loss_and_gradient_of_choices(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, groups, chosen = random_rows(3, 9, 5), [[0, 1, 2], [3], [4, 5, 6, 7, 8]], [1, 3, 8]
    losses = collect_losses(monkeypatch)
    conditional_logit(sparse(rows), np.array([0, 3, 4, 9]), np.array(chosen), ridge=0.3)
    weights = np.random.default_rng(4).normal(size=5)
    value, gradient = losses[0](weights)
    assert value == pytest.approx(group_loss(rows, groups, chosen, 0.3, weights), rel=1e-12)
    expected = numerical_gradient(lambda w: group_loss(rows, groups, chosen, 0.3, w), weights)
    assert gradient == pytest.approx(expected, abs=1e-6)


def test_label_weights_are_those_of_scikit_learn() -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    chance = np.random.default_rng(5)
    rows = random_rows(6, 300, 8)
    labels = (rows @ chance.normal(size=(8, 4)) + chance.gumbel(size=(300, 4))).argmax(axis=1)
    found = multinomial(sparse(rows), labels, 4, ridge=0.5, search=EXACT)
    peer = linear.LogisticRegression(C=2.0, fit_intercept=False, tol=1e-10, max_iter=5000)
    assert np.allclose(found.T, peer.fit(rows, labels).coef_, rtol=0, atol=1e-4)


def test_choices_of_two_are_logistic_regression_on_the_difference() -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    chance = np.random.default_rng(7)
    rows = random_rows(8, 400, 6)
    apart = rows[::2] - rows[1::2]
    second = chance.random(200) > 1 / (1 + np.exp(-(apart @ chance.normal(size=6))))
    begin = np.arange(0, 401, 2)
    found = conditional_logit(sparse(rows), begin, begin[:-1] + second, ridge=2.0, search=EXACT)
    peer = linear.LogisticRegression(C=0.5, fit_intercept=False, tol=1e-10, max_iter=5000)
    assert found == pytest.approx(peer.fit(apart, ~second).coef_[0], abs=1e-4)


def test_an_offset_leaves_less_to_fit() -> None:
    rows, labels = sparse(np.ones((90, 1))), np.array([0, 0, 1] * 30)
    offset = np.tile(np.log([2.0, 1.0]), (90, 1))
    alone = multinomial(rows, labels, 2, ridge=1e-6, search=EXACT)
    assert alone[0, 0] - alone[0, 1] == pytest.approx(math.log(2), abs=1e-3)
    assert multinomial(rows, labels, 2, ridge=1e-6, offset=offset) == pytest.approx(0, abs=1e-3)


@given(st.lists(st.lists(st.floats(-700, 700), min_size=1, max_size=6), max_size=8))
def test_probabilities_over_candidates_sum_to_one(groups: list[list[float]]) -> None:
    begin = np.cumsum([0, *map(len, groups)])
    logs = group_log_softmax(np.array([s for group in groups for s in group]), begin)
    for first, stop, group in zip(begin[:-1], begin[1:], groups, strict=True):
        shares = np.exp(logs[first:stop])
        assert shares.sum() == pytest.approx(1, abs=1e-12)
        order = np.argsort(group, kind="stable")
        assert (np.diff(logs[first:stop][order]) >= 0).all()


@given(st.integers(1, 6), st.integers(1, 5), st.integers(0, 99))
def test_probabilities_over_labels_sum_to_one(count: int, width: int, seed: int) -> None:
    scores = np.random.default_rng(seed).normal(scale=200, size=(count, width))
    logs = log_softmax(scores)
    assert np.exp(logs).sum(axis=1) == pytest.approx(np.ones(count), abs=1e-12)
    apart = np.diff(scores, axis=1)
    assert np.diff(logs, axis=1) == pytest.approx(apart, abs=1e-9)


@settings(max_examples=40)
@given(st.lists(st.lists(st.integers(-1, 4), min_size=3, max_size=3), min_size=1, max_size=9))
def test_scores_are_sums_and_the_same_as_those_of_sparse_rows(named: list[list[int]]) -> None:
    distinct = [sorted(set(row) - {-1}) for row in named]
    columns = np.array([row + [-1] * (3 - len(row)) for row in distinct], np.int64)
    weights = np.arange(15.0).reshape(5, 3) - 7
    expected = [[sum(weights[k, tag] for k in row) for tag in range(3)] for row in distinct]
    rows = maxent.with_zero_row(weights)
    assert maxent.sum_rows(columns, rows)[:, 0].tolist() == expected
    parts = maxent.sum_rows(columns, rows, (0, 1))
    assert parts[:, 0].tolist() == rows[columns[:, 0]].tolist()
    assert parts.sum(axis=1).tolist() == expected
    assert (sparse_rows(columns, 5) @ weights).tolist() == expected


@pytest.mark.parametrize("begin", [[], [0], [0, 2], [1, 3], [0, 2, 2, 3], [0, 3, 2, 3]])
def test_groups_that_do_not_make_up_the_rows_are_refused(begin: list[int]) -> None:
    with pytest.raises(ValueError, match="groups of at least one row"):
        group_log_softmax(np.zeros(3), np.array(begin, np.int64))


def test_wrong_arguments_are_refused() -> None:
    rows = sparse(np.ones((2, 1)))
    two = np.array([0, 1])
    with pytest.raises(ValueError, match="label from 0"):
        multinomial(rows, np.array([0, 2]), 2)
    with pytest.raises(ValueError, match="offset has"):
        multinomial(rows, two, 2, offset=np.zeros((2, 3)))
    with pytest.raises(ValueError, match="ridge is a number above 0"):
        multinomial(rows, two, 2, ridge=0)
    with pytest.raises(ValueError, match="chosen row in each group"):
        conditional_logit(rows, np.array([0, 1, 2]), np.array([0, 0]))


def test_too_many_weights_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maxent, "MOST_WEIGHTS", 3)
    with pytest.raises(CaesuraError, match="4 weights to fit, and 3 is the most"):
        multinomial(sparse(np.ones((2, 2))), np.array([0, 1]), 2)


def test_without_scipy_there_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.startswith("scipy"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(CaesuraError, match=r"needs scipy.*pip install 'caesura\[train\]'"):
        sparse_rows(np.zeros((1, 1), np.int64), 1)
    assert group_log_softmax(np.zeros(2), np.array([0, 2])) == pytest.approx(math.log(0.5))


def test_progress_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(maxent, "PROGRESS_SECONDS", 0.0)
    with caplog.at_level("INFO", "caesura.training"):
        multinomial(sparse(random_rows(1, 30, 3)), np.arange(30) % 3, 3)
    assert "step " in caplog.text
