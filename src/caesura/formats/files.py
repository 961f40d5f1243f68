"""Read and write what users name: files, folders, standard input and output, input in memory.

First how all of it is read together (`read`, `read_each`), then how one file is read
(`read_file`), and last which format is written and where results go (`target`, `write_all`).
"""

from __future__ import annotations

import io
import logging
import os
import sys
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from caesura.core import registry
from caesura.core.arrays import Strings
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
from caesura.text.punctuation import detach_marks

logger = logging.getLogger("caesura")

if TYPE_CHECKING:
    from caesura.formats.in_memory import InMemory

Input: TypeAlias = "str | Path | Transcript | InMemory"
"""A path, a transcript, or input in memory (`in_memory.py`). A `str` is always a path."""

Inputs: TypeAlias = "Input | Sequence[Input | Sequence[Transcript]]"
"""One input, or several: each a file, a folder, or what is in one."""

STANDARD = "-"
"""The name of standard input and output."""

EMPTY_REMEDY = (
    "make it again or, if nothing was said, name a text format: format='lines' (--format lines)"
)
"""Advice on an empty file of a format that has content even without words."""

TEXT_REMEDY = (
    "if this is text: caesura.Text(...), caesura.Sentences([...]) or caesura.Words([...]) in "
    "Python, standard input for a command"
)


def read(
    files: Input | Iterable[Input], *, format: str | Format | None = None
) -> Iterator[Transcript]:
    """Read all recordings of files, folders and input in memory, one after another.

    Files that cannot be read are left out, and reported in one error at the end.
    """
    in_list = not is_single(files)
    several: Any = files if in_list else [files]
    reader = registry.parse("format", format) if format and isinstance(format, str) else format
    seen: set[str] = set()
    failed: list[CaesuraError] = []
    for given in several:
        if isinstance(given, Transcript):
            yield detach_marks(given)
        elif isinstance(given, (str, Path)):
            yield from _read_path(given, reader or None, seen, failed)
        else:
            from caesura.formats import in_memory

            yield from in_memory.read(given, reader or None, in_list)
    raise_failures(failed, len(seen), "could not be read")


def _read_path(
    given: str | Path, reader: Format | None, seen: set[str], failed: list[CaesuraError]
) -> Iterator[Transcript]:
    """Read a file or all files of a folder; note the files seen, and the errors of those failed."""
    if is_missing_text(given):
        seen.add(str(given))
        what = "cannot be read: No such file or directory"
        failed.append(FormatError(what, where=_shortened(str(given)), remedy=TEXT_REMEDY))
        return
    for file, place in expand([given]):
        if file in seen:
            raise FormatError("the same input is given twice", where=file)
        seen.add(file)
        try:
            found = list(read_file(file, reader))
            if not any(map(len, found)):
                logger.warning("%s: there are no words in it", file)
        except CaesuraError as error:
            failed.append(_explain_sidecar(error, file))
        else:
            for transcript in found:
                origin = transcript.origin or Origin(file)
                yield transcript.replace(origin=origin._replace(file=file, place=str(place)))


def is_single(given: object) -> bool:
    """Whether this is one input rather than several; what cannot be read is one too."""
    if isinstance(given, (str, bytes, bytearray, Path, Transcript, Mapping)):
        return True
    if isinstance(given, (list, tuple, Iterator)) and not hasattr(given, "read"):
        return False
    from caesura.formats.in_memory import is_in_memory

    return is_in_memory(given) or not isinstance(given, Iterable)


def all_words(given: Any) -> Any:
    """Give what a stream of words is read from.

    Text, words, results and tables become recordings; paths, open files and iterables stay.
    """
    if is_missing_text(given) or (is_single(given) and not _is_file(given)):
        return list(read(given))
    return given


def _is_file(given: object) -> bool:
    return isinstance(given, (str, Path)) or hasattr(given, "read")


def is_missing_text(given: object) -> bool:
    """Whether a string names no file and may be meant as text.

    It may if it is long, has several words or lines, or has no suffix and is not a folder's name
    without blanks.
    """
    if not isinstance(given, str) or given in ("", STANDARD):
        return False
    is_plain = os.sep not in given or len(given.split()) > 1
    is_bare = is_plain and not Path(given).suffix[1:].isalnum()
    is_long = len(given) > 255 or "\n" in given or len(given.split()) > 3
    if not (is_bare or is_long):
        return False
    try:
        return not Path(given).exists()
    except (OSError, ValueError):
        return True


def _shortened(text: str) -> str:
    """Give the beginning of a long text, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:60]}…"


def _explain_sidecar(error: CaesuraError, file: str) -> CaesuraError:
    """Give a clearer error for a sidecar file of a reference, which is no transcript."""
    from caesura.formats.sidecars import OPTIONS

    if not (isinstance(error, AmbiguousFormat) and file.endswith(tuple(OPTIONS))):
        return error
    remedy = " and ".join(f"*{suffix} as {option}" for suffix, option in OPTIONS.items())
    what = "a file of alternatives or entity classes is no transcript"
    return FormatError(what, where=file, remedy=f"give {remedy}")


def read_each(
    given: Inputs, format: str | Format | None, default: str | Format | None = None
) -> tuple[Strings, list[list[Transcript]]]:
    """Read each input apart from the others; return their names and their recordings."""
    names, inputs = open_each(given, format, default)
    return names, [list(one) for one in inputs]


def open_each(
    given: Inputs, format: str | Format | None, default: str | Format | None = None
) -> tuple[Strings, Iterator[Iterator[Transcript]]]:
    """Name inputs, and read what each holds when its turn comes.

    Without a `format`, it is the `default` for files whose suffix does not speak against it.
    """
    several = as_list(given)

    def read_one(one: Any) -> Iterator[Transcript]:
        is_path = isinstance(one, (str, Path)) and not is_missing_text(one)
        allowed = not is_path or fits(one, default)
        return read(one, format=format or (default if allowed else None))

    return names_of(several), map(read_one, several)


def open_pooled(
    given: Inputs, format: str | Format | None, default: str | Format | None = None
) -> tuple[Strings, Iterable[Iterable[Transcript]]]:
    """Do the same as `open_each`, but take input in memory together as one."""
    several = as_list(given)
    if several and not any(isinstance(one, (str, Path)) for one in several):
        return ("recordings",), [list(read(several, format=format or default))]
    return open_each(several, format, default)


def as_list(given: Any) -> list[Any]:
    """Give one input or several as a list."""
    return [given] if is_single(given) else list(given)


def names_of(inputs: Sequence[object]) -> Strings:
    """Name inputs as briefly as tells them apart: by file, by folders they do not share, or both.

    The same input twice has its number too.
    """
    names = [_name_of(each) for each in inputs]
    paths = [Path(name) for name in names]
    stems = [path.stem for path in paths]
    for short in (stems, _distinct_parts([path.parts for path in paths])):
        if all(short) and len(set(short)) == len(short):
            return tuple(short)
    return tuple(f"{stem} {number}".strip() for number, stem in enumerate(stems, 1))


def _name_of(given: object) -> str:
    """Give the path of a file, the id of a transcript, or ''."""
    if isinstance(given, (str, Path)):
        return _shortened(str(given)) if is_missing_text(given) else str(given)
    for attribute in ("id", "name"):
        name = getattr(given, attribute, "")
        if isinstance(name, str) and name and not name.startswith("<"):
            return name
    return ""


def _distinct_parts(paths: Sequence[Strings]) -> list[str]:
    """Leave out the folders that all paths begin or end with."""
    shortest = min(map(len, paths), default=0)
    front = next((i for i in range(shortest) if len({p[i] for p in paths}) > 1), 0)
    back = next((i for i in range(1, shortest + 1) if len({p[-i] for p in paths}) > 1), 1)
    return ["/".join(path[front : len(path) - back + 1]) for path in paths]


# One file


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


def read_file(file: str | Path, format: str | Format | None = None) -> Iterator[Transcript]:
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


# Writing


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
    stopped: CaesuraError | None = None
    try:
        for found in _by_origin(transcripts):
            for file, piece in _pieces(found, path, format):
                _refuse_twice(file, piece[0], written)
                try:
                    write(piece, file, format)
                except CaesuraError as error:
                    failed.append(error)
    except CaesuraError as error:
        stopped = error
    if failed and stopped:
        logger.error("%s", stopped)
    raise_failures(failed, len(written), "could not be written")
    if stopped:
        raise stopped
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
