"""The laws of taggers and entity models, for every built-in one and some of its settings."""

import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

from caesura.core import registry
from caesura.core.protocols import EntityModel, WordTagger
from caesura.core.transcript import Transcript
from caesura.models import store
from caesura.models.store import Card
from caesura.testing import check_entity_model, check_tagger
from caesura.testing.detector_laws import (
    ENTITY_MODEL_LAWS,
    TAGGER_LAWS,
    train_entity_model,
    train_tagger,
)
from caesura.text.punctuation import punctuation_flags
from detectors.toy_entities import entity_text
from detectors.toy_tags import tagged_text

pytest.importorskip("scipy")

STORED = tempfile.TemporaryDirectory()
TAGGERS = [
    "Tagger",
    "Tagger(size=30, cutoff=1, ridge=2)",
    f"Tagged({str(Path(STORED.name, 'toy'))!r})",
]
UNSEEN = [
    tagged_text(8).only(()),
    tagged_text(9, 1).only(()),
    Transcript(()),
    Transcript((".", "so")),
]


@cache
def trained(text: str) -> WordTagger:
    """Train a tagger on made-up recordings, once for all tests."""
    if text.startswith("Tagged"):
        store.save(Path(STORED.name, "toy"), trained("Tagger"), Card())
    tagger = registry.parse("tagger", text)
    return train_tagger(tagger, [tagged_text(seed) for seed in range(3)])


def test_all_registered_taggers_are_held_to_the_laws() -> None:
    assert {text.split("(")[0] for text in TAGGERS} == set(registry.names("tagger"))


@pytest.mark.parametrize("law", TAGGER_LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("name", TAGGERS, ids=["usual", "small", "stored"])
def test_law(name: str, law: Callable[[WordTagger, int], None]) -> None:
    law(trained(name), settings().max_examples)


def test_all_laws_are_checked_at_once() -> None:
    check_tagger(registry.parse("tagger", "Tagger"), train=[tagged_text(0)], examples=2)


@pytest.mark.parametrize("name", TAGGERS, ids=["usual", "small", "stored"])
def test_a_batch_is_tagged_one_by_one(name: str) -> None:
    tagger = trained(name)
    assert tagger.tag_all(UNSEEN) == [tagger.tag(each) for each in UNSEEN]


@pytest.mark.parametrize("name", TAGGERS, ids=["usual", "small", "stored"])
def test_capitals_and_punctuation_play_no_part(name: str) -> None:
    tagger, given = trained(name), tagged_text(8).only(())
    bare = given.take(~punctuation_flags(given))
    lower = bare.replace(words=tuple(word.lower() for word in bare.words))
    marked = tagger.tag(given)
    assert (
        tagger.tag(lower).tag == tagger.tag(bare).tag == marked.take(~punctuation_flags(given)).tag
    )


ENTITY_MODELS = ["Margins", "Margins(capitals=True, size=50, cutoff=1)"]


@cache
def trained_entity_model(text: str) -> EntityModel:
    """Train an entity model on made-up recordings, once for all tests."""
    model = registry.parse("entity-model", text)
    return train_entity_model(model, [entity_text(seed) for seed in range(3)])


def test_all_registered_entity_models_are_held_to_the_laws() -> None:
    assert {text.split("(")[0] for text in ENTITY_MODELS} == set(registry.names("entity-model"))


@pytest.mark.parametrize("law", ENTITY_MODEL_LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("name", ENTITY_MODELS)
def test_law_of_entity_models(name: str, law: Callable[[EntityModel, int], None]) -> None:
    law(trained_entity_model(name), settings().max_examples)


def test_all_laws_of_entity_models_are_checked_at_once() -> None:
    model = registry.parse("entity-model", "Margins")
    check_entity_model(model, train=[entity_text(0)], examples=2)
