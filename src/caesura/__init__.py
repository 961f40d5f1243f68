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
        dumps,
        list_models,
        load,
        loads,
        read,
        reproduce,
        score,
        segment,
        stream,
        write,
    )
    from caesura.core.errors import CaesuraError, PluginError
    from caesura.core.protocols import (
        Detector,
        EntityModel,
        Format,
        Metric,
        Stream,
        TrainableDetector,
        WordTagger,
    )
    from caesura.core.registry import parse, register
    from caesura.core.segmentation import Segmentation
    from caesura.core.transcript import Sentence, Span, Transcript
    from caesura.core.values import Counts, Undefined, Value
    from caesura.detectors.column import Column
    from caesura.detectors.decision import Decision
    from caesura.detectors.explanation import Explanation, explain
    from caesura.detectors.fusion import Fusion
    from caesura.detectors.lm import LM, Combination
    from caesura.detectors.neural.birnn import BiRNN
    from caesura.detectors.neural.cnn import CNN
    from caesura.detectors.neural.encoder import Encoder
    from caesura.detectors.neural.fast_net import FastNet
    from caesura.detectors.pause import Pause, PauseModel
    from caesura.detectors.probability import probabilities
    from caesura.detectors.stored_model import Auto, Model
    from caesura.detectors.syntax.crf_svm import CRF, SVM
    from caesura.detectors.syntax.sda import SDA
    from caesura.detectors.tagging.entity_model import Margins
    from caesura.detectors.tagging.pos_tagger import Tagged, Tagger
    from caesura.detectors.window_stream import Lookahead
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
    from caesura.evaluation.script_alignment import ScriptAlignment, align_to_script
    from caesura.formats.in_memory import Sentences, Text, Words
    from caesura.metrics.agreement import Agreement
    from caesura.metrics.atene import ATENE
    from caesura.metrics.boundary import Boundary
    from caesura.metrics.cluster import Cluster
    from caesura.metrics.dependency import Dependency
    from caesura.metrics.entities import Entities
    from caesura.metrics.joint import Joint
    from caesura.metrics.latency import Latency
    from caesura.metrics.majority import KolarLamel, Majority
    from caesura.metrics.restoration import Restoration
    from caesura.metrics.similarity import BoundarySimilarity, SegmentationSimilarity
    from caesura.metrics.tolerant import Tolerant
    from caesura.metrics.windowdiff import Pk, WindowDiff
    from caesura.metrics.wisebe import WiSeBE
    from caesura.text.alignment.transfer import Transferred, transfer_layers
    from caesura.text.alignment.word_alignment import Alignment
    from caesura.text.normalization.steps import normalize
    from caesura.text.restore import as_read, restore
    from caesura.training.adapt import Adaptation, adapt
    from caesura.training.run import train
    from caesura.training.search import Training


_MODULES = {
    "api": (
        "agree",
        "align",
        "catalogue",
        "compare",
        "convert",
        "dumps",
        "list_models",
        "load",
        "loads",
        "read",
        "reproduce",
        "score",
        "segment",
        "stream",
        "write",
    ),
    "core.errors": ("CaesuraError", "PluginError"),
    "core.protocols": (
        "Detector",
        "EntityModel",
        "Format",
        "Metric",
        "Stream",
        "TrainableDetector",
        "WordTagger",
    ),
    "core.registry": ("parse", "register"),
    "core.segmentation": ("Segmentation",),
    "core.transcript": ("Sentence", "Span", "Transcript"),
    "core.values": ("Counts", "Undefined", "Value"),
    "detectors.explanation": ("Explanation", "explain"),
    "detectors.probability": ("probabilities",),
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
    "evaluation.script_alignment": ("ScriptAlignment", "align_to_script"),
    "formats.in_memory": ("Sentences", "Text", "Words"),
    "text.alignment.transfer": ("Transferred", "transfer_layers"),
    "text.alignment.word_alignment": ("Alignment",),
    "text.normalization.steps": ("normalize",),
    "text.restore": ("as_read", "restore"),
    "training.adapt": ("Adaptation", "adapt"),
    "training.run": ("train",),
    "training.search": ("Training",),
}
_KINDS: tuple[Any, ...] = ("detector", "tagger", "entity-model", "metric")
"""Kinds of registered classes that can be imported from here; the metric `Words` cannot, since
`caesura.Words` is a list of words."""

_HOME = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "ATENE",
    "CNN",
    "CRF",
    "LM",
    "SDA",
    "SVM",
    "Adaptation",
    "Agreement",
    "Alignment",
    "Auto",
    "BiRNN",
    "Boundary",
    "BoundarySimilarity",
    "CaesuraError",
    "Cluster",
    "Column",
    "Combination",
    "Comparison",
    "Correlations",
    "Counts",
    "Decision",
    "Dependency",
    "Detector",
    "Encoder",
    "Entities",
    "EntityModel",
    "Explanation",
    "FastNet",
    "Format",
    "Fusion",
    "Joint",
    "KolarLamel",
    "Latency",
    "Lookahead",
    "Majority",
    "Margins",
    "Metric",
    "Model",
    "Pause",
    "PauseModel",
    "Pk",
    "PluginError",
    "Projection",
    "Restoration",
    "Scores",
    "ScriptAlignment",
    "Segmentation",
    "SegmentationSimilarity",
    "Sentence",
    "Sentences",
    "Span",
    "Stream",
    "Tagged",
    "Tagger",
    "Text",
    "Tolerant",
    "TrainableDetector",
    "Training",
    "Transcript",
    "Transferred",
    "Undefined",
    "Value",
    "WiSeBE",
    "WindowDiff",
    "WordTagger",
    "Words",
    "adapt",
    "agree",
    "align",
    "align_to_script",
    "as_read",
    "boundary_similarity",
    "catalogue",
    "cer",
    "compare",
    "convert",
    "correlate",
    "dumps",
    "explain",
    "f1",
    "list_models",
    "load",
    "loads",
    "mer",
    "normalize",
    "parse",
    "pk",
    "precision",
    "probabilities",
    "project",
    "read",
    "recall",
    "register",
    "reproduce",
    "restore",
    "score",
    "segment",
    "ser",
    "stream",
    "train",
    "transfer_layers",
    "wer",
    "wil",
    "windowdiff",
    "wisebe",
    "write",
]


def __getattr__(name: str) -> Any:
    """Import a public name: of the table above, a registered class, or `to_FORMAT`."""
    if name in _HOME:
        return getattr(import_module(f"caesura.{_HOME[name]}"), name)
    if not name.startswith("_"):
        from caesura.core import registry

        for kind in _KINDS:
            if name in registry.NAMES[kind]:
                return registry.find(kind, name)
        format = name.removeprefix("to_")
        if format != name and registry.is_known("format", format):
            # By name, as in `_HOME`: no package below may seem to import these modules.
            recognize, api = map(import_module, ("caesura.formats.recognize", "caesura.api"))
            if recognize.is_writable(format):
                return api.text_writer(format)
            raise AttributeError(f"the format {format} is only read: there is no caesura.{name}")
    raise AttributeError(f"module 'caesura' has no attribute {name!r}")


def __dir__() -> list[str]:
    api = import_module("caesura.api")
    return [*__all__, *(f"to_{format}" for format in api.writable_formats()), "__version__"]
