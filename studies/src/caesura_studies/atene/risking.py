"""ATENE of every call: margins of entities and of what lies between, in both texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from caesura.core.arrays import Floats, Strings
from caesura.core.protocols import EntityModel, WordTagger
from caesura.core.transcript import Transcript
from caesura.core.values import Counts
from caesura.detectors.tagging.entity_margins import Margins
from caesura.metrics.atene import ATENE
from caesura.metrics.atene_risks import UNIT, Risks
from caesura.models.store import find, load
from caesura.text.entity_projection import Projected, parted, project
from caesura_studies.atene.comparing import Compared, number
from caesura_studies.atene.measuring import Column, Comparisons, Key
from caesura_studies.atene.plan import Sights
from caesura_studies.atene.views import View

Places = Mapping[Key, Sequence[Projected]]
"""Where the entities of references are in what was recognised."""

TAGGED = "en-sda"
"""The model that ships whose tagger gives parts of speech."""


@dataclass(frozen=True)
class Risk:
    """ATENE of a call, its two parts, and the loss of each entity that a model knows."""

    atene: float
    ds: float
    i: float
    keys: Strings
    falls: Floats

    @classmethod
    def of(cls, risks: Risks, keys: Strings) -> Risk:
        """Average as the metric does."""
        counts = Counts(
            starts=-int(risks.start.sum()),
            ends=-int(risks.end.sum()),
            entities=len(keys),
            outside=-int(risks.outside.sum()),
            stretches=len(risks.outside),
        )
        atene, ds, i = map(number, ATENE().rates(counts).values())
        return cls(atene, ds, i, keys, np.round((risks.start + risks.end) / (2 * UNIT), 6))

    @property
    def losses(self) -> dict[str, float]:
        """The losses by the keys of entities."""
        return dict(zip(self.keys, self.falls.tolist(), strict=True))


def margins(sights: Sights) -> Margins:
    """Make the models, not trained yet, that look at these things."""
    tagger = _tagger() if sights.tags else None
    return Margins(affixes=sights.affixes, capitals=sights.capitals, tagger=tagger)


@lru_cache(maxsize=1)
def _tagger() -> WordTagger:
    chunker: Any = load(find(TAGGED)).learner
    tagger: WordTagger = chunker.crf.tagger
    return tagger


def projected(compared: Comparisons, view: View) -> Places:
    """Find the entities of references in what was recognised, where they may overlap."""
    return {
        key: project(view.of(both.reference), both.hypothesis, alignment=both.aligned)
        for key, both in compared.items()
    }


def risked(compared: Comparisons, places: Places, entity_model: EntityModel) -> dict[Key, Risk]:
    """Judge each call by the entities of classes that a model knows; others take no words.

    Those that are lost have the margins of the words around their place.
    """
    texts = [text for both in compared.values() for text in _texts(both, entity_model)]
    likely = entity_model.probabilities_all(texts)
    made = {}
    for at, key in enumerate(compared):
        found = parted([each for each in places[key] if each.entity.label in entity_model.classes])
        risks = Risks.of(found, *likely[2 * at : 2 * at + 2])
        made[key] = Risk.of(risks, tuple(each.entity.key for each in found))
    return made


def _texts(both: Compared, entity_model: EntityModel) -> tuple[Transcript, Transcript]:
    """Give both texts as a model is to see them."""
    return both.cased if entity_model.capitals else (both.hypothesis, both.reference)


def columns(title: str, risks: Mapping[Key, Risk]) -> dict[str, Column]:
    """Give ATENE and its parts, larger being worse."""
    return {
        title: {key: each.atene for key, each in risks.items()},
        f"{title}: DS alone": {key: -each.ds for key, each in risks.items()},
        f"{title}: I alone": {key: -each.i for key, each in risks.items()},
    }
