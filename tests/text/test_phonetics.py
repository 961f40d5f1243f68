"""Phones of words, numbers read aloud, and distances of phones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core.errors import CaesuraError, UnknownName
from caesura.text import phonetics as module
from caesura.text.phonetics import PHONE_CLASSES, phone_distances, phones, read_aloud, rule_language

FRENCH = """\
bonjour bOʒur|monsieur məsjø|madame madam|femme fam|eau o|bateau bato|bordeaux bordo|renault rəno
paris pari|lyon ljO|marseille marsej|toulouse tuluz|nantes nAt|lille lil|france frAs
français frAse|président prezidA|ministre ministr|gouvernement guvernəmA|assemblée asAble
nationale nasjonal|élection eleksjO|chirac ʃirak|hollande olAd|macron makrO|sarkozy sarkozi
jospin ʒospI|peugeot pøʒo|travail travaj|fille fij|ville vil|mille mil|famille famij|soleil solej
feuille føj|montagne mOtanj|champagne ʃApanj|chien ʃjI|bien bjI|combien kObjI|loin lwI|point pwI
roi rwa|voiture vwatyr|trois trwa|maison mezO|rose roz|poisson pwasO|garçon garsO|place plas
guerre ger|guide gid|manger mAʒe|nez ne|chez ʃe|parlez parle|petit pəti|grand grA|blanc blA
long lO|temps tA|corps kor|beaucoup boku|trop tro|prix pri|deux dø|dix dis|cinq sIk|quatre katr
qui ki|quand kA|photo foto|théâtre teatr|homme om|examen egzamI|expert eksper|nuit nwi|pluie plwi
oui wi|lundi lIdi|parfum parfI|brun brI|vin vI|pain pI|faim fI|plein plI|simple sIpl|jambe ʒAb
ensemble AsAbl|nombre nObr|hiver iver|hier jer|mer mer|l'état leta|d'accord dakor
aujourd'hui oʒurdwi|européen øropeI|union ynjO|question kestjO|œuvre øvr
"""

ENGLISH = """\
kodak kodak|knock nok|knight najt|night najt|light lajt|phone fon|ship ʃip
church tʃərtʃ|bridge bridʒ|judge dʒadʒ|king kiŋ|bank baŋk|thing θiŋ|queen kwin|box boks|nation neʃən
action akʃən|wrong roŋ|lake lek|time tajm|home hom|see si|sea si|boat bot|rain ren|day de|boy boj
sister sistər|city siti|cell sel|cat kat|school skul|christmas kristmas|happy hapi|yellow jelo
"""


def listed(text: str) -> list[tuple[str, str]]:
    rows = text.strip().replace("\n", "|").split("|")
    return [(word, said) for word, said in (row.split(" ") for row in rows)]


@pytest.mark.parametrize(("word", "said"), listed(FRENCH))
def test_french_words(word: str, said: str) -> None:
    assert phones([word], "fr") == [said]
    assert phones([word.upper()], "French") == [said]


@pytest.mark.parametrize(("word", "said"), listed(ENGLISH))
def test_english_words(word: str, said: str) -> None:
    assert phones([word], "en") == [said]
    assert phones([word.capitalize()]) == [said]


@pytest.mark.parametrize(
    ("one", "other", "most"),
    [
        ("Nakamura", "knock a moura", 0.2),
        ("Kodak", "co dac", 0.0),
        ("2020", "twenty twenty", 0.0),
        ("$4.5", "four point five dollars", 0.0),
        ("3rd", "third", 0.0),
        ("Q3", "q three", 0.0),
        ("U.S.", "u s", 0.0),
        ("NBC", "n b c", 0.0),
        ("Mr.", "mister", 0.0),
        ("O'Neill", "o neil", 0.1),
        ("naïve", "naive", 0.0),
        ("田中", "田中", 0.0),
    ],
)
def test_what_sounds_alike_is_close(one: str, other: str, most: float) -> None:
    said, heard = ("".join(phones(text.split())) for text in (one, other))
    assert said
    assert phone_distances([said], [heard])[0] <= most


@pytest.mark.parametrize(
    ("one", "other"), [("Nakamura", "the"), ("IBM", "yesterday"), ("田中", "鈴木")]
)
def test_what_sounds_otherwise_is_far(one: str, other: str) -> None:
    said, heard = phones([one, other])
    assert phone_distances([said], [heard])[0] > 0.7


@pytest.mark.parametrize(
    ("word", "english"),
    [
        ("2020", "twenty twenty"),
        ("1905", "nineteen oh five"),
        ("1900", "nineteen hundred"),
        ("2005", "two thousand five"),
        ("1,234,567", "one million two hundred thirty four thousand five hundred sixty seven"),
        ("$4.50", "four point five zero dollars"),
        ("20%", "twenty percent"),
        ("21st", "twenty first"),
        ("20th", "twentieth"),
        ("007", "zero zero seven"),
        ("10-K", "ten K"),
        ("COVID-19", "COVID nineteen"),
        ("12345678901234", "one two three four five six seven eight nine zero one two three four"),
        ("٣", "three"),
        ("--", ""),
    ],
)
def test_numbers_in_english(word: str, english: str) -> None:
    assert " ".join(read_aloud(word, "en")) == english


@pytest.mark.parametrize(
    ("word", "french"),
    [
        ("71", "soixante et onze"),
        ("80", "quatre-vingt"),
        ("81", "quatre-vingt un"),
        ("99", "quatre-vingt dix-neuf"),
        ("200", "deux cent"),
        ("1995", "mille neuf cent quatre-vingt quinze"),
        ("3000000", "trois million"),
        ("1er", "premier"),
        ("4e", "quatrième"),
        ("3,5", "trois virgule cinq"),
        ("50%", "cinquante pour cent"),
        ("5€", "cinq euros"),
    ],
)
def test_numbers_in_french(word: str, french: str) -> None:
    assert " ".join(read_aloud(word, "fr")) == french


@given(st.integers(0, 10**12 - 1), st.sampled_from(["en", "fr"]))
def test_numbers_can_be_distinguished(number: int, language: str) -> None:
    said = read_aloud(f"{number:,}", language)
    assert said == read_aloud(f"{number:,}", language)
    assert said != read_aloud(f"{number + 1:,}", language)


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("fr", "fr"),
        ("fr-CA", "fr"),
        ("French (France)", "fr"),
        (" fr.UTF-8", "fr"),
        ("", "en"),
        ("xx", "en"),
    ],
)
def test_languages(language: str, code: str) -> None:
    assert rule_language(language) == code


@given(st.text(max_size=12), st.sampled_from(["en", "fr", "ja", ""]))
def test_any_text_has_phones(word: str, language: str) -> None:
    (said,) = phones([word], language)
    assert said == "".join(said.split())


def weighted(one: str, other: str) -> float:
    """Return the distance of phones and classes by the textbook recurrence."""

    def edits(a: str, b: str) -> int:
        row = list(range(len(b) + 1))
        for i, x in enumerate(a, 1):
            new = [i]
            for j, y in enumerate(b, 1):
                new.append(min(row[j] + 1, new[-1] + 1, row[j - 1] + (x != y)))
            row = new
        return row[-1]

    both = edits(one, other) + edits(one.translate(PHONE_CLASSES), other.translate(PHONE_CLASSES))
    return both / 2 / max(len(one), len(other), 1)


PHONES = st.text("pbtdkaeiəA", max_size=8)


@given(st.lists(st.tuples(PHONES, PHONES), max_size=4))
def test_distances_are_those_of_the_recurrence(pairs: list[tuple[str, str]]) -> None:
    found = phone_distances([one for one, _ in pairs], [other for _, other in pairs])
    assert np.allclose(found, [weighted(one, other) for one, other in pairs])
    assert ((found >= 0) & (found <= 1)).all()


def test_a_close_phone_costs_half() -> None:
    found = phone_distances(["pat"] * 4, ["pat", "bat", "sat", ""])
    assert found.tolist() == [0.0, 1 / 6, 1 / 3, 1.0]


def test_an_unknown_source_is_refused() -> None:
    with pytest.raises(UnknownName, match="known are letters, dictionary"):
        phones(["a"], "en", "guess")


def test_without_the_dictionary_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def absent(name: str) -> None:
        raise ImportError(name)

    module._dictionary.cache_clear()
    module._phones_by_dictionary.cache_clear()
    monkeypatch.setattr(module, "import_module", absent)
    with pytest.raises(CaesuraError, match=r"caesura\[phones\]"):
        phones(["a"], "en", "dictionary")


@pytest.mark.parametrize(
    ("language", "word", "said"),
    [
        ("en", "Microsoft", "majkrosoft"),
        ("en", "through", "θru"),
        ("en", "Zyxqua", "zikskwə"),
        ("fr", "Monsieur", "məsjø"),
        ("fr", "Renault", "rəno"),
    ],
)
def test_the_dictionary(language: str, word: str, said: str) -> None:
    pytest.importorskip(f"gruut_lang_{language}")
    assert phones([word], language, "dictionary") == [said]
