"""The house: lower rooms never import upper ones, and the door is light."""

import subprocess
import sys

import pytest
from importlinter.application.use_cases import lint_imports
from importlinter.configuration import configure

import caesura


def test_lower_rooms_never_import_upper_ones(capsys: pytest.CaptureFixture[str]) -> None:
    configure()
    assert lint_imports(cache_dir=None), capsys.readouterr().out


def test_exports_are_what_is_listed() -> None:
    assert sorted(caesura.__all__) == caesura.__all__
    assert sorted(caesura._HOME) == caesura.__all__
    for name in caesura.__all__:
        assert getattr(caesura, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = caesura.nothing


@pytest.mark.parametrize(
    "call", ["import caesura", "from caesura.cli.main import main; main(['-h'])"]
)
def test_import_and_help_are_light(call: str) -> None:
    heavy = "import sys, atexit; atexit.register(lambda: print('numpy' in sys.modules)); "
    done = subprocess.run([sys.executable, "-c", heavy + call], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "False"
