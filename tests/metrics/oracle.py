"""Slow reference implementations of WiSeBE and agreement, with sets and fractions.

Position j is the boundary after word j, counted from 1; `None` stands for undefined.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations

import pytest
from hypothesis import strategies as st

from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.core.values import Undefined, Value

Exact = Fraction | None
Places = set[int]


def text(count: int, places: Places) -> Transcript:
    """Make a text of `count` words with boundaries after these."""
    sentences = Segmentation.of_gaps(count, [place - 1 for place in places])
    return Transcript(("w",) * count, sentences=sentences)


@st.composite
def texts(draw: st.DrawFn, most: int = 20) -> tuple[int, list[Places], Places]:
    """Draw words, references with similar boundaries, and a hypothesis."""
    count = draw(st.integers(0, 25))
    place = st.integers(1, max(count, 1))
    common = draw(st.sets(place, max_size=6))
    changes = st.sets(place, max_size=4)
    drawn = draw(st.lists(changes, min_size=2, max_size=most + 1))
    made = [{each for each in common ^ one if each <= count} for one in drawn]
    return count, made[1:], made[0]


def same(values: Mapping[str, Value], exact: Mapping[str, Exact]) -> None:
    """Assert that values equal exact ones, and that undefined ones have a reason."""
    for name, expected in exact.items():
        value = values[name]
        if isinstance(value, Undefined):
            assert expected is None, (name, value, expected)
            assert value.reason
        else:
            assert expected is not None, (name, value)
            assert value == pytest.approx(float(expected), rel=1e-12, abs=1e-12), name


def scored_places(count: int, places: Places, count_end: bool) -> Places:
    """Return the positions that count, with or without the end of the text."""
    inside = {place for place in places if place < count}
    return inside | {count} if count_end and count else inside


def windows(places: Places, window_gap: int) -> list[Places]:
    """Return windows as sets of positions."""
    found: list[list[int]] = []
    for place in sorted(places):
        if found and place - found[-1][-1] <= window_gap:
            found[-1].append(place)
        else:
            found.append([place])
    return [set(range(chain[0], chain[-1] + 1)) for chain in found]


def over(numerator: int | Fraction, denominator: int | Fraction) -> Exact:
    """Return a fraction, or None if the denominator is 0."""
    return Fraction(numerator) / denominator if denominator else None


def f1(precision: Exact, recall: Exact) -> Exact:
    """Return the harmonic mean; 0 if both are 0."""
    if precision is None or recall is None:
        return None
    total = precision + recall
    return 2 * precision * recall / total if total else Fraction(0)


def product(one: Exact, other: Exact) -> Exact:
    """Return the product, if both are defined."""
    return None if one is None or other is None else one * other


def agreement_ratio(references: Sequence[Places]) -> Exact:
    """Return equations 5 to 7: shared marks / possible marks."""
    if len(references) < 2:
        return None
    union = set().union(*references)
    marks = [sum(place in one for one in references) for place in union]
    return over(sum(mark for mark in marks if mark >= 2), len(references) * len(union))


def kappa(gaps: Sequence[int], references: Sequence[Places]) -> Exact:
    """Return Fleiss' kappa (1971): agreement of pairs of raters, corrected for chance."""
    if len(references) < 2 or not gaps:
        return None
    pairs = list(permutations(references, 2))
    agreeing = sum((gap in one) == (gap in other) for gap in gaps for one, other in pairs)
    observed = Fraction(agreeing, len(gaps) * len(pairs))
    yes = Fraction(
        sum(gap in one for gap in gaps for one in references), len(gaps) * len(references)
    )
    chance = yes**2 + (1 - yes) ** 2
    return over(observed - chance, 1 - chance)


def alpha(gaps: Sequence[int], references: Sequence[Places]) -> Exact:
    """Return Krippendorff's alpha for nominal data, from the coincidence matrix."""
    if len(references) < 2 or not gaps:
        return None
    matrix = {(one, other): Fraction(0) for one in (False, True) for other in (False, True)}
    for gap in gaps:
        for one, other in permutations(references, 2):
            matrix[gap in one, gap in other] += Fraction(1, len(references) - 1)
    sums = {label: matrix[label, False] + matrix[label, True] for label in (False, True)}
    observed = matrix[False, True] + matrix[True, False]
    total = sums[False] + sums[True]
    expected = 2 * sums[False] * sums[True] / (total - 1)
    wrong = over(observed, expected)
    return None if wrong is None else 1 - wrong


def pairwise(references: Sequence[Places]) -> dict[str, Exact]:
    """Return F1 of each pair of references (None if one is empty) and its mean."""
    found: dict[str, Exact] = {}
    for (i, one), (j, other) in combinations(enumerate(references, 1), 2):
        hits = len(one & other)
        found[f"f1_{i}_{j}"] = f1(over(hits, len(one)), over(hits, len(other)))
    known = [value for value in found.values() if value is not None]
    complete = bool(found) and len(known) == len(found)
    return found | {"pairwise_f1": sum(known, Fraction(0)) / len(known) if complete else None}


def agreement(count: int, references: Sequence[Places], count_end: bool) -> dict[str, Exact]:
    """Return all values of `Agreement`."""
    marked = [scored_places(count, one, count_end) for one in references]
    gaps = range(1, count + 1 if count_end else count)
    return {
        "kappa": kappa(gaps, marked),
        "alpha": alpha(gaps, marked),
        "agreement_ratio": agreement_ratio(marked),
        **pairwise(marked),
    }


def wisebe(
    count: int, references: Sequence[Places], hypothesis: Places, window_gap: int, count_end: bool
) -> dict[str, Exact]:
    """Return all values of `WiSeBE`, with the smoothed ones."""
    marked = [scored_places(count, one, count_end) for one in references]
    ours = scored_places(count, hypothesis, count_end)
    union = set().union(*marked)
    spans = windows(union, window_gap)
    missed = {place for place in ours if not any(place in span for span in spans)}
    inside = len(ours) - len(missed)
    hit = sum(bool(span & ours) for span in spans)
    edges = {edge for span in spans for edge in (min(span), max(span))}
    away = sum(min(abs(place - edge) for edge in edges) for place in missed if edges)
    share = agreement_ratio(marked)
    precision, recall = over(inside, len(ours)), over(hit, len(spans))
    near = over(len(missed), away) or Fraction(0)
    unhit = over(len(spans) - hit, away) or Fraction(0)
    smooth = over(inside + near, len(ours)), over(hit + unhit, len(spans))
    return {
        "wisebe": product(f1(precision, recall), share),
        "f1": f1(precision, recall),
        "precision": precision,
        "recall": recall,
        "agreement_ratio": share,
        "kappa": kappa(range(1, count + 1 if count_end else count), marked),
        "windows": Fraction(len(spans)),
        "windows_hit": Fraction(hit),
        "boundaries": Fraction(len(ours)),
        "boundaries_inside": Fraction(inside),
        "smooth_precision": smooth[0],
        "smooth_recall": smooth[1],
        "smooth_f1": f1(*smooth),
        "smooth_wisebe": product(f1(*smooth), share),
        "kappa_borders": kappa(sorted(union), marked),
    }
