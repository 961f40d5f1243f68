"""What detectors that learn have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from numpy.typing import NDArray

from caesura.core.config import ModelBacked, Trainable
from caesura.core.errors import LayerError
from caesura.core.protocols import Detector

M = TypeVar("M")


class TrainableDetector(ModelBacked[M], Detector):
    """A detector with a model."""


def led(parts: Mapping[str, Trainable]) -> dict[str, NDArray[Any]]:
    """Give what parts have learnt, each name led by the part's and a dot."""
    state = {name: part.state() for name, part in parts.items()}
    return {f"{name}.{key}": array for name, own in state.items() for key, array in own.items()}


def shared_out(state: Mapping[str, NDArray[Any]], *names: str) -> list[dict[str, NDArray[Any]]]:
    """Give each part of these names what it has learnt, and first what belongs to none."""
    found: dict[str, dict[str, NDArray[Any]]] = {name: {} for name in ("", *names)}
    for key, array in state.items():
        name, dot, inner = key.partition(".")
        if dot and name in names:
            found[name][inner] = array
        else:
            found[""][key] = array
    return list(found.values())


def missing_sentences(count: int) -> LayerError:
    """Say that there is nothing to learn from."""
    return LayerError(
        f"none of {count} recordings has sentences",
        remedy="train on transcripts whose sentences are known",
    )
