"""Development recordings: never trained on, so that models can be compared on them.

`development.json` names them: every eighth call of earnings22 in which at least .8 of the words
have times, every sixth call of earnings21, two episodes of rev16. A recipe trains on `others(...)`
and adds `LEFT_OUT` to the rows of its card; the comparison of models then knows that a score on
these recordings is not one on training data.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from caesura.core.transcript import Transcript

FILE = Path(__file__).with_name("development.json")

LEFT_OUT = {"left_out": FILE.name}
"""What a recipe adds to the row of a corpus on a model's card."""


@cache
def development_ids() -> dict[str, frozenset[str]]:
    """Return the ids of the development recordings of each corpus."""
    return {name: frozenset(ids) for name, ids in json.loads(FILE.read_text()).items()}


def is_development(corpus: str, id: str) -> bool:
    """Whether a recording of a corpus, as in 'earnings22/references', is for development."""
    return id in development_ids().get(corpus.partition("/")[0], ())


def chosen(corpus: str, recordings: Iterable[Transcript]) -> list[Transcript]:
    """Return the development recordings of a corpus."""
    return [each for each in recordings if is_development(corpus, each.id)]


def others(corpus: str, recordings: Iterable[Transcript]) -> list[Transcript]:
    """Return the recordings of a corpus that may be trained on."""
    return [each for each in recordings if not is_development(corpus, each.id)]


def trained_on(corpus: str, data: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a model whose card has these rows of data saw the recordings that are scored."""
    own = [row for row in data if f"{row.get('name', '')}/".startswith(f"{corpus}/")]
    kept_aside = corpus in development_ids()
    return any(not kept_aside or row.get("left_out") != FILE.name for row in own)
