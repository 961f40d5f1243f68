"""What takes long to learn, kept, so that a run that was cut goes on where it was."""

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
from caesura_studies.model_cache import marked, trained

logger = logging.getLogger("caesura.studies")

Texts = Mapping[str, Strings]


class Shelf:
    """A folder of models and of what taggers found, told apart by what they come from."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def below(self, name: str) -> Shelf:
        """Give a shelf in a folder of this one."""
        return Shelf(self.folder / name)

    def tagged(
        self, name: str, tagger: Tagger, lessons: Sequence[Transcript], texts: Texts
    ) -> dict[str, Spans]:
        """Give the entities that a tagger, taught by lessons, finds in texts."""
        mark = marked(tagger, fingerprint(lessons), *texts, *map(" ".join, texts.values()))

        def make() -> dict[str, Any]:
            taught = tagger.train(lessons)
            return dict(zip(texts, taught.tag(list(texts.values())), strict=True))

        found = self.kept(f"{name}-{tagger.name.replace(' ', '-')}", mark, make)
        return {key: tuple(Span(*span) for span in spans) for key, spans in found.items()}

    def margins(self, name: str, margins: Margins, lessons: Sequence[Transcript]) -> Margins:
        """Give a model of margins, taught by lessons."""
        mark = marked(margins, fingerprint(lessons), *_tagger(margins))
        return trained(self.folder, name, mark, Margins, lambda: margins.train(lessons))

    def kept(self, name: str, mark: str, make: Callable[[], Any]) -> Any:
        """Give what JSON can hold: as it was kept under this mark, or else made and kept."""
        file = self.folder / f"{name}.json"
        try:
            found = json.loads(file.read_bytes())
            if found["mark"] == mark:
                return found["kept"]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            pass
        begun = time.monotonic()
        made = make()
        logger.info("made %s in %.0f s", name, time.monotonic() - begun)
        with atomic(file) as out:
            out.write(json.dumps({"mark": mark, "kept": made}).encode())
        return made


def fingerprint(texts: Sequence[Transcript]) -> str:
    """Tell apart what is learnt from."""
    told = hashlib.sha256()
    for each in texts:
        told.update("\0".join(each.words).encode())
        told.update(repr(each.entities).encode())
    return told.hexdigest()


def _tagger(margins: Margins) -> Iterator[str]:
    """Tell a tagger by what it has learnt, which its settings do not say."""
    if margins.tagger is not None:
        whole = hashlib.sha256("".join(each.checksum for each in margins.tagger.parts()).encode())
        for name, array in sorted(margins.tagger.state().items()):
            whole.update(f"{name} {array.dtype} {array.shape} ".encode() + array.tobytes())
        yield whole.hexdigest()
