"""Language codes and names, and languages of words."""

import pytest

from caesura.text.languages import (
    LANGUAGES,
    SHARE,
    guess_language,
    language_code,
    language_name,
    languages_differ,
)
from caesura.text.restore import DOTTED_I, LANGUAGE_MARKS, LANGUAGE_SCRIPTS, OPENING_MARKS


def test_codes_and_names_of_a_language_are_one() -> None:
    for name in ("en", "EN", "en-US", "eng", "English", " en_GB "):
        assert language_code(name) == "en"
    assert language_code("und") == language_code("") == language_code("auto") == ""
    assert language_code("sv-SE") == "sv"


@pytest.mark.parametrize(
    ("one", "other", "are"),
    [
        ("en", "fr", True),
        ("English", "ja-JP", True),
        ("en", "eng", False),
        ("en", "", False),
        ("und", "fr", False),
        ("sv", "fi", True),
        ("sv", "swe", False),
        ("en", "swe", True),
    ],
)
def test_languages_that_differ(one: str, other: str, are: bool) -> None:
    assert languages_differ(one, other) is languages_differ(other, one) is are


def test_languages_with_marks_of_their_own_are_known_by_name() -> None:
    own = {*LANGUAGE_SCRIPTS, *LANGUAGE_MARKS, *OPENING_MARKS, *DOTTED_I}
    assert own <= set(LANGUAGES)
    assert language_code("Hindi") == "hi"
    assert language_code("cmn") == language_code("Chinese") == "zh"


def test_names_of_languages() -> None:
    names = [language_name(code) for code in ("en-US", "deu", "pcm", "sv", "")]
    assert names == ["English", "German", "Naija", "sv", ""]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("So IT WAS the roof of the house", "en"),
        ("it’s what they’ve been looking for", "en"),
        ("c' est la maison que je connais", "fr"),
        ("dem dey sell am for di market", "pcm"),
        ("この 店 は 駅 から 近い です", "ja"),
        ("das ist nicht so wichtig", "de"),
        ("no me gusta mucho porque es muy lejos de mi casa", "es"),
        ("allora io non lo so ma è una cosa molto bella", "it"),
        ("eu não sei mas isso é uma coisa muito boa para você", "pt"),
        ("ik weet het niet maar dat is een goed idee voor ons", "nl"),
        # English and French by turns share much with Naija, but have no word of its own.
        ("hello my friend comment allez vous i go to de la gare on va", "en"),
        ("", ""),
    ],
)
def test_frequent_words_tell_the_language(text: str, language: str) -> None:
    assert guess_language(text.split()) == language


def test_a_language_needs_its_share_of_frequent_words() -> None:
    need = round(SHARE * 100)
    assert guess_language(["the"] * need + ["roof"] * (100 - need)) == "en"
    assert guess_language(["the"] * (need - 1) + ["roof"] * (101 - need)) == ""
