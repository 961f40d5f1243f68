"""Plug-ins: classes and studies that other distributions add, found through entry points.

A distribution declares what it adds in its pyproject.toml, one group for each kind:

    [project.entry-points."caesura.metrics"]
    LongestSentence = "my_package.longest:LongestSentence"

The name on the left is the one users type, and the `name` of the class. Entry points are read
only when a name is not built in, when things are listed, or when no built-in format fits a file;
only the entry point that is asked for is imported. `caesura.register` does the same for a class
that is in memory already. See docs/plugins.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import fields
from functools import lru_cache
from inspect import isabstract
from keyword import iskeyword
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from caesura.core.errors import CaesuraError, PluginError, UnknownName, advice

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from caesura.core.config import Configured
    from caesura.core.registry import Kind

GROUPS: dict[Kind, str] = {
    "format": "caesura.formats",
    "detector": "caesura.detectors",
    "tagger": "caesura.taggers",
    "entity-model": "caesura.entity_models",
    "metric": "caesura.metrics",
}
"""The entry-point group of each kind of class."""

STUDIES = "caesura.studies"
"""The entry-point group of studies, which are functions."""

STUDIES_REMEDY = "install them: pip install caesura-studies (in a clone: pip install ./studies)"

DECORATOR = "write @dataclass(frozen=True, repr=False) above the class, below @caesura.register"


class Plugin(NamedTuple):
    """A class that is not built in, and where it comes from."""

    plugin_class: type[Configured]
    distribution: str = ""
    version: str = ""

    @property
    def origin(self) -> str:
        """The distribution with its version, or the module that registered the class."""
        if self.distribution:
            return f"{self.distribution} {self.version}"
        return f"module {self.plugin_class.__module__}"

    @property
    def requirement(self) -> str:
        """What another machine needs to have the class: 'name==version', or 'module name'."""
        return f"{self.distribution}=={self.version}" if self.distribution else self.origin


_plugins: dict[Kind, dict[str, Plugin]] = {kind: {} for kind in GROUPS}
"""Classes that were registered, or imported from their entry points."""


def names(kind: Kind) -> list[str]:
    """List the names of plug-ins of one kind, without importing them."""
    return list(dict.fromkeys((*_plugins[kind], *_declared(GROUPS[kind]))))


def find(kind: Kind, name: str) -> Plugin | None:
    """Return the plug-in of that name, imported and checked, or None if there is no such one."""
    if name in _plugins[kind]:
        return _plugins[kind][name]
    declared = _declared(GROUPS[kind]).get(name)
    if declared is None:
        return None
    what = f"the {kind} {name!r}"
    plugin_class = _load(declared, what)
    entry_point = declared[0]
    try:
        own_kind, own_name = check_class(plugin_class), plugin_class.name
        if (own_kind, own_name) != (kind, name):
            raise PluginError(
                f"{entry_point.value} is named {own_name!r} and is a {own_kind}",
                remedy=f"make the entry point's name and group those of the class: {what} is asked",
            )
        return add(kind, Plugin(plugin_class, *_distribution(entry_point)))
    except PluginError as error:
        _plugins[kind].pop(name, None)
        raise PluginError(
            f"{what} of {_origin(entry_point)} cannot be used: {error.what}", remedy=error.remedy
        ) from error


def add(kind: Kind, plugin: Plugin) -> Plugin:
    """Make a checked class known, unless its `repr` does not parse back to an equal object."""
    name = plugin.plugin_class.name
    former = _plugins[kind].get(name)
    _plugins[kind][name] = plugin
    try:
        _check_round_trip(kind, plugin.plugin_class)
    except PluginError:
        if former is None:
            del _plugins[kind][name]
        else:
            _plugins[kind][name] = former
        raise
    return plugin


def owner(kind: Kind, name: str) -> str:
    """Say which module or distribution has a name already, without importing it; '' if none."""
    if name in _plugins[kind]:
        return _plugins[kind][name].origin
    declared = _declared(GROUPS[kind]).get(name, ())
    return " and ".join(map(_origin, declared))


def provides(kind: Kind, plugin_class: type[Configured]) -> bool:
    """Tell whether this class, or an earlier definition of it, has the plug-in name already.

    So a notebook cell can be run again, and a class can be both registered and an entry point.
    """
    place = f"{plugin_class.__module__}:{plugin_class.__qualname__}"
    name = plugin_class.name
    if name in _plugins[kind]:
        known = _plugins[kind][name].plugin_class
        return place == f"{known.__module__}:{known.__qualname__}"
    return [each.value for each in _declared(GROUPS[kind]).get(name, ())] == [place]


def of_class(plugin_class: type[Configured]) -> Plugin | None:
    """Return the plug-in that a class is, or None for a built-in class."""
    known = (each for kind in _plugins.values() for each in kind.values())
    return next((each for each in known if each.plugin_class is plugin_class), None)


def check_class(plugin_class: Any) -> Kind:
    """Return the kind of a plug-in class, or raise a `PluginError` that says what it lacks."""
    kind = _kind_by_base(plugin_class)
    what = f"{plugin_class.__name__} cannot be a {kind}"
    if "__dataclass_fields__" not in vars(plugin_class):
        raise PluginError(f"{what}: it is not a dataclass", remedy=DECORATOR)
    if not plugin_class.__dataclass_params__.frozen:
        raise PluginError(f"{what}: its dataclass is not frozen", remedy=DECORATOR)
    _check_name(plugin_class, what)
    _check_attributes(plugin_class, kind, what)
    if isabstract(plugin_class):
        lacking = ", ".join(sorted(plugin_class.__abstractmethods__))
        raise PluginError(f"{what}: it does not define {lacking}", remedy="define what is missing")
    return kind


def _check_attributes(plugin_class: Any, kind: Kind, what: str) -> None:
    """Refuse class attributes of the kind that are missing, or of another type."""
    for attribute, allows, description in _required_attributes(kind):
        remedy = f"set {attribute} in the class to {description}"
        if not hasattr(plugin_class, attribute):
            raise PluginError(f"{what}: it has no {attribute}", remedy=remedy)
        value = getattr(plugin_class, attribute)
        if not allows(value):
            raise PluginError(f"{what}: its {attribute} cannot be {value!r}", remedy=remedy)


def _required_attributes(kind: Kind) -> list[tuple[str, Callable[[Any], bool], str]]:
    """Return the class attributes without a default, besides `name`.

    Each comes with a test whether a value is allowed, and a description of what is.
    """
    # Imported here, because it imports numpy, which listing names does not need.
    from caesura.core.transcript import CARRIED

    def are_layers(value: Any) -> bool:
        return isinstance(value, Set) and value <= set(CARRIED)

    if kind == "format":
        layers = f"a frozenset of names out of {', '.join(CARRIED)}"
        suffixes = "a tuple of suffixes in lower case, as in ('.txt',)"
        return [("suffixes", _are_suffixes, suffixes), ("carries", are_layers, layers)]
    if kind == "metric":
        return [
            ("main", lambda value: isinstance(value, str), "the name of a value"),
            ("best", lambda value: isinstance(value, Mapping), "a dict, as in {'f1': 1.0}"),
        ]
    return []


def _are_suffixes(value: Any) -> bool:
    return isinstance(value, tuple) and all(
        isinstance(one, str) and len(one) > 1 and one.startswith(".") and one == one.lower()
        for one in value
    )


def _check_name(plugin_class: Any, what: str) -> None:
    name = getattr(plugin_class, "name", None)
    remedy = f'write name = "{plugin_class.__name__}" in the class'
    if name is None:
        raise PluginError(f"{what}: it has no name", remedy=remedy)
    if not isinstance(name, str) or not name.isidentifier() or iskeyword(name):
        raise PluginError(f"{what}: {name!r} cannot be typed as its name", remedy=remedy)
    if "name" in plugin_class.__dataclass_fields__:
        raise PluginError(f"{what}: its name is a setting", remedy=f"{remedy}, without a type")


def _kind_by_base(plugin_class: Any) -> Kind:
    """Return the kind of the protocol class that a class derives from."""
    from caesura.core.protocols import Detector, EntityModel, Format, Metric, WordTagger

    bases: dict[Kind, type[Configured]] = {
        "format": Format,
        "detector": Detector,
        "tagger": WordTagger,
        "entity-model": EntityModel,
        "metric": Metric,
    }
    for kind, base in bases.items():
        if isinstance(plugin_class, type) and issubclass(plugin_class, base):
            return kind
    known = ", ".join(f"caesura.{base.__name__}" for base in bases.values())
    raise PluginError(
        f"{plugin_class!r} is no class of a known kind", remedy=f"derive it from {known}"
    )


def _check_round_trip(kind: Kind, plugin_class: type[Configured]) -> None:
    """Refuse a class whose default object has no hash, or differs from what its `repr` parses to.

    A class with settings that have no default has no such object, and is let through.
    """
    # Imported here, because the registry looks up plug-ins in this module.
    from caesura.core import registry

    if not all(map(registry.has_default, fields(plugin_class))):  # type: ignore[arg-type]
        return
    what = f"{plugin_class.__name__} cannot be a {kind}"
    try:
        made: object = plugin_class()
    except (Exception, SystemExit) as error:
        raise PluginError(f"{what}: it cannot be made without settings: {_line(error)}") from error
    try:
        hash(made)
    except Exception as error:
        raise PluginError(
            f"{what}: it cannot be hashed: {_line(error)}",
            remedy="use tuples for settings that are lists, and no dicts, sets or arrays",
        ) from error
    try:
        text = repr(made)
    except Exception as error:
        raise PluginError(f"{what}: its repr fails: {_line(error)}", remedy=DECORATOR) from error
    try:
        again: object = registry.parse(kind, text)
    except CaesuraError as error:
        raise PluginError(
            f"{what}: its repr {text} does not parse: {error.what}", remedy=DECORATOR
        ) from error
    if again != made:
        raise PluginError(
            f"{what}: its repr {text} parses to {again!r}, which is not equal",
            remedy="keep settings to numbers, texts, tuples, None and registered objects",
        )


class Outcome(Protocol):
    """The result of a study."""

    @property
    def text(self) -> str:
        """The report, for a terminal."""


class Study(Protocol):
    """Runs a study: reads corpora below the folder `data`, writes a report into `out`."""

    def __call__(self, data: Path, out: Path) -> Outcome:
        """Run the study."""


def study_owners() -> dict[str, str]:
    """Return the names of all studies with their distributions, without importing them."""
    return {
        name: " and ".join(map(_origin, declared)) for name, declared in _declared(STUDIES).items()
    }


def find_study(name: str) -> Study:
    """Return the function that runs the study of that name."""
    known = _declared(STUDIES)
    if not known:
        raise UnknownName("no studies are installed", remedy=STUDIES_REMEDY)
    if name not in known:
        raise UnknownName(f"no study is named {name!r}", remedy=advice(name, known))
    function = _load(known[name], f"the study {name!r}")
    if not callable(function):
        entry_point = known[name][0]
        raise PluginError(
            f"the study {name!r} of {_origin(entry_point)} cannot be used: {entry_point.value} is "
            f"a {type(function).__name__}, not a function",
            remedy="name a function in the entry point, as in package.module:run",
        )
    study: Study = function
    return study


def _declared(group: str) -> dict[str, Sequence[EntryPoint]]:
    """Return the entry points of a group by name; more than one if distributions collide."""
    return _read_entry_points(group, tuple(sys.path))


@lru_cache(maxsize=16)
def _read_entry_points(group: str, _path: Sequence[str]) -> dict[str, Sequence[EntryPoint]]:
    """Read entry points once for each search path: it takes milliseconds, and names are many."""
    from importlib.metadata import entry_points

    by_name: dict[str, list[EntryPoint]] = {}
    for entry_point in entry_points(group=group):
        by_name.setdefault(entry_point.name, []).append(entry_point)
    return {name: tuple(declared) for name, declared in by_name.items()}


def _load(declared: Sequence[EntryPoint], what: str) -> Any:
    """Import what an entry point names; whatever goes wrong is one error with its origin."""
    if len(declared) > 1:
        origins = " and ".join(map(_origin, declared))
        raise PluginError(f"{what} is provided by {origins}", remedy="uninstall all but one")
    try:
        return declared[0].load()
    except (Exception, SystemExit) as error:
        distribution, _ = _distribution(declared[0])
        raise PluginError(
            f"{what} of {_origin(declared[0])} cannot be imported: {_line(error)}",
            remedy=f"update {distribution}, or remove it: pip uninstall {distribution}",
        ) from error


def _distribution(entry_point: EntryPoint) -> tuple[str, str]:
    """Return the name and the version of the distribution that declares an entry point."""
    dist = entry_point.dist
    return (dist.name, dist.version) if dist is not None else (entry_point.module, "0")


def _origin(entry_point: EntryPoint) -> str:
    return " ".join(_distribution(entry_point))


def _line(error: BaseException) -> str:
    """Write any exception on one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
