"""The chapter that checks the paper's tables against each other and against its text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from statistics import mean

from caesura.evaluation.correlation import pearson
from caesura_studies.report import (
    Number,
    Part,
    format_fraction,
    half_unit,
    make_table,
    markdown_list,
    wrong,
)
from caesura_studies.wisebe import paper
from caesura_studies.wisebe.paper import (
    BY_VIDEO,
    REFERENCES,
    SYSTEMS,
    TABLE_4,
    TABLE_5,
    VIDEOS,
    fitted_cell,
    misfits,
    order,
    sizes,
)

BY_READING = (
    "Equation 4 sums t_ij where the text defines b_ij.",
    "Equations 12 and 13 say “for all” where “there is” is meant.",
    "The window limit is never given a value (2 words, by the numbers of v6).",
    "One reference alone has R_GAR 0 by equation 6, though nobody disagrees: here it is undefined.",
)
"""Errors that no computation finds."""


def _totals() -> Iterator[Number]:
    for name in (*REFERENCES, *SYSTEMS):
        total = sum(int(BY_VIDEO[name, video]) for video in VIDEOS)
        yield Number(f"total of {name}", BY_VIDEO[name, paper.ALL], total, "sum of the row")


def _percentages() -> Iterator[Number]:
    totals = [Fraction(BY_VIDEO[name, paper.ALL]) for name in (*REFERENCES, *SYSTEMS)]
    first, second, third, ours, theirs = totals
    fewer, more = 1 - third / mean([first, second]), ours / theirs - 1
    yield Number("text, per cent fewer in ref_3", paper.FEWER, 100 * fewer, "totals of Table 2")
    yield Number("text, per cent more in S1", paper.MORE, 100 * more, "totals of Table 3")


def _names() -> Iterator[Number]:
    for video in VIDEOS:
        printed = ", ".join(BY_VIDEO[name, video] for name in REFERENCES)
        right = ", ".join(map(str, sizes(video).values()))
        why = (
            f"{misfits(video, REFERENCES)} of 18 numbers of Table 4 fit no whole number of shared "
            f"boundaries as printed, {misfits(video, order(video))} do not when exchanged"
        )
        yield Number(f"Table 2, {video} {', '.join(REFERENCES)}", printed, right, why)


def _cells() -> Iterator[Number]:
    for place in product(VIDEOS, SYSTEMS, REFERENCES):
        yield from fitted_cell(*place).values()


def _exact(video: str, system: str, column: str, measure: str) -> Fraction:
    """Return the correct value of a number of Table 4, from the whole numbers behind it."""
    chosen = REFERENCES if column == "mean" else (column,)
    found = [fitted_cell(video, system, each)[measure].right for each in chosen]
    return mean([each for each in found if isinstance(each, Fraction)])


def _means_over_references() -> Iterator[Number]:
    for video, system, measure in product(VIDEOS, SYSTEMS, paper.MEASURES):
        place = (video, system, "mean", measure)
        cells = [_exact(video, system, each, measure) for each in REFERENCES]
        why = f"mean of {', '.join(map(format_fraction, cells))}"
        yield Number(f"Table 4, {' '.join(place)}", TABLE_4[place], _exact(*place), why)


def _means_over_videos() -> Iterator[Number]:
    for (system, column), printed in paper.MEANS_4.items():
        right = mean([_exact(video, system, column, "F1") for video in VIDEOS])
        taken = mean([_f1(video, system, column) for video in VIDEOS])
        why = f"the ten F1 as printed have the mean {format_fraction(taken)}"
        yield Number(f"Table 4, mean scores {system} {column} F1", printed, right, why)


def _f1(video: str, system: str, column: str) -> Fraction:
    return Fraction(TABLE_4[video, system, column, "F1"])


def _bold() -> Iterator[Number]:
    for video, column in product(VIDEOS, paper.COLUMNS):
        f1 = {system: _f1(video, system, column) for system in SYSTEMS}
        best = " and ".join(s for s in SYSTEMS if f1[s] == max(f1.values()))
        marked = " and ".join(s for s in SYSTEMS if (video, s, column) in paper.BOLD)
        why = ", ".join(f"{system} has {format_fraction(each)}" for system, each in f1.items())
        yield Number(f"Table 4, {video} {column}, bold", marked, best, why)


def _wins() -> Iterator[Number]:
    for column, description in paper.WINS_OF_S1.items():
        won = [v for v in VIDEOS if _f1(v, "S1", column) > _f1(v, "S2", column)]
        place = f"text, videos in which S1 is better for {column}"
        yield Number(place, description, len(won), ", ".join(won))
    for system, (reference, description) in paper.NEAREST.items():
        others = [each for each in REFERENCES if each != reference]
        best = {video: max(_f1(video, system, each) for each in others) for video in VIDEOS}
        near = [video for video in VIDEOS if _f1(video, system, reference) > best[video]]
        place = f"text, videos in which {system} is nearest to {reference}"
        yield Number(place, description, len(near), ", ".join(near))


def _repeated() -> Iterator[Number]:
    for (video, system, name), printed in TABLE_5.items():
        if video != paper.ALL and name == paper.MEAN_F1:
            right = TABLE_4[video, system, "mean", "F1"]
            yield Number(f"Table 5, {video} {system} {name}", printed, right, "Table 4")
        elif video != paper.ALL and name == paper.RATIO:
            yield Number(f"Table 5, {video} {name}", printed, BY_VIDEO[name, video], "Table 6")


def _means_of_table_5() -> Iterator[Number]:
    for (video, system, name), printed in TABLE_5.items():
        if video == paper.ALL:
            right = mean([Fraction(TABLE_5[each, system, name]) for each in VIDEOS])
            place = f"Table 5, mean of {system} {name}".replace("  ", " ")
            yield Number(place, printed, right, "mean of the column", half_unit(printed))


def _products() -> Iterator[Number]:
    """Multiply F1 by the agreement ratio; `slack` allows for the rounding of both."""
    for video, system in product(VIDEOS, SYSTEMS):
        f1, ratio = TABLE_5[video, system, paper.WINDOWS], TABLE_5[video, "", paper.RATIO]
        right = Fraction(f1) * Fraction(ratio)
        slack = Fraction(f1) * half_unit(ratio) + Fraction(ratio) * half_unit(f1)
        printed, why = (
            TABLE_5[video, system, paper.WISEBE],
            f"{f1} × {ratio} = {format_fraction(right, 5)}",
        )
        yield Number(f"Table 5, {video} {system} WiSeBE", printed, right, why, slack)


def _range() -> Iterator[Number]:
    ratios = {video: BY_VIDEO[paper.RATIO, video] for video in VIDEOS}
    for name, description, choose in (
        ("lowest", paper.LOWEST, min),
        ("highest", paper.HIGHEST, max),
    ):
        video = choose(ratios, key=lambda each: Fraction(ratios[each]))
        right = f"{video} {ratios[video]}"
        yield Number(f"text, {name} {paper.RATIO}", " ".join(description), right, "Table 6")


def agreement() -> tuple[list[float], list[float]]:
    """Return the agreement ratio and kappa of all videos."""
    one, other = ([float(BY_VIDEO[name, v]) for v in VIDEOS] for name in (paper.RATIO, paper.KAPPA))
    return one, other


def _correlation() -> Iterator[Number]:
    yield Number("text, correlation", paper.CORRELATION, pearson(*agreement()), "Table 6")


CHECKS: Mapping[str, Callable[[], Iterator[Number]]] = {
    "Do Tables 2 and 3 add up to their totals?": _totals,
    "Do the percentages of section 4 follow from the totals?": _percentages,
    "Does Table 2 name the references as Table 4 does?": _names,
    "Is each cell of Table 4 made of whole numbers?": _cells,
    "Are Table 4's means over references right?": _means_over_references,
    "Are Table 4's means over videos right?": _means_over_videos,
    "Is the better F1 of Table 4 bold?": _bold,
    "Are the wins counted in the text those of Table 4?": _wins,
    "Does Table 5 repeat Tables 4 and 6?": _repeated,
    "Are Table 5's means right?": _means_of_table_5,
    "Is WiSeBE of Table 5 the product F1 × R_GAR?": _products,
    "Is the range of the agreement ratio as the text has it?": _range,
    "Is Pearson's coefficient of R_GAR and kappa as the text has it?": _correlation,
}


def run_checks() -> dict[str, list[Number]]:
    """Run all checks; return the numbers that each is about."""
    return {question: list(ask()) for question, ask in CHECKS.items()}


def misprints() -> list[Number]:
    """Return all numbers that cannot be right."""
    return wrong([each for numbers in run_checks().values() for each in numbers])


def chapter() -> Part:
    """Write the chapter: the checks and the misprints."""
    found, bad = run_checks(), misprints()
    counts = [[name, str(len(each)), str(len(wrong(each)))] for name, each in found.items()]
    rows = [[each.place, each.why, each.printed, each.formatted()] for each in bad]
    total = sum(map(len, found.values()))
    text = [
        "All of this is computed from the printed numbers alone. A printed number stands for all "
        "that round to it. For Table 4, every whole number of shared boundaries is tried in each "
        "cell, and every order of the references in each video.",
        make_table(("question", "numbers", "wrong"), counts),
        f"### The {len(bad)} misprints",
        make_table(("where", "how one can tell", "printed", "right"), rows, 2),
        "### Remarks",
        markdown_list([*_remarks(), *(f"By reading: {each}" for each in BY_READING)]),
    ]
    short = f"The paper's tables: {total} numbers checked, {len(bad)} misprints found."
    title = "The paper's tables checked"
    return Part("tables", title, "\n\n".join(text), found, (short,))


def _remarks() -> Sequence[str]:
    alike = [v for v in VIDEOS if len(set(sizes(v).values())) < len(REFERENCES)]
    sums = [f"{name} {sum(sizes(video)[name] for video in VIDEOS)}" for name in REFERENCES]
    loose = [each for each in _products() if not replace(each, slack=Fraction()).agrees]
    formatted = "; ".join(f"{each.why}, printed {each.printed}" for each in loose)
    return (
        f"Whether Table 2 has references exchanged cannot be decided for {', '.join(alike)}: two "
        "have as many boundaries.",
        f"With Table 2's exchanges undone the references have in all: {', '.join(sums)}.",
        "Where WiSeBE of Table 5 is not F1 × R_GAR to the digit, the rounding of the factors "
        f"explains it: {formatted}.",
    )
