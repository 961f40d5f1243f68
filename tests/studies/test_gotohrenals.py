"""The Gotoh and Renals study on synthetic corpora, and on real ones."""

import shutil
from pathlib import Path

import pytest

from caesura.core.errors import FormatError, OutputError
from caesura.core.plugins import find_study as find
from caesura_studies.claims import value
from caesura_studies.gotohrenals import chapter_pauses, run, scoring
from caesura_studies.gotohrenals.corpora import Corpora, coverage, read_corpora
from caesura_studies.gotohrenals.experiment import on_references
from caesura_studies.gotohrenals.systems import MAIN
from caesura_studies.report import Outcome
from studies.calls import CALLS, known_or, timed
from studies.synthetic import put
from studies.written import results

pytestmark = pytest.mark.usefixtures("fewer_resamples")


@pytest.fixture(scope="module")
def outcome(gotoh_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return run(gotoh_data, tmp_path_factory.mktemp("study") / "new" / "folder")


def test_the_report_has_all_parts_and_figures(outcome: Outcome) -> None:
    report = outcome.files[0].read_text(encoding="utf-8")
    assert "Left out" not in report
    assert all(f"## {number}. " in report for number in range(1, 10))
    assert {file.suffix for file in outcome.files} == {".md", ".json", ".svg"}
    drawn = [file.name for file in outcome.files if file.suffix == ".svg"]
    assert len(drawn) == 9
    assert all(f"]({name})" in report for name in drawn)


def test_the_same_data_give_the_same_numbers(
    gotoh_data: Path, outcome: Outcome, tmp_path: Path
) -> None:
    again = run(gotoh_data, tmp_path / "again")
    assert [file.read_bytes() for file in again.files] == [f.read_bytes() for f in outcome.files]


def test_it_is_found_by_its_name() -> None:
    assert find("gotoh-renals") is run


def test_calls_are_split_and_none_is_in_two_parts(gotoh_corpora: Corpora) -> None:
    assert [each.id for each in gotoh_corpora.dev] == ["c3", "c7"]
    assert [each.id for each in gotoh_corpora.tuning] == ["c5"]
    assert [each.id for each in gotoh_corpora.untimed] == ["poor"]
    names = [each.id for each in gotoh_corpora.calls]
    assert sorted(names) == sorted({*names})
    assert len(names) == CALLS + 1


def test_models_never_learn_from_what_they_are_measured_on(gotoh_corpora: Corpora) -> None:
    dev = {each.id for each in gotoh_corpora.dev}
    tuning = {each.id for each in gotoh_corpora.tuning}
    heard = {each.id for each in gotoh_corpora.recognised_references}
    assert not (dev | tuning) & {each.id for each in gotoh_corpora.for_tuning}
    assert not dev & {each.id for each in gotoh_corpora.for_references}
    assert not heard & {each.id for each in gotoh_corpora.for_recognisers}
    assert heard <= {each.id for each in gotoh_corpora.for_references}


def test_detectors_see_only_words_and_reliable_times(gotoh_corpora: Corpora) -> None:
    for each in (
        *gotoh_corpora.for_references,
        *gotoh_corpora.dev,
        *gotoh_corpora.recognised["good"].recordings,
    ):
        assert set(each.layers) <= {"start", "end", "sentences"}
        assert all(word == word.lower() and word.isalpha() for word in each.words)
    assert all(each.start is None for each in gotoh_corpora.untimed)
    assert all(coverage(each) >= 0.8 for each in (*gotoh_corpora.timed, *gotoh_corpora.dev))


def test_recognisers_with_times_are_distinguished_from_those_without(
    gotoh_corpora: Corpora,
) -> None:
    assert list(gotoh_corpora.recognised) == ["good", "silent"]
    assert list(gotoh_corpora.with_times) == ["good"]


def test_boundaries_are_transferred_or_lost(gotoh_corpora: Corpora) -> None:
    source = gotoh_corpora.recognised["good"]
    real = sum(
        scoring.sentence_ends(each)[:-1].sum() for each in gotoh_corpora.recognised_references
    )
    assert source.boundaries + sum(source.lost) == real
    assert 0.05 < source.word_error_rate[0] < 0.3  # type: ignore[operator]


def test_combined_models_beat_words_alone_where_pauses_tell(outcome: Outcome) -> None:
    systems = results(outcome)["systems"]["references"]["systems"]
    values = {
        each["system"]: each["P&R"]["value"]
        for each in systems
        if each["decision"] == "tuned" and each["tuned_for"] == "P&R"
    }
    assert values["A"] > values["language model"]
    assert values["A"] > values["pause model"]


def test_without_recognisers_podcasts_and_text_parts_are_left_out_by_name(
    gotoh_data: Path, tmp_path: Path
) -> None:
    shutil.copytree(gotoh_data / "earnings22", tmp_path / "data" / "earnings22")
    outcome = run(tmp_path / "data", tmp_path / "out")
    report = outcome.files[0].read_text(encoding="utf-8")
    assert "Left out: Word errors" in outcome.text
    for name in ("earnings21/recognisers", "rev16/verbatim", "text-en"):
        assert name in outcome.text
    assert "### references" in report


def test_six_calls_are_enough(gotoh_data: Path, tmp_path: Path) -> None:
    for number in range(6):
        file = Path("earnings22") / "references" / f"c{number}.nlp"
        put(tmp_path / "data" / file, (gotoh_data / file).read_text(encoding="utf-8"))
    made = results(run(tmp_path / "data", tmp_path / "out"))
    assert made["data"]["development_calls"] == ["c3"]
    assert made["data"]["tuning_calls"] == ["c5"]


def test_too_few_calls_with_times_are_one_clear_error(gotoh_data: Path, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="there are 0"):
        run(tmp_path, tmp_path / "out")
    for number in range(4):
        put(tmp_path / "earnings22" / "references" / f"{number}.nlp", timed(number))
    with pytest.raises(FormatError, match="there are 4"):
        run(tmp_path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_file_as_output_is_refused_before_any_work(gotoh_data: Path, tmp_path: Path) -> None:
    put(tmp_path / "out", "mine")
    with pytest.raises(OutputError):
        run(gotoh_data, tmp_path / "out")


def test_on_real_calls_words_and_pauses_together_beat_both(corpora: Path, tmp_path: Path) -> None:
    folder = tmp_path / "data" / "earnings22" / "references"
    folder.mkdir(parents=True)
    calls = sorted((corpora / "earnings22" / "references").glob("*.nlp"))[:30]
    for call in calls:
        (folder / call.name).symlink_to(call.resolve())
    trial = on_references(read_corpora(tmp_path / "data"))
    reached = {
        each.kind: known_or(value(trial.results[each, "f1"].scores, "f1"), 0)
        for each in MAIN["tuned"]
    }
    alone = max(reached["lm"], reached["pause"], reached["threshold"])
    assert min(reached["A"], reached["B"]) > alone + 0.03
    best = trial.thresholds[chapter_pauses.best_threshold(trial)]
    assert known_or(value(best, "f1"), 0) == pytest.approx(0.45, abs=0.05)
