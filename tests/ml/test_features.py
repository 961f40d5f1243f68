"""Hashed features: the keys of a word depend on its neighbours, and on nothing else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.ml import features
from caesura.ml.features import NO_PAUSE, REACH, TEMPLATES, Hashes, Template

LETTERS = st.lists(st.sampled_from("abc"), min_size=1, max_size=20)


def column(cells: list[str]) -> Hashes:
    return features.padded(features.hash_numbers(np.array(["abc".index(cell) for cell in cells])))


def values_around(cells: list[str], at: int, template: Template) -> tuple[str, ...]:
    places = [at + offset for _, offset in template]
    return tuple(cells[place] if 0 <= place < len(cells) else "" for place in places)


@given(LETTERS, LETTERS)
def test_keys_are_equal_if_and_only_if_the_neighbours_are(one: list[str], two: list[str]) -> None:
    templates = tuple(each for each in TEMPLATES if all(name == "word" for name, _ in each))
    assert len(templates) > REACH * 2
    rows = [
        features.keys({"word": column(cells)}, 0, len(cells), templates) for cells in (one, two)
    ]
    seen: dict[int, tuple[Template, tuple[str, ...]]] = {}
    for keys, cells in zip(rows, (one, two), strict=True):
        for row, template in zip(keys.tolist(), templates, strict=True):
            for at, key in enumerate(row):
                found = template, values_around(cells, at, template)
                assert seen.setdefault(key, found) == found
                assert 0 <= key < 1 << 63
    assert len(set(seen.values())) == len(seen)


@given(LETTERS, st.data())
def test_keys_of_a_slice_are_a_slice_of_the_keys(cells: list[str], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(cells)))
    stop = data.draw(st.integers(first, len(cells)))
    columns = {"word": column(cells), "tag": column(cells[::-1])}
    whole = features.keys(columns, 0, len(cells))
    assert np.array_equal(features.keys(columns, first, stop), whole[:, first:stop])


def test_templates_without_their_columns_are_left_out() -> None:
    words = {"word": column(["a", "b"])}
    assert len(features.keys(words, 0, 2)) == sum(
        all(name == "word" for name, _ in template) for template in TEMPLATES
    )
    assert len(set(TEMPLATES)) == len(TEMPLATES)
    assert {name for each in TEMPLATES for name, _ in each} == {
        "word",
        "tag",
        "subtag",
        "pause",
        "turn",
    }


def test_keys_never_change() -> None:
    """Stored models have such keys: another version must not change them."""
    key = features.keys({"word": column(["a", "b"])}, 0, 2, ((("word", 0), ("word", 1)),))
    assert key.tolist() == [[1069064924, 741748196]]


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (-0.3, 0),
        (-0.001, 0),
        (-1e-9, 1),
        (0.0, 1),
        (0.02, 1),
        (0.049, 1),
        (0.05, 2),
        (0.3 - 0.1 - 1e-12, 3),
        (0.2, 3),
        (0.5, 4),
        (1.0, 5),
        (60.0, 5),
        (np.nan, NO_PAUSE),
    ],
)
def test_pause_bins(seconds: float, expected: int) -> None:
    assert features.pause_bins(np.array([seconds])).tolist() == [expected]
