"""Units: characters with the ends of tokens and sentences, and equal forms of tokens."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core.errors import LayerError, UnknownName
from caesura.text.charmatch.units import TOKEN_TABLES, Units

SENTENCES = st.lists(
    st.lists(st.text(st.sampled_from("ab \u00a0\u2028\u200b\u0301é😀"), max_size=3), max_size=4),
    max_size=5,
)


def units(sentences: list[list[str]]) -> Units:
    ends = np.cumsum([len(sentence) for sentence in sentences], dtype=np.int64) - 1
    return Units.of([token for sentence in sentences for token in sentence], ends)


@given(SENTENCES)
def test_blanks_and_what_is_then_empty_are_left_out(sentences: list[list[str]]) -> None:
    tokens, token_ends, sentence_ends, kept_tokens, kept_sentences = "", [], [], [], []
    number = 0
    for place, sentence in enumerate(sentences):
        begun = len(tokens)
        for token in sentence:
            bare = "".join(letter for letter in token if not letter.isspace())
            tokens += bare
            if bare:
                token_ends.append(len(tokens))
                kept_tokens.append(number)
            number += 1
        if len(tokens) > begun:
            sentence_ends.append(len(tokens))
            kept_sentences.append(place)
    made = units(sentences)
    assert made.text == tokens
    assert made.tokens.tolist() == token_ends
    assert made.sentences.tolist() == sentence_ends
    assert made.kept_tokens.tolist() == kept_tokens
    assert made.kept_sentences.tolist() == kept_sentences
    assert "".join(made.forms) == tokens
    assert len(made.forms) == len(token_ends)


def test_invisible_characters_are_characters() -> None:
    made = units([["a\u200d", "\ufeff", "\u200f"]])
    assert made.text == "a\u200d\ufeff\u200f"
    assert made.tokens.tolist() == [2, 3, 4]


def test_white_space_of_all_kinds_goes() -> None:
    made = units([["1\u202f000", "\u3000", "x\u0085\u2028y"]])
    assert made.text == "1000xy"
    assert made.tokens.tolist() == [4, 6]
    assert made.kept_tokens.tolist() == [0, 2]


def test_is_a_value() -> None:
    made = units([["a", "b"], ["c"]])
    assert made == units([["a", "b"], ["c"]])
    assert made != units([["a", "b", "c"]])
    assert pickle.loads(pickle.dumps(made)) == made
    with pytest.raises(ValueError, match="read-only"):
        made.tokens[0] = 7


@pytest.mark.parametrize("ends", [[], [0], [1, 0], [2], [-2, 1], [[0, 1]]])
def test_sentences_cover_the_tokens(ends: list[int]) -> None:
    with pytest.raises(LayerError, match="cover the 2 tokens"):
        Units.of(["a", "b"], ends)


def test_nothing_is_allowed() -> None:
    made = Units.of([], [])
    assert (made.text, made.forms, len(made.tokens), len(made.sentences)) == ("", [], 0, 0)
    assert made.rewritten() == made


def test_quotes_become_one_form() -> None:
    made = units([["``", "Yes", "''"], ["'", "'", "`` x"]])
    new = made.rewritten()
    assert new.forms == ['"', "Yes", '"', "'", "'", "``x"]
    assert new.tokens.tolist() == [1, 4, 5, 6, 7, 10]
    assert new.sentences.tolist() == [5, 10]
    assert new.kept_tokens.tolist() == made.kept_tokens.tolist()


def test_tokens_are_composed_one_by_one() -> None:
    assert units([["cafe\u0301", "x"]]).rewritten().forms == ["café", "x"]
    assert units([["e", "\u0301", "x"]]).rewritten().forms == ["e", "\u0301", "x"]


def test_what_needs_no_change_stays_itself() -> None:
    made = units([["a", "'", "'", "b"]])
    assert made.rewritten() is made
    made = units([["é", "ß"]])
    assert made.rewritten() is made


def test_further_tables_are_asked_for_by_name() -> None:
    made = units([["-LRB-", "“", "x", "…", "”", "-RRB-", "a…"]])
    assert made.rewritten() is made
    assert made.rewritten(("brackets", "curly")).forms == ["(", '"', "x", "…", '"', ")", "a…"]
    assert made.rewritten(("ellipsis",)).forms == ["-LRB-", "“", "x", "...", "”", "-RRB-", "a…"]
    with pytest.raises(UnknownName, match=r"quotes.*known are brackets, curly, ellipsis"):
        made.rewritten(("quotes",))


def test_tables_lead_to_tokens_that_stay() -> None:
    for name, table in TOKEN_TABLES.items():
        for form, new in table.items():
            assert units([[form]]).rewritten((name,)).forms == [new]
            assert units([[new]]).rewritten((name,)).forms == [new]
