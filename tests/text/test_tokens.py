"""Cutting text into words with and without blanks."""

from hypothesis import given
from hypothesis import strategies as st

from caesura.text.tokens import has_joined, joined, lacks_blanks, pieces


def test_words_are_parted_by_white_space() -> None:
    assert pieces(" Good  morning,\tAnn. ", characters=False) == [" Good", "  morning,", "\tAnn."]


def test_characters_are_words_of_their_own() -> None:
    assert pieces("明日は雨です。", characters=True) == ["明", "日", "は", "雨", "で", "す。"]


def test_other_scripts_stay_whole_among_characters() -> None:
    assert pieces("2031年、OpenAI社の don't 店", characters=True) == [
        "2031",
        "年、",
        "OpenAI",
        "社",
        "の",
        " don't",
        " 店",
    ]


def test_a_bracket_is_a_piece_before_its_word_and_closing_marks_stay_behind() -> None:
    assert pieces("「傘」は", characters=True) == ["「", "傘」", "は"]
    assert pieces("。 店", characters=True) == ["。", " 店"]


def test_a_voicing_mark_belongs_to_its_character() -> None:
    assert pieces("か\u3099く", characters=True) == ["か\u3099", "く"]


def test_text_without_blanks_is_told_from_text_with_blanks() -> None:
    assert lacks_blanks("明日は雨です。")
    assert lacks_blanks("Der Film heißt 千と千尋の神隠し und ist alt.")
    assert not lacks_blanks("明日 は 雨 です 。")
    assert not lacks_blanks("今日")
    assert not lacks_blanks("")
    assert not lacks_blanks("naïve words only")


def test_words_side_by_side_without_a_blank() -> None:
    assert joined("雨。", "傘")
    assert joined("ครับ", "ผม")
    assert not joined("雨", "rain")
    assert not joined("rain", "雨")
    assert not joined("", "雨")
    assert has_joined("a雨")
    assert not has_joined("a b")


@given(text=st.text(alphabet="ab '.,。、「」今日カ゛\u3099 \n1"), characters=st.booleans())
def test_pieces_are_all_of_the_text(text: str, characters: bool) -> None:
    assert "".join(pieces(text, characters)) == text.rstrip()
