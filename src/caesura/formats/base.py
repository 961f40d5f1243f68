"""What text formats and JSON formats have in common."""

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
    """Whether an empty line counts too, so that a file of nothing else is not empty."""

    def read(self, file: BinaryIO) -> Iterator[Transcript]:
        """Decode, then parse."""
        return self.parse(Source.of(file))

    def write(self, transcripts: Iterable[Transcript], file: BinaryIO) -> None:
        """Write the pieces as UTF-8."""
        for piece in self.render(transcripts):
            try:
                file.write(piece.encode("utf-8"))
            except UnicodeEncodeError as error:
                raise OutputError("a word has half a character, which no file can hold") from error

    @abstractmethod
    def parse(self, source: Source) -> Iterator[Transcript]:
        """Yield the recordings."""

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Yield pieces of the text to write; every format that is `writable` defines this."""
        del transcripts
        raise self.not_writable()

    def single(self, transcripts: Iterable[Transcript]) -> Transcript:
        """Give the one recording a file of this format can hold."""
        given = list(transcripts)
        if len(given) != 1:
            raise OutputError(
                f"a {self.name} file holds one recording, and there are {len(given)}",
                remedy="write into a folder",
            )
        return given[0]


class JsonFormat(TextFormat):
    """A format whose files are JSON; keys decide which. Most are only read."""

    suffixes = (".json",)
    writable = False

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Check the keys, then convert."""
        documents = source.documents
        if not all(self.matches(document) for document in documents):
            raise source.error(f"this JSON is not of the format {self.name}: {self.expects}")
        yield from self.convert(documents, source)

    @classmethod
    def recognises(cls, source: Source) -> bool:
        """Whether every document has the unmistakable keys."""
        return all(cls.matches(document) for document in source.documents)

    expects: str
    """The keys that make a file one of this format, for messages."""

    @classmethod
    @abstractmethod
    def matches(cls, document: Any) -> bool:
        """Whether a JSON value is unmistakably of this format."""

    @abstractmethod
    def convert(self, documents: list[Any], source: Source) -> Iterator[Transcript]:
        """Yield the recordings of the file's JSON values."""
