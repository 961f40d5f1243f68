"""Tables and data of the most frequent disagreements."""

from itertools import accumulate
from typing import Any

from caesura import api
from caesura.core.protocols import Disagreement
from caesura.core.transcript import Span, Transcript
from caesura.evaluation.comparison import Comparison
from caesura.evaluation.evaluate import EvaluationOptions, evaluate_systems
from caesura.evaluation.reports.disagreement_tables import _row
from caesura.evaluation.reports.page import LONGEST_TEXT, page_payload
from caesura.evaluation.reports.render import latex, markdown, terminal
from caesura.evaluation.reports.table import display_width
from caesura.evaluation.reports.write import Results
from caesura.evaluation.scores import DisagreementSummary
from evaluation.reports.examples import text

OURS = "we do n't know . / They ca n't go . / I do n't ."
THEIRS = "we do not know . / They can not go . I do not ."


def said(words: str) -> Transcript:
    """Sentences apart by strokes."""
    parts = [each.split() for each in words.split("/")]
    return text(words.replace("/", ""), *accumulate(map(len, parts)))


def found(*metrics: str, ours: str = OURS, theirs: str = THEIRS, align: bool = False) -> Results:
    scores = api.score(
        said(ours), reference=said(theirs), metric=metrics or "Joint", align=align, resamples=0
    )
    return Results(("sys",), (scores,))


def test_terminal() -> None:
    assert terminal(found()).split("\n\n", 3)[-1].split("\n") == [
        "Tokens that differ, the most frequent first: Joint of sys",
        "",
        "kind     reference  hypothesis  example                      count",
        "───────  ─────────  ──────────  ───────────────────────────  ─────",
        "changed  not        n't         we do [n't] know . They          2",
        "changed  can not    ca n't      know . They [ca n't] go . I      1",
        "",
        "in all 3 changed",
        "",
        "changed = other characters",
        "",
        "Ends of sentences that differ, the most frequent first: Joint of sys",
        "",
        "kind   reference  hypothesis  example                     count",
        "─────  ─────────  ──────────  ──────────────────────────  ─────",
        "added  . I        . ¶ I       ca n't go [. ¶ I] do n't .      1",
        "",
        "in all 1 added",
        "",
        "added = ¶ only in the hypothesis; ¶ is the end of a sentence",
    ]


def test_without_disagreements_there_is_no_table() -> None:
    for results in (found(ours=THEIRS), found("Boundary", ours=THEIRS.replace("/", ""))):
        assert "Tokens that differ" not in terminal(results)


def test_tables_fit_a_terminal_whatever_the_tokens_are() -> None:
    long = "x" * 90
    words = f"{long} 東京都に住んでいます。。。。。。。。 🦊🦊🦊🦊🦊🦊🦊🦊🦊🦊🦊 ] ( שלום"
    results = found(ours=words.replace("x", "xy"), theirs=f"{words} {long}z / {long} |")
    shown = terminal(results).split("\n\n", 3)[-1]
    assert "Tokens that differ" in shown
    assert all(display_width(line) <= 80 for line in shown.split("\n"))


def test_entities_keep_their_columns() -> None:
    reference = text("acme and mary jane o'connor met yesterday").replace(
        entities=(Span(0, 0, "ORG"), Span(2, 4, "PERSON"))
    )
    ours = text("acne and mary jain o'connor met yesterday").replace(
        entities=(Span(0, 0, "PRODUCT"), Span(3, 5, "ORGANISATION"))
    )
    scores = api.score(ours, reference=reference, metric="Entities", resamples=0)
    shown = terminal(Results(("sys",), (scores,))).split("Entities that differ")[1].split("\n\n")
    head, _, *rows = shown[1].splitlines()
    assert head.split() == ["kind", "reference", "hypothesis", "example", "count"]
    assert all(row.endswith(" 1") and display_width(row) <= 80 for row in rows)
    assert {row[: head.index("reference")].strip() for row in rows} == {
        "another class",
        "another class and extent",
        "words wrong",
    }
    assert any("mary jane o…" in row for row in rows)


def test_markdown_and_latex_take_tokens_for_text() -> None:
    results = found(ours="a `` x_y | b ''' --- $5", theirs="a ```` x_y || b '''' -- - $ 5")
    assert r"\`\`\`\`" in markdown(results)
    made = latex(results)
    assert r"-{}-{}-" in made
    assert r"'{}'{}'{}'" in made
    assert r"\$ 5" in made
    assert "LuaLaTeX" not in made
    assert "\n% LuaLaTeX" in latex(found(ours="шаг", theirs="ша г"))


def rows(results: Results) -> list[dict[str, Any]]:
    (differences,) = page_payload(results)["differences"]
    listed: list[dict[str, Any]] = differences["rows"]
    return listed


def test_the_page_has_rows_with_examples() -> None:
    (differences,) = page_payload(found())["differences"]
    assert (differences["system"], differences["metric"], differences["distinct"]) == (0, 0, 3)
    assert differences["kinds"] == {"token": {"changed": 3}, "sentence": {"added": 1}}
    first = differences["rows"][0]
    assert (first["reference"], first["hypothesis"], first["count"]) == ("not", "n't", 2)
    assert [each["place"] for each in first["examples"]] == [2, 12]
    assert first["examples"][0] | {"place": 2} == {
        "document": 0, "place": 2, "before": "we do", "after": "know . They", "against": 1,
    }  # fmt: skip


def test_places_are_those_of_the_text_that_is_shown() -> None:
    """Beside a metric of normalised words, punctuation is not among the words of the page."""
    alone, beside = found(), found("Joint", "Boundary", align=True)
    assert [each["place"] for each in rows(alone)[0]["examples"]] == [2, 12]
    words = page_payload(beside)["documents"][0]["views"][0]["words"].split("\n")
    places = [each["place"] for each in rows(beside)[0]["examples"]]
    assert [words[place].strip(".") for place in places] == ["n't", "n't"]


def test_references_with_other_words_have_no_boundaries_on_the_page() -> None:
    (view,) = page_payload(found())["documents"][0]["views"]
    assert view["words"].split("\n") == OURS.replace("/", "").split()
    assert view["references"] == [None]
    (same,) = page_payload(found(ours=THEIRS))["documents"][0]["views"]
    assert same["references"] == [[4, 13]]


def test_a_page_is_bounded() -> None:
    ours = " ".join(f"a{k} b" for k in range(4000)) + " " + "y" * 5000
    theirs = " ".join(f"a{k}b" for k in range(4000)) + " " + "z" * 5000
    results = found(ours=ours, theirs=theirs)
    (differences,) = page_payload(results)["differences"]
    assert differences["distinct"] == 4001
    assert len(differences["rows"]) <= 3000
    texts = [each[side] for each in differences["rows"] for side in ("reference", "hypothesis")]
    assert max(map(len, texts)) <= LONGEST_TEXT + 1


def systems(*documents: list[Transcript]) -> Results:
    references = [[text("dont go", id="x"), text("it is dont", id="y")]]
    options = EvaluationOptions(metric="Joint", normalize="none", resamples=0, seed=1)
    scores = evaluate_systems(documents, references, options)
    names = tuple("AB"[: len(scores)])
    return Results(names, scores, Comparison(names, scores))


def test_documents_are_those_of_the_page_in_any_order() -> None:
    x, y = text("do nt go", id="x"), text("it is do nt", id="y")
    made = page_payload(systems([x, y], [y, x]))
    order = [each["id"] for each in made["documents"]]
    for system, differences in enumerate(made["differences"]):
        assert differences["system"] == system
        (row,) = differences["rows"]
        named = {order[each["document"]]: each["place"] for each in row["examples"]}
        assert named == {"x": 0, "y": 2}


def test_losses_have_a_column_of_their_own_and_the_worst_is_first() -> None:
    kinds = (("PER", "john smith of the north", "jon", 0.25), ("LOC lost", "rome", "", 1.5))
    reported = [
        Disagreement("name", kind, real, ours, "we met", "in the end", 3, 1, loss)
        for kind, real, ours, loss in kinds
    ]
    digest = DisagreementSummary.of([reported, reported[:1]])
    assert [(each.kind, each.count, each.loss) for each in digest.recurring] == [
        ("LOC lost", 1, 1.5),
        ("PER", 2, 0.5),
    ]
    assert [each["loss"] for each in digest.to_dict(["a", "b"])] == [1.5, 0.5]
    rows = [_row(each, True, (14, 22)) for each in digest.recurring]
    assert rows[0] == ("LOC lost", "rome", "", "we met [] in the end", "1", "1.5000")
    assert rows[1][1:] == ("john smith of…", "jon", "we met [jon] in the", "2", "0.5000")
