"""What tests of metrics share."""

from pathlib import Path

import pytest

from caesura import api
from caesura.core.transcript import Transcript
from caesura.text.normalization.steps import normalize


@pytest.fixture(scope="session")
def video(corpora: Path) -> dict[str, Transcript]:
    """Video v6 of the WiSeBE paper: candidates A and B, references 1 to 3, on the same words."""
    found = {}
    for file in sorted((corpora / "wisebe").glob("*/*.txt")):
        (whole,) = api.read(file)
        found[file.stem.rpartition("_")[2]] = normalize(whole, ("case", "dots"))
    return found
