"""Say what speaks for and against each boundary: words, pauses, speakers, marks, in nats.

It works for any detector by taking evidence away. The log-odds from the words alone come first;
then one kind of evidence after another is added, in a fixed order, and what each changes is its
part. So parts add up to the log-odds that decided. A kind that comes later is what it tells beyond
those before it: a pause where the words already make an end certain may add little.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from caesura.core.arrays import Flags, Floats
from caesura.core.errors import LayerError
from caesura.core.protocols import Detector
from caesura.core.transcript import LAYERS, Transcript
from caesura.core.values import as_json
from caesura.detectors.decision import Decision
from caesura.detectors.stored_model import get_detector
from caesura.text.restore import as_read

KINDS: Mapping[str, tuple[str, ...]] = {
    "words": (),
    "pauses": ("start", "end", "pause"),
    "speakers": ("speaker",),
    "marks": ("opening", "mark"),
    "scores": ("evidence",),
}
"""Kinds of evidence in the order in which they are added, and the layers of each. All other layers
belong to the words; scores are those of other systems."""

PREFERENCE = "preference"
"""The part that `prefer` adds."""

CONTEXT = 3
"""Words that are shown before and after a gap."""

UNIT = 2.0**-30
"""Log-odds are rounded to this, a billionth of a nat, so that parts add up to the last bit."""

logger = logging.getLogger("caesura")


@dataclass(frozen=True)
class Explanation:
    """What speaks for a boundary (above 0) and against it (below 0), in nats.

    `gap` is the index of the word before it, which ends at `time`. `parts` has the log-odds of the
    first kind of evidence, such as 'words' (or 'words+scores' if the detector cannot do without),
    and what each other kind adds; they sum to `log_odds`. A boundary with log-odds below 0, or a
    gap above 0 that is none, is due to limits, priors or the best sequence as a whole.
    """

    gap: int
    before: str
    after: str
    time: float | None
    boundary: bool
    log_odds: float
    parts: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON can hold it."""
        return {**vars(self), "parts": dict(self.parts)}


def explain(
    transcript: Transcript,
    *,
    detector: str | Detector = "auto",
    prefer: str = "f1",
    shortest: int | str | None = None,
    longest: int | str | None = None,
    near_misses: float = 0.0,
) -> list[Explanation]:
    """Explain each boundary that a detector finds in a recording, but for its end.

    With `near_misses`, other gaps whose log-odds are above minus so many nats are explained too.
    The other parameters are those of `segment`. Marks and capitals that were restored are no
    evidence: a restored transcript is explained as it was read.
    """
    given: object = transcript
    if not isinstance(given, Transcript):
        what = f"a transcript is wanted, not {type(given).__name__}"
        raise TypeError(f"{what}: caesura.read(...) gives them")
    deciding = get_detector(detector, prefer, shortest, longest)
    bare = as_read(transcript).replace(sentences=None)
    return explain_decisions(bare, deciding.detect(bare).boundary, deciding, near_misses)


def explain_decisions(
    transcript: Transcript, decided: Flags, detector: Detector, near_misses: float = 0.0
) -> list[Explanation]:
    """Explain what a detector has decided about a recording that has only what was read."""
    bare = transcript.replace(sentences=None)
    parts = evidence_parts(detector, bare)
    total = np.sum([np.zeros(len(bare)), *parts.values()], axis=0)
    chosen = decided | (total > -near_misses if near_misses > 0 else False)
    surface = bare.surface()
    return [
        Explanation(
            gap=gap,
            before="".join(surface[max(gap + 1 - CONTEXT, 0) : gap + 1]).strip(),
            after="".join(surface[gap + 1 : gap + 1 + CONTEXT]).strip(),
            time=None if bare.end is None else as_json(float(bare.end[gap])),
            boundary=bool(decided[gap]),
            log_odds=float(total[gap]),
            parts={name: float(column[gap]) for name, column in parts.items()},
        )
        for gap in np.flatnonzero(chosen[:-1]).tolist()
    ]


def evidence_parts(detector: Detector, transcript: Transcript) -> dict[str, Floats]:
    """Return a column of log-odds for each kind of evidence that the transcript has.

    Kinds that the detector cannot do without are one part together with the words.
    """
    if isinstance(detector, Decision):
        parts = evidence_parts(detector.detector, transcript)
        shift = np.full(len(transcript), np.rint(detector.shift / UNIT) * UNIT)
        return {**parts, PREFERENCE: shift} if detector.shift else parts
    with _quiet():
        stages = list(_stages(detector, transcript))
    parts = dict(stages[:1])
    for (_, before), (name, after) in pairwise(stages):
        parts[name] = after - before
    return parts


def _stages(detector: Detector, transcript: Transcript) -> Iterator[tuple[str, Floats]]:
    """Yield log-odds from the words, and again each time that a kind of evidence is added."""
    known = [name for name in KINDS if name == "words" or _has(transcript, KINDS[name])]
    layers = set(LAYERS).difference(*KINDS.values())
    needed: list[str] = []
    for name in known:
        layers.update(KINDS[name])
        needed.append(name)
        try:
            log_odds = _log_odds(detector, transcript.only(layers))
        except LayerError:
            if name == known[-1]:
                raise
            continue
        yield "+".join(needed), log_odds
        needed = []


def _has(transcript: Transcript, layers: Sequence[str]) -> bool:
    return any(getattr(transcript, layer) is not None for layer in layers)


def _log_odds(detector: Detector, transcript: Transcript) -> Floats:
    found = detector.detect(transcript).log_odds
    known = np.zeros(len(transcript)) if found is None else np.nan_to_num(found, nan=0.0)
    rounded: Floats = np.rint(known / UNIT) * UNIT
    return rounded


@contextmanager
def _quiet() -> Iterator[None]:
    """Leave out warnings about evidence that was taken away on purpose."""
    former = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(former)
