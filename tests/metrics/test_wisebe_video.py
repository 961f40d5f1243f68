"""WiSeBE on the authors' published video: the numbers of the paper and of their program."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import caesura
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.core.values import Value
from caesura.metrics.wisebe import WiSeBE
from caesura.text.normalization.steps import normalize
from metrics.oracle import same


def against(
    video: dict[str, Transcript], hypothesis: str, metric: WiSeBE, *references: str
) -> dict[str, Value]:
    chosen = [video[each] for each in references or "123"]
    return metric.values(metric.count(video[hypothesis], chosen))


def test_the_boundaries_are_those_of_the_published_files(
    video: dict[str, Transcript], corpora: Path
) -> None:
    files = sorted((corpora / "wisebe").glob("*/*.txt"))
    published = [normalize(text, ("case", "dots")) for text in caesura.read(files)]
    assert list(video) == [file.stem.rpartition("_")[2] for file in files]
    assert len({text.words for text in published}) == 1
    for own, text in zip(video.values(), published, strict=True):
        assert own.sentences is not None
        assert text.sentences is not None
        assert own.sentences.boundary.tolist() == text.sentences.boundary.tolist()


def test_video_under_the_papers_protocol(video: dict[str, Transcript]) -> None:
    rows: dict[str, tuple[int, int, Fraction, Fraction]] = {
        "A": (108, 60, Fraction(60, 109), Fraction(1850, 6213)),
        "B": (92, 54, Fraction(54, 101), Fraction(555, 1919)),
    }
    for name, (boundaries, hits, f1, wisebe) in rows.items():
        same(
            against(video, name, WiSeBE()),
            {
                "windows": Fraction(110),
                "boundaries": Fraction(boundaries),
                "boundaries_inside": Fraction(hits),
                "windows_hit": Fraction(hits),
                "precision": Fraction(hits, boundaries),
                "recall": Fraction(hits, 110),
                "f1": f1,
                "wisebe": wisebe,
                "agreement_ratio": Fraction(185, 342),
                "kappa": Fraction(646259, 1025696),
            },
        )


F1 = {
    "A": ".5405 .5455 .5505 .5509 .5614 .5675 .5749 .5921 .6050 .6169 .6158",
    "B": ".5243 .5294 .5347 .5446 .5388 .5446 .5508 .5622 .5921 .6264 .6445",
}


@pytest.mark.parametrize("name", F1)
def test_video_over_window_gaps(video: dict[str, Transcript], name: str) -> None:
    found = [against(video, name, WiSeBE(window_gap=gap)) for gap in range(11)]
    assert [each["windows"] for each in found] == [
        114, 112, 110, 108, 104, 100, 94, 90, 86, 78, 69,
    ]  # fmt: skip
    for each, printed in zip(found, F1[name].split(), strict=True):
        assert each["f1"] == pytest.approx(float(printed), abs=5e-5)


def test_video_windows(video: dict[str, Transcript]) -> None:
    def merged(gap: int) -> list[tuple[int, int]]:
        first, last = WiSeBE(window_gap=gap).windows([video[each] for each in "123"])
        pairs = zip((first + 1).tolist(), (last + 1).tolist(), strict=True)
        return [(a, b) for a, b in pairs if a < b]

    two = [(475, 477), (547, 549), (610, 611), (1098, 1099)]
    assert merged(2) == two
    assert merged(3) == [*two, (1179, 1182), (1216, 1219)]
    assert against(video, "A", WiSeBE(window_gap=41))["windows"] == 2
    whole = WiSeBE(window_gap=42)
    (first,), (last,) = whole.windows([video[each] for each in "123"])
    inside = video["A"].replace(sentences=Segmentation.of_gaps(1602, [(first + last) // 2]))
    found = whole.values(whole.count(inside, [video[each] for each in "123"]))
    assert (found["windows"], found["f1"]) == (1, 1.0)


def test_video_ceiling(video: dict[str, Transcript]) -> None:
    union = np.logical_or.reduce([video[each].sentences.boundary for each in "123"])  # type: ignore[union-attr]
    rows = {"union": union, "every gap": np.ones(1602, np.bool_)}
    texts = {name: video["1"].replace(sentences=Segmentation(row)) for name, row in rows.items()}
    found = {name: against(texts | video, name, WiSeBE()) for name in [*texts, "1"]}
    assert found["union"]["wisebe"] == found["1"]["agreement_ratio"] == pytest.approx(185 / 342)
    for name, f1, wisebe in (("1", 0.9320, 0.5042), ("every gap", 0.1351, 0.0731)):
        assert found[name]["f1"] == pytest.approx(f1, abs=5e-5)
        assert found[name]["wisebe"] == pytest.approx(wisebe, abs=5e-5)


# For each window_gap: windows; then for A and for B boundaries inside, windows hit, P, R, F1,
# WiSeBE, smooth WiSeBE, and the distance of what is missed.
TOOL = """\
 0 115 61 61 .55963 .53043 .54464 .29679 .29778 252 55 55 .59140 .47826 .52885 .28818 .28957 189
 1 113 61 61 .55963 .53982 .54955 .29946 .30044 252 55 55 .59140 .48673 .53398 .29098 .29235 189
 2 110 61 60 .55963 .54545 .55245 .30105 .30201 252 55 54 .59140 .49091 .53649 .29235 .29371 189
 3 108 61 59 .55963 .54630 .55288 .30128 .30225 252 56 54 .60215 .50000 .54634 .29772 .29906 188
 4 104 61 59 .55963 .56731 .56344 .30704 .30798 252 56 51 .60215 .49038 .54055 .29456 .29592 188
 5 100 61 58 .55963 .58000 .56963 .31041 .31134 252 56 50 .60215 .50000 .54634 .29772 .29906 188
 6  94 61 56 .55963 .59574 .57712 .31449 .31541 252 56 48 .60215 .51064 .55263 .30114 .30246 188
 7  90 62 56 .56881 .62222 .59432 .32386 .32475 249 57 47 .61290 .52222 .56394 .30731 .30861 185
 8  86 63 55 .57798 .63953 .60720 .33088 .33176 245 59 48 .63441 .55814 .59384 .32360 .32485 179
 9  78 63 52 .57798 .66667 .61916 .33740 .33826 245 61 47 .65591 .60256 .62811 .34227 .34344 175
10  69 64 45 .58716 .65217 .61796 .33674 .33761 241 64 42 .68817 .60870 .64600 .35202 .35318 169
"""


@pytest.mark.parametrize("row", TOOL.splitlines(), ids=lambda row: row[:2].strip())
def test_video_under_the_tools_protocol(video: dict[str, Transcript], row: str) -> None:
    cells = row.split()
    metric = WiSeBE("tool", int(cells[0]))
    references = [video[each] for each in "123"]
    for name, printed in (("A", cells[2:10]), ("B", cells[10:])):
        counts = metric.count(video[name], references)
        found = metric.values(counts)
        assert [found["windows"], found["boundaries_inside"], found["windows_hit"]] == [
            int(cells[1]), int(printed[0]), int(printed[1]),
        ]  # fmt: skip
        names = ("precision", "recall", "f1", "wisebe", "smooth_wisebe")
        for value, cell in zip(names, printed[2:], strict=False):
            assert found[value] == pytest.approx(float(cell), abs=5.1e-6), value
        assert counts["distance"] == int(printed[7])


def test_video_agreement_under_the_tools_protocol(video: dict[str, Transcript]) -> None:
    found = against(video, "A", WiSeBE("tool"))
    assert found["agreement_ratio"] == pytest.approx(188 / 345)
    assert found["kappa"] == pytest.approx(0.634730, abs=5e-7)
    assert found["kappa_borders"] == pytest.approx(-0.017509, abs=5e-7)
    assert found["boundaries"] == 109
    assert against(video, "B", WiSeBE("tool"))["boundaries"] == 93


SMOOTH = {
    "A1": ".49691 .54680 .52066 337",
    "A2": ".45986 .56910 .50868 472",
    "A3": ".22067 .60025 .32270 1608",
    "B1": ".50720 .47669 .49147 271",
    "B2": ".52812 .55798 .54264 382",
    "B3": ".25870 .60034 .36158 1173",
}


@pytest.mark.parametrize("pair", SMOOTH)
def test_video_smooth_values_against_each_reference(
    video: dict[str, Transcript], pair: str
) -> None:
    metric = WiSeBE("tool", 0)
    counts = metric.count(video[pair[0]], [video[pair[1]]])
    found = metric.values(counts)
    *printed, away = SMOOTH[pair].split()
    for name, cell in zip(("precision", "recall", "f1"), printed, strict=True):
        assert found[f"smooth_{name}"] == pytest.approx(float(cell), abs=5.1e-6)
    assert counts["distance"] == int(away)
