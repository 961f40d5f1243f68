"""The chapter on the size of the language model's training text (figure 5)."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from caesura.core.transcript import Transcript
from caesura.detectors.lm import LM
from caesura.evaluation.comparison import Difference
from caesura.evaluation.scores import Scores
from caesura_studies.claims import better_system, value, value_with_interval
from caesura_studies.gotohrenals.corpora import Corpora, take_share
from caesura_studies.gotohrenals.scoring import (
    MEASURES,
    Source,
    compare_pairs,
    scores_as_json,
    tests_table,
    verdict,
)
from caesura_studies.gotohrenals.systems import make_lm
from caesura_studies.report import (
    Part,
    Picture,
    draw_curves,
    format_value,
    make_table,
    split_into_panels,
    with_interval,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

logger = logging.getLogger("caesura.studies")

TITLE = "The language model: training size (figure 5)"
PARTS = (8, 4, 2, 1)
"""One over the share of the training text."""

SHARE = 0.4
"""The weight of other text in a mixture."""

CALLS, OTHER, BOTH = "calls and podcasts", "other text", "both"


@dataclass(frozen=True)
class Size:
    """A trained model, its kind of training text and the number of words."""

    kind: str
    words: int
    lm: LM


@dataclass(frozen=True)
class Sizes:
    """Scores by source, kind of text and number of words; and tests of least, all and both."""

    scores: Mapping[str, Mapping[str, Mapping[int, Scores]]]
    tests: Mapping[str, Mapping[tuple[str, str, str], Difference]]

    def all_against_smallest(self, source: str) -> Difference:
        """Return the test of all calls against the smallest part of them."""
        return self.tests[source]["f1", "all", f"1/{PARTS[0]}"]


def measure_sizes(corpora: Corpora) -> Sizes:
    """Train on more and more text, and score on references and recognised words."""
    dev = Source.of_references("references", corpora.dev)
    scores = {
        dev.name: _scores_by_size([dev], corpora.for_references, corpora, alone=True)[dev.name]
    }
    if corpora.recognised:
        sources = list(corpora.recognised.values())
        scores |= _scores_by_size(sources, corpora.for_recognisers, corpora, alone=False)
    return Sizes(scores, {name: _test_sizes(by_kind) for name, by_kind in scores.items()})


def _scores_by_size(
    sources: Sequence[Source], texts: Sequence[Transcript], corpora: Corpora, alone: bool
) -> dict[str, dict[str, dict[int, Scores]]]:
    results: dict[str, dict[str, dict[int, Scores]]] = {each.name: {} for each in sources}
    for size in _sizes(texts, corpora, alone):
        logger.info("language models: %s words, %s", f"{size.words:,}", size.kind)
        for source in sources:
            scores = source.scores(size.lm.detect_all(source.recordings))
            results[source.name].setdefault(size.kind, {})[size.words] = scores
    return results


def _sizes(texts: Sequence[Transcript], corpora: Corpora, alone: bool) -> list[Size]:
    """Train the models; on other text alone only if `alone`."""
    made = []
    for part in PARTS:
        chosen = texts[::part]
        made.append(Size(CALLS, _words(chosen), make_lm().train(chosen)))
    for part in PARTS if corpora.text else ():
        other = take_share(corpora.text, 1 / part)
        if alone:
            made.append(Size(OTHER, _words(other), make_lm().train(other)))
        mixture = make_lm().adjusted(share=SHARE).train(texts, text=other)
        made.append(Size(BOTH, _words(texts) + _words(other), mixture))
    return made


def _words(texts: Sequence[Transcript]) -> int:
    return sum(map(len, texts))


def _test_sizes(
    by_kind: Mapping[str, Mapping[int, Scores]],
) -> dict[tuple[str, str, str], Difference]:
    least, *_, most = by_kind[CALLS].values()
    systems = {"all": most, f"1/{PARTS[0]}": least}
    if BOTH in by_kind:
        systems[BOTH] = list(by_kind[BOTH].values())[-1]
    return compare_pairs(systems, ("f1", "ser"))


def chapter(sizes: Sizes) -> Part:
    """Write the chapter on figure 5."""
    rows = [
        [
            name,
            kind,
            f"{words:,}",
            *(with_interval(*value_with_interval(scores, each)) for each in MEASURES),
        ]
        for name, by_kind in sizes.scores.items()
        for kind, by_words in by_kind.items()
        for words, scores in by_words.items()
    ]
    text = [
        "Trigrams of equation 4, interpolation, Viterbi. Calls and podcasts: each eighth, fourth "
        "and second of the recordings, and all of them. Other text: the part of each file of "
        "text-en that was read (section 1), alone and mixed with all calls and podcasts; in the "
        f"mixture it has a share of {SHARE:g}, and words that the calls lack stay unknown. For "
        "recognised words the same calls are left out of training, so there is less text.",
        make_table(("words of", "learnt from", "words learnt from", *MEASURES.values()), rows, 2),
    ]
    for name, rows_of in sizes.tests.items():
        text += [f"Tests on {name}:", tests_table(rows_of)]
    numbers = {
        "scores": {
            name: {k: {str(w): scores_as_json(s) for w, s in by.items()} for k, by in kinds.items()}
            for name, kinds in sizes.scores.items()
        },
        "tests": {name: list(rows_of.values()) for name, rows_of in sizes.tests.items()},
    }
    drawn = Picture("sizes.svg", "P&R by training size", (7.2, 3.4), partial(_draw, sizes))
    return Part("sizes", TITLE, "\n\n".join(text), numbers, (_short(sizes),), (drawn,))


def _short(sizes: Sizes) -> str:
    first = next(iter(sizes.scores))
    by_words = sizes.scores[first][CALLS]
    values = ", ".join(f"{w:,} words {format_value(value(s, 'f1'))}" for w, s in by_words.items())
    gains = [name for name in sizes.tests if better_system(sizes.all_against_smallest(name)) > 0]
    summary = f"Training size (references, P&R): {values}"
    if BOTH in sizes.scores[first]:
        row = sizes.tests[first]["f1", "all", BOTH]
        summary += f"; with other text: {verdict(row, 'calls alone', 'the mixture')}"
    gained = f"{len(gains)} of {len(sizes.tests)} sources"
    return f"{summary}. All calls beat an eighth of them on {gained}."


def _draw(sizes: Sizes, axes: Axes) -> None:
    first, *others = sizes.scores
    places = split_into_panels(axes, 1, 2 if others else 1, sharey=True)
    _millions(places[0], sizes.scores[first])
    places[0].set_title("references")
    places[0].set_ylabel("P&R")
    places[0].legend(loc="best", title="learnt from")
    if others:
        lines = {
            name: {**sizes.scores[name][CALLS], **sizes.scores[name].get(BOTH, {})}
            for name in others
        }
        _millions(places[1], lines)
        places[1].set_title("recognised words: calls, then both")
        places[1].legend(loc="center left", bbox_to_anchor=(1, 0.5))


def _millions(axes: Axes, lines: Mapping[str, Mapping[int, Scores]]) -> None:
    draw_curves(
        axes,
        {
            name: {words / 1e6: value(scores, "f1") for words, scores in points.items()}
            for name, points in lines.items()
        },
    )
    axes.set_xscale("log")
    ticks = (0.1, 0.2, 0.5, 1, 2, 5)
    axes.set_xticks(ticks, [f"{each:g}" for each in ticks])
    axes.minorticks_off()
    axes.set_xlabel("million words learnt from")
