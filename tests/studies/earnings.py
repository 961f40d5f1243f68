"""Synthetic calls with entities, and recognisers with errors."""

import json
import random
from pathlib import Path
from typing import Any

from caesura.evaluation.resampling import Resampling
from caesura_studies.atene.gazetteer import Gazetteer
from caesura_studies.atene.hmm_tagger import HMM
from caesura_studies.atene.linear_taggers import CRF, MaximumEntropy, Perceptron
from caesura_studies.atene.plan import MAIN, Features, Plan
from caesura_studies.atene.text_preparation import OTHER_PREPARATIONS
from studies.synthetic import put

CALLS = 8
RECOGNISERS = {"good": 0.03, "fair": 0.12, "poor": 0.25, "kaldi-librispeech": 0.5}
"""The word error rate of each recogniser."""

PERSONS = "Anna Smith,John Berg,Mary Jones,Peter Lake,Susan Hill".split(",")
PLACES = "Berlin,New York,Oslo,Texas".split(",")
COMPANIES = "Acme Corp,Globex,Initech".split(",")
YEARS = {"2019": "twenty nineteen", "2020": "two thousand twenty"}
NOISE = "uh the a tree house going blue some".split()
SENTENCES = (
    "our speaker today is {PERSON} from {ORG}",
    "we sold more in {GPE} than in {YEAR}",
    "{PERSON} said that {ORG} will grow in {YEAR}",
    "in {GPE} it's {PERCENT} better than before",
    "thank you {PERSON} and good morning",
)

QUICK = Plan(
    taggers=(Gazetteer(), HMM(), Perceptron(epochs=2), CRF(iterations=8), MaximumEntropy(steps=8)),
    features={
        "ATENE": Features(),
        MAIN: Features(affixes=True),
        f"{MAIN}, capitals": Features(affixes=True, capitals=True),
    },
    names={"ATENE": Features(), MAIN: Features(affixes=True)},
    preparations=OTHER_PREPARATIONS[2:],
    resampling=Resampling(40),
)

Row = tuple[str, list[str]]
"""A word, and the ids of its entities."""


def call(chance: random.Random, sentences: int) -> tuple[list[Row], dict[str, str], dict[str, Any]]:
    """Return the rows of a call, the class of each entity, and alternatives of some."""
    rows: list[Row] = []
    classes: dict[str, str] = {}
    alternatives: dict[str, Any] = {}
    for _ in range(sentences):
        for piece in chance.choice(SENTENCES).split():
            label = piece.strip("{}")
            key = str(len(classes))
            if piece == "it's":
                classes[key] = "CONTRACTION"
                alternatives[key] = _spoken("it is", "CONTRACTION")
                rows.append((piece, [key]))
            elif piece == label:
                rows.append((piece, []))
            else:
                text = _drawn(chance, label)
                classes[key] = label
                rows += [(word, [key]) for word in text.split()]
                if label == "YEAR":
                    classes[f"{key}0000"] = "CARDINAL"
                    rows[-1] = (text, [key, f"{key}0000"])
                    alternatives[key] = _spoken(YEARS[text], "YEAR")
    return rows, classes, alternatives


def _tags(keys: list[str], classes: dict[str, str]) -> list[str]:
    """Mark some entities with their class."""
    return [f"{k}:{classes[k]}" for k in keys if classes[k] in ("YEAR", "CONTRACTION")]


def _spoken(text: str, label: str) -> dict[str, Any]:
    return {"class": label, "candidates": [{"verbalization": text.split(), "probability": 1}]}


def _drawn(chance: random.Random, label: str) -> str:
    if label == "PERCENT":
        return f"{chance.randint(2, 60)}%"
    return chance.choice(
        {"PERSON": PERSONS, "ORG": COMPANIES, "GPE": PLACES, "YEAR": list(YEARS)}[label]
    )


def misheard(rows: list[Row], chance: random.Random, often: float, upper: bool) -> str:
    """Return the output of a recogniser for a call."""
    made = ["token|speaker|ts|endTs|punctuation|case|tags"]
    for word, _ in rows:
        if chance.random() < often:
            word = chance.choice(NOISE)
        words = YEARS.get(word, word).split()
        made += [f"{each.upper() if upper else each}|1|||||" for each in words]
    return "\n".join(made) + "\n"


def calls(data: Path, count: int = CALLS, sentences: int = 40) -> Path:
    """Write all files that the study reads."""
    folder = data / "earnings21"
    for number in range(count):
        chance = random.Random(number)
        rows, classes, alternatives = call(chance, sentences)
        head = "token|speaker|ts|endTs|punctuation|case|tags|wer_tags"
        lines = [f"{word}|0||||UC|{_tags(keys, classes)}|{keys!r}" for word, keys in rows]
        name = f"c{number}"
        put(folder / "references" / f"{name}.nlp", "\n".join([head, *lines]) + "\n")
        tags = {key: {"entity_type": label} for key, label in classes.items()}
        put(folder / "wer_tags" / f"{name}.wer_tag.json", json.dumps(tags))
        put(folder / "normalizations" / f"{name}.norm.json", json.dumps(alternatives))
        for recogniser, often in RECOGNISERS.items():
            heard = misheard(rows, chance, often, recogniser.startswith("kaldi"))
            put(folder / "recognisers" / recogniser / f"{name}.nlp", heard)
    return data


def written(data: Path) -> Path:
    """Write text with entities in columns."""
    chance = random.Random(99)
    lines = []
    for _ in range(60):
        lines += [f"{word} O" for word in "yesterday we met".split()]
        lines += [f"{word} I-PER" for word in chance.choice(PERSONS).split()]
        lines.append("in O")
        lines += [f"{word} I-LOC" for word in chance.choice(PLACES).split()]
        lines += [". O", ""]
    put(data / "ner" / "wikigold" / "w.conll.txt", "\n".join(lines) + "\n")
    return data
