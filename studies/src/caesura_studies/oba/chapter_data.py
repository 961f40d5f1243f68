"""The chapter on the data and the chosen settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from caesura.core.transcript import Transcript
from caesura.text.cluster_rules import cluster_starts
from caesura_studies.oba.corpora import Language, inner_boundaries, speaker_changes
from caesura_studies.oba.experiment import Trial
from caesura_studies.oba.plan import Plan
from caesura_studies.report import Part, format_share, format_value, make_table, markdown_list

TITLE = "Data and settings"
SIZES = (
    *("recordings", "words", "sentences", "clusters"),
    *("words per cluster", "clusters per sentence"),
)


def chapter(trials: Sequence[Trial], omitted: Mapping[str, str], plan: Plan) -> Part:
    """Write the chapter on the data and the settings."""
    sizes = {
        trial.language.name: {
            "learnt from": _sizes(trial.language.train),
            "measured on": _sizes(trial.language.first_orders),
        }
        for trial in trials
    }
    rows = [
        [name, part, *(f"{found[each]:,}" for each in SIZES)]
        for name, parts in sizes.items()
        for part, found in parts.items()
    ]
    text = [
        "The Corpus of Spontaneous Japanese is not available. Instead: treebanks of speech "
        "with word times and trees (Naija, French) and one of written Japanese with bunsetsu, "
        "without times. Punctuation is stripped from all of them, tags are the given ones. "
        "Clusters are bunsetsu where the treebank marks them; elsewhere function words join the "
        "content word that they belong to.",
        make_table(("treebank", "part", *SIZES), rows, 2),
        *_describe_speakers([trial.language for trial in trials]),
        *_describe_shuffling([trial.language for trial in trials], plan),
        f"Every setting is chosen by cross-validation over the training recordings in {plan.folds} "
        "folds: models are trained on all folds but one and label that one. Nothing is tuned on "
        "evaluation recordings. The SVM has its usual cost; `c2`, the L2 regularisation of the "
        f"CRF, is chosen from {len(plan.c2)} values on {plan.compared} of the folds; margin and "
        "threshold are the least log-odds of a boundary; α and the bias are chosen together; the "
        "posterior has an α of its own and the least probability of a boundary.",
        _settings(trials),
        *(
            [f"Left out:\n\n{markdown_list([f'{n}: {why}' for n, why in omitted.items()])}"]
            if omitted
            else []
        ),
    ]
    numbers = {
        "sizes": sizes,
        "left_out": dict(omitted),
        "settings": {trial.language.name: _settings_as_json(trial) for trial in trials},
    }
    short = [f"Left out: {name} ({why})." for name, why in omitted.items()]
    return Part("data", TITLE, "\n\n".join(text), numbers, short)


def _sizes(recordings: Sequence[Transcript]) -> dict[str, float]:
    words = sum(map(len, recordings))
    sentences = sum(int(inner_boundaries(each).sum()) + 1 for each in recordings)
    begun = [cluster_starts(each) for each in recordings]
    clusters = sum(int(each.sum()) for each in begun if each is not None)
    found = (
        *(len(recordings), words, sentences, clusters),
        *(round(words / max(clusters, 1), 2), round(clusters / sentences, 2)),
    )
    return dict(zip(SIZES, found, strict=True))


def _describe_speakers(languages: Sequence[Language]) -> list[str]:
    description = []
    for each in languages:
        if each.with_speakers is not None:
            _, dev = each.with_speakers
            changes = sum(int(speaker_changes(one).sum()) for one in dev)
            real = sum(int((speaker_changes(one) & inner_boundaries(one)).sum()) for one in dev)
            among = format_share(real, sum(int(inner_boundaries(one).sum()) for one in dev))
            description.append(
                f"{each.name}: {real:,} of {changes:,} changes are sentence ends, which makes "
                f"{among} ends"
            )
    if not description:
        return []
    return [
        "As in the paper, systems see words, tags and pauses, but not the speakers: where "
        "another speaker begins, a sentence ends in these treebanks, so that a change gives the "
        f"answer away. Measured on, {'; '.join(description)}."
    ]


def _describe_shuffling(languages: Sequence[Language], plan: Plan) -> list[str]:
    names = [each.name for each in languages if each.shuffled]
    if not names:
        return []
    return [
        f"{' and '.join(names)}: the treebank does not keep the order of sentences; they are "
        f"shuffled into pseudo-documents of {plan.size}: one shuffle to learn from; to measure on, "
        f"each pseudo-document in {plan.orders} orders of its sentences, whose counts are added "
        "up. Pseudo-documents are resampled with all their orders, so that no sentence is in two "
        "of them. Sentences that do not follow each other make boundaries easier than in running "
        "text."
    ]


def _settings(trials: Sequence[Trial]) -> str:
    rows = []
    for trial in trials:
        found = trial.tuned
        rows.append(
            [
                trial.language.name,
                ", ".join(f"{c2:g}: {format_value(each)}" for c2, each in found.by_c2.items()),
                "–" if found.pause is None else f"{found.pause.least:g} s",
                f"{found.svm.least:.2f}",
                f"{found.crf.least:.2f}",
                f"{found.alone.bias:g}",
                f"{found.plain.alpha:g}",
                f"{found.both.alpha:g}, {found.both.bias:g}",
                f"{found.summed.alpha:g}, {found.summed.summed.least:.2f}",
            ]
        )
    head = (
        "treebank",
        *("c2: F1 in the folds", "pause", "SVM margin", "CRF threshold", "SDA alone: bias"),
        *("(5): α", "α, bias", "posterior: α, probability"),
    )
    return make_table(head, rows)


def _settings_as_json(trial: Trial) -> dict[str, Any]:
    found = trial.tuned
    return {
        "c2": found.c2,
        "by_c2": {f"{c2:g}": each for c2, each in found.by_c2.items()},
        "pause": None if found.pause is None else found.pause.least,
        "svm": found.svm,
        "crf": found.crf,
        "sda_alone_bias": found.alone.bias,
        "equation_5_alpha": found.plain.alpha,
        "alpha_and_bias": [found.both.alpha, found.both.bias],
        "posterior": [found.summed.alpha, round(found.summed.summed.least, 6)],
    }
