"""The transformer encoder in torch, for training; `transformer.py` runs it with numpy."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import Tensor, nn

from caesura.ml.neural.transformer import EPSILON, Shape


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
