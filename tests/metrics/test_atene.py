"""ATENE: comparison with the paper's equations in plain loops, and nearly empty texts."""

from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura
from caesura.core import registry
from caesura.core.errors import CaesuraError, LayerError, ModelError
from caesura.core.protocols import EntityProbabilities
from caesura.core.transcript import Span, Transcript
from caesura.core.values import Counts, Undefined, Value
from caesura.detectors.tagging.entity_model import Margins
from caesura.evaluation.document import ScoringSettings
from caesura.evaluation.scores import score_recordings
from caesura.formats.sidecars import with_sidecars
from caesura.metrics.atene import ATENE
from caesura.metrics.atene_risks import MarginLosses, edge_margins, label_margins, segment_margins
from caesura.models import store
from caesura.models.store import Card
from caesura.text.entity_projection import Projected, project, separate_overlaps
from detectors.toy_entities import FILLERS, entity_text, slow_probabilities
from metrics.margins import entity_model, metric, spoken

pytest.importorskip("scipy")

WORDS = ("anna", "rome", "new", "york", "mrs", "in", "carl", "otto", *FILLERS)


def margin(shares: dict[str, float], label: str) -> float:
    """Equation (5)."""
    return shares[label] - max(share for other, share in shares.items() if other != label)


def risk(inside: Sequence[dict[str, float]]) -> float:
    """Equations (8) and (9)."""
    least = min((margin(shares, "") for shares in inside), default=1.0)
    return least if least < 0 else 1.0


def slow(hypothesis: Transcript, reference: Transcript) -> dict[str, Value]:
    """Equations (6), (7), (10), (11) and (12), name by name and segment by segment."""
    placed = separate_overlaps(project(reference, hypothesis))
    ours, theirs = (
        slow_probabilities(entity_model(), each.words) for each in (hypothesis, reference)
    )
    edges, outside, findable = 0.0, 0.0, 0
    last = len(hypothesis) - 1
    for one in placed:
        label = one.entity.label
        for model, at, real in (
            (0, one.first, one.entity.first),
            (1, one.last, one.entity.last),
        ):
            found = margin(ours[model][min(max(at, 0), last)], label) if last >= 0 else -1.0
            edges += found - margin(theirs[model][real], label)
        span = one.entity
        findable += (
            margin(theirs[0][span.first], label) > 0 and margin(theirs[1][span.last], label) > 0
        )
    begin, begin_real = 0, 0
    ends = [(one.first, one.last, one.entity.first, one.entity.last) for one in placed]
    for first, last, first_real, last_real in (*ends, (len(hypothesis), 0, len(reference), 0)):
        outside += risk(ours[2][begin:first]) - risk(theirs[2][begin_real:first_real])
        begin, begin_real = last + 1, last_real + 1
    ds, inside = edges / (2 * len(placed)), outside / (len(placed) + 1)
    return {
        "atene": -100 * (ds + inside) / 2,
        "atene_ds": ds,
        "atene_i": inside,
        "entities": len(placed),
        "findable": findable,
        "lost": sum(one.by == "lost" for one in placed),
    }


def values(hypothesis: Transcript, *references: Transcript) -> dict[str, Value]:
    return metric().values(metric().count(hypothesis, references))


@st.composite
def texts(draw: st.DrawFn) -> tuple[Transcript, Transcript]:
    """Draw a reference with names that do not overlap, and a noisy copy."""
    words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=10))
    spans, at = [], 0
    for length, gap, label in draw(
        st.lists(st.tuples(st.integers(1, 3), st.integers(0, 2), st.sampled_from(["LOC", "PER"])))
    ):
        first = at + gap
        if first + length > len(words):
            break
        spans.append(Span(first, first + length - 1, label))
        at = first + length
    spans = spans or [Span(0, 0, "PER")]
    chance = Random(draw(st.integers(0, 1 << 16)))
    ours = [w if chance.random() < 0.6 else chance.choice(WORDS) for w in words]
    ours = [w for w in ours if chance.random() < 0.8]
    for place in chance.sample(range(len(words)), chance.randrange(len(words) + 1) // 2):
        ours.insert(place, chance.choice(WORDS))
    said, heard = Transcript(tuple(words), entities=tuple(spans)), Transcript(tuple(ours))
    if chance.random() < 0.5:
        return said, heard
    return timed(said, len(words)), timed(heard, len(words))


def timed(text: Transcript, seconds: int) -> Transcript:
    """Give words equal times that fill these seconds."""
    edges = np.linspace(0, seconds, len(text) + 1)
    return text.replace(start=edges[:-1], end=edges[1:])


@given(texts())
def test_the_equations_in_plain_loops_say_the_same(drawn: tuple[Transcript, Transcript]) -> None:
    reference, hypothesis = drawn
    assert values(hypothesis, reference) == pytest.approx(slow(hypothesis, reference), abs=1e-4)


def test_the_worked_example() -> None:
    """P(B-PER), P(O) and others are .7, .2, .1 in the reference, .3, .6, .1 in the hypothesis."""
    even = np.array([[0.6, 0.2, 0.2]])
    real = EntityProbabilities(("LOC", "PER"), np.array([[0.2, 0.1, 0.7]]), even, even)
    found = EntityProbabilities(("LOC", "PER"), np.array([[0.6, 0.1, 0.3]]), even, even)
    placed = [Projected(Span(0, 0, "PER"), 0, 0, "alignment", 0.0)]
    risks = MarginLosses.of(placed, found, real)
    assert risks.start.tolist() == [800_000_000]
    assert risks.end.tolist() == [0]
    assert risks.outside.tolist() == [0, 0]


def test_margins_and_segments_of_hand_made_probabilities() -> None:
    inside = np.array([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8], [0.7, 0.3]])
    assert label_margins(inside, np.array([0, 0, 1, 1])) == pytest.approx([0.8, -0.2, 0.6, -0.4])
    spans = [Span(0, 0, "PER"), Span(2, 2, "PER"), Span(3, 2, "PER")]
    least, riskiest = segment_margins(spans, EntityProbabilities(("PER",), inside, inside, inside))
    # Before the first name there is nothing, after it a word that looks like a name; a lost
    # name parts nothing from what is harmless.
    assert least == pytest.approx([1, -0.2, 1, 1])
    assert riskiest.tolist() == [0, 1, 3, 3]
    start, end = edge_margins(spans, EntityProbabilities(("PER",), inside, inside, inside))
    assert start == pytest.approx([-0.8, 0.6, -0.4])
    assert end == pytest.approx([-0.8, 0.6, 0.6])


@given(texts())
def test_a_copy_of_the_reference_costs_nothing(drawn: tuple[Transcript, Transcript]) -> None:
    reference, _ = drawn
    found = values(reference, reference)
    assert (found["atene"], found["atene_ds"], found["atene_i"], found["lost"]) == (0, 0, 0, 0)
    assert not list(metric().disagreements(reference, [reference]))


def test_names_that_are_misheard_cost_and_are_reported() -> None:
    reference = spoken("we met mrs [anna PER] in [new york LOC] today")
    hypothesis = spoken("we met mist an uh in new york in rome")
    found = values(hypothesis, reference)
    assert isinstance(found["atene"], float)
    assert found["atene"] > 10
    told = metric().contributions(hypothesis, reference)
    assert [each.level for each in told].count("name") == 2
    assert [each.level for each in told].count("segment") == 3
    by_name = {each.reference: each for each in told if each.level == "name"}
    assert by_name["new york"].hypothesis == "new york"
    assert by_name["anna"].loss > 0.5 > abs(by_name["new york"].loss)
    ds = sum(each.loss for each in told if each.level == "name") / 2
    i = sum(each.loss for each in told if each.level == "segment") / 3
    assert found["atene"] == pytest.approx(50 * (ds + i))
    harmful = [
        (each.level, each.kind, each.hypothesis)
        for each in metric().disagreements(hypothesis, [reference])
        if each.loss > 0.5
    ]
    assert harmful == [("name", "PER", "uh"), ("segment", "risk", "rome")]


def test_disagreements_say_in_which_reference_and_whether_a_name_is_lost() -> None:
    first, second = spoken("we met today"), spoken("we met mrs [anna PER] today")
    heard = spoken("we met mrs rome today")
    numbers = {each.reference_number for each in metric().disagreements(heard, [first, second])}
    assert numbers == {1, 2}
    reference = spoken("we met mrs [anna PER] in [rome LOC]")
    lost = list(metric().disagreements(spoken("we met in rome"), [reference]))
    assert [(each.kind, each.reference) for each in lost if each.level == "name"] == [
        ("PER lost", "anna")
    ]


def test_contributions_are_in_the_order_of_the_words() -> None:
    reference = spoken("we met mrs [anna PER] in [new york LOC] today")
    parts = metric().contributions(spoken("we met mist an uh in new york in rome"), reference)
    assert [(part.first, part.last) for part in parts] == sorted(
        (part.first, part.last) for part in parts
    )
    segments = [part for part in parts if part.level == "segment"]
    assert {(part.label, part.by) for part in segments} == {("", "alignment")}


def test_capitals_punctuation_and_numbers_of_marks_play_no_part() -> None:
    reference = spoken("we met mrs [anna PER] in [new york LOC] today")
    hypothesis = spoken("we met mist anna in york today")
    loud = Transcript(tuple("We met Mist Anna , in York , today .".split()))
    written = spoken("We met Mrs [Anna PER] in [New York LOC] today .")
    assert values(loud, written) == values(hypothesis, reference)
    places = [each.place for each in metric().disagreements(loud, [written])]
    assert all(0 <= place < len(loud) for place in places)
    columns = dict(metric().per_gap_counts(loud, [written]))
    assert np.flatnonzero(columns["entities_1"]).tolist() == [3, 6]


def test_nothing_recognised() -> None:
    reference = spoken("we met mrs [anna PER] in [new york LOC]")
    found = values(Transcript(()), reference)
    assert found["lost"] == found["entities"] == 2
    assert isinstance(found["atene_ds"], float)
    assert found["atene_ds"] < -1
    assert found["atene_i"] == 0


def test_without_names_there_is_no_value_and_a_reason() -> None:
    bare = Transcript(("we", "met"), entities=())
    found = values(Transcript(("we",)), bare)
    assert (
        found["atene"]
        == found["atene_ds"]
        == Undefined("the reference has no name of a class that the model knows")
    )
    assert found["atene_i"] == 0
    with pytest.raises(LayerError, match=r"a reference \(unnamed\) has no entities"):
        values(bare, bare.replace(entities=None))


def test_adjacent_and_nested_names_and_names_at_the_edges() -> None:
    adjacent = spoken("[anna PER][rome LOC] we met [carl otto PER]")
    assert values(adjacent, adjacent)["atene"] == 0
    assert values(spoken("rome we met carl"), adjacent)["lost"] == 1
    nested = adjacent.replace(entities=(*(adjacent.entities or ()), Span(4, 4, "LOC")))
    hypothesis = spoken("anna we met carl")
    assert values(hypothesis, nested) == values(hypothesis, adjacent)


def test_another_language_is_defined() -> None:
    reference = spoken("we met mrs [anna PER] in [new york LOC] today")
    foreign = Transcript(tuple("昨日 ニューヨーク で アンナ さん に 会った".split()), language="ja")
    found = values(foreign, reference)
    assert isinstance(found["atene"], float)
    assert found["atene"] > 10


def test_alternatives_of_the_reference_are_chosen_first() -> None:
    reference = spoken("we met mrs [anna PER] on 5th street").replace(
        alternatives=(Span(5, 5, "fifth"),)
    )
    said = spoken("we met mrs anna on fifth street")
    assert values(said, reference)["atene"] == 0


def test_a_stored_model_is_found_and_told_in_the_signature(tmp_path: Path) -> None:
    folder = store.save(tmp_path / "names", entity_model(), Card())
    named = ATENE(str(folder))
    assert registry.parse("metric", repr(named)) == named
    text = spoken("we met mrs [anna PER] in [rome LOC]")
    assert named.values(named.count(text, [text])) == values(text, text)
    found = score_recordings(
        [text], [[text]], [named, caesura.parse("metric", "Words")], ScoringSettings((), False)
    )
    checksum = store.read_card(folder).checksum
    assert named.checksum == checksum
    assert f"|model={checksum[:12]}|" in found.signatures[0]
    assert "model=" not in found.signatures[1]


def test_two_models_of_the_same_settings_are_distinguished() -> None:
    other = ATENE(Margins().train([entity_text(5, 8)]))
    reference = spoken("we met mrs [anna PER] in [rome LOC]")
    hypothesis = spoken("we met miss hannah in roam")
    assert other.checksum != metric().checksum
    one, two = (each.count(hypothesis, [reference]) for each in (metric(), other))
    assert one != two


@pytest.mark.parametrize("wrong", ["model=''", "model=3", "collar=-1", "phones='ears'"])
def test_wrong_settings_are_refused(wrong: str) -> None:
    with pytest.raises(CaesuraError, match=f"ATENE: {wrong.split('=')[0]} is"):
        registry.parse("metric", f"ATENE({wrong})")


def test_models_that_are_none_get_one_clear_line(tmp_path: Path) -> None:
    text = spoken("we met [anna PER]")
    with pytest.raises(ModelError, match="en is an Encoder, and an entity model is wanted"):
        ATENE("en").count(text, [text])
    with pytest.raises(ModelError, match="there is no such model"):
        ATENE(str(tmp_path / "none")).count(text, [text])


def test_counts_are_whole_and_add_up() -> None:
    reference = spoken("we met mrs [anna PER] in [new york LOC] today")
    hypothesis = spoken("we met mist an uh in new york in rome")
    counts = metric().count(hypothesis, [reference, reference])
    assert all(type(number) is int for number in counts.values())
    doubled = metric().values(Counts.total([counts, counts]))
    assert doubled["atene"] == metric().values(counts)["atene"]


def test_the_worst_recogniser_of_a_call_is_found(corpora: Path) -> None:
    calls = corpora / "earnings21"
    kind = "nlp(entities='wer_tags')"
    (reference,) = caesura.read(calls / "references" / "4320211.nlp", format=kind)
    (reference,) = with_sidecars(
        [reference], entity_classes=[calls / "wer_tags" / "4320211.wer_tag.json"]
    )
    found = {}
    for file in ("google/4320211.nlp", "rev-kaldi/4320211.ctm", "kaldi-librispeech/4320211.ctm"):
        (hypothesis,) = caesura.read(calls / "recognisers" / file)
        value = ATENE().values(ATENE().count(hypothesis, [reference]))["atene"]
        assert isinstance(value, float)
        found[file] = value
    *good, bad = found.values()
    assert 0 < min(good) <= max(good) < bad / 3
