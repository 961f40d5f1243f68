"""How much the study tries; tests make do with less."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from caesura.evaluation.resampling import Resampling
from caesura_studies.atene.gazetteer import Gazetteer
from caesura_studies.atene.hmm_tagger import HMM
from caesura_studies.atene.linear_taggers import CRF, MaximumEntropy, Perceptron
from caesura_studies.atene.taggers import Tagger
from caesura_studies.atene.text_preparation import OTHER_WAYS, Way

TAGGERS: tuple[Tagger, ...] = (Gazetteer(), HMM(), Perceptron(), CRF(), MaximumEntropy())


@dataclass(frozen=True)
class Sights:
    """What the models behind an ATENE look at besides words."""

    affixes: bool = False
    tags: bool = False
    capitals: bool = False


PLAIN = {
    "ATENE": Sights(),
    "ATENE, affixes": Sights(affixes=True),
    "ATENE, POS": Sights(tags=True),
    "ATENE, affixes, POS": Sights(affixes=True, tags=True),
}
WITH_CAPITALS = {
    f"{title}, capitals": Sights(each.affixes, each.tags, capitals=True)
    for title, each in PLAIN.items()
}
MAIN = "ATENE, affixes"
ORDER = ("WER", "NE-WER", MAIN)
"""What the paper compares, from the worst to the best."""

MEASURES = ("WER", "NE-WER", "ATENE", MAIN)


@dataclass(frozen=True)
class Plan:
    """The taggers, what ATENE looks at, for all classes and for names, and what is drawn.

    `ways` are those in which texts are prepared once more, to see what depends on it.
    """

    taggers: tuple[Tagger, ...] = TAGGERS
    sights: Mapping[str, Sights] = field(default_factory=lambda: {**PLAIN, **WITH_CAPITALS})
    names: Mapping[str, Sights] = field(default_factory=lambda: PLAIN)
    ways: tuple[Way, ...] = OTHER_WAYS
    resampling: Resampling = field(default_factory=Resampling)


PLAN = Plan()
