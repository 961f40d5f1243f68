"""The functions that users call: each is also a command, with the same parameter names.

What a function needs is imported inside it, so that reading a file does not load the metrics,
and scoring does not load the detectors. `train`, `adapt`, `correlate` and `project` live in
packages of their own; `caesura/__init__.py` has the list of all public names.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from caesura.core.arrays import Strings
    from caesura.core.protocols import Detector, Format, Metric
    from caesura.core.transcript import Transcript
    from caesura.detectors.streaming import WordSource
    from caesura.evaluation.comparison import Comparison
    from caesura.evaluation.evaluate import EvaluationOptions
    from caesura.evaluation.scores import Scores
    from caesura.formats.files import Input, Inputs
    from caesura.formats.in_memory import InMemory
    from caesura.formats.sidecars import Paths
    from caesura.models.store import Card

logger = logging.getLogger("caesura")


def read(
    files: Input | Iterable[Input], *, format: str | Format | None = None
) -> Iterator[Transcript]:
    """Read all recordings of files, folders and input in memory, one after another.

    A `str` is always a path. Text is given as `caesura.Text(...)`, a list of sentences as
    `caesura.Sentences([...])`, words as `caesura.Words([...])`. A recogniser's result dict, a
    table of pandas, Polars or Arrow, and an open file are read as they are. Files that cannot
    be read are left out, and reported in one error at the end.
    """
    from caesura.formats.files import read as read_all

    _check_formats(format)
    return read_all(files, format=format)


def write(
    transcripts: Transcript | Iterable[Transcript],
    output: str | Path,
    *,
    to: str | Format = "",
) -> list[Path]:
    """Write recordings into a folder, a file for each file they came from, or all into one file.

    Without `to`, the suffix of the output says the format; `.tsv` means `tsv`. Return the files
    written.
    """
    from caesura.formats.files import target, write_all

    _check_formats(to)
    return write_all(_transcripts(transcripts), output, target(to, output))


def dumps(transcripts: Transcript | Iterable[Transcript], to: str | Format) -> str:
    """Return recordings as a text in a format: `dumps(transcript, "srt")`.

    `caesura.to_srt(transcript)` is the same, and so for every format that can be written, also
    for those of plug-ins.
    """
    import io

    from caesura.core import registry
    from caesura.core.errors import OutputError, UnknownName
    from caesura.formats.files import STANDARD, target

    registry.check_given(to, "format")
    if isinstance(to, str) and not to.strip():
        known = ", ".join(writable_formats())
        raise UnknownName("the text must have a format", remedy=f"name one of {known}")
    format, several = target(to, STANDARD), list(_transcripts(transcripts))
    if format.holds == "one" and len(several) != 1:
        raise OutputError(
            f"a text in the format {format.name} holds one recording, and there are {len(several)}",
            remedy=f"give one: [caesura.to_{format.name}(each) for each in recordings]",
        )
    file = io.BytesIO()
    format.write(several, file)
    return file.getvalue().decode("utf-8")


def _transcripts(given: Transcript | Iterable[Transcript]) -> Iterable[Transcript]:
    """Return one transcript or several as several; anything else is a `TypeError`."""
    from caesura.core.transcript import Transcript

    def checked(one: Any) -> Transcript:
        if isinstance(one, Transcript):
            return one
        what = f"a transcript is wanted, or several, not {type(one).__name__}"
        raise TypeError(f"{what}: caesura.read(...) or caesura.segment(...) gives them")

    if isinstance(given, (Transcript, str, bytes)) or not isinstance(given, Iterable):
        return [checked(given)]
    return map(checked, given)


def loads(text: str | bytes, format: str | Format | None = None) -> list[Transcript]:
    """Return the recordings in the text of a file: `loads(text, "srt")`.

    Without a `format` the content says which it is. For running text or sentences that are in
    no file there are `caesura.Text` and `caesura.Sentences`.
    """
    import io

    from caesura.core.errors import FormatError

    if not isinstance(text, (str, bytes, bytearray)):
        raise TypeError(f"the text of a file is wanted, not {type(text).__name__}")
    if not text.strip() and not format:
        raise FormatError(
            "the text is empty", remedy="if nothing was said, name a text format: format='lines'"
        )
    file = io.StringIO(text) if isinstance(text, str) else io.BytesIO(text)
    file.name = "<text>"
    return [transcript.replace(origin=None) for transcript in read(file, format=format)]


def text_writer(format: str) -> Callable[..., str]:
    """Return the function `to_FORMAT`, which gives recordings as a text in that format.

    It takes a transcript or several, and the settings of the format by name.
    """
    from caesura.core import registry

    def write_text(transcripts: Transcript | Iterable[Transcript], **settings: Any) -> str:
        return dumps(transcripts, registry.make("format", format, settings))

    write_text.__name__ = write_text.__qualname__ = f"to_{format}"
    write_text.__doc__ = f"Return recordings as a text in the format {format}."
    return write_text


def writable_formats() -> list[str]:
    """Return the names of the built-in formats that can be written."""
    from caesura.formats.recognize import TABLE

    return [name for name, entry in TABLE.items() if entry.writable]


def load(detector: str | Path) -> Detector:
    """Return a detector: of a model by its name or folder (`load("en")`), or with its settings.

    `detector.annotate(transcript)` finds the sentences of a transcript.
    """
    from caesura.detectors.stored_model import get_detector

    return get_detector(detector)


def convert(
    files: Input | Iterable[Input],
    *,
    to: str | Format = "",
    output: str | Path = "-",
    alternatives: Paths = (),
    entity_classes: Paths = (),
    format: str | Format | None = None,
) -> list[Path]:
    """Write all recordings of files and folders in another format; the log says what is lost.

    Return the files written. Without an `output` it prints the text and returns []; for the text
    itself there are `dumps` and `to_srt` and the like.
    `alternatives` and `entity_classes` are sidecar files, or folders of them: alternative
    transcriptions (ID.norm.json), and classes of entities (ID.wer_tag.json).
    """
    from caesura.formats.files import dropped, target

    _check_formats(to, format)
    format_to_write = target(to, output)
    recordings: Iterable[Transcript] = read(files, format=format)
    if alternatives or entity_classes:
        from caesura.formats.sidecars import with_sidecars

        recordings = with_sidecars(recordings, alternatives, entity_classes)
    if format_to_write.holds == "one":
        from caesura.evaluation.pairing import join_parts

        recordings = join_parts(recordings)
    lost: dict[str, None] = {}

    def noting_losses() -> Iterator[Transcript]:
        for transcript in recordings:
            lost.update(dict.fromkeys(dropped(transcript, format_to_write)))
            yield transcript

    written = write(noting_losses(), output=output, to=format_to_write)
    if lost:
        logger.warning("%s drops %s", format_to_write.name, ", ".join(lost))
    return written


def segment(
    files: Input | Iterable[Input],
    *,
    detector: str | Detector = "auto",
    prefer: str = "f1",
    shortest: int | str | None = None,
    longest: int | str | None = None,
    normalize: str | Sequence[str] = "none",
    restore: bool = True,
    format: str | Format | None = None,
    language: str = "",
) -> Iterator[Transcript]:
    """Find the sentences of all recordings.

    A detector is 'auto', the model of each recording's language; a registered one with its
    settings ('Pause(threshold=0.6)'); the name of a model that ships with Caesura, or the folder
    of a model that you trained. It may `prefer`
    'precision' or 'recall', and sentences may have a `shortest` and `longest` length, in words
    (12) or seconds ('12s'). Recordings go through the steps of `normalize` first, if there are
    any. Sentences get the capitals and marks that they lack, and the layer `read` has what was
    read; with `restore=False` words and marks stay as they are. `language` is that of recordings
    that do not state theirs.
    """
    from caesura.detectors.stored_model import get_detector, in_language
    from caesura.text.restore import as_read
    from caesura.text.restore import restore as restored

    deciding = get_detector(detector, prefer, shortest, longest)
    recordings = _normalized(files, normalize, format)
    for transcript in map(as_read, recordings):
        transcript = in_language(transcript, language)
        segmented = deciding.annotate(transcript)
        lacking = deciding.lacks(transcript)
        if lacking and segmented.sentences is not None and len(segmented.sentences.gaps) < 2:
            name = transcript.id or "a recording"
            logger.warning("%s: %s; it is left as one sentence", name, lacking)
        yield restored(segmented, deciding.language(transcript)) if restore else segmented


def _normalized(
    files: Input | Iterable[Input], normalize: str | Sequence[str], format: str | Format | None
) -> Iterator[Transcript]:
    """Read recordings and normalise them; check the steps before anything is read."""
    if not normalize or normalize in ("none", ["none"]):
        return read(files, format=format)
    from caesura.evaluation.evaluate import normalization_steps
    from caesura.text.normalization.steps import describe
    from caesura.text.normalization.steps import normalize as normalized
    from caesura.text.restore import as_read

    steps = normalization_steps(normalize)
    describe(steps)
    return (normalized(as_read(each), steps) for each in read(files, format=format))


def stream(
    words: WordSource | InMemory,
    *,
    detector: str | Detector = "auto",
    prefer: str = "f1",
    shortest: int | str | None = None,
    longest: int | str | None = None,
    format: str | None = None,
    state: str | Path | None = None,
    on_error: str = "stop",
    language: str = "",
    silence: float | None = None,
    restore: bool = True,
) -> Iterator[Transcript]:
    """Yield each sentence as soon as it is final, while words still arrive.

    `words` are a file (a path or an open one, - is standard input) of JSON objects or CTM rows,
    one a line, or such objects one by one; or text, words or a result that are complete.
    Evidence `delay_words` and `delay_seconds` says how long after the end of a sentence that
    was decided. With a `state` file a stream that was cut goes on where it was. A line that
    cannot be read stops the stream, or is skipped with `on_error='skip'`. `language` is the
    language of words that do not say theirs. A `silence` of so many seconds, between words or
    while none arrives, ends a sentence. `prefer`, `shortest` and `longest` are as for `segment`.
    Sentences get the capitals and marks that they lack, as those of `segment` do, unless
    `restore=False`.
    """
    from caesura.detectors import streaming
    from caesura.formats.files import all_words

    sentences = streaming.stream_sentences(
        all_words(words),
        detector=detector,
        prefer=prefer,
        shortest=shortest,
        longest=longest,
        format=format,
        state=state,
        on_error=on_error,
        language=language,
        silence=silence,
        restore=restore,
    )
    return (streamed.sentence for streamed in sentences)


def score(
    hypothesis: Input | Iterable[Input],
    *,
    reference: Inputs,
    alternatives: Paths = (),
    entity_classes: Paths = (),
    metric: str | Metric | Sequence[str | Metric] = "Boundary",
    sweep: str | Sequence[str] = (),
    align: bool = False,
    normalize: str | Sequence[str] = "least",
    resamples: int = 1000,
    seed: int = 20000,
    format: str | Format | None = None,
    reference_format: str | Format | None = None,
    report: Paths = (),
) -> Scores:
    """Score a segmentation against one or more references.

    Recordings are paired by id. Texts are normalised no more than makes their words equal,
    unless steps are named. Texts that still differ are refused, unless `align` is set: then
    the references' layers are carried over to the hypothesis' words. Confidence intervals come
    from `resamples` draws of documents, or of blocks of sentences if there is one document only.
    A `sweep` such as 'window_gap=0:20' scores a range of a metric's setting too. References
    have the format of the hypothesis if one is given, none of their own, and their suffix does
    not speak for another. `alternatives` and `entity_classes` are sidecar files of the
    references, or folders of them. A `report` is a file, or several: .html for a page to look
    through, .md, .tex or .json for tables, .png or .svg for figures.
    """
    from caesura.evaluation.evaluate import EvaluationOptions, evaluate_systems
    from caesura.formats.files import as_list, names_of, read_each

    _check_report(report)
    _check_formats(format, reference_format)
    options = EvaluationOptions(
        metric=metric,
        sweep=sweep,
        normalize=normalize,
        align=align,
        resamples=resamples,
        seed=seed,
    )
    inputs = as_list(hypothesis)
    names, references = read_each(reference, reference_format, format)
    references = [_with_sidecars(one, alternatives, entity_classes) for one in references]
    (scores,) = evaluate_systems([list(read(inputs, format=format))], references, options, names)
    scores = replace(scores, system=names_of(inputs)[0] if len(inputs) == 1 else "")
    _write_report(scores, report)
    return scores


def compare(
    hypothesis: Inputs,
    *,
    reference: Inputs,
    alternatives: Paths = (),
    entity_classes: Paths = (),
    metric: str | Metric | Sequence[str | Metric] = "Boundary",
    value: str | Sequence[str] = (),
    sweep: str | Sequence[str] = (),
    align: bool = False,
    normalize: str | Sequence[str] = "least",
    resamples: int = 1000,
    seed: int = 20000,
    format: str | Format | None = None,
    reference_format: str | Format | None = None,
    report: Paths = (),
) -> Comparison:
    """Score systems against the same references, and test whether each pair differs.

    Each hypothesis (a file or a folder) is a system. Tests are of the `value` named, or of the
    main value of each metric: paired bootstrap and approximate randomization, Holm-corrected.
    The other parameters are those of `score`.
    """
    from caesura.evaluation.comparison import Comparison
    from caesura.evaluation.evaluate import EvaluationOptions

    _check_report(report)
    _check_formats(format, reference_format)
    options = EvaluationOptions(
        metric=metric,
        sweep=sweep,
        normalize=normalize,
        align=align,
        resamples=resamples,
        seed=seed,
    )
    sidecars = (alternatives, entity_classes)
    names, scores = _score_systems(
        hypothesis, reference, options, format, reference_format, sidecars
    )
    comparison = Comparison(names, scores, (value,) if isinstance(value, str) else tuple(value))
    _write_report(comparison, report)
    return comparison


def agree(
    reference: Inputs,
    *,
    metric: str | Metric | Sequence[str | Metric] = "Agreement",
    align: bool = False,
    normalize: str | Sequence[str] = "least",
    resamples: int = 1000,
    seed: int = 20000,
    format: str | Format | None = None,
    report: Paths = (),
) -> Scores:
    """Measure how far annotators agree with each other.

    Each reference (a file or a folder) is an annotator. With `align`, annotations of texts that
    differ are carried over to the words of the first. A `report` is as for `score`.
    """
    from caesura.core.errors import MismatchError
    from caesura.evaluation.evaluate import EvaluationOptions, evaluate_systems
    from caesura.formats.files import read_each

    _check_report(report)
    _check_formats(format)
    options = EvaluationOptions(
        metric=metric, normalize=normalize, align=align, resamples=resamples, seed=seed
    )
    names, references = read_each(reference, format)
    if not references:
        raise MismatchError("there is nothing to agree on", remedy="name a file per annotator")
    (scores,) = evaluate_systems(references[:1], references, options, names)
    scores = scores.as_agreement(names[0] if align else "")
    _write_report(scores, report)
    return scores


def align(
    files: Input | Iterable[Input],
    *,
    script: Inputs,
    layers: str | Sequence[str] = ("sentences", "speaker"),
    normalize: str | Sequence[str] = "unicode+case+dots+punctuation",
    format: str | Format | None = None,
    script_format: str | Format | None = None,
) -> Iterator[Transcript]:
    """Give recognised words the sentences, and other layers, of their punctuated script.

    Recordings are paired by id. Words are compared after the steps of `normalize`, but stay as
    they are, with times, confidences and marks of their own. `caesura.align_to_script` also
    counts how far words and script match.
    """
    from caesura.evaluation.script_alignment import align_to_script

    alignments = align_to_script(
        files,
        script=script,
        layers=layers,
        normalize=normalize,
        format=format,
        script_format=script_format,
    )
    return (one.transcript for one in alignments)


def reproduce(study: str, *, data: str | Path, output: str | Path) -> str:
    """Run the study of a paper on corpora in `data`; write into `output`, return its report."""
    from caesura.core.plugins import find_study

    return find_study(study)(Path(data), Path(output)).text


def list_models(model: str | Path | Sequence[str | Path] = ()) -> list[Card]:
    """Return the cards of the models named (by a name or a folder), or of all that ship."""
    from caesura.models import store

    named = [model] if isinstance(model, (str, Path)) else model
    return [store.read_card(store.find_folder(one)) for one in named or store.shipped_models()]


def catalogue(kind: str = "") -> dict[str, list[dict[str, str]]]:
    """Describe formats, detectors, metrics, studies and so on: all, or those of one kind."""
    from caesura.core import registry
    from caesura.core.errors import UnknownName

    describe: dict[str, Callable[[], list[dict[str, str]]]] = {
        **{f"{each}s": partial(_described_classes, each) for each in registry.NAMES},
        "steps": _described_steps,
        "studies": _described_studies,
    }
    if kind and kind not in describe:
        raise UnknownName(f"nothing is called {kind!r}", remedy=f"known are {', '.join(describe)}")
    return {each: describe[each]() for each in ([kind] if kind else describe)}


def _described_studies() -> list[dict[str, str]]:
    from caesura.core import registry

    return [
        {"name": name, "about": _first_line(study), "plugin": origin}
        for name, study, origin in registry.studies()
    ]


def _described_steps() -> list[dict[str, str]]:
    from caesura.text.normalization.steps import STEPS

    return [{"name": name, "about": _first_line(step)} for name, step in STEPS.items()]


def _described_classes(kind: Any) -> list[dict[str, str]]:
    from caesura.core import registry

    rows = []
    for name, registered_class, origin in registry.entries(kind):
        row = {"name": name, "about": _first_line(registered_class)}
        if kind != "format":
            row["settings"] = _settings(registered_class)
        else:
            row["suffixes"] = " ".join(registered_class.suffixes)
            row["use"] = "read, write" if registered_class.writable else "read"
            row["carries"] = " ".join(sorted(registered_class.carries))
        if origin:
            row["plugin"] = origin
        rows.append(row)
    return rows


def _settings(configured: Any) -> str:
    """Name the settings of a class, with their default values."""
    from dataclasses import MISSING, fields

    shown = [
        field.name if field.default is MISSING else f"{field.name}={field.default!r}"
        for field in fields(configured)
    ]
    return ", ".join(shown)


def _first_line(thing: object) -> str:
    from inspect import getdoc

    return (getdoc(thing) or "").split("\n", 1)[0]


def _with_sidecars(
    references: list[Transcript], alternatives: Paths, entity_classes: Paths
) -> list[Transcript]:
    """Add what sidecar files say, if there are any."""
    if not (alternatives or entity_classes):
        return references
    from caesura.formats.sidecars import with_sidecars

    return with_sidecars(references, alternatives, entity_classes)


def _score_systems(
    hypothesis: Inputs,
    reference: Inputs,
    options: EvaluationOptions,
    format: str | Format | None,
    reference_format: str | Format | None,
    sidecars: tuple[Paths, Paths],
) -> tuple[Strings, tuple[Scores, ...]]:
    """Score systems with the same options; return their names and scores."""
    from caesura.core.errors import MismatchError
    from caesura.evaluation.evaluate import evaluate_systems
    from caesura.formats.files import read_each

    names, systems = read_each(hypothesis, format)
    if not systems:
        raise MismatchError("there is no system to score", remedy="name a file or folder of each")
    reference_names, references = read_each(reference, reference_format, format)
    references = [_with_sidecars(one, *sidecars) for one in references]
    return names, evaluate_systems(systems, references, options, reference_names, names)


def _check_formats(*formats: str | Format | None) -> None:
    """Refuse formats that are neither named nor objects; None is a format that is not given."""
    from caesura.core import registry

    for format in formats:
        if format is not None:
            registry.check_given(format, "format")


def _check_report(report: Paths) -> None:
    """Check, before any work is done, that reports can be written."""
    if report:
        from caesura.evaluation.reports.write import report_paths

        report_paths(report)


def _write_report(results: Scores | Comparison, report: Paths) -> None:
    """Write reports, if any are asked for, and log their names."""
    if not report:
        return
    from caesura.evaluation.reports.write import write_report

    for path in write_report(results, report):
        logging.getLogger("caesura.reports").info("wrote %s", path)
