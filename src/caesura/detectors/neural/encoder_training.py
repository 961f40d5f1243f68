"""Train the detector `Encoder` with torch, from a pretrained encoder (`pretrained.py`).

`EncoderNet` is the net in torch; `ml/neural/transformer.py` runs it with numpy.

Training can be interrupted: with a checkpoint file it goes on where it was, to the same weights.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.torch import load_file as load_tensors
from safetensors.torch import save_file as save_tensors
from torch import Tensor, nn

from caesura.core.errors import CaesuraError, ModelError
from caesura.core.transcript import Transcript
from caesura.detectors.neural.encoder import OFFSETS, Encoder, EncoderModel
from caesura.detectors.neural.pretrained import (
    Base,
    find_base,
    read_base,
    scratch_base,
    smaller_base,
)
from caesura.detectors.neural.training_windows import (
    IGNORED,
    Lexicon,
    Sampler,
    Window,
    known_sources,
    written_forms,
)
from caesura.ml.neural.torch_training import NO_NUMBER, repeatable
from caesura.ml.neural.transformer import EPSILON, Shape, Transformer, quantize

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
    forms = written_forms(sources, lexicon.words, words)
    return encoder.with_model(train_encoder(base, sampler, plan, forms))


def known_words(train: Sequence[Transcript], text: Sequence[Transcript]) -> Counter[str]:
    """Count the words of all that has sentences."""
    known = (each for each in (*train, *text) if each.sentences is not None)
    return Counter(word for each in known for word in each.words)


class Layer(nn.Module):
    """Attention and a feed-forward net, each with a residual connection and a norm after it."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.qkv = nn.Linear(shape.hidden, 3 * shape.hidden)
        self.out = nn.Linear(shape.hidden, shape.hidden)
        self.norm = nn.LayerNorm(shape.hidden, eps=float(EPSILON))
        self.inner = nn.Linear(shape.hidden, shape.inner)
        self.outer = nn.Linear(shape.inner, shape.hidden)
        self.last_norm = nn.LayerNorm(shape.hidden, eps=float(EPSILON))

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        """Return the vectors after this layer."""
        x = self.norm(x + self.out(self._attention(self.qkv(x), mask)))
        found = self.outer(F.gelu(self.inner(x), approximate="tanh"))
        return self.last_norm(x + found)

    def _attention(self, qkv: Tensor, mask: Tensor | None) -> Tensor:
        """Attend by plain products: for short windows they are faster than what torch has."""
        rows, length, size = qkv.shape
        parts = qkv.view(rows, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        query, key, value = parts.reshape(3, rows * self.heads, length, -1)
        scores = torch.bmm(query * query.shape[-1] ** -0.5, key.transpose(1, 2))
        if mask is not None:
            scores = scores + mask.repeat_interleave(self.heads, 0)
        found = torch.bmm(torch.softmax(scores, -1), value).view(rows, self.heads, length, -1)
        return found.transpose(1, 2).reshape(rows, length, size // 3)


class EncoderNet(nn.Module):
    """Word pieces and columns of evidence in, scores of gap and case classes out."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.pieces = nn.Embedding(shape.pieces, shape.hidden)
        self.positions = nn.Embedding(shape.positions, shape.hidden)
        self.values = nn.Embedding(shape.values, shape.hidden)
        nn.init.normal_(self.values.weight, std=0.01)
        self.norm = nn.LayerNorm(shape.hidden, eps=float(EPSILON))
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.gap = nn.Linear(shape.hidden, shape.gap_heads * shape.gap_classes)
        self.case = nn.Linear(shape.hidden, shape.case_classes)

    def forward(
        self, pieces: Tensor, values: Tensor, value_at: Tensor, mask: Tensor | None
    ) -> Tensor:
        """Return the vectors of all pieces.

        `values` has the numbers of the evidence of each word, and `value_at` the place of its
        first piece in the flattened batch.
        """
        rows, length = pieces.shape
        x = self.pieces(pieces) + self.positions.weight[:length]
        told = F.embedding_bag(values, self.values.weight, mode="sum")
        x = x.reshape(rows * length, -1).index_add(0, value_at, told).view(rows, length, -1)
        x = self.norm(x)
        for layer in self.layers:
            x = layer(x, mask)
        return x

    def scores(self, vectors: Tensor, word_at: Tensor) -> tuple[Tensor, Tensor]:
        """Return the scores of the gap classes by each head, and of the case classes."""
        words = vectors.reshape(-1, vectors.shape[-1])[word_at]
        gaps = self.gap(words).view(-1, self.shape.gap_heads, self.shape.gap_classes)
        return gaps, self.case(words)


def train_encoder(
    base: Base, sampler: Sampler, plan: Plan, forms: Mapping[str, str] | None = None
) -> EncoderModel:
    """Train on the windows of a sampler."""
    with repeatable(torch, plan.seed, plan.threads):
        weights = _trained_weights(base, sampler, plan)
    transformer = Transformer(quantize(weights), base.shape)
    return EncoderModel(base.vocabulary, dict(forms or {}), transformer)


def _trained_weights(base: Base, sampler: Sampler, plan: Plan) -> dict[str, NDArray[Any]]:
    net = EncoderNet(base.shape)
    given = {name: torch.from_numpy(np.array(array)) for name, array in base.weights.items()}
    missing = set(net.load_state_dict(given, strict=False).missing_keys)
    new = [weight for name, weight in net.named_parameters() if name in missing]
    old = [weight for name, weight in net.named_parameters() if name not in missing]
    groups = [{"params": old, "full": plan.rate}, {"params": new, "full": NEW_RATE}]
    optimizer = torch.optim.AdamW(groups, lr=plan.rate, weight_decay=0.01, betas=(0.9, 0.98))
    _run(net, optimizer, sampler, plan, fingerprint(base, plan, sampler))
    return {name: array.detach().numpy() for name, array in net.state_dict().items()}


def _run(
    net: EncoderNet,
    optimizer: torch.optim.Optimizer,
    sampler: Sampler,
    plan: Plan,
    origin: Tensor,
) -> None:
    """Take all steps; the next windows are made while a step is taken."""
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
            if not np.isfinite(losses[-1]):
                raise CaesuraError(NO_NUMBER, remedy="lower the rate")
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


def fingerprint(base: Base, plan: Plan, sampler: Sampler) -> Tensor:
    """Return a checksum of what weights depend on: base, plan, windows, pieces and recordings."""
    found = sha256(repr(replace(plan, checkpoint=None)).encode())
    heard = sampler.mishearing
    found.update(repr((sampler.hiding, sampler.length, sampler.seed, heard.insertion)).encode())
    for column in (heard.first, heard.outcome, heard.error, heard.inserted):
        found.update(column.tobytes())
    for name, array in sorted(base.weights.items()):
        found.update(name.encode())
        found.update(np.ascontiguousarray(array).tobytes())
    found.update(sampler.table.pieces.tobytes())
    for source in sampler.sources:
        found.update(f"{source.name} {source.weight}".encode())
        for column in (source.words, source.target, source.case, *source.evidence):
            found.update(column.tobytes())
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
