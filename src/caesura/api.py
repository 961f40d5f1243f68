"""What users call: each function here is also a command, with the same parameter names."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from caesura import registry
from caesura.comparison import Comparison
from caesura.contracts import Detector, Format, Metric
from caesura.errors import CaesuraError, FormatError, MismatchError
from caesura.evaluation import LEAST, Plan, called, evaluated
from caesura.formats import files as _files
from caesura.numeric.stats import RESAMPLES, SEED
from caesura.scores import Scores
from caesura.transcript import Origin, Strings, Transcript

__all__ = [
    "Comparison",
    "Scores",
    "agree",
    "catalogue",
    "compare",
    "convert",
    "read",
    "report",
    "reproduce",
    "score",
    "segment",
    "write",
]

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
                for transcript in found:
                    kind = transcript.origin.format if transcript.origin else ""
                    yield transcript.replace(origin=Origin(file, str(place), kind))
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
    reference: Inputs,
    metric: str | Metric | Sequence[str | Metric] = "Boundary",
    sweep: str | Sequence[str] = (),
    align: bool = False,
    normalize: str | Sequence[str] = LEAST,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    format: str | Format | None = None,
    reference_format: str | Format | None = None,
    literal: bool = False,
) -> Scores:
    """Score a segmentation against one or more references.

    Recordings are paired by id. Texts are normalised no more than makes their words equal,
    unless steps are named; those that still differ are refused, unless `align` is set: then
    the references' layers are carried over to the hypothesis' words. Intervals come from
    `resamples` draws of documents, or of blocks of sentences if there is one document only.
    A `sweep` such as 'window_gap=0:20' scores a range of a metric's setting too. References
    have the format of the hypothesis if one is given, none of their own, and their suffix does
    not speak for another. With `literal` a paper's algorithm runs as it is printed.
    """
    plan = Plan.of(metric, sweep, normalize, align, resamples, seed, literal)
    names, references = _each(reference, reference_format, format)
    (found,) = evaluated([list(read(hypothesis, format=format))], references, plan, names)
    return found


def compare(
    hypothesis: Inputs,
    *,
    reference: Inputs,
    metric: str | Metric | Sequence[str | Metric] = "Boundary",
    value: str | Sequence[str] = (),
    sweep: str | Sequence[str] = (),
    align: bool = False,
    normalize: str | Sequence[str] = LEAST,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    format: str | Format | None = None,
    reference_format: str | Format | None = None,
) -> Comparison:
    """Score systems against the same references, and test whether each pair differs.

    Each hypothesis (a file or a folder) is a system. Tests are of the `value` named, or of the
    main value of each metric: paired bootstrap and approximate randomization, Holm-corrected.
    """
    plan = Plan.of(metric, sweep, normalize, align, resamples, seed)
    names, found = _systems(hypothesis, reference, plan, format, reference_format)
    return Comparison(names, found, (value,) if isinstance(value, str) else tuple(value))


def agree(
    reference: Inputs,
    *,
    metric: str | Metric | Sequence[str | Metric] = "Agreement",
    align: bool = False,
    normalize: str | Sequence[str] = LEAST,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    format: str | Format | None = None,
) -> Scores:
    """Measure how far annotators agree with each other.

    With `align`, annotations of texts that differ are carried over to the words of the first.
    """
    plan = Plan.of(metric, (), normalize, align, resamples, seed)
    names, references = _each(reference, format)
    if not references:
        raise MismatchError("there is nothing to agree on", remedy="name a file per annotator")
    (found,) = evaluated(references[:1], references, plan, names)
    return found.on_words_of(names[0]) if align else found


def report(
    hypothesis: Inputs,
    *,
    reference: Inputs,
    output: str | Path | Sequence[str | Path],
    metric: str | Metric | Sequence[str | Metric] = "Boundary",
    value: str | Sequence[str] = (),
    sweep: str | Sequence[str] = (),
    align: bool = False,
    normalize: str | Sequence[str] = LEAST,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    format: str | Format | None = None,
    reference_format: str | Format | None = None,
) -> list[Path]:
    """Score and compare systems, each a file or a folder, and write a report.

    The suffix of `output` says what kind: .html for a page to look through, .md, .tex or .json
    for tables, .png or .svg for figures. Gives the files written.
    """
    from caesura.reports.results import Results
    from caesura.reports.write import kinds, write_report

    kinds(output)
    plan = Plan.of(metric, sweep, normalize, align, resamples, seed)
    names, found = _systems(hypothesis, reference, plan, format, reference_format)
    chosen = (value,) if isinstance(value, str) else tuple(value)
    comparison = Comparison(names, found, chosen) if len(names) > 1 else None
    return write_report(Results(names, found, comparison), output)


def reproduce(study: str, *, data: str | Path, out: str | Path) -> str:
    """Run the study of a paper on corpora in `data`; write into `out` and give its report."""
    from caesura.studies import find

    return find(study)(Path(data), Path(out)).text


def _each(
    given: Inputs, format: str | Format | None, likely: str | Format | None = None
) -> tuple[Strings, list[list[Transcript]]]:
    """Read what each input holds, apart from the others, and name them.

    Without a `format` it is the `likely` one for files whose suffix does not speak against it.
    """
    several = [given] if isinstance(given, (str, Path, Transcript)) else list(given)
    found = []
    for one in several:
        fits = not isinstance(one, (str, Path)) or _files.fits(one, likely)
        found.append(list(read(one, format=format or (likely if fits else None))))
    return called(several), found


def _systems(
    hypothesis: Inputs,
    reference: Inputs,
    plan: Plan,
    format: str | Format | None,
    reference_format: str | Format | None,
) -> tuple[Strings, tuple[Scores, ...]]:
    """Score systems under the same terms, and name them."""
    names, systems = _each(hypothesis, format)
    if not systems:
        raise MismatchError("there is no system to score", remedy="name a file or folder of each")
    others, references = _each(reference, reference_format, format)
    return names, evaluated(systems, references, plan, others)


def catalogue(kind: str = "") -> dict[str, list[dict[str, str]]]:
    """Describe what is registered: formats, detectors, metrics and normalisation steps."""
    from caesura.catalogue import described

    return described(kind)
