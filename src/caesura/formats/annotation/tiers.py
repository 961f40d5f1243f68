"""Tiers of annotation, as Praat and ELAN have them: which hold words, and whose."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from caesura.core.transcript import Transcript
from caesura.formats.base import TextFormat
from caesura.formats.builder import Rows
from caesura.formats.nist.rttm import Place, Unit, Units, end_sentences
from caesura.formats.source import Source, counted
from caesura.formats.time_interpolation import filled_times

logger = logging.getLogger("caesura")

SILENCES = frozenset(
    "sp sil SIL <sil> <SIL> <sp> <p:> <p> <P> <pause> <s> </s> <eps> pau <pau> # ## {SL} {sl} "
    "[sil] <silence> silence (.) (..) (...) _ +".split()
)
"""Labels that stand for a pause."""

NAMES = {
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
"""Names that tiers go by, alone or with a speaker's name (`Ana - words`, `ort@Ana`)."""

ROLES = {name: role for role, names in NAMES.items() for name in names.split()}
OVERLAP = re.compile(r"(?<!\s)\s*\(overlap(?: \d+)?\)$")
_ANY = "|".join(sorted(map(re.escape, ROLES), key=len, reverse=True))
_SIGNS = r"[\s\-–_:@/|.(]"
_AFTER = re.compile(rf"(?P<who>.*?)(?<!{_SIGNS}){_SIGNS}++(?P<what>{_ANY})\)?", re.IGNORECASE)
_BEFORE = re.compile(rf"(?P<what>{_ANY})(?:\s*[-–_:@/|]\s*+|\s*\()(?P<who>.*?)\)?", re.IGNORECASE)
_RUNNING = re.compile(r"\S\s+\S|[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]{2}")
"""Several words, or script that has no blanks between them."""


class Interval(NamedTuple):
    """What is said from `start` to `end` (NaN where unknown).

    `anchor` is a known time to go by, `place` orders what happens at the same time.
    """

    start: float
    end: float
    text: str
    anchor: float
    place: Place


@dataclass(frozen=True)
class Tier:
    """A named row of intervals; `kind` is a type the file gives it, `child` has a parent tier."""

    name: str
    intervals: list[Interval]
    kind: str = ""
    participant: str = ""
    child: bool = False
    language: str = ""
    points: bool = False

    @property
    def labels(self) -> list[str]:
        """The labels that are something said."""
        return [i.text for i in self.intervals if i.text.strip() and i.text not in SILENCES]


class Voice(NamedTuple):
    """A tier and the speaker it belongs to."""

    tier: Tier
    speaker: str


@dataclass
class Choice:
    """Tiers that are read: whose text is said, and who tells where sentences end."""

    text: list[Voice]
    sentences: list[Voice] = field(default_factory=list)
    each: bool = False
    """Whether each interval of text is a sentence."""


@dataclass(frozen=True, repr=False)
class Tiered(TextFormat):
    """A format of tiers; `tier` names the one to read, or several, or gives their numbers."""

    tier: str | int | tuple[str | int, ...] = ""

    def __post_init__(self) -> None:
        if not all(isinstance(name, (str, int)) for name in self.wanted):
            raise ValueError(f"tier is a name or a number, or a tuple of them, not {self.tier!r}")

    @property
    def wanted(self) -> tuple[str | int, ...]:
        """The tiers that were asked for."""
        if isinstance(self.tier, tuple):
            return self.tier
        return (self.tier,) if self.tier != "" else ()


def _bare(name: str) -> str:
    """Give a name without quotes and blanks around it."""
    return name.strip(" \"'\t\r\n")


def role(name: str) -> tuple[str, str]:
    """Tell what a tier's name says it holds ('' if nothing), and of whom."""
    bare = OVERLAP.sub("", _bare(name))
    if bare.lower() in ROLES:
        return ROLES[bare.lower()], ""
    found = _AFTER.fullmatch(bare) or _BEFORE.fullmatch(bare)
    return (ROLES[found["what"].lower()], found["who"].strip()) if found else ("", bare)


def voices(tiers: Iterable[Tier], wanted: str) -> list[Voice]:
    """Give the tiers whose name or, where no name does, whose kind says they hold `wanted`."""
    filled = [tier for tier in tiers if tier.labels]
    named = [(tier, *role(tier.name)) for tier in filled]
    found = [Voice(tier, tier.participant or who) for tier, what, who in named if what == wanted]
    if found:
        return found
    return [
        Voice(tier, tier.participant or who)
        for tier, what, who in named
        if not what and role(tier.kind)[0] == wanted
    ]


def choose(
    tiers: Sequence[Tier], wanted: tuple[str | int, ...], source: Source, format: str
) -> Choice:
    """Decide which tiers are read; what cannot be told is an error that lists the tiers."""
    sentences = voices(tiers, "sentences")
    if wanted:
        picked = [_picked(tiers, name, source, format) for name in wanted]
        several = len(picked) > 1
        text = [Voice(tier, tier.participant or _bare(tier.name) * several) for tier in picked]
        own = all(any(tier is voice.tier for voice in sentences) for tier in picked)
        return Choice(text, [] if own else sentences, own)
    words = _fullest(voices(tiers, "words"), source, format)
    if words:
        return Choice(words, sentences)
    if sentences:
        return Choice(sentences, each=True)
    return Choice(voices(tiers, "text") or _utterances(tiers, source, format))


def _picked(tiers: Sequence[Tier], name: str | int, source: Source, format: str) -> Tier:
    """Give the tier of that name or number."""
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


def _fullest(found: list[Voice], source: Source, format: str) -> list[Voice]:
    """Keep, of several tiers with the same speaker's words, the one with the most of them."""
    kept: dict[tuple[str, str], Voice] = {}
    for voice in sorted(found, key=lambda voice: -len(voice.tier.labels)):
        overlap = OVERLAP.search(voice.tier.name)
        key = (voice.speaker, overlap[0] if overlap else "")
        if key in kept:
            logger.warning(
                "%s: tier %r is read and %r is not; another can be chosen with %s(tier='name')",
                source.name,
                kept[key].tier.name,
                voice.tier.name,
                format,
            )
        kept.setdefault(key, voice)
    return [voice for voice in found if voice in kept.values()]


def _utterances(tiers: Sequence[Tier], source: Source, format: str) -> list[Voice]:
    """Give the one tier there is, or those of several speakers, whose names they have.

    Several tiers of one name, at times of their own, are taken for one.
    """
    found = [t for t in tiers if t.labels and not t.points and role(t.name)[0] != "other"]
    found = [tier for tier in found if not tier.child] or found
    names = {_bare(tier.name) for tier in found}
    if len(names) <= 1 and not _parallel(found):
        return [Voice(tier, tier.participant) for tier in found]
    labels = [label for tier in found for label in tier.labels]
    running = sum(bool(_RUNNING.search(label)) for label in labels) * 2 > len(labels)
    if len(names) < len(found) or not running or _parallel(found):
        raise source.error(
            f"it cannot be told which tier holds the words; {_listed(tiers)}",
            remedy=f"choose one with {format}(tier='name'), or several, or by number",
        )
    return [Voice(tier, tier.participant or _bare(tier.name)) for tier in found]


def _parallel(tiers: Sequence[Tier]) -> bool:
    """Whether two tiers mostly have the same times, so that one is about the other."""
    spans = [{i[:2] for i in tier.intervals if i.text.strip()} for tier in tiers]
    return any(
        len(a & b) * 2 > min(len(a), len(b)) for at, a in enumerate(spans) for b in spans[:at]
    )


def spoken(voices: Iterable[Voice]) -> Iterator[tuple[Interval, str]]:
    """Give all intervals with their speakers, in order of time."""
    pairs = [(interval, voice.speaker) for voice in voices for interval in voice.tier.intervals]
    yield from sorted(pairs, key=lambda pair: (pair[0].anchor, pair[0].place))


def transcript(choice: Choice, source: Source, language: str = "") -> Transcript:
    """Make the transcript of the chosen tiers."""
    units = Units(
        Unit(interval.start, interval.end, interval.place, speaker)
        for interval, speaker in spoken(choice.sentences)
        if interval.text.strip()
    )
    rows = Rows()
    owners: list[object] = []
    for interval, speaker in spoken(choice.text):
        before = len(rows)
        if interval.text in SILENCES:
            if before and rows.cell("speaker", before - 1) == speaker:
                rows.set("pause", before - 1, interval.text)
            continue
        times = round(interval.start, 6), round(interval.end, 6)
        rows.phrase(interval.text, *times, speaker=speaker or None)
        middle = (interval.start + interval.end) / 2
        middle = middle if middle == middle else interval.anchor
        owner = interval if choice.each else units.of(middle, interval.place, speaker)
        owners += [owner] * (len(rows) - before)
    end_sentences(rows, owners, [""] * len(owners))
    return rows.transcript(source.stem, language)


TRIMMED = 0.01
"""Seconds by which an interval may run into the next and is cut short for it."""


class Piece(NamedTuple):
    """An interval, times in whole units; `order` is its place in the recording."""

    start: int
    end: int
    text: str
    order: float


@dataclass
class Placed:
    """A tier in the making."""

    name: str
    speaker: str
    kind: str
    intervals: list[Piece] = field(default_factory=list)


class _Places:
    """Tiers by what they hold and for whom; what overlaps goes to a further one."""

    def __init__(self, units: int, least: int) -> None:
        self.units = units
        self.least = least
        self.trimmed = 0
        self.tiers: dict[tuple[str, str], list[Placed]] = {}

    def put(self, kind: str, speaker: str, piece: Piece) -> Piece:
        """Place an interval; give it with the times it has there."""
        tiers = self.tiers.setdefault((kind, speaker), [])
        for tier in tiers:
            if self._makes_room(tier, piece.start):
                break
        else:
            tier = Placed(_name(kind, speaker, len(tiers)), speaker, kind)
            tiers.append(tier)
        start = max(piece.start, tier.intervals[-1].end if tier.intervals else 0)
        end = max(piece.end, start + self.least)
        tier.intervals.append(piece._replace(start=start, end=end))
        return tier.intervals[-1]

    def _makes_room(self, tier: Placed, start: int) -> bool:
        """Whether an interval can begin at `start`, the one before it being cut a little."""
        if not tier.intervals:
            return True
        before = tier.intervals[-1]
        over = before.end - start
        if over * 1_000_000 < self.units:
            return True
        if over > TRIMMED * self.units or start < before.start:
            return False
        tier.intervals[-1] = before._replace(end=max(start, before.start + self.least))
        self.trimmed += 1
        return True


def placed(transcript: Transcript, format: str, units: int, least: int) -> list[Placed]:
    """Give tiers of words for each speaker and, when known, of sentences.

    Times count `units` in a second; `least` is the length an interval has to have.
    """
    places = _Places(units, least)
    words = list(_words(transcript, format, places)) if len(transcript) else []
    if transcript.sentences is not None:
        speakers = transcript.speaker or ("",) * len(transcript)
        for first, last in transcript.sentences.sentences:
            who = {" ".join(name.split()) for name in speakers[first : last + 1]}
            end = max(word.end for word in words[first : last + 1])
            sentence = Piece(
                words[first].start, end, transcript[first : last + 1].text, first - 0.5
            )
            places.put("sentences", who.pop() if len(who) == 1 else "", sentence)
    if places.trimmed:
        logger.warning(
            "%s: cut short %s a little into the next",
            transcript.id or "a recording",
            counted(places.trimmed, "interval that ran", "intervals that ran"),
        )
    found = [tier for tiers in places.tiers.values() for tier in tiers]
    return found or [Placed("words", "", "words")]


def _words(transcript: Transcript, format: str, places: _Places) -> Iterator[Piece]:
    """Place the words, one after another; of two, the first begins first."""
    starts, ends = filled_times(transcript, format)
    speakers = transcript.speaker or ("",) * len(transcript)
    surface = transcript.surface()
    before = -places.least
    for i, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        begin = round(start * places.units)
        if i == 0 or start >= starts[i - 1]:
            begin = max(begin, before + places.least)
        text = " ".join(surface[i].split())
        text = f" {text}" if text in SILENCES else text
        speaker = " ".join(speakers[i].split())
        word = places.put("words", speaker, Piece(begin, round(end * places.units), text, i))
        before = word.start
        yield word


def _name(kind: str, speaker: str, further: int) -> str:
    name = f"{speaker} - {kind}" if speaker else kind
    if not further:
        return name
    return f"{name} (overlap)" if further == 1 else f"{name} (overlap {further})"
