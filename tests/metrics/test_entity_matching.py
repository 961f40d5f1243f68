"""Of equally cheap matchings, counts decide, never the order."""

from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from caesura.core.transcript import Span
from caesura.metrics.entity_matching import OUTCOMES, EntityMatching, error_kind, pair_costs
from metrics.named import entities, matchings

Spans = tuple[Span, ...]
WORDS = 6


def spans(*given: tuple[int, int, str]) -> Spans:
    return tuple(Span(*span) for span in given)


def outcomes(real: Spans, found: Spans, way: str, alpha: float = 0.5) -> Counter[str]:
    matched = EntityMatching.of(real, found, WORDS)
    kinds = matched.kinds(matched.pairs(way, alpha)).tolist()
    return Counter(OUTCOMES[way][each] for each in kinds)


CROSSED = spans((0, 1, "B"), (1, 4, "B")), spans((1, 4, "B"), (4, 5, "B"))
TWICE = spans((4, 5, "B"), (5, 5, "B")), spans((5, 5, "A"), (5, 5, "B"))
WRONG = spans((2, 5, "A"), (4, 5, "B")), spans((4, 5, "A"))


@pytest.mark.parametrize(
    ("texts", "way", "expected"),
    [
        (CROSSED, "strict", {"correct": 1}),
        (CROSSED, "partial", {"correct": 1}),
        (CROSSED, "type", {"correct": 2}),
        (CROSSED, "eter", {"extent": 2}),
        (TWICE, "eter", {"correct": 1, "both": 1}),
        (WRONG, "half", {"extent": 1}),
        (WRONG, "exact", {"correct": 1}),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_ties(texts: tuple[Spans, Spans], way: str, expected: dict[str, int]) -> None:
    assert outcomes(*texts, way) == expected


@given(
    st.builds(tuple, entities(WORDS)),
    st.builds(tuple, entities(WORDS)),
    st.sampled_from(sorted(OUTCOMES)),
    st.sampled_from([0.0, 0.3, 0.5, 1.0]),
)
@example(*CROSSED, "strict", 0.5)
@example(*TWICE, "eter", 1.0)
@example(*WRONG, "eter", 0.5)
@example(spans((3, 3, "A"), (4, 5, "B")), spans((3, 4, "B")), "eter", 1.0)
@example(spans((0, 3, "B"), (2, 3, "B")), spans((0, 3, "A"), (1, 1, "B")), "eter", 1.0)
@example(spans((0, 1, "B"), (2, 4, "A")), spans((1, 2, "A"), (3, 5, "B")), "type", 0.5)
def test_the_pairs_are_the_best_of_all(real: Spans, found: Spans, way: str, alpha: float) -> None:
    """Least cost, then most pairs at no cost, most correct, most pairs, right classes."""
    price = pair_costs(way, alpha)

    def aims(kinds: list[int]) -> tuple[object, ...]:
        free = sum(price[each] == 0 for each in kinds)
        saved = sum(2 - price[each] for each in kinds)
        wrong = sum(each in (1, 3) for each in kinds)
        return -saved, -free, -kinds.count(0), -len(kinds), wrong, kinds.count(3)

    ways = [[error_kind(real[i], found[j]) for i, j in pairs] for pairs in matchings(real, found)]
    matched = EntityMatching.of(real, found, WORDS)
    taken = matched.kinds(matched.pairs(way, alpha)).tolist()
    assert aims(taken) == min(map(aims, ways))
