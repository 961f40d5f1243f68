"""The study behind `reproduce jp`: Jo et al. 2024, tokens and sentences scored together.

Their Table 1 as far as its input can be had, their examples, the places where their pseudo-code
goes wrong, and their question (how well do tools cut texts?) put to more tools and treebanks.
"""

from __future__ import annotations

from pathlib import Path

from caesura.core.errors import FormatError
from caesura_studies.jp import examples, rivals, table
from caesura_studies.jp.treebanks import RESAMPLING, treebanks
from caesura_studies.report import Outcome, left_out, publish, refuse_file

TITLE = "Joint scoring of tokens and sentences (Jo et al. 2024) computed again"
ENDING = (
    "Counts are TP/FP/FN: right, wrong, missing. Rates come from counts summed over a file, never "
    f"from means of rates. Resampling: {RESAMPLING}; the documents of a file are drawn again or, "
    "where it has only one, blocks of five gold sentences. What a tool has put across the border "
    "of two such units belongs to the one in which it ends. The same data, tools and version give "
    "the same numbers; `results.json` has them all."
)


def run(data: Path, out: Path) -> Outcome:
    """Run the study on the corpora below `data` and write the report into `out`."""
    refuse_file(out)
    lacking, found = table.lacking(data), treebanks(data)
    if lacking and not found:
        raise FormatError(
            "there is no corpus that the study can use",
            where=str(data),
            remedy="give a folder that holds jp-table1/ or ud/*/test.conllu",
        )
    parts = [
        left_out("table_1", table.TITLE, lacking) if lacking else table.chapter(data),
        examples.chapter(),
        rivals.chapter(found),
    ]
    return publish(out, TITLE, parts, ENDING)
