"""The study `reproduce gotoh-renals`: Gotoh and Renals 2000 on earnings calls and recognisers.

It computes their figures and tables on available corpora (references with word times and the output
of several recognisers) and tests their claims.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path

from caesura_studies.gotohrenals import (
    chapter_claims,
    chapter_data,
    chapter_orders,
    chapter_pauses,
    chapter_systems,
    chapter_text_size,
    chapter_weights,
    chapter_word_errors,
)
from caesura_studies.gotohrenals.chapter_word_errors import Points
from caesura_studies.gotohrenals.corpora import RECOGNISERS, Corpora, read_corpora
from caesura_studies.gotohrenals.experiment import Trial, on_recognised, on_references
from caesura_studies.gotohrenals.scoring import RESAMPLING
from caesura_studies.gotohrenals.systems import Models
from caesura_studies.report import Outcome, Part, check_output_folder, omitted_chapter, publish

logger = logging.getLogger("caesura.studies")

TITLE = "Sentence ends from words and pauses (Gotoh and Renals 2000) on other speech"
ENDING = (
    f"Resampling: {RESAMPLING}; calls are resampled. P&R is what is called F1 elsewhere, SER "
    "the slot error rate: missing and spurious boundaries over real ones. Everything is computed "
    "from counts summed over calls. The same data and version give the same numbers; "
    "`results.json` has them all."
)


def run(data: Path, out: Path) -> Outcome:
    """Sentence ends from words and pauses: Gotoh and Renals (2000).

    Run the study on the corpora below `data` and write the report into `out`.
    """
    check_output_folder(out)
    corpora = read_corpora(data)
    trials, models = _run_trials(corpora)
    parts = _write_chapters(corpora, trials, models)
    logger.info("writing to %s", out)
    return publish(out, TITLE, parts, ENDING)


def _run_trials(corpora: Corpora) -> tuple[dict[str, Trial], Models | None]:
    """Tune and score all systems on the references and on each recogniser with times."""
    logger.info("measuring on references")
    trials = {"references": on_references(corpora)}
    if not corpora.recognised:
        return trials, None
    models = Models.of(corpora.for_recognisers, (*corpora.timed, *corpora.dev))
    for name, source in corpora.with_times.items():
        if len(source) > 1:
            logger.info("measuring on %s", name)
            trials[name] = on_recognised(source, models)
    return trials, models


def _write_chapters(
    corpora: Corpora, trials: Mapping[str, Trial], models: Models | None
) -> list[Part]:
    """Write all chapters of the report."""
    _, rising = chapter_pauses.figure_3_chapter(chapter_data.sources(corpora))
    ordered, sized = (
        chapter_orders.measure_orders(corpora),
        chapter_text_size.measure_sizes(corpora),
    )
    recognised = {name: trial for name, trial in trials.items() if name in corpora.recognised}
    points: dict[str, Points] = {}
    if models is not None:
        points = chapter_word_errors.measure_points(corpora, models, recognised)
    return [
        chapter_data.chapter(corpora),
        rising,
        chapter_orders.chapter(ordered),
        chapter_text_size.chapter(sized),
        chapter_word_errors.chapter(points)
        if points
        else omitted_chapter(
            "errors", chapter_word_errors.TITLE, f"there are too few calls in {RECOGNISERS}"
        ),
        chapter_pauses.figure_7_chapter(trials),
        chapter_weights.chapter(trials),
        chapter_systems.chapter(trials),
        chapter_claims.chapter(trials, ordered, sized, points),
    ]
