"""References with other words: what an alignment carries over, loses and reports."""

from pathlib import Path

import pytest

from caesura import api
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.evaluation.scores import Scores

WORDS = [f"w{i}" for i in range(60)]


def text(words: list[str], *ends: int, id: str = "talk") -> Transcript:
    return Transcript(tuple(words), id=id, sentences=Segmentation.of_gaps(len(words), ends))


FULL = text(WORDS, *range(4, 59, 5))
"""Twelve sentences of five words."""

SHORT = text(WORDS[:10] + WORDS[50:], 4, 9, 14)
"""The first two and the last two of them."""


def aligned(hypothesis: Transcript, *references: Transcript, metric: str = "Boundary") -> Scores:
    return api.score(hypothesis, reference=references, metric=metric, align=True)


def test_boundaries_after_words_that_were_left_out_are_missing() -> None:
    values = aligned(SHORT, FULL).values[0]
    assert values["precision"] == 1
    assert values["correct"] == 3
    assert values["missing"] == 8
    assert values["recall"] == pytest.approx(3 / 11)


@pytest.mark.parametrize("metric", ["Boundary", "Tolerant", "KolarLamel", "Pk", "WiSeBE"])
def test_blocks_of_aligned_texts_sum_to_the_whole(metric: str) -> None:
    scores = aligned(SHORT, FULL, FULL, metric=metric)
    (document,) = scores.documents
    blocks = document.block_counts(scores.metrics[0])
    assert sum(blocks[1:], blocks[0]) == document.counts[0]


def test_metrics_that_cannot_count_what_is_lost_say_so() -> None:
    lost = "8 boundaries of the references follow words that the hypothesis does not have"
    assert any(lost in remark for remark in aligned(SHORT, FULL, metric="Pk").remarks[0])
    assert not any(lost in remark for remark in aligned(SHORT, FULL).remarks[0])


def test_texts_with_little_in_common_are_doubted() -> None:
    other = text([f"v{i}" for i in range(60)], 5, 20)
    (remarks,) = aligned(other, FULL).remarks
    assert "the hypothesis has 0% of the words of reference 1: are they the same recordings?" in (
        remarks
    )
    assert not any("same recordings" in each for each in aligned(SHORT, SHORT).remarks[0])


def test_systems_with_their_own_words_are_compared_by_recordings() -> None:
    one = [text(WORDS, *range(4, 59, 5), id=str(i)) for i in range(9)]
    other = [text(WORDS[1:], *range(5 + i % 3, 58, 5), id=str(i)) for i in range(9)]
    reference = [text(WORDS[:-1], *range(4, 58, 5), id=str(i)) for i in range(9)]
    found = api.compare([one, other], reference=[reference], align=True)
    assert found.rows[0].p_corrected is not None
    assert found.rows[0].p_corrected < 0.05
    assert len(found.signatures) == 1 or "lost=" in found.signatures[1]
    alone = api.compare([one[0], other[0]], reference=reference[0], align=True)
    assert "the systems' words differ" in alone.rows[0].undefined


def test_the_base_of_an_agreement_is_reported() -> None:
    found = api.agree([FULL, SHORT], align=True)
    assert any(remark.startswith("aligned to the words of ") for remark in found.remarks[0])
    assert ",base=talk 1)" in found.signatures[0]


def test_plain_texts_read_in_different_ways_are_reported(tmp_path: Path) -> None:
    lines, running = tmp_path / "lines.txt", tmp_path / "running.txt"
    lines.write_text("one two\nthree four\nfive six\n")
    running.write_text("One two. Three four. Five six.\n")
    found = api.score(lines, reference=running)
    assert any("plain texts were read as lines and as text" in each for each in found.remarks[0])
    alike = api.score(lines, reference=running, format="lines")
    assert not any("plain texts" in each for each in alike.remarks[0])
