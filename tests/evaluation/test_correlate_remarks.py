"""Remarks, signatures and errors of correlations."""

import json
import math
from typing import Any

import pytest

import caesura
from caesura import __version__
from caesura.core.errors import MismatchError, UnknownName
from caesura.evaluation.correlation import Correlations, correlate
from evaluation.correlation_examples import SHOWS, SYSTEMS, TASKS, ask, drawn_records, smooth

pytest.importorskip("scipy.stats")


def test_row_order_does_not_matter() -> None:
    rows = drawn_records(5)
    assert ask(rows).to_dict() == ask(rows[::-1]).to_dict()


def test_missing_rows_are_reported() -> None:
    rows = [row for row in smooth(1) if (row["system"], row["show"]) != ("a", "two")]
    found = ask(rows)
    assert (
        "some systems have no numbers in 2 of 6 pairs of show and task system: "
        "the others were used there" in found.remarks
    )
    fewer = [row for row in rows if (row["system"], row["show"]) != ("b", "two")]
    reason = "fewer than 3 systems have all the numbers"
    assert f"left out 2 of 6 pairs of show and task system: {reason}" in ask(fewer).remarks
    assert ask(fewer).mean("wer").undefined == {reason: 2}
    extra = [*rows, {"system": "e", "show": "two", "task": "crf", "wer": 1, "atene": 1}]
    for row in extra:
        row.setdefault("eter", "undefined")
    assert "left out because they never have all the numbers: e" in ask(extra).remarks


def test_what_weakens_intervals_is_reported() -> None:
    found = ask(smooth(3), resamples=20)
    assert "the intervals are based on only 3 shows: they are too narrow" in found.remarks
    assert "the intervals are based on too few resamples to mean much" in found.remarks
    single = ask([row for row in smooth(3) if row["show"] == "one"])
    assert single.remarks == ["no interval: there is only one to draw from"]
    assert ask(smooth(3), resamples=0).mean("wer").interval is None
    assert ask(smooth(3), resamples=0).remarks == []


def test_signature() -> None:
    found = ask(smooth(3), without=["b"], baseline="atene", seed=7)
    assert found.signature == (
        "correlate(metrics=wer+atene,result=eter,baseline=atene)|systems=a+c+d|without=b|shows=3"
        "|tasks=crf+hmm|bootstrap(resamples=50,level=0.95,seed=7,units=3 shows)"
        f"|caesura={__version__}"
    )
    plain = [{k: v for k, v in row.items() if k != "task"} for row in smooth(3)]
    short = ask(plain[::2], resamples=0)
    assert short.signature.endswith(f"|systems=a+b+c+d|shows=3|caesura={__version__}")


def test_json_has_no_nan_and_every_pair() -> None:
    found = caesura.correlate(drawn_records(5), metric="wer", result="eter", resamples=50)
    assert isinstance(found, Correlations)
    text = json.dumps(found.to_dict(), allow_nan=False)
    (result,) = json.loads(text)["results"]
    assert [each["coefficient"] for each in result["correlations"]] == [
        "spearman",
        "kendall",
        "pearson",
    ]
    assert result["differences"] == []
    assert [(each["show"], each["task"]) for each in result["pairs"]] == [
        (show, task) for show in sorted(SHOWS) for task in TASKS
    ]
    assert all(math.isfinite(x) for x in result["correlations"][0]["interval"])
    assert set(result["without_each"]) == set(SYSTEMS)


def test_several_results() -> None:
    found = correlate(smooth(1), metric="wer", result=["eter", "atene"], resamples=0)
    assert [each.result for each in found.results] == ["eter", "atene"]


@pytest.mark.parametrize(
    ("asked", "error", "message"),
    [
        ({"metric": "ser"}, UnknownName, "no table has a column 'ser'"),
        ({"metric": []}, UnknownName, "there is no metric"),
        ({"result": ()}, UnknownName, "there is no result"),
        ({"baseline": "ser"}, UnknownName, "the baseline 'ser' is not among those asked for"),
        ({"negate": "ser"}, UnknownName, "the column to negate 'ser' is not among"),
        ({"without": "z"}, UnknownName, "there is no system 'z'; there are a, b, c, d"),
        ({"without": ["a", "b"]}, MismatchError, "2 systems have numbers of eter, wer, atene"),
        ({"result": "wer"}, UnknownName, "the column 'wer' is named twice"),
        ({"task": "tagger"}, MismatchError, "name the column of task systems with --task"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else None,
)
def test_what_cannot_be_is_refused(
    asked: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as raised:
        ask(smooth(1), **asked)
    assert message in str(raised.value)


def test_shows_of_other_names_are_refused() -> None:
    rows = [
        {k: v for k, v in row.items() if k != "task"} for row in smooth(1) if row["task"] == "crf"
    ]
    words = [{k: row[k] for k in ("system", "show", "wer", "atene")} for row in rows]
    names = [{"system": r["system"], "show": f"{r['show']}.wav", "eter": r["eter"]} for r in rows]
    with pytest.raises(MismatchError, match="names must be the same in all tables"):
        correlate([words, names], metric=["wer", "atene"], result="eter")
