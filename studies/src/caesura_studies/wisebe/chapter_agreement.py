"""Recordings that several people transcribed: how far they agree on where sentences end.

They do not share words. So the words of one of them, the base, carry the boundaries of all:
every other transcript is aligned with it word by word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path

from caesura.core.errors import FormatError, MismatchError
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Undefined, Value, ratio
from caesura.evaluation.correlation_coefficients import pearson_with_interval
from caesura.evaluation.document import ScoringSettings
from caesura.evaluation.pairing import pair_recordings
from caesura.evaluation.reports import score_tables
from caesura.evaluation.reports.render import markdown_table
from caesura.evaluation.reports.table import format_interval
from caesura.evaluation.reports.write import Results
from caesura.evaluation.resampling import Interval, Resampling
from caesura.evaluation.scores import Scores, score_recordings
from caesura.formats.files import read
from caesura.metrics.agreement import Agreement
from caesura.metrics.base import boundary_flags, mean_over_references
from caesura.text.alignment.word_alignment import align
from caesura.text.normalization.steps import normalize
from caesura_studies.report import Part, number, sure, table
from caesura_studies.wisebe.system_pairs import by_recording

RESAMPLING = Resampling()
NORMALIZE = ("case", "dots", "punctuation")
MEASURES = {"agreement_ratio": "R_GAR", "kappa": "Fleiss' kappa", "pairwise_f1": "pairwise F1"}


@dataclass(frozen=True)
class Corpus:
    """Where the transcripts of a corpus lie, and what its recordings are called."""

    name: str
    transcripts: tuple[str, ...]
    below: str
    things: str

    def folders(self, data: Path) -> dict[str, Path]:
        """Give the folder of each transcript."""
        return {one: data / self.name / one / self.below for one in self.transcripts}

    def lacking(self, data: Path) -> str:
        """Say what is not there; '' if all is."""
        if not (data / self.name).is_dir():
            return f"there is no folder {self.name}/"
        folders = self.folders(data).values()
        missing = [each.relative_to(data) for each in folders if not any(each.glob("*.nlp"))]
        shown = ", ".join(each.as_posix() for each in missing)
        return f"there are no .nlp files in {shown}" if missing else ""

    def read(self, data: Path) -> dict[str, list[Transcript]]:
        """Read all recordings of each transcript."""
        found = {}
        for name, folder in self.folders(data).items():
            found[name] = [each for file in sorted(folder.glob("*.nlp")) for each in read(file)]
            if not any(map(len, found[name])):
                raise FormatError("there are no words in its files", where=str(folder))
        first, *others = ({each.id for each in texts} for texts in found.values())
        for id in sorted(first.union(*others) - first.intersection(*others)):
            raise MismatchError(
                f"the recording {id!r} is not in all of {', '.join(found)}",
                where=str(data / self.name),
                remedy="give each transcript the same recordings",
            )
        return found


CORPORA = (
    Corpus("coraal-multi", ("amberscript", "coraal", "rev", "rev_aa"), "nlp", "interviews"),
    Corpus("rev16", ("verbatim", "nonverbatim"), "", "podcast episodes"),
)


@dataclass(frozen=True)
class Accord:
    """How far the transcripts of a corpus agree, by recording and together."""

    corpus: Corpus
    texts: Mapping[str, Sequence[Transcript]]

    @property
    def base(self) -> str:
        """The transcript with most words: on it, boundaries of the others find most places."""
        return max(self.texts, key=lambda name: sum(map(len, self.texts[name])))

    @cached_property
    def bases(self) -> dict[str, Scores]:
        """Agreement on the words of each transcript."""
        terms, references = ScoringSettings(NORMALIZE, True, RESAMPLING), list(self.texts.values())
        found = {}
        for name, texts in self.texts.items():
            scores = score_recordings(texts, references, [Agreement()], terms).as_agreement(name)
            found[name] = replace(scores, reference_names=tuple(self.texts))
        return found

    @property
    def scores(self) -> Scores:
        """Agreement on the words of the base."""
        return self.bases[self.base]

    @cached_property
    def recordings(self) -> dict[str, dict[str, Value]]:
        """Agreement in each recording."""
        ids = [each.id for each in self.scores.documents]
        return dict(zip(ids, by_recording(self.scores, Agreement()), strict=True))

    @property
    def kappas(self) -> list[tuple[float, float]]:
        """Agreement ratio and kappa of each recording that has both."""
        found = [(each["agreement_ratio"], each["kappa"]) for each in self.recordings.values()]
        return [
            (a, b)
            for a, b in found
            if not isinstance(a, Undefined) and not isinstance(b, Undefined)
        ]

    @cached_property
    def correlation(self) -> tuple[Value, Interval | Undefined]:
        """Pearson's coefficient of agreement ratio and kappa over recordings, and its interval."""
        pairs = self.kappas
        return pearson_with_interval([a for a, _ in pairs], [b for _, b in pairs], RESAMPLING)

    def chosen(self, places: Sequence[int]) -> dict[str, Value]:
        """Agreement of some of the transcripts over all recordings."""
        counts = (
            Agreement().count(each.compared, [each.carried[i] for i in places])
            for each in self.scores.documents
        )
        return Agreement().values(sum(counts, Counts()))

    @cached_property
    def on_pairs(self) -> dict[tuple[str, str], Value]:
        """F1 of each two transcripts on the gaps after words that both have."""
        return {
            (one, other): _f1_after_equal(self.texts[one], self.texts[other])
            for one, other in combinations(self.texts, 2)
        }


def _f1_after_equal(ours: Sequence[Transcript], theirs: Sequence[Transcript]) -> Value:
    common = total = 0
    for one, (other,) in pair_recordings(ours, [theirs]):
        target, source = normalize(one, NORMALIZE), normalize(other, NORMALIZE)
        aligned = align(source.words, target.words)
        here = boundary_flags(target)[aligned.equal]
        there = boundary_flags(source)[aligned.source[aligned.equal]]
        common += int((here & there).sum())
        total += int(here.sum() + there.sum())
    return ratio(2 * common, total, "no boundary after a word that both have")


def chapter(accord: Accord) -> Part:
    """Tell what a corpus says about the agreement of its transcribers."""
    corpus, count = accord.corpus, len(accord.recordings)
    results = Results((accord.base,), (accord.scores,))
    text = [
        f"The transcripts ({', '.join(accord.texts)}) do not share words. The common words here "
        f"are those of `{accord.base}`, the transcript with most words, on which most boundaries "
        "of the others find their place; the others are aligned with it word by word (in lower "
        "case and without punctuation), and a boundary goes after the last word that stands at or "
        "before it. The end of a recording is not counted. Sentence ends are the transcribers' "
        "full stops, question and exclamation marks. Intervals come from drawing recordings again; "
        "`agreement_ratio` is the paper's R_GAR, the hypothesis of the tables is the base.",
        markdown_table(next(score_tables.value_tables(results, 0))),
        "### F1 of each pair",
        "The last column leaves out the gaps after words that only one of the two has, and so the "
        "disagreement that comes from words rather than sentences.",
        _pairs(accord),
        "### By recording",
        _recordings(accord),
        *map(markdown_table, score_tables.coverage_tables(results)),
        "### On the words of each transcript",
        _bases(accord),
        *(_choices(accord) if len(accord.texts) > 2 else ()),
    ]
    title = f"{count} {corpus.things}, {len(accord.texts)} transcripts each ({corpus.name})"
    numbers = {
        "scores": accord.scores.to_dict(),
        "correlation": accord.correlation,
        "f1_after_words_of_both": {" ".join(pair): f1 for pair, f1 in accord.on_pairs.items()},
        "on_words_of": {base: scores.values[0] for base, scores in accord.bases.items()},
    }
    return Part(corpus.name, title, "\n\n".join(text), numbers, (_short(accord),))


def _pairs(accord: Accord) -> str:
    values, intervals = accord.scores.values[0], accord.scores.intervals[0]
    rows = []
    for (i, one), (j, other) in combinations(enumerate(accord.texts, 1), 2):
        key = f"f1_{i}_{j}"
        cells = [number(values[key]), format_interval(intervals.get(key))]
        rows.append([f"{one}, {other}", *cells, number(accord.on_pairs[one, other])])
    return table(("pair", "F1", "95% interval", "after words of both"), rows)


def _recordings(accord: Accord) -> str:
    sizes = [f"boundaries_{i}" for i in range(1, len(accord.texts) + 1)]
    rows = [
        [name, *(number(values[each]) for each in ("gaps", *sizes, *MEASURES))]
        for name, values in accord.recordings.items()
    ]
    return table(("recording", "gaps", *accord.texts, *MEASURES.values()), rows)


def _bases(accord: Accord) -> str:
    rows = [
        [base, *(number(scores.values[0][name]) for name in MEASURES)]
        for base, scores in accord.bases.items()
    ]
    return table(("words of", *MEASURES.values()), rows)


def _choices(accord: Accord) -> list[str]:
    rows = []
    for size in range(2, len(accord.texts) + 1):
        found = [accord.chosen(each) for each in combinations(range(len(accord.texts)), size)]
        means = [number(mean_over_references([each[name] for each in found])) for name in MEASURES]
        rows.append([str(size), str(len(found)), *means])
    return [
        "### With fewer references",
        "The mean over every choice of so many transcribers. R_GAR depends on their number, so it "
        "(and with it WiSeBE) can only be compared where that is the same.",
        table(("references", "choices", *MEASURES.values()), rows),
    ]


def _short(accord: Accord) -> str:
    values, intervals = accord.scores.values[0], accord.scores.intervals[0]
    told = ", ".join(
        f"{title} {sure(values[name], intervals.get(name))}" for name, title in MEASURES.items()
    )
    return (
        f"{accord.corpus.name} ({len(accord.recordings)} {accord.corpus.things}, "
        f"{len(accord.texts)} transcripts): {told}; correlation of R_GAR and kappa over "
        f"recordings {sure(*accord.correlation)}."
    )
