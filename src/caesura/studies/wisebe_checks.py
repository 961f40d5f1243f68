"""The paper's tables checked against each other and against the text, number by number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from caesura.contracts import Undefined
from caesura.numeric.stats import pearson
from caesura.studies import wisebe_cells as table_4
from caesura.studies.printed import fits, half, three
from caesura.studies.wisebe_cells import Finding
from caesura.studies.wisebe_tables import (
    CORRELATION,
    FEWER,
    MEAN_AGREEMENT,
    MORE,
    NEAREST,
    RANGE,
    REFERENCES,
    SYSTEMS,
    TABLE_2,
    TABLE_2_TOTALS,
    TABLE_3,
    TABLE_3_TOTALS,
    TABLE_5,
    TABLE_5_MEANS,
    TABLE_6,
    VIDEOS,
    WINS_OF_S1,
    rows,
)

Limits = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Check:
    """One question put to the tables: how many numbers it is about, and which are wrong."""

    question: str
    tested: int
    findings: tuple[Finding, ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Row5:
    """A row of Table 5: one system on one video."""

    video: str
    system: str
    agreement: str
    mean: str
    f1: str
    wisebe: str


def table_5() -> list[Row5]:
    """Give the rows of Table 5."""
    return [
        Row5(video, system, agreement, *cells[3 * k : 3 * k + 3])
        for video, agreement, *cells in rows(TABLE_5)
        for k, system in enumerate(SYSTEMS)
    ]


def checks() -> list[Check]:
    """Put all questions."""
    every = 18 * len(VIDEOS)
    undecided = table_4.undecided()
    alike = f"cannot be told for {', '.join(undecided)}: two references have as many boundaries"
    return [
        Check("Do Tables 2 and 3 add up to their totals?", 5, tuple(_totals())),
        Check("Do the percentages of section 4 follow from the totals?", 2, tuple(_percentages())),
        Check(
            "Does Table 2 name the references as Table 4 does?",
            len(VIDEOS),
            tuple(table_4.exchanged()),
            (alike,) * bool(undecided),
        ),
        Check(
            "Is each cell of Table 4 a ratio of whole numbers?",
            every,
            tuple(table_4.single_cells()),
        ),
        Check(
            "Are Table 4's means over references right?",
            6 * len(VIDEOS),
            tuple(table_4.row_means()),
        ),
        Check("Are Table 4's means over videos right?", 8, tuple(table_4.column_means())),
        Check("Is the better F1 of Table 4 bold?", 4 * len(VIDEOS), tuple(_bold())),
        Check("Are the wins counted in the text those of Table 4?", 6, tuple(_wins())),
        Check("Does Table 5 repeat Tables 4 and 6?", 4 * len(VIDEOS), tuple(_repeated())),
        Check("Are Table 5's means right?", 7, tuple(_means())),
        _products(),
        Check("Is the range of the agreement ratio as the text has it?", 2, tuple(_range())),
        _correlation(),
    ]


def _totals() -> Iterator[Finding]:
    for number, counts, totals in ((2, TABLE_2, TABLE_2_TOTALS), (3, TABLE_3, TABLE_3_TOTALS)):
        for name, total in totals.items():
            if sum(counts[name]) != total:
                shown = " + ".join(map(str, counts[name]))
                place = f"Table {number}, total of {name}"
                yield Finding(place, str(total), str(sum(counts[name])), shown)


def _percentages() -> Iterator[Finding]:
    first, second, third = (Fraction(TABLE_2_TOTALS[name]) for name in REFERENCES)
    fewer = 100 * (1 - third / ((first + second) / 2))
    more = 100 * (Fraction(TABLE_3_TOTALS["S1"], TABLE_3_TOTALS["S2"]) - 1)
    for place, told, value in (("fewer", FEWER, fewer), ("more", MORE, more)):
        if not fits(value, str(told)):
            yield Finding(f"text, per cent {place}", str(told), f"{float(value):.1f}", "totals")


def _f1(video: str, system: str) -> list[str]:
    return table_4.printed(video, system)[2::3]


def _bold() -> Iterator[Finding]:
    """Find bold F1 that are not the better of the two; equal ones may both be."""
    for video in VIDEOS:
        for i, name in enumerate((*REFERENCES, "mean")):
            ours, theirs = (_f1(video, system)[i] for system in SYSTEMS)
            best = "S1" if Fraction(ours) > Fraction(theirs) else "S2"
            marked = [system for system in SYSTEMS if table_4.bold(video, system)[i]]
            if marked != [best] and ours != theirs:
                yield Finding(
                    f"Table 4, {video} {name}, bold",
                    " and ".join(marked) or "none",
                    best,
                    f"S1 has {ours}, S2 {theirs}",
                )


def _wins() -> Iterator[Finding]:
    for i, (name, told) in enumerate(WINS_OF_S1.items()):
        won = [v for v in VIDEOS if Fraction(_f1(v, "S1")[i]) > Fraction(_f1(v, "S2")[i])]
        if len(won) != told:
            place = f"text, videos in which S1 is better for {name}"
            yield Finding(place, str(told), str(len(won)), ", ".join(won))
    for system, (name, told) in NEAREST.items():
        near = [v for v in VIDEOS if _nearest(_f1(v, system)[:3]) == name]
        if len(near) != told:
            place = f"text, videos in which {system} is nearest to {name}"
            yield Finding(place, str(told), str(len(near)), ", ".join(near))


def _nearest(f1: Sequence[str]) -> str:
    """Name the reference with the highest F1; '' if two share it."""
    best = max(f1, key=Fraction)
    return REFERENCES[f1.index(best)] if f1.count(best) == 1 else ""


def _repeated() -> Iterator[Finding]:
    for row in table_5():
        mean = _f1(row.video, row.system)[3]
        if row.mean != mean:
            place = f"Table 5, {row.video} {row.system} mean F1"
            yield Finding(place, row.mean, mean, "Table 4")
        agreement = TABLE_6["R_GAR"][VIDEOS.index(row.video)]
        if row.agreement != agreement:
            yield Finding(f"Table 5, {row.video} R_GAR", row.agreement, agreement, "Table 6")


def _means() -> Iterator[Finding]:
    """Compare the means with those of printed numbers, which lie within half a unit."""
    for system in SYSTEMS:
        for name, told in zip(("mean", "f1", "wisebe"), TABLE_5_MEANS[system], strict=True):
            cells = [getattr(row, name) for row in table_5() if row.system == system]
            yield from _mean_of(cells, told, f"{system} {name}")
    yield from _mean_of(TABLE_6["R_GAR"], MEAN_AGREEMENT, "R_GAR")


def _mean_of(cells: Sequence[str], told: str, name: str) -> Iterator[Finding]:
    mean = sum(map(Fraction, cells), Fraction()) / len(cells)
    if abs(mean - Fraction(told)) > half(told) + half(cells[0]):
        yield Finding(f"Table 5, mean {name}", told, three(mean), "mean of the column")


def _products() -> Check:
    """Multiply F1 by the agreement ratio: to the digit, else within what rounding allows."""
    wrong, loose = [], []
    for row in table_5():
        product = Fraction(row.f1) * Fraction(row.agreement)
        if fits(product, row.wisebe):
            continue
        name = f"{row.video} {row.system}"
        shown = f"{row.f1} × {row.agreement} = {three(product, 5)}, printed {row.wisebe}"
        low, high = _product(_limits(row.f1), agreement_limits(row.video, row.agreement))
        least, most = _limits(row.wisebe)
        if low > most or high < least:
            wrong.append(Finding(f"Table 5, {name} WiSeBE", row.wisebe, three(product), shown))
        else:
            reach = f"unrounded factors allow {three(low, 4)} to {three(high, 4)}"
            loose.append(f"{name}: {shown}; {reach}")
    told = f"{len(table_5()) - len(wrong) - len(loose)} of {len(table_5())} to the digit"
    question = "Is WiSeBE of Table 5 the product F1 × R_GAR?"
    return Check(question, len(table_5()), tuple(wrong), (told, *loose))


def _limits(text: str) -> Limits:
    """Give the smallest and the largest number that may be printed so."""
    return Fraction(text) - half(text), Fraction(text) + half(text)


def _product(one: Limits, other: Limits) -> Limits:
    return one[0] * other[0], one[1] * other[1]


def agreement_limits(video: str, text: str) -> Limits:
    """Narrow the agreement ratio down: it is made of whole numbers, often of few possible ones.

    Of the boundaries of three references, s are in one only, d in two and t in all three:
    s + 2d + 3t is known from Table 2, and the ratio is (2d + 3t) / 3(s + d + t).
    """
    at = VIDEOS.index(video)
    sizes = [TABLE_2[name][at] for name in REFERENCES]
    total, possible = sum(sizes), []
    for t in range(min(sizes) + 1):
        for d in range((total - 3 * t) // 2 + 1):
            union = total - 2 * t - d
            ratio = Fraction(2 * d + 3 * t, 3 * union)
            if union >= max(sizes) and fits(ratio, text):
                possible.append(ratio)
    return (min(possible), max(possible)) if possible else _limits(text)


def _range() -> Iterator[Finding]:
    ratios = dict(zip(VIDEOS, TABLE_6["R_GAR"], strict=True))
    for name, choose in (("lowest", min), ("highest", max)):
        video = choose(ratios, key=lambda each: Fraction(ratios[each]))
        if (video, ratios[video]) != RANGE[name]:
            told = " ".join(RANGE[name])
            yield Finding(f"text, {name} R_GAR", told, f"{video} {ratios[video]}", "Table 6")


def correlation() -> tuple[float, float, float]:
    """Pearson's coefficient of Table 6, and how far the rounding of its cells can move it."""
    columns = [[float(cell) for cell in TABLE_6[name]] for name in ("R_GAR", "kappa")]
    value = _pearson(columns)
    reach = 0.0
    for column in columns:
        for i, cell in enumerate(column):
            column[i] = cell + 0.0005
            reach += abs(_pearson(columns) - value)
            column[i] = cell
    return value, value - reach, value + reach


def _pearson(columns: Sequence[Sequence[float]]) -> float:
    found = pearson(*columns)
    if isinstance(found, Undefined):
        raise ArithmeticError(found.reason)
    return found


def _correlation() -> Check:
    value, low, high = correlation()
    question = "Is Pearson's coefficient of R_GAR and kappa .890?"
    told = f"{value:.4f}; rounding in Table 6 allows {low:.3f} to {high:.3f}"
    wrong = Finding("text, correlation", CORRELATION, f"{value:.3f}", "Table 6")
    right = fits(Fraction(value), CORRELATION)
    return Check(question, 1, () if right else (wrong,), (told,))
