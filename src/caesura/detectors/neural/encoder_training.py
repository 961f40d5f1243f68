"""Train the detector `Encoder` with torch, from a pretrained encoder.

The base is a folder in the form of Hugging Face: `config.json`, `vocab.txt`, `model.safetensors`
of a BERT, DistilBERT or ELECTRA. Its vocabulary is cut to the pieces that the training data need.
Training can be interrupted: with a checkpoint file it goes on where it was, to the same weights.
"""

from __future__ import annotations

import json
import logging
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from string import ascii_lowercase
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file
from safetensors.torch import load_file as load_tensors
from safetensors.torch import save_file as save_tensors
from torch import Tensor

from caesura.core.errors import ModelError
from caesura.core.transcript import Transcript
from caesura.detectors.neural.encoder import OFFSETS, VALUES, Encoder, EncoderModel
from caesura.detectors.neural.evidence import MIXED, case_class
from caesura.detectors.neural.training_windows import (
    IGNORED,
    Lexicon,
    Sampler,
    Window,
    known_sources,
)
from caesura.ml.neural.torch_transformer import EncoderNet
from caesura.ml.neural.transformer import Shape, Transformer, quantize, restored
from caesura.ml.neural.wordpiece import (
    INSIDE,
    SPECIAL,
    WordPieces,
    common_pieces,
    runs_of,
)

logger = logging.getLogger("caesura.training")

WARM_UP = (0.1, 300)
"""In this share of the steps, and in no more steps than this, the rate grows to its full size."""

NEW_RATE = 1e-3
"""The rate for weights that the base does not have."""

CASE_WEIGHT = 0.5
LARGEST_GRADIENT = 1.0
SAVE_SECONDS = 600
LOG_STEPS = 50


@dataclass(frozen=True)
class Plan:
    """How to train: `steps` steps of `batch` windows each, at a rate that falls to nothing.

    Then `later_steps` are taken, at a rate that falls to nothing from `later_rate`.
    """

    steps: int
    batch: int = 12
    rate: float = 8e-5
    seed: int = 1
    threads: int = 2
    checkpoint: Path | None = None
    later_steps: int = 0
    later_rate: float = 8e-5

    def rate_at(self, step: int) -> float:
        """Return the rate of a step, as a share of `rate`."""
        if step >= self.steps:
            left = 1 - (step - self.steps) / self.later_steps
            return left * self.later_rate / self.rate
        warm_up = min(WARM_UP[0] * self.steps, WARM_UP[1])
        return min(1.0, (step + 1) / warm_up) * (1 - step / self.steps)


def fit(
    encoder: Encoder,
    train: Sequence[Transcript],
    text: Sequence[Transcript],
) -> Encoder:
    """Train an encoder on speech and more text."""
    lexicon = Lexicon()
    sources = known_sources(train, text, lexicon)
    words = known_words(train, text)
    base = scratch_base(words, encoder)
    if encoder.base:
        found = read_base(find_base(encoder.base), encoder.layers)
        base = smaller_base(found, words, encoder.pieces, encoder.window)
    plan = Plan(encoder.steps, encoder.batch, encoder.rate, encoder.seed)
    sampler = Sampler(sources, lexicon, base.vocabulary, encoder.window, encoder.seed)
    return encoder.with_model(train_encoder(base, sampler, plan, mixed_forms(words)))


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
        pieces = (folder / "vocab.txt").read_text("utf-8").splitlines()
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


def _checked_base(
    config: Mapping[str, Any], pieces: list[str], arrays: Mapping[str, NDArray[Any]], layers: int
) -> Base:
    kind = config.get("model_type")
    if kind not in FAMILIES:
        raise ValueError(f"it is of the kind {kind}, not {', '.join(FAMILIES)}")
    family = FAMILIES[kind]
    arrays = {name.removeprefix(f"{kind}."): array for name, array in arrays.items()}
    if config[family.layers] < layers:
        raise ValueError(f"it has {config[family.layers]} layers, and {layers} are wanted")
    if config.get("embedding_size", config[family.hidden]) != config[family.hidden]:
        raise ValueError("its word pieces have vectors of another size than its layers")
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
    vocabulary = WordPieces([pieces[at] for at in order])
    return Base(vocabulary, shape, _renamed(arrays, family, shape, np.array(order)))


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


def known_words(train: Sequence[Transcript], text: Sequence[Transcript]) -> Counter[str]:
    """Count the words of all that has sentences."""
    known = (each for each in (*train, *text) if each.sentences is not None)
    return Counter(word for each in known for word in each.words)


def mixed_forms(words: Counter[str], least: int = 5) -> dict[str, str]:
    """Return how words are written that are usually in mixed case, such as iPhone."""
    forms: dict[str, Counter[str]] = {}
    for word, count in words.items():
        forms.setdefault(word.lower(), Counter())[word] += count
    found = {}
    for lower, counts in forms.items():
        form, count = counts.most_common(1)[0]
        if count >= least and case_class(form) == MIXED and " " not in form:
            found[lower] = form
    return found


def train_encoder(
    base: Base, sampler: Sampler, plan: Plan, forms: Mapping[str, str] | None = None
) -> EncoderModel:
    """Train on the windows of a sampler."""
    torch.manual_seed(plan.seed)
    torch.set_num_threads(plan.threads)
    net = EncoderNet(base.shape)
    given = {name: torch.from_numpy(np.array(array)) for name, array in base.weights.items()}
    missing = set(net.load_state_dict(given, strict=False).missing_keys)
    new = [weight for name, weight in net.named_parameters() if name in missing]
    old = [weight for name, weight in net.named_parameters() if name not in missing]
    groups = [{"params": old, "full": plan.rate}, {"params": new, "full": NEW_RATE}]
    optimizer = torch.optim.AdamW(groups, lr=plan.rate, weight_decay=0.01, betas=(0.9, 0.98))
    _run(net, optimizer, sampler, plan)
    weights = {name: array.detach().numpy() for name, array in net.state_dict().items()}
    transformer = Transformer(quantize(weights), base.shape)
    return EncoderModel(base.vocabulary, dict(forms or {}), transformer)


def _run(net: EncoderNet, optimizer: torch.optim.Optimizer, sampler: Sampler, plan: Plan) -> None:
    """Take all steps; the next windows are made while a step is taken."""
    origin = fingerprint(plan, sampler)
    step = _resume(net, optimizer, origin, plan.checkpoint)
    last = plan.steps + plan.later_steps
    losses: list[float] = []
    begun = saved = time.monotonic()
    net.train()
    with ThreadPoolExecutor(1) as pool:

        def prepare(step: int) -> Batch:
            numbers = range(step * plan.batch, (step + 1) * plan.batch)
            return make_batch([sampler.window(number) for number in numbers])

        following = pool.submit(prepare, step)
        words = 0
        while step < last:
            batch = following.result()
            following = pool.submit(prepare, step + 1)
            for group in optimizer.param_groups:
                group["lr"] = group["full"] * plan.rate_at(step)
            losses.append(_step(net, optimizer, batch))
            words += len(batch.target)
            step += 1
            if step % LOG_STEPS == 0:
                speed = words / (time.monotonic() - begun)
                mean = float(np.mean(losses[-4 * LOG_STEPS :]))
                text = "  step %d of %d, loss %.4f, %.0f words/s"
                logger.info(text, step, last, mean, speed)
            if time.monotonic() - saved > SAVE_SECONDS or step == last:
                _save(net, optimizer, step, origin, plan.checkpoint)
                saved = time.monotonic()


def _step(net: EncoderNet, optimizer: torch.optim.Optimizer, batch: Batch) -> float:
    # Sums are in 16 bits, which is faster; the weights keep 32.
    short = {name: weight.bfloat16() for name, weight in net.named_parameters()}
    inputs = (batch.pieces, batch.values, batch.word_at, batch.mask)
    vectors = torch.func.functional_call(net, short, inputs)
    gaps, cases = net.scores(vectors.float(), batch.word_at)
    own = gaps[torch.arange(len(gaps)), batch.head]
    loss = F.cross_entropy(own, batch.target, ignore_index=IGNORED)
    if bool((batch.case != IGNORED).any()):
        loss = loss + CASE_WEIGHT * F.cross_entropy(cases, batch.case, ignore_index=IGNORED)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), LARGEST_GRADIENT)
    optimizer.step()
    return loss.item()


class Batch(NamedTuple):
    """Windows as tensors."""

    pieces: Tensor
    values: Tensor
    word_at: Tensor
    mask: Tensor | None
    target: Tensor
    case: Tensor
    head: Tensor


def make_batch(windows: Sequence[Window]) -> Batch:
    """Put windows into tensors; shorter ones are filled up."""
    length = max(len(window.pieces) for window in windows)
    pieces = np.zeros((len(windows), length), np.int64)
    for row, window in zip(pieces, windows, strict=True):
        row[: len(window.pieces)] = window.pieces
    word_at = np.concatenate([each.word_at + at * length for at, each in enumerate(windows)])
    values = np.concatenate([window.columns for window in windows]) + OFFSETS
    empty = torch.from_numpy(pieces == 0)
    mask = None
    if bool(empty.any()):
        mask = torch.zeros(pieces.shape, dtype=torch.bfloat16).masked_fill(empty, -1e9)
        mask = mask[:, None, :]
    columns = (np.concatenate([getattr(window, name) for window in windows]) for name in TARGETS)
    target, case, head = map(torch.from_numpy, columns)
    return Batch(
        torch.from_numpy(pieces),
        torch.from_numpy(values),
        torch.from_numpy(word_at),
        mask,
        target,
        case,
        head,
    )


TARGETS = ("target", "case", "head")


MOMENTS = ("exp_avg", "exp_avg_sq")
"""What AdamW remembers of each weight that it has changed."""


def fingerprint(plan: Plan, sampler: Sampler) -> Tensor:
    """Return a checksum of what weights depend on: the plan, the pieces and the recordings."""
    found = sha256(repr(replace(plan, checkpoint=None, threads=0)).encode())
    found.update(sampler.table.pieces.tobytes())
    for source in sampler.sources:
        found.update(f"{source.name} {source.weight}".encode())
        found.update(source.words.tobytes())
    return torch.tensor(list(found.digest()), dtype=torch.uint8)


def _resume(
    net: EncoderNet, optimizer: torch.optim.Optimizer, origin: Tensor, path: Path | None
) -> int:
    """Take up training at a checkpoint, if there is one; return the steps that were taken."""
    if path is None or not path.exists():
        return 0
    try:
        saved = load_tensors(path)
        is_same = torch.equal(saved["origin"], origin)
    except (SafetensorError, KeyError):
        is_same = False
    if not is_same:
        raise ModelError(
            "the checkpoint is damaged, or of another training",
            where=str(path),
            remedy="remove it",
        )
    step = int(saved["step"])
    with torch.no_grad():
        for name, weight in net.named_parameters():
            weight.copy_(saved[name])
            if f"{name}.{MOMENTS[0]}" in saved:
                known = {part: saved[f"{name}.{part}"] for part in ("step", *MOMENTS)}
                optimizer.state[weight] = known
    logger.info("  going on at step %d", step)
    return step


def _save(
    net: EncoderNet,
    optimizer: torch.optim.Optimizer,
    step: int,
    origin: Tensor,
    path: Path | None,
) -> None:
    if path is None:
        return
    tensors = {"step": torch.tensor(step), "origin": origin}
    for name, weight in net.named_parameters():
        tensors[name] = weight.detach()
        tensors |= {f"{name}.{part}": value for part, value in optimizer.state[weight].items()}
    part = path.with_suffix(".part")
    save_tensors(tensors, part)
    part.replace(path)
