"""Plain text in its four kinds."""

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core.errors import FormatError
from caesura.core.protocols import Format
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.formats.base import Source
from caesura.formats.builder import Rows
from caesura.formats.plain import Lines, Text, TextBuilder, Tokens, Turns

SAMPLES = Path(__file__).parent / "samples"


def read(format: Lines | Text | Tokens | Turns, text: str, name: str = "talk.txt") -> Transcript:
    (found,) = format.parse(Source(name, text.encode()))
    return found


def sample(format: Lines | Text | Tokens, name: str) -> Transcript:
    return read(format, (SAMPLES / name).read_text("utf-8"), name)


def written(format: Format, transcript: Transcript) -> str:
    file = io.BytesIO()
    format.write([transcript], file)
    return file.getvalue().decode()


def sentences(transcript: Transcript) -> list[str]:
    return [sentence.text for sentence in transcript.iter_sentences()]


def labels(transcript: Transcript) -> list[str]:
    inner = transcript.sentences
    assert inner is not None
    assert inner.label is not None
    return [inner.label[gap] for gap in inner.gaps]


def kinds(text: str) -> list[str]:
    source = Source("x.txt", text.encode())
    return [format.name for format in (Lines, Text, Turns, Tokens) if format.recognises(source)]


def test_lines_are_sentences() -> None:
    found = sample(Lines(), "lines.txt")
    assert found.id == "lines"
    assert sentences(found) == [
        "Good morning, everyone.",
        "Is Mr. Okafor (from the U.S. office) here?",
        "Not yet , but he is on his way .",
        "he said: “five minutes”",
    ]
    assert labels(found) == [".", "?", ".", ""]
    assert found.words[3:11] == ("Is", "Mr.", "Okafor", "from", "the", "U.S.", "office", "here")
    assert found.mark is not None
    assert found.mark[12] == " ,"
    assert found.blank is None


def test_marks_inside_a_line_end_nothing() -> None:
    assert sentences(read(Lines(), "One. Two!\nThree")) == ["One. Two!", "Three"]


def test_characters_are_words_where_there_are_no_blanks() -> None:
    found = sample(Lines(), "lines-ja.txt")
    assert found.words == tuple("明日は雨です傘は2本ありますか")
    assert sentences(found) == ["明日は雨です。", "「傘」は2本ありますか？"]
    assert labels(found) == [".", "?"]
    assert found.text == "明日は雨です。「傘」は2本ありますか？"
    spaced = read(Lines(), "明日 は 雨 です 。\n傘 は ？\n")
    assert spaced.words == ("明日", "は", "雨", "です", "傘", "は")


def test_running_text_ends_sentences_at_marks_and_empty_lines() -> None:
    found = sample(Text(), "text.txt")
    assert sentences(found) == [
        "The ferry leaves at 9.30, from the new pier.",
        "Dr. Lindqvist waits there;",
        "she has the tickets -- all three!",
        "no mark here",
        "Who knows?",
    ]
    assert labels(found) == [".", ";", "!", "", "?"]


def test_the_marks_can_be_chosen() -> None:
    text = "Wait; stop! Now."
    assert sentences(read(Text(), text)) == ["Wait;", "stop!", "Now."]
    assert sentences(read(Text(marks="."), text)) == ["Wait; stop! Now."]
    assert sentences(read(Turns(marks="!"), text)) == ["Wait; stop!", "Now."]


def test_running_text_without_blanks() -> None:
    found = sample(Text(), "text-ja.txt")
    assert sentences(found) == ["明日は雨です。", "傘はありますか？", "はい、あります。"]
    assert found.text == "明日は雨です。傘はありますか？はい、あります。"


def test_turns_end_sentences_too_and_empty_lines_end_recordings() -> None:
    source = Source("talks.txt", (SAMPLES / "turns.txt").read_bytes())
    one, two = Turns().parse(source)
    assert (one.id, two.id) == ("talks-1", "talks-2")
    assert sentences(one) == [
        "Good morning.",
        "Shall we start?",
        "Yes, please",
        "The ferry leaves at nine.",
        "From which pier?",
        "Pier B;",
        "it is new.",
    ]
    assert sentences(two)[3:] == ["Come in.", "-- sorry", "Thanks."]
    assert read(Turns(), "\n\nAlone.\n\n\n").id == "talk"
    assert list(Turns().parse(Source("x", b"\n \n"))) == []
    assert [t.id for t in Turns().parse(Source("<bytes>", b"a\n\nb"))] == ["1", "2"]


def test_tokens_are_kept() -> None:
    found = sample(Tokens(), "tokens.txt")
    assert found.words[:5] == ("The", "ferry", "'s", "late", ".")
    assert found.sentences is not None
    assert len(found.sentences.gaps) == 8
    odd = read(Tokens(), "a\u00a0b\u2028c  d\r\n\n…\t.")
    assert odd.words == ("a\u00a0b\u2028c", "d", "…\t.")


def test_writes_lines_text_turns_and_tokens() -> None:
    words = ("Yes", "I", "do", "so")
    told = Segmentation.of_gaps(4, [0, 2, 3])
    given = Transcript(words, mark=(".", "", "", ""), sentences=told)
    assert written(Lines(), given) == "Yes.\nI do\nso\n"
    assert written(Text(), given) == "Yes. I do\n\nso\n"
    assert written(Turns(), given) == "Yes.\nI do\nso\n"
    assert written(Tokens(), given) == "Yes\nI do\nso\n"
    for format in (Lines(), Text(), Turns()):
        (back,) = format.parse(Source("", written(format, given).encode()))
        assert back.sentences is not None
        assert back.sentences.gaps.tolist() == [0, 2, 3]
    bare = Transcript(("a b", "c"))
    assert written(Text(), bare) == written(Lines(), bare) == "a b c\n"
    assert written(Tokens(), bare) == "a_b c\n"
    file = io.BytesIO()
    Turns().write([given, Transcript(()), bare], file)
    assert file.getvalue() == b"Yes.\nI do\nso\n\na b c\n"


def test_an_empty_file_has_no_words() -> None:
    for format in (Lines(), Text(), Tokens()):
        assert len(read(format, "\n")) == 0
    assert len(read(Lines(), "--\n...\n")) == 0


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(FormatError, match=r"talk\.txt:2: byte 3 is not UTF-8 text"):
        list(Lines().parse(Source("talk.txt", b"ab\n\xff")))


def test_one_line_or_many_inner_ends_are_text_and_few_are_lines() -> None:
    assert kinds("Only one line.\n\n") == ["text"]
    assert kinds("One.\nTwo three?\n") == ["lines"]
    assert kinds("One. And two.\nThree? Yes.\nFour\n") == ["text"]
    assert kinds("One. And two.\n" + "Three.\n" * 9) == []
    assert kinds("明日は雨です。\n傘はありますか？\n") == ["lines"]
    assert kinds("明日は雨です。傘はありますか？\nはい。ある。\n") == ["text"]
    assert kinds("") == kinds("\n") == []


@pytest.mark.parametrize(
    "columned",
    [
        "Line\tSpkr\tStTime\tContent\tEnTime\n1\tint\t0.5\tHi there.\t1.2\n",
        "well\tO\nyes\tPERIOD\n",
        "Wall B-ORG\nStreet I-ORG\nfell O\n\nit O\n",
        "EU NNP B-NP B-ORG\nrejects VBZ B-VP O\n",
        "f1 A 0.0 0.5 hello 0.9\nf1 A 0.5 0.5 you 0.8\n",
        "f1 1 ann 0.0 1.5 hello you\nf1 1 bob 1.5 2.5 yes\n",
        "token|speaker|ts|endTs\nHi|1|0.1|0.5\n",
        "1\n00:00:01,000 --> 00:00:02,000\nHello.\n",
        "WEBVTT\n\nHello\n",
        '{"words": ["a"]}\n',
        '[\n  {"a": 1}\n]\n',
        "<tt>\n<p>Hello</p>\n</tt>\n",
        'File type = "ooTextFile"\nObject class = "TextGrid"\n',
        "# text = Hello\n1\tHello\thello\n",
    ],
)
def test_columns_cues_and_markup_are_no_plain_text(columned: str) -> None:
    assert kinds(columned) == []


def test_brackets_do_not_make_markup() -> None:
    assert kinds("[laughter] Well\n(Applause.)\n") == ["lines"]
    assert kinds("I AGREE\nYES SIR\nIT IS 9 TO 5 THERE\n") == ["lines"]


SURFACES = st.sampled_from(
    ["Yes,", "--", "(", "no.", "“", "U.S.", "...", "ok", "?", "¿", "a-", '"']
)


@given(surfaces=st.lists(SURFACES, max_size=12))
def test_a_line_is_read_as_rows_read_its_words(surfaces: list[str]) -> None:
    rows = Rows()
    for surface in surfaces:
        rows.token(surface)
    text = TextBuilder()
    text.add(" ".join(surfaces))
    assert text.transcript("").only(("opening", "mark")) == rows.transcript()


@given(lines=st.lists(st.lists(SURFACES, min_size=1, max_size=4), max_size=5))
def test_lines_keep_their_sentences_whatever_the_punctuation(lines: list[list[str]]) -> None:
    found = read(Lines(), "\n".join(map(" ".join, lines)))
    expected = [said(line) for line in lines if said(line)]
    assert [list(s.words) for s in found.iter_sentences()] == expected


def said(line: list[str]) -> list[str]:
    bare = {"Yes,": "Yes", "no.": "no", "U.S.": "U.S.", "ok": "ok", "a-": "a-"}
    return [bare[surface] for surface in line if surface in bare]


def test_wisebe(corpora: Path) -> None:
    counts = []
    names = ["references/reference_1", "references/reference_2", "references/reference_3"]
    for name in [*names, "candidate/candidate_A", "candidate/candidate_B"]:
        source = Source(name, (corpora / "wisebe" / f"{name}.txt").read_bytes())
        assert Lines.recognises(source)
        assert not Text.recognises(source)
        (found,) = Lines().parse(source)
        assert found.sentences is not None
        counts.append((len(found), len(found.sentences.gaps)))
    assert counts == [(1602, 99), (1602, 88), (1602, 40), (1602, 109), (1602, 93)]


def test_text_en(corpora: Path) -> None:
    for name, documents, surfaces in (("ami", 137, 683_832), ("us_presidents", 65, 302_848)):
        data = (corpora / "text-en" / f"{name}.txt").read_bytes()
        found = list(Turns().parse(Source(f"{name}.txt", data)))
        assert [t.id for t in found] == [f"{name}-{n}" for n in range(1, documents + 1)]
        texts = [document for document in data.decode().split("\n\n") if document.strip()]
        assert [t.text.split() for t in found] == [text.split() for text in texts]
        assert sum(len(text.split()) for text in texts) == surfaces
        for transcript, text in zip(found, texts, strict=True):
            assert transcript.sentences is not None
            lines = [line for line in text.split("\n") if any(map(str.isalnum, line))]
            assert len(transcript.sentences.gaps) >= len(lines)


def test_tokens_of_nltk(corpora: Path) -> None:
    for path in sorted((corpora / "jp-table1").glob("*/nltk.txt")):
        data = path.read_bytes()
        (found,) = Tokens().parse(Source(str(path), data))
        lines = [line.split(" ") for line in data.decode().split("\n") if line]
        assert [list(s.words) for s in found.iter_sentences()] == lines
        assert written(Tokens(), found).encode() == data.rstrip(b"\n") + b"\n"
