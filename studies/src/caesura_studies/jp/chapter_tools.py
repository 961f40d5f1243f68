"""The chapter that compares tools: how well each segments raw text into sentences and tokens."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from caesura.core.errors import CaesuraError
from caesura.core.values import Undefined
from caesura.metrics.joint import Joint
from caesura_studies.jp import segmenters
from caesura_studies.jp.segmenters import Segmenter
from caesura_studies.jp.treebanks import Result, Treebank, transcript_of
from caesura_studies.report import (
    Part,
    Picture,
    draw_points,
    make_table,
    markdown_list,
    omitted_chapter,
    with_interval,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

logger = logging.getLogger("caesura.studies")

TITLE = "Several tools on all treebanks"
TABLES = {
    "Sentences": ("kept", "sentence"),
    "Tokens": ("kept", "token"),
    "Syntactic words": ("split", "token"),
}
"""For each table, what is done with multiword tokens, and what is counted."""

METRICS = {multiwords: Joint(multiwords=multiwords) for multiwords, _ in TABLES.values()}
FIGURE = "segmenters.svg"

Cell = Mapping[str, Result] | str
"""The results of a tool on a treebank, by treatment of multiword tokens; or why there are none."""

Cells = Mapping[str, Mapping[str, Cell]]
"""Cells by treebank and tool."""


INTRODUCTION = (
    "Each tool gets the raw text of a treebank: surface tokens with the blanks that the file gives "
    "them, paragraphs and documents (where the file marks any) one by one, so that their ends are "
    "sentence ends for all. Table 1 is another task: there nltk got whole files, with lines filled "
    "to 80 characters. A tool gets the language if it accepts one. Names as in the paper are its "
    "files, others are those in `ud/`, so a treebank may occur in two releases. Where a file marks "
    "no paragraphs, unrelated sentences may stand side by side, which is hard on any "
    "tool.\n\nTokens are what is written: multiword tokens (French *du*, English *don't* in some "
    "treebanks) count whole. For syntactic words they are split, as in Table 1, so that tools that "
    "split *do n't* gain and what is not written as such (*de le*) is lost. Each cell has F1 and "
    "its interval; intervals that overlap leave open who is better."
)


def chapter(treebanks: Sequence[Treebank]) -> Part:
    """Run all installed tools on all treebanks and compare them."""
    if not treebanks:
        return omitted_chapter("segmenters", TITLE, "there is no treebank")
    cells: dict[str, dict[str, Cell]] = {}
    for treebank in treebanks:
        logger.info("cutting %s", treebank.name)
        paragraphs = treebank.paragraphs
        cells[treebank.name] = {
            tool.name: _cell(tool, treebank, paragraphs) for tool in segmenters.SEGMENTERS
        }
    tools = [tool for tool in segmenters.SEGMENTERS if any(_results(cells, tool))]
    text = [
        INTRODUCTION,
        *(each for title in TABLES for each in _table(cells, treebanks, tools, title)),
        "### The tools",
        markdown_list([_describe_tool(tool) for tool in tools]),
        *_tools_that_change_text(cells, tools),
        *_missing_results(cells),
    ]
    picture = Picture(FIGURE, "Sentence F1 by treebank", (7.2, 3.2), partial(_draw, cells, tools))
    short = [*_best(cells, tools), *_unavailable_tools(cells)]
    numbers = {"versions": {t.name: t.version for t in tools}, "results": _to_json(cells)}
    return Part("segmenters", TITLE, "\n\n".join(text), numbers, short, (picture,))


def _cell(tool: Segmenter, treebank: Treebank, paragraphs: Iterable[str]) -> Cell:
    ready = tool.load(treebank.language)
    if isinstance(ready, str):
        return ready
    system = transcript_of(sentence for text in paragraphs for sentence in ready(text))
    try:
        return {
            name: Result.of(metric.match(system, treebank.gold).matching, treebank.units)
            for name, metric in METRICS.items()
        }
    except CaesuraError as error:
        return str(error)


def _results(cells: Cells, tool: Segmenter, title: str = "Sentences") -> dict[str, Result]:
    """Return the results of a tool for one of the tables, by treebank."""
    multiwords, kind = TABLES[title]
    if kind == "token" and not tool.tokens:
        return {}
    found = {name: row[tool.name] for name, row in cells.items()}
    return {name: c[multiwords] for name, c in found.items() if not isinstance(c, str)}


def _table(
    cells: Cells, treebanks: Sequence[Treebank], tools: Sequence[Segmenter], title: str
) -> list[str]:
    found = {tool.name: _results(cells, tool, title) for tool in tools}
    shown = {name: results for name, results in found.items() if results}
    if not shown:
        return []
    rows = [
        [each.name, each.language, *(_f1(made.get(each.name), title) for made in shown.values())]
        for each in treebanks
    ]
    return [f"### {title}", make_table(("treebank", "language", *shown), rows, 2)]


def _f1(result: Result | None, title: str) -> str:
    if result is None:
        return "–"
    name = f"{TABLES[title][1]}_f1"
    return with_interval(result.values[name], result.intervals[name])


def _describe_tool(tool: Segmenter) -> str:
    parts = [tool.note, "" if tool.tokens else "finds sentences only"]
    named = f"**{tool.name}** {tool.version}".rstrip()
    return f"{named}: {'; '.join(filter(None, parts))}".removesuffix(": ")


def _tools_that_change_text(cells: Cells, tools: Sequence[Segmenter]) -> list[str]:
    """List the tools that do not return the characters they were given."""
    description = []
    for tool in tools:
        shared = {name: each.shared for name, each in _results(cells, tool).items()}
        less = {n: s for n, s in shared.items() if not isinstance(s, Undefined) and s < 1}
        if less:
            worst = min(less, key=less.__getitem__)
            description.append(
                f"{tool.name} on {len(less)} of {len(shared)} treebanks; the least on {worst}, "
                f"where {less[worst]:.2%} of all characters are shared"
            )
    if not description:
        return []
    return [
        "Some tools do not give back all characters as they got them (blanks aside). The CoNLL "
        "2018 evaluator refuses such output; here it is aligned:",
        markdown_list(description),
    ]


def _reasons(cells: Cells) -> dict[tuple[str, str], list[str]]:
    """For each tool and reason, list the treebanks for which it has no result."""
    found: dict[tuple[str, str], list[str]] = {}
    for name, row in cells.items():
        for tool, cell in row.items():
            if isinstance(cell, str):
                found.setdefault((tool, cell), []).append(name)
    return found


def _missing_results(cells: Cells) -> list[str]:
    items = [
        f"**{tool}**{'' if len(names) == len(cells) else ' on ' + ', '.join(names)}: {reason}"
        for (tool, reason), names in _reasons(cells).items()
    ]
    return ["### Left out", markdown_list(items)] if items else []


def _unavailable_tools(cells: Cells) -> list[str]:
    """Name the tools that have no result at all, by reason."""
    found: dict[str, list[str]] = {}
    for (tool, reason), names in _reasons(cells).items():
        if len(names) == len(cells):
            found.setdefault(reason, []).append(tool)
    return [f"Left out: {', '.join(tools)} ({reason})." for reason, tools in found.items()]


def _best(cells: Cells, tools: Sequence[Segmenter]) -> list[str]:
    """Name the tools with the highest F1 on each treebank."""
    description = []
    for title, (_, kind) in TABLES.items():
        scores = {
            tool.name: {n: r.values[f"{kind}_f1"] for n, r in _results(cells, tool, title).items()}
            for tool in tools
        }
        led: dict[str, list[str]] = {}
        for name in cells:
            known = {tool: made[name] for tool, made in scores.items() if name in made}
            values = {tool: v for tool, v in known.items() if not isinstance(v, Undefined)}
            for tool in (t for t, v in values.items() if v == max(values.values())):
                led.setdefault(tool, []).append(name)
        shown = "; ".join(f"{tool} ({', '.join(names)})" for tool, names in led.items())
        if shown:
            description.append(
                f"{title}, highest F1 of the tools tried (mind the intervals): {shown}."
            )
    return description


def _to_json(cells: Cells) -> dict[str, dict[str, object]]:
    return {
        name: {
            tool: {"left_out": cell}
            if isinstance(cell, str)
            else {multiwords: result.to_json() for multiwords, result in cell.items()}
            for tool, cell in row.items()
        }
        for name, row in cells.items()
    }


def _draw(cells: Cells, tools: Sequence[Segmenter], axes: Axes) -> None:
    places = {name: at for at, name in enumerate(cells)}
    series = {}
    for tool in tools:
        values = {n: r.values["sentence_f1"] for n, r in _results(cells, tool).items()}
        series[tool.name] = [
            (float(places[n]), v) for n, v in values.items() if not isinstance(v, Undefined)
        ]
    draw_points(axes, series)
    axes.set_xticks(list(places.values()), list(places), rotation=30, ha="right")
    axes.set_ylabel("sentence F1")
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
