"""Find noted sounds (events) that are no words: `[Music]`, `(laughs)`, `<cough>`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

BRACKETS = {"[": "]", "(": ")", "<": ">", "{": "}", "［": "］", "（": "）"}
CLOSING = {closing: opening for opening, closing in BRACKETS.items()}
ROUND = "(（"
GLUED = "<{"
"""Brackets that mark an event only if they touch a word: alone they are signs."""

MAX_EVENT_WORDS = 12
"""The most words of an event: a bracket that closes later is an error."""

MAX_ROUND_WORDS = 4
"""The same for round brackets, which also hold spoken asides."""

SOUND = re.compile(
    r"laugh|applau|clap|cheer|chuckl|giggl|snicker|sigh|cough|sneez|sniff|gasp|groan|moan|grunt|"
    r"scream|shout|sob|cry|weep|yawn|breath|inhal|exhal|throat|gulp|snor|music|sing|song|whistl|"
    r"humming|beep|buzz|ring|click|knock|bang|noise|static|crosstalk|cross-talk|overlap|inaudible|"
    r"unintelligible|indistinct|indiscernible|unclear|silence|pause|foreign|rire|musique|toux|"
    r"soupir|lach|musik|husten|seufz|beifall|笑|拍手|音楽|咳"
)
"""The beginning of a word that names a sound; round brackets need one, first or last inside."""

_BARE = re.compile(r"^[\W_]+|[\W_]+$")


class WrittenText:
    """The words of a transcript with the punctuation around them."""

    def __init__(self, words: Sequence[str], opening: Sequence[str], mark: Sequence[str]) -> None:
        self.words, self.opening, self.mark = words, opening, mark

    def places(self) -> list[int]:
        """Return the words that have a bracket in or around them."""
        signs = frozenset(BRACKETS) | frozenset(CLOSING)
        found: set[int] = set()
        for column in (self.words, self.opening, self.mark):
            odd = {cell for cell in set(column) if not signs.isdisjoint(cell)}
            if odd:
                found.update(at for at, cell in enumerate(column) if cell in odd)
        return sorted(found)

    def opened(self, at: int) -> Iterator[str]:
        """Yield the brackets that open before or with a word."""
        word = self.words[at]
        yield from (char for char in self.opening[at] if char in BRACKETS)
        if word[:1] in BRACKETS and (word[0] not in GLUED or word[1:2].isalnum()):
            yield word[0]
        elif word.startswith("</"):
            yield "<"

    def closed(self, at: int) -> Iterator[str]:
        """Yield the opening brackets of those that close with or after a word."""
        word = self.words[at]
        if word[-1:] in CLOSING:
            opening = CLOSING[word[-1]]
            if opening not in GLUED or word[-2:-1].isalnum():
                yield opening
        yield from (CLOSING[char] for char in self.mark[at] if char in CLOSING)

    def events(self) -> dict[int, str]:
        """Return the words of events, each with the punctuation after the event it ends, or ''."""
        scan = EventScan(self)
        for at in self.places():
            scan.reach(at)
            for char in self.opened(at):
                scan.open(char)
            for char in self.closed(at):
                scan.close(char)
        scan.reach(len(self.words) - 1)
        gone = np.ones(len(self.words), np.bool_)
        gone[scan.kept] = False
        return dict.fromkeys(np.flatnonzero(gone).tolist(), "") | dict(scan.after)

    def is_event(self, bracket: str, inside: Sequence[int]) -> bool:
        """Whether these words in brackets were not spoken (inner events are already removed)."""
        if bracket not in ROUND or not inside:
            return True
        bare = [_BARE.sub("", self.words[at]).lower() for at in inside]
        bare = [word for word in bare if word]
        return len(bare) <= MAX_ROUND_WORDS and any(map(SOUND.match, bare[:1] + bare[-1:]))


class OpenBracket(NamedTuple):
    """An open bracket: its number, its word, and how many words were kept before."""

    number: int
    word: int
    before: int


class EventScan:
    """One pass over the words that drops events as they close, inner ones first."""

    def __init__(self, written: WrittenText) -> None:
        self.written = written
        self.kept: list[int] = []
        self.after: list[tuple[int, str]] = []
        self._at = -1
        self._number = 0
        self._open: dict[str, list[OpenBracket]] = {char: [] for char in BRACKETS}

    def reach(self, at: int) -> None:
        """Go on to a word, and keep it and all before it for now."""
        self.kept.extend(range(self._at + 1, at + 1))
        self._at = at

    def open(self, char: str) -> None:
        """Open a bracket at the word reached."""
        self._number += 1
        self._open[char].append(OpenBracket(self._number, self._at, len(self.kept) - 1))

    def close(self, char: str) -> None:
        """Close the last open bracket of a kind, and all that were opened inside it.

        A bracket of a word that was dropped counts only if that makes an event.
        """
        stack = self._open[char]
        while stack:
            first = stack[-1]
            if self._holds_event(char, first):
                return self._drop(char, first)
            if self.kept[first.before : first.before + 1] == [first.word]:
                if self.kept[-1] == self._at:
                    self._forget(first)
                return None
            stack.pop()
        return None

    def _holds_event(self, char: str, first: OpenBracket) -> bool:
        if len(self.kept) - first.before > MAX_EVENT_WORDS:
            return False
        return self.written.is_event(char, self.kept[first.before :])

    def _drop(self, char: str, first: OpenBracket) -> None:
        self._forget(first)
        del self.kept[first.before :]
        while self.after and self.after[-1][0] >= first.word:
            self.after.pop()
        surface = self.written.words[self._at] + self.written.mark[self._at]
        self.after.append((self._at, surface.rpartition(BRACKETS[char])[2]))

    def _forget(self, first: OpenBracket) -> None:
        """Remove a bracket, and those that were opened after it."""
        for stack in self._open.values():
            while stack and stack[-1].number >= first.number:
                stack.pop()
