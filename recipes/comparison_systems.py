"""What is compared: models that ship, baselines that are trained first, and other tools."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from recipes.comparison_data import baseline_training
from recipes.development import LEFT_OUT, trained_on

import caesura
from caesura.core import registry
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

Cut = Callable[[str], Sequence[str]]
"""Cuts a text into sentences."""

log = logging.getLogger("caesura.recipes")


@dataclass(frozen=True)
class System:
    """Something that finds sentences, with what its row in the tables says."""

    name: str
    key: str
    """Changes whenever the decisions may change."""

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
    return System(name, card.checksum, _detecting(model), size, card.data, model)


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
    found = [System("Pause", repr(pause), _detecting(pause), 0)]
    for name, text in known_baselines().items():
        if wanted and name not in wanted:
            continue
        folder = cache / "baselines" / name
        if not (folder / CARD).exists() or read_card(folder).notes != text:
            _train(name, text, data, folder)
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


def peers() -> tuple[list[System], dict[str, str]]:
    """Return the other tools that are installed, and why each of the rest is missing."""
    found, missing = [], {}
    for name, (package, make) in PEERS.items():
        try:
            cut = make()
            found.append(System(name, f"{name} {version(package)}", _cutting(cut)))
        except (ImportError, PackageNotFoundError):
            missing[name] = "it is not installed"
        except (LookupError, OSError):
            missing[name] = "its data are not installed"
    return found, missing


def _cutting(cut: Cut) -> Callable[[Sequence[Transcript]], list[Segmentation]]:
    return lambda recordings: [boundaries_of(each, cut) for each in recordings]


def boundaries_of(recording: Transcript, cut: Cut) -> Segmentation:
    """Cut the text of a recording, and find the gaps of its words at which it was cut."""
    surface = recording.surface()
    lengths = np.cumsum([len("".join(word.split())) for word in surface])
    ends = np.cumsum([len("".join(sentence.split())) for sentence in cut("".join(surface))])
    gaps = np.searchsorted(lengths, ends)
    return Segmentation.of_gaps(len(recording), [gap for gap in gaps if gap < len(recording)])


def _punkt() -> Cut:
    nltk: Any = import_module("nltk")
    nltk.sent_tokenize("One. Two.")
    return lambda text: list(nltk.sent_tokenize(text))


def _senter() -> Cut:
    spacy: Any = import_module("spacy")
    pipeline = spacy.load("en_core_web_sm", exclude=["parser", "ner", "lemmatizer", "tagger"])
    pipeline.enable_pipe("senter")

    def cut(text: str) -> list[str]:
        pipeline.max_length = max(pipeline.max_length, len(text) + 1)
        return [sentence.text for sentence in pipeline(text).sents]

    return cut


def _pysbd() -> Cut:
    segmenter: Any = import_module("pysbd").Segmenter(language="en", clean=False)
    return lambda text: list(segmenter.segment(text))


def _sentsplit() -> Cut:
    module: Any = import_module("sentsplit.segment")
    segmenter = module.SentSplit("en")
    return lambda text: list(segmenter.segment(text))


PEERS: dict[str, tuple[str, Callable[[], Cut]]] = {
    "nltk Punkt": ("nltk", _punkt),
    "spaCy senter": ("spacy", _senter),
    "pysbd": ("pysbd", _pysbd),
    "sentsplit": ("sentsplit", _sentsplit),
}
"""The package of each tool, and the function that loads it."""
