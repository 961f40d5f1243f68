"""The table that tells formats apart before their modules are imported."""

import io
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import pytest

from caesura.core import plugins, registry
from caesura.core.errors import CaesuraError
from caesura.core.protocols import Format
from caesura.core.transcript import Transcript
from caesura.formats.base import Source
from caesura.formats.files import expand
from caesura.formats.recognize import TABLE, Keys, candidates, choose_format, recognized
from caesura.testing.format_laws import damage

SAMPLES = Path(__file__).parent / "samples"
PATHS = sorted(SAMPLES.iterdir())
EXAMPLE = Path(__file__).parents[2] / "examples" / "interview.whisper.json"
FORMATS = registry.names("format")
MUTATIONS = 40
OTHERS = {f"caesura.formats.{name}" for name in ("plain", "captions.srt", "linguistic.bio")}
"""What has to be asked about some text that is not JSON."""


def module(name: str) -> str:
    return registry.NAMES["format"][name].partition(":")[0]


@pytest.mark.parametrize("name", FORMATS)
def test_the_table_agrees_with_the_classes(name: str) -> None:
    format = registry.find("format", name)
    assert TABLE[name].suffixes == format.suffixes
    assert TABLE[name].writable == format.writable


def test_the_table_has_no_other_formats() -> None:
    assert list(TABLE) == FORMATS


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_a_sample_loads_no_module_of_another_recogniser(path: Path) -> None:
    own = path.name.split(".")[0].split("-")[0]
    for name in (str(path), "<stdin>"):
        possible = candidates(Source(name, path.read_bytes()), FORMATS)
        others = {module(each) for each in possible} - {module(own)}
        allowed = {"caesura.formats.jsonl"} if path.suffix == ".json" else OTHERS
        assert others <= allowed


def test_reading_whisper_loads_whisper_alone() -> None:
    program = (
        "import caesura, sys; list(caesura.read(sys.argv[1]));"
        "print(*sorted(m for m in sys.modules if m.startswith('caesura.formats.')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(EXAMPLE)], capture_output=True, text=True, check=True
    )
    loaded = done.stdout.split()
    assert [name for name in loaded if name.startswith("caesura.formats.asr.")] == [
        "caesura.formats.asr.whisper"
    ]
    assert not [name for name in loaded if ".captions" in name or ".annotation" in name]
    assert len(loaded) <= 16


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_the_table_rules_out_nothing_that_a_class_recognises(path: Path) -> None:
    chance = random.Random(path.name)
    sample = path.read_bytes()
    for data in (sample, *(damage(sample, chance) for _ in range(MUTATIONS))):
        for name in ("<stdin>", "text"):
            source = Source(name, data)
            possible = candidates(source, FORMATS)
            for format in FORMATS:
                if format not in possible:
                    assert not recognises(format, source), (format, data)


def recognises(name: str, source: Source) -> bool:
    try:
        return registry.find("format", name).recognises(source)
    except CaesuraError:
        return False


@pytest.mark.parametrize(
    ("pattern", "document", "found"),
    [
        ("a", '{"a": null}', True),
        ("a", '[{"b": 1}, {"a": 1}]', True),
        ("a", '{"b": {"a": 1}}', False),
        ("a b", '{"a": 1}', False),
        ("a b", '{"a": 1, "b": 1}', True),
        ("a !b", '{"a": 1, "b": 1}', False),
        ("a !b", '{"a": 1}', True),
        ("startTime", '{"start_time": 1}', True),
        ("a[]", '{"a": []}', True),
        ("a[]", '{"a": {}}', False),
        ("a[].b", '{"a": []}', False),
        ("a[].b", '{"a": [1, {"b": 1}]}', True),
        ("a[][]", '{"a": [[]]}', True),
        ("a|b.c", '{"b": {"c": 1}}', True),
        ("**.a[]", '{"b": {"c": {"a": []}}}', True),
        ("**.a[]", '{"b": [{"a": []}]}', False),
        ("a=x|y", '{"a": "y"}', True),
        ("a=x|y", '{"a": "z"}', False),
        ("[]=number", "[[0.5]]", True),
        ("[]=number", '[["0.5", true]]', False),
        ("a", "3", False),
        ("a", "{", False),
    ],
)
def test_patterns_of_keys(pattern: str, document: str, found: bool) -> None:
    assert Keys(pattern).holds(Source("x.json", document.encode())) is found


@dataclass(frozen=True, repr=False)
class Haiku(Format):
    """A format of another package: three lines after a title in capitals."""

    name = "haiku"
    suffixes = (".haiku", ".txt")
    carries = frozenset()

    @classmethod
    def recognises(cls, source: Source) -> bool:
        return source.text.split("\n")[0].isupper()

    def read(self, file: BinaryIO) -> Iterator[Transcript]:
        yield Transcript(tuple(file.read().decode().split()))

    def write(self, transcripts: object, file: BinaryIO) -> None:
        raise NotImplementedError


def test_formats_of_other_packages_are_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    entries = [registry.Entry("haiku", Haiku, "tests")]
    monkeypatch.setattr(registry, "plugin_entries", lambda kind: entries)
    monkeypatch.setattr(plugins, "find", lambda kind, name: plugins.Plugin(Haiku))
    poem = "OLD POND\nold pond a frog\nleaps in\nwater's sound\n"
    assert choose_format(Source("x.txt", poem.encode())).name == "haiku"
    assert choose_format(Source("<stdin>", poem.encode())).name == "haiku"
    assert choose_format(Source("x.haiku", b"old")).name == "haiku"
    assert choose_format(Source("x.txt", poem.lower().encode())).name == "lines"
    assert recognized(Source("", poem.encode())) == [Haiku]
    (tmp_path / "x.haiku").write_text(poem)
    assert [str(place) for _, place in expand([tmp_path])] == ["x.haiku"]
    assert list(Haiku().read(io.BytesIO(poem.encode())))


@pytest.mark.parametrize(
    ("name", "product"),
    [
        ("aws", "Amazon Transcribe"),
        ("azure", "Azure"),
        ("bio", "Named entities"),
        ("coraal", "Transcripts of the corpus CORAAL"),
        ("ctm", "CTM (NIST"),
        ("eaf", "ELAN"),
        ("google", "Google Cloud"),
        ("kaldi", "`text` of a Kaldi"),
        ("nlp", "Rev's .nlp"),
        ("rev", "Rev's transcript editor"),
        ("revai", "Rev AI"),
        ("textgrid", "Praat TextGrid"),
        ("trn", "TRN (NIST's sclite)"),
        ("whisper", "Whisper"),
    ],
)
def test_the_description_of_a_format_begins_with_what_it_is(name: str, product: str) -> None:
    assert (registry.find("format", name).__doc__ or "").startswith(product)


@pytest.mark.parametrize("name", [name for name in TABLE if TABLE[name].suffixes == (".json",)])
def test_the_description_of_a_json_format_says_so(name: str) -> None:
    assert "JSON" in (registry.find("format", name).__doc__ or "").split("\n")[0]
