"""The ATENE study on synthetic calls, from start to end."""

from pathlib import Path

import pytest

from caesura.core.errors import FormatError, OutputError
from caesura.core.plugins import find_study as find
from caesura.core.transcript import Span, Transcript
from caesura.detectors.tagging.entity_model import Margins
from caesura_studies.atene import run
from caesura_studies.atene.corpora import read_calls
from caesura_studies.atene.correlations import OTHERS
from caesura_studies.atene.gazetteer import Gazetteer
from caesura_studies.atene.model_cache import ModelCache
from caesura_studies.atene.plan import MAIN
from caesura_studies.report import Outcome
from studies.earnings import CALLS, QUICK, RECOGNISERS, calls, written
from studies.written import report, results

for library in ("pycrfsuite", "scipy"):
    pytest.importorskip(library)


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(calls(tmp_path_factory.mktemp("data")))


@pytest.fixture(scope="module")
def outcome(corpora: Path, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return run(corpora, tmp_path_factory.mktemp("study") / "new", QUICK)


def test_it_is_found_by_its_name() -> None:
    assert find("atene") is run


def test_the_report_has_all_parts_and_figures(outcome: Outcome) -> None:
    text = report(outcome)
    assert all(f"## {number}. " in text for number in range(1, 9))
    drawn = {file.name for file in outcome.files if file.suffix == ".svg"}
    assert drawn == {"correlations.svg", "eter.svg"}
    assert all(f"]({name})" in text for name in drawn)
    assert "nan" not in text


def test_the_report_says_what_its_numbers_rest_on(outcome: Outcome) -> None:
    text = report(outcome)
    assert "ATENE is better without capitals (which no tagger sees here)" in text
    assert "the intervals are based on too few resamples to mean much" in text
    assert "without the worst" in text
    for view in ("all", "names"):
        found = results(outcome)["correlations"][view]
        assert all(f"- {remark}\n" in text for remark in found["remarks"])
        assert found["all"]["WER"]["undefined"] == {}


def test_more_word_errors_are_worse_for_all_measures(outcome: Outcome) -> None:
    found = results(outcome)
    rates = found["data"]["word_error_rates"]
    order = sorted(RECOGNISERS, key=RECOGNISERS.__getitem__)
    assert sorted(rates, key=rates.__getitem__) == order
    eter = found["taggers"]["all"]
    assert set(eter) == {tagger.name for tagger in QUICK.taggers}
    for row in eter.values():
        assert row["reference"] < row["poor"] < row["kaldi-librispeech"]
    for view in ("all", "names"):
        means = found["correlations"][view]["all"]
        assert all(means[title]["value"] > 0.5 for title in ("WER", "NE-WER", "ATENE", MAIN))
        assert set(means[OTHERS]["taggers"]) == set(eter)


def test_every_condition_is_measured(outcome: Outcome) -> None:
    rows = results(outcome)["training"]
    assert [(row["classes"], row["learnt"]) for row in rows] == [
        ("all", "apart"),
        ("names", "apart"),
        ("all", "shared"),
        ("names", "shared"),
        ("three", "apart"),
        ("three", "taggers away"),
        ("three", "ATENE away"),
    ]
    assert len({row["means"][MAIN]["value"] for row in rows}) > 3


def test_a_second_run_learns_nothing_and_writes_the_same(
    corpora: Path, outcome: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = [file.read_bytes() for file in outcome.files]

    def never(*_: object, **__: object) -> None:
        raise AssertionError("trained again")

    for tagger in QUICK.taggers:
        monkeypatch.setattr(type(tagger), "train", never)
    monkeypatch.setattr(Margins, "train", never)
    again = run(corpora, outcome.files[0].parent, QUICK)
    assert [file.read_bytes() for file in again.files] == before


def test_what_was_kept_of_other_texts_or_damaged_is_not_used(tmp_path: Path) -> None:
    cache, told = ModelCache(tmp_path), Transcript(("anna", "went"), entities=(Span(0, 0, "PER"),))
    texts = {"a": ("anna",)}
    first = cache.tagged("x", Gazetteer(), [told], texts)
    assert first == {"a": (Span(0, 0, "PER"),)}
    other = told.replace(entities=(Span(0, 0, "LOC"),))
    assert cache.tagged("x", Gazetteer(), [other], texts) == {"a": (Span(0, 0, "LOC"),)}
    assert cache.tagged("x", Gazetteer(), [other], {"a": ("went",)}) == {"a": ()}
    (file,) = tmp_path.iterdir()
    file.write_bytes(b'{"key": ')
    assert cache.tagged("x", Gazetteer(), [told], texts) == first


def test_without_written_text_or_a_bad_recogniser_the_rest_is_measured(tmp_path: Path) -> None:
    folder = calls(tmp_path / "data", 4, 12)
    for at in range(4):
        (folder / "earnings21/recognisers/kaldi-librispeech" / f"c{at}.nlp").unlink()
    found = run(folder, tmp_path / "out", QUICK)
    rows = results(found)["training"]
    assert {row["learnt"] for row in rows} == {"apart", "shared"}
    assert "there is no folder `ner`" in report(found)
    assert "without kaldi-librispeech" not in report(found)
    assert "without the worst" not in report(found)
    assert "without kaldi-librispeech" not in results(found)["correlations"]["all"]


def test_too_few_calls_or_recognisers_and_a_file_for_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="4 calls with entities, and there are 0"):
        run(tmp_path, tmp_path / "out", QUICK)
    folder = calls(tmp_path / "data", 4, 3)
    for name in list(RECOGNISERS)[2:]:
        (folder / "earnings21" / "recognisers" / name / "c0.nlp").unlink()
    with pytest.raises(FormatError, match="3 recognisers with all calls, and there are 2"):
        run(folder, tmp_path / "out", QUICK)
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError, match="is a file"):
        run(folder, tmp_path / "file", QUICK)


def test_all_calls_are_there(corpora: Path) -> None:
    found = read_calls(corpora)
    assert len(found.references) == CALLS
    assert set(found.recognised) == set(RECOGNISERS)
