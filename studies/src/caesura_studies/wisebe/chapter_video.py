"""The chapter on video v6, whose files are public: computed and printed numbers side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby, product
from pathlib import Path

from caesura.core.errors import MismatchError
from caesura.core.protocols import Metric
from caesura.core.transcript import Transcript
from caesura.core.values import Value
from caesura.evaluation.document import ScoringSettings
from caesura.evaluation.resampling import Resampling
from caesura.evaluation.scores import Scores, score_recordings
from caesura.formats.files import read_file
from caesura.metrics.agreement import Agreement
from caesura.metrics.boundary import Boundary
from caesura.metrics.wisebe import WiSeBE
from caesura_studies.report import Number, Part, make_table, wrong
from caesura_studies.wisebe import paper
from caesura_studies.wisebe.chapter_checks import misprints
from caesura_studies.wisebe.paper import REFERENCES, SYSTEMS, sizes
from caesura_studies.wisebe.system_pairs import (
    JOINT_JUDGES,
    METRICS,
    TESTS_NOTE,
    SystemPair,
    by_metric,
    winner,
)

VIDEO = "v6"
TITLE = f"The paper's video {VIDEO}"
FILES = {name: f"references/reference_{i}.txt" for i, name in enumerate(REFERENCES, 1)}
FILES |= {name: f"candidate/{file}.txt" for name, file in paper.CANDIDATES.items()}

RESAMPLING = Resampling()
NORMALIZE = ("case", "dots")
LIMITS = tuple(paper.TOOL)
WITH_LAST_BOUNDARY = Boundary(count_end=True)
SWEPT_METRICS: tuple[Metric, ...] = tuple(
    WiSeBE(p, limit) for p in ("paper", "tool") for limit in LIMITS
)
TABLES = dict.fromkeys(REFERENCES, "Table 2") | dict.fromkeys(SYSTEMS, "Table 3")
TABLES |= dict.fromkeys((paper.RATIO, paper.KAPPA), "Table 6")
NAMES = {"P": "precision", "R": "recall", "F1": "f1"}
NUMBERS = {"ref_1": "_1", "ref_2": "_2", "ref_3": "_3", "mean": ""}
TOOL_TITLES = ("inside", "hit", "F1", "WiSeBE", "smooth")
MAX_NAMED = 5
"""The number of unexplained numbers that are listed."""

Values = Mapping[str, Mapping[Metric, Mapping[str, Value]]]
"""Values by system and metric."""


def what_is_missing(data: Path) -> str:
    """Say which folder or file is missing; '' if nothing is."""
    if not (data / "wisebe").is_dir():
        return "there is no folder wisebe/"
    missing = [file for file in FILES.values() if not (data / "wisebe" / file).is_file()]
    return f"there is no wisebe/{missing[0]}" if missing else ""


def chapter(data: Path) -> Part:
    """Score both systems under both protocols and compare the numbers with the printed ones."""
    texts = read_files(data)
    metrics = (Agreement(), WITH_LAST_BOUNDARY, *METRICS, *SWEPT_METRICS)
    swept = {name: score(texts, name, metrics) for name in SYSTEMS}
    values = {name: by_metric(scores) for name, scores in swept.items()}
    ours = list(_paper_numbers(values, swept["S1"].documents[0].words))
    theirs = list(_tool_numbers(values))
    system_pair = SystemPair(
        REFERENCES, SYSTEMS, (score(texts, "S1", METRICS), score(texts, "S2", METRICS))
    )
    text = [
        *_paper(values, ours),
        "### The authors' program",
        *_program(values, theirs),
        "### How much one video can show",
        "The paper points at v6, where the mean F1 prefers S2 and WiSeBE prefers S1. Blocks of "
        f"five sentences are resampled. {TESTS_NOTE}",
        system_pair.table(),
    ]
    short = (
        f"Video {VIDEO}: {_count_agreeing(ours)} printed numbers agree to the digit under `paper`, "
        f"{_count_agreeing(theirs)} of the authors' program under `tool`."
        + _explain_disagreements([*ours, *theirs])
    )
    numbers = {"paper": ours, "tool": theirs, "tests": system_pair.differences}
    return Part("video", TITLE, "\n\n".join(text), numbers, (short,))


def _paper(values: Values, numbers: Sequence[Number]) -> list[str]:
    rows = [[each.place, _verdict(each), each.printed, each.formatted(4)] for each in numbers]
    return [
        "The authors publish three references and the output of both systems for one of their "
        "ten videos. A line end is a boundary; the end of the text, which all files share, is not "
        "counted; boundaries at most two words apart make a window. The paper does not print this "
        f"limit: of {LIMITS[0]} to {LIMITS[-1]} words, {_fitting_limits(values)} gives the F1 over "
        "windows that it prints for both systems.",
        f"**{_count_agreeing(numbers)} numbers come out to the printed digit.**"
        + _explain_disagreements(numbers),
        make_table(("place", "verdict", "printed", "computed"), rows, 2),
    ]


def _program(values: Values, numbers: Sequence[Number]) -> list[str]:
    titles = [f"{name} {title}" for name in SYSTEMS for title in TOOL_TITLES]
    rows = [[str(m), *(each.formatted() for each in _numbers_at_limit(values, m))] for m in LIMITS]
    return [
        "Their program counts the end of the text as a boundary that all files have, and joins "
        "windows up to m = 3 words apart, so its numbers are not the paper's. Protocol `tool` "
        f"gives them: **{_count_agreeing(numbers)} agree to the last digit noted**, for m from "
        f"{LIMITS[0]} to {LIMITS[-1]}, with and without its smoothing (`inside`: boundaries inside "
        f"windows, `hit`: windows hit). {_leader_by_limit(values)}"
        + _explain_disagreements(numbers),
        make_table(("m", "windows", *titles), rows),
    ]


def read_files(data: Path) -> dict[str, list[Transcript]]:
    """Read the references and the output of the systems."""
    return {name: list(read_file(data / "wisebe" / file, "lines")) for name, file in FILES.items()}


def score(
    texts: Mapping[str, Sequence[Transcript]], system: str, metrics: Sequence[Metric]
) -> Scores:
    """Score a system, or one of the references, against the references."""
    references, terms = (
        [texts[name] for name in REFERENCES],
        ScoringSettings(NORMALIZE, False, RESAMPLING),
    )
    try:
        return score_recordings(texts[system], references, metrics, terms)
    except MismatchError as error:
        raise MismatchError(
            f"{system} and the references do not belong together: {error.what}",
            where=f"wisebe/{FILES[system]}",
            remedy="use the files as the authors publish them",
        ) from error


def _paper_numbers(values: Values, words: int) -> Iterator[Number]:
    agreement = values["S1"][Agreement()]
    yield Number("text, words", paper.LONGEST, words)
    counts = {name: agreement[f"boundaries_{i}"] for i, name in enumerate(REFERENCES, 1)}
    counts |= {name: values[name][WiSeBE()]["boundaries"] for name in SYSTEMS}
    counts |= {paper.RATIO: agreement["agreement_ratio"], paper.KAPPA: agreement["kappa"]}
    for name, found in counts.items():
        yield Number(f"{TABLES[name]}, {VIDEO} {name}", paper.BY_VIDEO[name, VIDEO], found)
    for system, column, measure in product(SYSTEMS, paper.COLUMNS, paper.MEASURES):
        place = (VIDEO, system, column, measure)
        found = values[system][Boundary()][NAMES[measure] + NUMBERS[column]]
        yield Number(f"Table 4, {' '.join(place)}", paper.TABLE_4[place], found)
    for system, name in product(SYSTEMS, paper.SCORES):
        printed, (metric, value) = paper.TABLE_5[VIDEO, system, name], JOINT_JUDGES[name]
        yield Number(f"Table 5, {VIDEO} {system} {name}", printed, values[system][metric][value])


def _tool_numbers(values: Values) -> Iterator[Number]:
    for name, printed in paper.TOOL_AGREEMENT.items():
        yield Number(name, printed, values["S1"][WiSeBE("tool")][name])
    for system, shared in paper.TOOL_SHARED.items():
        for i, printed in enumerate(shared, 1):
            found = values[system][WITH_LAST_BOUNDARY][f"correct_{i}"]
            yield Number(f"{system}: boundaries shared with ref_{i}", printed, found)
    for limit in LIMITS:
        yield from _numbers_at_limit(values, limit)


def _numbers_at_limit(values: Values, limit: int) -> Iterator[Number]:
    for (system, name), printed in paper.TOOL[limit].items():
        found = values[system][WiSeBE("tool", limit)][name]
        yield Number(f"m={limit} {system} {name}", printed, found)


@cache
def _values_the_tables_need() -> dict[str, str]:
    """Return the values that the paper's other numbers need in misprinted places."""
    swapped = {f"Table 2, {VIDEO} {name}": str(size) for name, size in sizes(VIDEO).items()}
    return swapped | {each.place: each.formatted() for each in misprints()}


def _corrected_value(each: Number) -> str:
    """Return the value that the tables need in this place, if it is the computed one."""
    needed = _values_the_tables_need().get(each.place, "")
    return needed if needed and Number("", needed, each.right).agrees else ""


def _verdict(each: Number) -> str:
    if each.agrees:
        return "ok"
    needed = _corrected_value(each)
    return f"misprint: the tables need {needed}" if needed else "differs"


def _fitting_limits(values: Values) -> str:
    """Name the window limits under which both systems have the printed F1."""
    description = {name: paper.TABLE_5[VIDEO, name, paper.WINDOWS] for name in SYSTEMS}
    fitting = [
        str(limit)
        for limit in LIMITS
        if all(
            Number("", description[name], values[name][WiSeBE("paper", limit)]["f1"]).agrees
            for name in SYSTEMS
        )
    ]
    return f"only {fitting[0]}" if len(fitting) == 1 else ", ".join(fitting) or "none"


def _count_agreeing(numbers: Sequence[Number]) -> str:
    return f"{len(numbers) - len(wrong(numbers))} of {len(numbers)}"


def _explain_disagreements(numbers: Sequence[Number]) -> str:
    """Explain the numbers that do not agree."""
    bad = wrong(numbers)
    open = [each.place for each in bad if not _corrected_value(each)]
    known = len(bad) - len(open)
    description = f" {known} are misprints by the paper's own tables (section 2)." * bool(known)
    if open:
        places = "; ".join(open[:MAX_NAMED]) + "; …" * (len(open) > MAX_NAMED)
        description += f" {len(open)} are not explained ({places}): are these the authors' files?"
    return description


def _leader_by_limit(values: Values) -> str:
    """Say which system is ahead under which window limit."""

    def ahead(limit: int) -> str:
        one, other = (values[name][WiSeBE("tool", limit)]["wisebe"] for name in SYSTEMS)
        return winner(one, other) or "neither"

    parts = [(name, list(limits)) for name, limits in groupby(LIMITS, ahead)]
    description = ", ".join(
        f"{name} is ahead for m = {each[0]} to {each[-1]}" for name, each in parts
    )
    return f"{description}{': the limit chosen decides who wins' * (len(parts) > 1)}."
