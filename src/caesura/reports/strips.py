"""Boundaries as strips: references and systems under each other, word by word."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from caesura.metrics.gaps import ends
from caesura.metrics.wisebe import WiSeBE
from caesura.reports.grid import clean
from caesura.reports.lists import worst_first
from caesura.reports.results import Results
from caesura.scoring import Document
from caesura.transcript import Flags, Indices

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import SubFigure

Panel = tuple[float, Callable[["SubFigure"], None]]
"""Height in inches, and what draws it."""

LENGTH = 400
"""Words that a strip shows; of a longer document those where most is wrong."""

HIT, FALSE, SHADE = "#0072B2", "#D55E00", "#DDDDDD"


Rows = list[tuple[str, Flags]]
"""Names, each with the gaps that are boundaries."""


@dataclass(frozen=True)
class Strip:
    """One document: boundaries of references and systems, and the windows they should meet."""

    document: Document
    references: Rows
    systems: Rows
    windows: tuple[Indices, Indices]
    metric: WiSeBE | None

    @cached_property
    def inside(self) -> Flags:
        """Flag the gaps in windows."""
        steps = np.zeros(self.document.words + 1, np.int64)
        steps[self.windows[0]] += 1
        steps[self.windows[1] + 1] -= 1
        flags: Flags = np.cumsum(steps)[:-1] > 0
        return flags

    def errors(self) -> Indices:
        """Count at each gap the false alarms, and the windows missed that begin there.

        Without a system it is the gaps about which references differ.
        """
        found = np.zeros(self.document.words, np.int64)
        first, last = self.windows
        if not self.systems:
            at = sum(flags.astype(np.int64) for _, flags in self.references)
            found += (at > 0) & (at < len(self.references))
        for _, ours in self.systems:
            found += ours & ~self.inside
            met = np.concatenate([[0], np.cumsum(ours)])
            found[first] += met[last + 1] == met[first]
        return found

    def stretch(self) -> tuple[int, int]:
        """First word, and the one after the last, of the part to show."""
        words = self.document.words
        if words <= LENGTH:
            return 0, words
        sums = np.concatenate([[0], np.cumsum(self.errors())])
        worst = int(np.argmax(sums[LENGTH:] - sums[:-LENGTH]))
        return worst, worst + LENGTH


def panels(results: Results) -> Iterator[Panel]:
    """The strip of the worst document, if boundaries are what was compared."""
    strip = strip_of(results)
    if strip is not None:
        rows = len(strip.references) + len(strip.systems)
        yield 1.25 + 0.19 * rows, lambda place: _draw(place, strip, results)


def strip_of(results: Results) -> Strip | None:
    """Gather the worst document; systems that have other words cannot be drawn beside it."""
    first = results.scores[0]
    document = first.documents[worst_first(results, 0)[0]] if first.documents else None
    if document is None or not document.words or document.compared.sentences is None:
        return None
    there = [
        (name, one)
        for name, one in zip(results.references, document.carried, strict=True)
        if one.sentences is not None and one.words == document.compared.words
    ]
    if not there:
        return None
    metric = next((each for each in first.metrics if isinstance(each, WiSeBE)), None)
    finder = metric or WiSeBE(window_gap=0)
    found = [_of(one.documents, document) for one in results.scores]
    systems = [
        (name, ends(each.compared, finder.count_end))
        for name, each in zip(results.systems, found, strict=True)
        if each.compared.words == document.compared.words and each.compared.sentences is not None
        if not results.among
    ]
    references = [(name, ends(one, finder.count_end)) for name, one in there]
    windows = finder.windows([one for _, one in there])
    return Strip(document, references, systems, windows, metric)


def _of(documents: tuple[Document, ...], wanted: Document) -> Document:
    if len(documents) == 1:
        return documents[0]
    return next(each for each in documents if each.id == wanted.id)


def _draw(place: SubFigure, strip: Strip, results: Results) -> None:
    axes = place.subplots()
    begin, end = strip.stretch()
    rows = [name for name, _ in (*strip.references, *strip.systems)]
    for first, last in zip(*strip.windows, strict=True):
        if begin <= last and first < end:
            # Gap i lies between words i + 1 and i + 2, counted from 1.
            axes.axvspan(first + 0.9, last + 2.1, color=SHADE, lw=0, zorder=0)
    for row, (_, flags) in enumerate(strip.references):
        at = np.flatnonzero(flags[begin:end]) + begin + 1.5
        axes.vlines(at, row - 0.36, row + 0.36, color="0.15", lw=1.0)
    for row, (_, flags) in enumerate(strip.systems, len(strip.references)):
        _marks(axes, row, flags, strip.inside, (begin, end))
    axes.axhline(len(strip.references) - 0.5, color="0.6", lw=0.5)
    axes.set_yticks(range(len(rows)), [short(row) for row in rows])
    axes.tick_params("y", length=0)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlim(begin + 0.5, end + 1.5)
    axes.set_xlabel("word")
    axes.set_title(_title(strip, results, begin, end))
    _legend(place, strip)


def _marks(axes: Axes, row: int, flags: Flags, inside: Flags, part: tuple[int, int]) -> None:
    """Filled where a window is met, open where there is none."""
    begin, end = part
    for chosen, colour, fill in ((inside, HIT, HIT), (~inside, FALSE, "white")):
        at = np.flatnonzero((flags & chosen)[begin:end]) + begin + 1.5
        axes.plot(
            at, [row] * len(at), "o", ms=3.9, mec=colour, mfc=fill, mew=1.0, ls="", clip_on=False
        )


def _title(strip: Strip, results: Results, begin: int, end: int) -> str:
    several = len(results.scores[0].documents) > 1
    what = "Boundaries"
    what += f" of {short(strip.document.id)}, the worst document" if several else ""
    if end - begin < strip.document.words:
        where = "they differ most" if results.among else "most is wrong"
        what += f": words {begin + 1} to {end} of {strip.document.words}, where {where}"
    left = 0 if results.among else len(results.systems) - len(strip.systems)
    return what + (f"\n({left} systems with other words are left out)" if left else "")


def _legend(place: SubFigure, strip: Strip) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    where = "a window" if strip.metric else "a boundary of a reference"
    dot = {"ls": "", "marker": "o", "ms": 3.9}
    handles = [
        Line2D([], [], color="0.15", ls="", marker="|", ms=8),
        Patch(color=SHADE),
        Line2D([], [], mec=HIT, mfc=HIT, **dot),  # type: ignore[arg-type]
        Line2D([], [], mec=FALSE, mfc="white", **dot),  # type: ignore[arg-type]
    ]
    names = [
        "reference",
        f"window (gap {strip.metric.window_gap})" if strip.metric else "in some reference",
        f"hit: in {where}",
        "false alarm",
    ]
    count = 4 if strip.systems else 2
    place.legend(handles[:count], names[:count], loc="outside lower center", ncols=count)


def short(text: str, room: int = 28) -> str:
    """Shorten a name so that it leaves room for the drawing."""
    text = clean(text)
    return text if len(text) <= room else f"{text[: room // 2]}…{text[1 - room // 2 :]}"
