"""Sentences in speech: find where they end, and measure how well that came out.

    import caesura
    for recording in caesura.segment("talk.json"):
        for sentence in recording.iter_sentences():
            print(sentence.text)

Names are imported when they are first used, so that `import caesura` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from caesura.version import __version__ as __version__

if TYPE_CHECKING:
    from caesura.aligning import Aligned, aligned
    from caesura.api import (
        Comparison,
        Correlations,
        Projection,
        Scores,
        Training,
        agree,
        align,
        catalogue,
        compare,
        convert,
        correlate,
        models,
        project,
        read,
        report,
        reproduce,
        score,
        segment,
        stream,
        train,
        write,
    )
    from caesura.contracts import Counts, Detector, Format, Metric, Stream, Undefined, Value
    from caesura.errors import CaesuraError
    from caesura.registry import parse
    from caesura.text.align import Alignment
    from caesura.text.carrying import Carried, carry
    from caesura.text.normalize import normalize
    from caesura.transcript import Segmentation, Span, Transcript

_ROOMS = {
    "aligning": ("Aligned", "aligned"),
    "api": (
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
    ),
    "contracts": ("Counts", "Detector", "Format", "Metric", "Stream", "Undefined", "Value"),
    "errors": ("CaesuraError",),
    "registry": ("parse",),
    "text.align": ("Alignment",),
    "text.carrying": ("Carried", "carry"),
    "text.normalize": ("normalize",),
    "transcript": ("Segmentation", "Span", "Transcript"),
}
_HOME = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "Aligned",
    "Alignment",
    "CaesuraError",
    "Carried",
    "Comparison",
    "Correlations",
    "Counts",
    "Detector",
    "Format",
    "Metric",
    "Projection",
    "Scores",
    "Segmentation",
    "Span",
    "Stream",
    "Training",
    "Transcript",
    "Undefined",
    "Value",
    "agree",
    "align",
    "aligned",
    "carry",
    "catalogue",
    "compare",
    "convert",
    "correlate",
    "models",
    "normalize",
    "parse",
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


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'caesura' has no attribute {name!r}")
    return getattr(import_module(f"caesura.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
