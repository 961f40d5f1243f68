"""The chapter on the data: sizes, sentence lengths, word error rates and pauses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from caesura.core.arrays import Indices
from caesura.core.transcript import Transcript
from caesura.core.values import Undefined, Value, ratio
from caesura.detectors.gaps import duration_bins
from caesura.evaluation.reports.figures import COLOURS
from caesura.evaluation.resampling import Interval
from caesura_studies.claims import ValueWithInterval
from caesura_studies.gotohrenals import paper
from caesura_studies.gotohrenals.corpora import MIN_TIMED_SHARE, TEXT_WORDS, Corpora
from caesura_studies.gotohrenals.scoring import Source, rate, sentence_ends
from caesura_studies.report import (
    Part,
    Picture,
    format_value,
    make_table,
    markdown_list,
    plot_value,
    with_interval,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TITLE = "The recordings (tables 1 to 4)"
KINDS = ("none", "pause", "unknown")
STEP = 0.1
"""A gap shorter than half of this is no pause."""


def sources(corpora: Corpora) -> dict[str, Source]:
    """Return everything that has times: references and recognised words."""
    timed = Source.of_references("references", (*corpora.timed, *corpora.dev))
    return {"references": timed, **corpora.with_times}


def chapter(corpora: Corpora) -> Part:
    """Write the chapter on the data."""
    kinds = {name: _kinds(source) for name, source in sources(corpora).items()}
    text = [
        "The paper's BBC scripts are not available. Earnings calls replace them: earnings22, "
        "whose references have word times by forced alignment, and earnings21, whose references "
        "have none, but which several recognisers transcribed; and podcasts (rev16). Words are in "
        "lower case and without punctuation, which no system sees. Sentence ends are full stops, "
        "question and exclamation marks; the end of a recording is not counted.",
        "### Words and sentence ends (tables 1 and 2)",
        _sizes(corpora),
        f"Calls have usable times if {MIN_TIMED_SHARE:.0%} of their words have any: below that the "
        "alignment is unreliable, and its times are not used. Sorted by name, each fourth of them "
        "is a development call; each fifth of the others is held out to tune settings, with models "
        "that have not seen it; the final models are trained on it too."
        + f" Of each file of text-en the first words are taken, {TEXT_WORDS:,} in all at most."
        * bool(corpora.text),
        *_recognisers(corpora),
        "### Gaps between words (table 3)",
        "A gap has a pause if it is 0.05 s or longer, and is unknown if one of its words has no "
        "times. Each cell: the share of all gaps, and of those the share with a sentence end; the "
        "last columns say where sentence ends are. Intervals are bootstrap intervals over calls.",
        _pauses(kinds),
        f"The paper's recogniser: {_paper_table_3()}.",
        *(
            [markdown_list(["Not there: " + each for each in corpora.missing])]
            if corpora.missing
            else []
        ),
    ]
    drawn = Picture("gaps.svg", "Where sentence ends are", (6.4, 2.6), partial(_draw, kinds))
    return Part(
        "data", TITLE, "\n\n".join(text), _numbers(corpora, kinds), _short(corpora), (drawn,)
    )


def _short(corpora: Corpora) -> list[str]:
    description = [
        f"Data: {len(corpora.calls)} calls of earnings22, {len(corpora.timed) + len(corpora.dev)} "
        f"of them with times, of which {len(corpora.dev)} are development calls; "
        f"{len(corpora.recognised)} recognisers, {len(corpora.with_times)} with times."
    ]
    return [*description, *(f"Not available, so left out: {each}." for each in corpora.missing)]


def _groups(corpora: Corpora) -> dict[str, Sequence[Transcript]]:
    found = {
        "earnings22, all calls": corpora.calls,
        "– with times, to learn from": corpora.training,
        "– with times, to tune on": corpora.tuning,
        "– with times, development": corpora.dev,
        "– times hidden": corpora.untimed,
        "earnings21, references": corpora.recognised_references,
        "rev16, verbatim": corpora.podcasts,
        "text-en, part of it": [each for parts in corpora.text.values() for each in parts],
    }
    return {name: texts for name, texts in found.items() if texts}


def _size(texts: Sequence[Transcript]) -> tuple[int, int, int]:
    ends = sum(int(sentence_ends(each).sum()) for each in texts)
    return len(texts), sum(map(len, texts)), ends


def _sizes(corpora: Corpora) -> str:
    rows = []
    for name, texts in _groups(corpora).items():
        count, words, ends = _size(texts)
        mean = ratio(words, ends, "no sentence end")
        rows.append([name, str(count), f"{words:,}", f"{ends:,}", f"{plot_value(mean):.1f}"])
    rows += [
        [f"paper: {name}", shows, f"{int(words):,}", f"{int(ends):,}", mean]
        for name, (shows, words, ends, mean) in paper.TABLES_1_2.items()
    ]
    return make_table(("recordings", "number", "words", "sentence ends", "words per end"), rows)


def _recognisers(corpora: Corpora) -> list[str]:
    if not corpora.recognised:
        return []
    rows = [
        [
            name,
            "yes" if each.timed else "no",
            str(len(each)),
            f"{each.words:,}",
            with_interval(*each.word_error_rate),
            f"{each.boundaries:,}",
            str(sum(each.lost)),
        ]
        for name, each in corpora.recognised.items()
    ]
    head = ("recogniser", "times", "calls", "words", "WER", "ends carried", "ends lost")
    printed = ", ".join(f"{name} {rate} %" for name, rate in paper.TABLE_4.items())
    return [
        "### Recognisers (table 4)",
        "Recognised words get their sentence ends by alignment with the references. If two ends "
        "fall on one recognised word, or no word is left for one, it is lost; it counts as missing "
        "for every system. Word error rates are of words in lower case without punctuation; "
        "numbers written differently from the references count as errors.",
        make_table(head, rows, 2),
        f"The paper: {printed}.",
    ]


Kinds = Mapping[str, tuple[ValueWithInterval, ValueWithInterval, ValueWithInterval]]
"""For each kind of gap: its share, how often it is a sentence end, and its share of all ends."""


def _kinds(source: Source) -> Kinds:
    counts = np.array([_count_gaps(each) for each in source.recordings])
    gaps, ends = counts[:, :, 0], counts[:, :, 1]
    return {
        kind: (
            rate(gaps[:, at], gaps.sum(1)),
            rate(ends[:, at], gaps[:, at]),
            rate(ends[:, at], ends.sum(1)),
        )
        for at, kind in enumerate(KINDS)
    }


def _count_gaps(transcript: Transcript) -> Indices:
    """Count gaps and sentence ends of each kind."""
    kind = duration_bins(transcript.pauses()[:-1], STEP, 1)
    ends = sentence_ends(transcript)[:-1]
    rows = [np.bincount(chosen, minlength=len(KINDS)) for chosen in (kind, kind[ends])]
    return np.array(rows, np.int64).T


def _pauses(kinds: Mapping[str, Kinds]) -> str:
    rows = []
    for name, found in kinds.items():
        shares = [f"{format_value(share)} / {_ends(*end)}" for (share, _), end, _ in found.values()]
        rows.append([name, *shares, *(format_value(found[kind][2][0]) for kind in KINDS)])
    heads = [f"{kind}: share / ends" for kind in KINDS] + [f"ends at {kind}" for kind in KINDS]
    return make_table(("words", *heads), rows)


def _ends(value: Value, around: Interval | Undefined) -> str:
    return "–" if isinstance(value, Undefined) else with_interval(value, around)


def _paper_table_3() -> str:
    return ", ".join(
        f"`{kind}` {share} % of all tokens ({ends} % of all with a sentence end)"
        for kind, (share, ends) in paper.TABLE_3.items()
    )


def _numbers(corpora: Corpora, kinds: Mapping[str, Kinds]) -> dict[str, Any]:
    named = ("gaps", "ends_of_these", "of_all_ends")
    return {
        "sizes": {name: _size(texts) for name, texts in _groups(corpora).items()},
        "word_error_rates": {n: each.word_error_rate for n, each in corpora.recognised.items()},
        "development_calls": [each.id for each in corpora.dev],
        "tuning_calls": [each.id for each in corpora.tuning],
        "gaps": {
            name: {kind: dict(zip(named, found[kind], strict=True)) for kind in KINDS}
            for name, found in kinds.items()
        },
    }


def _draw(kinds: Mapping[str, Kinds], axes: Axes) -> None:
    names = list(kinds)
    left = np.zeros(len(names))
    for kind, colour in zip(KINDS, COLOURS, strict=False):
        shares = np.array([plot_value(kinds[name][kind][2][0]) for name in names])
        axes.barh(names, shares, left=left, color=colour, height=0.6, label=kind)
        left += np.nan_to_num(shares)
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.set_xlabel("share of the sentence ends that stand at such a gap")
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), title="gap")
