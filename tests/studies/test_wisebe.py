"""The study of the WiSeBE paper, on corpora of our own and on the real ones."""

import json
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from caesura.errors import FormatError, OutputError, UnknownName
from caesura.formats.files import read
from caesura.studies import find, wisebe_checks
from caesura.studies.printed import fits
from caesura.studies.systems import trained
from caesura.studies.transcribers import CORPORA, Group
from caesura.studies.wisebe import run
from caesura.studies.wisebe_checks import checks, correlation
from caesura.studies.wisebe_tables import TABLE_5, TABLE_6
from caesura.studies.wisebe_video import video
from caesura.studies.writing import Outcome, table
from studies import synthetic

MISPRINTS = {
    "Table 2, v4 ref_1 and ref_2": "14 and 11",
    "Table 2, v6 ref_1 and ref_2": "98 and 87",
    "Table 2, v8 ref_1 and ref_2": "65 and 72",
    "Table 2, v10 ref_1 and ref_2": "20 and 16",
    "Table 4, v5 S1 ref_3 F1": ".559 (52/93)",
    "Table 4, v9 S2 ref_3 F1": ".415 (34/82)",
    "Table 4, v10 S1 ref_2 R": ".563 (9/16)",
    "Table 4, v10 S1 ref_2 F1": ".667 (18/27)",
    "Table 4, v6 S2 mean P": ".4239",
    "Table 4, v9 S1 mean R": ".604",
    "Table 4, v10 S2 mean R": ".4648",
    "Table 4, mean scores S1 ref_2 F1": ".519",
    "Table 4, v9 mean, bold": "S2",
    "text, videos in which S1 is better for ref_2": "3",
    "text, videos in which S1 is better for mean": "3",
}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return synthetic.corpora(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def outcome(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return run(data, tmp_path_factory.mktemp("study") / "new" / "folder")


def findings() -> dict[str, str]:
    return {each.place: each.right for check in checks() for each in check.findings}


def results(outcome: Outcome) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((outcome.files[0].parent / "results.json").read_bytes())
    return found


def test_the_checks_find_the_known_misprints_and_no_others() -> None:
    assert findings() == MISPRINTS


@pytest.mark.parametrize(
    ("name", "value", "place"),
    [
        ("TABLE_3_TOTALS", {"S1": 540, "S2": 424}, "Table 3, total of S1"),
        ("FEWER", 44, "text, per cent fewer"),
        ("MORE", 26, "text, per cent more"),
        ("CORRELATION", ".980", "text, correlation"),
        ("MEAN_AGREEMENT", ".640", "Table 5, mean R_GAR"),
        ("RANGE", {"lowest": ("v8", ".525"), "highest": ("v1", ".691")}, "text, highest R_GAR"),
        ("NEAREST", {"S1": ("ref_1", 6)}, "text, videos in which S1 is nearest to ref_1"),
    ],
)
def test_a_number_made_wrong_is_found(
    monkeypatch: pytest.MonkeyPatch, name: str, value: object, place: str
) -> None:
    monkeypatch.setattr(wisebe_checks, name, value)
    assert set(findings()) == {*MISPRINTS, place}


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        (".495 .342", ".495 .362", "Table 5, v1 S1 WiSeBE"),
        ("v3  .684 .270", "v3  .684 .290", "Table 5, v3 S1 mean F1"),
    ],
)
def test_a_cell_of_table_5_made_wrong_is_found(
    monkeypatch: pytest.MonkeyPatch, old: str, new: str, place: str
) -> None:
    monkeypatch.setattr(wisebe_checks, "TABLE_5", TABLE_5.replace(old, new))
    assert place in set(findings()) - set(MISPRINTS)


def test_the_correlation_is_that_of_exact_sums() -> None:
    one, other = ([Fraction(cell) for cell in TABLE_6[name]] for name in ("R_GAR", "kappa"))
    a, b = ([x - sum(column) / 10 for x in column] for column in (one, other))
    square = sum(x * y for x, y in zip(a, b, strict=True)) ** 2 / (
        sum(x * x for x in a) * sum(y * y for y in b)
    )
    value, low, high = correlation()
    assert value**2 == pytest.approx(float(square), abs=1e-12)
    assert low < value < high
    assert fits(Fraction(value), ".890")


def test_the_report_has_all_parts_and_nothing_left_out(outcome: Outcome) -> None:
    report = (outcome.files[0].parent / "report.md").read_text(encoding="utf-8")
    for title in ("## In short", "## 1. ", "## 6. ", "### rev16", "### Every two systems"):
        assert title in report
    assert "Left out" not in outcome.text
    assert outcome.text.splitlines()[2] in report
    assert set(results(outcome)) == {
        *("video", "tables", "coraal-multi", "rev16", "systems", "claims", "caesura")
    }


def test_files_that_are_not_the_authors_are_doubted(outcome: Outcome) -> None:
    assert "are these the files that the authors published?" in outcome.text
    rows = results(outcome)["video"]["paper"]
    assert not any(row["misprint"] for row in rows if row["quantity"] == "Table 4, S2 mean: P")


def test_agreement_is_what_counting_by_hand_gives(data: Path, outcome: Outcome) -> None:
    """The transcribers share all words, so that boundaries can be compared place by place."""
    names = ("amberscript", "coraal", "rev", "rev_aa")
    shared = possible = 0
    for file in sorted((data / "coraal-multi" / "rev" / "nlp").glob("*.nlp")):
        texts = [next(read(data / "coraal-multi" / name / "nlp" / file.name)) for name in names]
        columns = [t.sentences.boundary[:-1].tolist() for t in texts if t.sentences is not None]
        for votes in map(sum, zip(*columns, strict=True)):
            shared += votes if votes > 1 else 0
            possible += 4 if votes else 0
    found = results(outcome)["coraal-multi"]
    values = found["scores"]["scores"][0]["values"]
    assert values["agreement_ratio"] == pytest.approx(shared / possible, abs=1e-12)
    assert found["shared_words"]["agreement_ratio"] == values["agreement_ratio"]
    bases = {row["agreement_ratio"] for row in found["by_base_and_normalisation"]}
    assert bases == {values["agreement_ratio"]}
    assert all(each["boundaries_lost"] == 0 for each in found["coverage"].values())


def test_a_system_is_scored_as_counting_by_hand_gives(data: Path, outcome: Outcome) -> None:
    system = trained(data)["calls"]
    right = total = 0
    for file in sorted((data / "rev16" / "nonverbatim").glob("*.nlp")):
        (text,) = read(file)
        assert text.sentences is not None
        ours = set(system.detect(text.words).gaps.tolist()) - {len(text) - 1}
        theirs = set(text.sentences.gaps.tolist()) - {len(text) - 1}
        right, total = right + len(ours & theirs), total + len(ours) + len(theirs)
    (row,) = [
        r for r in results(outcome)["systems"]["rev16"]["pair"] if r["judge"] == "nonverbatim"
    ]
    assert row["values"][1] == pytest.approx(2 * right / total, abs=1e-12)
    assert row["difference"] == pytest.approx(row["values"][0] - row["values"][1], abs=1e-12)
    assert row["interval"][0] <= row["difference"] <= row["interval"][1]


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
    assert all(file.read_bytes().startswith(b"<?xml") for file in drawn)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    without = run(_only(data, tmp_path, "wisebe"), tmp_path / "out")
    assert {file.name for file in without.files} == {"report.md", "results.json"}
    assert "matplotlib is not installed" in without.files[0].read_text(encoding="utf-8")


def _only(data: Path, folder: Path, *names: str) -> Path:
    part = folder / "part"
    part.mkdir()
    for name in names:
        (part / name).symlink_to(data / name)
    return part


def test_parts_without_their_corpora_are_named(data: Path, tmp_path: Path) -> None:
    found = run(_only(data, tmp_path, "rev16"), tmp_path / "out")
    assert "Left out: The paper's video v6 (there is no folder wisebe/)" in found.text
    assert "Left out: coraal-multi (there is no folder coraal-multi/)" in found.text
    assert "text-en/scotus.txt and no earnings22/references" in found.text
    assert "rev16 (3 podcast episodes, 2 transcripts)" in found.text


def test_a_corpus_in_pieces_is_named(data: Path, tmp_path: Path) -> None:
    part = _only(data, tmp_path, "rev16")
    (part / "coraal-multi" / "rev" / "nlp").mkdir(parents=True)
    (part / "wisebe" / "references").mkdir(parents=True)
    found = run(part, tmp_path / "out")
    assert "no .nlp files in coraal-multi/amberscript/nlp" in found.text
    assert "there is no wisebe/references/reference_1.txt" in found.text


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
    with pytest.raises(UnknownName, match="known are wisebe"):
        find("q")


def test_tables_keep_bars_in_cells_apart_from_columns() -> None:
    lines = table(("name", "n"), [["a|b", "1"], ["c", "20"]]).splitlines()
    assert lines[1].endswith("--: |")
    assert [len(line) for line in lines] == [len(lines[0])] * 4
    assert "a\\|b" in lines[2]


def test_the_papers_video_comes_out_to_the_digit(corpora: Path) -> None:
    found = video(1, corpora).numbers
    assert all(row["agrees"] for row in found["tool"])
    assert len(found["tool"]) == 3 + 6 + 11 * 11
    wrong = {row["quantity"]: row["misprint"] for row in found["paper"] if not row["agrees"]}
    assert len(found["paper"]) == 38
    assert wrong == {
        "Table 2, ref_1: boundaries": "98",
        "Table 2, ref_2: boundaries": "87",
        "Table 4, S2 mean: P": ".4239",
    }


def test_pairs_of_transcribers_agree_as_the_corpora_say(corpora: Path) -> None:
    """Two people on the same words: .821 on rev16, .80 to .87 on coraal-multi."""
    many, two = (Group.read(corpus, corpora).on_pairs() for corpus in CORPORA)
    assert [round(float(f1), 2) for f1 in two.values() if isinstance(f1, float)] == [0.82]
    found = [f1 for f1 in many.values() if isinstance(f1, float)]
    assert len(found) == 6
    assert min(found) == pytest.approx(0.80, abs=0.006)
    assert max(found) == pytest.approx(0.87, abs=0.01)
