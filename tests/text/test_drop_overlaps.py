"""Overlapping spans: the longest are kept."""

from hypothesis import given
from hypothesis import strategies as st

from caesura.core.transcript import Span
from caesura.text.entity_projection import drop_overlaps

SPANS = st.lists(
    st.builds(
        lambda first, more, label: Span(first, first + more, label),
        st.integers(0, 12),
        st.integers(0, 5),
        st.sampled_from("AB"),
    ),
    max_size=10,
)


def slow(spans: list[Span]) -> tuple[Span, ...]:
    """Check word by word whether a longer span is there already."""
    taken: set[int] = set()
    kept = []
    for span in sorted(spans, key=lambda s: (-(s.last - s.first), s.first, s.label)):
        words = set(range(span.first, span.last + 1))
        if not words & taken:
            kept.append(span)
            taken |= words
    return tuple(sorted(kept))


def test_the_longest_stays() -> None:
    day, date = Span(3, 3, "CARDINAL"), Span(2, 4, "DATE")
    assert drop_overlaps([day, date, Span(5, 5, "ORG")]) == (date, Span(5, 5, "ORG"))


def test_of_equally_long_ones_the_first_stays() -> None:
    assert drop_overlaps([Span(1, 2, "B"), Span(0, 1, "A")]) == (Span(0, 1, "A"),)
    assert drop_overlaps([Span(0, 1, "B"), Span(0, 1, "A")]) == (Span(0, 1, "A"),)


def test_what_overlaps_only_a_span_that_goes_stays() -> None:
    spans = [Span(0, 4, "A"), Span(4, 6, "B"), Span(6, 7, "C")]
    assert drop_overlaps(spans) == (spans[0], spans[2])


def test_nothing_is_flat() -> None:
    assert drop_overlaps(()) == ()


@given(SPANS)
def test_it_is_what_looking_word_by_word_gives(spans: list[Span]) -> None:
    assert drop_overlaps(spans) == slow(spans)
    assert (
        drop_overlaps(reversed(spans))
        == drop_overlaps(spans)
        == drop_overlaps(drop_overlaps(spans))
    )
