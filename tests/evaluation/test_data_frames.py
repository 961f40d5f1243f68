"""Scores by name, and results as dictionaries and data frames."""

import json
import sys
from importlib import import_module
from math import isnan
from types import SimpleNamespace
from typing import Any

import pytest

from caesura import api
from caesura.core.errors import CaesuraError, UnknownName
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.core.values import Undefined
from caesura.evaluation.comparison import Comparison
from caesura.evaluation.correlation import Correlations, correlate
from caesura.evaluation.scores import Scores
from caesura.metrics.boundary import Boundary
from caesura.metrics.wisebe import WiSeBE
from evaluation.correlation_examples import smooth

Rows = list[dict[str, Any]]


def text(*ends: int, id: str = "x") -> Transcript:
    words = tuple("abcdefghij")
    return Transcript(words, id=id, sentences=Segmentation.of_gaps(len(words), ends))


def scores(*metrics: str, resamples: int = 50) -> Scores:
    ours = [text(2, 5, id="x"), text(4, id="y")]
    theirs = [text(2, 7, id="x"), text(4, 6, id="y")]
    metric = metrics or ("Boundary", "WiSeBE")
    return api.score(ours, reference=[theirs], metric=metric, resamples=resamples)


def comparison() -> Comparison:
    systems = [text(2, id="one"), text(3, id="two")]
    return api.compare(systems, reference=text(2, 7), resamples=50)


def correlations() -> Correlations:
    return correlate(smooth(1), metric=["wer", "atene"], result="eter", resamples=50)


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a data frame be the rows that it is made of."""
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=list))


def test_values_are_found_by_the_name_of_the_metric() -> None:
    found = scores()
    assert found["Boundary"]["f1"] == found.values[0]["f1"] == pytest.approx(4 / 7)
    assert found["WiSeBE"] == found.values[1]
    for name in (repr(WiSeBE()), "WiSeBE(window_gap=2)", WiSeBE()):
        assert found[name] == found.values[1]
    assert list(found) == ["Boundary", "WiSeBE"]
    assert "Boundary" in found
    assert Boundary() in found
    assert "Pk" not in found
    assert 0 not in found


def test_names_that_are_not_there_are_answered_with_those_that_are() -> None:
    found = scores()
    with pytest.raises(UnknownName, match=r"no scores of 'Pk'; there are Boundary, WiSeBE"):
        found["Pk"]
    with pytest.raises(UnknownName, match=r"no scores of 'boundary'; did you mean 'Boundary'\?"):
        found["boundary"]
    with pytest.raises(UnknownName, match=r"no scores of 'WiSeBE\(window_gap=3\)'"):
        found["WiSeBE(window_gap=3)"]
    with pytest.raises(UnknownName, match=r"Boundary gives no value 'kappa'; it gives precision"):
        found["Boundary"]["kappa"]


def test_metrics_of_one_name_are_told_apart_by_their_settings() -> None:
    found = scores("WiSeBE(window_gap=0)", "WiSeBE(window_gap=5)", "Boundary")
    assert list(found)[::2] == [repr(WiSeBE(window_gap=0)), "Boundary"]
    assert found["WiSeBE(window_gap=5)"] == found.values[1]
    with pytest.raises(UnknownName, match=r"there are 2 metrics 'WiSeBE'; say .*window_gap=0.* or"):
        found["WiSeBE"]


def test_systems_and_results_are_found_by_name() -> None:
    found = comparison()
    assert found["two"] is found.scores[1]
    with pytest.raises(UnknownName, match="no system 'three'; there are one, two"):
        found["three"]
    tested = correlations()
    assert tested["eter"] is tested.results[0]
    with pytest.raises(UnknownName, match="there is no result 'cost'; there are eter"):
        tested["cost"]


@pytest.mark.usefixtures("rows")
def test_a_frame_has_a_row_for_each_value() -> None:
    found = scores()
    made: Rows = found.to_frame()
    assert [(row["metric"], row["name"]) for row in made] == [
        (metric, name) for metric in found for name in found[metric]
    ]
    f1 = next(row for row in made if row["name"] == "f1")
    assert f1["value"] == found["Boundary"]["f1"]
    assert (f1["low"], f1["high"]) == found.intervals[0]["f1"]
    assert isnan(next(row for row in made if row["name"] == "correct")["low"])


@pytest.mark.usefixtures("rows")
def test_a_frame_may_have_rows_for_each_document() -> None:
    found = scores("Boundary", resamples=0)
    made: Rows = found.to_frame(per_document=True)
    assert {(row["document"], row["words"]) for row in made} == {("x", 10), ("y", 10)}
    recall = [row["value"] for row in made if row["name"] == "recall"]
    assert recall == [0.5, 0.5]


@pytest.mark.usefixtures("rows")
def test_a_frame_says_why_a_value_is_missing() -> None:
    found = api.score(text(id="x"), reference=text(2), resamples=0)
    row = next(row for row in found.to_frame() if row["name"] == "precision")
    reason = found["Boundary"]["precision"]
    assert isinstance(reason, Undefined)
    assert isnan(row["value"])
    assert row["undefined"] == reason.reason


@pytest.mark.usefixtures("rows")
def test_a_frame_of_a_comparison_has_a_row_for_each_difference() -> None:
    found = comparison()
    (row,) = found.to_frame()
    assert (row["a"], row["b"], row["name"]) == ("one", "two", "f1")
    assert row["difference"] == found.rows[0].difference
    assert set(row) >= {"low", "high", "p_bootstrap", "p_randomization", "p_corrected"}
    made: Rows = found.to_frame(scores=True)
    assert {each["system"] for each in made} == {"one", "two"}
    assert len(made) == 2 * len(found.scores[0].to_frame())


@pytest.mark.usefixtures("rows")
def test_a_frame_of_correlations_has_a_row_for_each_coefficient() -> None:
    found = correlations()
    (one, *_) = found.results
    made: Rows = found.to_frame()
    assert len(made) == sum(len(each.correlations) for each in found.results)
    first = made[0]
    assert first["value"] == one.correlations[0].value
    assert isnan(first["difference"]) == (first["metric"] == one.settings.baseline)
    last = next(row for row in made if row["metric"] != one.settings.baseline)
    assert last["difference"] == one.difference(last["metric"], last["coefficient"]).value
    shows: Rows = found.to_frame(per_show=True)
    assert {row["show"] for row in shows} == set(one.data.shows)


def test_without_pandas_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(CaesuraError, match=r"pip install 'caesura\[tables\]', or pandas itself"):
        scores().to_frame()


def test_pandas_takes_the_rows() -> None:
    import_module("pandas")
    frame = scores().to_frame()
    f1 = frame[(frame["metric"] == "Boundary") & (frame["name"] == "f1")]
    assert f1["value"].item() == pytest.approx(4 / 7)
    assert frame.low.dtype == float
    assert comparison().to_frame().difference.dtype == float


def test_dictionaries_are_what_json_can_hold() -> None:
    json.dumps(scores().to_dict(), allow_nan=False)
    json.dumps(comparison().to_dict(), allow_nan=False)
    json.dumps(correlations().to_dict(), allow_nan=False)
