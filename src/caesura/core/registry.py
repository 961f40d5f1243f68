"""Names that users type, and what they stand for; nothing is imported before it is used.

A name may carry settings: `parse("metric", "Boundary(count_end=True)")`; what it gives has
that text as its `repr`. Settings are literals or further registered things, never evaluated.
"""

from __future__ import annotations

import ast
import re
from dataclasses import MISSING, fields
from importlib import import_module
from importlib.metadata import entry_points
from keyword import kwlist
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, overload

from caesura.core.errors import UnknownName, advice, same

if TYPE_CHECKING:
    from caesura.core.config import Configured
    from caesura.core.protocols import Detector, EntityModel, Format, Metric, WordTagger

Kind = Literal["format", "detector", "tagger", "entity-model", "metric"]

KEYWORD = re.compile(rf"\b(?:{'|'.join(kwlist)})(?=\s*=(?!=))")
"""A word of Python where a setting is named, as in class=1, which does not parse."""

LEARNERS: tuple[Kind, ...] = ("detector", "tagger", "entity-model")
"""What can be trained."""

NAMES: dict[Kind, dict[str, str]] = {
    "format": {
        "lines": "caesura.formats.plain:Lines",
        "text": "caesura.formats.plain:Text",
        "turns": "caesura.formats.plain:Turns",
        "tokens": "caesura.formats.plain:Tokens",
        "utterances": "caesura.formats.plain:Utterances",
        "jsonl": "caesura.formats.jsonl:Jsonl",
        "ctm": "caesura.formats.nist.ctm:Ctm",
        "stm": "caesura.formats.nist.stm:Stm",
        "trn": "caesura.formats.nist.trn:Trn",
        "kaldi": "caesura.formats.nist.trn:Kaldi",
        "rttm": "caesura.formats.nist.rttm:Rttm",
        "whisper": "caesura.formats.asr.whisper:Whisper",
        "whispercpp": "caesura.formats.asr.whispercpp:WhisperCpp",
        "vosk": "caesura.formats.asr.vosk:Vosk",
        "nlp": "caesura.formats.annotation.nlp:Nlp",
        "rev": "caesura.formats.asr.rev:Rev",
        "revai": "caesura.formats.asr.rev:RevAi",
        "amberscript": "caesura.formats.asr.amberscript:Amberscript",
        "coraal": "caesura.formats.annotation.coraal:Coraal",
        "aws": "caesura.formats.asr.aws:Aws",
        "google": "caesura.formats.asr.google:Google",
        "azure": "caesura.formats.asr.azure:Azure",
        "deepgram": "caesura.formats.asr.deepgram:Deepgram",
        "assemblyai": "caesura.formats.asr.assemblyai:AssemblyAi",
        "speechmatics": "caesura.formats.asr.speechmatics:Speechmatics",
        "srt": "caesura.formats.captions.srt:Srt",
        "vtt": "caesura.formats.captions.vtt:Vtt",
        "ttml": "caesura.formats.captions.ttml:Ttml",
        "textgrid": "caesura.formats.annotation.textgrid:TextGrid",
        "eaf": "caesura.formats.annotation.eaf:Eaf",
        "conllu": "caesura.formats.linguistic.conllu:ConllU",
        "knp": "caesura.formats.linguistic.knp:Knp",
        "bio": "caesura.formats.linguistic.bio:Bio",
        "offsets": "caesura.formats.linguistic.offsets:Offsets",
        "iwslt": "caesura.formats.linguistic.iwslt:Iwslt",
    },
    "detector": {
        "Pause": "caesura.detectors.pause:Pause",
        "PauseModel": "caesura.detectors.pause_model:PauseModel",
        "LM": "caesura.detectors.lm:LM",
        "Combination": "caesura.detectors.combination:Combination",
        "Lookahead": "caesura.detectors.window:Lookahead",
        "Model": "caesura.detectors.stored_model:Model",
        "Column": "caesura.detectors.column:Column",
        "Fusion": "caesura.detectors.fusion:Fusion",
        "CRF": "caesura.detectors.syntax.chunkers:CRF",
        "SVM": "caesura.detectors.syntax.chunkers:SVM",
        "SDA": "caesura.detectors.syntax.sda:SDA",
    },
    "tagger": {
        "Tagger": "caesura.detectors.tagging.tagger:Tagger",
        "Tagged": "caesura.detectors.tagging.stored_tagger:Tagged",
    },
    "entity-model": {
        "Margins": "caesura.detectors.tagging.entity_margins:Margins",
    },
    "metric": {
        "Boundary": "caesura.metrics.boundary:Boundary",
        "WiSeBE": "caesura.metrics.wisebe:WiSeBE",
        "Agreement": "caesura.metrics.agreement:Agreement",
        "Joint": "caesura.metrics.joint:Joint",
        "Pk": "caesura.metrics.windowdiff:Pk",
        "WindowDiff": "caesura.metrics.windowdiff:WindowDiff",
        "BoundarySimilarity": "caesura.metrics.similarity:BoundarySimilarity",
        "SegmentationSimilarity": "caesura.metrics.similarity:SegmentationSimilarity",
        "Tolerant": "caesura.metrics.tolerant:Tolerant",
        "Majority": "caesura.metrics.majority:Majority",
        "KolarLamel": "caesura.metrics.majority:KolarLamel",
        "Cluster": "caesura.metrics.cluster:Cluster",
        "Dependency": "caesura.metrics.dependency:Dependency",
        "Latency": "caesura.metrics.latency:Latency",
        "Words": "caesura.metrics.words:Words",
        "Entities": "caesura.metrics.entities:Entities",
        "ATENE": "caesura.metrics.atene:ATENE",
    },
}


def names(kind: Kind) -> list[str]:
    """Registered names of one kind."""
    return list(NAMES[kind])


@overload
def find(kind: Literal["format"], name: str) -> type[Format]: ...
@overload
def find(kind: Literal["detector"], name: str) -> type[Detector]: ...
@overload
def find(kind: Literal["tagger"], name: str) -> type[WordTagger]: ...
@overload
def find(kind: Literal["entity-model"], name: str) -> type[EntityModel]: ...
@overload
def find(kind: Literal["metric"], name: str) -> type[Metric]: ...
@overload
def find(kind: Kind, name: str) -> type[Configured]: ...
def find(kind: Kind, name: str) -> type[Configured]:
    """Import and give the class of that name."""
    place = NAMES[kind].get(name)
    if place is None:
        other = kind_of(name, kind)
        if other != kind:
            raise UnknownName(f"{name} is a {other}, and a {kind} is wanted")
        hint = advice(name, NAMES[kind], other=giving(name) if kind == "metric" else "")
        raise UnknownName(f"no {kind} is named {name!r}", remedy=hint)
    module, _, attribute = place.partition(":")
    found: type[Configured] = getattr(import_module(module), attribute)
    return found


def giving(value: str) -> str:
    """Say which metrics give a value of that name, if any do, and how to ask for them."""
    from caesura.core.values import Counts

    found: dict[str, list[str]] = {}
    for name in NAMES["metric"]:
        for each in find("metric", name)().values(Counts()):
            found.setdefault(each, []).append(name)
    meant = same(value, found)
    if not meant:
        return ""
    first, *others = found[meant]
    more = ", or another of these" if others else ""
    return f"{meant} is a value of {', '.join((first, *others))}: --metric {first}{more}"


@overload
def parse(kind: Literal["format"], text: str) -> Format: ...
@overload
def parse(kind: Literal["detector"], text: str) -> Detector: ...
@overload
def parse(kind: Literal["tagger"], text: str) -> WordTagger: ...
@overload
def parse(kind: Literal["entity-model"], text: str) -> EntityModel: ...
@overload
def parse(kind: Literal["metric"], text: str) -> Metric: ...
def parse(kind: Kind, text: str) -> Configured:
    """Make what the text describes: a registered name, perhaps with settings in brackets."""
    try:
        tree = _parsed(text.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        unclosed = text.count("(") > text.count(")")
        raise UnknownName(
            f"{text!r} is not a {kind}" + (": a bracket is not closed" if unclosed else ""),
            remedy="write a name, as in Name or Name(setting=1)",
        ) from error
    return _build(kind, tree, text)


def _parsed(text: str) -> ast.expr:
    """Parse a text, in which settings may be named by words of Python, so that this can be told."""
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        # A full-width letter is the plain one in a name, by NFKC, but not in a word of Python.
        wide = KEYWORD.sub(lambda word: chr(ord(word[0][0]) + 0xFEE0) + word[0][1:], text)
        return ast.parse(wide, mode="eval").body


def learner(text: str) -> Detector | WordTagger | EntityModel:
    """Make the detector, the tagger or the entity model that a text describes."""
    name = text.split("(")[0].strip()
    kind = kind_of(name, "detector")
    if kind == "detector" and name.isidentifier() and name not in NAMES[kind]:
        known = (each for one in LEARNERS for each in NAMES[one])
        what = f"no detector, tagger or entity model is named {name!r}"
        raise UnknownName(what, remedy=advice(name, known))
    if kind == "tagger":
        return parse("tagger", text)
    if kind == "entity-model":
        return parse("entity-model", text)
    return parse("detector", text)


def kind_of(name: str, usual: Kind) -> Kind:
    """Tell of what kind a registered name is; the usual one, if it is of that or of none."""
    others = (kind for kind in NAMES if name in NAMES[kind])
    return usual if name in NAMES[usual] else next(others, usual)


def _build(kind: Kind, tree: ast.expr, text: str) -> Configured:
    if isinstance(tree, ast.Name):
        return _make(kind, tree.id, [], {})
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name):
        values = [_value(kind, argument, text) for argument in tree.args]
        settings = {
            keyword.arg: _value(kind, keyword.value, text)
            for keyword in tree.keywords
            if keyword.arg is not None
        }
        if len(settings) == len(tree.keywords):
            return _make(kind, tree.func.id, values, settings)
    hint = giving(text) if kind == "metric" else ""
    if isinstance(tree, ast.Tuple):
        hint = "give --metric once for each" if kind == "metric" else f"name one {kind}"
    hint = hint or "write a name, as in Name or Name(setting=1)"
    raise UnknownName(f"{text!r} is not a {kind}", remedy=hint)


def _value(kind: Kind, tree: ast.expr, text: str) -> Any:
    """Give a setting: a literal, a registered thing of any kind, or several of either."""
    named = tree.func if isinstance(tree, ast.Call) else tree
    inner = kind_of(named.id, kind) if isinstance(named, ast.Name) else kind
    if isinstance(tree, ast.Call) or (isinstance(tree, ast.Name) and tree.id in NAMES[inner]):
        return _build(inner, tree, text)
    if isinstance(tree, (ast.Tuple, ast.List)):
        values = [_value(kind, element, text) for element in tree.elts]
        return tuple(values) if isinstance(tree, ast.Tuple) else values
    try:
        return ast.literal_eval(tree)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError) as error:
        raise UnknownName(
            f"{ast.unparse(tree)!r} in {text!r} is not a plain value",
            remedy="write a number, a text in quotes, True, False or None",
        ) from error


def _make(kind: Kind, name: str, values: list[Any], settings: dict[str, Any]) -> Configured:
    made = find(kind, name)
    known = [field.name for field in fields(made)]  # type: ignore[arg-type]
    if len(values) > len(known):
        raise UnknownName(f"{name} takes at most {len(known)} settings, not {len(values)}")
    for setting, value in zip(known, values, strict=False):
        if setting in settings:
            raise UnknownName(f"{name} is given {setting!r} twice")
        settings[setting] = value
    for setting in settings:
        if setting not in known:
            hint = advice(setting, known, "it has")
            raise UnknownName(f"{name} has no setting {setting!r}", remedy=hint)
    for field in fields(made):  # type: ignore[arg-type]
        if field.name not in settings and field.default is MISSING:
            raise UnknownName(f"{name} needs a setting {field.name!r}")
    try:
        return made(**settings)
    except (TypeError, ValueError) as error:
        raise UnknownName(f"{name}: {error}", remedy=f"see: caesura list {kind}s") from error


class Study(Protocol):
    """Runs a study: reads corpora below `data`, writes a report into `out`."""

    def __call__(self, data: Path, out: Path) -> Outcome:
        """Run it."""


class Outcome(Protocol):
    """What a study gives back."""

    @property
    def text(self) -> str:
        """The report, for a terminal."""


def study(name: str) -> Study:
    """Give the function that runs the study of that name, from the packages that are installed."""
    known = {each.name: each for each in entry_points(group="caesura.studies")}
    if not known:
        raise UnknownName(
            "no studies are installed", remedy="install them: pip install caesura-studies"
        )
    if name not in known:
        raise UnknownName(f"no study is named {name!r}", remedy=advice(name, known))
    found: Study = known[name].load()
    return found
