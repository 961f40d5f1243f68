"""Language codes and names, and the hesitations (fillers) of each language."""

from __future__ import annotations

import re

FILLERS = {
    "en": r"u+h+m*|u+m+|e+rm+|er|h+m+|m{2,}|m+-?h+m+",
    "fr": r"e+u+h+|h+eu+|h+u+m+|h+m+|m{2,}",
    "de": r"[äö]+h+m*|eh?m|h+m+|m{2,}|m+-?h+m+",
    "nl": r"e+h+m*|u+h+m*|h+m+|m{2,}",
    "es": r"e+h+|e+m+|h+m+|m{2,}",
    "it": r"e+h+m*|h+m+|m{2,}",
    "ja": r"え[ー〜]+と?ー*|え[えっ]と[ー〜]*|あの[ー〜]+|う[ー〜]+ん*|ん[ー〜]+",
}
"""Patterns of hesitations (whole words, in any case) that are no words of their language.

`er` is a word in German, `um` in German and Portuguese: hence a list for each language."""

ANY_LANGUAGE = r"u+h+m*|h+m+|m{2,}|m+-?h+m+"
"""The pattern for languages without a list."""

LANGUAGES = {
    "en": "eng english",
    "fr": "fra fre french français",
    "de": "deu ger german deutsch",
    "nl": "nld dut dutch nederlands",
    "es": "spa spanish castilian español",
    "it": "ita italian italiano",
    "ja": "jpn japanese 日本語",
    "tr": "tur turkish türkçe",
    "az": "aze azerbaijani",
    "ur": "urd urdu",
    "mr": "mar marathi",
}
"""Other codes and names of the languages that are treated in a way of their own."""

CODES = {name: code for code, names in LANGUAGES.items() for name in (code, *names.split())}

NO_LANGUAGE = frozenset("und mul multi zxx xx auto unk unknown none".split())
"""Codes that mean an unknown language."""


def language_code(language: str) -> str:
    """Return the code of a language that is given by a code or a name; '' if unknown."""
    name = re.split(r"[\W\d_]", language.strip().lower())[0]
    return "" if name in NO_LANGUAGE else CODES.get(name, name)


def languages_differ(one: str, other: str) -> bool:
    """Whether two languages are known and differ.

    Two codes of different length, both without a list, may mean one language: then it is
    unknown whether they differ.
    """
    ours, theirs = language_code(one), language_code(other)
    listed = ours in LANGUAGES or theirs in LANGUAGES
    return bool(ours and theirs) and ours != theirs and (listed or len(ours) == len(theirs))
