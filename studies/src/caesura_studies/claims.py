"""Claims of papers, decided by the tests of a study."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from caesura_studies.writing import table


@dataclass(frozen=True)
class Claim:
    """A claim, how many of the comparisons bear it out beyond chance, and the details.

    `signs` has for each comparison 1 if it bears the claim out, -1 if it says the opposite, and
    0 if chance explains the difference.
    """

    text: str
    signs: tuple[int, ...]
    details: tuple[str, ...]

    @property
    def verdict(self) -> str:
        """Sum up."""
        if not self.signs:
            return "not tested"
        if all(sign > 0 for sign in self.signs):
            return "holds"
        if all(sign < 0 for sign in self.signs):
            return "refuted"
        if not any(self.signs):
            return "open"
        return "holds in part" if any(sign > 0 for sign in self.signs) else "does not hold"

    @property
    def counted(self) -> str:
        """Say how often each way."""
        for_it = sum(sign > 0 for sign in self.signs)
        against = sum(sign < 0 for sign in self.signs)
        return f"{for_it} for, {against} against, {len(self.signs) - for_it - against} open"


Told = tuple[int, str]
"""What a comparison says of a claim, as a sign and in words."""


def claim(text: str, comparisons: Iterable[Told]) -> Claim:
    """Put together what comparisons say of a claim."""
    rows = list(comparisons)
    return Claim(text, tuple(sign for sign, _ in rows), tuple(told for _, told in rows))


def grouped(title: str, claims: Sequence[Claim]) -> list[str]:
    """Name the claims of each verdict."""
    groups: dict[str, list[str]] = {}
    for each in claims:
        groups.setdefault(each.verdict, []).append(each.text)
    return [f"{title} – {verdict}: {'; '.join(texts)}." for verdict, texts in groups.items()]


def laid_out(claims: Sequence[Claim]) -> str:
    """Make a table of claims and what became of them."""
    rows = [[each.text, each.verdict, each.counted] for each in claims]
    return table(("claim", "our data", "comparisons"), rows, 2)
