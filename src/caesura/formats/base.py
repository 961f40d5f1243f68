"""What formats share: the content of a file, checked cells of it, and base classes.

`Source` decodes a file to text, lines or JSON values. The functions after it turn a cell into a
number, a time or a text. `TextFormat` and `JsonFormat` are what most formats derive from.
"""

from __future__ import annotations

import codecs
import json
import math
import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import Any, BinaryIO, ClassVar

from caesura.core import registry
from caesura.core.errors import FormatError, OutputError
from caesura.core.protocols import Format
from caesura.core.transcript import Transcript

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def stem_of(name: str) -> str:
    """Return a file name without its suffix, and without a format name: `talk.whisper.json`."""
    stem = PurePath(name).stem
    front, _, back = stem.rpartition(".")
    return front if front and back in registry.names("format") else stem


@dataclass(frozen=True)
class Source:
    """The bytes of one file, and the name of the file for messages."""

    name: str
    data: bytes

    @classmethod
    def of(cls, file: BinaryIO) -> Source:
        """Read an open file to its end."""
        name = getattr(file, "name", "")
        return cls(name if isinstance(name, str) and name else "<bytes>", file.read())

    @property
    def stem(self) -> str:
        """The id of a recording if the file has none: the file name without folder and suffix."""
        return "" if self.name.startswith("<") else stem_of(PurePath(self.name).name)

    def numbered(self, place: int, count: int) -> str:
        """Return an id for one of several recordings that have none: `stem.0`, `stem.1`."""
        return f"{self.stem}.{place}" if self.stem and count > 1 else self.stem

    def error(self, what: str, line: int = 0, remedy: str = "") -> FormatError:
        """Return an error that names this file, and the line if there is one."""
        where = f"{self.name}:{line}" if line else self.name
        return FormatError(what, where=where, remedy=remedy)

    @cached_property
    def text(self) -> str:
        """The decoded text: UTF-8, or UTF-16/32 if there is a byte order mark.

        All line ends (LF, CRLF, CR) become LF.
        """
        data, encoding = self.data, "utf-8"
        for bom, named in _BOMS:
            if data.startswith(bom):
                data, encoding = data[len(bom) :], named
                break
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError as error:
            line = data[: error.start].count(b"\n") + 1
            raise self.error(
                f"byte {error.start} is not {encoding.upper()} text",
                line,
                "save the file as UTF-8 and try again",
            ) from error
        if "\0" in text:
            line = text[: text.index("\0")].count("\n") + 1
            raise self.error("this is binary data, not text", line)
        return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield the lines with their numbers, without line ends."""
        yield from enumerate(self.text.split("\n"), 1)

    @cached_property
    def documents(self) -> list[Any]:
        """The JSON values of the file: usually one; several if they follow one another."""
        decoder = json.JSONDecoder()
        text, at = without_lone_surrogates(self.text), 0
        found = []
        try:
            while True:
                while text[at : at + 1].isspace():
                    at += 1
                if at >= len(text):
                    break
                value, at = decoder.raw_decode(text, at)
                found.append(value)
        except json.JSONDecodeError as error:
            advice = "if it is of another format, name it with format= (--format)"
            raise self.error(f"not JSON: {error.msg}", error.lineno, advice) from error
        except (RecursionError, ValueError) as error:
            raise self.error("not JSON that can be read: nested too deeply or too large") from error
        if not found:
            raise self.error("the file is empty")
        return found


_ESCAPES = re.compile(
    r"\\\\|(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)


def without_lone_surrogates(text: str) -> str:
    """Replace escapes in JSON that stand for half a character, which cannot be written."""
    if "\\ud" not in text and "\\uD" not in text:
        return text
    return _ESCAPES.sub(
        lambda found: found[0] if found[1] or found[0] == "\\\\" else "\\ufffd", text
    )


def number(value: Any) -> float:
    """Return a number, also one given as a string; NaN for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return math.nan
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return math.nan
    return found if math.isfinite(found) else math.nan


LATEST = 1e9
"""The latest time that is believed, in seconds."""


def seconds(value: Any, scale: float = 1.0) -> float:
    """Return a time in seconds, rounded to microseconds; the unit of `value` is `scale` seconds.

    NaN if it is no time.
    """
    found = number(value) * scale
    return round(found, 6) if 0 <= found <= LATEST else math.nan


def share(value: Any) -> float:
    """Return a confidence between 0 and 1; NaN for anything else."""
    found = number(value)
    return found if 0 <= found <= 1 else math.nan


def string(value: Any) -> str:
    """Return a string or a number as a string; '' for anything else."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else ""


def items(value: Any) -> Sequence[dict[str, Any]]:
    """Return the objects in a JSON array; nothing if the value is no array."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def with_plain_keys(value: Any) -> dict[str, Any]:
    """Return a JSON object with keys in one spelling: `starttime` for `startTime`, `start_time`."""
    if not isinstance(value, dict):
        return {}
    return {key.replace("_", "").lower(): inner for key, inner in value.items()}


def speaker_names(table: Iterable[dict[str, Any]], key: str) -> dict[str, str]:
    """Return the name of each speaker by id; the id itself if there is no name, or a shared one."""
    names = {string(row.get(key)): string(row.get("name")).strip() for row in table}
    all_names = list(names.values())
    return {id: name if name and all_names.count(name) == 1 else id for id, name in names.items()}


def counted(count: int, one: str, many: str) -> str:
    """Return a count with its noun: `1 word`, `2 words`."""
    return f"{count} {one if count == 1 else many}"


AUDIO = frozenset(".aac .amr .flac .m4a .mkv .mov .mp3 .mp4 .ogg .opus .wav .webm .wma".split())
"""Suffixes of audio and video files."""


def recording_id(address: str) -> str:
    """Return the id of a recording from the URL or file name of its audio; other names stay."""
    path = address.partition("?")[0]
    _, mark, rest = path.rpartition("://")
    if mark:
        path = rest.partition("/")[2]
    elif "/" not in path:
        stem, dot, suffix = address.rpartition(".")
        return stem if dot + suffix.lower() in AUDIO else address
    return path.rpartition("/")[2].split(".", 1)[0]


class TextFormat(Format):
    """A format whose files are text."""

    every_line: ClassVar[bool] = False
    """Whether an empty line is a recording, so that a file of empty lines has content."""

    def read(self, file: BinaryIO) -> Iterator[Transcript]:
        """Decode the file and parse it."""
        return self.parse(Source.of(file))

    def write(self, transcripts: Iterable[Transcript], file: BinaryIO) -> None:
        """Write what `render` yields, as UTF-8."""
        for piece in self.render(transcripts):
            try:
                file.write(piece.encode("utf-8"))
            except UnicodeEncodeError as error:
                raise OutputError("a word has half a character, which no file can hold") from error

    @abstractmethod
    def parse(self, source: Source) -> Iterator[Transcript]:
        """Yield the recordings of a file."""

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Yield pieces of the text to write; every format that is `writable` defines this."""
        del transcripts
        raise self.not_writable()

    def single(self, transcripts: Iterable[Transcript]) -> Transcript:
        """Return the only recording, for formats that hold one in a file."""
        recordings = list(transcripts)
        if len(recordings) != 1:
            raise OutputError(
                f"{self.name} holds one recording in a file, and there are {len(recordings)}",
                remedy="write into a folder: a name that ends in /",
            )
        return recordings[0]


class JsonFormat(TextFormat):
    """A format whose files are JSON, known by their keys. Most are only read."""

    suffixes = (".json",)
    writable = False

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Check the keys and convert the JSON values."""
        documents = source.documents
        if not all(self.matches(document) for document in documents):
            raise source.error(f"this JSON is not of the format {self.name}: {self.expects}")
        yield from self.convert(documents, source)

    @classmethod
    def recognises(cls, source: Source) -> bool:
        """Whether every JSON value of the file has the distinctive keys."""
        return all(cls.matches(document) for document in source.documents)

    expects: str
    """Which keys a file of this format has, for messages."""

    @classmethod
    @abstractmethod
    def matches(cls, document: Any) -> bool:
        """Whether a JSON value has the keys that only this format has."""

    @abstractmethod
    def convert(self, documents: list[Any], source: Source) -> Iterator[Transcript]:
        """Yield the recordings of the JSON values of a file."""
