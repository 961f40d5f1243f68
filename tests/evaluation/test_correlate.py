"""Correlations of metrics with results: compared with loops and scipy."""

from collections.abc import Callable
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.core.values import Undefined
from evaluation.correlation_examples import SYSTEMS, Records, ask, drawn_records, records, smooth

scipy_stats = pytest.importorskip("scipy.stats")

PEERS: dict[str, Callable[..., Any]] = {
    "spearman": scipy_stats.spearmanr,
    "kendall": scipy_stats.kendalltau,
    "pearson": scipy_stats.pearsonr,
}


def slow(rows: Records, metric: str, kind: str, drawn: list[str]) -> dict[str, list[float]]:
    """For each task system the correlations on the shows drawn that have one."""
    found: dict[str, list[float]] = {}
    for task in sorted({row["task"] for row in rows}):
        for show in drawn:
            here = [row for row in rows if (row["show"], row["task"]) == (show, task)]
            one, other = [row[metric] for row in here], [row["eter"] for row in here]
            if len(here) >= 3 and len(set(one)) > 1 and len(set(other)) > 1:
                value = float(PEERS[kind](one, other).statistic)
                found.setdefault(task, []).append(value)
    return found


def mean_of(found: dict[str, list[float]]) -> float:
    return fmean([fmean(values) for values in found.values()])


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.2]))
def test_equals_loops_and_scipy(seed: int, missing: float) -> None:
    rows = drawn_records(seed, missing)
    found = ask(rows, resamples=0)
    for kind in PEERS:
        for metric in ("wer", "atene"):
            expected = slow(rows, metric, kind, list(found.data.shows))
            value = found.mean(metric, kind).value
            if expected:
                assert value == pytest.approx(mean_of(expected), abs=1e-12)
            else:
                assert isinstance(value, Undefined)
            left = sum(found.mean(metric, kind).undefined.values())
            assert left == len(found.data.pairs) - sum(map(len, expected.values()))


def test_the_interval_is_that_of_shows_drawn_again() -> None:
    rows = drawn_records(11)
    found = ask(rows, resamples=300, seed=3)
    shows = found.data.shows
    random = np.random.default_rng(3)
    draws = [[shows[i] for i in random.integers(3, size=3)] for _ in range(300)]
    whole = slow(rows, "wer", "spearman", list(shows))
    values = []
    for draw in draws:
        each = slow(rows, "wer", "spearman", draw)
        if set(each) == set(whole):
            values.append(mean_of(each))
    assert len(values) > 0.95 * len(draws)
    expected = np.quantile(values, [0.025, 0.975]).tolist()
    assert found.mean("wer").interval == pytest.approx(expected, abs=1e-12)
    assert found.mean("wer").value == pytest.approx(mean_of(whole), abs=1e-12)


def test_differences_are_drawn_in_pairs() -> None:
    rows = smooth(4)
    found = ask(rows, resamples=200)
    for kind in PEERS:
        apart = found.difference("atene", kind)
        one, base = found.mean("atene", kind).value, found.mean("wer", kind).value
        assert isinstance(one, float)
        assert isinstance(base, float)
        assert apart.value == pytest.approx(one - base)
    # Were shows drawn apart, a metric and its double would differ by chance.
    twins = [row | {"atene": 2 * row["wer"]} for row in rows]
    for kind in PEERS:
        same = ask(twins, resamples=200).difference("atene", kind)
        assert same.value == pytest.approx(0, abs=1e-12)
        assert same.interval == pytest.approx((0, 0), abs=1e-12)


def test_differences_are_of_shows_where_both_are_defined() -> None:
    def cell(system: str, show: str, _: str) -> dict[str, Any]:
        at = SYSTEMS.index(system)
        return {
            "wer": 1 if show == "one" else at,
            "atene": -at if show == "one" else at,
            "eter": at,
        }

    found = ask(records(cell, ["crf"]))
    assert found.mean("wer").value == pytest.approx(1)
    assert found.mean("atene").value == pytest.approx(1 / 3)
    assert found.difference("atene").value == pytest.approx(0, abs=1e-12)
    assert found.difference("atene").undefined == {"one of the series does not vary": 1}
    remark = "wer: left out 1 of 3 pairs of show and task system: one of the series does not vary"
    assert remark in found.remarks


def test_means_are_of_shows_then_of_task_systems() -> None:
    """One task system has one show with a correlation, the other has three."""

    def cell(system: str, show: str, task: str) -> dict[str, Any]:
        at = SYSTEMS.index(system)
        eter = at if task == "crf" else -at if show == "one" else 1
        return {"wer": at, "atene": at, "eter": eter}

    found = ask(records(cell))
    assert found.mean("wer").tasks == pytest.approx({"crf": 1, "hmm": -1})
    assert found.mean("wer").value == pytest.approx(0)


def lifted() -> Records:
    """Three systems that nothing tells apart, and a very bad one."""
    random = np.random.default_rng(8)

    def cell(system: str, *_: str) -> dict[str, Any]:
        bad = 10.0 * (system == "d")
        return {name: bad + random.random() for name in ("wer", "atene", "eter")}

    return records(cell)


def test_one_bad_system_lifts_every_correlation() -> None:
    rows = lifted()
    found, left = ask(rows), ask(rows, without="d")
    assert left.data.systems == ("a", "b", "c")
    for metric in ("wer", "atene"):
        whole, rest = found.mean(metric).value, left.mean(metric).value
        assert isinstance(whole, float)
        assert isinstance(rest, float)
        assert whole > rest + 0.2
        assert found.without_each["d"][metric] == pytest.approx(rest)
    assert left.without_each["a"] == dict.fromkeys(
        ("wer", "atene"), Undefined("nothing there is defined")
    )
    alone = ask([row for row in rows if row["system"] != "d"])
    assert alone.mean("wer") == left.mean("wer")


def test_the_sign_is_reported_and_changed_on_demand_only() -> None:
    rows = [row | {"accuracy": -row["wer"]} for row in smooth(2)]
    asked = {"metric": ["wer", "accuracy"]}
    found, turned = ask(rows, **asked), ask(rows, **asked, negate="accuracy")
    wer, accuracy = found.mean("wer").value, found.mean("accuracy").value
    assert isinstance(wer, float)
    assert accuracy == pytest.approx(-wer)
    assert any(
        line.startswith("accuracy and wer have correlations of opposite sign")
        for line in found.remarks
    )
    assert turned.metrics == ("wer", "-accuracy")
    assert turned.mean("-accuracy").value == pytest.approx(wer)
    assert not any("opposite" in line for line in turned.remarks)
    both = ask(rows, **asked, negate=["eter", "accuracy"], baseline="accuracy")
    assert (both.result, both.settings.baseline) == ("-eter", "-accuracy")
    assert both.mean("-accuracy").value == pytest.approx(-wer)
