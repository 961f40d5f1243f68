"""The study behind `reproduce atene`: Ben Jannet and others 2015 on calls and seven recognisers.

Their table 2, computed on English calls with entities, what seven recognisers made of them, and
taggers of five kinds: which measure of a recogniser's words tells what becomes of the entities.
"""

from __future__ import annotations

import logging
from pathlib import Path

from caesura_studies.atene import (
    chapter_analysis,
    chapter_claims,
    chapter_preparation,
    chapter_table2,
    tagging,
)
from caesura_studies.atene import chapter_data as sizes
from caesura_studies.atene.corpora import gathered, written
from caesura_studies.atene.experiment import Trial
from caesura_studies.atene.model_cache import Shelf
from caesura_studies.atene.study_size import PLAN, Plan
from caesura_studies.report import Outcome, publish, refuse_file

logger = logging.getLogger("caesura.studies")

TITLE = "Recogniser output judged by its entities (Ben Jannet and others 2015) on English calls"
MODELS = "models"


def run(data: Path, out: Path, plan: Plan = PLAN) -> Outcome:
    """Run the study on the corpora below `data` and write the report into `out`.

    Models, and what taggers found, are kept below `out`, so that a run that was cut goes on.
    """
    refuse_file(out)
    trial = Trial(gathered(data), written(data), Shelf(out / MODELS), plan)
    tried = chapter_preparation.prepared(trial)
    parts = [
        sizes.chapter(trial),
        tagging.chapter(trial),
        chapter_table2.correlations(trial),
        chapter_table2.definitions(trial),
        chapter_table2.training(trial),
        chapter_preparation.chapter(tried),
        chapter_analysis.chapter(trial),
        chapter_claims.chapter(trial, tried),
    ]
    logger.info("writing to %s", out)
    return publish(out, TITLE, parts, _ending(plan))


def _ending(plan: Plan) -> str:
    return (
        f"Resampling: {plan.resampling}; what is drawn are calls. Entities of the reference are "
        "put on recognised words by the alignment with the fewest edits, for ETER as for ATENE; "
        "the references have no times. Nothing was tuned: taggers and ATENE have their usual "
        "settings. ATENE is relative to the reference of a call and never pooled over calls. The "
        "same data and version give the same numbers; `results.json` has them all. Models and "
        f"what taggers found are in `{MODELS}`, which a second run uses and which can be removed."
    )
