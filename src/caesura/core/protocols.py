"""The protocols: what every format, metric, detector, tagger and entity model must provide.

This is the contract for authors of plug-ins (docs/plugins.md). A class derives from one of the
protocols, is a frozen dataclass with `repr=False`, and has a `name`. Abstract methods must be
defined; all others have a default that is right for most classes.

The laws hold for everything registered. `caesura.testing` checks them:

1. `parse(repr(x)) == x`, and equal objects give equal results, in any process.
2. Counts of documents add; the order of documents and of references does not matter.
3. A copy of the reference gets the best value.
4. `read(write(t)) == t` for what a format carries, if it is writable; a reader turns any bytes into
   transcripts or raises one `CaesuraError`.
5. The decisions of a detector do not depend on other recordings in the batch; a stream with enough
   look-ahead decides like the whole recording; a stored and loaded model decides alike, bit by bit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Floats, Indices, Strings
from caesura.core.config import Configured, ModelBacked, Trainable
from caesura.core.errors import OutputError
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Value


class Format(Configured, ABC):
    """Reads transcripts from files, and writes them if it is `writable`.

    Formats of text derive from `formats.base.TextFormat`, which decodes files.
    """

    suffixes: ClassVar[Strings]
    """File suffixes, in lower case and with the dot; the first one is used for writing."""

    writable: ClassVar[bool] = True
    """Whether transcripts can be written in this format; many formats are only read."""

    carries: ClassVar[frozenset[str]]
    """Layers that survive writing and reading, of the names in `core.transcript.CARRIED`.

    For a format that is only read: the layers that its files may have.
    """

    needs: ClassVar[frozenset[str]] = frozenset()
    """Layers that a transcript must have to be written, besides those in `carries`."""

    plain: ClassVar[bool] = False
    """Whether it recognises any text, so that any other format that recognises a file is chosen."""

    tokenised: ClassVar[bool] = False
    """Whether the words of its files are tokens that annotators chose, as in a treebank."""

    may_be_empty: ClassVar[bool] = False
    """Whether an empty file is a recording without words; if not, it is an error."""

    holds: ClassVar[str] = "one"
    """Whether a file holds 'one' recording or 'many'."""

    @classmethod
    def recognises(cls, source: Any) -> bool:
        """Tell whether the content of a file (a `formats.base.Source`) is surely of this format.

        It is asked if the suffix does not decide. It may raise a `CaesuraError`, which means no.
        """
        return False

    @abstractmethod
    def read(self, file: BinaryIO) -> Iterator[Transcript]:
        """Yield each recording of an open file, or raise one `FormatError`."""

    def write(self, transcripts: Iterable[Transcript], file: BinaryIO) -> None:
        """Write recordings; layers that the format does not carry are left out.

        Every format that is `writable` defines this. A transcript that cannot be written is an
        `OutputError` or a `LayerError`.
        """
        raise self.not_writable()

    @classmethod
    def not_writable(cls) -> OutputError:
        """Return the error for a format that is only read."""
        return OutputError(
            f"{cls.name} files can be read but not written",
            remedy="choose another format, see: caesura list formats",
        )


LEVELS = ("token", "word", "mark", "entity", "name", "segment", "sentence")
"""What two texts may disagree about."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One place where a hypothesis and a reference differ, as reports show it."""

    level: str
    """What differs: one of `LEVELS`."""

    kind: str
    """How it differs, such as 'missing' or 'substituted'."""

    reference: str
    """The text of the reference."""

    hypothesis: str
    """The text of the hypothesis."""

    before: str
    """A few words of the hypothesis before the place."""

    after: str
    """A few words of the hypothesis after the place."""

    place: int
    """The index of the word of the hypothesis; where a word is missing, of the next one."""

    reference_number: int = 1
    """The number of the reference, from 1 on."""

    loss: float = 0.0
    """How much the disagreement costs, for metrics that weigh them."""


PerGapCounts = Iterator[tuple[str, NDArray[Any]]]
"""Names of counts, each with a column over the words of the hypothesis."""


class Metric(Configured, ABC):
    """Compares a hypothesis with references, in two steps.

    `count` counts on one document, and `values` makes values of the counts of one document or of
    the sum over many. So the value of a corpus is no mean of means, and confidence intervals come
    from resampled counts. Names of counts and values that belong to one reference end in its
    number, as in `f1_2`; those of a pair of references in both, as in `kappa_1_2`.
    """

    compares: ClassVar[Strings] = ("sentences",)
    """Layers that hypothesis and references must have; others are a `LayerError` of `count`."""

    same_words: ClassVar[bool] = True
    """Whether hypothesis and references must have the same words."""

    raw: ClassVar[bool] = False
    """Whether texts are compared as they were read, unless the user asks for a normalisation."""

    shown: ClassVar[bool] = False
    """Whether restored texts are compared as they are shown; if not, as they were read."""

    parts: ClassVar[str] = "sentences"
    """The unit that is resampled if there is one document only: 'sentences' or 'words'."""

    best: ClassVar[Mapping[str, float]]
    """The best possible value, for each value that has one, as in {'f1': 1.0, 'ser': 0.0}."""

    main: ClassVar[str]
    """The name of the most important value, for tables and tests that show one."""

    @abstractmethod
    def count(self, hypothesis: Transcript, references: Sequence[Transcript]) -> Counts:
        """Count on one document; there may be no words and no references."""

    @abstractmethod
    def values(self, counts: Counts) -> dict[str, Value]:
        """Make values of counts: finite numbers, or `Undefined` with the reason.

        Counts that are not there are 0. Values in `best` are undefined without any counts.
        """

    def resampled_counts(self, counts: Counts) -> Counts:
        """Return the counts that `values` needs for resampling, without long lists for reports."""
        return counts

    def per_gap_counts(
        self, hypothesis: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts | None:
        """Yield how much each word of the hypothesis adds to each count; None if unknown.

        With it, parts of a single document can be resampled. The columns sum to
        `resampled_counts(count(...))`.
        """
        return None

    def missed_counts(self, lost: Sequence[Indices], count: int) -> PerGapCounts | None:
        """Count boundaries that alignment could not carry over to the hypothesis as missed.

        `lost` has, for each reference, the gaps near which they were, of `count` gaps. None if
        the metric cannot count them.
        """
        return None

    def disagreements(
        self, hypothesis: Transcript, references: Sequence[Transcript]
    ) -> Iterator[Disagreement]:
        """Yield each place where a reference differs, in order, for reports."""
        return iter(())

    def remarks(self, counts: Counts) -> list[str]:
        """Return sentences that a reader of the values should know, such as a small sample."""
        return []

    @property
    def checksum(self) -> str:
        """The checksum of a model that the values depend on, for the signature; '' without one."""
        return ""


class Stream(ABC):
    """Runs a detector on words that arrive over time."""

    @abstractmethod
    def push(self, words: Transcript) -> list[Transcript]:
        """Take the next words; return the sentences that are final now."""

    @abstractmethod
    def close(self) -> list[Transcript]:
        """End the recording; return the remaining sentences."""

    @abstractmethod
    def state(self) -> Mapping[str, Any]:
        """Return the state as JSON values, from which `Detector.stream(state)` resumes."""

    def language(self, sentence: Transcript) -> str:
        """Return the language of a sentence that was given out, as `Detector.language` does."""
        return sentence.language

    def next_state(self) -> Mapping[str, Any] | None:
        """Return the state in which a stream begins after a silence in the same recording.

        None is that of a new stream: nothing is carried over.
        """
        return None


class Detector(Trainable, ABC):
    """Finds sentence ends: gives the log-odds of a boundary after each word, and decides."""

    @abstractmethod
    def log_odds(self, transcript: Transcript) -> Floats:
        """Return a finite number for each gap; above 0 a boundary is more likely than not.

        Gap i lies after word i. A transcript without any of the layers that the detector needs
        may be a `LayerError`, and `lacks` says so.
        """

    def label(self, transcript: Transcript) -> Strings | None:
        """Return the class of each gap, such as '.', '?' or ''; None without classes."""
        return None

    def written_words(self, transcript: Transcript) -> Strings | None:
        """Return each word with its capitals, '' where unknown; None if nothing is known of case.

        A written word differs from the word in case only; if not, it is not used. The first word
        of a sentence is written as inside one: where sentences end may still change.
        """
        return None

    def language(self, transcript: Transcript) -> str:
        """Return the language of the words: what the recording says, or else is known of it."""
        return transcript.language

    def detect(self, transcript: Transcript) -> Segmentation:
        """Decide each gap: by default, a boundary where the log-odds are above 0."""
        log_odds = self.log_odds(transcript)
        written = self.written_words(transcript)
        return Segmentation(log_odds > 0, self.label(transcript), log_odds, written)

    def detect_all(self, transcripts: Sequence[Transcript]) -> list[Segmentation]:
        """Decide many recordings at once; it may be faster, with the same decisions."""
        return [self.detect(transcript) for transcript in transcripts]

    def detect_unfinished(self, transcripts: Sequence[Transcript]) -> list[Segmentation]:
        """Decide words after which more will come; by default as if the recordings ended there.

        Streams ask this. A detector that can tell that words are still missing overrides it.
        """
        return self.detect_all(transcripts)

    def annotate(self, transcript: Transcript) -> Transcript:
        """Return the transcript with its sentences, and with clusters or trees if it finds them.

        Former clusters and trees are left out, because they belong to other sentences.
        """
        segmentation = self.detect(transcript)
        return transcript.replace(sentences=segmentation, cluster=None, head=None, relation=None)

    def coverage(self, transcript: Transcript) -> float:
        """Return the share of words that were seen in training; 1 if words are not looked at."""
        return 1.0

    def calibration(self, transcript: Transcript) -> tuple[float, float] | None:
        """Return the scale and bias that make probabilities of the log-odds; None if not known.

        They come from recordings that training did not see.
        """
        return None

    def lacks(self, transcript: Transcript) -> str:
        """Say what is missing if nothing in the transcript is evidence for this detector, else ''.

        For example 'no word times and no speakers to go by'.
        """
        return ""

    @abstractmethod
    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        """Start a stream, or resume one from its state.

        `detectors.window_stream.WindowStream` does it for any detector that looks at some words
        before and after each gap.
        """


class BatchDetector(Detector):
    """A detector that decides many recordings at once; a single one is a list of one."""

    def log_odds(self, transcript: Transcript) -> Floats:
        """Return the log-odds that `detect` finds."""
        found = self.detect(transcript)
        return np.zeros(len(found)) if found.log_odds is None else found.log_odds

    def label(self, transcript: Transcript) -> Strings | None:
        """Return the labels that `detect` finds; None without classes."""
        return self.detect(transcript).label

    def written_words(self, transcript: Transcript) -> Strings | None:
        """Return the written words that `detect` finds; None without any."""
        return self.detect(transcript).written

    def detect(self, transcript: Transcript) -> Segmentation:
        """Decide one recording."""
        return self.detect_all([transcript])[0]

    @abstractmethod
    def detect_all(self, transcripts: Sequence[Transcript]) -> list[Segmentation]:
        """Decide many recordings; other recordings do not change the decisions for one."""


M = TypeVar("M")


class TrainableDetector(ModelBacked[M], Detector):
    """A detector that keeps what it has learnt in `model`, of the type M."""


class WordTagger(Trainable, ABC):
    """Tags words with their parts of speech."""

    @abstractmethod
    def tag(self, transcript: Transcript) -> Transcript:
        """Return the transcript with a tag for each word; a word of punctuation has PUNCT."""

    def tag_all(self, transcripts: Sequence[Transcript]) -> list[Transcript]:
        """Tag many recordings at once; it may be faster, with the same tags."""
        return [self.tag(transcript) for transcript in transcripts]


class EntityProbabilities(NamedTuple):
    """Probabilities at each word: a row for each word, columns for no entity and each class."""

    classes: Strings
    """The classes, in the order of the columns after the first."""

    start: Floats
    """Whether an entity starts at the word, and of which class."""

    end: Floats
    """Whether an entity ends at the word, and of which class."""

    inside: Floats
    """Whether the word is inside an entity, and of which class."""


class EntityModel(Trainable, ABC):
    """Estimates how likely named entities start, end and continue at each word."""

    capitals: bool
    """Whether upper and lower case matter."""

    @property
    @abstractmethod
    def classes(self) -> Strings:
        """The classes of entities that were learnt, in order."""

    def probabilities(self, transcript: Transcript) -> EntityProbabilities:
        """Return the probabilities at each word."""
        return self.probabilities_all([transcript])[0]

    @abstractmethod
    def probabilities_all(self, transcripts: Sequence[Transcript]) -> list[EntityProbabilities]:
        """Return the probabilities for many texts at once; they are the same as for each alone."""
