"""Table 2: how measures correlate with what taggers make of recognisers' words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from caesura.columns import Strings
from caesura.contracts import Undefined
from caesura.reports.figures import COLOURS, MARKERS
from caesura.studies.atene import paper
from caesura.studies.atene.correlations import OTHERS, Mean, Table
from caesura.studies.atene.measuring import VARIANTS, WORDS
from caesura.studies.atene.plan import MAIN
from caesura.studies.atene.trials import APART, TRAINED, Trial
from caesura.studies.atene.views import ALL, NAMES, VIEWS, View
from caesura.studies.drawing import height, legend_below, panels
from caesura.studies.writing import Part, Picture, number, sure, table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WORST = "kaldi-librispeech"
"""The recogniser that is last everywhere, and lifts every correlation."""

PARTS_OF = (MAIN, f"{MAIN}: DS alone", f"{MAIN}: I alone")


def without(trial: Trial) -> Strings:
    """Name the recogniser that is left out, if it is there and enough others are."""
    heard = trial.calls.heard
    return (WORST,) if WORST in heard and len(heard) > 3 else ()


def correlations(trial: Trial) -> Part:
    """Lay out table 2."""
    text = [
        "For each call and tagger, recognisers are ranked by ETER and by each measure; Spearman's "
        "correlation of the ranks is averaged over calls, then over taggers. 95 % intervals draw "
        "calls again. The paper's are of six recognisers, seven taggers and other data. The last "
        "row is what one tagger's ranking says of another's: more cannot be asked of a measure.",
    ]
    numbers: dict[str, Any] = {}
    short = []
    for view in (ALL, NAMES):
        found = trial.tables[view.key, APART]
        titles = [*WORDS.values(), "NE-WER", *_sights(trial, view), OTHERS]
        apart = without(trial)
        rows, numbers[view.key] = _rows(found, titles, apart)
        head = ("measure", *found.eter, "mean", f"without {WORST}", "paper")
        text += [f"### {view.title[0].upper()}{view.title[1:]}", table(head, rows)]
        means = found.means()
        told = ", ".join(
            f"{name} {sure(means[name].value, means[name].interval)}" for name in MEANT
        )
        short.append(f"Correlation with ETER, {view.title}: {told}.")
    drawn = Picture(
        "correlations.svg",
        "Mean correlation with ETER and its interval, all recognisers and without the worst",
        (7.2, 4.2),
        partial(_draw, trial),
    )
    title = "Correlation with ETER (table 2)"
    return Part("correlations", title, "\n\n".join(text), numbers, short, (drawn,))


MEANT = ("WER", "NE-WER", "ATENE", MAIN)


def _sights(trial: Trial, view: View) -> list[str]:
    return list(trial.plan.sights if view is ALL else trial.plan.names)


def _rows(found: Table, titles: Sequence[str], apart: Strings) -> tuple[list[list[str]], Any]:
    whole = found.means()
    fewer: Mapping[str, Mean] = found.means(apart) if apart else {}
    rows = []
    for title in titles:
        if title not in whole:
            continue
        each, less = whole[title], fewer.get(title)
        rows.append(
            [
                title,
                *(number(each.taggers[name]) for name in found.eter),
                sure(each.value, each.interval),
                "–" if less is None else sure(less.value, less.interval),
                paper.TABLE_2.get(title, "–"),
            ]
        )
    numbers = {"all": {t: whole[t] for t in titles if t in whole}}
    return rows, numbers | ({f"without {apart[0]}": dict(fewer)} if apart else {})


def definitions(trial: Trial) -> Part:
    """Tell what other readings of NE-WER, and the parts of ATENE, would say."""
    text = [
        "NE-WER counts wrong and missing words of entities. Open is which inserted words count "
        "(those inside, none, or those at the edges too), and whether words that may be read so "
        "are right (against the plain reference they are not).",
    ]
    numbers: dict[str, Any] = {}
    for view in (ALL, NAMES):
        found = trial.tables[view.key, APART]
        rows, numbers[view.key] = _plain_rows(found, [*VARIANTS, *PARTS_OF], without(trial))
        head = ("measure", "mean", f"without {WORST}")
        text += [f"### {view.title[0].upper()}{view.title[1:]}", table(head, rows)]
    text.append(
        "ATENE is the mean of two parts: DS for entities that are missed or taken for others, I "
        "for those that are none."
    )
    best = trial.tables[ALL.key, APART].means()
    highest = max(VARIANTS, key=lambda title: height(best[title].value))
    short = (
        f"Of {len(VARIANTS)} readings of NE-WER the highest, all classes, is {highest}: "
        f"{sure(best[highest].value, best[highest].interval)}.",
    )
    title = "What NE-WER and ATENE are made of"
    return Part("definitions", title, "\n\n".join(text), numbers, short)


def _plain_rows(found: Table, titles: Sequence[str], apart: Strings) -> tuple[list[list[str]], Any]:
    whole = found.means()
    fewer: Mapping[str, Mean] = found.means(apart) if apart else {}
    rows = [
        [
            title,
            sure(whole[title].value, whole[title].interval),
            sure(fewer[title].value, fewer[title].interval) if apart else "–",
        ]
        for title in titles
        if title in whole
    ]
    return rows, {title: whole[title] for title in titles if title in whole}


def training(trial: Trial) -> Part:
    """Tell how much depends on what taggers and ATENE have learnt from."""
    text = [
        "A measure that learnt from what the taggers learnt from may know what they know. So the "
        "headline keeps both apart; beside it stand both learning from the same calls, and each "
        "learning from written text instead (news, tweets, filings: persons, places and "
        f"organisations only). {MAIN}.",
    ]
    rows, numbers = [], []
    for (key, trained), found in trial.tables.items():
        view = next(each for each in VIEWS if each.key == key)
        means = found.means()
        test = found.tested(MAIN, "NE-WER")
        rows.append(
            [
                TRAINED[trained],
                view.title,
                *(sure(means[title].value, means[title].interval) for title in ("NE-WER", MAIN)),
                sure(test.difference, test.interval),
            ]
        )
        numbers.append({"classes": key, "learnt": trained, "means": means, "test": test})
    head = ("learnt from", "classes", "NE-WER", MAIN, f"{MAIN} − NE-WER")
    text.append(table(head, rows, 2))
    if not any(key == "three" for key, _ in trial.tables):
        text.append("Left out: learning from written text, as there is no folder `ner`.")
    title = "What taggers and ATENE learn from"
    return Part("training", title, "\n\n".join(text), numbers)


def _draw(trial: Trial, axes: Axes) -> None:
    """A panel for each choice of classes, a row for each measure, two marks with intervals."""
    places = panels(axes, 1, 2, sharey=True, sharex=True)
    titles = [*WORDS.values(), "NE-WER", *_sights(trial, ALL), OTHERS]
    apart = without(trial)
    for place, view in zip(places, (ALL, NAMES), strict=True):
        found = trial.tables[view.key, APART]
        for at, (label, left_out) in enumerate(
            {"all recognisers": (), **({f"without {WORST}": apart} if apart else {})}.items()
        ):
            means = found.means(left_out)
            rows = [row for row, title in enumerate(titles) if title in means]
            xs = [height(means[titles[row]].value) for row in rows]
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
