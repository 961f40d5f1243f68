"""What users call: each function here is also a command, with the same parameter names."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from caesura import registry
from caesura.contracts import Detector, Format, Metric
from caesura.errors import CaesuraError, FormatError
from caesura.formats import files as _files
from caesura.scoring import Scores, Terms, scored
from caesura.transcript import Origin, Transcript

__all__ = ["Scores", "catalogue", "convert", "read", "score", "segment", "write"]

logger = logging.getLogger("caesura")

Input = str | Path | Transcript
SCORED = ("case", "punctuation")
"""Normalisation before scoring, unless another is chosen."""


def read(
    files: Input | Iterable[Input], *, format: str | Format | None = None
) -> Iterator[Transcript]:
    """Read all recordings of files and folders, one after another.

    Of several files, those that cannot be read are left out, and told at the end.
    """
    several = [files] if isinstance(files, (str, Path, Transcript)) else files
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
                found = list(_files.read(file, format))
                if not any(map(len, found)):
                    logger.warning("%s: there are no words in it", file)
            except CaesuraError as error:
                failed.append(error)
            else:
                origin = Origin(file, str(place))
                yield from (transcript.replace(origin=origin) for transcript in found)
    _files.tell(failed, len(seen), "could not be read")


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
    format: str | Format | None = None,
) -> list[Path]:
    """Write all recordings of files and folders in another format; the log says what it drops."""
    target = _files.target(to, output)
    dropped: dict[str, None] = {}

    def noted() -> Iterator[Transcript]:
        for transcript in read(files, format=format):
            dropped.update(dict.fromkeys(_files.dropped(transcript, target)))
            yield transcript

    written = write(noted(), output=output, to=target)
    if dropped:
        logger.warning("%s drops %s", target.name, ", ".join(dropped))
    return written


def segment(
    files: Input | Iterable[Input],
    *,
    detector: str | Detector = "Pause",
    format: str | Format | None = None,
) -> Iterator[Transcript]:
    """Find the sentences of all recordings."""
    chosen = registry.parse("detector", detector) if isinstance(detector, str) else detector
    for transcript in read(files, format=format):
        lacking = chosen.lacks(transcript)
        if lacking:
            name = transcript.id or "a recording"
            logger.warning("%s: %s; it is left as one sentence", name, lacking)
        yield transcript.replace(sentences=chosen.detect(transcript))


def score(
    hypothesis: Input | Iterable[Input],
    *,
    reference: Input | Sequence[Input],
    metric: str | Metric | Sequence[str | Metric] = "Boundary",
    align: bool = False,
    normalize: Sequence[str] = SCORED,
    format: str | Format | None = None,
    reference_format: str | Format | None = None,
) -> Scores:
    """Score a segmentation against one or more references.

    Recordings are paired by id. Texts whose words differ after `normalize` are refused, unless
    `align` is set: then the references' layers are carried over to the hypothesis' words.
    References have the format of the hypothesis if one is given and none of their own.
    """
    wanted = [metric] if isinstance(metric, (str, Metric)) else metric
    given = [reference] if isinstance(reference, (str, Path, Transcript)) else reference
    return scored(
        list(read(hypothesis, format=format)),
        [list(read(one, format=reference_format or format)) for one in given],
        [registry.parse("metric", m) if isinstance(m, str) else m for m in wanted],
        Terms(tuple(normalize), align),
    )


def catalogue(kind: str = "") -> dict[str, list[dict[str, str]]]:
    """Describe what is registered: formats, detectors, metrics and normalisation steps."""
    from caesura.catalogue import described

    return described(kind)
