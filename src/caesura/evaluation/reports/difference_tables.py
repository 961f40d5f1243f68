"""Tables of what a system does differently most: tokens, words, entities, ends of sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from statistics import fmean

from caesura.core.protocols import Metric
from caesura.core.values import Undefined, Value
from caesura.evaluation.disagreements import Digest, Recurring
from caesura.evaluation.document import Document
from caesura.evaluation.reports.table import (
    GAP,
    WIDTH,
    Grid,
    columns,
    cut,
    labels_of,
    number,
    reasons,
)
from caesura.evaluation.reports.write import Results
from caesura.evaluation.scores import Scores, Sweep, length
from caesura.metrics.base import split_name

LISTED = 15
"""Disagreements that a table shows."""

TEXT, EXAMPLE = 16, 28
"""Most columns for a text, and for an example in its context."""

SUMMED = "the loss is that of all of them together; what costs nothing is not among them"

KIND = 24
"""Most columns for a kind."""

TITLES = {
    "token": "Tokens that differ",
    "word": "Words that differ",
    "entity": "Entities that differ",
    "name": "Names that became harder to find",
    "stretch": "Words between names that may be taken for names",
    "sentence": "Ends of sentences that differ",
}
KEYS = {
    "token": {
        "1:n": "1:n = one token cut into several",
        "m:1": "m:1 = several joined into one",
        "m:n": "m:n = cut elsewhere",
        "changed": "changed = other characters",
        "missing": "missing = only in the reference",
        "added": "added = only in the hypothesis",
    },
    "entity": {
        "words wrong": "words wrong = not all words are right",
        "missed": "missed = only in the reference",
        "added": "added = only in the hypothesis",
    },
    "stretch": {"risk": "risk = a name is likelier than none, more so than in the reference"},
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
        shown = list(islice(digest.of_level(level), LISTED))
        costs = any(each.loss for each in shown)
        rooms = _rooms(shown, costs)
        first = "harmful" if costs else "frequent"
        yield Grid(
            f"{TITLES.get(level, level)}, the most {first} first: {whose}",
            ("kind", "reference", "hypothesis", "example", "count", *(["loss"] * costs)),
            tuple(_row(each, costs, rooms) for each in shown),
            labels=4,
            notes=(
                _counted(kinds, scores.references),
                *([SUMMED] if costs else []),
                *_key(level, kinds),
                *_more(digest, level),
            ),
        )


def _rooms(shown: Sequence[Recurring], costs: bool) -> tuple[int, int]:
    """Columns for a text and for an example: what the others leave of a terminal."""
    kind = max(len("kind"), *(columns(cut(each.kind, KIND)) for each in shown))
    count = max(len("count"), *(len(str(each.count)) for each in shown))
    loss = max(GAP + len(number(each.loss)) for each in shown) if costs else 0
    left = WIDTH - kind - count - loss - 4 * GAP
    text = min(TEXT, max(len("hypothesis"), left * 3 // 10))
    return text, min(EXAMPLE, left - 2 * text)


def _row(each: Recurring, costs: bool, rooms: tuple[int, int]) -> tuple[str, ...]:
    text, example = rooms
    texts = (cut(told, text) for told in (each.reference, each.hypothesis))
    loss = [number(each.loss)] * costs
    return (cut(each.kind, KIND), *texts, _example(each, example), str(each.count), *loss)


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
        yield f"… and {left} more: --json has the first hundred, an HTML report examples of them"


def _example(each: Recurring, room: int) -> str:
    """What the hypothesis has, between as much of its surroundings as there is room for."""
    _, one = each.examples[0]
    inside = f"[{cut(each.hypothesis, room - 2)}]"
    room -= columns(inside)
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


ABSENT = Undefined("it has no value there")
"""Of a class of names, say, that not every document has."""


def sweeps(results: Results) -> Iterator[Grid]:
    """A row for each point: all rates of one system, or the main value of each system."""
    for k, sweep in enumerate(results.scores[0].sweeps):
        metric = sweep.scores.metrics[0]
        if len(results.scores) == 1:
            heads, title = rates(sweep.scores), results.systems[0]
            table = [[each[name] for name in heads] for each in sweep.scores.values]
        else:
            heads, title = list(results.systems), metric.main
            curves = [one.sweeps[k].scores.values for one in results.scores]
            table = [[each[metric.main] for each in at] for at in zip(*curves, strict=True)]
        points = zip(sweep.points, table, strict=True)
        yield Grid(
            f"{swept(sweep)} by {sweep.setting}: {title}",
            (sweep.setting, *heads),
            tuple((str(point), *map(number, row)) for point, row in points),
            notes=(
                *reasons(pair for row in table for pair in zip(heads, row, strict=True)),
                f"the signature is of the first row; the others differ in {sweep.setting} only",
            ),
            signatures=(sweep.scores.signatures[0],),
        )


def swept(sweep: Sweep) -> str:
    """Name the metric of a sweep with the settings that stay."""
    metric = sweep.scores.metrics[0]
    kept = {name: value for name, value in metric.settings.items() if name != sweep.setting}
    settings = ", ".join(f"{name}={value!r}" for name, value in kept.items())
    return f"{metric.name}({settings})" if settings else metric.name


def rates(scores: Scores) -> list[str]:
    """Names of the values that are rates somewhere; those of single references left out."""
    first = scores.values[0]
    return [
        name
        for name in first
        if not split_name(name)[1]
        and any(isinstance(each.get(name), float) for each in scores.values)
    ]


def documents(results: Results, limit: int | None) -> Iterator[Grid]:
    """Documents, worst first: a column for each metric, or a table for each with all systems.

    If values are chosen, it is the first of them that a metric gives, in place of its main one.
    """
    first = results.scores[0]
    if len(first.documents) < 2:
        return
    chosen = results.comparison.chosen if results.comparison else ()
    names = [leading(results, i) for i in range(len(first.metrics))]
    heads = [f"{label} {name}" for label, name in zip(labels_of(first.metrics), names, strict=True)]
    if len(results.scores) == 1:
        columns = [_each(first, i, name, first.documents) for i, name in enumerate(names)]
        title = f"Documents, {_order(first.metrics[0], names[0])} first"
        yield _listed(first, title, heads, columns, worst_first(results, 0), limit)
        return
    for i, name in enumerate(names):
        if not chosen or name in chosen:
            columns = [_each(one, i, name, first.documents) for one in results.scores]
            title = f"Documents, {_order(first.metrics[i], name)} first by {heads[i]}"
            order = worst_first(results, i)
            yield _listed(first, title, list(results.systems), columns, order, limit)


def leading(results: Results, i: int) -> str:
    """Name the value that documents are listed by: the first chosen one, else the main one."""
    chosen = results.comparison.chosen if results.comparison else ()
    known = results.scores[0].values[i]
    return next((name for name in chosen if name in known), results.scores[0].metrics[i].main)


def _listed(
    scores: Scores,
    title: str,
    heads: list[str],
    columns: list[list[Value]],
    order: list[int],
    limit: int | None,
) -> Grid:
    shown = order[:limit]
    left = len(order) - len(shown)
    told = ((head, each[at]) for at in shown for head, each in zip(heads, columns, strict=True))
    rows = [
        (each.id, str(length(each)), *(number(column[at]) for column in columns))
        for at in shown
        for each in [scores.documents[at]]
    ]
    more = (f"… and {left} more: --json has all",) if left else ()
    return Grid(
        title,
        ("document", "words", *heads),
        tuple(rows),
        notes=(*more, *reasons(told)),
    )


def _each(scores: Scores, i: int, name: str, order: Sequence[Document]) -> list[Value]:
    """One value of a metric on each document."""
    metric = scores.metrics[i]
    by_id = {each.id: each.counts[i] for each in scores.documents}
    if len(order) == len(scores.documents) == 1:
        by_id = {order[0].id: scores.documents[0].counts[i]}
    return [metric.values(by_id[each.id]).get(name, ABSENT) for each in order]


def worst_first(results: Results, i: int) -> list[int]:
    """Places of the documents from the worst to the best by a metric, undefined ones last."""
    first, name = results.scores[0], leading(results, i)
    columns = [_each(one, i, name, first.documents) for one in results.scores]
    sign = 1 if best_of(first.metrics[i], name) else -1

    def badness(at: int) -> tuple[bool, float]:
        known = [v for column in columns if not isinstance(v := column[at], Undefined)]
        return (False, sign * fmean(known)) if known else (True, 0.0)

    return sorted(range(len(first.documents)), key=badness)


def best_of(metric: Metric, name: str) -> float | None:
    """Give the best possible value; of `ne_wer_ORG` it is that of `ne_wer`."""
    while name and name not in metric.best:
        name = name.rpartition("_")[0]
    return metric.best.get(name)


def _order(metric: Metric, name: str) -> str:
    return "largest" if best_of(metric, name) is None else "worst"


def coverage(results: Results) -> Iterator[Grid]:
    """What an alignment left without a counterpart, a row for each reference."""
    if not all(each.coverage for one in results.scores for each in one.documents):
        return
    several = len(results.systems) > 1
    rows = [
        (*([system] if several else []), name, *_covered(scores.documents, k))
        for system, scores in zip(results.systems, results.scores, strict=True)
        for k, name in enumerate(results.references)
    ]
    unmatched = ("hypothesis words unmatched", "reference words unmatched")
    yield Grid(
        "What the alignment left over",
        (
            *(["system"] if several else []),
            *("reference", *unmatched, "words replaced", "boundaries lost"),
        ),
        tuple(rows),
        labels=1 + several,
        notes=(
            "unmatched: words without a counterpart; replaced: with another word in their place; "
            "lost: boundaries that could not be carried over; per cent: of the words of the "
            "hypothesis for its unmatched words, else of the reference",
        ),
    )


def _covered(documents: Sequence[Document], k: int) -> Iterator[str]:
    parts = [each.coverage[k] for each in documents]
    ours = sum(each.words for each in documents)
    theirs = sum(len(each.references[k]) for each in documents)
    for count, words in (
        (sum(each.hypothesis_words_unmatched for each in parts), ours),
        (sum(each.reference_words_unmatched for each in parts), theirs),
        (sum(each.words_replaced for each in parts), theirs),
    ):
        yield f"{count} ({count / words:.1%})" if words else str(count)
    yield str(sum(each.boundaries_lost for each in parts))
