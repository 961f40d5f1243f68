"""Properties of tables that hold for any results and names."""

import re
import shutil
import subprocess
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.core.transcript import Transcript
from caesura.evaluation.comparison import Comparison
from caesura.evaluation.evaluate import EvaluationOptions, evaluate_systems
from caesura.evaluation.reports.render import latex, markdown, terminal
from caesura.evaluation.reports.score_tables import result_tables
from caesura.evaluation.reports.table import Table, printable, wrap
from caesura.evaluation.reports.write import Results
from evaluation.reports.examples import many, small, text

NAMES = st.one_of(
    st.text(min_size=1, max_size=90),
    st.from_regex(r"[a-z_/|&%$#{}~^\\<>*`\[\]-]{1,60}", fullmatch=True),
    st.sampled_from(
        ["\x1b[31mred", "a\nb", "今日の録音" * 12, "x|y", "-1", "*", "[1]", "שלום", "\ud800"]
    ),
)
METRICS = st.lists(
    st.sampled_from(
        [
            "WiSeBE",
            "WiSeBE(protocol='tool')",
            "Boundary",
            "Agreement",
            "Pk",
            "Boundary(count_end=True)",
        ]
    ),
    min_size=1,
    max_size=3,
    unique=True,
)


@st.composite
def any_results(draw: st.DrawFn) -> Results:
    words = draw(st.integers(0, 12))
    ends = st.lists(st.integers(1, max(words, 1)), max_size=5 if words else 0)
    ids = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))

    def side() -> list[Transcript]:
        return [text(words, *draw(ends), id=id) for id in ids]

    systems = [side() for _ in range(draw(st.integers(1, 3)))]
    references = [side() for _ in range(draw(st.sampled_from([1, 2, 3, 20])))]
    names = st.lists(NAMES, min_size=20, max_size=20, unique=True)
    wanted = draw(METRICS)
    sweep = "window_gap=0:2" if wanted[0] == "WiSeBE" else ()
    options = EvaluationOptions(
        metric=wanted,
        sweep=sweep,
        normalize="none",
        align=draw(st.booleans()),
        resamples=draw(st.sampled_from([0, 5])),
        seed=1,
    )
    called = tuple(draw(names)[: len(references)])
    found = evaluate_systems(systems, references, options, called)
    ours = tuple(draw(names)[: len(found)])
    return Results(ours, found, Comparison(ours, found) if len(found) > 1 else None)


def wide(line: str) -> int:
    """Columns of a line, as terminals count them."""
    kinds = [(unicodedata.category(c), unicodedata.east_asian_width(c)) for c in line]
    return sum(0 if kind in ("Mn", "Me", "Cf") else 1 + (size in "WF") for kind, size in kinds)


@settings(max_examples=30)
@given(any_results())
def test_any_results_fit_a_terminal_with_all_numbers(results: Results) -> None:
    shown = terminal(results)
    for line in shown.split("\n"):
        assert wide(line) <= 80 or "|references=" in line
        assert line.isprintable() or all(c.isprintable() or c in "\u200c\u200d" for c in line)
    for grid in result_tables(results, 10):
        for row in grid.rows:
            for cell in row[grid.labels :]:
                assert cell.strip() in shown


@settings(max_examples=30)
@given(any_results())
def test_markdown_rows_have_as_many_cells_as_their_head(results: Results) -> None:
    made = list(result_tables(results))
    lines = [line for line in markdown(results).split("\n") if line.startswith("| ")]
    sizes = [len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) - 1 for line in lines]
    assert sizes == [len(grid.head) for grid in made for _ in range(len(grid.rows) + 2)]


def bare(text: str) -> str:
    """LaTeX without comments and without escaped characters."""
    return re.sub(r"\\[\\{}#$%&_]", "", re.sub(r"(?m)^%.*$", "", text))


@settings(max_examples=30)
@given(any_results())
def test_latex_is_balanced_and_nothing_in_a_name_is_a_command(results: Results) -> None:
    made = latex(results)
    depth = 0
    for char in bare(made):
        depth += (char == "{") - (char == "}")
        assert depth >= 0
    assert depth == 0
    assert not set("#%^~") & set(bare(made))
    assert set(re.findall(r"\$.*?\$", bare(made))) <= {"$-$"}
    for tabular in re.findall(r"\\begin\{tabular\}\{([lr]+)\}\n(.*?)\\end", made, re.DOTALL):
        for row in re.findall(r"(?m)^(.*) \\\\$", tabular[1]):
            assert len(re.findall(r"(?<!\\)&", row)) + 1 == len(tabular[0])
            assert not row.startswith(("[", "*"))


def test_latex_escapes_and_keeps_signatures() -> None:
    made = latex(Results((r"a_b & 100% {x} \y",), small("WiSeBE").scores))
    assert r"\caption{WiSeBE of a\_b \& 100\% \{x\} \textbackslash{}y}" in made
    assert f"\n% {small('WiSeBE').scores[0].signatures[0]}\n" in made
    assert (
        r"\texttt{WiSeBE(protocol='paper', window\_gap=2)\textbar\allowbreak{}references=3" in made
    )
    assert r"wisebe & 0.1905 \\" in made


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
def test_latex_compiles(tmp_path: Path) -> None:
    body = latex(many([(5,)] * 5, [(4, 5)] * 5)) + latex(small("WiSeBE", "Boundary", "Agreement"))
    head = "\\documentclass{article}\n\\usepackage[T1]{fontenc}\n\\usepackage{booktabs}\n"
    whole = f"{head}\\begin{{document}}\n{body}\\end{{document}}\n"
    (tmp_path / "t.tex").write_text(whole, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout.decode("utf-8", "replace")[-2000:]


@given(st.text(max_size=60), st.integers(2, 20))
def test_wrapping_loses_nothing_but_blanks(given: str, room: int) -> None:
    lines = wrap(printable(given), room)
    assert "".join(lines).replace(" ", "") == printable(given).replace(" ", "")
    assert all(wide(line) <= room for line in lines)


@given(st.lists(st.integers(1, 30), min_size=1, max_size=25), st.integers(1, 60))
def test_folding_keeps_every_column_once_and_in_order(sizes: list[int], label: int) -> None:
    head = ("x" * label, *(str(i) for i in range(len(sizes))))
    grid = Table("", head, (("x" * label, *("9" * size for size in sizes)),))
    parts = grid.fold(80)
    assert [name for part in parts for name in part.head[1:]] == list(head[1:])
    assert [cell for part in parts for cell in part.rows[0][1:]] == list(grid.rows[0][1:])
    for part in parts:
        numbers = sum(len(cell) + 2 for cell in part.rows[0][1:])
        assert numbers + min(label, 24) <= 80 or len(part.head) == 2
