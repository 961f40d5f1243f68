"""What the page is made from: results, and the texts with their boundaries."""

from __future__ import annotations

from inspect import getdoc
from typing import Any

import numpy as np

from caesura.contracts import Metric
from caesura.metrics.wisebe import WiSeBE
from caesura.reports.lists import worst_first
from caesura.reports.results import Results
from caesura.scores import Scores, Sweep, told
from caesura.scoring import Document
from caesura.text.normalize import normalize
from caesura.transcript import Strings, Transcript
from caesura.version import __version__


def payload(results: Results) -> dict[str, Any]:
    """Gather everything the page shows."""
    first = results.scores[0]
    return {
        "title": _title(results),
        "version": __version__,
        "among": results.among,
        "systems": list(results.systems),
        "references": list(results.references),
        "metrics": [_metric(metric) for metric in first.metrics],
        "scores": [
            one.score_json(i) | {"system": number, "metric": i, "counts": _counts(one, i)}
            for number, one in enumerate(results.scores)
            for i in range(len(one.metrics))
        ],
        "sweeps": [_sweep(results, number) for number in range(len(first.sweeps))],
        "comparison": results.comparison
        and {
            "rows": [vars(row) for row in results.comparison.rows],
            "signatures": list(results.comparison.signatures),
        },
        "documents": _documents(results),
        "worst_first": [worst_first(results, i) for i in range(len(first.metrics))],
    }


def _counts(scores: Scores, i: int) -> list[str]:
    """Names of the values that are whole numbers, which JSON cannot tell from rates."""
    return [name for name, value in scores.values[i].items() if isinstance(value, int)]


def _title(results: Results) -> str:
    if results.among:
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
        "about": about,
    }


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
    found = [scores.score_json(i) for i in range(len(scores.metrics))]
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
        "words_count": documents[0].words,
        "values": [
            [
                told(metric.values(counts))["values"]
                for metric, counts in zip(one.metrics, each.counts, strict=True)
            ]
            for one, each in zip(results.scores, documents, strict=True)
        ],
        "coverage": [[vars(part) for part in each.coverage] for each in documents],
        "views": _views(results, documents),
    }


def _views(results: Results, documents: list[Document]) -> list[dict[str, Any]]:
    """Give a view for each way the words run; systems that share their words share a view."""
    views: dict[Strings, dict[str, Any]] = {}
    for system, document in enumerate(documents):
        words = document.compared.words
        if words not in views:
            views[words] = _view(results.scores[system], document)
        if not results.among:
            views[words]["systems"].append({"system": system, "gaps": _gaps(document.compared)})
    return list(views.values())


def _view(scores: Scores, document: Document) -> dict[str, Any]:
    there = [one for one in document.carried if len(one) == document.words]
    wisebe = next((metric for metric in scores.metrics if isinstance(metric, WiSeBE)), None)
    windows = wisebe.windows(there) if wisebe and there else ((), ())
    return {
        "words": "\n".join(_shown(document.hypothesis, scores.terms.normalize)),
        "references": [
            _gaps(one) if len(one) == document.words else [] for one in document.carried
        ],
        "systems": [],
        "windows": [[int(first), int(last)] for first, last in zip(*windows, strict=True)],
    }


def _gaps(transcript: Transcript) -> list[int]:
    return [] if transcript.sentences is None else transcript.sentences.gaps.tolist()


def _shown(hypothesis: Transcript, steps: Strings) -> list[str]:
    """Write the words that were compared as they were before normalisation."""
    # A column of numbers goes through the same steps and tells which words were kept.
    numbered = hypothesis.replace(confidence=np.arange(len(hypothesis)))
    kept = normalize(numbered, steps).confidence
    opening, mark = (
        getattr(hypothesis, layer) or ("",) * len(hypothesis) for layer in ("opening", "mark")
    )
    places: list[int] = [] if kept is None else kept.astype(np.int64).tolist()
    return [f"{opening[at]}{hypothesis.words[at]}{mark[at]}".replace("\n", " ") for at in places]
