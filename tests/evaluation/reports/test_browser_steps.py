"""Stepping from error to error on the report page, in a browser."""

from collections.abc import Sequence
from typing import Any

import pytest

from caesura import api
from caesura.core.transcript import Transcript
from caesura.evaluation.reports.page import page_payload, render_page
from caesura.evaluation.reports.write import Results
from evaluation.reports.browser import BROWSER, acted
from evaluation.reports.examples import text

pytestmark = pytest.mark.skipif(not BROWSER, reason="needs Chromium")

STEPS = """
const step = (id) => {
  const leads = byId(id).disabled ? "" : byId(id).textContent;
  byId(id).click();
  const here = document.querySelector("#sentences .here");
  return [leads, byId("document-name").textContent, here && Number(here.dataset.gap)];
};
return [...Array(5).fill("error-after"), "error-before", "error-before"].map(step);"""


def stepped(ours: Sequence[Sequence[int]], theirs: Sequence[Sequence[int]]) -> Any:
    """Take five steps ahead and two back through documents with these ends of sentences."""
    hypotheses, references = (
        [text(9, *each, id=f"d{k}") for k, each in enumerate(ends)] for ends in (ours, theirs)
    )
    inputs: list[Sequence[Transcript]] = [references]
    scores = api.score(hypotheses, reference=inputs, resamples=0)
    return acted(render_page(page_payload(Results(("one",), (scores,)))), STEPS)


def test_steps_go_round_in_a_single_document() -> None:
    ahead = [("Next ›", 3), ("Next ›", 4), ("From the top ›", 3), ("Next ›", 4)]
    back = [("From the top ›", 3), ("‹ From the end", 4), ("‹ Previous", 3)]
    told = stepped([[3, 5]], [[3, 4]])
    assert told == [[label, "", gap] for label, gap in ahead + back]


def test_steps_go_on_to_the_next_document_that_has_errors() -> None:
    order = [("d1", 5), ("d2", 7), ("d1", 5), ("d2", 7), ("d1", 5), ("d2", 7), ("d1", 5)]
    labels = ["Next ›"] + ["Next document ›"] * 4 + ["‹ Document before"] * 2
    told = stepped([[5], [3], [4, 8]], [[5], [3, 6], [4]])
    assert told == [[label, *each] for label, each in zip(labels, order, strict=True)]


def test_without_errors_there_is_nowhere_to_step() -> None:
    assert stepped([[5]], [[5]]) == [["", "", None]] * 7
