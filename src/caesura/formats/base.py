"""Base classes of formats: text and JSON."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, ClassVar

from caesura.core.errors import OutputError
from caesura.core.protocols import Format
from caesura.core.transcript import Transcript
from caesura.formats.source import Source


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
                f"a {self.name} file holds one recording, and there are {len(recordings)}",
                remedy="write into a folder",
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
