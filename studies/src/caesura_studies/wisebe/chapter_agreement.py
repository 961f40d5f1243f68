"""The agreement of several transcribers on sentence boundaries, one chapter for each corpus.

The transcribers do not share words. So all other transcripts are aligned word by word with one of
them, the base, and their boundaries are transferred to its words.
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
from caesura.evaluation.correlation import pearson_with_interval
from caesura.evaluation.document import ScoringSettings
from caesura.evaluation.pairing import pair_recordings
from caesura.evaluation.reports import score_tables
from caesura.evaluation.reports.render import markdown_table
from caesura.evaluation.reports.table import format_interval
from caesura.evaluation.reports.write import Results
from caesura.evaluation.resampling import Interval, Resampling
from caesura.evaluation.scores import Scores, score_recordings
from caesura.formats.files import read_file
from caesura.metrics.agreement import Agreement
from caesura.metrics.base import boundary_flags, mean_over_references
from caesura.text.alignment.word_alignment import align
from caesura.text.normalization.steps import normalize
from caesura_studies.report import Part, format_value, make_table, with_interval
from caesura_studies.wisebe.system_pairs import by_recording

RESAMPLING = Resampling()
NORMALIZE = ("case", "dots", "punctuation")
MEASURES = {"agreement_ratio": "R_GAR", "kappa": "Fleiss' kappa", "pairwise_f1": "pairwise F1"}


@dataclass(frozen=True)
class Corpus:
    """The folders of a corpus, and what the report calls its recordings."""

    name: str
    transcripts: tuple[str, ...]
    subfolder: str
    recording_name: str

    def folders(self, data: Path) -> dict[str, Path]:
        """Return the folder of each transcript."""
        return {one: data / self.name / one / self.subfolder for one in self.transcripts}

    def what_is_missing(self, data: Path) -> str:
        """Say which folder or files are missing; '' if nothing is."""
        if not (data / self.name).is_dir():
            return f"there is no folder {self.name}/"
        folders = self.folders(data).values()
        missing = [each.relative_to(data) for each in folders if not any(each.glob("*.nlp"))]
        formatted = ", ".join(each.as_posix() for each in missing)
        return f"there are no .nlp files in {formatted}" if missing else ""

    def read(self, data: Path) -> dict[str, list[Transcript]]:
        """Read all recordings of each transcript."""
        found = {}
        for name, folder in self.folders(data).items():
            found[name] = [
                each for file in sorted(folder.glob("*.nlp")) for each in read_file(file)
            ]
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
class CorpusAgreement:
    """The agreement of the transcripts of a corpus, by recording and over all."""

    corpus: Corpus
    texts: Mapping[str, Sequence[Transcript]]

    @property
    def base(self) -> str:
        """The transcript with most words; most boundaries of the others can be placed on it."""
        return max(self.texts, key=lambda name: sum(map(len, self.texts[name])))

    @cached_property
    def bases(self) -> dict[str, Scores]:
        """The agreement on the words of each transcript."""
        terms, references = ScoringSettings(NORMALIZE, True, RESAMPLING), list(self.texts.values())
        found = {}
        for name, texts in self.texts.items():
            scores = score_recordings(texts, references, [Agreement()], terms).as_agreement(name)
            found[name] = replace(scores, reference_names=tuple(self.texts))
        return found

    @property
    def scores(self) -> Scores:
        """The agreement on the words of the base."""
        return self.bases[self.base]

    @cached_property
    def recordings(self) -> dict[str, dict[str, Value]]:
        """The agreement in each recording."""
        ids = [each.id for each in self.scores.documents]
        return dict(zip(ids, by_recording(self.scores, Agreement()), strict=True))

    @property
    def kappas(self) -> list[tuple[float, float]]:
        """The agreement ratio and kappa of each recording that has both."""
        found = [(each["agreement_ratio"], each["kappa"]) for each in self.recordings.values()]
        return [
            (a, b)
            for a, b in found
            if not isinstance(a, Undefined) and not isinstance(b, Undefined)
        ]

    @cached_property
    def correlation(self) -> tuple[Value, Interval | Undefined]:
        """Pearson's correlation of agreement ratio and kappa, with its interval."""
        pairs = self.kappas
        return pearson_with_interval([a for a, _ in pairs], [b for _, b in pairs], RESAMPLING)

    def agreement_of(self, places: Sequence[int]) -> dict[str, Value]:
        """Return the agreement of some of the transcripts over all recordings."""
        counts = (
            Agreement().count(each.compared, [each.carried[i] for i in places])
            for each in self.scores.documents
        )
        return Agreement().values(sum(counts, Counts()))

    @cached_property
    def f1_of_pairs(self) -> dict[tuple[str, str], Value]:
        """The F1 of each two transcripts on the gaps after words that both have."""
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


def chapter(agreement: CorpusAgreement) -> Part:
    """Write the chapter on the agreement of the transcribers of a corpus."""
    corpus, count = agreement.corpus, len(agreement.recordings)
    results = Results((agreement.base,), (agreement.scores,))
    text = [
        f"The transcripts ({', '.join(agreement.texts)}) do not share words. The common words here "
        f"are those of `{agreement.base}`, the transcript with most words, on which most "
        "boundaries of the others can be placed; the others are aligned with it word by word (in "
        "lower case and without punctuation), and a boundary goes after the last word that stands "
        "at or before it. The end of a recording is not counted. Sentence ends are the "
        "transcribers' full stops, question and exclamation marks. Intervals are bootstrap "
        "intervals over recordings; `agreement_ratio` is the paper's R_GAR, the hypothesis of the "
        "tables is the base.",
        markdown_table(next(score_tables.value_tables(results, 0))),
        "### F1 of each pair",
        "The last column leaves out the gaps after words that only one of the two has, and so the "
        "disagreement that comes from words rather than sentences.",
        _pairs(agreement),
        "### By recording",
        _recordings(agreement),
        *map(markdown_table, score_tables.coverage_tables(results)),
        "### On the words of each transcript",
        _bases(agreement),
        *(_choices(agreement) if len(agreement.texts) > 2 else ()),
    ]
    title = (
        f"{count} {corpus.recording_name}, {len(agreement.texts)} transcripts each ({corpus.name})"
    )
    numbers = {
        "scores": agreement.scores.to_dict(),
        "correlation": agreement.correlation,
        "f1_after_words_of_both": {
            " ".join(pair): f1 for pair, f1 in agreement.f1_of_pairs.items()
        },
        "on_words_of": {base: scores.values[0] for base, scores in agreement.bases.items()},
    }
    return Part(corpus.name, title, "\n\n".join(text), numbers, (_short(agreement),))


def _pairs(agreement: CorpusAgreement) -> str:
    values, intervals = agreement.scores.values[0], agreement.scores.intervals[0]
    rows = []
    for (i, one), (j, other) in combinations(enumerate(agreement.texts, 1), 2):
        key = f"f1_{i}_{j}"
        cells = [format_value(values[key]), format_interval(intervals.get(key))]
        rows.append([f"{one}, {other}", *cells, format_value(agreement.f1_of_pairs[one, other])])
    return make_table(("pair", "F1", "95% interval", "after words of both"), rows)


def _recordings(agreement: CorpusAgreement) -> str:
    sizes = [f"boundaries_{i}" for i in range(1, len(agreement.texts) + 1)]
    rows = [
        [name, *(format_value(values[each]) for each in ("gaps", *sizes, *MEASURES))]
        for name, values in agreement.recordings.items()
    ]
    return make_table(("recording", "gaps", *agreement.texts, *MEASURES.values()), rows)


def _bases(agreement: CorpusAgreement) -> str:
    rows = [
        [base, *(format_value(scores.values[0][name]) for name in MEASURES)]
        for base, scores in agreement.bases.items()
    ]
    return make_table(("words of", *MEASURES.values()), rows)


def _choices(agreement: CorpusAgreement) -> list[str]:
    rows = []
    for size in range(2, len(agreement.texts) + 1):
        found = [
            agreement.agreement_of(each) for each in combinations(range(len(agreement.texts)), size)
        ]
        means = [
            format_value(mean_over_references([each[name] for each in found])) for name in MEASURES
        ]
        rows.append([str(size), str(len(found)), *means])
    return [
        "### With fewer references",
        "The mean over all choices of this number of transcribers. R_GAR depends on their number, "
        "so it (and with it WiSeBE) can only be compared where that is the same.",
        make_table(("references", "choices", *MEASURES.values()), rows),
    ]


def _short(agreement: CorpusAgreement) -> str:
    values, intervals = agreement.scores.values[0], agreement.scores.intervals[0]
    description = ", ".join(
        f"{title} {with_interval(values[name], intervals.get(name))}"
        for name, title in MEASURES.items()
    )
    return (
        f"{agreement.corpus.name} ({len(agreement.recordings)} {agreement.corpus.recording_name}, "
        f"{len(agreement.texts)} transcripts): {description}; correlation of R_GAR and kappa over "
        f"recordings {with_interval(*agreement.correlation)}."
    )
