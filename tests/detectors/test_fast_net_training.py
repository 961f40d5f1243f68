"""Training the detector `FastNet`, where torch is installed."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from caesura.core.arrays import Floats
from caesura.core.errors import LayerError
from caesura.core.transcript import Transcript
from caesura.detectors.gaps import marked_words
from caesura.detectors.neural.fast_net import FastNet, Pairs, pair_keys, word_numbers
from caesura.detectors.neural.training_windows import (
    Lexicon,
    Sampler,
    Window,
    compile_source,
    usual_forms,
)
from caesura.testing.detector_laws import made_up_recording

pytest.importorskip("torch", reason="needs torch: caesura[neural]")

import torch

from caesura.detectors.neural import fast_net_training as training

TALKS = [made_up_recording(seed, 300) for seed in range(6)]
SMALL = FastNet(vector=8, hidden=16, past=4, second=8, steps=250, batch=8, rate=2e-2)


def arrays(detector: FastNet) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in detector.state().items()}


def test_it_learns_where_sentences_end() -> None:
    found = SMALL.train(TALKS[1:])
    unseen = TALKS[0].replace(mark=None)
    right = found.detect(unseen).boundary == TALKS[0].sentences.boundary  # type: ignore[union-attr]
    assert right[:-1].mean() > 0.9


def test_training_twice_gives_the_same_weights() -> None:
    short = replace(SMALL, steps=5)
    assert arrays(short.train(TALKS[:2])) == arrays(short.train(TALKS[:2], (), ()))


def test_the_net_of_torch_is_that_of_numpy() -> None:
    trained = replace(SMALL, steps=2).train(TALKS[:2])
    model = trained.model
    net = training.Net(trained.sizes(model.vocabulary, len(model.keys))).eval()
    net.load_state_dict({name: torch.from_numpy(array) for name, array in model.weights.items()})
    lexicon = Lexicon()
    source = compile_source("talks", 1.0, TALKS[:1], lexicon)
    sampler = Sampler([source], lexicon, training.ONE_PIECE, 400, 1)
    batches = training._Batches(
        training.Lesson(sampler), word_numbers(model.vocabulary, lexicon.words), model.pairs, 1, 1
    )
    bare = TALKS[0].replace(start=None, end=None, mark=None, speaker=None, opening=None)
    words = lexicon.numbers(bare.words)
    none = np.zeros((len(words), 12), np.int64)
    window = Window(words, words, words, none, words * 0, words * 0, words * 0 + 5)
    batch = batches._joined([(window, None)])
    found = net(batch.words, batch.pairs, batch.values)[0].detach().numpy()
    lower = bare.replace(words=tuple(word.lower() for word in bare.words))
    assert trained.scores(lower, marked_words(lower)) == pytest.approx(found, abs=1e-3)


def test_a_teacher_is_believed_more_than_the_marks() -> None:
    """A teacher who says that no sentence ends anywhere, against marks that say otherwise."""

    def teacher(windows: Sequence[Window]) -> list[Floats]:
        return [np.tile([0.96, 0.01, 0.01, 0.01, 0.01], (len(each.words), 1)) for each in windows]

    lexicon = Lexicon()
    source = compile_source("talks", 1.0, TALKS, lexicon)
    sampler = Sampler([source], lexicon, training.ONE_PIECE, 100, 1)
    lesson = training.Lesson(sampler, teacher, windows=40, taught=1.0, trust=0.9)
    found = training.train_net(SMALL, lesson, lexicon, {})
    assert found.detect(TALKS[0].replace(mark=None)).boundary[:-1].mean() < 0.02


def test_usual_capitals_are_learnt_inside_sentences() -> None:
    words = ("So", "we", "met", "Ann", "in", "NASA", "today") * 9
    talk = Transcript(words, mark=("", "", "", "", "", "", ".") * 9)
    lexicon = Lexicon()
    source = compile_source("talks", 1.0, [talk.replace(sentences=None)], lexicon)
    target = np.tile([0, 0, 0, 0, 0, 0, 2], 9)
    found = usual_forms([replace(source, target=target)], lexicon.words)
    assert found == {"ann": "Ann", "nasa": "NASA"}


def test_frequent_pairs_come_first() -> None:
    text = np.array([1, 2, 1, 2, 1, 2, 3, 4, 3, 4, 5, 6])
    keys = training.frequent_pairs([text], 2).tolist()
    wanted = [int(pair_keys(np.array(pair))[0]) for pair in ((1, 2), (2, 1), (3, 4))]
    assert keys[0] == 0
    assert len(keys) == 3
    assert wanted[0] in keys[1:]
    assert set(keys[1:]) < set(wanted)


def test_the_order_of_pairs_does_not_tell_how_frequent_they_are() -> None:
    text = np.random.default_rng(1).integers(0, 100, 40_000)
    keys = training.frequent_pairs([text], 5000)
    assert len(keys) == 5001
    assert (np.diff(keys[1:].astype(np.int64)) > 0).all()
    slots = Pairs.slots(keys[1:])
    assert len(set(slots.tolist())) == len(slots)


@pytest.mark.parametrize(
    "empty", [Transcript(("so", "it", "goes")), Transcript((".", "?"), sentences=[(0, 0), (1, 1)])]
)
def test_recordings_without_sentences_are_refused(empty: Transcript) -> None:
    with pytest.raises(LayerError, match="none of 1 recordings has sentences"):
        SMALL.train([empty])
