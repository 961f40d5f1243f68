"""The tables of a result: values, systems, differences, sweeps, documents and alignments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean

from caesura.core.protocols import Metric
from caesura.core.values import Undefined, Value
from caesura.evaluation.comparison import SIGNIFICANT, Difference
from caesura.evaluation.document import Document
from caesura.evaluation.reports.disagreement_tables import disagreement_tables
from caesura.evaluation.reports.table import (
    WIDTH,
    Table,
    format_interval,
    format_number,
    format_p,
    metric_labels,
    undefined_notes,
)
from caesura.evaluation.reports.write import Results
from caesura.evaluation.scores import Scores, Sweep, reference_length
from caesura.metrics.agreement import Agreement
from caesura.metrics.base import split_name


def result_tables(results: Results, limit: int | None = None) -> Iterator[Table]:
    """Yield all tables of a result, with at most `limit` documents in a list of them."""
    if len(results.scores) == 1:
        for i in range(len(results.scores[0].metrics)):
            yield from value_tables(results, i)
            yield from disagreement_tables(results, i)
    else:
        yield systems_table(results)
    if results.comparison is not None:
        yield differences_table(results)
    yield from sweep_tables(results)
    yield from document_tables(results, limit)
    yield from coverage_tables(results)


def pooled_name(name: str, known: Mapping[str, Value]) -> str:
    """Return `f1` for `f1_2` if that is the same value against one reference, else ''."""
    stem, numbers = split_name(name)
    return stem if len(numbers) == 1 and stem in known else ""


def _is_pair(name: str) -> bool:
    return len(split_name(name)[1]) == 2


def value_tables(results: Results, i: int) -> Iterator[Table]:
    """Yield the table of one metric; values of each reference have columns of their own."""
    scores = results.scores[0]
    known, drawn = scores.values[i], scores.intervals[i]
    label = f"{metric_labels(scores.metrics)[i]} of {_whose_values(results, i)}"
    pooled = _pooled_values(known)
    left_out = _only_in_notes(known, scores.metrics[i].main)
    head = ("", "value", *([interval_head(results)] if drawn else []))
    rows = [
        (
            name,
            format_number(value),
            *([format_interval(drawn[name]) if name in drawn else ""] if drawn else []),
        )
        for name, value in pooled.items()
        if name not in left_out
    ]
    notes = (*scores.remarks[i], *undefined_notes(pooled.items()))
    plain = Table(label, head, tuple(rows), notes=notes, signatures=(scores.signatures[i],))
    own = {name: c for name, c in _reference_cells(results, known).items() if name not in left_out}
    if own:
        apart = {name: value for name, value in known.items() if pooled_name(name, known)}
        wide = _add_reference_columns(plain, results, own, undefined_notes(apart.items()))
        if wide.width() <= WIDTH:
            yield wide
        else:
            yield plain
            title = f"{label}, against each reference"
            rows_by_reference = tuple(zip(results.references, *own.values(), strict=True))
            yield Table(
                title, ("reference", *own), rows_by_reference, notes=undefined_notes(apart.items())
            )
    else:
        yield plain
    yield from _pair_matrix(results, metric_labels(scores.metrics)[i], known)


def _only_in_notes(known: Mapping[str, Value], main: str) -> set[str]:
    """Return values that need no row: several that are undefined for the same reason."""
    if all(isinstance(value, Undefined) for value in known.values()):
        return set()
    own = {name: pooled_name(name, known) or name for name in known}
    defined = {own[name] for name, value in known.items() if not isinstance(value, Undefined)}
    names_by_reason: dict[str, set[str]] = {}
    for name, value in known.items():
        if isinstance(value, Undefined) and own[name] == name and name not in defined:
            names_by_reason.setdefault(value.reason, set()).add(name)
    return {name for names in names_by_reason.values() if len(names) > 1 for name in names} - {main}


def _whose_values(results: Results, i: int) -> str:
    """Say whose values they are: the system's, or those of the references."""
    among = isinstance(results.scores[0].metrics[i], Agreement)
    return count_references(results) if among else results.systems[0]


def count_references(results: Results) -> str:
    """Return the number of references as text."""
    count = len(results.references)
    return f"{count} reference{'s' * (count != 1)}"


def _pooled_values(known: Mapping[str, Value]) -> dict[str, Value]:
    """Leave out values of one reference or of a pair of them, which have tables of their own."""
    pairs = any(map(_is_pair, known))
    return {
        name: value
        for name, value in known.items()
        if not (pooled_name(name, known) or _is_pair(name))
        and not (pairs and name.startswith("boundaries_"))
    }


def _reference_cells(results: Results, known: Mapping[str, Value]) -> dict[str, list[str]]:
    """Return for each value that is given by reference the cells of all references."""
    stems = dict.fromkeys(filter(None, (pooled_name(name, known) for name in known)))
    return {
        stem: [
            format_number(known[name]) if (name := f"{stem}_{k}") in known else ""
            for k in range(1, len(results.references) + 1)
        ]
        for stem in stems
    }


def _add_reference_columns(
    table: Table, results: Results, own: Mapping[str, list[str]], notes: tuple[str, ...]
) -> Table:
    """Add a column for each reference."""
    blank = [""] * len(results.references)
    rows = tuple((*row, *own.get(row[0], blank)) for row in table.rows)
    head = (*table.head, *results.references)
    return Table(table.title, head, rows, 1, (*table.notes, *notes), table.signatures)


def _pair_matrix(results: Results, label: str, known: Mapping[str, Value]) -> Iterator[Table]:
    """Yield a matrix of the values of each pair of references."""
    pairs = {name: value for name, value in known.items() if _is_pair(name)}
    if not pairs:
        return
    what, _ = split_name(next(iter(pairs)))
    count = range(1, len(results.references) + 1)

    def cell(i: int, j: int) -> str:
        value = known.get(f"{what}_{min(i, j)}_{max(i, j)}")
        return "–" if value is None else format_number(value)

    rows = [
        (name, format_number(known.get(f"boundaries_{i}", 0)), *(cell(i, j) for j in count))
        for i, name in enumerate(results.references, 1)
    ]
    title, notes = f"{label}: {what} of each pair of references", undefined_notes(pairs.items())
    table = Table(title, ("", "boundaries", *results.references), tuple(rows), notes=notes)
    if table.width() > WIDTH:
        rows = [
            (row[0] if row[0] == str(i) else f"{i} {row[0]}", *row[1:])
            for i, row in enumerate(rows, 1)
        ]
        table = Table(title, ("", "boundaries", *map(str, count)), tuple(rows), notes=notes)
    yield table


def interval_head(results: Results) -> str:
    """Return the header of a column of intervals."""
    return f"{results.scores[0].settings.resampling.level * 100:g}% interval"


def headline_values(results: Results) -> list[tuple[int, str]]:
    """Return metric and name of the values that stand for a system: chosen or main ones."""
    chosen = results.comparison.chosen if results.comparison else ()
    first = results.scores[0]
    return [
        (i, name)
        for i, metric in enumerate(first.metrics)
        for name in chosen or (metric.main,)
        if name in first.values[i]
    ]


def systems_table(results: Results) -> Table:
    """Return a table with a row for each system and a column for each of its main values."""
    labels = metric_labels(results.scores[0].metrics)
    columns = headline_values(results)
    undefined: dict[str, Value] = {}
    rows = []
    for system, scores in zip(results.systems, results.scores, strict=True):
        cells = [system]
        for i, name in columns:
            value, drawn = scores.values[i][name], scores.intervals[i].get(name)
            known = drawn is not None and not isinstance(drawn, Undefined)
            cells.append(format_number(value) + (f" {format_interval(drawn)}" if known else ""))
            undefined[f"{system}: {labels[i]} {name}"] = value
        rows.append(tuple(cells))
    notes = [*_notes_of_systems(results, "remarks"), *undefined_notes(undefined.items())]
    if any("[" in cell for row in rows for cell in row[1:]):
        notes.insert(0, f"in brackets: {interval_head(results)}")
    return Table(
        f"{len(results.systems)} systems, {count_references(results)}",
        ("system", *(f"{labels[i]} {name}" for i, name in columns)),
        tuple(rows),
        notes=tuple(notes),
        # They stand under the table of differences, if there is one.
        signatures=() if results.comparison else tuple(_notes_of_systems(results, "signatures")),
    )


def _notes_of_systems(results: Results, what: str) -> Iterator[str]:
    """Yield the remarks or signatures of all systems; one that all share is given once."""
    for i, label in enumerate(metric_labels(results.scores[0].metrics)):
        lines: dict[str, list[str]] = {}
        for system, scores in zip(results.systems, results.scores, strict=True):
            names = [name for at, name in headline_values(results) if at == i]
            remarks = what == "remarks"
            for line in scores.remarks_about(i, names) if remarks else [scores.signatures[i]]:
                lines.setdefault(line, []).append(system)
        for line, systems in lines.items():
            front = f"{label}: " if remarks and not line.startswith(label) else ""
            owners = "" if len(systems) == len(results.systems) else f"{', '.join(systems)}: "
            yield f"{owners}{front}{line}"


def differences_table(results: Results) -> Table:
    """Return a table with a row for each pair of systems and value: difference and tests."""
    assert results.comparison is not None
    rows, metrics = results.comparison.rows, results.scores[0].metrics
    label = dict(zip(map(repr, metrics), metric_labels(metrics), strict=True))
    untested: dict[str, Value] = {
        f"{results.systems[row.a]} and {results.systems[row.b]}, {label[row.metric]} {row.value}": (
            Undefined(row.undefined)
        )
        for row in rows
        if row.undefined
    }
    # A blank keeps digits aligned with those that have a mark.
    marks = ("*", " ") if any(map(_is_significant, rows)) else ("", "")
    head = ("metric", "value", "A", "B", "A − B", interval_head(results))
    tested, lines = results.comparison.test_signature, _notes_of_systems(results, "signatures")
    table = Table(
        "Differences between systems",
        (*head, "p boot", "p rand", "p Holm"),
        tuple(_difference_row(results, row, label[row.metric], marks) for row in rows),
        labels=4,
        notes=(
            *_test_notes(rows),
            *results.comparison.remarks,
            *undefined_notes(untested.items(), "not tested"),
        ),
        signatures=tuple(f"{line}{tested}" for line in lines),
    )
    return table if table.width() <= WIDTH else _move_to_title(table)


def _move_to_title(table: Table) -> Table:
    """Name metric and value in the title if all rows have the same."""
    same = [len({row[at] for row in table.rows}) == 1 for at in (0, 1)]
    shared = " ".join(table.rows[0][at] for at in (0, 1) if same[at])
    kept = table.select_columns([at for at in range(len(table.head)) if at > 1 or not same[at]])
    title = f"{table.title}: {shared}" if shared else table.title
    return replace(kept, title=title, labels=table.labels - sum(same))


def _is_significant(row: Difference) -> bool:
    return row.p_corrected is not None and row.p_corrected < SIGNIFICANT


def _difference_row(
    results: Results, row: Difference, label: str, marks: tuple[str, str]
) -> tuple[str, ...]:
    apart = format_number(Undefined("") if row.difference is None else row.difference)
    return (
        *(label, row.value, results.systems[row.a], results.systems[row.b]),
        *(
            apart,
            format_interval(row.interval),
            format_p(row.p_bootstrap),
            format_p(row.p_randomization),
        ),
        format_p(row.p_corrected) + marks[not _is_significant(row)],
    )


def _test_notes(rows: tuple[Difference, ...]) -> Iterator[str]:
    tested = sum(row.p_corrected is not None for row in rows)
    if tested:
        yield (
            "A − B is the difference. p boot is of a paired bootstrap, p rand of an approximate "
            "randomization test, p Holm the latter after Holm's correction for "
            f"{tested} test{'s' * (tested != 1)}; * marks p Holm < {SIGNIFICANT}, a difference "
            "that chance hardly explains."
        )


NO_VALUE = Undefined("it has no value there")
"""The value of a document that a metric does not give, such as that of a missing class."""


def sweep_tables(results: Results) -> Iterator[Table]:
    """Yield a table for each sweep: all rates of one system, or the main value of each system."""
    for k, sweep in enumerate(results.scores[0].sweeps):
        metric = sweep.scores.metrics[0]
        if len(results.scores) == 1:
            heads, title = rate_names(sweep.scores), results.systems[0]
            table = [[values[name] for name in heads] for values in sweep.scores.values]
        else:
            heads, title = list(results.systems), metric.main
            curves = [one.sweeps[k].scores.values for one in results.scores]
            table = [[values[metric.main] for values in at] for at in zip(*curves, strict=True)]
        points = zip(sweep.points, table, strict=True)
        yield Table(
            f"{sweep_label(sweep)} by {sweep.setting}: {title}",
            (sweep.setting, *heads),
            tuple((str(point), *map(format_number, row)) for point, row in points),
            notes=(
                *undefined_notes(pair for row in table for pair in zip(heads, row, strict=True)),
                f"the signature is of the first row; the others differ in {sweep.setting} only",
            ),
            signatures=(sweep.scores.signatures[0],),
        )


def sweep_label(sweep: Sweep) -> str:
    """Name the metric of a sweep with its other settings."""
    metric = sweep.scores.metrics[0]
    kept = {name: value for name, value in metric.settings.items() if name != sweep.setting}
    settings = ", ".join(f"{name}={value!r}" for name, value in kept.items())
    return f"{metric.name}({settings})" if settings else metric.name


def rate_names(scores: Scores) -> list[str]:
    """Return the names of values that are rates, without those of single references."""
    first = scores.values[0]
    return [
        name
        for name in first
        if not split_name(name)[1]
        and any(isinstance(each.get(name), float) for each in scores.values)
    ]


def document_tables(results: Results, limit: int | None) -> Iterator[Table]:
    """Yield documents, worst first: a column for each metric, or a table for each metric.

    A metric is shown by the first chosen value that it gives, or by its main value.
    """
    first = results.scores[0]
    if len(first.documents) < 2:
        return
    chosen = results.comparison.chosen if results.comparison else ()
    names = [headline_value(results, i) for i in range(len(first.metrics))]
    heads = [
        f"{label} {name}" for label, name in zip(metric_labels(first.metrics), names, strict=True)
    ]
    if len(results.scores) == 1:
        columns = [
            _document_values(first, i, name, first.documents) for i, name in enumerate(names)
        ]
        title = f"Documents, {_worst_or_largest(first.metrics[0], names[0])} first"
        yield _document_table(first, title, heads, columns, worst_first(results, 0), limit)
        return
    for i, name in enumerate(names):
        if not chosen or name in chosen:
            columns = [_document_values(one, i, name, first.documents) for one in results.scores]
            title = f"Documents, {_worst_or_largest(first.metrics[i], name)} first by {heads[i]}"
            order = worst_first(results, i)
            yield _document_table(first, title, list(results.systems), columns, order, limit)


def headline_value(results: Results, i: int) -> str:
    """Return the value that documents are sorted by: the first chosen one, or the main one."""
    chosen = results.comparison.chosen if results.comparison else ()
    known = results.scores[0].values[i]
    return next((name for name in chosen if name in known), results.scores[0].metrics[i].main)


def _document_table(
    scores: Scores,
    title: str,
    heads: list[str],
    columns: list[list[Value]],
    order: list[int],
    limit: int | None,
) -> Table:
    shown = order[:limit]
    left = len(order) - len(shown)
    shown_values = (
        (head, column[at]) for at in shown for head, column in zip(heads, columns, strict=True)
    )
    rows = [
        (
            document.id,
            str(reference_length(document)),
            *(format_number(column[at]) for column in columns),
        )
        for at in shown
        for document in [scores.documents[at]]
    ]
    more = (f"… and {left} more: --json has all",) if left else ()
    return Table(
        title,
        ("document", "words", *heads),
        tuple(rows),
        notes=(*more, *undefined_notes(shown_values)),
    )


def _document_values(scores: Scores, i: int, name: str, order: Sequence[Document]) -> list[Value]:
    """Return one value of a metric for each document."""
    metric = scores.metrics[i]
    by_id = {document.id: document.counts[i] for document in scores.documents}
    if len(order) == len(scores.documents) == 1:
        by_id = {order[0].id: scores.documents[0].counts[i]}
    return [metric.values(by_id[document.id]).get(name, NO_VALUE) for document in order]


def worst_first(results: Results, i: int) -> list[int]:
    """Return the numbers of documents from the worst to the best, undefined ones last."""
    first, name = results.scores[0], headline_value(results, i)
    columns = [_document_values(one, i, name, first.documents) for one in results.scores]
    sign = 1 if best_value(first.metrics[i], name) else -1

    def badness(at: int) -> tuple[bool, float]:
        known = [v for column in columns if not isinstance(v := column[at], Undefined)]
        return (False, sign * fmean(known)) if known else (True, 0.0)

    return sorted(range(len(first.documents)), key=badness)


def best_value(metric: Metric, name: str) -> float | None:
    """Return the best possible value; that of `ne_wer_ORG` is that of `ne_wer`."""
    while name and name not in metric.best:
        name = name.rpartition("_")[0]
    return metric.best.get(name)


def _worst_or_largest(metric: Metric, name: str) -> str:
    return "largest" if best_value(metric, name) is None else "worst"


def coverage_tables(results: Results) -> Iterator[Table]:
    """Yield a table of what an alignment could not match, with a row for each reference."""
    if not all(each.coverage for one in results.scores for each in one.documents):
        return
    several = len(results.systems) > 1
    rows = [
        (*([system] if several else []), name, *_coverage_cells(scores.documents, k))
        for system, scores in zip(results.systems, results.scores, strict=True)
        for k, name in enumerate(results.references)
    ]
    unmatched = ("hypothesis words unmatched", "reference words unmatched")
    yield Table(
        "What the alignment could not match",
        (
            *(["system"] if several else []),
            *("reference", *unmatched, "words replaced", "boundaries lost"),
        ),
        tuple(rows),
        labels=1 + several,
        notes=(
            "unmatched: words without a counterpart; replaced: words aligned with another word; "
            "lost: boundaries that could not be carried over; per cent: of the words of the "
            "hypothesis for its unmatched words, else of the reference",
        ),
    )


def _coverage_cells(documents: Sequence[Document], k: int) -> Iterator[str]:
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
