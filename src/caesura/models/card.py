"""The card of a model: what it is, what it was trained on, and how good it is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np

from caesura.core.config import Configured
from caesura.core.errors import ModelError
from caesura.core.values import as_json

FORMAT, VERSION, CHECKSUM = "caesura_model", 1, "checksum"
"""Keys that are about the card itself, and the version of its format."""

REQUIRES = "requires"
"""A key that a card has only if the model needs plug-ins."""

GET_AGAIN = "copy it again from where it came, or train it anew"

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Card:
    """The description of a model.

    `data` has a row for each corpus it was trained on (name, recordings, words, sentences),
    `scores` are those on the development set, `curve` has a row for each setting that was tried.
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

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name in ("data", "curve"):
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

    def to_document(self) -> dict[str, Any]:
        """Return the card as a JSON object."""
        return {**self._document(), CHECKSUM: self.checksum}

    def _document(self) -> dict[str, Any]:
        document = {FORMAT: VERSION, **asdict(self)}
        if not self.requires:
            del document[REQUIRES]
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
        keys = {each.name for each in fields(cls)} - ({REQUIRES} - set(document))
        if set(document) != keys | {FORMAT, CHECKSUM} or document[FORMAT] != VERSION:
            raise ModelError("the card is damaged", remedy=GET_AGAIN)
        made = cls(**{key: document[key] for key in keys})
        if made.checksum != document[CHECKSUM]:
            raise ModelError("the card is damaged: its checksum is wrong", remedy=GET_AGAIN)
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
    return as_json(value.item() if isinstance(value, np.generic) else value)
