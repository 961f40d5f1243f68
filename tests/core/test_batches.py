"""Batches of recordings: all in order, with at most so many words."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from caesura.core.transcript import Transcript, batches


def recordings_of_lengths(lengths: list[int]) -> list[Transcript]:
    return [Transcript(("w",) * count, id=str(at)) for at, count in enumerate(lengths)]


def test_batches_are_as_large_as_they_may_be() -> None:
    asked = recordings_of_lengths([40, 60, 1, 200, 100, 0])
    sizes = [[len(each) for each in batch] for batch in batches(asked, 100)]
    assert sizes == [[40, 60], [1], [200], [100, 0]]
    assert list(batches([], 100)) == []


@given(st.lists(st.integers(0, 9)), st.integers(0, 20))
def test_nothing_is_lost_and_no_batch_could_take_the_next(lengths: list[int], words: int) -> None:
    asked = recordings_of_lengths(lengths)
    found = list(batches(asked, words))
    assert [each for batch in found for each in batch] == asked
    for batch in found:
        assert len(batch) == 1 or sum(map(len, batch)) <= words
    for batch, after in pairwise(found):
        assert sum(map(len, batch)) + len(after[0]) > words
