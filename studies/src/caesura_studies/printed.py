"""Numbers as papers print them: rounded, beside what they should be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from caesura.core.values import Undefined, Value


@dataclass(frozen=True)
class Number:
    """A number, or a name, as printed and as it is right, and how one can tell.

    `slack` is how far what is right may be off, where it is computed from rounded numbers.
    """

    place: str
    printed: str
    right: Fraction | Value | str
    why: str = ""
    slack: Fraction = Fraction()

    @property
    def agrees(self) -> bool:
        """Whether what is right rounds to what is printed; a half may be rounded either way."""
        if isinstance(self.right, (str, Undefined)):
            return self.right == self.printed
        off = abs(Fraction(self.right) - Fraction(self.printed))
        return off <= half(self.printed) + self.slack

    def shown(self, least: int = 0) -> str:
        """Write what is right with as many digits as are printed, or at least so many."""
        if isinstance(self.right, str):
            return self.right
        if isinstance(self.right, Undefined):
            return "undefined"
        digits = len(self.printed.partition(".")[2])
        return written(Fraction(self.right), max(digits, least) if digits else 0)


def half(text: str) -> Fraction:
    """Half a unit of the last printed digit."""
    return Fraction(1, 2 * 10 ** len(text.partition(".")[2]))


def written(value: Fraction, digits: int = 3) -> str:
    """Write a number as papers do: no zero in front, halves rounded up."""
    rounded = (value * 10**digits + Fraction(1, 2)).__floor__()
    text = f"{rounded / 10**digits:.{digits}f}"
    return text.removeprefix("0") if digits else text


def wrong(numbers: Iterable[Number]) -> list[Number]:
    """Give those that are not printed as they should be."""
    return [each for each in numbers if not each.agrees]
