"""The laws of formats: what every format promises about reading and writing."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from hypothesis import strategies as st

from caesura.core import registry
from caesura.core.errors import CaesuraError, OutputError
from caesura.core.protocols import Format
from caesura.core.transcript import CARRIED, Transcript
from caesura.formats.base import TextFormat
from caesura.formats.source import Source
from caesura.testing.damaged_files import damage
from caesura.testing.strategies import carried_part, for_all, transcripts

ODD_BYTES = (b"", b"\n", b"\xff\xfe\x00\xd8", b"\x89PNG\r\n\x1a\n\0\0\0", b"\x80abc")
"""Contents that are no file of any format: empty, half a character, a picture."""

CHECKED_AGAIN = 50
"""Of so many damaged files that are read, one is written and read again."""


class Subject(NamedTuple):
    """A format, contents of its files, and how many damaged files it must read or refuse."""

    format: Format
    samples: tuple[bytes, ...] = ()
    damaged: int = 1000

    def files(self) -> Sequence[bytes]:
        """Return the samples; without any, files that the format writes itself."""
        return self.samples or _written_samples(self.format)


def write_bytes(format: Format, given: Sequence[Transcript]) -> bytes:
    """Return the file that a format writes."""
    file = io.BytesIO()
    format.write(given, file)
    return file.getvalue()


def read_bytes(format: Format, data: bytes) -> list[Transcript]:
    """Return the recordings that a format reads."""
    return list(format.read(io.BytesIO(data)))


def _written_samples(format: Format) -> list[bytes]:
    """Write a few random transcripts of all that a format carries."""
    assert format.writable, f"give samples of {format.name}, which is only read"
    files: list[bytes] = []

    @for_all(20, transcripts(format.carries | format.needs, smallest=3))
    def collect(transcript: Transcript) -> None:
        files.append(write_bytes(format, [transcript]))

    return files


def class_attributes_are_set(subject: Subject, examples: int) -> None:
    """`suffixes` are lower case with a dot, and `carries` names known layers."""
    format = subject.format
    assert format.carries <= set(CARRIED), f"known layers are {CARRIED}"
    assert format.suffixes
    assert all(suffix.startswith(".") and suffix == suffix.lower() for suffix in format.suffixes)
    assert format.holds in ("one", "many")
    assert registry.find("format", format.name) is type(format)


def repr_parses_back(subject: Subject, examples: int) -> None:
    """`parse(repr(format)) == format`."""
    assert registry.parse("format", repr(subject.format)) == subject.format


def what_is_written_is_read(subject: Subject, examples: int) -> None:
    """`read(write(t)) == t` for the layers that the format carries, if it is writable."""
    format = subject.format
    if not format.writable:
        return

    @for_all(examples, st.data())
    def law(data: st.DataObject) -> None:
        size = data.draw(st.integers(1, 2)) if format.holds == "many" else 1
        given = [
            data.draw(transcripts(format.carries | format.needs)).replace(
                id=id if "id" in format.carries else ""
            )
            for id in ("one", "two")[:size]
        ]
        back = read_bytes(format, write_bytes(format, given))
        expected = [carried_part(each, format.carries) for each in given]
        assert [carried_part(each, format.carries) for each in back] == expected


def any_transcript_is_written_or_refused(subject: Subject, examples: int) -> None:
    """A transcript with any layers is written, and read as some words, or is a `CaesuraError`."""
    format = subject.format
    if not format.writable:
        return

    @for_all(examples, st.data())
    def law(data: st.DataObject) -> None:
        layers = data.draw(st.sets(st.sampled_from(CARRIED)))
        transcript = data.draw(transcripts(layers, smallest=0))
        try:
            back = read_bytes(format, write_bytes(format, [transcript]))
        except CaesuraError:
            return
        assert len(transcript) == 0 or sum(map(len, back)) > 0


def a_format_that_is_only_read_says_so(subject: Subject, examples: int) -> None:
    """A format that is not `writable` writes nothing, and raises an `OutputError`."""
    if subject.format.writable:
        return
    file = io.BytesIO()
    try:
        subject.format.write([Transcript(("so",))], file)
    except OutputError as error:
        assert f"{subject.format.name} files can be read but not written" in str(error)
    else:
        raise AssertionError("it is written")
    assert file.getvalue() == b""


def samples_are_read_alike(subject: Subject, examples: int) -> None:
    """Every sample holds recordings; reading it again, or through JSONL, gives equal ones."""
    jsonl = registry.parse("format", "jsonl")
    for sample in subject.files():
        found = read_bytes(subject.format, sample)
        assert found
        assert read_bytes(subject.format, sample) == found
        assert read_bytes(jsonl, write_bytes(jsonl, found)) == found


def line_ends_and_byte_order_mark_do_not_matter(subject: Subject, examples: int) -> None:
    """A text file is read alike with LF, CRLF or CR, and with a byte order mark."""
    if not isinstance(subject.format, TextFormat):
        return
    for sample in subject.files():
        if sample.startswith((b"\xff\xfe", b"\xfe\xff")):
            continue
        plain = sample.replace(b"\r\n", b"\n").removeprefix(b"\xef\xbb\xbf")
        expected = read_bytes(subject.format, plain)
        for other in (
            plain.replace(b"\n", b"\r\n"),
            plain.replace(b"\n", b"\r"),
            b"\xef\xbb\xbf" + plain,
        ):
            assert read_bytes(subject.format, other) == expected


def odd_bytes_hold_no_words(subject: Subject, examples: int) -> None:
    """Bytes that are no file at all are refused with one `CaesuraError`, or hold no words."""
    for data in ODD_BYTES:
        try:
            found = read_bytes(subject.format, data)
        except CaesuraError as error:
            assert "\n" not in str(error)
        else:
            assert sum(map(len, found)) == 0


def damaged_files_are_read_or_refused(subject: Subject, examples: int) -> None:
    """A damaged file is read as valid transcripts, or is one `CaesuraError` of one line."""
    format = subject.format
    jsonl = registry.parse("format", "jsonl")
    random = Random(format.name)
    files = subject.files()
    for turn in range(subject.damaged):
        damaged = damage(files[turn % len(files)], random)
        try:
            found = read_bytes(format, damaged)
        except CaesuraError as error:
            assert "\n" not in str(error), damaged
        else:
            if turn % CHECKED_AGAIN == 0:
                assert read_bytes(jsonl, write_bytes(jsonl, found)) == found, damaged


def any_file_is_recognised_or_not(subject: Subject, examples: int) -> None:
    """`recognises` answers for any bytes, or raises a `CaesuraError`."""
    random = Random(subject.format.name)
    damaged = [damage(sample, random) for sample in subject.files() for _ in range(20)]
    for data in (*ODD_BYTES, *subject.files(), *damaged):
        try:
            assert subject.format.recognises(Source("file", data)) in (True, False)
        except CaesuraError as error:
            assert "\n" not in str(error), data


FORMAT_LAWS: tuple[Callable[[Subject, int], None], ...] = (
    class_attributes_are_set,
    repr_parses_back,
    what_is_written_is_read,
    any_transcript_is_written_or_refused,
    a_format_that_is_only_read_says_so,
    samples_are_read_alike,
    line_ends_and_byte_order_mark_do_not_matter,
    odd_bytes_hold_no_words,
    damaged_files_are_read_or_refused,
    any_file_is_recognised_or_not,
)
"""Each law takes a format with its samples, and the number of random examples."""
