"""Made-up units, and a slow computation of the weight indices of their arcs."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from caesura.ml.features import constant
from caesura.ml.parsing.arcs import (
    DISTANCES,
    SPECIAL,
    TEMPLATES,
    ArcModel,
    CandidateWindow,
    UnitFeatures,
)

NAMES = [
    "word", "first", "last", "tag", "first_tag", "last_tag", "subtag", "first_subtag", "last_subtag"
]  # fmt: skip
WHOLE = 1 << 64


class Case(NamedTuple):
    """Units, a candidate window, and a range of units."""

    features: UnitFeatures
    window: CandidateWindow
    first: int
    stop: int


def random_units(seed: int, count: int, names: list[str], kinds: int = 4) -> UnitFeatures:
    """Units with a few hashes in each column, and gaps from 0 to 12."""
    chance = np.random.default_rng(seed)
    few = chance.integers(1, WHOLE, (kinds,), np.uint64, endpoint=False)
    columns = {name: few[chance.integers(0, kinds, count)] for name in names}
    return UnitFeatures(columns, chance.integers(0, 13, count))


@st.composite
def cases(draw: st.DrawFn, most: int = 20) -> Case:
    count = draw(st.integers(0, most))
    names = draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=6))
    features = random_units(draw(st.integers(0, 10**6)), count, names)
    window = CandidateWindow(draw(st.integers(0, 12)), draw(st.integers(0, 12)))
    first, stop = sorted(draw(st.tuples(st.integers(0, count), st.integers(0, count))))
    return Case(features, window, first, stop)


def random_model(seed: int, bits: int = 8, size: float = 0.05) -> ArcModel:
    """Return a model with random weights."""
    chance = np.random.default_rng(seed)
    return ArcModel(chance.integers(-127, 128, 1 << bits).astype(np.int8), size)


def places(count: int, window: CandidateWindow, unit: int) -> list[int | None]:
    """Return the place of each candidate of a unit, None where there is no unit."""
    steps = range(-window.back, window.ahead + 1)
    found = [unit + step if step and 0 <= unit + step < count else None for step in steps]
    return [*found, *[None] * len(SPECIAL)]


def indices_by_hand(
    features: UnitFeatures, window: CandidateWindow, bits: int, unit: int
) -> Iterator[list[int]]:
    """Yield the weight indices of each candidate of a unit; none if it does not exist."""
    rows = [[cell.split() for cell in row.split("|")] for row in TEMPLATES.strip().splitlines()]
    texts = TEMPLATES.strip().splitlines()
    for column, place in enumerate(places(len(features), window, unit)):
        symbol = SPECIAL[column - window.width] if column >= window.width else ""
        found = []
        for text, (ours, theirs, between) in zip(texts, rows, strict=True):
            names = {name.rstrip("+-") for name in (*ours, *theirs)}
            if not names <= set(features.columns) or (place is None and not symbol):
                continue
            total = int(constant(text))
            total += sum(_factor("unit", name) * _cell(features, unit, name) for name in ours)
            for name in theirs:
                if place is not None:
                    total += _factor("head", name) * _cell(features, place, name)
                elif name[-1] not in "+-":
                    total += _factor("head", name) * int(constant(symbol))
            if "far" in between:
                total += _factor("far") * int(constant(symbol or _distance(unit, place)))
            if "gap" in between:
                total += int(constant(f"gap {_gap(features, unit, place)}"))
            found.append(total % WHOLE >> 64 - bits)
        yield sorted(found)


def _factor(*text: str) -> int:
    return int(constant(" ".join(text)))


def _cell(features: UnitFeatures, unit: int, name: str) -> int:
    at = unit + name.count("+") - name.count("-")
    inside = 0 <= at < len(features)
    return int(features.columns[name.rstrip("+-")][at]) if inside else 0


def _distance(unit: int, place: int | None) -> str:
    assert place is not None
    return f"{place > unit} {sum(abs(place - unit) >= far for far in DISTANCES)}"


def _gap(features: UnitFeatures, unit: int, place: int | None) -> int:
    """Return the greatest gap number between the two, or before the next unit."""
    other = unit + 1 if place is None else place
    low, high = sorted((unit, other))
    return max([int(gap) + 1 for gap in features.gaps[low + 1 : high + 1]], default=0)
