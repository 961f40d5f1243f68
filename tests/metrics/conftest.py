"""Fixtures shared by the tests of metrics."""

import pytest

from caesura.core.transcript import Transcript
from metrics import video_v6


@pytest.fixture(scope="session")
def video() -> dict[str, Transcript]:
    """Video v6 of the WiSeBE paper: candidates A and B, references 1 to 3, on the same words."""
    return video_v6.video()
