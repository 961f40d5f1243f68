"""How the models `pcm`, `fr`, `ja` and `en-sda` that ship with Caesura are made.

    python recipes/sda.py fr --data CORPORA --output src/caesura/models/fr

Sequential dependency analysis with a tagger of its own. All tags are guesses of taggers that
have not seen the recording. Weights of labels and boundaries are tuned on recordings for training
that were left out, the scores on the card were measured on the development recordings of the
corpus, and the model that is kept is then trained on all recordings.
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

import caesura
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.core.values import Counts
from caesura.detectors.syntax.crf_svm import CRF
from caesura.detectors.syntax.sda import SDA
from caesura.detectors.tagging.pos_tagger import Tagger
from caesura.metrics.cluster import Cluster
from caesura.metrics.dependency import Dependency
from caesura.models.store import Card, save
from caesura.text.punctuation import punctuation_flags
from caesura.training.data import Dataset
from caesura.training.search import score_boundaries

EVERY = 4
TIMED = 0.8
ALPHAS, BIASES = (1.0, 1.5, 2.0, 3.0), (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
TAGS, FEATURES = 9_700, 20_000
LOOKED_AT = ("start", "end", "speaker", "tag")
"""What a recording may bring."""

UD = "CC BY-SA 4.0 (https://creativecommons.org/licenses/by-sa/4.0/); learnt from, altered: "

log = logging.getLogger("caesura.recipes")


@dataclass(frozen=True)
class Recipe:
    """What a model is made of."""

    language: str
    about: str
    corpus: str
    licence: str
    c2: float = 5.0
    iterations: int = 120
    shuffled: int = 0
    """How many sentences make up a recording where the corpus has lost their order."""

    folds: int = 1
    """Parts of a quarter of the recordings each on which weights are tuned."""

    trees: str = ""
    """A treebank beside the speech, if that has no trees."""


RECIPES = {
    "pcm": Recipe(
        "pcm",
        "Naija (Nigerian Pidgin) speech: words, pauses, changes of speaker, and syntax",
        "ud/naija",
        UD + "UD Naija-NSC (Courtin, Caron, Gerdes, Kahane and others)",
    ),
    "fr": Recipe(
        "fr",
        "French speech: words, pauses, changes of speaker, and syntax",
        "ud/french-rhapsodie",
        UD + "UD French-Rhapsodie (Lacheret, Kahane, Gerdes and others)",
        folds=4,
    ),
    "ja": Recipe(
        "ja",
        "Japanese words in short units: words and the syntax of bunsetsu",
        "ud/japanese-gsd",
        UD + "UD Japanese-GSD (Google, NINJAL, Megagon Labs and others)",
        c2=1.0,
        iterations=60,
        shuffled=40,
    ),
    "en-sda": Recipe(
        "en",
        "English speech: words, pauses, changes of speaker, and syntax",
        "earnings22/references",
        UD + "UD English-EWT (Silveira and others), trees; Earnings-22 (Rev.com), calls",
        iterations=60,
        trees="ud/english-ewt",
    ),
}


def main() -> None:
    """Read, tag, tune, measure, train on everything, and keep."""
    given = argparse.ArgumentParser(description="Make a model with syntax.")
    given.add_argument("name", choices=RECIPES)
    given.add_argument("--data", type=Path, required=True)
    given.add_argument("--output", type=Path, required=True)
    where = given.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    recipe = RECIPES[where.name]
    speech, dev, text = gathered(recipe, where.data)
    chunker = CRF(recipe.c2, recipe.iterations, size=FEATURES, tagger=Tagger(size=TAGS))
    untuned = SDA(crf=chunker)
    crf, tagged, more = untuned.crf.with_predicted_tags([*speech, *dev], text)
    speech, dev, text = list(tagged[: len(speech)]), list(tagged[len(speech) :]), list(more)
    log.info("tagged %d recordings", len(tagged) + len(text))
    tuned, curve = tune(recipe, untuned.adjusted(crf=crf), speech, text)
    card = Card(
        name=where.name,
        about=recipe.about,
        language=recipe.language,
        licence=recipe.licence,
        data=tuple(described(recipe, speech, dev, text)),
        scores=measured(tuned.train_tagged(varied(recipe, speech), text), dev),
        curve=tuple(curve),
        notes=notes(recipe),
    )
    save(where.output, tuned.train_tagged(varied(recipe, [*speech, *dev]), text), card)
    log.info("%s: %d bytes", where.output, sum(f.stat().st_size for f in where.output.iterdir()))


def gathered(
    recipe: Recipe, data: Path
) -> tuple[list[Transcript], list[Transcript], list[Transcript]]:
    """Read recordings to train on, those to measure on, and text with trees."""
    if recipe.trees:
        calls = sorted(caesura.read(data / recipe.corpus), key=lambda each: each.id)
        timed = [each for each in calls if is_timed(each)]
        dev = timed[EVERY - 1 :: EVERY]
        rest = [each if is_timed(each) else silent(each) for each in calls if each not in dev]
        trees = [one for part in ("train", "dev") for one in read(data, recipe.trees, part)]
        return rest[::EVERY], dev, trees
    speech, dev = (list(read(data, recipe.corpus, part)) for part in ("train", "dev"))
    return shuffled(recipe, speech), shuffled(recipe, dev), []


def read(data: Path, corpus: str, part: str) -> Iterable[Transcript]:
    """Read a part of a treebank without sub-tags, which differ, and without punctuation.

    Marks stand on either side of sentence ends there, and would count as mistakes.
    """
    for each in caesura.read(data / corpus / f"{part}.conllu"):
        yield each.replace(subtag=None).take(~punctuation_flags(each))


def is_timed(transcript: Transcript) -> bool:
    """Whether most words have times."""
    return transcript.start is not None and bool(np.mean(~np.isnan(transcript.start)) >= TIMED)


def silent(transcript: Transcript) -> Transcript:
    """Leave out times and speakers."""
    return transcript.replace(start=None, end=None, speaker=None)


def shuffled(recipe: Recipe, sentences: list[Transcript]) -> list[Transcript]:
    """Join sentences without order, in an order that is always the same, into recordings."""
    if not recipe.shuffled:
        return sentences
    order = np.random.default_rng(0).permutation(len(sentences))
    groups = np.array_split(order, max(len(order) // recipe.shuffled, 1))
    named = [(f"{recipe.language}-{at}", group) for at, group in enumerate(groups)]
    return [Transcript.join([sentences[i] for i in g]).replace(id=name) for name, g in named]


def varied(recipe: Recipe, speech: Sequence[Transcript]) -> list[Transcript]:
    """Give recordings with times, and once more without: the model is to know both."""
    again = [] if recipe.trees else [silent(each) for each in speech if is_timed(each)]
    return [*speech, *again]


def tune(
    recipe: Recipe, sda: SDA, speech: Sequence[Transcript], text: Sequence[Transcript]
) -> tuple[SDA, list[dict[str, float]]]:
    """Choose the weights of labels and boundaries by F1 on recordings not learnt from."""
    grid = list(product(ALPHAS, BIASES))
    held: list[Transcript] = []
    found: dict[tuple[float, float], list[Segmentation]] = {setting: [] for setting in grid}
    for fold in range(recipe.folds):
        here = speech[fold::EVERY]
        rest = [each for at, each in enumerate(speech) if at % EVERY != fold]
        trained = sda.train_tagged(varied(recipe, rest), text)
        held += here
        for alpha, bias in grid:
            tried = trained.adjusted(alpha=alpha, bias=bias)
            found[alpha, bias] += tried.detect_all(bare(here))
    curve = [
        {"alpha": a, "bias": b, **rounded(score_boundaries(found[a, b], held))} for a, b in grid
    ]
    for row in curve:
        log.info("%s", row)
    best = max(curve, key=lambda row: row["f1"])
    return sda.adjusted(alpha=best["alpha"], bias=best["bias"]), curve


def bare(recordings: Sequence[Transcript]) -> list[Transcript]:
    """Give what a recording brings, and the tags that were predicted for it."""
    return [each.only(LOOKED_AT) for each in recordings]


def measured(trained: SDA, dev: Sequence[Transcript]) -> dict[str, float]:
    """Say what a model reaches on development recordings, with and without times."""
    found = [trained.annotate(each) for each in bare(dev)]
    scores = rounded(score_boundaries([each.sentences for each in found if each.sentences], dev))
    quiet = [silent(each) for each in dev]
    alone = rounded(score_boundaries(trained.detect_all(bare(quiet)), dev))
    scores["f1_without_times"] = alone["f1"]
    for metric in (Cluster(), Dependency()):
        if dev[0].head is not None:
            pairs = zip(found, dev, strict=True)
            counts = sum((metric.count(one, [real]) for one, real in pairs), Counts())
            scores[f"{metric.name.lower()}_f1"] = rounded(metric.values(counts))["f1"]
    log.info("development: %s", scores)
    return scores


def rounded(scores: object) -> dict[str, float]:
    """Keep the numbers, with four digits."""
    assert isinstance(scores, dict)
    return {name: round(value, 4) for name, value in scores.items() if isinstance(value, float)}


def described(
    recipe: Recipe,
    speech: Sequence[Transcript],
    dev: Sequence[Transcript],
    text: Sequence[Transcript],
) -> Iterable[dict[str, object]]:
    """Give the rows of a card about what a model was trained on."""
    yield Dataset("train", recipe.corpus, (*speech, *dev)).summary()
    if text:
        yield Dataset("text", recipe.trees, tuple(text)).summary()


def notes(recipe: Recipe) -> str:
    """Say what scores mean and what a model is for."""
    order = (
        "The corpus is written text whose sentences have lost their order: they were shuffled "
        "into recordings, and there are no pauses to learn from. "
        if recipe.shuffled
        else ""
    )
    return (
        f"{order}Development scores are of a model that was not trained on those recordings, "
        "with guessed tags; settings were tried on recordings for training that had been left out. "
        "The model that ships was trained on all of them. Words are kept as hashes, tags are "
        "guessed by a tagger within."
    )


if __name__ == "__main__":
    main()
