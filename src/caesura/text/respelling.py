"""Steps of normalisation that make several words of one, or one of several."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

from caesura.errors import CaesuraError
from caesura.text.align import align
from caesura.text.rewriting import rewritten
from caesura.transcript import Span, Transcript

HYPHEN = re.compile(r"(?<=[^\W_])[-‐‑](?=[^\W_])")
"""A hyphen within a word; a cut-off word (`th-`) and a number below zero keep theirs."""


def hyphens(transcript: Transcript) -> Transcript:
    """Part words at their hyphens: `well-known` is `well known`.

    The first part has the start of the word, the last one its end.
    """
    table = {word: HYPHEN.sub(" ", word) for word in set(transcript.words)}
    parted = {word: parts for word, parts in table.items() if parts != word}
    words = enumerate(transcript.words)
    return rewritten(
        transcript, [Span(at, at, parted[word]) for at, word in words if word in parted]
    )


def whisper(transcript: Transcript) -> Transcript:
    """Spell words as Whisper's English normaliser does: numbers in digits, `color`, `will not`.

    It works on the running text of the recording, by the package `whisper-normalizer`; its words
    take the place of those they are aligned to, together where several became one. Punctuation
    and hesitations go. Doing it twice may change more than doing it once.
    """
    spell = _whisper()
    bare = transcript.replace(opening=None, mark=None, multiwords=None)
    surfaces = transcript.replace(blank=None, multiwords=None).surface()
    table = {surface: spell(surface).split() for surface in set(surfaces)}
    alone = [table[surface] for surface in surfaces]
    ours = [word for words in alone for word in words]
    changes = _changes(list(map(len, alone)), ours, spell("".join(surfaces)).split())
    return rewritten(bare, [c for c in changes if c.label != _said(transcript, c)])


def _said(transcript: Transcript, span: Span) -> str:
    return " ".join(transcript.words[span.first : span.last + 1])


def _changes(sizes: Sequence[int], ours: Sequence[str], theirs: Sequence[str]) -> list[Span]:
    """Give, for all words, what became of each, or of a few together.

    `ours` are the words spelt one by one, so many of each word as `sizes` has; `theirs` are those
    of the whole. A word whose spellings are all there, together, stands for itself.
    """
    place = align(ours, theirs).equal_target.tolist()
    found: list[Span] = []
    first = at = reached = 0
    for word, size in enumerate(sizes):
        here, at = place[at : at + size], at + size
        if not _settled(here):
            continue
        if here:
            if first < word:
                found.append(Span(first, word - 1, " ".join(theirs[reached : here[0]])))
                reached = here[0]
            found.append(Span(word, word, " ".join(theirs[reached : here[-1] + 1])))
            first, reached = word + 1, here[-1] + 1
        elif first == word:
            found.append(Span(word, word, ""))
            first = word + 1
    rest = " ".join(theirs[reached:])
    if first < len(sizes):
        found.append(Span(first, len(sizes) - 1, rest))
    elif found and rest:
        found[-1] = found[-1]._replace(label=f"{found[-1].label} {rest}")
    return found


def _settled(places: list[int]) -> bool:
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
