"""What the WiSeBE study says of the paper itself: its tables, and the public video."""

from fractions import Fraction
from pathlib import Path

import pytest

from caesura.core.errors import MismatchError
from caesura.core.values import Undefined
from caesura_studies.report import Number, format_fraction
from caesura_studies.wisebe import chapter_video, paper
from caesura_studies.wisebe.chapter_checks import misprints, run_checks
from caesura_studies.wisebe.paper import sizes
from studies import synthetic

MISPRINTS = {
    "Table 2, v4 ref_1, ref_2, ref_3": "14, 11, 6",
    "Table 2, v6 ref_1, ref_2, ref_3": "98, 87, 39",
    "Table 2, v8 ref_1, ref_2, ref_3": "65, 72, 30",
    "Table 2, v10 ref_1, ref_2, ref_3": "20, 16, 9",
    "Table 4, v5 S1 ref_3 F1": ".559",
    "Table 4, v9 S2 ref_3 F1": ".415",
    "Table 4, v10 S1 ref_2 R": ".563",
    "Table 4, v10 S1 ref_2 F1": ".667",
    "Table 4, v6 S2 mean P": ".4239",
    "Table 4, v9 S1 mean R": ".604",
    "Table 4, v10 S2 mean R": ".4648",
    "Table 4, mean scores S1 ref_2 F1": ".519",
    "Table 4, v9 mean, bold": "S2",
    "text, videos in which S1 is better for ref_2": "3",
    "text, videos in which S1 is better for mean": "3",
}


def findings() -> dict[str, str]:
    return {each.place: each.formatted() for each in misprints()}


def test_the_checks_find_the_known_misprints_and_no_others() -> None:
    assert findings() == MISPRINTS
    assert sum(map(len, run_checks().values())) == 371


@pytest.mark.parametrize(
    ("name", "value", "place"),
    [
        ("FEWER", "44", "text, per cent fewer in ref_3"),
        ("MORE", "26", "text, per cent more in S1"),
        ("CORRELATION", ".980", "text, correlation"),
        ("HIGHEST", ("v1", ".691"), "text, highest R_GAR"),
        ("NEAREST", {"S1": ("ref_1", "6")}, "text, videos in which S1 is nearest to ref_1"),
        ("BOLD", paper.BOLD ^ {("v1", "S1", "mean")}, "Table 4, v1 mean, bold"),
    ],
)
def test_a_number_made_wrong_is_found(
    monkeypatch: pytest.MonkeyPatch, name: str, value: object, place: str
) -> None:
    monkeypatch.setattr(paper, name, value)
    assert set(findings()) == {*MISPRINTS, place}


@pytest.mark.parametrize(
    ("table", "key", "value", "place"),
    [
        ("BY_VIDEO", ("S1", "all"), "540", "total of S1"),
        ("TABLE_5", ("all", "", "R_GAR"), ".640", "Table 5, mean of R_GAR"),
        ("TABLE_5", ("all", "S2", "WiSeBE"), ".357", "Table 5, mean of S2 WiSeBE"),
        ("TABLE_5", ("v1", "S1", "WiSeBE"), ".344", "Table 5, v1 S1 WiSeBE"),
        ("TABLE_5", ("v3", "S1", "mean F1"), ".271", "Table 5, v3 S1 mean F1"),
        ("MEANS_4", ("S2", "ref_1"), ".541", "Table 4, mean scores S2 ref_1 F1"),
    ],
)
def test_a_cell_made_wrong_is_found(
    monkeypatch: pytest.MonkeyPatch, table: str, key: tuple[str, ...], value: str, place: str
) -> None:
    monkeypatch.setitem(getattr(paper, table), key, value)
    assert set(findings()) == {*MISPRINTS, place}


def test_sizes_of_references_with_exchanges_undone() -> None:
    sums = [sum(sizes(video)[name] for video in paper.VIDEOS) for name in paper.REFERENCES]
    assert sums == [513, 474, 281]


def test_numbers_as_papers_print_them() -> None:
    assert [
        format_fraction(Fraction(9, 16)),
        format_fraction(Fraction(1)),
        format_fraction(Fraction(3), 0),
    ] == [*(".563", "1.000", "3")]
    # A half may be rounded either way; what is printed with more digits says more.
    assert Number("", ".562", Fraction(9, 16)).agrees
    assert Number("", ".563", Fraction(9, 16)).agrees
    assert not Number("", ".5630", Fraction(9, 16)).agrees
    assert not Number("", ".563", Undefined("no boundary")).agrees
    assert Number("", ".563", Undefined("no boundary")).formatted() == "undefined"


def test_the_papers_video_comes_out_to_the_digit(corpora: Path) -> None:
    part = chapter_video.chapter(corpora)
    ours, theirs = part.numbers["paper"], part.numbers["tool"]
    assert [len(ours), len(theirs)] == [38, 3 + 6 + 11 * 11]
    assert all(each.agrees for each in theirs)
    assert {each.place: each.right for each in ours if not each.agrees} == {
        "Table 2, v6 ref_1": 98,
        "Table 2, v6 ref_2": 87,
        "Table 4, v6 S2 mean P": pytest.approx(39 / 92),
    }
    assert part.text.count("misprint: the tables need") == 3
    assert "of 0 to 10 words, only 2 gives" in part.text
    assert "S1 is ahead for m = 0 to 8, S2 is ahead for m = 9 to 10" in part.text


def test_files_of_others_are_reported_as_unexplained(tmp_path: Path) -> None:
    part = chapter_video.chapter(synthetic.corpora(tmp_path))
    assert "are these the authors' files?" in part.short[0]
    assert "misprint: the tables need .4239" not in part.text


@pytest.mark.parametrize("text", [".\n", "one sentence only.\n"])
def test_files_without_any_boundary_leave_numbers_undefined(tmp_path: Path, text: str) -> None:
    for file in chapter_video.FILES.values():
        synthetic.put(tmp_path / "wisebe" / file, text)
    part = chapter_video.chapter(tmp_path)
    assert "neither is ahead for m = 0 to 10" in part.text
    assert "undefined" in part.text


def test_files_with_other_words_are_one_clear_error(tmp_path: Path) -> None:
    synthetic.corpora(tmp_path)
    synthetic.put(tmp_path / "wisebe" / chapter_video.FILES["S2"], "other words.\n")
    with pytest.raises(MismatchError, match=r"candidate_B.txt: S2 and the references") as caught:
        chapter_video.chapter(tmp_path)
    assert "--align" not in str(caught.value)
