"""The cached models of the study: each is trained once, so an interrupted run continues later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from caesura.core.transcript import Transcript
from caesura.detectors.syntax.crf_svm import CRF, SVM
from caesura.detectors.syntax.dependency_parser import DependencyParser
from caesura.detectors.syntax.sda import SDA
from caesura_studies.model_cache import cache_key, load_or_train
from caesura_studies.oba.corpora import fingerprint
from caesura_studies.oba.plan import LONGEST, REACH

D = TypeVar("D", CRF, SVM, SDA)


class ModelCache:
    """A folder of models, identified by their names, settings and training recordings."""

    def __init__(self, folder: Path, iterations: int) -> None:
        self.folder = folder
        self.iterations = iterations

    def crf(self, name: str, train: Sequence[Transcript], c2: float) -> CRF:
        """Return a CRF."""
        detector = CRF(c2=c2, iterations=self.iterations)
        return self._load_or_train(
            f"{name}/crf-{c2:g}", detector, train, lambda: detector.train(train)
        )

    def svm(self, name: str, train: Sequence[Transcript]) -> SVM:
        """Return a support vector machine."""
        detector = SVM()
        return self._load_or_train(f"{name}/svm", detector, train, lambda: detector.train(train))

    def sda(self, name: str, train: Sequence[Transcript], crf: CRF, ahead: int) -> SDA:
        """Return an SDA model with this look-ahead in clusters, and its CRF."""
        detector = _make_unweighted_sda(crf, ahead)
        return self._load_or_train(
            f"{name}/sda-{ahead}", detector, train, lambda: detector.train_arc_model(train)
        )

    def normal(self, name: str, train: Sequence[Transcript], crf: CRF) -> DependencyParser:
        """Return a parser for known sentences, which does not depend on the chunker's weights."""
        detector = _make_unweighted_sda(crf, REACH)

        def make() -> SDA:
            return detector.with_model(
                DependencyParser.train(crf, train, REACH, detector.ridge).arc_model
            )

        return DependencyParser(
            crf, self._load_or_train(f"{name}/normal", detector, train, make).model, REACH
        )

    def _load_or_train(
        self, name: str, detector: D, train: Sequence[Transcript], make: Callable[[], D]
    ) -> D:
        """Load the model of this name if it is current; else train and store it."""
        key = cache_key(detector, fingerprint(train))
        return load_or_train(self.folder, name, key, type(detector), make)


def _make_unweighted_sda(crf: CRF, ahead: int) -> SDA:
    """Make an SDA with neutral weights, so that any weights can be applied later."""
    return SDA(crf=crf, alpha=1.0, bias=0.0, reach=REACH, ahead=ahead, longest=LONGEST)
