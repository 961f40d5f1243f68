"""Written words: punctuation glued to them, and text split into them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura
from caesura.core.transcript import Origin, Transcript
from caesura.text.punctuation import (
    detach_marks,
    has_script_without_blanks,
    is_without_blanks,
    split_words,
    without_letter_dots,
    written_together,
)


def test_words_made_in_python_lose_their_marks_as_on_reading() -> None:
    talk = Transcript("So it goes. “We tied it shut,” said Mr. Lee of the U.S.".split())
    found = detach_marks(talk)
    assert found.words == tuple("So it goes We tied it shut said Mr. Lee of the U.S.".split())
    assert found.text == talk.text
    assert found.mark is not None
    assert found.mark[2:8] == (".", "", "", "", ",”", "")
    assert found.opening is not None
    assert found.opening[3] == "“"


def test_tokens_and_transcripts_that_were_read_stay() -> None:
    tokens = Transcript(["It", "goes", ".", "...", "3.5", "'s", "—"])
    assert detach_marks(tokens) is tokens
    read = Transcript(["goes."], origin=Origin("talk.txt"))
    assert detach_marks(read) is read
    marked = Transcript(["goes."], mark=["!"])
    assert detach_marks(marked) is marked
    assert detach_marks(Transcript([])) == Transcript([])


def test_sentences_of_words_given_in_python_end_at_their_marks() -> None:
    talk = Transcript("So it goes. We tied it shut.".split())
    for detector in ("Pause", "en"):
        (found,) = caesura.segment(talk, detector=detector)
        assert [s.text for s in found.iter_sentences()] == ["So it goes.", "We tied it shut."]
    streamed = list(caesura.stream([talk], detector="Pause"))
    assert [sentence.text for sentence in streamed] == ["So it goes.", "We tied it shut."]
    (scores,) = caesura.score(talk.replace(sentences=[(0, 2), (3, 6)]), reference=found).values
    assert scores["f1"] == 1.0


@pytest.mark.parametrize(
    ("words", "marks", "left"),
    [
        ("in the U S and", ["", "", ".", ".", ""], ["", "", "", "", ""]),
        ("the B C M A", ["", ".", ".", ".", ","], ["", "", "", "", ","]),
        # The dot of the last letter stays before a word that often starts a sentence.
        ("the U S The end", ["", ".", ".", "", "."], ["", "", ".", "", "."]),
        ("the U S Army", ["", ".", ".", ""], ["", "", "", ""]),
        ("in the u s", ["", "", ".", "."], ["", "", "", "."]),
        ("for I B. M. in", ["", ".", "", "", ""], ["", "", "", "", ""]),
        ("plan B is A", ["", ".", "", "."], ["", ".", "", "."]),
        ("A? B", [".", "."], [".", "."]),
        ("", [], []),
    ],
)
def test_dots_of_letters_that_are_spelled_out_are_no_marks(
    words: str, marks: list[str], left: list[str]
) -> None:
    assert list(without_letter_dots(words.split(), marks)) == left


def test_words_are_parted_by_white_space() -> None:
    assert split_words(" Good  morning,\tAnn. ", characters=False) == [
        " Good",
        "  morning,",
        "\tAnn.",
    ]


def test_characters_are_words_of_their_own() -> None:
    assert split_words("明日は雨です。", characters=True) == ["明", "日", "は", "雨", "で", "す。"]


def test_other_scripts_stay_whole_among_characters() -> None:
    assert split_words("2031年、OpenAI社の don't 店", characters=True) == [
        "2031",
        "年、",
        "OpenAI",
        "社",
        "の",
        " don't",
        " 店",
    ]


def test_a_bracket_is_a_piece_before_its_word_and_closing_marks_stay_behind() -> None:
    assert split_words("「傘」は", characters=True) == ["「", "傘」", "は"]
    assert split_words("。 店", characters=True) == ["。", " 店"]


def test_a_voicing_mark_belongs_to_its_character() -> None:
    assert split_words("か\u3099く", characters=True) == ["か\u3099", "く"]


def test_text_without_blanks_is_distinguished_from_text_with_blanks() -> None:
    assert is_without_blanks("明日は雨です。")
    assert is_without_blanks("Der Film heißt 千と千尋の神隠し und ist alt.")
    assert not is_without_blanks("明日 は 雨 です 。")
    assert not is_without_blanks("今日")
    assert not is_without_blanks("")
    assert not is_without_blanks("naïve words only")


def test_words_side_by_side_without_a_blank() -> None:
    assert written_together("雨。", "傘")
    assert written_together("ครับ", "ผม")
    assert not written_together("雨", "rain")
    assert not written_together("rain", "雨")
    assert not written_together("", "雨")
    assert has_script_without_blanks("a雨")
    assert not has_script_without_blanks("a b")


@given(text=st.text(alphabet="ab '.,。、「」今日カ゛\u3099 \n1"), characters=st.booleans())
def test_pieces_are_all_of_the_text(text: str, characters: bool) -> None:
    assert "".join(split_words(text, characters)) == text.rstrip()
