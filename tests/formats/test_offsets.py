"""JSON with character offsets: of spaCy, of Stanza, and written by hand."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import conllu
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core import registry
from caesura.core.errors import CaesuraError, FormatError
from caesura.core.transcript import Span, Transcript
from caesura.formats.base import Source
from caesura.formats.linguistic.conllu import ConllU
from caesura.formats.linguistic.offsets import Offsets
from caesura.formats.recognize import choose_format
from caesura.testing.strategies import carried_part

SAMPLES = Path(__file__).parent / "samples"


def parsed(document: Any) -> list[Transcript]:
    return list(Offsets().parse(Source("tide.json", json.dumps(document).encode())))


def read(document: Any) -> Transcript:
    (found,) = parsed(document)
    return found


def sample(name: str) -> list[Transcript]:
    return list(Offsets().parse(Source(name, (SAMPLES / name).read_bytes())))


def gaps(transcript: Transcript) -> list[int]:
    assert transcript.sentences is not None
    return [int(gap) for gap in transcript.sentences.gaps]


def heads(transcript: Transcript) -> list[int]:
    assert transcript.head is not None
    return [int(head) for head in transcript.head]


def test_spacy() -> None:
    (found,) = sample("offsets-spacy.json")
    assert found.id == "offsets-spacy"
    assert found.words == ("Mira", "ca", "n't", "sail", ".", "Oslo", "🙂", "waits", ".")
    assert found.text == "Mira can't sail. Oslo 🙂 waits."
    assert gaps(found) == [4, 8]
    assert heads(found) == [3, 3, 3, 3, 3, 7, 7, 7, 7]
    assert found.tag is not None
    assert found.tag[:3] == ("PROPN", "AUX", "PART")
    assert found.subtag is not None
    assert found.subtag[:3] == ("NNP", "MD", "RB")
    assert found.features is not None
    assert found.features[3:5] == ("VerbForm=Inf", "")
    assert found.lemma is not None
    assert found.lemma[1:3] == ("can", "not")
    assert found.relation is not None
    assert found.relation[:4] == ("nsubj", "aux", "neg", "ROOT")
    assert found.entities == (Span(0, 0, "PERSON", "Q1"), Span(5, 5, "GPE"))


def test_spacy_without_analysis() -> None:
    tokens = [{"id": 0, "start": 0, "end": 2}, {"id": 1, "start": 2, "end": 3}]
    found = read({"text": "Go!", "tokens": tokens})
    assert found.words == ("Go", "!")
    assert found.layers == ("blank",)


def test_spacy_with_part_of_a_tree() -> None:
    """A token of spaCy without head points at itself and has an empty relation."""
    tokens = [
        {"id": 0, "start": 0, "end": 2, "dep": "ROOT", "head": 0},
        {"id": 1, "start": 2, "end": 3, "dep": "", "head": 1},
    ]
    assert heads(read({"text": "Go!", "tokens": tokens})) == [0, -1]


def test_words_below_a_token_of_white_space_go_to_its_head() -> None:
    tokens = [
        {"id": 0, "start": 0, "end": 2, "head": 0},
        {"id": 1, "start": 2, "end": 3, "head": 0},
        {"id": 2, "start": 3, "end": 6, "head": 1},
    ]
    found = read({"text": "Go\nnow", "tokens": tokens, "sents": [[0, 3], [3, 6]]})
    assert found.words == ("Go", "now")
    assert found.text == "Go now"
    assert heads(found) == [0, 0]
    assert gaps(found) == [0, 1]


def test_stanza() -> None:
    (found,) = sample("offsets-stanza.json")
    assert found.words == tuple("Nous allons à le Pays de Galles . Il dort .".split())
    assert found.text == "Nous allons au Pays de Galles. Il dort."
    assert found.multiwords == (Span(2, 3, "au"),)
    assert found.entities == (Span(4, 6, "LOC"),)
    assert gaps(found) == [7, 10]
    assert heads(found) == [1, 1, 4, 4, 1, 6, 4, 1, 9, 9, 9]
    assert found.tag is not None
    assert found.tag[:4] == ("PRON", "VERB", "ADP", "DET")
    assert found.subtag is None
    assert found.features is not None
    assert found.features[0] == "Number=Plur|Person=1"


def test_early_stanza_has_texts_for_ids_and_offsets_in_misc() -> None:
    (found,) = sample("offsets-early.json")
    assert found.words == ("In", "dem", "Hafen", "!")
    assert found.text == "Im Hafen!"
    assert heads(found) == [2, 2, 2, 2]
    assert found.subtag is None
    assert found.entities is None


def test_stanza_without_offsets_says_where_blanks_are_in_misc() -> None:
    sentence = [{"id": 1, "text": "Go", "misc": "SpaceAfter=No"}, {"id": 2, "text": "!"}]
    assert read([sentence, [{"id": 1, "text": "Now"}]]).text == "Go! Now"


def test_entities_over_a_multiword_token() -> None:
    sentence = [
        {"id": [1, 2], "text": "Au", "start_char": 0, "end_char": 2, "ner": "B-LOC"},
        {"id": 1, "text": "à"},
        {"id": 2, "text": "le"},
        {"id": 3, "text": "Havre", "start_char": 3, "end_char": 8, "ner": "E-LOC"},
    ]
    assert read([sentence]).entities == (Span(0, 2, "LOC"),)


def test_empty_nodes_are_left_out(caplog: pytest.LogCaptureFixture) -> None:
    sentence = [{"id": 1, "text": "Go"}, {"id": [1, 1], "text": "you"}, {"id": 2, "text": "!"}]
    with caplog.at_level(logging.WARNING, logger="caesura"):
        assert read([sentence]).words == ("Go", "!")
    assert "1 empty node is left out" in caplog.text


def test_by_hand() -> None:
    (found,) = sample("offsets.json")
    assert (found.id, found.language) == ("pier", "en")
    assert found.words == tuple("Well , we 🙂 do n't . Go ! she said".split())
    assert found.text == "Well, we 🙂 don't. “Go!” she said"
    assert found.multiwords == (Span(4, 5, "don't"),)
    assert found.entities == (Span(9, 9, "PER"),)
    assert gaps(found) == [6, 10]
    assert heads(found)[4:6] == [2, 4]
    assert found.opening is not None
    assert found.opening[7] == "“"
    assert found.mark is not None
    assert found.mark[8] == "”"


def test_words_of_a_token_may_be_joined_and_named_by_an_entity() -> None:
    inner = [{"text": "a"}, {"text": "b", "blank": False}, {"text": "c"}]
    tokens = [{"start": 0, "end": 2, "words": inner}, [3, 4]]
    named = {"start": 0, "end": 2, "label": "X", "words": [1, 2]}
    outside = {"start": 0, "end": 2, "label": "Y", "words": [1, 3]}
    found = read({"text": "ac d", "tokens": tokens, "entities": [named, outside]})
    assert found.words == ("a", "b", "c", "d")
    assert found.blank is not None
    assert found.blank.tolist() == [True, False, True, True]
    assert found.entities == (Span(0, 2, "Y"), Span(1, 2, "X"))


def test_marks_and_openings_that_tokens_name_are_used_if_they_fit() -> None:
    for mark, opening, found_marks in (
        (",", "(", ((",", ""), ("", "("))),
        (",(", "", ((",(", ""), None)),
        ("x", "(", ((",(", ""), ("", ""))),
    ):
        tokens = [
            {"start": 0, "end": 2, "mark": mark},
            {"start": 4, "end": 6, "opening": opening},
        ]
        found = read({"text": "so,(we", "tokens": tokens})
        assert (found.mark, found.opening) == found_marks


def test_several_documents() -> None:
    tide, town = sample("offsets-list.json")
    assert (tide.id, town.id) == ("tide", "offsets-list.1")
    assert tide.sentences is None
    assert town.words == ("東京", "へ")
    assert town.text == "東京へ"
    lines = b'{"text": "Go", "tokens": [[0, 2]]}\n{"text": "Ha", "tokens": [[0, 2]]}\n'
    found = list(Offsets().parse(Source("two.json", lines)))
    assert [(one.id, one.words) for one in found] == [("two.0", ("Go",)), ("two.1", ("Ha",))]


def test_what_no_token_covers_stays_in_the_text(caplog: pytest.LogCaptureFixture) -> None:
    text = "– “Well”, she\tsaid (to me) - now…"
    words = ["Well", "she", "said", "to", "me", "now"]
    with caplog.at_level(logging.WARNING, logger="caesura"):
        found = read({"text": text, "tokens": [place(text, word) for word in words]})
    assert not caplog.records
    assert found.words == tuple(words)
    assert found.text == "– “Well”, she said (to me) - now…"
    assert found.opening == ("– “", "", "", "(", "", "")
    assert found.mark == ("”,", "", "", "", ") -", "…")


def test_a_warning_tells_of_words_outside_tokens(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="caesura"):
        found = read({"text": "we all go", "tokens": [[0, 2], [7, 9]]})
    assert found.text == "we all go"
    assert "1 piece of the text belongs to no token" in caplog.text


def place(text: str, word: str) -> list[int]:
    return [text.index(word), text.index(word) + len(word)]


def test_entities_inside_tokens_take_all_of_them(caplog: pytest.LogCaptureFixture) -> None:
    document = {"text": "in Oslo-Fjord now", "tokens": [[0, 2], [3, 13], [14, 17]]}
    with caplog.at_level(logging.WARNING, logger="caesura"):
        found = read(document | {"ents": [{"start": 3, "end": 7, "type": "LOC"}, [2, 14, "AREA"]]})
    assert found.entities == (Span(1, 1, "AREA"), Span(1, 1, "LOC"))
    assert "1 entity begins or ends inside a token" in caplog.text
    assert read(document | {"entities": []}).entities == ()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tokens": [[0, 2], [3, 9]]}, "tokens[1] is [3, 9], which cannot be in 6 characters"),
        ({"tokens": [[-1, 2]]}, "tokens[0] is [-1, 2], which cannot be in 6 characters"),
        ({"tokens": [[2, 0]]}, "tokens[0] is [2, 0], which cannot be"),
        (
            {"tokens": [[0, 3], [2, 5]]},
            "tokens[1] is [2, 5] and begins before tokens[0] ends, at 3",
        ),
        (
            {"tokens": [[3, 6], [0, 2]]},
            "tokens[1] is [0, 2] and begins before tokens[0] ends, at 6",
        ),
        ({"tokens": [[0, 1], [1, 1]]}, "tokens[1] is [1, 1] and empty"),
        ({"tokens": [[0, "2"]]}, "tokens[0] has no start and end"),
        ({"tokens": [{"start": 0}]}, "tokens[0] has no start and end"),
        ({"tokens": [[0, True]]}, "tokens[0] has no start and end"),
        ({"tokens": ["Go"]}, "tokens[0] has no start and end"),
        (
            {"tokens": [{"start": 3, "end": 5, "text": "now"}]},
            "tokens[0] is 'now', but the text has 'no' at [3, 5]",
        ),
        ({"tokens": [{"start": 0, "end": 2, "words": [{}]}]}, "tokens[0].words[0] has no text"),
        ({"tokens": [{"start": 0, "end": 2, "head": 7}]}, "the head of tokens[0] is 7"),
        (
            {"tokens": [{"id": 1, "start": a, "end": a + 1, "head": 1} for a in (0, 1)]},
            "not each token has an id of its own",
        ),
        ({"sentences": [[0, 2]]}, "tokens[1] is [3, 6] and inside none of the sentences"),
        (
            {"sents": [[0, 2], [3, 5]]},
            "tokens[1] is [3, 6] and only partly inside sents[1], [3, 5]",
        ),
        ({"sentences": [[0, 4], [3, 6]]}, "sentences[1] is [3, 6] and begins before sentences[0]"),
        ({"sentences": [{"text": "Go now"}]}, "sentences[0] has no start and end"),
        ({"entities": [[2, 3, "X"]]}, "entities[0] is [2, 3], where no token is"),
        ({"ents": [[0, 20, "X"]]}, "ents[0] is [0, 20], which cannot be"),
        ({"tokens": None}, "this JSON is not of the format offsets: that has `text` and `tokens`"),
    ],
)
def test_errors(changes: dict[str, Any], message: str) -> None:
    document = {"text": "Go now", "tokens": [[0, 2], [3, 6]]} | changes
    with pytest.raises(FormatError) as error:
        parsed(document)
    assert str(error.value).startswith("tide.json: ")
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("sentence", "message"),
    [
        ([{"id": 2, "text": "Go"}], "the id of [0][0] is not 1"),
        ([{"id": 1, "text": "Go"}, {"id": 1, "text": "!"}], "the id of [0][1] is not 2"),
        ([{"id": None, "text": "Go"}], "the id of [0][0] is not 1"),
        ([{"id": [1, 2], "text": "Au"}, {"id": 1, "text": "à"}], "sentence [0] lacks words"),
        ([{"id": 1, "text": " "}], "the text of [0][0] is empty"),
        ([{"id": 1, "text": "Go", "head": 2}], "the head of [0][0] is 2, which is no word's id"),
        (
            [
                {"id": 1, "text": "Go", "start_char": 0, "end_char": 2},
                {"id": 2, "text": "on", "start_char": 1, "end_char": 3},
            ],
            "[0][1] begins at 1, before the token before it ends, at 2",
        ),
        (
            [{"id": 1, "text": "Go", "start_char": 4, "end_char": 2}],
            "[0][0] is at [4, 2], which cannot be",
        ),
    ],
)
def test_errors_in_stanza(sentence: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(FormatError) as error:
        parsed([sentence])
    assert message in str(error.value)


def test_errors_name_the_document_among_several() -> None:
    good = {"text": "Go", "tokens": [[0, 2]]}
    with pytest.raises(FormatError, match=r"^tide\.json: document 2: tokens\[0\] is \[0, 3\]"):
        parsed([good, good | {"tokens": [[0, 3]]}])


def test_offsets_of_utf16_are_found_out_by_the_words() -> None:
    tokens = [{"start": 0, "end": 2, "text": "🙂"}, {"start": 3, "end": 5, "text": "Go"}]
    with pytest.raises(FormatError, match="neither bytes nor UTF-16 units"):
        parsed({"text": "🙂 Go!", "tokens": tokens})


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("offsets*")), ids=lambda path: path.stem)
def test_its_samples_are_recognised_by_no_other_format(path: Path) -> None:
    source = Source(path.name, path.read_bytes())
    assert choose_format(source) == Offsets()
    piped = Source("<stdin>", path.read_bytes())
    formats = [registry.find("format", name) for name in registry.names("format")]
    assert [f.name for f in formats if not f.plain and claims(f, piped)] == ["offsets"]


def claims(format: Any, source: Source) -> bool:
    try:
        return bool(format.recognises(source))
    except CaesuraError:
        return False


@pytest.mark.parametrize(
    "document",
    [
        {"text": "Go", "tokens": []},
        {"text": "Go", "tokens": [50364, 1042]},
        {"text": "Go", "tokens": [{"text": "Go", "start": 0.0, "end": 0.4}]},
        {"text": "Go", "tokens": ["▁Go"], "timestamps": [0]},
        [{"start": 0, "end": 1, "text": "Go", "tokens": [1, 2]}],
        [[{"id": 1, "text": "Go"}]],
        [],
        [[]],
        "Go",
    ],
)
def test_what_could_be_something_else_is_not_recognised(document: Any) -> None:
    assert not claims(Offsets, Source("x.json", json.dumps(document).encode()))


PIECES = st.text(st.sampled_from("ab🙂é (“,.”)\n\t "), max_size=4)


@given(st.lists(st.tuples(PIECES, PIECES), max_size=6), PIECES)
def test_words_and_text_are_those_of_the_file(pieces: list[tuple[str, str]], rest: str) -> None:
    """Any tokens in any text: the words are its slices, and no character is lost."""
    text, tokens = "", []
    for gap, word in pieces:
        text += gap
        if word.strip():
            tokens.append([len(text), len(text) + len(word)])
        text += word
    text += rest
    found = read({"text": text, "tokens": tokens})
    assert found.words == tuple(text[start:end] for start, end in tokens)
    if tokens:
        assert found.text.split() == text.split()


TREEBANKS = ("english-ewt", "french-gsd", "hebrew-htb", "german-gsd")


@pytest.mark.parametrize("name", TREEBANKS)
def test_treebanks_in_the_shape_of_stanza(name: str, corpora: Path) -> None:
    """Rows that the library `conllu` reads, put down as Stanza does, give what CoNLL-U gives."""
    text = (corpora / "ud" / name / "test.conllu").read_text("utf-8")
    joined = Transcript.join(ConllU().parse(Source("test.conllu", text.encode())))
    found = read(list(stanza(conllu.parse(text))))
    assert found.text == joined.text
    layers = ("head", "blank", "tag", "subtag", "features", "lemma", "relation", "multiwords")
    kept = {*layers, "sentences"}
    assert carried_part(found, kept) == carried_part(joined, kept)


def stanza(sentences: Any) -> Iterator[list[dict[str, Any]]]:
    at = 0
    for sentence in sentences:
        tokens, inside = [], 0
        for row in sentence:
            id = row["id"]
            if isinstance(id, tuple) and id[1] == ".":
                continue
            token = {"id": [id[0], id[2]] if isinstance(id, tuple) else id, "text": row["form"]}
            for key in ("lemma", "upos", "xpos", "head", "deprel"):
                if row[key] is not None and not isinstance(id, tuple):
                    token[key] = row[key]
            if row["feats"]:
                token["feats"] = "|".join(f"{k}={v}" for k, v in row["feats"].items())
            if isinstance(id, tuple) or id > inside:
                token["start_char"], token["end_char"] = at, at + len(row["form"])
                at = token["end_char"] + ((row["misc"] or {}).get("SpaceAfter") != "No")
                inside = id[2] if isinstance(id, tuple) else inside
            tokens.append(token)
        yield tokens


def test_no_other_json_is_claimed(corpora: Path) -> None:
    paths = [path for path in (corpora / "formats").rglob("*.json") if path.is_file()]
    assert len(paths) > 20
    for path in paths:
        assert not claims(Offsets, Source(path.name, path.read_bytes())), path


def test_sentences_alone_are_of_words_between_blanks() -> None:
    found = read({"text": "Come in. Sit down, please!", "sentences": [[0, 8], [9, 26]]})
    assert found.words == ("Come", "in.", "Sit", "down,", "please!")
    assert found.sentences is not None
    assert found.sentences.gaps.tolist() == [1, 4]
