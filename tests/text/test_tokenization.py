"""The tokens of a transcript, for each kind of format."""

import io
from itertools import chain, pairwise

import pytest

from caesura.core import registry
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Span, Transcript
from caesura.text.charmatch.units import Tokenization, Units, tokenize


def read(format: str, text: str) -> Transcript:
    (found,) = registry.parse("format", format).read(io.BytesIO(text.encode()))
    return found


def sentences(cut: Tokenization) -> list[list[str]]:
    bounds = [0, *(cut.ends + 1).tolist()]
    return [list(cut.tokens[a:b]) for a, b in pairwise(bounds)]


def shown(cut: Tokenization) -> list[tuple[str, str]]:
    """Return each word with its token."""
    return [(word, cut.tokens[at]) for word, at in zip(cut.words, cut.owner.tolist(), strict=True)]


SPANISH = Transcript(
    ("¡", "vamos", "nos", "a", "el", "mar", "!"),
    multiwords=(Span(1, 2, "vámonos"), Span(3, 4, "al")),
    sentences=Segmentation.of_gaps(7, [2, 6]),
)


def test_multiword_tokens_are_one_token() -> None:
    cut = tokenize(SPANISH)
    assert cut.tokens == ("¡", "vámonos", "al", "mar", "!")
    assert shown(cut)[1:5] == [("vamos", "vámonos"), ("nos", "vámonos"), ("a", "al"), ("el", "al")]
    assert cut.shares.tolist() == [False, True, True, True, True, False, False]
    assert cut.source.tolist() == list(range(7))
    assert sentences(cut) == [["¡", "vámonos"], ["al", "mar", "!"]]


def test_multiword_tokens_are_taken_apart() -> None:
    cut = tokenize(SPANISH, split=True)
    assert cut.tokens == cut.words == SPANISH.words
    assert not cut.shares.any()


def test_a_multiword_token_without_a_form_is_that_of_its_words() -> None:
    whole = Transcript(("do", "n't"), multiwords=(Span(0, 1, ""),))
    assert tokenize(whole).tokens == ("don't",)


def test_a_multiword_token_of_one_word_is_one() -> None:
    cut = tokenize(Transcript(("a", "b"), multiwords=(Span(0, 0, "A"),)))
    assert cut.tokens == ("A", "b")
    assert cut.shares.tolist() == [True, False]


@pytest.mark.parametrize("end", [0, 1])
def test_a_sentence_that_ends_inside_a_multiword_token_ends_with_it(end: int) -> None:
    inner = Segmentation.of_gaps(3, [end, 2])
    cut = tokenize(Transcript(("a", "b", "c"), multiwords=(Span(0, 1, "ab"),), sentences=inner))
    made = Units.of(cut.tokens, cut.ends)
    assert made.pieces(made.sentences) == ["ab", "c"]


def test_without_sentences_all_is_one() -> None:
    assert sentences(tokenize(Transcript(("a", "b")))) == [["a", "b"]]
    assert sentences(tokenize(Transcript(()))) == []


@pytest.mark.parametrize("format", ["lines", "text"])
@pytest.mark.parametrize(
    "text",
    [
        "Click here .\n\nTo ( view ) it !\n",
        "- “ Yes ” , he said .\n\n... and so on\n",
        "Mr. O'Brien's (old) dog: barks.\n\nDoes n't it?\n",
    ],
)
def test_of_written_text_tokens_are_what_stands_between_blanks(format: str, text: str) -> None:
    cut = tokenize(read(format, text))
    assert [token for sentence in sentences(cut) for token in sentence] == text.split()
    assert cut.words == cut.tokens


@pytest.mark.parametrize("text", ["Yes , he said .\nNo !\n", "( a ) ' b '\n\n. .\n"])
def test_a_tokenised_line_is_the_same_as_tokens_and_as_lines(text: str) -> None:
    for format in ("lines", "tokens"):
        found = sentences(tokenize(read(format, text)))
        assert list(chain.from_iterable(found)) == text.split()


def test_words_know_where_they_come_from() -> None:
    made = Transcript(("a", "b"), opening=("- (", ""), mark=(") .", " ! ?"))
    cut = tokenize(made)
    assert cut.tokens == ("-", "(a)", ".", "b", "!", "?")
    assert cut.source.tolist() == [-1, 0, -1, 1, -1, -1]
    assert cut.ends.tolist() == [5]


def test_blanks_inside_words_cut_nothing() -> None:
    made = Transcript(("1 000", "1 000"), mark=("", ", x"))
    assert tokenize(made).tokens == ("1 000", "1 000,", "x")


def test_words_without_blanks_between_them_are_tokens() -> None:
    found = tokenize(read("lines", "今日は。元気です。\n")).tokens
    assert found == ("今", "日", "は。", "元", "気", "で", "す。")
