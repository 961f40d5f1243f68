"""Which hypothesis belongs to which references: recordings are paired by their names."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from caesura.core.errors import MismatchError
from caesura.core.transcript import Transcript

logger = logging.getLogger("caesura")

SAME = "give both sides the same recordings, paired by name"
OWN = "give them names of their own"
SEVERAL = "a -r before each reference; caesura compare for several systems"


Pair = tuple[Transcript, list[Transcript]]
"""A hypothesis and its references."""


def paired(
    hypotheses: Sequence[Transcript],
    references: Sequence[Sequence[Transcript]],
    called: Sequence[str] = (),
) -> list[Pair]:
    """Find each recording's references by id; a single recording needs none.

    Recordings of one name that follow each other in a file are parts of one. If one side is a
    single recording, and not one of those of the others, or names come again, so are all
    recordings of a file. `called` is what errors call the sides, or the first of them.
    """
    names = names_of(1 + len(references), called)
    hypotheses, *references = sides = [list(rejoined(one)) for one in (hypotheses, *references)]
    if any(_is_whole(one, sides) or _come_again(one) for one in sides):
        hypotheses, references = _whole(hypotheses), [_whole(one) for one in references]
    if len(hypotheses) == 1 and all(len(one) == 1 for one in references):
        return [(hypotheses[0], [one[0] for one in references])]
    more = "" if called else f" ({SEVERAL})"
    ours, *theirs = (
        _by_id(side, name, f"{OWN}{more}")
        for side, name in zip([hypotheses, *references], names, strict=True)
    )
    advice = f"{SAME}{more}"
    for name, one in zip(names[1:], theirs, strict=True):
        refuse_strangers([id for id in ours if id not in one], name, advice)
        refuse_strangers([id for id in one if id not in ours], names[0], advice)
    return [(transcript, [one[id] for one in theirs]) for id, transcript in ours.items()]


def names_of(sides: int, called: Sequence[str]) -> list[str]:
    """Name the hypothesis and its references, of which the first may be called something."""
    numbered = [f"reference {number}" for number in range(1, sides)]
    return [*called, *["the hypothesis", *numbered][len(called) :]]


def rejoined(recordings: Iterable[Transcript]) -> Iterator[Transcript]:
    """Join recordings of one name that follow each other in a file, as streamed sentences do."""
    for (file, _), group in groupby(recordings, key=lambda each: (_file(each), each.id)):
        parts = list(group)
        yield from [_joined(parts)] if file and len(parts) > 1 else parts


def _file(recording: Transcript) -> str:
    return recording.origin.file if recording.origin else ""


def _joined(parts: Sequence[Transcript]) -> Transcript:
    return Transcript.join(parts).replace(id=parts[0].id, origin=parts[0].origin)


def _is_whole(one: Sequence[Transcript], sides: Sequence[Sequence[Transcript]]) -> bool:
    """Whether a side is a single recording that is none of several on another side."""
    named = {each.id for side in sides if len(side) > 1 for each in side}
    return len(one) == 1 and one[0].id not in named


def _come_again(recordings: Sequence[Transcript]) -> bool:
    return len({each.id for each in recordings}) < len(recordings)


def _whole(recordings: Sequence[Transcript]) -> Sequence[Transcript]:
    """Join recordings that stand in one file."""
    files = set(map(_file, recordings))
    if len(recordings) < 2 or len(files) > 1 or "" in files:
        return recordings
    logger.info("%s: its %d recordings are taken as one", files.pop(), len(recordings))
    return [_joined(recordings)]


def _by_id(transcripts: Sequence[Transcript], side: str, remedy: str) -> dict[str, Transcript]:
    found: dict[str, Transcript] = {}
    for transcript in transcripts:
        if transcript.id in found:
            raise MismatchError(f"{side} has two recordings named {transcript.id!r}", remedy=remedy)
        found[transcript.id] = transcript
    return found


def refuse_strangers(ids: Sequence[str], side: str, remedy: str = f"{SAME} ({SEVERAL})") -> None:
    """Raise an error if there are recordings that one side lacks."""
    if ids:
        shown = ", ".join(repr(id) for id in ids[:5]) + (", …" if len(ids) > 5 else "")
        are = "recording is" if len(ids) == 1 else "recordings are"
        raise MismatchError(f"{len(ids)} {are} not in {side}: {shown}", remedy=remedy)


def refuse_other_words(ours: Transcript, theirs: Transcript, side: str) -> None:
    """Raise an error that says where two texts part."""
    if ours.words == theirs.words:
        return
    pairs = enumerate(zip(ours.words, theirs.words, strict=False))
    at = next((i for i, (a, b) in pairs if a != b), min(len(ours), len(theirs)))
    shown = [
        repr(text.words[at]) if at < len(text) else "the end of the text" for text in (ours, theirs)
    ]
    raise MismatchError(
        f"the words differ: word {at + 1} is {shown[0]} in the hypothesis and {shown[1]} in {side} "
        f"({len(ours)} and {len(theirs)} words)",
        where=ours.id,
        remedy="add --align to carry the boundaries over by alignment; "
        "for word errors: --metric Words",
    )
