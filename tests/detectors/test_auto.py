"""`Auto`: the model of each recording's language decides."""

import json
import logging
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura
from caesura.core import registry
from caesura.core.transcript import Transcript
from caesura.detectors import stored_model
from caesura.detectors.fusion import Fusion
from caesura.detectors.pause import Pause
from caesura.detectors.stored_model import HEAD, LEAST, Auto, Model, get_detector
from caesura.detectors.window_stream import Lookahead
from caesura.models.store import StoredModel, load, shipped_models

SPEECH = {
    "en": "so we had the roof repaired in may and it was not easy because they could not find the "
    "people who know how to do that but now you can see what we have and i think it's very good",
    "fr": "euh donc c' est la maison que vous avez vue dans la rue et je ne sais pas si elle est "
    "très grande mais il y a des chambres pour tout le monde et puis on est bien avec les voisins",
    "ja": "この 店 は 日本 の 駅 から 近い ところ に あり ます が 人 が 多い ので 中 に 入る こと "
    "が でき ない 日 も ある よう です それ は と て も いい 店 だ と いう こと です ね",
    "pcm": "na so we dey do am for dis place wey dem dey sell tings because people no get money "
    "again and e don tey wey i sey make una come see wetin dem put inside di house sef abeg",
    "nl": "ijs is niet goed voor de mensen die hier wonen en dat weet je ook wel maar we gaan nu "
    "ijs eten omdat het zo warm is en dan gaan we weer naar huis want het is al laat voor ons",
    "de": "wir kennen diese kleine Rede noch nicht und wir wissen auch nicht wer sie halten wird "
    "aber das macht uns keine Sorgen denn morgen kommt der Kollege aus der anderen Stadt zurück",
}
MARKS = (Pause(evidence=("marks",)),)


@pytest.fixture
def notes(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO, "caesura")
    return caplog


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Names of the models whose arrays are read."""
    names: list[str] = []

    def noting(folder: str) -> StoredModel:
        found = load(folder)
        names.append(found.card.name)
        return found

    monkeypatch.setattr(stored_model, "load", noting)
    stored_model._load_cached.cache_clear()
    yield names
    stored_model._load_cached.cache_clear()


def talk(spoken: str, language: str = "", times: int = 2, id: str = "talk") -> Transcript:
    words = tuple(SPEECH[spoken].split()) * times
    start = np.cumsum([0.4 + 0.8 * (i % 9 == 0) for i in range(len(words))])
    return Transcript(words, id, language, start=start, end=start + 0.4)


def test_auto_is_what_users_type() -> None:
    assert get_detector("auto") == get_detector(" Auto ") == caesura.load("auto") == Auto()
    assert (
        get_detector("auto", purpose="stream")
        == get_detector("Auto", purpose="stream")
        == Auto("stream")
    )
    assert registry.parse("detector", "Lookahead(Auto, words=3)") == Lookahead(Auto(), 3)
    with pytest.raises(ValueError, match="purpose is one of segment, stream, not 'talk'"):
        Auto("talk")


@pytest.mark.parametrize("purpose", stored_model.PURPOSES)
def test_every_model_of_the_table_ships_for_its_language(purpose: str) -> None:
    at = stored_model.PURPOSES.index(purpose)
    for language, names in stored_model.MODELS.items():
        assert Model(names[at]).card.language == language
        assert names[at] in shipped_models("detector")
        assert Auto(purpose).choose(talk(language, language)) == names[at]


@pytest.mark.parametrize("stated", [True, False])
@pytest.mark.parametrize("language", ["en", "fr", "ja", "pcm"])
def test_the_model_of_the_language_decides(
    language: str, stated: bool, notes: pytest.LogCaptureFixture
) -> None:
    given = talk(language, language if stated else "")
    stored = Model(language).stored.detector
    expected = stored if language == "en" else Fusion((*MARKS, stored), (10, 1), bias=10)
    assert Auto().detect(given) == expected.detect(given)
    assert Auto().label(given) == expected.label(given)
    assert Auto().lacks(given) == expected.lacks(given)
    assert Auto().coverage(given) == expected.coverage(given) > 0.5
    name = {"en": "English", "fr": "French", "ja": "Japanese", "pcm": "Naija"}[language]
    why = "as stated" if stated else "by the first words"
    assert set(notes.messages) == {f"the model {language} finds the sentences ({name}, {why})"}


def test_pauses_decide_where_no_model_fits(notes: pytest.LogCaptureFixture) -> None:
    assert Auto().detect(talk("de", "de")) == Pause().detect(talk("de"))
    assert Auto().detect(talk("de")) == Pause().detect(talk("de"))
    assert notes.messages == [
        f"talk: there is no model for German ({why}); pauses and marks decide alone"
        for why in ("as stated", "probably, by the first words")
    ]


@pytest.mark.parametrize("language", ["fr", "ja", "pcm"])
def test_marks_decide_where_a_text_is_punctuated(language: str) -> None:
    """These models do not look at marks; alone they would find other boundaries."""
    bare = talk(language, language, times=3)
    ends = np.arange(len(bare)) % 11 == 10
    given = bare.replace(mark=tuple("." if end else "" for end in ends))
    found = Auto().detect(given)
    assert Model(language).detect(given) != found
    assert (found.boundary[:-1] == ends[:-1]).all()


def test_words_are_restored_in_the_guessed_language_where_pauses_decide() -> None:
    assert Auto().language(talk("de")) == "de"
    assert Auto().language(talk("de")[: LEAST - 1]) == "en"


@pytest.mark.parametrize("times", [1, 2])
def test_a_stream_restores_words_in_the_language_of_its_first_words(times: int) -> None:
    """Its sentences alone would not tell the language: in Dutch the capital of ij is IJ."""
    words = talk("nl", times=times)
    assert Auto().language(words) == "nl"
    shown = [each.text for each in caesura.stream([words])]
    (whole,) = caesura.segment([words])
    assert shown == [sentence.text for sentence in whole.iter_sentences()]
    assert "IJs" in " ".join(shown)
    state = json.loads(json.dumps(Auto("stream").stream().state()))
    assert Auto("stream").stream(state).state() == state


def test_the_language_that_is_given_counts_where_the_recording_states_none() -> None:
    (told,) = caesura.segment([talk("de")], language="fr")
    assert told.language == "fr"
    (stated,) = caesura.segment([talk("de", "de")], language="fr")
    assert stated.language == "de"
    (unknown,) = caesura.segment([talk("de", "und")], language="fr")
    assert unknown.language == "fr"


def test_a_given_language_that_is_not_used_is_a_warning(notes: pytest.LogCaptureFixture) -> None:
    list(caesura.segment([talk("en", "english")], language="fr"))
    assert notes.messages[0] == "talk states the language english, so that fr is not used"
    notes.clear()
    list(caesura.segment([talk("en", "english")], language="en"))
    assert not [note for note in notes.messages if "not used" in note]


def test_few_words_say_nothing_about_the_language(notes: pytest.LogCaptureFixture) -> None:
    assert Auto().choose(talk("fr")[: LEAST - 1]) == "en"
    assert notes.messages == ["the model en finds the sentences (the language is not known)"]
    assert Auto().choose(talk("fr")[:LEAST]) == "fr"
    assert Auto().choose(Transcript(())) == "en"


def test_the_first_words_count_and_not_those_after_them() -> None:
    mixed = Transcript.join([talk("fr", times=2)[:HEAD], talk("en", times=9)])
    assert Auto().choose(mixed) == "fr"


def test_the_choice_holds_after_a_silence(notes: pytest.LogCaptureFixture) -> None:
    """A few words more would not tell the language."""
    words = talk("fr", times=4)
    assert words.start is not None
    assert words.end is not None
    late = np.arange(len(words)) >= HEAD + 5
    given = words.replace(start=words.start + 9 * late, end=words.end + 9 * late)
    list(caesura.stream([given], silence=5))
    assert [note.partition(" (")[0] for note in notes.messages] == [
        "the model fr finds the sentences"
    ]


def test_a_choice_by_few_words_does_not_hold_after_a_silence(
    notes: pytest.LogCaptureFixture,
) -> None:
    words = talk("fr", times=4)
    assert words.start is not None
    assert words.end is not None
    late = np.arange(len(words)) >= 5
    given = words.replace(start=words.start + 9 * late, end=words.end + 9 * late)
    list(caesura.stream([given], silence=5))
    assert [note.partition(" finds")[0] for note in notes.messages] == [
        "the model en-fast",
        "the model fr",
    ]


def test_which_model_decides_is_said_once_for_each_reason(notes: pytest.LogCaptureFixture) -> None:
    talks = [talk("en", "en", id=id) for id in "abc"] + [talk("en"), talk("fr", "fr-CA")]
    list(caesura.segment(talks))
    assert [note.partition(" (")[2] for note in notes.messages] == [
        "English, as stated)",
        "English, by the first words)",
        "French, as stated)",
    ]


@pytest.mark.parametrize("language", ["en", ""])
def test_english_loads_the_english_models_only(language: str, loaded: list[str]) -> None:
    list(caesura.segment(talk("en", language)))
    list(caesura.stream([talk("en", language)]))
    assert loaded == ["en", "en-fast"]


def test_a_stated_language_without_a_model_loads_nothing(loaded: list[str]) -> None:
    list(caesura.segment(talk("de", "de")))
    assert loaded == []


def test_marks_count_for_models_that_ignore_them() -> None:
    bare = talk("fr", "fr")
    marks = tuple("." if i % 13 == 12 else "" for i in range(len(bare)))
    marked = bare.replace(mark=marks)
    found = Auto().log_odds(marked) - Model("fr").log_odds(bare)
    assert Model("fr").detect(marked) == Model("fr").detect(bare)
    assert [odds > 0 for odds in found[:-1]] == [mark == "." for mark in marks[:-1]]


def test_many_at_once_are_as_one_by_one() -> None:
    recordings = [talk(each) for each in ("pcm", "en", "de", "pcm", "ja")] + [Transcript(())]
    assert Auto().detect_all(recordings) == [Auto().detect(each) for each in recordings]


def test_streams_may_prefer_another_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(stored_model.MODELS, "en", ("en", "en-sda"))
    given = talk("en", "en")
    assert (Auto().choose(given), Auto("stream").choose(given)) == ("en", "en-sda")
    assert Auto().checksum != Auto("stream").checksum
    (segmented,) = caesura.segment(given)
    boundary = Model("en").detect(given).boundary
    assert segmented.sentences is not None
    assert segmented.sentences.boundary.tolist() == boundary.tolist()
    streamed = list(caesura.stream([given], restore=False))
    expected = Model("en-sda").stream()
    found = [*expected.push(given), *expected.close()]
    assert [each.words for each in streamed] == [each.words for each in found]


@given(data=st.data())
def test_a_stream_chooses_like_the_whole(data: st.DataObject) -> None:
    spoken = data.draw(st.sampled_from(["en", "de", "fr"]))
    language = data.draw(st.sampled_from(["", spoken]))
    whole = talk(spoken, language)[: data.draw(st.integers(1, HEAD + 20))]
    detector, at = Auto(), 0
    stream = stored_model.ChoiceStream(detector, None)
    while at < len(whole):
        step = data.draw(st.integers(1, 30))
        stream.push(whole[at : at + step])
        at += step
        assert (stream.by is None) == (not language and min(at, len(whole)) < HEAD)
        saved = json.loads(json.dumps(stream.state()))
        stream = stored_model.ChoiceStream(detector, saved)
    stream.close()
    assert stream.by == detector.choose(whole)
