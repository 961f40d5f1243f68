"""Readers need time in proportion to their input.

A regular expression that tries the same characters in many ways would not return here within
hours, or not at all.
"""

import io
from contextlib import suppress

import pytest

from caesura.core import registry
from caesura.core.errors import CaesuraError
from caesura.formats.annotation.tiers import OVERLAP, role
from caesura.formats.base import Source
from caesura.formats.recognize import choose_format

SIZE = 300_000


def read(format: str, text: str) -> None:
    """Read a text; an error is fine, what counts is that there is an end."""
    with suppress(CaesuraError):
        list(registry.find("format", format)().read(io.BytesIO(text.encode())))


@pytest.mark.parametrize("line", ["\n", " \n", "#\n", "\t\n", "\n#\n \n"])
def test_ten_thousand_lines_before_a_text_do_not_hang_recognition(line: str) -> None:
    source = Source("<stdin>", (line * 10_000 + "So it goes.\nWe tied it shut.\n").encode())
    with suppress(CaesuraError):
        choose_format(source)


@pytest.mark.parametrize("text", ["a b {}x 1 2", "a b c {}x", "({} x", "<{}", "{}{{"])
@pytest.mark.parametrize("char", ["1", "a", " ", "-", "("])
def test_a_long_line_does_not_hang_recognition(text: str, char: str) -> None:
    with suppress(CaesuraError):
        choose_format(Source("<stdin>", text.format(char * SIZE).encode()))


def test_blank_lines_and_comments_may_precede_conllu() -> None:
    row = "1\ta" + "\t_" * 8 + "\n"
    for before in ("\n" * 10_000, "# text = a\n \n\n" * 10_000):
        assert choose_format(Source("<stdin>", (before + row).encode())).name == "conllu"


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("conllu", "# sent_id = {blanks}x\n1\ta" + "\t_" * 8 + "\n"),
        ("conllu", "{blanks}x"),
        ("coraal", "Line\tSpkr\tStTime\tContent\tEnTime\n1\tA\t0\t<{letters}\t1\n"),
        ("srt", "1\n00:00:01,000 --> 00:00:02,000\n<{letters}\n"),
        ("srt", "1\n00:00:01,000 --> 00:00:02,000\nAnn:{blanks}\n"),
        ("vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\n<v{blanks}<\n"),
        ("textgrid", 'File type = "ooTextFile"\nObject class = "TextGrid"\n\n{digits}x\n'),
        ("stm", "talk A Ann 0 1 {braces}\n"),
        ("trn", "{letters} (a\n"),
        ("nlp", "token|punctuation|tags\na|.|['{letters}\n"),
        ("knp", "# S-ID:{dashes}x\n"),
        ("offsets", '{"text": "{letters} b", "tokens": [[300001, 300002]]}'),
    ],
)
def test_long_lines_are_read(format: str, text: str) -> None:
    for name, char in (
        ("blanks", " "),
        ("letters", "a"),
        ("digits", "1"),
        ("braces", "{"),
        ("dashes", "-"),
    ):
        text = text.replace("{" + name + "}", char * SIZE)
    read(format, text)


@pytest.mark.parametrize("name", ["-{}x", "a{}b", "words - {}x\nx", "a - {}", "words ({}"])
@pytest.mark.parametrize("char", [" ", "-", "(", "."])
def test_names_of_tiers_may_be_long(name: str, char: str) -> None:
    long = name.format(char * 100_000)
    role(long)
    OVERLAP.search(long)


def test_names_of_tiers_still_tell_what_they_hold() -> None:
    assert role("Ana - words") == ("words", "Ana")
    assert role("-words") == ("words", "")
    assert role("Ana -- x-sampa") == ("other", "Ana")
    assert role("ort@Ana") == ("words", "Ana")
    assert role("words (Ana)") == ("words", "Ana")
    assert role("Ana - words (overlap 2)") == ("words", "Ana")
    assert role("Ana  (overlap)") == ("", "Ana")
