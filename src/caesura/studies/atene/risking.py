"""ATENE of every call: margins of entities and of what lies between, in both texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from caesura.columns import Floats
from caesura.contracts import Naming, Tagging
from caesura.metrics.risks import UNIT, Risks
from caesura.namers.margins import Margins
from caesura.storage import find, load
from caesura.studies.atene.comparing import Pair
from caesura.studies.atene.measuring import Column, Key, Pairs
from caesura.studies.atene.plan import Sights
from caesura.studies.atene.views import View
from caesura.text.projection import Projected, parted, project
from caesura.transcript import Transcript

Placed = Mapping[Key, Sequence[Projected]]
"""Where the entities of references are in what was recognised."""

TAGGED = "en-sda"
"""The model that ships whose tagger gives parts of speech."""


@dataclass(frozen=True)
class Risk:
    """ATENE of a call, its two parts, and the loss of each entity by its key."""

    atene: float
    ds: float
    i: float
    losses: Mapping[str, float]

    @classmethod
    def of(cls, risks: Risks, keys: Sequence[str]) -> Risk:
        """Average, as equations 7, 11 and 12 have it."""
        falls: Floats = (risks.start + risks.end) / (2 * UNIT)
        ds = -float(falls.mean()) if len(falls) else float("nan")
        i = -float(risks.outside.mean()) / UNIT
        losses = dict(zip(keys, np.round(falls, 6).tolist(), strict=True))
        return cls(-50 * (ds + i), ds, i, losses)


def margins(sights: Sights) -> Margins:
    """Make the models, not trained yet, that look at these things."""
    tagger = _tagger() if sights.tags else None
    return Margins(affixes=sights.affixes, capitals=sights.capitals, tagger=tagger)


@lru_cache(maxsize=1)
def _tagger() -> Tagging:
    chunker: Any = load(find(TAGGED)).learner
    tagger: Tagging = chunker.crf.tagger
    return tagger


def placed(pairs: Pairs, view: View) -> Placed:
    """Find the entities of references in what was recognised."""
    return {
        key: parted(project(view.of(pair.reference), pair.hypothesis, alignment=pair.aligned))
        for key, pair in pairs.items()
    }


def risked(pairs: Pairs, places: Placed, namer: Naming) -> dict[Key, Risk]:
    """Judge each pair of texts by the entities of classes that a model knows.

    Those that are lost have the margins of the words around their place.
    """
    texts = [text for pair in pairs.values() for text in _texts(pair, namer)]
    likely = namer.likely_all(texts)
    made = {}
    for at, key in enumerate(pairs):
        found = [each for each in places[key] if each.entity.label in namer.classes]
        risks = Risks.of(found, *likely[2 * at : 2 * at + 2])
        made[key] = Risk.of(risks, [each.entity.key for each in found])
    return made


def _texts(pair: Pair, namer: Naming) -> tuple[Transcript, Transcript]:
    """Give both texts as a model is to see them."""
    return pair.cased if namer.capitals else (pair.hypothesis, pair.reference)


def columns(title: str, risks: Mapping[Key, Risk]) -> dict[str, Column]:
    """Give ATENE and its parts, larger being worse."""
    return {
        title: {key: each.atene for key, each in risks.items()},
        f"{title}: DS alone": {key: -each.ds for key, each in risks.items()},
        f"{title}: I alone": {key: -each.i for key, each in risks.items()},
    }
