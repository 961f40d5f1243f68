"""The laws of what is trained: detectors, taggers and entity models."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence, Set
from pathlib import Path
from random import Random
from typing import TypeVar

import numpy as np
from hypothesis import strategies as st

from caesura.core import registry
from caesura.core.config import Trainable
from caesura.core.errors import LayerError
from caesura.core.protocols import Detector, EntityModel, WordTagger
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.detectors.window_stream import Lookahead
from caesura.models import store
from caesura.models.store import Card
from caesura.testing.strategies import flags, for_all, transcripts
from caesura.text.punctuation import punctuation_flags
from caesura.text.restore import differ_in_case_only

T = TypeVar("T", bound=Trainable)

LAYERS = ["start", "end", "speaker", "mark", "pause", "evidence", "sentences"]
"""Layers that a detector may find in a transcript, or miss."""

TAGS = {"stop": "VERB", "now": "ADV", "we": "PRON", "go": "VERB", "on": "ADP"}


def made_up_recording(seed: int, count: int = 80) -> Transcript:
    """Make a recording in which pauses, speakers, marks, words and evidence speak for boundaries.

    It has parts of speech and trees too, and some times are unknown.
    """
    random = Random(seed)
    label = [random.choice([".", "?", ",", *[""] * 9]) for _ in range(count)]
    ends = [mark in (".", "?") for mark in label]
    steps = [random.choice([0.0, 0.5, 1.0] if end else [0.0, 0.0, 0.3]) for end in ends]
    start = np.cumsum([0.0, *(step + 0.25 for step in steps[:-1])])
    start[[random.randrange(count) for _ in range(4)]] = np.nan
    words = tuple(random.choice(["stop", "now"] if end else ["we", "go", "on"]) for end in ends)
    return Transcript(
        words=words,
        tag=tuple(map(TAGS.__getitem__, words)),
        head=np.array([min(at + (not end), count - 1) for at, end in enumerate(ends)]),
        relation=tuple("case" if word == "on" else "dep" for word in words),
        start=start,
        end=start + 0.25,
        speaker=tuple(str(at // 20) for at in range(count)),
        mark=tuple(label),
        pause=tuple(random.choice(["", "<sil>", "<s>"]) if step else "" for step in steps),
        evidence={
            "prosody": np.array([random.gauss(end, 1) for end in ends]),
            "bert": np.array([random.random() / (1 + end) for end in ends]),
        },
        sentences=Segmentation(np.array(ends), tuple(label)),
    )


def unseen_recordings() -> list[Transcript]:
    """Make recordings that were not trained on: short, long and empty ones, with few layers too."""
    counts = enumerate([1, 2, 50], 6)
    return [
        *(made_up_recording(seed, count).replace(sentences=None) for seed, count in counts),
        made_up_recording(9).only(["mark", "evidence"]),
        made_up_recording(10).only(["start", "end", "evidence"]),
        made_up_recording(11)[:0],
        made_up_recording(12, 300).replace(sentences=None),
    ]


def train_detector(detector: Detector, train: Sequence[Transcript] = ()) -> Detector:
    """Train a detector, and check that its configuration stays the same."""
    made = [made_up_recording(seed) for seed in range(6)]
    parts = (train, (), ()) if train else (made[:4], made[4:], made[:1])
    return _same_configuration(detector, detector.train(*parts))


def train_tagger(tagger: WordTagger, train: Sequence[Transcript]) -> WordTagger:
    """Train a tagger, and check that its configuration stays the same."""
    return _same_configuration(tagger, tagger.train(train))


def train_entity_model(model: EntityModel, train: Sequence[Transcript]) -> EntityModel:
    """Train an entity model, and check that its configuration stays the same."""
    return _same_configuration(model, model.train(train))


def _same_configuration(untrained: T, trained: T) -> T:
    assert repr(trained) == repr(untrained), "training changes the repr"
    assert trained == untrained, "training makes the detector unequal: what is learnt is no setting"
    return trained


def repr_parses_back(detector: Trainable, examples: int, lookahead: int = 0) -> None:
    """`parse(repr(detector)) == detector`."""
    assert registry.learner(repr(detector)) == detector


def every_gap_is_decided(detector: Detector, examples: int, lookahead: int) -> None:
    """Every gap of any transcript gets a finite number; or it says what the transcript lacks.

    A word is written with other capitals at most.
    """

    @for_all(examples, st.data())
    def law(data: st.DataObject) -> None:
        layers = data.draw(st.sets(st.sampled_from(LAYERS)))
        transcript = data.draw(transcripts(layers, smallest=0))
        try:
            found = detector.detect(transcript)
        except LayerError:
            assert detector.lacks(transcript)
            return
        assert len(found) == len(transcript)
        assert found.log_odds is not None
        assert np.isfinite(found.log_odds).all()
        assert len(transcript) == 0 or found.boundary[-1]
        written = zip(found.written or (), transcript.words, strict=found.written is not None)
        assert all(not new or differ_in_case_only(new, word) for new, word in written)
        assert detector.detect(transcript) == found


@st.composite
def _recordings(draw: st.DrawFn) -> Transcript:
    """Draw a recording with all layers, in which some words have no times."""
    found = draw(transcripts(LAYERS))
    unknown = draw(flags(len(found)))
    start = None if found.start is None else np.where(unknown, np.nan, found.start)
    return found.replace(start=start)


def a_stream_decides_like_the_whole(detector: Detector, examples: int, lookahead: int) -> None:
    """A stream of single words, saved and resumed anywhere, gives the sentences of `detect`."""
    streaming = Lookahead(detector, words=lookahead) if lookahead else detector
    # What most broken streams fail on: it takes hypothesis minutes to find an example as simple.
    for seed, count in enumerate((1, 5, 20, 60)):
        _check_stream(streaming, made_up_recording(seed, count), set(range(0, count, 7)))

    @for_all(examples, st.lists(_recordings(), min_size=1, max_size=8), st.data())
    def law(parts: list[Transcript], data: st.DataObject) -> None:
        whole = Transcript.join(parts)
        resumed = data.draw(st.sets(st.integers(0, len(whole) - 1), max_size=8))
        _check_stream(streaming, whole, resumed)


def _check_stream(detector: Detector, whole: Transcript, resumed: Set[int]) -> None:
    """Push a recording word by word; after some words, save the state and resume from it."""
    whole = whole.replace(sentences=None)
    stream = detector.stream()
    sentences = []
    for at in range(len(whole)):
        sentences += stream.push(whole[at : at + 1])
        if at in resumed:
            stream = detector.stream(json.loads(json.dumps(stream.state())))
    sentences += stream.close()
    expected = list(whole.replace(sentences=detector.detect(whole)).split_sentences())
    assert [s.words for s in sentences] == [s.words for s in expected]
    assert [s.sentences for s in sentences] == [s.sentences for s in expected]
    assert [s.only(["start"]) for s in sentences] == [s.only(["start"]) for s in expected]


def a_loaded_model_decides_alike(detector: Detector, examples: int, lookahead: int) -> None:
    """A detector that was stored and loaded gives the same log-odds, bit by bit."""
    with tempfile.TemporaryDirectory() as folder:
        loaded = store.load(store.save(Path(folder, "model"), detector, Card())).detector
    assert loaded == detector
    for transcript in unseen_recordings():
        assert loaded.log_odds(transcript).tobytes() == detector.log_odds(transcript).tobytes()
        assert loaded.detect(transcript) == detector.detect(transcript)


def annotation_replaces_sentences_and_trees(
    detector: Detector, examples: int, lookahead: int
) -> None:
    """`annotate` gives the sentences of `detect`, and no trees that belong to other sentences."""
    given = made_up_recording(12, 60)
    found = detector.annotate(given)
    assert found.sentences == detector.detect(given)
    assert found.relation is None
    assert found.head is None or found.cluster is not None


def a_batch_is_decided_one_by_one(detector: Detector, examples: int, lookahead: int) -> None:
    """`detect_all` decides each recording as `detect` does, whatever else is in the batch."""
    unseen = unseen_recordings()
    assert detector.detect_all([]) == []
    assert detector.detect_all(unseen) == [detector.detect(each) for each in unseen]


DETECTOR_LAWS: tuple[Callable[[Detector, int, int], None], ...] = (
    repr_parses_back,
    every_gap_is_decided,
    a_stream_decides_like_the_whole,
    a_loaded_model_decides_alike,
    annotation_replaces_sentences_and_trees,
    a_batch_is_decided_one_by_one,
)
"""Each law takes a trained detector, the number of random examples, and words of look-ahead."""


def every_word_is_tagged(tagger: WordTagger, examples: int) -> None:
    """Every word of any transcript gets a tag, punctuation has PUNCT, and nothing else changes."""

    @for_all(examples, st.data())
    def law(data: st.DataObject) -> None:
        layers = data.draw(st.sets(st.sampled_from(["start", "mark", "sentences", "tag"])))
        transcript = data.draw(transcripts(layers, smallest=0))
        found = tagger.tag(transcript)
        assert found.tag is not None
        assert found.replace(tag=None) == transcript.replace(tag=None)
        assert [tag == "PUNCT" for tag in found.tag] == punctuation_flags(transcript).tolist()
        assert all(found.tag)


def _bare_recordings() -> list[Transcript]:
    """Make recordings of words alone: a long one, one word, none, and a mark as a word."""
    words = [made_up_recording(8).words, ("so",), (), (".", "so")]
    return [Transcript(each) for each in words]


def a_batch_is_tagged_one_by_one(tagger: WordTagger, examples: int) -> None:
    """`tag_all` tags each recording as `tag` does, whatever else is in the batch."""
    bare = _bare_recordings()
    assert tagger.tag_all([]) == []
    assert tagger.tag_all(bare) == [tagger.tag(each) for each in bare]


def a_loaded_tagger_tags_alike(tagger: WordTagger, examples: int) -> None:
    """A tagger that was stored and loaded has the same arrays and gives the same tags."""
    with tempfile.TemporaryDirectory() as folder:
        loaded = store.load(store.save(Path(folder, "model"), tagger, Card())).tagger
    assert loaded == tagger
    assert loaded.tag_all(_bare_recordings()) == tagger.tag_all(_bare_recordings())
    _check_equal_state(loaded, tagger)


def _check_equal_state(loaded: Trainable, trained: Trainable) -> None:
    assert loaded.state().keys() == trained.state().keys()
    for key, array in trained.state().items():
        assert np.array_equal(loaded.state()[key], array), key


TAGGER_LAWS: tuple[Callable[[WordTagger, int], None], ...] = (
    repr_parses_back,
    every_word_is_tagged,
    a_batch_is_tagged_one_by_one,
    a_loaded_tagger_tags_alike,
)
"""Each law takes a trained tagger and the number of random examples."""


def probabilities_sum_to_one(model: EntityModel, examples: int) -> None:
    """At every word of any transcript, probabilities of no entity and of each class sum to 1."""

    @for_all(examples, st.data())
    def law(data: st.DataObject) -> None:
        layers = data.draw(st.sets(st.sampled_from(["start", "mark", "sentences", "entities"])))
        transcript = data.draw(transcripts(layers, smallest=0))
        found = model.probabilities(transcript)
        assert found.classes == model.classes
        for column in (found.start, found.end, found.inside):
            assert column.shape == (len(transcript), 1 + len(model.classes))
            assert (column >= 0).all()
            assert np.allclose(column.sum(axis=1), 1)


def a_batch_has_the_same_probabilities(model: EntityModel, examples: int) -> None:
    """`probabilities_all` gives each recording what `probabilities` does."""
    bare = _bare_recordings()
    assert model.probabilities_all([]) == []
    for batch, text in zip(model.probabilities_all(bare), bare, strict=True):
        alone = model.probabilities(text)
        assert batch.classes == alone.classes
        assert all(np.array_equal(a, b) for a, b in zip(batch[1:], alone[1:], strict=True))


def a_loaded_entity_model_is_equal(model: EntityModel, examples: int) -> None:
    """An entity model that was stored and loaded has the same arrays and probabilities."""
    with tempfile.TemporaryDirectory() as folder:
        loaded = store.load(store.save(Path(folder, "model"), model, Card())).entity_model
    assert loaded == model
    _check_equal_state(loaded, model)
    for text in _bare_recordings():
        one, other = loaded.probabilities(text), model.probabilities(text)
        assert all(np.array_equal(a, b) for a, b in zip(one[1:], other[1:], strict=True))


ENTITY_MODEL_LAWS: tuple[Callable[[EntityModel, int], None], ...] = (
    repr_parses_back,
    probabilities_sum_to_one,
    a_batch_has_the_same_probabilities,
    a_loaded_entity_model_is_equal,
)
"""Each law takes a trained entity model and the number of random examples."""
