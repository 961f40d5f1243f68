"""Annotation tiers (Praat, ELAN): which of them hold words or sentences, and of which speaker.

`choose_tiers` decides that for a file that is read, `transcript_of_tiers` makes the transcript,
and `make_tiers` goes the other way.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from caesura.core.transcript import Transcript
from caesura.formats.base import Source, TextFormat, counted
from caesura.formats.builder import FileOrder, Rows, SentenceSpan, SentenceSpans, end_sentences
from caesura.formats.time_interpolation import filled_times

logger = logging.getLogger("caesura")

PAUSE_LABELS = frozenset(
    "sp sil SIL <sil> <SIL> <sp> <p:> <p> <P> <pause> <s> </s> <eps> pau <pau> # ## {SL} {sl} "
    "[sil] <silence> silence (.) (..) (...) _ +".split()
)
"""Labels that mark a pause."""

TIER_NAMES = {
    "words": "word words wordt wrd wrds ort ort-mau orto token tokens tokensalign tokalign wort "
    "wörter woerter mot mots palabra palabras parola parole palavra palavras слово слова",
    "sentences": "sentence sentences utterance utterances utterancet utt utts su sus satz sätze",
    "text": "text txt transcript transcription transcripts trs trans orth ortht orthography "
    "orthographic speech spch",
    "other": "phone phones phon phons phoneme phonemes phonetic phn phonalign mau kan kan-mau mas "
    "segment segments seg segs syllable syllables syll syl vowel vowels tone tones tobi stress "
    "break breaks pitch f0 intensity ipa sampa x-sampa pos tag tags lemma lemmas morph morphs "
    "morpheme morphemes gloss glosses translation translations ft ref comment comments note notes "
    "language marker markers gesture gestures type id",
}
"""Usual names of tiers, alone or with a speaker's name (`Ana - words`, `ort@Ana`)."""

ROLES = {name: role for role, names in TIER_NAMES.items() for name in names.split()}
OVERLAP = re.compile(r"(?<!\s)\s*\(overlap(?: \d+)?\)$")
_ANY = "|".join(sorted(map(re.escape, ROLES), key=len, reverse=True))
_SIGNS = r"[\s\-–_:@/|.(]"
_AFTER = re.compile(rf"(?P<who>.*?)(?<!{_SIGNS}){_SIGNS}++(?P<what>{_ANY})\)?", re.IGNORECASE)
_BEFORE = re.compile(rf"(?P<what>{_ANY})(?:\s*[-–_:@/|]\s*+|\s*\()(?P<who>.*?)\)?", re.IGNORECASE)
_RUNNING = re.compile(r"\S\s+\S|[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]{2}")
"""Several words, or a script that has no blanks between them."""


class Interval(NamedTuple):
    """A label from `start` to `end` (NaN where unknown).

    `anchor` is a known time to sort by, `order` sorts what happens at the same time.
    """

    start: float
    end: float
    text: str
    anchor: float
    order: FileOrder


@dataclass(frozen=True)
class Tier:
    """A named tier of intervals; `kind` is its type in the file, `child`: it has a parent tier."""

    name: str
    intervals: list[Interval]
    kind: str = ""
    participant: str = ""
    child: bool = False
    language: str = ""
    points: bool = False

    @property
    def labels(self) -> list[str]:
        """The labels that are words."""
        return [i.text for i in self.intervals if i.text.strip() and i.text not in PAUSE_LABELS]


class SpeakerTier(NamedTuple):
    """A tier and its speaker."""

    tier: Tier
    speaker: str


@dataclass
class Choice:
    """The tiers that are read: those with the text, and those with the sentences."""

    text: list[SpeakerTier]
    sentences: list[SpeakerTier] = field(default_factory=list)
    each_is_sentence: bool = False
    """Whether each interval of text is a sentence."""


@dataclass(frozen=True, repr=False)
class Tiered(TextFormat):
    """A format with tiers; `tier` has the name or number of the one to read, or several."""

    tier: str | int | tuple[str | int, ...] = ""

    def __post_init__(self) -> None:
        if not all(isinstance(name, (str, int)) for name in self.wanted):
            raise ValueError(f"tier is a name or a number, or a tuple of them, not {self.tier!r}")

    @property
    def wanted(self) -> tuple[str | int, ...]:
        """The tiers that the user asked for."""
        if isinstance(self.tier, tuple):
            return self.tier
        return (self.tier,) if self.tier != "" else ()


def _bare(name: str) -> str:
    """Return a name without quotes and blanks around it."""
    return name.strip(" \"'\t\r\n")


def role(name: str) -> tuple[str, str]:
    """Return what a tier holds by its name ('' if unknown), and its speaker."""
    bare = OVERLAP.sub("", _bare(name))
    if bare.lower() in ROLES:
        return ROLES[bare.lower()], ""
    match = _AFTER.fullmatch(bare) or _BEFORE.fullmatch(bare)
    return (ROLES[match["what"].lower()], match["who"].strip()) if match else ("", bare)


def tiers_with(role_name: str, tiers: Iterable[Tier]) -> list[SpeakerTier]:
    """Return the tiers that have a role by their name or, where no name says so, by their type."""
    filled = [tier for tier in tiers if tier.labels]
    named = [(tier, *role(tier.name)) for tier in filled]
    by_name = [
        SpeakerTier(tier, tier.participant or who) for tier, what, who in named if what == role_name
    ]
    if by_name:
        return by_name
    return [
        SpeakerTier(tier, tier.participant or who)
        for tier, what, who in named
        if not what and role(tier.kind)[0] == role_name
    ]


def choose_tiers(
    tiers: Sequence[Tier], wanted: tuple[str | int, ...], source: Source, format: str
) -> Choice:
    """Decide which tiers are read; if that is unclear, raise an error that lists the tiers."""
    sentences = tiers_with("sentences", tiers)
    if wanted:
        chosen = [_tier_named(tiers, name, source, format) for name in wanted]
        several = len(chosen) > 1
        text = [
            SpeakerTier(tier, tier.participant or _bare(tier.name) * several) for tier in chosen
        ]
        are_sentences = all(any(tier is other for other, _ in sentences) for tier in chosen)
        return Choice(text, [] if are_sentences else sentences, are_sentences)
    words = _fullest(tiers_with("words", tiers), source, format)
    if words:
        return Choice(words, sentences)
    if sentences:
        return Choice(sentences, each_is_sentence=True)
    return Choice(tiers_with("text", tiers) or _utterances(tiers, source, format))


def _tier_named(tiers: Sequence[Tier], name: str | int, source: Source, format: str) -> Tier:
    """Return the tier of that name or number."""
    same = [tier for tier in tiers if tier.name == name]
    same = same or [tier for tier in tiers if tier.name.lower() == str(name).lower()]
    if not same and str(name).isdecimal() and 1 <= int(name) <= len(tiers):
        same = [tiers[int(name) - 1]]
    if len(same) != 1:
        what = f"{len(same)} tiers are named" if same else "no tier is named"
        raise source.error(
            f"{what} {name!r}; {_listed(tiers)}", remedy=f"choose with {format}(tier=1)"
        )
    return same[0]


def _listed(tiers: Sequence[Tier]) -> str:
    names = [f"{at} {tier.name!r}" for at, tier in enumerate(tiers, 1)]
    return f"there are {', '.join(names)}" if names else "there are none"


def _fullest(tiers: list[SpeakerTier], source: Source, format: str) -> list[SpeakerTier]:
    """Of several tiers with words of the same speaker, keep the one with the most words."""
    fullest: dict[tuple[str, str], SpeakerTier] = {}
    for own in sorted(tiers, key=lambda own: -len(own.tier.labels)):
        overlap = OVERLAP.search(own.tier.name)
        key = (own.speaker, overlap[0] if overlap else "")
        if key in fullest:
            logger.warning(
                "%s: tier %r is read and %r is not; another can be chosen with %s(tier='name')",
                source.name,
                fullest[key].tier.name,
                own.tier.name,
                format,
            )
        fullest.setdefault(key, own)
    return [own for own in tiers if own in fullest.values()]


def _utterances(tiers: Sequence[Tier], source: Source, format: str) -> list[SpeakerTier]:
    """Return the only tier, or tiers named after several speakers.

    Several tiers of one name that have different times count as one.
    """
    spoken = [t for t in tiers if t.labels and not t.points and role(t.name)[0] != "other"]
    spoken = [tier for tier in spoken if not tier.child] or spoken
    names = {_bare(tier.name) for tier in spoken}
    if len(names) <= 1 and not _parallel(spoken):
        return [SpeakerTier(tier, tier.participant) for tier in spoken]
    labels = [label for tier in spoken for label in tier.labels]
    running = sum(bool(_RUNNING.search(label)) for label in labels) * 2 > len(labels)
    if len(names) < len(spoken) or not running or _parallel(spoken):
        raise source.error(
            f"it is not clear which tier holds the words; {_listed(tiers)}",
            remedy=f"choose one with {format}(tier='name'), or several, or by number",
        )
    return [SpeakerTier(tier, tier.participant or _bare(tier.name)) for tier in spoken]


def _parallel(tiers: Sequence[Tier]) -> bool:
    """Whether two tiers have mostly the same times, so that one describes the other."""
    spans = [{i[:2] for i in tier.intervals if i.text.strip()} for tier in tiers]
    return any(
        len(a & b) * 2 > min(len(a), len(b)) for at, a in enumerate(spans) for b in spans[:at]
    )


def _by_time(tiers: Iterable[SpeakerTier]) -> Iterator[tuple[Interval, str]]:
    """Yield all intervals with their speakers, in the order of time."""
    pairs = [(interval, speaker) for tier, speaker in tiers for interval in tier.intervals]
    yield from sorted(pairs, key=lambda pair: (pair[0].anchor, pair[0].order))


def transcript_of_tiers(choice: Choice, source: Source, language: str = "") -> Transcript:
    """Make the transcript of the chosen tiers."""
    sentences = SentenceSpans(
        SentenceSpan(interval.start, interval.end, interval.order, speaker)
        for interval, speaker in _by_time(choice.sentences)
        if interval.text.strip()
    )
    rows = Rows()
    owners: list[object] = []
    for interval, speaker in _by_time(choice.text):
        before = len(rows)
        if interval.text in PAUSE_LABELS:
            if before and rows.cell("speaker", before - 1) == speaker:
                rows.set("pause", before - 1, interval.text)
            continue
        times = round(interval.start, 6), round(interval.end, 6)
        rows.phrase(interval.text, *times, speaker=speaker or None)
        middle = (interval.start + interval.end) / 2
        middle = middle if middle == middle else interval.anchor
        owner = (
            interval if choice.each_is_sentence else sentences.find(middle, interval.order, speaker)
        )
        owners += [owner] * (len(rows) - before)
    end_sentences(rows, owners, [""] * len(owners))
    return rows.transcript(source.stem, language)


MAX_TRIM = 0.01
"""Seconds by which an interval may overlap the next and is shortened for it."""


class NewInterval(NamedTuple):
    """An interval to be written, times in whole units; `order` is its place in the recording."""

    start: int
    end: int
    text: str
    order: float


@dataclass
class NewTier:
    """A tier to be written."""

    name: str
    speaker: str
    kind: str
    intervals: list[NewInterval] = field(default_factory=list)


class _TierBuilder:
    """Collects tiers by kind and speaker; intervals that overlap go to a further tier."""

    def __init__(self, units: int, least: int) -> None:
        self.units = units
        self.least = least
        self.trimmed = 0
        self.tiers: dict[tuple[str, str], list[NewTier]] = {}

    def add(self, kind: str, speaker: str, interval: NewInterval) -> NewInterval:
        """Add an interval; return it with the times it has in its tier."""
        tiers = self.tiers.setdefault((kind, speaker), [])
        for tier in tiers:
            if self._has_room(tier, interval.start):
                break
        else:
            tier = NewTier(_tier_name(kind, speaker, len(tiers)), speaker, kind)
            tiers.append(tier)
        start = max(interval.start, tier.intervals[-1].end if tier.intervals else 0)
        end = max(interval.end, start + self.least)
        tier.intervals.append(interval._replace(start=start, end=end))
        return tier.intervals[-1]

    def _has_room(self, tier: NewTier, start: int) -> bool:
        """Whether an interval can begin at `start`; shorten the one before it a little for that."""
        if not tier.intervals:
            return True
        before = tier.intervals[-1]
        over = before.end - start
        if over * 1_000_000 < self.units:
            return True
        if over > MAX_TRIM * self.units or start < before.start:
            return False
        tier.intervals[-1] = before._replace(end=max(start, before.start + self.least))
        self.trimmed += 1
        return True


def make_tiers(transcript: Transcript, format: str, units: int, least: int) -> list[NewTier]:
    """Make a tier of words for each speaker and, when known, of sentences.

    Times have `units` a second; `least` is the least length of an interval.
    """
    builder = _TierBuilder(units, least)
    words = list(_add_words(transcript, format, builder)) if len(transcript) else []
    if transcript.sentences is not None:
        speakers = transcript.speaker or ("",) * len(transcript)
        for first, last in transcript.sentences.sentences:
            who = {" ".join(name.split()) for name in speakers[first : last + 1]}
            end = max(word.end for word in words[first : last + 1])
            sentence = NewInterval(
                words[first].start, end, transcript[first : last + 1].text, first - 0.5
            )
            builder.add("sentences", who.pop() if len(who) == 1 else "", sentence)
    if builder.trimmed:
        logger.warning(
            "%s: shortened %s a little into the next",
            transcript.id or "a recording",
            counted(builder.trimmed, "interval that ran", "intervals that ran"),
        )
    filled = [tier for tiers in builder.tiers.values() for tier in tiers]
    return filled or [NewTier("words", "", "words")]


def _add_words(transcript: Transcript, format: str, builder: _TierBuilder) -> Iterator[NewInterval]:
    """Add the words and yield their intervals; each begins after the one before it."""
    starts, ends = filled_times(transcript, format)
    speakers = transcript.speaker or ("",) * len(transcript)
    surface = transcript.surface()
    before = -builder.least
    for i, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        begin = round(start * builder.units)
        if i == 0 or start >= starts[i - 1]:
            begin = max(begin, before + builder.least)
        text = " ".join(surface[i].split())
        text = f" {text}" if text in PAUSE_LABELS else text
        speaker = " ".join(speakers[i].split())
        word = builder.add(
            "words", speaker, NewInterval(begin, round(end * builder.units), text, i)
        )
        before = word.start
        yield word


def _tier_name(kind: str, speaker: str, further: int) -> str:
    name = f"{speaker} - {kind}" if speaker else kind
    if not further:
        return name
    return f"{name} (overlap)" if further == 1 else f"{name} (overlap {further})"
