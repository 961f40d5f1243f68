"""Texts for tests of Words, written or random, and their values."""

from hypothesis import strategies as st

from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.core.values import Value
from caesura.metrics.words import Words

WORDS = Words()

texts = st.lists(st.sampled_from(["a", "b", "c", "é", "東京"]), max_size=9)
said = st.lists(st.sampled_from(["a", "b", "c", "é", "東京"]), min_size=1, max_size=9)


def text(words: str | list[str], *ends: int, **layers: object) -> Transcript:
    split = tuple(words.split() if isinstance(words, str) else words)
    found = (
        {"sentences": Segmentation.of_gaps(len(split), [end - 1 for end in ends])} if ends else {}
    )
    return Transcript(split, **(found | layers))  # type: ignore[arg-type]


def values(
    reference: Transcript, hypothesis: Transcript, metric: Words = WORDS
) -> dict[str, Value]:
    return metric.values(metric.count(hypothesis, [reference]))
