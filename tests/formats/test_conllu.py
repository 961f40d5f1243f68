"""CoNLL-U as treebanks have it: of text and of speech, with multiword tokens and bunsetsu."""

import io
import logging
import re
from pathlib import Path

import conllu
import numpy as np
import pytest

from caesura.core.errors import FormatError, UnknownName
from caesura.core.registry import parse
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Span, Transcript
from caesura.formats.base import Source
from caesura.formats.linguistic import conllu_rows
from caesura.formats.linguistic.conllu import ConllU

SAMPLES = Path(__file__).parent / "samples"


def read(text: str, name: str = "tree.conllu", columns: str = "") -> list[Transcript]:
    return list(ConllU(columns).parse(Source(name, text.encode())))


def sample(name: str) -> list[Transcript]:
    return read((SAMPLES / name).read_text("utf-8"), name)


def written(*transcripts: Transcript) -> str:
    file = io.BytesIO()
    ConllU().write(transcripts, file)
    return file.getvalue().decode()


def row(*cells: str) -> str:
    """A row that says what is given and leaves the rest of the ten columns open."""
    return "\t".join([*cells, *["_"] * (10 - len(cells))]) + "\n"


def test_words_and_layers(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="caesura"):
        market, harbour = sample("conllu.conllu")
    assert "1 empty node is left out" in caplog.text
    assert market.words == ("We", "ca", "n't", "wait", ",", "she", "said", ".", "1 000", "eggs")
    assert market.text == "We can't wait, she said. 1 000 eggs"
    assert market.lemma is not None
    assert market.lemma[:4] == ("we", "can", "not", "wait")
    assert market.tag is not None
    assert market.tag[:4] == ("PRON", "AUX", "PART", "VERB")
    assert market.subtag is not None
    assert market.subtag[-1] == "NNS"
    assert market.features is not None
    assert market.features[0] == "Case=Nom|Number=Plur"
    assert market.relation is not None
    assert market.relation[-2:] == ("nummod", "root")
    assert market.head is not None
    assert market.head.tolist() == [3, 3, 3, 6, 3, 6, 6, 6, 9, 9]
    assert market.multiwords == (Span(1, 2, "can't"),)
    assert market.sentences is not None
    assert market.sentences.gaps.tolist() == [7, 9]
    assert (market.id, harbour.id) == ("market", "harbour")
    assert harbour.words == ("_", "Oslo", "harbour")
    assert harbour.lemma == ("", "Oslo", "harbour")
    assert harbour.entities == (Span(1, 2, "LOC"),)
    assert harbour.features is None


def test_times_speakers_and_recordings_of_speech() -> None:
    boats, bread = sample("conllu-times.conllu")
    assert (boats.id, bread.id) == ("REC_01_Boats", "REC-02")
    assert boats.words == ("<", "de", "boat", "#", "dey", "come", "//", "ehm")
    unknown = np.nan
    assert boats.start is not None
    assert boats.end is not None
    # 0 at the beginning is a time, later it is none; `come` ends before it begins
    np.testing.assert_equal(boats.start, [0, 0, 0.31, 0.64, unknown, unknown, 1.5, 1.8])
    np.testing.assert_equal(boats.end, [0, 0.31, 0.64, 0.9, 1.1, unknown, 1.5, unknown])
    assert boats.speaker == ("Sp1",) * 7 + ("Sp2",)
    assert bread.speaker == ("L1",) * 3
    assert bread.start is not None
    assert bread.start.tolist() == [0.02, 0.02, 0.18]
    assert bread.text == "du pain"


def test_bunsetsu() -> None:
    (found,) = sample("conllu-bunsetsu.conllu")
    assert found.cluster is not None
    assert found.cluster.tolist() == [True, False, True, False, True, False, False]
    assert found.text == "港に船が着いた。"
    assert found.entities == (Span(2, 2, "SHIP"),)
    assert found.id == "conllu-bunsetsu"


def test_unusual_but_legal_lines() -> None:
    (found,) = sample("conllu-odd.conllu")
    assert found.words == ("go", "home", "now")
    assert found.head is not None
    assert found.head.tolist() == [-1, 0, 2]
    assert found.sentences is not None
    assert found.sentences.gaps.tolist() == [1, 2]
    assert (found.opening, found.mark) == (("", "(", ""), ("", ".|", ""))
    assert found.speaker == ("", "a b", "")
    assert found.id == "conllu-odd"


def test_other_columns() -> None:
    (found,) = sample("conllu-plus.conllup")
    assert found.text == "Good morning!"
    assert found.head is not None
    assert found.head.tolist() == [1, 1, 1]
    assert found.lemma is None


def test_only_some_columns() -> None:
    text = (SAMPLES / "conllu.conllu").read_text("utf-8")
    whole, few = read(text), read(text, columns="UPOS HEAD")
    assert [t.only(("tag", "head", "multiwords", "sentences")) for t in whole] == few
    assert parse("format", "conllu(columns='UPOS HEAD')") == ConllU("UPOS HEAD")


def test_a_multiword_token_gives_its_last_word_the_blank_and_all_its_time() -> None:
    text = "1-2\tzum" + 7 * "\t_" + "\tSpaceAfter=No|AlignBegin=10|AlignEnd=90\n"
    (found,) = read(text + row("1", "zu") + row("2", "dem") + row("3", "."))
    assert found.text == "zum."
    assert found.start is not None
    np.testing.assert_equal(found.start, [0.01, 0.01, np.nan])


def test_documents_without_an_id_are_numbered() -> None:
    block = row("1", "Yes") + "\n"
    assert [t.id for t in read(f"# newdoc\n{block}# newdoc\n{block}")] == ["tree-1", "tree-2"]
    assert [t.id for t in read(f"{block}# newdoc id = b\n{block}")] == ["tree-1", "b"]


@pytest.mark.parametrize(
    ("names", "ids"),
    [
        (["A-1", "A-2", "B-1"], ["A", "B"]),
        (["A__1", "B-x__1", "B-x__2"], ["A", "B-x"]),
        (["A-1", "B-1", "A-2"], ["tree"]),  # parts of documents in disorder are no recordings
        (["A-1", "last"], ["tree"]),
        (["test-s1", "test-s2"], ["tree"]),
    ],
)
def test_recordings_by_the_front_of_sent_id(names: list[str], ids: list[str]) -> None:
    text = "".join(f"# sent_id = {name}\n" + row("1", "Yes") + "\n" for name in names)
    assert [t.id for t in read(text)] == ids


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\tGo\n", "tree.conllu:1: a row has 2 columns where 10 are needed"),
        (row("1", "Go") + row("3", "on"), "tree.conllu:2: id '3' stands where 2 should"),
        (row("1", "Go") + row("1", "on"), "tree.conllu:2: id '1' stands where 2 should"),
        (row("01", "Go"), "tree.conllu:1: id '01' stands where 1 should"),
        (row("1", "Go", *"____", "2"), "tree.conllu:1: head '2' is no word of the sentence"),
        (row("1", "Go", *"____", "x"), "tree.conllu:1: head 'x' is no word of the sentence"),
        (row("1", ""), "tree.conllu:1: a word is empty"),
        ("# a\n" + row("1-2", "Go") + row("1", "Go"), "tree.conllu:2: a multiword token goes on"),
        (row("1-0", "Go") + row("1", "Go"), "id '1-0' stands where 1 should"),
        ("# global.columns = FORM ID\n", "tree.conllu:1: global.columns has to begin with ID"),
        ("Just a text.\n", "tree.conllu:1: a row has 1 column where"),
    ],
)
def test_errors_say_what_is_wrong_and_where(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(text)
    assert message in str(caught.value)


def test_errors_name_the_line_in_a_long_file() -> None:
    good = "# text = Go\n" + row("1", "Go") + "\n"
    count = 2 * conllu_rows.PIECE // len(good)
    with pytest.raises(FormatError, match=rf"tree.conllu:{3 * count + 2}: a row has 2 columns"):
        read(good * count + "# text = x\n1\tGo\n")


def test_rows_that_lack_and_have_a_column_too_many_are_not_taken_for_good_ones() -> None:
    with pytest.raises(FormatError, match=r":1: a row has 9 columns"):
        read("1\tGo" + 7 * "\t_" + "\n2\t2" + 9 * "\t_" + "\n")


def test_pieces_and_blank_lines_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (SAMPLES / "conllu.conllu").read_text("utf-8")
    spaced = "# one\n  \n" + text  # a line of blanks is read as an empty one
    assert read(spaced) == read(text)
    monkeypatch.setattr(conllu_rows, "PIECE", 1)
    assert read(text) == read(spaced)


def test_writes_what_the_package_conllu_reads() -> None:
    given = [*sample("conllu.conllu"), *sample("conllu-times.conllu")]
    text = written(*given)
    assert read(text) == given
    parsed = conllu.parse(text)
    words = [token for sentence in parsed for token in sentence if isinstance(token["id"], int)]
    assert tuple(token["form"] for token in words) == sum((t.words for t in given), ())
    assert parsed[0].metadata["newdoc id"] == "market"
    assert parsed[0].metadata["text"] == "We can't wait, she said."
    assert parsed[0][1]["id"] == (2, "-", 3)
    assert parsed[2][1]["misc"] == {"NER": "B-LOC"}


def test_what_leaves_a_sentence_cannot_be_written() -> None:
    text = written(
        Transcript(
            ("a", "b", "c"),
            head=np.array([2, 0, 2]),
            multiwords=(Span(1, 2, "bc"),),
            sentences=Segmentation.of_gaps(3, [1]),
        )
    )
    (back,) = read(text)
    assert back.head is not None
    assert back.head.tolist() == [-1, 0, 2]
    assert back.multiwords is None


def test_recognises_only_ten_columns() -> None:
    assert ConllU.recognises(Source("x.conll", (SAMPLES / "conllu.conllu").read_bytes()))
    assert not ConllU.recognises(Source("x.conll", b"Oslo\tB-LOC\n"))
    assert not ConllU.recognises(Source("x.conll", b"# only a comment\n"))


def test_unknown_setting() -> None:
    with pytest.raises(UnknownName, match="no setting"):
        parse("format", "conllu(layers='words')")


TOTALS = {
    "ud/naija/train": (7279, 111916, 80818, 69),
    "ud/naija/dev": (990, 14571, 10304, 9),
    "ud/french-rhapsodie/train": (1288, 19144, 15147, 27),
    "ud/french-rhapsodie/dev": (1081, 12907, 10190, 20),
    "ud/japanese-gsd/train": (7050, 168333, 151557, 7050),
    "ud/japanese-gsd/dev": (507, 12287, 11121, 507),
    "ud/english-ewt/train": (12544, 204577, 180981, 540),
    "ud/english-ewt/dev": (2001, 25147, 22072, 318),
    "ud/english-ewt/test": (2077, 25094, 21998, 316),
    "ud/french-gsd/test": (416, 10018, 8832, 1),
    "ud/german-gsd/test": (977, 16499, 14133, 1),
    "ud/hebrew-htb/test": (491, 12282, 10897, 1),
    "jp-table1/EWT/gold": (2077, 25094, 21996, 316),
    "jp-table1/GUM/gold": (1096, 19905, 17365, 22),
    "jp-table1/LinES/gold": (1035, 17675, 15481, 8),
    "jp-table1/PUD/gold": (1000, 21176, 18725, 397),
    "jp-table1/ParTUT/gold": (153, 3408, 3069, 1),
    "jp-table1/Pronouns/gold": (285, 1705, 1385, 1),
}
"""Sentences, words, words that are no punctuation, and recordings of each treebank."""


@pytest.mark.parametrize("name", TOTALS)
def test_totals_of_treebanks(name: str, corpora: Path) -> None:
    path = corpora / f"{name}.conllu"
    found = read(path.read_text("utf-8"), path.name)
    ends = sum(len(t.sentences.gaps) for t in found if t.sentences is not None)
    words = sum(tag != "PUNCT" for t in found for tag in t.tag or ())
    assert (ends, sum(map(len, found)), words, len(found)) == TOTALS[name]


@pytest.mark.parametrize(
    "name",
    [
        "ud/naija/dev.conllu",
        "ud/french-rhapsodie/dev.conllu",
        "ud/hebrew-htb/test.conllu",
        "jp-table1/GUM/gold.conllu",
        "formats/conllu-times/naija_ONI_26.conllu",
        "formats/conllu-times/rhapsodie_M0004.conllu",
    ],
)
def test_agrees_with_the_package_conllu(name: str, corpora: Path) -> None:
    text = (corpora / name).read_text("utf-8")
    whole = Transcript.join(read(text))
    trees = conllu.parse(text)
    rows = [[token for token in tree if isinstance(token["id"], int)] for tree in trees]
    tokens = [token for tree in rows for token in tree]
    assert whole.words == tuple(token["form"] for token in tokens)
    assert whole.tag == tuple(token["upos"] for token in tokens)
    assert whole.relation == tuple(token["deprel"] or "" for token in tokens)
    assert whole.lemma == tuple("" if t["lemma"] == "_" else t["lemma"] for t in tokens)
    assert whole.sentences is not None
    assert whole.sentences.gaps.tolist() == (np.cumsum([len(tree) for tree in rows]) - 1).tolist()
    first = np.repeat(np.cumsum([0, *(len(tree) for tree in rows[:-1])]), [len(r) for r in rows])
    heads = [at if t["head"] == 0 else first[at] + t["head"] - 1 for at, t in enumerate(tokens)]
    assert whole.head is not None
    assert whole.head.tolist() == heads
    sentences = list(whole.split_sentences())
    assert [" ".join(s.text.split()) for s in sentences] == [
        " ".join(tree.metadata["text"].split()) for tree in trees
    ]


@pytest.mark.parametrize("name", ["ud/french-rhapsodie/dev", "ud/naija/train"])
def test_times_that_cannot_be_are_unknown(name: str, corpora: Path) -> None:
    text = (corpora / f"{name}.conllu").read_text("utf-8")
    expected, latest, recording = [], 0.0, ""
    for line in text.split("\n"):
        if line.startswith("# sent_id"):
            front = re.split(r"__|-(?=\d+$)", line)[0]
            latest, recording = (latest, recording) if front == recording else (0.0, front)
        cells = line.split("\t")
        if line.startswith("#") or not cells[0].isdigit():
            continue
        misc = dict(pair.split("=") for pair in cells[9].split("|"))
        start, end = (float(misc.get(key, "nan")) for key in ("AlignBegin", "AlignEnd"))
        first, last = (np.nan if t == 0 and latest > 0 else t / 1000 for t in (start, end))
        expected.append((np.nan, np.nan) if last < first else (first, last))
        latest = max(latest, *(time for time in (start, end) if time == time))
    whole = Transcript.join(read(text))
    assert whole.start is not None
    assert whole.end is not None
    np.testing.assert_equal(np.transpose([whole.start, whole.end]), expected)


@pytest.mark.parametrize("name", ["ud/english-ewt/dev", "ud/hebrew-htb/test", "ud/naija/dev"])
def test_writes_treebanks_back(name: str, corpora: Path) -> None:
    found = read((corpora / f"{name}.conllu").read_text("utf-8"))
    assert read(written(*found)) == found
