"""Figures: valid files, the same bytes each time, and the right boundaries in them."""

import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core.errors import OutputError
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.evaluation.comparison import Comparison
from caesura.evaluation.evaluate import EvaluationOptions, evaluate_systems
from caesura.evaluation.reports import figures
from caesura.evaluation.reports.figures import line_styles, write_figure
from caesura.evaluation.reports.write import Results


def text(words: int, ends: list[int], id: str = "") -> Transcript:
    names = tuple(f"w{i}" for i in range(words))
    return Transcript(names, id=id, sentences=Segmentation.of_gaps(words, ends))


def made(
    systems: int = 2,
    references: int = 3,
    metric: tuple[str, ...] = ("WiSeBE", "Boundary"),
    words: int = 60,
    resamples: int = 20,
    names: tuple[str, ...] = (),
) -> Results:
    options = EvaluationOptions(
        metric=metric,
        sweep="window_gap=0:4" if "WiSeBE" in metric else (),
        normalize="none",
        resamples=resamples,
        seed=1,
    )
    theirs = [[text(words, list(range(k % 3, words, 7)))] for k in range(references)]
    ours = [[text(words, list(range(k, words, 5 + k)))] for k in range(systems)]
    found = evaluate_systems(ours, theirs, options)
    called = names or tuple(f"system_{k}" for k in range(systems))
    return Results(called, found, Comparison(called, found) if systems > 1 else None)


def drawn(results: Results, path: Path) -> bytes:
    pytest.importorskip("matplotlib", reason="needs matplotlib")
    write_figure(results, path)
    return path.read_bytes()


def size(png: bytes) -> tuple[int, int]:
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert png[-12:] == b"\x00\x00\x00\x00IEND\xaeB`\x82"
    return int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")


@pytest.mark.parametrize(
    "results",
    [
        made(),
        made(systems=1),
        made(systems=12, references=2),
        made(references=20),
        made(references=1),
        made(metric=("Agreement", "Pk", "Boundary", "WindowDiff", "Tolerant")),
        made(words=500),
        made(words=1),
        made(resamples=0),
    ],
    ids="two one twelve twenty alone metrics long short unsampled".split(),
)
def test_png_is_a_picture_of_page_width(results: Results, tmp_path: Path) -> None:
    wide, high = size(drawn(results, tmp_path / "f.png"))
    assert wide == 1440
    assert 300 < high < 3600
    assert [path.name for path in tmp_path.iterdir()] == ["f.png"]


def test_more_to_show_makes_a_taller_figure(tmp_path: Path) -> None:
    few = size(drawn(made(metric=("Boundary",)), tmp_path / "few.png"))
    swept = size(drawn(made(metric=("WiSeBE", "Boundary")), tmp_path / "swept.png"))
    assert swept[1] > few[1] + 300


@pytest.mark.parametrize("suffix", ["png", "svg", "SVG"])
def test_the_same_results_give_the_same_bytes(suffix: str, tmp_path: Path) -> None:
    first = drawn(made(), tmp_path / f"a.{suffix}")
    assert first == drawn(made(), tmp_path / f"b.{suffix}")
    assert first != drawn(made(systems=3), tmp_path / f"c.{suffix}")


def test_svg_is_well_formed_and_has_no_date(tmp_path: Path) -> None:
    found = drawn(made(), tmp_path / "f.svg")
    assert ET.fromstring(found).tag == "{http://www.w3.org/2000/svg}svg"
    assert b"dc:date" not in found


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_names_are_text_whatever_signs_they_have(suffix: str, tmp_path: Path) -> None:
    names = ("_hidden", "a$b^{$c", "今日" * 30, "\x1b[1m\n")
    found = drawn(made(systems=4, names=names), tmp_path / f"f.{suffix}")
    assert len(found) > 10_000


def test_a_users_own_settings_change_nothing(tmp_path: Path) -> None:
    matplotlib = pytest.importorskip("matplotlib", reason="needs matplotlib")
    first = drawn(made(), tmp_path / "a.svg")
    with matplotlib.rc_context({"font.size": 20, "axes.grid": True, "savefig.dpi": 10}):
        assert drawn(made(), tmp_path / "b.svg") == first
        assert matplotlib.rcParams["font.size"] == 20


def test_without_matplotlib_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(OutputError, match=r"matplotlib.*pip install 'caesura\[plot\]'"):
        write_figure(made(), tmp_path / "f.png")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["f.gif", "f", "f.pdf"])
def test_other_kinds_of_files_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"\.png or \.svg"):
        write_figure(made(), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_systems_can_be_told_apart() -> None:
    looks = [(each["color"], each["marker"], str(each["linestyle"])) for each in line_styles(24)]
    assert len(set(looks)) == 24


GAPS = st.lists(st.integers(0, 38), max_size=12, unique=True)


@given(st.lists(GAPS, min_size=1, max_size=3), st.lists(GAPS, min_size=1, max_size=2))
def test_hits_and_errors_are_those_of_the_metric(
    references: list[list[int]], systems: list[list[int]]
) -> None:
    options = EvaluationOptions(metric="WiSeBE", normalize="none", resamples=0, seed=1)
    found = evaluate_systems(
        [[text(40, e)] for e in systems], [[text(40, e)] for e in references], options
    )
    strip = figures.worst_strip(Results([str(k) for k in range(len(systems))], found))
    assert strip is not None
    errors = 0.0
    for scores, (_, ours) in zip(found, strip.systems, strict=True):
        values = scores.values[0]
        assert np.count_nonzero(ours & strip.in_windows) == values["boundaries_inside"]
        assert np.count_nonzero(ours) == values["boundaries"]
        assert len(strip.windows[0]) == values["windows"]
        errors += values["boundaries"] - values["boundaries_inside"]  # type: ignore[operator]
        errors += values["windows"] - values["windows_hit"]  # type: ignore[operator]
    assert strip.errors().sum() == errors


@given(st.sets(st.integers(0, 1098), max_size=40), st.sets(st.integers(0, 1098), max_size=40))
def test_the_stretch_shown_is_the_worst(reference: set[int], system: set[int]) -> None:
    options = EvaluationOptions(
        metric="WiSeBE(window_gap=0)", normalize="none", resamples=0, seed=1
    )
    found = evaluate_systems(
        [[text(1100, sorted(system))]], [[text(1100, sorted(reference))]], options
    )
    strip = figures.worst_strip(Results(("sys",), found))
    assert strip is not None
    begin, end = strip.shown_range()
    assert end - begin == figures.STRIP_WORDS
    assert 0 <= begin <= 1100 - figures.STRIP_WORDS
    wrong = reference ^ system
    most = max(sum(b <= gap < b + 400 for gap in wrong) for b in range(1100 - 400 + 1))
    assert sum(begin <= gap < end for gap in wrong) == most


def test_the_worst_document_is_shown() -> None:
    options = EvaluationOptions(normalize="none", resamples=0, seed=1)
    references = [[text(20, [5], "good"), text(20, [5, 9], "bad")]]
    systems = [[text(20, [5], "good"), text(20, [7], "bad")]]
    strip = figures.worst_strip(Results(("sys",), evaluate_systems(systems, references, options)))
    assert strip is not None
    assert strip.document.id == "bad"
    assert strip.shown_range() == (0, 20)
