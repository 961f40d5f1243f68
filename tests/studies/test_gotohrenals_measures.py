"""How the Gotoh and Renals study tunes, scores and tests claims."""

import numpy as np
import pytest

from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.evaluation.comparison import Difference
from caesura.training.search import GOALS
from caesura_studies import claims
from caesura_studies.claims import Claim, better_system, find_test, value
from caesura_studies.gotohrenals import chapter_claims, chapter_word_errors, scoring
from caesura_studies.gotohrenals.chapter_pauses import Rise
from caesura_studies.gotohrenals.chapter_word_errors import Points
from caesura_studies.gotohrenals.corpora import Corpora, take_share
from caesura_studies.gotohrenals.experiment import on_recognised, on_references
from caesura_studies.gotohrenals.scoring import Source, rate, verdict
from caesura_studies.gotohrenals.systems import (
    MAIN,
    THRESHOLDS,
    Candidate,
    Models,
    Run,
    System,
    candidates,
    tune,
)
from studies.calls import known_or

pytestmark = pytest.mark.usefixtures("fewer_resamples")


def test_lost_boundaries_count_as_missing() -> None:
    reference = Transcript(tuple("abcd"), id="x", sentences=Segmentation.of_gaps(4, [1]))
    source = Source("x", (reference,), (2,), (0,), (4,))
    assert reference.sentences is not None
    scores = source.scores([reference.sentences])
    assert value(scores, "recall") == 1 / 3
    assert value(scores, "precision") == 1
    assert value(scores, "ser") == 2 / 3


def test_the_last_gap_of_a_recording_is_not_scored() -> None:
    reference = Transcript(tuple("ab"), id="x", sentences=Segmentation.of_gaps(2, [0]))
    source = Source.of_references("x", [reference])
    scores = source.scores([Segmentation(np.array([False, True]))])
    assert value(scores, "ser") == 1.0


def test_a_rate_comes_from_sums() -> None:
    found, around = rate([1, 3], [2, 10])
    assert found == 4 / 12
    assert isinstance(around, tuple)
    assert around[0] <= 4 / 12 <= around[1]


def test_tuning_finds_the_best_of_all_settings(gotoh_corpora: Corpora) -> None:
    source = Source.of_references("x", gotoh_corpora.tuning)
    at_work = Run(Models.of(gotoh_corpora.for_tuning, gotoh_corpora.training), source)
    for goal in GOALS:
        sign = claims.GOALS[goal]
        choice = tune(at_work, System("threshold", "direct"), goal)
        every = [source.scores(at_work.detect(each)) for each in candidates("threshold")]
        values = [sign * known_or(value(each, goal), -sign * 9) for each in every]
        assert choice.candidate.setting == THRESHOLDS[int(np.argmax(values))]
        assert choice.threshold is None


def test_a_tuned_threshold_does_at_least_as_well_where_it_was_tuned(gotoh_corpora: Corpora) -> None:
    source = Source.of_references("x", gotoh_corpora.tuning)
    at_work = Run(Models.of(gotoh_corpora.for_tuning, gotoh_corpora.training), source)
    for goal in GOALS:
        direct, by_threshold = (
            value(at_work.scores(tune(at_work, system, goal)), goal)
            for system in (System("pause", "direct"), System("pause", "tuned"))
        )
        sign = claims.GOALS[goal]
        assert sign * known_or(by_threshold, -9) >= sign * known_or(direct, -9)


def test_a_threshold_finds_the_pauses_that_are_as_long(gotoh_corpora: Corpora) -> None:
    at_work = Run(
        Models.of(gotoh_corpora.for_tuning, gotoh_corpora.training),
        Source.of_references("x", gotoh_corpora.dev),
    )
    for seconds in (0.2, 0.5):
        for call, made in zip(
            gotoh_corpora.dev, at_work.detect(Candidate("threshold", setting=seconds)), strict=False
        ):
            pause = np.nan_to_num(call.pauses()[:-1], nan=-1)
            assert (made.boundary[:-1] == (pause >= seconds - 0.0005)).all()


def test_settings_of_each_half_come_from_the_other(gotoh_corpora: Corpora) -> None:
    source = gotoh_corpora.recognised["good"]
    models = Models.of(gotoh_corpora.for_recognisers, gotoh_corpora.timed)
    trial = on_recognised(source, models)
    system = System("threshold", "direct")
    first, second = (
        tune(Run(models, source.half(half)), system, "f1").candidate for half in (0, 1)
    )
    assert [each.candidate for each in trial.results[system, "f1"].choices] == [first, second]
    ids = [each.id for each in trial.results[system, "f1"].scores.documents]
    assert ids == [each.id for each in source.recordings]
    assert trial.own
    assert not on_references(gotoh_corpora).own


def test_probabilities_by_pause_are_shares(gotoh_corpora: Corpora) -> None:
    rise = Rise.of(Source.of_references("x", gotoh_corpora.timed))
    gaps = np.concatenate([each.pauses()[:-1] for each in gotoh_corpora.timed])
    is_end = np.concatenate([scoring.sentence_ends(each)[:-1] for each in gotoh_corpora.timed])
    here = np.abs(gaps - 0.2) < 0.0495
    share = float(rise.points[0.2])  # type: ignore[arg-type]
    assert share == pytest.approx(is_end[here].mean(), abs=0.02)
    assert share < rise.points[0.6]  # type: ignore[operator]
    assert rise.points[0.6] == 1.0


def test_a_line_is_distinguished_from_a_curve() -> None:
    def points(heights: list[float]) -> Points:
        return Points({"r": {f"c{i}": (i / 10, y) for i, y in enumerate(heights)}})

    straight = points([0.6 - 0.03 * i for i in range(10)])
    curved = points([0.6 - 0.02 * (i - 3) ** 2 for i in range(10)])
    rising = points([0.2 + 0.03 * i for i in range(10)])
    assert straight.line == pytest.approx((-0.3, 0.6))
    assert straight.falls_straight
    assert not curved.falls_straight
    assert not rising.falls_straight


def test_a_test_is_found_either_way_round(gotoh_corpora: Corpora) -> None:
    tests = on_references(gotoh_corpora).tests["tuned"]
    one = find_test(tests, "f1", "A", "language model")
    other = find_test(tests, "f1", "language model", "A")
    assert one.difference == -other.difference  # type: ignore[operator]
    assert better_system(one) == -better_system(other)
    assert {name for _, name, _ in tests} <= {each.title for each in MAIN["tuned"]}
    assert "A" in verdict(one, "A", "language model")


@pytest.mark.parametrize(
    ("signs", "said"),
    [
        ((1, 1), "holds"),
        ((-1, -1), "refuted"),
        ((0, 0), "open"),
        ((1, 0), "holds in part"),
        ((0, -1), "does not hold"),
        ((), "not tested"),
    ],
)
def test_claims_are_decided_by_numbers(signs: tuple[int, ...], said: str) -> None:
    assert Claim("x", signs, ()).verdict == said


def difference(value: float, low: float, high: float, p: float) -> Difference:
    return Difference("Boundary()", "f1", 0, 1, value, (low, high), p, p, p)


@pytest.mark.parametrize(
    ("row", "as_well", "no_gain"),
    [
        (difference(0.001, -0.005, 0.006, 0.7), 1, 1),
        (difference(0.001, -0.05, 0.06, 0.7), 0, 0),
        (difference(-0.03, -0.06, 0.01, 0.2), 0, 1),
        (difference(0.03, 0.02, 0.04, 0.01), -1, -1),
        (difference(-0.03, -0.04, -0.02, 0.01), -1, 1),
        (Difference("Boundary()", "f1", 0, 1, undefined="nothing"), 0, 0),
    ],
)
def test_chance_alone_does_not_make_systems_equal(
    row: Difference, as_well: int, no_gain: int
) -> None:
    assert chapter_claims._as_well(row) == as_well
    assert chapter_claims._no_gain(row) == no_gain


def test_the_worst_recogniser_is_left_out_to_see_whether_it_decides_alone() -> None:
    good = {f"c{i}": (0.1 + i / 100, 0.5) for i in range(5)}
    bad = {f"c{i}": (0.6 + i / 100, 0.2) for i in range(5)}
    points = Points({"good": good, "bad": bad})
    assert points.worst == "bad"
    assert set(chapter_word_errors.with_and_without_worst({"lm": points})) == {
        "language model",
        "language model, without bad",
    }
    assert points.falls_straight
    assert not points.without_worst().falls_straight


def test_a_share_of_text_has_so_many_words_of_each_file() -> None:
    text = {"a": [Transcript(("x",) * 10), Transcript(("y",) * 10)], "b": [Transcript(("z",) * 4)]}
    assert [len(each) for each in take_share(text, 0.75)] == [10, 5, 3]
