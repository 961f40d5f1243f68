"""The chapters on table 2: how measures correlate with the ETER of taggers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from caesura.core.arrays import Strings
from caesura.core.values import Undefined
from caesura.evaluation.correlation import FEWEST_SYSTEMS
from caesura.evaluation.reports.figures import COLOURS, MARKERS
from caesura_studies.atene import paper
from caesura_studies.atene.correlations import OTHERS, Averaged, Table
from caesura_studies.atene.experiment import APART, TRAINED, Trial
from caesura_studies.atene.plan import MAIN, MEASURES
from caesura_studies.atene.scoring import VARIANTS, WORDS
from caesura_studies.atene.text_preparation import ALL, NAMES, VIEWS, View
from caesura_studies.report import (
    Part,
    Picture,
    format_value,
    legend_below,
    make_table,
    markdown_list,
    plot_value,
    split_into_panels,
    with_interval,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WORST = "kaldi-librispeech"
"""The recogniser that is last everywhere and raises every correlation."""

PARTS_OF = (MAIN, f"{MAIN}: DS alone", f"{MAIN}: I alone")

TABLE_2 = """\
For each call and tagger, recognisers are ranked by ETER and by each measure; Spearman's \
correlation of the ranks is averaged over calls, then over taggers. 95 % intervals resample calls. \
The paper's are of six recognisers, seven taggers and other data. Where ATENE looks at capitals, \
taggers do not: they see all texts in lower case. The last row ranks recognisers by the mean ETER \
of the other taggers: a measure that reaches it predicts a tagger as well as the other taggers \
together do. In the remarks, shows are calls, systems recognisers, and task systems taggers."""

NE_WER = """\
NE-WER counts wrong and missing words of entities. Open is which inserted words count (those \
inside, none, or those at the edges too), and whether listed alternatives are right (against the \
plain reference they are not)."""

LEARNING = f"""\
A measure trained on the same texts as the taggers may know what they know. So the headline keeps \
the training texts apart; beside it are both trained on the same calls, and each trained on \
written text instead (Wikipedia, social media and filings, as far as they are there: persons, \
places and organisations only). {MAIN}."""


def worst_recogniser(trial: Trial) -> Strings:
    """Name the recogniser to leave out, if it is there and enough others are."""
    recognised = trial.calls.recognised
    return (WORST,) if WORST in recognised and len(recognised) > FEWEST_SYSTEMS else ()


def correlations(trial: Trial) -> Part:
    """Write the chapter on table 2."""
    text, short = [TABLE_2], []
    numbers: dict[str, Any] = {}
    for view in (ALL, NAMES):
        found, apart = trial.tables[view.key, APART], worst_recogniser(trial)
        titles = [*WORDS.values(), "NE-WER", *_feature_titles(trial, view), OTHERS]
        means, description = found.means(), _remarks(found, apart)
        head = ("measure", *found.eter, *_heads(apart), "paper")
        rows = [
            [
                title,
                *(format_value(means[title].taggers[name]) for name in found.eter),
                *cells,
                paper.TABLE_2.get(title, "–"),
            ]
            for title, cells in _cells(found, titles, apart)
        ]
        text += [
            _heading(view),
            make_table(head, rows),
            *([markdown_list(description)] if description else []),
        ]
        numbers[view.key] = {
            "all": {title: means[title] for title in titles if title in means},
            **{f"without {name}": found.means(apart) for name in apart},
            "remarks": description,
        }
        values = (f"{name} {_with_interval(means[name])}" for name in MEASURES if name in means)
        short.append(f"Correlation with ETER, {view.title}: {', '.join(values)}.")
    fewer = " and without the worst" if worst_recogniser(trial) else ""
    drawn = Picture(
        "correlations.svg",
        f"Mean correlation with ETER and its interval, all recognisers{fewer}",
        (7.2, 4.2),
        partial(_draw, trial),
    )
    title = "Correlation with ETER (table 2)"
    return Part("correlations", title, "\n\n".join(text), numbers, short, (drawn,))


def _feature_titles(trial: Trial, view: View) -> list[str]:
    return list(trial.plan.features if view is ALL else trial.plan.names)


def _heading(view: View) -> str:
    return f"### {view.title[0].upper()}{view.title[1:]}"


def _heads(apart: Strings) -> list[str]:
    return ["mean", *(f"without {name}" for name in apart)]


def _with_interval(mean: Averaged) -> str:
    return with_interval(mean.value, mean.interval)


def _cells(found: Table, titles: Sequence[str], apart: Strings) -> Iterator[tuple[str, list[str]]]:
    """Return the mean of each measure, with all recognisers and without those left out."""
    columns = [found.means(each) for each in dict.fromkeys(((), apart))]
    for title in titles:
        if title in columns[0]:
            yield title, [_with_interval(each[title]) if title in each else "–" for each in columns]


def _remarks(found: Table, apart: Strings) -> list[str]:
    """List missing correlations, with all recognisers and without those left out."""
    description = found.remarks()
    fewer = found.remarks(apart) if apart else []
    return [
        *description,
        *(f"without {', '.join(apart)}: {e}" for e in fewer if e not in description),
    ]


def definitions(trial: Trial) -> Part:
    """Write the chapter on the variants of NE-WER and the parts of ATENE."""
    text, apart = [NE_WER], worst_recogniser(trial)
    numbers: dict[str, Any] = {}
    for view in (ALL, NAMES):
        found, titles = trial.tables[view.key, APART], [*VARIANTS, *PARTS_OF]
        rows = [[title, *cells] for title, cells in _cells(found, titles, apart)]
        text += [_heading(view), make_table(("measure", *_heads(apart)), rows)]
        numbers[view.key] = {title: found.means()[title] for title, *_ in rows}
    text.append(
        "ATENE is the mean of two parts: DS for entities that are missed or taken for others, I "
        "for those that are none."
    )
    means = trial.tables[ALL.key, APART].means()
    values = {title: means[title].value for title in VARIANTS}
    known = {title: each for title, each in values.items() if not isinstance(each, Undefined)}
    highest = max(known, key=known.__getitem__, default="NE-WER")
    short = (
        f"Of {len(VARIANTS)} alternatives of NE-WER the highest, all classes, is {highest}: "
        f"{_with_interval(means[highest])}.",
    )
    title = "What NE-WER and ATENE are made of"
    return Part("definitions", title, "\n\n".join(text), numbers, short)


def training(trial: Trial) -> Part:
    """Write the chapter on the training data of taggers and ATENE."""
    text = [LEARNING]
    rows, numbers = [], []
    for (key, trained), found in trial.tables.items():
        view = next(each for each in VIEWS if each.key == key)
        means = found.means()
        test = found.tested(MAIN, "NE-WER")
        rows.append(
            [
                TRAINED[trained],
                view.title,
                *(_with_interval(means[title]) for title in ("NE-WER", MAIN)),
                with_interval(test.difference, test.interval),
            ]
        )
        numbers.append({"classes": key, "learnt": trained, "means": means, "test": test})
    head = ("learnt from", "classes", "NE-WER", MAIN, f"{MAIN} − NE-WER")
    text.append(make_table(head, rows, 2))
    if not any(key == "three" for key, _ in trial.tables):
        text.append("Left out: learning from written text, because there is no folder `ner`.")
    title = "What taggers and ATENE learn from"
    return Part("training", title, "\n\n".join(text), numbers)


def _draw(trial: Trial, axes: Axes) -> None:
    """Draw a panel for each choice of classes, a row for each measure, two marks with intervals."""
    places = split_into_panels(axes, 1, 2, sharey=True, sharex=True)
    titles = [*WORDS.values(), "NE-WER", *_feature_titles(trial, ALL), OTHERS]
    apart = worst_recogniser(trial)
    for place, view in zip(places, (ALL, NAMES), strict=True):
        found = trial.tables[view.key, APART]
        for at, (label, left_out) in enumerate(
            {"all recognisers": (), **({f"without {WORST}": apart} if apart else {})}.items()
        ):
            means = found.means(left_out)
            rows = [row for row, title in enumerate(titles) if title in means]
            xs = [plot_value(means[titles[row]].value) for row in rows]
            ys = [row + 0.16 * (2 * at - 1) for row in rows]
            look: dict[str, Any] = {"color": COLOURS[at], "ms": 4, "ls": "none"}
            place.plot(xs, ys, marker=MARKERS[at], label=label, **look)
            for row, y in zip(rows, ys, strict=True):
                around = means[titles[row]].interval
                if around is not None and not isinstance(around, Undefined):
                    place.plot(around, [y, y], color=COLOURS[at], lw=1)
        place.set_title(view.title)
        place.set_xlabel("Spearman's correlation with ETER")
        place.set_yticks(range(len(titles)), titles)
        place.grid(axis="x", color="0.88", lw=0.5)
    places[0].invert_yaxis()
    legend_below(places, 2)
