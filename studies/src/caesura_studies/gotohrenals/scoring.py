"""Recordings with known sentence ends, the scores of systems on them, and tests between systems.

The measures have the paper's names: P&R is F1, SER the slot error rate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from caesura.core.arrays import Flags, Floats
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Undefined, Value, ratio
from caesura.evaluation.comparison import Comparison, Difference
from caesura.evaluation.document import Document, ScoringSettings
from caesura.evaluation.resampling import Resampling
from caesura.evaluation.scores import Scores
from caesura.metrics.boundary import Boundary
from caesura.text.alignment.transfer import Transferred
from caesura_studies import claims
from caesura_studies.claims import Tests, ValueWithInterval, value, value_with_interval
from caesura_studies.report import draw_curves

if TYPE_CHECKING:
    from matplotlib.axes import Axes

METRIC = Boundary()
RESAMPLING = Resampling()
TERMS = ScoringSettings(("case", "dots", "punctuation"), True, RESAMPLING)
MEASURES = {"recall": "R", "precision": "P", "f1": "P&R", "ser": "SER"}
"""Values of the metric, and the paper's names for them."""


@dataclass(frozen=True, eq=False)
class Source:
    """Recordings on which systems are scored.

    `lost` counts, for recognised words, the reference's boundaries that have no recognised word: no
    system can find them. `edits` and `spoken` are the word errors and the words of the references.
    """

    name: str
    recordings: tuple[Transcript, ...]
    lost: tuple[int, ...]
    edits: tuple[int, ...]
    spoken: tuple[int, ...]

    @classmethod
    def of_references(cls, name: str, recordings: Sequence[Transcript]) -> Source:
        """Make a source of references, which have no word errors."""
        none = (0,) * len(recordings)
        return cls(name, tuple(recordings), none, none, tuple(map(len, recordings)))

    @classmethod
    def of_recognised(cls, name: str, found: Sequence[Transferred]) -> Source:
        """Make a source of recognised words with the sentence ends of their references."""
        return cls(
            name,
            tuple(each.transcript for each in found),
            tuple(len(each.lost_boundaries) for each in found),
            tuple(each.alignment.edits for each in found),
            tuple(each.alignment.source_length for each in found),
        )

    def __len__(self) -> int:
        return len(self.recordings)

    @property
    def timed(self) -> bool:
        """Whether most recordings have times."""
        return 2 * sum(each.start is not None for each in self.recordings) > len(self)

    @property
    def words(self) -> int:
        """The number of words."""
        return sum(map(len, self.recordings))

    @property
    def boundaries(self) -> int:
        """The number of boundaries that can be found; the end of a recording is none."""
        return int(self.ends.sum())

    @cached_property
    def ends(self) -> Flags:
        """Whether there is a boundary at each gap of all recordings but their last ones."""
        return np.concatenate([sentence_ends(each)[:-1] for each in self.recordings])

    @cached_property
    def word_error_rate(self) -> ValueWithInterval:
        """The word error rate and its interval."""
        return rate(self.edits, self.spoken)

    @property
    def word_error_rates(self) -> list[Value]:
        """The word error rate of each recording."""
        pairs = zip(self.edits, self.spoken, strict=True)
        return [ratio(edits, words, "no words in the reference") for edits, words in pairs]

    def half(self, first: int) -> Source:
        """Return every second recording, beginning with number `first`."""
        layers = (self.recordings, self.lost, self.edits, self.spoken)
        return Source(self.name, *(layer[first::2] for layer in layers))  # type: ignore[arg-type]

    def scores(self, found: Sequence[Segmentation]) -> Scores:
        """Score the boundaries that a system found."""
        documents = tuple(map(self._document, self.recordings, found, self.lost))
        return Scores((METRIC,), documents, 1, TERMS)

    def _document(self, reference: Transcript, found: Segmentation, lost: int) -> Document:
        ours = reference.replace(sentences=Segmentation(found.boundary))
        counts = METRIC.count(ours, [reference]) + Counts(missing_1=lost)
        return Document(reference.id, ours, (reference,), (counts,))


def sentence_ends(transcript: Transcript) -> Flags:
    """Return the sentence ends of a recording that has some."""
    assert transcript.sentences is not None
    return transcript.sentences.boundary


def pooled_log_odds(found: Sequence[Segmentation]) -> Floats:
    """Concatenate the log-odds of all gaps but the last ones of recordings."""
    return np.concatenate([each.log_odds[:-1] for each in found if each.log_odds is not None])


def join_scores(parts: Sequence[Scores]) -> Scores:
    """Join the scores of several parts of a source."""
    documents = sorted((each for part in parts for each in part.documents), key=lambda d: d.id)
    return Scores((METRIC,), tuple(documents), 1, TERMS)


def by_recording(scores: Scores, name: str = "f1") -> list[Value]:
    """Return one value of each recording."""
    return [METRIC.values(each.counts[0])[name] for each in scores.documents]


def scores_as_json(scores: Scores) -> dict[str, Any]:
    """Return scores and intervals for `results.json`."""
    found: dict[str, Any] = {
        title: {"value": value, "interval": None if isinstance(around, Undefined) else around}
        for title, (value, around) in (
            (title, value_with_interval(scores, name)) for name, title in MEASURES.items()
        )
    }
    return found


def rate(parts: ArrayLike, wholes: ArrayLike) -> ValueWithInterval:
    """Divide two sums over calls; bootstrap the calls for the interval."""
    return claims.rate(parts, wholes, RESAMPLING)


def compare_pairs(
    systems: Mapping[str, Scores], names: Sequence[str]
) -> dict[tuple[str, str, str], Difference]:
    """Test each pair of systems in each value, by value, first and second system."""
    if len(systems) < 2:
        return {}
    rows = Comparison(tuple(systems), tuple(systems.values()), tuple(names)).rows
    order = list(systems)
    return {(row.value, order[row.a], order[row.b]): row for row in rows}


def draw_measures(axes: Axes, points: Mapping[float, Scores]) -> None:
    """Draw recall, precision, P&R and SER."""
    draw_curves(
        axes,
        {
            title: {x: value(scores, name) for x, scores in points.items()}
            for name, title in MEASURES.items()
        },
    )


def tests_table(tests: Tests) -> str:
    """Return a table of the differences between systems."""
    return claims.tests_table(tests, MEASURES)


def verdict(row: Difference, one: str, other: str) -> str:
    """Say which system is better, by how much and with which p-value."""
    return claims.verdict(row, one, other, MEASURES)
