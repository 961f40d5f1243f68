"""The study `reproduce atene`: Ben Jannet et al. 2015 on English calls and seven recognisers.

It computes their table 2 on calls with named entities, the output of several recognisers and five
taggers: which measure of recogniser output predicts how well entities are found in it?
"""

from __future__ import annotations

import logging
from pathlib import Path

from caesura_studies.atene import (
    chapter_analysis,
    chapter_claims,
    chapter_data,
    chapter_preparation,
    chapter_table2,
    chapter_taggers,
)
from caesura_studies.atene.corpora import read_calls, read_written
from caesura_studies.atene.experiment import Trial
from caesura_studies.atene.model_cache import ModelCache
from caesura_studies.atene.plan import PLAN, Plan
from caesura_studies.report import Outcome, check_output_folder, publish

logger = logging.getLogger("caesura.studies")

TITLE = "Recogniser output judged by its entities (Ben Jannet and others 2015) on English calls"
MODELS = "models"


def run(data: Path, out: Path, plan: Plan = PLAN) -> Outcome:
    """ATENE, how recognition errors hurt the search for names: Ben Jannet and others (2015).

    Run the study on the corpora below `data` and write the report into `out`.
    Models and the output of taggers are stored below `out`, so an interrupted run continues later.
    """
    check_output_folder(out)
    trial = Trial(read_calls(data), read_written(data), ModelCache(out / MODELS), plan)
    preparations = chapter_preparation.measure_preparations(trial)
    parts = [
        chapter_data.chapter(trial),
        chapter_taggers.chapter(trial),
        chapter_table2.correlations(trial),
        chapter_table2.definitions(trial),
        chapter_table2.training(trial),
        chapter_preparation.chapter(preparations),
        chapter_analysis.chapter(trial),
        chapter_claims.chapter(trial, preparations),
    ]
    logger.info("writing to %s", out)
    return publish(out, TITLE, parts, _ending(plan))


def _ending(plan: Plan) -> str:
    return (
        f"Resampling: {plan.resampling}; calls are resampled. Entities of the reference are "
        "projected onto recognised words by the alignment with the fewest edits, for ETER as for "
        "ATENE; the references have no times. Nothing was tuned: taggers and ATENE have their "
        "default settings. ATENE is relative to the reference of a call and never pooled over "
        "calls. The same data and version give the same numbers; `results.json` has them all. "
        f"Models and what taggers found are in `{MODELS}`, which a second run uses and which can "
        "be removed."
    )
