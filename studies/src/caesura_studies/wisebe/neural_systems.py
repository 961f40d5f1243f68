"""The paper's systems, trained on open data: S1, a convolutional net, and S2, a recurrent one."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from caesura.core.errors import FormatError
from caesura.core.transcript import Transcript
from caesura.detectors.neural.birnn import BiRNN
from caesura.detectors.neural.cnn import CNN
from caesura.detectors.neural.net_detector import NetDetector
from caesura.training.search import best_threshold
from caesura_studies.model_cache import cache_key, is_cached, load_or_train
from caesura_studies.wisebe.systems import read_texts

logger = logging.getLogger("caesura.studies")

TEXT, CALLS = "text-en", "earnings22/references"
LEFT_OUT = ("bitcoin_talks",)
"""Sources of `text-en` whose licence is in doubt."""

STRETCH = 1000
"""Words of the stretches that long texts are cut into."""

HELD_OUT_EVERY = 10
"""Every tenth stretch is held out to choose the threshold."""


@dataclass(frozen=True)
class NetPlan:
    """The two nets, and how many words of each source they are trained on."""

    nets: Mapping[str, NetDetector] = field(
        default_factory=lambda: {"S1": CNN(), "S2": BiRNN(epochs=3)}
    )
    words: int = 45_000


PLAN = NetPlan()


def sources(data: Path) -> list[Path]:
    """Return the training texts that exist: files of turns and a folder of calls."""
    texts = sorted((data / TEXT).glob("*.txt"))
    calls = [data / CALLS] if any((data / CALLS).glob("*.nlp")) else []
    return [each for each in texts if each.stem not in LEFT_OUT] + calls


def training_texts(data: Path, words: int) -> tuple[list[Transcript], list[Transcript]]:
    """Return stretches to train on and stretches held out, the same number of words by source."""
    found = [each for source in sources(data) for each in _stretches(source, words)]
    held_out = found[::HELD_OUT_EVERY]
    train = [each for at, each in enumerate(found) if at % HELD_OUT_EVERY]
    if not train:
        raise FormatError("it takes more text to train the nets", where=str(data / TEXT))
    return train, held_out


def _stretches(source: Path, left: int) -> Iterator[Transcript]:
    """Yield the words of the first texts of a source, and the marks to learn from."""
    for text in read_texts(source):
        plain = text.only(("sentences", "mark"))[:left]
        left -= len(plain)
        yield from (plain[at : at + STRETCH] for at in range(0, len(plain), STRETCH))
        if left <= 0:
            return


def trained_nets(data: Path, cache: Path, plan: NetPlan) -> tuple[dict[str, NetDetector], str]:
    """Return the trained nets by system; or none, and what is missing to train them."""
    if not sources(data):
        return {}, f"to train them there is no {TEXT}/*.txt and no {CALLS}/*.nlp"
    train, held_out = training_texts(data, plan.words)
    examples = fingerprint([*train, *held_out])
    keys = {name: cache_key(net, examples) for name, net in plan.nets.items()}
    cached = all(is_cached(cache / name, key) for name, key in keys.items())
    if not cached and find_spec("torch") is None:
        return {}, "training them needs torch: pip install 'caesura[neural]'"
    return {
        name: load_or_train(
            cache, name, keys[name], type(net), partial(_train, net, train, held_out)
        )
        for name, net in plan.nets.items()
    }, ""


def _train(
    net: NetDetector, train: Sequence[Transcript], held_out: Sequence[Transcript]
) -> NetDetector:
    """Train a net and choose the bias with the best F1 on the stretches held out."""
    words = sum(map(len, train))
    logger.info("training %s on %s words", net.name, f"{words:,}")
    trained = net.train(train)
    found = [each.log_odds for each in trained.detect_all(held_out)]
    odds = np.concatenate([each[:-1] for each in found if each is not None])
    ends = np.concatenate(
        [each.sentences.boundary[:-1] for each in held_out if each.sentences is not None]
    )
    return trained.adjusted(bias=net.bias - best_threshold(odds, ends))


def fingerprint(texts: Sequence[Transcript]) -> str:
    """Return a checksum of training texts."""
    found = hashlib.sha256()
    for each in texts:
        found.update("\0".join((*each.words, *(each.mark or ()))).encode())
        if each.sentences is not None:
            found.update(each.sentences.boundary.tobytes())
    return found.hexdigest()
