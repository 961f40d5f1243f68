"""The layers of packages, the public names, and how much `import caesura` loads."""

import subprocess
import sys

import pytest
from importlinter.application.use_cases import lint_imports
from importlinter.configuration import configure

import caesura
from caesura.core import registry


def test_lower_packages_never_import_upper_ones(capsys: pytest.CaptureFixture[str]) -> None:
    configure()
    assert lint_imports(cache_dir=None), capsys.readouterr().out


def test_exports_are_what_is_listed() -> None:
    kinds: tuple[registry.Kind, ...] = ("detector", "tagger", "entity-model", "metric")
    classes = {name for kind in kinds for name in registry.names(kind)}
    assert len(set(caesura.__all__)) == len(caesura.__all__)
    assert set(caesura.__all__) == classes | set(caesura._HOME)
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
