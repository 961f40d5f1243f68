"""Video v6, the one whose files are public: its numbers computed, beside those printed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from caesura.comparison import Comparison
from caesura.contracts import Metric, Value
from caesura.formats.files import read
from caesura.metrics.agreement import Agreement
from caesura.metrics.boundary import Boundary
from caesura.metrics.wisebe import WiSeBE
from caesura.numeric.stats import Resampling
from caesura.scores import Scores, scored
from caesura.scoring import Terms
from caesura.studies.printed import Row
from caesura.studies.wisebe_cells import printed
from caesura.studies.wisebe_checks import checks, table_5
from caesura.studies.wisebe_tables import (
    CANDIDATES,
    LONGEST,
    MEASURES,
    REFERENCES,
    SYSTEMS,
    TABLE_2,
    TABLE_3,
    TABLE_6,
    TOOL,
    TOOL_AGREEMENT,
    TOOL_MATCHES,
    VIDEOS,
    rows,
)
from caesura.studies.writing import Part, between, number, signed, table
from caesura.transcript import Transcript

VIDEO = "v6"
NORMALIZE = ("case", "dots")
NAMES = {"P": "precision", "R": "recall", "F1": "f1"}
FEW = 5
"""How many unexplained numbers are named one by one."""

WIDEST = 10
"""The largest window limit that the authors' program was run with."""


def video(section: int, data: Path) -> Part:
    """Score both systems under both protocols and lay the numbers beside the printed ones."""
    folder = data / "wisebe"
    references = [_lines(folder / "references" / f"reference_{i}.txt") for i in (1, 2, 3)]
    metrics: list[Metric] = [Boundary(), WiSeBE(), Agreement(), *_tool_metrics()]
    terms = Terms(NORMALIZE, False, Resampling())
    scores = {
        name: scored(_lines(folder / "candidate" / f"{file}.txt"), references, metrics, terms)
        for name, file in CANDIDATES.items()
    }
    paper, tool = list(_paper_rows(scores)), list(_tool_rows(scores))
    return Part(
        "video",
        f"{section}. The paper's video {VIDEO}",
        _text(scores, paper, tool),
        {
            "paper": [row.to_json() for row in paper],
            "tool": [row.to_json() for row in tool],
            "scores": {
                name: one.chosen(slice(3)).to_json()["scores"] for name, one in scores.items()
            },
        },
        (_short(paper, tool),),
    )


def _lines(file: Path) -> list[Transcript]:
    return list(read(file, "lines"))


def _tool_metrics() -> list[Metric]:
    """Boundaries with the end counted, then WiSeBE for each limit of both protocols."""
    limits = range(WIDEST + 1)
    swept = [WiSeBE(protocol, gap) for protocol in ("tool", "paper") for gap in limits]
    return [Boundary(count_end=True), *swept]


def _misprints() -> dict[str, str]:
    """Give what the tables' own arithmetic says should be printed, by place."""
    return {finding.place: finding.right for check in checks() for finding in check.findings}


def _paper_rows(scores: Mapping[str, Scores]) -> Iterator[Row]:
    at, known = VIDEOS.index(VIDEO), _misprints()
    agreement = scores["S1"].values[2]
    yield Row("words", str(LONGEST), scores["S1"].documents[0].words)
    swapped = known.get(f"Table 2, {VIDEO} ref_1 and ref_2", "").split(" and ")
    for i, name in enumerate(REFERENCES):
        misprint = swapped[i] if i < len(swapped) else ""
        found = agreement[f"boundaries_{i + 1}"]
        yield Row(f"Table 2, {name}: boundaries", str(TABLE_2[name][at]), found, misprint)
    for name in SYSTEMS:
        found = scores[name].values[1]["boundaries"]
        yield Row(f"Table 3, {name}: boundaries", str(TABLE_3[name][at]), found)
    for name in SYSTEMS:
        yield from _cells(name, scores[name].values[0], known)
    yield from _windows(scores)
    for name, value in (("R_GAR", "agreement_ratio"), ("kappa", "kappa")):
        yield Row(f"Table 6, {name}", TABLE_6[name][at], agreement[value])


def _cells(system: str, values: Mapping[str, Value], known: Mapping[str, str]) -> Iterator[Row]:
    for k, text in enumerate(printed(VIDEO, system)):
        reference, measure = (*REFERENCES, "mean")[k // 3], MEASURES[k % 3]
        name = NAMES[measure] + (f"_{k // 3 + 1}" if k < 9 else "")
        place = f"Table 4, {VIDEO} {system} {reference} {measure}"
        shown = f"Table 4, {system} {reference}: {measure}"
        yield Row(shown, text, values[name], known.get(place, ""))


def _windows(scores: Mapping[str, Scores]) -> Iterator[Row]:
    for row in table_5():
        if row.video == VIDEO:
            values = scores[row.system].values
            yield Row(f"Table 5, {row.system}: mean F1", row.mean, values[0]["f1"])
            yield Row(f"Table 5, {row.system}: F1 over windows", row.f1, values[1]["f1"])
            yield Row(f"Table 5, {row.system}: WiSeBE", row.wisebe, values[1]["wisebe"])


def _tool_rows(scores: Mapping[str, Scores]) -> Iterator[Row]:
    standard = scores["S1"].values[4 + 3]
    keys = ("agreement_ratio", "kappa", "kappa_borders")
    for (name, text), key in zip(TOOL_AGREEMENT.items(), keys, strict=True):
        yield Row(name, text, standard[key])
    for system, *shared in rows(TOOL_MATCHES):
        for i, text in enumerate(shared, 1):
            found = scores[system].values[3][f"correct_{i}"]
            yield Row(f"{system}: boundaries shared with ref_{i}", text, found)
    for gap, windows, *cells in rows(TOOL):
        at = 4 + int(gap)
        yield Row(f"m={gap}: windows", windows, scores["S1"].values[at]["windows"])
        for k, name in enumerate(SYSTEMS):
            yield from _tool_cells(
                f"m={gap} {name}", cells[5 * k : 5 * k + 5], scores[name].values[at]
            )


def _tool_cells(front: str, cells: Sequence[str], values: Mapping[str, Value]) -> Iterator[Row]:
    keys = ("boundaries_inside", "windows_hit", "f1", "wisebe", "smooth_wisebe")
    for key, text in zip(keys, cells, strict=True):
        yield Row(f"{front}: {key}", text, values[key])


def _text(scores: Mapping[str, Scores], paper: Sequence[Row], tool: Sequence[Row]) -> str:
    return "\n\n".join(
        [
            "The authors publish three references and the output of both systems for one of their "
            "ten videos. A line end is a boundary; the end of the text, which all files share, "
            "is not counted; boundaries at most two words apart make a window. The paper does "
            f"not print this limit: of 0 to {WIDEST} words, {_limits(scores)} gives the F1 over "
            "windows that it prints for both systems.",
            f"**{_agreeing(paper)} printed numbers come out to the printed digit.** "
            + _doubtful(paper).rstrip(),
            table(("quantity", "verdict", "printed", "computed"), [r.cells() for r in paper], 2),
            "### The authors' program",
            "Their program counts the end of the text as a boundary that all files have, and "
            "lets windows join up to m = 3 words apart, so that its numbers are not the paper's. "
            f"Protocol `tool` gives them: **{_agreeing(tool)} agree to the last digit noted**, "
            f"for m from 0 to {WIDEST}, with and without its smoothing (`inside`: boundaries "
            f"inside windows, `hit`: windows hit). {_doubtful(tool)}{_turn(scores)}",
            _tool_table(scores),
            "### How sure one video makes us",
            _sureness(scores),
        ]
    )


def _limits(scores: Mapping[str, Scores]) -> str:
    """Name the window limits under which both systems have the printed F1."""
    first = len(scores["S1"].values) - (WIDEST + 1)
    told = {row.system: row.f1 for row in table_5() if row.video == VIDEO}
    fitting = [
        str(gap)
        for gap in range(WIDEST + 1)
        if all(Row("", told[s], scores[s].values[first + gap]["f1"]).agrees for s in SYSTEMS)
    ]
    return f"only {fitting[0]}" if len(fitting) == 1 else ", ".join(fitting) or "none"


def _doubtful(found: Sequence[Row]) -> str:
    """Say what is the matter with the numbers that do not agree."""
    wrong = [row for row in found if not row.agrees]
    open = [row.quantity for row in wrong if not row.explained]
    misprints = len(wrong) - len(open)
    told = f"{misprints} are misprints by the paper's own tables (section 2). " * bool(misprints)
    if open:
        shown = "; ".join(open[:FEW]) + "; …" * (len(open) > FEW)
        told += f"{len(open)} are not explained: {shown}. "
    return told


def _turn(scores: Mapping[str, Scores]) -> str:
    """Tell from which window limit on the other system is ahead."""
    pairs = [[scores[s].values[4 + gap]["wisebe"] for s in SYSTEMS] for gap in range(WIDEST + 1)]
    ahead = [SYSTEMS[int(b > a)] for a, b in pairs]  # type: ignore[operator]
    turns = [gap for gap in range(1, WIDEST + 1) if ahead[gap] != ahead[gap - 1]]
    if len(turns) != 1:
        return f"The leading system changes {len(turns)} times with m."
    before, after = ahead[turns[0] - 1], ahead[turns[0]]
    return (
        f"{before} is ahead up to m = {turns[0] - 1}, {after} from m = {turns[0]} on: "
        "the limit chosen decides who wins."
    )


def _agreeing(found: Sequence[Row]) -> str:
    return f"{sum(row.agrees for row in found)} of {len(found)}"


def _tool_table(scores: Mapping[str, Scores]) -> str:
    head = ["m", "windows"]
    for name in SYSTEMS:
        head += [f"{name} inside", "hit", "F1", "WiSeBE", "smooth"]
    lines = []
    for gap in range(WIDEST + 1):
        values = [scores[name].values[4 + gap] for name in SYSTEMS]
        cells = [str(gap), number(values[0]["windows"])]
        for each in values:
            keys = ("boundaries_inside", "windows_hit", "f1", "wisebe", "smooth_wisebe")
            cells += [number(each[key], 5) for key in keys]
        lines.append(cells)
    return table(head, lines)


def _sureness(scores: Mapping[str, Scores]) -> str:
    both = Comparison(
        SYSTEMS, tuple(scores[name].chosen(slice(2)) for name in SYSTEMS), ("f1", "wisebe")
    )
    names = {("Boundary", "f1"): "mean F1", ("WiSeBE", "f1"): "F1 over windows"}
    lines = [
        [
            names.get((row.metric.partition("(")[0], row.value), "WiSeBE"),
            signed(row.difference, 4),
            between(row.interval),
            number(row.p_randomization),
        ]
        for row in both.rows
    ]
    head = ("S1 minus S2", "difference", "95 % interval", "p")
    sure = [
        row for row in both.rows if row.interval and not row.interval[0] <= 0 <= row.interval[1]
    ]
    told = f"{len(sure)} of the differences are" if sure else "None of the differences is"
    return (
        "The paper points at v6, where the mean F1 prefers S2 and WiSeBE prefers S1. "
        f"{told} larger than chance explains when blocks of five sentences are drawn again "
        "(intervals by bootstrap, p by approximate randomization).\n\n" + table(head, lines)
    )


def _short(paper: Sequence[Row], tool: Sequence[Row]) -> str:
    told = f"Video {VIDEO}: {_agreeing(paper)} printed numbers agree to the digit under `paper`"
    misprints = sum(row.explained for row in paper)
    told += f", {misprints} are misprints by the paper's own tables" * bool(misprints)
    open = sum(not row.agrees and not row.explained for row in (*paper, *tool))
    doubt = f" {open} are not explained: are these the files that the authors published?"
    return f"{told}; {_agreeing(tool)} of the authors' program under `tool`.{doubt * bool(open)}"
