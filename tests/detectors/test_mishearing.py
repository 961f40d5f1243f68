"""How recognisers mishear words."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from caesura.detectors.neural.mishearing import NOTHING, Mishearing, learn_mishearing
from caesura.text.alignment.word_alignment import align


def learnt(*pairs: tuple[str, str]) -> Mishearing:
    texts = [(told.split(), heard.split()) for told, heard in pairs]
    return learn_mishearing((told, heard, align(told, heard)) for told, heard in texts)


def test_errors_are_counted() -> None:
    found = learnt(("we see the sea", "we see sea"), ("the sea is here", "the see is here now"))
    assert found.told == ("here", "is", "sea", "see", "the", "we")
    assert found.words == ("now", "see")
    sea, the = found.told.index("sea"), found.told.index("the")
    assert found.outcome[found.first[sea] : found.first[sea + 1]].tolist() == [1]
    assert found.outcome[found.first[the] : found.first[the + 1]].tolist() == [NOTHING]
    assert found.error[-1] == 2 / 8
    assert found.error[sea] > found.error[found.told.index("we")]
    assert found.insertion == 1 / 8
    assert found.inserted.tolist() == [0]


def test_words_have_numbers_whatever_their_case() -> None:
    found = learnt(("we see", "we sea"))
    assert found.numbers_of(["See", "we", "nobody"]).tolist() == [0, 1, NOTHING]


def test_heard_words_are_those_that_were_learnt() -> None:
    found = learnt(*[("we see it", "we sea it")] * 9)
    heard = found.hear(found.numbers_of(["see"] * 2000), np.random.default_rng(1))
    said = {found.words[number] for number in heard.said[heard.said != NOTHING].tolist()}
    assert said == {"sea"}
    assert heard.place.tolist() == list(range(2000))
    assert not heard.inserted.any()


@given(st.lists(st.integers(-1, 5), min_size=1, max_size=40), st.integers(0, 200))
def test_what_is_heard_is_in_order(numbers: list[int], seed: int) -> None:
    found = learnt(("we see the sea", "we see sea"), ("the sea is here", "the see is here now"))
    heard = found.hear(np.array(numbers), np.random.default_rng(seed))
    assert len(heard.place) == len(heard.said) == len(heard.inserted) > 0
    assert (np.diff(heard.place[~heard.inserted]) > 0).all()
    assert heard.place.max() < len(numbers)
    assert heard.said.max() < len(found.words)
    inserted = np.flatnonzero(heard.inserted)
    assert (heard.place[inserted] == heard.place[inserted - 1]).all()


def test_without_anything_learnt_words_are_lost_at_most() -> None:
    heard = Mishearing().hear(np.full(1000, NOTHING), np.random.default_rng(3))
    assert (heard.said == NOTHING).all()
    assert 900 < len(heard.place) < 1000
