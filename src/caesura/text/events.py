"""Sounds that are no words, as transcribers note them: `[Music]`, `(laughs)`, `<cough>`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

BRACKETS = {"[": "]", "(": ")", "<": ">", "{": "}", "［": "］", "（": "）"}
CLOSING = {closing: opening for opening, closing in BRACKETS.items()}
ROUND = "(（"
GLUED = "<{"
"""Brackets that mean an event only if they touch a word: alone they are signs of their own."""

STRETCH = 12
"""Words that an event has at most: a bracket that closes later is a slip."""

ASIDE = 4
"""The same for round brackets, in which speakers' asides stand as well."""

SOUND = re.compile(
    r"laugh|applau|clap|cheer|chuckl|giggl|snicker|sigh|cough|sneez|sniff|gasp|groan|moan|grunt|"
    r"scream|shout|sob|cry|weep|yawn|breath|inhal|exhal|throat|gulp|snor|music|sing|song|whistl|"
    r"humming|beep|buzz|ring|click|knock|bang|noise|static|crosstalk|cross-talk|overlap|inaudible|"
    r"unintelligible|indistinct|indiscernible|unclear|silence|pause|foreign|rire|musique|toux|"
    r"soupir|lach|musik|husten|seufz|beifall|笑|拍手|音楽|咳"
)
"""How a word begins that makes a round bracket an event; it is the first or the last inside."""

_BARE = re.compile(r"^[\W_]+|[\W_]+$")


class Written:
    """The words of a transcript with the punctuation around them."""

    def __init__(self, words: Sequence[str], opening: Sequence[str], mark: Sequence[str]) -> None:
        self.words, self.opening, self.mark = words, opening, mark

    def places(self) -> list[int]:
        """Words that have a bracket in or around them."""
        signs = frozenset(BRACKETS) | frozenset(CLOSING)
        found: set[int] = set()
        for column in (self.words, self.opening, self.mark):
            odd = {cell for cell in set(column) if not signs.isdisjoint(cell)}
            if odd:
                found.update(at for at, cell in enumerate(column) if cell in odd)
        return sorted(found)

    def opened(self, at: int) -> Iterator[str]:
        """Brackets that open before or with a word."""
        word = self.words[at]
        yield from (char for char in self.opening[at] if char in BRACKETS)
        if word[:1] in BRACKETS and (word[0] not in GLUED or word[1:2].isalnum()):
            yield word[0]
        elif word.startswith("</"):
            yield "<"

    def closed(self, at: int) -> Iterator[str]:
        """Opening brackets of those that close with or after a word."""
        word = self.words[at]
        if word[-1:] in CLOSING:
            opening = CLOSING[word[-1]]
            if opening not in GLUED or word[-2:-1].isalnum():
                yield opening
        yield from (CLOSING[char] for char in self.mark[at] if char in CLOSING)

    def stretches(self) -> Iterator[tuple[int, int, str]]:
        """First and last word of each event, and the punctuation after its closing bracket."""
        stack: list[tuple[str, int]] = []
        for at in self.places():
            stack.extend((char, at) for char in self.opened(at))
            for char in self.closed(at):
                depth = next((i for i in reversed(range(len(stack))) if stack[i][0] == char), -1)
                if depth >= 0:
                    first = stack[depth][1]
                    del stack[depth:]
                    if self.is_event(char, first, at):
                        after = (self.words[at] + self.mark[at]).rpartition(BRACKETS[char])[2]
                        yield first, at, after

    def is_event(self, bracket: str, first: int, last: int) -> bool:
        """Whether what stands in these brackets was not said."""
        inside = [_BARE.sub("", word).lower() for word in self.words[first : last + 1]]
        inside = [word for word in inside if word]
        if bracket not in ROUND:
            return last - first < STRETCH
        return len(inside) <= ASIDE and any(map(SOUND.match, inside[:1] + inside[-1:]))
