"""The front door: which format a file has, and where results go."""

import io
import json
from pathlib import Path

import pytest

from caesura import api
from caesura.core import registry
from caesura.core.atomic import atomic
from caesura.core.errors import AmbiguousFormat, CaesuraError, OutputError, UnknownName
from caesura.core.protocols import Format
from caesura.core.transcript import Transcript
from caesura.formats.asr.azure import Azure
from caesura.formats.base import Source
from caesura.formats.files import expand
from caesura.formats.recognize import choose_format

SAMPLES = Path(__file__).parent / "samples"


def chosen(path: Path) -> str:
    return choose_format(Source(str(path), path.read_bytes())).name


AMBIGUOUS = {
    "turns.txt",
    "tokens.txt",
    "utterances.txt",
    "kaldi.txt",
    "conllu-plus.conllup",
    "knp-juman.juman",
    "knp-lattice.cabocha",
}
"""Samples whose content alone fits several formats."""


@pytest.mark.parametrize("path", sorted(SAMPLES.iterdir()), ids=lambda path: path.name)
def test_samples_are_recognised_by_name_and_content(path: Path) -> None:
    if path.suffix == ".txt" and path.name in AMBIGUOUS:
        return
    assert chosen(path) == path.name.split(".")[0].split("-")[0]


@pytest.mark.parametrize("path", sorted(SAMPLES.iterdir()), ids=lambda path: path.name)
def test_samples_are_recognised_by_content_alone(path: Path) -> None:
    try:
        found = choose_format(Source("<stdin>", path.read_bytes())).name
    except AmbiguousFormat:
        assert path.name in AMBIGUOUS
    else:
        expected = path.name.split(".")[0].split("-")[0]
        assert found == expected or (path.name in AMBIGUOUS and found in ("lines", "text"))


@pytest.mark.parametrize(
    ("sample", "format", "asked"),
    [
        ("nlp.nlp", None, ""),
        ("nlp.nlp", "nlp", ""),
        ("nlp.nlp", "nlp(entities='tags')", ""),
        ("nlp.nlp", "nlp(entities='both')", "nlp(entities='both')"),
        ("nlp.nlp", "lines", "lines"),
        ("lines.txt", "lines", ""),
        ("lines.txt", "text", "text"),
    ],
)
def test_formats_are_remembered_that_files_do_not_tell(
    sample: str, format: str | None, asked: str
) -> None:
    (found,) = api.read(SAMPLES / sample, format=format)
    assert found.origin is not None
    assert found.origin.asked == asked


def test_an_ambiguous_file_is_an_error_that_lists_the_candidates() -> None:
    with pytest.raises(AmbiguousFormat, match=r"choose one with format= \(--format\): lines, text"):
        choose_format(Source("x.txt", b"One. Two.\nthree\nfour\nfive\nsix\nseven\neight\n"))


def test_binary_data_is_an_error_of_its_own() -> None:
    with pytest.raises(CaesuraError, match=r"x\.txt:1: byte 0 is not UTF-8 text"):
        choose_format(Source("x.txt", b"\x80\x81"))


def test_a_folder_without_transcripts_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "x.unknown").write_text("x")
    with pytest.raises(CaesuraError, match="no file of a known format"):
        list(expand([tmp_path]))


def test_atomic_leaves_nothing_behind(tmp_path: Path) -> None:
    target = tmp_path / "x.txt"

    def fail() -> None:
        with atomic(target) as file:
            file.write(b"half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert list(tmp_path.iterdir()) == []
    with atomic(target) as file:
        file.write(b"whole")
    assert target.read_bytes() == b"whole"
    assert target.stat().st_mode & 0o777 == 0o666 & ~_umask()


def _umask() -> int:
    import os

    current = os.umask(0)
    os.umask(current)
    return current


def test_a_folder_that_cannot_be_made_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError, match="cannot be written"), atomic(tmp_path / "file" / "x"):
        pass


def test_write_tells_the_format_by_suffix(tmp_path: Path) -> None:
    source = SAMPLES / "ctm.ctm"
    written = api.convert(source, output=tmp_path / "x.jsonl")
    assert written == [tmp_path / "x.jsonl"]
    assert list(api.read(written[0])) == list(api.read(source))


@pytest.mark.parametrize(
    ("to", "output", "what"),
    [
        ("azure", "x.json", "azure files can be read but not written"),
        ("azure", "-", "azure files can be read but not written"),
        ("rev", "folder/", "rev files can be read but not written"),
        (Azure(), "x.json", "azure files can be read but not written"),
        ("", "x.nlp", "nlp files can be read but not written"),
        ("", "x.xyz", "x.xyz: the output's name does not tell the format"),
    ],
)
def test_formats_that_are_only_read_are_refused_with_those_to_choose_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, to: str | Format, output: str, what: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CaesuraError) as caught:
        api.convert(SAMPLES / "ctm.ctm", to=to, output=output)
    said, _, names = str(caught.value).partition("; choose one with to= (--to): ")
    assert said == what
    writable = [name for name in registry.names("format") if registry.find("format", name).writable]
    assert names.split(", ") == writable
    assert {"whisper", "srt", "ctm", "jsonl"} < set(writable)
    assert list(tmp_path.iterdir()) == []


def test_a_suffix_names_the_formats_that_can_be_written_with_it(tmp_path: Path) -> None:
    with pytest.raises(AmbiguousFormat, match=r"\(--to\): conllu, bio$"):
        api.convert(SAMPLES / "ctm.ctm", output=tmp_path / "x.conll")
    api.convert(SAMPLES / "srt.srt", output=tmp_path / "x.json")
    assert "segments" in json.loads((tmp_path / "x.json").read_text())


@pytest.mark.parametrize("name", ["x.tsv", "x.TSV"])
def test_a_suffix_that_is_the_name_of_a_format_means_this_format(tmp_path: Path, name: str) -> None:
    api.convert(SAMPLES / "srt.srt", output=tmp_path / name)
    assert (tmp_path / name).read_text().startswith("start\tend\tspeaker\ttext\n")
    (again,) = api.read(tmp_path / name)
    assert again.words == next(api.read(SAMPLES / "srt.srt")).words
    api.convert(SAMPLES / "iwslt.tsv", to="iwslt", output=tmp_path / name)
    assert (tmp_path / name).read_bytes() == (SAMPLES / "iwslt.tsv").read_bytes()


def test_the_list_of_formats_says_which_can_be_written() -> None:
    rows = {row["name"]: row for row in api.catalogue("formats")["formats"]}
    assert rows["whisper"]["use"] == "read, write"
    assert rows["azure"]["use"] == "read"


def test_read_takes_transcripts_too() -> None:
    transcript = next(api.read(SAMPLES / "ctm.ctm"))
    assert list(api.read([transcript])) == [transcript]
    file = io.BytesIO()
    registry.parse("format", "jsonl").write([transcript], file)
    assert file.getvalue().startswith(b'{"id": "talk.A"')


def test_an_unknown_format_is_one_error_for_all_files(tmp_path: Path) -> None:
    for name in ("a.nlp", "b.nlp"):
        (tmp_path / name).write_bytes((SAMPLES / "nlp.nlp").read_bytes())
    with pytest.raises(UnknownName, match="'nlpp'"):
        list(api.read(tmp_path, format="nlpp"))
    with pytest.raises(UnknownName, match="bothh"):
        list(api.read(tmp_path, format="nlp(entities='bothh')"))


def test_files_that_fail_alike_share_one_message(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for number in range(4):
        (tmp_path / f"{number}.norm.json").write_text("{}")
    (tmp_path / "4.wer_tag.json").write_text("{}")
    (tmp_path / "said.txt").write_text("so it is\n")
    with pytest.raises(CaesuraError) as caught:
        list(api.read(tmp_path))
    shown = ", ".join(str(tmp_path / f"{number}.norm.json") for number in range(3))
    assert str(caught.value) == (
        "5 of 6 files could not be read: a file of alternatives or entity classes is no "
        f"transcript ({shown}, …); give *.norm.json as --alternatives and "
        "*.wer_tag.json as --entity-classes"
    )
    assert not caplog.messages
    (tmp_path / "damaged.json").write_text("{")
    with pytest.raises(CaesuraError, match="6 of 7 files could not be read, see above"):
        list(api.read(tmp_path))
    assert len(caplog.messages) == 2
    assert caplog.messages[0].startswith("5 files: a file of alternatives")
    assert f"{tmp_path}/damaged.json:1: not JSON" in caplog.messages[1]


def test_files_that_cannot_be_read_are_not_counted_as_unwritten(tmp_path: Path) -> None:
    (tmp_path / "said.txt").write_text("so it is\n")
    for name in "ab":
        (tmp_path / f"{name}.json").write_text("{")
    with pytest.raises(CaesuraError) as caught:
        api.write(api.read(tmp_path), output=f"{tmp_path}/out/", to="jsonl")
    assert str(caught.value).startswith("2 of 3 files could not be read: ")
    assert (tmp_path / "out" / "said.jsonl").exists()


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("talk.json", "talk"),
        ("talk.whisper.json", "talk"),
        ("meeting.2024.01.ctm", "meeting.2024.01"),
        ("talk.1.txt", "talk.1"),
        ("talk", "talk"),
    ],
)
def test_names_lose_suffix_and_format_only(name: str, stem: str) -> None:
    assert Source(f"folder/{name}", b"").stem == stem


@pytest.mark.parametrize("id", ["../../escape", "/tmp/escape", "a/b", ""])
def test_an_id_never_leads_out_of_the_folder(tmp_path: Path, id: str) -> None:
    folder = tmp_path / "deep" / "out"
    (written,) = api.write(Transcript(("a",), id=id), output=f"{folder}/", to="jsonl")
    assert written.parent == folder


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", ""),
        ("a.txt", " \n\r\n"),
        ("a.txt", "\ufeff"),
        ("a.ctm", "\n"),
        ("a.ctm", ";; nothing\n"),
        ("a.stm", ""),
        ("a.trn", ""),
        ("a.srt", ""),
        ("a.conllu", ""),
    ],
)
def test_an_empty_file_may_be_a_recording_of_no_words(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, name: str, content: str
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    (found,) = api.read(tmp_path)
    assert (found.id, found.words) == ("a", ())
    assert f"{name}: there are no words in it" in caplog.text
    (tmp_path / "said.txt").write_text("so it is\n")
    scores = api.score(tmp_path / name, reference=tmp_path / "said.txt", metric="Words")
    assert scores.values[0]["wer"] == 1


@pytest.mark.parametrize(("name", "format"), [("a.json", None), ("a", None), ("a.txt", "whisper")])
def test_an_empty_file_of_another_format_is_damaged(
    tmp_path: Path, name: str, format: str | None
) -> None:
    (tmp_path / name).write_text("\n")
    with pytest.raises(CaesuraError, match=f"{name}: the file is empty; .*--format lines"):
        list(api.read(tmp_path / name, format=format))
    (silent,) = api.read(tmp_path / name, format="lines")
    assert silent.words == ()
