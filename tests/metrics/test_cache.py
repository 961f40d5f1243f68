"""The cache of results keeps the newest ones."""

import pytest

from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.metrics import base as module
from caesura.metrics import joint
from caesura.metrics.base import ResultCache
from caesura.metrics.joint import Joint


def said(words: str) -> Transcript:
    split = tuple(words.split())
    return Transcript(split, sentences=Segmentation.of_gaps(len(split), []))


def test_results_belong_to_a_metric_and_a_pair_in_order() -> None:
    kept: ResultCache[str] = ResultCache()
    one, other = said("a"), said("a")
    assert kept.put(Joint(), one, other, "found") == "found"
    assert kept.get(Joint(), one, other) == "found"
    assert kept.get(Joint(), other, one) is None
    assert kept.get(Joint(), one, said("a")) is None
    assert kept.get(Joint(multiwords="split"), one, other) is None
    assert kept.put(Joint(), one, other, "again") == kept.get(Joint(), one, other) == "again"


def test_the_oldest_go_when_there_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_CACHED_WORDS", 9)
    kept: ResultCache[int] = ResultCache()
    pairs = [(said("a"), said("b c")) for _ in range(4)]
    for number, (one, other) in enumerate(pairs):
        kept.put(Joint(), one, other, number)
        kept.put(Joint(), one, other, number)
    assert [kept.get(Joint(), *pair) for pair in pairs] == [None, None, 2, 3]


def test_what_was_counted_is_not_matched_again(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = said("a bc"), said("a b c")
    fresh = list(Joint().disagreements(ours, [theirs]))
    Joint().count(ours, [theirs])
    monkeypatch.setattr(joint, "match", None)
    assert list(Joint().disagreements(ours, [theirs])) == fresh
    assert len(fresh) == 1
