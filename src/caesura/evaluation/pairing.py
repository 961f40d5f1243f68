"""Pair the recordings of a hypothesis with those of its references, by their names."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from caesura.core.errors import MismatchError
from caesura.core.transcript import Transcript

logger = logging.getLogger("caesura")

SAME_RECORDINGS = "give both sides the same recordings, paired by name"
OWN_NAMES = "give them names of their own"
SEVERAL_SYSTEMS = "a -r before each reference; caesura compare for several systems"


Pair = tuple[Transcript, list[Transcript]]
"""A hypothesis and its references."""


def pair_recordings(
    hypotheses: Sequence[Transcript],
    references: Sequence[Sequence[Transcript]],
    known_names: Sequence[str] = (),
) -> list[Pair]:
    """Pair each recording with its references by id; single recordings need no id.

    Recordings with the same name that follow each other in a file are joined: they are parts of
    one recording. All recordings of a file are joined if another side is one recording with
    another name, or if names are repeated. `known_names` are names of the sides for error
    messages, the hypothesis first; sides without a name are numbered.
    """
    names = side_names(1 + len(references), known_names)
    hypotheses, *references = sides = [list(join_parts(one)) for one in (hypotheses, *references)]
    if any(_is_only_recording(one, sides) or _has_repeated_names(one) for one in sides):
        hypotheses, references = (
            _join_recordings(hypotheses),
            [_join_recordings(one) for one in references],
        )
    if len(hypotheses) == 1 and all(len(one) == 1 for one in references):
        return [(hypotheses[0], [one[0] for one in references])]
    more = "" if known_names else f" ({SEVERAL_SYSTEMS})"
    ours, *theirs = (
        _by_id(side, name, f"{OWN_NAMES}{more}")
        for side, name in zip([hypotheses, *references], names, strict=True)
    )
    advice = f"{SAME_RECORDINGS}{more}"
    for name, one in zip(names[1:], theirs, strict=True):
        require_same_recordings([id for id in ours if id not in one], name, advice)
        require_same_recordings([id for id in one if id not in ours], names[0], advice)
    return [(transcript, [one[id] for one in theirs]) for id, transcript in ours.items()]


def side_names(sides: int, known_names: Sequence[str]) -> list[str]:
    """Name the hypothesis and its references; the first names may be known."""
    numbered = [f"reference {number}" for number in range(1, sides)]
    return [*known_names, *["the hypothesis", *numbered][len(known_names) :]]


def join_parts(recordings: Iterable[Transcript]) -> Iterator[Transcript]:
    """Join recordings with the same name that follow each other in a file (streamed sentences)."""
    for (file, _), group in groupby(recordings, key=lambda each: (_file(each), each.id)):
        parts = list(group)
        yield from [_join(parts)] if file and len(parts) > 1 else parts


def _file(recording: Transcript) -> str:
    return recording.origin.file if recording.origin else ""


def _join(parts: Sequence[Transcript]) -> Transcript:
    return Transcript.join(parts).replace(id=parts[0].id, origin=parts[0].origin)


def _is_only_recording(one: Sequence[Transcript], sides: Sequence[Sequence[Transcript]]) -> bool:
    """Tell whether a side is a single recording that no other side has among several."""
    named = {each.id for side in sides if len(side) > 1 for each in side}
    return len(one) == 1 and one[0].id not in named


def _has_repeated_names(recordings: Sequence[Transcript]) -> bool:
    return len({each.id for each in recordings}) < len(recordings)


def _join_recordings(recordings: Sequence[Transcript]) -> Sequence[Transcript]:
    """Join recordings if they come from one file."""
    files = set(map(_file, recordings))
    if len(recordings) < 2 or len(files) > 1 or "" in files:
        return recordings
    logger.info("%s: its %d recordings are read as one", files.pop(), len(recordings))
    return [_join(recordings)]


def _by_id(transcripts: Sequence[Transcript], side: str, remedy: str) -> dict[str, Transcript]:
    by_id: dict[str, Transcript] = {}
    for transcript in transcripts:
        if transcript.id in by_id:
            raise MismatchError(f"{side} has two recordings named {transcript.id!r}", remedy=remedy)
        by_id[transcript.id] = transcript
    return by_id


def require_same_recordings(
    ids: Sequence[str], side: str, remedy: str = f"{SAME_RECORDINGS} ({SEVERAL_SYSTEMS})"
) -> None:
    """Raise an error if there are recordings that a side does not have."""
    if ids:
        shown = ", ".join(repr(id) for id in ids[:5]) + (", …" if len(ids) > 5 else "")
        are = "recording is" if len(ids) == 1 else "recordings are"
        raise MismatchError(f"{len(ids)} {are} not in {side}: {shown}", remedy=remedy)


def require_same_words(ours: Transcript, theirs: Transcript, side: str) -> None:
    """Raise an error that names the first word that differs, if the words are not the same."""
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
        remedy="add align=True (--align) to carry the boundaries over by alignment; "
        "for word errors: metric='Words' (--metric Words)",
    )
