"""What the documents show is what happens."""

import re
import shlex
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

import caesura as library
from caesura.core import registry
from cli.running import Program

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "examples" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture
def caesura(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Program:
    return Program(capfd, monkeypatch)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_blocks_run(
    page: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    for block in blocks(page, "python"):
        exec(compile(block, page.name, "exec"), {})
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_on_the_examples_run(
    page: Path, caesura: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    for block in blocks(page, "console"):
        for line in re.findall(r"^\$ caesura (.*examples/.*)$", block, re.MULTILINE):
            done = caesura(*shlex.split(line))
            assert done.code == 0, f"{line}: {done.err}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / link).exists(), link


def test_every_format_is_described_and_its_reader_explained() -> None:
    described = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    explained = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    named = {
        name
        for row in re.findall(r"^\| ([a-z, ]+) \|", explained, re.MULTILINE)
        for name in row.split(", ")
    }
    for name in registry.names("format"):
        assert f"\n| `{name}` |" in described, name
        assert name in named or name == "jsonl", name


def test_the_api_page_is_up_to_date() -> None:
    spec = spec_from_file_location("make_api", ROOT / "docs" / "make_api.py")
    assert spec is not None
    assert spec.loader is not None
    maker = module_from_spec(spec)
    spec.loader.exec_module(maker)
    shown = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    assert shown == maker.page(), "run: python docs/make_api.py"
    for name in library.__all__:
        assert f"\n### {name}\n" in shown
    assert "\n## Other\n" not in shown
