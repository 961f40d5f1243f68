"""Fixtures for all tests: the corpora, and a clean environment."""

import logging
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

for name, examples in (("usual", 50), ("thorough", 1000)):
    hypothesis.settings.register_profile(
        name, deadline=None, print_blob=True, max_examples=examples
    )
# Mutation testing asks only whether a test fails: few cases, the same ones each time, not shrunk.
hypothesis.settings.register_profile(
    "mutants",
    deadline=None,
    max_examples=20,
    derandomize=True,
    database=None,
    phases=(hypothesis.Phase.explicit, hypothesis.Phase.generate),
)
hypothesis.settings.load_profile(os.environ.get("CAESURA_TESTS", "usual"))

# A shell has interrupts ignored in what it runs in the background; tests send some.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder with the corpora; tests that need them are skipped without it."""
    place = os.environ.get("CAESURA_DATA", "")
    if not place:
        pytest.skip("needs the corpora: set CAESURA_DATA")
    return Path(place)


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "PYTHONWARNINGS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def _clean_logging() -> Iterator[None]:
    """Forget how a command that ran in this process set up its messages."""
    yield
    logger = logging.getLogger("caesura")
    logger.handlers.clear()
    logger.propagate = True
    logger.setLevel(logging.NOTSET)
