"""What users call: each function here is also a command, with the same parameter names."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import MISSING, fields
from inspect import getdoc
from pathlib import Path
from typing import Any, get_args

from caesura.core import registry
from caesura.core.arrays import Strings
from caesura.core.errors import MismatchError, UnknownName
from caesura.core.protocols import Detector, Format, Metric
from caesura.core.transcript import Transcript
from caesura.detectors.stored_model import chosen
from caesura.detectors.streaming import Words, streamed
from caesura.evaluation.comparison import Comparison
from caesura.evaluation.correlate import Correlations, correlate
from caesura.evaluation.pairing import rejoined
from caesura.evaluation.plan import LEAST, EvaluationOptions, evaluated, steps_of
from caesura.evaluation.project_entities import Projection, project
from caesura.evaluation.resampling import RESAMPLES, SEED
from caesura.evaluation.scores import Scores
from caesura.evaluation.script_alignment import CARRIED, COMPARED, aligned
from caesura.formats import files as _files
from caesura.formats.inputs import Input, Inputs, each, read
from caesura.formats.sidecars import Paths, with_alternatives
from caesura.models import store
from caesura.models.card import Card
from caesura.text.normalization.steps import STEPS, describe
from caesura.text.normalization.steps import normalize as normalized
from caesura.training.run import train
from caesura.training.search import Training

KINDS = (*(f"{kind}s" for kind in get_args(registry.Kind)), "steps")


def described(kind: str = "") -> dict[str, list[dict[str, str]]]:
    """Describe what is registered of one kind (`KINDS`), or of all."""
    if kind and kind not in KINDS:
        raise UnknownName(f"nothing is called {kind!r}", remedy=f"known are {', '.join(KINDS)}")
    wanted = [kind] if kind else list(KINDS)
    return {each: _steps() if each == "steps" else _registered(each) for each in wanted}


def _steps() -> list[dict[str, str]]:
    return [{"name": name, "about": _first_line(step)} for name, step in STEPS.items()]


def _registered(kind: str) -> list[dict[str, str]]:
    singular: Any = kind.removesuffix("s")
    rows = []
    for name, found, origin in registry.entries(singular):
        row = {"name": name, "about": _first_line(found)}
        if singular != "format":
            row["settings"] = _settings(found)
        else:
            row["suffixes"] = " ".join(found.suffixes)
            row["carries"] = " ".join(sorted(found.carries))
        if origin:
            row["plugin"] = origin
        rows.append(row)
    return rows


def _settings(kind: Any) -> str:
    """What can be set, and what it is if nothing is said."""
    shown = [
        field.name if field.default is MISSING else f"{field.name}={field.default!r}"
        for field in fields(kind)
    ]
    return ", ".join(shown)


def _first_line(thing: object) -> str:
    return (getdoc(thing) or "").split("\n", 1)[0]


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
    alternatives: Paths = (),
    format: str | Format | None = None,
) -> list[Path]:
    """Write all recordings of files and folders in another format; the log says what it drops.

    `alternatives` are files or folders of classes of their entities, or other ways to write them.
    """
    target = _files.target(to, output)
    found = read(files, format=format)
    recordings = with_alternatives(found, alternatives) if alternatives else found
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
    "list_models",
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
    on_error: str = "stop",
    language: str = "",
    silence: float | None = None,
) -> Iterator[Transcript]:
    """Give each sentence as soon as it is final, while words still arrive.

    `words` are a file (- is standard input) of JSON objects or CTM rows, one a line, or such
    objects one by one. Evidence `delay_words` and `delay_seconds` says how long after the end of
    a sentence that was decided. With a `state` file a stream that was cut goes on where it was.
    A line that cannot be read stops the stream, or is skipped with `on_error='skip'`.
    `language` is the language of words that do not say theirs. A `silence` of so many seconds,
    between words or while none arrives, ends a sentence.
    """
    found = streamed(
        words,
        detector=detector,
        format=format,
        state=state,
        on_error=on_error,
        language=language,
        silence=silence,
    )
    return (each.sentence for each in found)


def score(
    hypothesis: Input | Iterable[Input],
    *,
    reference: Inputs,
    alternatives: Paths = (),
    metric: str | Metric | Sequence[str | Metric] = "Boundary",
    sweep: str | Sequence[str] = (),
    align: bool = False,
    normalize: str | Sequence[str] = LEAST,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    format: str | Format | None = None,
    reference_format: str | Format | None = None,
) -> Scores:
    """Score a segmentation against one or more references.

    Recordings are paired by id. Texts are normalised no more than makes their words equal,
    unless steps are named; those that still differ are refused, unless `align` is set: then
    the references' layers are carried over to the hypothesis' words. Intervals come from
    `resamples` draws of documents, or of blocks of sentences if there is one document only.
    A `sweep` such as 'window_gap=0:20' scores a range of a metric's setting too. References
    have the format of the hypothesis if one is given, none of their own, and their suffix does
    not speak for another. `alternatives` are files or folders of alternative transcriptions.
    """
    options = EvaluationOptions(
        metric=metric,
        sweep=sweep,
        normalize=normalize,
        align=align,
        resamples=resamples,
        seed=seed,
    )
    names, references = each(reference, reference_format, format)
    references = [with_alternatives(one, alternatives) for one in references]
    (found,) = evaluated([list(read(hypothesis, format=format))], references, options, names)
    return found


def compare(
    hypothesis: Inputs,
    *,
    reference: Inputs,
    alternatives: Paths = (),
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
    `alternatives` are files or folders of alternative transcriptions.
    """
    options = EvaluationOptions(
        metric=metric,
        sweep=sweep,
        normalize=normalize,
        align=align,
        resamples=resamples,
        seed=seed,
    )
    names, found = _systems(hypothesis, reference, options, format, reference_format, alternatives)
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
    options = EvaluationOptions(
        metric=metric, normalize=normalize, align=align, resamples=resamples, seed=seed
    )
    names, references = each(reference, format)
    if not references:
        raise MismatchError("there is nothing to agree on", remedy="name a file per annotator")
    (found,) = evaluated(references[:1], references, options, names)
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
    alternatives: Paths = (),
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
    for tables, .png or .svg for figures. `alternatives` are files or folders of other ways to write
    the references. Gives the files written.
    """
    from caesura.evaluation.reports.write import Results, kinds, write_report

    kinds(output)
    options = EvaluationOptions(
        metric=metric,
        sweep=sweep,
        normalize=normalize,
        align=align,
        resamples=resamples,
        seed=seed,
    )
    names, found = _systems(hypothesis, reference, options, format, reference_format, alternatives)
    chosen = (value,) if isinstance(value, str) else tuple(value)
    comparison = Comparison(names, found, chosen) if len(names) > 1 else None
    return write_report(Results(names, found, comparison), output)


def reproduce(study: str, *, data: str | Path, output: str | Path) -> str:
    """Run the study of a paper on corpora in `data`; write into `output` and give its report."""
    from caesura.core.plugins import find_study

    return find_study(study)(Path(data), Path(output)).text


def _systems(
    hypothesis: Inputs,
    reference: Inputs,
    options: EvaluationOptions,
    format: str | Format | None,
    reference_format: str | Format | None,
    alternatives: Paths = (),
) -> tuple[Strings, tuple[Scores, ...]]:
    """Score systems under the same terms, and name them."""
    names, systems = each(hypothesis, format)
    if not systems:
        raise MismatchError("there is no system to score", remedy="name a file or folder of each")
    others, references = each(reference, reference_format, format)
    references = [with_alternatives(one, alternatives) for one in references]
    return names, evaluated(systems, references, options, others, names)


def list_models(model: str | Path | Sequence[str | Path] = ()) -> list[Card]:
    """Give the cards of the models named (by a name or a folder), or of all that ship."""
    named = [model] if isinstance(model, (str, Path)) else model
    return [store.card(store.find(one)) for one in named or store.shipped()]


def catalogue(kind: str = "") -> dict[str, list[dict[str, str]]]:
    """Describe what is registered: formats, detectors, metrics and so on."""
    return described(kind)
