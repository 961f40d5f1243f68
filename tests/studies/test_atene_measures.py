"""Text preparation and measures of the ATENE study."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from caesura.core.transcript import Span, Transcript
from caesura.metrics.atene import ATENE
from caesura.metrics.entities import Entities
from caesura.metrics.words import Words
from caesura_studies.atene import chapter_data, scoring
from caesura_studies.atene.corpora import flat_entities, lower, merge_classes, read_calls
from caesura_studies.atene.gazetteer import Gazetteer
from caesura_studies.atene.plan import Features
from caesura_studies.atene.scoring import ComparedCall, score_entities, score_reference
from caesura_studies.atene.text_preparation import (
    ALL,
    NAMES,
    OTHER_PREPARATIONS,
    THREE,
    View,
    complete_numbers,
    spell_numbers,
)
from studies.earnings import calls, written

for library in ("pycrfsuite", "scipy"):
    pytest.importorskip(library)


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(calls(tmp_path_factory.mktemp("data")))


def test_no_call_is_measured_on_by_who_learnt_from_it(corpora: Path) -> None:
    found = read_calls(corpora)
    measured = [id for half in found.halves for id in half.ids]
    assert sorted(measured) == sorted(found.references)
    for half in found.halves:
        taggers, atene = (
            {each.id for each in found.training_examples(part)}
            for part in (half.taggers, half.atene)
        )
        assert not taggers & atene
        assert not (taggers | atene) & set(half.ids)


def test_entities_are_flat_and_of_classes_that_name_something() -> None:
    spans = [
        Span(0, 2, "DATE", "1"),
        Span(2, 2, "YEAR", "2"),
        Span(2, 2, "CARDINAL", "3"),
        Span(4, 4, "CARDINAL", "4"),
        Span(4, 4, "YEAR", "5"),
        Span(6, 7, "CONTRACTION", "6"),
        Span(6, 6, "LAW", "7"),
        Span(8, 8, "", "8"),
    ]
    found = merge_classes(flat_entities(spans))
    assert [(span.key, span.label) for span in found] == [
        ("1", "DATE"),
        ("5", "DATE"),
        ("7", "OTHER"),
    ]


def test_training_examples_have_numbers_spelt_and_no_alternatives(corpora: Path) -> None:
    taught = read_calls(corpora).training_examples(0)
    assert all(each.alternatives is None for each in taught)
    assert not any(word.isdecimal() for each in taught for word in each.words)
    dates = {
        each.words[span.first : span.last + 1]
        for each in taught
        for span in each.entities or ()
        if span.label == "DATE"
    }
    assert dates == {("twenty", "nineteen"), ("twenty", "twenty")}


def test_learners_may_see_numbers_as_written_and_sampled_alternatives(corpora: Path) -> None:
    written, drawn = (
        read_calls(corpora, preparation).training_examples(0)
        for preparation in OTHER_PREPARATIONS[1:]
    )
    plain = [word for each in written for word in each.words]
    mixed = [word for each in drawn for word in each.words]
    assert "2020" in plain
    assert "thousand" not in plain
    assert {"2020", "twenty", "thousand"} <= set(mixed)
    assert [each.words for each in drawn] == [
        each.words for each in read_calls(corpora, OTHER_PREPARATIONS[2]).training_examples(0)
    ]
    names = [[span.label for span in each.entities or ()] for each in written]
    assert names == [[span.label for span in each.entities or ()] for each in drawn]


def test_a_number_that_lost_a_digit_is_written_as_it_was_meant() -> None:
    alternatives = (Span(1, 1, "2020"), Span(1, 1, "twenty twenty"), Span(2, 3, "we're 20"))
    call = Transcript(("in", "202", "we", "are"), alternatives=alternatives)
    assert complete_numbers(call).words == ("in", "2020", "we", "are")
    less = Transcript(("0.8", "7.40%"), alternatives=(Span(0, 0, "8"), Span(1, 1, "7.4%")))
    assert complete_numbers(less).words == ("0.8", "7.4%")


def test_numbers_are_spelt_and_what_was_two_entities_of_one_number_is_one() -> None:
    words = tuple("we made $4.5 Million in 2020 or 16% of Q1 at $20 each".split())
    spans = (Span(2, 2, "MONEY", "a"), Span(3, 3, "MONEY", "b"), Span(5, 5, "DATE", "c"))
    read = tuple(
        Span(2, 2, text)
        for text in ("four and a half dollars", "four dollars five", "four five", "dollars")
    )
    read += (Span(5, 5, "two thousand twenty"),)
    found = spell_numbers(Transcript(words, entities=spans, alternatives=read))
    assert " ".join(found.words) == (
        "we made four point five million dollars in twenty twenty or sixteen percent of Q one at "
        "twenty dollars each"
    )
    assert [span.key for span in flat_entities(found.entities or ())] == ["a", "c"]
    assert found.alternatives == (
        Span(2, 6, "four and a half million dollars"),
        Span(2, 6, "four five million"),
        Span(8, 9, "two thousand twenty"),
    )
    plain = Transcript(("a", "b"))
    assert spell_numbers(plain) == plain


def test_what_is_all_in_capitals_is_lower_case(corpora: Path) -> None:
    recognised = read_calls(corpora).recognised
    assert all(word == word.lower() for word in recognised["kaldi-librispeech"]["c0"].words)
    assert any(word != word.lower() for word in recognised["good"]["c0"].words)


def test_views_choose_and_name_classes() -> None:
    spans = (Span(0, 0, "PERSON"), Span(1, 1, "DATE"), Span(2, 2, "GPE"), Span(3, 3, "NORP"))
    assert ALL.spans(spans) == spans
    assert [span.label for span in NAMES.spans(spans)] == ["PERSON", "GPE", "NORP"]
    assert [span.label for span in THREE.spans(spans)] == ["PER", "LOC"]


def pair(corpora: Path, recogniser: str = "poor") -> ComparedCall:
    found = read_calls(corpora)
    return ComparedCall.of(found.recognised[recogniser]["c0"], found.references["c0"])


def test_alternatives_are_chosen_and_case_is_kept(corpora: Path) -> None:
    found = pair(corpora, "good")
    assert "thousand" in found.reference.words
    assert all(word == word.lower() for word in found.reference.words)
    assert tuple(map(str.lower, found.cased[1].words)) == found.reference.words
    assert {"Anna", "twenty"} <= set(found.cased[1].words)
    flat = {span.label for span in found.reference.entities or ()}
    marked = {span.label for span in found.marked}
    assert {"CONTRACTION", "CARDINAL", "YEAR"} <= marked - flat


@pytest.mark.parametrize("view", [ALL, NAMES], ids=lambda view: view.key)
def test_numbers_are_those_of_the_metrics(corpora: Path, view: View) -> None:
    both = pair(corpora)
    train = [view.of(each) for each in read_calls(corpora).training_examples(1)]
    (spans,) = Gazetteer().train([lower(each) for each in train]).tag([both.hypothesis.words])
    tagged = both.hypothesis.replace(entities=spans)
    theirs = view.of(both.reference)
    metric = Entities()
    values = metric.values(metric.count(tagged, [theirs]))
    assert score_entities(both, spans, view).eter == values["eter"]
    for title, (form, insertions) in scoring.VARIANTS.items():
        counted = Entities(insertions=insertions)
        plain = lower(read_calls(corpora).references["c0"])
        plain = plain.replace(
            alternatives=None, entities=merge_classes(flat_entities(plain.entities or ()))
        )
        other = theirs if form == "nearest" else view.of(plain)
        wanted = counted.values(counted.count(both.hypothesis, [other]))["ne_wer"]
        ours = scoring.ne_wer({("a", "c0"): both}, {"c0": plain}, view)
        assert ours[title]["a", "c0"] == wanted
    model = scoring.make_entity_model(Features(affixes=True)).train(train)
    pairs = {("a", "c0"): both}
    risk = scoring.compute_risks(pairs, scoring.project_entities(pairs, view), model)["a", "c0"]
    atene = ATENE(model=model)
    rates = atene.values(atene.count(both.hypothesis, [theirs]))
    assert risk.atene == pytest.approx(rates["atene"], abs=1e-6)
    assert (risk.ds, risk.i) == pytest.approx((rates["atene_ds"], rates["atene_i"]), abs=1e-8)
    assert set(risk.losses) == {span.key for span in theirs.entities or ()}


def test_the_error_of_some_calls_is_what_drawing_them_gives() -> None:
    calls = [scoring.Errors(wrong, 100) for wrong in (5, 20, 11, 34, 8, 16)]
    drawn = [scoring.Sampled.of(some, 6).rate for some in combinations(calls, 3)]
    expected = np.mean([scoring.Sampled.of(s, 6).error ** 2 for s in combinations(calls, 3)])
    assert np.var(drawn) == pytest.approx(expected)
    whole = scoring.Sampled.of(calls, 6)
    assert whole == pytest.approx((94 / 600, 0.0))
    assert np.isnan(scoring.Sampled.of(calls[:1], 6).error)


def test_words_are_those_of_the_metric(corpora: Path) -> None:
    both = pair(corpora)
    columns, counts = scoring.word_rates({("a", "c0"): both})
    values = Words().values(Words().count(both.hypothesis, [both.reference]))
    assert columns["WER"]["a", "c0"] == values["wer"] == scoring.pooled(counts, "a")
    assert (columns["WIL"]["a", "c0"], columns["RIL"]["a", "c0"]) == (values["wil"], values["ril"])


def test_a_perfect_tagger_costs_nothing_on_the_reference(corpora: Path) -> None:
    reference = pair(corpora).reference
    spans = reference.entities or ()
    assert score_reference(reference, spans, ALL).eter == 0
    assert score_reference(reference, spans[1:], ALL).eter == 1 / len(spans)
    assert score_reference(reference, (), ALL).eter == 1


def test_classes_are_counted_as_they_are_marked(corpora: Path) -> None:
    found = scoring.by_class({("good", "c0"): pair(corpora, "good")})
    assert {label for _, label in found} == {
        *("PERSON", "ORG", "GPE", "YEAR", "CARDINAL", "PERCENT", "CONTRACTION")
    }
    assert found["good", "YEAR"].said == found["good", "CARDINAL"].said > 0
    assert chapter_data.published("PERSON", "amazon") == 46.6
    assert chapter_data.published("PERSON", "good") is None
