"""Train the detector `FastNet` with torch, on its own or taught by a larger model.

A teacher gives each gap of a window its probabilities of all classes. They say more than the mark
that a person happened to write, and there are some for text without marks, too.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from numpy.typing import NDArray
from torch import Tensor, nn

from caesura.core.arrays import Floats, Indices
from caesura.core.errors import CaesuraError
from caesura.core.transcript import Transcript
from caesura.detectors.neural.encoder import GAP_LABELS
from caesura.detectors.neural.encoder_training import known_words
from caesura.detectors.neural.evidence import COLUMNS, SIZES
from caesura.detectors.neural.fast_net import (
    AFTER,
    BEFORE,
    OTHERS,
    OUTSIDE,
    PAST,
    TIMES,
    FastNet,
    FastNetModel,
    Pairs,
    Sizes,
    pair_keys,
    word_numbers,
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
from caesura.ml.neural.wordpiece import INSIDE, SPECIAL, WordPieces
from caesura.ml.ngram_counts import Vocabulary

logger = logging.getLogger("caesura.training")

Teacher = Callable[[Sequence[Window]], list[Floats]]
"""Returns the probabilities of the classes of each gap of some windows."""

NOT_LEARNT = 8
"""Words at the front of a window from which nothing is learnt: too little is seen before them."""

DROPOUT = 0.1
WARM_UP = 200
TAUGHT_AT_ONCE = 32
LOG_STEPS = 200
LARGEST_GRADIENT = 1.0


@dataclass(frozen=True)
class Lesson:
    """What a net is trained on: windows with the marks of people, and some that are taught.

    Of all windows, the share `taught` is drawn from the first `windows` ones, for which the
    teacher was asked. The targets there are so much (`trust`) the teacher's.
    """

    sampler: Sampler
    teacher: Teacher | None = None
    windows: int = 0
    taught: float = 0.6
    trust: float = 0.8


class Net(nn.Module):
    """The net of `FastNetModel.scores`, for rows of words."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        shapes = sizes.shapes()
        self.words = nn.Embedding(*shapes["words.weight"])
        self.pairs = nn.Embedding(*shapes["pairs.weight"])
        self.values = nn.Embedding(*shapes["values.weight"])
        for table, deviation in ((self.words, 0.3), (self.pairs, 0.01), (self.values, 0.1)):
            nn.init.normal_(table.weight, std=deviation)
        self.first, self.past, self.second, self.gap = (
            nn.Linear(*reversed(shapes[f"{name}.weight"]))
            for name in ("first", "past", "second", "gap")
        )

    def forward(self, words: Tensor, pairs: Tensor, values: Tensor) -> Tensor:
        """Return the scores of the gaps of rows, which have the words around them, too."""
        rows, length = words.shape
        told = F.embedding_bag(values, self.values.weight, mode="sum").view(rows, length, -1)
        vectors = F.dropout(self.words(words) + told, DROPOUT, self.training)
        width = BEFORE + 1 + AFTER
        count = length - width + 1
        around = torch.cat([vectors[:, k : k + count] for k in range(width)], 2)
        hidden = (self.first(around) + self.pairs(pairs[:, BEFORE : BEFORE + count])).relu()
        sums = F.pad(self.past(hidden).relu().cumsum(1), (0, 0, 1, 0))
        last = PAST[-1]
        marks = [sums[:, last - back : count - back] for back in (0, *PAST)]
        parts = [
            (near - far) / (stop - start)
            for near, far, start, stop in zip(marks, marks[1:], (0, *PAST), PAST, strict=False)
        ]
        joined = F.dropout(torch.cat([hidden[:, last:], *parts], 2), DROPOUT, self.training)
        found: Tensor = self.gap(self.second(joined).relu())
        return found


def fit(net: FastNet, train: Sequence[Transcript], text: Sequence[Transcript]) -> FastNet:
    """Train a net on speech and more text, without a teacher."""
    lexicon = Lexicon()
    sources = known_sources(train, text, lexicon)
    # Windows are measured in words: each is one piece.
    sampler = Sampler(sources, lexicon, ONE_PIECE, WINDOW, net.seed)
    forms = written_forms(sources, lexicon.words, known_words(train, text))
    return train_net(net, Lesson(sampler), lexicon, forms)


class _OnePiece(WordPieces):
    """A vocabulary in which every word is one piece."""

    def split(self, word: str) -> tuple[int, ...]:  # noqa: ARG002 - all words are alike
        return (len(SPECIAL),)


ONE_PIECE = _OnePiece([*SPECIAL, INSIDE])
WINDOW = 160


def train_net(net: FastNet, lesson: Lesson, lexicon: Lexicon, forms: Mapping[str, str]) -> FastNet:
    """Train a net on the windows of a lesson."""
    words = lexicon.words
    sources = lesson.sampler.sources
    frequency = sum(np.bincount(source.words, minlength=len(words)) for source in sources)
    best = np.argsort(-np.asarray(frequency), kind="stable")[: net.words]
    vocabulary = Vocabulary.of([[words[at] for at in best.tolist()]], 1)
    numbers = word_numbers(vocabulary, words)
    keys = frequent_pairs([numbers[source.words] for source in sources], net.pairs)
    batches = _Batches(lesson, numbers, Pairs(keys), net.batch, net.seed)
    with repeatable(torch, net.seed):
        module = Net(net.sizes(vocabulary, len(keys)))
        _run(module, batches, net)
    weights = {name: array.detach().numpy() for name, array in module.state_dict().items()}
    trained = net.with_model(FastNetModel(vocabulary, keys, dict(forms), weights))
    return net.from_state(trained.state())


def frequent_pairs(texts: Sequence[Indices], most: int) -> NDArray[np.uint32]:
    """Return the keys of the most frequent pairs of words; the first key stands for no pair.

    The others are in the order of their values, which says nothing about how frequent they are.
    """
    keys = np.concatenate([pair_keys(text) for text in texts])
    found, counts = np.unique(keys, return_counts=True)
    is_pair = (counts > 1) & (found != 0)
    found, counts = found[is_pair], counts[is_pair]
    falling = found[np.argsort(-counts, kind="stable")]
    _, first_in_slot = np.unique(Pairs.slots(falling), return_index=True)
    kept = falling[np.sort(first_in_slot)[:most]]
    return np.concatenate([np.zeros(1, np.uint32), np.sort(kept)])


class _Batch(NamedTuple):
    words: Tensor
    pairs: Tensor
    values: Tensor
    target: Tensor
    """The probability of each class of each gap; all 0 where nothing is learnt."""


ORDER = (*TIMES, *OTHERS)
OFFSETS = np.cumsum([0, *(SIZES[name] for name in ORDER)])[:-1]
CHOSEN = [COLUMNS.index(name) for name in ORDER]


class _Batches:
    """Makes the batches of a lesson; each depends on its number alone."""

    def __init__(
        self, lesson: Lesson, numbers: Indices, pairs: Pairs, size: int, seed: int
    ) -> None:
        self.lesson, self.numbers, self.pairs = lesson, numbers, pairs
        self.size, self.seed = size, seed
        self.taught = self._ask_teacher()

    def _ask_teacher(self) -> list[tuple[Window, NDArray[np.float16]]]:
        found: list[tuple[Window, NDArray[np.float16]]] = []
        if self.lesson.teacher is None:
            return found
        for first in range(0, self.lesson.windows, TAUGHT_AT_ONCE):
            numbers = range(first, min(first + TAUGHT_AT_ONCE, self.lesson.windows))
            windows = [self.lesson.sampler.window(number) for number in numbers]
            taught = self.lesson.teacher(windows)
            found += [(w, t.astype(np.float16)) for w, t in zip(windows, taught, strict=True)]
            if first % (TAUGHT_AT_ONCE * LOG_STEPS) == 0:
                logger.info("  %d of %d windows are taught", first, self.lesson.windows)
        return found

    def batch(self, number: int) -> _Batch:
        """Return the batch of a number."""
        draw = np.random.default_rng([self.seed, number])
        rows: list[tuple[Window, NDArray[np.float16] | None]] = []
        for at in range(self.size):
            if self.taught and draw.random() < self.lesson.taught:
                rows.append(self.taught[int(draw.integers(len(self.taught)))])
            else:
                beyond = self.lesson.windows + number * self.size + at
                rows.append((self.lesson.sampler.window(beyond), None))
        return self._joined(rows)

    def _joined(self, rows: Sequence[tuple[Window, NDArray[np.float16] | None]]) -> _Batch:
        back = PAST[-1] + BEFORE
        length = max(len(window.words) for window, _ in rows)
        words = np.full((len(rows), back + length + AFTER), OUTSIDE)
        values = np.zeros((*words.shape, len(ORDER)), np.int64)
        target = np.zeros((len(rows), length, len(GAP_LABELS)), np.float32)
        for row, (window, taught) in enumerate(rows):
            count = len(window.words)
            words[row, back : back + count] = self.numbers[window.words]
            values[row, back : back + count] = window.columns[:, CHOSEN]
            target[row, :count] = self._targets(window, taught)
        pairs = np.stack([self.pairs.rows(row) for row in words])
        return _Batch(
            torch.from_numpy(words),
            torch.from_numpy(pairs.astype(np.int64)),
            torch.from_numpy((values + OFFSETS).reshape(-1, len(ORDER))),
            torch.from_numpy(target),
        )

    def _targets(self, window: Window, taught: NDArray[np.float16] | None) -> Floats:
        known = window.target != IGNORED
        found = np.zeros((len(known), len(GAP_LABELS)))
        found[known, window.target[known]] = 1.0
        if taught is not None:
            trust = np.where(known, self.lesson.trust, 1.0)[:, None]
            found = trust * taught + (1 - trust) * found
        found[:NOT_LEARNT] = 0.0
        if window.head[-1] == 0:
            # The words that follow are not in the window.
            found[max(len(known) - AFTER, 0) :] = 0.0
        return found


def _run(module: Net, batches: _Batches, net: FastNet) -> None:
    optimizer = torch.optim.Adam(module.parameters(), lr=net.rate, betas=(0.9, 0.98))
    losses: list[float] = []
    module.train()
    for step in range(net.steps):
        batch = batches.batch(step)
        for group in optimizer.param_groups:
            group["lr"] = net.rate * min(1.0, (step + 1) / WARM_UP) * (1 - step / net.steps)
        scores = module(batch.words, batch.pairs, batch.values)
        chances = F.log_softmax(scores, 2)
        loss = -(chances * batch.target).sum() / batch.target.sum().clamp(min=1.0)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(module.parameters(), LARGEST_GRADIENT)
        optimizer.step()
        losses.append(loss.item())
        if not np.isfinite(losses[-1]):
            raise CaesuraError(NO_NUMBER, remedy="lower the rate")
        if (step + 1) % LOG_STEPS == 0:
            mean = float(np.mean(losses[-LOG_STEPS:]))
            logger.info("  step %d of %d, loss %.4f", step + 1, net.steps, mean)
