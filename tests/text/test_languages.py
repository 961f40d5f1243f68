"""Language codes and names."""

import pytest

from caesura.text.languages import language_code, languages_differ


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
