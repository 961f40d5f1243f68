"""Written words: take their punctuation off, find sentence ends by it, split text into words.

Text in scripts without blanks between words (Han, Hiragana, Katakana) is split by characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from caesura.core.arrays import Flags
from caesura.core.transcript import Transcript

END_MARKS = {
    **dict.fromkeys(".。．｡।॥።۔։᙮꘎", "."),
    **dict.fromkeys("?？؟⸮՞፧", "?"),
    **dict.fromkeys("!！՜", "!"),
    **dict.fromkeys(";；؛", ";"),
}
"""Sentence marks of many scripts and the plain mark each stands for."""

PART_OF_WORD = frozenset("%‰&@#*/\\'’‘§†‡•·")
APOSTROPHES = "'’‘"
SIGNS_ALONE = frozenset("-/|*~_♪♫♩♬")
"""Signs that are no words when they stand alone."""

LONG_DASHES = "—–―"
ELLIPSES = ("...", "…", "..")

TITLES = frozenset(
    "mr mrs ms messrs dr prof st lt sgt capt cmdr gov supt vs figs vols mme mlle".split()
)
"""Abbreviations, in any case, that are followed by a name: their dot ends no sentence."""

CAPITAL_TITLES = frozenset("Gen Sen Rep Col Maj Adm Rev Hon Pres Fig Vol Mt Nr Hr Fr Bd".split())
"""The same, but only when capitalised; otherwise they are words."""

MAY_END_SENTENCE = frozenset(
    "jr sr inc ltd corp bros dept univ assn jan feb apr aug sept oct nov dec etc bzw usw".split()
)
"""Abbreviations that may end a sentence: the next word decides."""

BEFORE_NUMBERS = frozenset("no nos p pp art ch sec".split())
"""Words whose dot ends no sentence if a number follows."""

SENTENCE_STARTERS = frozenset(
    "the a an it he she we they i you this that these those there here and but so or if when while "
    "in on at for from with to as what who why how where which is are was were do does did can "
    "could would will have has had my our your his her their its not no yes well now then also "
    "however because after before since although today please thank thanks okay le la les un une "
    "il elle nous vous ils elles je et mais der die das ein eine er sie wir ihr und aber".split()
)
"""Words that start a sentence if they are capitalised after an abbreviation."""

SPOKEN_SIGNS = frozenset("&%‰@§")
"""Signs that Unicode classes as punctuation, but that are words when they stand alone."""

BACKQUOTE = "`"
"""An opening quotation mark in treebanks, though Unicode does not class it as punctuation."""

_INITIALS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]", re.UNICODE)


MAX_LENGTH = 1000
"""Written words longer than this are left as they are."""


class WordParts(NamedTuple):
    """A written word: punctuation before it, the word, punctuation after it."""

    opening: str
    word: str
    mark: str


def _opens_word(text: str, at: int) -> bool:
    char = text[at]
    if char in LONG_DASHES or char in '"¡¿…' or text.startswith(("--", ".."), at):
        return True
    if char == "-" or char == ".":
        return at > 0 and text[at - 1] == char
    return unicodedata.category(char) in ("Ps", "Pi") and char not in PART_OF_WORD


def _closes_word(text: str, at: int) -> bool:
    char = text[at]
    if char == "-":
        doubled = text[at - 1 : at] == "-" or text[at + 1 : at + 2] == "-"
        return doubled or (at > 0 and _closes_word(text, at - 1))
    category = unicodedata.category(char)
    return (
        category in ("Po", "Pe", "Pf", "Pi", "Ps") and char not in PART_OF_WORD
    ) or char in LONG_DASHES


def is_abbreviation(word: str) -> bool:
    """Whether the dot after this word belongs to it."""
    if len(word) == 1:
        return word.lower() != word.upper() and word != "I"
    lower = word.lower()
    listed = lower in TITLES or lower in MAY_END_SENTENCE or word in CAPITAL_TITLES
    return listed or bool(_INITIALS.fullmatch(word))


def split_marks(surface: str) -> WordParts:
    """Split a written word into opening punctuation, the word, and closing punctuation.

    Joined, the parts are the same text. What belongs to the word stays: apostrophes, `%`, the
    hyphen of a cut-off word, the dots of abbreviations. Punctuation alone is all `opening`, with
    an empty word. A text of more than 1000 characters is no word, and left as it is.
    """
    if surface.isalnum() or len(surface) > MAX_LENGTH:
        return WordParts("", surface, "")
    return _split(surface)


@lru_cache(maxsize=1 << 16)
def _split(surface: str) -> WordParts:
    if SIGNS_ALONE.issuperset(surface):
        return WordParts(surface, "", "")
    first, stop = 0, len(surface)
    moved = True
    while moved and first < stop:
        before = (first, stop)
        while stop > first and _closes_word(surface, stop - 1):
            stop -= 1
        while first < stop and _opens_word(surface, first):
            first += 1
        quoted = stop - first > 2 and surface[first] in APOSTROPHES
        if quoted and surface[stop - 1] in APOSTROPHES:
            first, stop = first + 1, stop - 1
        moved = before != (first, stop)
    word, mark = surface[first:stop], surface[stop:]
    if not word:
        return WordParts(surface, "", "")
    if mark.startswith(".") and not mark.startswith("..") and is_abbreviation(word):
        word, mark = word + ".", mark[1:]
    return WordParts(surface[:first], word, mark)


def detach_marks(transcript: Transcript) -> Transcript:
    """Take glued punctuation off the words of a transcript that was made in Python.

    It goes into the layers `opening` and `mark`. A transcript that was read, or has one of these
    layers, is returned as it is; a word of punctuation alone, such as a token '.', stays a word.
    """
    known = (transcript.origin, transcript.opening, transcript.mark)
    if any(each is not None for each in known) or all(map(str.isalnum, transcript.words)):
        return transcript
    pieces = [split_marks(word) for word in transcript.words]
    if not any(piece.word and (piece.opening or piece.mark) for piece in pieces):
        return transcript
    alone = [WordParts("", word, "") for word in transcript.words]
    rows = [piece if piece.word else whole for piece, whole in zip(pieces, alone, strict=True)]
    opening, words, mark = zip(*rows, strict=True)
    return transcript.replace(words=words, opening=opening if any(opening) else None, mark=mark)


@lru_cache(maxsize=1 << 12)
def end_mark(mark: str) -> str:
    """Return the plain sentence mark (`.` `?` `!` `;`) in the punctuation after a word, or ''.

    An ellipsis is no end. Of several marks, the first one that is no dot decides.
    """
    bare = mark
    for dots in ELLIPSES:
        bare = bare.replace(dots, "")
    ends = [END_MARKS[char] for char in bare if char in END_MARKS]
    return next((plain for plain in ends if plain != "."), ends[0] if ends else "")


def is_opening(surface: str) -> bool:
    """Whether punctuation that stands alone belongs to the word after it."""
    return all(char in "¡¿" or unicodedata.category(char) in ("Ps", "Pi") for char in surface)


def sentence_ends(words: Sequence[str], marks: Sequence[str], ends: str) -> list[str]:
    """Return the sentence mark at each gap of a running text, '' where there is none.

    `ends` lists the plain marks that count. The dot of an abbreviation ends a sentence only
    before a capitalised word that often starts one.
    """
    gap_marks = []
    followers = [*words[1:], ""][: len(words)]
    for word, mark, follower in zip(words, marks, followers, strict=True):
        plain = end_mark(mark)
        if plain == "." and word.lower() in BEFORE_NUMBERS and follower[:1].isdigit():
            plain = ""
        if not plain and word.endswith(".") and _may_end(word[:-1], follower):
            plain = "."
        gap_marks.append(plain if plain in ends else "")
    return gap_marks


def without_letter_dots(words: Sequence[str], marks: Sequence[str]) -> Sequence[str]:
    """Return the marks without the dots of letters that are spelled out: I. B. M.

    The dot of the last letter stays at the end, and before a capitalised word that often starts a
    sentence.
    """
    dotted = [
        at
        for at, (word, mark) in enumerate(zip(words, marks, strict=True))
        if (mark == "." and _is_letter(word)) or (word[1:] == "." and _is_letter(word[:1]))
    ]
    if len(dotted) < 2:
        return marks
    found, known = list(marks), {*dotted}
    for at in dotted:
        last = at - 1 in known and at + 1 not in known
        follower = words[at + 1] if at + 1 < len(words) else ""
        if at + 1 in known or (last and (follower == "A" or not _may_end(words[at], follower))):
            found[at] = ""
    return found


def _is_letter(word: str) -> bool:
    return len(word) == 1 and word.lower() != word.upper()


def _may_end(word: str, follower: str) -> bool:
    if word.lower() in TITLES or word in CAPITAL_TITLES:
        return False
    return not follower or (follower[0].isupper() and follower.lower() in SENTENCE_STARTERS)


def punctuation_flags(transcript: Transcript) -> Flags:
    """Flag the words that are only punctuation."""
    table = {word: not strip_punctuation(word) for word in set(transcript.words)}
    flags = np.fromiter(map(table.__getitem__, transcript.words), np.bool_, len(transcript))
    if transcript.tag is not None and "PUNCT" in transcript.tag:
        flags |= np.array([tag == "PUNCT" for tag in transcript.tag], np.bool_)
    return flags


def strip_punctuation(word: str) -> str:
    """Remove the punctuation around a word; of punctuation alone nothing is left."""
    return split_all_marks(word).word


@lru_cache(maxsize=1 << 16)
def split_all_marks(surface: str) -> WordParts:
    """Split off punctuation until none is left; punctuation alone is all `opening`."""
    opening, word, mark = split_marks(surface)
    if not word or all(map(_is_punctuation, word)):
        return WordParts(surface, "", "")
    if word == surface:
        return WordParts("", word, "")
    inner = split_all_marks(word)
    return WordParts(opening + inner.opening, inner.word, inner.mark + mark)


def _is_punctuation(char: str) -> bool:
    if char in SPOKEN_SIGNS:
        return False
    return char == BACKQUOTE or unicodedata.category(char).startswith("P")


# Words of a text, also in scripts without blanks between them

_CHARACTERS = (
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U000323af"
)
"""Han, Hiragana and Katakana."""

_VOICING = "\u3099\u309a"
_PUNCTUATION = (
    "\u3001-\u3003\u3008-\u3020\u30fb\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
)
_OTHERS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Thai, Lao, Burmese and Khmer: no blanks between words either, but longer words."""

_CHARACTER = re.compile(f"[{_CHARACTERS}]")
_JOINED = re.compile(f"[{_CHARACTERS}{_VOICING}{_PUNCTUATION}{_OTHERS}]")
_CLOSING = "".join(
    char
    for char in map(chr, (*range(0x3000, 0x3040), 0x30FB, *range(0xFF00, 0xFF70)))
    if unicodedata.category(char) in ("Po", "Pe", "Pf")
)
_PIECE = re.compile(
    rf"\s*(?:[{_CHARACTERS}][{_VOICING}]*|[^\s{_CHARACTERS}{re.escape(_CLOSING)}]+)"
    rf"[{re.escape(_CLOSING)}]*|\s*[{re.escape(_CLOSING)}]+"
)
_WORD = re.compile(r"\s*\S+")


def is_without_blanks(text: str) -> bool:
    """Whether a text is written in Han, Hiragana or Katakana without blanks between words.

    If blanks separate the words, as in tokenised text, a word has at most two of these
    characters on average. A text of one short word counts as one word.
    """
    if text.isascii() or not _CHARACTER.search(text):
        return False
    counts = [len(_CHARACTER.findall(word)) for word in text.split()]
    return sum(counts) > 2 * sum(count > 0 for count in counts)


def split_words(text: str, characters: bool) -> list[str]:
    """Split a text into written words, each with the white space before it.

    With `characters`, each Han, Hiragana or Katakana character is a word, together with the
    punctuation after it; everything else is split at white space.
    """
    return (_PIECE if characters else _WORD).findall(text)


def written_together(before: str, after: str) -> bool:
    """Whether no blank stands between two words, by the rules of their script."""
    return bool(_JOINED.match(before[-1:]) and _JOINED.match(after[:1]))


def has_script_without_blanks(text: str) -> bool:
    """Whether a text has characters of a script without blanks between words."""
    return bool(_JOINED.search(text))
