"""`caesura list`: an overview, and a table with a title for each kind."""

import json
from pathlib import Path

import pytest

from cli.running import Program
from fake_distribution import install


@pytest.mark.parametrize("kind", ["formats", "detectors", "metrics", "steps", "studies", ""])
def test_list(caesura: Program, kind: str) -> None:
    done = caesura("list", *([kind] if kind else []))
    assert done.code == 0
    assert max(map(len, done.out.splitlines())) <= 80
    assert not done.out.endswith("\n\n")
    assert "Boundary" in done.out or kind not in ("metrics", "")
    assert json.loads(caesura("list", *([kind] if kind else []), "--json").out)


def test_list_shows_formats_that_are_written_apart(caesura: Program) -> None:
    lines = caesura("list", "formats").out.splitlines()
    written, read = (
        lines.index(f"Formats that are {use}") for use in ("read and written", "only read")
    )
    names = [line.split()[0] if line.strip() else "" for line in lines]
    assert written < names.index("srt") < read < names.index("aws")
    bio = names.index("bio")
    assert ".bio .iob .iob2   Named entities in columns" in lines[bio]
    assert lines[bio + 1].startswith(" " * 12 + ".conll .tsv .txt  ")
    assert len(lines) < 100


def test_list_names_the_studies(
    caesura: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = 'def run(data, out):\n    """Pauses, measured again."""\n'
    points = {"caesura.studies": {"listed-toy": "listed_toy:run"}}
    install(tmp_path, "caesura-listed", {"listed_toy": source}, points)
    monkeypatch.syspath_prepend(tmp_path)
    shown = " ".join(caesura("list", "studies").out.split())
    assert "Studies of caesura-listed 1.2 study what it is" in shown
    assert "listed-toy Pauses, measured again." in shown
    assert "From caesura" not in shown
    assert "listed-toy" in caesura("list").out
    (row,) = (
        row
        for row in json.loads(caesura("list", "studies", "--json").out)["studies"]
        if row["name"] == "listed-toy"
    )
    assert row == {
        "name": "listed-toy",
        "about": "Pauses, measured again.",
        "plugin": "caesura-listed 1.2",
    }


def test_list_says_how_to_install_studies(
    caesura: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("caesura.core.plugins._declared", lambda group: {})
    for kind in (("studies",), ()):
        done = caesura("list", *kind)
        assert done.code == 0
        assert max(map(len, done.out.splitlines())) <= 80
        shown = " ".join(done.out.split())
        assert "No studies are installed; install them: pip install caesura-studies" in shown
    assert json.loads(caesura("list", "studies", "--json").out) == {"studies": []}


def test_without_a_kind_the_list_is_an_overview(caesura: Program) -> None:
    lines = caesura("list").out.splitlines()
    assert len(lines) < 30
    assert lines[0].split() == ["kind", "names"]
    assert "taggers        Tagger, Tagged" in lines
    assert lines[-1] == "caesura list KIND says what each one is."


@pytest.mark.parametrize(
    ("kind", "title", "one"),
    [
        ("formats", "Formats that are read and written", "format"),
        ("detectors", "Detectors", "detector"),
        ("taggers", "Taggers", "tagger"),
        ("entity-models", "Entity models", "entity model"),
        ("metrics", "Metrics", "metric"),
        ("steps", "Steps of normalisation", "step"),
    ],
)
def test_each_kind_has_a_title(caesura: Program, kind: str, title: str, one: str) -> None:
    first, blank, head, *_ = caesura("list", kind).out.splitlines()
    assert (first, blank) == (title, "")
    assert head.startswith(f"{one}  ")


def test_formats_have_their_settings(caesura: Program) -> None:
    shown = " ".join(caesura("list", "formats").out.split())
    assert "Settings: lines=2, characters=42, shortest=1.0, longest=7.0, merge=0.5 vtt" in shown
    assert "Settings: unit=" in shown
    refused = caesura("convert", "talk.json", "--to", "srt(characters=0)").err
    assert "characters is a whole number" in refused
    assert "see: caesura list formats" in refused
