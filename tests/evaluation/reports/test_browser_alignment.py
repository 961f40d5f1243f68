"""Words side by side on the report page, in a browser."""

from typing import Any

import pytest

from caesura import api
from caesura.core.transcript import Transcript
from caesura.evaluation.reports.page import page_payload, render_page
from caesura.evaluation.reports.write import Results
from evaluation.reports.browser import BROWSER, acted, drawn
from evaluation.reports.examples import text

pytestmark = pytest.mark.skipif(not BROWSER, reason="needs Chromium")

REFERENCE = text("the cat sat . on the mat . a <b>dog</b> slept here", 3, 7, id="x")
HYPOTHESIS = text("the bat sat . on the . a <b>dog</b> slept in here now", id="x")

READ = """
const cells = () => all("#alignment-lines .aligned").map((line) =>
  [...line.querySelectorAll(".cell")].map((cell) =>
    [...cell.children].map((one) => one.textContent).join("|")));
"""

ACTS = (
    READ
    + """
const told = { kinds: {}, names: texts("#alignment-kind option") };
for (const kind of options("alignment-kind")) {
  choose("alignment-kind", kind);
  told.kinds[kind] = cells();
}
told.left = texts("#alignment-lines .skipped");
choose("alignment-kind", "");
const search = byId("alignment-search");
search.value = "BAT";
search.dispatchEvent(new Event("input"));
told.found = cells();
told.marked = texts("#alignment-lines .matched");
told.count = byId("alignment-count").textContent;
return told;"""
)


def given(hypotheses: list[list[Transcript]], *references: Transcript, **asked: Any) -> str:
    scores = tuple(
        api.score(each, reference=list(references), metric="Words", resamples=0, **asked)
        for each in hypotheses
    )
    return render_page(page_payload(Results(tuple("AB"[: len(scores)]), scores)))


def test_lines_are_filtered_and_searched() -> None:
    told = acted(given([[HYPOTHESIS]], REFERENCE), ACTS)
    first = ["the|the", "cat|bat|S", "sat|sat"]
    second = ["on|on", "the|the", "mat|–|D"]
    third = ["a|a", "<b>dog</b>|<b>dog</b>", "slept|slept", "–|in|I", "here|here", "–|now|I"]
    assert told["kinds"] == {
        "": [first, second, third],
        "sdi": [first, second, third],
        "s": [first],
        "d": [second],
        "i": [third],
    }
    assert told["names"] == [
        *("all", "errors only (4)", "substitutions (1)", "deletions (1)", "insertions (2)"),
    ]
    assert told["left"] == ["⋯ 2 lines left out"]
    assert told["found"] == [first]
    assert told["marked"] == ["catbatS"]
    assert told["count"] == "1 of 3 lines"


SYSTEMS = (
    READ
    + """
const told = [];
for (const system of options("alignment-system")) {
  choose("alignment-system", system);
  told.push([byId("system").value, cells().flat()]);
}
return told;"""
)


def test_each_system_has_its_own() -> None:
    told = acted(given([[text("a b")], [text("a c")]], text("a b")), SYSTEMS)
    assert told == [["0", ["a|a", "b|b"]], ["1", ["a|a", "b|c|S"]]]


RECORDINGS = (
    READ
    + """
const told = [[texts("#alignment-document option"), byId("alignment-document").value]];
for (const document of options("alignment-document")) {
  choose("alignment-document", document);
  told.push([byId("alignment-name").textContent, cells().flat(), byId("document-note").hidden]);
}
return told;"""
)


def test_the_recording_is_chosen_here_too() -> None:
    ours = [text("a b", id="x"), text("c e", id="y")]
    theirs = [text("a b", id="x"), text("c d", id="y")]
    scores = api.score(ours, reference=[theirs], metric="Words", resamples=0)
    made = render_page(page_payload(Results(("A",), (scores,))))
    names, *told = acted(made, RECORDINGS)
    assert names[0] == ["x", "y"]
    assert told == [["x", ["a|a", "b|b"], True], ["y", ["c|c", "d|e|S"], True]]
    assert "hidden" not in next(iter(drawn(made).one("alignment").all("label"))).attributes
    alone = drawn(given([[HYPOTHESIS]], REFERENCE)).one("alignment")
    assert "hidden" in next(iter(alone.all("label"))).attributes


WHOSE = """
const told = [];
for (const system of options("text-system")) {
  choose("text-system", system);
  const hidden = ["document", "text-system"].map((id) => byId(id).closest("[hidden]") != null);
  const shown = ["text-name", "text-note", "sentences"].map((id) => byId(id).textContent.trim());
  told.push([...hidden, ...shown, texts("#parts a").at(-1), byId("alignment-system").value]);
}
return told;"""


def test_a_text_says_whose_it_is() -> None:
    """With words alone there is nothing to say of a document but its text."""
    made = given([[text("a c", id="x")], [text("a d", id="x")]], text("a b", id="x"))
    note = (
        "The words as they were read. Nothing is marked in them: "
        "the alignment has them beside the reference."
    )
    assert acted(made, WHOSE) == [
        [True, False, "of A", note, "1a c", "Text", "0"],
        [True, False, "of B", note, "1a d", "Text", "1"],
    ]
    assert "Document" not in drawn(made).one("parts").texts("a")


def test_values_of_several_metrics_are_told_of_each_document() -> None:
    theirs = [text("a b", id="x"), text("c d", id="y")]
    ours = [text("a c", id="x"), text("c e", id="y")]
    metrics = ["Words", "Words(weights='sclite')"]
    scores = api.score(ours, reference=[theirs], metric=metrics, resamples=0)
    found = drawn(render_page(page_payload(Results(("A",), (scores,))))).one("document")
    assert "hidden" not in found.attributes
    (values,) = found.all("details")
    assert "open" in values.attributes
    assert len([*values.all("tr")]) == 3


def test_text_from_right_to_left_runs_so() -> None:
    found = drawn(given([[text("مرحبا بكم")]], text("مرحبا بنا")))
    (line,) = found.one("alignment-lines").all("p")
    assert line.attributes["dir"] == "rtl"
    assert line.texts("bdi") == ["مرحبا", "مرحبا", "بنا", "بكم"]


def test_there_is_no_section_without_words() -> None:
    same = text("a b", 1)
    scores = api.score(same, reference=same, metric="Boundary", resamples=0)
    found = drawn(render_page(page_payload(Results(("one",), (scores,)))))
    assert found.one("failure").text == ""
    assert "hidden" in found.one("alignment").attributes


def test_an_empty_text_is_no_failure() -> None:
    found = drawn(given([[text("")]], text("a b", 2)))
    assert found.one("failure").text == ""
    assert found.one("alignment-lines").texts("bdi") == ["a", "b"]


LONG = """
const before = all("#alignment-lines .cell").length;
const box = byId("alignment-box");
box.scrollTop = box.scrollHeight;
box.dispatchEvent(new Event("scroll"));
return [before, all("#alignment-lines .cell").length, byId("alignment-count").textContent];"""


def test_a_long_text_is_laid_out_in_parts() -> None:
    words = [f"w{k % 900}" for k in range(100_000)]
    ours = ["x" if k % 10 == 0 else word for k, word in enumerate(words)]
    html = given([[text(" ".join(ours))]], text(" ".join(words)), normalize="none")
    before, after, told = acted(html, LONG)
    assert 100 < before < after < 10_000
    assert told == "1,667 lines"
