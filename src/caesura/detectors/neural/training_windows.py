"""Windows of words to train neural detectors on, with evidence hidden and altered at random.

A window shows the words of a part of a recording. Times, speakers, marks and capitals are each
hidden in some windows, so that the model learns to do without them. Pauses are altered as
recognisers and aligners differ (`aligner_times.py`); text without times gets pauses drawn from
those of other recordings at gaps of the same class. Words are misheard as recognisers do
(`mishearing.py`).

Every window depends on the seed and its number alone: training can stop and go on anywhere.

`written_forms` learns from the same recordings how words with capitals are usually written. Its
list is the only text inside a trained net, and holds words alone: no addresses, and no numbers of
documents or telephones.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from caesura.core.arrays import Flags, Floats, Indices
from caesura.core.transcript import Transcript
from caesura.detectors.gaps import marked_words, missing_sentences
from caesura.detectors.neural import evidence as ev
from caesura.detectors.neural.aligner_times import altered_times, whisper_times
from caesura.detectors.neural.encoder import CAPITALISED, ENOUGH, UPPER, heads_for
from caesura.detectors.neural.evidence import Evidence
from caesura.detectors.neural.mishearing import NOTHING, Heard, Mishearing
from caesura.ml.neural.wordpiece import BEGIN, END, SPECIAL, WordPieces

IGNORED = -100
"""A target that nothing is learnt from."""

NEAR = 1000
"""Words on either side of a window whose pauses a pause is ranked among, at most."""


class Lexicon:
    """Numbers all words of all sources, in lower case, as they come."""

    def __init__(self) -> None:
        self._number: dict[str, int] = {}

    @property
    def words(self) -> list[str]:
        """The words in the order of their numbers."""
        return list(self._number)

    def numbers(self, words: Iterable[str]) -> Indices:
        """Return the numbers of words; those that are new get one."""
        known = self._number
        return np.array([known.setdefault(word.lower(), len(known)) for word in words], np.int64)


@dataclass(frozen=True)
class Source:
    """Recordings of one kind as arrays over all their words, one after the other."""

    name: str
    weight: float
    first: Indices
    """The place of the first word of each recording, and the number of all words."""

    words: Indices
    """The number of each word in the lexicon."""

    evidence: Evidence
    target: Indices
    case: Indices
    """The case of each word as a target, from 0 on; `IGNORED` where the text has none."""

    turns_are_lines: bool = False
    """Whether a change of speaker is only known as a new line, which may be a paragraph."""

    is_recognised: bool = False
    """Whether the words have the errors of a recogniser already."""

    is_spoken: bool = True
    """Whether it is speech; written text is shown with its marks more often."""


def compile_source(
    name: str,
    weight: float,
    recordings: Sequence[Transcript],
    lexicon: Lexicon,
    is_spoken: bool = True,
    turns_are_lines: bool = False,
    is_recognised: bool = False,
) -> Source:
    """Turn recordings into arrays."""
    marked = [marked_words(each) for each in recordings]
    found = [ev.evidence_of(*pair) for pair in zip(recordings, marked, strict=True)]
    evidence = Evidence(*(np.concatenate(columns) for columns in zip(*found, strict=True)))
    times, others = evidence[:2], evidence[2:]
    evidence = Evidence(
        *(column.astype(np.float32) for column in times),
        *(column.astype(np.int8) for column in others),
    )
    targets = [ev.targets_of(each, is_spoken) for each in recordings]
    target = np.concatenate([one[own.last] for one, own in zip(targets, marked, strict=True)])
    case = np.where(evidence.case == ev.HIDDEN_CASE, IGNORED, evidence.case - 1)
    return Source(
        name,
        weight,
        np.concatenate([[0], np.cumsum([len(each.words) for each in marked])]),
        lexicon.numbers(word for each in marked for word in each.words).astype(np.int32),
        evidence,
        np.where(target < 0, IGNORED, target).astype(np.int8),
        case.astype(np.int8),
        turns_are_lines,
        is_recognised,
        is_spoken,
    )


def known_sources(
    train: Sequence[Transcript], text: Sequence[Transcript], lexicon: Lexicon
) -> list[Source]:
    """Compile the recordings, and the other text, whose sentences are known.

    Where no sentence of a recording ends with a mark, each sentence counts as ended by a period.
    """
    found = []
    for name, part in (("speech", train), ("text", text)):
        known = [
            each for each in part if each.sentences is not None and len(marked_words(each).words)
        ]
        if name == "speech" and not known:
            raise missing_sentences(len(train))
        told = [ev.with_labels_as_marks(each) for each in known]
        for has_marks in (True, False):
            own = [each for each in told if bool((ev.targets_of(each) >= 2).any()) == has_marks]
            if own:
                found.append(
                    compile_source(name, sum(map(len, own)), own, lexicon, is_spoken=has_marks)
                )
    return found


class Window(NamedTuple):
    """What the model sees of a window and what it shall say, a row for each word."""

    pieces: Indices
    word_at: Indices
    words: Indices
    """Numbers in the lexicon."""

    columns: Indices
    target: Indices
    case: Indices
    head: Indices


@dataclass(frozen=True)
class Hiding:
    """How often each kind of evidence is shown."""

    pauses: float = 0.67
    drawn_pauses: float = 0.35
    turns: float = 0.6
    line_turns: float = 0.25
    marks: float = 0.16
    written_marks: float = 0.7
    some_marks: float = 0.1
    case_with_marks: float = 0.85
    case_without_marks: float = 0.12
    altered_pauses: float = 0.6
    joined_words: float = 0.35
    lengths: float = 0.75
    confused: float = 0.3


class PieceTable:
    """The pieces of all words of a lexicon."""

    def __init__(self, words: Sequence[str], vocabulary: WordPieces) -> None:
        self.pieces, self.first = vocabulary.split_all(words)
        self.counts = np.diff(np.append(self.first, len(self.pieces)))

    def starts(self, words: Indices) -> Indices:
        """Return where each word of a text starts among its pieces, and how many there are."""
        return np.concatenate([[0], np.cumsum(self.counts[words])])

    def pieces_of(self, words: Indices) -> tuple[Indices, Indices]:
        """Return the pieces of words, and where each word starts among them."""
        counts, starts = self.counts[words], self.starts(words)[:-1]
        places = np.repeat(self.first[words] - starts, counts) + np.arange(counts.sum())
        return self.pieces[places], starts


class Sampler:
    """Draws windows of at most `length` pieces from sources by their weights."""

    def __init__(
        self,
        sources: Sequence[Source],
        lexicon: Lexicon,
        vocabulary: WordPieces,
        length: int,
        seed: int,
        hiding: Hiding | None = None,
        mishearing: Mishearing | None = None,
    ) -> None:
        self.sources = sources
        self.length = length
        self.seed = seed
        self.hiding = hiding or Hiding()
        self.mishearing = mishearing or Mishearing()
        self.heard = np.append(lexicon.numbers(self.mishearing.words), NOTHING)
        words = lexicon.words
        self.told = self.mishearing.numbers_of(words)
        self.letters = np.array([len(word) for word in words]) + ev.SILENT_LETTERS
        self.table = PieceTable(words, vocabulary)
        self.starts = [self.table.starts(source.words) for source in sources]
        weights = np.array([source.weight for source in sources])
        self.shares = np.cumsum(weights / weights.sum())
        self.pools = _pools_of_times(sources)

    def window(self, number: int) -> Window:
        """Return the window of a number."""
        draw = np.random.default_rng([self.seed, number])
        chosen = int(np.searchsorted(self.shares, draw.random()))
        source, starts = self.sources[chosen], self.starts[chosen]
        at = int(draw.integers(source.first[-1]))
        recording = int(np.searchsorted(source.first, at, side="right")) - 1
        begin, end = int(source.first[recording]), int(source.first[recording + 1])
        # Some windows reach the end of a recording, most do not.
        first = max(begin, min(at, end - 8))
        room = self.length - 2
        limit = np.searchsorted(starts, starts[first] + room, side="right")
        stop = min(end, int(limit) - 1)
        if draw.random() < 0.1 and stop - first > 20:
            stop = first + int(draw.integers(10, stop - first))
        return self._window(source, first, stop, (begin, end), draw)

    def _window(
        self, source: Source, first: int, stop: int, whole: tuple[int, int], draw: Generator
    ) -> Window:
        begin, end = whole
        near = max(begin, first - NEAR), min(end, stop + NEAR)
        if draw.random() < 0.3:
            reach = int(draw.integers(20, 400))
            near = max(begin, first - reach), min(end, stop + reach)
        local, offset = source.evidence.part(*near), first - near[0]
        count = stop - first
        shown = self._shown(source, local, near, draw)
        columns = ev.columns_of_words(shown)[offset : offset + count]
        target = source.target[first:stop].astype(np.int64)
        case = source.case[first:stop].astype(np.int64)
        words = source.words[first:stop].astype(np.int64)
        if draw.random() < self.hiding.confused and not source.is_recognised:
            heard = self.mishearing.hear(self.told[words], draw)
            target = moved_targets(target, heard.place, heard.inserted)
            columns = _columns_heard(columns, heard)
            case = np.where(heard.said == NOTHING, case[heard.place], IGNORED)
            words = np.where(heard.said == NOTHING, words[heard.place], self.heard[heard.said])
        pieces, word_at = self.table.pieces_of(words)
        if len(pieces) > self.length - 2:
            # What was heard has more pieces than what was said: the last words are left out.
            fit = int(np.searchsorted(word_at, self.length - 2, side="right")) - 1
            pieces, word_at, words = pieces[: word_at[fit]], word_at[:fit], words[:fit]
            columns, target, case, stop = columns[:fit], target[:fit], case[:fit], stop - 1
        closing = [SPECIAL.index(END)] if stop == end else []
        left = np.arange(len(words) - 1, -1, -1)
        head = heads_for(left + ENOUGH if stop == end else left)
        if stop == end:
            target[-1] = IGNORED
        return Window(
            np.concatenate([[SPECIAL.index(BEGIN)], pieces, closing]).astype(np.int64),
            word_at + 1,
            words,
            columns,
            target,
            case,
            head,
        )

    def _shown(
        self, source: Source, local: Evidence, near: tuple[int, int], draw: Generator
    ) -> Evidence:
        """Hide and alter evidence."""
        hiding = self.hiding
        pause, length = local.pause.astype(np.float64), local.length.astype(np.float64)
        if np.isnan(pause).mean() > 0.5:
            pause = length = np.full(len(pause), np.nan)
            if draw.random() < hiding.drawn_pauses:
                drawn = self._drawn_times(source.target[slice(*near)], local.turn, draw)
                pause, length = self._altered(*drawn, source, near, draw)
        elif draw.random() >= hiding.pauses:
            pause = length = np.full(len(pause), np.nan)
        elif draw.random() < hiding.altered_pauses:
            pause, length = self._altered(pause, length, source, near, draw)
        if draw.random() >= hiding.lengths:
            length = np.full(len(pause), np.nan)
        rate = hiding.line_turns if source.turns_are_lines else hiding.turns
        turn = local.turn if draw.random() < rate else np.zeros_like(local.turn)
        mark, opening, case = local.mark, local.opening, local.case
        marks = hiding.marks if source.is_spoken else hiding.written_marks
        choice = draw.random()
        if choice >= marks + hiding.some_marks:
            mark, opening = np.zeros_like(mark), np.zeros_like(opening)
        elif choice >= marks:
            lost = draw.random(len(mark)) < draw.random()
            mark = np.where(lost & (mark > ev.NO_MARK), ev.NO_MARK, mark)
        marked = choice < marks + hiding.some_marks
        if draw.random() >= (hiding.case_with_marks if marked else hiding.case_without_marks):
            case = np.zeros_like(case)
        return Evidence(pause, length, turn, mark, case, opening)

    def _altered(
        self, pause: Floats, length: Floats, source: Source, near: tuple[int, int], draw: Generator
    ) -> tuple[Floats, Floats]:
        """Alter times as those of another recogniser; `length` is of a letter."""
        letters = self.letters[source.words[slice(*near)]]
        pause, lasts = altered_times(pause, length * letters, draw)
        if draw.random() < self.hiding.joined_words:
            pause, lasts = whisper_times(pause, lasts, source.target[slice(*near)], draw)
        return pause, lasts / letters

    def _drawn_times(
        self, target: Indices, turn: Indices, draw: Generator
    ) -> tuple[Floats, Floats]:
        """Draw a pause and a length for each word from those at gaps of the same class."""
        kinds = _gap_kinds(target, turn)
        # Some speakers pause where others do not.
        other = draw.random(len(kinds)) < draw.uniform(0, 0.2)
        kinds = np.where(other, draw.permutation(kinds), kinds)
        times = np.zeros((len(kinds), 2))
        for kind, pool in self.pools.items():
            here = np.flatnonzero(kinds == kind)
            if len(pool):
                times[here] = pool[draw.integers(len(pool), size=len(here))]
        if draw.random() < 0.4:
            # Somebody who reads aloud hardly hesitates.
            hesitates = (times[:, 0] > 0.2) & (kinds < 2)
            times[hesitates & (draw.random(len(kinds)) < draw.uniform(0.3, 1.0)), 0] = 0.0
        return times[:, 0], times[:, 1]


def _columns_heard(columns: Indices, heard: Heard) -> Indices:
    """Return the columns of the words that are heard; nothing is known before an inserted one."""
    found = columns[heard.place]
    inserted = np.flatnonzero(heard.inserted)
    for name in ev.OF_GAPS:
        found[inserted - 1, ev.COLUMNS.index(name)] = ev.UNKNOWN
        found[inserted, ev.COLUMNS.index(f"{name} before")] = ev.UNKNOWN
    return found


def moved_targets(target: Indices, place: Indices, inserted: Flags) -> Indices:
    """Return the target of each word that is heard, from those of the words that were said.

    The strongest mark of words that were left out goes to the word before them. The mark of a word
    after which another was inserted goes to the latter.
    """
    own = place[~inserted]
    after = np.append(own[1:], len(target))
    best = [target[first:stop].max() for first, stop in zip(own, after, strict=True)]
    found = np.zeros(len(place), np.int64)
    found[np.append(np.flatnonzero(~inserted)[1:], len(place)) - 1] = best
    return found


def _gap_kinds(target: Indices, turn: Indices) -> Indices:
    """Return the kind of each gap: none, comma or end; and whether the speaker changes."""
    classes = np.where(target == IGNORED, 2, np.minimum(target, 2))
    kinds: Indices = classes * 2 + (turn == 2)
    return kinds


def _pools_of_times(sources: Sequence[Source]) -> Mapping[int, Floats]:
    """Gather the pauses and lengths of all timed recordings by the kind of the gap."""
    found: dict[int, list[Floats]] = {kind: [np.zeros((0, 2))] for kind in range(6)}
    for source in sources:
        times = np.stack([np.maximum(source.evidence.pause, 0), source.evidence.length], axis=1)
        known = ~np.isnan(times).any(axis=1)
        kinds = _gap_kinds(source.target, source.evidence.turn)
        for kind, parts in found.items():
            parts.append(times[known & (kinds == kind)])
    return {kind: np.concatenate(parts) for kind, parts in found.items()}


USUAL, FEWEST = 0.95, 5
"""The least share of a word's occurrences inside sentences with its form, and their number."""

MOST_LOWER = 0.2
"""The largest share in lower case of words that are listed in mixed case (CapEx, also Capex)."""

WORD = re.compile(r"[^\W_]+(?:[.'’&-][^\W_]+)*\.?")
ADDRESS = re.compile(r"\.(?:com|co|edu|fm|gov|info|io|net|org|tv|uk|us)$")
MOST_DIGITS = 2


def written_forms(
    sources: Sequence[Source], words: Sequence[str], counts: Counter[str]
) -> dict[str, str]:
    """Return how words are written that usually have capitals, by their lower case.

    `words` are those of the lexicon of the sources; `counts` says how often each word occurs as it
    is written, from which those in mixed case are learnt.
    """
    found = {**usual_forms(sources, words), **mixed_forms(counts)}
    return {lower: form for lower, form in found.items() if is_word(form)}


def is_word(form: str) -> bool:
    """Whether a form is a word, and not an address or a long number."""
    digits = sum(map(str.isdigit, form))
    return bool(WORD.fullmatch(form)) and digits <= MOST_DIGITS and not ADDRESS.search(form.lower())


def mixed_forms(counts: Mapping[str, int]) -> dict[str, str]:
    """Return how words are written that are most often in mixed case, such as iPhone."""
    forms: dict[str, Counter[str]] = {}
    for word, count in counts.items():
        forms.setdefault(word.lower(), Counter())[word] += count
    found = {}
    for lower, own in forms.items():
        form, count = own.most_common(1)[0]
        enough = count >= FEWEST and own[lower] <= MOST_LOWER * own.total()
        if enough and ev.case_class(form) == ev.MIXED and " " not in form:
            found[lower] = form
    return found


def usual_forms(sources: Sequence[Source], words: Sequence[str]) -> dict[str, str]:
    """Return how words are written that usually have capitals, also inside sentences."""
    counts = np.zeros((len(words), 4), np.int64)
    for source in sources:
        inside = np.append(False, np.isin(source.target[:-1], (0, 1)))
        known = inside & (source.case != IGNORED)
        np.add.at(counts, (source.words[known], source.case[known]), 1)
    total = counts.sum(axis=1)
    found = {}
    for case in (CAPITALISED, UPPER):
        enough = (total >= FEWEST) & (counts[:, case] >= USUAL * total)
        for at in np.flatnonzero(enough).tolist():
            word = words[at]
            form = word.upper() if case == UPPER else word[:1].upper() + word[1:]
            if form != word and form.lower() == word and " " not in word:
                found[word] = form
    return found
