"""Arguments that several commands share, and completion of registered names."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, cast

import click

from caesura.core import registry
from caesura.core.transcript import Transcript

Complete = Callable[[click.Context, click.Parameter, str], list[str]]


def completing(*kinds: registry.Kind) -> Complete:
    """Complete the names of some kinds."""
    return lambda _context, _parameter, typed: [
        name for kind in kinds for name in registry.all_names(kind) if name.startswith(typed)
    ]


def detectors(context: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """Complete the names of detectors and of models that ship with Caesura."""
    from caesura.models.store import shipped

    models = [name for name in shipped("detector") if name.startswith(typed)]
    return models + completing("detector")(context, parameter, typed)


def files(command: Any) -> Any:
    """Files and folders to read."""
    return click.argument(
        "files", nargs=-1, required=True, type=click.Path(readable=False, allow_dash=True)
    )(command)


def detector(command: Any) -> Any:
    """What finds the sentences."""
    return click.option(
        "--detector",
        metavar="DETECTOR",
        default="en",
        show_default=True,
        shell_complete=cast(Any, detectors),
        help="What finds the sentences: a model's name or folder, or a detector, settings in "
        "brackets.",
    )(command)


def format(command: Any) -> Any:
    """The format to read."""
    return click.option(
        "--format",
        metavar="FORMAT",
        shell_complete=cast(Any, completing("format")),
        help="Format of the input; told from suffix and content if not given.",
    )(command)


def alternatives(command: Any) -> Any:
    """What lies beside transcripts."""
    return click.option(
        "--alternatives",
        multiple=True,
        type=click.Path(readable=False),
        metavar="PATH",
        help="File or folder of other ways to write references (call.norm.json), of which what is "
        "nearest to a hypothesis counts, or of classes of entities (call.wer_tag.json), named "
        "after them.",
    )(command)


def to(command: Any) -> Any:
    """The format to write."""
    return click.option(
        "--to",
        metavar="FORMAT",
        default="",
        shell_complete=cast(Any, completing("format")),
        help="Format to write; told from the output's suffix if not given.",
    )(command)


def output(command: Any) -> Any:
    """Where to write."""
    return click.option(
        "--output",
        "-o",
        metavar="PATH",
        default="-",
        show_default="standard output",
        type=click.Path(allow_dash=True),
        help="File or folder to write; - is standard output. A folder is one that exists or "
        "ends in /.",
    )(command)


def as_json(command: Any) -> Any:
    """JSON for programs."""
    return click.option("--json", is_flag=True, help="Print JSON, for programs.")(command)


PATIENCE = 1.0
"""Seconds before anything is shown."""

STEP = 0.2


def watched(transcripts: Iterable[Transcript]) -> Iterator[Transcript]:
    """Pass recordings on, counting them on standard error if that is a terminal."""
    if not sys.stderr.isatty() or not logging.getLogger("caesura").isEnabledFor(logging.INFO):
        yield from transcripts
        return
    begun = shown = time.monotonic()
    words = 0
    try:
        for recordings, transcript in enumerate(transcripts, 1):
            words += len(transcript)
            now = time.monotonic()
            if now - begun > PATIENCE and now - shown > STEP:
                shown = now
                rate = words / (now - begun)
                line = f"{recordings:,} recordings, {words:,} words, {rate:,.0f} words/s"
                sys.stderr.write(f"\r\033[K{line}")
                sys.stderr.flush()
            yield transcript
    finally:
        if shown > begun:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
