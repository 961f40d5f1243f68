"""Lay tables out for a terminal, for Markdown and for LaTeX."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence

from caesura.evaluation.reports.score_tables import result_tables
from caesura.evaluation.reports.table import GAP, WIDTH, Table, display_width, wrap
from caesura.evaluation.reports.write import Results

TERMINAL_DOCUMENTS = 10
"""The most documents in a table for a terminal."""

PRINTED_DOCUMENTS = 40
"""The most documents in a table for a printed page."""

PAGE_WIDTH = 90
"""Characters that fit a line of a printed page in small type."""


NOT_LATIN = re.compile("[\u0370-\u1fff\u2e80-\U0010ffff]")
"""Letters that pdfLaTeX cannot set."""


def wrapped_table(rows: Sequence[Sequence[str]], head: Sequence[str], width: int = WIDTH) -> str:
    """Lay out rows for a terminal; the last column is wrapped to fit, others may have lines."""
    cells = [[cell.split("\n") for cell in row] for row in (head, *rows)]
    widths = [max(len(line) for row in cells for line in row[i]) for i in range(len(head))]
    room = max(20, width - sum(widths[:-1]) - GAP * (len(head) - 1))
    widths[-1] = min(widths[-1], room)
    lines = []
    for *front, last in cells:
        wrapped = textwrap.wrap(" ".join(last), room, break_long_words=False) or [""]
        lines += _row([*front, wrapped], widths, labels=len(head))
    lines.insert(1, (" " * GAP).join("─" * size for size in widths))
    return "\n".join(lines)


def terminal(results: Results) -> str:
    """Lay results out for a terminal of 80 columns; numbers and signatures are never cut."""
    return "\n\n".join(plain_table(table) for table in result_tables(results, TERMINAL_DOCUMENTS))


def plain_table(table: Table) -> str:
    """Lay out one table for a terminal, with its title, notes and signatures."""
    parts = ["\n".join(wrap(table.title, WIDTH))] if table.title else []
    parts += ["\n".join(_lines(part)) for part in table.fold(WIDTH)]
    parts += ["\n".join(wrap(note, WIDTH)) for note in table.notes]
    parts += table.signatures
    return "\n\n".join(parts)


def _lines(table: Table) -> list[str]:
    """Return the lines of a table: labels on the left, wrapped; numbers aligned to the right."""
    widths = table.narrow_widths(WIDTH)
    widths[0] -= max(0, sum(widths) + GAP * (len(widths) - 1) - WIDTH)
    heads = [wrap(cell, size) for cell, size in zip(table.head, widths, strict=True)]
    height = max(map(len, heads))
    raised = [[*[""] * (height - len(lines)), *lines] for lines in heads]
    laid_out = _row(raised, widths, table.labels)
    laid_out.append((" " * GAP).join("─" * size for size in widths))
    for row in table.rows:
        cells = [
            wrap(cell, size) if i < table.labels else [cell]
            for i, (cell, size) in enumerate(zip(row, widths, strict=True))
        ]
        laid_out += _row(cells, widths, table.labels)
    return laid_out


def _row(cells: Sequence[Sequence[str]], widths: Sequence[int], labels: int) -> list[str]:
    """Put cells side by side; each is a list of lines."""
    lines = []
    for at in range(max(map(len, cells))):
        texts = [cell[at] if at < len(cell) else "" for cell in cells]
        lines.append((" " * GAP).join(_pad_cells(texts, widths, labels)).rstrip())
    return lines


def markdown(results: Results) -> str:
    """Write results as Markdown with tables in the style of GitHub."""
    return markdown_tables(result_tables(results))


def markdown_tables(tables: Iterable[Table]) -> str:
    """Write tables as Markdown, one after another."""
    return "\n\n".join(map(markdown_table, tables)) + "\n"


def markdown_table(table: Table) -> str:
    """Write a table as Markdown, with its title, notes and signatures."""
    parts = [
        f"### {_escape_markdown(table.title)}",
        markdown_rows(table),
        *map(_escape_markdown, table.notes),
    ]
    return "\n\n".join([*parts, *map(_code, table.signatures)])


def markdown_rows(table: Table) -> str:
    """Write header and rows as a Markdown table with aligned columns."""
    cells = [[_escape_markdown(cell) for cell in row] for row in (table.head, *table.rows)]
    widths = [max(3, *(display_width(row[i]) for row in cells)) for i in range(len(table.head))]
    rule = ["-" * (w - 1) + ("-" if i < table.labels else ":") for i, w in enumerate(widths)]
    return "\n".join(
        f"| {' | '.join(_pad_cells(row, widths, table.labels))} |"
        for row in (cells[0], rule, *cells[1:])
    )


def _pad_cells(cells: Sequence[str], widths: Sequence[int], labels: int) -> list[str]:
    """Pad cells: labels on the right side, numbers on the left."""
    blanks = [" " * (size - display_width(cell)) for cell, size in zip(cells, widths, strict=True)]
    return [
        cell + blank if i < labels else blank + cell
        for i, (cell, blank) in enumerate(zip(cells, blanks, strict=True))
    ]


def _escape_markdown(text: str) -> str:
    """Escape characters that have a meaning in Markdown."""
    text = re.sub(r"([\\`*|~<>&])|(?<!\w)_|_(?!\w)", r"\\\g<0>", text)
    return text.replace("](", "]\\(").strip()


def _code(text: str) -> str:
    """Write a text as code, between more backquotes than it has in a row."""
    runs = [len(run) for run in re.findall("`+", text)]
    fence = "`" * (max(runs, default=0) + 1)
    edge = " " if runs else ""
    return f"{fence}{edge}{text}{edge}{fence}"


def latex(results: Results) -> str:
    """Write results as LaTeX tables, which need the package booktabs."""
    return latex_tables(result_tables(results, PRINTED_DOCUMENTS))


def latex_tables(tables: Iterable[Table]) -> str:
    """Write tables as LaTeX, one after another."""
    head = "% \\usepackage{booktabs}\n% \\usepackage[T1]{fontenc}\n"
    body = "\n\n".join(map(_latex_table, tables)) + "\n"
    if NOT_LATIN.search(body):
        head += "% LuaLaTeX or XeLaTeX, with a font that has all letters below\n"
    return f"{head}\n{body}"


def _latex_table(table: Table) -> str:
    lines = [f"% {line}" for line in table.signatures]
    lines += [
        r"\begin{table}[htbp]",
        r"\centering\small",
        rf"\caption{{{_escape_latex(table.title)}}}",
    ]
    for part in table.fold(PAGE_WIDTH):
        lines += [*_tabular(part), ""]
    small = [_escape_latex(note) for note in table.notes]
    small += [rf"\texttt{{{_breakable_signature(line)}}}" for line in table.signatures]
    lines += [rf"\par\smallskip\parbox{{\linewidth}}{{\footnotesize {line}}}" for line in small]
    return "\n".join([*lines, r"\end{table}"])


def _tabular(table: Table) -> list[str]:
    sides = "l" * table.labels + "r" * (len(table.head) - table.labels)
    head, *rows = [_latex_row(row) for row in (table.head, *table.rows)]
    return [
        rf"\begin{{tabular}}{{{sides}}}",
        *(r"\toprule", head, r"\midrule", *rows, r"\bottomrule"),
        r"\end{tabular}",
    ]


def _latex_row(row: Sequence[str]) -> str:
    text = " & ".join(_escape_latex(cell).strip() for cell in row)
    # LaTeX takes a bracket or a star after the end of a row for an option of it.
    return ("{}" if text.startswith(("[", "*")) else "") + text + r" \\"


ESCAPES = str.maketrans(
    {
        **{char: f"\\{char}" for char in "{}#$%&_"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "|": r"\textbar{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        '"': r"\textquotedbl{}",
        "…": r"\ldots{}",
        "–": "--",
        "−": "$-$",
        "·": r"\textperiodcentered{}",
        "\ufffd": "?",
        "\0": "{}",
    }
)


def _escape_latex(text: str) -> str:
    """Escape characters that have a meaning in LaTeX, and write minus signs as such."""
    # Two of these in a row would be set as one other sign.
    apart = re.sub(r"([-'`,])(?=\1)", "\\1\0", text)
    return re.sub(r"(?<![\w.}-])-(?=\d)", "$-$", apart.translate(ESCAPES))


def _breakable_signature(signature: str) -> str:
    """Let lines of a signature end after each of its parts."""
    return r"\textbar\allowbreak{}".join(map(_escape_latex, signature.split("|")))
