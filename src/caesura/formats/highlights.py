"""Captions that are shown again for each word so as to mark it while it is said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from caesura.formats.shown import Run, Shown, whole


class _Mark(NamedTuple):
    """The place of a marked run in the text of a cue, and when it is shown."""

    first: int
    stop: int
    start: float
    end: float


def said_once(cues: Sequence[Shown]) -> list[Shown]:
    """Make one cue of those that show the same text with a mark that moves on through it.

    Between two words the text may be shown without a mark.
    """
    if not any(run.marked for cue in cues for line in cue.lines for run in line):
        return list(cues)
    marks = [_marks(cue) for cue in cues]
    texts = [_text(cue) for cue in cues]
    found: list[Shown] = []
    at = 0
    while at < len(cues):
        group = [at]
        for after in range(at + 1, len(cues) if len(marks[at]) == 1 else 0):
            if texts[after] != texts[at] or not cues[after].follows(cues[after - 1]):
                break
            if marks[after] and not _moves_on(marks[group[-1]], marks[after]):
                break
            if marks[after]:
                group.append(after)
        found.append(_joined(cues[at], [marks[i][0] for i in group]) if group[1:] else cues[at])
        at = group[-1] + 1
    return found


def _moves_on(before: Sequence[_Mark], after: Sequence[_Mark]) -> bool:
    return len(after) == 1 and before[0].stop <= after[0].first


def _text(cue: Shown) -> str:
    return "\n".join(map(whole, cue.lines)).rstrip()


def _marks(cue: Shown) -> list[_Mark]:
    """Find the marked runs of a cue."""
    found, at = [], 0
    for line in cue.lines:
        for run in line:
            if run.marked and run.text.strip():
                found.append(_Mark(at, at + len(run.text), cue.start, cue.end))
            at += len(run.text)
        at += 1
    return found


def _joined(cue: Shown, marks: Sequence[_Mark]) -> Shown:
    """Give the cue the times of all its marks."""
    lines, at = [], 0
    for line in cue.lines:
        text = whole(line)
        speaker = line[0].speaker if line else ""
        lines.append([run._replace(speaker=speaker) for run in _runs(text, at, marks)])
        at += len(text) + 1
    return Shown(cue.start, marks[-1].end, lines)


def _runs(text: str, at: int, marks: Sequence[_Mark]) -> Iterator[Run]:
    """Part the line that begins at character `at` of a cue where marks begin and end."""
    done = 0
    for mark in marks:
        first, stop = mark.first - at, mark.stop - at
        if 0 <= first < len(text):
            yield Run(text[done:first])
            yield Run(text[first:stop], mark.start, mark.end)
            done = stop
    yield Run(text[done:])
