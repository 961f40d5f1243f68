"""Values of summed counts, their confidence intervals and signatures."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import caesura
from caesura import __version__, api
from caesura.core import registry
from caesura.core.errors import MismatchError, PluginError
from caesura.core.protocols import Metric
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Undefined, Value
from caesura.evaluation.document import ScoringSettings
from caesura.evaluation.resampling import Resampling
from caesura.evaluation.scores import Scores, score_recordings
from caesura.metrics.base import NONE_GIVEN
from caesura.metrics.boundary import Boundary
from caesura.metrics.wisebe import WiSeBE

DRAWN = Resampling(200, 3)


@dataclass(frozen=True, repr=False)
class Words(Metric):
    """Counts that cannot be reported for each word."""

    name = "Words"
    best: ClassVar = {"rate": 1.0}
    main = "rate"

    def count(self, hypothesis: Transcript, references: Sequence[Transcript]) -> Counts:
        return Counts(words=len(hypothesis))

    def values(self, counts: Counts) -> dict[str, Value]:
        return {"rate": counts["words"] / 2}


def text(count: int, *ends: int, id: str = "") -> Transcript:
    return Transcript(("w",) * count, id=id, sentences=Segmentation.of_gaps(count, ends))


def made(
    pairs: Sequence[tuple[Transcript, ...]],
    *metrics: str,
    resampling: Resampling = DRAWN,
) -> Scores:
    """Score recordings, each a hypothesis and its references, named by number."""
    named = [[one.replace(id=str(i)) for one in pair] for i, pair in enumerate(pairs)]
    sides = list(zip(*named, strict=True))
    chosen = [registry.parse("metric", name) for name in metrics or ("Boundary",)]
    return score_recordings(
        sides[0], sides[1:], chosen, ScoringSettings(("case",), False, resampling)
    )


def noisy(count: int, seed: int = 0) -> list[tuple[Transcript, ...]]:
    """Recordings of 30 words with three texts that agree on some boundaries."""
    random = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        common = random.random(30) < 0.15
        flags = [common ^ (random.random(30) < 0.08) for _ in range(3)]
        found.append(tuple(text(30, *np.flatnonzero(each).tolist()) for each in flags))
    return found


def slow_intervals(scores: Scores, units: list[Counts]) -> dict[str, tuple[float, float]]:
    """Draw units one by one and add them up; the values are of the sums."""
    resampling = scores.settings.resampling
    random = np.random.default_rng(resampling.seed)
    drawn: dict[str, list[float]] = {}
    for _ in range(resampling.resamples):
        total = Counts()
        for at in random.integers(len(units), size=len(units)).tolist():
            total += units[at]
        for name, value in scores.metrics[0].values(total).items():
            assert not isinstance(value, Undefined)
            drawn.setdefault(name, []).append(value)
    edges = [(1 - resampling.level) / 2, (1 + resampling.level) / 2]
    return {name: tuple(np.quantile(values, edges).tolist()) for name, values in drawn.items()}


@pytest.mark.parametrize("metric", ["Boundary", "WiSeBE", "WiSeBE(protocol='tool')", "Agreement"])
def test_intervals_by_documents(metric: str) -> None:
    scores = made(noisy(12), metric)
    slow = slow_intervals(scores, [each.counts[0] for each in scores.documents])
    (intervals,) = scores.intervals
    (values,) = scores.values
    assert list(intervals) == [name for name, value in values.items() if type(value) is float]
    for name, found in intervals.items():
        assert not isinstance(found, Undefined)
        assert found == pytest.approx(slow[name])
        assert found[0] <= values[name] <= found[1]  # type: ignore[operator]


def test_level() -> None:
    wide, narrow = (
        made(noisy(12), resampling=Resampling(200, 3, level)).intervals[0]["f1"]
        for level in (0.95, 0.5)
    )
    assert not isinstance(wide, Undefined)
    assert not isinstance(narrow, Undefined)
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_equal_seeds_give_equal_intervals() -> None:
    one, same, other = (
        made(noisy(12), resampling=Resampling(200, seed)).intervals for seed in (1, 1, 2)
    )
    assert one == same != other


def test_intervals_are_of_the_pooled_number() -> None:
    """Many short recordings without a fault and as many long ones with hardly anything right."""
    short = (text(4, 1), text(4, 1))
    long = (text(100, *range(0, 80, 2)), text(100, 0, 2, 81, 85))
    scores = made([short, long] * 15)
    pooled = scores.values[0]["precision"]
    assert pooled == pytest.approx(45 / (15 + 600))
    found = scores.intervals[0]["precision"]
    assert not isinstance(found, Undefined)
    each = [Boundary().values(one.counts[0])["precision"] for one in scores.documents]
    rates = np.mean(np.array(each, float))
    assert found[0] <= 45 / 615 <= found[1] < 0.2 < rates


def test_one_document_is_drawn_by_blocks() -> None:
    ends = list(range(2, 150, 3))
    pair = (text(150, *(end - end % 2 for end in ends)), text(150, *ends))
    scores = made([pair])
    (units,) = scores.units
    assert len(units) == 10
    assert sum(units, Counts()) == scores.totals[0]
    slow = slow_intervals(scores, units)
    for name, found in scores.intervals[0].items():
        assert found == pytest.approx(slow[name])
    assert "units=10 blocks(5 sentences)" in scores.signatures[0]
    assert scores.remarks == ([],)


NOTHING = "there is nothing to resample: it takes several documents or blocks"


def test_one_block_has_no_interval() -> None:
    scores = made([(text(9, 2, 5), text(9, 2, 6))])
    assert scores.intervals[0]["f1"] == Undefined(NOTHING)
    assert scores.remarks[0] == [f"no interval: {NOTHING}"]
    (reported,) = scores.to_dict()["scores"]
    assert reported["intervals"] == dict.fromkeys(["precision", "recall", "f1", "ser"])


def test_counts_without_places_need_several_documents() -> None:
    ours = text(60, *range(0, 60, 2))
    alone = score_recordings([ours], [[ours]], [Words()], ScoringSettings((), False, DRAWN))
    assert alone.intervals == ({"rate": Undefined(NOTHING)},)
    named = [ours.replace(id=id) for id in "abcdefgh"]
    several = score_recordings(named, [named], [Words()], ScoringSettings((), False, DRAWN))
    assert several.intervals == ({"rate": (240.0, 240.0)},)


def test_few_units_are_reported() -> None:
    few = "the intervals are based on only 7 units: they are too narrow"
    assert made(noisy(7)).remarks[0] == [few]
    assert made(noisy(8)).remarks[0] == []


def test_values_that_many_resamples_do_not_have_get_no_interval() -> None:
    """Of eight recordings one has a boundary in the hypothesis: a third of the draws miss it."""
    pairs = [(text(9, 2), text(9, 2)), *[(text(9), text(9, 2))] * 7]
    scores = made(pairs)
    found = scores.intervals[0]["precision"]
    assert isinstance(found, Undefined)
    assert found.reason.endswith("of 200 resamples have no value")
    assert isinstance(scores.intervals[0]["recall"], tuple)
    assert scores.remarks[0] == [f"no interval (precision, f1): {found.reason}"]
    assert scores.remarks_about(0, ["recall"]) == []
    assert scores.remarks_about(0, ["recall", "f1"]) == [f"no interval (f1): {found.reason}"]


def test_undefined_values_have_no_interval() -> None:
    scores = made([(text(9, 2), text(9))] * 9)
    assert isinstance(scores.values[0]["recall"], Undefined)
    assert list(scores.intervals[0]) == ["precision"]


def test_nothing_is_drawn_unless_asked() -> None:
    scores = made(noisy(4), resampling=Resampling(0))
    assert scores.intervals == ({},)
    assert scores.remarks == ([],)
    assert "bootstrap" not in scores.signatures[0]


def test_signature() -> None:
    scores = made(noisy(9), "Boundary", "WiSeBE(protocol='tool')")
    rest = (
        "|references=2|documents=9|normalize=case|align=no"
        "|bootstrap(resamples=200,level=0.95,seed=3,units=9 documents)"
        f"|caesura={__version__}"
    )
    assert scores.signatures == (
        "Boundary(count_end=False, classes=())" + rest,
        "WiSeBE(protocol='tool', window_gap=3)" + rest,
    )


def test_signature_of_an_alignment() -> None:
    ours, theirs = text(6, 2), text(8, 2, 3)
    found = score_recordings([ours], [[theirs]], [Boundary()], ScoringSettings((), True))
    (one,) = found.documents[0].coverage
    assert f"|normalize=none|align=words(lost={one.boundaries_lost})|" in found.signatures[0]


def test_json() -> None:
    pairs = [*noisy(8), (text(3), text(3), text(3))]
    scores = made(pairs, "Boundary", "WiSeBE")
    reported: dict[str, Any] = json.loads(json.dumps(scores.to_dict(), allow_nan=False))
    assert {"documents", "scores"} <= set(reported)
    assert [each["id"] for each in reported["documents"]] == list("012345678")
    for i, each in enumerate(reported["scores"]):
        assert list(each) == [
            "metric", "values", "undefined", "intervals", "remarks", "signature",
            "disagreements", "disagreement_kinds",
        ]  # fmt: skip
        assert each["metric"] == repr(scores.metrics[i])
        assert each["values"] == scores.values[i]
        assert each["undefined"] == {}
        assert each["remarks"] == scores.remarks[i]
        assert each["signature"] == scores.signatures[i]
        assert {name: tuple(two) for name, two in each["intervals"].items()} == scores.intervals[i]
    last = reported["documents"][-1]
    assert (last["words"], list(last)) == (3, ["id", "words", "scores"])
    assert last["scores"][0]["values"]["f1"] is None
    assert last["scores"][0]["undefined"]["f1"] == "reference 1: no boundary in the hypothesis"
    sums = [sum(one["scores"][1]["counts"]["windows"] for one in reported["documents"])]
    assert sums == [scores.values[1]["windows"]]


def test_the_words_of_a_recording_are_those_of_the_first_reference() -> None:
    """A system that recognised nothing, or too much, does not make a recording another."""
    for ours in (0, 9):
        sides = (text(ours), text(5), text(6))
        found = made([sides], "Words")
        assert found.to_dict()["documents"][0]["words"] == 5


def test_alignments_are_in_the_json() -> None:
    found = score_recordings(
        [text(6, 2)], [[text(8, 2)]], [Boundary()], ScoringSettings((), True)
    ).to_dict()
    assert found["documents"][0]["alignment"] == [
        {
            "hypothesis_words_unmatched": 0,
            "reference_words_unmatched": 2,
            "words_replaced": 0,
            "boundaries_lost": 0,
        }
    ]


def test_some_of_the_metrics() -> None:
    scores = made(noisy(9), "Boundary", "WiSeBE")
    chosen = scores.with_metrics(slice(1, 2))
    assert chosen.metrics == (WiSeBE(),)
    assert chosen.values == scores.values[1:]
    assert chosen.intervals == scores.intervals[1:]
    assert chosen.signatures == scores.signatures[1:]


def test_no_reference_is_refused() -> None:
    with pytest.raises(MismatchError, match="there is no reference to score against"):
        score_recordings([text(3)], [], [Boundary()], ScoringSettings((), False))


def test_no_recordings_have_no_values() -> None:
    scores = score_recordings([], [[]], [Boundary()], ScoringSettings((), False, DRAWN))
    assert scores.values[0]["f1"] == Undefined(NONE_GIVEN)
    assert json.dumps(scores.to_dict(), allow_nan=False)


def test_formats_that_files_do_not_tell_are_signed(tmp_path: Path) -> None:
    """Two ways to read a reference give two numbers, and so two signatures."""
    file = tmp_path / "text.txt"
    file.write_text("One two. Three\nfour five.\n")

    def signed(**formats: str) -> str:
        found = api.score(file, reference=file, metric="Words", resamples=0, **formats)  # type: ignore[arg-type]
        return found.signatures[0]

    assert "format=" not in signed(format="text")
    assert "|documents=1|reference_format=tokens|normalize=" in signed(
        format="text", reference_format="tokens"
    )
    assert "|format=lines|reference_format=lines|" in signed(format="lines")


def test_scores_and_comparisons_print_the_tables_of_the_commands() -> None:
    asked: Any = {"reference": caesura.Text("So it goes. We left."), "resamples": 0}
    scores = caesura.score(caesura.Text("So it goes. We left."), **asked)
    assert "f1" in str(scores).split()
    assert scores.signatures[0] in str(scores)
    assert repr(scores) == "<Scores of 1: Boundary; documents=1, references=1>"
    found = caesura.compare(
        [caesura.Text("So it goes. We left."), caesura.Text("So it goes we left.")], **asked
    )
    assert str(found).startswith("2 systems, 1 reference\n")
    assert repr(found).startswith("Comparison(")


@dataclass(frozen=True, repr=False)
class Odd(Metric):
    """A metric that gives what it is told to."""

    counts: Any
    given: Any = None

    name = "Odd"
    main = "x"
    best: ClassVar = {}

    def count(self, hypothesis: Transcript, references: Sequence[Transcript]) -> Counts:
        counts: Counts = self.counts
        return counts

    def values(self, counts: Counts) -> dict[str, Value]:
        given: dict[str, Value] = self.given
        return given


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        (Odd({"a": 1}), r"Odd\.count gives a dict; return caesura\.Counts\(name=number"),
        (Odd(None), r"Odd\.count gives a NoneType; return"),
        (Odd(Counts(), [1.0]), r"Odd\.values gives a list; return a dict"),
        (Odd(Counts(), {"x": None}), r"Odd\.values gives None for 'x'; return a number, or caes"),
        (Odd(Counts(), {"y": 1.0}), r"Odd\.values gives no 'x', the main value; set main to .*y"),
    ],
    ids=["dict", "none", "list", "no value", "no main value"],
)
def test_what_a_metric_gives_is_checked(metric: Odd, message: str) -> None:
    talk = Transcript(("so", "it", "goes"), sentences=[(0, 2)])
    with pytest.raises(PluginError, match=message):
        _ = score_recordings([talk], [[talk]], [metric], ScoringSettings((), False)).values


def test_whole_numbers_are_values_too() -> None:
    talk = Transcript(("so", "it", "goes"), sentences=[(0, 2)])
    metric = Odd(Counts(), {"x": np.int64(3), "y": 2})
    scores = score_recordings([talk], [[talk]], [metric], ScoringSettings((), False))
    assert dict(scores["Odd"]) == {"x": 3, "y": 2}


def test_the_repr_is_short() -> None:
    talk = Transcript(("so", "it", "goes"), sentences=[(0, 2)])
    metrics = [Boundary(), WiSeBE()]
    scores = score_recordings([talk], [[talk]], metrics, ScoringSettings((), False))
    assert repr(scores) == "<Scores: Boundary, WiSeBE; documents=1, references=1>"
