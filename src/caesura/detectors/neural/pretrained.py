"""What the training of an `Encoder` starts from: a pretrained encoder, a trained one, or nothing.

A pretrained encoder is a folder in the form of Hugging Face: `config.json`, a vocabulary and
safetensors of a BERT, DistilBERT, ELECTRA, RoBERTa, XLM-RoBERTa or CamemBERT. Its vocabulary is cut
to the pieces that the training data need.

WordPiece (BERT) marks the pieces inside words with `##`. Byte-level BPE (RoBERTa) and SentencePiece
(XLM-RoBERTa, CamemBERT) mark those that begin words. Here all of them become pieces as of
WordPiece, which `WordPieces` finds greedily, the longest first: mostly the same pieces as the
tokenizer's own, and training gets used to the others.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from string import ascii_lowercase
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, deserialize

from caesura.core.errors import ModelError
from caesura.detectors.neural.encoder import VALUES, Encoder
from caesura.ml.neural.transformer import Shape, restored
from caesura.ml.neural.wordpiece import (
    BEGIN,
    END,
    INSIDE,
    PAD,
    SPECIAL,
    UNKNOWN,
    WordPieces,
    common_pieces,
    runs_of,
)


class Base(NamedTuple):
    """A pretrained encoder: its pieces, and its weights by our names."""

    vocabulary: WordPieces
    shape: Shape
    weights: Mapping[str, NDArray[Any]]


def find_base(name: str) -> Path:
    """Return the folder of a base: a folder itself, or the `model` folder of a package."""
    folder = Path(name)
    if folder.is_dir():
        return folder
    module = name.replace("-", "_")
    is_package = module.isidentifier() and module != "__main__"
    spec = find_spec(module) if is_package else None
    if spec is not None and spec.origin and Path(spec.origin).parent.joinpath("model").is_dir():
        return Path(spec.origin).parent / "model"
    raise ModelError(
        f"there is no base model {name!r}",
        remedy="name a folder with config.json, a vocabulary and model.safetensors",
    )


def read_base(folder: Path, layers: int) -> Base:
    """Read the first layers of a pretrained encoder."""
    try:
        config = json.loads((folder / "config.json").read_text("utf-8"))
        family = _family(config, layers)
        return _checked_base(config, family, read_pieces(folder), _read_arrays(folder), layers)
    except (OSError, ValueError, SafetensorError) as error:
        raise ModelError(f"the base cannot be read: {error}", where=str(folder)) from error
    except KeyError as error:
        raise ModelError(f"the base lacks {error}", where=str(folder)) from error


FLOATS = {"F64": np.float64, "F32": np.float32, "F16": np.float16}


def _read_arrays(folder: Path) -> dict[str, NDArray[Any]]:
    """Read the weights of a folder, which may be in several files, as floats of 32 bits."""
    files = sorted(folder.glob("model*.safetensors"))
    if not files:
        raise ValueError("it has no model.safetensors; weights in other files may hold code")
    found: dict[str, NDArray[Any]] = {}
    for file in files:
        for name, tensor in deserialize(file.read_bytes()):  # type: ignore[no-untyped-call]
            kind, data = tensor["dtype"], tensor["data"]
            if kind == "BF16":
                halves = np.frombuffer(data, np.uint16).astype(np.uint32)
                found[name] = (halves << 16).view(np.float32).reshape(tensor["shape"])
            elif kind in FLOATS:
                floats = np.frombuffer(data, FLOATS[kind]).astype(np.float32)
                found[name] = floats.reshape(tensor["shape"])
    return found


class Family(NamedTuple):
    """How a kind of encoder names its sizes and weights."""

    layers: str
    hidden: str
    heads: str
    inner: str
    """The names of these four sizes in `config.json`."""

    layer: str
    """What the names of the weights of a layer begin with, before its number."""

    qkv: tuple[str, str, str]
    parts: Mapping[str, str]
    """The other weights of a layer, by our names."""

    first_position: int = 0
    """The first vector of a position that is used."""


BERT = Family(
    "num_hidden_layers",
    "hidden_size",
    "num_attention_heads",
    "intermediate_size",
    "encoder.layer.",
    ("attention.self.query", "attention.self.key", "attention.self.value"),
    {
        "out": "attention.output.dense",
        "norm": "attention.output.LayerNorm",
        "inner": "intermediate.dense",
        "outer": "output.dense",
        "last_norm": "output.LayerNorm",
    },
)
DISTILBERT = Family(
    "n_layers",
    "dim",
    "n_heads",
    "hidden_dim",
    "transformer.layer.",
    ("attention.q_lin", "attention.k_lin", "attention.v_lin"),
    {
        "out": "attention.out_lin",
        "norm": "sa_layer_norm",
        "inner": "ffn.lin1",
        "outer": "ffn.lin2",
        "last_norm": "output_layer_norm",
    },
)
ROBERTA = BERT._replace(first_position=2)
FAMILIES = {
    "bert": BERT,
    "electra": BERT,
    "distilbert": DISTILBERT,
    "roberta": ROBERTA,
    "xlm-roberta": ROBERTA,
    "camembert": ROBERTA,
}
PREFIX = {"xlm-roberta": "roberta.", "camembert": "roberta."}
"""What the names of weights begin with in a model with a head, if not the kind of encoder."""

ACTIVATIONS = ("gelu", "gelu_new", "gelu_fast", "gelu_pytorch_tanh", "gelu_python")
"""Names of the function between two layers that we have."""


def _family(config: Mapping[str, Any], layers: int) -> Family:
    """Check the sizes of an encoder and return how it names things."""
    kind = config.get("model_type") if isinstance(config, dict) else None
    if not isinstance(kind, str) or kind not in FAMILIES:
        raise ValueError(f"it is of the kind {kind}, not {', '.join(FAMILIES)}")
    family = FAMILIES[kind]
    for size in (*family[:4], "max_position_embeddings"):
        if type(config[size]) is not int or config[size] < 1:
            raise ValueError(f"{size} is {config[size]!r}, and no number above 0")
    if config[family.layers] < layers:
        raise ValueError(f"it has {config[family.layers]} layers, and {layers} are wanted")
    if config.get("embedding_size", config[family.hidden]) != config[family.hidden]:
        raise ValueError("its word pieces have vectors of another size than its layers")
    if config[family.hidden] % config[family.heads]:
        raise ValueError(f"{family.hidden} is no multiple of {family.heads}")
    activation = config.get("hidden_act", config.get("activation", "gelu"))
    if activation not in ACTIVATIONS:
        raise ValueError(f"its activation is {activation}, not gelu")
    positions = config.get("position_embedding_type", "absolute")
    if positions != "absolute":
        raise ValueError(f"its positions are {positions}, not absolute")
    return family


def _checked_base(
    config: Mapping[str, Any],
    family: Family,
    pieces: list[str],
    arrays: Mapping[str, NDArray[Any]],
    layers: int,
) -> Base:
    prefix = PREFIX.get(config["model_type"], f"{config['model_type']}.")
    arrays = {name.removeprefix(prefix): one for name, one in arrays.items()}
    order = [pieces.index(piece) for piece in SPECIAL]
    order += [at for at, piece in enumerate(pieces) if piece not in SPECIAL]
    shape = Shape(
        len(pieces),
        VALUES,
        hidden=config[family.hidden],
        layers=layers,
        heads=config[family.heads],
        inner=config[family.inner],
        positions=min(config["max_position_embeddings"] - family.first_position, 512),
    )
    vectors = arrays["embeddings.word_embeddings.weight"]
    # Some encoders have more vectors than pieces, to fill up a round number.
    if len(vectors) < len(pieces) or vectors.shape[1:] != (shape.hidden,):
        raise ValueError("the vocabulary and the vectors of its pieces differ in number or size")
    weights = _renamed(arrays, family, shape, np.array(order))
    for name, size in shape.arrays():
        if name in weights and weights[name].shape != size:
            raise ValueError(f"{name} is {weights[name].shape}, and not {size}")
        if name in weights and not np.isfinite(weights[name]).all():
            raise ValueError(f"{name} are not all numbers")
    return Base(WordPieces([pieces[at] for at in order]), shape, weights)


def _renamed(
    arrays: Mapping[str, NDArray[Any]], family: Family, shape: Shape, order: NDArray[Any]
) -> dict[str, NDArray[Any]]:
    """Return the weights of a pretrained encoder by our names."""
    types = arrays.get("embeddings.token_type_embeddings.weight", np.zeros((1, shape.hidden)))
    if types.ndim != 2 or not len(types) or types.shape[1] != shape.hidden:
        raise ValueError(f"the vectors of its token types are {types.shape}")
    used = slice(family.first_position, family.first_position + shape.positions)
    found = {
        "pieces.weight": arrays["embeddings.word_embeddings.weight"][order]
        + types[0].astype(np.float32),
        "positions.weight": arrays["embeddings.position_embeddings.weight"][used],
    }
    for part in ("weight", "bias"):
        found[f"norm.{part}"] = arrays[f"embeddings.LayerNorm.{part}"]
        for layer in range(shape.layers):
            own, other = f"layers.{layer}.", f"{family.layer}{layer}."
            qkv = [arrays[f"{other}{name}.{part}"] for name in family.qkv]
            found[f"{own}qkv.{part}"] = np.concatenate(qkv)
            for name, their in family.parts.items():
                found[f"{own}{name}.{part}"] = arrays[f"{other}{their}.{part}"]
    return found


SCRATCH = {"hidden": 64, "heads": 4, "inner": 128}
"""Sizes of a net without a base."""


def scratch_base(words: Counter[str], encoder: Encoder) -> Base:
    """Return a small base without weights: its pieces are whole words and single characters."""
    lower: Counter[str] = Counter()
    for word, count in words.items():
        for run in runs_of(word):
            lower[run] += count
    letters = sorted({char for run in lower for char in run} | set(ascii_lowercase))
    pieces = [*SPECIAL, *letters, *(INSIDE + letter for letter in letters)]
    room = encoder.pieces - len(pieces)
    pieces += sorted(run for run, _ in lower.most_common(max(room, 0)) if len(run) > 1)
    shape = Shape(len(pieces), VALUES, layers=encoder.layers, positions=encoder.window, **SCRATCH)
    return Base(WordPieces(pieces), shape, {})


def smaller_base(base: Base, words: Counter[str], pieces: int, positions: int) -> Base:
    """Return a base with the pieces that these words need most, and with fewer positions."""
    if positions > base.shape.positions:
        raise ModelError(
            f"the base has {base.shape.positions} positions, and a window {positions}",
            remedy=f"set window to {base.shape.positions} or less",
        )
    kept = common_pieces(base.vocabulary, words, pieces)
    weights = dict(base.weights)
    weights["pieces.weight"] = weights["pieces.weight"][kept]
    weights["positions.weight"] = weights["positions.weight"][:positions]
    vocabulary = WordPieces([base.vocabulary.pieces[at] for at in kept])
    shape = base.shape._replace(pieces=len(kept), positions=positions)
    return Base(vocabulary, shape, weights)


def trained_base(encoder: Encoder) -> Base:
    """Return what an encoder has learnt, as far as 8 bits keep it, to train it further."""
    model = encoder.model
    weights = restored(model.transformer.arrays)
    return Base(model.vocabulary, model.transformer.shape, weights)


# Word pieces

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
