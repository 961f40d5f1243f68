"""The layout that docs/design.md promises: few entries, few modules, names that are found."""

import ast
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "caesura"
MODULES = sorted(SOURCE.rglob("*.py"))

SAME_IDEA = {"base.py": "what the formats, the detectors or the metrics of a package share"}


def test_files_of_the_design_page_exist() -> None:
    named = set(re.findall(r"[a-z_/]+/[a-z_]+\.py", (ROOT / "docs" / "design.md").read_text()))
    missing = [name for name in named if not (SOURCE / name).is_file()]
    assert len(named) > 40
    assert not missing


def test_there_are_few_entries_and_modules() -> None:
    entries = {path.name for path in SOURCE.iterdir() if path.name != "__pycache__"}
    assert len(entries - {"__init__.py", "__main__.py", "py.typed"}) <= 12
    assert len(MODULES) <= 220


def test_no_file_name_stands_for_two_things() -> None:
    names = Counter(
        file.name
        for file in MODULES
        if file.name != "__init__.py" and not file.is_relative_to(SOURCE / "cli")
    )
    assert [name for name, count in names.items() if count > 1 and name not in SAME_IDEA] == []


def test_every_package_says_what_lives_there() -> None:
    for file in SOURCE.rglob("__init__.py"):
        text = ast.get_docstring(ast.parse(file.read_text())) or ""
        assert len(text.splitlines()) > 1, file


CALLED = """
import inspect, sys
from caesura.cli.main import main

files = set()

def note(frame, event, argument):
    # Bodies of modules and classes have no optimised names, and are no functions; nor are
    # comprehensions, whose names begin with <.
    code = frame.f_code
    if event == "call" and code.co_flags & inspect.CO_OPTIMIZED and code.co_name[0] != "<":
        files.add(code.co_filename)

sys.setprofile(note)
try:
    main(["segment", "examples/interview.whisper.json", "--to", "srt", "-o", sys.argv[1]])
except SystemExit as done:
    assert not done.code
sys.setprofile(None)
print(*files, sep="\\n")
"""


def test_a_newcomer_passes_few_files_from_whisper_to_srt(tmp_path: Path) -> None:
    """Count the files of which a function runs, also while modules are imported."""
    done = subprocess.run(
        [sys.executable, "-c", CALLED, str(tmp_path / "out.srt")],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    files = [Path(file) for file in done.stdout.splitlines()]
    passed = sorted(str(f.relative_to(SOURCE)) for f in files if f.is_relative_to(SOURCE))
    assert "cli/segment.py" in passed
    assert "formats/captions/srt.py" in passed
    assert len(passed) <= 35, passed
