"""Texts with entities for tests, written or random, and slow reference counts."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from hypothesis import strategies as st

from caesura.core.transcript import Span, Transcript
from caesura.core.values import Undefined, Value
from caesura.metrics.entities import Entities
from caesura.text.alignment.word_alignment import Alignment, align

HALF = Fraction(1, 2)
Pairs = tuple[tuple[int, int], ...]
Prices = tuple[Fraction, Fraction, Fraction]


def text(words: str, *spans: tuple[int, int, str]) -> Transcript:
    return Transcript(tuple(words.split()), entities=tuple(Span(*span) for span in spans))


def measured(
    hypothesis: Transcript, *references: Transcript, metric: Entities | None = None
) -> dict[str, Value]:
    metric = metric or Entities()
    return metric.values(metric.count(hypothesis, references))


def number(value: Value) -> float:
    assert not isinstance(value, Undefined)
    return value


def same_words(real: list[Span], found: list[Span], count: int = 12) -> dict[str, Value]:
    words = " ".join("abcdefghijkl"[:count])
    return measured(text(words, *found), text(words, *real))  # type: ignore[arg-type]


def entities(count: int, most: int = 4, labels: str = "AB") -> st.SearchStrategy[list[Span]]:
    """Draw entities on `count` words; they may overlap."""
    if not count:
        return st.just([])
    return st.lists(
        st.builds(
            lambda first, more, label: Span(first, min(first + more, count - 1), label),
            st.integers(0, count - 1),
            st.integers(0, 3),
            st.sampled_from(labels),
        ),
        max_size=most,
    )


@st.composite
def texts(draw: st.DrawFn, most: int = 8) -> Transcript:
    """Draw a few words with entities."""
    words = draw(st.lists(st.sampled_from("abcd"), max_size=most))
    return Transcript(tuple(words), entities=tuple(draw(entities(len(words)))))


def matchings(real: Sequence[Span | None], found: Sequence[Span], at: int = 0) -> Iterator[Pairs]:
    """Yield all ways to pair overlapping entities of two texts; None has no words."""
    if at == len(real):
        yield ()
        return
    one = real[at]
    for rest in matchings(real, found, at + 1):
        yield rest
        taken = {j for _, j in rest}
        for j, other in enumerate(found):
            if one and j not in taken and other.first <= one.last and one.first <= other.last:
                yield ((at, j), *rest)


def cost(
    real: Sequence[Span | None],
    found: Sequence[Span],
    pairs: Pairs,
    wrong_class: Fraction,
    wrong_extent: Fraction,
    both: Fraction,
) -> Fraction:
    """Return the cost of a matching; an unmatched entity costs 1."""
    total = Fraction(len(real) + len(found) - 2 * len(pairs))
    for i, j in pairs:
        one, other = real[i], found[j]
        assert one is not None
        label = one.label != other.label
        extent = one[:2] != other[:2]
        total += both if label and extent else wrong_class * label + wrong_extent * extent
    return total


def on_hypothesis(span: Span, aligned: Alignment) -> Span | None:
    """Project an entity to the words aligned with its own, from the first to the last."""
    words = [j for j, i in enumerate(aligned.source.tolist()) if span.first <= i <= span.last]
    return span._replace(first=words[0], last=words[-1]) if words else None


def words_of(
    reference: Transcript, hypothesis: Transcript, spans: Sequence[Span], insertions: str
) -> dict[str, list[int]]:
    """Count the words and errors of each class by walking along an alignment."""
    aligned = align(reference.words, hypothesis.words)
    source, equal = aligned.source.tolist(), aligned.equal.tolist()
    found = {span.label: [0, 0] for span in spans}
    right = {i for i, same in zip(source, equal, strict=True) if same}
    counted: set[int] = set()
    for span in spans:
        numbers = found[span.label]
        inside = range(span.first, span.last + 1)
        numbers[0] += len(inside)
        numbers[1] += sum(i not in right for i in inside)
        place = on_hypothesis(span, aligned)
        if place is None or insertions == "none":
            continue
        first, last = place.first, place.last
        while insertions == "edges" and first and source[first - 1] < 0:
            first -= 1
        while insertions == "edges" and last + 1 < len(source) and source[last + 1] < 0:
            last += 1
        new = {j for j in range(first, last + 1) if source[j] < 0} - counted
        numbers[1] += len(new)
        counted |= new
    return found
