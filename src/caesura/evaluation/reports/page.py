"""Make the report page: one HTML file that needs no other files and no network.

`page_payload` gathers the data, `render_page` puts it into the page of `assets`.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterator, Mapping
from importlib import resources
from inspect import getdoc
from typing import Any

import numpy as np

from caesura import __version__
from caesura.core.arrays import Indices, Strings
from caesura.core.protocols import Metric
from caesura.core.transcript import Transcript
from caesura.evaluation.document import Document
from caesura.evaluation.reports.alignment_view import page_alignments
from caesura.evaluation.reports.score_tables import best_value, headline_value, worst_first
from caesura.evaluation.reports.write import Results
from caesura.evaluation.scores import (
    RecurringDisagreement,
    Scores,
    Sweep,
    describe_values,
    reference_length,
)
from caesura.metrics.wisebe import WiSeBE
from caesura.text.normalization.steps import normalize

MOST_DISAGREEMENTS = 3000
"""The most disagreements on a page, of all systems together."""

LONGEST_TEXT = 200
"""The most characters of a text in a list of disagreements."""


def page_payload(results: Results) -> dict[str, Any]:
    """Gather everything that the page shows."""
    first = results.scores[0]
    return {
        "title": _title(results),
        "version": __version__,
        "among": results.between_annotators,
        "systems": list(results.systems),
        "references": list(results.references),
        "metrics": [
            _metric(metric) | {"listed": _listed_by(metric, headline_value(results, i))}
            for i, metric in enumerate(first.metrics)
        ],
        "scores": [
            one.metric_dict(i) | {"system": number, "metric": i, "counts": _counts(one, i)}
            for number, one in enumerate(results.scores)
            for i in range(len(one.metrics))
        ],
        "sweeps": [_sweep(results, number) for number in range(len(first.sweeps))],
        "comparison": results.comparison
        and {
            "rows": [vars(row) for row in results.comparison.rows],
            "remarks": results.comparison.remarks,
            "tested": results.comparison.test_signature,
        },
        "documents": _documents(results),
        "differences": list(_differences(results)),
        "alignments": page_alignments(results),
        "worst_first": [worst_first(results, i) for i in range(len(first.metrics))],
    }


def _counts(scores: Scores, i: int) -> list[str]:
    """Return the names of values that are counts, which JSON cannot tell from rates."""
    return [name for name, value in scores.values[i].items() if isinstance(value, int)]


def _title(results: Results) -> str:
    if results.between_annotators:
        count = len(results.references)
        return f"Agreement of {count} annotator{'s' * (count != 1)}"
    return " and ".join(results.systems) if len(results.systems) < 4 else "Comparison"


def _metric(metric: Metric) -> dict[str, Any]:
    about = (getdoc(metric) or "").split("\n", 1)[0]
    return {
        "metric": repr(metric),
        "name": metric.name,
        "main": metric.main,
        "best": dict(metric.best),
        "boundaries": bool(metric.compares),
        "about": about,
    }


def _listed_by(metric: Metric, name: str) -> dict[str, Any]:
    """Return the value that documents are sorted by, and its best possible value."""
    return {"value": name, "best": best_value(metric, name)}


def _sweep(results: Results, number: int) -> dict[str, Any]:
    sweeps: list[Sweep] = [one.sweeps[number] for one in results.scores]
    return {
        "metric": sweeps[0].scores.metrics[0].name,
        "setting": sweeps[0].setting,
        "points": list(sweeps[0].points),
        "systems": [
            {"system": system} | _curves(each.scores) for system, each in enumerate(sweeps)
        ],
    }


def _curves(scores: Scores) -> dict[str, Any]:
    found = [scores.metric_dict(i) for i in range(len(scores.metrics))]
    names = list(found[0]["values"])
    return {
        "values": {name: [each["values"].get(name) for each in found] for name in names},
        "intervals": {name: [each["intervals"].get(name) for each in found] for name in names},
    }


def _documents(results: Results) -> list[dict[str, Any]]:
    first, *others = results.scores
    if len(first.documents) == 1:
        return [_document(results, [one.documents[0] for one in results.scores])]
    by_id = [{each.id: each for each in one.documents} for one in others]
    return [
        _document(results, [each, *(documents[each.id] for documents in by_id)])
        for each in first.documents
    ]


def _document(results: Results, documents: list[Document]) -> dict[str, Any]:
    return {
        "id": documents[0].id,
        "words_count": reference_length(documents[0]),
        "values": [
            [
                describe_values(metric.values(counts))["values"]
                for metric, counts in zip(one.metrics, each.counts, strict=True)
            ]
            for one, each in zip(results.scores, documents, strict=True)
        ],
        "coverage": [[vars(part) for part in each.coverage] for each in documents],
        "views": _views(results, documents),
    }


def _views(results: Results, documents: list[Document]) -> list[dict[str, Any]]:
    """Return a view for each sequence of words; systems with the same words share a view."""
    views: dict[Strings, dict[str, Any]] = {}
    for system, document in enumerate(documents):
        shown = _shown_texts(results.scores[system], document)[0]
        if shown.words not in views:
            views[shown.words] = _view(results.scores[system], document)
        if not results.between_annotators:
            views[shown.words]["systems"].append({"system": system, "gaps": _gaps(shown)})
    return list(views.values())


def _shown_texts(
    scores: Scores, document: Document
) -> tuple[Transcript, tuple[Transcript, ...], Strings]:
    """Return hypothesis and references as they were counted, and their normalisation."""
    if all(map(document.is_compared_raw, scores.metrics)):
        return document.hypothesis, document.originals, ()
    return document.compared, document.carried, scores.settings.normalize


def _view(scores: Scores, document: Document) -> dict[str, Any]:
    hypothesis, references, steps = _shown_texts(scores, document)
    there = [one for one in references if one.words == hypothesis.words]
    wisebe = next((metric for metric in scores.metrics if isinstance(metric, WiSeBE)), None)
    windows = wisebe.windows(there) if wisebe and there else ((), ())
    return {
        "words": "\n".join(_shown_words(document.hypothesis, steps)),
        "references": [_gaps(one) if one.words == hypothesis.words else None for one in references],
        "systems": [],
        "windows": [[int(first), int(last)] for first, last in zip(*windows, strict=True)],
    }


def _gaps(transcript: Transcript) -> list[int]:
    return [] if transcript.sentences is None else transcript.sentences.gaps.tolist()


def _shown_words(hypothesis: Transcript, steps: Strings) -> list[str]:
    """Return the words that were compared, as they were written before normalisation."""
    opening, mark = (
        getattr(hypothesis, layer) or ("",) * len(hypothesis) for layer in ("opening", "mark")
    )
    return [
        f"{opening[at]}{hypothesis.words[at]}{mark[at]}".replace("\n", " ")
        for at in _kept_words(hypothesis, steps).tolist()
    ]


def _kept_words(hypothesis: Transcript, steps: Strings) -> Indices:
    """Return the places of the words that normalisation keeps."""
    # A layer of numbers goes through the same steps, and shows which words were kept.
    numbered = hypothesis.replace(confidence=np.arange(len(hypothesis)))
    kept = normalize(numbered, steps).confidence
    return np.zeros(0, np.int64) if kept is None else kept.astype(np.int64)


def _differences(results: Results) -> Iterator[dict[str, Any]]:
    """Yield the most frequent disagreements of each system and metric."""
    summaries = [
        (system, i, summary)
        for system, scores in enumerate(results.scores)
        for i, summary in enumerate(scores.disagreements)
        if summary.recurring
    ]
    for system, i, summary in summaries:
        places = _Places(results, system, i)
        rows = summary.most_frequent(MOST_DISAGREEMENTS // (len(summaries) * len(summary.kinds)))
        yield {
            "system": system,
            "metric": i,
            "kinds": summary.kinds,
            "distinct": len(summary.recurring),
            "rows": [_recurring(each, places) for each in rows],
        }


def _recurring(each: RecurringDisagreement, places: _Places) -> dict[str, Any]:
    return {
        "level": each.level,
        "kind": each.kind,
        "reference": shorten_text(each.reference),
        "hypothesis": shorten_text(each.hypothesis),
        "count": each.count,
        "loss": each.loss,
        "examples": [
            {
                "document": places.numbers[number],
                "place": places.of(number, one.place),
                "before": shorten_text(one.before),
                "after": shorten_text(one.after),
                "against": one.reference_number,
            }
            for number, one in each.examples
        ],
    }


class _Places:
    """Finds where the page shows a document of a system, and a word that a metric compares."""

    def __init__(self, results: Results, system: int, i: int) -> None:
        first, self.scores = results.scores[0], results.scores[system]
        self.metric = self.scores.metrics[i]
        order = {each.id: number for number, each in enumerate(first.documents)}
        single = len(self.scores.documents) == 1
        self.numbers = [0 if single else order[each.id] for each in self.scores.documents]
        self.kept: dict[int, Indices | None] = {}

    def of(self, document: int, place: int) -> int:
        """Return the place of a word in the text that is shown."""
        if document not in self.kept:
            self.kept[document] = self._shown(self.scores.documents[document])
        kept = self.kept[document]
        return place if kept is None else max(0, int(np.searchsorted(kept, place, "right")) - 1)

    def _shown(self, document: Document) -> Indices | None:
        """Return which words of the metric's text are shown; None if all of them are."""
        shown, _, steps = _shown_texts(self.scores, document)
        same = document.texts_for(self.metric)[0] is shown
        return None if same else _kept_words(document.hypothesis, steps)


def shorten_text(text: str) -> str:
    """Cut off texts that are too long for a table."""
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}…"


SCRIPTS = tuple(
    """base tables comparison curves documents differences reading judging draw strip text
    alignment start""".split()
)
"""The files of the page's script, in the order in which they are joined."""

SLOT = re.compile(r"\{\{(\w+)\}\}")
UNSAFE = re.compile("[<>&\u2028\u2029]")
SURROGATE = re.compile("[\ud800-\udfff]")


def render_page(payload: Mapping[str, Any]) -> str:
    """Return the HTML of a report; the payload is embedded as data, never as markup or script."""
    style = _read_asset("page.css")
    script = "\n".join(_read_asset(f"{part}.js") for part in SCRIPTS)
    parts = {
        "policy": _policy(style, script),
        "title": html.escape(_without_surrogates(payload["title"])),
        "version": html.escape(payload["version"]),
        "style": style,
        "script": script,
        "payload": _embedded_json(payload),
    }
    # One pass, so that the name of a slot inside the payload stays text.
    return SLOT.sub(lambda slot: parts[slot[1]], _read_asset("page.html"))


def _embedded_json(payload: Mapping[str, Any]) -> str:
    """Write JSON without characters that could end the element or are not valid in UTF-8."""
    text = json.dumps(payload, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", _without_surrogates(text))


def _policy(style: str, script: str) -> str:
    """Return a policy that allows only this style and this script, and no connections."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _without_surrogates(text: str) -> str:
    """Replace half surrogate pairs, which UTF-8 cannot hold."""
    return SURROGATE.sub("\ufffd", text)


def _read_asset(name: str) -> str:
    return resources.files(__package__).joinpath("assets", name).read_text(encoding="utf-8")
