"""Results that live as long as the transcripts they are about."""

import gc

import pytest

from caesura.metrics import joint
from caesura.metrics.joint import Joint
from caesura.metrics.kept import Kept
from caesura.transcript import Segmentation, Transcript


def said(words: str) -> Transcript:
    split = tuple(words.split())
    return Transcript(split, sentences=Segmentation.of_gaps(len(split), []))


def test_results_belong_to_a_metric_and_a_pair_in_order() -> None:
    kept: Kept[str] = Kept()
    one, other = said("a"), said("a")
    assert kept.put(Joint(), one, other, "found") == "found"
    assert kept.get(Joint(), one, other) == "found"
    assert kept.get(Joint(), other, one) is None
    assert kept.get(Joint(), one, said("a")) is None
    assert kept.get(Joint(multiwords="split"), one, other) is None
    assert kept.put(Joint(), one, other, "again") == kept.get(Joint(), one, other) == "again"


@pytest.mark.parametrize("first", [0, 1])
def test_nothing_is_kept_of_what_is_gone(first: int) -> None:
    kept: Kept[str] = Kept()
    pair = [said("a"), said("b")]
    kept.put(Joint(), pair[0], pair[1], "found")
    kept.put(Joint(), pair[0], pair[1], "again")
    del pair[first]
    gc.collect()
    assert not kept._found


def test_what_was_counted_is_not_matched_again(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = said("a bc"), said("a b c")
    fresh = list(Joint().disagreements(ours, [theirs]))
    Joint().count(ours, [theirs])
    monkeypatch.setattr(joint, "match", None)
    assert list(Joint().disagreements(ours, [theirs])) == fresh
    assert len(fresh) == 1
