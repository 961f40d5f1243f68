"""Split written text into words, also in scripts without blanks between words."""

from __future__ import annotations

import re
import unicodedata

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
