"""Language codes and names, and the hesitations (fillers) and frequent words of languages."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
    "hi": "hin hindi",
    "ne": "nep nepali",
    "bn": "ben bengali bangla",
    "pa": "pan punjabi panjabi",
    "ar": "ara arabic",
    "fa": "fas per persian farsi",
    "el": "ell gre greek",
    "zh": "zho chi cmn chinese mandarin 中文",
    "th": "tha thai",
    "lo": "lao",
    "pcm": "naija",
    "pt": "por portuguese português",
}
"""Other codes and names of the languages that are treated in a way of their own."""

CODES = {name: code for code, names in LANGUAGES.items() for name in (code, *names.split())}

FREQUENT = {
    "en": frozenset(
        "the to and that of i a you in it is we have so on this for yeah are be like but with as "
        "just what not it's or um do think was if about they know can at would our there one "
        "that's uh well all will people because more okay don't from right i'm then an some has "
        "how your get go my which going up out we're he very these when really been now could by "
        "time say want me them those other their no who also were where had".split()
    ),
    "fr": frozenset(
        "de euh le à est la et c'est les je il qui un a que vous pas en une ça y on dans pour des "
        "oui mais ce donc tout là plus alors sur très non par peu ils nous avec bon fait même ou "
        "se ai comme bien sont quand suis tu elle était va dire voilà aussi puis ben où parce ne "
        "ouais moi si cette ont du au j'ai c' l' d' j' qu' n' s'".split()
    ),
    "ja": frozenset(
        "の に は を た て が で と し も れ さ いる する ある から な い こと ない です ます や "
        "など なっ その まし この いう か だ れる よう お ため あり まで もの また これ あっ られ "
        "なる へ より なく ず だっ おり ん ら なり それ せ ば でき ませ でし ね よ".split()
    ),
    "pcm": frozenset(
        "dey go i di you na no sey for e wey am we de so be con and dat dem dis to me one don do "
        "make im of now get come my o if say your like as people see but know wetin just fit tell "
        "eh talk because take all wan put inside carry when even well una ehn ting person on how "
        "den meh dere deir sef tings naim abi oga abeg".split()
    ),
    "de": frozenset(
        "ich die und das der ist nicht ja wir es sie in so da zu dann ein eine also auch auf den "
        "mit was man habe hat haben sind aber war wie für von dass im noch jetzt mal wenn oder "
        "schon du er uns kann an hier als nur aus wird werden bei sich dem nein ganz sehr gut "
        "dieser diese gibt immer nach weil doch um mir mich machen".split()
    ),
    "es": frozenset(
        "que de la y a en el no es los un por se lo con una las para me pero como más muy esto "
        "esta está sí si su al del yo eso porque ha hay mi ya le tiene ser son nos todo bueno "
        "cuando cómo qué también he estoy aquí así entonces gracias era fue donde o te tengo "
        "nosotros todos hacer años día".split()
    ),
    "it": frozenset(
        "che di e non la il è un a per in una sono ma mi ho con si lo i come le questo da ha "
        "anche se no perché della più del cosa ci io al nel quando era gli c'è allora molto tutto "
        "ti quindi abbiamo stato poi bene sì sia ancora cui ed loro suo fare mia noi grazie "
        "essere dei nella alla".split()
    ),
    "pt": frozenset(
        "que de e o a não é eu um uma em do da para se com os no na mas por você ele isso as como "
        "está mais tem foi muito ao me bem já nós também ser são só quando então aqui sim meu ela "
        "das dos nos à eles esse essa porque estava vai gente era fazer obrigado minha".split()
    ),
    "nl": frozenset(
        "de het en een ik dat is van in niet je te we die dan maar op zijn met er voor ja ook wat "
        "ze heb hebben naar als aan om hij bij nog wel zo heeft kan dus daar was uit mijn geen "
        "over deze weer moet gaan door nu goed heel omdat want mensen veel hier ons jij doen "
        "wordt".split()
    ),
}
"""Words that are frequent in speech, for each language of a model that ships, and for some others
that would be taken for one of these.

Naija and English share many; these count for both."""

ENGLISH_TOO = frozenset("am make come see fit tell take put inside carry even person talk".split())
"""Words of Naija that are English, too, though not so frequent there."""

OWN = {
    code: known.difference(ENGLISH_TOO, *(FREQUENT[it] for it in ("en", "fr") if it != code))
    for code, known in FREQUENT.items()
}
"""The words of each list that are neither English nor French."""

OWN_SHARE = 0.02
"""The least share of a language's own words: in a mix of others, all that they share may add up."""

SHARE = 0.3
"""The least share of frequent words in speech of a language."""

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


def guess_language(words: Sequence[str]) -> str:
    """Return the code of the language whose frequent words are most of `words`.

    It is '' if no language with a list of frequent words has enough of them.
    """
    lower = [word.lower().replace("’", "'") for word in words]
    counts = {
        code: sum(map(known.__contains__, lower))
        for code, known in FREQUENT.items()
        if sum(map(OWN[code].__contains__, lower)) >= OWN_SHARE * len(lower)
    }
    best = max(counts, key=lambda code: counts[code], default="")
    return best if lower and best and counts[best] >= SHARE * len(lower) else ""


def language_name(language: str) -> str:
    """Return the English name of a language, or its code if the name is not known."""
    code = language_code(language)
    names = [name for name in LANGUAGES.get(code, "").split() if len(name) > 3]
    return names[0].capitalize() if names else code
