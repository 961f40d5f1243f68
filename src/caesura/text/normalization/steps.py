"""Normalise transcripts: named steps, applied in the given order.

Every step is a pure function. All but `whisper` are idempotent, work on the set of distinct words
(so that a million words take a moment), and leave numbers as they are written. The words of
alternatives are normalised like all words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache

import numpy as np

from caesura.core.arrays import Flags, Strings
from caesura.core.errors import CaesuraError, UnknownName, advice, closest_name
from caesura.core.transcript import Span, Transcript
from caesura.text.alignment.word_alignment import align
from caesura.text.languages import ANY_LANGUAGE, FILLERS, language_code
from caesura.text.normalization.nonspeech import WrittenText
from caesura.text.normalization.token_edits import keep_words, replace_words
from caesura.text.punctuation import (
    end_mark,
    is_opening,
    punctuation_flags,
    split_all_marks,
    strip_punctuation,
)
from caesura.text.restore import as_read

HYPHEN = re.compile(r"(?<=[^\W_])[-‐‑](?=[^\W_])")
"""A hyphen within a word; a cut-off word (`th-`) and a negative number keep theirs."""


def hyphens(transcript: Transcript) -> Transcript:
    """Split words at hyphens: `well-known` becomes `well known`.

    The first part has the start of the word, the last one its end.
    """
    table = {word: HYPHEN.sub(" ", word) for word in set(transcript.words)}
    parted = {word: parts for word, parts in table.items() if parts != word}
    words = enumerate(transcript.words)
    return replace_words(
        transcript, [Span(at, at, parted[word]) for at, word in words if word in parted]
    )


def whisper(transcript: Transcript) -> Transcript:
    """Spell words as Whisper's English normaliser does: numbers in digits, `color`, `will not`.

    It uses the package `whisper-normalizer` on the running text of the recording; the new words
    replace those they are aligned with. Punctuation and hesitations are removed. Doing it twice
    may change more than doing it once.
    """
    spell = _whisper()
    bare = transcript.replace(opening=None, mark=None, multiwords=None)
    surfaces = transcript.replace(blank=None, multiwords=None).surface()
    table = {surface: spell(surface).split() for surface in set(surfaces)}
    alone = [table[surface] for surface in surfaces]
    ours = [word for words in alone for word in words]
    changes = _replacements(list(map(len, alone)), ours, spell("".join(surfaces)).split())
    return replace_words(bare, [c for c in changes if c.label != _words_of(transcript, c)])


def _words_of(transcript: Transcript, span: Span) -> str:
    return " ".join(transcript.words[span.first : span.last + 1])


def _replacements(sizes: Sequence[int], ours: Sequence[str], theirs: Sequence[str]) -> list[Span]:
    """Return the new words for each word, or for a few together.

    `ours` are the words normalised one by one, `sizes` of them for each word; `theirs` are those
    of the whole text. If the new words of a word stand side by side in `theirs`, they replace this
    word alone.
    """
    place = align(ours, theirs).equal_target.tolist()
    replacements: list[Span] = []
    first = at = reached = 0
    for word, size in enumerate(sizes):
        own_places, at = place[at : at + size], at + size
        if not _is_settled(own_places):
            continue
        if own_places:
            if first < word:
                replacements.append(
                    Span(first, word - 1, " ".join(theirs[reached : own_places[0]]))
                )
                reached = own_places[0]
            replacements.append(Span(word, word, " ".join(theirs[reached : own_places[-1] + 1])))
            first, reached = word + 1, own_places[-1] + 1
        elif first == word:
            replacements.append(Span(word, word, ""))
            first = word + 1
    rest = " ".join(theirs[reached:])
    if first < len(sizes):
        replacements.append(Span(first, len(sizes) - 1, rest))
    elif replacements and rest:
        replacements[-1] = replacements[-1]._replace(label=f"{replacements[-1].label} {rest}")
    return replacements


def _is_settled(places: list[int]) -> bool:
    return not places or (places[0] >= 0 and places == list(range(places[0], places[-1] + 1)))


@cache
def _whisper() -> Callable[[str], str]:
    try:
        from whisper_normalizer.english import EnglishTextNormalizer
    except ImportError as error:
        raise CaesuraError(
            "the step 'whisper' needs whisper-normalizer, which is not installed",
            remedy="pip install 'caesura[whisper]'",
        ) from error
    spell: Callable[[str], str] = EnglishTextNormalizer()
    return spell


Step = Callable[[Transcript], Transcript]


INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200e\u200f\u2060\ufeff\u00ad"))
"""Invisible characters: zero-width space and no-break space, word joiner, soft hyphen and
direction marks. Joiners (U+200C, U+200D) stay: they shape the letters around them."""

MUSIC_SIGNS = "♪♫♩♬🎵🎶"
"""Signs for music."""


def normalize(transcript: Transcript, steps: str | Sequence[str]) -> Transcript:
    """Apply named steps in order; a string has them joined with +."""
    steps = steps.split("+") if isinstance(steps, str) else steps
    describe(steps)
    for step in steps:
        transcript = _normalize_alternatives(STEPS[step](transcript), STEPS[step])
    return transcript


def _normalize_alternatives(transcript: Transcript, step: Step) -> Transcript:
    """Apply a step also to the words of each alternative."""
    if not transcript.alternatives:
        return transcript
    labels = {span.label for span in transcript.alternatives}
    alone = Transcript((), language=transcript.language)
    table = {each: step(alone.replace(words=tuple(each.split()))).words for each in labels}
    spans = (span._replace(label=" ".join(table[span.label])) for span in transcript.alternatives)
    return transcript.replace(alternatives=tuple(spans))


class Normalizer:
    """Normalise transcripts and remember the results, so that no text is normalised twice.

    Restored texts are taken as they were read. It remembers the last result for each transcript
    (known by identity, not by value), and continues from there if more steps are wanted after
    the same ones.
    """

    def __init__(self) -> None:
        self._last: dict[int, tuple[Transcript, Strings, Transcript]] = {}

    def __call__(self, transcript: Transcript, steps: Strings) -> Transcript:
        """Return a transcript after these steps."""
        # The transcript is kept with the result so that its identity is not used again.
        _, done, result = self._last.get(id(transcript), (transcript, (), as_read(transcript)))
        if steps[: len(done)] != done:
            done, result = (), as_read(transcript)
        result = normalize(result, steps[len(done) :])
        self._last[id(transcript)] = (transcript, steps, result)
        return result


def fewest_steps(groups: Iterable[Sequence[Transcript]], normalizer: Normalizer) -> Strings:
    """Find the fewest steps after which the texts of each group have the same words.

    If the words differ after all steps, return all steps: an alignment then has the fewest
    differences left.
    """
    level = 0
    for texts in groups:
        while level < len(LADDER) - 1 and not _have_same_words(texts, LADDER[level], normalizer):
            level += 1
    return LADDER[level]


def _have_same_words(texts: Sequence[Transcript], steps: Strings, normalizer: Normalizer) -> bool:
    first = normalizer(texts[0], steps).words
    return all(normalizer(text, steps).words == first for text in texts[1:])


def describe(steps: Sequence[str]) -> str:
    """Return the steps as text for signatures, `none` if there are none; refuse unknown ones."""
    for step in steps:
        if step not in STEPS:
            raise UnknownName(
                f"no normalisation step is named {step!r}", remedy=_advice(steps, step)
            )
    return "+".join(steps) or "none"


def _advice(steps: Sequence[str], unknown: str) -> str:
    """Say how to write steps that are not joined with +, or which step was meant."""
    parts = re.findall(r"[^\s,;+|]+", "+".join(steps))
    meant = [closest_name(part, STEPS) for part in parts]
    if parts == list(steps):
        return advice(unknown, STEPS)
    right = "+".join(meant) if parts and all(meant) else "case+dots"
    return f"steps are joined with + and nothing else, as in {right}"


def unicode(transcript: Transcript) -> Transcript:
    """Compose characters (NFC) and remove invisible ones, so that what looks equal is equal.

    A word of invisible characters alone is dropped.
    """
    words = _map_words(transcript.words, compose)
    spans = transcript.multiwords
    labels = spans and tuple(span._replace(label=compose(span.label)) for span in spans)
    composed = transcript.replace(words=words, multiwords=labels)
    mark = _layer(composed, "mark")
    gone = [at for at, word in enumerate(words) if not word and transcript.words[at]]
    return _drop_words(composed, {at: mark[at] for at in gone})


def compose(text: str) -> str:
    """Compose the characters of a text (NFC) and remove invisible ones."""
    return text if text.isascii() else unicodedata.normalize("NFC", text.translate(INVISIBLE))


def case(transcript: Transcript) -> Transcript:
    """Make words lower case.

    As `str.lower` does, in every language alike: `ß` stays, `I` becomes `i` in Turkish too.
    """
    words = _map_words(transcript.words, str.lower)
    spans = transcript.multiwords
    lower = spans and tuple(span._replace(label=span.label.lower()) for span in spans)
    return transcript.replace(words=words, multiwords=lower)


def dots(transcript: Transcript) -> Transcript:
    """Remove final dots: `mr.` becomes `mr`, and `U.S.` becomes `U.S`."""
    return transcript.replace(
        words=_map_words(transcript.words, lambda word: word.rstrip(".") or word)
    )


def punctuation(transcript: Transcript) -> Transcript:
    """Remove punctuation around words, but not the dots of abbreviations (see `dots`).

    Removes the layers `opening` and `mark`, punctuation at words (as `split_marks` sees it: the
    dots of abbreviations stay), and words that are only punctuation or tagged PUNCT. A curly
    apostrophe becomes a straight one.
    """
    words = _map_words(transcript.words, lambda word: strip_punctuation(word).replace("’", "'"))
    plain = transcript.replace(words=words, opening=None, mark=None)
    alone = punctuation_flags(transcript)
    return keep_words(plain, ~alone) if alone.any() else plain


def marks(transcript: Transcript) -> Transcript:
    """Move punctuation from words, and words of punctuation, to the layers `opening` and `mark`.

    The written text stays the same. Punctuation that stands alone goes to the word before it,
    or to the next word if it is opening punctuation.
    """
    table = {word: split_all_marks(word) for word in set(transcript.words)}
    alone = punctuation_flags(transcript)
    glued = {word: piece for word, piece in table.items() if piece.word and piece.word != word}
    if not glued and not alone.any():
        return transcript
    opening, mark = _layer(transcript, "opening"), _layer(transcript, "mark")
    for at in [at for at, word in enumerate(transcript.words) if word in glued]:
        piece = glued[transcript.words[at]]
        opening[at] += piece.opening
        mark[at] = piece.mark + mark[at]
    blank = _attach_punctuation(transcript, opening, mark, alone)
    words = tuple(table[word].word for word in transcript.words)
    whole = transcript.replace(words=words, opening=tuple(opening), mark=tuple(mark))
    bare = keep_words(whole, ~alone)
    return bare if transcript.blank is None else bare.replace(blank=blank[~alone])


def fillers(transcript: Transcript) -> Transcript:
    """Remove hesitations such as `um`, `uh` and `hmm`.

    The list is that of the transcript's language (`en`, `eng`, `en-US` or `English`); English if
    it is unknown. `ER` in capitals stays. A sentence mark goes to the word before if that has
    none.
    """
    language = language_code(transcript.language) or "en"
    pattern = re.compile(FILLERS.get(language, ANY_LANGUAGE), re.IGNORECASE)
    table = {
        word: word != "ER" and bool(pattern.fullmatch(strip_punctuation(word).strip("-")))
        for word in set(transcript.words)
    }
    dropped = np.fromiter(map(table.__getitem__, transcript.words), np.bool_, len(transcript))
    mark = _layer(transcript, "mark")
    places = np.flatnonzero(dropped).tolist()
    marks_of_dropped = {at: split_all_marks(transcript.words[at]).mark + mark[at] for at in places}
    return _drop_words(transcript, marks_of_dropped)


def events(transcript: Transcript) -> Transcript:
    """Remove noted sounds that are no words: `[Music]`, `(laughs)`, `<cough>`, `♪`.

    Brackets may hold several words; a bracket that is not closed holds none, and round ones must
    name a sound. A sentence mark goes to the word before if that has none.
    """
    transcript = _drop_notes(transcript)
    while True:
        opening, mark = _layer(transcript, "opening"), _layer(transcript, "mark")
        marks_of_events = WrittenText(transcript.words, opening, mark).events()
        if not marks_of_events:
            return transcript
        transcript = _drop_words(transcript, marks_of_events)


STEPS: Mapping[str, Step] = {
    "unicode": unicode,
    "case": case,
    "dots": dots,
    "punctuation": punctuation,
    "marks": marks,
    "fillers": fillers,
    "events": events,
    "hyphens": hyphens,
    "whisper": whisper,
}
"""All steps by name."""


BARE_STEPS = ("case", "dots", "punctuation")
"""The steps that leave bare words."""

LADDER = (BARE_STEPS[:1], BARE_STEPS[:2], BARE_STEPS, ("unicode", *BARE_STEPS))
"""What `fewest_steps` tries, in this order; the last is used where words may differ."""


def _layer(transcript: Transcript, name: str) -> list[str]:
    return list(getattr(transcript, name) or ("",) * len(transcript))


def _drop_words(transcript: Transcript, marks_of_dropped: Mapping[int, str]) -> Transcript:
    """Drop words with the marks after them; a sentence mark goes to the word before."""
    if not marks_of_dropped:
        return transcript
    keep = np.ones(len(transcript), np.bool_)
    keep[list(marks_of_dropped)] = False
    kept = np.flatnonzero(keep)
    mark = _layer(transcript, "mark")
    for at in sorted(at for at, after in marks_of_dropped.items() if end_mark(after)):
        place = int(np.searchsorted(kept, at)) - 1
        if place >= 0:
            before = int(kept[place])
            if not end_mark(split_all_marks(transcript.words[before]).mark + mark[before]):
                mark[before] = marks_of_dropped[at]
    if transcript.mark is not None or any(mark):
        transcript = transcript.replace(mark=tuple(mark))
    return keep_words(transcript, keep)


def _drop_notes(transcript: Transcript) -> Transcript:
    """Drop signs for music, alone or at words."""
    signs = dict.fromkeys(map(ord, MUSIC_SIGNS))
    changes = {}
    for name in ("words", "opening", "mark"):
        cells = getattr(transcript, name) or ()
        if not set(MUSIC_SIGNS).isdisjoint("".join(set(cells))):
            changes[name] = _map_words(cells, lambda cell: cell.translate(signs).strip())
    if not changes:
        return transcript
    bare = transcript.replace(**changes)
    mark = _layer(bare, "mark")
    gone = [at for at, word in enumerate(bare.words) if not word and transcript.words[at]]
    return _drop_words(bare, {at: mark[at] for at in gone})


def _attach_punctuation(
    transcript: Transcript, opening: list[str], mark: list[str], alone: Flags
) -> Flags:
    """Give punctuation that stands alone to its neighbours; return where blanks follow then."""
    count = len(transcript)
    blank = np.ones(count, np.bool_) if transcript.blank is None else transcript.blank.copy()
    kept = np.flatnonzero(~alone)
    front: dict[int, str] = {}
    for at in np.flatnonzero(alone).tolist():
        surface = opening[at] + transcript.words[at] + mark[at]
        place = int(np.searchsorted(kept, at))
        after = int(kept[place]) if place < len(kept) else -1
        opens = place == 0 or after in front or is_opening(surface)
        if opens and after >= 0:
            front[after] = front.get(after, "") + surface + " " * int(blank[at])
        elif place > 0:
            before = int(kept[place - 1])
            mark[before] += " " * int(blank[before]) + surface
            blank[before] = blank[at]
    for at, surface in front.items():
        opening[at] = surface + opening[at]
    return blank


def _map_words(words: Strings, change: Callable[[str], str]) -> Strings:
    table = {word: change(word) for word in set(words)}
    changed = tuple(map(table.__getitem__, words))
    return words if changed == words else changed
