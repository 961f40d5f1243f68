"""Other tools that find sentences, as far as they are installed.

None of them brings a model for bare words, and their models are downloads, which this comparison
does without. Those that can learn are trained here on what the baselines learn from: Punkt on text
with its marks, which it learns from without labels; spaCy's `senter` on the calls of earnings22 as
bare words and on the text of UD English-EWT.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from recipes.comparison_data import baseline_training
from recipes.comparison_systems import System
from recipes.english_corpora import read_turns, read_written

from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript

Cut = Callable[[str], Sequence[str]]
"""Cuts a text into sentences."""

EPOCHS, BATCH, PASSAGE = 4, 64, 200
"""How long spaCy's `senter` learns, from how many passages at a time, and their words."""

LEARNING = f"{EPOCHS} {BATCH} {PASSAGE}"
"""What is found is kept for these settings."""


def peers(
    data: Path, cache: Path, wanted: Sequence[str] = ()
) -> tuple[list[System], dict[str, str]]:
    """Return the other tools that are installed, and why each of the rest is missing.

    If some systems are `wanted`, no others are loaded.
    """
    found, missing = [], {}
    for name, (package, make) in PEERS.items():
        if wanted and name not in wanted:
            continue
        try:
            cut = make(data, cache)
            found.append(System(name, f"{name} {version(package)} {LEARNING}", _cutting(cut)))
        except ImportError as error:
            missing[name] = f"it cannot be imported ({error})"
    return found, missing


def _cutting(cut: Cut) -> Callable[[Sequence[Transcript]], list[Segmentation]]:
    return lambda recordings: [boundaries_of(each, cut) for each in recordings]


def boundaries_of(recording: Transcript, cut: Cut) -> Segmentation:
    """Cut the text of a recording, and find the gaps of its words at which it was cut."""
    surface = recording.surface()
    lengths = np.cumsum([len("".join(word.split())) for word in surface])
    ends = np.cumsum([len("".join(sentence.split())) for sentence in cut("".join(surface))])
    gaps = np.searchsorted(lengths, ends)
    return Segmentation.of_gaps(len(recording), [gap for gap in gaps if gap < len(recording)])


def _punkt(data: Path, cache: Path) -> Cut:  # noqa: ARG001 - it learns in seconds
    module: Any = import_module("nltk.tokenize.punkt")
    documents = read_turns(data / "text-en" / "us_presidents.txt")
    text = "\n".join("".join(each.surface()) for each in documents)
    tokenizer = module.PunktSentenceTokenizer(text)
    return lambda text: list(tokenizer.tokenize(text))


def _senter(data: Path, cache: Path) -> Cut:
    spacy: Any = import_module("spacy")
    folder = cache / "baselines" / f"spacy-senter {spacy.__version__} {LEARNING}"
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        _train_senter(spacy, data).to_disk(folder)
    pipeline = spacy.load(folder)

    def cut(text: str) -> list[str]:
        pipeline.max_length = max(pipeline.max_length, len(text) + 1)
        return [sentence.text for sentence in pipeline(text).sents]

    return cut


def _train_senter(spacy: Any, data: Path) -> Any:
    pipeline = spacy.blank("en")
    pipeline.add_pipe("senter")
    train, tuning = baseline_training(data)
    written = read_written(data / "ud" / "english-ewt" / "train.conllu")
    recordings = [each.only(("sentences",)) for each in (*train, *tuning)]
    examples = [
        example
        for each in (*recordings, *written)
        for example in _examples(spacy.training.Example, pipeline, each)
    ]
    pipeline.initialize(lambda: examples[:100])
    shuffled = random.Random(1)  # noqa: S311 - no secret
    spacy.util.fix_random_seed(1)
    for _ in range(EPOCHS):
        shuffled.shuffle(examples)
        for first in range(0, len(examples), BATCH):
            pipeline.update(examples[first : first + BATCH])
    return pipeline


def _examples(make: Any, pipeline: Any, recording: Transcript) -> Iterator[Any]:
    """Yield passages as spaCy cuts them into tokens, with those that begin sentences."""
    assert recording.sentences is not None
    for first in range(0, len(recording), PASSAGE):
        part = recording[first : first + PASSAGE]
        surface = part.surface()
        stops = np.cumsum([len(word) for word in surface])
        assert part.sentences is not None
        starts = {0, *stops[part.sentences.gaps].tolist()}
        doc = pipeline.make_doc("".join(surface))
        flags = [token.idx in starts for token in doc]
        yield make.from_dict(doc, {"sent_starts": flags})


def _pysbd(data: Path, cache: Path) -> Cut:  # noqa: ARG001 - it learns nothing
    segmenter: Any = import_module("pysbd").Segmenter(language="en", clean=False)

    def cut(text: str) -> list[str]:
        # Its time grows faster than the text; a passage ends at a blank.
        passages = re.findall(r"(?s).{1,20000}(?:\s|$)", text)
        return [sentence for passage in passages for sentence in segmenter.segment(passage)]

    return cut


def _sentsplit(data: Path, cache: Path) -> Cut:  # noqa: ARG001 - it learns nothing
    module: Any = import_module("sentsplit.segment")
    segmenter = module.SentSplit("en")
    return lambda text: list(segmenter.segment(text))


PEERS: dict[str, tuple[str, Callable[[Path, Path], Cut]]] = {
    "nltk Punkt": ("nltk", _punkt),
    "spaCy senter": ("spacy", _senter),
    "pysbd": ("pysbd", _pysbd),
    "sentsplit": ("sentsplit", _sentsplit),
}
"""The package of each tool, and the function that loads it."""
