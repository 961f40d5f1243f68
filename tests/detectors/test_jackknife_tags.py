"""Tags for training: predicted by a tagger that was trained on other recordings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from caesura.core import registry
from caesura.core.config import ModelBacked
from caesura.core.errors import LayerError, ModelError, UnknownName
from caesura.core.protocols import WordTagger
from caesura.core.transcript import Transcript
from caesura.detectors import streaming
from caesura.detectors.fusion import Fusion
from caesura.detectors.stored_model import Model
from caesura.detectors.syntax.chunking import FOLDS, jackknife_tags
from caesura.detectors.syntax.crf_svm import CRF, SVM
from caesura.detectors.tagging.pos_tagger import Tagged, Tagger
from caesura.models import store
from caesura.models.store import Card
from detectors.test_chunking import hidden, talk

pytest.importorskip("pycrfsuite")
pytest.importorskip("scipy")


@dataclass(frozen=True, repr=False)
class Rote(ModelBacked[frozenset[str]], WordTagger):
    """Tags words seen in training as `seen`, and all others as `new`."""

    name = "Rote"

    def train(
        self,
        train: Sequence[Transcript],
        dev: Sequence[Transcript] = (),
        text: Sequence[Transcript] = (),
    ) -> Rote:
        tagged = [each for each in (*train, *text) if each.tag is not None]
        return self.with_model(frozenset(word for each in tagged for word in each.words))

    def tag(self, transcript: Transcript) -> Transcript:
        tags = tuple("seen" if word in self.model else "new" for word in transcript.words)
        return transcript.replace(tag=tags)

    def state(self) -> Mapping[str, NDArray[Any]]:
        return {}

    def from_state(self, state: Mapping[str, NDArray[Any]]) -> Rote:
        return self


def recording(number: int, count: int = 8, tag: str = "X") -> Transcript:
    """Words that no other recording has, and one that all have."""
    words = (*(f"{number}.{at}" for at in range(count - 1)), "all")
    return Transcript(words, tag=(tag,) * count, subtag=("x",) * count)


@pytest.mark.parametrize("count", [2, 3, 4, 9])
def test_recordings_are_tagged_by_taggers_trained_on_the_others(count: int) -> None:
    given = [recording(number) for number in range(count)]
    taught, found = jackknife_tags(Rote(), given)
    assert taught.tag(given[0]).tag == ("seen",) * 8
    for each, before in zip(found, given, strict=True):
        assert each.tag == (*("new",) * 7, "seen")
        assert each.subtag is None
        assert each.words == before.words


def test_a_single_recording_is_cut() -> None:
    given = Transcript(tuple("abcdabce"), tag=("X",) * 8)
    _, (found,) = jackknife_tags(Rote(), [given])
    assert found.tag == (*("seen",) * 3, "new", *("seen",) * 3, "new")
    alone = Transcript(("a", "."), tag=("X", "PUNCT"))
    _, (found,) = jackknife_tags(Rote(), [alone])
    assert found.tag == ("seen", "new")


def test_recordings_without_tags_are_tagged_by_all_others() -> None:
    bare = recording(0).replace(tag=None)
    _, found = jackknife_tags(Rote(), [bare, recording(1), recording(2, tag=""), recording(1)])
    assert found[0].tag == (*("new",) * 7, "seen")
    assert found[1].tag == found[3].tag == ("seen",) * 8
    assert FOLDS == 4


def test_a_trained_tagger_is_used_as_it_is() -> None:
    given = [recording(number) for number in range(3)]
    taught = Rote().train(given[:1])
    same, found = jackknife_tags(taught, given)
    assert same is taught
    assert found[0].tag == ("seen",) * 8
    assert found[1].tag == (*("new",) * 7, "seen")


TRAINING = [talk(seed) for seed in range(6)]
TAGGER = Tagger(size=50, cutoff=1)
CHUNKERS = [CRF(c2=0.1, tagger=TAGGER), SVM(cost=1.0, tagger=TAGGER)]
Chunker = CRF | SVM


@pytest.fixture(scope="module", params=CHUNKERS, ids=["CRF", "SVM"])
def chunker(request: pytest.FixtureRequest) -> Chunker:
    trained: Chunker = request.param.train(TRAINING)
    return trained


def test_untagged_recordings_are_tagged_first(chunker: Chunker) -> None:
    unseen = talk(99)
    bare = hidden(unseen).replace(tag=None)
    assert chunker.tagger is not None
    tagged = chunker.tagger.tag(bare)
    assert chunker.detect(bare) == chunker.detect(tagged)
    assert chunker.starts(bare).tolist() == unseen.cluster.tolist()  # type: ignore[union-attr]
    assert chunker.find_words(bare)[1].tag == tagged.tag
    both = chunker.detect_all([bare, hidden(unseen), bare])
    assert both == [chunker.detect(bare), chunker.detect(hidden(unseen)), chunker.detect(bare)]


def test_tags_that_are_given_stay(chunker: Chunker) -> None:
    unseen = hidden(talk(98))
    odd = unseen.replace(tag=("X",) * len(unseen))
    assert chunker.find_words(odd)[1].tag == odd.tag
    assert chunker.detect(odd).log_odds.tolist() != chunker.detect(unseen).log_odds.tolist()  # type: ignore[union-attr]


def test_the_state_of_the_tagger_is_stored_too(chunker: Chunker) -> None:
    stored = chunker.state()
    inner = {name for name in stored if name.startswith("tagger.")}
    assert inner == {f"tagger.{name}" for name in ("keys", "scales", "tags", "weights")}
    again = replace(chunker, tagger=TAGGER).from_state(stored)
    bare = hidden(talk(97)).replace(tag=None)
    assert again.detect(bare) == chunker.detect(bare)
    with pytest.raises(ModelError, match="the tagger is damaged"):
        replace(chunker).from_state({k: v for k, v in stored.items() if k not in inner})
    with pytest.raises(ModelError, match="damaged: it has the arrays"):
        replace(chunker).adjusted(tagger=None).from_state({**stored, "more.keys": np.zeros(1)})


def test_a_stored_tagger_is_referred_to(chunker: Chunker, tmp_path: Path) -> None:
    folder = str(store.save(tmp_path / "tagger", Tagger(cutoff=1).train(TRAINING), Card()))
    made = replace(chunker, tagger=Tagged(folder)).train(TRAINING)
    assert not any(name.startswith("tagger.") for name in made.state())
    model = store.save(tmp_path / "model", made, Card())
    bare = hidden(talk(96)).replace(tag=None)
    assert store.load(model).detector.detect(bare) == made.detect(bare)
    whole: list[Any] = [made, Model(str(model)), Fusion((made,))]
    before = [streaming.fingerprint(each) for each in whole]
    assert before == [streaming.fingerprint(each) for each in whole]
    store.save(tmp_path / "tagger", Tagger(cutoff=2).train(TRAINING[:2]), Card())
    for detector, former in zip(whole, before, strict=True):
        assert streaming.fingerprint(detector) != former


def test_trains_on_predicted_tags_not_on_given_ones(chunker: Chunker) -> None:
    odd = [
        each.replace(tag=(f"odd {number}", *(each.tag or ())[1:]))
        for number, each in enumerate(TRAINING)
    ]
    alone = replace(chunker, tagger=None)
    keys = {
        "learnt": replace(chunker, tagger=TAGGER).train(odd).state()["keys"].tolist(),
        "predicted": alone.train(jackknife_tags(TAGGER, odd)[1]).state()["keys"].tolist(),
        "given": alone.train(odd).state()["keys"].tolist(),
    }
    assert keys["learnt"] == keys["predicted"] != keys["given"]


def test_taggers_need_tags_for_training(chunker: Chunker) -> None:
    with pytest.raises(LayerError, match="none of 6 recordings has tags"):
        replace(chunker, tagger=TAGGER).train([each.replace(tag=None) for each in TRAINING])


def test_text_may_bring_the_tags() -> None:
    speech = [each.replace(tag=None) for each in TRAINING[:3]]
    made = CRF(c2=0.1, tagger=TAGGER).train(speech, text=TRAINING[3:])
    unseen = talk(95)
    assert made.detect(unseen.only([])).boundary.tolist() == unseen.sentences.boundary.tolist()  # type: ignore[union-attr]


@pytest.mark.parametrize("setting", ["'tagger-en'", "Pause()", "3", "True"])
def test_only_a_tagger_is_one(setting: str) -> None:
    with pytest.raises(UnknownName, match="tagger is Tagger"):
        registry.parse("detector", f"CRF(tagger={setting})")


def test_a_stream_looks_as_far_as_tags_do() -> None:
    assert SVM().reach < SVM(tagger=TAGGER).reach == CRF(tagger=TAGGER).reach == CRF().reach
