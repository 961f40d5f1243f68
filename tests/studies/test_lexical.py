"""The word baseline that the WiSeBE study trains."""

import numpy as np

from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura_studies.lexical import TEMPLATES, keys, train
from studies.synthetic import ends, speech


def text(seed: int, count: int) -> Transcript:
    sentences = speech(seed, count)
    words = tuple(w for s in sentences for w in s)
    return Transcript(words, sentences=Segmentation(np.array(ends(sentences))))


def test_it_finds_sentences_that_their_words_give_away() -> None:
    model = train([text(1, 400), text(2, 400)], [text(3, 100)])
    assert model.f1 > 0.99
    unseen = text(4, 100)
    assert unseen.sentences is not None
    agreed = model.detect(unseen.words).boundary == unseen.sentences.boundary
    assert agreed.mean() > 0.99


def test_training_again_gives_the_same_model() -> None:
    one, other = (train([text(1, 100)], [text(2, 20)]) for _ in range(2))
    assert one.threshold == other.threshold
    for (_, ours), (_, theirs) in zip(one.weights, other.weights, strict=True):
        assert np.array_equal(ours, theirs)


def test_words_never_seen_and_no_words_at_all_are_met_with_the_prior() -> None:
    model = train([text(1, 100)], [text(2, 20)])
    assert len(model.detect(())) == 0
    assert np.isfinite(model.log_odds(("zebra", "quagga", "okapi"))).all()


def test_keys_tell_all_combinations_apart() -> None:
    words = tuple("a b a c b a a b c c a z".split())
    numbers = {"a": 2, "b": 3, "c": 4}
    padded = [*[0] * 3, *(numbers.get(word, 1) for word in words), *[0] * 3]
    for row, places in zip(keys(words, numbers), TEMPLATES, strict=True):
        slow = [tuple(padded[3 + gap + place] for place in places) for gap in range(len(words))]
        assert len(set(row.tolist())) == len(set(slow)) == len(set(zip(row, slow, strict=True)))
