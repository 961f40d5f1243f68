"""What the paper prints: the nltk rows of Table 1 and its examples; and where its code fails."""

from __future__ import annotations

from dataclasses import dataclass

TABLE_1 = {
    (corpus, kind): (tp, fp, fn)
    for row in """
GUM      845 137 251  19443 351 462
ParTUT   149 2 4      3345 27 63
EWT      1084 349 993 24176 1109 918
PUD      976 26 24    20733 251 443
LinES    865 141 170  17571 56 104
Pronouns 285 0 0      1673 16 32
""".strip().splitlines()
    for corpus, *cells in [row.split()]
    for kind, (tp, fp, fn) in (("sentence", cells[:3]), ("token", cells[3:]))
}
"""For each corpus and kind: true positives, false positives, false negatives."""

CORPORA = tuple(dict.fromkeys(corpus for corpus, _ in TABLE_1))


@dataclass(frozen=True)
class Example:
    """Two segmentations of a text and the printed counts.

    A line is a sentence, blanks separate tokens.

    `printed` has, for each kind, what the paper says of it as number right, or as right/found and
    right/real.
    """

    place: str
    system: str
    gold: str
    printed: dict[str, tuple[str, ...]]

    @property
    def sides(self) -> tuple[list[list[str]], list[list[str]]]:
        """System and gold as sentences of tokens."""
        one, other = (
            [line.split() for line in text.splitlines()] for text in (self.system, self.gold)
        )
        return one, other


_BEST = "When No. 1 {} the Best"
_MAKES = "He makes some good observations on a few of the picture 's ."

EXAMPLES = (
    Example(
        "Figure 1",
        "Click here\nTo view it .",
        "Click here To view it .",
        {"sentence": ("0",), "token": ("6/6", "6/6")},
    ),
    Example(
        "Figure 2",
        f"Click here\nTo view it .\n{_MAKES}",
        f"Click here To view it .\n{_MAKES}",
        {"sentence": ("1",)},
    ),
    Example(
        "Figures 3 (first row) and 4",
        _BEST.format("Isn 't"),
        _BEST.format("Is n't"),
        {"sentence": ("1",), "token": ("5",)},
    ),
    Example(
        "Figure 3, second row",
        "Mike McConnell 07/06/2000 14:57 John , Hello from South America .",
        "Mike McConnell\n07/06/2000 14:57\nJohn , Hello from South America .",
        {"sentence": ("0",)},
    ),
    Example(
        "Section 4.3, Hebrew",
        "B CL FL HM HNEIM",
        "B H CL FL HM H NEIM",
        {"token": ("4/5", "4/7")},
    ),
)

FAILURES = (
    ("aa aa", "a aa a", "the second pieces are equal by accident: they are not the same letters"),
    ("XK K Y Z", "X K K Y Z", "a repeated sentence, the first glued to the one before"),
    ("aa a b", "a a a b", "repeats that are cut otherwise"),
    ("a a a b", "aa a b", "the same, sides exchanged"),
    (". .. . x", ".. . . x", "dots that are cut otherwise"),
    ("ab c", "a bc d", "the gold text has one letter more"),
    ("a b", "a c b", "the system lost a piece"),
    ("the cat sat down", "the big cat sat down", "the system lost a word"),
    ("`` Hi ``", '" Hi "', "quotes, without a table of equal tokens"),
    ("B CL FL HM HNEIM", "B H CL FL HM H NEIM", "the paper's own Hebrew example"),
)
"""System, gold, and what is wrong; pieces may be sentences or tokens."""
