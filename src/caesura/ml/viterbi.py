"""Finding the classes of gaps, given the score of each class after each history of classes.

A state is the sequence of the last few classes. Scores of a step are a row with a column for
each sequence of classes that is a state and the class that follows it, the latest as last digit.
Recordings are cut into blocks of equal length, and all blocks take each step together: first
from every state they may begin in, then, when it is known how they begin and end, once more.
What comes out is exact, and the same whatever else is decoded at the same time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Floats, Indices

BLOCK = 128
"""Steps in a block."""

MOST_STATES = 16
"""With more states, trying each of them costs more than it saves: a block is a recording."""

RESCALE = 8
"""Steps after which probabilities are brought back to a size that numbers can hold."""

LEAST = -80.0
"""The lowest score beside the best one of a step that counts: sure enough, and `RESCALE` such
steps still leave a number above 0."""

TINY = 1e-300
"""What stands for a probability of 0 where its logarithm is taken."""

Join = Callable[[Floats, Floats], Floats]
Found = TypeVar("Found", Floats, Indices)
Decode = Callable[[Floats, Indices, int], Found]


def logs(probability: Floats) -> Floats:
    """Give logarithms of probabilities, also of 0."""
    found: Floats = np.log(np.maximum(probability, TINY))
    return found


@dataclass(frozen=True)
class Blocks:
    """How recordings of some lengths are cut."""

    lengths: Indices
    block: int

    @property
    def counts(self) -> Indices:
        """Blocks of each recording."""
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

    def laid_out(self, scores: Floats) -> Floats:
        """Give the scores as [step, block, column]; what lies behind an end is 0."""
        count = int(self.counts.sum())
        whole = np.zeros((count * self.block, scores.shape[1]))
        whole[self.rows] = scores
        return whole.reshape(count, self.block, -1).transpose(1, 0, 2)

    def taken_in(self, steps: NDArray[np.generic]) -> NDArray[np.generic]:
        """Give back rows for the steps of the recordings."""
        flat = np.moveaxis(steps, 0, 1)
        return flat.reshape(-1, *steps.shape[2:])[self.rows]

    def rounds(self) -> Iterator[Indices]:
        """Give the first blocks of all recordings, then their second ones, and so on."""
        first, counts = self.first, self.counts
        for number in range(int(counts.max())):
            yield first[counts > number] + number


def cut(lengths: Indices, states: int, block: int) -> Blocks:
    """Cut recordings into blocks, or leave them whole if there are many states."""
    lengths = lengths[lengths > 0]
    return Blocks(lengths, block if states <= MOST_STATES else int(lengths.max()))


def _start(states: int, classes: int) -> int:
    """The state in which recordings begin: class 1 again and again."""
    return (states - 1) // (classes - 1)


def _onward(state: Floats, step: Floats, classes: int, join: Join, through: Join) -> Floats:
    """Take a step from what is known of each state to what is known of each next one."""
    states = state.shape[-1]
    moved = through(state[..., None], step.reshape(*step.shape[:-1], states, classes))
    parts = moved.reshape(*state.shape[:-1], classes, states)
    best = parts[..., 0, :]
    for oldest in range(1, classes):
        best = join(best, parts[..., oldest, :])
    return best


def _back(state: Floats, step: Floats, classes: int) -> Floats:
    """Take a step backwards, adding up."""
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


def _apart(decode: Decode[Found], scores: Floats, lengths: Indices, classes: int) -> Found:
    """Decode one recording after another.

    Blocks as long as the longest one would take up memory for as many long ones, and break ties
    by what else is decoded.
    """
    each = zip(np.split(scores, np.cumsum(lengths)[:-1]), lengths.tolist(), strict=True)
    found: Found = np.concatenate([decode(part, np.array([n]), classes) for part, n in each])
    return found


def posterior(scores: Floats, lengths: Indices, classes: int) -> Floats:
    """Probability of each class at each step: forward and backward over all histories."""
    if not len(scores):
        return np.zeros((0, classes))
    states = scores.shape[1] // classes
    if states > MOST_STATES and len(lengths) > 1:
        return _apart(posterior, scores, lengths, classes)
    blocks = cut(lengths, states, min(BLOCK, int(lengths.max())))
    weights = blocks.laid_out(np.maximum(scores - scores.max(axis=1, keepdims=True), LEAST))
    weights = np.exp(np.ascontiguousarray(weights))
    begin, end = _edges(weights, blocks, classes, states)
    ahead = np.empty((*weights.shape[:2], states))
    for at, step in enumerate(weights):
        begin = _scaled(_onward(begin, step, classes, np.add, np.multiply))
        ahead[at] = begin
    found = np.empty((*weights.shape[:2], classes))
    for at in range(len(weights) - 1, -1, -1):
        both = (ahead[at] * end).reshape(len(end), -1, classes)
        found[at] = _scaled(both.sum(axis=1))
        end = _back(end, weights[at], classes)
        # By the largest, which leaves the ones behind the end of a recording as they are.
        end = end / end.max(axis=-1, keepdims=True)
    return blocks.taken_in(found)  # type: ignore[return-value]


def _edges(weights: Floats, blocks: Blocks, classes: int, states: int) -> tuple[Floats, Floats]:
    """How probable it is that each block begins, and goes on behind its end, from each state."""
    count = weights.shape[1]
    begin, end = np.zeros((count, states)), np.ones((count, states))
    begin[blocks.first, _start(states, classes)] = 1.0
    rounds = list(blocks.rounds())
    if len(rounds) == 1:
        return begin, end
    through, scale = _through(weights, classes, states)
    for here in rounds[1:]:
        before = here - 1
        size = scale[before] + logs(begin[before])
        share = np.exp(size - size.max(axis=1, keepdims=True))
        begin[here] = _scaled((share[:, :, None] * through[before]).sum(axis=1))
    for here in reversed(rounds[1:]):
        size = (through[here] * end[here][:, None, :]).sum(axis=2)
        size = scale[here] + logs(size)
        end[here - 1] = _scaled(np.exp(size - size.max(axis=1, keepdims=True)))
    return begin, end


def _through(weights: Floats, classes: int, states: int) -> tuple[Floats, Floats]:
    """Probability to leave a block in each state, for each it may begin in.

    Each row adds up to one; what it was before is given as a logarithm.
    """
    count = weights.shape[1]
    way = np.broadcast_to(np.eye(states), (count, states, states))
    scale = np.zeros((count, states))
    for at, step in enumerate(weights, 1):
        way = _onward(way, step[:, None, :], classes, np.add, np.multiply)
        if at % RESCALE == 0 or at == len(weights):
            size = way.sum(axis=2)
            scale += np.log(size)
            way = way / size[:, :, None]
    return way, scale


def viterbi(scores: Floats, lengths: Indices, classes: int) -> Indices:
    """Class at each step of the best sequence of classes; of equal ones the lowest classes."""
    if not len(scores):
        return np.zeros(0, np.int64)
    states = scores.shape[1] // classes
    if states > MOST_STATES and len(lengths) > 1:
        return _apart(viterbi, scores, lengths, classes)
    blocks = cut(lengths, states, BLOCK)
    steps = np.ascontiguousarray(blocks.laid_out(scores))
    best = _best_begins(steps, blocks, classes, states)
    origin = np.empty((*steps.shape[:2], states), np.int8)
    for at, step in enumerate(steps):
        moved = best[..., None] + step.reshape(len(best), states, classes)
        parts = moved.reshape(len(best), classes, states)
        origin[at] = parts.argmax(axis=1)
        best = parts.max(axis=1)
    return blocks.taken_in(_traced(origin, best, blocks, classes, states))  # type: ignore[return-value]


def _best_begins(steps: Floats, blocks: Blocks, classes: int, states: int) -> Floats:
    """Score of the best way to each state in which a block may begin."""
    count = steps.shape[1]
    begin = np.full((count, states), -np.inf)
    begin[blocks.first, _start(states, classes)] = 0.0
    rounds = list(blocks.rounds())
    if len(rounds) == 1:
        return begin
    way = np.broadcast_to(np.where(np.eye(states) > 0, 0.0, -np.inf), (count, states, states))
    for step in steps:
        way = _onward(way, step[:, None, :], classes, np.maximum, np.add)
    for here in rounds[1:]:
        begin[here] = (begin[here - 1][:, :, None] + way[here - 1]).max(axis=1)
    return begin


def _traced(
    origin: NDArray[np.int8], best: Floats, blocks: Blocks, classes: int, states: int
) -> Indices:
    """Follow the best way back: from the end of each recording to its first block, then inside."""
    everywhere = np.arange(origin.shape[1])
    begun = np.broadcast_to(np.arange(states), best.shape)
    for step in origin[::-1]:
        oldest = np.take_along_axis(step, begun, axis=1).astype(np.int64)
        begun = oldest * (states // classes) + begun // classes
    state = np.empty(len(best), np.int64)
    last = blocks.first + blocks.counts - 1
    state[last] = best[last].argmax(axis=1)
    for here in reversed(list(blocks.rounds())[1:]):
        state[here - 1] = begun[here, state[here]]
    found = np.empty(origin.shape[:2], np.int64)
    for at in range(len(origin) - 1, -1, -1):
        found[at] = state % classes
        oldest = origin[at][everywhere, state].astype(np.int64)
        state = oldest * (states // classes) + state // classes
    return found
