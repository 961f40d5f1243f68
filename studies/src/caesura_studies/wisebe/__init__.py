"""The study `reproduce wisebe`: González-Gallardo and Torres-Moreno 2018 computed again.

It computes the numbers of their video v6, checks their tables against each other, and asks their
two questions (how far do annotators agree, and does the ranking of systems depend on the
reference?) of corpora with transcripts by several people. Their two systems are trained again.
"""

from __future__ import annotations

import logging
from pathlib import Path

from caesura.core.errors import FormatError
from caesura_studies.report import Outcome, Part, check_output_folder, omitted_chapter, publish
from caesura_studies.wisebe import (
    chapter_agreement,
    chapter_checks,
    chapter_claims,
    chapter_nets,
    chapter_rankings,
    chapter_video,
    systems,
)
from caesura_studies.wisebe.chapter_agreement import CORPORA, RESAMPLING, CorpusAgreement
from caesura_studies.wisebe.chapter_rankings import Ranking
from caesura_studies.wisebe.neural_systems import PLAN, NetPlan, trained_nets

logger = logging.getLogger("caesura.studies")

MODELS = "models"
TITLE = "WiSeBE (González-Gallardo and Torres-Moreno 2018) computed again"
ENDING = (
    f"Resampling: {RESAMPLING}. Everything is computed from counts summed over recordings, never "
    "from means of rates, unless a line says so. The same data and version give the same numbers; "
    "`results.json` has them all, with the signatures that reproduce each."
)


def run(data: Path, out: Path, plan: NetPlan = PLAN) -> Outcome:
    """WiSeBE, a score against several references: González-Gallardo and Torres-Moreno (2018).

    Run the study on the corpora below `data` and write the report into `out`. The nets are stored
    below `out`, so a second run is faster.
    """
    check_output_folder(out)
    missing = {"wisebe": chapter_video.what_is_missing(data)}
    missing |= {corpus.name: corpus.what_is_missing(data) for corpus in CORPORA}
    if all(missing.values()):
        folders = ", ".join(f"{name}/" for name in missing)
        raise FormatError(
            "there is no corpus that the study can use",
            where=str(data),
            remedy=f"give a folder that holds {folders}",
        )
    parts = [
        omitted_chapter("video", chapter_video.TITLE, missing["wisebe"])
        if missing["wisebe"]
        else chapter_video.chapter(data)
    ]
    parts.append(chapter_checks.chapter())
    agreements = []
    for corpus in CORPORA:
        if missing[corpus.name]:
            parts.append(omitted_chapter(corpus.name, corpus.name, missing[corpus.name]))
            continue
        logger.info("reading %s", corpus.name)
        agreements.append(CorpusAgreement(corpus, corpus.read(data)))
        parts.append(chapter_agreement.chapter(agreements[-1]))
    found, ranked = _ranked(data, agreements)
    nets = _nets(data, out / MODELS, plan, agreements, has_video=not missing["wisebe"])
    parts += [ranked, nets, chapter_claims.chapter(agreements, found)]
    logger.info("writing to %s", out)
    return publish(out, TITLE, parts, ENDING)


def _ranked(data: Path, agreements: list[CorpusAgreement]) -> tuple[list[Ranking], Part]:
    """Rank systems on each corpus, if they can be trained and there is a corpus."""
    what_is_missing = (
        systems.what_is_missing(data) if agreements else "there is no corpus to compare them on"
    )
    if what_is_missing:
        return [], omitted_chapter("systems", chapter_rankings.TITLE, what_is_missing)
    trained = systems.train_systems(data)
    found = [Ranking(each, trained) for each in agreements]
    return found, chapter_rankings.chapter(found)


def _nets(
    data: Path, cache: Path, plan: NetPlan, agreements: list[CorpusAgreement], *, has_video: bool
) -> Part:
    """Score the paper's systems where there are three references or more, as in the paper."""
    corpora = [each for each in agreements if len(each.texts) > 2]
    if not corpora and not has_video:
        reason = "there is no corpus with three references"
        return omitted_chapter("nets", chapter_nets.TITLE, reason)
    nets, reason = trained_nets(data, cache, plan)
    if reason:
        return omitted_chapter("nets", chapter_nets.TITLE, reason)
    found = [chapter_nets.on_video(data, nets)] if has_video else []
    found += [chapter_nets.on_corpus(each, nets) for each in corpora]
    return chapter_nets.chapter(found, plan)
