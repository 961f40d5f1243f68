"""Tables of the most frequent disagreements: tokens, words, marks, entities, sentence ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from caesura.evaluation.reports.table import (
    GAP,
    WIDTH,
    Table,
    display_width,
    format_number,
    metric_labels,
    truncate,
)
from caesura.evaluation.reports.write import Results
from caesura.evaluation.scores import DisagreementSummary, RecurringDisagreement

SHOWN_ROWS = 15
"""The most rows of a table."""

TEXT_WIDTH, EXAMPLE_WIDTH = 16, 28
"""The greatest width of a text, and of an example in its context."""

LOSS_NOTE = "the loss is the sum over all occurrences; what costs nothing is not listed"

KIND_WIDTH = 24
"""The greatest width of a kind."""

TITLES = {
    "token": "Tokens that differ",
    "word": "Words that differ",
    "mark": "Marks that differ",
    "entity": "Entities that differ",
    "name": "Names that became harder to find",
    "segment": "Words between names that may be taken for names",
    "sentence": "Ends of sentences that differ",
}
KIND_MEANINGS = {
    "token": {
        "1:n": "1:n = one token cut into several",
        "m:1": "m:1 = several joined into one",
        "m:n": "m:n = cut elsewhere",
        "changed": "changed = other characters",
        "missing": "missing = only in the reference",
        "added": "added = only in the hypothesis",
    },
    "mark": {
        "missed": "missed = only in the reference",
        "added": "added = only in the hypothesis",
        "changed": "changed = another mark",
    },
    "entity": {
        "words wrong": "words wrong = not all words are right",
        "missed": "missed = only in the reference",
        "added": "added = only in the hypothesis",
    },
    "segment": {"risk": "risk = a name is likelier than none, more so than in the reference"},
    "sentence": {
        "missed": "missed = ¶ only in the reference",
        "added": "added = ¶ only in the hypothesis",
        "changed": "changed = the same ends, but less than half of the characters shared",
    },
}
"""What the kinds mean; ¶ is the end of a sentence."""


def disagreement_tables(results: Results, i: int) -> Iterator[Table]:
    """Yield a table for each level of disagreements that a metric lists."""
    scores = results.scores[0]
    summary = scores.disagreements[i]
    whose = f"{metric_labels(scores.metrics)[i]} of {results.systems[0]}"
    for level, kinds in summary.kinds.items():
        shown = list(islice(summary.of_level(level), SHOWN_ROWS))
        costs = any(disagreement.loss for disagreement in shown)
        rooms = _column_widths(shown, costs)
        first = "harmful" if costs else "frequent"
        yield Table(
            f"{TITLES.get(level, level)}, the most {first} first: {whose}",
            ("kind", "reference", "hypothesis", "example", "count", *(["loss"] * costs)),
            tuple(_row(disagreement, costs, rooms) for disagreement in shown),
            labels=4,
            notes=(
                _count_kinds(kinds, scores.references),
                *([LOSS_NOTE] if costs else []),
                *_explain_kinds(level, kinds),
                *_count_left_out(summary, level),
            ),
        )


def _column_widths(shown: Sequence[RecurringDisagreement], costs: bool) -> tuple[int, int]:
    """Return the widths of texts and examples: what other columns leave of a terminal."""
    kind = max(
        len("kind"),
        *(display_width(truncate(disagreement.kind, KIND_WIDTH)) for disagreement in shown),
    )
    count = max(len("count"), *(len(str(disagreement.count)) for disagreement in shown))
    loss = (
        max(GAP + len(format_number(disagreement.loss)) for disagreement in shown) if costs else 0
    )
    left = WIDTH - kind - count - loss - 4 * GAP
    text = min(TEXT_WIDTH, max(len("hypothesis"), left * 3 // 10))
    return text, min(EXAMPLE_WIDTH, left - 2 * text)


def _row(
    disagreement: RecurringDisagreement, costs: bool, rooms: tuple[int, int]
) -> tuple[str, ...]:
    text, example = rooms
    texts = (truncate(one, text) for one in (disagreement.reference, disagreement.hypothesis))
    loss = [format_number(disagreement.loss)] * costs
    return (
        truncate(disagreement.kind, KIND_WIDTH),
        *texts,
        _example(disagreement, example),
        str(disagreement.count),
        *loss,
    )


def _count_kinds(kinds: dict[str, int], references: int) -> str:
    against = f" against {references} references" if references > 1 else ""
    return f"in all{against} {', '.join(f'{count} {kind}' for kind, count in kinds.items())}"


def _explain_kinds(level: str, kinds: dict[str, int]) -> Iterator[str]:
    meanings = [
        KIND_MEANINGS[level][kind] for kind in kinds if kind in KIND_MEANINGS.get(level, {})
    ]
    if meanings:
        yield "; ".join(meanings) + ("; ¶ is the end of a sentence" if level == "sentence" else "")


def _count_left_out(summary: DisagreementSummary, level: str) -> Iterator[str]:
    left = sum(1 for _ in summary.of_level(level)) - SHOWN_ROWS
    if left > 0:
        yield f"… and {left} more: --json has the first hundred, an HTML report examples of them"


def _example(disagreement: RecurringDisagreement, room: int) -> str:
    """Write what the hypothesis has, with as much context as there is room for."""
    _, one = disagreement.examples[0]
    inside = f"[{truncate(disagreement.hypothesis, room - 2)}]"
    room -= display_width(inside)
    after = _words(one.after.split(" "), room - min(room // 2, display_width(one.before) + 1))
    before = _words(one.before.split(" ")[::-1], room - display_width(after) - bool(after))
    front = " ".join(reversed(before.split(" ")))
    return " ".join(filter(None, (front, inside, after)))


def _words(words: list[str], room: int) -> str:
    """Return as many words as there is room for."""
    kept: list[str] = []
    for word in words:
        room -= display_width(word) + 1
        if room < 0:
            break
        kept.append(word)
    return " ".join(kept)
