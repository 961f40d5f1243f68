"""A small language with named entities, and a slow entity model in plain Python."""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from math import exp
from random import Random
from typing import Any

import numpy as np

from caesura.core.transcript import Span, Transcript
from caesura.detectors.tagging.entity_model import Margins

FULL = 1 << 64

PEOPLE, PLACES = ("Anna", "Berta", "Carl Otto", "Dora"), ("Paris", "Rome", "New York", "Oslo")
FILLERS = ("we", "met", "Then", "saw", "the", "12", "old", "friends", "of", "today")


def entity_text(seed: int, count: int = 30) -> Transcript:
    """Return a text such as `Mrs Anna saw the friends in New York .`, with capitals and marks."""
    chance = Random(seed)
    words: list[str] = []
    spans: list[Span] = []

    def name(label: str, text: str) -> None:
        spans.append(Span(len(words), len(words) + text.count(" "), label))
        words.extend(text.split())

    for _ in range(count):
        if chance.random() < 0.7:
            words.append(chance.choice(("Mrs", "Dr")))
            name("PER", chance.choice(PEOPLE))
        words += chance.sample(FILLERS, chance.randrange(1, 4))
        if chance.random() < 0.7:
            words.append("in")
            name("LOC", chance.choice(PLACES))
            if chance.random() < 0.2:
                name("PER", chance.choice(PEOPLE))
        words.append(chance.choice((".", ",", "so")))
    return Transcript(tuple(words), id=str(seed), entities=tuple(spans))


def number(data: bytes) -> int:
    return int.from_bytes(blake2b(data, digest_size=8).digest())


def hashed(text: str) -> int:
    return number(text.encode())


def capitalisation(word: str) -> str:
    """Return how a word is written, letter by letter, without what follows an apostrophe."""
    if any(char.isdigit() for char in word):
        return "digit"
    if not any(char.isupper() for char in word):
        return "lower"
    stem = word.split("'")[0]
    for text in (word, stem):
        if sum(map(str.isupper, text)) > 1 and not any(map(str.islower, text)):
            return "UPPER"
    later = (char for part in stem.split("-") for char in part[1:])
    return "Title" if stem[0].isupper() and not any(map(str.isupper, later)) else "mixed"


def word_hashes(word: str, affixes: bool, capitals: bool) -> dict[str, int]:
    """Return the named hashes of one word; 0 is a missing one."""
    plain = "".join("0" if char.isdigit() else char for char in word.lower().rstrip("."))
    found = {"word": hashed(plain)}
    for size in (1, 2, 3, 4):
        if affixes:
            found[f"prefix{size}"] = hashed(plain[:size]) if size <= len(plain) else 0
            found[f"suffix{size}"] = hashed(plain[-size:]) if size <= len(plain) else 0
    if capitals:
        found["capital"] = hashed(capitalisation(word))
    return found


def feature_keys(
    words: Sequence[str], at: int, affixes: bool, capitals: bool, tags: Sequence[str] | None
) -> Iterator[int]:
    """Yield the keys of all features of the word at a place."""
    nothing = dict.fromkeys(word_hashes("x", affixes, capitals), 0)

    def value(name: str, place: int) -> int:
        if not 0 <= at + place < len(words):
            return 0
        if name == "tag":
            assert tags is not None
            return hashed(tags[at + place])
        return word_hashes(words[at + place], affixes, capitals)[name]

    templates: list[tuple[tuple[str, int], ...]] = [()]
    templates += [(("word", place),) for place in (-2, -1, 0, 1, 2)]
    templates += [(("word", place), ("word", place + 1)) for place in (-2, -1, 0, 1)]
    for place in (-1, 0, 1):
        templates += [((name, place),) for name in nothing if name != "word"]
        if tags is not None:
            templates.append((("tag", place),))
            if place < 1:
                templates.append((("tag", place), ("tag", place + 1)))
    for template in templates:
        total = number(repr(template).encode()) | 1
        for name, place in template:
            total += value(name, place) * (number(f"{name} {place}".encode()) | 1)
        yield total % FULL >> 32


def slow_probabilities(
    entity_model: Margins, words: Sequence[str], tags: Sequence[str] | None = None
) -> list[list[dict[str, float]]]:
    """Return the probabilities of labels for each model and word; '' is no entity."""
    arrays: Mapping[str, Any] = entity_model.state()
    scales = arrays["scales"].astype(np.float64)
    weights = {
        key: row * scale
        for key, row, scale in zip(
            arrays["keys"].tolist(), arrays["weights"].astype(float), scales, strict=True
        )
    }
    labels = ["", *entity_model.classes]
    found: list[list[dict[str, float]]] = [[], [], []]
    for at in range(len(words)):
        keys = list(feature_keys(words, at, entity_model.affixes, entity_model.capitals, tags))
        for model in range(3):
            scores = {}
            for column, label in enumerate(labels, model * len(labels)):
                scores[label] = sum(weights[key][column] for key in keys if key in weights)
            whole = sum(exp(score) for score in scores.values())
            found[model].append({label: exp(score) / whole for label, score in scores.items()})
    return found
