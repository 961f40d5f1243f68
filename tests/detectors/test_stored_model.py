"""Stored models: the stored detector decides where the language is the same."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura import api
from caesura.core import registry
from caesura.core.errors import ModelError, UnknownName
from caesura.core.protocols import Detector
from caesura.core.transcript import Transcript
from caesura.detectors.pause import Pause
from caesura.detectors.stored_model import FEW, HEAD, LEAST, Model, get_detector
from caesura.detectors.window_stream import Lookahead
from caesura.models import store
from caesura.models.store import Card
from tiny import register, trained_tiny

KNOWN = tuple("we know the words of this small talk and no others so far".split())
FOREIGN = tuple("wir kennen diese kleine Rede noch nicht".split())


@pytest.fixture(scope="module", autouse=True)
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Install two models: one with a language, one without."""
    house = tmp_path_factory.mktemp("house")
    with pytest.MonkeyPatch.context() as patch:
        register(patch)
        patch.setattr(store, "files", lambda _: house)
        store.save(house / "models" / "en", trained_tiny(), Card(language="en"))
        store.save(house / "models" / "any", trained_tiny(), Card())
        yield house / "models"


@pytest.fixture
def notes(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO, "caesura")
    return caplog


def talk(count: int, share: float = 1.0, language: str = "", id: str = "talk") -> Transcript:
    """Return `count` words, of which the model knows a share, with pauses and two speakers."""
    known = round(count * share)
    words = [KNOWN[i % 13] if i < known else FOREIGN[i % 7] for i in range(count)]
    start = np.cumsum([0.5 + 0.6 * (i % 5 == 0) for i in range(count)])
    speaker = ["A" if i < count // 2 else "B" for i in range(count)]
    return Transcript(
        tuple(words), id, language, start=start, end=start + 0.4, speaker=tuple(speaker)
    )


def same(model: Detector, other: Detector, transcript: Transcript) -> bool:
    """Return whether two detectors give the same results by all methods."""
    assert model.log_odds(transcript).tobytes() == other.log_odds(transcript).tobytes()
    assert model.detect_all([transcript]) == [model.detect(transcript)]
    assert model.label(transcript) == other.label(transcript)
    assert model.lacks(transcript) == other.lacks(transcript)
    return model.detect(transcript) == other.detect(transcript)


def test_a_model_is_chosen_by_name_or_folder(shipped: Path) -> None:
    assert repr(Model("en")) == "Model(model='en')"
    assert registry.parse("detector", "Model('en')") == Model("en") == get_detector("en")
    assert get_detector(str(shipped / "any")) == Model(str(shipped / "any"))
    assert get_detector("Pause(0.7)") == Pause(0.7)
    assert get_detector("Lookahead(Model('en'))") == Lookahead(Model("en"))
    assert get_detector(Pause()) == Pause()
    for text in ("en", "any", str(shipped / "any")):
        assert same(Model(text), trained_tiny(), talk(30))


def test_a_registered_name_comes_before_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store.save("Pause", trained_tiny(), Card())
    assert get_detector("Pause") == Pause()
    assert get_detector("./Pause") == Model("./Pause")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Pausee", "no detector is named 'Pausee'; did you mean 'Pause'.; models are any, en"),
        ("fr", "no detector is named 'fr'; known are .*; models are any, en, or name a model fold"),
        ("no/where", "there is no model folder and no detector 'no/where'; name a folder that is "),
        ("my-model", "no model folder and no detector 'my-model'; .*, or a model: any, en$"),
        ("EN", "no model is named 'EN'; did you mean 'en'"),
        ("", "'' is not a detector; .*; models are any, en, or name a model folder"),
        ("x" * 300, "no detector is named"),
        ("Pause(threshold=x)", "'x' in .* is not a plain value; write a number[^;]*$"),
        ("Model", "Model needs a setting 'model'"),
        ("Model('')", "model is the name or the folder of a model"),
        ("Model('a\\0b')", "model is the name or the folder of a model"),
        ("Model(3)", "model is the name or the folder of a model"),
    ],
)
def test_names_that_nothing_has(text: str, message: str) -> None:
    with pytest.raises(UnknownName, match=message):
        get_detector(text)


def test_without_models_none_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(store, "files", lambda _: tmp_path)
    with pytest.raises(UnknownName, match=r"known are .*; or name a model folder$"):
        get_detector("fr")


def test_nothing_is_read_before_it_is_needed(tmp_path: Path) -> None:
    nowhere = Model(str(tmp_path / "nowhere"))
    with pytest.raises(ModelError, match="there is no such model; name a model folder, or a model"):
        nowhere.detect(talk(3))
    store.save(tmp_path / "nowhere", trained_tiny(), Card())
    assert same(nowhere, trained_tiny(), talk(3))


def test_a_model_is_read_once_and_again_when_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = store.save(tmp_path / "m", trained_tiny(), Card())
    first = Model(str(place))
    kept = first.stored.detector
    (place / store.ARRAYS).rename(tmp_path / "away")
    assert Model(str(place)).stored.detector is kept
    (tmp_path / "away").rename(place / store.ARRAYS)
    store.save(place, trained_tiny().adjusted(bias=9.0), Card())
    assert Model(str(place)).stored.detector == trained_tiny(bias=9.0)
    assert first.stored.detector is kept


@pytest.mark.parametrize(
    "language", ["", "en", "EN-us", "eng", "English", " english (UK)", "und", "auto", "en_GB"]
)
def test_the_model_decides_in_its_language(language: str, notes: pytest.LogCaptureFixture) -> None:
    assert same(Model("en"), trained_tiny(), talk(30, language=language))
    assert not notes.messages


@pytest.mark.parametrize(
    ("language", "name"),
    [
        ("de", "German"),
        ("ger", "German"),
        ("Deutsch", "German"),
        ("ja-JP", "Japanese"),
        ("pt", "Portuguese"),
        ("sw", "sw"),
    ],
)
def test_pauses_decide_in_another_language(
    language: str, name: str, notes: pytest.LogCaptureFixture
) -> None:
    model = Model("en")
    assert same(model, Pause(), talk(3, language=language))
    assert same(model, Pause(), talk(30, language=language, id=""))
    about = f"in {name}, and the model en is for English; pauses and marks decide alone"
    assert notes.messages == [f"talk: {about}", f"a recording: {about}"]
    assert [record.levelname for record in notes.records] == ["WARNING", "WARNING"]


def test_codes_without_a_list_are_others_only_if_that_is_sure(tmp_path: Path) -> None:
    place = store.save(tmp_path / "pt", trained_tiny(), Card(language="pt"))
    model = Model(str(place))
    assert same(model, trained_tiny(), talk(5, language="pt-BR"))
    assert same(model, trained_tiny(), talk(5, language="por"))
    assert same(model, Pause(), talk(5, language="sv"))
    assert same(model, Pause(), talk(5, language="English"))


@pytest.mark.parametrize("name", ["en", "any"])
def test_pauses_decide_where_words_are_not_known(
    name: str, notes: pytest.LogCaptureFixture
) -> None:
    model = Model(name)
    assert same(model, trained_tiny(), talk(FEW - 1, 0))
    assert same(model, trained_tiny(), talk(LEAST - 1, 0.1))
    assert same(model, trained_tiny(), talk(LEAST, 0.5))
    assert not notes.messages
    assert same(model, Pause(), talk(LEAST, 0.45))
    assert notes.messages == [
        f"talk: the model {name} knows less than half of its words; pauses and marks decide alone"
    ]
    mixed = Transcript.join([talk(HEAD, 0.6), talk(500, 0)])
    assert same(model, trained_tiny(), mixed)
    assert same(model, Pause(), talk(LEAST - 1, 0))
    assert "knows none of its words" in notes.messages[-1]


def test_what_a_recording_says_of_itself_counts_first() -> None:
    assert same(Model("en"), trained_tiny(), talk(60, 0, language="en"))
    assert same(Model("any"), Pause(), talk(60, 0, language="en"))


def test_many_at_once_are_as_one_by_one(notes: pytest.LogCaptureFixture) -> None:
    recordings = [
        talk(30, id="a"),
        talk(30, language="de", id="b"),
        Transcript(()),
        talk(30, 0, id="c"),
        talk(9, id="d"),
    ]
    together = Model("en").detect_all(recordings)
    assert together == [Model("en").detect(recording) for recording in recordings]
    assert [note.split(":")[0] for note in notes.messages] == ["b", "c", "b", "c"]


def test_in_a_command_the_warning_is_given_once(notes: pytest.LogCaptureFixture) -> None:
    (found,) = api.segment(talk(30, language="de"), detector="en")
    assert found.sentences == Pause().detect(talk(30, language="de"))
    assert len(notes.messages) == 1


def test_a_model_is_as_it_was_stored(shipped: Path) -> None:
    model = Model("en")
    assert model.train([], []) == model
    assert model.state() == {}
    assert model.from_state({}) == model
    assert model.adjusted(model="any") == Model("any")
    assert model.coverage(talk(20, 0.5)) == 0.5
    with pytest.raises(UnknownName, match="a stored model has no setting 'bias'; train one with"):
        model.adjusted(bias=1.0)


def test_a_stored_detector_may_refer_to_a_model_but_not_to_itself(tmp_path: Path) -> None:
    outer = store.save(tmp_path / "outer", Lookahead(Model("en"), 3), Card())
    assert same(Model(str(outer)), trained_tiny(), talk(30))
    circle = store.save(tmp_path / "circle", Model(str(tmp_path / "x")), Card())
    store.save(tmp_path / "x", Lookahead(Model(str(circle))), Card())
    with pytest.raises(ModelError, match="circle: the model refers to itself"):
        Model(str(circle)).detect(talk(3))


@pytest.mark.parametrize("name", ["en", "any"])
@given(data=st.data())
def test_a_stream_says_the_same_as_the_whole(name: str, data: st.DataObject) -> None:
    count = data.draw(st.integers(0, HEAD + 20))
    share = data.draw(st.sampled_from([0.0, 0.4, 0.5, 0.8]))
    language = data.draw(st.sampled_from(["", "en", "de"]))
    whole = Transcript.join([talk(count, share, language), talk(9, 0.5, "fr")][count == 0 :])
    model, sentences, at = Model(name), [], 0
    stream = model.stream()
    while at < len(whole):
        step = data.draw(st.integers(1, 30))
        sentences += stream.push(whole[at : at + step])
        at += step
        if data.draw(st.booleans()):
            stream = model.stream(json.loads(json.dumps(stream.state())))
    sentences += stream.close()
    found = whole.replace(sentences=model.detect(whole))
    expected = list(found.split_sentences())
    assert [each.words for each in sentences] == [each.words for each in expected]
    assert [each.sentences for each in sentences] == [each.sentences for each in expected]


def test_a_stream_waits_only_where_it_has_to(tmp_path: Path) -> None:
    bare = str(store.save(tmp_path / "m", Pause(evidence=("speaker",)), Card()))
    for model, language, wait in [
        ("en", "en", 1),
        ("en", "de", 31),
        ("en", "", HEAD),
        (bare, "", 1),
    ]:
        stream = Model(model).stream()
        words = Transcript(KNOWN[6:7] * 60, language=language, speaker=("A", "B") * 30)
        after = next(n for n in range(60) if stream.push(words[n : n + 1]))
        assert after + 1 in (wait, wait + 1), (model, language)


def test_a_stream_of_nothing_has_no_sentences() -> None:
    assert Model("en").stream().close() == []


def test_a_stream_warns_once(notes: pytest.LogCaptureFixture) -> None:
    stream = Model("en").stream()
    for at in range(80):
        stream.push(talk(80, 0)[at : at + 1])
    stream.close()
    assert len(notes.messages) == 1


def test_delays_do_not_depend_on_how_words_arrive(shipped: Path) -> None:
    words = Transcript(("so", "it", "goes") * 40, language="en")
    model = Model("en")
    whole, single = model.stream(), model.stream()
    at_once = whole.push(words) + whole.close()
    parts = [single.push(words[at : at + 1]) for at in range(len(words))]
    assert at_once == [each for part in parts for each in part] + single.close()


def test_a_model_that_ships_takes_no_settings(shipped: Path) -> None:
    with pytest.raises(UnknownName, match="the model en takes no settings"):
        get_detector("en(bias=2)")
