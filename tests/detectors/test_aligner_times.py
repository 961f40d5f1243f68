"""Times as other recognisers and aligners would give them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core.arrays import Floats, Indices
from caesura.detectors.neural.aligner_times import altered_times, whisper_times

PAUSES = st.lists(st.one_of(st.just(np.nan), st.floats(0, 5)), min_size=1, max_size=30)
SEEDS = st.integers(0, 500)


@given(PAUSES, SEEDS)
def test_altered_times_are_times(pauses: list[float], seed: int) -> None:
    given_pauses = np.array(pauses)
    for found in altered_times(given_pauses, given_pauses / 7, np.random.default_rng(seed)):
        assert (np.isnan(found) == np.isnan(given_pauses)).all()
        assert (found[~np.isnan(found)] >= 0).all()


@given(PAUSES, SEEDS)
def test_words_of_whisper_take_the_pauses_that_are_lost(pauses: list[float], seed: int) -> None:
    given_pauses, lasts = np.array(pauses), np.full(len(pauses), 0.1)
    target = np.arange(len(pauses)) % 3
    found, longer = whisper_times(given_pauses, lasts, target, np.random.default_rng(seed))
    assert (np.isnan(found) == np.isnan(given_pauses)).all()
    assert ((found >= 0) & (found <= given_pauses + 0.01))[~np.isnan(found)].all()
    assert (longer >= lasts).all()
    # Nothing is lost but by rounding, and the pause before a first word that is not there.
    room = 0.011 * len(pauses) + max(np.nan_to_num(given_pauses).max(), 0)
    assert np.nansum(found) + longer.sum() == pytest.approx(
        lasts.sum() + np.nansum(given_pauses), abs=room
    )


def reading(count: int, seed: int) -> tuple[Floats, Floats, Indices]:
    """Make up pauses, lengths of words and classes of gaps; all kinds of gaps have long pauses."""
    draw = np.random.default_rng(seed)
    target = np.select([np.arange(count) % 10 == 9, np.arange(count) % 10 == 4], [2, 1], 0)
    return draw.exponential(0.5, count), draw.uniform(0.1, 0.4, count), target


def test_pauses_of_whisper_are_at_marks() -> None:
    pauses, lasts, target = reading(3000, 1)
    left = [
        whisper_times(pauses, lasts, target, np.random.default_rng(seed))[0] > 0
        for seed in range(40)
    ]
    ends, commas, others = (np.mean([one[target == kind] for one in left]) for kind in (2, 1, 0))
    assert ends > commas > others
    assert others < 0.05


def test_words_at_a_pause_are_long_in_many_programs_with_whisper() -> None:
    """openai-whisper counts part of the pause to the word before it, and leaves the rest."""
    pauses, lasts, target = reading(3000, 2)
    longer = 0
    for seed in range(40):
        found, own = whisper_times(pauses, lasts, target, np.random.default_rng(seed))
        paused = (found > 0.1) & (target == 2)
        longer += bool((own - lasts)[paused].mean() > 0.3)
    assert 10 < longer < 35


def test_times_that_nobody_knows_stay_unknown() -> None:
    none = np.full(5, np.nan)
    for found in whisper_times(none, none, np.zeros(5, np.int64), np.random.default_rng(1)):
        assert np.isnan(found).all()
