"""A small `FastNet` with random weights, for tests that need no training."""

import numpy as np

from caesura.detectors.neural.fast_net import FastNet, FastNetModel, pair_keys, word_numbers
from caesura.ml.ngram_counts import Vocabulary

KNOWN = "so the king is reading it all again what a day this was and we all went home".split()


def small_fast_net(seed: int = 3, bias: float = 0.0) -> FastNet:
    """Return a net that decides at random, but always alike."""
    net = FastNet(vector=6, hidden=10, past=4, second=7, bias=bias)
    vocabulary = Vocabulary.of([KNOWN], 1)
    keys = np.unique(pair_keys(word_numbers(vocabulary, KNOWN)))
    draw = np.random.default_rng(seed)
    shapes = net.sizes(vocabulary, len(keys)).shapes()
    weights = {n: draw.normal(0, 0.5, size).astype(np.float32) for n, size in shapes.items()}
    model = FastNetModel(vocabulary, keys, {"king": "King", "iphone": "iPhone"}, weights)
    return net.from_state(net.with_model(model).state())
