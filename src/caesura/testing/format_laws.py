"""The laws of formats: what every format promises about reading and writing.

`damage` makes bad files of good ones: bytes deleted, replaced and moved, JSON values exchanged.
"""

from __future__ import annotations

import copy
import io
import json
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

from hypothesis import strategies as st

from caesura.core import registry
from caesura.core.errors import CaesuraError, OutputError
from caesura.core.protocols import Format
from caesura.core.transcript import CARRIED, Transcript
from caesura.formats.base import Source, TextFormat
from caesura.testing.strategies import carried_part, for_all, transcripts

TOKENS = [  # what readers stumble over: marks of many formats, odd numbers, half characters
    b"", b"\0", b"\xff\xfe", b"\n", b"\r\n", b"\t", b" ", b'"', b"'", b"{", b"}", b"[", b"]", b"<", b">",
    b"<ALT_BEGIN>", b"null", b"NaN", b"-1", b"1e999", b"1e-999", b"99999999999999999999", b"0", b"\xe2\x80\xa8",
    b"\xc3", b"|", b",", b";;", b"--> ", b"&#0;", b"&lt;", b"<!DOCTYPE x>", b"0x10", b"\xf0\x9f\x99\x82", b"1_0",
    b"\xef\xbb\xbf", b"-", b":", b"..", b"*", b"# ", b"true", b"\xd9\xa3", b"\x85", b"\x0c", b"inf",
]  # fmt: skip
VALUES: list[Any] = [
    None, True, False, 0, -1, 1.5, 1e308, 10**30, "", " ", "x", "NaN", "-1", "1e999", "12.5s", [], {}, [None],
    [[]], {"a": 1}, "PT1H", "\ud800", "٣", "a\nb", [{"start": "x"}], -0.5, "...",
]  # fmt: skip


def damage(sample: bytes, random: Random) -> bytes:
    """Return a damaged copy of a file."""
    if sample[:1] in b"{[" and random.random() < 0.5:
        try:
            return _damage_json(sample, random)
        except ValueError:
            pass
    data = bytearray(sample)
    for _ in range(random.choice((1, 1, 1, 2, 4, 16))):
        _damage_bytes(data, random)
    return bytes(data)


def _damage_bytes(data: bytearray, random: Random) -> None:
    """Delete, replace, insert, cut off or repeat some bytes, or exchange two lines."""
    at = random.randrange(len(data) + 1)
    stop = min(len(data), at + random.choice((1, 1, 2, 8, 64)))
    match random.randrange(7):
        case 0:
            del data[at:stop]
        case 1:
            data[at:stop] = random.randbytes(stop - at)
        case 2:
            data[at:at] = random.choice(TOKENS)
        case 3:
            data[at:stop] = random.choice(TOKENS)
        case 4:
            del data[at:]
        case 5:
            data[at:at] = data[at:stop] * random.choice((1, 2, 3))
        case _:
            lines = data.split(b"\n")
            one, two = random.randrange(len(lines)), random.randrange(len(lines))
            lines[one], lines[two] = lines[two], lines[one]
            data[:] = b"\n".join(lines)


def _damage_json(sample: bytes, random: Random) -> bytes:
    """Delete, repeat or exchange some values of a JSON document."""
    document = json.loads(sample)
    for _ in range(random.choice((1, 1, 2, 5))):
        places = list(_places(document))
        if not places:
            break
        holder, key = random.choice(places)
        match random.randrange(4):
            case 0:
                del holder[key]
            case 1 if isinstance(holder, list):
                holder.insert(key, holder[key])
            case 2:
                other, name = random.choice(places)
                if other is not holder and not isinstance(other[name], (dict, list)):
                    holder[key] = other[name]
            case _:
                holder[key] = copy.deepcopy(random.choice(VALUES))
    return json.dumps(document).encode("utf-8", "surrogatepass")


def _places(node: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every list and object below a JSON value with each of its keys."""
    pairs = (
        node.items()
        if isinstance(node, dict)
        else enumerate(node)
        if isinstance(node, list)
        else ()
    )
    for key, inner in pairs:
        yield node, key
        yield from _places(inner)


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
