"""The page that compares models: Markdown from scores, costs and human agreement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from caesura.core.values import Undefined, Value
from caesura.evaluation.resampling import FEW_UNITS, Interval

SIGNIFICANT = 0.05
SEEN = "†"
"""Marks scores on recordings that a model was trained on."""

NONE = "–"

INTRODUCTION = """# Models compared

Every model and baseline on every corpus, written by `make models` \
([recipes/compare_models.py](../recipes/compare_models.py)). \
Numbers are the F1 of sentence boundaries, without the last gap of a recording. Words are in lower \
case and have no punctuation, except in the original text of the treebank. Boundaries are where a \
person wrote `.`, `?` or `!`.

- In brackets: the 95 % interval of a bootstrap over recordings (over blocks of sentences where \
there is one recording). A call that several recognisers heard is one recording.
- `=`: not different from the best row that was not trained on these recordings (paired \
randomization test, p ≥ .05, not corrected for the number of rows). With few recordings no \
difference can be shown.
- {seen}: the model was trained on these recordings. Such a number says nothing about other \
recordings and takes no part in the tests.
- *a second person*: the F1 of other people's transcripts of the same recordings, after alignment. \
These references cannot show that a model is better than that.
"""


def short(value: float) -> str:
    """Return a number with three digits, and without the 0 before the point."""
    return f"{value:.3f}".removeprefix("0")


@dataclass(frozen=True)
class Cell:
    """The F1, or another value, of a system on a task, with its interval and a test.

    The test is that of the difference from the best system.
    """

    f1: Value
    interval: Interval | Undefined
    p: float | None = None
    """The p-value of the difference from the best; None for the best and if untested."""

    is_best: bool = False
    was_seen: bool = False

    def brief(self) -> str:
        """Return the F1 alone."""
        if isinstance(self.f1, Undefined):
            return NONE
        mark = SEEN if self.was_seen else ""
        text = short(self.f1)
        return f"**{text}**" if self.is_best else text + mark

    def full(self) -> str:
        """Return the F1 with its interval, and whether it differs from the best."""
        if isinstance(self.f1, Undefined) or isinstance(self.interval, Undefined):
            return self.brief()
        low, high = map(short, self.interval)
        same = " =" if self.p is not None and self.p >= SIGNIFICANT else ""
        return f"{self.brief()} [{low}, {high}]{same}"


@dataclass(frozen=True)
class Result:
    """The scores of all systems on one task."""

    corpus: str
    input: str
    recordings: int
    words: int
    sentences: int
    cells: Mapping[str, Cell]


@dataclass(frozen=True)
class Cost:
    """What a system needs: words in a second on one core, memory in MB, and bytes on disk."""

    words_per_second: float
    megabytes: float
    bytes: int | None


def page(
    results: Sequence[Result],
    about: Mapping[str, str],
    ceilings: Mapping[str, float],
    costs: Mapping[str, Cost],
    remarks: Iterable[str],
    sections: Iterable[str] = (),
) -> str:
    """Return the text of the page; `sections` come after the tables of the corpora."""
    systems = list(dict.fromkeys(name for result in results for name in result.cells))
    parts = [INTRODUCTION.format(seen=SEEN)]
    if results:
        parts += ["## Summary", _summary(systems, results, ceilings)]
    if costs:
        parts += ["## Speed, memory and size", COSTS, _costs(systems or list(costs), costs)]
    for corpus, text in about.items():
        own = [result for result in results if result.corpus == corpus]
        if own:
            parts += [f"## {corpus}", _described(text, own), _table(systems, own, ceilings)]
    parts += [*sections, "## What was run", "\n".join(f"- {remark}" for remark in remarks)]
    return "\n\n".join(part.strip() for part in parts) + "\n"


COSTS = (
    "Measured one after another in one run, each in a process of its own on one core: words per "
    "second of processor time on a call with word times, once loaded, and the memory that loading "
    "and segmenting it added."
)


def _summary(
    systems: Sequence[str], results: Sequence[Result], ceilings: Mapping[str, float]
) -> str:
    rows = [
        (
            f"{result.corpus}: {result.input}",
            _ceiling(ceilings.get(result.corpus)),
            *(_brief(result, name) for name in systems),
        )
        for result in results
    ]
    return markdown(("", "a second person", *systems), rows)


def _brief(result: Result, name: str) -> str:
    return result.cells[name].brief() if name in result.cells else NONE


def _ceiling(value: float | None) -> str:
    return NONE if value is None else f"*{value:.3f}*".replace("*0.", "*.")


def _costs(systems: Sequence[str], costs: Mapping[str, Cost]) -> str:
    rows = [
        (
            name,
            f"{round(costs[name].words_per_second, -2):,.0f}",
            f"{costs[name].megabytes:,.0f}",
            NONE if costs[name].bytes is None else f"{(costs[name].bytes or 0) / 1e6:.1f}",
        )
        for name in systems
        if name in costs
    ]
    return markdown(("", "words per second", "memory (MB)", "size (MB)"), rows)


def _described(text: str, results: Sequence[Result]) -> str:
    first = results[0]
    count = f"{first.words:,} words, {first.sentences:,} sentence ends."
    few = first.recordings < FEW_UNITS and first.recordings > 1
    warning = " With so few recordings intervals are too narrow." if few else ""
    return f"{text[:1].upper()}{text[1:]}: {count}{warning}"


def _table(systems: Sequence[str], results: Sequence[Result], ceilings: Mapping[str, float]) -> str:
    def rows() -> Iterator[tuple[str, ...]]:
        for name in systems:
            cells = [result.cells.get(name) for result in results]
            yield (name, *(NONE if cell is None else cell.full() for cell in cells))
        ceiling = ceilings.get(results[0].corpus)
        if ceiling is not None:
            yield ("*a second person*", *(_ceiling(ceiling) for _ in results))

    return markdown(("", *(result.input for result in results)), list(rows()))


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table; all columns but the first are of numbers."""
    ruler = ["---", *("--:" for _ in head[1:])]
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, ruler, *rows))
