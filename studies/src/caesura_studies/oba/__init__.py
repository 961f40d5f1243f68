"""The study `reproduce oba`: Oba, Hori and Nakamura 2006 on treebanks.

It computes their two tables on available treebanks, with every setting tuned on training recordings
only; measures the effect of the CRF's weight and of the delay of a stream; and tests their claims.
"""

from __future__ import annotations

import logging
from pathlib import Path

from caesura_studies.oba import (
    chapter_claims,
    chapter_data,
    chapter_delays,
    chapter_svm_crf,
    chapter_tables,
    chapter_weights,
)
from caesura_studies.oba.corpora import read_corpora
from caesura_studies.oba.experiment import run_trial
from caesura_studies.oba.model_cache import ModelCache
from caesura_studies.oba.plan import PLAN, Plan
from caesura_studies.report import Outcome, check_output_folder, publish

logger = logging.getLogger("caesura.studies")

TITLE = "Sentence ends by dependency analysis and a CRF (Oba, Hori and Nakamura 2006) elsewhere"
MODELS = "models"


def run(data: Path, out: Path, plan: Plan = PLAN) -> Outcome:
    """Sentence ends and dependencies found together: Oba, Hori and Nakamura (2006).

    Run the study on the treebanks below `data` and write the report into `out`.
    Trained models are stored below `out`, so an interrupted run continues where it stopped.
    """
    check_output_folder(out)
    languages, omitted = read_corpora(data, plan)
    cache = ModelCache(out / MODELS, plan.iterations)
    trials = [run_trial(language, cache, plan) for language in languages]
    streams = {each.language.name: chapter_delays.run_streams(each, cache, plan) for each in trials}
    apart = {each.language.name: chapter_svm_crf.count_differences(each) for each in trials}
    parts = [
        chapter_data.chapter(trials, omitted, plan),
        chapter_tables.chunking(trials),
        chapter_tables.dependencies(trials),
        chapter_weights.chapter(trials),
        chapter_delays.chapter(streams),
        chapter_svm_crf.chapter(apart),
        chapter_claims.chapter(trials),
    ]
    logger.info("writing to %s", out)
    return publish(out, TITLE, parts, _ending(plan))


def _ending(plan: Plan) -> str:
    return (
        f"Resampling: {plan.resampling}; recordings are resampled (pseudo-documents if "
        "sentences were shuffled). Everything is computed from counts summed over recordings. "
        "With fewer than about ten recordings intervals come out somewhat too narrow. The same "
        "data and version give the same numbers; `results.json` has them all, and the models are "
        f"in `{MODELS}`, which a second run uses and which can be removed."
    )
