"""What the study computes: taggers, features and text preparations; tests use a smaller plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from caesura.evaluation.resampling import Resampling
from caesura_studies.atene.gazetteer import Gazetteer
from caesura_studies.atene.hmm_tagger import HMM
from caesura_studies.atene.linear_taggers import CRF, MaximumEntropy, Perceptron
from caesura_studies.atene.taggers import Tagger
from caesura_studies.atene.text_preparation import OTHER_PREPARATIONS, Preparation

TAGGERS: tuple[Tagger, ...] = (Gazetteer(), HMM(), Perceptron(), CRF(), MaximumEntropy())


@dataclass(frozen=True)
class Features:
    """The features of the models behind an ATENE besides words."""

    affixes: bool = False
    tags: bool = False
    capitals: bool = False


PLAIN = {
    "ATENE": Features(),
    "ATENE, affixes": Features(affixes=True),
    "ATENE, POS": Features(tags=True),
    "ATENE, affixes, POS": Features(affixes=True, tags=True),
}
WITH_CAPITALS = {
    f"{title}, capitals": Features(each.affixes, each.tags, capitals=True)
    for title, each in PLAIN.items()
}
MAIN = "ATENE, affixes"
ORDER = ("WER", "NE-WER", MAIN)
"""The measures that the paper compares, from the worst to the best."""

MEASURES = ("WER", "NE-WER", "ATENE", MAIN)


@dataclass(frozen=True)
class Plan:
    """The taggers, the features of ATENE for all classes and for names, and the resampling.

    `preparations` are the other text preparations for which the comparison is repeated.
    """

    taggers: tuple[Tagger, ...] = TAGGERS
    features: Mapping[str, Features] = field(default_factory=lambda: {**PLAIN, **WITH_CAPITALS})
    names: Mapping[str, Features] = field(default_factory=lambda: PLAIN)
    preparations: tuple[Preparation, ...] = OTHER_PREPARATIONS
    resampling: Resampling = field(default_factory=Resampling)


PLAN = Plan()
