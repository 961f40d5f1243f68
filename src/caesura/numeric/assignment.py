"""Pairing one to one so that the weights of the pairs sum to the most, exactly."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence


def heaviest(weights: Sequence[Mapping[int, int]]) -> dict[int, int]:
    """Pair left with right, each at most once, for the greatest sum of `weights[left][right]`.

    Weights are positive whole numbers; what has none cannot be paired. The left come in one
    after another, each along the heaviest path that gives it a partner and others another one,
    or none: what is best for those before and this one differs from the best before by just
    such a path.
    """
    owner: dict[int, int] = {}
    for left in range(len(weights)):
        _add(weights, owner, left)
    return {left: right for right, left in owner.items()}


def _add(weights: Sequence[Mapping[int, int]], owner: dict[int, int], start: int) -> None:
    """Let one more in."""
    gain = {start: 0}
    came: dict[int, tuple[int, int]] = {}
    most, end, free = 0, start, -1
    waiting = deque([start])
    while waiting:
        left = waiting.popleft()
        for right, weight in weights[left].items():
            other = owner.get(right)
            if other == left:
                continue
            total = gain[left] + weight
            if other is None:
                if total > most:
                    most, end, free = total, left, right
                continue
            total -= weights[other][right]
            if other not in gain or total > gain[other]:
                gain[other], came[other] = total, (left, right)
                waiting.append(other)
                if total > most:
                    most, end, free = total, other, -1
    if free >= 0:
        owner[free] = end
    while end != start:
        end, right = came[end]
        owner[right] = end
