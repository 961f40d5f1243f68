"""The Oba study on synthetic treebanks, and its parts."""

import shutil
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core.errors import FormatError, OutputError
from caesura.core.plugins import find_study as find
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.core.values import Undefined
from caesura.detectors.syntax.crf_svm import CRF
from caesura.detectors.window_stream import Lookahead
from caesura.evaluation.comparison import Difference
from caesura.evaluation.resampling import Resampling
from caesura.metrics.boundary import Boundary
from caesura_studies.claims import value
from caesura_studies.oba import chapter_claims, chapter_delays, chapter_svm_crf, run, scoring
from caesura_studies.oba.corpora import (
    Language,
    detector_input,
    fingerprint,
    inner_boundaries,
    read_corpora,
    speaker_changes,
)
from caesura_studies.oba.experiment import PAIRS, with_detected_sentences
from caesura_studies.oba.model_cache import ModelCache
from caesura_studies.oba.plan import PLAN, REACH
from caesura_studies.oba.scoring import f1, score
from caesura_studies.oba.tuning import analyse, hill_climb
from caesura_studies.report import Outcome
from detectors.trees import SMALL, talk
from studies.synthetic import put
from studies.treebanks import DEV, QUICK, TRAIN, rows, treebanks
from studies.written import report, results

for library in ("pycrfsuite", "scipy", "sklearn"):
    pytest.importorskip(library)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return treebanks(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def outcome(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return run(data, tmp_path_factory.mktemp("study") / "new", QUICK)


def naija(data: Path) -> Language:
    return read_corpora(data, QUICK)[0][0]


def test_it_is_found_by_its_name() -> None:
    assert find("oba") is run


def test_the_report_has_all_parts_figures_and_treebanks(outcome: Outcome) -> None:
    text = report(outcome)
    assert all(f"## {number}. " in text for number in range(1, 8))
    drawn = {file.name for file in outcome.files if file.suffix == ".svg"}
    assert drawn == {"weights.svg", "delays.svg"}
    assert all(f"]({name})" in text for name in drawn)
    assert "Left out: French (Rhapsodie)" in outcome.text
    assert set(results(outcome)["chunking"]) == {"Naija", "Japanese (GSD)"}


def test_systems_are_good_but_not_perfect_and_words_tell_more_than_pauses(
    outcome: Outcome,
) -> None:
    found = results(outcome)["chunking"]["Naija"]["systems"]
    values = {name: each["boundary"]["f1"] for name, each in found.items()}
    assert 0.6 < values["CRF, tuned threshold"] < 1
    assert values["pauses alone"] < values["CRF, tuned threshold"]
    assert values["CRF, Viterbi, with speakers"] > values["pauses alone"]
    settings = results(outcome)["data"]["settings"]["Naija"]
    assert settings["c2"] == max(QUICK.c2, key=lambda c2: settings["by_c2"][f"{c2:g}"])
    weights = results(outcome)["weights"]["Naija"]
    best = max(weights[1:], key=lambda each: each["folds"])
    assert settings["alpha_and_bias"] == [best["alpha"], best["bias"]]
    linked = results(outcome)["dependencies"]["systems"]["Naija"]["systems"]
    reached = linked["SDA+CRF, α and bias tuned"]["boundary"]["f1"]
    assert reached == best["measured"]


def test_a_second_run_uses_the_models_and_gives_the_same_files(
    data: Path, outcome: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = [file.read_bytes() for file in outcome.files]

    def never(*_: object, **__: object) -> CRF:
        raise AssertionError("trained again")

    monkeypatch.setattr(CRF, "train", never)
    again = run(data, outcome.files[0].parent, QUICK)
    assert [file.read_bytes() for file in again.files] == before


def test_models_of_other_recordings_or_settings_are_not_used(data: Path, tmp_path: Path) -> None:
    language, cache = naija(data), ModelCache(tmp_path, 5)
    first = cache.crf("x", language.train, 1.0)
    assert np.array_equal(
        cache.crf("x", language.train, 1.0).state()["keys"], first.state()["keys"]
    )
    fewer = cache.crf("x", language.train[1:], 1.0)
    assert len(fewer.state()["keys"]) < len(first.state()["keys"])
    assert ModelCache(tmp_path, 6).crf("x", language.train, 1.0).iterations == 6
    assert fingerprint(language.train) != fingerprint(language.train[::-1])


def test_a_damaged_model_is_trained_again(data: Path, tmp_path: Path) -> None:
    language, cache = naija(data), ModelCache(tmp_path, 5)
    first = cache.crf("x", language.train, 1.0)
    (tmp_path / "x" / "crf-1" / "arrays.safetensors").write_bytes(b"no model")
    again = cache.crf("x", language.train, 1.0)
    assert np.array_equal(again.state()["weights"], first.state()["weights"])


def test_recordings_have_no_punctuation_and_nothing_gives_ends_away(data: Path) -> None:
    language = naija(data)
    assert (len(language.train), len(language.units)) == (TRAIN, DEV)
    for each in (*language.train, *language.dev):
        assert "." not in each.words
        assert each.speaker is None
        assert set(detector_input(each).layers) <= {"start", "end", "tag", "subtag"}


def test_recordings_with_speakers_are_available(data: Path) -> None:
    with_speakers = naija(data).with_speakers
    assert with_speakers is not None
    for each in with_speakers[1]:
        assert speaker_changes(each).any()
        assert not (speaker_changes(each) & ~inner_boundaries(each)).any()


def test_sentences_that_stand_alone_are_shuffled_into_documents(data: Path) -> None:
    language = read_corpora(data, QUICK)[0][1]
    assert language.shuffled
    assert [len(unit) for unit in language.units] == [QUICK.orders] * len(language.units)
    said = []
    for unit in language.units:
        sentences = [sorted(_sentences(each)) for each in unit]
        assert sentences == [sentences[0]] * QUICK.orders
        assert len(sentences[0]) <= QUICK.size
        said += sentences[0]
    assert any(unit[0] != unit[1] for unit in language.units)
    assert len(said) == 8 * DEV
    assert len({each.id for each in language.first_orders}) == len(language.units)


def _sentences(recording: Transcript) -> list[tuple[str, ...]]:
    assert recording.sentences is not None
    return [recording.words[first : last + 1] for first, last in recording.sentences.sentences]


def test_too_few_recordings_and_no_treebanks_are_said(data: Path, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no treebank"):
        run(tmp_path, tmp_path / "out", QUICK)
    shutil.copytree(data / "ud" / "naija", tmp_path / "ud" / "naija")
    put(tmp_path / "ud" / "naija" / "dev.conllu", rows(talk(1), "one"))
    with pytest.raises(FormatError, match="1 to measure on are too few"):
        run(tmp_path, tmp_path / "out", QUICK)
    assert not (tmp_path / "out").exists()


def test_a_file_as_output_is_refused_before_any_work(data: Path, tmp_path: Path) -> None:
    put(tmp_path / "out", "mine")
    with pytest.raises(OutputError):
        run(data, tmp_path / "out", QUICK)


def test_counts_of_all_orders_are_one_unit(data: Path) -> None:
    language = read_corpora(data, QUICK)[0][1]
    none = [each.replace(sentences=Segmentation.of_gaps(len(each), [])) for each in language.dev]
    found = [*language.dev[:1], *none[1:]]
    scores = score(language, found, Resampling(100), ("boundary",))["boundary"]
    assert len(scores.documents) == len(language.units)
    real = sum(int(inner_boundaries(each).sum()) for each in language.dev)
    right = int(inner_boundaries(language.dev[0]).sum())
    assert value(scores, "recall") == right / real


def test_tests_are_corrected_within_a_measure(data: Path) -> None:
    language = naija(data)
    copies = score(language, language.dev, Resampling(100), ("boundary", "cluster"))
    none = [each.replace(sentences=Segmentation.of_gaps(len(each), [0])) for each in language.dev]
    worse = score(language, none, Resampling(100), ("boundary", "cluster"))
    pairs = (("boundary", "a", "b"), ("boundary", "b", "a"), ("cluster", "a", "b"))
    found = scoring.compare_pairs({"a": copies, "b": worse}, pairs)
    for pair, count in zip(pairs, (2, 2, 1), strict=True):
        row = found[pair]
        assert row.p_randomization is not None
        assert row.p_corrected == pytest.approx(min(1, count * row.p_randomization))


def test_weighing_again_is_what_the_detector_finds() -> None:
    recordings = [talk(seed, 15, timed=True) for seed in range(8)]
    sda = SMALL.adjusted(reach=REACH, ahead=REACH, longest=40).train(recordings[:5])
    seen = analyse(sda.adjusted(alpha=1.0, bias=0.0), recordings[5:])
    for alpha, bias in ((0.0, 0.5), (1.2, 0.0), (2.0, -3.0)):
        chosen = sda.adjusted(alpha=alpha, bias=bias)
        for each in seen:
            whole = chosen.annotate(detector_input(each.transcript))
            ours = each.annotate(alpha, bias)
            assert whole.sentences is not None
            assert np.array_equal(each.found(alpha, bias), whole.sentences.boundary[:-1])
            assert ours == whole.replace(sentences=ours.sentences)
    summed = sda.adjusted(alpha=1.5, bias=0.0, decision="posterior")
    for each in seen:
        found = summed.detect(detector_input(each.transcript)).boundary
        assert np.array_equal(each.probabilities(1.5) > 0.5, found[:-1])
        sentences = each.annotate_above(1.5, 0.5).sentences
        assert sentences is not None
        assert np.array_equal(sentences.boundary, found)


@given(st.integers(-20, 20), st.integers(-20, 20))
def test_climbing_reaches_a_single_top(top: int, start: int) -> None:
    assert hill_climb(lambda at: -abs(at - top / 4), start / 4, (1.0, 0.5, 0.25)) == (top / 4, 0)


def test_climbing_looks_at_no_place_twice() -> None:
    seen: list[float] = []
    hill_climb(lambda at: seen.append(at) or -(at**2), 3.0, (1.0, 0.5))  # type: ignore[func-returns-value]
    assert len(seen) == len(set(seen))


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30))
def test_f1_is_that_of_the_metric(pairs: list[tuple[bool, bool]]) -> None:
    ours, theirs = (np.array(each) for each in zip(*pairs, strict=True))
    words = ("w",) * (len(pairs) + 1)
    one, other = (
        Transcript(words, sentences=Segmentation(np.append(each, True))) for each in (ours, theirs)
    )
    known = Boundary().values(Boundary().count(one, [other]))["f1"]
    assert f1([ours], [theirs]) == pytest.approx(0 if isinstance(known, Undefined) else known)


@pytest.mark.parametrize(("one", "other"), [(0, 0), (3, 5), (0, 8), (10, 2), (700, 900)])
def test_the_sign_test_is_the_sum_over_all_splits(one: int, other: int) -> None:
    count = one + other
    as_far = [at for at in range(count + 1) if abs(2 * at - count) >= abs(one - other)]
    expected = sum(comb(count, at) for at in as_far) / 2**count
    assert chapter_svm_crf.sign_test(one, other) == pytest.approx(expected)
    assert chapter_svm_crf.sign_test(one, other) == chapter_svm_crf.sign_test(other, one)


def test_gaps_are_classed_by_what_lies_around_them() -> None:
    recording = talk(3, 4, timed=True)
    found = chapter_svm_crf.classes_of(recording)
    assert {len(each) for each in found.values()} == {len(recording) - 1}
    since = 0
    assert recording.tag is not None
    for at in range(len(recording) - 1):
        since += 1
        names = ("1 to 3", "4 to 7", "8 to 15", "16 and more")
        least = sum(since >= limit for limit in (4, 8, 16))
        assert found["words since the last boundary"][at] == names[least]
        assert found["word after"][at] == recording.tag[at + 1]
        pause = recording.pauses()[at]
        shown = sum(pause >= limit for limit in (0.05, 0.2, 0.5))
        assert found["pause"][at] == chapter_svm_crf.PAUSES[shown][1]
        if inner_boundaries(recording)[at]:
            since = 0


def difference(low: float, high: float, p: float) -> Difference:
    return Difference("Dependency()", "f1", 0, 1, (low + high) / 2, (low, high), p, p, p)


def test_not_below_takes_a_narrow_interval_or_a_gain() -> None:
    assert chapter_claims.not_below(difference(-0.01, 0.01, 0.8)) == 1
    assert chapter_claims.not_below(difference(0.01, 0.05, 0.01)) == 1
    assert chapter_claims.not_below(difference(-0.05, 0.06, 0.8)) == 0
    assert chapter_claims.not_below(difference(-0.015, -0.005, 0.01)) == -1


def test_a_mark_is_reached_from_its_own_digits_on() -> None:
    assert chapter_claims.Expectation("x", "y", 0.715, 0.7146).reached
    assert not chapter_claims.Expectation("x", "y", 0.715, 0.7144).reached
    assert not chapter_claims.Expectation("x", "y", 0.715, Undefined("none")).reached
    assert chapter_claims.Expectation("x", "y", 0.715, 0.7).verdict == "missed (-0.015)"


def test_every_pair_of_a_claim_is_tested(outcome: Outcome) -> None:
    decided = results(outcome)["claims"]
    found = [*decided["claims"], *decided["additions"]]
    assert len(found) == len(PAIRS)
    assert all(len(each["signs"]) == 2 for each in found)


def test_streams_that_wait_long_find_what_the_whole_recording_gives(data: Path) -> None:
    language = naija(data)
    crf = CRF(c2=0.1, iterations=25).train(language.train)
    point = [
        chapter_delays.stream_recording(Lookahead(crf, 200), detector_input(each))
        for each in language.first_orders
    ]
    whole = with_detected_sentences(crf, language.first_orders)
    for ours, theirs in zip(point, whole, strict=True):
        assert ours.sentences is not None
        assert theirs.sentences is not None
        assert np.array_equal(ours.sentences.boundary, theirs.sentences.boundary)


def test_on_a_real_treebank_the_crf_reaches_what_is_known(corpora: Path, tmp_path: Path) -> None:
    folder = tmp_path / "ud" / "french-rhapsodie"
    folder.parent.mkdir(parents=True)
    folder.symlink_to((corpora / "ud" / "french-rhapsodie").resolve())
    (language,), _ = read_corpora(tmp_path, PLAN)
    crf = CRF(c2=5.0).train(language.train).adjusted(bias=1.0)
    scores = score(
        language, with_detected_sentences(crf, language.dev), Resampling(100), ("boundary",)
    )
    reached = value(scores["boundary"], "f1")
    assert not isinstance(reached, Undefined)
    assert reached == pytest.approx(0.68, abs=0.015)
