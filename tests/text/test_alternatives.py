"""The choice of alternatives, compared with trying all combinations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, combinations, pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Span, Transcript
from caesura.text.normalization import alternatives as module
from caesura.text.normalization.alternatives import choose_alternatives
from work import work

WORDS = st.lists(st.sampled_from("abc"), max_size=7)


def edits(ours: Sequence[str], theirs: Sequence[str]) -> int:
    return Levenshtein.distance(list(ours), list(theirs))


def every_way(reference: Transcript) -> Iterator[list[str]]:
    """Yield all texts that combinations of alternatives make of a reference."""
    spans = reference.alternatives or ()
    for some in chain.from_iterable(combinations(spans, n) for n in range(len(spans) + 1)):
        ordered = sorted(some)
        if all(a.last < b.first for a, b in pairwise(ordered)):
            words = list(reference.words)
            for span in reversed(ordered):
                words[span.first : span.last + 1] = span.label.split()
            yield words


@st.composite
def read_otherwise(draw: st.DrawFn, largest: int = 7) -> Transcript:
    """Draw a reference with alternatives, which may overlap."""
    words = draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=largest))
    spans = []
    for _ in range(draw(st.integers(0, 5))):
        first = draw(st.integers(0, len(words) - 1))
        last = draw(st.integers(first, min(first + 2, len(words) - 1)))
        spans.append(
            Span(first, last, " ".join(draw(st.lists(st.sampled_from("abcd"), max_size=3))))
        )
    return Transcript(tuple(words), alternatives=tuple(spans))


@given(reference=read_otherwise(), words=WORDS)
@example(Transcript(("a",), alternatives=(Span(0, 0, ""),)), [])
def test_no_other_choice_has_fewer_edits(reference: Transcript, words: list[str]) -> None:
    found = choose_alternatives(reference, words)
    assert found.alternatives is None
    ways = list(every_way(reference))
    assert list(found.words) in ways
    assert edits(found.words, words) == min(edits(way, words) for way in ways)


def test_words_as_they_are_written_come_first() -> None:
    reference = Transcript(("a", "b"), alternatives=(Span(0, 0, "c"), Span(0, 1, "c b")))
    assert choose_alternatives(reference, ["x", "b"]).words == ("a", "b")


def test_entities_cover_the_words_put_in_their_place() -> None:
    reference = Transcript(
        ("in", "Q1", "2020", "."),
        entities=(Span(1, 2, "DATE"), Span(2, 2, "YEAR")),
        alternatives=(Span(1, 1, "Q one"), Span(2, 2, "twenty twenty"), Span(1, 2, "then")),
        sentences=Segmentation(np.array([0, 0, 1, 1], np.bool_)),
    )
    found = choose_alternatives(reference, "in Q one twenty twenty .".split())
    assert " ".join(found.words) == "in Q one twenty twenty ."
    assert found.entities == (Span(1, 4, "DATE"), Span(3, 4, "YEAR"))
    assert found.sentences is not None
    assert found.sentences.gaps.tolist() == [4, 5]
    assert choose_alternatives(reference, ["then"]).entities == (
        Span(1, 1, "DATE"),
        Span(1, 1, "YEAR"),
    )


@pytest.mark.parametrize("words", [[], ["ein"], ["ein"] * 500], ids=["none", "one", "many"])
def test_a_hypothesis_that_shares_no_word_is_read_too(words: list[str]) -> None:
    reference = Transcript(
        tuple("abcd" * 300), alternatives=tuple(Span(at, at + 1, "x") for at in range(0, 1000, 3))
    )
    found = choose_alternatives(reference, words)
    assert len(found) == 1200 - 334
    assert found.alternatives is None


def misheard(seed: int, count: int) -> tuple[Transcript, list[str]]:
    """Make a long reference, and a hypothesis with every eighth word wrong."""
    random = np.random.default_rng(seed)
    words = [f"w{n}" for n in random.zipf(1.3, count) % 5000]
    spans, heard, at = [], [], 0
    while at < count - 3:
        size = int(random.integers(1, 3))
        label = " ".join(f"r{n}" for n in random.integers(0, 50, int(random.integers(1, 4))))
        if random.random() < 0.1:
            spans += [
                Span(at, at + size - 1, label),
                Span(at, at, "other"),
                Span(at + 1, at + 2, ""),
            ]
            heard += label.split() if random.random() < 0.5 else words[at : at + size]
        else:
            heard += words[at : at + size]
        at += size
    kind = random.random(len(heard))
    heard = [
        f"w{at}" if k < 0.06 else word for at, (word, k) in enumerate(zip(heard, kind, strict=True))
    ]
    heard = [word for word, k in zip(heard, kind, strict=True) if k < 0.94]
    return Transcript(tuple(words), alternatives=tuple(spans)), heard


@pytest.mark.parametrize("seed", range(3))
def test_a_long_text_that_is_cut_is_read_as_well_as_a_whole(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    reference, words = misheard(seed, 1500)
    cut = choose_alternatives(reference, words)
    monkeypatch.setattr(module, "MAX_UNCUT", 1 << 40)
    monkeypatch.setattr(module, "MAX_CELLS", 1 << 40)
    assert edits(cut.words, words) == edits(choose_alternatives(reference, words).words, words)
    assert edits(cut.words, words) < edits(reference.words, words)


def test_the_cost_grows_with_the_number_of_words() -> None:
    some, more = misheard(7, 5_000), misheard(7, 20_000)
    assert work(lambda: choose_alternatives(*more)) < 6 * work(lambda: choose_alternatives(*some))


@given(reference=read_otherwise(40), words=st.lists(st.sampled_from("abc"), max_size=40))
def test_texts_that_are_cut_are_still_read_in_one_of_their_ways(
    reference: Transcript, words: list[str]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MAX_CELLS", 60)
        patch.setattr(module, "MAX_UNCUT", 20)
        patch.setattr(module, "MIN_EQUAL_RUN", 1)
        found = choose_alternatives(reference, words)
    assert list(found.words) in list(every_way(reference))
    assert edits(found.words, words) <= edits(reference.words, words)
