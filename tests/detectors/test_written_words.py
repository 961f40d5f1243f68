"""How words are written goes from a detector through other detectors, streams and slices."""

import json
from dataclasses import dataclass, replace

import numpy as np
import pytest

from caesura.core.arrays import Strings
from caesura.core.errors import LayerError
from caesura.core.protocols import Detector, Stream
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.detectors.fusion import Fusion
from caesura.detectors.pause import Pause
from caesura.detectors.stored_model import Model
from caesura.detectors.window_stream import Lookahead
from caesura.testing.detector_laws import a_stream_decides_like_the_whole, every_gap_is_decided
from detectors.cased import Cased

TALK = Transcript("ann went to berlin why and may i come now so it goes".split())


@pytest.mark.parametrize(
    "detector", [Cased(), Lookahead(Cased(), words=2), Fusion((Pause(), Cased()))], ids=repr
)
def test_detectors_around_another_pass_its_written_words_on(detector: Detector) -> None:
    written = ("Ann", "went", "to", "Berlin", "why", "and", "", *TALK.words[7:])
    assert detector.written_words(TALK) == detector.detect(TALK).written == written
    stream = detector.stream()
    sentences: list[Transcript] = []
    for at in range(len(TALK)):
        sentences += stream.push(TALK[at : at + 1])
        stream = detector.stream(json.loads(json.dumps(stream.state())))
    sentences += stream.close()
    found = [sentence.sentences for sentence in sentences]
    assert [one.written for one in found if one] == [written[:5], written[5:10], written[10:]]
    assert found == [one.sentences for one in detector.annotate(TALK).split_sentences()]


def test_words_that_arrive_together_are_written_alike() -> None:
    stream = Lookahead(Cased(), words=2).stream()
    whole = Transcript.join([*stream.push(TALK), *stream.close()])
    assert whole.sentences is not None
    assert whole.sentences.written == Cased().written_words(TALK)


def test_detectors_without_case_know_nothing() -> None:
    for detector in (Pause(), Fusion((Pause(), Pause())), Model("en-sda")):
        assert detector.written_words(TALK) is None
        assert detector.detect(TALK).written is None


def test_a_model_passes_on_what_its_detector_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model("en")
    monkeypatch.setitem(vars(model), "stored", model.stored._replace(learner=Cased()))
    assert model.written_words(TALK) == Cased().written_words(TALK)
    assert model.written_words(TALK.replace(language="de")) is None


def language_of(stream: Stream, words: Transcript) -> set[str]:
    sentences = [*stream.push(words), *stream.close()]
    return {stream.language(sentence) for sentence in sentences}


def test_a_model_that_fits_knows_the_language() -> None:
    english = Transcript(("so",) * 60)
    german = Transcript(("zurück",) * 60)
    around = Fusion((Pause(), Model("en")))
    for detector in (Model("en"), Lookahead(Model("en")), around):
        assert detector.language(english) == "en"
        assert detector.language(german) == ""
        assert detector.language(english.replace(language="fr")) == "fr"
        assert language_of(detector.stream(), english) == {"en"}
    assert language_of(Model("en").stream(), german) == {""}
    assert language_of(Model("en").stream(), german.replace(language="de")) == {"de"}
    assert Pause().language(english) == ""
    assert language_of(Pause().stream(), english.replace(language="en")) == {"en"}


@dataclass(frozen=True, repr=False)
class Renamer(Cased):
    """A detector that writes other words."""

    def written_words(self, transcript: Transcript) -> Strings | None:
        return ("other",) * len(transcript)


def test_a_law_holds_detectors_to_the_words() -> None:
    every_gap_is_decided(Cased(), 20, 0)
    a_stream_decides_like_the_whole(Cased(), 20, 1)
    with pytest.raises(AssertionError):
        every_gap_is_decided(Renamer(), 20, 0)


def test_written_words_follow_their_words() -> None:
    found = Segmentation(np.zeros(4, np.bool_), written=("A", "", "C", "D"))
    assert found[1:3].written == ("", "C")
    assert found.take(np.array([0, 3])).written == ("A", "D")
    assert found.moved(np.array([0, 1, 1, 2]), 3).written is None
    bare = Segmentation(np.zeros(2, np.bool_))
    joined = Segmentation.join([bare, found])
    assert joined is not None
    assert joined.written == ("", "", "A", "", "C", "D")
    with pytest.raises(LayerError, match="written has 1 cells for 2 gaps"):
        replace(bare, written=("A",))
