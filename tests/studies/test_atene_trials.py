"""What the ATENE study computes and caches: losses of entities, word errors, models."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from caesura.core.transcript import Span, Transcript
from caesura.detectors.tagging.entity_model import Margins
from caesura.detectors.tagging.pos_tagger import Tagger
from caesura.metrics.atene import ATENE
from caesura_studies.atene import chapter_analysis, chapter_claims, scoring
from caesura_studies.atene.corpora import Calls, read_calls
from caesura_studies.atene.experiment import Trial
from caesura_studies.atene.gazetteer import Gazetteer
from caesura_studies.atene.model_cache import ModelCache
from caesura_studies.atene.plan import MAIN, Features, Plan
from caesura_studies.atene.scoring import ComparedCall
from caesura_studies.atene.text_preparation import ALL, THREE
from detectors.toy_tags import tagged_text
from studies.earnings import calls

pytest.importorskip("scipy")

SMALL = Plan(taggers=(Gazetteer(),), features={MAIN: Features()}, names={MAIN: Features()})
TAUGHT = Transcript(
    tuple("we meet anna smith in oslo and anna smith went".split()),
    entities=(Span(2, 3, "PER"), Span(7, 8, "PER")),
)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return calls(tmp_path_factory.mktemp("data"), 4, 12)


def with_an_event(found: Calls) -> Calls:
    """Return the calls with a class that occurs in the first one only."""
    first = found.references["c0"]
    spans = list(first.entities or ())
    at = next(at for at, span in enumerate(spans) if span.label == "PERSON")
    spans[at] = spans[at]._replace(label="EVENT")
    return replace(found, references={**found.references, "c0": first.replace(entities=spans)})


def test_entities_of_classes_that_were_not_learnt_take_no_words() -> None:
    times = np.array([0.0, 0.3, 0.6, 0.9])
    spans = (Span(1, 1, "EVENT", "a"), Span(2, 2, "PER", "b"))
    said = tuple("meet smit smith today".split())
    reference = Transcript(said, start=times, end=times + 0.3, entities=spans)
    recognised = Transcript(("meet", "smyth", "today"), start=times[:3], end=times[:3] + 0.3)
    model = Margins(cutoff=1).train([TAUGHT])
    compared = {("good", "c"): ComparedCall.of(recognised, reference)}
    risk = scoring.compute_risks(compared, scoring.project_entities(compared, ALL), model)[
        "good", "c"
    ]
    metric = ATENE(model=model)
    counts = metric.count(recognised, [reference])
    assert metric.values(counts)["lost"] == 0
    assert risk.atene == metric.values(counts)["atene"]
    assert set(risk.losses) == {"b"}


def test_of_two_names_that_claim_a_word_the_first_has_it() -> None:
    times = np.array([0.0, 0.3, 0.6, 0.9])
    spans = (Span(1, 1, "PER", "a"), Span(2, 2, "PER", "b"))
    said = tuple("meet smit smith today".split())
    reference = Transcript(said, start=times, end=times + 0.3, entities=spans)
    recognised = Transcript(("meet", "smyth", "today"), start=times[:3], end=times[:3] + 0.3)
    model = Margins(cutoff=1).train([TAUGHT])
    compared = {("good", "c"): ComparedCall.of(recognised, reference)}
    places = scoring.project_entities(compared, ALL)
    assert [(each.first, each.last) for each in places["good", "c"]] == [(1, 1), (1, 1)]
    risk = scoring.compute_risks(compared, places, model)["good", "c"]
    metric = ATENE(model=model)
    values = metric.values(metric.count(recognised, [reference]))
    assert values["lost"] == 1
    assert (risk.atene, risk.ds, risk.i) == tuple(
        values[name] for name in ("atene", "atene_ds", "atene_i")
    )
    assert risk.losses["a"] != risk.losses["b"]


def test_entities_without_a_loss_are_no_cases(data: Path, tmp_path: Path) -> None:
    whole = Trial(read_calls(data), (), ModelCache(tmp_path / "one"), SMALL)
    other = Trial(with_an_event(read_calls(data)), (), ModelCache(tmp_path / "two"), SMALL)
    all_cases, fewer = chapter_analysis.cases(whole), chapter_analysis.cases(other)
    assert "EVENT" not in fewer.label
    assert len(all_cases.label) - len(fewer.label) == len(whole.calls.recognised)
    assert len(fewer.label) == len(fewer.loss) == len(fewer.misheard) == len(fewer.harm)
    assert len(fewer.texts) == len(fewer.label)


def test_calls_that_name_nothing_are_left_out(data: Path, tmp_path: Path) -> None:
    folder = calls(tmp_path / "data", 5, 12)
    file = folder / "earnings21/wer_tags/c4.wer_tag.json"
    tags = {key: {"entity_type": "CONTRACTION"} for key in json.loads(file.read_text())}
    file.write_text(json.dumps(tags))
    reference = folder / "earnings21/references/c4.nlp"
    reference.write_text(reference.read_text().replace(":YEAR", ":CONTRACTION"))
    assert list(read_calls(folder).references) == list(read_calls(data).references)


def test_word_errors_are_counted_again_if_alternatives_differ(data: Path, tmp_path: Path) -> None:
    found, cache = read_calls(data), ModelCache(tmp_path)
    plain = {
        name: {id: call.replace(alternatives=None) for id, call in each.items()}
        for name, each in found.read.items()
    }
    both = (found, replace(found, read=plain))
    first, second = (Trial(each, (), cache, SMALL).as_read("good") for each in both)
    assert first.rate < second.rate


def test_margins_are_learnt_anew_if_their_tagger_has_learnt_something_else(tmp_path: Path) -> None:
    cache = ModelCache(tmp_path)
    taggers = [Tagger(cutoff=1).train([tagged_text(seed)]) for seed in (1, 2)]
    first, second = (
        cache.margins("m", Margins(tagger=each, cutoff=1), [TAUGHT]) for each in taggers
    )
    for one, made in zip(taggers, (first, second), strict=True):
        assert made.tagger is not None
        ours, theirs = one.state(), made.tagger.state()
        assert all((ours[name] == theirs[name]).all() for name in ours)
    assert repr(first) == repr(second)


def test_usual_names_of_three_classes_are_known() -> None:
    labels = "PER person PERSON GPE facility LOC corporation company group ORG MISC DATE".split()
    found = THREE.spans(Span(at, at, label) for at, label in enumerate(labels))
    assert [span.label for span in found] == ["PER"] * 3 + ["LOC"] * 3 + ["ORG"] * 4


def test_the_probe_stands_beside_what_learnt_as_it_did(data: Path, tmp_path: Path) -> None:
    rows = chapter_claims._expected(
        Trial(read_calls(data), (), ModelCache(tmp_path), SMALL)
    ).splitlines()
    (row,) = (each for each in rows if "all classes" in each and MAIN in each)
    assert "from the same calls" in row
