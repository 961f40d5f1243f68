"""The language model: training, stored states, damaged states, and punctuation."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from caesura.core.errors import LayerError, ModelError
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.detectors.gaps import NO_GAP
from caesura.detectors.lm import LM
from caesura.ml.ngram import FACTORS
from detectors.made_up import bare, recording, transcript_of

TRAINING = [recording(seed) for seed in range(4)]
MARKS = (".", "?", ",")


@pytest.mark.parametrize("text", [(), TRAINING[:1]])
@pytest.mark.parametrize("prune", [(), (1, 2)])
def test_the_state_is_restored_bit_by_bit(
    text: tuple[Transcript, ...], prune: tuple[int, ...]
) -> None:
    lm = LM(prune=prune, classes=MARKS).train(TRAINING, (), text)
    arrays = lm.state()
    names = {name.split(".")[0] for name in arrays}
    assert names == {"vocabulary", "speech", *(["text"] if text else [])}
    pupil = LM(prune=prune, classes=MARKS).from_state({k: v.copy() for k, v in arrays.items()})
    for seed in range(40, 44):
        assert pupil.log_odds(bare(seed)).tobytes() == lm.log_odds(bare(seed)).tobytes()
    assert {k: v.tolist() for k, v in pupil.state().items()} == {
        k: v.tolist() for k, v in arrays.items()
    }


def test_no_text_is_kept() -> None:
    arrays = LM(cutoff=1).train([transcript_of("verysecretword is here. now")]).state()
    assert all(array.dtype.kind == "u" for array in arrays.values())
    assert all(b"verysecret" not in array.tobytes() for array in arrays.values())


STATE = dict(LM(cutoff=1).train(TRAINING, (), TRAINING[:1]).state())
HASHES = STATE["vocabulary"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"vocabulary": HASHES.astype(np.int64)}, "there is no vocabulary"),
        ({"vocabulary": HASHES.astype(np.float64)}, "there is no vocabulary"),
        ({"vocabulary": HASHES[:, None]}, "there is no vocabulary"),
        ({"vocabulary": np.array(HASHES[0])}, "there is no vocabulary"),
        ({"vocabulary": HASHES[::-1]}, "not in order"),
        ({"vocabulary": HASHES[[0, 0, *range(1, len(HASHES))]]}, "not in order"),
        ({"vocabulary": HASHES[1:]}, "damaged"),
        ({"vocabulary": HASHES[:0]}, "damaged"),
        ({"other": HASHES}, "it has the parts speech, text, other"),
        ({"speech": HASHES}, "it has the arrays"),
        ({"speeches.words.2": HASHES}, "it has the parts"),
        ({"text.more": HASHES}, "it has the arrays"),
    ],
)
def test_damage_is_found(change: dict[str, NDArray[Any]], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        LM(cutoff=1).from_state(STATE | change)


@pytest.mark.parametrize("name", sorted(STATE))
def test_every_array_is_needed(name: str) -> None:
    with pytest.raises(ModelError, match="damaged"):
        LM(cutoff=1).from_state({k: v for k, v in STATE.items() if k != name})


def test_a_model_of_other_settings_is_refused() -> None:
    for other in (LM(order=2), LM(order=4), LM(classes=MARKS), LM(order=5, classes=(".", ","))):
        with pytest.raises(ModelError, match="damaged"):
            other.from_state(STATE)
    with pytest.raises(ModelError, match="no vocabulary"):
        LM().from_state({})
    with pytest.raises(ModelError, match="damaged"):
        LM().from_state({k: v for k, v in STATE.items() if not k.startswith("speech")})


@given(st.data())
@settings(max_examples=60)
def test_flipped_numbers_are_found_or_leave_a_model(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(k for k, v in STATE.items() if len(v))))
    array = STATE[name].copy()
    at = data.draw(st.integers(0, len(array) - 1))
    bit = data.draw(st.integers(0, 8 * array.itemsize - 1))
    array[at] ^= array.dtype.type(1 << bit)
    try:
        lm = LM(cutoff=1).from_state(STATE | {name: array})
    except ModelError:
        return
    assert np.isfinite(lm.log_odds(bare(50))).all()


def test_an_untrained_detector_is_an_error() -> None:
    for use in (lambda: LM().detect(bare(1)), lambda: LM().state(), lambda: LM().lacks(bare(1))):
        with pytest.raises(ModelError, match="LM has to be trained"):
            use()


def test_training_needs_sentences() -> None:
    with pytest.raises(LayerError, match="none of 2 recordings has sentences"):
        LM().train([bare(1), bare(2)])
    with pytest.raises(LayerError, match="none of 0 recordings has sentences"):
        LM().train([])
    with pytest.raises(LayerError, match="none of 1 recordings has sentences"):
        LM().train(TRAINING, (), [bare(1)])


def test_recordings_without_sentences_are_skipped() -> None:
    some, all = LM(cutoff=1).train(TRAINING), LM(cutoff=1).train([bare(9, 2), *TRAINING])
    assert (some.log_odds(bare(20)) == all.log_odds(bare(20))).all()


def test_training_on_no_words_gives_even_odds() -> None:
    lm = LM().train([Transcript((), sentences=Segmentation(np.zeros(0, np.bool_)))])
    np.testing.assert_allclose(lm.log_odds(Transcript(("a", "b"))), 0, atol=1e-12)


def test_punctuation_that_stands_as_a_word_is_skipped() -> None:
    words = ("Yes", ",", "stop", ".", "Go", "on", ".")
    ends = Segmentation.of_gaps(7, [3, 6])
    lm = LM(cutoff=1).train([Transcript(words, sentences=ends)] * 3)
    same = LM(cutoff=1).train([transcript_of("yes stop. go on.")] * 3)
    found, expected = lm.detect(Transcript(words)), same.detect(transcript_of("yes stop. go on."))
    assert found.boundary.tolist() == [False, False, False, True, False, False, True]
    assert found.log_odds is not None
    assert expected.log_odds is not None
    assert found.log_odds[[1, 3, 4, 6]].tolist() == expected.log_odds.tolist()
    assert found.log_odds[[0, 2, 5]].tolist() == [NO_GAP] * 3
    assert lm.detect_all([Transcript(words)] * 2) == [found] * 2


@pytest.mark.parametrize("words", [(".",), (",", "?"), ("“", "yes"), (".", "yes", ".")])
def test_punctuation_alone_or_in_front(words: tuple[str, ...]) -> None:
    lm = LM(cutoff=1).train(TRAINING)
    found = lm.detect(Transcript(words))
    assert found.log_odds is not None
    spoken = [word == "yes" for word in words]
    assert (found.log_odds != NO_GAP).sum() == sum(spoken)
    if any(spoken):
        assert found.log_odds[-1] == lm.log_odds(Transcript(("yes",)))[0]


def test_a_boundary_after_punctuation_counts_more_than_what_is_before_it() -> None:
    # A comma after the word itself, and a full stop after the bracket that follows.
    words = ("so", ")", "go", "so", ")", "go")
    flags = np.array([False, True, False, False, True, True])
    ends = Segmentation(flags, (",", "?", "", ",", "?", "."))
    lm = LM(cutoff=1, strength=(0.1, 0.1), classes=MARKS).train(
        [Transcript(words, sentences=ends)] * 5
    )
    label = lm.detect(Transcript(("so", "go", "so", "go"))).label
    assert label is not None
    assert label == ("?", "", "?", ".")


@pytest.mark.parametrize("factors", FACTORS)
def test_text_of_another_kind_has_its_share(factors: str) -> None:
    text = [recording(seed, 60, (".",)) for seed in range(60, 63)]
    speech = LM(cutoff=1, factors=factors).train(TRAINING)
    both = LM(cutoff=1, factors=factors).train(TRAINING, (), text)
    asked = [bare(70)]
    spoken = both.number_words(asked)
    models = both.model.ngrams(both.factors, both.smoothing, both.strength)
    one, other = (model.score(spoken.text) for model in models)
    assert (one == speech.scores(asked, speech.number_words(asked))).all()
    assert (both.adjusted(share=0).scores(asked, spoken) == one).all()
    assert (both.adjusted(share=1).scores(asked, spoken) == other).all()
    assert not np.allclose(one, other)
    mixed = both.adjusted(share=0.3).scores(asked, spoken)
    np.testing.assert_allclose(np.exp(mixed), 0.7 * np.exp(one) + 0.3 * np.exp(other))
    assert (speech.adjusted(share=0.3).log_odds(bare(70)) == speech.log_odds(bare(70))).all()


def test_words_of_other_text_do_not_enter_the_vocabulary() -> None:
    lm = LM(cutoff=1).train(TRAINING, (), [transcript_of("quite other words. here")])
    assert lm.coverage(Transcript(("quite", "we"))) == 0.5


def test_cutoff_and_pruning_leave_out_what_is_rare() -> None:
    training = [transcript_of("we go. we stop. we rarely go.")]
    assert LM(cutoff=2).train(training).model.vocabulary.size == 2 + 2
    assert LM(cutoff=1).train(training).model.vocabulary.size == 2 + 4
    sizes = [
        [len(keys) for keys in LM(prune=prune, cutoff=1).train(training).model.counts[0].index.keys]
        for prune in ((), (2,), (1, 2), (9,))
    ]
    # START START; START we; we go; go we; we stop; stop we; we rarely; rarely go.
    assert sizes == [[8, 8], [1, 1], [8, 1], [1, 1]]
    text_only = LM(text_prune=(9,), cutoff=1).train(training, (), training).model.counts
    assert [len(keys) for keys in text_only[1].index.keys] == [1, 1]
    assert [len(keys) for keys in text_only[0].index.keys] == [8, 8]
