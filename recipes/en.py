"""How the model `en` that ships with Caesura is made.

    python recipes/en.py --data CORPORA --output src/caesura/models/en

Words and pauses of earnings calls and podcasts, and words of other speech; settings are tuned on
every fourth call that has word times. The model that is kept is then trained on all recordings.
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np

import caesura
from caesura.core.arrays import Flags, Floats
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.detectors.fusion import Fusion
from caesura.detectors.lm import LM, Combination
from caesura.detectors.pause import Pause, PauseModel
from caesura.models.store import Card, save
from caesura.text.punctuation import TITLES
from caesura.training.data import Dataset, DatasetReader, inner_boundaries
from caesura.training.search import best_threshold, boundary_rates

SPEECH = ("earnings22/references", "earnings21/references", "rev16/verbatim")
LEFT_OUT = ("bitcoin_talks",)
"""Text whose licence is not clear enough to ship what was learnt from it."""

TIMED, EVERY = 0.8, 4
CLASSES = (".", ",")
SHARES, WEIGHTS = (0.0, 0.2, 0.4, 0.6), (0.75, 1.0, 1.25)
UNTUNED = Combination(
    lm=LM(classes=CLASSES, strength=(8.0, 32.0), cutoff=4, prune=(1, 3), text_prune=(11, 45)),
    pause=PauseModel(classes=CLASSES),
)
MARKS = Pause(evidence=("marks",))

ABOUT = "English speech: words, pauses, changes of speaker, and sentence marks where there are any"
LICENCE = (
    "CC BY-SA 4.0 (https://creativecommons.org/licenses/by-sa/4.0/); what was learnt from, all "
    "of it altered: Earnings-21, Earnings-22 and Rev16 (Rev.com, CC BY-SA 4.0); transcripts of "
    "The Changelog (Changelog Media LLC, https://github.com/thechangelog/transcripts, CC BY-SA "
    "4.0); the AMI Meeting Corpus (Carletta et al.) and the ICSI Meeting Corpus (Janin et al.), "
    "CC BY 4.0, via QMSum (Zhong et al. 2021); public sector information licensed under the Open"
    " Government Licence v3.0 (Post Office Horizon IT Inquiry, UK Covid-19 Inquiry; parsing by "
    "Matthew Somerville and c19witness); transcripts of the US government (public domain)"
)

log = logging.getLogger("caesura.recipes")


def main() -> None:
    """Read, tune, train on everything, and keep."""
    given = argparse.ArgumentParser(description="Make the model `en`.")
    given.add_argument("--data", type=Path, required=True)
    given.add_argument("--output", type=Path, required=True)
    where = given.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    material = gathered(where.data)
    speech = [one for each in material if each.purpose == "train" for one in each.recordings]
    text = [one for each in material if each.purpose == "text" for one in each.recordings]
    dev = development(speech)
    left = [one for one in speech if one not in dev]
    tuned, card = tune(UNTUNED.train(left, (), text), dev)
    chosen = UNTUNED.adjusted(
        lm=UNTUNED.lm.adjusted(share=tuned.lm.share),
        weight=tuned.weight,
        bias=tuned.bias,
        lone_bias=tuned.lone_bias,
    )
    known = chosen.train(speech, (), text)
    # What marks say of a gap without any is a constant; the bias takes it away again.
    nothing = float(MARKS.log_odds(Transcript(("a",)))[0])
    whole = Fusion((MARKS, known), weights=(1.0, 1.0), bias=-nothing)
    described = tuple(each.summary() for each in material)
    save(where.output, whole, card_of(card, described))
    log.info("%s: %d bytes", where.output, sum(f.stat().st_size for f in where.output.iterdir()))


def gathered(data: Path) -> list[Dataset]:
    """Read all recordings."""
    reader = DatasetReader()
    speech = [map(without_titles, caesura.read(data / name)) for name in SPEECH]
    files = [file for file in sorted((data / "text-en").glob("*.txt")) if file.stem not in LEFT_OUT]
    text = [caesura.read(file, format="turns") for file in files]
    names = [f"text-en/{file.stem}" for file in files]
    return [*reader.read("train", SPEECH, speech), *reader.read("text", names, text)]


def without_titles(transcript: Transcript) -> Transcript:
    """Take back sentence ends after titles, which these transcripts mark with a dot: Mr."""
    found = transcript.sentences
    if found is None:
        return transcript
    kept = [gap for gap in found.gaps.tolist() if transcript.words[gap].lower() not in TITLES]
    return transcript.replace(sentences=Segmentation.of_gaps(len(transcript), kept))


def development(speech: Sequence[Transcript]) -> list[Transcript]:
    """Choose every fourth recording that has times."""
    timed = [
        one
        for one in sorted(speech, key=lambda each: each.id)
        if one.start is not None and np.mean(~np.isnan(one.start)) >= TIMED
    ]
    return timed[EVERY - 1 :: EVERY]


def tune(trained: Combination, dev: Sequence[Transcript]) -> tuple[Combination, Card]:
    """Choose the settings with the best F1, and say what they reach.

    The F1 on the card is that of settings chosen on the other half of the recordings.
    """
    tried = {
        (share, weight): evidence(
            trained.adjusted(lm=trained.lm.adjusted(share=share), weight=weight), dev
        )
        for share, weight in product(SHARES, WEIGHTS)
    }
    ends = [inner_boundaries([one]) for one in dev]
    curve = [row_of(setting, odds, ends) for setting, odds in tried.items()]
    for row in curve:
        log.info("%s", row)
    best = max(curve, key=lambda row: row["f1"])
    share, weight = best["lm.share"], best["weight"]
    tuned = trained.adjusted(lm=trained.lm.adjusted(share=share), weight=weight, bias=best["bias"])
    bare = [one.replace(start=None, end=None) for one in dev]
    lone = {(share, weight): evidence(tuned.adjusted(bias=0.0), bare)}
    alone = row_of((share, weight), lone[share, weight], ends)
    log.info("without times: %s", alone)
    scores = {**halves(tried, ends), "f1_without_times": halves(lone, ends)["f1"]}
    log.info("halves: %s", scores)
    tuned = tuned.adjusted(lone_bias=round(alone["bias"] - best["bias"], 3))
    return tuned, Card(scores=scores, curve=tuple(curve))


def evidence(detector: Combination, dev: Sequence[Transcript]) -> list[Floats]:
    """Give the log-odds of all gaps but the last of each recording."""
    return [found.log_odds[:-1] for found in detector.detect_all(dev) if found.log_odds is not None]


def row_of(
    setting: tuple[float, float], odds: Sequence[Floats], ends: Sequence[Flags]
) -> dict[str, float]:
    """Say what a setting reaches with the best bias."""
    threshold = best_threshold(np.concatenate(odds), np.concatenate(ends), "f1")
    return {
        "lm.share": setting[0],
        "weight": setting[1],
        "bias": round(-threshold, 3),
        **reached(odds, ends, threshold),
    }


def reached(
    odds: Sequence[Floats], ends: Sequence[Flags], threshold: float | Sequence[float]
) -> dict[str, float]:
    """Score decisions by a threshold, or by one for each recording."""
    limits = np.broadcast_to(threshold, len(odds))
    found = np.concatenate([one > limit for one, limit in zip(odds, limits, strict=True)])
    pooled = boundary_rates(found, np.concatenate(ends))
    return {name: round(value, 4) for name, value in pooled.items() if isinstance(value, float)}


def halves(
    tried: dict[tuple[float, float], list[Floats]], ends: Sequence[Flags]
) -> dict[str, float]:
    """Tune on every other recording, score the rest, and the other way round."""
    odds: list[Floats] = [np.zeros(0)] * len(ends)
    limits = [0.0] * len(ends)
    for half in (0, 1):
        chosen = [row_of(s, each[half::2], ends[half::2]) for s, each in tried.items()]
        best = max(chosen, key=lambda row: row["f1"])
        for at in range(1 - half, len(ends), 2):
            odds[at] = tried[best["lm.share"], best["weight"]][at]
            limits[at] = -best["bias"]
    return reached(odds, ends, limits)


def card_of(found: Card, data: tuple[dict[str, object], ...]) -> Card:
    """Write the card."""
    return Card(
        name="en",
        about=ABOUT,
        language="en",
        licence=LICENCE,
        data=data,
        scores=found.scores,
        curve=found.curve,
        notes=(
            "Development scores are of a model that was not trained on the development calls, "
            "with settings tuned on one half of them and scored on the other; words in lower "
            "case, no marks. Made for transcripts of talk between people; settings suit calls "
            "with word times. Words are kept as hashes. Text in other languages is left to "
            "pauses."
        ),
    )


if __name__ == "__main__":
    main()
