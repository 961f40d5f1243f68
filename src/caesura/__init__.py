"""Sentences in speech: find where they end, and measure how well that came out.

    import caesura
    for recording in caesura.segment("talk.json"):
        for sentence in recording.iter_sentences():
            print(sentence.text)

Names are imported when they are first used, so that `import caesura` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from caesura.api import (
        agree,
        align,
        catalogue,
        compare,
        convert,
        list_models,
        read,
        reproduce,
        score,
        segment,
        stream,
        write,
    )
    from caesura.core.errors import CaesuraError
    from caesura.core.protocols import Detector, Format, Metric, Stream
    from caesura.core.registry import parse, register
    from caesura.core.segmentation import Segmentation
    from caesura.core.transcript import Span, Transcript
    from caesura.core.values import Counts, Undefined, Value
    from caesura.evaluation.comparison import Comparison
    from caesura.evaluation.correlation import Correlations, correlate
    from caesura.evaluation.project_entities import Projection, project
    from caesura.evaluation.quick import (
        boundary_similarity,
        cer,
        f1,
        mer,
        pk,
        precision,
        recall,
        ser,
        wer,
        wil,
        windowdiff,
        wisebe,
    )
    from caesura.evaluation.scores import Scores
    from caesura.evaluation.script_alignment import Aligned, aligned
    from caesura.formats.in_memory import Sentences, Text, Words
    from caesura.text.alignment.transfer import Carried, carry
    from caesura.text.alignment.word_alignment import Alignment
    from caesura.text.normalization.steps import normalize
    from caesura.training.run import train
    from caesura.training.search import Training

_MODULES = {
    "api": (
        "agree",
        "align",
        "catalogue",
        "compare",
        "convert",
        "list_models",
        "read",
        "reproduce",
        "score",
        "segment",
        "stream",
        "write",
    ),
    "core.errors": ("CaesuraError",),
    "core.protocols": ("Detector", "Format", "Metric", "Stream"),
    "core.registry": ("parse", "register"),
    "core.segmentation": ("Segmentation",),
    "core.transcript": ("Span", "Transcript"),
    "core.values": ("Counts", "Undefined", "Value"),
    "evaluation.comparison": ("Comparison",),
    "evaluation.correlation": ("Correlations", "correlate"),
    "evaluation.project_entities": ("Projection", "project"),
    "evaluation.quick": (
        "boundary_similarity",
        "cer",
        "f1",
        "mer",
        "pk",
        "precision",
        "recall",
        "ser",
        "wer",
        "wil",
        "windowdiff",
        "wisebe",
    ),
    "evaluation.scores": ("Scores",),
    "evaluation.script_alignment": ("Aligned", "aligned"),
    "formats.in_memory": ("Sentences", "Text", "Words"),
    "text.alignment.transfer": ("Carried", "carry"),
    "text.alignment.word_alignment": ("Alignment",),
    "text.normalization.steps": ("normalize",),
    "training.run": ("train",),
    "training.search": ("Training",),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}

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
    "Sentences",
    "Span",
    "Stream",
    "Text",
    "Training",
    "Transcript",
    "Undefined",
    "Value",
    "Words",
    "agree",
    "align",
    "aligned",
    "boundary_similarity",
    "carry",
    "catalogue",
    "cer",
    "compare",
    "convert",
    "correlate",
    "f1",
    "list_models",
    "mer",
    "normalize",
    "parse",
    "pk",
    "precision",
    "project",
    "read",
    "recall",
    "register",
    "reproduce",
    "score",
    "segment",
    "ser",
    "stream",
    "train",
    "wer",
    "wil",
    "windowdiff",
    "wisebe",
    "write",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'caesura' has no attribute {name!r}")
    return getattr(import_module(f"caesura.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
