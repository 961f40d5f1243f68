"""The chapter on the paper's examples, and on small texts where its pseudo-code fails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import accumulate, product

from caesura.metrics.joint import Joint
from caesura_studies.jp.chapter_table1 import DOES_NOT_END
from caesura_studies.jp.literal import PrintedRun, run_algorithm_1
from caesura_studies.jp.paper import EXAMPLES, FAILURES, Example
from caesura_studies.jp.treebanks import KINDS, transcript_of
from caesura_studies.report import Number, Part, format_share, make_table, wrong

TITLE = "The paper's examples, and where its pseudo-code fails"
LETTERS = 6
"""The length of the words that are segmented in all possible ways."""


def chapter() -> Part:
    """Write the chapter: the examples, the failures, and how often the pseudo-code fails."""
    numbers = [number for each in EXAMPLES for number in _numbers(each)]
    good = f"{len(numbers) - len(wrong(numbers))} of {len(numbers)} numbers"
    failures = [_failure(*each) for each in FAILURES]
    failed = sum(row[-2] != row[-1] for row in failures)
    census = count_outcomes(LETTERS)
    pairs = sum(census.values())
    text = [
        f"**{good} that the paper states or implies in its examples come out.** A single number "
        "is how many are right; two fractions are precision and recall. The last column has what "
        "the paper's own pseudo-code makes of them: right sentences, right tokens.",
        make_table(("example", "paper", "sentences", "tokens", "pseudo-code"), list(_rows()), 2),
        "### Small counter-examples",
        "Algorithm 1 is run here as printed, with two additions without which it is no program: "
        "beyond the end stands a mark that is equal only to itself, and what is merged is emptied "
        "for each mismatch. It merges until the *next* pieces are equal, not until what is merged "
        "is; so it may stop too early, get out of step, or never end. Pieces, parted by blanks "
        "here, may be sentences or tokens. Algorithms 2 and 3 cannot be run at all: their inner "
        "loops move no index.",
        make_table(("system", "gold", "problem", "pseudo-code", "right"), failures, 3),
        f"Of all pairs of cuttings of the {2 ** (LETTERS - 1)} words of {LETTERS} letters a and b "
        f"that begin with a, the pseudo-code is right in {format_share(census['right'], pairs)}, "
        f"counts too many in {census['too many']}, too few in {census['too few']}, and does not "
        f"end in {census['endless']}, although all characters are the same there.",
    ]
    short = (
        f"Examples: {good} as in the paper. Its pseudo-code fails on {failed} of "
        f"{len(failures)} small texts chosen to show how, its own Hebrew example among them, and "
        f"on {pairs - census['right']} of {pairs} pairs of cuttings of short words."
    )
    description = {"examples": numbers, "failures": failures, "all_cuttings": dict(census)}
    return Part("examples", TITLE, "\n\n".join(text), description, (short,))


def _counts(example: Example) -> dict[str, int]:
    system, gold = map(transcript_of, example.sides)
    counts = Joint().count(system, [gold])
    return {name.removesuffix("_1"): int(count) for name, count in counts.items()}


def _numbers(example: Example) -> Iterator[Number]:
    counts = _counts(example)
    for kind, printed in example.printed.items():
        right, wrong, missing = (counts[f"{kind}_{name}"] for name in ("tp", "fp", "fn"))
        ours = {"precision": f"{right}/{right + wrong}", "recall": f"{right}/{right + missing}"}
        if len(printed) == 1:
            ours = {"right": str(right)}
        for (name, found), text in zip(ours.items(), printed, strict=True):
            yield Number(f"{example.place}, {kind}s, {name}", text, found)


def _rows() -> Iterator[list[str]]:
    for each in EXAMPLES:
        counts = _counts(each)
        said = [f"{kind}s {' and '.join(printed)}" for kind, printed in each.printed.items()]
        made = [_describe_run(run) for run in _as_printed(each)]
        triples = ["/".join(str(counts[f"{k}_{c}"]) for c in ("tp", "fp", "fn")) for k in KINDS]
        yield [each.place, "; ".join(said), *triples, ", ".join(made)]


def _as_printed(example: Example) -> tuple[PrintedRun, PrintedRun]:
    """Run the pseudo-code on the sentences, and on all tokens."""
    sentences = (["".join(line) for line in side] for side in example.sides)
    tokens = ([token for line in side for token in line] for side in example.sides)
    return run_algorithm_1(*sentences), run_algorithm_1(*tokens)


def _failure(system: str, gold: str, why: str) -> list[str]:
    left, right = system.split(), gold.split()
    best = Joint().count(transcript_of([left]), [transcript_of([right])])["token_tp_1"]
    return [system, gold, why, _describe_run(run_algorithm_1(left, right)), str(int(best))]


def _describe_run(run: PrintedRun) -> str:
    return str(run.found) if run.terminates else DOES_NOT_END


def count_outcomes(letters: int) -> Counter[str]:
    """Run the pseudo-code on all pairs of segmentations of words of letters a and b."""
    found: Counter[str] = Counter()
    for rest in product("ab", repeat=letters - 1):
        cuttings = list(_segmentations("a" + "".join(rest)))
        spans = [_spans(each) for each in cuttings]
        for (one, ours), (other, theirs) in product(zip(cuttings, spans, strict=True), repeat=2):
            found[_outcome(run_algorithm_1(one, other), len(ours & theirs))] += 1
    return found


def _segmentations(word: str) -> Iterator[list[str]]:
    for ends in product((False, True), repeat=len(word) - 1):
        yield "".join(c + " " * end for c, end in zip(word, (*ends, False), strict=True)).split()


def _spans(pieces: list[str]) -> set[tuple[int, int]]:
    ends = list(accumulate(map(len, pieces)))
    return set(zip([0, *ends], ends, strict=False))


def _outcome(run: PrintedRun, right: int) -> str:
    if not run.terminates:
        return "endless"
    return "right" if run.found == right else "too many" if run.found > right else "too few"
