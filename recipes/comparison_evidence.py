"""The section "More evidence": whether times, speakers, marks and capitals help a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from recipes.comparison_data import INPUTS
from recipes.comparison_page import NONE, SEEN, SIGNIFICANT, markdown, short
from recipes.comparison_scores import difference
from recipes.comparison_systems import System

from caesura.core.values import Undefined
from caesura.evaluation.comparison import lowest_p
from caesura.evaluation.scores import Scores

INTRODUCTION = """\
F1 of sentence boundaries before and after a model is given times, speakers, marks or capitals of \
the same recordings, and the p-value of a paired randomization test. It is not corrected for the \
number of tests, so that no loss is overlooked."""


@dataclass(frozen=True)
class Added:
    """What a model gains from one more kind of evidence on a corpus."""

    system: str
    corpus: str
    input: str
    """The input before."""

    kind: str
    """The kind of evidence that was added."""

    before: float
    after: float
    p: float | None
    """None if there was nothing to test."""

    was_seen: bool = False
    testable: bool = True
    """Whether there are enough recordings for a significant difference."""

    @property
    def hurts(self) -> bool:
        """Whether F1 is significantly lower."""
        return self.after < self.before and self.p is not None and self.p < SIGNIFICANT


def additions(inputs: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Yield pairs of inputs, the second of which has one kind of evidence more, and that kind."""
    known = [name for name in inputs if name in INPUTS]
    for before in known:
        for after in known:
            more = INPUTS[after] - INPUTS[before]
            if INPUTS[before] < INPUTS[after] and len(more) == 1:
                yield before, after, next(iter(more))


def added(
    corpus: str, scores: Mapping[str, Mapping[str, Scores]], systems: Sequence[System]
) -> list[Added]:
    """Test each addition to an input; `scores` are those of all systems for each input."""
    rows = []
    for one in systems:
        for before, after, kind in additions(scores):
            old, new = scores[before][one.name], scores[after][one.name]
            f1, new_f1 = old.values[0]["f1"], new.values[0]["f1"]
            if isinstance(f1, Undefined) or isinstance(new_f1, Undefined):
                continue
            p, seen = difference(new, old)[1], one.trained_on(corpus)
            testable = lowest_p(len(new.units[0])) < SIGNIFICANT
            rows.append(Added(one.name, corpus, before, kind, f1, new_f1, p, seen, testable))
    return rows


def evidence_section(rows: Sequence[Added]) -> str:
    """Return the section; '' without rows."""
    if not rows:
        return ""
    order = list(dict.fromkeys(row.system for row in rows))
    ordered = sorted(rows, key=lambda row: order.index(row.system))
    head = ("", "F1 before", "F1 after", "difference", "p")
    text = f"{INTRODUCTION} {verdict(rows)}"
    return "\n\n".join(["## More evidence", text, markdown(head, list(map(_cells, ordered)))])


def _cells(row: Added) -> tuple[str, ...]:
    mark = SEEN if row.was_seen else ""
    change = round(row.after - row.before, 3)
    sign = "+" if change > 0 else "−" if change < 0 else ""
    return (
        f"{row.system}, {row.corpus}: {row.input} + {row.kind}",
        short(row.before) + mark,
        short(row.after) + mark,
        f"{sign}{short(abs(change))}",
        NONE if row.p is None else short(row.p),
    )


def verdict(rows: Sequence[Added]) -> str:
    """Say in a sentence whether more evidence ever hurts, and which rows do not tell."""
    tested = [row for row in rows if row.p is not None and row.testable and not row.was_seen]
    hurt = [row for row in tested if row.hurts]
    lower = sum(row.after < row.before for row in tested) - len(hurt)
    which = "; ".join(f"{row.system}, {row.kind} on {row.corpus}" for row in hurt)
    text = f"In {len(hurt) or 'none'} of {len(tested)} cases F1 gets significantly lower"
    text += f" (p < {SIGNIFICANT:g}".replace("0.", ".") + (f": {which})" if hurt else ")")
    text += f", and in {lower} more it gets lower, but not significantly." if lower else "."
    few = dict.fromkeys(row.corpus for row in rows if not row.testable)
    left_out = [f"{corpus}, with too few recordings for a test" for corpus in few]
    left_out += [f"rows with {SEEN}"] if any(row.was_seen for row in rows) else []
    return text + (f" Not counted: {'; '.join(left_out)}." if left_out else "")
