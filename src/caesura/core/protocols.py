"""What formats, detectors, streams, taggers and metrics promise each other.

The laws, tested for everything registered (tests/laws):

1. `parse(repr(x)) == x`; equal configuration gives equal results.
2. Counts add over documents; the order of documents and of references does not matter.
3. A copy of the reference gets the best value.
4. `read(write(t)) == t` on what a format carries, if it is writable; a reader meets any bytes
   with transcripts or one `CaesuraError`.
5. What a detector says of a recording does not depend on its neighbours, and a stream with
   enough look-ahead says the same as the whole.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, ClassVar, NamedTuple, TypeVar

from numpy.typing import NDArray

from caesura.core.arrays import Floats, Indices, Strings
from caesura.core.config import Configured, ModelBacked, Trainable
from caesura.core.errors import OutputError
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Value


class Format(Configured, ABC):
    """Reads transcripts, writes them if it is `writable`, and says which layers it carries."""

    suffixes: ClassVar[Strings]
    """File suffixes, dot and lower case included; the first is used for writing."""

    writable: ClassVar[bool] = True
    """Whether transcripts can be written in this format; many are only read."""

    carries: ClassVar[frozenset[str]]
    """What survives writing and reading, of the names in `transcript.CARRIED`.

    Of a format that is only read: what its files can tell.
    """

    needs: ClassVar[frozenset[str]] = frozenset()
    """What a transcript must have to be written, besides what is carried."""

    plain: ClassVar[bool] = False
    """Whether it recognises any text, so that the claim of another format is the better one."""

    tokenised: ClassVar[bool] = False
    """Whether words are tokens that somebody chose, whatever stands around them."""

    may_be_empty: ClassVar[bool] = False
    """Whether a file without content is one of no words, and not a damaged one."""

    holds: ClassVar[str] = "one"
    """'one' or 'many' recordings in a file."""

    @classmethod
    def recognises(cls, source: Any) -> bool:
        """Whether the content of a file (a `formats.source.Source`) is unmistakably its own."""
        return False

    @abstractmethod
    def read(self, file: BinaryIO) -> Iterator[Transcript]:
        """Yield each recording of an open file, or raise one `FormatError`."""

    def write(self, transcripts: Iterable[Transcript], file: BinaryIO) -> None:
        """Write the recordings; layers the format does not carry are left out.

        Every format that is `writable` defines this.
        """
        raise self.not_writable()

    @classmethod
    def not_writable(cls) -> OutputError:
        """Return the error for a format that is only read."""
        return OutputError(
            f"{cls.name} files can be read but not written",
            remedy="choose another format, see: caesura list formats",
        )


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One place where a hypothesis and a reference differ, in words that can be shown."""

    level: str
    """What differs: 'token', 'word', 'entity', 'name', 'segment' or 'sentence'."""

    kind: str
    """In which way."""

    reference: str
    hypothesis: str
    before: str
    after: str
    """A few words of the hypothesis around it."""

    place: int
    """The word of the hypothesis at which it stands, or before which something is missing."""

    against: int = 1
    """The number of the reference."""

    loss: float = 0.0
    """How much harm it does, for metrics that can tell; the more the worse."""


PerGapCounts = Iterator[tuple[str, NDArray[Any]]]
"""Names of counts, each with a column over words."""


class Metric(Configured, ABC):
    """Compares a hypothesis with references: counts for a document, values for their sum."""

    compares: ClassVar[Strings] = ("sentences",)
    """Layers of hypothesis and references that must be known."""

    same_words: ClassVar[bool] = True
    """Whether hypothesis and references must have the same words."""

    raw: ClassVar[bool] = False
    """Whether texts are compared as they were read, unless a normalisation is asked for."""

    parts: ClassVar[str] = "sentences"
    """What one document is made of when parts of it are resampled: 'sentences' or 'words'."""

    best: ClassVar[Mapping[str, float]]
    """The best possible value of each value that has one."""

    main: ClassVar[str]
    """The value that stands for the metric where there is room for one."""

    @abstractmethod
    def count(self, hypothesis: Transcript, references: Sequence[Transcript]) -> Counts:
        """Count on one document."""

    @abstractmethod
    def values(self, counts: Counts) -> dict[str, Value]:
        """Turn (sums of) counts into named values."""

    def drawn(self, counts: Counts) -> Counts:
        """Leave out counts that are too many to be drawn again or printed."""
        return counts

    def per_gap_counts(
        self, hypothesis: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts | None:
        """Say how much each word of the hypothesis adds to each count, if that can be said.

        It is what resampling parts of one document rests on: the columns sum to the counts that
        are drawn.
        """
        return None

    def missed(self, lost: Sequence[Indices], count: int) -> PerGapCounts | None:
        """Count boundaries of each reference that have no gap of their own among the words.

        `lost` has the gaps near which they are; None if a metric has no way to count them.
        """
        return None

    def disagreements(
        self, hypothesis: Transcript, references: Sequence[Transcript]
    ) -> Iterator[Disagreement]:
        """Tell what differs, one by one and in order, if a metric can: why, not only how many."""
        return iter(())

    def remarks(self, counts: Counts) -> list[str]:
        """Tell in plain sentences what a reader of the values must know."""
        return []

    @property
    def checksum(self) -> str:
        """What tells a model that the values depend on from others of its name; '' without one."""
        return ""


class Stream(ABC):
    """A detector at work on words that arrive over time."""

    @abstractmethod
    def push(self, words: Transcript) -> list[Transcript]:
        """Take the next word or words; give the sentences that have become final."""

    @abstractmethod
    def close(self) -> list[Transcript]:
        """End the recording; give what is left."""

    @abstractmethod
    def state(self) -> Mapping[str, Any]:
        """Give, as JSON can hold it, what `Detector.stream(state)` needs to take up the thread."""


class Detector(Trainable, ABC):
    """Gathers evidence about each gap and decides where sentences end."""

    @abstractmethod
    def log_odds(self, transcript: Transcript) -> Floats:
        """Evidence for a boundary after each word; above 0 speaks for one."""

    def label(self, transcript: Transcript) -> Strings | None:
        """Class of each gap, for detectors that tell classes apart."""
        return None

    def detect(self, transcript: Transcript) -> Segmentation:
        """Decide: a boundary wherever the evidence speaks for one."""
        log_odds = self.log_odds(transcript)
        return Segmentation(log_odds > 0, self.label(transcript), log_odds)

    def detect_all(self, transcripts: Sequence[Transcript]) -> list[Segmentation]:
        """Decide for many recordings at once, which may be faster and says just the same."""
        return [self.detect(transcript) for transcript in transcripts]

    def annotate(self, transcript: Transcript) -> Transcript:
        """Give the transcript with the sentences, and with what else was found on the way.

        Clusters and trees that it came with belong to other sentences, and are left out.
        """
        found = self.detect(transcript)
        return transcript.replace(sentences=found, cluster=None, head=None, relation=None)

    def coverage(self, transcript: Transcript) -> float:
        """Give the share of the words that are known; all of them, if words play no part."""
        return 1.0

    def lacks(self, transcript: Transcript) -> str:
        """Say what is missing if a transcript gives this detector nothing to go by, else ''."""
        return ""

    @abstractmethod
    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        """Begin, or take up again, to detect in words that arrive over time."""


M = TypeVar("M")


class TrainableDetector(ModelBacked[M], Detector):
    """A detector with a model, which training or a stored model gives it."""


class WordTagger(Trainable, ABC):
    """Gives words their parts of speech, where a transcript does not bring them."""

    @abstractmethod
    def tag(self, transcript: Transcript) -> Transcript:
        """Give the transcript with a tag for each word; punctuation has PUNCT."""

    def tag_all(self, transcripts: Sequence[Transcript]) -> list[Transcript]:
        """Tag many recordings at once, which may be faster and says just the same."""
        return [self.tag(transcript) for transcript in transcripts]


class EntityProbabilities(NamedTuple):
    """Probabilities at each word of a text: no name in the first column, then each class."""

    classes: Strings
    start: Floats
    """Whether a name starts here, and of which class."""

    end: Floats
    inside: Floats


class EntityModel(Trainable, ABC):
    """Says how likely names are at the words of a text."""

    capitals: bool
    """Whether it looks at how words are written."""

    @property
    @abstractmethod
    def classes(self) -> Strings:
        """The classes of names that are known, in order."""

    def probabilities(self, transcript: Transcript) -> EntityProbabilities:
        """Give the probabilities of labels at each word."""
        return self.probabilities_all([transcript])[0]

    @abstractmethod
    def probabilities_all(self, transcripts: Sequence[Transcript]) -> list[EntityProbabilities]:
        """Do so for many texts at once, which may be faster and says just the same."""
