"""Options of an evaluation, and the names of inputs."""

from collections import Counter
from pathlib import Path

import pytest

from caesura import api
from caesura.core.config import parse_setting
from caesura.core.errors import UnknownName
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.evaluation.evaluate import EvaluationOptions, evaluate_systems
from caesura.evaluation.resampling import Resampling
from caesura.formats.files import names_of
from text.recorded import recorded_steps


def text(words: str, *ends: int, id: str = "") -> Transcript:
    split = tuple(words.split())
    return Transcript(split, id=id, sentences=Segmentation.of_gaps(len(split), ends))


@pytest.mark.parametrize(
    ("written", "setting", "values"),
    [
        ("window_gap=0:3", "window_gap", (0, 1, 2, 3)),
        ("k=2:10:4", "k", (2, 6, 10)),
        ("k=2,5,10", "k", (2, 5, 10)),
        ("words=4", "words", (4,)),
        ("seconds=0.1:0.5:0.1", "seconds", (0.1, 0.2, 0.3, 0.4, 0.5)),
        ("seconds=0:1:0.5", "seconds", (0, 0.5, 1.0)),
    ],
)
def test_sweeps_are_read(written: str, setting: str, values: tuple[float, ...]) -> None:
    assert parse_setting(written) == (setting, values)


@pytest.mark.parametrize(
    "written", ["", "k", "k=", "k=a:b", "k=3:1", "k=1:2:0", "k=1:2:3:4", "k=1:", "k=0:1e9", "k=nan"]
)
def test_what_is_no_sweep_is_refused(written: str) -> None:
    with pytest.raises(UnknownName, match="is not a sweep"):
        parse_setting(written)


def test_endless_sweeps_are_refused() -> None:
    with pytest.raises(UnknownName, match="at most"):
        parse_setting("k=0:2000")


def test_a_sweep_needs_a_metric_with_the_setting() -> None:
    with pytest.raises(UnknownName, match="no metric has a setting 'window_gap'"):
        api.score(text("a b"), reference=text("a b"), sweep="window_gap=0:2")
    with pytest.raises(UnknownName, match="WiSeBE: window_gap is a number of words"):
        api.score(text("a b"), reference=text("a b"), metric="WiSeBE", sweep="window_gap=-1:2")


def test_a_sweep_gives_what_single_metrics_give() -> None:
    ours, theirs = (
        text("a b c d e f g h", 1, 4),
        [text("a b c d e f g h", *e) for e in ((2, 4), (3,))],
    )
    whole = api.score(ours, reference=theirs, metric=["Boundary", "WiSeBE"], sweep="window_gap=0:3")
    (sweep,) = whole.sweeps
    assert sweep.points == (0, 1, 2, 3)
    for at, gap in enumerate(sweep.points):
        alone = api.score(ours, reference=theirs, metric=f"WiSeBE(window_gap={gap})")
        assert sweep.scores.values[at] == alone.values[0]
    assert [metric.name for metric in whole.metrics] == ["Boundary", "WiSeBE"]
    assert len(whole.to_dict()["sweeps"][0]["scores"]) == 4


@pytest.mark.parametrize(
    ("one", "other", "steps"),
    [
        ("Hello there", "hello there", "case"),
        ("Mr. Fox - yes", "mr fox - yes", "case+dots"),
        ("well - yes", "well yes", "case+dots+punctuation"),
    ],
)
def test_texts_are_normalised_no_more_than_needed(one: str, other: str, steps: str) -> None:
    found = api.score(text(one, 0), reference=text(other, 0))
    assert f"|normalize={steps}|" in found.signatures[0]


def test_all_systems_are_normalised_alike() -> None:
    systems = [text("Mr. Fox ran", 1), text("mr fox ran", 0)]
    found = api.compare(systems, reference=text("mr fox ran", 1))
    assert {scores.settings.normalize for scores in found.scores} == {("case", "dots")}


@pytest.mark.parametrize("align", [False, True])
def test_each_step_is_done_once_on_each_text(monkeypatch: pytest.MonkeyPatch, align: bool) -> None:
    """Also while the fewest steps are searched for, and for references of several systems."""
    done = recorded_steps(monkeypatch)
    spoken = ("Mr. Fox ran", "Mr Fox ran", "MR Fox ran.")
    names, lines = ("a", "b"), ("mr fox ran", "Mr. fox ran")
    systems = [[text(line, 1, id=name) for name in names] for line in spoken]
    references = [[text(line, 1, id=name) for name in names] for line in lines]
    options = EvaluationOptions(metric=["Boundary", "Words", "WiSeBE"], align=align, resamples=0)
    first, *_ = evaluate_systems(systems, references, options)
    assert first.settings.normalize == ("case", "dots")
    first.to_dict()
    texts = sum(map(len, (*systems, *references)))
    assert Counter(step for step, _ in done) == {"case": texts, "dots": texts}


def test_what_is_compared_as_it_was_read_is_not_normalised(monkeypatch: pytest.MonkeyPatch) -> None:
    done = recorded_steps(monkeypatch)
    ours, theirs = text("A - b", 0), text("a , B", 0)
    found = api.score(ours, reference=[theirs, theirs], metric="Joint", resamples=10)
    assert found.values[0]["token_tp"] == 0
    assert found.intervals
    assert done == []
    # Only the number of words that is shown is that of the first reference, normalised.
    assert found.to_dict()["documents"][0]["words"] == 2
    assert [given for step, given in done if step == "unicode"] == [theirs]


def test_steps_that_are_named_are_done() -> None:
    found = api.score(text("a - b", 0), reference=text("a - b", 0), normalize="case+punctuation")
    assert found.documents[0].words == 2
    found = api.score(text("a - b", 0), reference=text("a - b", 0), normalize="none")
    assert "|normalize=none|" in found.signatures[0]
    with pytest.raises(UnknownName, match="no normalisation step is named 'upper'"):
        api.score(text("a"), reference=text("a"), normalize="upper")


def test_options_are_parsed_once_when_they_are_made() -> None:
    options = EvaluationOptions(metric=["Boundary", "WiSeBE"], sweep="window_gap=0:1")
    assert [metric.name for metric in options.metrics] == ["Boundary", "WiSeBE"]
    assert options.sweeps == (("window_gap", (0, 1)),)
    assert options.steps == ("least",)
    for none in ("none", ("none",), ["none"], ()):
        assert EvaluationOptions(normalize=none).steps == ()
    for least in ("least", ("least",), ["least"]):
        assert EvaluationOptions(normalize=least).steps == ("least",)
    assert EvaluationOptions(normalize="case+dots").steps == ("case", "dots")
    assert options.resampling == Resampling()
    with pytest.raises(UnknownName, match="there is no metric"):
        EvaluationOptions(metric=())
    with pytest.raises(UnknownName, match="is not a sweep"):
        EvaluationOptions(sweep="window_gap")


def test_bad_numbers_are_reported() -> None:
    with pytest.raises(UnknownName, match="resamples is a whole number"):
        EvaluationOptions(resamples=-1, seed=0)


def test_inputs_are_named_as_briefly_as_tells_them_apart() -> None:
    assert names_of(["a/one.txt", Path("b/two.txt")]) == ("one", "two")
    assert names_of(["x/a/one.txt", "x/b/one.txt"]) == ("a", "b")
    assert names_of(["x/a/nlp", "x/b/nlp"]) == ("a", "b")
    assert names_of(["x/a/nlp", "x/b/nlp", "x/nlp"]) == ("nlp 1", "nlp 2", "nlp 3")
    assert names_of(["one.txt", "one.txt"]) == ("one 1", "one 2")
    assert names_of([text("a"), text("b")]) == ("1", "2")
    assert names_of([text("a")]) == ("1",)
    assert names_of([text("a", id="x"), text("b", id="y")]) == ("x", "y")
