"""What users call: each function here is also a command, with the same parameter names."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from caesura import __version__, registry
from caesura.contracts import Counts, Detector, Format, Metric, Undefined, Value, as_json
from caesura.errors import CaesuraError, FormatError, LayerError, MismatchError
from caesura.formats import files as _files
from caesura.text.align import align as _align
from caesura.text.align import carry
from caesura.text.normalize import describe, normalize
from caesura.transcript import Transcript

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
                yield from (transcript.replace(origin=str(place)) for transcript in found)
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


@dataclass(frozen=True)
class Scores:
    """Values of metrics over documents, each with a line that reproduces it."""

    documents: tuple[dict[str, Any], ...]
    metrics: tuple[Metric, ...]
    values: tuple[dict[str, Value], ...]
    signatures: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Give what `score --json` prints."""
        scores = [
            {
                "metric": repr(metric),
                "values": {name: as_json(value) for name, value in values.items()},
                "undefined": {
                    name: value.reason
                    for name, value in values.items()
                    if isinstance(value, Undefined)
                },
                "intervals": {},
                "signature": signature,
            }
            for metric, values, signature in zip(
                self.metrics, self.values, self.signatures, strict=True
            )
        ]
        return {"documents": list(self.documents), "scores": scores}


def score(
    hypothesis: Input | Iterable[Input],
    *,
    reference: Input | Sequence[Input],
    metric: str | Metric | Sequence[str | Metric] = "Boundary",
    align: bool = False,
    normalize: Sequence[str] = SCORED,
    format: str | Format | None = None,
) -> Scores:
    """Score a segmentation against one or more references.

    Recordings are paired by id. Texts whose words differ after `normalize` are refused, unless
    `align` is set: then the references' boundaries are carried over to the hypothesis' words.
    """
    wanted = [metric] if isinstance(metric, (str, Metric)) else list(metric)
    metrics = [registry.parse("metric", m) if isinstance(m, str) else m for m in wanted]
    given = [reference] if isinstance(reference, (str, Path, Transcript)) else list(reference)
    references = [list(read(one, format=format)) for one in given]
    totals = [Counts() for _ in metrics]
    documents: list[dict[str, Any]] = []
    for ours, theirs in paired(list(read(hypothesis, format=format)), references):
        document, counts = _scored(ours, theirs, metrics, align, normalize)
        documents.append(document)
        totals = [total + more for total, more in zip(totals, counts, strict=True)]
    tail = f"references={len(references)}|documents={len(documents)}"
    tail += f"|normalize={describe(normalize)}|align={_lost(documents) if align else 'no'}"
    return Scores(
        documents=tuple(documents),
        metrics=tuple(metrics),
        values=tuple(m.values(total) for m, total in zip(metrics, totals, strict=True)),
        signatures=tuple(f"{m!r}|{tail}|caesura={__version__}" for m in metrics),
    )


def _lost(documents: list[dict[str, Any]]) -> str:
    """Tell in a signature how many boundaries an alignment could not carry over."""
    lost = sum(one["boundaries_lost"] for document in documents for one in document["alignment"])
    return f"words(lost={lost})"


def paired(
    hypotheses: list[Transcript], references: list[list[Transcript]]
) -> list[tuple[Transcript, list[Transcript]]]:
    """Find each recording's references by id; a single recording needs none."""
    if len(hypotheses) == 1 and all(len(one) == 1 for one in references):
        return [(hypotheses[0], [one[0] for one in references])]
    ours = _by_id(hypotheses, "the hypothesis")
    theirs = [_by_id(one, f"reference {i}") for i, one in enumerate(references, 1)]
    for i, one in enumerate(theirs, 1):
        _refuse_strangers([id for id in ours if id not in one], f"reference {i}")
        _refuse_strangers([id for id in one if id not in ours], "the hypothesis")
    return [(transcript, [one[id] for one in theirs]) for id, transcript in ours.items()]


def _by_id(transcripts: list[Transcript], side: str) -> dict[str, Transcript]:
    found: dict[str, Transcript] = {}
    for transcript in transcripts:
        if transcript.id in found:
            raise MismatchError(
                f"{side} has two recordings named {transcript.id!r}",
                remedy="score them apart, or give them names of their own",
            )
        found[transcript.id] = transcript
    return found


def _refuse_strangers(ids: list[str], side: str) -> None:
    if ids:
        shown = ", ".join(repr(id) for id in ids[:5]) + (", …" if len(ids) > 5 else "")
        raise MismatchError(
            f"{len(ids)} recordings are not in {side}: {shown}",
            remedy="give both sides the same recordings; they are paired by name",
        )


def _scored(
    hypothesis: Transcript,
    references: list[Transcript],
    metrics: list[Metric],
    align: bool,
    steps: Sequence[str],
) -> tuple[dict[str, Any], list[Counts]]:
    """Count on one document, and describe it."""
    _require_layers([hypothesis, *references], metrics)
    ours = normalize(hypothesis, steps)
    theirs = [normalize(one, steps) for one in references]
    document: dict[str, Any] = {"id": hypothesis.id, "words": len(ours)}
    if align:
        document["alignment"], theirs = _aligned(ours, theirs)
    elif any(metric.same_words for metric in metrics):
        for number, one in enumerate(theirs, 1):
            _refuse_other_words(ours, one, f"reference {number}")
    counts = [metric.count(ours, theirs) for metric in metrics]
    document["scores"] = [
        {name: as_json(value) for name, value in metric.values(count).items()}
        for metric, count in zip(metrics, counts, strict=True)
    ]
    return document, counts


def _require_layers(transcripts: list[Transcript], metrics: list[Metric]) -> None:
    for metric in metrics:
        for side, transcript in enumerate(transcripts):
            for layer in metric.compares:
                if getattr(transcript, layer) is None:
                    owner = f"reference {side}" if side else "the hypothesis"
                    raise LayerError(
                        f"{owner} ({transcript.id or 'unnamed'}) has no {layer}, "
                        f"which {metric.name} compares",
                        remedy="find sentences first: caesura segment … --to jsonl",
                    )


def _refuse_other_words(ours: Transcript, theirs: Transcript, side: str) -> None:
    if ours.words == theirs.words:
        return
    pairs = enumerate(zip(ours.words, theirs.words, strict=False))
    at = next((i for i, (a, b) in pairs if a != b), min(len(ours), len(theirs)))
    shown = [
        repr(text.words[at]) if at < len(text) else "the end of the text" for text in (ours, theirs)
    ]
    raise MismatchError(
        f"the words differ: word {at + 1} is {shown[0]} in the hypothesis and {shown[1]} in {side} "
        f"({len(ours)} and {len(theirs)} words)",
        where=ours.id,
        remedy="add --align to carry the boundaries over by alignment",
    )


def _aligned(
    ours: Transcript, theirs: list[Transcript]
) -> tuple[list[dict[str, int]], list[Transcript]]:
    """Carry each reference's sentences over to our words; tell what had no counterpart."""
    told, moved = [], []
    for one in theirs:
        carried = carry(one, ours, ["sentences"], _align(one.words, ours.words))
        moved.append(carried.transcript)
        told.append(
            {
                "hypothesis_words_unmatched": carried.alignment.insertions,
                "reference_words_unmatched": carried.alignment.deletions,
                "words_replaced": carried.alignment.substitutions,
                "boundaries_lost": carried.lost_boundaries,
            }
        )
    return told, moved


def catalogue(kind: str = "") -> dict[str, list[dict[str, str]]]:
    """Describe what is registered: formats, detectors, metrics and normalisation steps."""
    from caesura.catalogue import described

    return described(kind)
