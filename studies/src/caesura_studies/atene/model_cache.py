"""Cached models and tagger output, so an interrupted run continues where it stopped."""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from caesura.core.arrays import Strings
from caesura.core.atomic import atomic
from caesura.core.transcript import Span, Transcript
from caesura.detectors.tagging.entity_model import Margins
from caesura_studies.atene.taggers import Spans, Tagger
from caesura_studies.model_cache import cache_key, load_or_train

logger = logging.getLogger("caesura.studies")

Texts = Mapping[str, Strings]


class ModelCache:
    """A folder of models and tagger output, identified by what they were made from."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def subfolder(self, name: str) -> ModelCache:
        """Return a cache in a subfolder."""
        return ModelCache(self.folder / name)

    def tagged(
        self, name: str, tagger: Tagger, training_examples: Sequence[Transcript], texts: Texts
    ) -> dict[str, Spans]:
        """Return the entities that a tagger, trained on these examples, finds in texts."""
        key = cache_key(
            tagger, fingerprint(training_examples), *texts, *map(" ".join, texts.values())
        )

        def make() -> dict[str, Any]:
            taught = tagger.train(training_examples)
            return dict(zip(texts, taught.tag(list(texts.values())), strict=True))

        found = self.load_or_compute(f"{name}-{tagger.name.replace(' ', '-')}", key, make)
        return {key: tuple(Span(*span) for span in spans) for key, spans in found.items()}

    def margins(
        self, name: str, margins: Margins, training_examples: Sequence[Transcript]
    ) -> Margins:
        """Return an entity model trained on these examples."""
        key = cache_key(margins, fingerprint(training_examples), *_tagger(margins))
        return load_or_train(
            self.folder, name, key, Margins, lambda: margins.train(training_examples)
        )

    def load_or_compute(self, name: str, key: str, make: Callable[[], Any]) -> Any:
        """Return a JSON value: the stored one if its key is this one, else a new one."""
        file = self.folder / f"{name}.json"
        try:
            found = json.loads(file.read_bytes())
            if found["key"] == key:
                return found["value"]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            pass
        begun = time.monotonic()
        made = make()
        logger.info("made %s in %.0f s", name, time.monotonic() - begun)
        with atomic(file) as out:
            out.write(json.dumps({"key": key, "value": made}).encode())
        return made


def fingerprint(texts: Sequence[Transcript]) -> str:
    """Return a checksum of training texts."""
    description = hashlib.sha256()
    for each in texts:
        description.update("\0".join(each.words).encode())
        description.update(repr(each.entities).encode())
    return description.hexdigest()


def _tagger(margins: Margins) -> Iterator[str]:
    """Return a checksum of the tagger's weights, which its settings do not describe."""
    if margins.tagger is not None:
        whole = hashlib.sha256("".join(each.checksum for each in margins.tagger.parts()).encode())
        for name, array in sorted(margins.tagger.state().items()):
            whole.update(f"{name} {array.dtype} {array.shape} ".encode() + array.tobytes())
        yield whole.hexdigest()
