"""What tests of several studies look at."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from caesura_studies.gotohrenals.corpora import Corpora, gathered
from studies import calls


@pytest.fixture(scope="session")
def talks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of calls."""
    return calls.corpora(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="session")
def found(talks: Path) -> Corpora:
    """The calls, read."""
    return gathered(talks)


@pytest.fixture(scope="module")
def quick() -> Iterator[None]:
    """Draw less often than studies do."""
    with calls.fewer_draws():
        yield
