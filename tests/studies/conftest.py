"""Fixtures for the tests of several studies."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from caesura_studies.gotohrenals.corpora import Corpora, read_corpora
from studies import calls


@pytest.fixture(scope="session")
def gotoh_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of synthetic calls."""
    return calls.corpora(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="session")
def gotoh_corpora(gotoh_data: Path) -> Corpora:
    """The synthetic calls, read."""
    return read_corpora(gotoh_data)


@pytest.fixture(scope="module")
def fewer_resamples() -> Iterator[None]:
    """Resample less often than studies do."""
    with calls.fewer_resamples():
        yield
