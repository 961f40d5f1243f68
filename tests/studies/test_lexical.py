"""The detector that studies train: what it learns, and its threshold against a slow oracle."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from caesura.studies.lexical import best_threshold, hashed, train
from caesura.transcript import Segmentation, Transcript
from studies.synthetic import ends, speech


def text(seed: int, count: int) -> Transcript:
    sentences = speech(seed, count)
    words = tuple(w for s in sentences for w in s)
    return Transcript(words, sentences=Segmentation(np.array(ends(sentences))))


def test_it_finds_sentences_that_their_words_give_away() -> None:
    model = train("toy", [text(1, 400), text(2, 400)], [text(3, 100)])
    assert model.f1 > 0.99
    unseen = text(4, 100)
    assert unseen.sentences is not None
    agreed = model.detect(unseen.words).boundary == unseen.sentences.boundary
    assert agreed.mean() > 0.99


def test_training_again_gives_the_same_model() -> None:
    one, other = (train("toy", [text(1, 100)], [text(2, 20)]) for _ in range(2))
    assert one.threshold == other.threshold
    assert np.array_equal(one.weights, other.weights)


def test_words_never_seen_and_no_words_at_all_are_met_with_the_prior() -> None:
    model = train("toy", [text(1, 100)], [text(2, 20)])
    assert len(model.detect(())) == 0
    assert np.isfinite(model.log_odds(("zebra", "quagga", "okapi"))).all()


def test_features_tell_words_and_places_apart() -> None:
    numbers = {word: i for i, word in enumerate("a b c d e f g h".split(), 2)}
    rows = hashed(tuple("a b c d e f g h".split()), numbers)
    # Past the last word but one, two gaps have nothing after the next word.
    assert len(np.unique(rows[:-1])) == rows[:-1].size


@given(st.lists(st.tuples(st.integers(-5, 5), st.booleans()), min_size=1, max_size=30))
def test_the_threshold_is_the_best_there_is(pairs: list[tuple[int, bool]]) -> None:
    # Evidence that differs everywhere, so that each threshold can be had.
    odds = np.array([value + i / 100 for i, (value, _) in enumerate(pairs)])
    flags = np.array([flag for _, flag in pairs])
    flags[0] = True
    threshold, f1 = best_threshold(odds, flags)
    tried = [_f1(odds >= limit, flags) for limit in odds]
    assert f1 == max(tried)
    # A threshold at the lowest evidence of all leaves that one out.
    if threshold > odds.min():
        assert _f1(odds > threshold, flags) == f1


def _f1(found: np.ndarray, real: np.ndarray) -> float:
    return 2 * int((found & real).sum()) / (int(found.sum()) + int(real.sum()))
