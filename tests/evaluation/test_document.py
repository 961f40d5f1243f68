"""Scoring one recording: texts for metrics of every kind, and blocks to resample."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura import api
from caesura.core import registry
from caesura.core.errors import LayerError, MismatchError
from caesura.core.protocols import Metric
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Span, Transcript
from caesura.core.values import Counts, Value, ratio
from caesura.evaluation.document import (
    BLOCK_SENTENCES,
    Coverage,
    Document,
    ScoringSettings,
    score_document,
)
from caesura.evaluation.scores import score_recordings
from caesura.metrics.boundary import Boundary
from caesura.text.alignment.word_alignment import align


@dataclass(frozen=True, repr=False)
class Errors(Metric):
    """Edits: needs no equal words."""

    name = "Errors"
    compares = ()
    same_words = False
    best: ClassVar = {"rate": 0.0}
    main = "rate"

    def count(self, hypothesis: Transcript, references: Sequence[Transcript]) -> Counts:
        found = align(references[0].words, hypothesis.words)
        return Counts(edits=found.edits, words=found.source_length)

    def values(self, counts: Counts) -> dict[str, Value]:
        return {"rate": ratio(counts["edits"], counts["words"], "no words")}


@dataclass(frozen=True, repr=False)
class Names(Metric):
    """Entities found: needs equal words and entities."""

    name = "Names"
    compares = ("entities",)
    best: ClassVar = {"recall": 1.0}
    main = "recall"

    def count(self, hypothesis: Transcript, references: Sequence[Transcript]) -> Counts:
        theirs = set(references[0].entities or ())
        return Counts(hits=len(theirs & set(hypothesis.entities or ())), all=len(theirs))

    def values(self, counts: Counts) -> dict[str, Value]:
        return {"recall": ratio(counts["hits"], counts["all"], "no entities")}


def text(words: str, *ends: int, **layers: object) -> Transcript:
    split = tuple(words.split())
    sentences = Segmentation.of_gaps(len(split), ends)
    return Transcript(split, sentences=sentences, **layers)  # type: ignore[arg-type]


OURS = text("we met jon in rome today", 2, entities=(Span(4, 4, "LOC"),))
THEIRS = text("we met john smith in rome", 3, entities=(Span(2, 3, "PER"),))


def test_alignment_moves_each_metric_the_layers_it_compares() -> None:
    found = api.score(OURS, reference=THEIRS, metric=[Errors(), Names(), "Boundary"], align=True)
    errors, names, boundary = found.values
    assert errors["rate"] == pytest.approx(3 / 6)
    assert names["recall"] == 0
    assert boundary["f1"] == 1


def test_metrics_that_need_no_equal_words_are_not_refused() -> None:
    assert api.score(OURS, reference=THEIRS, metric=Errors()).values[0]["rate"] == 0.5
    with pytest.raises(MismatchError, match="word 3 is 'jon'"):
        api.score(OURS, reference=THEIRS, metric=[Errors(), "Boundary"])


def test_counts_of_each_document_are_kept_and_summed() -> None:
    metric = Boundary()
    ours = [text("a b c", 0).replace(id="one"), text("d e f", 1).replace(id="two")]
    theirs = [text("a b c", 0).replace(id="one"), text("d e f", 0).replace(id="two")]
    found = score_recordings(ours, [theirs], [metric], ScoringSettings((), False))
    assert [document.id for document in found.documents] == ["one", "two"]
    assert [document.counts[0]["correct_1"] for document in found.documents] == [1, 0]
    assert found.values[0]["precision"] == 0.5


def test_no_reference_is_an_error() -> None:
    with pytest.raises(MismatchError, match="no reference"):
        api.score(OURS, reference=[])


def test_json_says_why_a_document_has_no_value() -> None:
    reported = api.score(text("a b"), reference=text("a b")).to_dict()
    (document,) = reported["documents"]
    assert document["scores"][0]["undefined"]["f1"] == "no boundary in the hypothesis"
    assert document["scores"][0]["counts"]["correct_1"] == 0


PLAIN = ScoringSettings((), False)


def test_missing_layers_are_named() -> None:
    bare = Transcript(("a", "b"), id="talk")
    with pytest.raises(LayerError, match=r"reference 1 \(talk\) has no sentences, which Boundary"):
        score_document(text("a b"), [bare], [Boundary()], PLAIN)
    with pytest.raises(LayerError, match=r"the hypothesis \(talk\) has no sentences"):
        score_document(bare, [text("a b")], [Boundary()], PLAIN)
    with pytest.raises(LayerError, match=r"whisper \(talk\) has no sentences"):
        score_document(bare, [text("a b")], [Boundary()], PLAIN, ("whisper",))


def test_sides_that_may_be_swapped_are_reported() -> None:
    bare = Transcript(("a", "b"), id="talk")
    asked = "the hypothesis has them: are the two sides swapped[?] If not, find sentences first"
    with pytest.raises(LayerError, match=asked):
        score_document(text("a b"), [bare, bare], [Boundary()], PLAIN)
    for ours, theirs in ((bare, text("a b")), (bare, bare)):
        with pytest.raises(LayerError, match=r"compares; find sentences"):
            score_document(ours, [theirs], [Boundary()], PLAIN)
    with pytest.raises(LayerError, match=r"reference 2 .* compares; find sentences"):
        api.agree([text("a b"), bare])


def test_coverage_is_reported_for_each_reference() -> None:
    found = score_document(OURS, [THEIRS, OURS], [Boundary()], ScoringSettings((), True))
    assert found.coverage == (Coverage(1, 1, 1, 0), Coverage(0, 0, 0, 0))
    assert [one.words for one in found.carried] == [OURS.words] * 2
    assert found.references == (THEIRS, OURS)
    assert found.texts_for(Boundary())[1] == found.carried
    assert found.texts_for(Errors())[1] == found.references


@st.composite
def compared(draw: st.DrawFn) -> Document:
    """A recording with all that metrics of boundaries count on it."""
    count = draw(st.integers(0, 60))
    flags = st.lists(st.booleans(), min_size=count, max_size=count)
    texts = [
        Transcript(
            ("w",) * count,
            end=np.arange(count) / 3,
            sentences=Segmentation(np.array(draw(flags), np.bool_)),
        )
        for _ in range(draw(st.integers(2, 4)))
    ]
    metrics = [registry.parse("metric", name) for name in registry.names("metric")]
    gaps = [metric for metric in metrics if "sentences" in metric.compares]
    return score_document(texts[0], texts[1:], [*gaps, Errors()], PLAIN)


@given(compared())
def test_blocks_sum_to_the_document(found: Document) -> None:
    """Blocks are runs of five sentences, as any of the references ends them."""
    ends: set[int] = set()
    for one in found.carried:
        assert one.sentences is not None
        ends |= set(one.sentences.gaps.tolist())
    wanted = math.ceil(len(ends) / BLOCK_SENTENCES)
    metrics = [registry.parse("metric", name) for name in registry.names("metric")]
    gaps = [metric for metric in metrics if "sentences" in metric.compares]
    for metric, counts in zip([*gaps, Errors()], found.counts, strict=True):
        blocks = found.block_counts(metric)
        if blocks:
            assert len(blocks) == wanted
            assert sum(blocks, Counts()) == counts
        else:
            assert not found.words or metric.name == "Errors"


def test_blocks_by_hand() -> None:
    """Twelve sentences of two words: the blocks end after words 10 and 20."""
    words = " ".join("w" * 24)
    theirs = text(words, *range(1, 24, 2))
    ours = text(words, 1, 4, 9, 11, 20, 21)
    (counts,) = (found := score_document(ours, [theirs], [Boundary()], PLAIN)).counts
    blocks = found.block_counts(Boundary())
    assert [block["correct_1"] for block in blocks] == [2, 1, 1]
    assert [block["spurious_1"] for block in blocks] == [1, 0, 1]
    assert [block["missing_1"] for block in blocks] == [3, 4, 0]
    assert sum(blocks, Counts()) == counts


def test_no_words_make_no_blocks() -> None:
    found = score_document(text(""), [text("")], [Boundary()], PLAIN)
    assert found.block_counts(Boundary()) == []
