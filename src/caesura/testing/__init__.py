"""The laws that every metric, detector and format obeys, as functions for your own tests.

    from caesura.testing import check_metric

    def test_my_metric() -> None:
        check_metric(MyMetric())

Each function runs all laws of one kind on random input, and raises an `AssertionError` with the
law and the smallest input that breaks it. The tests of Caesura call the same laws for everything
that is built in. This package needs hypothesis: `pip install 'caesura[testing]'`.

The laws are in `metric_laws.py`, `detector_laws.py` (also taggers and entity models) and
`format_laws.py`; `strategies.py` draws random transcripts.
Nothing outside this package imports it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from caesura.core.errors import CaesuraError

if TYPE_CHECKING:
    from caesura.core.protocols import Detector, EntityModel, Format, Metric, WordTagger
    from caesura.core.transcript import Transcript

__all__ = ["check_detector", "check_entity_model", "check_format", "check_metric", "check_tagger"]

EXAMPLES = 25
"""Random inputs for each law, if nothing else is asked for."""

DAMAGED = 1000
"""Damaged files that a format must read or refuse, if nothing else is asked for."""


def check_metric(metric: Metric, *, examples: int = EXAMPLES) -> None:
    """Check that a metric obeys the laws, on documents with all layers that metrics compare.

    Its `repr` parses back to it; counts add over documents, in any order; the order of references
    does not matter; a copy of the reference gets the best value; every value is a finite number
    or `Undefined` with a reason; columns of `per_gap_counts` sum to the counts.
    """
    with _needing_hypothesis():
        from caesura.testing.metric_laws import METRIC_LAWS

    for law in METRIC_LAWS:
        with _naming(law, metric):
            law(metric, examples)


def check_detector(
    detector: Detector,
    *,
    train: Sequence[Transcript] = (),
    lookahead: int = 0,
    examples: int = EXAMPLES,
) -> None:
    """Check that a detector, which is trained first, obeys the laws.

    Its `repr` parses back to it, before and after training; every gap of any transcript gets a
    finite number; many recordings at once are decided like each alone; a stream decides like the
    whole recording, wherever it is interrupted; a stored and loaded model gives the same log-odds,
    bit by bit.

    It is trained on `train`, or on made-up recordings that have all layers. Give a `lookahead`
    (in words) if every gap bears on every other one, so that only a stream that waits for the
    whole recording can decide alike: the stream of `Lookahead(detector, lookahead)` is checked.
    """
    with _needing_hypothesis():
        from caesura.testing.detector_laws import DETECTOR_LAWS, train_detector

    trained = train_detector(detector, train)
    for law in DETECTOR_LAWS:
        with _naming(law, detector):
            law(trained, examples, lookahead)


def check_tagger(
    tagger: WordTagger, *, train: Sequence[Transcript], examples: int = EXAMPLES
) -> None:
    """Check that a tagger, which is trained first, obeys the laws.

    Its `repr` parses back to it; every word of any transcript gets a tag, and nothing else
    changes; many recordings at once are tagged like each alone; a stored and loaded model is the
    same, bit by bit.
    """
    with _needing_hypothesis():
        from caesura.testing.detector_laws import TAGGER_LAWS, train_tagger

    trained = train_tagger(tagger, train)
    for law in TAGGER_LAWS:
        with _naming(law, tagger):
            law(trained, examples)


def check_entity_model(
    model: EntityModel, *, train: Sequence[Transcript], examples: int = EXAMPLES
) -> None:
    """Check that an entity model, which is trained first, obeys the laws.

    Its `repr` parses back to it; the probabilities at every word of any transcript sum to 1; many
    recordings at once get the same as each alone; a stored and loaded model is the same, bit by
    bit.
    """
    with _needing_hypothesis():
        from caesura.testing.detector_laws import ENTITY_MODEL_LAWS, train_entity_model

    trained = train_entity_model(model, train)
    for law in ENTITY_MODEL_LAWS:
        with _naming(law, model):
            law(trained, examples)


def check_format(
    format: Format,
    *,
    samples: Sequence[bytes] = (),
    damaged: int = DAMAGED,
    examples: int = EXAMPLES,
) -> None:
    """Check that a format obeys the laws.

    Its `repr` parses back to it; `read(write(t)) == t` for all that the format carries; any other
    transcript is written, or refused with a `CaesuraError`; line ends and a byte order mark change
    nothing (for a `TextFormat`); any bytes are read or refused with one `CaesuraError`.

    `samples` are contents of files as other programs write them: they are damaged `damaged` times
    to see that. Without samples, files that the format writes itself are damaged.
    """
    with _needing_hypothesis():
        from caesura.testing.format_laws import FORMAT_LAWS, Subject

    subject = Subject(format, tuple(samples), damaged)
    for law in FORMAT_LAWS:
        with _naming(law, format):
            law(subject, examples)


@contextmanager
def _needing_hypothesis() -> Iterator[None]:
    """Say how to install hypothesis if it is missing, and let pytest explain failed asserts."""
    if "pytest" in sys.modules:
        names = ("metric_laws", "detector_laws", "format_laws")
        wanted = [f"caesura.testing.{name}" for name in names]
        sys.modules["pytest"].register_assert_rewrite(
            *(name for name in wanted if name not in sys.modules)
        )
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name != "hypothesis":
            raise
        raise CaesuraError(
            "caesura.testing needs hypothesis, which is not installed",
            remedy="install it: pip install 'caesura[testing]'",
        ) from error


@contextmanager
def _naming(law: Callable[..., None], checked: object) -> Iterator[None]:
    """Add to any error the law that is broken, and by what."""
    try:
        yield
    except Exception as error:
        error.add_note(f"{checked!r} breaks a law: {(law.__doc__ or law.__name__).strip()}")
        raise
