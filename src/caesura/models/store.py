"""Model folders: the arrays of a trained detector, tagger or entity model, and its card.

    card.json             the detector and its settings, data, scores, licence, checksums
    arrays.safetensors    what was learnt

A folder is read only if both files say what they said when they were written. Nothing in them
is code: the registry makes the detector (or other), which is then given arrays of numbers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura import __version__
from caesura.core import plugins, registry
from caesura.core.atomic import atomic_folder
from caesura.core.config import Trainable
from caesura.core.errors import CaesuraError, ModelError, OutputError, PluginError, UnknownName
from caesura.core.protocols import Detector, EntityModel, WordTagger
from caesura.models.card import ANEW, FORMAT, Card

__all__ = ["Card", "Stored", "card", "find", "kind_of", "load", "refuse_others", "save", "shipped"]

CARD, ARRAYS = "card.json", "arrays.safetensors"
CARD_LIMIT, ARRAYS_LIMIT = 16 << 20, 2 << 30
"""Bytes that a model may have."""

NUMBERS = "biuf"
"""Kinds of arrays: truth values, integers and floats."""

MODULE = "module "
"""How a requirement begins that is a module, which is imported and not installed."""

Arrays = Mapping[str, NDArray[Any]]

MISFITS = (
    CaesuraError,
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What may go wrong in making sense of arrays: it is their fault."""


class Stored(NamedTuple):
    """A model: its card, and what has learnt."""

    card: Card
    learner: Trainable

    @property
    def detector(self) -> Detector:
        """The detector; it is an error if the model is something else."""
        if isinstance(self.learner, Detector):
            return self.learner
        raise self._other("a detector", "name another model, or train a detector")

    @property
    def tagger(self) -> WordTagger:
        """The tagger; it is an error if the model is something else."""
        if isinstance(self.learner, WordTagger):
            return self.learner
        raise self._other(
            "a tagger", "train one: caesura train Tagger --train FILES --output MODEL"
        )

    @property
    def entity_model(self) -> EntityModel:
        """The entity model; it is an error if the model is something else."""
        if isinstance(self.learner, EntityModel):
            return self.learner
        raise self._other(
            "an entity model", "train one: caesura train Margins --train FILES --output MODEL"
        )

    def _other(self, wanted: str, remedy: str) -> ModelError:
        what = f"the model {self.card.name} is a {self.learner.name}, and {wanted} is wanted"
        return ModelError(what, remedy=remedy)


def save(folder: str | Path, detector: Trainable, card: Card) -> Path:
    """Write a model folder, all of it or nothing, in place of a model that is there already.

    The card gets the detector, the version and the checksums. The same detector and card give
    the same bytes.
    """
    target = Path(folder)
    if str(folder) == "":
        raise OutputError("the model has an empty name", remedy="name a folder for it")
    refuse_others(target)
    _refuse_unreadable(detector)
    data = _packed(detector.state())
    whole = replace(
        card,
        name=card.name or target.resolve().name,
        detector=repr(detector),
        requires=_requirements(detector),
        version=__version__,
        bytes=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
    )
    text = json.dumps(whole.document(), indent=1, allow_nan=False) + "\n"
    with atomic_folder(target) as made:
        (made / ARRAYS).write_bytes(data)
        (made / CARD).write_bytes(text.encode())
    return target


def load(folder: str | Path) -> Stored:
    """Read a model folder, or raise a `ModelError`."""
    found = card(folder)
    file = Path(folder, ARRAYS)
    if found.bytes > ARRAYS_LIMIT:
        raise ModelError(f"the model has more than {ARRAYS_LIMIT} bytes", where=str(file))
    data = _read(file, found.bytes)
    if len(data) != found.bytes or hashlib.sha256(data).hexdigest() != found.sha256:
        raise ModelError(
            "the arrays are damaged: their checksum is not the card's",
            where=str(file),
            remedy=ANEW,
        )
    try:
        return Stored(found, _taught(found, _unpacked(data)))
    except ModelError as error:
        raise ModelError(error.what, where=str(file), remedy=error.remedy or ANEW) from error


def card(folder: str | Path) -> Card:
    """Read the card of a model folder, and nothing else."""
    file = Path(folder, CARD)
    data = _read(file, CARD_LIMIT)
    try:
        return Card.of(json.loads(data))
    except (ValueError, RecursionError) as error:
        raise ModelError("the card is not JSON", where=str(file), remedy=ANEW) from error
    except ModelError as error:
        raise ModelError(error.what, where=str(file), remedy=error.remedy or ANEW) from error


def shipped(kind: registry.Kind | None = None) -> dict[str, Path]:
    """Name the models that come with Caesura, all or those of one kind, and their folders."""
    room = Path(str(files("caesura"))) / "models"
    folders = [file.parent for file in sorted(room.glob(f"*/{CARD}"))]
    return {each.name: each for each in folders if kind is None or kind_of(each) == kind}


def kind_of(folder: str | Path) -> registry.Kind:
    """Tell whether a model is a detector, a tagger or an entity model."""
    return registry.kind_of(card(folder).detector.split("(")[0], "detector")


def find(model: str | Path) -> Path:
    """Give the folder of a model: one that ships, by its name, or else the one named."""
    return shipped().get(str(model), Path(model))


def _read(file: Path, most: int) -> bytes:
    """Read a file of at most so many bytes."""
    try:
        if not file.is_file():
            raise _missing(file)
        size = file.stat().st_size
        if size > most:
            raise ModelError(
                f"the file has {size} bytes, and should have at most {most}",
                where=str(file),
                remedy=ANEW,
            )
        with file.open("rb") as opened:
            return opened.read(size)
    except OSError as error:
        raise ModelError(f"cannot be read: {error.strerror}", where=str(file)) from error


def _missing(file: Path) -> ModelError:
    if file.parent.is_dir():
        return ModelError(
            f"there is no {file.name}, so this is not a whole model",
            where=str(file.parent),
            remedy=f"a model is a folder with {CARD} and {ARRAYS}",
        )
    known = ", ".join(shipped())
    names = f", or a model that ships: {known}" if known else ""
    return ModelError(
        "there is no such model", where=str(file.parent), remedy=f"name a model folder{names}"
    )


def refuse_others(folder: Path) -> None:
    """Refuse to write in place of anything but a model, damaged or not, or an empty folder."""
    try:
        replaceable = not folder.exists() or (folder.is_dir() and _is_model(folder))
    except ModelError:
        replaceable = False
    except OSError as error:
        raise OutputError(f"cannot be written: {error.strerror}", where=str(folder)) from error
    if not replaceable:
        raise OutputError(
            "cannot be written: something that is not a model is there",
            where=str(folder),
            remedy="name another folder",
        )


def _is_model(folder: Path) -> bool:
    names = {inner.name for inner in folder.iterdir()}
    if CARD not in names:
        return not names
    return names <= {CARD, ARRAYS} and FORMAT.encode() in _read(folder / CARD, CARD_LIMIT)


def _refuse_unreadable(detector: Trainable) -> None:
    try:
        same = registry.learner(repr(detector)) == detector
    except CaesuraError as error:
        raise ModelError(f"{detector!r} cannot be stored: {error}") from error
    if not same:
        raise ModelError(f"{detector!r} cannot be stored: its text does not make it again")


def _packed(arrays: Arrays) -> bytes:
    from safetensors.numpy import save as pack

    size = sum(array.nbytes for array in arrays.values())
    if size > ARRAYS_LIMIT:
        raise ModelError(f"a model of {size} bytes is too large", remedy="cut it down or prune it")
    _refuse_others_than_numbers(arrays)
    # In C order, which keeps a single number one, and by name: what is packed is always the same.
    return pack({name: np.asarray(arrays[name], order="C") for name in sorted(arrays)})


def _unpacked(data: bytes) -> Arrays:
    from safetensors import SafetensorError
    from safetensors.numpy import load as unpack

    try:
        arrays = unpack(data)
    except (SafetensorError, ValueError, TypeError, KeyError, OverflowError) as error:
        raise ModelError(f"the arrays cannot be read: {error}") from error
    _refuse_others_than_numbers(arrays)
    return arrays


def _refuse_others_than_numbers(arrays: Arrays) -> None:
    for name, array in arrays.items():
        if array.dtype.kind not in NUMBERS or array.dtype.itemsize > 8:
            raise ModelError(f"the array {name!r} is of {array.dtype}, and not of numbers")


def _taught(card: Card, arrays: Arrays) -> Trainable:
    """Make the detector or tagger of a card and give it what was learnt."""
    try:
        detector = registry.learner(card.detector).from_state(arrays)
        names = set(detector.state())
    except UnknownName as error:
        raise ModelError(
            f"the detector cannot be made: {error.what}", remedy=_how_to_get(card)
        ) from error
    except PluginError as error:
        raise ModelError(
            f"the detector cannot be made: {error.what}", remedy=error.remedy
        ) from error
    except MISFITS as error:
        raise ModelError(f"the arrays do not fit {card.detector}: {_reason(error)}") from error
    if names != set(arrays):
        odd = ", ".join(sorted(names ^ set(arrays)))
        raise ModelError(f"the arrays do not fit {card.detector}: {odd} missing or unknown")
    return detector


def _requirements(detector: Trainable) -> tuple[str, ...]:
    """Name the plug-ins that the classes of a detector come from, each once."""
    found = (plugins.of_class(type(part)) for part in detector.parts())
    return tuple(dict.fromkeys(plugin.requirement for plugin in found if plugin is not None))


def _how_to_get(card: Card) -> str:
    """Say what to install, or import, to have the classes that a model is made of."""
    modules = [each.removeprefix(MODULE) for each in card.requires if each.startswith(MODULE)]
    packages = [each for each in card.requires if not each.startswith(MODULE)]
    advice = []
    if packages:
        advice.append(f"install what the model was made with: pip install {' '.join(packages)}")
    if modules:
        advice.append(f"import what registers its classes: {', '.join(modules)}")
    version = f"use version {card.version} of Caesura, which made the model"
    return ", and ".join(advice) or version


def _reason(error: Exception) -> str:
    if isinstance(error, CaesuraError):
        return error.what
    return f"there is no {error}" if isinstance(error, KeyError) else str(error)
