"""The chapter on the paper's systems, trained again: Tables 3 to 5 on v6 and on interviews."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

from caesura.core.arrays import Strings
from caesura.core.protocols import Metric
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.core.values import Value
from caesura.detectors.neural.net_detector import NetDetector
from caesura.evaluation.scores import Scores
from caesura.metrics.agreement import Agreement
from caesura.metrics.base import mean_over_references
from caesura.metrics.boundary import Boundary
from caesura.metrics.wisebe import WiSeBE
from caesura_studies.report import Part, format_value, make_table
from caesura_studies.wisebe import chapter_video, paper
from caesura_studies.wisebe.chapter_agreement import CorpusAgreement
from caesura_studies.wisebe.neural_systems import CALLS, LEFT_OUT, TEXT, NetPlan
from caesura_studies.wisebe.paper import MEASURES, SYSTEMS
from caesura_studies.wisebe.system_pairs import (
    JOINT_JUDGES,
    METRICS,
    TESTS_NOTE,
    SystemPair,
    by_metric,
    by_recording,
)
from caesura_studies.wisebe.systems import score_system

TITLE = "The paper's systems, trained again"
PRINTED = f"{chapter_video.VIDEO}, paper"
ALL, MEAN = "all", "mean of rates"

Values = Mapping[Metric, Mapping[str, Value]]
Row = tuple[str, str, Values]
"""A recording, a system and its values there."""


@dataclass(frozen=True)
class NetScores:
    """Both nets on the recordings of a corpus; `agreement` has the references and the words."""

    name: str
    references: Strings
    agreement: Scores
    nets: Mapping[str, NetDetector]

    @cached_property
    def pair(self) -> SystemPair:
        """The scores of the two nets."""
        one, other = (
            score_system(_detection(self.nets[name]), self.agreement, METRICS) for name in SYSTEMS
        )
        return SystemPair(self.references, (SYSTEMS[0], SYSTEMS[1]), (one, other))

    @property
    def ids(self) -> list[str]:
        """The names of the recordings."""
        count = len(self.agreement.documents)
        return [each.id if count > 1 else self.name for each in self.agreement.documents]

    def rows(self) -> Iterator[Row]:
        """Yield the values of both nets in each recording, then over all recordings."""
        columns = [
            zip(*(by_recording(scores, metric) for metric in METRICS), strict=True)
            for scores in self.pair.scores
        ]
        for id, values in zip(self.ids, zip(*columns, strict=True), strict=True):
            for system, own in zip(SYSTEMS, values, strict=True):
                yield id, system, dict(zip(METRICS, own, strict=True))
        if len(self.ids) > 1:
            for system, scores in zip(SYSTEMS, self.pair.scores, strict=True):
                yield ALL, system, by_metric(scores)


def _detection(net: NetDetector) -> Callable[[Strings], Segmentation]:
    return lambda words: net.detect(Transcript(words))


def on_video(data: Path, nets: Mapping[str, NetDetector]) -> NetScores:
    """Score the nets on the words of the paper's video."""
    first, *_ = names = paper.REFERENCES
    agreement = chapter_video.score(chapter_video.read_files(data), first, (Agreement(),))
    return NetScores(chapter_video.VIDEO, names, agreement, nets)


def on_corpus(agreement: CorpusAgreement, nets: Mapping[str, NetDetector]) -> NetScores:
    """Score the nets on a corpus with several transcribers."""
    return NetScores(agreement.corpus.name, tuple(agreement.texts), agreement.scores, nets)


def chapter(found: Sequence[NetScores], plan: NetPlan) -> Part:
    """Write the chapter: the tables of the paper for the nets, corpus by corpus."""
    nets = found[0].nets
    text = [_introduction(nets, plan)]
    for each in found:
        text += [f"### {each.name}", *_corpus(each)]
    numbers: dict[str, Any] = {"nets": {name: repr(net) for name, net in nets.items()}}
    numbers |= {each.name: _numbers(each) for each in found}
    return Part("nets", TITLE, "\n\n".join(text), numbers, [_short(each) for each in found])


def _introduction(nets: Mapping[str, NetDetector], plan: NetPlan) -> str:
    rows = [[name, net.brief, net.describe()] for name, net in nets.items()]
    return (
        "The authors' systems are not public, only what they found. So both are trained here, on "
        f"{plan.words:,} words of each source: the files of `{TEXT}` without "
        f"{', '.join(LEFT_OUT)}, and the calls of `{CALLS}`. **S1** is the convolutional net, "
        "**S2** the bidirectional recurrent net with attention; S2 learns commas and question "
        "marks too. They see words alone, in lower case. The bias is the one with the best F1 on "
        "text held out, a tenth of it. The nets are stored in `models`, which a second run uses "
        f"and which can be removed. {TESTS_NOTE}\n\n"
        + make_table(("system", "net", "size"), rows, 3)
        + "\n\nThe tables have the form of the paper's; `all` is computed from counts summed over "
        f"recordings, `{MEAN}` is the mean over recordings, as the paper has it."
    )


def _corpus(found: NetScores) -> list[str]:
    return [
        "Boundaries of the references and the systems (Tables 2 and 3):",
        _boundaries(found),
        "Each reference by itself (Table 4):",
        _single_references(found),
        "All references at once (Table 5):",
        _all_references(found),
        "The two systems compared:",
        found.pair.table(),
    ]


def _boundaries(found: NetScores) -> str:
    places = range(1, len(found.references) + 1)
    agreed = [*by_recording(found.agreement, Agreement()), by_metric(found.agreement)[Agreement()]]
    boundaries: dict[str, list[str]] = {}
    for id, _, values in found.rows():
        boundaries.setdefault(id, []).append(format_value(values[WiSeBE()]["boundaries"]))
    rows = [
        [id, *(format_value(real[f"boundaries_{i}"]) for i in places), *own]
        for (id, own), real in zip(boundaries.items(), agreed, strict=False)
    ]
    if found.name == chapter_video.VIDEO:
        names = (*found.references, *SYSTEMS)
        rows.append([PRINTED, *(paper.BY_VIDEO[name, found.name] for name in names)])
    return make_table(("recording", *found.references, *SYSTEMS), rows)


def _single_references(found: NetScores) -> str:
    endings = [f"_{i}" for i in range(1, len(found.references) + 1)] + [""]
    columns = [*product(endings, MEASURES)]
    titles = [f"{column} {m}" for column, m in product((*found.references, "mean"), MEASURES)]
    names = {"P": "precision", "R": "recall", "F1": "f1"}

    def cells(values: Values) -> list[Value]:
        return [values[Boundary()][names[measure] + ending] for ending, measure in columns]

    rows = _with_means(found, cells)
    if found.name == chapter_video.VIDEO:
        for system in SYSTEMS:
            printed = [
                paper.TABLE_4[(found.name, system, *place)]
                for place in product(paper.COLUMNS, MEASURES)
            ]
            rows.append([PRINTED, system, *printed])
    return make_table(("recording", "system", *titles), rows, 2)


def _all_references(found: NetScores) -> str:
    mean, windows, wisebe = (JOINT_JUDGES[name] for name in paper.SCORES)
    columns = (mean, windows, (WiSeBE(), "agreement_ratio"), wisebe)

    def cells(values: Values) -> list[Value]:
        return [values[metric][name] for metric, name in columns]

    rows = _with_means(found, cells)
    if found.name == chapter_video.VIDEO:
        for system in SYSTEMS:
            one, two, three = (paper.TABLE_5[found.name, system, name] for name in paper.SCORES)
            ratio = paper.TABLE_5[found.name, "", paper.RATIO]
            rows.append([PRINTED, system, one, two, ratio, three])
    titles = (*paper.SCORES[:2], paper.RATIO, paper.SCORES[2])
    return make_table(("recording", "system", *titles), rows, 2)


def _with_means(found: NetScores, cells: Callable[[Values], list[Value]]) -> list[list[str]]:
    """Return the rows of a table; if there are several recordings, with the means of rates."""
    made = [(id, system, cells(values)) for id, system, values in found.rows()]
    rows = [[id, system, *map(format_value, own)] for id, system, own in made]
    if len(found.ids) > 1:
        for system in SYSTEMS:
            single = (own for id, which, own in made if which == system and id != ALL)
            means = [mean_over_references(list(column)) for column in zip(*single, strict=True)]
            rows.append([MEAN, system, *map(format_value, means)])
    return rows


def _numbers(found: NetScores) -> dict[str, Any]:
    return {
        "recordings": [
            {"recording": id, "system": system}
            | {repr(metric): own for metric, own in values.items()}
            for id, system, values in found.rows()
        ],
        "tests": found.pair.differences,
    }


def _short(found: NetScores) -> str:
    parts = []
    for name in (paper.MEAN_F1, paper.WISEBE):
        one, other = map(format_value, found.pair.values(name))
        part = f"{name} of S1 {one}, of S2 {other}"
        if found.name == chapter_video.VIDEO:
            printed = (paper.TABLE_5[found.name, system, name] for system in SYSTEMS)
            part += f" (paper: {', '.join(printed)})"
        parts.append(part)
    return f"The paper's systems trained again, on {found.name}: {'; '.join(parts)}."
