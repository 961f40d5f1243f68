"""A transcript: the words of one recording or text, and the layers that are known of them.

    talk = Transcript("so it goes we tied it shut".split(), sentences=[(0, 2), (3, 6)])
    for sentence in talk.iter_sentences():
        print(sentence.start, sentence.text)

All arguments are checked at once; a `LayerError` names the argument, the index and what to do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import compress
from operator import index
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from caesura.core.arrays import (
    MISSING,
    ByValue,
    Evidence,
    Flags,
    Floats,
    Indices,
    Strings,
    column,
    frozen,
    join_cells,
    take_cells,
    text_column,
    word_indices,
)
from caesura.core.errors import LayerError
from caesura.core.segmentation import Segmentation

Numbers = ArrayLike | Sequence[float | None]
Texts = Sequence[str | None]
"""What can be given as a column; None is a cell that is not known."""

SPANS = ("entities", "multiwords", "alternatives")
LAYERS = (*MISSING, *SPANS, "evidence", "sentences")
"""All optional layers of a transcript."""

CARRIED = (*LAYERS, "labels", "log_odds", "written", "id", "language")
"""What a format can declare to carry: layers, what comes with sentences, id and language."""


FIRST_WORDS = 6
"""Words that the `repr` of a transcript shows."""


class Origin(NamedTuple):
    """The file that a recording was read from, its path below the given folder, and its format.

    `asked` is the format with its settings as a user named it, '' if it was recognised anyway;
    `classed` is the number of entities that have their class from another file.
    """

    file: str
    place: str = ""
    format: str = ""
    asked: str = ""
    classed: int = 0


class Span(NamedTuple):
    """Words `first` to `last`, both included, that form one unit of class `label`.

    `label` is the class of an entity, the written form of a multiword token, or an alternative
    transcription of the words. `key` is an entity's id in its file.
    """

    first: int
    last: int
    label: str
    key: str = ""


SPAN_TYPES = (int, int, str, str)
Spans = Iterable[Span | tuple[int, int, str]]


@dataclass(frozen=True, eq=False, repr=False)
class Transcript(ByValue):
    """One recording or text: a column of words, and the layers that are known of them.

    `words` have no punctuation glued to them: that is in the layers `opening` and `mark`, before
    and after the word. (Glued punctuation is taken off when words are read, also from a
    transcript made in Python; the constructor leaves words as they are, because the tokens of a
    treebank may well end in a dot.) Layers over words are lists with a cell for each word:

    - `read`: the word as it was read, with its marks, where capitals or marks were restored.
    - `start`, `end`: seconds; `confidence` of the recogniser.
    - `speaker`; `pause`: the recogniser's pause marker after the word, such as `<sil>`.
    - `blank`: whether a blank follows the word.
    - `tag`, `subtag` (parts of speech), `features`, `lemma`, `relation`.
    - `head`: the index of the word's head; a root points at itself, -1 is unknown.
    - `cluster`: whether the word begins a cluster.

    `entities`, `multiwords` and `alternatives` are `Span`s; an alternative is another way to
    write its words, separated by blanks, '' if they may be missing. `evidence` has columns of
    numbers about each gap, by name. `sentences` are a `Segmentation`, or pairs (first, last).

    A layer that is not known is None; a cell that is not known is NaN (or None when given), -1
    or ''. Transcripts are immutable and equal if all but `origin`, the file they come from, is.
    """

    words: Strings
    id: str = ""
    language: str = ""
    start: Floats | None = None
    end: Floats | None = None
    confidence: Floats | None = None
    head: Indices | None = None
    blank: Flags | None = None
    cluster: Flags | None = None
    opening: Strings | None = None
    mark: Strings | None = None
    read: Strings | None = None
    pause: Strings | None = None
    speaker: Strings | None = None
    tag: Strings | None = None
    subtag: Strings | None = None
    features: Strings | None = None
    lemma: Strings | None = None
    relation: Strings | None = None
    entities: tuple[Span, ...] | None = None
    multiwords: tuple[Span, ...] | None = None
    alternatives: tuple[Span, ...] | None = None
    evidence: Mapping[str, Floats] | None = None
    sentences: Segmentation | None = None
    origin: Origin | None = field(default=None, compare=False)

    if TYPE_CHECKING:
        # What the constructor takes is wider than what the fields hold.
        def __init__(
            self,
            words: Sequence[str],
            id: str = "",
            language: str = "",
            start: Numbers | None = None,
            end: Numbers | None = None,
            confidence: Numbers | None = None,
            head: ArrayLike | None = None,
            blank: ArrayLike | None = None,
            cluster: ArrayLike | None = None,
            opening: Texts | None = None,
            mark: Texts | None = None,
            read: Texts | None = None,
            pause: Texts | None = None,
            speaker: Texts | None = None,
            tag: Texts | None = None,
            subtag: Texts | None = None,
            features: Texts | None = None,
            lemma: Texts | None = None,
            relation: Texts | None = None,
            entities: Spans | None = None,
            multiwords: Spans | None = None,
            alternatives: Spans | None = None,
            evidence: Mapping[str, Numbers] | None = None,
            sentences: Segmentation | Iterable[tuple[int, int]] | None = None,
            origin: Origin | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        self._check_fields(("id", "language", "words", *LAYERS))

    def _check_fields(self, names: Iterable[str]) -> None:
        """Check some fields, and hold them as they are held: immutable columns and spans."""
        known = vars(self)
        for name in ("id", "language"):
            if not isinstance(known[name], str):
                raise LayerError(f"{name} is {known[name]!r}, and should be a text")
        try:
            if "words" in names:
                known["words"] = text_column("words", self.words)
            for name in LAYERS:
                if known[name] is not None and name in names:
                    known[name] = self._checked(name, known[name])
        except LayerError as error:
            raise LayerError(error.what, where=self.id, remedy=error.remedy) from error

    def _checked(self, name: str, layer: Any) -> Any:
        """Return a layer as it is held; raise an error if it does not fit the words."""
        count = len(self.words)
        if name in SPANS:
            return _checked_spans(name, layer, count)
        if name == "evidence":
            evidence = Evidence(layer)
            for column_name, cells in evidence.items():
                _check_length(f"evidence {column_name!r}", cells, count)
            return evidence or None
        if name == "sentences" and not isinstance(layer, Segmentation):
            return Segmentation.of_sentences(count, layer)
        cells = layer if name == "sentences" else column(name, layer)
        _check_length(name, cells, count)
        if name == "head" and count and not -1 <= cells.min() <= cells.max() < count:
            at = int(np.flatnonzero((cells < -1) | (cells >= count))[0])
            raise LayerError(
                f"head[{at}] is {cells[at]}, and points outside the {count} words",
                remedy="write the index of a word, from 0 on, its own for a root, or -1",
            )
        return cells

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        """Return a short description: the whole would fill pages."""
        first = " ".join(self.words[:FIRST_WORDS])
        more = " …" if len(self) > FIRST_WORDS else ""
        parts = [f"{self.id!r}", f"words={len(self)}", f"{first + more!r}"]
        if self.sentences is not None:
            parts.append(f"sentences={len(self.sentences.gaps)}")
        layers = [name for name in self.layers if name != "sentences"]
        return f"<Transcript {', '.join(parts)}{'; ' * bool(layers)}{', '.join(layers)}>"

    @property
    def known(self) -> tuple[str, ...]:
        """Names of all that is known besides the words, of those in `CARRIED`."""
        inner = self.sentences
        return (
            *self.layers,
            *(["labels"] if inner is not None and inner.label is not None else []),
            *(["log_odds"] if inner is not None and inner.log_odds is not None else []),
            *(["written"] if inner is not None and inner.written is not None else []),
            *(["language"] if self.language else []),
        )

    @property
    def layers(self) -> tuple[str, ...]:
        """Names of the layers that are known."""
        known = vars(self)
        return tuple(name for name in LAYERS if known[name] is not None)

    def replace(self, **changes: Any) -> Transcript:
        """Return a copy with some fields changed; this transcript if nothing changes."""
        if all(getattr(self, name, changes) is value for name, value in changes.items()):
            return self
        # As `dataclasses.replace`, which takes four times as long.
        made = object.__new__(type(self))
        vars(made).update(vars(self) | changes)
        if len(vars(made)) > len(vars(self)):
            raise TypeError(f"a transcript has no {', '.join(changes.keys() - vars(self).keys())}")
        # Layers that stay fit the words as before, unless those change.
        made._check_fields(("words", *LAYERS) if "words" in changes else changes)
        return made

    def only(self, layers: Iterable[str]) -> Transcript:
        """Return a copy with these layers only."""
        kept = set(layers)
        return self.replace(**{name: None for name in self.layers if name not in kept})

    def __getitem__(self, part: slice) -> Transcript:
        if not isinstance(part, slice):
            raise LayerError("a transcript is sliced, as in t[3:4]; t.words[3] is a word")
        first, stop, step = part.indices(len(self))
        if step != 1:
            raise LayerError("a transcript is sliced in steps of one word")
        stop = max(first, stop)
        changes: dict[str, Any] = {"words": self.words[first:stop]}
        for name in self.layers:
            layer = getattr(self, name)
            if name in SPANS:
                inside = tuple(span for span in layer if span.first < stop and span.last >= first)
                changes[name] = _take_spans(name, inside, np.arange(first, stop)) if inside else ()
            elif name == "evidence":
                changes[name] = layer.map_columns(lambda cells: cells[first:stop])
            else:
                changes[name] = layer[first:stop]
        if self.head is not None:
            head = self.head[first:stop]
            found = np.where((head >= first) & (head < stop), head - first, -1)
            changes["head"] = frozen(found)
        return self.replace(**changes)

    def take(self, words: ArrayLike) -> Transcript:
        """Return a transcript of the words at these ascending indices, or where a mask is true.

        What comes after a dropped word (a boundary, a blank, a pause) moves to the kept word
        before it, the beginning of a cluster to the next one. Of evidence about gaps that fall
        together the highest stays. Spans shrink, but alternatives that lose a word are dropped.
        A word whose head is dropped depends on the nearest kept ancestor.
        """
        kept = word_indices(words, len(self))
        changes: dict[str, Any] = {"words": tuple(map(self.words.__getitem__, kept.tolist()))}
        for name in self.layers:
            layer = getattr(self, name)
            if name in SPANS:
                changes[name] = _take_spans(name, layer, kept)
            elif name == "sentences":
                changes[name] = layer.take(kept)
            else:
                changes[name] = take_cells(name, layer, kept)
        return self.replace(**changes)

    @classmethod
    def join(cls, parts: Iterable[Transcript]) -> Transcript:
        """Put transcripts one after another as one recording, with the id of the first.

        Sentences are kept only if every part has them; cells of other layers that a part lacks
        are unknown.
        """
        parts = list(parts)
        if not parts:
            return cls(())
        offsets = np.cumsum([0, *(len(part) for part in parts)]).tolist()
        changes: dict[str, Any] = {"words": tuple(w for part in parts for w in part.words)}
        known = {name for part in parts for name in part.layers}
        for name in known:
            layers = [getattr(part, name) for part in parts]
            if name in SPANS:
                changes[name] = tuple(
                    span._replace(first=span.first + offset, last=span.last + offset)
                    for offset, layer in zip(offsets, layers, strict=False)
                    for span in layer or ()
                )
            elif name == "sentences":
                changes[name] = Segmentation.join([part.sentences for part in parts if len(part)])
            else:
                changes[name] = join_cells(name, layers, offsets)
        return parts[0].replace(**changes)

    def pauses(self) -> Floats:
        """Return the seconds between each word and the next: NaN if unknown or after the last."""
        gaps = np.full(len(self), np.nan)
        if self.start is not None and self.end is not None and len(self) > 1:
            gaps[:-1] = self.start[1:] - self.end[:-1]
        return gaps

    def surface(self) -> list[str]:
        """Return each word as it is written: with its punctuation and the blank that follows."""
        pieces: list[str] = list(self.words)
        if self.opening is not None:
            pieces = list(map(str.__add__, self.opening, pieces))
        if self.mark is not None:
            pieces = list(map(str.__add__, pieces, self.mark))
        for first, last, label, _ in self.multiwords or ():
            opening = self.opening[first] if self.opening is not None else ""
            mark = self.mark[last] if self.mark is not None else ""
            pieces[first : last + 1] = [opening + label + mark, *[""] * (last - first)]
        blanks = [True] * len(pieces) if self.blank is None else self.blank.tolist()
        for span in self.multiwords or ():
            blanks[span.first : span.last] = [False] * (span.last - span.first)
        return [p + " " if blank else p for p, blank in zip(pieces, blanks, strict=True)]

    @property
    def text(self) -> str:
        """The running text, with punctuation."""
        return "".join(self.surface()).rstrip(" ")

    def iter_sentences(self) -> Iterator[Sentence]:
        """Yield each sentence; all words as one if sentences are not known."""
        for first, last in self._bounds():
            yield Sentence(self[first : last + 1], first, last)

    def split_sentences(self) -> Iterator[Transcript]:
        """Yield each sentence as a transcript with all layers; the whole if they are not known."""
        for first, last in self._bounds():
            yield self[first : last + 1]

    def _bounds(self) -> list[tuple[int, int]]:
        if self.sentences is not None:
            return self.sentences.sentences
        return [(0, len(self) - 1)] if len(self) else []


@dataclass(frozen=True)
class Sentence:
    """One sentence of a recording, with plain Python values.

    `first` and `last` are the indices of its words in the recording; `transcript` has its words
    with all layers.
    """

    transcript: Transcript
    first: int
    last: int

    def __len__(self) -> int:
        return len(self.transcript)

    def __repr__(self) -> str:
        return (
            f"Sentence({self.text!r}, start={self.start}, end={self.end}, "
            f"speaker={self.speaker!r}, first={self.first}, last={self.last})"
        )

    @property
    def words(self) -> Strings:
        """The words, without punctuation."""
        return self.transcript.words

    @property
    def text(self) -> str:
        """The text as it is written."""
        return self.transcript.text

    @property
    def start(self) -> float | None:
        """The start of the first word in seconds, or None if it is not known."""
        return _known_time(self.transcript.start, 0)

    @property
    def end(self) -> float | None:
        """The end of the last word in seconds, or None if it is not known."""
        return _known_time(self.transcript.end, -1)

    @property
    def speaker(self) -> str:
        """The speaker of the first word whose speaker is known, or ''."""
        return next(filter(None, self.transcript.speaker or ()), "")


def only_speaker(speakers: Iterable[str]) -> str | None:
    """Return the speaker of some words; None if there are several, or none is known."""
    known = {*speakers} - {""}
    return known.pop() if len(known) == 1 else None


def _known_time(times: Floats | None, at: int) -> float | None:
    if times is None or not len(times) or np.isnan(times[at]):
        return None
    return float(times[at])


def _check_length(name: str, cells: Any, count: int) -> None:
    if len(cells) != count:
        raise LayerError(
            f"{name} has {len(cells)} cells for {count} words", remedy="give a cell for each word"
        )


def _checked_spans(name: str, spans: Any, count: int) -> tuple[Span, ...]:
    """Return spans in order, or raise an error that names one that is not inside the words."""
    try:
        given = list(spans)
    except TypeError as error:
        raise LayerError(f"{name} is {spans!r}, and should be a list of spans") from error
    found = [_checked_span(name, at, span) for at, span in enumerate(given)]
    for at, span in enumerate(found):
        if not 0 <= span.first <= span.last < count:
            raise LayerError(
                f"{name}[{at}], {span.label!r} at [{span.first}, {span.last}], lies outside the "
                f"{count} words"
            )
    return tuple(sorted(found))


def _checked_span(name: str, at: int, given: Any) -> Span:
    # Most spans were checked before: this is the fast way to see that.
    if type(given) is Span and tuple(map(type, given)) == SPAN_TYPES:
        return given
    with suppress(TypeError, ValueError):
        first, last, *texts = given
        span = Span(index(first), index(last), *texts)
        if all(isinstance(text, str) for text in span[2:]):
            return span
    raise LayerError(
        f"{name}[{at}] is {given!r}, and should be a span", remedy="write Span(first, last, label)"
    )


def _take_spans(name: str, spans: tuple[Span, ...], kept: Indices) -> tuple[Span, ...]:
    """Return the spans of a layer over the kept words; an alternative must keep all its words."""
    if name == "alternatives":
        bounds = np.array([(s.first, s.last + 1) for s in spans], np.int64).reshape(-1, 2)
        whole = np.diff(np.searchsorted(kept, bounds)) == np.diff(bounds)
        spans = tuple(compress(spans, whole.ravel()))
    return shrink_spans(spans, kept)


def shrink_spans(spans: tuple[Span, ...], kept: Indices) -> tuple[Span, ...]:
    """Return the spans over the kept words, which are numbered anew; empty ones are dropped."""
    moved = []
    for span in spans:
        first = int(np.searchsorted(kept, span.first, side="left"))
        last = int(np.searchsorted(kept, span.last, side="right")) - 1
        if first <= last:
            moved.append(span._replace(first=first, last=last))
    return tuple(moved)


def batches(transcripts: Sequence[Transcript], words: int) -> Iterator[list[Transcript]]:
    """Yield recordings in batches of at most so many words; a longer recording is alone."""
    batch: list[Transcript] = []
    held = 0
    for transcript in transcripts:
        if batch and held + len(transcript) > words:
            yield batch
            batch, held = [], 0
        batch.append(transcript)
        held += len(transcript)
    if batch:
        yield batch
