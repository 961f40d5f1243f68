"""The report page in a browser: its script shows what was computed."""

import random
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from itertools import chain, product
from typing import Any

import pytest

from caesura.core.transcript import Transcript
from caesura.evaluation.comparison import Comparison
from caesura.evaluation.evaluate import EvaluationOptions, evaluate_systems
from caesura.evaluation.reports.page import page_payload, render_page
from caesura.evaluation.reports.score_tables import worst_first
from caesura.evaluation.reports.write import Results
from caesura.metrics.boundary import Boundary
from evaluation.reports.browser import BROWSER, Element, acted, drawn
from evaluation.reports.examples import text

HOSTILE = ["<img src=x onerror=alert(1)>", "</script><b>", "&lt;{{payload}}", "a\"b'c", "x\ud83dy"]
RIGHT_TO_LEFT = "مرحبا بكم في هذا الاجتماع".split()

pytestmark = pytest.mark.skipif(not BROWSER, reason="needs Chromium")


def shown(results: Results) -> Element:
    """Draw results; the script has to reach its end."""
    found = drawn(render_page(page_payload(results)))
    assert found.one("failure").text == ""
    assert "hidden" in found.one("failure").attributes
    return found


def results(
    systems: Sequence[Sequence[Transcript]],
    references: Sequence[Sequence[Transcript]],
    *metrics: str,
    names: Sequence[str] = "AB",
    sweep: str | Sequence[str] = (),
    resamples: int = 0,
) -> Results:
    options = EvaluationOptions(
        metric=metrics or "Boundary", sweep=sweep, normalize="none", resamples=resamples, seed=1
    )
    called = tuple(f"r{k}" for k in range(1, len(references) + 1))
    found = evaluate_systems(systems, references, options, called)
    names = tuple(names[: len(found)])
    return Results(names, found, Comparison(names, found) if len(found) > 1 else None)


def alone(*transcripts: Transcript) -> list[list[Transcript]]:
    return [[each] for each in transcripts]


def written(number: float) -> str:
    rounded = Decimal(number).quantize(Decimal("0.0001"), ROUND_HALF_UP)
    return str(rounded).replace("-", "−")


def cell(score: dict[str, Any], name: str) -> str:
    """What stands in a table about a rate."""
    value, interval = score["values"][name], score["intervals"].get(name)
    if value is None:
        return f"undefined{score['undefined'][name]}"
    span = f"[{written(interval[0])}, {written(interval[1])}]" if interval else ""
    return written(value) + span


# ---- hits, misses, false alarms ----

SIDES = """
const marks = (kind) => all("#sentences .end." + kind).map((mark) =>
  [Number(mark.dataset.gap), mark.querySelector("small").textContent]);
const holders = (gap) => {
  document.querySelector(`#sentences [data-gap="${gap}"]`).click();
  return [gap, texts("#readout bdi")];
};
const told = { first: byId("against").value, sides: [], holders: [] };
for (const system of options("system")) for (const against of options("against")) {
  choose("system", system);
  choose("against", against);
  const numbers = texts("#document .legend li[class] b").map(Number);
  const kinds = ["hit", "miss", "alarm"].map(marks);
  told.sides.push([system, against, numbers, kinds]);
  if (against === options("against")[0])
    told.holders.push(...kinds.flat().map(([gap]) => holders(gap)));
}
return told;"""


def driven(results: Results) -> Any:
    """Choose every system and reference in turn, click every mark, and tell what was shown."""
    return acted(render_page(page_payload(results)), SIDES)


def random_texts(count: int, seed: int) -> list[Transcript]:
    dice = random.Random(seed)
    return [text(60, *dice.sample(range(1, 61), dice.randint(3, 12))) for _ in range(count)]


def gaps(transcript: Transcript) -> set[int]:
    """Boundaries but for the end of the recording."""
    assert transcript.sentences is not None
    return set(transcript.sentences.gaps.tolist()) - {len(transcript) - 1}


@pytest.mark.parametrize("count", [1, 3, 40])
def test_hits_misses_and_false_alarms_are_those_that_are_counted(count: int) -> None:
    systems, references = random_texts(2, seed=8), random_texts(count, seed=count)
    union = text(60, *(gap + 1 for each in references for gap in gaps(each)))
    sides = {"any": union} if count > 1 else {}
    sides |= {str(number): each for number, each in enumerate(references)}
    told = driven(results(alone(*systems), alone(*references)))
    assert [tuple(each[:2]) for each in told["sides"]] == list(product("01", sides))
    for system, against, numbers, marks in told["sides"]:
        ours, theirs = systems[int(system)], sides[against]
        counts = Boundary().values(Boundary().count(ours, [theirs]))
        assert numbers == [counts["correct"], counts["missing"], counts["spurious"]]
        a, b = gaps(ours), gaps(theirs)
        kinds = [a & b, b - a, a - b]
        assert [[gap for gap, _ in each] for each in marks] == list(map(sorted, kinds))
        for gap, share in chain(*marks):
            having = sum(gap in gaps(each) for each in references)
            assert share == (f"{having}/{count}" if against == "any" and having else "")
    named = {f"r{k}": each for k, each in enumerate(references, 1)}
    named |= dict(zip("AB", systems, strict=True))
    for gap, holders in told["holders"]:
        assert holders == [name for name, each in named.items() if gap in gaps(each)]


@pytest.mark.parametrize(
    "metric", ["WiSeBE", "WiSeBE(protocol='tool')", "WiSeBE(window_gap=6)", "WiSeBE(window_gap=0)"]
)
def test_against_windows_the_page_counts_as_wisebe_does(metric: str) -> None:
    systems, references = random_texts(2, seed=8), random_texts(3, seed=5)
    made = results(alone(*systems), alone(*references), metric)
    windows = page_payload(made)["documents"][0]["views"][0]["windows"]
    told = driven(made)
    sides = [each for each in told["sides"] if each[1] == "windows"]
    assert told["first"] == "windows"
    assert [each[0] for each in sides] == ["0", "1"]
    for system, _, numbers, marks in sides:
        values = made.scores[int(system)].values[0]
        inside, boundaries = values["boundaries_inside"], values["boundaries"]
        missed = values["windows"] - values["windows_hit"]  # type: ignore[operator]
        assert numbers == [inside, missed, boundaries - inside]  # type: ignore[operator]
        hits, misses, alarms = ([gap for gap, _ in each] for each in marks)
        empty = [(a, b) for a, b in windows if not any(a <= gap <= b for gap in hits)]
        assert [(a, b) for gap in misses for a, b in windows if a <= gap <= b] == empty
        assert all(any(gap in gaps(one) for one in references) for gap in misses)
        assert not [gap for gap in alarms for a, b in windows if a <= gap <= b]
        assert set(hits) | set(alarms) | {59} == gaps(systems[int(system)]) | {59}


@pytest.mark.parametrize("metrics", [("Boundary", "WiSeBE"), ("Boundary",)])
def test_windows_are_a_choice_where_they_were_measured(metrics: tuple[str, ...]) -> None:
    told = driven(results(alone(text(9, 3, 5)), alone(text(9, 3), text(9, 4)), *metrics))
    assert told["first"] == "any"
    assert [each[1] for each in told["sides"]] == ["any", "0", "1", "windows"][: 2 + len(metrics)]


# ---- values ----


def documents(*ends: Sequence[int]) -> list[Transcript]:
    return [text(10, *each, id=f"d{k}") for k, each in enumerate(ends)]


def test_values_reasons_intervals_and_signatures_are_shown() -> None:
    references = [documents([5], [3, 6], [], [4])]
    systems = [documents([5], [3], [2], [5]), documents([], [], [], [])]
    made = results(systems, references, "Boundary", "Pk", resamples=50)
    given, found = page_payload(made), shown(made)
    for i, metric in enumerate(given["metrics"]):
        scores = [each for each in given["scores"] if each["metric"] == i]
        section = found.one(f"metric-{i}")
        rows = {row.texts("th")[0]: row.texts("td") for row in section.all("tr")}
        for name in metric["best"]:
            assert rows[name] == [cell(score, name) for score in scores]
        for name in scores[0]["counts"]:
            assert rows[name] == [str(score["values"][name]) for score in scores]
        assert section.texts("code", tabindex="0") == list({x["signature"]: 0 for x in scores})
        remarks = [remark for score in scores for remark in score["remarks"]]
        assert all(remark in section.text for remark in remarks)
    assert "undefined" in found.one("metric-0").text
    assert any(score["intervals"].get("pk") for score in given["scores"])
    comparison = found.one("comparison")
    assert made.comparison
    assert comparison.texts("code") == list(made.comparison.signatures)
    assert len(made.comparison.signatures) == 2
    for row, each in zip(given["comparison"]["rows"], [*comparison.all("tr")][1:], strict=True):
        value = row["difference"]
        assert (row["undefined"] if value is None else written(value)) in each.text


def test_values_of_each_reference_and_of_sweeps_are_shown() -> None:
    references = alone(text(16, 4, 8, 12), text(16, 4, 9, 12), text(16, 5, 12))
    made = results(
        alone(text(16, 4, 9, 10)), references, "Boundary", "WiSeBE", sweep="window_gap=0:3"
    )
    given, found = page_payload(made), shown(made)
    (table,) = found.one("metric-0").all("table", **{"class": "grouped"})
    score = given["scores"][0]
    for row in [*table.all("tr")][1:5]:
        stem, *cells = row.texts("th") + row.texts("td")
        assert cells == [cell(score, name) for name in (stem, *(f"{stem}_{k}" for k in (1, 2, 3)))]
    (table,) = found.one("sweeps").all("table")
    values = given["sweeps"][0]["systems"][0]["values"]["wisebe"]
    assert table.texts("td") == list(map(written, values))
    assert found.one("parts").texts("a") == ["Overview", "Values", "Sweeps", "Boundaries", "Text"]


@pytest.mark.parametrize("metric", ["Boundary", "WiSeBE", "Pk"])
def test_the_worst_document_comes_first(metric: str) -> None:
    references = [documents([5], [3, 6], [4], [], [2, 7])] * 2
    made = results([documents([5], [3], [1], [], [2, 7, 8])], references, metric)
    given, found = page_payload(made), shown(made)
    [one] = given["metrics"]
    values = {each["id"]: each["values"][0][0][one["main"]] for each in given["documents"]}
    best = one["best"][one["main"]]
    known = [name for name in values if values[name] is not None]
    order = sorted(known, key=lambda name: -abs(values[name] - best))
    order += [name for name in values if name not in known]
    table = found.one("documents-table")
    assert table.texts("button", **{"class": "name"}) == order
    assert found.one("document-name").text == order[0]
    assert found.one("documents-count").text == "5 documents, worst first"


@pytest.mark.parametrize("metric", ["Boundary", "Pk"])
def test_with_several_systems_the_order_is_that_of_the_terminal(metric: str) -> None:
    references = [documents([5], [3, 6], [4], [], [2, 7])]
    systems = [
        documents([5], [3], [1], [], [2, 7, 8]),
        documents([], [3, 6], [4, 6], [], [1, 7]),
        documents([4], [6], [], [], [2]),
    ]
    made = results(systems, references, metric, names="ABC")
    found = shown(made)
    order = [made.scores[0].documents[at].id for at in worst_first(made, 0)]
    assert found.one("documents-table").texts("button", **{"class": "name"}) == order
    assert found.one("documents-count").text.endswith("worst first by the mean of the systems")


def test_documents_are_listed_by_the_value_that_was_chosen() -> None:
    systems = [documents([5], [], [2, 5, 6]), documents([5], [1], [5])]
    found = results(systems, [documents([5], [5], [5])], "Boundary")
    for name, order, first in (("recall", "worst", "d1"), ("spurious", "largest", "d2")):
        comparison = Comparison(tuple(found.systems), tuple(found.scores), (name,))
        page = shown(Results(found.systems, found.scores, comparison))
        assert page.one("documents-table").texts("button", **{"class": "name"})[0] == first
        assert page.one("documents-metric").text == f"Boundary: {name}"
        assert f", {order} first by the mean" in page.one("documents-count").text
        # Nothing was tested: the values have all signatures there are.
        assert page.one("comparison").texts("code") == []
    cells = page.one("documents-table").texts("td")
    assert cells == ["10", "2", "0", "1.0000", "10", "0", "1", "0.5000", "10", "0", "0", "0.0000"]


# ---- texts ----


def test_hostile_texts_are_shown_as_texts() -> None:
    words = [*HOSTILE, "end"]
    reference = text(len(words), 2).replace(words=tuple(words), id=HOSTILE[0])
    both = [reference, text(9, 3, id="other")]
    made = results([both], [both], names=[HOSTILE[1]])
    found = shown(made)
    safe = [word.replace("\ud83d", "\ufffd") for word in words]
    assert [*found.all("img")] == []
    assert len([*found.all("script")]) == 2
    assert found.one("title").text == HOSTILE[1]
    assert found.one("document-name").text == HOSTILE[0]
    [first, second] = found.one("sentences").texts("p")
    assert first == " ".join(safe[:2]) + "✓"
    assert second == " ".join(safe[2:])


def test_text_runs_as_its_script_does() -> None:
    words = (*RIGHT_TO_LEFT, "ASR")
    reference = text(len(words), 2).replace(words=words)
    found = shown(results([[reference]], [[reference]], names=[RIGHT_TO_LEFT[0]]))
    lines = [*found.one("sentences").all("p")]
    assert [line.attributes["dir"] for line in lines] == ["rtl", "rtl"]
    assert found.one("title").texts("bdi") == [RIGHT_TO_LEFT[0]]


def test_what_goes_wrong_is_said_on_the_page() -> None:
    broken = page_payload(results(alone(text(9, 3)), alone(text(9, 4)))) | {"documents": [{}]}
    notice = drawn(render_page(broken)).one("failure")
    assert notice.text.startswith("The page could not be drawn: TypeError")
    assert "hidden" not in notice.attributes
