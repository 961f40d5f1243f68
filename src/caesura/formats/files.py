"""Read and write files: which files there are, which format each has, where results go."""

from __future__ import annotations

import io
import logging
import os
import sys
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from pathlib import Path

from caesura.core import registry
from caesura.core.atomic import atomic
from caesura.core.errors import (
    AmbiguousFormat,
    CaesuraError,
    FormatError,
    OutputError,
    raise_failures,
)
from caesura.core.protocols import Format
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Origin, Transcript
from caesura.formats.base import Source, TextFormat, stem_of
from caesura.formats.recognize import (
    choose_format,
    is_writable,
    known_suffixes,
    recognized,
    with_suffix,
    writable,
)

logger = logging.getLogger("caesura")

STANDARD = "-"
"""The name of standard input and output."""

EMPTY_REMEDY = (
    "make it again or, if nothing was said, name a text format: format='lines' (--format lines)"
)
"""Advice on an empty file of a format that has content even without words."""


def expand(files: Iterable[str | Path]) -> Iterator[tuple[str, Path]]:
    """Yield each file, and its path below the folder that was named.

    Of a folder, all files that have the suffix of some format are taken, ordered by name.
    """
    for file in files:
        path = Path(file)
        if str(file) == "":
            raise FormatError("an input has an empty name", remedy="name a file or a folder")
        if str(file) == STANDARD or not path.is_dir():
            yield str(file), Path("stdin" if str(file) == STANDARD else path.name)
            continue
        inside = [
            inner
            for inner in sorted(path.rglob("*"))
            if inner.is_file() and inner.suffix and not inner.name.startswith(".")
        ]
        known = known_suffixes({inner.suffix.lower() for inner in inside})
        found = [inner for inner in inside if inner.suffix.lower() in known]
        if not found:
            raise FormatError("the folder has no file of a known format", where=str(path))
        yield from ((str(inner), inner.relative_to(path)) for inner in found)


def load(file: str) -> Source:
    """Read the bytes of a file or of standard input."""
    is_standard = file == STANDARD
    if is_standard and sys.stdin is None:
        raise FormatError("standard input is closed")
    name = "<stdin>" if is_standard else file
    try:
        return Source(name, sys.stdin.buffer.read() if is_standard else Path(file).read_bytes())
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", where=name) from error


def read(file: str | Path, format: str | Format | None = None) -> Iterator[Transcript]:
    """Yield the recordings of a file; without a format, suffix and content decide."""
    yield from read_source(load(str(file)), format, str(file))


def read_source(
    source: Source, format: str | Format | None = None, file: str = ""
) -> Iterator[Transcript]:
    """Yield the recordings of content in memory; `file` is the name to remember, if another."""
    blank = not source.data.removeprefix(BOM_UTF8).strip()
    chosen = format or (_format_of_empty(source) if blank else choose_format(source))
    reader = registry.parse("format", chosen) if isinstance(chosen, str) else chosen
    empty = blank and not (isinstance(reader, TextFormat) and reader.every_line)
    asked = "" if format is None or empty else _asked(reader, source)
    origin = Origin(file or source.name, format=reader.name, asked=asked)
    if empty and not reader.may_be_empty:
        raise source.error("the file is empty", remedy=EMPTY_REMEDY)
    found = False
    for transcript in () if empty else _parsed(reader, source):
        yield transcript.replace(origin=origin)
        found = True
    if not found and reader.may_be_empty:
        nothing = Segmentation.of_gaps(0, [])
        yield Transcript((), id=source.stem, sentences=nothing, origin=origin)


def _parsed(reader: Format, source: Source) -> Iterator[Transcript]:
    if isinstance(reader, TextFormat):
        return reader.parse(source)
    return reader.read(io.BytesIO(source.data))


def _format_of_empty(source: Source) -> Format:
    """Return a format with the suffix of an empty file that may be empty: nothing was said."""
    for name in with_suffix(source.name):
        format = registry.find("format", name)
        if format.may_be_empty:
            return format()
    raise source.error("the file is empty", remedy=EMPTY_REMEDY)


def fits(file: str | Path, format: str | Format | None) -> bool:
    """Whether the suffix of a file, or of the first file in a folder, allows a format."""
    if format is None:
        return False
    kind = registry.parse("format", format) if isinstance(format, str) else format
    first = next(iter(expand([file])), (str(file), None))[0]
    sharing = with_suffix(first)
    return kind.name in sharing or not sharing


def _asked(named: Format, source: Source) -> str:
    """Return the format that the user named, '' if it would have been chosen anyway."""
    anyway = named.brief == named.name and _certain(source) == [named.name]
    return "" if anyway else named.brief


def _certain(source: Source) -> list[str]:
    """List the formats that suffix and content point to."""
    sharing = with_suffix(source.name)
    if len(sharing) == 1:
        return sharing
    return [format.name for format in recognized(source, sharing)]


def target(to: str | Format, output: str | Path) -> Format:
    """Choose the format to write: the one named, else the one with the suffix of the output.

    Of several formats with that suffix, it is the one named like it: `.tsv` means `tsv`.
    """
    if str(output) == "":
        raise OutputError("the output has an empty name", remedy="name a file, a folder or -")
    named = registry.parse("format", to) if isinstance(to, str) and to else to
    if isinstance(named, Format):
        return _checked_writable(named)
    sharing = with_suffix(output)
    fitting = [name for name in sharing if is_writable(name)] or sharing
    fitting = [name for name in fitting if f".{name}" == Path(output).suffix.lower()] or fitting
    if len(fitting) == 1:
        return _checked_writable(registry.find("format", fitting[0])())
    raise AmbiguousFormat(
        "the output's name does not tell the format",
        where=str(output),
        remedy=f"choose one with to= (--to): {', '.join(fitting or writable())}",
    )


def _checked_writable(format: Format) -> Format:
    """Refuse a format that is only read."""
    if format.writable:
        return format
    error = format.not_writable()
    raise OutputError(error.what, remedy=f"choose one with to= (--to): {', '.join(writable())}")


def destination(format: Format, folder: Path, transcript: Transcript, name: str) -> Path:
    """Return the output file of a recording below a folder, named after the file it came from.

    `name` is added if one file becomes several.
    """
    origin = transcript.origin
    place = Path(origin.place if origin else _safe(transcript.id))
    stem = stem_of(place.name) or "recording"
    return folder / place.parent / f"{stem}{'.' * bool(name)}{name}{format.suffixes[0]}"


def _safe(id: str) -> str:
    return "".join(char if char.isalnum() or char in "-_." else "_" for char in id) or "recording"


def write(transcripts: Iterable[Transcript], output: str | Path, format: Format) -> None:
    """Write recordings into one file, or to standard output."""
    if str(output) != STANDARD:
        with atomic(Path(output)) as file:
            format.write(transcripts, file)
        return
    format.write(transcripts, sys.stdout.buffer)
    sys.stdout.buffer.flush()


def is_folder(output: str | Path) -> bool:
    """Whether an output is a folder: it exists as one, or ends in a slash."""
    try:
        return str(output).endswith(("/", os.sep)) or Path(output).is_dir()
    except OSError as error:
        raise OutputError(f"cannot be written: {error.strerror}", where=str(output)) from error


def write_all(transcripts: Iterable[Transcript], output: str | Path, format: Format) -> list[Path]:
    """Write one file for each input file into a folder, or all recordings into one file.

    Return the files that were written.
    """
    path = Path(output)
    if str(output) == STANDARD or not is_folder(output):
        write(transcripts, output, format)
        return [] if str(output) == STANDARD else [path]
    written: dict[Path, str] = {}
    failed: list[CaesuraError] = []
    try:
        for found in _by_origin(transcripts):
            for file, piece in _pieces(found, path, format):
                _refuse_twice(file, piece[0], written)
                try:
                    write(piece, file, format)
                except CaesuraError as error:
                    failed.append(error)
    except CaesuraError as error:
        failed.append(error)
    raise_failures(failed, len(written), "could not be written")
    return list(written)


def _refuse_twice(file: Path, transcript: Transcript, written: dict[Path, str]) -> None:
    source = transcript.origin.file if transcript.origin else transcript.id
    if file in written:
        raise OutputError(
            f"{source} and {written[file]} would both be written here",
            where=str(file),
            remedy="write them into folders of their own",
        )
    written[file] = source


def _by_origin(transcripts: Iterable[Transcript]) -> Iterator[list[Transcript]]:
    """Group successive recordings of one file; an error is raised after what came before it."""
    group: list[Transcript] = []
    failed: CaesuraError | None = None
    try:
        for transcript in transcripts:
            if group and (transcript.origin is None or transcript.origin != group[0].origin):
                yield group
                group = []
            group.append(transcript)
    except CaesuraError as error:
        failed = error
    if group:
        yield group
    if failed is not None:
        raise failed


def _pieces(
    found: list[Transcript], folder: Path, format: Format
) -> Iterator[tuple[Path, list[Transcript]]]:
    """Yield output files with their recordings: one file, or several if the format holds one."""
    if len(found) == 1 or format.holds == "many":
        yield destination(format, folder, found[0], ""), found
        return
    for transcript in found:
        yield destination(format, folder, transcript, _safe(transcript.id)), [transcript]


def dropped(transcript: Transcript, format: Format) -> list[str]:
    """List what is known of a recording and a format does not carry."""
    lost = [name for name in transcript.known if name not in format.carries]
    if {"start", "end"} <= set(lost):
        return ["word times", *(name for name in lost if name not in ("start", "end"))]
    return lost
