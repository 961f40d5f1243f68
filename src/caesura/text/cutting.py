"""A transcript cut into the tokens that stand in it, the words inside them, and its sentences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from caesura import registry
from caesura.transcript import Flags, Indices, Strings, Transcript


@dataclass(frozen=True, eq=False)
class Cutting:
    """Tokens as they are written, the last token of each sentence, and the words.

    A token is one word, or a multiword token of some: `owner` is the token of each word,
    `shares` whether that is a multiword token, and `source` the index of the word in the
    transcript, -1 for punctuation that stands alone there.
    """

    tokens: Strings
    ends: Indices
    words: Strings
    owner: Indices
    shares: Flags
    source: Indices


def cutting(transcript: Transcript, split: bool = False) -> Cutting:
    """Cut a transcript into tokens.

    Where punctuation was taken off words, tokens are what stands between blanks; else, and where
    a format says what its tokens are, they are the words, or with `split` unset the multiword
    tokens that several of them form.
    """
    count = len(transcript)
    ends = (
        np.array([count - 1] if count else [], np.int64)
        if transcript.sentences is None
        else transcript.sentences.gaps
    )
    marked = transcript.opening is not None or transcript.mark is not None
    if marked and not _is_tokenised(transcript):
        return _between_blanks(transcript, ends)
    every = np.arange(count)
    shares = np.zeros(count, np.bool_)
    if split or not transcript.multiwords:
        return Cutting(transcript.words, ends, transcript.words, every, shares, every)
    first = np.ones(count, np.bool_)
    tokens = list(transcript.words)
    for span in transcript.multiwords:
        shares[span.first : span.last + 1] = True
        first[span.first + 1 : span.last + 1] = False
        tokens[span.first] = span.label or "".join(transcript.words[span.first : span.last + 1])
    owner = np.cumsum(first) - 1
    kept = np.flatnonzero(first).tolist()
    written = tuple(map(tokens.__getitem__, kept))
    return Cutting(written, owner[ends], transcript.words, owner, shares, every)


def _is_tokenised(transcript: Transcript) -> bool:
    kind = transcript.origin.format if transcript.origin else ""
    return bool(kind) and registry.find("format", kind).tokenised


def _between_blanks(transcript: Transcript, ends: Indices) -> Cutting:
    """Cut at the blanks in what is written before and after each word, not at those inside it."""
    count = len(transcript)
    opening = transcript.opening or ("",) * count
    mark = transcript.mark or ("",) * count
    tokens: list[str] = []
    place = np.zeros(count, np.int64)
    last = np.zeros(count, np.int64)
    for at, (front, word, back) in enumerate(zip(opening, transcript.words, mark, strict=True)):
        before, after = front.split(), back.split()
        if before and not front[-1].isspace():
            word = before.pop() + word
        if after and not back[0].isspace():
            word += after.pop(0)
        place[at] = len(tokens) + len(before)
        tokens += [*before, word, *after]
        last[at] = len(tokens) - 1
    every = np.arange(len(tokens))
    source = np.full(len(tokens), -1, np.int64)
    source[place] = np.arange(count)
    shares = np.zeros(len(tokens), np.bool_)
    written = tuple(tokens)
    return Cutting(written, last[ends], written, every, shares, source)
