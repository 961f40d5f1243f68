"""What the training of an `Encoder` starts from: a pretrained encoder, a trained one, or nothing.

A pretrained encoder is a folder in the form of Hugging Face: `config.json`, `vocab.txt`,
`model.safetensors` of a BERT, DistilBERT or ELECTRA. Its vocabulary is cut to the pieces that the
training data need.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from string import ascii_lowercase
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file

from caesura.core.errors import ModelError
from caesura.detectors.neural.encoder import VALUES, Encoder
from caesura.ml.neural.transformer import Shape, restored
from caesura.ml.neural.wordpiece import INSIDE, SPECIAL, WordPieces, common_pieces, runs_of


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
    spec = find_spec(module) if module.isidentifier() else None
    if spec is not None and spec.origin and Path(spec.origin).parent.joinpath("model").is_dir():
        return Path(spec.origin).parent / "model"
    raise ModelError(
        f"there is no base model {name!r}",
        remedy="name a folder with config.json, vocab.txt and model.safetensors",
    )


def read_base(folder: Path, layers: int) -> Base:
    """Read the first layers of a pretrained encoder."""
    try:
        config = json.loads((folder / "config.json").read_text("utf-8"))
        pieces = (folder / "vocab.txt").read_text("utf-8").removesuffix("\n").split("\n")
        arrays = load_file(folder / "model.safetensors")
        return _checked_base(config, pieces, arrays, layers)
    except (OSError, ValueError, SafetensorError) as error:
        raise ModelError(f"the base cannot be read: {error}", where=str(folder)) from error
    except KeyError as error:
        raise ModelError(f"the base lacks {error}", where=str(folder)) from error


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
FAMILIES = {"bert": BERT, "electra": BERT, "distilbert": DISTILBERT}


def _family(config: Mapping[str, Any], layers: int) -> Family:
    """Check the sizes of an encoder and return how it names things."""
    kind = config.get("model_type") if isinstance(config, dict) else None
    if kind not in FAMILIES:
        raise ValueError(f"it is of the kind {kind}, not {', '.join(FAMILIES)}")
    family = FAMILIES[kind]
    for size in (*family[:4], "max_position_embeddings"):
        if type(config[size]) is not int or config[size] < 1:
            raise ValueError(f"{size} is {config[size]!r}, and no number above 0")
    if config[family.layers] < layers:
        raise ValueError(f"it has {config[family.layers]} layers, and {layers} are wanted")
    if config.get("embedding_size", config[family.hidden]) != config[family.hidden]:
        raise ValueError("its word pieces have vectors of another size than its layers")
    return family


def _checked_base(
    config: Mapping[str, Any], pieces: list[str], arrays: Mapping[str, NDArray[Any]], layers: int
) -> Base:
    family = _family(config, layers)
    arrays = {name.removeprefix(f"{config['model_type']}."): one for name, one in arrays.items()}
    for piece in SPECIAL:
        if piece not in pieces:
            raise ValueError(f"vocab.txt has no {piece}")
    order = [pieces.index(piece) for piece in SPECIAL]
    order += [at for at, piece in enumerate(pieces) if piece not in SPECIAL]
    shape = Shape(
        len(pieces),
        VALUES,
        hidden=config[family.hidden],
        layers=layers,
        heads=config[family.heads],
        inner=config[family.inner],
        positions=min(config["max_position_embeddings"], 512),
    )
    if arrays["embeddings.word_embeddings.weight"].shape != (len(pieces), shape.hidden):
        raise ValueError("vocab.txt and the vectors of the pieces differ in number or size")
    weights = _renamed(arrays, family, shape, np.array(order))
    for name, size in shape.arrays():
        if name in weights and weights[name].shape != size:
            raise ValueError(f"{name} is {weights[name].shape}, and not {size}")
    return Base(WordPieces([pieces[at] for at in order]), shape, weights)


def _renamed(
    arrays: Mapping[str, NDArray[Any]], family: Family, shape: Shape, order: NDArray[Any]
) -> dict[str, NDArray[Any]]:
    """Return the weights of a pretrained encoder by our names."""
    types = arrays.get("embeddings.token_type_embeddings.weight", np.zeros((1, 1), np.float32))
    found = {
        "pieces.weight": arrays["embeddings.word_embeddings.weight"][order] + types[0],
        "positions.weight": arrays["embeddings.position_embeddings.weight"][: shape.positions],
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
