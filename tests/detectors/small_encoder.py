"""A small encoder with random weights, for tests that need no training."""

import numpy as np

from caesura.detectors.neural.encoder import VALUES, Encoder, EncoderModel
from caesura.ml.neural.transformer import Shape, Transformer, quantize
from caesura.ml.neural.wordpiece import INSIDE, SPECIAL, WordPieces

LETTERS = "abcdefghijklmnopqrstuvwxyz"
PIECES = WordPieces(
    [*SPECIAL, *LETTERS, *(INSIDE + letter for letter in LETTERS), "the", "##ing", "so", "'", "7"]
)
SHAPE = Shape(len(PIECES), VALUES, hidden=16, layers=2, heads=4, inner=24, positions=64)


def small_encoder(seed: int = 3, runtime: str = "numpy", **settings: object) -> Encoder:
    """Return an encoder that decides at random, but always alike."""
    draw = np.random.default_rng(seed)
    weights = {name: draw.normal(0, 0.5, size) for name, size in SHAPE.arrays()}
    transformer = Transformer(quantize(weights), SHAPE)
    model = EncoderModel(PIECES, {"iphone": "iPhone"}, transformer)
    sizes = {"window": 64, "layers": SHAPE.layers}
    return Encoder(runtime=runtime, **sizes, **settings).with_model(model)  # type: ignore[arg-type]
