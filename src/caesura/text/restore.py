"""Restore capitals and marks: show sentences as they should be written.

    shown = restore(segmented)
    before = as_read(shown)

A sentence is restored from its own words alone, so that a stream shows what the whole recording
shows. What was read is kept in the layer `read`. The rules are described in docs/restoration.md.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple

from caesura.core.transcript import Span, Transcript
from caesura.text.languages import language_code
from caesura.text.punctuation import (
    APOSTROPHES,
    END_MARKS,
    LONG_DASHES,
    split_marks,
    strip_punctuation,
)

# The marks of scripts and languages

SCRIPTS: Mapping[str, Mapping[str, str]] = {
    "CJK": {".": "。", ",": "，", "?": "？", "!": "！"},
    "KANA": {".": "。", ",": "、", "?": "？", "!": "！"},
    **{name: {".": "।"} for name in ("DEVANAGARI", "BENGALI", "GURMUKHI", "ORIYA")},
    "ARABIC": {",": "،", "?": "؟", ";": "؛"},
    "GREEK": {"?": ";"},
    "ARMENIAN": {".": "։", "?": "՞", "!": "՜"},
    "ETHIOPIC": {".": "።", ",": "፣", "?": "፧"},
    "MYANMAR": {".": "။", ",": "၊"},
    "KHMER": {".": "។"},
    "TIBETAN": {".": "།", ",": ""},
    **{name: {".": "", ",": ""} for name in ("THAI", "LAO")},
}
"""The marks of scripts that have others than `.`, `,`, `?` and `!`; '' where none is written."""

LANGUAGE_MARKS: Mapping[str, Mapping[str, str]] = {
    "ja": {",": "、"},
    "ur": {".": "۔"},
    "mr": {".": "."},
}
"""Marks that a language does not share with its script."""

LANGUAGE_SCRIPTS = {
    **dict.fromkeys(("ja", "zh"), "CJK"),
    **dict.fromkeys(("hi", "mr", "ne"), "DEVANAGARI"),
    **dict.fromkeys(("ar", "fa", "ur"), "ARABIC"),
    "bn": "BENGALI",
    "pa": "GURMUKHI",
    "el": "GREEK",
    "th": "THAI",
    "lo": "LAO",
}
"""The scripts of languages whose sentences often have many Latin words."""

KANA = frozenset(("HIRAGANA", "KATAKANA", "HALFWIDTH", "KATAKANA-HIRAGANA"))

OPENING_MARKS = {"es": {"?": "¿", "!": "¡"}}
"""Marks at the beginning of a sentence, by the mark at its end."""

ENDS = (".", "?", "!", ";", "…")
"""Labels that say which mark ends a sentence; any other label is a full stop."""


@lru_cache(maxsize=1 << 12)
def _script(letter: str) -> str:
    """Return the script of a letter, the first word of its name in Unicode; '' for no letter."""
    if not letter.isalpha():
        return ""
    name = unicodedata.name(letter, "").partition(" ")[0]
    return "KANA" if name in KANA else name


def script_of(text: str, language: str = "") -> str:
    """Return the script of a text: that of its language if it is used, else the commonest."""
    if text.isascii():
        return "LATIN"
    letters = Counter(map(_script, text))
    if letters["KANA"]:
        # Japanese is written in Han too.
        letters["KANA"] += letters.pop("CJK", 0)
    own = LANGUAGE_SCRIPTS.get(language, "")
    if own == "CJK" and letters["KANA"]:
        return "KANA"
    letters[""] = 0
    return own if letters[own] else max(letters, key=letters.__getitem__) or "LATIN"


# Capitals

DOTTED_I = ("tr", "az")
"""Languages in which the capital of `i` is `İ`."""

PRONOUNS = frozenset(("i", *(f"i{a}{end}" for a in APOSTROPHES for end in "m ll ve d".split())))
"""English words that always have a capital."""


SMALL = frozenset("a.m. a.m p.m. p.m e.g. e.g i.e. i.e".split())
"""Abbreviations that have no capital anywhere."""

SPELLED = re.compile(r"(?:[^\W\d_]\.){2,}|(?:[^\W\d_]\.)+[^\W\d_]")
"""Letters with dots: in English all of them have a capital, or none."""

ENGLISH = ("", "en")
"""English, and what may be English."""

ADDRESS = re.compile(r"\S@\S|://|^www\.")
"""What addresses have in them; they stay as they are."""


def capitalized(word: str, language: str = "") -> str:
    """Return a lower-case word with a capital; any other word as it is.

    Apostrophes before the first letter are skipped. A letter without a capital of its own (`ß`)
    stays. In Turkish `i` becomes `İ`, in Dutch `ij` becomes `IJ`, in English `u.s.` becomes `U.S.`.
    `p.m.` and addresses stay.
    """
    at = len(word) - len(word.lstrip(APOSTROPHES))
    letter = word[at : at + 1]
    if has_capital(word) or not letter or word in SMALL or ADDRESS.search(word):
        return word
    if language in ENGLISH and SPELLED.fullmatch(word):
        return word.upper()
    if language in DOTTED_I and letter == "i":
        return f"{word[:at]}İ{word[at + 1 :]}"
    if language == "nl" and word.startswith("ij", at):
        return f"{word[:at]}IJ{word[at + 2 :]}"
    capital = letter.title()
    its_own = capital.lower() == letter or letter == "ı"
    return word[:at] + capital + word[at + 1 :] if its_own else word


def has_capital(word: str) -> bool:
    """Whether a word has an upper-case letter."""
    return word != word.lower()


def differ_in_case_only(one: str, other: str) -> bool:
    """Whether two words are equal but for their case."""
    return one == other or _folded(one) == _folded(other)


def _folded(word: str) -> str:
    # The two letters i of Turkish, which casefold() takes for others.
    return word.casefold().replace("i̇", "i").replace("ı", "i")


def has_case(words: Sequence[str]) -> bool:
    """Whether words have letters of both cases; if not, their case says nothing.

    Neither do words of one letter, nor I'm: some recognisers write capitals there alone.
    """
    longer = (word for word in words if len(word) > 1 and word.lower() not in PRONOUNS)
    text = "".join(longer)
    return text != text.lower() and text != text.upper()


# Restoration


class Written(NamedTuple):
    """Words as they are written: columns of what stands before a word, the word, its marks."""

    opening: list[str]
    words: list[str]
    mark: list[str]

    @classmethod
    def of(cls, transcript: Transcript) -> Written:
        """Take the columns of a transcript."""
        none = ("",) * len(transcript)
        columns = (transcript.opening or none, transcript.words, transcript.mark or none)
        return cls(*map(list, columns))

    def changed_into(self, shown: Written) -> list[str]:
        """Return each word that is shown in another way, with what stands before and after it."""
        now = zip(*shown, strict=True)
        pairs = zip(zip(*self, strict=True), now, strict=True)
        return ["" if old == new else "".join(old) for old, new in pairs]


def restore(transcript: Transcript, language: str = "") -> Transcript:
    """Return a transcript whose sentences have capitals and marks where they had none.

    The labels of its sentences say which marks are missing, and their `written` words which
    capitals. `language` is that of a recording that does not say its own. A transcript without
    sentences is returned as it is.
    """
    found = transcript.sentences
    if found is None:
        return transcript
    before = as_read(transcript)
    written = found.written
    if written is None and transcript.read is not None:
        # It was restored before: its words still say which of them have capitals.
        written = transcript.words
    code = language_code(before.language) or language_code(language)
    labels = found.label or ("",) * len(before)
    texts, shown = Written.of(before), Written([], [], [])
    for first, last in found.sentences:
        inside = slice(first, last + 1)
        opening, words, mark = (column[inside] for column in texts)
        script = script_of("".join(words), code)
        marked = _with_marks(Written(opening, words, mark), labels[inside], script, code)
        cased = _with_capitals(words, written and written[inside], script, code)
        for column, cells in zip(shown, marked._replace(words=cased), strict=True):
            column += cells
    read = texts.changed_into(shown)
    spans = _with_first_letters(before.multiwords, texts.words, shown.words)
    return before.replace(
        **_columns(shown),
        multiwords=spans,
        read=tuple(read) if any(read) else None,
        sentences=replace(found, written=None),
    )


def as_read(transcript: Transcript) -> Transcript:
    """Return a transcript as it was read, before capitals and marks were restored."""
    if transcript.read is None:
        return transcript
    shown, texts = Written.of(transcript), Written([], [], [])
    for opening, word, mark, surface in zip(*shown, transcript.read, strict=True):
        parts = _split_as(surface, opening, word) if surface else (opening, word, mark)
        for column, cell in zip(texts, parts, strict=True):
            column.append(cell)
    spans = _with_first_letters(transcript.multiwords, shown.words, texts.words)
    return transcript.replace(**_columns(texts), multiwords=spans, read=None)


def _columns(texts: Written) -> dict[str, Any]:
    """Return the layers of written words; those without any cell are not known."""
    opening, words, mark = map(tuple, texts)
    return {
        "words": words,
        "opening": opening if any(opening) else None,
        "mark": mark if any(mark) else None,
    }


def _split_as(surface: str, opening: str, word: str) -> tuple[str, str, str]:
    """Split what was read into its parts; the first two are shown now as `opening` and `word`."""
    for front in (opening, opening.rstrip("¿¡")):
        rest = surface.removeprefix(front)
        for length in (len(word), *range(len(rest) + 1)):
            if front + rest == surface and differ_in_case_only(rest[:length], word):
                return front, rest[:length], rest[length:]
    return split_marks(surface)


def _with_first_letters(
    spans: tuple[Span, ...] | None, old: Sequence[str], new: Sequence[str]
) -> tuple[Span, ...] | None:
    """Give multiword tokens a capital, or take it, if their first word has got or lost one."""
    return spans and tuple(
        span
        if has_capital(old[span.first]) == has_capital(new[span.first])
        else span._replace(
            label=capitalized(span.label)
            if has_capital(new[span.first])
            else span.label[:1].lower() + span.label[1:]
        )
        for span in spans
    )


def _with_capitals(
    words: list[str], written: Sequence[str] | None, script: str, language: str
) -> list[str]:
    """Return the words of a sentence with capitals."""
    words = list(words)
    is_told = written is not None and not has_case(words)
    if written is not None and is_told:
        pairs = zip(written, words, strict=True)
        words = [_told(new, word, language) for new, word in pairs]
    if language == "en" and not PRONOUNS.isdisjoint(words):
        words = [capitalized(word) if word in PRONOUNS else word for word in words]
    if language == "en" and is_told:
        words = _with_spelled_letters(words)
    at = next((at for at, word in enumerate(words) if strip_punctuation(word)), -1)
    if at >= 0 and (script == "LATIN" or _is_cased("".join(words), script)):
        words[at] = capitalized(words[at], language)
    return words


def _told(new: str, word: str, language: str) -> str:
    """Return a word as a detector writes it, if it may be written so."""
    if word.lower() in SMALL:
        return word.lower()
    if new == word or ADDRESS.search(word) or not differ_in_case_only(new, word):
        return word
    return word.upper() if language in ENGLISH and SPELLED.fullmatch(word) else new


WORDS_OF_ONE_LETTER = frozenset("aio")
"""Letters that are English words, too."""


def _with_spelled_letters(words: list[str]) -> list[str]:
    """Write English letters that are spelled out in one case.

    Two letters in a row are spelled out if neither is a word, and three if one of them is not.
    They have capitals if at least half of those that are no words have: u s a, i b m. `a m` has
    the case that its second letter has.
    """
    found: list[str] = []
    for single, run in groupby(words, lambda word: len(word) == 1 and word.isalpha()):
        letters = list(run)
        others = [one for one in letters if one.lower() not in WORDS_OF_ONE_LETTER]
        is_time = [one.lower() for one in letters] == ["a", "m"]
        is_spelled = len(letters) > 1 and others and len(others) >= min(2, 4 - len(letters))
        if single and (is_spelled or is_time):
            upper = 2 * sum(map(str.isupper, others)) >= len(others)
            letters = [one.upper() if upper else one.lower() for one in letters]
        found += letters
    return found


def _is_cased(text: str, script: str) -> bool:
    """Whether the letters of a script in a text have capitals."""
    return any(char.title() != char.lower() for char in text if _script(char) == script)


def _with_marks(texts: Written, labels: Sequence[str], script: str, language: str) -> Written:
    """Return the words of a sentence with its missing commas and the mark at its end."""
    opening, words, mark = texts
    own = {**SCRIPTS.get(script, {}), **LANGUAGE_MARKS.get(language, {})}
    # Who wrote marks in a sentence wrote its commas too, but for recognisers that write full stops
    # and no capitals.
    marked = list(map(_has_mark, words, mark))
    if words[0][:1].islower():
        del marked[-1]
    if "," in labels[:-1] and not any(marked):
        for at in [at for at, label in enumerate(labels[:-1]) if label == ","]:
            mark[at] += "" if _is_cut_off(words[at]) else own.get(",", ",")
    label = labels[-1] if labels[-1] in ENDS else "."
    dotted = label == "." and words[-1].endswith(".")
    if (
        not dotted
        and not _is_event(texts)
        and not _is_cut_off(words[-1])
        and not _has_mark(words[-1], mark[-1])
    ):
        end = own.get(label, label)
        # A sentence that is quoted as a whole, or in brackets, has its mark inside.
        mark[-1] = end + mark[-1] if any(map(_encloses, opening[0])) else mark[-1] + end
        begin = OPENING_MARKS.get(language, {}).get(label, "")
        if not any(begin in text for text in opening):
            opening[0] += begin
    return Written(opening, words, mark)


MOST_EVENT_WORDS = 3
"""Words in brackets that are more are a sentence."""


def _is_event(texts: Written) -> bool:
    """Whether a sentence is an event such as [Music], or has nothing but signs."""
    said = [at for at, word in enumerate(texts.words) if any(map(str.isalnum, word))]
    if not said:
        return True
    in_brackets = "[" in texts.opening[said[0]] and "]" in texts.mark[said[-1]]
    return in_brackets and len(said) <= MOST_EVENT_WORDS


def _has_mark(word: str, mark: str) -> bool:
    """Whether a word has a mark besides closing quotation marks and brackets, or is one."""
    is_mark = bool(word) and not strip_punctuation(word)
    glued = END_MARKS.get(word[-1:], ".") != "."
    return is_mark or glued or not all(map(_encloses, mark.replace(" ", "")))


def _is_cut_off(word: str) -> bool:
    return word.endswith(("-", *LONG_DASHES))


def _encloses(char: str) -> bool:
    return char in "\"'" or unicodedata.category(char) in ("Ps", "Pe", "Pi", "Pf")
