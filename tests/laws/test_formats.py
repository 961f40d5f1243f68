"""The laws of formats, for every built-in format and the samples of our own making."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

from caesura.core import registry
from caesura.core.errors import CaesuraError
from caesura.core.transcript import Transcript
from caesura.formats.base import Source, TextFormat
from caesura.testing import check_format
from caesura.testing.format_laws import FORMAT_LAWS, Subject, read_bytes

SAMPLES = Path(__file__).parent.parent / "formats" / "samples"
FORMATS = registry.names("format")
READ_ONLY = [name for name in FORMATS if not registry.find("format", name).writable]
DAMAGED = 40 * settings().max_examples
"""2,000 damaged files of each format; 40,000 when `CAESURA_TESTS` is thorough."""
NOT_IN_SAMPLES = {
    "whispercpp": {"opening"},
    "vosk": {"opening", "mark", "blank"},
    "coraal": {"opening"},
    "google": {"opening"},
    "azure": {"opening"},
    "deepgram": {"opening"},
    "assemblyai": {"opening", "blank"},
}
"""What a format carries and none of its samples has."""


@cache
def samples(name: str) -> tuple[bytes, ...]:
    """Read all files of our own making for a format, which are named NAME.* or NAME-*."""
    paths = sorted((*SAMPLES.glob(f"{name}.*"), *SAMPLES.glob(f"{name}-*")))
    return tuple(path.read_bytes() for path in paths)


@pytest.mark.parametrize("name", FORMATS)
def test_there_are_samples_of_a_text_format(name: str) -> None:
    assert samples(name), f"tests/formats/samples has no {name} file"
    format = registry.parse("format", name)
    assert format.name == name
    assert isinstance(format, TextFormat)


@pytest.mark.parametrize("law", FORMAT_LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("name", FORMATS)
def test_law(name: str, law: Callable[[Subject, int], None]) -> None:
    format = registry.parse("format", name)
    law(Subject(format, samples(name), DAMAGED), settings().max_examples)


def test_all_laws_are_checked_at_once_without_samples_too() -> None:
    check_format(registry.parse("format", "ctm"), damaged=50, examples=2)
    check_format(registry.parse("format", "jsonl"), samples=samples("jsonl"), damaged=9, examples=2)


@pytest.mark.parametrize("name", READ_ONLY)
def test_samples_have_all_that_a_format_carries_and_nothing_else(name: str) -> None:
    format = registry.parse("format", name)
    found = {
        layer
        for sample in samples(name)
        for transcript in read_bytes(format, sample)
        for layer in known_layers(transcript)
    }
    assert found <= format.carries
    assert found >= format.carries - NOT_IN_SAMPLES.get(name, set())


def known_layers(transcript: Transcript) -> Iterator[str]:
    yield from transcript.known
    if transcript.id.partition(".")[0]:  # a channel is numbered without a name, as in `.1`
        yield "id"


@pytest.mark.parametrize("name", FORMATS)
def test_recognises_its_own_samples_or_none(name: str) -> None:
    format = registry.find("format", name)
    others = [other for other in FORMATS if other != name]
    for sample in samples(name):
        for other in others:
            stranger = registry.find("format", other)
            shared = set(stranger.suffixes) & set(format.suffixes)
            if shared:
                assert not _recognised(stranger, sample), f"{other} claims a file of {name}"


def _recognised(format: type, sample: bytes) -> bool:
    try:
        return bool(format.recognises(Source("sample", sample)))  # type: ignore[attr-defined]
    except CaesuraError:
        return False
