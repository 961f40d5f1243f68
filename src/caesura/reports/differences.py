"""Tables of what a system does differently most often: tokens, and ends of sentences."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from caesura.disagreements import Digest, Recurring
from caesura.reports.grid import Grid, columns, labels_of
from caesura.reports.results import Results

LISTED = 15
"""Disagreements that a table shows."""

TEXT, EXAMPLE = 16, 28
"""Columns for a text, and for an example in its context."""

TITLES = {"token": "Tokens that differ", "sentence": "Ends of sentences that differ"}
KEYS = {
    "token": {
        "1:n": "1:n = one token cut into several",
        "m:1": "m:1 = several joined into one",
        "m:n": "m:n = cut elsewhere",
        "changed": "changed = other characters",
        "missing": "missing = only in the reference",
        "added": "added = only in the hypothesis",
    },
    "sentence": {
        "missed": "missed = ¶ only in the reference",
        "added": "added = ¶ only in the hypothesis",
        "changed": "changed = the same ends, but less than half of the characters shared",
    },
}
"""What the kinds mean; ¶ is the end of a sentence."""


def differences(results: Results, i: int) -> Iterator[Grid]:
    """Tables of one metric, for each level that it tells disagreements of."""
    scores = results.scores[0]
    digest = scores.disagreements[i]
    whose = f"{labels_of(scores.metrics)[i]} of {results.systems[0]}"
    for level, kinds in digest.kinds.items():
        rows = [_row(each) for each in islice(digest.of_level(level), LISTED)]
        yield Grid(
            f"{TITLES.get(level, level)}, the most frequent first: {whose}",
            ("kind", "reference", "hypothesis", "example", "count"),
            tuple(rows),
            labels=4,
            notes=(_counted(kinds, scores.references), *_key(level, kinds), *_more(digest, level)),
        )


def _row(each: Recurring) -> tuple[str, ...]:
    texts = (_cut(text, TEXT) for text in (each.reference, each.hypothesis))
    return (each.kind, *texts, _example(each), str(each.count))


def _counted(kinds: dict[str, int], references: int) -> str:
    against = f" against {references} references" if references > 1 else ""
    return f"in all{against} {', '.join(f'{count} {kind}' for kind, count in kinds.items())}"


def _key(level: str, kinds: dict[str, int]) -> Iterator[str]:
    meanings = [KEYS[level][kind] for kind in kinds if kind in KEYS.get(level, {})]
    if meanings:
        yield "; ".join(meanings) + ("; ¶ is the end of a sentence" if level == "sentence" else "")


def _more(digest: Digest, level: str) -> Iterator[str]:
    left = sum(1 for _ in digest.of_level(level)) - LISTED
    if left > 0:
        yield f"… and {left} more: --json has the most frequent, an HTML report examples of them"


def _example(each: Recurring) -> str:
    """What the hypothesis has, between as much of its surroundings as there is room for."""
    _, one = each.examples[0]
    inside = f"[{_cut(each.hypothesis, EXAMPLE - 2)}]"
    room = EXAMPLE - columns(inside)
    after = _words(one.after.split(" "), room - min(room // 2, columns(one.before) + 1))
    before = _words(one.before.split(" ")[::-1], room - columns(after) - bool(after))
    front = " ".join(reversed(before.split(" ")))
    return " ".join(filter(None, (front, inside, after)))


def _words(words: list[str], room: int) -> str:
    """As many words as there is room for, with a blank before them."""
    kept: list[str] = []
    for word in words:
        room -= columns(word) + 1
        if room < 0:
            break
        kept.append(word)
    return " ".join(kept)


def _cut(text: str, room: int) -> str:
    """Leave off the end of what is too long."""
    if columns(text) <= room:
        return text
    kept = ""
    for char in text:
        if columns(kept + char) >= room:
            break
        kept += char
    return kept.rstrip() + "…"
