"""The stream of SDA: sentences do not depend on how words arrive or where it is cut."""

import json
from functools import cache
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from caesura.core.protocols import Stream
from caesura.core.transcript import Transcript
from caesura.detectors.syntax import sda_stream
from caesura.detectors.syntax.crf_svm import CRF
from caesura.detectors.syntax.sda import SDA
from caesura.detectors.syntax.sda_stream import SHORTEST
from caesura.detectors.tagging.pos_tagger import Tagger
from detectors.trees import SMALL, detector_input, gibberish, scrambled, talk, trained

pytest.importorskip("pycrfsuite")
pytest.importorskip("scipy")

ENDLESS = {"pause": 1e9, "stretch": 1 << 31, "patience": 1 << 31}
"""Everything is one segment."""

SHORT = {"pause": 0.2, "stretch": 6, "patience": 3, "longest": 12, "reach": 4, "ahead": 2}


@cache
def tagging() -> SDA:
    crf = CRF(c2=0.1, iterations=30, tagger=Tagger(size=60, cutoff=1))
    return SDA(crf=crf, bits=10, ridge=0.1).train([talk(seed) for seed in range(4)])


@cache
def made(seed: int, tagged: bool) -> SDA:
    """Return a detector with random weights, which may have a tagger."""
    sda = scrambled(seed)
    if tagged:
        sda = sda.adjusted(crf=sda.crf.adjusted(tagger=tagging().crf.tagger))
    return sda


def given_words(seed: int, count: int, *, tagged: bool) -> Transcript:
    words = gibberish(seed, count)
    return words.replace(tag=None) if tagged else words


def resumed(sda: SDA, stream: Stream) -> Stream:
    return sda.stream(json.loads(json.dumps(stream.state(), allow_nan=False)))


def streamed(
    sda: SDA, words: Transcript, cuts: list[int], saving: frozenset[int] = frozenset()
) -> list[Transcript]:
    """Push words in pieces that end at some places; save and resume at some of the pieces."""
    stream = sda.stream()
    found = []
    for number, (first, stop) in enumerate(pairwise([0, *cuts, len(words)])):
        found += stream.push(words[first:stop])
        if number in saving:
            stream = resumed(sda, stream)
    return found + stream.close()


def one_by_one(sda: SDA, words: Transcript) -> list[Transcript]:
    return streamed(sda, words, list(range(1, len(words))))


@settings(max_examples=60)
@given(seed=st.integers(0, 10**6), count=st.integers(0, 40), tagged=st.booleans())
@example(seed=1, count=0, tagged=False)
@example(seed=1, count=0, tagged=True)
@example(seed=1, count=1, tagged=True)
def test_in_one_segment_sentences_are_those_of_the_whole(
    seed: int, count: int, tagged: bool
) -> None:
    sda = made(seed % 5, tagged).adjusted(**ENDLESS)
    words = given_words(seed, count, tagged=tagged)
    found = one_by_one(sda, words)
    whole = list(sda.annotate(words).split_sentences())
    assert [each.words for each in found] == [each.words for each in whole]
    if any(word.isalpha() for word in words.words):
        assert [each.only(["cluster"]) for each in found] == [
            each.only(["cluster"]) for each in whole
        ]
    assert sum(len(each) for each in found) == count


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), count=st.integers(1, 40))
def test_in_one_segment_heads_are_those_of_the_whole(seed: int, count: int) -> None:
    """Heads that have not been seen are equally good, so that all are seen here."""
    sda = made(seed % 5, False)
    sda = sda.adjusted(**ENDLESS, ahead=sda.reach)
    words = given_words(seed, count, tagged=False)
    whole = list(sda.annotate(words).split_sentences())
    if any(word.isalpha() for word in words.words):
        found = one_by_one(sda, words)
        assert [each.only(["head"]) for each in found] == [each.only(["head"]) for each in whole]


@pytest.mark.parametrize("words", [".", "-- . .", ". the", "the .", ". . so the -- . cat ."])
def test_punctuation_goes_with_the_words_before_it(words: str) -> None:
    said = Transcript(tuple(words.split()))
    for settings_ in (ENDLESS, SHORT):
        sda = made(1, False).adjusted(**settings_)
        found = one_by_one(sda, said)
        assert tuple(word for each in found for word in each.words) == said.words
        begun = [each.words[0] for each in found[1:]]
        assert not {".", "--"} & set(begun)
    assert found == streamed(sda, said, [])


def same(some: list[Transcript], others: list[Transcript]) -> bool:
    """Whether sentences are the same, with the delays in their evidence."""
    return some == others and all(
        (each.evidence or {}).get("delay_words") is not None for each in some
    )


@settings(max_examples=50)
@given(
    seed=st.integers(0, 10**6),
    count=st.integers(0, 60),
    cuts=st.lists(st.integers(0, 60), max_size=12),
    tagged=st.booleans(),
)
def test_sentences_do_not_depend_on_how_words_arrive(
    seed: int, count: int, cuts: list[int], tagged: bool
) -> None:
    sda = made(seed % 5, tagged).adjusted(**SHORT)
    words = given_words(seed, count, tagged=tagged)
    single = one_by_one(sda, words)
    assert same(streamed(sda, words, []), single)
    assert same(streamed(sda, words, sorted(min(cut, count) for cut in cuts)), single)
    assert tuple(word for each in single for word in each.words) == words.words


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    count=st.integers(1, 60),
    saving=st.frozensets(st.integers(0, 60), min_size=1, max_size=6),
    tagged=st.booleans(),
)
def test_a_stream_can_be_cut_and_resumed_anywhere(
    seed: int, count: int, saving: frozenset[int], tagged: bool
) -> None:
    sda = made(seed % 5, tagged).adjusted(**SHORT)
    words = given_words(seed, count, tagged=tagged)
    each = list(range(1, count))
    assert same(streamed(sda, words, each, saving), streamed(sda, words, each))


@pytest.mark.parametrize("tagged", [False, True], ids=["tags", "tagger"])
def test_a_state_stays_as_it_was(tagged: bool) -> None:
    sda = made(2, tagged).adjusted(**SHORT)
    words = given_words(3, 80, tagged=tagged)
    stream = sda.stream()
    before = stream.push(words[:40])
    state = stream.state()
    saved = json.dumps(state)
    rest = [*stream.push(words[40:]), *stream.close()]
    assert json.dumps(state) == saved
    again = sda.stream(json.loads(saved))
    assert same([*again.push(words[40:]), *again.close()], rest)
    assert before


@pytest.mark.parametrize("tagged", [False, True], ids=["tags", "tagger"])
@pytest.mark.parametrize("seed", range(3))
def test_words_that_are_dropped_do_not_change_labels(
    seed: int, tagged: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    sda = made(seed, tagged).adjusted(**SHORT)
    words = given_words(seed, 200, tagged=tagged)
    found = streamed(sda, words, [])
    monkeypatch.setattr(sda_stream, "CONTEXT", len(words))
    assert same(streamed(sda, words, []), found)


@pytest.mark.parametrize("seed", range(4))
def test_final_labels_never_change(seed: int) -> None:
    sda = made(seed, False).adjusted(**SHORT)
    words = gibberish(seed, 300)
    stream = sda.stream()
    seen: dict[int, tuple[list[float], int]] = {}
    most = 0
    for at in range(len(words)):
        stream.push(words[at : at + 1])
        units = stream.state()["clusters"]
        rows = zip(units["labels"], units["gaps"], strict=True)
        for number, row in enumerate(rows, units["first"]):
            assert seen.setdefault(number, row) == row
            most = max(most, number)
    assert sorted(seen) == list(range(most + 1))
    assert most > 30


@pytest.mark.parametrize("tagged", [False, True], ids=["tags", "tagger"])
@pytest.mark.parametrize("seed", range(3))
def test_delays_are_those_that_a_caller_sees(seed: int, tagged: bool) -> None:
    sda = made(seed, tagged).adjusted(**SHORT)
    words = given_words(seed, 250, tagged=tagged).replace(
        start=np.arange(250) * 0.3, end=np.arange(250) * 0.3 + 0.2
    )
    stream = sda.stream()
    given_out = 0
    for at in range(len(words) + 1):
        found = stream.push(words[at : at + 1]) if at < len(words) else stream.close()
        heard_last = min(at, len(words) - 1)
        for each in found:
            given_out += len(each)
            assert each.evidence is not None
            assert each.end is not None
            delay = each.evidence["delay_words"]
            assert delay[-1] == heard_last - (given_out - 1)
            assert np.isnan(delay[:-1]).all()
            assert each.evidence["delay_seconds"][-1] >= 0
    assert given_out == len(words)


def test_delays_in_seconds_end_with_the_word_that_decides() -> None:
    sda = made(1, False).adjusted(**SHORT)
    words = gibberish(5, 200, marks=False).replace(
        start=np.arange(200) * 0.3, end=np.arange(200) * 0.3 + 0.2
    )
    found = one_by_one(sda, words)
    assert len(found) > 20
    assert words.end is not None
    last = -1
    for each in found:
        last += len(each)
        assert each.evidence is not None
        decided = last + int(each.evidence["delay_words"][-1])
        expected = words.end[decided] - words.end[last]
        assert each.evidence["delay_seconds"][-1] == pytest.approx(expected, abs=1e-6)


def test_sentences_come_before_the_end_and_are_mostly_right() -> None:
    sda = trained(timed=True)
    real = talk(60, 40, timed=True)
    stream = sda.stream()
    early = []
    for at in range(len(real)):
        early += stream.push(detector_input(real)[at : at + 1])
    found = early + stream.close()
    whole = list(real.split_sentences())
    assert len(early) > 0.7 * len(whole)
    right = {each.words for each in found} & {each.words for each in whole}
    assert len(right) > 0.8 * len({each.words for each in whole})


@pytest.mark.parametrize("stretch", [30, SHORTEST])
def test_memory_does_not_grow(stretch: int) -> None:
    sda = made(3, False).adjusted(**SHORT).adjusted(stretch=stretch)
    part = gibberish(8, 2000).only(["tag"])
    chance = Random(1)
    stream = sda.stream()
    sizes, words = [], 0
    for _ in range(10):
        first = 0
        while first < len(part):
            stop = min(first + chance.randrange(1, 120), len(part))
            words += sum(len(each) for each in stream.push(part[first:stop]))
            first = stop
            sizes.append((words, len(json.dumps(stream.state()))))
    words += sum(len(each) for each in stream.close())
    assert words == 20_000
    early = max(size for count, size in sizes if count <= 2000)
    assert max(size for _, size in sizes) < 2 * early


def test_a_cluster_without_end_is_cut() -> None:
    """Words that all belong to one cluster are not kept forever."""
    sda = SMALL.train([talk(seed) for seed in range(3)]).adjusted(**SHORT)
    words = Transcript(("the",) * 2000, tag=("DET",) * 2000)
    stream = sda.stream()
    most = 0
    for at in range(0, 2000, 10):
        stream.push(words[at : at + 10])
        most = max(most, len(stream.state()["labeller"]["words"]["words"]))
    assert most < 100
