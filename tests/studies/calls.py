"""Synthetic calls in the layout that the Gotoh and Renals study reads."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from caesura.core.values import Undefined, Value
from caesura.evaluation.document import ScoringSettings
from caesura.evaluation.resampling import Resampling
from caesura_studies.gotohrenals import chapter_pauses, chapter_word_errors, scoring
from caesura_studies.gotohrenals.corpora import NORMALIZE
from studies.synthetic import ends, put, speech

CALLS, HEARD = 9, 4


def timed(seed: int, covered: float = 1.0) -> str:
    """Return a call whose sentences mostly end in a long pause; a few words have no times."""
    chance, clock = random.Random(seed), 0.0
    sentences = speech(seed, 60)
    rows = ["token|speaker|ts|endTs|punctuation|case|tags"]
    said = [w for s in sentences for w in s]
    # Words alone must not tell everything.
    words = [chance.choice(said) if chance.random() < 0.3 else word for word in said]
    for word, last in zip(words, ends(sentences), strict=True):
        times = f"{clock:.3f}|{clock + 0.2:.3f}" if chance.random() < covered else "|"
        rows.append(f"{word}|0|{times}|{'.' if last else ''}|LC|[]")
        clock += 0.2 + (chance.uniform(0.2, 0.9) if last else chance.uniform(0.0, 0.4))
    return "\n".join(rows) + "\n"


def without_times(text: str) -> str:
    head, *rows = [row.split("|") for row in text.splitlines()]
    return "\n".join("|".join(r) for r in [head, *([*r[:2], "", "", *r[4:]] for r in rows)]) + "\n"


def misheard_as(text: str, seed: int) -> str:
    """Return the output of a recogniser: some words are replaced, some are missing."""
    chance = random.Random(seed)
    head, *rows = [row.split("|") for row in text.splitlines()]
    load_or_compute = [row for row in rows if chance.random() > 0.05]
    made = [
        [("um" if chance.random() < 0.1 else r[0]), *r[1:4], "", *r[5:]] for r in load_or_compute
    ]
    return "\n".join("|".join(row) for row in [head, *made]) + "\n"


def corpora(folder: Path) -> Path:
    """Write all folders that the study reads."""
    for number in range(CALLS):
        put(folder / "earnings22" / "references" / f"c{number}.nlp", timed(number, 0.97))
    put(folder / "earnings22" / "references" / "poor.nlp", timed(77, 0.5))
    for number in range(HEARD):
        call = timed(100 + number)
        put(folder / "earnings21" / "references" / f"h{number}.nlp", without_times(call))
        heard = folder / "earnings21" / "recognisers"
        put(heard / "good" / f"h{number}.nlp", misheard_as(call, number))
        put(heard / "silent" / f"h{number}.nlp", without_times(misheard_as(call, 50 + number)))
    put(folder / "rev16" / "verbatim" / "talk.nlp", without_times(timed(200)))
    turns = [" ".join(s) + "." for s in speech(300, 200)]
    put(folder / "text-en" / "a.txt", "\n".join(turns[:100]) + "\n\n" + "\n".join(turns[100:]))
    return folder


@contextmanager
def fewer_resamples() -> Iterator[None]:
    """Resample less often than the study does."""
    few = Resampling(40)
    with pytest.MonkeyPatch.context() as patch:
        for module in (scoring, chapter_word_errors, chapter_pauses):
            patch.setattr(module, "RESAMPLING", few)
        patch.setattr(scoring, "TERMS", ScoringSettings(NORMALIZE, True, few))
        yield


def known_or(found: Value, other: float) -> float:
    """Return a value, or another one if it is undefined."""
    return other if isinstance(found, Undefined) else found
