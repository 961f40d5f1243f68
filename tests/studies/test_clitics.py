"""Joining words that treebanks split in two."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Span, Transcript
from caesura_studies.atene.corpora import join_clitics


@pytest.mark.parametrize(
    ("cut", "whole"),
    [
        ("it 's John ’s , is n't it", "it's John’s , isn't it"),
        ("DO N'T we 'LL I 'd they 'VE", "DON'T we'LL I'd they'VE"),
        ("she would n't 've gone", "she wouldn't've gone"),
        ("' s 's 1990 's - 's", "' s's 1990 's - 's"),
        ("'s n't", "'sn't"),
        ("rock 'n' roll 'em", "rock 'n' roll 'em"),
        ("", ""),
    ],
)
def test_clitics_go_to_the_word_before(cut: str, whole: str) -> None:
    assert join_clitics(Transcript(tuple(cut.split()))).words == tuple(whole.split())


def test_what_is_known_of_words_follows() -> None:
    cut = Transcript(
        ("Anna", "'s", "here", "do", "n't"),
        start=np.arange(5.0),
        end=np.arange(5.0) + 0.5,
        mark=("", "", ".", "", "!"),
        tag=("PROPN", "PART", "ADV", "AUX", "PART"),
        entities=(Span(0, 0, "PER"), Span(2, 2, "LOC")),
        sentences=Segmentation.of_sentences(5, [(0, 2), (3, 4)]),
    )
    found = join_clitics(cut)
    assert found.words == ("Anna's", "here", "don't")
    assert found.entities == (Span(0, 0, "PER"), Span(1, 1, "LOC"))
    assert found.start is not None
    assert found.start.tolist() == [0, 2, 3]
    assert found.end is not None
    assert found.end.tolist() == [1.5, 2.5, 4.5]
    assert found.mark == ("", ".", "!")
    assert found.tag == ("", "ADV", "")
    assert found.sentences is not None
    assert found.sentences.sentences == [(0, 1), (2, 2)]


@given(st.lists(st.sampled_from(["a", "It", "n't", "'s", "’ll", "7", ",", ""])))
def test_no_letter_is_lost_and_twice_is_once(words: list[str]) -> None:
    cut = Transcript(tuple(words))
    found = join_clitics(cut)
    assert "".join(found.words) == "".join(words)
    assert join_clitics(found) == found
    whole = Transcript(("one", "two"))
    assert join_clitics(whole) is whole
