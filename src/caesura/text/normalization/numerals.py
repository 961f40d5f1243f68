"""Numbers in digits as they are read aloud, in English and French, well enough to be compared."""

from __future__ import annotations

import re

UNITS = {
    "en": (
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen"
    ).split(),
    "fr": (
        "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze "
        "seize dix-sept dix-huit dix-neuf"
    ).split(),
}
TENS = {
    "en": "- - twenty thirty forty fifty sixty seventy eighty ninety".split(),
    "fr": "- - vingt trente quarante cinquante soixante soixante quatre-vingt quatre-vingt".split(),
}
LARGE = {
    "en": ((10**9, "billion"), (10**6, "million"), (1000, "thousand"), (100, "hundred")),
    "fr": ((10**9, "milliard"), (10**6, "million"), (1000, "mille"), (100, "cent")),
}
SIGNS = {
    "en": {"%": "percent", "$": "dollars", "€": "euros", "£": "pounds", "&": "and", "@": "at"},
    "fr": {
        "%": "pour cent",
        "$": "dollars",
        "€": "euros",
        "£": "livres",
        "&": "et",
        "@": "arobase",
    },
}
POINT = {"en": "point", "fr": "virgule"}

ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}

LONGEST = 12
"""Digits up to which a number is read as one; longer ones are read digit by digit."""

_LETTER = r"[^\s\d%$€£&@_’'.,;:!?…(){}<>/\\\[\]\"«»„“”‘+*=|~^`、。，．–—‒-]"
"""Also the signs of scripts whose vowels are no letters by their category."""

_PIECE = re.compile(
    r"(?P<number>\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:[.,](?P<part>\d+))?"
    r"(?P<ordinal>(?:st|nd|rd|th|er|ère|e|è?me|ième)(?![^\W\d_]))?"
    r"|(?P<sign>[%$€£&@])"
    rf"|(?P<word>{_LETTER}(?:{_LETTER}|[’'.](?={_LETTER}))*)"
)


def spelt(word: str, language: str = "en") -> list[str]:
    """Give the words in which a word is read aloud: letters stay, digits and signs are spelt.

    A currency before a number is read after it, where a word of size may stand between. English
    reads years in pairs. What is neither letter, digit nor known sign is not read.
    """
    language = language if language in UNITS else "en"
    said: list[str] = []
    currency = ""
    for piece in _PIECE.finditer(word):
        if piece["word"]:
            said.append(piece["word"])
        elif piece["sign"] and piece["sign"] in "$€£":
            currency = SIGNS[language][piece["sign"]]
        elif piece["sign"]:
            said.append(SIGNS[language][piece["sign"]])
        else:
            said += _number(piece, language)
    return [*said, currency] if currency else said


def _number(piece: re.Match[str], language: str) -> list[str]:
    """Read a number with its decimals and its ending."""
    digits = piece["number"]
    if len(digits.replace(",", "")) > LONGEST or (len(digits) > 1 and digits[0] == "0"):
        said = [UNITS[language][int(digit)] for digit in digits.replace(",", "")]
    elif language == "en" and _is_year(digits) and not piece["part"]:
        high, low = divmod(int(digits), 100)
        said = _cardinal(high, "en") + (
            _cardinal(low, "en") if low > 9 else ["oh", UNITS["en"][low]]
        )
        said = said if low else [*said[:-2], "hundred"]
    else:
        said = _cardinal(int(digits.replace(",", "")), language)
    if piece["part"]:
        said += [POINT[language], *(UNITS[language][int(digit)] for digit in piece["part"])]
    elif piece["ordinal"]:
        said[-1] = _ordinal(said[-1], language)
    return said


def _is_year(digits: str) -> bool:
    return digits.isdecimal() and (1100 <= int(digits) < 2000 or 2010 <= int(digits) < 2100)


def _cardinal(number: int, language: str) -> list[str]:
    for size, name in LARGE[language]:
        if number >= size:
            many, rest = divmod(number, size)
            alone = language == "fr" and many == 1 and size <= 1000
            before = [] if alone else _cardinal(many, language)
            return [*before, name, *(_cardinal(rest, language) if rest else [])]
    if number < 20:
        return [UNITS[language][number]]
    tens, unit = divmod(number, 10)
    if language == "fr" and tens in (7, 9):
        unit += 10
    link = ["et"] if language == "fr" and unit in (1, 11) and tens < 8 else []
    return [TENS[language][tens], *link, *([UNITS[language][unit]] if unit else [])]


def _ordinal(word: str, language: str) -> str:
    if language == "fr":
        return "premier" if word == "un" else word.rstrip("e") + "ième"
    return ORDINALS.get(word) or (word[:-1] + "ieth" if word[-1] == "y" else word + "th")
