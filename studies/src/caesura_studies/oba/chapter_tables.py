"""The chapters on the paper's two tables: chunkers, and dependency analysis after or with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from caesura.evaluation.comparison import Difference
from caesura_studies.claims import tests_table, value, value_with_interval
from caesura_studies.oba import paper
from caesura_studies.oba.experiment import (
    CHUNKERS,
    COMBINED,
    CRF_TUNED,
    CRF_VITERBI,
    LINKED,
    PAUSE,
    SDA_ALONE,
    SDA_ALPHA,
    SDA_ALPHA_BIAS,
    SDA_EQUATION_5,
    SDA_RELINKED,
    SVM_GREEDY,
    WITH_SPEAKERS,
    Trial,
)
from caesura_studies.oba.scoring import Pair, scores_as_json
from caesura_studies.report import Part, format_value, make_table, with_interval

FIRST = "Chunking (table 1)"
SECOND = "Dependency analysis (table 2)"
NORMAL = " + normal"
NAMES = {"boundary": "boundary F", "cluster": "cluster F", "dependency": "dependency F"}
TESTED = (
    "p by approximate randomization, Holm's correction for all tests of a measure in a treebank"
)


def chunking(trials: Sequence[Trial]) -> Part:
    """Write the chapter on table 1."""
    printed = {SVM_GREEDY: paper.TABLE_1["SVM"], CRF_VITERBI: paper.TABLE_1["CRF"]}
    systems = (PAUSE, *CHUNKERS, WITH_SPEAKERS)
    text = [
        "F of sentence boundaries (the end of a recording does not count) and of clusters (right "
        "if they begin and end where a real one does), with 95 % bootstrap intervals over "
        "recordings. SVM, greedy, and CRF, Viterbi, are the paper's systems, and its numbers "
        "beside them are of another corpus. With a tuned margin or threshold, a boundary is where "
        "the evidence for one is above the best value in the folds. One CRF also sees the "
        "speakers, which no other system does (section 1).",
        _table(trials, systems, ("boundary", "cluster"), printed),
        f"Tests ({TESTED}):",
        *_tests(trials, "boundary", CHUNKERS),
    ]
    short = [_short("Table 1", trial, systems, ("boundary", "cluster")) for trial in trials]
    return Part("chunking", FIRST, "\n\n".join(text), _numbers(trials, systems), short)


def dependencies(trials: Sequence[Trial]) -> Part:
    """Write the chapter on table 2."""
    printed = {
        SVM_GREEDY: paper.TABLE_2["SVM"],
        CRF_VITERBI: paper.TABLE_2["CRF"],
        SDA_EQUATION_5: paper.TABLE_2["SDA+CRF"],
    }
    systems = (*CHUNKERS, SDA_ALONE, *COMBINED, SDA_RELINKED)
    after = dict.fromkeys(CHUNKERS, NORMAL)
    rows = [[trial.language.name, with_interval(*trial.attachment)] for trial in trials]
    text = [
        "F of links between clusters (right if both clusters and the link are), and of boundaries. "
        "After a chunker, the best links inside its sentences are found (normal dependency "
        "analysis). SDA finds boundaries and links together: alone it does not look at the CRF's "
        "probabilities, only at its clusters, and has a tuned bias; with equation 5 α weighs the "
        "CRF; a bias for each boundary is our addition, and so is a threshold on the probability "
        "of a boundary summed over all sentences and links. `links anew`: the links of normal "
        "dependency analysis inside the sentences of SDA+CRF, where no cluster of the next "
        "sentence can be the head.",
        _table(trials, systems, ("dependency", "boundary"), printed, after),
        f"Tests ({TESTED}):",
        *_tests(trials, "dependency", LINKED),
        *_tests(trials, "boundary", COMBINED),
        "With clusters and sentences given, this share of clusters gets the right head (normal "
        "dependency analysis, roots included):",
        make_table(("treebank", "right heads"), rows),
    ]
    numbers = {
        "systems": _numbers(trials, systems),
        "attachment": {trial.language.name: trial.attachment[0] for trial in trials},
    }
    names = (CRF_TUNED, SDA_ALONE, SDA_ALPHA, SDA_ALPHA_BIAS, SDA_RELINKED)
    short = [_short("Table 2", trial, names, ("boundary", "dependency")) for trial in trials]
    return Part("dependencies", SECOND, "\n\n".join(text), numbers, short)


def _table(
    trials: Sequence[Trial],
    systems: Sequence[str],
    metrics: Sequence[str],
    printed: Mapping[str, Sequence[str]],
    behind: Mapping[str, str] | None = None,
) -> str:
    rows = []
    for trial in trials:
        for system in systems:
            if system in trial.systems:
                found = trial.systems[system]
                rows.append(
                    [
                        *(trial.language.name, system + (behind or {}).get(system, "")),
                        *(
                            with_interval(*value_with_interval(found[m], "f1"))
                            if m in found
                            else "–"
                            for m in metrics
                        ),
                        " / ".join(printed.get(system, ())) or "–",
                    ]
                )
    return make_table(("treebank", "system", *(NAMES[m] for m in metrics), "paper (%)"), rows, 2)


def _tests(trials: Sequence[Trial], metric: str, systems: Sequence[str]) -> list[str]:
    found = []
    for trial in trials:
        rows: dict[Pair, Difference] = {
            key: row for key, row in trial.tests.items() if key[0] == metric and key[1] in systems
        }
        found += [f"{trial.language.name}, {NAMES[metric]}:", tests_table(rows, NAMES)]
    return found


def _numbers(trials: Sequence[Trial], systems: Sequence[str]) -> dict[str, object]:
    return {
        trial.language.name: {
            "systems": {
                name: scores_as_json(trial.systems[name])
                for name in systems
                if name in trial.systems
            },
            "tests": [
                {"metric": metric, "one": one, "other": other} | _test_as_json(row)
                for (metric, one, other), row in trial.tests.items()
                if one in systems
            ],
        }
        for trial in trials
    }


def _test_as_json(row: Difference) -> dict[str, object]:
    names = ("difference", "interval", "p_randomization", "p_corrected", "undefined")
    return {name: getattr(row, name) for name in names}


def _short(title: str, trial: Trial, systems: Sequence[str], metrics: Sequence[str]) -> str:
    described = []
    for system in systems:
        scores = trial.systems.get(system, {})
        values = [format_value(value(scores[each], "f1")) for each in metrics if each in scores]
        if values:
            described.append(f"{system} {' / '.join(values)}")
    names = " / ".join(NAMES[each] for each in metrics)
    return f"{title}, {trial.language.name}, {names}: {'; '.join(described)}."
