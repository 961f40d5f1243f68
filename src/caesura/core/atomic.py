"""Output that appears under its name only when it is complete: files and folders.

Only what goes wrong with the output itself becomes an `OutputError`. Whatever else fails while it
is written, such as reading the input, is passed on as it is.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedWriter, FileIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from caesura.core.errors import OutputError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

HIDDEN = ".caesura."
"""Prefix of the names of what is not complete yet."""


@contextmanager
def atomic(path: Path) -> Iterator[BinaryIO]:
    """Open a file for writing that appears under its name only when it is complete.

    Links are followed, an existing file keeps its mode, and devices and pipes, which cannot be
    replaced, are written directly.
    """
    with _reporting(path):
        path = Path(os.path.realpath(path))
        replaceable = path.is_file() or not path.exists()
        if replaceable:
            mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(prefix=HIDDEN, dir=path.parent)
        else:
            file = _OutputFile(FileIO(path, "wb"), path)
    if not replaceable:
        with file:
            yield file
        return
    try:
        with _OutputFile(FileIO(handle, "wb"), path) as file:
            yield file
        with _reporting(path):
            Path(temporary).chmod(mode)
            Path(temporary).replace(path)
    finally:
        with _reporting(path):
            Path(temporary).unlink(missing_ok=True)


class _OutputFile(BufferedWriter):
    """A file whose own errors name the output that is being written."""

    def __init__(self, file: FileIO, path: Path) -> None:
        super().__init__(file)
        self.path = path

    def write(self, data: ReadableBuffer, /) -> int:
        with _reporting(self.path):
            return super().write(data)

    def flush(self) -> None:
        with _reporting(self.path):
            super().flush()

    def close(self) -> None:
        with _reporting(self.path):
            super().close()


@contextmanager
def _reporting(path: Path) -> Iterator[None]:
    """Turn an error of the system into one that says that the output cannot be written."""
    try:
        yield
    except OSError as error:
        raise OutputError(f"cannot be written: {error.strerror}", where=str(path)) from error


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Yield an empty folder that takes its name, and replaces what had it, once it is complete.

    Links are followed. A former folder is removed last, and comes back if anything goes wrong.
    """
    with _reporting(path):
        path = Path(os.path.realpath(path))
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = tempfile.TemporaryDirectory(
            prefix=HIDDEN, dir=path.parent, ignore_cleanup_errors=True
        )
    with temporary:
        made = Path(temporary.name, "made")
        with _reporting(path):
            made.mkdir()
        try:
            yield made
        except OSError as error:
            # A full disk names no file; what is named and lies elsewhere is none of the output.
            if error.filename is not None and not _is_inside(error.filename, made):
                raise
            raise OutputError(f"cannot be written: {error.strerror}", where=str(path)) from error
        with _reporting(path):
            _exchange(made, path)


def _is_inside(file: object, folder: Path) -> bool:
    return Path(os.fsdecode(str(file))).is_relative_to(folder)


def _exchange(made: Path, path: Path) -> None:
    """Let a folder take the place of another, which goes into the folder that is cleared away."""
    # Until then it stands beside that folder: if it cannot come back it is at least not lost.
    former = Path(f"{made.parent}.former")
    try:
        if path.exists():
            path.rename(former)
        made.rename(path)
    finally:
        if former.exists():
            former.rename(made.parent / "former" if path.exists() else path)
