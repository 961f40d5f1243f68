"""Dependency arcs: probabilities, training and storage."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from caesura.core.arrays import Floats
from caesura.core.errors import ModelError
from caesura.ml.features import constant
from caesura.ml.parsing import arcs
from caesura.ml.parsing.arcs import (
    END,
    MARGIN,
    ROOT,
    UNSEEN,
    ArcExample,
    ArcModel,
    CandidateWindow,
    UnitFeatures,
    arc_scores,
    train_arcs,
    weight_indices,
)
from ml.units import Case, cases, places, random_model, random_units

UNKNOWN = -2


@given(cases(), st.integers(0, 10**6))
def test_probabilities_over_candidates_sum_to_one(case: Case, seed: int) -> None:
    features, window, first, stop = case
    logs = random_model(seed).log_probabilities(features, window, slice(first, stop))
    assert logs.shape == (stop - first, window.width + 2)
    assert np.allclose(np.exp(logs).sum(axis=1), 1, rtol=0, atol=1e-6)
    for unit in range(first, stop):
        row = logs[unit - first]
        none = [place is None for place in places(len(features), window, unit)[: window.width]]
        assert (row[: window.width] == -np.inf).tolist() == none
        assert np.isfinite(row[[END, UNSEEN]]).all()


@given(cases(), st.integers(0, 10**6), st.data())
def test_in_normal_mode_heads_lie_in_the_sentence(
    case: Case, seed: int, data: st.DataObject
) -> None:
    features, window, first, stop = case
    count = len(features)
    ends = np.array(data.draw(st.lists(st.booleans(), min_size=count, max_size=count)), np.bool_)
    logs = random_model(seed).log_probabilities(features, window, slice(first, stop), ends)
    assert np.allclose(np.exp(logs).sum(axis=1), 1, rtol=0, atol=1e-6)
    assert (logs[:, UNSEEN] == -np.inf).all()
    for unit in range(first, stop):
        for place, log in zip(places(count, window, unit), logs[unit - first, :END], strict=False):
            low, high = sorted((unit, unit if place is None else place))
            inside = place is not None and not ends[low:high].any()
            assert np.isfinite(log) == inside


@given(cases(most=60), st.integers(0, 10**6), st.integers(1, 9))
def test_a_span_has_the_probabilities_of_the_whole(case: Case, seed: int, at_once: int) -> None:
    features, window, first, stop = case
    model = random_model(seed)
    whole = model.log_probabilities(features, window)
    assert len(whole) == len(features)
    assert (
        model.log_probabilities(features, window, slice(first, stop)).tobytes()
        == whole[first:stop].tobytes()
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arcs, "AT_ONCE", at_once)
        assert model.log_probabilities(features, window).tobytes() == whole.tobytes()


@settings(max_examples=50)
@given(cases(most=40), st.integers(0, 10**6))
def test_units_far_away_do_not_change_a_unit(case: Case, seed: int) -> None:
    features, window, *_ = case
    model = random_model(seed)
    whole = model.log_probabilities(features, window)
    for unit in range(len(features)):
        first = max(unit - window.back - MARGIN, 0)
        near = features[first : unit + window.ahead + MARGIN + 1]
        alone = model.log_probabilities(near, window, slice(unit - first, unit - first + 1))
        assert alone.tobytes() == whole[unit : unit + 1].tobytes()


def test_many_units_are_scored_one_by_one() -> None:
    features, window = random_units(3, 3 * arcs.AT_ONCE + 5, ["tag", "word"]), CandidateWindow(3, 2)
    logs = random_model(1).log_probabilities(features, window)
    alone = [
        random_model(1).log_probabilities(features, window, slice(at, at + 1))
        for at in range(len(features))
    ]
    assert logs.tobytes() == np.concatenate(alone).tobytes()


WINDOW = CandidateWindow(4, 2)
TAGS = np.array([constant(name) for name in ("verb", "noun", "far", "away")], np.uint64)
VERB, NOUN, FAR, AWAY = range(len(TAGS))


def language(seed: int, sentences: int = 30) -> ArcExample:
    """Nouns depend on the verb before them, `far` on the verb three units on, after `away`."""
    chance = np.random.default_rng(seed)
    tags: list[int] = []
    links: list[int] = []
    ends: list[int] = []
    for _ in range(sentences):
        begin = len(tags)
        lead = 3 if chance.random() < 0.4 else 0
        nouns = int(chance.integers(0, 3))
        tags += [FAR, AWAY, AWAY][:lead] + [VERB] + [NOUN] * nouns
        links += [begin + lead] * lead + [ROOT] + [begin + lead] * nouns
        ends.append(len(tags) - 1)
    flags = np.zeros(len(tags), np.bool_)
    flags[ends] = True
    features = UnitFeatures({"tag": TAGS[tags]}, np.zeros(len(tags), np.int64))
    return ArcExample(features, np.array(links), flags)


def columns(example: ArcExample, window: CandidateWindow) -> list[int]:
    """Where the heads stand among the candidates."""
    last = window.width + 2
    found = []
    for unit, link in enumerate(example.heads.tolist()):
        if link == ROOT:
            found.append(last + END)
        else:
            seen = link - unit <= window.ahead
            found.append(link - unit + window.back if seen else last + UNSEEN)
    return found


def test_a_language_is_trained_with_heads_that_are_not_seen_yet() -> None:
    examples = [language(seed)._replace(ends=None) for seed in range(3)]
    model = train_arcs(examples, WINDOW, 12, 0.1)
    assert model.bits == 12
    unseen = language(9)
    real = columns(unseen, WINDOW)
    assert real.count(WINDOW.width + 2 + UNSEEN) > 5
    logs = model.log_probabilities(unseen.features, WINDOW)
    assert logs.argmax(axis=1).tolist() == real
    assert np.exp(logs[range(len(real)), real]).min() > 0.9


def test_it_is_trained_inside_sentences_too() -> None:
    window = CandidateWindow(4, 4)
    model = train_arcs([language(seed) for seed in range(3)], window, 12, 0.1)
    unseen = language(9)
    logs = model.log_probabilities(unseen.features, window, ends=unseen.ends)
    assert logs.argmax(axis=1).tolist() == columns(unseen, window)


def written_out(
    example: ArcExample, window: CandidateWindow, bits: int
) -> tuple[list[Floats], list[int]]:
    """For each unit with a known head: how often each candidate has each weight, and the head."""
    rows, chosen = [], []
    found = weight_indices(example.features, window, bits, 0, len(example.features))
    for unit, column in enumerate(columns(example, window)):
        if example.heads[unit] == UNKNOWN or column < 0:
            continue
        there = [*range(window.width + 2)]
        inside = places(len(example.features), window, unit)
        there = [at for at in there if at >= window.width or inside[at] is not None]
        counted = [np.bincount(found[unit, at], minlength=1 << bits) for at in there]
        rows.append(np.array(counted, np.float64))
        chosen.append(there.index(column))
    return rows, chosen


def loss(rows: list[Floats], chosen: list[int], ridge: float, weights: Floats) -> float:
    total = ridge / 2 * float(weights @ weights)
    for candidates, best in zip(rows, chosen, strict=True):
        said = candidates @ weights
        total += float(np.logaddexp.reduce(said) - said[best])
    return total


@pytest.mark.parametrize("ridge", [0.3, 5.0])
def test_weights_minimise_the_loss(ridge: float) -> None:
    optimize = pytest.importorskip("scipy.optimize")
    example = language(1, 14)._replace(ends=None)
    links = example.heads.copy()
    links[[3, 7]] = UNKNOWN
    example = example._replace(heads=links)
    rows, chosen = written_out(example, WINDOW, 8)
    assert len(rows) == len(example.features) - 2
    model = train_arcs([example], WINDOW, 8, ridge)
    found = model.steps.astype(np.float64) * model.size

    def slope(weights: Floats) -> Floats:
        down = ridge * weights
        for candidates, best in zip(rows, chosen, strict=True):
            said = candidates @ weights
            down += np.exp(said - np.logaddexp.reduce(said)) @ candidates - candidates[best]
        return down

    best = optimize.minimize(
        lambda w: loss(rows, chosen, ridge, w), np.zeros(256), jac=slope, method="L-BFGS-B"
    )
    lowest = loss(rows, chosen, ridge, found)
    assert best.fun <= lowest + 1e-6
    assert lowest < best.fun * 1.002
    assert np.abs(found - best.x).max() < 2 * model.size + 0.02
    chance = np.random.default_rng(2)
    for size in (0.05, 0.5):
        for _ in range(20):
            moved = found + size * chance.normal(size=256)
            assert loss(rows, chosen, ridge, moved) > lowest


def test_units_without_a_head_in_the_window_are_no_examples() -> None:
    features = random_units(4, 12, ["tag"])
    links = np.full(12, UNKNOWN)
    assert not train_arcs([ArcExample(features, links)], WINDOW, 8, 1.0).steps.any()
    links[9] = 2
    assert not train_arcs([ArcExample(features, links)], WINDOW, 8, 1.0).steps.any()
    links[6] = 2
    assert train_arcs([ArcExample(features, links)], WINDOW, 8, 1.0).steps.any()


def test_recordings_without_units_are_no_examples() -> None:
    nothing = ArcExample(random_units(1, 0, ["tag"]), np.zeros(0, np.int64))
    assert not train_arcs([nothing], WINDOW, 8, 1.0).steps.any()
    example = language(1)._replace(ends=None)
    alone, both = (
        train_arcs([example], WINDOW, 8, 1.0),
        train_arcs([nothing, example], WINDOW, 8, 1.0),
    )
    assert alone.steps.any()
    assert both.steps.tolist() == alone.steps.tolist()


def test_recordings_with_fewer_columns_are_examples_too() -> None:
    example = language(1)._replace(ends=None)
    bare = example._replace(features=UnitFeatures({}, example.features.gaps))
    rich = example._replace(
        features=UnitFeatures(
            {**example.features.columns, "word": TAGS[[0] * len(example.features)]},
            example.features.gaps,
        )
    )
    model = train_arcs([bare, example, rich], WINDOW, 12, 0.1)
    logs = model.log_probabilities(example.features, WINDOW)
    assert logs.argmax(axis=1).tolist() == columns(example, WINDOW)
    assert model.log_probabilities(bare.features, WINDOW).argmax(axis=1).tolist() != columns(
        example, WINDOW
    )


@pytest.mark.parametrize(("back", "ahead"), [(3, 1), (3, 3), (4, 0), (2, 1)])
def test_heads_beyond_the_window_share_its_probability(back: int, ahead: int) -> None:
    window, farther = CandidateWindow(back, ahead), back - ahead
    features = random_units(3, 12, ["tag", "word"])
    log_probabilities = random_model(5, 9, 0.125).log_probabilities(features, window)
    links, roots = arc_scores(log_probabilities, window)
    assert roots.tolist() == log_probabilities[:, END].tolist()
    assert links.shape == (12, 2 * back + 1)
    assert links[:, : window.width].tolist() == log_probabilities[:, : window.width].tolist()
    beyond = np.exp(links[:, window.width :])
    assert np.allclose(beyond, np.exp(log_probabilities[:, UNSEEN])[:, None] / max(farther, 1))
    if farther:
        assert np.allclose(np.exp(links).sum(axis=1) + np.exp(roots), 1)


def test_the_stored_model_is_the_trained_one() -> None:
    model = random_model(5, 9, 0.125)
    again = ArcModel.of(model.arrays())
    assert again.bits == model.bits == 9
    features = random_units(6, 20, ["tag", "word"])
    assert (
        again.log_probabilities(features, WINDOW).tobytes()
        == model.log_probabilities(features, WINDOW).tobytes()
    )


GOOD: dict[str, NDArray[Any]] = random_model(1).arrays()


@pytest.mark.parametrize(
    "damage",
    [
        {"steps": None},
        {"size": None},
        {"more": np.zeros(1)},
        {"steps": np.zeros(255, np.int8)},
        {"steps": np.zeros(128, np.int8)},
        {"steps": np.zeros(1 << 23, np.int8)},
        {"steps": np.zeros(0, np.int8)},
        {"steps": np.zeros((16, 16), np.int8)},
        {"steps": np.array(1, np.int8)},
        {"steps": np.zeros(256, np.int16)},
        {"steps": np.zeros(256)},
        {"size": np.zeros(2)},
        {"size": np.array(0.5)},
        {"size": np.array([1])},
        {"size": np.array([-0.5])},
        {"size": np.array([np.nan])},
        {"size": np.array([np.inf])},
        {"size": np.array([1e7])},
    ],
    ids=lambda damage: next(iter(damage)),
)
def test_damaged_arrays_are_refused(damage: dict[str, Any]) -> None:
    ArcModel.of(GOOD)
    arrays = {name: array for name, array in {**GOOD, **damage}.items() if array is not None}
    with pytest.raises(ModelError, match="the model is damaged"):
        ArcModel.of(arrays)


def test_pieces_of_examples_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    example = language(2)._replace(ends=None)
    whole = train_arcs([example], WINDOW, 8, 1.0)
    monkeypatch.setattr(arcs, "AT_ONCE", 7)
    assert train_arcs([example], WINDOW, 8, 1.0).steps.tolist() == whole.steps.tolist()
