"""Written text with entities, from other sources than the calls."""

from __future__ import annotations

import logging
from pathlib import Path

from caesura.core.transcript import Transcript
from caesura.formats.files import read
from caesura_studies.atene.calls import prepared
from caesura_studies.atene.clitics import glued
from caesura_studies.atene.views import THREE
from caesura_studies.atene.ways import SPELT

logger = logging.getLogger("caesura.studies")

NER = "ner"
FILES = ("wikigold/*.conll.txt", "wnut17/*/*", "btc/*.conll", "sec-filings/*/*.txt")


def written(data: Path) -> list[Transcript]:
    """Read what lies below `data`, which may be nothing: persons, places and organisations.

    Words are those of the calls, in which `it's` is one and not two.
    """
    files = sorted(file for pattern in FILES for file in (data / NER).glob(pattern))
    logger.info("reading %d files of %s", len(files), NER)
    texts = (each for file in files for each in read(file, "bio"))
    return [THREE.of(prepared(glued(each), SPELT)) for each in texts if len(each)]
