"""Models of studies, each trained once and kept, so that a run that was cut goes on."""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from caesura import __version__
from caesura.core.config import Trainable
from caesura.core.errors import ModelError
from caesura.models import store
from caesura.models.card import Card

logger = logging.getLogger("caesura.studies")

L = TypeVar("L", bound=Trainable)


def marked(*parts: object) -> str:
    """Make a mark of all that something kept depends on, the version among it."""
    told = hashlib.sha256(__version__.encode())
    for part in parts:
        told.update(f"\0{part!r}".encode())
    return told.hexdigest()


def trained(shelf: Path, name: str, mark: str, kind: type[L], make: Callable[[], L]) -> L:
    """Load the model of this name if it was kept under this mark; else make and keep it."""
    folder = shelf / name
    found = _loaded(folder, mark)
    if isinstance(found, kind):
        return found
    begun = time.monotonic()
    made = make()
    logger.info("trained %s in %.0f s", name, time.monotonic() - begun)
    store.save(folder, made, Card(about="a model of a study", notes=mark))
    return made


def _loaded(folder: Path, mark: str) -> Trainable | None:
    """Give the model in a folder if it has this mark."""
    try:
        if not (folder / store.CARD).is_file() or store.card(folder).notes != mark:
            return None
        return store.load(folder).learner
    except ModelError:
        return None
