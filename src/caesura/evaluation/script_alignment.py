"""Align recognised words with their script, and give them its sentences and other layers."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from caesura.core.arrays import Indices, Strings
from caesura.core.errors import LayerError
from caesura.core.protocols import Format
from caesura.core.transcript import LAYERS, Transcript
from caesura.core.values import Counts, Undefined, Value, as_json, ratio
from caesura.evaluation.evaluate import normalization_steps
from caesura.evaluation.pairing import pair_recordings
from caesura.formats.files import Input, Inputs, read, read_each
from caesura.text.alignment.transfer import gaps_by_characters, transfer_layers
from caesura.text.alignment.word_alignment import Alignment, align
from caesura.text.normalization.steps import describe
from caesura.text.normalization.steps import normalize as normalized

logger = logging.getLogger("caesura")

DEFAULT_LAYERS = ("sentences", "speaker")
"""The layers that are carried over by default."""

DEFAULT_STEPS = "unicode+case+dots+punctuation"
"""The default steps of normalisation before words are compared."""

SIDES = ("the recognised files", "the script")

FEWEST_MATCHED = 0.25
"""The share of matched words below which a script seems to be that of another recording.

Wrong scripts match at most a fifth of the words, poor recognisers at least a quarter.
"""

COMMAS = frozenset(",،、，")


@dataclass(frozen=True)
class ScriptAlignment:
    """A recording with layers of its script, and counts of how well the two match."""

    transcript: Transcript
    counts: Counts

    @property
    def values(self) -> dict[str, Value]:
        """The rates of this recording."""
        return match_rates(self.counts)


def match_rates(counts: Counts) -> dict[str, Value]:
    """Return how well recordings and scripts match; the ends of recordings are not counted."""
    return {
        "words": counts["words"],
        "matched": ratio(counts["equal"], counts["words"], "no words in the recording"),
        "word_error_rate": ratio(counts["edits"], counts["script"], "no words in the script"),
        "boundaries": counts["boundaries"],
        "carried": counts["carried"],
        "lost": counts["boundaries"] - counts["carried"],
    }


def match_rates_as_json(counts: Counts) -> dict[str, Any]:
    """Return the rates for JSON, undefined values with their reasons."""
    values = match_rates(counts)
    reasons = {name: v.reason for name, v in values.items() if isinstance(v, Undefined)}
    return {name: as_json(v) for name, v in values.items()} | {"undefined": reasons}


def align_to_script(
    files: Input | Iterable[Input],
    *,
    script: Inputs,
    layers: str | Sequence[str] = DEFAULT_LAYERS,
    normalize: str | Sequence[str] = DEFAULT_STEPS,
    format: str | Format | None = None,
    script_format: str | Format | None = None,
) -> Iterator[ScriptAlignment]:
    """Do what `caesura.align` does, and count how well each recording matches its script."""
    wanted = (layers,) if isinstance(layers, str) else tuple(layers)
    steps = normalization_steps(normalize)
    describe(steps)
    recordings = list(read(files, format=format))
    _, scripts = read_each(script, script_format, format)
    pairs = pair_recordings(recordings, [[one for part in scripts for one in part]], SIDES)
    _require_layers_of_script([theirs for _, (theirs,) in pairs], wanted)
    for ours, (theirs,) in pairs:
        alignment = _align_recording(ours, theirs, wanted, steps)
        _warn_of_other_script(alignment)
        yield alignment


def _warn_of_other_script(alignment: ScriptAlignment) -> None:
    """Warn if a script seems to be that of another recording."""
    matched = alignment.values["matched"]
    if isinstance(matched, float) and matched < FEWEST_MATCHED:
        logger.warning(
            "%s: only %.0f%% of its words are in the script: is it that of another recording?",
            alignment.transcript.id or "a recording",
            100 * matched,
        )


def _require_layers_of_script(scripts: Sequence[Transcript], layers: Sequence[str]) -> None:
    """Raise an error for scripts without sentences; other layers may be missing."""
    for script in scripts:
        if "sentences" in layers and script.sentences is None:
            raise LayerError(
                "the script has no sentences",
                where=script.origin.file if script.origin else script.id,
                remedy="give one with punctuation, or with one sentence a line",
            )
    for name in filter(LAYERS.__contains__, layers):
        if scripts and all(getattr(script, name) is None for script in scripts):
            logger.info("the script has no %s: the recordings keep what they have", name)


def _align_recording(
    recording: Transcript, script: Transcript, layers: Sequence[str], steps: Sequence[str]
) -> ScriptAlignment:
    """Align one recording; normalisation is for the comparison only, its words stay as they are."""
    ours, our_places = _words_to_compare(recording, steps)
    theirs, their_places = _words_to_compare(script, steps)
    alignment = align(theirs, ours)
    source = np.full(len(recording), -1, dtype=np.int64)
    source[our_places] = np.append(their_places, -1)[alignment.source]
    equal = np.zeros(len(recording), dtype=np.bool_)
    equal[our_places] = alignment.equal
    # What normalisation removed, such as a dash, belongs to the word before it.
    ends = np.append(our_places, len(recording))[1:] - 1
    owner = np.searchsorted(their_places, np.arange(len(script)), side="right") - 1
    place = np.append(ends, -1)[gaps_by_characters(alignment, theirs, ours)]
    gaps = np.append(place, -1)[owner]
    whole = Alignment(source, equal, len(script))
    made = transfer_layers(_with_commas(script), recording, layers, whole, gaps).transcript
    known = "sentences" in layers
    return ScriptAlignment(
        made,
        Counts(
            words=len(ours),
            script=len(theirs),
            equal=alignment.hits,
            edits=alignment.edits,
            boundaries=_count_inner_boundaries(script) if known else 0,
            carried=_count_inner_boundaries(made) if known else 0,
        ),
    )


def _words_to_compare(transcript: Transcript, steps: Sequence[str]) -> tuple[Strings, Indices]:
    """Return the normalised words, and the places of the words that they come from."""
    numbers = np.arange(len(transcript), dtype=np.float64)
    made = normalized(transcript.only(("opening", "mark", "tag")).replace(start=numbers), steps)
    return made.words, np.array(made.start, dtype=np.int64)


def _with_commas(script: Transcript) -> Transcript:
    """Label gaps after commas, if sentence ends have labels."""
    segmentation = script.sentences
    if segmentation is None or segmentation.label is None or script.mark is None:
        return script
    pairs = zip(segmentation.label, script.mark, strict=True)
    label = tuple(known or ("," if COMMAS & set(mark) else "") for known, mark in pairs)
    return script.replace(sentences=replace(segmentation, label=label))


def _count_inner_boundaries(transcript: Transcript) -> int:
    """Count the boundaries, without the end of the recording."""
    return 0 if transcript.sentences is None else int(transcript.sentences.boundary[:-1].sum())
