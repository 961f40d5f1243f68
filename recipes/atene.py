"""How the model `atene` that ships with Caesura is made.

    python recipes/atene.py --data CORPORA --output src/caesura/models/atene

Maximum-entropy models of names in English text, for the metric ATENE. Four corpora under CC BY
are learnt from, their classes called alike. The scores on the card are of models that have not
seen the part they were measured on; the model that is kept is trained on everything.
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Iterable
from pathlib import Path

import caesura
from caesura.core.transcript import Transcript
from caesura.detectors.tagging.entity_model import CLASS_OF_ANY, Margins
from caesura.models.store import Card, save
from caesura.training.data import Dataset
from caesura.training.run import score_entity_model
from caesura_studies.atene.corpora import join_clitics

SIZE = 65_000
"""Clues that are kept."""

TRAIN = {
    "ner/wikigold": ("wikigold.conll.txt",),
    "ner/wnut17": ("train/wnut17train.conll", "dev/emerging.dev.conll"),
    "ner/btc": ("a.conll", "b.conll", "e.conll", "f.conll", "g.conll"),
    "ner/sec-filings": ("train/FIN5.txt",),
}
TEST = {
    "ner/wikigold": (),
    "ner/wnut17": ("test/emerging.test.annotated",),
    "ner/btc": ("h.conll",),
    "ner/sec-filings": ("test/FIN3.txt",),
}
EVERY = 5
"""Of a corpus without a part to test on, each so many-th document is one."""

LICENCE = (
    "CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/); learnt from, altered: Wikigold "
    "(Balasuriya and others 2009, CC BY 4.0), WNUT 2017 (Derczynski and others 2017, CC BY 4.0), "
    "Broad Twitter Corpus (Derczynski and others 2016, CC BY 4.0), SEC filings (Salinas Alvarado "
    "and others 2015, CC BY 3.0)"
)
NOTES = (
    "For the metric ATENE on English texts; not a system that finds names. Words are seen in "
    "lower case and without punctuation, and kept as hashes. Scores are of the likeliest labels "
    "(starts, ends and insides of names together) on parts that had not been learnt from, in all "
    "and by corpus."
)

log = logging.getLogger("caesura.recipes")


def main() -> None:
    """Read, measure, train on everything, and keep."""
    given = argparse.ArgumentParser(description="Make the model of names for ATENE.")
    given.add_argument("--data", type=Path, required=True)
    given.add_argument("--output", type=Path, required=True)
    where = given.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    train, test = parts(where.data)
    entity_model = Margins(affixes=True, size=SIZE)
    card = Card(
        name="atene",
        about="Names in English text: persons, places, organisations and others, for ATENE",
        language="en",
        licence=LICENCE,
        data=tuple(
            Dataset("train", corpus, (*train[corpus], *test[corpus])).summary() for corpus in train
        ),
        scores=measured(entity_model.train(every(train)), test),
        notes=NOTES,
    )
    save(where.output, entity_model.train([*every(train), *every(test)]), card)
    log.info("%s: %d bytes", where.output, sum(f.stat().st_size for f in where.output.iterdir()))


def parts(data: Path) -> tuple[dict[str, list[Transcript]], dict[str, list[Transcript]]]:
    """Read the texts to train on, and those to test on, by corpus."""
    train, test = (
        {
            corpus: [one for file in files for one in read(data / corpus / file)]
            for corpus, files in each
        }
        for each in (TRAIN.items(), TEST.items())
    )
    for corpus, texts in test.items():
        if not texts:
            test[corpus] = train[corpus][EVERY - 1 :: EVERY]
            del train[corpus][EVERY - 1 :: EVERY]
    return train, test


def read(file: Path) -> Iterable[Transcript]:
    """Read a corpus with classes called as in all of them, and words as recognisers write them."""
    for each in caesura.read(file, format="bio"):
        spans = (
            span._replace(label=CLASS_OF_ANY[span.label.lower()]) for span in each.entities or ()
        )
        yield join_clitics(each.only(["sentences"]).replace(entities=tuple(spans)))


def every(corpora: dict[str, list[Transcript]]) -> list[Transcript]:
    """Give the texts of all corpora."""
    return [one for texts in corpora.values() for one in texts]


def measured(entity_model: Margins, test: dict[str, list[Transcript]]) -> dict[str, float]:
    """Score a model on texts it has not learnt from, in all and by corpus."""
    found = score_entity_model(entity_model, every(test))
    for corpus, texts in test.items():
        found[f"f1_{Path(corpus).name}"] = score_entity_model(entity_model, texts)["f1"]
    scores = {name: round(value, 4) for name, value in found.items() if isinstance(value, float)}
    log.info("test: %s", scores)
    return scores


if __name__ == "__main__":
    main()
