"""The word pieces of pretrained encoders of all kinds."""

import json
from pathlib import Path
from typing import Any

import pytest

from caesura.detectors.neural.pretrained import as_word_pieces, read_pieces
from caesura.ml.neural.wordpiece import SPECIAL, WordPieces

ROBERTA = ["<s>", "<pad>", "</s>", "<unk>", "Ġso", "so", "Ġr", "un", "ning", "Ġ", "Ã©", "Ã"]
CAMEMBERT = ["<s>", "<pad>", "</s>", "<unk>", "▁so", "so", "▁ét", "é", "▁"]


def pieces_of(vocabulary: list[str], word: str) -> list[str]:
    """Split a word by a vocabulary whose special pieces have been put in front."""
    ordered = WordPieces([*SPECIAL, *(one for one in vocabulary if one not in SPECIAL)])
    return [ordered.pieces[number] for number in ordered.split(word)]


def test_pieces_that_begin_words_become_those_inside() -> None:
    found = as_word_pieces(ROBERTA)
    assert found[:8] == ["[CLS]", "[PAD]", "[SEP]", "[UNK]", "so", "##so", "r", "##un"]
    # A blank, and half of a letter, are no text; é is written in two bytes.
    assert found[9:] == ["[piece 9]", "##é", "[piece 11]"]
    assert pieces_of(found, "running") == ["r", "##un", "##ning"]
    assert pieces_of(found, "soso") == ["so", "##so"]


def test_sentence_pieces_keep_accents() -> None:
    found = as_word_pieces(CAMEMBERT)
    assert found[4:] == ["so", "##so", "ét", "##é", "[piece 8]"]
    assert pieces_of(found, "Été") == ["ét", "##é"]
    assert pieces_of(found, "so") == ["so"]


def test_a_word_piece_vocabulary_stays_as_it_is() -> None:
    given = [*SPECIAL, "a", "##b", "▁"]
    assert as_word_pieces(given) == given


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("vocab.json", {one: at for at, one in enumerate(ROBERTA)}),
        ("tokenizer.json", {"model": {"vocab": {one: at for at, one in enumerate(ROBERTA)}}}),
        ("tokenizer.json", {"model": {"vocab": [[one, -1.0] for one in ROBERTA]}}),
        (
            "tokenizer.json",
            {
                "model": {"vocab": {one: at for at, one in enumerate(ROBERTA) if at}},
                "added_tokens": [{"content": "<s>", "id": 0}],
            },
        ),
    ],
)
def test_vocabularies_are_read_from_any_file(tmp_path: Path, name: str, content: Any) -> None:
    (tmp_path / name).write_text(json.dumps(content))
    assert read_pieces(tmp_path) == as_word_pieces(ROBERTA)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "has no vocabulary"),
        ('{"model": {"vocab": 3}}', "has no vocabulary"),
        ('{"model": {"vocab": {"a": "b"}}}', "does not number its pieces"),
        ('{"model": {"vocab": {"a": 1000000000}}}', "are not those of the vectors"),
        ('{"model": {"vocab": {"a": -1}}}', "are not those of the vectors"),
        ('{"model": {"vocab": {"a": 0}}}', r"tokenizer.json has no \[PAD\]"),
    ],
)
def test_a_vocabulary_that_is_none_is_an_error(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "tokenizer.json").write_text(content)
    with pytest.raises(ValueError, match=message):
        read_pieces(tmp_path)


def test_without_a_vocabulary_there_is_no_base(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"none of vocab\.txt, tokenizer\.json, vocab\.json"):
        read_pieces(tmp_path)
