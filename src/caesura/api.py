"""What users call: each function here is also a command, with the same parameter names."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from caesura import storage
from caesura.aligning import CARRIED, COMPARED, aligned
from caesura.cards import Card
from caesura.comparison import Comparison
from caesura.contracts import Detector, Format, Metric
from caesura.converting import convert, write
from caesura.correlating import Correlations, correlate
from caesura.detectors.model import chosen
from caesura.errors import MismatchError
from caesura.evaluation import LEAST, Plan, evaluated, steps_of
from caesura.inputs import Input, Inputs, each, read
from caesura.learning import train
from caesura.numeric.stats import RESAMPLES, SEED
from caesura.projecting import Projection, project
from caesura.scores import Scores
from caesura.sidecars import Paths, with_readings
from caesura.streaming import Words, streamed
from caesura.text.normalize import describe
from caesura.text.normalize import normalize as normalized
from caesura.training import Training
from caesura.transcript import Strings, Transcript

__all__ = [
    "Comparison",
    "Correlations",
    "Projection",
    "Scores",
    "Training",
    "agree",
    "align",
    "catalogue",
    "compare",
    "convert",
    "correlate",
    "models",
    "project",
    "read",
    "report",
    "reproduce",
    "score",
    "segment",
    "stream",
    "train",
    "write",
]

logger = logging.getLogger("caesura")


def segment(
    files: Input | Iterable[Input],
    *,
    detector: str | Detector = "en",
    normalize: str | Sequence[str] = "none",
    format: str | Format | None = None,
) -> Iterator[Transcript]:
    """Find the sentences of all recordings.

    A detector is a registered one with its settings, the name of a model that ships with
    Caesura, or the folder of one that you trained. Recordings go through the steps of
    `normalize` first, if there are any.
    """
    deciding, steps = chosen(detector), steps_of(normalize)
    describe(steps)
    for given in read(files, format=format):
        transcript = normalized(given, steps)
        found = deciding.annotate(transcript)
        lacking = deciding.lacks(transcript)
        if lacking and found.sentences is not None and len(found.sentences.gaps) < 2:
            name = transcript.id or "a recording"
            logger.warning("%s: %s; it is left as one sentence", name, lacking)
        yield found


def stream(
    words: Words,
    *,
    detector: str | Detector = "en",
    format: str | None = None,
    state: str | Path | None = None,
    bad: str = "stop",
    language: str = "",
    silence: float | None = None,
) -> Iterator[Transcript]:
    """Give each sentence as soon as it is final, while words still arrive.

    `words` are a file (- is standard input) of JSON objects or CTM rows, one a line, or such
    objects one by one. Evidence `delay_words` and `delay_seconds` says how long after the end of
    a sentence that was decided. With a `state` file a stream that was cut goes on where it was.
    A `bad` line stops the stream, or is skipped. `language` is that of words which do not tell
    theirs. A `silence` of so many seconds, between words or while none arrives, ends a sentence.
    """
    found = streamed(
        words,
        detector=detector,
        format=format,
        state=state,
        bad=bad,
        language=language,
        silence=silence,
    )
    return (each.sentence for each in found)


def score(
    hypothesis: Input | Iterable[Input],
    *,
    reference: Inputs,
    readings: Paths = (),
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
    not speak for another. `readings` are files or folders of other ways to write the references.
    With `literal` a paper's algorithm runs as it is printed.
    """
    plan = Plan.of(metric, sweep, normalize, align, resamples, seed, literal)
    names, references = each(reference, reference_format, format)
    references = [with_readings(one, readings) for one in references]
    (found,) = evaluated([list(read(hypothesis, format=format))], references, plan, names)
    return found


def compare(
    hypothesis: Inputs,
    *,
    reference: Inputs,
    readings: Paths = (),
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
    `readings` are files or folders of other ways to write the references.
    """
    plan = Plan.of(metric, sweep, normalize, align, resamples, seed)
    names, found = _systems(hypothesis, reference, plan, format, reference_format, readings)
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
    names, references = each(reference, format)
    if not references:
        raise MismatchError("there is nothing to agree on", remedy="name a file per annotator")
    (found,) = evaluated(references[:1], references, plan, names)
    return found.on_words_of(names[0]) if align else found


def align(
    files: Input | Iterable[Input],
    *,
    script: Inputs,
    layers: str | Sequence[str] = CARRIED,
    normalize: str | Sequence[str] = COMPARED,
    format: str | Format | None = None,
    script_format: str | Format | None = None,
) -> Iterator[Transcript]:
    """Give recognised words the sentences, and other layers, of their punctuated script.

    Recordings are paired by id. Words are compared after the steps of `normalize`, but stay as
    they are, with times, confidences and marks of their own. `aligned` tells how far they match.
    """
    terms = {"layers": layers, "normalize": normalize}
    found = aligned(files, script=script, format=format, script_format=script_format, **terms)
    return (one.transcript for one in found)


def report(
    hypothesis: Inputs,
    *,
    reference: Inputs,
    output: str | Path | Sequence[str | Path],
    readings: Paths = (),
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
    for tables, .png or .svg for figures. `readings` are files or folders of other ways to write
    the references. Gives the files written.
    """
    from caesura.reports.results import Results
    from caesura.reports.write import kinds, write_report

    kinds(output)
    plan = Plan.of(metric, sweep, normalize, align, resamples, seed)
    names, found = _systems(hypothesis, reference, plan, format, reference_format, readings)
    chosen = (value,) if isinstance(value, str) else tuple(value)
    comparison = Comparison(names, found, chosen) if len(names) > 1 else None
    return write_report(Results(names, found, comparison), output)


def reproduce(study: str, *, data: str | Path, out: str | Path) -> str:
    """Run the study of a paper on corpora in `data`; write into `out` and give its report."""
    from caesura.studies import find

    return find(study)(Path(data), Path(out)).text


def _systems(
    hypothesis: Inputs,
    reference: Inputs,
    plan: Plan,
    format: str | Format | None,
    reference_format: str | Format | None,
    readings: Paths = (),
) -> tuple[Strings, tuple[Scores, ...]]:
    """Score systems under the same terms, and name them."""
    names, systems = each(hypothesis, format)
    if not systems:
        raise MismatchError("there is no system to score", remedy="name a file or folder of each")
    others, references = each(reference, reference_format, format)
    references = [with_readings(one, readings) for one in references]
    return names, evaluated(systems, references, plan, others, names)


def models(model: str | Path | Sequence[str | Path] = ()) -> list[Card]:
    """Give the cards of the models named (by a name or a folder), or of all that ship."""
    named = [model] if isinstance(model, (str, Path)) else model
    return [storage.card(storage.find(one)) for one in named or storage.shipped()]


def catalogue(kind: str = "") -> dict[str, list[dict[str, str]]]:
    """Describe what is registered: formats, detectors, taggers, namers, metrics and steps."""
    from caesura.catalogue import described

    return described(kind)
