"""The linear classifier: features, training examples, and quantised weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from caesura.core.transcript import Transcript
from caesura.detectors.tagging import entity_model
from caesura.detectors.tagging.entity_model import Margins
from caesura.detectors.tagging.linear import (
    LARGEST_SCALE,
    SMALLEST_SCALE,
    STEPS,
    LinearModel,
    TrainingExamples,
    dequantise,
    quantise,
)
from caesura.detectors.tagging.pos_tagger import FIRST_STAGE, word_features

TAG_KEYS = [1214115250, 3856894063, -1, 3947498311, 3123261752]
ENTITY_KEYS = [2542883963, 2676945768, 1480124794, 212466953, 45239894]
SIZES = st.tuples(st.integers(0, 6), st.integers(1, 4))


@given(arrays(np.float64, SIZES, elements=st.floats(-50, 50)))
def test_quantised_weights_are_close(weights: np.ndarray) -> None:
    steps, scales = quantise(weights)
    assert steps.shape == weights.shape
    assert ((scales >= 0) & (scales <= LARGEST_SCALE)).all()
    bound = np.maximum(abs(weights).max(axis=1, initial=0) / STEPS, SMALLEST_SCALE)[:, None]
    assert (abs(dequantise(steps, scales) - weights) <= 0.6 * bound).all()


def test_weights_beyond_the_largest_scale_are_clipped() -> None:
    steps, scales = quantise(np.array([[1e9, -1e9, 1.0]]))
    assert scales.tolist() == [LARGEST_SCALE]
    assert steps.tolist() == [[STEPS, -STEPS, 0]]


def test_keys_never_change() -> None:
    """Stored models have such keys: another version must not change them."""
    tags = word_features([("so", "it", "goes")]).keys(FIRST_STAGE)
    assert tags.shape == (len(FIRST_STAGE), 3)
    assert tags[:, 1].tolist()[:3] + tags[:, 1].tolist()[-2:] == TAG_KEYS
    names = Margins(capitals=True)._features([Transcript(("So", "it", "goes"))])
    found = names.keys(entity_model.TEMPLATES)
    assert found.shape == (5 + 2 + 3 * 10, 3)
    assert found[:, 1].tolist()[:3] + found[:, 1].tolist()[-2:] == ENTITY_KEYS


def test_words_of_other_recordings_are_not_looked_at() -> None:
    apart = [word_features([words]).keys(FIRST_STAGE) for words in (("a", "b"), (), ("c",))]
    together = word_features([("a", "b"), (), ("c",)]).keys(FIRST_STAGE)
    assert np.array_equal(together, np.concatenate(apart, axis=1))


class Exact(LinearModel):
    """A model that scores in float64."""

    precision = np.float64


class Fast(LinearModel):
    """A model that scores in float32."""


@pytest.mark.parametrize("made", [Exact, Fast])
def test_scores_are_sums_over_templates(made: type[LinearModel]) -> None:
    words = word_features([("so", "it", "goes"), ("it", "is", "so")])
    single = tuple(each for each in FIRST_STAGE if len(each) == 1)
    context = tuple(each for each in FIRST_STAGE if len(each) == 2)
    keys = words.keys(FIRST_STAGE)
    known = np.unique(keys[keys >= 0])[::2]
    weights = np.random.default_rng(1).normal(size=(len(known), 3))
    model = made.quantised(("A", "B", "C"), known, weights)
    rows = dict(zip(known.tolist(), dequantise(model.weights, model.scales), strict=True))
    expected = [sum(rows[key] for key in column if key in rows) for column in keys.T.tolist()]
    scores = model.scores(words, single, context)
    assert scores.dtype == made.precision
    np.testing.assert_allclose(scores, expected, atol=1e-5)


def test_rare_and_missing_features_have_no_column() -> None:
    pytest.importorskip("scipy")
    keys = np.array([[7, 7, 3, 7], [-1, -1, -1, 3], [9, 4, 4, 4]])
    made = TrainingExamples.of(keys, {"": np.zeros(4, np.int64)}, 2, cutoff=2, ridge=1.0)
    assert made.keys.tolist() == [3, 4, 7]
    assert made.rows.toarray().tolist() == [[0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 1]]
    often = TrainingExamples.of(
        keys, {"": np.zeros(4, np.int64)}, 2, cutoff=2, ridge=1.0, frequent_first=True
    )
    assert often.keys.tolist() == [4, 7, 3]
    assert often.frequency.tolist() == [3, 3, 2]
    assert often.strongest(1, lambda examples: examples.frequency).keys.tolist() == [4]
