"""`caesura segment`."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import click

from caesura.cli import options

if TYPE_CHECKING:
    from caesura.core.protocols import Format
    from caesura.core.transcript import Transcript

logger = logging.getLogger("caesura")

WITHOUT_SENTENCES = ("utterances", "ctm", "trn", "kaldi")
"""Formats that are written in the same way whether sentences are known or not."""


@options.command(
    "segment",
    examples="""
  caesura segment talk.json
  caesura segment talk.json --to srt --output talk.srt
  caesura segment call.ctm --detector "Pause(threshold=0.6)"
  caesura segment talk.json --prefer precision --shortest 3 --longest 12s
  caesura segment archive/ --to vtt --output captions/
  cat words.ctm | caesura segment - --format ctm --json""",
)
@options.files
@options.format
@options.detector
@options.decisions
@options.option(
    "--normalize",
    default="none",
    show_default=True,
    metavar="STEPS",
    help="Steps before sentences are looked for, joined with +, as in case+dots+punctuation.",
)
@options.output
@options.to
@options.json
def command(files: tuple[str, ...], output: str, to: str, json: bool, **asked: Any) -> None:
    """Find where sentences end and write them, one a line unless a format is named.

    FILES are files or folders; - is standard input.
    """
    import caesura
    from caesura.formats.files import target

    if json and to:
        raise click.UsageError("--json and --to each say what to write: give one of them")
    if json and output != "-":
        raise click.UsageError("--json prints to standard output; for a file use --to jsonl")
    options.check_format_to_write(to)
    recordings = options.with_progress(caesura.segment(files, **asked), output)
    if json:
        for transcript in recordings:
            options.print_json(as_document(transcript))
        return
    chosen = target(to or default_format(output), output)
    warn_of_lost_sentences(chosen)
    caesura.write(recordings, output=output, to=chosen)


def default_format(output: str) -> str:
    """Give the format where none is named: one sentence a line, in text files and folders."""
    from caesura.formats.files import is_folder

    if output == "-":
        return "turns"
    return "lines" if output.lower().endswith(".txt") or is_folder(output) else ""


def warn_of_lost_sentences(format: Format) -> None:
    """Warn of a format in which the sentences that are found cannot be seen."""
    if format.name not in WITHOUT_SENTENCES:
        return
    from caesura.formats.recognize import writable

    others = ", ".join(name for name in writable() if name not in WITHOUT_SENTENCES)
    logger.warning(
        "%s does not hold sentences, so those found are lost; these formats show them: %s",
        format.name,
        others,
    )


def as_document(transcript: Transcript) -> dict[str, Any]:
    """Give a recording as JSON for programs: words, sentences with text and times, evidence."""
    from caesura.core.values import as_json

    segmentation = transcript.sentences
    surface = transcript.surface()
    starts = [None] * len(transcript) if transcript.start is None else transcript.start.tolist()
    ends = [None] * len(transcript) if transcript.end is None else transcript.end.tolist()
    sentences = [
        {
            "text": "".join(surface[first : last + 1]).rstrip(" "),
            "start": as_json(starts[first]),
            "end": as_json(ends[last]),
            "first": first,
            "last": last,
        }
        for first, last in (segmentation.sentences if segmentation is not None else ())
    ]
    log_odds = None if segmentation is None else segmentation.log_odds
    return {
        "id": transcript.id,
        "words": list(transcript.words),
        "sentences": sentences,
        "log_odds": [] if log_odds is None else [as_json(value) for value in log_odds.tolist()],
    }
