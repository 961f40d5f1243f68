"""The entity model, compared with a slow one, and with damaged arrays."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from caesura.core import registry
from caesura.core.errors import CaesuraError, LayerError, ModelError
from caesura.core.transcript import Span, Transcript
from caesura.detectors.tagging import entity_model as module
from caesura.detectors.tagging.entity_model import (
    FINE,
    Margins,
    capitalisation,
    distinct_classes,
    entities_of_classes,
    entity_labels,
    matching_class,
    spelt,
)
from caesura.detectors.tagging.pos_tagger import Tagger
from caesura.ml import maxent
from caesura.models import store
from caesura.models.store import Card
from caesura.text.entity_projection import SPELLING_CLASSES
from caesura.text.normalization.steps import punctuation
from detectors.toy_entities import FILLERS, entity_text, slow_probabilities
from detectors.toy_tags import tagged_text

pytest.importorskip("scipy")

EXAMPLES = [entity_text(seed) for seed in range(3)]
SETS = [(affixes, capitals) for affixes in (False, True) for capitals in (False, True)]
WRITTEN = ("McX", "Anna's", "U.S.", "O'Brien", "I", "I'm", "X-ray", "Carl-Otto")
WORDS = ("Anna", "anna", "annas", "ROME", "Rome", "mrs", "in", "x", "12", "7th", *WRITTEN, *FILLERS)


@pytest.fixture(scope="module", params=SETS, ids=["words", "capitals", "affixes", "both"])
def entity_model(request: pytest.FixtureRequest) -> Margins:
    affixes, capitals = request.param
    return Margins(affixes=affixes, capitals=capitals).train(EXAMPLES)


@pytest.fixture(scope="module")
def trained() -> Margins:
    return Margins().train(EXAMPLES)


@given(words=st.lists(st.sampled_from(WORDS), max_size=8))
def test_probabilities_are_those_of_the_slow_model(entity_model: Margins, words: list[str]) -> None:
    found = entity_model.probabilities(Transcript(tuple(words)))
    assert found.classes == ("LOC", "PER")
    for shares, slow in zip(found[1:], slow_probabilities(entity_model, words), strict=True):
        expected = [list(each.values()) for each in slow]
        np.testing.assert_allclose(shares, np.reshape(expected, shares.shape), atol=1e-6)
        np.testing.assert_allclose(shares.sum(axis=1), 1)


def test_predicted_tags_are_features_too() -> None:
    treebank = [tagged_text(seed) for seed in range(3)]
    entity_model = Margins(tagger=Tagger(cutoff=1)).train(EXAMPLES, text=treebank)
    words = tuple("the cat will see Anna in Rome".split())
    assert entity_model.tagger is not None
    tags = entity_model.tagger.tag(Transcript(words)).tag
    given = Transcript(words, tag=("X",) * len(words))
    found = entity_model.probabilities(given)
    for shares, slow in zip(found[1:], slow_probabilities(entity_model, words, tags), strict=True):
        np.testing.assert_allclose(shares, [list(each.values()) for each in slow], atol=1e-6)


def test_entities_of_new_text_are_found(entity_model: Margins) -> None:
    text = entity_text(9)
    spoken = punctuation(text)
    for labels, shares in zip(
        entity_labels(spoken, entity_model.classes),
        entity_model.probabilities(spoken)[1:],
        strict=True,
    ):
        assert np.mean(shares.argmax(axis=1) == labels) > 0.97


def test_batch_size_does_not_change_probabilities(
    trained: Margins, monkeypatch: pytest.MonkeyPatch
) -> None:
    several = [entity_text(seed, 4) for seed in range(4)] + [Transcript(())]
    alone = [trained.probabilities(each) for each in several]
    for size in (1, 40, 1 << 16):
        monkeypatch.setattr(module, "AT_ONCE", size)
        for one, other in zip(trained.probabilities_all(several), alone, strict=True):
            assert all(np.array_equal(a, b) for a, b in zip(one[1:], other[1:], strict=True))


def test_a_stored_model_gives_identical_probabilities(
    entity_model: Margins, tmp_path: Path
) -> None:
    folder = store.save(tmp_path / "names", entity_model, Card())
    again = store.load(folder).entity_model
    assert again == entity_model
    text = entity_text(7)
    for one, other in zip(
        again.probabilities(text)[1:], entity_model.probabilities(text)[1:], strict=True
    ):
        assert np.array_equal(one, other)
    with pytest.raises(ModelError, match="names is a Margins, and a detector is wanted"):
        _ = store.load(folder).detector
    assert store.model_kind(folder) == "entity-model"


def test_the_tagger_inside_is_stored_too(tmp_path: Path) -> None:
    entity_model = Margins(tagger=Tagger(cutoff=1)).train(EXAMPLES, text=[tagged_text(1)])
    again = store.load(store.save(tmp_path / "names", entity_model, Card())).entity_model
    text = entity_text(7)
    assert np.array_equal(again.probabilities(text).start, entity_model.probabilities(text).start)


def test_training_is_deterministic(trained: Margins) -> None:
    for name, array in Margins().train(EXAMPLES).state().items():
        assert np.array_equal(array, trained.state()[name])


def test_rare_features_are_left_out_and_the_strongest_kept(trained: Margins) -> None:
    every = Margins(cutoff=1).train(EXAMPLES)
    small = Margins(size=50).train(EXAMPLES)
    sizes = [len(each.state()["keys"]) for each in (small, trained, every)]
    assert sizes[0] == 50
    assert sizes[0] < sizes[1] < sizes[2]
    kept = set(small.state()["keys"].tolist())
    assert kept < set(trained.state()["keys"].tolist())


def test_repr_parses_back() -> None:
    for text in ("Margins", "Margins(capitals=True, size=9)", "Margins(tagger=Tagger(size=3))"):
        entity_model = registry.parse("entity-model", text)
        assert registry.parse("entity-model", repr(entity_model)) == entity_model
        assert registry.learner(text) == entity_model


@pytest.mark.parametrize("wrong", ["affixes=1", "tagger=3", "cutoff=0", "ridge=0", "size=-1"])
def test_wrong_settings_are_refused(wrong: str) -> None:
    with pytest.raises(CaesuraError, match=f"Margins: {wrong.split('=')[0]} is"):
        registry.parse("entity-model", f"Margins({wrong})")


def test_texts_without_entities_are_refused() -> None:
    bare = Transcript(("a", "b"))
    with pytest.raises(LayerError, match="none of 2 recordings has entities with a class"):
        Margins().train([bare, bare.replace(entities=(Span(0, 0, ""),))])
    with pytest.raises(ModelError, match="has to be trained"):
        Margins().probabilities(bare)


def test_words_as_the_model_sees_them() -> None:
    assert [spelt(word) for word in ("U.S.", "It’s", "1,250", "(Rome)")] == [
        "u.s",
        "it's",
        "0,000",
        "rome",
    ]


KINDS = {
    "lower": "rome it's",
    "Title": "Rome John's It’s I I'm O'Brien 'Tis X-ray Coca-Cola",
    "UPPER": "UN U.S. U.S.'s I'M O'BRIEN",
    "mixed": "McX iPhone d'Anna eBay's",
    "digit": "7th B2B",
}


@pytest.mark.parametrize("kind", KINDS)
def test_capitalisation(kind: str) -> None:
    assert {word: capitalisation(word) for word in KINDS[kind].split()} == dict.fromkeys(
        KINDS[kind].split(), kind
    )


def test_synonyms_match_a_class() -> None:
    known = ("LOC", "MISC", "ORG", "PER")
    labels = ("PERSON", "GPE", "corporation", "work_of_art", "PER", "DATE")
    assert [matching_class(label, known) for label in labels] == [
        "PER",
        "LOC",
        "ORG",
        "MISC",
        "PER",
        None,
    ]
    assert matching_class("PER", ("person",)) == "person"
    assert matching_class("DATE", ("DATE", "PER")) == "DATE"
    assert matching_class("location", ("GPE", "LOC")) == "LOC"
    assert matching_class("FAC", ("GPE", "LOC")) == "GPE"


def test_synonyms_are_trained_as_one_class_and_spellings_are_not() -> None:
    assert distinct_classes(["person", "PERSON", "PER", "GPE", "LOC", "place", "", "DATE"]) == (
        "DATE",
        "GPE",
        "LOC",
        "PER",
    )
    assert distinct_classes(["person"]) == ("person",)
    assert not distinct_classes([*SPELLING_CLASSES, ""])
    first, *rest = EXAMPLES
    spans = first.entities or ()
    spans = tuple(s._replace(label="PERSON" if s.label == "PER" else s.label) for s in spans)
    renamed = first.replace(entities=(*spans, Span(0, 0, ""), Span(1, 1, "CONTRACTION")))
    assert renamed.entities != first.entities
    synonyms = Margins().train([renamed, *rest]).state()
    for name, array in Margins().train(EXAMPLES).state().items():
        assert np.array_equal(array, synonyms[name])


def test_classes_that_could_not_be_loaded_are_not_trained() -> None:
    many = Transcript(("a",) * 1001, entities=tuple(Span(n, n, f"X{n:04}") for n in range(1001)))
    with pytest.raises(LayerError, match="there are 1001 classes, and there can be 1000"):
        Margins().train([many])
    odd = Transcript(("a",), entities=(Span(0, 0, "\ud800"),))
    with pytest.raises(LayerError, match=r"one of the classes cannot be printed: '.ud800'"):
        Margins().train([odd])


def test_of_overlapping_entities_the_longest_counts() -> None:
    spans = (Span(0, 2, "ORG"), Span(1, 1, "GPE"), Span(2, 3, "DATE"), Span(3, 3, "person"))
    text = Transcript(("a", "b", "c", "d"), entities=spans)
    assert entities_of_classes(text, ("LOC", "ORG", "PER")) == (
        Span(0, 2, "ORG"),
        Span(3, 3, "PER"),
    )
    start, end, inside = entity_labels(text, ("LOC", "ORG", "PER"))
    assert start.tolist() == [2, 0, 0, 3]
    assert end.tolist() == [0, 0, 2, 3]
    assert inside.tolist() == [2, 2, 2, 3]


Damage = Callable[[dict[str, NDArray[Any]]], Any]
DAMAGES: dict[str, Damage] = {
    "it has the arrays classes, keys, scales": lambda a: a.pop("weights"),
    "the keys are not whole numbers in ascending": lambda a: a.update(keys=a["keys"][::-1]),
    "the keys are not whole numbers": lambda a: a.update(keys=a["keys"].astype(np.float64)),
    "the weights do not fit": lambda a: a.update(weights=a["weights"][:-1]),
    "the weights do not": lambda a: a.update(weights=a["weights"].astype(np.float32)),
    "the scales are not all": lambda a: a.update(scales=a["scales"] * np.float16(np.nan)),
    "the scales do not fit": lambda a: a.update(scales=a["scales"][:-1]),
    "the classes are not JSON": lambda a: a.update(classes=a["classes"][:-1]),
    "the classes are not stored as bytes": lambda a: a.update(
        classes=a["classes"].astype(np.int64)
    ),
    "the classes are not sorted": lambda a: a.update(
        classes=np.frombuffer(b'["B", "A"]', np.uint8)
    ),
    "the classes are not a list": lambda a: a.update(classes=np.frombuffer(b"[]", np.uint8)),
    "one of the classes cannot": lambda a: a.update(
        classes=np.frombuffer(rb'["\ud800"]', np.uint8)
    ),
    "it has the arrays classes, keys, scales, tagger": lambda a: a.update({"tagger.x": a["keys"]}),
}


@pytest.mark.parametrize("problem", DAMAGES)
def test_damaged_arrays_are_refused(trained: Margins, problem: str) -> None:
    arrays = dict(trained.state())
    DAMAGES[problem](arrays)
    with np.errstate(invalid="ignore"), pytest.raises(ModelError, match=problem):
        trained.from_state(arrays)


def test_rescaled_steps_find_the_same_minimum() -> None:
    chance = np.random.default_rng(3)
    columns = (chance.random((400, 6)) ** 3 * 40).astype(np.int64)
    rows, labels = maxent.sparse_rows(columns, 40), chance.integers(0, 3, 400)
    far = maxent.Search(steps=2000, gain=1e-14)
    plain = maxent.multinomial(rows, labels, 3, search=far)
    rescaled = maxent.multinomial(rows, labels, 3, search=far._replace(rescale=0.1))
    np.testing.assert_allclose(rescaled, plain, atol=1e-4)


def test_the_search_comes_close_to_the_minimum() -> None:
    """It ends early, since the last steps cost as many again; six would be too few."""
    chance = np.random.default_rng(5)
    columns = (chance.random((600, 9)) ** 2 * 80).astype(np.int64)
    labels = np.where(columns[:, 0] < 8, columns[:, 1] % 3, 0)
    rows = maxent.sparse_rows(columns, 80)

    def loss(search: maxent.Search) -> float:
        weights = maxent.multinomial(rows, labels, 3, search=search)
        logs = maxent.log_softmax(rows @ weights)
        return float((weights**2).sum() / 2 - logs[np.arange(600), labels].sum())

    least = loss(maxent.Search(steps=2000, gain=1e-14))
    assert loss(FINE) < 1.002 * least < loss(FINE._replace(steps=6))
