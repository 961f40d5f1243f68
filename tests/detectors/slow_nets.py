"""The nets as their equations say, gap by gap in plain Python, and nets with random weights."""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from caesura.core import registry
from caesura.core.transcript import Transcript
from caesura.detectors.neural.birnn import BiRNN
from caesura.detectors.neural.cnn import CNN
from caesura.detectors.neural.net_detector import KEPT, NetDetector
from caesura.ml.features import hash_spelling, normalized_spelling
from caesura.ml.neural.layers import Array
from caesura.ml.ngram_counts import Vocabulary
from caesura.testing.detector_laws import made_up_recording

Weights = Mapping[str, Array]
Vector = list[float]


def random_net(text: str, words: Sequence[str], seed: int = 0) -> NetDetector:
    """Make a net that knows these words, with random weights; it finds some boundaries."""
    untrained = registry.parse("detector", text)
    assert isinstance(untrained, NetDetector)
    spellings = {normalized_spelling(word) for word in words} - {""}
    hashes = np.unique(np.array([*map(hash_spelling, spellings)], np.uint64))
    chance = np.random.default_rng(seed)
    shapes = untrained.shapes(Vocabulary(hashes).size)
    weights = {name: chance.normal(0, 0.6, shape) for name, shape in shapes.items()}
    arrays = {name: array.astype(np.float16) for name, array in weights.items()}
    net = untrained.from_state({"vocabulary": hashes, **arrays})
    middle = float(np.median(net.log_odds(Transcript(made_up_recording(1).words))))
    return net.adjusted(bias=round(net.bias - middle, 2))


def slow_scores(net: NetDetector, numbers: Sequence[int], gap: int) -> Vector:
    """Return the score of each class at a gap of a recording of these word numbers."""
    weights = net.model.weights
    if isinstance(net, CNN):
        return _slow_cnn(net, weights, numbers, gap)
    assert isinstance(net, BiRNN)
    first = gap // KEPT * KEPT - net.context
    row = [_word(numbers, first + at) for at in range(KEPT + 2 * net.context)]
    return _slow_birnn(weights, row, gap - first)


def slow_log_odds(scores: Vector, ends: Sequence[bool]) -> float:
    """Return the log-odds of the classes that end a sentence."""
    end = sum(math.exp(x) for x, is_end in zip(scores, ends, strict=True) if is_end)
    other = sum(math.exp(x) for x, is_end in zip(scores, ends, strict=True) if not is_end)
    return math.log(end / other)


def _word(numbers: Sequence[int], at: int) -> int:
    return numbers[at] if 0 <= at < len(numbers) else 0


def _linear(weights: Weights, name: str, values: Vector) -> Vector:
    bias = weights.get(f"{name}.bias")
    return _product(weights[f"{name}.weight"], values, bias)


def _product(weight: Any, values: Vector, bias: Any = None) -> Vector:
    found = [sum(float(w) * x for w, x in zip(row, values, strict=True)) for row in weight]
    return found if bias is None else [x + float(b) for x, b in zip(found, bias, strict=True)]


def _joined(vectors: Iterable[Vector]) -> Vector:
    return list(chain.from_iterable(vectors))


def _slow_cnn(net: CNN, weights: Weights, numbers: Sequence[int], gap: int) -> Vector:
    window = [_word(numbers, at) for at in range(gap - net.before + 1, gap + net.after + 1)]
    places = [[float(x) for x in weights["words.weight"][word]] for word in window]
    for name in ("first", "second"):
        places = [
            [max(x, 0.0) for x in _linear(weights, name, _joined(places[at : at + 3]))]
            for at in range(len(places) - 2)
        ]
    pairs = zip(places[0::2], places[1::2], strict=False)
    pooled = [[max(a, b) for a, b in zip(one, other, strict=True)] for one, other in pairs]
    hidden = [max(x, 0.0) for x in _linear(weights, "dense", _joined(pooled))]
    return _linear(weights, "classes", hidden)


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def _gru(weights: Weights, name: str, ending: str, given: list[Vector]) -> list[Vector]:
    """Cho and others (2014), in the form that torch computes."""
    size = weights[f"{name}.weight_hh_l0{ending}"].shape[1]
    state = [0.0] * size
    found = []
    for values in given:
        new, held = (
            _product(
                weights[f"{name}.weight_{part}_l0{ending}"],
                vector,
                weights[f"{name}.bias_{part}_l0{ending}"],
            )
            for part, vector in (("ih", values), ("hh", state))
        )
        reset = [_sigmoid(new[k] + held[k]) for k in range(size)]
        update = [_sigmoid(new[k] + held[k]) for k in range(size, 2 * size)]
        fresh = [math.tanh(new[2 * size + k] + reset[k] * held[2 * size + k]) for k in range(size)]
        state = [(1 - update[k]) * fresh[k] + update[k] * state[k] for k in range(size)]
        found.append(state)
    return found


def _slow_birnn(weights: Weights, row: list[int], at: int) -> Vector:
    """Tilk and Alumäe (2016); the gap after the word `at` is decided at the next word."""
    vectors = [[float(x) for x in weights["words.weight"][word]] for word in row]
    forwards = _gru(weights, "reader", "", vectors)
    backwards = _gru(weights, "reader", "_reverse", vectors[::-1])[::-1]
    read = [one + other for one, other in zip(forwards, backwards, strict=True)]
    written = _gru(weights, "writer", "", read)
    query = _linear(weights, "query", written[at])
    energies = []
    for state in read:
        key = _linear(weights, "key", state)
        pair = [math.tanh(k + q) for k, q in zip(key, query, strict=True)]
        energies.append(_linear(weights, "attention", pair)[0])
    total = sum(map(math.exp, energies))
    shares = [math.exp(each) / total for each in energies]
    seen = [
        sum(share * state[k] for share, state in zip(shares, read, strict=True))
        for k in range(len(read[0]))
    ]
    seen = _linear(weights, "context", seen)
    fused, kept = _linear(weights, "fused", seen), _linear(weights, "state", written[at + 1])
    late = [
        s * _sigmoid(f + k) + h
        for s, f, k, h in zip(seen, fused, kept, written[at + 1], strict=True)
    ]
    return _linear(weights, "classes", late)
