"""Plain text of an utterance a line, and what is measured on it."""

import io
import json
import random
from pathlib import Path

import pytest

from caesura import api
from caesura.core.errors import FormatError, MismatchError
from caesura.core.transcript import Transcript
from caesura.formats.base import Source
from caesura.formats.plain import Utterances
from cli.running import Program

SAMPLES = Path(__file__).parent / "samples"
VOCABULARY = "the a cat dog sat ran on under mat it was quiet there".split()


@pytest.fixture
def caesura(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Program:
    return Program(capfd, monkeypatch)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """References, and two recognisers that hear nothing in every twentieth or tenth line."""
    chance = random.Random(1)
    said = [chance.choices(VOCABULARY, k=chance.randint(3, 9)) for _ in range(200)]

    def heard(wrong: float, every: int) -> list[str]:
        spoilt = [
            [chance.choice(VOCABULARY) if chance.random() < wrong else word for word in words]
            for words in said
        ]
        return ["" if at % every == 0 else " ".join(words) for at, words in enumerate(spoilt)]

    (tmp_path / "ref.txt").write_text("".join(" ".join(words) + "\n" for words in said))
    (tmp_path / "a.txt").write_bytes("".join(f"{line}\r\n" for line in heard(0.1, 20)).encode())
    (tmp_path / "b.txt").write_text("\n".join(heard(0.3, 10)))
    return tmp_path


def parsed(text: str) -> list[Transcript]:
    return list(Utterances().parse(Source("a.txt", text.encode())))


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a b\nc\n", ["a b", "c"]),
        ("a b\nc", ["a b", "c"]),
        ("a b\r\n\r\nc\r\n", ["a b", "", "c"]),
        ("\n \na\n\n", ["", "", "a", ""]),
        ("\n", [""]),
        ("...\na", ["", "a"]),
        ("今日は晴れ\n\nはい\n", ["今 日 は 晴 れ", "", "は い"]),
    ],
)
def test_each_line_is_a_recording_with_its_number(text: str, lines: list[str]) -> None:
    found = parsed(text)
    assert [" ".join(each.words) for each in found] == lines
    assert [each.id for each in found] == [str(number + 1) for number in range(len(lines))]
    assert all(each.sentences is None for each in found)


def test_reads_words_as_other_plain_text_does() -> None:
    found = parsed((SAMPLES / "utterances.txt").read_text("utf-8"))
    (whole,) = api.read(SAMPLES / "utterances.txt", format="lines")
    assert len(found) == 15
    assert [word for each in found for word in each.words] == list(whole.words)
    assert [len(each) for each in found if len(each) == 0] == [0] * 3


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf", b"\xff\xfe"])
def test_a_file_without_a_line_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.txt").write_bytes(data)
    with pytest.raises(
        FormatError, match=r"a\.txt: the file is empty: it needs a line for each utterance"
    ):
        list(api.read(tmp_path / "a.txt", format="utterances"))


def test_writes_a_line_a_recording_in_order() -> None:
    file = io.BytesIO()
    given = [
        Transcript(("a", "b"), id="x", mark=(",", ".")),
        Transcript((), id="y"),
        Transcript(("c\nd",), id="x"),
    ]
    Utterances().write(given, file)
    assert file.getvalue() == b"a, b.\n\nc d\n"


def test_is_never_guessed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("so it is\nyes\n\nno\n")
    (found,) = api.read(tmp_path / "a.txt")
    assert found.origin is not None
    assert found.origin.format == "lines"


def test_lines_are_scored_in_pairs(caesura: Program, folder: Path) -> None:
    given = [folder / "a.txt", "-r", folder / "ref.txt", "-m", "Words", "--format", "utterances"]
    done = caesura("score", *given, "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert [each["id"] for each in told["documents"]] == [str(line) for line in range(1, 201)]
    first = told["documents"][20]["scores"][0]["values"]
    said = (folder / "ref.txt").read_text().splitlines()[20].split()
    assert (first["wer"], first["deletions"], first["insertions"]) == (1, len(said), 0)
    score = told["scores"][0]
    low, high = score["intervals"]["wer"]
    assert low < score["values"]["wer"] < high
    assert "units=200 documents" in score["signature"]
    assert "format=utterances" in score["signature"]


def test_systems_are_tested_over_lines(caesura: Program, folder: Path) -> None:
    given = [folder / "a.txt", folder / "b.txt", "-r", folder / "ref.txt", "-m", "Words"]
    done = caesura("compare", *given, "--format", "utterances")
    assert done.code == 0, done.err
    assert "p rand" in done.out
    assert "units=200 documents" in done.out


def test_a_recogniser_that_heard_nothing_lacks_all_words(folder: Path) -> None:
    (folder / "mute.txt").write_text("\n" * 200)
    given = {"metric": "Words", "format": "utterances", "resamples": 0}
    scores = api.score(folder / "mute.txt", reference=folder / "ref.txt", **given)  # type: ignore[arg-type]
    said = len((folder / "ref.txt").read_text().split())
    assert (scores.values[0]["wer"], scores.values[0]["deletions"]) == (1, said)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (199, "1 recording is not in the hypothesis: '200'"),
        (1, "199 recordings are not in the hypothesis: '2', '3', '4', '5', '6', …"),
        (201, "1 recording is not in reference 1: '201'"),
    ],
)
def test_other_numbers_of_lines_are_one_error(folder: Path, lines: int, message: str) -> None:
    (folder / "c.txt").write_text("so\n" * lines)
    with pytest.raises(MismatchError) as caught:
        api.score(
            folder / "c.txt", reference=folder / "ref.txt", metric="Words", format="utterances"
        )
    assert str(caught.value).startswith(message)
