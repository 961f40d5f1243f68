"""The documents are executed: commands, Python blocks and links do what the pages say."""

import re
import shlex
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import click
import pytest

import caesura as library
from caesura.cli import COMMANDS
from caesura.cli.main import program
from caesura.core import registry
from cli.running import Program

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "examples" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
ELSEWHERE = [ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", ROOT / "studies" / "README.md"]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def commands(page: Path) -> Iterator[tuple[list[str], str]]:
    """Yield the arguments of each `$ … caesura …` of a page, and the output printed below it."""
    for block in blocks(page, "console"):
        for shown in re.split(r"^\$ ", block.replace("\\\n", " "), flags=re.MULTILINE)[1:]:
            line, _, output = shown.partition("\n")
            words = shlex.split(line, comments=True)
            if "caesura" in words:
                arguments = words[words.index("caesura") + 1 :]
                if arguments and arguments[0] in COMMANDS:
                    yield arguments[: next(iter(redirections(arguments)), None)], output


def redirections(arguments: list[str]) -> Iterator[int]:
    return (i for i, argument in enumerate(arguments) if argument in (">", ">>", "|"))


def runs_here(arguments: list[str]) -> bool:
    """Whether the files of a command are examples, or were written by commands before it."""
    return any(Path(argument).exists() for argument in arguments[1:]) or arguments == ["models"]


def assert_shown(shown: str, real: str) -> None:
    """The lines of `shown` are those of `real`, where … is any lines or the rest of a line."""
    pattern = "".join(
        r"(?:.*\n)*?" if line == "…" else re.escape(line.rstrip()).replace("…", ".*") + r" *\n"
        for line in shown.splitlines()
    )
    assert re.fullmatch(pattern, real + ("\n" if real[-1:] not in ("", "\n") else "")), real


def test_shown_output_is_compared_line_by_line() -> None:
    assert_shown("a\n…\nd…\n", "a\nb\nc\ndef\n")
    for real in ("a\nb\n", "a\nd\ne\n", "x\na\nd\n", ""):
        with pytest.raises(AssertionError):
            assert_shown("a\n…\nd…\n", real)


@pytest.fixture
def caesura(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Program:
    return Program(capfd, monkeypatch)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_blocks_run_and_print_what_is_shown(
    page: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    for block in blocks(page, "python"):
        capsys.readouterr()
        exec(compile(block, page.name, "exec"), {})
        done = capsys.readouterr()
        assert "Traceback" not in done.err
        shown = "".join(f"{line}\n" for line in re.findall(r"^# (.*)$", block, re.MULTILINE))
        if shown:
            assert_shown(f"…\n{shown}…\n", done.out)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_on_the_examples_print_what_is_shown(
    page: Path, caesura: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    for arguments, shown in commands(page):
        if runs_here(arguments):
            done = caesura(*arguments)
            assert done.code == 0, f"{arguments}: {done.err}"
            if shown.strip():
                assert_shown(shown, done.err + done.out)


@pytest.mark.parametrize("page", [*PAGES, *ELSEWHERE], ids=lambda page: page.name)
def test_commands_have_the_options_that_are_shown(
    page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for arguments, _ in commands(page):
        command = program.get_command(click.Context(program), arguments[0])
        assert command is not None
        for parameter in command.params:
            if isinstance(parameter.type, click.Path):  # the files of the page need not be there
                monkeypatch.setattr(parameter, "type", click.STRING)
        command.make_context(arguments[0], arguments[1:])


@pytest.mark.parametrize("page", [*PAGES, *ELSEWHERE], ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^):]+)\)", page.read_text(encoding="utf-8")):
        file, _, section = link.partition("#")
        target = page.parent / file if file else page
        assert target.exists(), link
        if section:
            headings = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            anchors = [re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings]
            assert section in anchors, link


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
