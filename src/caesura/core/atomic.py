"""Files and folders that appear under their names only when they are complete."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from caesura.core.errors import OutputError

HIDDEN = ".caesura."
"""How the names of what is not complete yet begin."""


@contextmanager
def atomic(path: Path) -> Iterator[BinaryIO]:
    """Open a file that appears under its name only when it is complete.

    Links are followed, an existing file keeps its mode, and devices and pipes, which cannot be
    replaced, are written straight away.
    """
    try:
        path = Path(os.path.realpath(path))
        if path.exists() and not path.is_file():
            with path.open("wb") as device:
                yield device
            return
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=HIDDEN, dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                yield file
            Path(temporary).chmod(mode)
            Path(temporary).replace(path)
        finally:
            Path(temporary).unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(f"cannot be written: {error.strerror}", where=str(path)) from error


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Give an empty folder that takes a name, and the place of what had it, once it is complete.

    Links are followed. What it replaces goes last, or comes back if anything is in the way.
    """
    try:
        path = Path(os.path.realpath(path))
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(
            prefix=HIDDEN, dir=path.parent, ignore_cleanup_errors=True
        ) as room:
            made = Path(room, "made")
            made.mkdir()
            yield made
            _exchange(made, path)
    except OSError as error:
        raise OutputError(f"cannot be written: {error.strerror}", where=str(path)) from error


def _exchange(made: Path, path: Path) -> None:
    """Let a folder take the place of another, which goes into the room that is cleared away."""
    # Until then it stands beside that room: if it cannot come back it is at least not lost.
    former = Path(f"{made.parent}.former")
    try:
        if path.exists():
            path.rename(former)
        made.rename(path)
    finally:
        if former.exists():
            former.rename(made.parent / "former" if path.exists() else path)
