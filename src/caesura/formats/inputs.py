"""What users give to be read: files, folders, transcripts, and other input in memory."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from caesura.core import registry
from caesura.core.arrays import Strings
from caesura.core.errors import AmbiguousFormat, CaesuraError, FormatError, raise_failures
from caesura.core.protocols import Format
from caesura.core.transcript import Origin, Transcript
from caesura.formats import files as _files
from caesura.text.punctuation import detach_marks

logger = logging.getLogger("caesura")

if TYPE_CHECKING:
    from caesura.formats.in_memory import InMemory

Input: TypeAlias = "str | Path | Transcript | InMemory"
"""A path, a transcript, or input in memory (`in_memory.py`). A `str` is always a path."""

Inputs: TypeAlias = "Input | Sequence[Input | Sequence[Transcript]]"
"""One input, or several: each a file, a folder, or what is in one."""

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
    for file, place in _files.expand([given]):
        if file in seen:
            raise FormatError("the same input is given twice", where=file)
        seen.add(file)
        try:
            found = list(_files.read(file, reader))
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
    if not isinstance(given, str) or given in ("", _files.STANDARD):
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
        fits = not is_path or _files.fits(one, default)
        return read(one, format=format or (default if fits else None))

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
