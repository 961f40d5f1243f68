"""Recordings written, and files turned into those of another format."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from pathlib import Path

from caesura.contracts import Format
from caesura.formats import files as _files
from caesura.inputs import Input, read
from caesura.pairing import rejoined
from caesura.sidecars import Paths, with_readings
from caesura.transcript import Transcript

logger = logging.getLogger("caesura")


def write(
    transcripts: Transcript | Iterable[Transcript],
    *,
    output: str | Path,
    to: str | Format = "",
) -> list[Path]:
    """Write recordings: into a folder as many files as they came from, or all into one file.

    The format is told by the output's suffix if not given. Gives the files written.
    """
    given = [transcripts] if isinstance(transcripts, Transcript) else transcripts
    return _files.write_all(given, output, _files.target(to, output))


def convert(
    files: Input | Iterable[Input],
    *,
    to: str | Format = "",
    output: str | Path = "-",
    readings: Paths = (),
    format: str | Format | None = None,
) -> list[Path]:
    """Write all recordings of files and folders in another format; the log says what it drops.

    `readings` are files or folders of classes of their entities, or other ways to write them.
    """
    target = _files.target(to, output)
    found = read(files, format=format)
    recordings = with_readings(found, readings) if readings else found
    if target.holds == "one":
        recordings = rejoined(recordings)
    dropped: dict[str, None] = {}

    def noted() -> Iterator[Transcript]:
        for transcript in recordings:
            dropped.update(dict.fromkeys(_files.dropped(transcript, target)))
            yield transcript

    written = write(noted(), output=output, to=target)
    if dropped:
        logger.warning("%s drops %s", target.name, ", ".join(dropped))
    return written
