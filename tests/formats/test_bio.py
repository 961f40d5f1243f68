"""Entities in columns, in all schemes."""

import io
from pathlib import Path

import pytest

from caesura.core.errors import FormatError
from caesura.core.transcript import Span, Transcript
from caesura.formats.base import Source
from caesura.formats.linguistic.bio import Bio, entities, iob2

SAMPLES = Path(__file__).parent / "samples"


def read(text: str, name: str = "names.bio") -> list[Transcript]:
    return list(Bio().parse(Source(name, text.encode())))


def sample(name: str) -> list[Transcript]:
    return read((SAMPLES / name).read_text("utf-8"), name)


def written(*transcripts: Transcript) -> str:
    file = io.BytesIO()
    Bio().write(transcripts, file)
    return file.getvalue().decode()


@pytest.mark.parametrize(
    ("scheme", "tags", "spans"),
    [
        ("IOB2", "B-PER I-PER B-PER O B-LOC", [(0, 1, "PER"), (2, 2, "PER"), (4, 4, "LOC")]),
        ("IOB1", "I-PER I-PER B-PER O I-LOC", [(0, 1, "PER"), (2, 2, "PER"), (4, 4, "LOC")]),
        ("IO", "I-PER I-PER I-PER O I-LOC", [(0, 2, "PER"), (4, 4, "LOC")]),
        ("bare IO", "PER PER O LOC MISC", [(0, 1, "PER"), (3, 3, "LOC"), (4, 4, "MISC")]),
        ("BIOES", "B-PER E-PER S-PER O S-LOC", [(0, 1, "PER"), (2, 2, "PER"), (4, 4, "LOC")]),
        ("BIOES", "B-PER E-PER I-PER O O", [(0, 1, "PER"), (2, 2, "PER")]),
        ("BILOU", "B-PER I-PER L-PER U-PER U-PER", [(0, 2, "PER"), (3, 3, "PER"), (4, 4, "PER")]),
        ("torn", "I-PER I-LOC O I-x-y O", [(0, 0, "PER"), (1, 1, "LOC"), (3, 3, "x-y")]),
        ("no class", "B I O _ B", [(0, 1, ""), (4, 4, "")]),
    ],
)
def test_schemes(scheme: str, tags: str, spans: list[tuple[int, int, str]]) -> None:
    expected = [Span(*span) for span in spans]
    found = list(entities(tags.split()))
    assert found == expected, scheme
    assert list(entities(iob2(found, 5, "bio"))) == found


def test_sample() -> None:
    (found,) = sample("bio.bio")
    # the hash begins no comment; words may have blanks inside; an empty word stays a row
    assert found.words[:5] == ("#Oslo", "harbour", "is", "New York", "Ana")
    assert found.words[5:] == ("", "\u200e", "creative", "bye")
    assert found.entities == (
        Span(0, 1, "LOC"),
        Span(3, 3, "LOC"),
        Span(4, 4, "PER"),
        Span(7, 7, "creative-work"),
    )
    assert found.sentences is not None
    assert found.sentences.gaps.tolist() == [4, 8]
    assert read(written(found)) == [found.replace(id="names")]


def test_documents_and_parts_of_speech() -> None:
    one, two = sample("bio-io.conll")
    assert (one.id, two.id) == ("bio-io-1", "bio-io-2")
    assert one.subtag == ("NNP", "NNP", "VBZ", ".")
    assert one.entities == (Span(0, 1, "PER"),)
    # IO cannot part two places side by side
    assert two.entities == (Span(0, 1, "LOC"), Span(2, 2, "ORG"))


def test_lemma_in_five_columns() -> None:
    (found,) = sample("bio-bioes.tsv")
    assert found.lemma == ("Ana", "Maria", "Lima", "fahren", "Oslo", "")
    assert found.subtag == ("NE", "NE", "NE", "VVFIN", "NE", "")
    assert found.entities == (Span(0, 2, "PER"), Span(4, 4, "LOC"), Span(5, 5, "LOC"))


def test_an_entity_ends_with_its_sentence() -> None:
    (found,) = read("Ana I-PER\n\nLima I-PER\n")
    assert found.entities == (Span(0, 0, "PER"), Span(1, 1, "PER"))


def test_writes_tabs_and_documents() -> None:
    one = Transcript(("Ana", "Lima"), entities=(Span(0, 1, "a person"),))
    two = Transcript(("Bye\tbye",), entities=())
    assert (
        written(one, two) == "Ana\tB-a_person\nLima\tI-a_person\n\n-DOCSTART-\tO\n\nBye bye\tO\n\n"
    )


def test_overlapping_entities_give_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    inner = Transcript(("Bank", "of", "Oslo"), entities=(Span(0, 2, "ORG"), Span(2, 2, "LOC")))
    assert written(inner) == "Bank\tB-ORG\nof\tI-ORG\nOslo\tI-ORG\n\n"
    assert "1 entity overlaps" in caplog.text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Ana B-PER\nLima\n", "names.bio:2: 'Lima' has no tag"),
        ("the DT\ncat NN\n", "names.bio: the last column holds no entity tags but 'DT'"),
    ],
)
def test_errors_say_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(text)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("Ana\tB-PER\nis\tO\n\nso\tO\n", True),
        ("-DOCSTART- O\n\nAna I-PER\nis O\n", True),
        ("i\tO\nsee\tPERIOD\n", False),  # IWSLT
        ("i\tO\nsee\tO\n", False),
        ("To be or\nnot to be O\n", False),
        ("", False),
    ],
)
def test_recognises_tags(text: str, known: bool) -> None:
    assert Bio.recognises(Source("x.txt", text.encode())) is known


TOTALS = {
    "ner/wikigold/wikigold.conll.txt": (145, 39007, 3558),
    "ner/wnut17/train/wnut17train.conll": (1, 62730, 1975),
    "ner/wnut17/dev/emerging.dev.conll": (1, 15733, 836),
    "ner/wnut17/test/emerging.test.annotated": (1, 23394, 1079),
    "ner/sec-filings/train/FIN5.txt": (5, 41010, None),
    "ner/sec-filings/test/FIN3.txt": (3, 13246, None),
    "ner/btc/a.conll": (1, 16612, 521),
    "ner/btc/b.conll": (1, 30825, 1610),
    "ner/btc/e.conll": (1, 3981, 325),
    "ner/btc/f.conll": (1, 35427, 4376),
    "ner/btc/g.conll": (1, 34062, 4685),
    "ner/btc/h.conll": (1, 29480, 3368),
    "formats/bio/btc_e.conll": (1, 3981, 325),
    "formats/bio/megagon_gsd_dev.bio": (1, 12287, 795),
}
"""Recordings, words and entities (btc: 150,387 and 14,885 in all)."""


@pytest.mark.parametrize("name", TOTALS)
def test_totals(name: str, corpora: Path) -> None:
    source = Source(name, (corpora / name).read_bytes())
    found = list(Bio().parse(source))
    recordings, words, spans = TOTALS[name]
    assert Bio.recognises(source)
    assert (len(found), sum(map(len, found))) == (recordings, words)
    assert spans is None or sum(len(t.entities or ()) for t in found) == spans


@pytest.mark.parametrize("name", ["ner/sec-filings/train/FIN5.txt", "ner/btc/f.conll"])
def test_entities_by_slow_means(name: str, corpora: Path) -> None:
    text = (corpora / name).read_text("utf-8")
    found = [
        (words, label)
        for t in read(text)
        for first, last, label, _ in t.entities or ()
        for words in [" ".join(t.words[first : last + 1])]
    ]
    expected: list[tuple[str, str]] = []
    before = "O"
    for line in text.split("\n"):
        cells = line.split("\t") if "\t" in line else line.split(" ")
        tag = cells[-1] if line.strip() else "O"
        if tag[0] == "B" or (tag[0] == "I" and tag[2:] != before[2:]):
            expected.append((cells[0], tag[2:]))
        elif tag[0] == "I":
            expected[-1] = (f"{expected[-1][0]} {cells[0]}", tag[2:])
        before = tag
    assert found == expected
