import pytest

from cli.running import Program


@pytest.fixture
def caesura(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Program:
    return Program(capfd, monkeypatch)
