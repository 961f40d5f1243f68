"""The WiSeBE study on synthetic corpora, and on real ones."""

import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from caesura.core.errors import FormatError, MismatchError, OutputError, UnknownName
from caesura.core.plugins import find_study as find
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.core.values import Undefined
from caesura.evaluation.document import ScoringSettings
from caesura.evaluation.resampling import Resampling
from caesura.evaluation.scores import score_recordings
from caesura.formats.files import read_file
from caesura_studies.report import Outcome
from caesura_studies.wisebe import chapter_agreement, chapter_claims, chapter_video, run
from caesura_studies.wisebe.chapter_agreement import CORPORA, CorpusAgreement
from caesura_studies.wisebe.paper import MEAN_F1
from caesura_studies.wisebe.system_pairs import METRICS, SystemPair, disagree, winner
from caesura_studies.wisebe.systems import train_systems
from studies import synthetic
from studies.written import report, results


@pytest.fixture(scope="module", autouse=True)
def fewer_resamples() -> Iterator[None]:
    """Resample less often than the study does, and train no nets."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (chapter_agreement, chapter_claims, chapter_video):
            patch.setattr(module, "RESAMPLING", Resampling(100))
        patch.setitem(sys.modules, "torch", None)  # test_wisebe_nets.py has the nets
        yield


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return synthetic.corpora(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def outcome(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return run(data, tmp_path_factory.mktemp("study") / "new" / "folder")


def test_the_report_has_all_parts_and_nothing_left_out(outcome: Outcome) -> None:
    for title in ("## In short", "## 1. ", "## 6. ", "### rev16", "### Every two systems"):
        assert title in report(outcome)
    assert outcome.text.count("Left out") == 1
    assert "Left out: The paper's systems, trained again (training them needs torch" in outcome.text
    assert outcome.text.splitlines()[2] in report(outcome)
    assert set(results(outcome)) == {
        *("video", "tables", "coraal-multi", "rev16", "systems", "nets", "claims", "caesura")
    }


def test_agreement_is_what_counting_by_hand_gives(data: Path, outcome: Outcome) -> None:
    """The transcribers share all words, so that boundaries can be compared place by place."""
    names = ("amberscript", "coraal", "rev", "rev_aa")
    shared = possible = 0
    for file in sorted((data / "coraal-multi" / "rev" / "nlp").glob("*.nlp")):
        texts = [
            next(read_file(data / "coraal-multi" / name / "nlp" / file.name)) for name in names
        ]
        columns = [t.sentences.boundary[:-1].tolist() for t in texts if t.sentences is not None]
        for votes in map(sum, zip(*columns, strict=True)):
            shared += votes if votes > 1 else 0
            possible += 4 if votes else 0
    found = results(outcome)["coraal-multi"]
    right = pytest.approx(shared / possible, abs=1e-12)
    assert found["scores"]["scores"][0]["values"]["agreement_ratio"] == right
    assert [each["agreement_ratio"] for each in found["on_words_of"].values()] == [right] * 4


def test_a_system_is_scored_as_counting_by_hand_gives(data: Path, outcome: Outcome) -> None:
    system = train_systems(data)["calls"]
    right = total = 0
    for file in sorted((data / "rev16" / "nonverbatim").glob("*.nlp")):
        (text,) = read_file(file)
        assert text.sentences is not None
        ours = set(system.detect(text.words).gaps.tolist()) - {len(text) - 1}
        theirs = set(text.sentences.gaps.tolist()) - {len(text) - 1}
        right, total = right + len(ours & theirs), total + len(ours) + len(theirs)
    found = results(outcome)["systems"]["rev16"]["judges"]["nonverbatim"]
    assert found["values"][1] == pytest.approx(2 * right / total, abs=1e-12)
    low, high = found["test"]["interval"]
    assert low <= found["values"][0] - found["values"][1] <= high


@pytest.mark.parametrize(("corpus", "recordings"), [("coraal-multi", 4), ("rev16", 3)])
def test_the_system_with_the_better_teacher_wins(
    outcome: Outcome, corpus: str, recordings: int
) -> None:
    """S1 learnt from all sentence ends, S2 only from those after adverbs."""
    found = results(outcome)["systems"][corpus]
    assert found["pair"] == ["court", "calls"]
    for judge in found["judges"].values():
        assert judge["values"][0] > judge["values"][1] + 0.1
        assert judge["test"]["difference"] > 0.1
        assert judge["winners"] == ["S1"] * recordings
    assert found["pairs"][0]["turned"] is False
    assert found["pairs"][0]["disputed"] == 0
    assert re.search(rf"\n\| S1 : S2 +(\| +{recordings} : 0 )+\|\n", report(outcome))


def test_ties_and_what_is_undefined_take_no_side() -> None:
    unknown = Undefined("no boundary")
    assert [winner(0.2, 0.1), winner(0.1, 0.2), winner(0.1, 0.1)] == ["S1", "S2", ""]
    assert [winner(unknown, 0.1), winner(0.1, unknown)] == ["", ""]
    assert disagree("S1", "", "S2")
    assert not disagree("S1", "", "S1")
    assert not disagree("", "")


WORDS = tuple("abcdefgh")
Gaps = frozenset[int]
gaps = st.frozensets(st.integers(0, len(WORDS) - 2))


def gaps_of(*places: int) -> Gaps:
    return frozenset(places)


def texts(*recordings: Gaps) -> list[Transcript]:
    made = [Segmentation.of_gaps(len(WORDS), each) for each in recordings]
    return [Transcript(WORDS, id=f"r{i}", sentences=each) for i, each in enumerate(made)]


def better(ours: list[Gaps], theirs: list[Gaps], reference: list[Gaps]) -> str:
    """Return the winner by F1 in exact fractions, '' without one."""
    f1 = []
    for system in (ours, theirs):
        both = sum(len(a & b) for a, b in zip(system, reference, strict=True))
        sizes = [sum(map(len, system)), sum(map(len, reference))]
        f1.append(Fraction(2 * both, sum(sizes)) if all(sizes) else None)
    if f1[0] is None or f1[1] is None or f1[0] == f1[1]:
        return ""
    return "S1" if f1[0] > f1[1] else "S2"


@given(st.lists(st.tuples(gaps, gaps, gaps, gaps), min_size=1, max_size=3))
@example([(gaps_of(), gaps_of(0, 1, 3), gaps_of(0, 2), gaps_of()), (gaps_of(0, 1),) * 4])
def test_winners_are_those_of_exact_fractions(rows: list[tuple[Gaps, Gaps, Gaps, Gaps]]) -> None:
    ours, theirs, *references = (list(column) for column in zip(*rows, strict=True))
    known = [texts(*each) for each in references]
    one, other = (
        score_recordings(texts(*each), known, METRICS, ScoringSettings((), False))
        for each in (ours, theirs)
    )
    system_pair = SystemPair(("a", "b"), ("x", "y"), (one, other))
    over_all = [better(ours, theirs, each) for each in references]
    assert [winner(*system_pair.values(name)) for name in "ab"] == over_all
    assert system_pair.changes_with_reference == (set(over_all) == {"S1", "S2"})
    for i, disputed in enumerate(system_pair.disputed):
        single = [better([ours[i]], [theirs[i]], [each[i]]) for each in references]
        assert [system_pair.winners(name)[i] for name in "ab"] == single
        assert disputed == (set(single) == {"S1", "S2"})
    sides = {winner(*system_pair.values("WiSeBE")), winner(*system_pair.values(MEAN_F1))}
    assert system_pair.contradicts_mean_f1("WiSeBE") == (sides == {"S1", "S2"})


def test_the_same_data_give_the_same_bytes(data: Path, outcome: Outcome, tmp_path: Path) -> None:
    again = run(data, tmp_path)
    assert [file.name for file in again.files] == [file.name for file in outcome.files]
    for one, other in zip(again.files, outcome.files, strict=True):
        assert one.read_bytes() == other.read_bytes()


def test_figures_are_drawn_or_named_as_left_out(
    data: Path, outcome: Outcome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    drawn = [file for file in outcome.files if file.suffix == ".svg"]
    assert len(drawn) == 3
    for file in drawn:
        assert file.read_bytes().startswith(b"<?xml")
        assert f"]({file.name})" in report(outcome)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    without = run(part_of(data, tmp_path, "wisebe"), tmp_path / "out")
    assert {file.name for file in without.files} == {"report.md", "results.json"}
    assert "pip install 'caesura[plot]'" in without.text
    assert ".svg" not in report(without)


def part_of(data: Path, folder: Path, *names: str) -> Path:
    part = folder / "part"
    for name in names:
        shutil.copytree(data / name, part / name)
    return part


def test_parts_without_their_corpora_are_named(data: Path, tmp_path: Path) -> None:
    found = run(part_of(data, tmp_path, "rev16"), tmp_path / "out")
    assert "Left out: The paper's video v6 (there is no folder wisebe/)" in found.text
    assert "Left out: coraal-multi (there is no folder coraal-multi/)" in found.text
    assert "text-en/scotus.txt and no earnings22/references" in found.text
    assert "rev16 (3 podcast episodes, 2 transcripts)" in found.text


def test_a_corpus_in_pieces_is_named(data: Path, tmp_path: Path) -> None:
    part = part_of(data, tmp_path, "rev16")
    (part / "coraal-multi" / "rev" / "nlp").mkdir(parents=True)
    (part / "wisebe" / "references").mkdir(parents=True)
    found = run(part, tmp_path / "out")
    assert "no .nlp files in coraal-multi/amberscript/nlp" in found.text
    assert "there is no wisebe/references/reference_1.txt" in found.text


@pytest.mark.parametrize("recordings", [1, 3])
def test_recordings_of_one_sentence_leave_numbers_undefined(
    data: Path, tmp_path: Path, recordings: int
) -> None:
    part = part_of(data, tmp_path, "text-en", "earnings22")
    for number in range(recordings):
        for name in ("verbatim", "nonverbatim"):
            text = synthetic.nlp(["we", "see", "it"], [False, False, True])
            synthetic.put(part / "rev16" / name / f"{number}.nlp", text)
    found = run(part, tmp_path / "out")
    assert "R_GAR undefined –" in found.text
    assert "0 of 0 recordings" in report(found)


def test_a_corpus_without_words_is_one_clear_error(data: Path, tmp_path: Path) -> None:
    part = part_of(data, tmp_path, "rev16")
    for file in (part / "rev16" / "verbatim").glob("*.nlp"):
        file.write_text(synthetic.nlp([], []))
    with pytest.raises(FormatError, match=r"verbatim: there are no words in its files"):
        run(part, tmp_path / "out")


def test_a_recording_that_somebody_lacks_is_one_clear_error(data: Path, tmp_path: Path) -> None:
    part = part_of(data, tmp_path, "rev16")
    (part / "rev16" / "verbatim" / "talk1.nlp").unlink()
    with pytest.raises(MismatchError, match=r"'talk1' is not in all of verbatim, nonverbatim"):
        run(part, tmp_path / "out")


def test_too_little_to_train_on_is_one_clear_error(data: Path, tmp_path: Path) -> None:
    part = part_of(data, tmp_path, "rev16", "text-en", "earnings22")
    synthetic.put(part / "text-en" / "scotus.txt", "we see it.\n")
    with pytest.raises(FormatError, match=r"scotus.txt: it takes two texts or more"):
        run(part, tmp_path / "out")


def test_no_corpus_at_all_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"wisebe/, coraal-multi/, rev16/"):
        run(tmp_path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_file_in_place_of_the_folder_is_refused_at_once(data: Path, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    with pytest.raises(OutputError, match="name a folder"):
        run(data, tmp_path / "out")
    assert (tmp_path / "out").read_text() == "mine"


def test_studies_are_found_by_name() -> None:
    assert find("wisebe") is run
    with pytest.raises(UnknownName, match="did you mean 'wisebe'"):
        find("wisbe")
    with pytest.raises(UnknownName, match="known are atene"):
        find("q")


def test_pairs_of_transcribers_agree_as_the_corpora_say(corpora: Path) -> None:
    """Of the six pairs on coraal-multi, those with the lowest and the highest agreement."""
    known = {
        "rev16": {("verbatim", "nonverbatim"): 0.82},
        "coraal-multi": {("amberscript", "coraal"): 0.795, ("rev", "rev_aa"): 0.863},
    }
    for corpus in CORPORA:
        for pair, expected in known[corpus.name].items():
            two = replace(corpus, transcripts=pair)
            (f1,) = CorpusAgreement(two, two.read(corpora)).f1_of_pairs.values()
            assert not isinstance(f1, Undefined)
            assert round(f1, 3) == expected
