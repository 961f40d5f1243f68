"""Utterances a line: sclite's TRN and Kaldi's text."""

import io
from pathlib import Path

import pytest

from caesura import api
from caesura.core.errors import FormatError, OutputError
from caesura.core.protocols import Format
from caesura.core.transcript import Span, Transcript
from caesura.formats.base import Source
from caesura.formats.nist.trn import Kaldi, Trn

SAMPLES = Path(__file__).parent / "samples"


def parsed(text: str) -> list[Transcript]:
    return list(Trn().parse(Source("a.trn", text.encode())))


def written(format: Format, *transcripts: Transcript) -> str:
    file = io.BytesIO()
    format.write(transcripts, file)
    return file.getvalue().decode()


def test_reads_utterances_and_alternatives() -> None:
    one, two, three, four = api.read(SAMPLES / "trn.trn")
    assert [
        each.id for each in (one, two, three, four)
    ] == "ana-001 ana-002 ben-003 ben-004".split()
    assert one.text == "Good morning, everyone."
    assert two.words == tuple("we met twenty people uh in New York".split())
    assert two.alternatives == (Span(2, 2, "20"), Span(4, 4, ""))
    assert (three.words, three.alternatives) == ((), None)
    assert four.words == ("[laughter]", "it's", "a", "lot", "isn't", "it")
    assert four.alternatives == (Span(2, 3, ""), Span(2, 3, "alot"))


@pytest.mark.parametrize(
    ("text", "words", "alternatives"),
    [
        ("{ @ / a b } c (x)", "a b c", (Span(0, 1, ""),)),
        ("{ @ / @ } c (x)", "c", None),
        ("{ a } / @ (b) (x)", "a @ b", None),
        ("a { b, / b / see. d! } (x)", "a b", (Span(1, 1, "b"), Span(1, 1, "see d"))),
        ("{ a / { b / c } d } (x)", "a", (Span(0, 0, "b d"), Span(0, 0, "c d"))),
        (
            "{ { @ / a } { b / c } } (x)",
            "b",
            (Span(0, 0, "a b"), Span(0, 0, "a c"), Span(0, 0, "c")),
        ),
        (f"{'{ ' * 5000} a {'} ' * 5000} (x)", "a", None),
    ],
)
def test_alternatives(text: str, words: str, alternatives: tuple[Span, ...] | None) -> None:
    (found,) = parsed(text)
    assert found.words == tuple(words.split())
    assert found.alternatives == alternatives


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a (x)\nb\n", "a.trn:2: a line does not end in the id of its utterance; write it"),
        ("a (x y)\n", "a.trn:1: a line does not end in the id"),
        ("a ()\n", "a.trn:1: a line does not end in the id"),
        ("a (x)\n\n;; b\nc (x)\n", "a.trn:4: the utterance 'x' comes again"),
        ("{ a / b (x)\n", "a.trn:1: an alternative that begins with { is not closed"),
        ("{ a / { b / c } (x)\n", "a.trn:1: an alternative that begins with { is not closed"),
        (f"{{ {'{ a / b } ' * 7}}} (x)\n", "a.trn:1: an alternative can be read in more than 100"),
    ],
)
def test_refuses_what_is_no_trn(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        parsed(text)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b (x1)\n(x2)\n", True),
        ("a b (x1)\n;; c\nd (x2)\n", True),
        ("a b (x1)\n", False),
        ("a b (x1)\nc (x1)\n", False),
        ("a b (x1)\nc\n", False),
        ("So it is (laughs)\nno (coughs)\n", False),
        ("", False),
    ],
)
def test_recognises_ids(text: str, expected: bool) -> None:
    assert Trn.recognises(Source("a.txt", text.encode())) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ana-001 good morning\nana-002 yes\n\nben-003\n", True),
        ("84-121123-0000 go\n84-121123-0001 do you hear\n", True),
        ("ana-001 good morning\n", False),
        ("ana-001 good morning\nana-001 yes\n", False),
        ("ana-001 good morning\nyes\n", False),
        ("1. Go there.\n2. Come back.\n", False),
        ("2019 was good\n2020 was not\n", False),
        ("00:01 hello\n00:02 yes\n", False),
        ("q1\nq2\n", False),
    ],
)
def test_a_warning_tells_of_ids_before_utterances(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, text: str, expected: bool
) -> None:
    for name in ("ref.txt", "text"):
        (tmp_path / name).write_text(text)
    (found,) = api.read(tmp_path / "ref.txt")
    assert (found.origin is not None and found.origin.format) in ("lines", "text")
    assert ("--format kaldi" in caplog.text) == expected
    first = next(api.read(tmp_path / "text"))
    assert (first.origin is not None and first.origin.format == "kaldi") == expected


def test_the_suffix_kaldi_names_the_format(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "ref.kaldi").write_text("x good morning\n")
    (found,) = api.read(tmp_path / "ref.kaldi")
    assert (found.id, found.words) == ("x", ("good", "morning"))
    assert not caplog.messages


def test_writes_utterances() -> None:
    given = Transcript(("a", "b"), id="x y", mark=(",", "")), Transcript((), id="z")
    assert written(Trn(), *given) == "a, b (x_y)\n(z)\n"
    assert written(Kaldi(), *given) == "x_y a, b\nz\n"


@pytest.mark.parametrize(
    ("words", "id", "message"),
    [
        (("{",), "x", "begins an alternative"),
        ((";;a",), "x", "would be a comment"),
        (("a",), "x(1)", "has brackets"),
    ],
)
def test_refuses_to_write_what_would_be_read_otherwise(
    words: tuple[str, ...], id: str, message: str
) -> None:
    with pytest.raises(OutputError, match=message):
        written(Trn(), Transcript(words, id=id))


@pytest.mark.parametrize("format", [Trn(), Kaldi()], ids=["trn", "kaldi"])
def test_refuses_to_write_an_id_twice(format: Format) -> None:
    with pytest.raises(OutputError, match="two recordings would be 'x'"):
        written(format, Transcript(("a",), id="x"), Transcript(("b",), id="x"))


def test_reads_kaldi() -> None:
    found = list(api.read(SAMPLES / "kaldi.txt", format="kaldi"))
    assert [each.id for each in found[:3]] == ["ana-001", "ana-002", "ben-003"]
    assert found[0].words == ("good", "morning", "everyone")
    assert found[2].words == ()
    assert found[3].words == ("<unk>", "it's", "a", "lot", "[noise]")
    with pytest.raises(FormatError, match=r"a:2: the utterance 'x' comes again"):
        list(Kaldi().parse(Source("a", b"x a\nx b\n")))


def test_the_nearest_alternative_is_scored(tmp_path: Path) -> None:
    said, found = tmp_path / "said.trn", tmp_path / "found.trn"
    said.write_text("hello (x1)\nwe saw { twenty / 20 } cats (x2)\n")
    found.write_text("we saw 20 cats (x2)\nhell (x1)\n")
    values = api.score(found, reference=said, metric="Words", resamples=0).values[0]
    assert (values["hits"], values["substitutions"], values["wer"]) == (4, 1, 0.2)
