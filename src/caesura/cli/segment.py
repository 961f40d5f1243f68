"""`caesura segment`."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from caesura.cli import options

if TYPE_CHECKING:
    from caesura.core.arrays import Floats
    from caesura.core.protocols import Detector, Format
    from caesura.core.transcript import Transcript
    from caesura.detectors.explanation import Explanation

logger = logging.getLogger("caesura")

WIDTH = 80
"""Columns of a terminal."""

DECIDING = ("detector", "prefer", "shortest", "longest")
"""The options that decide where sentences end."""

WITHOUT_SENTENCES = ("utterances", "ctm", "trn", "kaldi")
"""Formats that are written in the same way whether sentences are known or not."""


@options.command(
    "segment",
    examples="""
  caesura segment talk.json
  caesura segment talk.json --to srt --output talk.srt
  caesura segment call.ctm --language es
  caesura segment call.ctm --detector "Pause(threshold=0.6)"
  caesura segment talk.json --prefer precision --shortest 3 --longest 12s
  caesura segment talk.json --explain --near-misses 2
  caesura segment archive/ --to vtt --output captions/
  cat words.ctm | caesura segment - --format ctm --json""",
)
@options.files
@options.format
@options.language
@options.detector
@options.decisions
@options.option(
    "--normalize",
    default="none",
    show_default=True,
    metavar="STEPS",
    help="Steps before sentences are looked for, joined with +, as in case+dots+punctuation.",
)
@options.option(
    "--explain",
    group=options.OUTPUT,
    is_flag=True,
    help="Print a table of what speaks for and against each boundary, in nats: words, pauses, "
    "speakers, marks. With --json it is added to the JSON.",
)
@options.option(
    "--near-misses",
    group=options.OUTPUT,
    type=click.FloatRange(min=0, min_open=True),
    metavar="NATS",
    help="Explain other gaps too whose log-odds are above minus so many nats.",
)
@options.output
@options.to
@options.as_read
@options.json
def command(files: tuple[str, ...], output: str, to: str, json: bool, **asked: Any) -> None:
    """Find where sentences end and write them, one a line unless a format is named.

    Sentences get the capitals and marks that they lack. FILES are files or folders; - is
    standard input.
    """
    import caesura
    from caesura.detectors.stored_model import get_detector
    from caesura.formats.files import target

    explaining, near_misses = asked.pop("explain"), asked.pop("near_misses")
    if near_misses and not explaining:
        raise click.UsageError("--near-misses needs --explain")
    if explaining and (to or output != "-"):
        raise click.UsageError("--explain prints to standard output, as a table or with --json")
    if json and to:
        raise click.UsageError("--json and --to each say what to write: give one of them")
    if json and output != "-":
        raise click.UsageError("--json prints to standard output; for a file use --to jsonl")
    options.check_format_to_write(to)
    if explaining or json:
        asked["detector"] = get_detector(asked["detector"])
        deciding = get_detector(*(asked[name] for name in DECIDING))
    recordings = options.with_progress(caesura.segment(files, **asked), output)
    if explaining:
        print_explanations(recordings, near_misses or 0.0, json, deciding)
        return
    if json:
        for transcript in recordings:
            options.print_json(as_document(transcript, deciding))
        return
    chosen = target(to or default_format(output), output)
    warn_of_lost_sentences(chosen)
    caesura.write(recordings, output=output, to=chosen)


def print_explanations(
    recordings: Iterable[Transcript], near_misses: float, json: bool, detector: Detector
) -> None:
    """Print what speaks for the boundaries of each recording."""
    from caesura.detectors.explanation import explain_decisions
    from caesura.text.restore import as_read

    for transcript in recordings:
        assert transcript.sentences is not None
        decided = transcript.sentences.boundary
        rows = explain_decisions(as_read(transcript), decided, detector, near_misses)
        if json:
            explained = {"explanation": [row.to_dict() for row in rows]}
            options.print_json({**as_document(transcript, detector), **explained})
        else:
            click.echo(explanation_table(transcript, rows) + "\n")


def explanation_table(transcript: Transcript, rows: Sequence[Explanation]) -> str:
    """Lay out explanations for a terminal: the words around a gap, log-odds and their parts."""
    from caesura.evaluation.reports.render import plain_table
    from caesura.evaluation.reports.table import Table, truncate

    title = f"{transcript.id or 'recording'}: evidence for each boundary, in nats"
    if not rows:
        return f"{title}\n\nThere is no boundary but the end."
    parts = list(rows[0].parts)
    timed = any(row.time is not None for row in rows)
    columns = ["log-odds", *parts, *(["12345.67 s"] if timed else [])]
    room = WIDTH - sum(max(len(name), 6) + 2 for name in columns)
    cells = []
    for row in rows:
        between = "│" if row.boundary else "·"
        text = truncate(f"{row.before} {between} {row.after}", max(room, 20))
        time = [] if not timed else ["–" if row.time is None else f"{row.time:.2f} s"]
        numbers = (row.log_odds, *(row.parts[name] for name in parts))
        cells.append((text, *time, *(f"{number:+z.2f}" for number in numbers)))
    missed = not all(row.boundary for row in rows)
    note = "│ is a boundary, and · a gap that is none." if missed else ""
    head = ("after │", *(["time"] if timed else []), "log-odds", *parts)
    return plain_table(Table(title, head, tuple(cells), notes=(note,) if note else ()))


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


def as_document(transcript: Transcript, detector: Detector) -> dict[str, Any]:
    """Give a recording as JSON for programs: words, sentences with text and times, evidence.

    `detector` is what found the sentences; it knows how likely each of them ends there.
    """
    from caesura.core.transcript import only_speaker
    from caesura.detectors.probability import calibrated
    from caesura.text.restore import as_read

    segmentation, original = transcript.sentences, as_read(transcript)
    surface, read = transcript.surface(), original.surface()
    starts = _cells(transcript.start, len(transcript))
    ends = _cells(transcript.end, len(transcript))
    log_odds = None if segmentation is None else segmentation.log_odds
    chances = None if log_odds is None else calibrated(detector, original, log_odds)
    likely = _cells(chances, len(transcript))
    speaker = transcript.speaker or ("",) * len(transcript)
    sentences = [
        {
            "text": "".join(surface[first : last + 1]).rstrip(" "),
            "read": "".join(read[first : last + 1]).rstrip(" "),
            "start": starts[first],
            "end": ends[last],
            "first": first,
            "last": last,
            "speaker": only_speaker(speaker[first : last + 1]),
            "probability": likely[last],
        }
        for first, last in (segmentation.sentences if segmentation is not None else ())
    ]
    return {
        "id": transcript.id,
        "language": detector.language(original),
        "words": list(transcript.words),
        "sentences": sentences,
        "log_odds": [] if log_odds is None else _cells(log_odds, len(transcript)),
        "probability": [] if chances is None else likely,
    }


def _cells(column: Floats | None, count: int) -> list[float | None]:
    """Return a column as JSON can hold it."""
    from caesura.core.values import as_json

    return [None] * count if column is None else [as_json(value) for value in column.tolist()]
