"""Cached models of studies: each is trained once, so an interrupted run continues later."""

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
from caesura.models.store import Card

logger = logging.getLogger("caesura.studies")

L = TypeVar("L", bound=Trainable)


def cache_key(*parts: object) -> str:
    """Return a checksum of everything a cached result depends on, with the version of Caesura."""
    digest = hashlib.sha256(__version__.encode())
    for part in parts:
        digest.update(f"\0{part!r}".encode())
    return digest.hexdigest()


def load_or_train(cache: Path, name: str, key: str, kind: type[L], train: Callable[[], L]) -> L:
    """Load the model `name` if it was stored with this key; else train and store it."""
    folder = cache / name
    stored = _load_if_current(folder, key)
    if isinstance(stored, kind):
        return stored
    start = time.monotonic()
    trained = train()
    logger.info("trained %s in %.0f s", name, time.monotonic() - start)
    store.save(folder, trained, Card(about="a model of a study", notes=key))
    return trained


def is_cached(folder: Path, key: str) -> bool:
    """Whether a model was stored in a folder with this key."""
    try:
        return (folder / store.CARD).is_file() and store.read_card(folder).notes == key
    except ModelError:
        return False


def _load_if_current(folder: Path, key: str) -> Trainable | None:
    """Return the model in a folder if it was stored with this key."""
    try:
        return store.load(folder).learner if is_cached(folder, key) else None
    except ModelError:
        return None
