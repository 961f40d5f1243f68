"""Small results for tables."""

from collections.abc import Sequence
from dataclasses import replace

from caesura.core import registry
from caesura.core.protocols import Metric
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.evaluation.comparison import Comparison
from caesura.evaluation.document import ScoringSettings
from caesura.evaluation.reports.write import Results
from caesura.evaluation.resampling import Resampling
from caesura.evaluation.scores import score_recordings


def text(words: int | str, *ends: int, id: str = "") -> Transcript:
    """A text with boundaries after these words, counted from 1."""
    split = tuple(words.split()) if isinstance(words, str) else tuple(f"w{i}" for i in range(words))
    sentences = Segmentation.of_gaps(len(split), [end - 1 for end in ends])
    return Transcript(split, id=id, sentences=sentences)


def metrics(*names: str) -> list[Metric]:
    return [registry.parse("metric", name) for name in names]


def small(*names: str, resamples: int = 0) -> Results:
    """Three references that share some boundaries, and a system that has some of them."""
    references = [[text(16, 4, 8, 12)], [text(16, 4, 9, 12)], [text(16, 5, 12)]]
    terms = ScoringSettings((), False, Resampling(resamples))
    found = score_recordings([text(16, 4, 9, 10, 14)], references, metrics(*names), terms)
    return Results(("sys",), (replace(found, reference_names=("ann", "ben", "cho")),))


def many(*systems: Sequence[Sequence[int]], names: Sequence[str] = ("Boundary",)) -> Results:
    """Systems on documents of ten words, each with a boundary after the fifth."""
    references = [[text(10, 5, id=f"d{k}") for k in range(len(systems[0]))]]
    terms = ScoringSettings((), False, Resampling(300))
    found = tuple(
        score_recordings(
            [text(10, *ends, id=f"d{k}") for k, ends in enumerate(each)],
            references,
            metrics(*names),
            terms,
        )
        for each in systems
    )
    called = tuple("ABCDEFGH"[: len(found)])
    comparison = Comparison(called, found) if len(found) > 1 else None
    return Results(called, found, comparison)
