"""The study behind `reproduce wisebe`: González-Gallardo and Torres-Moreno 2018 computed again.

Their video v6 to the digit, their tables checked against each other, and their two questions
(how far do annotators agree, and does the ranking of systems depend on the reference) put to
corpora with real transcripts of several people.
"""

from __future__ import annotations

import logging
from pathlib import Path

from caesura.core.errors import FormatError
from caesura_studies.report import Outcome, Part, left_out, publish, refuse_file
from caesura_studies.wisebe import (
    chapter_agreement,
    chapter_checks,
    chapter_claims,
    chapter_rankings,
    chapter_video,
    systems,
)
from caesura_studies.wisebe.chapter_agreement import CORPORA, RESAMPLING, Accord
from caesura_studies.wisebe.chapter_rankings import Ranking

logger = logging.getLogger("caesura.studies")

TITLE = "WiSeBE (González-Gallardo and Torres-Moreno 2018) computed again"
ENDING = (
    f"Resampling: {RESAMPLING}. Everything is computed from counts summed over recordings, never "
    "from means of rates, unless a line says so. The same data and version give the same numbers; "
    "`results.json` has them all, with the signatures that reproduce each."
)


def run(data: Path, out: Path) -> Outcome:
    """Run the study on the corpora below `data` and write the report into `out`."""
    refuse_file(out)
    lacks = {"wisebe": chapter_video.lacking(data)}
    lacks |= {corpus.name: corpus.lacking(data) for corpus in CORPORA}
    if all(lacks.values()):
        folders = ", ".join(f"{name}/" for name in lacks)
        raise FormatError(
            "there is no corpus that the study can use",
            where=str(data),
            remedy=f"give a folder that holds {folders}",
        )
    parts = [
        left_out("video", chapter_video.TITLE, lacks["wisebe"])
        if lacks["wisebe"]
        else chapter_video.chapter(data)
    ]
    parts.append(chapter_checks.chapter())
    accords = []
    for corpus in CORPORA:
        if lacks[corpus.name]:
            parts.append(left_out(corpus.name, corpus.name, lacks[corpus.name]))
            continue
        logger.info("reading %s", corpus.name)
        accords.append(Accord(corpus, corpus.read(data)))
        parts.append(chapter_agreement.chapter(accords[-1]))
    found, ranked = _ranked(data, accords)
    parts += [ranked, chapter_claims.chapter(accords, found)]
    logger.info("writing to %s", out)
    return publish(out, TITLE, parts, ENDING)


def _ranked(data: Path, accords: list[Accord]) -> tuple[list[Ranking], Part]:
    """Rank systems on each corpus, if they can be trained and there is any."""
    lacking = systems.lacking(data) if accords else "there is no corpus to compare them on"
    if lacking:
        return [], left_out("systems", chapter_rankings.TITLE, lacking)
    trained = systems.trained(data)
    found = [Ranking(each, trained) for each in accords]
    return found, chapter_rankings.chapter(found)
