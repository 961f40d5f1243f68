"""`caesura project` as people use it."""

import json
from pathlib import Path

import pytest

from cli.running import Program

CTM = """\
call 1 0.0 0.4 we
call 1 0.4 0.4 met
call 1 0.8 0.3 knock
call 1 1.1 0.1 a
call 1 1.2 0.3 mura
call 1 1.5 0.2 in
call 1 1.7 0.3 may
"""
REFERENCE = {
    "id": "call",
    "words": ["we", "met", "Nakamura", "in", "May", "at", "Kodak"],
    "start": [0.0, 0.4, 0.8, 1.5, 1.7, None, None],
    "end": [0.4, 0.8, 1.5, 1.7, 2.0, None, None],
    "entities": [[2, 2, "PERSON"], [4, 4, "DATE"], [6, 6, "ORG"]],
}


@pytest.fixture
def recognised(tmp_path: Path) -> Path:
    path = tmp_path / "call.ctm"
    path.write_text(CTM)
    return path


@pytest.fixture
def reference(tmp_path: Path) -> Path:
    path = tmp_path / "reference.jsonl"
    path.write_text(json.dumps(REFERENCE))
    return path


def test_a_table_in_the_order_of_the_reference(
    caesura: Program, recognised: Path, reference: Path
) -> None:
    done = caesura("project", recognised, "--reference", reference)
    assert done.code == 0, done.err
    lines = [line.split() for line in done.out.splitlines()]
    assert ["0.80", "PERSON", "time", "0.12", "Nakamura", "knock", "a", "mura"] in lines
    assert ["ORG", "lost", "1.00", "Kodak"] in lines
    assert ["1.70", "DATE", "time", "0.00", "May", "may"] in lines
    assert done.out.endswith("\n\n3 entities: 2 by time, 0 by alignment, 1 lost\n")


def test_alternatives_are_looked_for(caesura: Program, tmp_path: Path) -> None:
    heard, said = ["twenty", "twenty", "was"], ["2020", "was", "twenty"]
    (tmp_path / "heard.jsonl").write_text(json.dumps({"id": "call", "words": heard}))
    (tmp_path / "said.jsonl").write_text(
        json.dumps({"id": "call", "words": said, "entities": [[0, 0, "DATE", "1"]]})
    )
    beside = {"1": {"candidates": [{"verbalization": ["twenty", "twenty"]}], "class": "DATE"}}
    (tmp_path / "call.norm.json").write_text(json.dumps(beside))
    terms = ("project", tmp_path / "heard.jsonl", "-r", tmp_path / "said.jsonl", "--json")
    found = [
        json.loads(caesura(*terms, *more).out)["recordings"][0]["entities"][0]["recognised_words"]
        for more in ((), ("--alternatives", tmp_path))
    ]
    assert found == ["twenty", "twenty twenty"]


def test_only_what_is_lost(caesura: Program, recognised: Path, reference: Path) -> None:
    done = caesura("project", recognised, "-r", reference, "--lost")
    assert "Kodak" in done.out
    assert "Nakamura" not in done.out
    done = caesura("project", recognised, "-r", reference, "--lost", "--json")
    (one,) = json.loads(done.out)["recordings"][0]["entities"]
    assert one["reference_words"] == "Kodak"


def test_recordings_that_lost_nothing_are_not_named(
    caesura: Program, recognised: Path, reference: Path
) -> None:
    reference.write_text(json.dumps(REFERENCE | {"entities": [[2, 2, "PERSON"]]}))
    done = caesura("project", recognised, "-r", reference, "--lost")
    assert done.out == "1 entity: 1 by time, 0 by alignment, 0 lost\n"


def test_only_chosen_classes(caesura: Program, recognised: Path, reference: Path) -> None:
    terms = ("project", recognised, "-r", reference)
    done = caesura(*terms, "--classes", "ORG", "--classes", "DATE", "--json")
    found = json.loads(done.out)
    assert [one["class"] for one in found["recordings"][0]["entities"]] == ["DATE", "ORG"]
    assert found["all"] == {"entities": 2, "time": 1, "alignment": 0, "lost": 1}
    done = caesura(*terms, "--classes", "PER")
    assert (done.code, done.out) == (1, "")
    assert "no entity of the reference is a 'PER'; its classes are DATE, ORG, PERSON" in done.err


def test_rows_fit_a_terminal(caesura: Program, tmp_path: Path) -> None:
    words = ["The", "Extraordinarily-Long", "Company", "of", "Llanfairpwllgwyngyll", "Limited"] * 3
    label = "ORGANISATION_OF_SOME_KIND"
    given = {"id": "call", "words": words, "entities": [[0, 16, label], [17, 17, label]]}
    (tmp_path / "said.jsonl").write_text(json.dumps(given))
    (tmp_path / "heard.jsonl").write_text(json.dumps({"id": "call", "words": words}))
    done = caesura("project", tmp_path / "heard.jsonl", "-r", tmp_path / "said.jsonl")
    lines = done.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[2].split("  ")[0] == "time"
    rows = [line for line in lines if "alignment  " in line]
    assert [row.split()[0] for row in rows] == ["ORGANISATION_OF…"] * 2
    assert rows[1].split()[-2:] == ["Limited", "Limited"]


def test_json_for_programs(caesura: Program, recognised: Path, reference: Path) -> None:
    done = caesura("project", recognised, "-r", reference, "--json")
    found = json.loads(done.out)
    assert found["all"] == {"entities": 3, "time": 2, "alignment": 0, "lost": 1}
    (recording,) = found["recordings"]
    assert recording["id"] == "call"
    assert recording["entities"][0] == {
        "class": "PERSON",
        "key": "",
        "reference": [2, 2],
        "reference_words": "Nakamura",
        "recognised": [2, 4],
        "recognised_words": "knock a mura",
        "by": "time",
        "distance": 0.125,
        "start": 0.8,
    }
    assert recording["entities"][1]["recognised"] == [6, 6]
    assert recording["entities"][2]["recognised"] == [7, 6]
    assert recording["entities"][2]["start"] is None


@pytest.mark.parametrize("to", ["jsonl", "bio"])
def test_recognised_words_with_entities(
    caesura: Program, recognised: Path, reference: Path, tmp_path: Path, to: str
) -> None:
    target = tmp_path / f"named.{to}"
    done = caesura("project", recognised, "-r", reference, "-o", target)
    assert (done.code, done.out) == (0, ""), done.err
    assert "3 entities: 2 by time, 0 by alignment, 1 lost" in done.err
    if to == "jsonl":
        written = json.loads(target.read_text())
        assert written["entities"] == [[2, 4, "PERSON"], [6, 6, "DATE"]]
        assert written["words"] == "we met knock a mura in may".split()
    else:
        tags = [line.split()[-1] for line in target.read_text().splitlines() if line]
        assert tags == ["O", "O", "B-PERSON", "I-PERSON", "I-PERSON", "O", "B-DATE"]
    again = caesura("project", target, "-r", target, "--json")
    assert json.loads(again.out)["all"]["lost"] == 0


def test_settings_change_the_result(caesura: Program, recognised: Path, reference: Path) -> None:
    shifted = recognised.parent / "late.ctm"
    rows = [line.split() for line in CTM.splitlines()]
    rows = [[*row[:2], str(float(row[2]) + 3), *row[3:]] for row in rows]
    shifted.write_text("\n".join(map(" ".join, rows)))
    near, far = (
        json.loads(caesura("project", shifted, "-r", reference, "--json", "--collar", seconds).out)
        for seconds in (0.5, 4)
    )
    assert near["all"] == {"entities": 3, "time": 0, "alignment": 2, "lost": 1}
    assert far["all"] == {"entities": 3, "time": 2, "alignment": 0, "lost": 1}
    pytest.importorskip("gruut_lang_en")
    done = caesura("project", recognised, "-r", reference, "--phones", "dictionary", "--json")
    assert json.loads(done.out)["recordings"][0]["entities"][0]["distance"] < 0.125


def test_what_is_refused(caesura: Program, recognised: Path, reference: Path) -> None:
    done = caesura("project", recognised, "-r", recognised)
    assert (done.code, done.out) == (1, "")
    assert "call.ctm: the reference has no entities; give one with entities" in done.err
    done = caesura("project", recognised, "-r", reference, "--json", "--to", "jsonl")
    assert done.code == 2
    done = caesura("project", recognised, "-r", reference, "--collar", "-1")
    assert done.code == 2
    done = caesura("project", recognised, "-r", reference, "--collar", "nan")
    assert done.code == 1
    assert "collar must be 0 seconds or more, not nan" in done.err


def test_another_recording_gets_a_warning(
    caesura: Program, recognised: Path, reference: Path
) -> None:
    doubt = "less than half of the words of the reference were recognised in call (0%)"
    assert doubt not in caesura("project", recognised, "-r", reference).err
    recognised.write_text("call 1 0.0 0.4 gestern\ncall 1 0.4 0.4 nicht\n")
    done = caesura("project", recognised, "-r", reference)
    assert done.code == 0
    assert doubt in done.err


def test_other_clocks_are_reported(caesura: Program, recognised: Path, reference: Path) -> None:
    start, end = ([at + later for at in (0.0, 0.4, 0.8, 1.5, 1.7, 2, 3)] for later in (60, 60.2))
    reference.write_text(json.dumps({**REFERENCE, "start": start, "end": end}))
    done = caesura("project", recognised, "-r", reference)
    assert "the times of call are too far from those of the reference to be of use" in done.err
    assert done.out.endswith("3 entities: 0 by time, 2 by alignment, 1 lost\n")


def test_punctuation_that_stands_alone_is_no_word(caesura: Program, tmp_path: Path) -> None:
    tags = {"Smith": "B-PER", "Kodak": "B-ORG"}
    words = "we met , Smith , of Kodak .".split()
    (tmp_path / "said.bio").write_text("".join(f"{w} {tags.get(w, 'O')}\n" for w in words))
    (tmp_path / "heard.txt").write_text("We met, smyth of kodac.\n")
    sides = (tmp_path / "heard.txt", "-r", tmp_path / "said.bio")
    done = caesura("project", *sides, "--json")
    assert "less than half" not in done.err
    (found,) = json.loads(done.out)["recordings"]
    places = [(each["reference"], each["recognised"]) for each in found["entities"]]
    assert places == [([3, 3], [2, 2]), ([6, 6], [4, 4])]
    written = caesura("project", *sides, "--to", "bio", "--output", "-").out.splitlines()
    assert [line.split("\t")[-1] for line in written if "B-" in line] == ["B-PER", "B-ORG"]
