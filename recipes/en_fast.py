"""How the model `en-fast` that ships with Caesura is made.

    python -m recipes.en_fast --data CORPORA --output src/caesura/models/en-fast

The model `en` (or the one that --teacher names) teaches a small net: for most windows of the same
recordings that it was trained on, the net learns the probabilities of `en` rather than the marks.
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from recipes.english_corpora import Material, gather
from recipes.english_models import finish

from caesura.core.arrays import Floats
from caesura.core.errors import ModelError
from caesura.detectors.neural.encoder import Encoder
from caesura.detectors.neural.encoder_training import EncoderNet, make_batch
from caesura.detectors.neural.fast_net import FastNet
from caesura.detectors.neural.fast_net_training import Lesson, Teacher, train_net
from caesura.detectors.neural.training_windows import Window
from caesura.ml.neural.transformer import restored
from caesura.models.store import find_folder, load, save

UNTRAINED = FastNet(words=30_000, pairs=27_000, hidden=96, second=64, steps=16_000, batch=32)
TAUGHT = 80_000
"""Windows that the teacher sees."""

ABOUT = (
    "English speech: words, pauses, speakers, marks and capitals; small and fast, for streams and "
    "large archives"
)
NOTES = (
    "Taught by the model en. Scores are of the development recordings (recipes/development.json), "
    "which training did not see; thresholds with and without times were chosen on them and on "
    "other text. Words and pairs of words are kept as hashes, but for a list of words that are "
    "usually written with capitals: who has a list of words can find which of them are known."
)


def main() -> None:
    """Read the corpora and make the model."""
    given = argparse.ArgumentParser(description="Make the model `en-fast`.")
    given.add_argument("--data", type=Path, required=True)
    given.add_argument("--output", type=Path, required=True)
    given.add_argument("--teacher", default="en")
    where = given.parse_args()
    make(gather(where.data), where.data, where.output, where.teacher)


def make(material: Material, data: Path, output: Path, teacher: str) -> None:
    """Ask the teacher, train, set the threshold, and keep."""
    encoder = load(find_folder(teacher)).detector
    if not isinstance(encoder, Encoder):
        raise ModelError(f"the model {teacher} is no Encoder")
    sampler = material.sampler(encoder.model.vocabulary, encoder.window, UNTRAINED.seed + 1)
    lesson = Lesson(sampler, teacher_of(encoder), TAUGHT)
    trained = train_net(UNTRAINED, lesson, material.lexicon, material.forms)
    card = {"name": "en-fast", "about": ABOUT, "data": material.rows, "notes": NOTES}
    save(output, *finish(trained, data, card))


def teacher_of(encoder: Encoder) -> Teacher:
    """Return a teacher that runs an encoder with torch."""
    transformer = encoder.model.transformer
    net = EncoderNet(transformer.shape).bfloat16().eval()
    weights = restored(transformer.arrays)
    net.load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()})

    def teach(windows: Sequence[Window]) -> list[Floats]:
        batch = make_batch(windows)
        with torch.no_grad():
            vectors = net(batch.pieces, batch.values, batch.word_at, batch.mask)
            gaps, _ = net.scores(vectors, batch.word_at)
            own = gaps[torch.arange(len(gaps)), batch.head].float()
            found = torch.softmax(own, 1).numpy().astype(np.float64)
        stops = np.cumsum([len(window.words) for window in windows])[:-1]
        return list(np.split(found, stops))

    return teach


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    main()
