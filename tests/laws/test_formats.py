"""What every registered format promises."""

import io
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core import registry
from caesura.core.errors import CaesuraError, OutputError
from caesura.core.protocols import Format
from caesura.core.transcript import CARRIED, Transcript
from caesura.formats.source import Source
from laws.mutate import mutated
from laws.strategies import normal, transcripts

SAMPLES = Path(__file__).parent.parent / "formats" / "samples"
FORMATS = registry.names("format")
WRITABLE = [name for name in FORMATS if registry.find("format", name).writable]
READ_ONLY = [name for name in FORMATS if name not in WRITABLE]
MUTATIONS = 10_000
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


def written(format: Format, given: list[Transcript]) -> bytes:
    file = io.BytesIO()
    format.write(given, file)
    return file.getvalue()


def read(format: Format, data: bytes) -> list[Transcript]:
    return list(format.read(io.BytesIO(data)))


@cache
def samples(name: str) -> list[bytes]:
    """Files of our own making for a format: all that are named NAME.* or NAME-*."""
    paths = sorted((*SAMPLES.glob(f"{name}.*"), *SAMPLES.glob(f"{name}-*")))
    return [path.read_bytes() for path in paths]


@pytest.mark.parametrize("name", FORMATS)
def test_carries_known_layers(name: str) -> None:
    format = registry.parse("format", name)
    assert format.carries <= set(CARRIED)
    assert format.name == name
    assert format.suffixes
    assert all(suffix.startswith(".") and suffix == suffix.lower() for suffix in format.suffixes)


@pytest.mark.parametrize("name", FORMATS)
def test_repr_parses_back(name: str) -> None:
    format = registry.parse("format", name)
    assert registry.parse("format", repr(format)) == format


@pytest.mark.parametrize("name", WRITABLE)
@given(data=st.data())
def test_reads_what_it_wrote(name: str, data: st.DataObject) -> None:
    format = registry.parse("format", name)
    size = data.draw(st.integers(1, 2)) if format.holds == "many" else 1
    ids = iter(["one", "two"])
    given = [
        data.draw(transcripts(format.carries | getattr(format, "needs", frozenset()))).replace(
            id=next(ids) if "id" in format.carries else ""
        )
        for _ in range(size)
    ]
    back = read(format, written(format, given))
    assert [normal(t, format.carries) for t in back] == [normal(t, format.carries) for t in given]


@pytest.mark.parametrize("name", WRITABLE)
@given(data=st.data())
def test_writes_any_transcript_or_says_why_not(name: str, data: st.DataObject) -> None:
    format = registry.parse("format", name)
    layers = data.draw(st.sets(st.sampled_from(CARRIED)))
    transcript = data.draw(transcripts(layers, smallest=0))
    try:
        back = read(format, written(format, [transcript]))
    except CaesuraError:
        return
    assert len(transcript) == 0 or sum(map(len, back)) > 0


@pytest.mark.parametrize("name", READ_ONLY)
def test_a_format_that_is_only_read_says_so(name: str) -> None:
    format = registry.parse("format", name)
    file = io.BytesIO()
    with pytest.raises(OutputError, match=f"^{name} files can be read but not written; choose"):
        format.write([Transcript(("so",))], file)
    assert file.getvalue() == b""


@pytest.mark.parametrize("name", READ_ONLY)
def test_samples_tell_all_that_a_format_carries_and_nothing_else(name: str) -> None:
    format = registry.parse("format", name)
    found = {layer for sample in samples(name) for t in read(format, sample) for layer in told(t)}
    assert found <= format.carries
    assert found >= format.carries - NOT_IN_SAMPLES.get(name, set())


def told(transcript: Transcript) -> Iterator[str]:
    yield from transcript.known
    if transcript.id.partition(".")[0]:  # a channel is numbered without a name, as in `.1`
        yield "id"


@pytest.mark.parametrize("name", FORMATS)
def test_reading_twice_gives_the_same(name: str) -> None:
    format = registry.parse("format", name)
    jsonl = registry.parse("format", "jsonl")
    for sample in samples(name):
        found = read(format, sample)
        assert read(format, sample) == found
        assert read(jsonl, written(jsonl, found)) == found


@pytest.mark.parametrize("name", FORMATS)
def test_samples_exist_and_read(name: str) -> None:
    assert samples(name), f"tests/formats/samples has no {name} file"
    for sample in samples(name):
        assert read(registry.parse("format", name), sample)


@pytest.mark.parametrize("ending", ["crlf", "cr", "bom"])
@pytest.mark.parametrize("name", FORMATS)
def test_line_ends_and_byte_order_mark_change_nothing(name: str, ending: str) -> None:
    format = registry.parse("format", name)
    for sample in samples(name):
        if sample.startswith((b"\xff\xfe", b"\xfe\xff")):
            continue
        plain = sample.replace(b"\r\n", b"\n").removeprefix(b"\xef\xbb\xbf")
        others = {
            "crlf": plain.replace(b"\n", b"\r\n"),
            "cr": plain.replace(b"\n", b"\r"),
            "bom": b"\xef\xbb\xbf" + plain,
        }
        assert read(format, others[ending]) == read(format, plain)


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"\xff\xfe\x00\xd8", b"\x89PNG\r\n\x1a\n\0\0\0", b"\x80abc"]
)
@pytest.mark.parametrize("name", FORMATS)
def test_meets_odd_bytes_with_an_error_or_no_words(name: str, data: bytes) -> None:
    try:
        found = read(registry.parse("format", name), data)
    except CaesuraError as error:
        assert "\n" not in str(error)
    else:
        assert sum(map(len, found)) == 0


@pytest.mark.parametrize("name", FORMATS)
def test_meets_damaged_files_with_transcripts_or_one_error(name: str) -> None:
    format = registry.parse("format", name)
    jsonl = registry.parse("format", "jsonl")
    chance = random.Random(name)
    seeds = samples(name)
    for turn in range(MUTATIONS):
        damaged = mutated(seeds[turn % len(seeds)], chance)
        try:
            found = read(format, damaged)
        except CaesuraError as error:
            assert "\n" not in str(error), damaged
        else:
            if turn % 50 == 0:
                assert read(jsonl, written(jsonl, found)) == found, damaged


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
