"""The registry: names that users type, the classes they stand for, and texts with settings.

A name may carry settings, as in `parse("metric", "Boundary(count_end=True)")`; the `repr` of the
result is that text again. Settings are literals or further registered objects, never evaluated.
Built-in names come first, and their modules are imported when they are used; all other names are
looked up in `core/plugins.py`.
"""

from __future__ import annotations

import ast
import logging
import re
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from importlib import import_module
from keyword import kwlist
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar, overload

from caesura.core import plugins
from caesura.core.errors import PluginError, UnknownName, advice, same_name

if TYPE_CHECKING:
    from caesura.core.config import Configured
    from caesura.core.protocols import Detector, EntityModel, Format, Metric, WordTagger

Kind = Literal["format", "detector", "tagger", "entity-model", "metric"]

KEYWORD = re.compile(rf"\b(?:{'|'.join(kwlist)})(?=\s*=(?!=))")
"""A keyword of Python as the name of a setting, as in class=1, which Python cannot parse."""

PROTOCOLS: dict[Kind, str] = {
    "format": "Format",
    "detector": "Detector",
    "tagger": "WordTagger",
    "entity-model": "EntityModel",
    "metric": "Metric",
}
"""The class in `core/protocols.py` that all classes of a kind derive from."""

LEARNERS: tuple[Kind, ...] = ("detector", "tagger", "entity-model")
"""Kinds of classes that can be trained."""

NAMES: dict[Kind, dict[str, str]] = {
    "format": {
        "lines": "caesura.formats.plain:Lines",
        "text": "caesura.formats.plain:Text",
        "turns": "caesura.formats.plain:Turns",
        "tokens": "caesura.formats.plain:Tokens",
        "utterances": "caesura.formats.plain:Utterances",
        "jsonl": "caesura.formats.jsonl:Jsonl",
        "tsv": "caesura.formats.tsv:Tsv",
        "ctm": "caesura.formats.nist.ctm:Ctm",
        "stm": "caesura.formats.nist.stm:Stm",
        "trn": "caesura.formats.nist.trn:Trn",
        "kaldi": "caesura.formats.nist.trn:Kaldi",
        "rttm": "caesura.formats.nist.rttm:Rttm",
        "whisper": "caesura.formats.asr.whisper:Whisper",
        "whispercpp": "caesura.formats.asr.whispercpp:WhisperCpp",
        "vosk": "caesura.formats.asr.vosk:Vosk",
        "nlp": "caesura.formats.asr.rev_nlp:Nlp",
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
        "PauseModel": "caesura.detectors.pause:PauseModel",
        "LM": "caesura.detectors.lm:LM",
        "Combination": "caesura.detectors.lm:Combination",
        "Lookahead": "caesura.detectors.window_stream:Lookahead",
        "Decision": "caesura.detectors.decision:Decision",
        "Model": "caesura.detectors.stored_model:Model",
        "Auto": "caesura.detectors.stored_model:Auto",
        "Column": "caesura.detectors.column:Column",
        "Fusion": "caesura.detectors.fusion:Fusion",
        "CRF": "caesura.detectors.syntax.crf_svm:CRF",
        "SVM": "caesura.detectors.syntax.crf_svm:SVM",
        "SDA": "caesura.detectors.syntax.sda:SDA",
        "CNN": "caesura.detectors.neural.cnn:CNN",
        "BiRNN": "caesura.detectors.neural.birnn:BiRNN",
        "Encoder": "caesura.detectors.neural.encoder:Encoder",
        "FastNet": "caesura.detectors.neural.fast_net:FastNet",
    },
    "tagger": {
        "Tagger": "caesura.detectors.tagging.pos_tagger:Tagger",
        "Tagged": "caesura.detectors.tagging.pos_tagger:Tagged",
    },
    "entity-model": {
        "Margins": "caesura.detectors.tagging.entity_model:Margins",
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
        "Restoration": "caesura.metrics.restoration:Restoration",
        "Words": "caesura.metrics.words:Words",
        "Entities": "caesura.metrics.entities:Entities",
        "ATENE": "caesura.metrics.atene:ATENE",
    },
}


logger = logging.getLogger("caesura")

C = TypeVar("C", bound="type[Configured]")


class Entry(NamedTuple):
    """A registered class, its name, and the plug-in's origin ('' for what is built in)."""

    name: str
    registered_class: type[Any]
    origin: str = ""


def names(kind: Kind) -> list[str]:
    """List the built-in names of one kind."""
    return list(NAMES[kind])


def all_names(kind: Kind) -> list[str]:
    """List the names of one kind: built-in ones, then those of plug-ins, which are not imported."""
    return list(dict.fromkeys((*NAMES[kind], *plugins.names(kind))))


def entries(kind: Kind) -> Iterator[Entry]:
    """Yield every registered class of one kind; broken plug-ins are skipped with a warning."""
    for name in NAMES[kind]:
        yield Entry(name, find(kind, name))
    yield from plugin_entries(kind)


def plugin_entries(kind: Kind) -> Iterator[Entry]:
    """Yield the classes that plug-ins add to one kind; broken ones are skipped with a warning."""
    for name in plugins.names(kind):
        taken = kind_of(name, kind)
        if name in NAMES[taken]:
            _warn_once(
                f"the {kind} {name!r} of {plugins.owner(kind, name)} is ignored: "
                f"there is a built-in {taken} of that name"
            )
            continue
        try:
            plugin = plugins.find(kind, name)
        except PluginError as error:
            _warn_once(str(error))
        else:
            if plugin is not None:
                yield Entry(name, plugin.plugin_class, plugin.origin)


def studies() -> Iterator[tuple[str, plugins.Study, str]]:
    """Yield the name, function and origin of each study; broken ones are skipped with a warning."""
    for name, origin in plugins.study_owners().items():
        try:
            yield name, plugins.find_study(name), origin
        except PluginError as error:
            _warn_once(str(error))


_warned: set[str] = set()


def _warn_once(message: str) -> None:
    if message not in _warned:
        _warned.add(message)
        logger.warning("%s", message)


def register(plugin_class: C) -> C:
    """Make a class of your own known by its `name`, like the built-in ones; usable as a decorator.

    The class derives from `Metric`, `Detector`, `Format`, `WordTagger` or `EntityModel`, and is a
    frozen dataclass. It is then found by `parse`, `score`, `segment`, `train` and so on, in this
    process; for the command line, declare an entry point (docs/plugins.md). A `PluginError` says
    what is missing: a name of its own, a method, or a `repr` that parses back.
    """
    kind = plugins.check_class(plugin_class)
    name = plugin_class.name
    if not plugins.provides(kind, plugin_class):
        _refuse_taken(kind, name, plugin_class)
    plugins.add(kind, plugins.Plugin(plugin_class))
    return plugin_class


def _refuse_taken(kind: Kind, name: str, plugin_class: type[Configured]) -> None:
    for other in NAMES:
        owner = "Caesura itself" if name in NAMES[other] else plugins.owner(other, name)
        if owner:
            raise PluginError(
                f"{plugin_class.__name__} cannot be a {kind}: "
                f"{name!r} is the name of a {other} of {owner}",
                remedy="give the class another name",
            )


def is_known(kind: Kind, name: str) -> bool:
    """Tell whether something of that kind has this name; plug-ins are not imported."""
    return name in NAMES[kind] or bool(plugins.owner(kind, name))


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
    """Import and return the class of that name."""
    _check_kind(kind)
    place = NAMES[kind].get(name)
    if place is not None:
        module, _, attribute = place.partition(":")
        built_in: type[Configured] = getattr(import_module(module), attribute)
        return built_in
    other = kind_of(name, kind)
    if other != kind:
        raise UnknownName(f"{name} is a {other}, and a {kind} is wanted")
    plugin = plugins.find(kind, name)
    if plugin is not None:
        return plugin.plugin_class
    hint = advice(name, all_names(kind), other=value_hint(name) if kind == "metric" else "")
    raise UnknownName(f"no {kind} is named {name!r}", remedy=hint)


def value_hint(value: str) -> str:
    """Say which metrics have a value of that name, if any do, and how to ask for them."""
    from caesura.core.values import Counts

    metrics: dict[str, list[str]] = {}
    for entry in entries("metric"):
        if all(map(has_default, fields(entry.registered_class))):
            for name in entry.registered_class().values(Counts()):
                metrics.setdefault(name, []).append(entry.name)
    meant = same_name(value, metrics)
    if not meant:
        return ""
    first, *others = metrics[meant]
    more = ", or another of these" if others else ""
    option = f"metric='{first}' (--metric {first})"
    return f"{meant} is a value of {', '.join((first, *others))}: {option}{more}"


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
    """Make the object that a text describes: a registered name, perhaps with settings."""
    _check_kind(kind)
    try:
        tree = _parsed(text.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        unclosed = text.count("(") > text.count(")")
        raise UnknownName(
            f"{text!r} is not a {kind}" + (": a bracket is not closed" if unclosed else ""),
            remedy="write a name, as in Name or Name(setting=1)",
        ) from error
    return _build(kind, tree, text)


def check_given(given: object, *kinds: Kind) -> None:
    """Raise a `TypeError` for what is no text or object of these kinds, such as a class or None."""
    protocols = import_module("caesura.core.protocols")
    bases = tuple(getattr(protocols, PROTOCOLS[kind]) for kind in kinds)
    if isinstance(given, (str, *bases)):
        return
    wanted = ", ".join(kinds[:-1]) + " or " * (len(kinds) > 1) + kinds[-1]
    if isinstance(given, type) and issubclass(given, bases):
        raise TypeError(f"a {wanted} is wanted: write {_call_of(given)}, not the class")
    first = next(iter(NAMES[kinds[0]]))
    raise TypeError(
        f"a {wanted} is a text, as in {first!r}, or an object, as in "
        f"{_call_of(find(kinds[0], first))}, not {given!r}"
    )


def _call_of(made: type[Any]) -> str:
    """Write how an object of a class is made, by the shortest name that the class has."""
    public = getattr(import_module("caesura"), made.__name__, None) is made
    return f"{'caesura' if public else made.__module__}.{made.__name__}()"


def _check_kind(kind: str) -> None:
    if kind not in NAMES:
        raise UnknownName(f"no kind is named {kind!r}", remedy=f"kinds are {', '.join(NAMES)}")


def _parsed(text: str) -> ast.expr:
    """Parse a text; a setting named like a keyword of Python is parsed too, to be reported."""
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        # By NFKC, a full-width letter is the plain one in a name, but it makes no keyword.
        wide = KEYWORD.sub(lambda word: chr(ord(word[0][0]) + 0xFEE0) + word[0][1:], text)
        return ast.parse(wide, mode="eval").body


def learner(text: str) -> Detector | WordTagger | EntityModel:
    """Make the detector, tagger or entity model that a text describes."""
    name = text.split("(")[0].strip()
    kind = kind_of(name, "detector")
    if kind == "detector" and name.isidentifier() and not is_known(kind, name):
        known = (each for one in LEARNERS for each in all_names(one))
        what = f"no detector, tagger or entity model is named {name!r}"
        raise UnknownName(what, remedy=advice(name, known))
    if kind == "tagger":
        return parse("tagger", text)
    if kind == "entity-model":
        return parse("entity-model", text)
    return parse("detector", text)


def kind_of(name: str, usual: Kind) -> Kind:
    """Return the kind of a registered name; the usual one, if it is of that kind or of none."""
    kinds: list[Kind] = [usual, *NAMES]
    for kind in kinds:
        if name in NAMES[kind]:
            return kind
    return next((kind for kind in kinds if plugins.owner(kind, name)), usual)


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
    hint = value_hint(text) if kind == "metric" else ""
    if isinstance(tree, ast.Tuple):
        several = "give a list of them (--metric once for each)"
        hint = several if kind == "metric" else f"name one {kind}"
    hint = hint or "write a name, as in Name or Name(setting=1)"
    raise UnknownName(f"{text!r} is not a {kind}", remedy=hint)


def _value(kind: Kind, tree: ast.expr, text: str) -> Any:
    """Return a setting: a literal, a registered object of any kind, or a list of them."""
    named = tree.func if isinstance(tree, ast.Call) else tree
    inner = kind_of(named.id, kind) if isinstance(named, ast.Name) else kind
    if isinstance(tree, ast.Call) or (isinstance(tree, ast.Name) and is_known(inner, tree.id)):
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
    known = [field.name for field in fields(find(kind, name))]  # type: ignore[arg-type]
    if len(values) > len(known):
        raise UnknownName(f"{name} takes at most {len(known)} settings, not {len(values)}")
    for setting, value in zip(known, values, strict=False):
        if setting in settings:
            raise UnknownName(f"{name} is given {setting!r} twice")
        settings[setting] = value
    made: Configured = make(kind, name, settings)
    return made


def make(kind: Kind, name: str, settings: dict[str, Any]) -> Any:
    """Make the object of a registered name with these settings."""
    made = find(kind, name)
    known = [field.name for field in fields(made)]  # type: ignore[arg-type]
    for setting in settings:
        if setting not in known:
            hint = advice(setting, known, "it has")
            raise UnknownName(f"{name} has no setting {setting!r}", remedy=hint)
    for field in fields(made):  # type: ignore[arg-type]
        if field.name not in settings and not has_default(field):
            raise UnknownName(f"{name} needs a setting {field.name!r}")
    try:
        return made(**settings)
    except (TypeError, ValueError) as error:
        raise UnknownName(f"{name}: {error}", remedy=f"see: caesura list {kind}s") from error


def has_default(setting: Field[Any]) -> bool:
    """Tell whether a setting may be left out."""
    return setting.default is not MISSING or setting.default_factory is not MISSING
