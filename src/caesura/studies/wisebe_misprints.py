"""The chapter on the paper's tables: what was asked of them, and what is wrong."""

from __future__ import annotations

from caesura.studies import wisebe_cells
from caesura.studies.wisebe_checks import Check, checks
from caesura.studies.wisebe_tables import REFERENCES
from caesura.studies.writing import Part, listed, table

BY_READING = (
    "Equation 4 sums t_ij where the text defines b_ij.",
    "Equations 12 and 13 say “for all” where “there is” is meant.",
    "The window limit is never given a value (2 words, by the numbers of v6).",
    "One reference alone has R_GAR 0 by equation 6, though nobody disagrees: here it is undefined.",
)
"""Faults that no computation finds."""

LATER = ("Table 5", "Table 6", "text, correlation", "text, lowest", "text, highest")


def tables(section: int) -> Part:
    """Check the tables, and list what is wrong with them."""
    found = checks()
    wrong = [finding for check in found for finding in check.findings]
    lines = [[each.question, str(each.tested), str(len(each.findings))] for each in found]
    rows = [[each.place, each.evidence, each.printed, each.right] for each in wrong]
    text = [
        "All of this is computed from the printed numbers alone. A printed number stands for all "
        "that round to it. For Table 4, every whole number of shared boundaries is tried in each "
        "cell, and every order of the references in each video.",
        table(("question", "numbers", "wrong"), lines),
        f"### The {len(wrong)} misprints",
        table(("where", "how one can tell", "printed", "right"), rows, 2),
        _totals(),
        "### Remarks",
        "\n\n".join(_remarks(check) for check in found if check.remarks),
        "Found by reading, not by computing:",
        listed(BY_READING),
    ]
    numbers = {"checks": [vars(c) | {"findings": [vars(f) for f in c.findings]} for c in found]}
    tested = sum(check.tested for check in found)
    later = sum(finding.place.startswith(LATER) for finding in wrong)
    short = (
        f"The paper's tables: {tested} numbers checked, {len(wrong)} misprints found, "
        f"{later or 'none'} of them in Tables 5 and 6 or in what follows from these."
    )
    title = f"{section}. The paper's tables checked"
    return Part("tables", title, "\n\n".join(text), numbers, (short,))


def _totals() -> str:
    sums = [sum(wisebe_cells.true_sizes(i)) for i in range(len(REFERENCES))]
    shown = ", ".join(f"{name} {total}" for name, total in zip(REFERENCES, sums, strict=True))
    return f"With Table 2's exchanges undone the references have in all: {shown}."


def _remarks(check: Check) -> str:
    return f"{check.question}\n\n{listed(check.remarks)}"
