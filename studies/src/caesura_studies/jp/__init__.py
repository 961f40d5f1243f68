"""The study `reproduce jp`: Jo et al. 2024, tokens and sentences scored together.

It computes their Table 1 as far as its input is available, their examples and the failures of their
pseudo-code, and compares more segmentation tools on more treebanks.
"""

from __future__ import annotations

from pathlib import Path

from caesura.core.errors import FormatError
from caesura_studies.jp import chapter_examples, chapter_table1, chapter_tools
from caesura_studies.jp.treebanks import RESAMPLING, treebanks
from caesura_studies.report import Outcome, check_output_folder, omitted_chapter, publish

TITLE = "Joint scoring of tokens and sentences (Jo et al. 2024) computed again"
ENDING = (
    "Counts are TP/FP/FN: right, wrong, missing. Rates come from counts summed over a file, never "
    f"from means of rates. Resampling: {RESAMPLING}; the documents of a file are resampled or, "
    "where it has only one, blocks of five gold sentences. A sentence or token across the border "
    "of two such units belongs to the one in which it ends. The same data, tools and version give "
    "the same numbers; `results.json` has them all."
)


def run(data: Path, out: Path) -> Outcome:
    """Tokens and sentences scored together: Jo and others (2024).

    Run the study on the corpora below `data` and write the report into `out`.
    """
    check_output_folder(out)
    what_is_missing, found = chapter_table1.what_is_missing(data), treebanks(data)
    if what_is_missing and not found:
        raise FormatError(
            "there is no corpus that the study can use",
            where=str(data),
            remedy="give a folder that holds jp-table1/ or ud/*/test.conllu",
        )
    parts = [
        omitted_chapter("table_1", chapter_table1.TITLE, what_is_missing)
        if what_is_missing
        else chapter_table1.chapter(data),
        chapter_examples.chapter(),
        chapter_tools.chapter(found),
    ]
    return publish(out, TITLE, parts, ENDING)
