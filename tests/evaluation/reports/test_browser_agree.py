"""The report page of an agreement of annotators, in a browser."""

import random
from itertools import combinations
from typing import Any

import pytest

from caesura import api
from caesura.core.transcript import Transcript
from caesura.evaluation.reports.page import page_payload, render_page
from caesura.evaluation.reports.write import Results
from evaluation.reports.browser import BROWSER, acted, drawn
from evaluation.reports.examples import text

NAMES = ("ann", "ben", "cho")

pytestmark = pytest.mark.skipif(not BROWSER, reason="needs Chromium")

ACTS = """
const told = { sentences: [], marks: [], holders: [], steps: [], numbers: [], only: [] };
told.choices = texts("#against option");
for (const annotator of options("against")) {
  choose("against", annotator);
  const ends = all("#sentences .sentence").slice(0, -1).map((one) =>
    one.querySelector("p > :last-child").dataset.gap);
  told.sentences.push(ends.map(Number));
}
for (const mark of all("#sentences .end")) {
  const [share, who] = mark.querySelectorAll("small");
  const names = [...(who?.children ?? [])].map((one) => one.textContent);
  told.marks.push([Number(mark.dataset.gap), share.textContent, names]);
}
for (const [gap] of told.marks) {
  document.querySelector(`#sentences [data-gap="${gap}"]`).click();
  told.holders.push(texts("#readout bdi"));
}
for (const _ of told.marks) {
  byId("error-after").click();
  told.steps.push(Number(document.querySelector("#sentences .here").dataset.gap));
}
told.numbers = texts("#document .legend li b").map(Number);
byId("only-errors").click();
told.only = texts("#sentences .sentence .number").map(Number);
return told;"""


def annotators(seed: int) -> list[Transcript]:
    dice = random.Random(seed)
    return [text(60, *dice.sample(range(1, 25), 14), id=name) for name in NAMES]


def gaps(transcript: Transcript) -> set[int]:
    """Boundaries but for the end of the recording."""
    assert transcript.sentences is not None
    return set(transcript.sentences.gaps.tolist()) - {len(transcript) - 1}


def agreed(references: list[Transcript], *metrics: str) -> dict[str, Any]:
    scores = api.agree(references, metric=metrics or "Agreement", resamples=20)
    return page_payload(Results(("annotators",), (scores,), between_annotators=True))


@pytest.mark.parametrize("seed", [1, 2])
def test_the_text_tells_who_has_which_boundary(seed: int) -> None:
    references = annotators(seed)
    told = acted(render_page(agreed(references)), ACTS)
    ends = {name: gaps(one) for name, one in zip(NAMES, references, strict=True)}
    union = sorted(set().union(*ends.values()))
    having = {gap: [name for name in NAMES if gap in ends[name]] for gap in union}
    apart = [gap for gap in union if len(having[gap]) < 3]
    assert told["choices"] == list(NAMES)
    assert told["sentences"] == [sorted(ends[name]) for name in NAMES]
    assert told["holders"] == list(having.values())
    assert told["numbers"] == [len(union) - len(apart), len(apart)]
    assert told["marks"] == [
        [gap, f"{len(having[gap])}/3", having[gap] if gap in apart else []] for gap in union
    ]
    assert 0 < len(apart) < len(union)
    # The cursor was left at the last boundary of all.
    assert told["steps"] == (apart * 3)[: len(union)]
    last = [*sorted(ends["cho"]), 59]
    wrong = {sum(end < gap for end in last) + 1 for gap in apart}
    assert told["only"] == sorted(wrong)


def test_the_page_speaks_of_annotators() -> None:
    found = drawn(render_page(agreed(annotators(1), "Agreement", "WiSeBE")))
    assert found.one("failure").text == ""
    assert found.one("title").text == "Agreement of 3 annotators"
    assert found.one("lead").text == (
        "3 annotators (ann, ben and cho) compared with each other on 1 document of 60 words."
    )
    for id in ("document", "text"):
        (legend,) = found.one(id).all("ul", **{"class": "legend"})
        assert " of all" in legend.text
        assert "disagreements" in legend.text
    assert "window" in found.one("document").text
    told = "".join(found.one(id).text for id in ("lead", "strip", "text", "document-tables"))
    for word in ("system", "hit", "miss", "alarm", "reference", "error"):
        assert word not in told.lower()


def test_pairs_stand_in_a_matrix() -> None:
    given = agreed(annotators(1))
    values = given["scores"][0]["values"]
    section = drawn(render_page(given)).one("metric-0")
    (table,) = section.all("table", **{"class": "pairs"})
    head, *rows = table.all("tr")
    assert head.texts("th") == ["f1 of each pair", "boundaries", *NAMES]
    assert [row.texts("th") for row in rows] == [[name] for name in NAMES]
    cells = [row.texts("td") for row in rows]
    assert [row[0] for row in cells] == [str(values[f"boundaries_{k}"]) for k in (1, 2, 3)]
    for i, j in combinations(range(3), 2):
        assert cells[i][j + 1] == cells[j][i + 1]
        assert cells[i][j + 1].startswith(f"{values[f'f1_{i + 1}_{j + 1}']:.4f}")
    assert [cells[i][i + 1] for i in range(3)] == ["–"] * 3
    others = {
        name for each in section.all("table") if each is not table for name in each.texts("th")
    }
    assert {"kappa", "pairwise_f1", "union"} <= others
    assert not [name for name in others if name.startswith(("f1_", "boundaries"))]
