"""Names of speakers that captions write before what they say."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from caesura.formats.shown import Line, Run, Shown, whole

SHARE = 0.3
"""Of cues that begin with a name, if names come again."""

_LEAD = r"\s*(?:>{2,3}\s*|[-–—]\s*)?"
_SAID = r"(?=\W{0,99}\w)"
_NUMBERED = re.compile(
    rf"{_LEAD}(?P<label>\[?(?P<name>speaker[ _]?[0-9]{{1,4}})\]?:\s+"
    rf"|\(speaker (?P<number>[0-9]{{1,4}}|\?)\)\s*){_SAID}",
    re.IGNORECASE,
)
_PART = r"(?![\d_])\w[\w.'’-]*"
_NAMED = re.compile(rf"{_LEAD}(?P<label>(?P<name>{_PART}(?: {_PART}){{0,3}}):\s+){_SAID}")
_CHANGE = re.compile(r"\s*(?:>>|-\s)")


def with_speakers(cues: Sequence[Shown]) -> list[Shown]:
    """Give words the speakers that labels name; a label holds until the next, and is no word.

    A label with a number is one anyway. Names count if the file has them time and again.
    """
    texts = [_texts(cue) for cue in cues]
    voices = any(run.speaker for cue in cues for line in cue.lines for run in line)
    names = not voices and _are_labels(texts)
    if not names and not any(_NUMBERED.match(text) for lines in texts for text in lines):
        return list(cues)
    speaker = ""
    found = []
    for cue, written in zip(cues, texts, strict=True):
        lines = []
        for line, text in zip(cue.lines, written, strict=True):
            label = _NUMBERED.match(text) or (_named(text) if names else None)
            if label:
                speaker = label["name"] or label["number"].strip("?")
                line = list(_without(line, *label.span("label")))
            elif _CHANGE.match(text):
                speaker = ""
            lines.append([run if run.speaker else run._replace(speaker=speaker) for run in line])
        found.append(cue._replace(lines=lines))
    return found


def _texts(cue: Shown) -> list[str]:
    """Give each line together with the one after it: a label may have a line of its own."""
    lines = [whole(line) for line in cue.lines]
    return ["\n".join(lines[at : at + 2]) for at in range(len(lines))]


def _named(text: str) -> re.Match[str] | None:
    label = _NAMED.match(text) if ":" in text else None
    return label if label and _is_name(label["name"]) else None


def _is_name(name: str) -> bool:
    """Whether each part is capitalised, as far as its script knows capitals."""
    return not any(part[0].islower() for part in name.split())


def _are_labels(cues: Sequence[Sequence[str]]) -> bool:
    """Whether names before a colon are those of speakers throughout a file."""
    count: Counter[str] = Counter()
    labelled = 0
    for lines in cues:
        labels = [label for text in lines if (label := _named(text))]
        found = {label["name"] for label in labels if not _NUMBERED.match(label.string)}
        count.update(found)
        labelled += bool(found)
    if labelled < 2:
        return False
    again = max(count.values()) > 1
    return 2 * labelled > len(cues) or (again and labelled >= SHARE * len(cues))


def _without(line: Line, first: int, stop: int) -> Iterator[Run]:
    """Leave out characters of a line."""
    at = 0
    for run in line:
        kept = run.text[: max(0, first - at)] + run.text[max(0, stop - at) :]
        at += len(run.text)
        yield run._replace(text=kept)
