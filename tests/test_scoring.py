"""Pairing and alignment, held to metrics of every kind."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import pytest

from caesura import api
from caesura.contracts import Counts, Metric, Value, ratio
from caesura.errors import MismatchError
from caesura.metrics.boundary import Boundary
from caesura.scoring import Terms, paired, scored
from caesura.text.align import align
from caesura.transcript import Segmentation, Span, Transcript


@dataclass(frozen=True, repr=False)
class Errors(Metric):
    """Edits: needs no equal words."""

    name = "Errors"
    compares = ()
    same_words = False
    best: ClassVar = {"rate": 0.0}

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
    found = scored(ours, [theirs], [metric], Terms((), False))
    assert [document.id for document in found.documents] == ["one", "two"]
    assert [document.counts[0]["correct"] for document in found.documents] == [1, 0]
    assert found.values[0]["precision"] == 0.5


@pytest.mark.parametrize(
    ("hypothesis", "reference", "message"),
    [
        (["a", "a"], ["a", "b"], "the hypothesis has two recordings named 'a'"),
        (["a", "b"], ["a", "c"], "1 recordings are not in reference 1: 'b'"),
        (["a"], ["a", "b"], "1 recordings are not in the hypothesis: 'b'"),
    ],
)
def test_recordings_that_do_not_pair_are_named(
    hypothesis: list[str], reference: list[str], message: str
) -> None:
    ours = [text("a b").replace(id=id) for id in hypothesis]
    theirs = [text("a b").replace(id=id) for id in reference]
    with pytest.raises(MismatchError, match=message):
        paired(ours, [theirs])


def test_no_reference_is_an_error() -> None:
    with pytest.raises(MismatchError, match="no reference"):
        api.score(OURS, reference=[])


def test_json_says_why_a_document_has_no_value() -> None:
    told = api.score(text("a b"), reference=text("a b")).to_json()
    (document,) = told["documents"]
    assert document["scores"][0]["undefined"]["f1"] == "no boundary in the hypothesis"
    assert document["scores"][0]["counts"]["correct"] == 0
