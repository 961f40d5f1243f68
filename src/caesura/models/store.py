"""Save and load model folders: the card of a trained object, and the arrays it has learnt.

    card.json             the detector and its settings, data, scores, licence, checksums
    arrays.safetensors    what was learnt

A folder is loaded only if the checksums of both files are right. Nothing in it is code: the
registry makes the detector, tagger or entity model, which then takes arrays of numbers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from importlib.resources import files
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura import __version__
from caesura.core import plugins, registry
from caesura.core.atomic import atomic_folder
from caesura.core.config import Configured, Trainable
from caesura.core.errors import CaesuraError, ModelError, OutputError, PluginError, UnknownName
from caesura.core.protocols import Detector, EntityModel, WordTagger
from caesura.core.values import as_json

# The card: what a model is, what it was trained on, and how good it is

FORMAT, VERSION, CHECKSUM = "caesura_model", 1, "checksum"
"""Keys that are about the card itself, and the version of its format."""

REQUIRES, RELIABILITY = "requires", "reliability"
"""Keys that a card has only if the model needs plug-ins, or its probabilities were measured."""

CALIBRATION = ("calibration_scale", "calibration_bias")
"""Scores that make probabilities of log-odds: log-odds times the first, plus the second."""

GET_AGAIN = "copy it again from where it came, or train it anew"

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Card:
    """The description of a model.

    `data` has a row for each corpus it was trained on (name, recordings, words, sentences),
    `scores` are those on the development set, `curve` has a row for each setting that was tried,
    and `reliability` a row for each bin of probabilities (`evaluation/calibration.py`).
    `detector`, `version` (of Caesura), `bytes` and `sha256` (of the arrays) are set by saving,
    and so is `requires`, the plug-ins whose classes the model is made of, as in 'name==1.0'.
    """

    name: str = ""
    about: str = ""
    language: str = ""
    licence: str = ""
    detector: str = ""
    data: tuple[Row, ...] = ()
    scores: Row = field(default_factory=dict)
    curve: tuple[Row, ...] = ()
    notes: str = ""
    version: str = ""
    bytes: int = 0
    sha256: str = ""
    requires: tuple[str, ...] = ()
    reliability: tuple[Row, ...] = ()

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name in ("data", "curve", RELIABILITY):
                if not isinstance(value, (tuple, list)):
                    raise ModelError(f"the {each.name} of a card are a list of rows")
                value = tuple(_row(each.name, row) for row in value)
            elif each.name == REQUIRES:
                value = _texts(each.name, value)
            elif each.name == "scores":
                value = _row(each.name, value)
            elif type(value) is not type(each.default):
                raise ModelError(f"the {each.name} of a card cannot be {value!r}")
            object.__setattr__(self, each.name, value)

    @property
    def checksum(self) -> str:
        """The SHA-256 of the content of the card; blanks and the order of keys do not matter."""
        plain = json.dumps(self._document(), sort_keys=True, allow_nan=False)
        return hashlib.sha256(plain.encode()).hexdigest()

    @property
    def calibration(self) -> tuple[float, float] | None:
        """The scale and bias that make probabilities of log-odds; None if not measured."""
        scale, bias = (self.scores.get(name) for name in CALIBRATION)
        if isinstance(scale, (int, float)) and isinstance(bias, (int, float)):
            return float(scale), float(bias)
        return None

    def to_document(self) -> dict[str, Any]:
        """Return the card as a JSON object."""
        return {**self._document(), CHECKSUM: self.checksum}

    def _document(self) -> dict[str, Any]:
        document = {FORMAT: VERSION, **asdict(self)}
        for name in (REQUIRES, RELIABILITY):
            if not document[name]:
                del document[name]
        return document

    @classmethod
    def from_document(cls, document: Any) -> Card:
        """Make a card from a JSON object, and verify its checksum."""
        if not isinstance(document, dict) or type(document.get(FORMAT)) is not int:
            raise ModelError(
                "this is not the card of a model", remedy=f"it is a JSON object with {FORMAT!r}"
            )
        if document[FORMAT] > VERSION:
            raise ModelError(
                f"the model has format {document[FORMAT]}, and this program knows {VERSION}",
                remedy="use a newer version of Caesura",
            )
        keys = {each.name for each in fields(cls)} - ({REQUIRES, RELIABILITY} - set(document))
        if set(document) != keys | {FORMAT, CHECKSUM} or document[FORMAT] != VERSION:
            raise ModelError("the card is damaged")
        made = cls(**{key: document[key] for key in keys})
        if made.checksum != document[CHECKSUM]:
            raise ModelError("the card is damaged: its checksum is wrong")
        return made


def _texts(name: str, value: object) -> tuple[str, ...]:
    """Check a list of texts."""
    if not isinstance(value, (tuple, list)) or not all(isinstance(text, str) for text in value):
        raise ModelError(f"the {name} of a card cannot be {value!r}")
    return tuple(value)


def _row(name: str, row: object) -> dict[str, Any]:
    """Check that a row has texts, numbers and booleans; an undefined value becomes None."""
    if not isinstance(row, Mapping):
        raise ModelError(f"the {name} of a card cannot be {row!r}")
    cells = {key: _cell(value) for key, value in row.items()}
    for key, cell in cells.items():
        if not isinstance(key, str) or not isinstance(cell, (str, int, float, type(None))):
            raise ModelError(f"the {name} of a card cannot have {cell!r} under {key!r}")
    return cells


def _cell(value: object) -> Any:
    """Return a value that JSON can hold; tuples and objects with settings become texts."""
    if isinstance(value, (tuple, Configured)):
        return repr(value)
    if type(value) in (str, int) or (type(value) is float and isfinite(value)):
        return value
    return as_json(value.item() if isinstance(value, np.generic) else value)


# The folder

CARD, ARRAYS = "card.json", "arrays.safetensors"
CARD_LIMIT, ARRAYS_LIMIT = 16 << 20, 2 << 30
"""The most bytes of each file."""

NUMBERS = "biuf"
"""Kinds of arrays that can be stored: bool, integers and floats."""

MODULE = "module "
"""Prefix of a requirement that is a module to import, and no package to install."""

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
"""What `from_state` may raise if the arrays are wrong."""


class StoredModel(NamedTuple):
    """A model that was loaded: its card, and the trained object."""

    card: Card
    learner: Trainable

    @property
    def detector(self) -> Detector:
        """The detector; a `ModelError` if the model is of another kind."""
        if isinstance(self.learner, Detector):
            return self.learner
        raise self._wrong_kind("a detector", "name another model, or train a detector")

    @property
    def tagger(self) -> WordTagger:
        """The tagger; a `ModelError` if the model is of another kind."""
        if isinstance(self.learner, WordTagger):
            return self.learner
        raise self._wrong_kind(
            "a tagger", "train one: caesura train Tagger --train FILES --output MODEL"
        )

    @property
    def entity_model(self) -> EntityModel:
        """The entity model; a `ModelError` if the model is of another kind."""
        if isinstance(self.learner, EntityModel):
            return self.learner
        raise self._wrong_kind(
            "an entity model", "train one: caesura train Margins --train FILES --output MODEL"
        )

    def _wrong_kind(self, wanted: str, remedy: str) -> ModelError:
        kind = f"{'an' if self.learner.name[0] in 'AEIOU' else 'a'} {self.learner.name}"
        what = f"the model {self.card.name} is {kind}, and {wanted} is wanted"
        return ModelError(what, remedy=remedy)


def save(folder: str | Path, detector: Trainable, card: Card) -> Path:
    """Write a model folder, completely or not at all; a former model is replaced.

    The detector, the version, the checksums and the plug-ins it needs are added to the card. The
    same detector and card give the same bytes.
    """
    target = Path(folder)
    if str(folder) == "":
        raise OutputError("the model has an empty name", remedy="name a folder for it")
    check_replaceable(target)
    _check_text(detector)
    data = _pack(detector.state())
    whole = replace(
        card,
        name=card.name or target.resolve().name,
        detector=repr(detector),
        requires=_requirements(detector),
        version=__version__,
        bytes=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
    )
    text = json.dumps(whole.to_document(), indent=1) + "\n"
    with atomic_folder(target) as made:
        (made / ARRAYS).write_bytes(data)
        (made / CARD).write_bytes(text.encode())
    return target


def load(folder: str | Path) -> StoredModel:
    """Read a model folder and verify its checksums; a `ModelError` says what is wrong."""
    found = read_card(folder)
    file = Path(folder, ARRAYS)
    if found.bytes > ARRAYS_LIMIT:
        raise ModelError(f"the model has more than {ARRAYS_LIMIT} bytes", where=str(file))
    data = _read(file, found.bytes)
    if len(data) != found.bytes or hashlib.sha256(data).hexdigest() != found.sha256:
        raise ModelError(
            "the arrays are damaged: their checksum is not the card's",
            where=str(file),
            remedy=GET_AGAIN,
        )
    try:
        return StoredModel(found, _make(found, _unpack(data)))
    except ModelError as error:
        raise ModelError(error.what, where=str(file), remedy=error.remedy or GET_AGAIN) from error


def read_card(folder: str | Path) -> Card:
    """Read and verify the card of a model folder, without its arrays."""
    file = Path(folder, CARD)
    data = _read(file, CARD_LIMIT)
    try:
        return Card.from_document(json.loads(data))
    except (ValueError, RecursionError) as error:
        raise ModelError("the card is not JSON", where=str(file), remedy=GET_AGAIN) from error
    except ModelError as error:
        raise ModelError(error.what, where=str(file), remedy=error.remedy or GET_AGAIN) from error


def shipped_models(kind: registry.Kind | None = None) -> dict[str, Path]:
    """Return the folders of the models that ship with Caesura by name, all or those of one kind."""
    models = Path(str(files("caesura"))) / "models"
    folders = [file.parent for file in sorted(models.glob(f"*/{CARD}"))]
    return {each.name: each for each in folders if kind is None or model_kind(each) == kind}


def model_kind(folder: str | Path) -> registry.Kind:
    """Return the kind of a model: detector, tagger or entity model."""
    return registry.kind_of(read_card(folder).detector.split("(")[0], "detector")


def find_folder(model: str | Path) -> Path:
    """Return the folder of a model: of one that ships, by its name, or else the path itself."""
    return shipped_models().get(str(model), Path(model))


def _read(file: Path, most: int) -> bytes:
    """Read a file, or raise an error if it has more than `most` bytes."""
    try:
        if not file.is_file():
            raise _missing(file)
        size = file.stat().st_size
        if size > most:
            raise ModelError(
                f"the file has {size} bytes, and should have at most {most}",
                where=str(file),
                remedy=GET_AGAIN,
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
    known = ", ".join(shipped_models())
    names = f", or a model that ships: {known}" if known else ""
    return ModelError(
        "there is no such model", where=str(file.parent), remedy=f"name a model folder{names}"
    )


def check_replaceable(folder: Path) -> None:
    """Refuse to replace anything but a model, damaged or not, or an empty folder."""
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
    """Tell whether a folder is empty, or has the files of a model and nothing else."""
    names = {inner.name for inner in folder.iterdir()}
    if CARD not in names:
        return not names
    return names <= {CARD, ARRAYS} and FORMAT.encode() in _read(folder / CARD, CARD_LIMIT)


def _check_text(detector: Trainable) -> None:
    """Refuse a detector whose `repr`, which goes on the card, does not parse back to it."""
    try:
        same = registry.learner(repr(detector)) == detector
    except CaesuraError as error:
        raise ModelError(f"{detector!r} cannot be stored: {error}") from error
    if not same:
        raise ModelError(f"{detector!r} cannot be stored: its text does not make it again")


def _pack(arrays: Arrays) -> bytes:
    from safetensors.numpy import save as pack

    size = sum(array.nbytes for array in arrays.values())
    if size > ARRAYS_LIMIT:
        raise ModelError(f"a model of {size} bytes is too large", remedy="cut it down or prune it")
    _check_numbers(arrays)
    # In C order and sorted by name, so that equal arrays are always the same bytes.
    return pack({name: np.asarray(arrays[name], order="C") for name in sorted(arrays)})


def _unpack(data: bytes) -> Arrays:
    from safetensors import SafetensorError
    from safetensors.numpy import load as unpack

    try:
        arrays = unpack(data)
    except (SafetensorError, ValueError, TypeError, KeyError, OverflowError) as error:
        raise ModelError(f"the arrays cannot be read: {error}") from error
    _check_numbers(arrays)
    return arrays


def _check_numbers(arrays: Arrays) -> None:
    for name, array in arrays.items():
        if array.dtype.kind not in NUMBERS or array.dtype.itemsize > 8:
            raise ModelError(f"the array {name!r} is of {array.dtype}, and not of numbers")


def _make(card: Card, arrays: Arrays) -> Trainable:
    """Make the detector, tagger or entity model of a card from its arrays."""
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
