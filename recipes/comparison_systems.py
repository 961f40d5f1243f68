"""What is compared: models that ship, and baselines that are trained first."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from recipes.comparison_data import baseline_training
from recipes.development import LEFT_OUT, trained_on

import caesura
from caesura.core import registry
from caesura.core.errors import CaesuraError
from caesura.core.protocols import Detector
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.detectors.pause import Pause
from caesura.detectors.stored_model import Model
from caesura.detectors.syntax.crf_svm import CRF
from caesura.detectors.syntax.sda import SDA
from caesura.detectors.tagging.pos_tagger import Tagger
from caesura.models.store import CARD, Card, read_card, save, shipped_models
from caesura.training.data import inner_boundaries
from caesura.training.search import best_threshold

log = logging.getLogger("caesura.recipes")


@dataclass(frozen=True)
class System:
    """Something that finds sentences, with what its row in the tables says."""

    name: str
    key: str
    """Changes whenever the decisions may change: with the model, and with the code."""

    detect: Callable[[Sequence[Transcript]], list[Segmentation]]
    bytes: int | None = None
    data: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    detector: Detector | None = field(default=None, repr=False)
    """The detector that decides, if it is one of ours."""

    @property
    def stored_detector(self) -> Detector | None:
        """The detector that decides; of a model, the one that is stored in it."""
        return self.detector.stored.detector if isinstance(self.detector, Model) else self.detector

    def trained_on(self, corpus: str) -> bool:
        """Whether it saw the scored recordings of a corpus in training."""
        return trained_on(corpus, self.data)


def shipped() -> list[System]:
    """Return the models for English that ship."""
    folders = shipped_models("detector")
    return [
        _stored(name, folder)
        for name, folder in folders.items()
        if read_card(folder).language == "en"
    ]


def _stored(name: str, folder: Path) -> System:
    model = Model(str(folder))
    card = read_card(folder)
    size = sum(file.stat().st_size for file in folder.iterdir())
    return System(name, card.checksum + code_checksum(), _detecting(model), size, card.data, model)


@cache
def code_checksum() -> str:
    """Return a checksum of the code that decides."""
    found = sha256()
    for package in ("core", "text", "ml", "detectors"):
        for file in sorted((Path(caesura.__file__).parent / package).rglob("*.py")):
            found.update(file.read_bytes())
    return found.hexdigest()


def _detecting(detector: Detector) -> Callable[[Sequence[Transcript]], list[Segmentation]]:
    # One by one: all of a corpus at once would need much memory.
    return lambda recordings: [detector.detect(each) for each in recordings]


CHUNKER = CRF(c2=5.0, iterations=60, cutoff=2, size=20_000, tagger=Tagger(size=9700))
BASELINES: dict[str, str] = {
    "LM": "LM(cutoff=2)",
    "A": "Combination(LM(cutoff=2), way='A')",
    "B": "Combination(LM(cutoff=2), way='B')",
    "CRF": repr(CHUNKER),
    "SDA+CRF": repr(SDA(crf=CHUNKER, alpha=3.0, bias=3.0)),
    "S1 (CNN)": "CNN",
    "S2 (BiRNN)": "BiRNN",
}
"""Baselines and their settings; those whose detector is not registered are left out."""

TREES = {"CRF", "SDA+CRF"}
"""Baselines that also learn from a treebank."""


def known_baselines() -> dict[str, str]:
    """Return the baselines whose detectors are registered."""
    return {
        name: text
        for name, text in BASELINES.items()
        if registry.is_known("detector", text.partition("(")[0])
    }


def baselines(data: Path, cache: Path, wanted: Sequence[str] = ()) -> list[System]:
    """Return `Pause` and the trained baselines; each is trained once and kept in `cache`.

    If some systems are `wanted`, no others are trained.
    """
    pause = Pause()
    found = [System("Pause", repr(pause) + code_checksum(), _detecting(pause), 0)]
    for name, text in known_baselines().items():
        if wanted and name not in wanted:
            continue
        folder = cache / "baselines" / name
        if not (folder / CARD).exists() or read_card(folder).notes != text:
            try:
                _train(name, text, data, folder)
            except CaesuraError as error:
                # Such as one that needs torch, where that is missing: the page says what was run.
                log.warning("%s is left out: %s", name, error)
                continue
        found.append(_stored(name, folder))
    return found


def _train(name: str, text: str, data: Path, folder: Path) -> None:
    log.info("training %s", name)
    train, tuning = baseline_training(data)
    trees = data / "ud" / "english-ewt" / "train.conllu"
    more = list(caesura.read(trees)) if name in TREES else []
    learner = registry.learner(text)
    trained = learner.train(train, tuning, more)
    # The bias of SDA is no threshold; it is the one of `en-sda`.
    if "bias" in trained.settings and not isinstance(trained, SDA):
        trained = _with_best_bias(trained, tuning)
    row = {"name": "earnings22/references", "recordings": len(train) + len(tuning), **LEFT_OUT}
    folder.parent.mkdir(parents=True, exist_ok=True)
    save(folder, trained, Card(name=name, language="en", notes=text, data=(row,)))


def _with_best_bias(detector: Any, tuning: Sequence[Transcript]) -> Any:
    """Return a detector with the bias of the best F1, with times as well as without."""

    def bias(recordings: Sequence[Transcript]) -> float:
        odds = [detector.log_odds(each.replace(sentences=None))[:-1] for each in recordings]
        return -best_threshold(np.concatenate(odds), inner_boundaries(recordings), "f1")

    best = round(bias(tuning), 3)
    if not hasattr(detector, "lone_bias"):
        return detector.adjusted(bias=best)
    alone = bias([each.only(("sentences",)) for each in tuning])
    return detector.adjusted(bias=best, lone_bias=round(alone - best, 3))
