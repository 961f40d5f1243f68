"""The chapter on one corpus with several transcripts: how far its transcribers agree."""

from __future__ import annotations

from itertools import combinations

from caesura.contracts import Undefined, Value
from caesura.studies.transcribers import FURTHER, POOLED, Accord, spread
from caesura.studies.writing import Part, between, number, table

TITLES = {
    "agreement_ratio": "R_GAR",
    "kappa": "Fleiss' kappa",
    "alpha": "Krippendorff's alpha",
    "pairwise_f1": "pairwise F1 (mean)",
}
HEAD = tuple(TITLES.values())
STEPS = dict(
    zip(FURTHER, ("as above", "and without sounds", "and without hesitations"), strict=True)
)


def chapter(section: int, accord: Accord) -> Part:
    """Tell what a corpus says about the agreement of its transcribers."""
    corpus = accord.group.corpus
    count = len(accord.scores.documents)
    parts = [
        _introduction(accord),
        _coverage(accord),
        f"### Agreement over all {count} recordings",
        _pooled(accord),
        _pairs(accord),
        "### By recording",
        _recordings(accord),
        "### R_GAR against kappa",
        _correlation(accord),
        *(_by_number(accord) if len(accord.group.texts) > 2 else ()),
        "### How much hangs on the preparation",
        _prepared(accord),
        f"`{accord.scores.signatures[0]}`",
    ]
    title = f"{count} {corpus.things}, {len(corpus.transcripts)} transcripts each ({corpus.name})"
    return Part(
        corpus.name, f"{section}. {title}", "\n\n".join(parts), accord.to_json(), (_short(accord),)
    )


def _introduction(accord: Accord) -> str:
    names = list(accord.group.texts)
    return (
        f"The transcripts ({', '.join(names)}) do not share words. The common words here are "
        f"those of `{accord.group.base}`, the transcript with most words, on which most boundaries "
        "of the others find their place; the others are aligned with it word by word (after "
        "lower-casing and without punctuation), and a boundary goes after the last word that "
        "stands at or before it. The end of a recording is not counted. Sentence ends are the "
        "transcribers' full stops, question and exclamation marks. Intervals are 95 % bootstrap "
        "intervals over recordings."
    )


def _coverage(accord: Accord) -> str:
    values = accord.scores.values[0]
    head = (
        "transcript",
        "words",
        "boundaries carried",
        "boundaries lost",
        "words replaced",
        "words without place",
        "base words unmatched",
    )
    lines = []
    for i, (name, found) in enumerate(accord.coverage().items(), 1):
        counts = (
            found["words"],
            values[f"boundaries_{i}"],
            found["boundaries_lost"],
            found["words_replaced"],
            found["reference_words_unmatched"],
            found["hypothesis_words_unmatched"],
        )
        lines.append([name, *map(number, counts)])
    return table(head, lines)


def _pooled(accord: Accord) -> str:
    values, intervals = accord.scores.values[0], accord.scores.intervals[0]
    found = [(each[2], values) for each in accord.recordings]
    lines = []
    for name, title in TITLES.items():
        known = [v for each, _ in found if not isinstance(v := each[name], Undefined)]
        ranged = f"{min(known):.3f} – {max(known):.3f}" if known else "–"
        lines.append([title, number(values[name]), between(intervals.get(name)), ranged])
    return table(("measure", "pooled", "95 % interval", "range over recordings"), lines)


def _pairs(accord: Accord) -> str:
    values, intervals = accord.scores.values[0], accord.scores.intervals[0]
    names = list(accord.group.texts)
    lines = []
    for i, j in combinations(range(len(names)), 2):
        key = f"f1_{i + 1}_{j + 1}"
        same = accord.on_pairs[names[i], names[j]]
        lines.append(
            [
                f"{names[i]}, {names[j]}",
                number(values[key]),
                between(intervals.get(key)),
                number(same),
            ]
        )
    return (
        "F1 of each pair; the last column leaves out the gaps after words that only one of the "
        "two has, and so the disagreement that comes from words rather than sentences:\n\n"
        + table(("pair", "F1", "95 % interval", "after words of both"), lines)
    )


def _recordings(accord: Accord) -> str:
    names = list(accord.group.texts)
    lines = [
        [
            id,
            number(words),
            *(number(values[f"boundaries_{i}"]) for i in range(1, len(names) + 1)),
            *(number(values[name]) for name in POOLED),
        ]
        for id, words, values in accord.recordings
    ]
    return table(("recording", "words", *(f"{name}" for name in names), *HEAD), lines)


def _correlation(accord: Accord) -> str:
    value, limits = accord.correlation
    told = (
        f"Over the {len(accord.ratios)} recordings Pearson's coefficient of R_GAR and kappa is "
        f"**{number(value)}** {between(limits)}."
    )
    if len(accord.group.texts) == 2:
        told += (
            " With two references this is arithmetic, not evidence: R_GAR is then the Jaccard "
            "index F1 / (2 − F1), and kappa of rare boundaries is close to F1."
        )
    return told


def _by_number(accord: Accord) -> list[str]:
    lines = []
    for size, found in accord.subsets:
        cells = [str(size), str(len(found))]
        for name in ("agreement_ratio", "kappa"):
            each = spread(found, name)
            cells += [number(each["mean"]), f"{number(each['least'])} – {number(each['most'])}"]
        lines.append(cells)
    head = ("references", "choices", "R_GAR, mean", "range", "kappa, mean", "range")
    return [
        "### With fewer references",
        "The same transcribers, every choice of two, three and so on, pooled over recordings:",
        table(head, lines),
        _swing(accord),
    ]


def _swing(accord: Accord) -> str:
    """Say how far each measure moves with the mere number of references."""
    moves = []
    for name in ("agreement_ratio", "kappa"):
        means = [m for _, found in accord.subsets if (m := spread(found, name)["mean"]) is not None]
        moves.append(max(means) - min(means))
    return (
        f"With nothing but the number of references, the mean R_GAR moves by {moves[0]:.3f} and "
        f"kappa by {moves[1]:.3f}; so R_GAR, and with it WiSeBE, should only be compared where "
        "the number of references is the same."
    )


def _prepared(accord: Accord) -> str:
    lines = [[base, STEPS[steps], *_values(one.values[0])] for base, steps, one in accord.prepared]
    words = sum(each.words for each in accord.shared.documents)
    whole = sum(each.words for each in accord.scores.documents)
    share = f"{100 * words / whole:.0f} % of its words" if whole else "none of its words"
    lines.append(
        [
            accord.group.base,
            f"only words that all have ({share})",
            *_values(accord.shared.values[0]),
        ]
    )
    return (
        "The same boundaries on the words of each transcript in turn, and with less of the words "
        "that one transcriber writes and another does not:\n\n"
        + table(("base", "words compared", *HEAD), lines, 2)
    )


def _values(values: dict[str, Value]) -> list[str]:
    return [number(values[name]) for name in POOLED]


def _short(accord: Accord) -> str:
    values, intervals = accord.scores.values[0], accord.scores.intervals[0]
    told = ", ".join(
        f"{TITLES[name]} {number(values[name])} {between(intervals.get(name))}"
        for name in ("agreement_ratio", "kappa", "pairwise_f1")
    )
    value, limits = accord.correlation
    corpus = accord.group.corpus
    return (
        f"{corpus.name} ({len(accord.scores.documents)} {corpus.things}, "
        f"{len(corpus.transcripts)} transcripts): {told}; correlation of R_GAR and kappa over "
        f"recordings {number(value)} {between(limits)}."
    )
