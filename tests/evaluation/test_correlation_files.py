"""Reading tables in many shapes, with one clear error for those that cannot be read."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core.errors import CaesuraError, FormatError, UnknownName
from caesura.core.values import Undefined
from caesura.evaluation.correlation_data import (
    Row,
    TableColumns,
    _file_rows,
    measurement_conditions,
    read_rows,
)
from caesura.formats.base import Source

HEADS = TableColumns("system", "show", "task", ("wer",))


def read(tmp_path: Path, text: str, name: str = "t.csv", heads: TableColumns = HEADS) -> list[Row]:
    path = tmp_path / name
    path.write_bytes(text.encode())
    return list(read_rows(path, heads))


@pytest.mark.parametrize("mark", [",", ";", "\t"], ids=["comma", "semicolon", "tab"])
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_separators_and_line_ends(tmp_path: Path, mark: str, end: str) -> None:
    lines = ["\ufeffshow,system,words,wer", 'one,"a b",7, 0.5', "", "two,b,9,1e-2", ""]
    found = read(tmp_path, end.join(lines).replace(",", mark))
    assert [(row.key, row.numbers) for row in found] == [
        (("a b", "one", ""), {"wer": 0.5}),
        (("b", "two", ""), {"wer": 0.01}),
    ]
    assert found[0].header == ("show", "system", "words", "wer")
    assert [row.where.rpartition(":")[2] for row in found] == ["2", "4"]


def test_task_systems_and_undefined_numbers(tmp_path: Path) -> None:
    (row,) = read(tmp_path, "system,show,task,wer\na,one,crf,undefined\n")
    assert row.key == ("a", "one", "crf")
    assert isinstance(row.numbers["wer"], Undefined)


def test_columns_of_other_names(tmp_path: Path) -> None:
    heads = TableColumns("asr", "call", "ner", ("wer",))
    (row,) = read(tmp_path, "call,asr,ner,wer\none,a,crf,1\n", heads=heads)
    assert row.key == ("a", "one", "crf")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the table is empty"),
        ("\n\n", "the table is empty"),
        ("show,wer\none,1\n", "t.csv:1: there is no column 'system'; name it with --system; "),
        ("system,wer\na,1\n", "there is no column 'show'; name it with --show; "),
        ("system,show,wer,wer\na,one,1,2\n", "two columns are called 'wer'"),
        ("system,show,wer\na,one,1,2\n", "t.csv:2: 4 cells under a header of 3"),
        ("system,show,wer\na,one\n", "2 cells under a header of 3"),
        ("system,show,wer\na,one,1\na,two,\n", "t.csv:3: there is no number in the column 'wer'"),
        ("system,show,wer\na,one,12%\n", "t.csv:2: '12%' is no number in the column 'wer'"),
        ("system;show;wer\na;one;0,5\n", "'0,5' is no number"),
        ("system,show,wer\na,one,nan\n", "'nan' is no number"),
        ("system,show,wer\na,one,inf\n", "'inf' is no number"),
        ("system,show,wer\n ,one,1\n", "there is nothing in the column 'system'"),
        ("system,show,task,wer\na,one,,1\n", "there is nothing in the column 'task'"),
        ('system,show,wer\na,"one,1\n', "not a table"),
        ("\x00", "binary data"),
    ],
)
def test_bad_tables_get_one_clear_answer(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FormatError) as raised:
        read(tmp_path, text)
    assert message in str(raised.value)


def test_a_column_has_one_part() -> None:
    with pytest.raises(UnknownName, match="the column 'wer' is named twice"):
        TableColumns("system", "show", "task", ("wer", "wer"))


def test_rows_that_are_there_already(tmp_path: Path) -> None:
    records = [{"system": "a", "show": 1, "wer": 0.5}, {"system": "b", "show": 1, "wer": 1}]
    expected = [(("a", "1", ""), {"wer": 0.5}), (("b", "1", ""), {"wer": 1.0})]
    lines = "\n".join(map(json.dumps, records))
    for found in (
        list(read_rows(records, HEADS)),
        list(read_rows([records], HEADS)),
        read(tmp_path, json.dumps(records), "t.json"),
        read(tmp_path, lines, "t.jsonl"),
    ):
        assert [(row.key, row.numbers) for row in found] == expected
    with pytest.raises(FormatError, match=r"row 1: there is no number in the column 'wer'"):
        list(read_rows([{"system": "a", "show": "x", "wer": None}], HEADS))
    with pytest.raises(FormatError, match="row 2: a row is a mapping"):
        read(tmp_path, "[" + json.dumps(records[0]) + ", 3]", "t.json")


def scores(*metrics: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    reported = [{"metric": name, "values": values} for name, values in metrics]
    return {"references": ["r"], "documents": [{"id": "one", "scores": reported}], "scores": []}


def test_scores_are_named_after_their_file(tmp_path: Path) -> None:
    words = ("Words(weights='edits')", {"wer": 0.25, "hits": 3, "wil": None})
    heads = TableColumns("system", "show", "task", ("wer", "wil", "Words.hits", "eter"))
    (row,) = read(tmp_path, json.dumps(scores(words)), "google.json", heads)
    assert row.key == ("google", "one", "")
    assert row.numbers["wer"] == 0.25
    assert row.numbers["Words.hits"] == 3
    assert isinstance(row.numbers["wil"], Undefined)
    assert "eter" not in row.numbers
    assert row.conditions["wer"] == {"metric": words[0]}


def test_what_must_agree_is_read_off_signatures() -> None:
    metric, tail = "Words(unit='document')", "|bootstrap(resamples=9,seed=1)|caesura=0.1.0"
    plain = f"{metric}|references=1|documents=3|normalize=case|align=no{tail}"
    reported = measurement_conditions(metric, plain)
    assert reported["normalize"] == "case"
    assert (
        measurement_conditions(metric, plain.replace("documents=3", "documents=4|format=ctm"))
        == reported
    )
    lost = [plain.replace("align=no", f"align=words(lost={n})") for n in (1, 2)]
    assert (
        measurement_conditions(metric, lost[0])
        == measurement_conditions(metric, lost[1])
        != reported
    )
    for part in (
        "alternatives=3",
        "classes=3",
        "reference_format=nlp(entities='both')",
        "model=0123",
    ):
        assert (
            measurement_conditions(metric, plain.replace("|normalize", f"|{part}|normalize"))
            != reported
        )
    assert measurement_conditions(metric, "") == {"metric": metric}


def test_scores_and_tables_of_one_name(tmp_path: Path) -> None:
    text = json.dumps(scores(("Words()", {"wer": 0.25})))
    (tmp_path / "a.json").write_text(text)
    (tmp_path / "b.json").write_text(text)
    (tmp_path / "a.csv").write_text("system,show,wer\nc,one,1\n")
    found = read_rows([tmp_path / name for name in ("a.json", "a.csv", "b.json")], HEADS)
    assert [row.key[0] for row in found] == ["a", "c", "b"]


def test_comparisons_name_their_systems(tmp_path: Path) -> None:
    each = [scores(("Words()", {"wer": x})) | {"name": name} for name, x in (("a", 1), ("b", 2))]
    found = read(tmp_path, json.dumps({"systems": each}), "compared.json")
    assert [(row.key, row.numbers["wer"]) for row in found] == [
        (("a", "one", ""), 1),
        (("b", "one", ""), 2),
    ]


def test_a_value_that_two_metrics_give_must_be_told_apart(tmp_path: Path) -> None:
    text = json.dumps(scores(("Boundary()", {"f1": 0.5}), ("Joint()", {"f1": 0.7})))
    with pytest.raises(UnknownName, match=r"say Boundary\.f1 or Joint\.f1"):
        read(tmp_path, text, "a.json", TableColumns("system", "show", "task", ("f1",)))
    alike = json.dumps(scores(("Pk(k=2)", {"pk": 0.5}), ("Pk(k=3)", {"pk": 0.7})))
    with pytest.raises(UnknownName, match=r"say Pk\(k=2\)\.pk or Pk\(k=3\)\.pk"):
        read(tmp_path, alike, "b.json", TableColumns("system", "show", "task", ("pk",)))
    heads = TableColumns("system", "show", "task", ("Joint.f1", "Boundary().f1"))
    (row,) = read(tmp_path, text, "a.json", heads)
    assert row.numbers == {"Joint.f1": 0.7, "Boundary().f1": 0.5}


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"documents": []}',
        '{"documents": [{}]}',
        '{"systems": 3}',
        '{"systems": [{}]}',
        '{"a": ',
    ],
)
def test_other_json_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(FormatError) as raised:
        read(tmp_path, text, "a.json")
    assert "--format" not in str(raised.value)


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    for front in (
        b"",
        b"system,show,wer\n",
        b"[",
        b'{"documents": [',
        b'{"systems": [{"name": "a",',
    ):
        try:
            found = list(_file_rows(Source("t", front + data), "t", HEADS))
        except CaesuraError:
            continue
        assert all(row.key[0] and row.key[1] for row in found)


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(FormatError, match="cannot be read"):
        list(read_rows("absent.csv", HEADS))


def test_scores_without_values_have_none(tmp_path: Path) -> None:
    text = '{"documents": [{"id": "one", "scores": [{"metric": "Words()", "values": [1]}, 3]}]}'
    (row,) = read(tmp_path, text, "a.json")
    assert row.numbers == {}
