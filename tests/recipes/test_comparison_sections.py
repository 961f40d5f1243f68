"""The sections on marks and capitals, on more evidence, and on delay."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from recipes.compare_models import Run
from recipes.comparison_data import Corpus, Task
from recipes.comparison_delay import (
    delay_section,
    delayed,
    encoder_decisions,
    log_odds_so_far,
    sample,
    streamed,
    streams_at_fixed_distance,
    with_delay,
)
from recipes.comparison_evidence import Added, added, additions, evidence_section, verdict
from recipes.comparison_found import written
from recipes.comparison_marks import marks_result, marks_section, restoration_scores
from recipes.comparison_scores import boundary_scores
from recipes.comparison_systems import System

import caesura
from caesura.core.protocols import Detector
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.core.values import Undefined
from caesura.detectors.neural.encoder import LOOKAHEADS, Encoder
from caesura.detectors.pause import Pause
from caesura.formats.in_memory import Sentences
from caesura.testing.detector_laws import made_up_recording
from detectors.small_encoder import small_encoder
from detectors.small_fast_net import small_fast_net

CALLS = 8
"""Recordings enough for a significant difference."""


def text(*sentences: str, id: str = "a") -> Transcript:
    (read,) = caesura.read(Sentences(list(sentences)))
    return read.replace(id=id)


def calls() -> list[Transcript]:
    ids = map(str, range(CALLS))
    return [text("Well, it rains in Rome.", "Is Ann there?", "Yes.", id=id) for id in ids]


def timed(recording: Transcript) -> Transcript:
    start = np.arange(len(recording)) * 0.5
    return recording.replace(start=start, end=start + 0.25, speaker=("A",) * len(recording))


def corpus(*inputs: str, name: str = "earnings22") -> Corpus:
    return Corpus(name, "calls", lambda _: list(map(timed, calls())), inputs)


def restoring(name: str, label: Sequence[str] | None, words: Sequence[str] | None) -> System:
    """Return a system that finds two boundaries and says these marks and words."""

    def detect(recordings: Sequence[Transcript]) -> list[Segmentation]:
        gaps = [Segmentation.of_gaps(len(each), [4, 7, 8]).boundary for each in recordings]
        labels = None if label is None else tuple(label)
        cased = None if words is None else tuple(words)
        return [Segmentation(each, labels, written=cased) for each in gaps]

    return System(name, f"key of {name}", detect)


RIGHT = restoring(
    "right",
    [",", "", "", "", ".", "", "", "?", "."],
    "well it rains in Rome is Ann there yes".split(),
)
NO_NAMES = restoring("no names", ["", "", "", "", ".", "", "", ".", "."], None)
BARE = restoring("bare", None, None)


# Marks and capitals


def test_labels_and_written_words_are_kept(tmp_path: Path) -> None:
    (task,) = corpus("words").tasks(tmp_path)
    (first, *_) = written(RIGHT, task, tmp_path)
    assert first == RIGHT.detect(task.given)[0]
    gone = System("right", "key of right", lambda _: pytest.fail("it was kept"))
    assert written(gone, task, tmp_path)[0] == first
    assert written(BARE, task, tmp_path)[0] == BARE.detect(task.given)[0]


def test_marks_and_capitals_are_those_of_the_metric(tmp_path: Path) -> None:
    (task,) = corpus("words").tasks(tmp_path)
    scores = restoration_scores(task, calls(), [RIGHT, NO_NAMES, BARE], tmp_path)
    assert list(scores) == ["right", "no names"]
    right, other = (scores[name]["Restoration"] for name in scores)
    names = ("f1", "comma_f1", "period_f1", "question_f1", "case_accuracy", "capitals_f1")
    assert [right[name] for name in names] == [1.0] * 6
    # Of four marks in the reference two are found, and the question mark is a full stop.
    assert other["f1"] == pytest.approx(2 * 2 / (4 + 3))
    assert other["case_accuracy"] == pytest.approx(7 / 9)
    assert isinstance(other["capitals_f1"], Undefined) or other["capitals_f1"] == 0


def test_a_capital_after_a_false_boundary_is_spurious(tmp_path: Path) -> None:
    """Sentences, whose first words do not count, are those of the reference."""
    (task,) = corpus("words").tasks(tmp_path)

    def detect(recordings: Sequence[Transcript]) -> list[Segmentation]:
        gaps = [Segmentation.of_gaps(len(each), [1, 4, 7, 8]).boundary for each in recordings]
        return [Segmentation(each, None, written=task.given[0].words) for each in gaps]

    (scores,) = restoration_scores(task, calls(), [System("split", "k", detect)], tmp_path).values()
    values = scores["Restoration"]
    assert [values[f"capitals_{name}"] for name in ("right", "missing", "spurious")] == [
        0,
        2 * CALLS,
        CALLS,
    ]
    assert (values["inner_capitals_spurious"], values["inner_capitals_missing"]) == (0, 2 * CALLS)


def test_the_section_on_marks_has_a_table_for_each_input(tmp_path: Path) -> None:
    tasks = corpus("words", "words, times").tasks(tmp_path)
    results = [marks_result(one, calls(), [RIGHT, NO_NAMES], tmp_path) for one in tasks]
    made = marks_section(results)
    assert made.startswith("## Marks and capitals\n\nThe words of 8 recordings of earnings22 (72 w")
    for line in (
        "| words | marks | `,` | `.` | `?` | case | capitals | inner capitals |",
        "| words, times | marks | `,` | `.` | `?` | case | capitals | inner capitals |",
        "| right | **1.000** [1.000, 1.000] |",
        "| no names | .571 [.571, .571] |",
    ):
        assert line in made
    assert marks_section([]) == ""


# More evidence


def test_additions_are_one_kind_of_evidence() -> None:
    assert list(additions(["words", "words, times", "words, times, speakers"])) == [
        ("words", "words, times", "times"),
        ("words, times", "words, times, speakers", "speakers"),
    ]
    assert list(additions(["words", "words, speakers"])) == [
        ("words", "words, speakers", "speakers")
    ]
    assert list(additions(["words", "words, marks", "words, capitals", "original text"])) == [
        ("words", "words, marks", "marks"),
        ("words", "words, capitals", "capitals"),
        ("words, marks", "original text", "capitals"),
        ("words, capitals", "original text", "marks"),
    ]
    assert list(additions(["original text"])) == []
    assert list(additions(["words"])) == []


def gaining(name: str, alone: list[int], with_times: list[int], seen: bool = False) -> System:
    def detect(recordings: Sequence[Transcript]) -> list[Segmentation]:
        gaps = alone if recordings[0].start is None else with_times
        return [Segmentation.of_gaps(len(each), [*gaps, len(each) - 1]) for each in recordings]

    return System(name, name, detect, data=({"name": "earnings22"},) if seen else ())


def test_each_addition_is_tested(tmp_path: Path) -> None:
    systems = [
        gaining("gains", [4], [4, 7]),
        gaining("loses", [4, 7], [4]),
        gaining("same", [4, 7], [4, 7], seen=True),
        gaining("none", [], [4]),
    ]
    tasks = corpus("words", "words, times").tasks(tmp_path)
    scores = {one.input: boundary_scores(one, systems, tmp_path) for one in tasks}
    rows = added("earnings22", scores, systems)
    assert [row.system for row in rows] == ["gains", "loses", "same"]
    gains, _, same = rows
    assert (gains.input, gains.kind, gains.after) == ("words", "times", 1.0)
    assert gains.before == pytest.approx(2 / 3)
    assert [row.hurts for row in rows] == [False, True, False]
    assert gains.p is not None
    assert gains.p < 0.05
    assert same.was_seen
    assert all(row.testable for row in rows)


def test_the_section_on_evidence_says_what_hurts() -> None:
    better = Added("en", "calls", "words", "times", 0.7, 0.75, 0.001)
    lower = Added("en", "talks", "words", "times", 0.7, 0.699, 0.4)
    worse = Added("en-sda", "talks", "words, times", "speakers", 0.5, 0.45, 0.008)
    seen = Added("en-sda", "calls", "words", "times", 0.6, 0.5, 0.001, was_seen=True)
    few = Added("en", "two", "words", "speakers", 0.6, 0.5, 0.5, testable=False)
    made = evidence_section([better, worse, lower])
    assert made.index("en, talks") < made.index("en-sda, talks")
    for line in (
        "| en, calls: words + times | .700 | .750 | +.050 | .001 |",
        "| en-sda, talks: words, times + speakers | .500 | .450 | −.050 | .008 |",
        "In 1 of 3 cases F1 gets significantly lower (p < .05: en-sda, speakers on talks), and in "
        "1 more it gets lower, but not significantly.",
    ):
        assert line in made
    assert verdict([better]) == "In none of 1 cases F1 gets significantly lower (p < .05)."
    assert verdict([better, seen, few]).endswith(
        "Not counted: two, with too few recordings for a test; rows with †."
    )
    assert evidence_section([]) == ""


# Delay


def talk(seed: int, count: int) -> Transcript:
    made = made_up_recording(seed, count)
    return Transcript(made.words, start=made.start, end=made.end, id=str(seed))


def undecided_encoder(recording: Transcript, ahead: int) -> Encoder:
    """Return an encoder that takes half of the gaps for boundaries at this look-ahead."""
    detector = small_encoder(ahead=ahead)
    words = range(ahead, len(recording))
    odds = [log_odds_so_far(detector, recording[: at + 1])[-1 - ahead] for at in words]
    return detector.adjusted(bias=-float(np.median(odds)))


@pytest.mark.parametrize("ahead", LOOKAHEADS[1:])
def test_an_encoder_decides_as_its_stream_does(ahead: int) -> None:
    recording = talk(5, 90)
    detector = undecided_encoder(recording, ahead)
    every = encoder_decisions(detector, recording)
    assert list(every) == list(LOOKAHEADS)
    ours, theirs = every[ahead], streamed(detector, recording)
    if ahead < max(LOOKAHEADS):
        # Later gaps see more words before them than in a stream of their own.
        ours, theirs = ([gap for gap in ends if gap <= 32] for ends in (ours, theirs))
    assert ours == theirs
    assert 5 < len(ours) < 80


def test_without_look_ahead_the_head_decides() -> None:
    detector = small_encoder(bias=-100.0)
    recording = talk(5, 20)
    assert encoder_decisions(detector, recording)[0] == []


@pytest.mark.parametrize("ahead", [1, 3])
def test_delays_are_those_of_a_stream(ahead: int) -> None:
    recording = talk(5, 60)
    stream = undecided_encoder(recording, ahead).stream()
    sentences = [*stream.push(recording), *stream.close()]
    gaps = np.cumsum([len(each) for each in sentences]) - 1
    shown = with_delay(recording, gaps.tolist(), ahead)
    assert shown.sentences is not None
    assert shown.evidence is not None
    written = [(each.evidence or {})["delay_seconds"][-1] for each in sentences]
    assert shown.evidence["delay_seconds"][gaps] == pytest.approx(np.array(written), nan_ok=True)
    assert with_delay(recording, [], None).evidence is None


def stored(name: str, detector: Detector) -> System:
    def detect(recordings: Sequence[Transcript]) -> list[Segmentation]:
        return [detector.detect(each) for each in recordings]

    return System(name, name, detect, detector=detector)


def with_sentences(recording: Transcript) -> Transcript:
    gaps = range(5, len(recording), 6)
    return recording.replace(sentences=Segmentation.of_gaps(len(recording), gaps))


def test_streams_are_scored_at_each_look_ahead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recipes.comparison_delay.WORDS", 60)
    recordings = tuple(with_sentences(talk(seed, 50)) for seed in range(4))
    whole = Task("earnings22", "words, times", recordings)
    task = sample(whole)
    assert [len(each) for each in task.recordings] == [20, 20, 20]
    encoder = small_encoder(bias=0.5)
    systems = [stored("en", encoder), stored("en-fast", small_fast_net())]
    assert all(map(streams_at_fixed_distance, systems))
    assert not streams_at_fixed_distance(stored("pause", Pause()))
    assert not streams_at_fixed_distance(RIGHT)
    bare = Task("rev16", "words", tuple(each.only(("sentences",)) for each in task.recordings[:1]))
    rows = [row for one in systems for part in (task, bare) for row in delayed(part, one, tmp_path)]
    places = [(row.system, row.ahead) for row in rows if row.task == "rev16: words"]
    assert places == [*(("en", k) for k in (*LOOKAHEADS, None)), ("en-fast", 3), ("en-fast", None)]
    assert all(isinstance(row.seconds, Undefined) for row in rows if row.task == "rev16: words")
    waits = [row.seconds for row in rows if row.system == "en" and row.task != "rev16: words"]
    assert waits[0] == 0
    assert isinstance(waits[-1], Undefined)
    kept = {file.name for file in (tmp_path / "found").iterdir()}
    assert len(kept) == 2 * (3 + 1 + 2)
    made = delay_section(rows, [task, bare])
    head = "|  | look-ahead (words) | earnings22: words, times | seconds | rev16: words |"
    assert head in made
    assert "20 of each of 3 recordings of earnings22, 20 of one recording of rev16" in made
    assert "| en | 5 |" in made
    assert "| en-fast | all |" in made
    assert delay_section([], []) == ""


def test_a_run_has_the_sections_that_are_wanted(tmp_path: Path) -> None:
    corpora = [corpus("words", "words, times"), corpus("words", name="talks")]
    made = Run(tmp_path, tmp_path, [RIGHT, BARE], corpora, ["marks"]).text({})
    assert "## Marks and capitals" in made
    assert "## Summary" not in made
    made = Run(tmp_path, tmp_path, [RIGHT], corpora[1:], ["boundaries", "marks", "delay"]).text({})
    assert "## Marks" not in made
    assert "## Delay" not in made
    assert "| talks: words | – | **1.000** |" in made
    shipped = gaining("en", [4], [4, 7])
    made = Run(tmp_path, tmp_path, [shipped, RIGHT], corpora, ["evidence"]).text({})
    assert "| en, earnings22: words + times | .667 | 1.000 | +.333 | .008 |" in made
