"""How many entities are found on misheard words, by alignment and by time and sound?

Calls of earnings22 with word times (CAESURA_DATA names a folder with them), and errors made up so
that the right words are known: a share of the words is dropped, replaced by one that sounds alike,
split in two, or followed by another; times are off by about .08 s. The peer is the alignment alone,
which needs no times. An entity counts as found if just its words are.

Must hold: where 45 of 100 words are wrong, time and sound find more than the alignment.
"""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import numpy as np

from caesura.core.transcript import Span, Transcript
from caesura.formats.files import read_file
from caesura.text.entity_projection import project

CALLS, WRONG = 6, (0.1, 0.25, 0.45)
ALIKE = str.maketrans("aeiodtbpkgszmnlr", "eaoutdpbgkzsnmrl")
OFF = 0.08


def misheard(reference: Transcript, share: float) -> tuple[Transcript, list[tuple[int, int]]]:
    """Give recognised words with times, and those that stand for each entity (none: 0, -1)."""
    assert reference.start is not None
    assert reference.end is not None
    chance = random.Random(reference.id)
    heard: list[tuple[str, float, float]] = []
    places: list[tuple[int, int]] = []
    for word, start, end in zip(reference.words, reference.start, reference.end, strict=True):
        said = word.lower()
        pieces = _wrong(said, chance) if chance.random() < share else [said]
        places.append((len(heard), len(heard) + len(pieces) - 1))
        length = (end - start) / max(len(pieces), 1)
        for number, piece in enumerate(pieces):
            begin = start + number * length + chance.gauss(0, OFF)
            heard.append((piece, begin, begin + length))
        if chance.random() < share / 5:
            heard.append((chance.choice(reference.words).lower(), end, end + 0.1))
    words, starts, ends = zip(*heard, strict=True)
    made = Transcript(words, language="en", start=np.array(starts), end=np.array(ends))
    return made, [_hull(span, places) for span in reference.entities or ()]


def _wrong(word: str, chance: random.Random) -> list[str]:
    kind = chance.choice(("drop", "alike", "alike", "split"))
    if kind == "drop":
        return []
    if kind == "split" and len(word) > 3:
        return [word[: len(word) // 2], word[len(word) // 2 :]]
    at = chance.randrange(len(word))
    return [word[:at] + word[at].translate(ALIKE) + word[at + 1 :]]


def _hull(span: Span, places: list[tuple[int, int]]) -> tuple[int, int]:
    there = [(a, b) for a, b in places[span.first : span.last + 1] if b >= a]
    return (there[0][0], there[-1][1]) if there else (0, -1)


def right(
    reference: Transcript, heard: Transcript, truth: list[tuple[int, int]], **more: str
) -> int:
    """Count the entities whose words are found exactly, or that are gone and are told lost."""
    found = project(reference, heard, **more)  # type: ignore[arg-type]
    pairs = zip(found, truth, strict=True)
    return sum((one.first, one.last) == at if at[1] >= 0 else not one.found for one, at in pairs)


def main() -> None:
    """Print all lines; the exit code says whether what must hold does."""
    folder = os.environ.get("CAESURA_DATA")
    if not folder:
        sys.exit("CAESURA_DATA names no folder with earnings22")
    calls = [
        call.replace(language="en")
        for name in sorted(Path(folder, "earnings22/references").glob("*.nlp"))
        for call in read_file(name)
        if call.entities and _timed(call)
    ][:CALLS]
    print(f"{len(calls)} calls, {sum(len(each.entities or ()) for each in calls):,} entities")
    shares: dict[float, list[float]] = {}
    for share in WRONG:
        given = [(call, *misheard(call, share)) for call in calls]
        count = sum(len(truth) for _, _, truth in given)
        shares[share] = [
            sum(right(call, heard.only(()), truth) for call, heard, truth in given) / count,
            sum(right(call, heard, truth) for call, heard, truth in given) / count,
            sum(right(*each, phones="dictionary") for each in given) / count,
        ]
        told = "alignment {:.3f}, time and letters {:.3f}, time and dictionary {:.3f}"
        ratio = shares[share][1] / shares[share][0]
        print(f"{share:.0%} wrong: {told.format(*shares[share])}, {ratio:.2f} x the alignment")
    sys.exit("time and sound find no more" if shares[0.45][1] <= shares[0.45][0] else 0)


def _timed(call: Transcript) -> bool:
    """Whether nearly all words have times."""
    return call.start is not None and float(np.isfinite(call.start).mean()) > 0.95


if __name__ == "__main__":
    main()
