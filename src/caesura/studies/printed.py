"""Numbers as papers print them: rounded, and laid beside those that are computed."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from caesura.contracts import Undefined, Value
from caesura.studies.writing import number


def fits(value: Fraction, text: str) -> bool:
    """Whether a number rounds to what is printed; a half may be rounded either way."""
    return abs(value - Fraction(text)) <= half(text)


def half(text: str) -> Fraction:
    """Half a unit of the last printed digit."""
    return Fraction(1, 2 * 10 ** len(text.partition(".")[2]))


def three(value: Fraction, digits: int = 3) -> str:
    """Write a number as the paper does: no zero in front, halves rounded up."""
    rounded = (value * 10**digits + Fraction(1, 2)).__floor__()
    return f".{rounded:0{digits}}" if rounded < 10**digits else f"{rounded / 10**digits:.{digits}f}"


@dataclass(frozen=True)
class Row:
    """A number as printed and as computed."""

    quantity: str
    printed: str
    value: Value
    misprint: str = ""

    @property
    def agrees(self) -> bool:
        """Whether the computed number, rounded, is the printed one."""
        return not isinstance(self.value, Undefined) and fits(Fraction(self.value), self.printed)

    @property
    def explained(self) -> bool:
        """Whether the printed number is a misprint, and the computed one is what it should be."""
        right = self.misprint.split(" ")[0]
        if self.agrees or not right or isinstance(self.value, Undefined):
            return False
        return fits(Fraction(self.value), right)

    @property
    def verdict(self) -> str:
        """Say so in a word, and name a misprint that the paper's other numbers give away."""
        if self.agrees:
            return "ok"
        return f"misprint: the tables need {self.misprint}" if self.explained else "differs"

    def cells(self) -> list[str]:
        """Lay it out for a table."""
        digits = max(4, len(self.printed.partition(".")[2]))
        return [
            self.quantity,
            self.verdict,
            self.printed,
            number(self.value, digits).replace(",", ""),
        ]

    def to_json(self) -> dict[str, Any]:
        """Give it for the file of results."""
        value = None if isinstance(self.value, Undefined) else self.value
        return {
            "quantity": self.quantity,
            "printed": self.printed,
            "computed": value,
            "agrees": self.agrees,
            "misprint": self.misprint if self.explained else "",
        }
