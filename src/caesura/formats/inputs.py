"""What users name to be read: files, folders, and recordings that are there already."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from caesura.core import registry
from caesura.core.arrays import Strings
from caesura.core.errors import AmbiguousFormat, CaesuraError, FormatError, tell
from caesura.core.protocols import Format
from caesura.core.transcript import Origin, Transcript
from caesura.formats import files as _files
from caesura.formats.sidecars import OPTIONS

logger = logging.getLogger("caesura")

Input = str | Path | Transcript
Inputs = Input | Sequence[Input | Sequence[Transcript]]
"""One input, or several: each a file, a folder, or what is in one."""


def read(
    files: Input | Iterable[Input], *, format: str | Format | None = None
) -> Iterator[Transcript]:
    """Read all recordings of files and folders, one after another.

    Of several files, those that cannot be read are left out, and told at the end.
    """
    several = [files] if isinstance(files, (str, Path, Transcript)) else files
    reader = registry.parse("format", format) if format and isinstance(format, str) else format
    seen: set[str] = set()
    failed: list[CaesuraError] = []
    for given in several:
        if isinstance(given, Transcript):
            yield given
            continue
        for file, place in _files.expand([given]):
            if file in seen:
                raise FormatError("the same input is given twice", where=file)
            seen.add(file)
            try:
                found = list(_files.read(file, reader or None))
                if not any(map(len, found)):
                    logger.warning("%s: there are no words in it", file)
            except CaesuraError as error:
                failed.append(_misplaced(file) if _is_beside(error, file) else error)
            else:
                for transcript in found:
                    origin = transcript.origin or Origin(file)
                    yield transcript.replace(origin=origin._replace(file=file, place=str(place)))
    tell(failed, len(seen), "could not be read")


def _is_beside(error: CaesuraError, file: str) -> bool:
    """Whether a file could not be read since it is one that lies beside a reference."""
    return isinstance(error, AmbiguousFormat) and file.endswith(tuple(OPTIONS))


def _misplaced(file: str) -> FormatError:
    remedy = " and ".join(f"*{suffix} as {option}" for suffix, option in OPTIONS.items())
    what = "a file of alternatives or entity classes is no transcript"
    return FormatError(what, where=file, remedy=f"give {remedy}")


def each(
    given: Inputs, format: str | Format | None, likely: str | Format | None = None
) -> tuple[Strings, list[list[Transcript]]]:
    """Read what each input holds, apart from the others, and name them."""
    names, inputs = opened(given, format, likely)
    return names, [list(one) for one in inputs]


def opened(
    given: Inputs, format: str | Format | None, likely: str | Format | None = None
) -> tuple[Strings, Iterator[Iterator[Transcript]]]:
    """Name inputs, and read what each holds when its turn comes.

    Without a `format` it is the `likely` one for files whose suffix does not speak against it.
    """
    several = [given] if isinstance(given, (str, Path, Transcript)) else list(given)

    def one_by_one(one: Input | Sequence[Transcript]) -> Iterator[Transcript]:
        fits = not isinstance(one, (str, Path)) or _files.fits(one, likely)
        return read(one, format=format or (likely if fits else None))

    return called(several), map(one_by_one, several)


def pooled(
    given: Inputs, format: str | Format | None, likely: str | Format | None = None
) -> tuple[Strings, Iterable[Iterable[Transcript]]]:
    """Do the same, but take recordings that are there already as one input."""
    several = [given] if isinstance(given, (str, Path, Transcript)) else list(given)
    there = [one for one in several if isinstance(one, Transcript)]
    if there and len(there) == len(several):
        return ("recordings",), [there]
    return opened(several, format, likely)


def called(inputs: Sequence[object]) -> Strings:
    """Name inputs as briefly as tells them apart: by file, by folders they do not share, or both.

    The same input twice has its number too.
    """
    names = [
        each.id if isinstance(each, Transcript) else str(each) if _is_path(each) else ""
        for each in inputs
    ]
    paths = [Path(name) for name in names]
    stems = [path.stem for path in paths]
    for short in (stems, _apart([path.parts for path in paths])):
        if all(short) and len(set(short)) == len(short):
            return tuple(short)
    return tuple(f"{stem} {number}".strip() for number, stem in enumerate(stems, 1))


def _is_path(given: object) -> bool:
    return isinstance(given, (str, Path))


def _apart(paths: Sequence[Strings]) -> list[str]:
    """Leave out the folders that all paths begin or end with."""
    shortest = min(map(len, paths), default=0)
    front = next((i for i in range(shortest) if len({p[i] for p in paths}) > 1), 0)
    back = next((i for i in range(1, shortest + 1) if len({p[-i] for p in paths}) > 1), 1)
    return ["/".join(path[front : len(path) - back + 1]) for path in paths]
