"""Phones of words (one character each) and the distance between two strings of them.

Phones come from letter-to-sound rules for English and French, or from a dictionary. Numbers are
first written as they are read aloud (`read_aloud`), well enough to be compared.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib import import_module

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cpdist

from caesura.core.arrays import Floats
from caesura.core.errors import CaesuraError, UnknownName
from caesura.text import languages

ENGLISH = """
^kn→n ^gn→n ^pn→n ^pt→t ^ps→s ^wr→r ^x(?=[aeiouy])→z ^mcc?→mək ^who→hu ^wh→w ^rh→r ^gh→g
^sch(?=[lmnw])→ʃ
^one$→wan ^two$→tu ^the$→θə ^of$→ov ^eight→et ^use→juz ^un(?=i)→jun ^u(?=[st]i|s$)→ju ^eu→ju
^i$→aj ^my$→maj ^by$→baj ^why$→waj ^are$→ar ^was$→waz ^have$→hav ^once→wans ^through→θru
augh(?=t)→o ough(?=t)→o ough→o igh→aj eigh→e gh→
tch→tʃ chr→kr sch→sk ch→tʃ ck→k cqu→kw cc(?=[eiy])→ks cc→k sc(?=[eiy])→s c(?=[eiy])→s c→k
ssion→ʃən [ts]ion$→ʃən [ts]ions$→ʃənz [ct]ian→ʃən [ct]ious→ʃəs [ct]ial→ʃəl tion→ʃən ture$→tʃər
ssure→ʃər
dg(?=[eiy])→dʒ gg→g gu(?=[eiy])→g gue$→g g(?=[eiy])→dʒ ng$→ŋ ngs$→ŋz ng(?=[eiy])→ndʒ
ng(?![aeiouylr])→ŋ ng→ŋg n(?=[kcqx])→ŋ g→g
ph→f qu→kw que$→k q→k sh→ʃ ss→s (?<=[aeiouy])s(?=[aeiouy])→z ^is$→iz ^as$→az
(?<=[eomnlrbdgvwy])s$→z s→s
th→θ tt→t t→t wh→w x→ks zz→z z→z j→dʒ mb$→m mm→m m→m mn$→m nn→n n→n ff→f f→f ll→l l→l rr→r r→r
bb→b b→b dd→d d→d kk→k k→k pp→p p→p v→v (?<=[aeiou])h(?![aeiouy])→ h→h
(?<=[sxzhcg])es$→iz ies$→iz (?<=[a-z]{2}[bdfgklmnprtvw])es$→s (?<=[td])ed$→id (?<=[a-z]{2})ed$→d
(?<=[a-z]{2}[^aeiouy])e$→ (?<=[aeiouy][^aeiouy])e(?=ly$|ment|ness|ful|less)→
(?<=[tdnsbcp])le$→əl er$→ər ers$→ərz or$→ər ors$→ərz ar$→ər al$→əl els?$→əl on$→ən en$→ən an$→ən
ous$→əs ons$→ənz
[eiu]r(?![aeiouyr])→ər ee→i eau→o ea(?=d$|th)→e ear(?![^aeiouy])→ir ear→ər ea→i ie$→i ie→i ei→i
oo→u oa→o ai→e ay→e ey$→i ey→e oy→oj oi→oj au→o aw→o
ew→ju eu(?!m)→ju ue$→u ui→u our$→or ound→awnd out→awt ouse→aws ou→u own$→awn ow$→o ow→aw aa→a
uy→aj
a(?=tion)→e i(?=[vc]e[sd]?$)→i age$→idʒ a(?=[^aeiouywxr]e[sd]?$)→e i(?=[^aeiouywxr]e[sd]?$)→aj
o(?=[^aeiouywxr]e[sd]?$)→o u(?=[^aeiouywx]e[sd]?$)→ju
i(?=nd$|ld$)→aj u(?=[^aeiouyw][aeiouy])→u u(?=[^aeiouyw])→a ia→iə a$→ə ^a(?=[^aeiouy]{2})→a
y(?=[aeiou])→j y$→i y→i w(?=[aeiouy])→w w→ a→a e→e i→i o→o u→u
"""
"""Letter-to-sound rules, in the order in which they are tried."""

FRENCH = """
^est$→e ^et$→e ^les$→le ^des$→de ^mes$→me ^ses$→se ^ces$→se ^monsieur$→məsjø ^messieurs$→mesjø
^femme(?=s?$)→fam ^six$→sis ^dix→dis ^huit$→wit ^sept(?=$|i)→set ^vingt$→vI ^deux$→dø ^mer$→mer
^hier$→jer
^fils$→fis ^paris$→pari ^gens$→ʒA ^eu$→y ^août$→ut ^cinq$→sIk ^second→səgO
^examen→egzamI ^ex(?=[aeiouyéèêh])→egz ^exc(?=[eiéèêy])→eks
^tous$→tu ^plus$→ply ^fier$→fjer ^cher$→ʃer ^amer$→amer ^hiver$→iver ^chr→kr
^parfum→parfI ^aujourd$→oʒurd
(?<=s)tion(?!n)→tjO tionn→sjon tion(?=[aeéè])→sjon tion→sjO (?<=èr)ent$→ (?<=nn)ent$→
(?<!s)tie(?=l|n)→sje
(?<=v)ill(?=es?$)→il (?<=^l)ill→il (?<=^v)ill→il (?<=^m)ill→il (?<=qu)ill→ij (?<=tranqu)ill→il
euill→øj euil→øj ueil→øj œil→øj aill→aj eill→ej ouill→uj euill→øj ails?$→aj eils?$→ej
(?<=[aeou])ill→j
(?<=[aeou])il$→j ill→ij
eaux?$→o eau→o aux?$→o aulx$→o ault[sx]?$→o auds?$→o auts?$→o aî→e aim(?![aeiouyéèêmn])→I
ain(?![aeiouyéèên])→I
ein(?![aeiouyéèên])→I aen(?![aeiouyéèên])→A oin(?![aeiouyéèên])→wI ien(?![aeiouyéèênt])→jI
(?<=é)en(?![aeiouyn])→I
ients?$→jA yen(?![aeiouyn])→jI emm(?=ent$)→am amm→am omm→om imm→im emm(?=e)→em ^emm→Am enn→en
ann→an onn→on inn→in
(?<=[^aeiouyéèê])aient$→e aient$→e [ae]m(?=[bp])→A [ae]n(?![aeiouyéèêëâîôûnh])→A am$→am em$→em
[iy]m(?=[bp])→I [iy]n(?![aeiouyéèêëâîôûnh])→I om(?=[bp])→O om$→O on(?![aeiouyéèêëâîôûnh])→O
um(?=[bp])→I um$→om un(?![aeiouyéèêëâîôûnh])→I
œu→ø eû→ø eu→ø oû→u où→u ou(?=[aeiéèê])→w ou→u oï→oi oy(?=[aeiouéèê])→waj oî→wa oi→wa aï→ai
ay(?=[aeoué])→ej ay→e ai→e ei→e au→o
iers?$→je er$→e ers$→er ez$→e ets?$→e ect$→ekt ac?ts?$→a ée?s?$→e és$→e ies?$→i ues?$→y
(?<=[gq])ues?$→ (?<=[^aeiouy])es$→ (?<=..)e$→
ge(?=[aoâô])→ʒ gu(?=[eiéèêy])→g gni(?=[eè])→nj gn→nj gg→g g(?=[eiéèêëîy])→ʒ gt?s?$(?<=[aoun]g)→
g→g
cch→k ch→ʃ sch→ʃ cqu→k cc(?=[eiéèê])→ks cc→k ck→k sc(?=[eiéèêëîy])→s c(?=[eiéèêëîy])→s ç→s
(?<=n)cs?$→ c→k
sh→ʃ ph→f pt$→ qu→k q→k th→t tt→t ss→s (?<=[aeiouyéèêëïîôûâ])s(?=[aeiouyéèêëïîôûâh])→z rr→r ll→l
nn→n mm→m pp→p ff→f bb→b dd→d zz→dz
(?<=[aeiouyéèênrlm])[dtpxzs]+$→ (?<=[aeiou])x$→ (?<=[cflbmg])s$→ (?<=t)s$→ x→ks s→s t→t d→d p→p
b→b f→f k→k l→l m→m n→n r→r v→v z→z j→ʒ w→w h→
i(?=[aeouéèêâô])→j u(?=[iî])→w uy→wij
e(?=[^aeiouyéèêh](?:[^aeiouyéèêlrh]|$)|x|rr|ll|tt|nn|ss|ff|pp|cc)→e
(?<=[aeiouyéèên][bcdfglmnprstvzç])e(?=[bcdfgjlmnprstvzç][aeiouyéèê])→ y(?=[aeouéèê])→j y→i é→e
è→e ê→e ë→e â→a à→a î→i ï→i ô→o û→y ù→y ü→y œ→ø æ→e a→a e→ə i→i o→o u→y
"""
"""Nasal vowels are A (`an`), I (`in`, `un`) and O (`on`)."""

LETTER_NAMES = {
    "en": dict(
        zip(
            "abcdefghijklmnopqrstuvwxyz",
            "e bi si di i ef dʒi etʃ aj dʒe ke el em en o pi kju ar es ti ju vi dəblju eks waj zi"
            "".split(),
            strict=True,
        )
    ),
    "fr": dict(
        zip(
            "abcdefghijklmnopqrstuvwxyz",
            "a be se de ə ef ʒe aʃ i ʒi ka el em en o pe ky er es te y ve dubləve iks igrek zed"
            "".split(),
            strict=True,
        )
    ),
}
"""The names of letters."""

ABBREVIATIONS = {
    "en": {
        "mr": "mister",
        "mrs": "missis",
        "ms": "miz",
        "dr": "doctor",
        "jr": "junior",
        "vs": "versus",
    },
    "fr": {
        "mr": "monsieur",
        "mme": "madame",
        "mlle": "mademoiselle",
        "dr": "docteur",
        "st": "saint",
    },
}
"""Abbreviations, and how they are read."""

LETTER_BY_LETTER = re.compile("[bcdfghjklmnpqrstvwxz]{1,5}|[eou]")
"""Words that can only be read letter by letter."""

ACCENTS = re.compile(r"[\u0300-\u036f\s]")


_FIRST_LETTERS = re.compile(r"\^?(?:\(\?<.(?:\[[^]]*\]|[^])])*\))*(\[[^]]*\]|.)")
"""The first letter (or letters) of a rule, after its conditions on what stands before."""


class Rules:
    """Letter-to-sound rules, tried in order; a letter without rules is its own phone."""

    def __init__(self, text: str) -> None:
        by_letter: dict[str, list[list[str]]] = {}
        for rule in (rule.split("→") for rule in text.split()):
            match = _FIRST_LETTERS.match(rule[0])
            for letter in match[1].strip("[]") if match else "":
                by_letter.setdefault(letter, []).append(rule)
        self.rules = {
            letter: (
                re.compile("|".join(f"({letters})" for letters, _ in rules)),
                [p for _, p in rules],
            )
            for letter, rules in by_letter.items()
        }

    def __call__(self, letters: str) -> str:
        """Return the phones of a word in lower case."""
        at, phones = 0, []
        while at < len(letters):
            pattern, sounds = self.rules.get(letters[at], (None, ()))
            match = pattern.match(letters, at) if pattern else None
            phones.append(sounds[(match.lastindex or 1) - 1] if match else letters[at])
            at = match.end() if match else at + 1
        return "".join(phones)


@lru_cache(maxsize=2)
def _rules(language: str) -> Rules:
    return Rules(FRENCH if language == "fr" else ENGLISH)


def word_phones(letters: str, language: str) -> str:
    """Return the phones of a word without digits, by rules."""
    plain = unicodedata.normalize("NFC", letters.lower().replace("’", "'"))
    bare = re.sub(r"['.]", "", plain)
    dotted = "." in plain and all(len(part) == 1 for part in plain.split("."))
    if bare in ABBREVIATIONS[language]:
        bare = plain = ABBREVIATIONS[language][bare]
    elif dotted or LETTER_BY_LETTER.fullmatch(bare):
        return "".join(LETTER_NAMES[language].get(letter, letter) for letter in bare)
    if language == "fr":
        return "".join(_rules("fr")(part) for part in re.split(r"['. ]", plain))
    return _rules("en")(ACCENTS.sub("", unicodedata.normalize("NFKD", bare)))


LETTERS, DICTIONARY = SOURCES = ("letters", "dictionary")
"""The sources of phones: rules, or a dictionary with rules for words it lacks."""

PHONE_CLASSES = str.maketrans(
    "pbtdθkgfvszʃʒmnŋlrwyjaeiouəøAIO",
    "pptttkkffssssmmmllwwjaaaaaaaaaa",
)
"""Classes of similar phones, each named by one of them."""

IPA = {
    "oʊ": "o", "eɪ": "e", "aɪ": "aj", "aʊ": "aw", "ɔɪ": "oj", "d͡ʒ": "dʒ", "t͡ʃ": "tʃ", "ɚ": "ər",
    "ɲ": "nj", "ɑ̃": "A", "ɔ̃": "O", "ɛ̃": "I", "œ̃": "I", "ɪ": "i", "ʊ": "u", "ʌ": "a", "æ": "a",
    "ɑ": "a", "ɛ": "e", "ɔ": "o", "œ": "ø", "ɹ": "r", "ʁ": "r", "ɡ": "g", "ɥ": "w", "ð": "θ",
}  # fmt: skip
"""Converts phones of the dictionaries to those of the rules; all others are the same."""


def check_source(source: str) -> str:
    """Return a source of phones, or raise an error if it is unknown."""
    if source not in SOURCES:
        raise UnknownName(
            f"unknown source of phones: {source!r}", remedy=f"known are {', '.join(SOURCES)}"
        )
    return source


def rule_language(language: str) -> str:
    """Return the language whose rules are used: French, or English for all others."""
    return "fr" if languages.language_code(language) == "fr" else "en"


def phones(words: Iterable[str], language: str = "", source: str = LETTERS) -> list[str]:
    """Return the phones of each word; numbers are read aloud.

    Letters of scripts without rules are phones themselves; a word that is not spoken, such as a
    dash, has no phones.
    """
    code = rule_language(language)
    if check_source(source) == LETTERS:
        return [_phones_by_rules(word, code) for word in words]
    return [_phones_by_dictionary(word, code) for word in words]


@lru_cache(maxsize=1 << 16)
def _phones_by_rules(word: str, code: str) -> str:
    return "".join(word_phones(part, code) for part in read_aloud(word, code))


@lru_cache(maxsize=1 << 16)
def _phones_by_dictionary(word: str, code: str) -> str:
    entries = _dictionary(code)
    entries_of_parts = ((part, entries.get(part.lower())) for part in read_aloud(word, code))
    return "".join(
        _without_stress(entry) if entry else word_phones(part, code)
        for part, entry in entries_of_parts
    )


def phone_distances(ones: Sequence[str], others: Sequence[str]) -> Floats:
    """Return the distance of each pair of phone strings: 0 equal, 1 nothing shared.

    Half the edit distance of the phones plus half that of their classes, divided by the length
    of the longer string: so a similar phone costs half as much as any other.
    """
    longest = [max(len(one), len(other), 1) for one, other in zip(ones, others, strict=True)]
    edits = _edits(ones, others) + _edits(_classes(ones), _classes(others))
    return edits / (2 * np.array(longest, dtype=np.float64))


def _classes(phones: Sequence[str]) -> list[str]:
    return [each.translate(PHONE_CLASSES) for each in phones]


def _edits(ones: Sequence[str], others: Sequence[str]) -> Floats:
    return cpdist(ones, others, scorer=Levenshtein.distance, dtype=np.float64)


@lru_cache(maxsize=2)
def _dictionary(code: str) -> Mapping[str, str]:
    """Read a pronouncing dictionary: each word with its first pronunciation."""
    import sqlite3

    name = f"gruut_lang_{code}"
    try:
        folder = import_module(name).get_lang_dir()
    except ImportError as error:
        raise CaesuraError(
            f"phones from a dictionary need {name}, which is not installed",
            remedy="pip install 'caesura[phones]', or use phones='letters'",
        ) from error
    place = f"{(folder / 'lexicon.db').resolve().as_uri()}?mode=ro&immutable=1"
    asked = "SELECT word, phonemes FROM word_phonemes WHERE pron_order = 0"
    connection = sqlite3.connect(place, uri=True)
    try:
        rows = connection.execute(asked).fetchall()
    finally:
        connection.close()
    return dict(rows)


def _without_stress(entry: str) -> str:
    """Convert the phones of a dictionary entry, without stress."""
    parts = entry.replace("ˈ", "").replace("ˌ", "").split()
    return "".join(IPA.get(part, part) for part in parts)


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
DECIMAL_POINT = {"en": "point", "fr": "virgule"}

ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}

MAX_DIGITS = 12
"""Numbers with more digits are read digit by digit."""

_LETTER = r"[^\s\d%$€£&@_’'.,;:!?…(){}<>/\\\[\]\"«»„“”‘+*=|~^`、。，．–—‒-]"
"""A letter, or a vowel sign that Unicode does not class as a letter."""

_PIECE = re.compile(
    r"(?P<number>\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:[.,](?P<part>\d+))?"
    r"(?P<ordinal>(?:st|nd|rd|th|er|ère|e|è?me|ième)(?![^\W\d_]))?"
    r"|(?P<sign>[%$€£&@])"
    rf"|(?P<word>{_LETTER}(?:{_LETTER}|[’'.](?={_LETTER}))*)"
)


def read_aloud(word: str, language: str = "en") -> list[str]:
    """Return the words in which a written word is read aloud: digits and signs become words.

    A currency sign before a number is read after it. English reads years in pairs of digits.
    What is neither letter, digit nor known sign is not read.
    """
    language = language if language in UNITS else "en"
    spoken: list[str] = []
    currency = ""
    for piece in _PIECE.finditer(word):
        if piece["word"]:
            spoken.append(piece["word"])
        elif piece["sign"] and piece["sign"] in "$€£":
            currency = SIGNS[language][piece["sign"]]
        elif piece["sign"]:
            spoken.append(SIGNS[language][piece["sign"]])
        else:
            spoken += _number(piece, language)
    return [*spoken, currency] if currency else spoken


def _number(piece: re.Match[str], language: str) -> list[str]:
    """Read a number with its decimals and its ending."""
    digits = piece["number"]
    if len(digits.replace(",", "")) > MAX_DIGITS or (len(digits) > 1 and digits[0] == "0"):
        spoken = [UNITS[language][int(digit)] for digit in digits.replace(",", "")]
    elif language == "en" and _is_year(digits) and not piece["part"]:
        high, low = divmod(int(digits), 100)
        spoken = _cardinal(high, "en") + (
            _cardinal(low, "en") if low > 9 else ["oh", UNITS["en"][low]]
        )
        spoken = spoken if low else [*spoken[:-2], "hundred"]
    else:
        spoken = _cardinal(int(digits.replace(",", "")), language)
    if piece["part"]:
        spoken += [
            DECIMAL_POINT[language],
            *(UNITS[language][int(digit)] for digit in piece["part"]),
        ]
    elif piece["ordinal"]:
        spoken[-1] = _ordinal(spoken[-1], language)
    return spoken


def _is_year(digits: str) -> bool:
    return digits.isdecimal() and (1100 <= int(digits) < 2000 or 2010 <= int(digits) < 2100)


def _cardinal(number: int, language: str) -> list[str]:
    for size, name in LARGE[language]:
        if number >= size:
            count, rest = divmod(number, size)
            alone = language == "fr" and count == 1 and size <= 1000
            before = [] if alone else _cardinal(count, language)
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
