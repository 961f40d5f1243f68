"""The detector `FastNet`, with small random weights."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core.errors import ModelError
from caesura.core.transcript import Transcript
from caesura.detectors.column import Column
from caesura.detectors.fusion import Fusion
from caesura.detectors.gaps import NO_GAP, marked_words
from caesura.detectors.neural import evidence as ev
from caesura.detectors.neural.fast_net import (
    AFTER,
    AT_ONCE,
    BEFORE,
    OTHERS,
    OUTSIDE,
    PAST,
    SUFFIXES,
    TIMES,
    FastNet,
    Pairs,
    codes_of,
    pair_keys,
    word_numbers,
)
from caesura.ml.ngram_counts import Vocabulary
from caesura.testing.detector_laws import DETECTOR_LAWS, made_up_recording
from detectors.small_fast_net import small_fast_net

WORDS = Transcript(tuple("so the king is reading it all again".split()))


@pytest.mark.parametrize("law", DETECTOR_LAWS, ids=lambda law: law.__name__)
def test_law(law: Any) -> None:
    law(small_fast_net(), 15, 400)


def slow_scores(net: FastNet, talk: Transcript) -> list[list[float]]:
    """The scores of each gap, one at a time, by the definition."""
    model, marked = net.model, marked_words(talk)
    weights = model.weights
    numbers = word_numbers(model.vocabulary, marked.words).tolist()
    columns = ev.columns_of_words(ev.evidence_of(talk, marked))
    keys = model.keys.tolist()

    def vector(at: int) -> Any:
        inside = 0 <= at < len(numbers)
        found = weights["words.weight"][numbers[at] if inside else OUTSIDE].astype(float)
        first = 0
        for name in (*TIMES, *OTHERS):
            value = columns[at, ev.COLUMNS.index(name)] if inside else 0
            found = found + weights["values.weight"][first + value]
            first += ev.SIZES[name]
        return found

    def layer(name: str, given: Any) -> Any:
        return weights[f"{name}.weight"].astype(float) @ given + weights[f"{name}.bias"]

    def hidden(at: int) -> Any:
        around = np.concatenate([vector(at + k) for k in range(-BEFORE, AFTER + 1)])
        pair = [numbers[k] if 0 <= k < len(numbers) else OUTSIDE for k in (at, at + 1)]
        key = int(pair_keys(np.array(pair))[0])
        row = keys.index(key) if key in keys[1:] else 0
        return np.maximum(layer("first", around) + weights["pairs.weight"][row], 0)

    def gap(at: int) -> list[float]:
        parts = [hidden(at)]
        for near, far in zip((0, *PAST), PAST, strict=False):
            past = [np.maximum(layer("past", hidden(at - k)), 0) for k in range(near + 1, far + 1)]
            parts.append(np.mean(past, axis=0))
        found: list[float] = layer("gap", np.maximum(layer("second", np.concatenate(parts)), 0))
        return list(found)

    return [gap(at) for at in range(len(numbers))]


@pytest.mark.parametrize("seed", [1, 2])
def test_scores_are_those_of_the_definition(seed: int) -> None:
    talk, net = made_up_recording(seed, 40), small_fast_net(seed)
    found = net.scores(talk, marked_words(talk))
    assert found == pytest.approx(np.array(slow_scores(net, talk)), abs=2e-4)


def test_blocks_make_no_difference() -> None:
    talk, net = made_up_recording(3, AT_ONCE + 90), small_fast_net()
    whole = net.scores(talk, marked_words(talk))
    bare = talk.replace(start=None, end=None, mark=None, speaker=None, opening=None)
    tail = bare[AT_ONCE - 60 :]
    assert len(whole) == AT_ONCE + 90
    again = net.scores(tail, marked_words(tail))
    same = net.scores(bare, marked_words(bare))
    assert again[PAST[-1] + BEFORE :] == pytest.approx(
        same[AT_ONCE - 60 :][PAST[-1] + BEFORE :], abs=1e-4
    )


def test_a_gap_depends_on_three_words_after_it_and_no_more() -> None:
    net = small_fast_net()
    words = ["so", "the", "king", "is", "reading", "it", "all", "again"]
    other = [*words[:6], "home", "went"]
    one, two = (net.log_odds(Transcript(tuple(each))) for each in (words, other))
    assert one[:3].tolist() == two[:3].tolist()
    assert one[3] != two[3]
    assert net.reach == AFTER


def test_a_fusion_streams_as_the_net_does() -> None:
    net, talk = small_fast_net(), made_up_recording(5, 150).replace(mark=None)
    fusion = Fusion((net, Column("x")), weights=(1.0, 0.0))
    assert (fusion.reach, fusion.behind) == (net.reach, net.behind)
    found = []
    for stream in (net.stream(), fusion.stream()):
        sentences = [*stream.push(talk), *stream.close()]
        found.append([len(sentence) for sentence in sentences])
    assert found[0] == found[1]
    assert len(found[0]) > 3


def test_the_bias_is_added() -> None:
    odds = small_fast_net().log_odds(WORDS)
    assert small_fast_net(bias=1.5).log_odds(WORDS) == pytest.approx(odds + 1.5)


def test_labels_agree_with_the_boundaries() -> None:
    found = small_fast_net().detect(made_up_recording(3, 200).replace(mark=None))
    assert found.label is not None
    ends = [label in (".", "?", "!") for label in found.label]
    assert ends == found.boundary.tolist()


def test_punctuation_that_is_a_word_has_no_gap_before_it() -> None:
    found = small_fast_net().detect(Transcript(("so", "the", "king", ",", "is", ".")))
    assert found.log_odds is not None
    assert (found.log_odds == NO_GAP).tolist() == [False, False, True, False, True, False]


def test_words_are_written_as_usual() -> None:
    found = small_fast_net().detect(WORDS)
    assert found.written == ("so", "the", "King", "is", "reading", "it", "all", "again")


def test_unknown_words_are_known_by_their_last_letters() -> None:
    vocabulary = Vocabulary.of([["king"]], 1)
    numbers = word_numbers(vocabulary, ["king", "walking", "talking", "walked", "King"])
    assert numbers[0] == numbers[4] < vocabulary.size
    assert numbers[1] == numbers[2] != numbers[3]
    assert (numbers[1:4] >= vocabulary.size).all()
    assert (numbers < vocabulary.size + SUFFIXES).all()


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30), st.sets(st.integers(1, 40)))
def test_pairs_are_found_by_their_keys(words: list[int], known: set[int]) -> None:
    texts = [np.array([number % 7, number % 5]) for number in sorted(known)]
    keys = list(dict.fromkeys([0, *(int(pair_keys(text)[0]) for text in texts)]))
    found = Pairs(np.array(keys, np.uint32)).rows(np.array(words))
    for key, row in zip(pair_keys(np.array(words)).tolist(), found.tolist(), strict=True):
        assert row == (keys.index(key) if key in keys[1:] else 0)


def test_codes_are_those_of_the_columns() -> None:
    talk = made_up_recording(2, 120)
    seen = ev.evidence_of(talk, marked_words(talk))
    columns = dict(zip(ev.COLUMNS, ev.columns_of_words(seen).T, strict=True))
    times, others = codes_of(seen)
    for names, codes in ((TIMES, times), (OTHERS, others)):
        sizes = [ev.SIZES[name] for name in names]
        for name, cells in zip(names, np.unravel_index(codes, sizes), strict=True):
            assert cells.tolist() == columns[name].tolist(), name


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"keys": np.zeros(3)}, "the pairs are not keys"),
        ({"vocabulary": np.array([2, 1], np.uint64)}, "not hashes in ascending order"),
        ({"first.bias": np.zeros(3, np.float16)}, "first.bias are not 10 numbers"),
        ({"gap.bias": np.full(5, np.nan, np.float16)}, "gap.bias are not all numbers"),
        ({"words.weight.scale": np.zeros(2, np.float16)}, "the scales of words.weight"),
        (
            {"pairs.weight.scale": np.full(len(small_fast_net().model.keys), np.inf, np.float16)},
            "the net is damaged: the scales of pairs.weight are not all numbers",
        ),
        ({"more": np.zeros(2)}, "it has the arrays"),
        ({"forms": np.array([255], np.uint8)}, "it is not a FastNet"),
    ],
)
def test_damaged_models_are_one_clear_error(change: dict[str, Any], message: str) -> None:
    state = {**small_fast_net().state(), **change}
    with pytest.raises(ModelError, match=message):
        FastNet(vector=6, hidden=10, past=4, second=7).from_state(state)


def test_where_marks_are_lost_those_elsewhere_do_not_count() -> None:
    words = ("so", "the", "king", "is", "reading") * 9
    talk = Transcript(words, mark=("", "", "", "", ".", *[""] * 39, "."))
    bare = talk.replace(mark=None)
    found, other = (small_fast_net().scores(one, marked_words(one)) for one in (talk, bare))
    assert found[6:43].tolist() == other[6:43].tolist()
    assert found[4].tolist() != other[4].tolist()
