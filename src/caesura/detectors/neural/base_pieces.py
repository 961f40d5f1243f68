"""The word pieces of a pretrained encoder, whichever way its tokenizer cuts words.

WordPiece (BERT) marks the pieces inside words with `##`. Byte-level BPE (RoBERTa) and SentencePiece
(XLM-RoBERTa, CamemBERT) mark those that begin words. Here all of them become pieces as of
WordPiece, which `WordPieces` finds greedily, the longest first: mostly the same pieces as the
tokenizer's own, and training gets used to the others.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from caesura.ml.neural.wordpiece import BEGIN, END, INSIDE, PAD, SPECIAL, UNKNOWN

BYTE_LEVEL, SENTENCE_PIECE = "Ġ", "▁"
"""What pieces that begin words begin with."""

SPECIAL_NAMES = {"<pad>": PAD, "<unk>": UNKNOWN, "<s>": BEGIN, "</s>": END}
FILES = ("vocab.txt", "tokenizer.json", "vocab.json")


def read_pieces(folder: Path) -> list[str]:
    """Return the pieces of a folder in the order of their vectors, in the form of WordPiece."""
    names = [name for name in FILES if (folder / name).is_file()]
    if not names:
        raise ValueError(f"it has none of {', '.join(FILES)}")
    text = (folder / names[0]).read_text("utf-8")
    if names[0] == "vocab.txt":
        pieces = text.removesuffix("\n").split("\n")
    elif names[0] == "vocab.json":
        pieces = _in_order(json.loads(text))
    else:
        pieces = _of_tokenizer(json.loads(text))
    found = as_word_pieces(pieces)
    for piece in SPECIAL:
        if piece not in found:
            raise ValueError(f"{names[0]} has no {piece}")
    return found


def _of_tokenizer(tokenizer: Any) -> list[str]:
    """Return the pieces of a `tokenizer.json`."""
    model = tokenizer.get("model") if isinstance(tokenizer, dict) else None
    vocabulary = model.get("vocab") if isinstance(model, dict) else None
    if isinstance(vocabulary, list):
        vocabulary = {row[0]: at for at, row in enumerate(vocabulary) if isinstance(row, list)}
    if not isinstance(vocabulary, dict):
        raise ValueError("tokenizer.json has no vocabulary")
    added = tokenizer.get("added_tokens") or []
    more = {one["content"]: one["id"] for one in added if isinstance(one, dict)}
    return _in_order({**vocabulary, **more})


def _in_order(numbers: Mapping[str, Any]) -> list[str]:
    """Return pieces in the order of their numbers; numbers without a piece get an empty one."""
    if not isinstance(numbers, dict) or not all(type(at) is int for at in numbers.values()):
        raise ValueError("the vocabulary does not number its pieces")
    last = max(numbers.values(), default=-1)
    if min(numbers.values(), default=0) < 0 or last > 2 * len(numbers) + 1000:
        raise ValueError("the numbers of its pieces are not those of the vectors")
    found = [""] * (last + 1)
    for piece, at in numbers.items():
        found[at] = piece
    return found


def as_word_pieces(pieces: Sequence[str]) -> list[str]:
    """Return pieces in the form of WordPiece; those that stand for no text get names of their own.

    A vocabulary that has `[CLS]` and no marks of words is of this form already.
    """
    mark = next(
        (m for m in (BYTE_LEVEL, SENTENCE_PIECE) if any(p.startswith(m) for p in pieces)), ""
    )
    if not mark or BEGIN in pieces:
        return list(pieces)
    found: list[str] = []
    seen = {"", INSIDE}
    for at, piece in enumerate(pieces):
        text = SPECIAL_NAMES.get(piece, "")
        if not text:
            inside = not piece.startswith(mark)
            text = _text(piece.removeprefix(mark), mark)
            text = INSIDE + text if inside and text else text
        text = text if text not in seen else f"[piece {at}]"
        seen.add(text)
        found.append(text)
    return found


def _text(piece: str, mark: str) -> str:
    """Return the text of a piece; '' for bytes that are no text by themselves."""
    if mark == SENTENCE_PIECE:
        return piece
    try:
        return bytes(BYTES[char] for char in piece).decode()
    except (KeyError, UnicodeDecodeError):
        return ""


def _byte_letters() -> dict[str, int]:
    """Return the byte that each letter of a byte-level vocabulary stands for.

    Bytes that are printed stand for themselves; the others have the letters from U+0100 on.
    """
    printed = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = [byte for byte in range(256) if byte not in printed]
    return {chr(byte): byte for byte in printed} | {chr(256 + k): b for k, b in enumerate(others)}


BYTES = _byte_letters()
