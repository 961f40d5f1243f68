"""Decode sequences of classes: `viterbi` for the best one, `posterior` by forward-backward.

A state is the sequence of the last few classes. The scores of a step are a row with a column for
each state and the class that follows it; the latest class is the last digit of the column's number.
Recordings are cut into blocks of equal length, and all blocks take each step together: first from
every state they may begin in, then, when it is known how they begin and end, once more. The result
is exact, and the same whatever else is decoded at the same time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Floats, Indices

BLOCK = 128
"""Steps in a block, a multiple of `RESCALE`."""

MOST_STATES = 16
"""With more states, trying each of them costs more than it saves: then a block is a recording."""

RESCALE = 8
"""Steps after which probabilities are rescaled, so that they do not underflow."""

LEAST = -80.0
"""Scores this far below the best one of a step are raised to it: `RESCALE` such steps still
leave a probability above 0."""

TINY = 1e-300
"""Replaces a probability of 0 before its logarithm is taken."""

Join = Callable[[Floats, Floats], Floats]
Found = TypeVar("Found", Floats, Indices)
Decode = Callable[[Floats, Indices, int], Found]


def logs(probability: Floats) -> Floats:
    """Return the logarithms of probabilities; 0 counts as a tiny number."""
    found: Floats = np.log(np.maximum(probability, TINY))
    return found


@dataclass(frozen=True)
class Blocks:
    """How recordings of these lengths are cut into blocks of `block` steps."""

    lengths: Indices
    block: int

    @property
    def counts(self) -> Indices:
        """The number of blocks of each recording."""
        return -(-self.lengths // self.block)

    @property
    def first(self) -> Indices:
        """The first block of each recording."""
        return np.cumsum(self.counts) - self.counts

    @property
    def rows(self) -> Indices:
        """The row of each step among all steps of all blocks."""
        begin = np.cumsum(self.lengths) - self.lengths
        moved = np.repeat(self.first * self.block - begin, self.lengths)
        rows: Indices = np.arange(len(moved)) + moved
        return rows

    def split(self, scores: Floats) -> Floats:
        """Return the scores as [step, block, column]; steps after an end are 0."""
        count = int(self.counts.sum())
        whole = np.zeros((count * self.block, scores.shape[1]))
        whole[self.rows] = scores
        return whole.reshape(count, self.block, -1).transpose(1, 0, 2)

    def join(self, steps: NDArray[np.generic]) -> NDArray[np.generic]:
        """Undo `split`: return a row for each step of the recordings."""
        flat = np.moveaxis(steps, 0, 1)
        return flat.reshape(-1, *steps.shape[2:])[self.rows]

    def in_order(self) -> Iterator[Indices]:
        """Yield the first blocks of all recordings, then their second ones, and so on."""
        first, counts = self.first, self.counts
        for number in range(int(counts.max())):
            yield first[counts > number] + number


def make_blocks(lengths: Indices, states: int, block: int) -> Blocks:
    """Cut recordings into blocks, or leave them whole if there are many states."""
    lengths = lengths[lengths > 0]
    return Blocks(lengths, block if states <= MOST_STATES else int(lengths.max()))


def _start(states: int, classes: int) -> int:
    """Return the state in which recordings begin: class 1 again and again."""
    return (states - 1) // (classes - 1)


def _forward(state: Floats, step: Floats, classes: int, join: Join, through: Join) -> Floats:
    """Take a step forward: combine the values of states into those of the next states."""
    states = state.shape[-1]
    moved = through(state[..., None], step.reshape(*step.shape[:-1], states, classes))
    parts = moved.reshape(*state.shape[:-1], classes, states)
    best = parts[..., 0, :]
    for oldest in range(1, classes):
        best = join(best, parts[..., oldest, :])
    return best


def _backward(state: Floats, step: Floats, classes: int) -> Floats:
    """Take a step backward: sum the values of the next states."""
    states = state.shape[-1]
    parts = step.reshape(*step.shape[:-1], classes, states) * state[..., None, :]
    parts = parts.reshape(*state.shape[:-1], states, classes)
    total = parts[..., 0]
    for latest in range(1, classes):
        total = total + parts[..., latest]
    return total


def _scaled(state: Floats) -> Floats:
    scaled: Floats = state / state.sum(axis=-1, keepdims=True)
    return scaled


def _decode_each(decode: Decode[Found], scores: Floats, lengths: Indices, classes: int) -> Found:
    """Decode one recording after another.

    Blocks as long as the longest one would take up memory for as many long ones, and break ties
    by what else is decoded.
    """
    each = zip(np.split(scores, np.cumsum(lengths)[:-1]), lengths.tolist(), strict=True)
    found: Found = np.concatenate([decode(part, np.array([n]), classes) for part, n in each])
    return found


def posterior(scores: Floats, lengths: Indices, classes: int) -> Floats:
    """Return the probability of each class at each step, by forward-backward."""
    if not len(scores):
        return np.zeros((0, classes))
    states = scores.shape[1] // classes
    if states > MOST_STATES and len(lengths) > 1:
        return _decode_each(posterior, scores, lengths, classes)
    blocks = make_blocks(lengths, states, min(BLOCK, int(lengths.max())))
    weights = blocks.split(np.maximum(scores - scores.max(axis=1, keepdims=True), LEAST))
    weights = np.exp(np.ascontiguousarray(weights))
    begin, end = _edges(weights, blocks, classes, states)
    ahead = np.empty((*weights.shape[:2], states))
    for at, step in enumerate(weights):
        begin = _scaled(_forward(begin, step, classes, np.add, np.multiply))
        ahead[at] = begin
    found = np.empty((*weights.shape[:2], classes))
    for at in range(len(weights) - 1, -1, -1):
        both = (ahead[at] * end).reshape(len(end), -1, classes)
        found[at] = _scaled(both.sum(axis=1))
        end = _backward(end, weights[at], classes)
        # By the largest, which leaves the ones behind the end of a recording as they are.
        end = end / end.max(axis=-1, keepdims=True)
    return blocks.join(found)  # type: ignore[return-value]


def _edges(weights: Floats, blocks: Blocks, classes: int, states: int) -> tuple[Floats, Floats]:
    """Return forward probabilities where blocks begin and backward ones where they end."""
    count = weights.shape[1]
    begin, end = np.zeros((count, states)), np.ones((count, states))
    begin[blocks.first, _start(states, classes)] = 1.0
    order = list(blocks.in_order())
    if len(order) == 1:
        return begin, end
    through, scale = _block_transitions(weights, classes, states)
    for here in order[1:]:
        before = here - 1
        size = scale[before] + logs(begin[before])
        share = np.exp(size - size.max(axis=1, keepdims=True))
        begin[here] = _scaled((share[:, :, None] * through[before]).sum(axis=1))
    for here in reversed(order[1:]):
        size = (through[here] * end[here][:, None, :]).sum(axis=2)
        size = scale[here] + logs(size)
        end[here - 1] = _scaled(np.exp(size - size.max(axis=1, keepdims=True)))
    return begin, end


def _block_transitions(weights: Floats, classes: int, states: int) -> tuple[Floats, Floats]:
    """Return the probability to leave a block in each state, for each state it begins in.

    Rows are rescaled on the way; the logarithm of what they were divided by is returned too.
    """
    count = weights.shape[1]
    way = np.broadcast_to(np.eye(states), (count, states, states))
    scale = np.zeros((count, states))
    for at, step in enumerate(weights, 1):
        way = _forward(way, step[:, None, :], classes, np.add, np.multiply)
        if at % RESCALE == 0:
            size = way.sum(axis=2)
            scale += np.log(size)
            way = way / size[:, :, None]
    return way, scale


def viterbi(scores: Floats, lengths: Indices, classes: int) -> Indices:
    """Return the class at each step of the best sequence; of equal ones the lowest classes."""
    if not len(scores):
        return np.zeros(0, np.int64)
    states = scores.shape[1] // classes
    if states > MOST_STATES and len(lengths) > 1:
        return _decode_each(viterbi, scores, lengths, classes)
    blocks = make_blocks(lengths, states, BLOCK)
    steps = np.ascontiguousarray(blocks.split(scores))
    best = _best_begins(steps, blocks, classes, states)
    origin = np.empty((*steps.shape[:2], states), np.int8)
    for at, step in enumerate(steps):
        moved = best[..., None] + step.reshape(len(best), states, classes)
        parts = moved.reshape(len(best), classes, states)
        origin[at] = parts.argmax(axis=1)
        best = parts.max(axis=1)
    return blocks.join(_trace_back(origin, best, blocks, classes, states))  # type: ignore[return-value]


def _best_begins(steps: Floats, blocks: Blocks, classes: int, states: int) -> Floats:
    """Return the score of the best path to each state in which a block may begin."""
    count = steps.shape[1]
    begin = np.full((count, states), -np.inf)
    begin[blocks.first, _start(states, classes)] = 0.0
    order = list(blocks.in_order())
    if len(order) == 1:
        return begin
    way = np.broadcast_to(np.where(np.eye(states) > 0, 0.0, -np.inf), (count, states, states))
    for step in steps:
        way = _forward(way, step[:, None, :], classes, np.maximum, np.add)
    for here in order[1:]:
        begin[here] = (begin[here - 1][:, :, None] + way[here - 1]).max(axis=1)
    return begin


def _trace_back(
    origin: NDArray[np.int8], best: Floats, blocks: Blocks, classes: int, states: int
) -> Indices:
    """Trace the best path back: over the blocks of each recording, then inside the blocks."""
    everywhere = np.arange(origin.shape[1])
    state = np.empty(len(best), np.int64)
    last = blocks.first + blocks.counts - 1
    state[last] = best[last].argmax(axis=1)
    later = list(blocks.in_order())[1:]
    if later:
        begun = np.broadcast_to(np.arange(states), best.shape)
        for step in origin[::-1]:
            oldest = np.take_along_axis(step, begun, axis=1).astype(np.int64)
            begun = oldest * (states // classes) + begun // classes
        for here in reversed(later):
            state[here - 1] = begun[here, state[here]]
    found = np.empty(origin.shape[:2], np.int64)
    for at in range(len(origin) - 1, -1, -1):
        found[at] = state % classes
        oldest = origin[at][everywhere, state].astype(np.int64)
        state = oldest * (states // classes) + state // classes
    return found
