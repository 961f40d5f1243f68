"""The list of differences on the report page, in a browser."""

from typing import Any

import pytest

from caesura import api
from caesura.core.transcript import Span, Transcript
from caesura.evaluation.comparison import Comparison
from caesura.evaluation.evaluate import EvaluationOptions, evaluate_systems
from caesura.evaluation.reports.page import page_payload, render_page
from caesura.evaluation.reports.write import Results
from evaluation.reports.browser import BROWSER, acted, drawn
from evaluation.reports.examples import text

pytestmark = pytest.mark.skipif(not BROWSER, reason="needs Chromium")

WORDS = "it 's do nt <b>x</b> ca n't . We do nt ."
REFERENCE = "its dont <b> x</b> can not . We dont ."

ACTS = """
const rows = () => all("#differences-table tbody tr").map((row) =>
  [...row.children].map((cell) => cell.textContent));
const type = (wanted) => {
  byId("differences-filter").value = wanted;
  byId("differences-filter").dispatchEvent(new Event("input"));
};
const told = { all: rows(), kinds: texts("#differences-kind option"), chosen: {} };
for (const kind of options("differences-kind")) {
  choose("differences-kind", kind);
  told.chosen[kind] = rows().map(([reference]) => reference);
}
choose("differences-kind", "");
type("NT");
told.searched = rows().map(([reference]) => reference);
told.count = byId("differences-count").textContent;
type("");
document.querySelector("#differences-table tbody tr").click();
told.lines = texts(".examples .line");
told.opened = all(".examples button").map((button) => {
  button.click();
  return [byId("document-name").textContent, texts("#sentences .here")];
});
document.querySelector("#differences-table tbody tr button").click();
told.closed = all(".examples").length;
return told;"""


def results(*systems: list[Transcript]) -> Results:
    references = [[text(REFERENCE, 3, id="x"), text("so dont", id="y")]]
    options = EvaluationOptions(metric="Joint", normalize="none", resamples=0, seed=1)
    scores = evaluate_systems(systems, references, options, ("ref",))
    names = tuple("AB"[: len(scores)])
    return Results(names, scores, Comparison(names, scores) if len(scores) > 1 else None)


def one() -> dict[str, Any]:
    return page_payload(results([text(WORDS, 8, id="x"), text("so do nt", id="y")]))


def test_rows_are_filtered_and_open_to_examples() -> None:
    given = one()
    told = acted(render_page(given), ACTS)
    (differences,) = given["differences"]
    rows = differences["rows"]
    assert [row[:3] for row in told["all"]] == [
        [each["reference"] or "nothing", each["hypothesis"] or "nothing", str(each["count"])]
        for each in rows
    ]
    assert told["all"][0] == ["dont", "do nt", "3", "token1:n: cut into more"]
    assert ["can not", "ca n't", "1", "tokenchanged: other characters"] in told["all"]
    assert told["kinds"][:2] == [
        "all",
        f"all tokens ({sum(differences['kinds']['token'].values())})",
    ]
    for kind, found in told["chosen"].items():
        level, _, name = kind.partition(" ")
        assert found == [
            each["reference"]
            for each in rows
            if level in ("", each["level"]) and name in ("", each["kind"])
        ]
        assert found
    assert told["searched"] == [
        each["reference"] for each in rows if "nt" in each["reference"] + each["hypothesis"]
    ]
    assert told["count"].startswith(f"{len(told['searched'])} difference")
    assert told["lines"] == [
        "it 's do nt <b>x</b> ca n't",
        "n't . We do nt .",
        "so do nt ",
    ]
    assert told["opened"] == [["x", ["do"]], ["x", ["do"]], ["y", ["do"]]]
    assert told["closed"] == 0


def test_a_text_with_other_words_is_shown_alone() -> None:
    found = drawn(render_page(one()))
    assert found.one("failure").text == ""
    assert "hidden" in found.one("strip").attributes
    assert "hidden" in found.one("errors").attributes
    assert "hidden" not in found.one("text").attributes
    assert "differ" in found.one("document-note").text
    assert [each.text for each in found.one("sentences").all("p")] == [
        "it 's do nt <b>x</b> ca n't .",
        "We do nt .",
    ]
    for sign in "✓○✕":
        assert sign not in found.one("text").text
    assert found.texts("a", href="#document") == ["Document"]


LOSSES = """
const told = [];
for (const set of options("differences-set")) {
  choose("differences-set", set);
  document.querySelector("#differences-table tbody tr").click();
  told.push([
    byId("differences-first").textContent,
    texts("#differences-table thead th"),
    document.querySelector("#differences-table tbody tr").textContent,
    document.querySelector(".examples td").colSpan,
  ]);
}
return told;"""


def test_losses_are_shown_where_they_are_known() -> None:
    given = one()
    (known,) = given["differences"]
    harmed = [row | {"loss": 1.5} for row in known["rows"]]
    given["differences"].append(known | {"rows": harmed})
    heads = ["reference", "hypothesis", "count", "difference"]
    assert acted(render_page(given), LOSSES) == [
        ["frequent", heads, "dontdo nt3token1:n: cut into more", 4],
        ["harmful", [*heads[:3], "loss", heads[3]], "dontdo nt31.5000token1:n: cut into more", 5],
    ]


def test_values_undefined_alike_are_told_in_a_line() -> None:
    named = text("we met jon").replace(entities=(Span(2, 2, "PER"),))
    scores = api.score(text("we met john"), reference=named, metric="Entities", resamples=0)
    found = drawn(render_page(page_payload(Results(("one",), (scores,))))).one("metric-0")
    names = [each.text for each in found.all("th", scope="row")]
    assert "ne_wer" in names
    assert not {"ser", "eter", "type_f1"} & set(names)
    (told,) = (line for line in found.texts("li") if line.startswith("undefined"))
    assert told.startswith("undefined (ser, ser_half, eter, strict_precision")
    assert told.endswith("give the output of an entity tagger")


SYSTEMS = """
const rows = () => texts("#differences-table tbody th");
const told = [];
for (const set of options("differences-set")) {
  choose("differences-set", set);
  document.querySelector("#differences-table tbody tr").click();
  document.querySelector(".examples button").click();
  told.push([rows(), byId("system").value, texts("#sentences .here")]);
}
return [texts("#differences-set option"), told];"""


def test_each_system_has_its_own() -> None:
    first = [text(REFERENCE.replace("its", "it s"), 4, id="x"), text("so dont", id="y")]
    second = [text("so d ont", id="y"), text(REFERENCE, 3, id="x")]
    names, told = acted(render_page(page_payload(results(first, second))), SYSTEMS)
    assert names == ["A", "B"]
    assert told == [[["its"], "0", ["it"]], [["dont"], "1", ["d"]]]


def test_there_is_no_section_without_differences() -> None:
    same = text("a b", 1)
    scores = api.score(same, reference=same, metric=["Boundary", "Joint"], resamples=0)
    found = drawn(render_page(page_payload(Results(("one",), (scores,)))))
    assert found.one("failure").text == ""
    assert "hidden" in found.one("differences").attributes
    assert "hidden" not in found.one("strip").attributes


LONG = """
byId("differences-filter").value = "a1";
byId("differences-filter").dispatchEvent(new Event("input"));
document.querySelector("#differences-table tbody tr").click();
document.querySelector(".examples button").click();
const here = texts("#sentences .here");
return [all("#differences-table tbody tr").length, here, all("#sentences *").length];"""


def test_a_long_document_is_drawn_in_parts() -> None:
    ours = " ".join(f"a{k} b c ." for k in range(25000))
    theirs = " ".join(f"a{k}b c ." if k % 5 else f"a{k} b c ." for k in range(25000))
    scores = api.score(
        text(ours, *range(4, 100000, 4)), reference=text(theirs), metric="Joint", resamples=0
    )
    shown, here, drawn_words = acted(render_page(page_payload(Results(("one",), (scores,)))), LONG)
    assert shown == 101
    assert here == ["a1"]
    assert 100 < drawn_words < 5000
