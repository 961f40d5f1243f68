"""Japanese as JUMAN, KNP and CaboCha print it."""

from pathlib import Path

import pytest

from caesura.core.errors import FormatError
from caesura.core.transcript import Span, Transcript
from caesura.formats.base import Source
from caesura.formats.linguistic.knp import Knp, Morpheme, Phrase, head_word

SAMPLES = Path(__file__).parent / "samples"


def read(text: str, name: str = "text.knp") -> list[Transcript]:
    return list(Knp().parse(Source(name, text.encode())))


def sample(name: str) -> list[Transcript]:
    return read((SAMPLES / name).read_text("utf-8"), name)


def test_words_bunsetsu_and_heads() -> None:
    harbour, yes = sample("knp.knp")
    assert (harbour.id, harbour.language) == ("harbour-01", "ja")
    assert harbour.words == ("オスロ", "港", "に", "船", "が", "着いた", "。")
    assert harbour.text == "オスロ港に船が着いた。"
    assert harbour.lemma == ("オスロ", "港", "に", "船", "が", "着く", "。")
    assert harbour.tag == ("名詞", "名詞", "助詞", "名詞", "助詞", "動詞", "特殊")
    assert harbour.subtag == ("地名", "普通名詞", "格助詞", "普通名詞", "格助詞", "", "句点")
    assert harbour.features is not None
    assert harbour.features[5] == "Type=子音動詞カ行|Form=タ形"
    assert harbour.cluster is not None
    assert harbour.cluster.tolist() == [True, False, False, True, False, True, False]
    # オスロ hangs on 港, that and 船 on 着いた, every particle on its noun
    assert harbour.head is not None
    assert harbour.head.tolist() == [1, 5, 1, 5, 3, 5, 5]
    assert harbour.relation == ("D", "D", "", "P", "", "D", "")
    assert harbour.entities == (Span(0, 1, "LOCATION"),)
    assert yes.id == "harbour-02"
    assert yes.words == ("#", "はい")
    assert yes.text == "# はい"


def test_juman_alone() -> None:
    (found,) = sample("knp-juman.juman")
    # signs that begin lines of other kinds are words where the rest of the line is a morpheme's
    assert found.words == ("港", "へ", "@", "*", "行こう")
    assert (found.head, found.cluster) == (None, None)
    assert found.sentences is not None
    assert found.sentences.gaps.tolist() == [3, 4]
    assert found.entities == (Span(0, 0, "LOCATION"),)
    assert found.features is not None
    assert found.features[4] == "Type=子音動詞カ行促音便形|Form=意志形|Mood=Imp"


def test_bunsetsu_without_basic_phrases_and_marks() -> None:
    (found,) = sample("knp-bunsetsu.knp")
    assert found.id == "knp-bunsetsu"
    assert found.head is not None
    # the compound has its head at the end; 募集 is the content word, not the verb after it
    assert found.head.tolist() == [1, -1, 1, 4, 4, 4, 4]


def test_cabocha() -> None:
    (found,) = sample("knp-lattice.cabocha")
    assert found.words == ("船", "が", "着い", "た")
    assert found.lemma == ("船", "が", "着く", "た")
    assert found.head is not None
    assert found.head.tolist() == [2, 0, 2, 2]
    assert found.features is not None
    assert found.features[2] == "Type=五段・カ行イ音便|Form=連用タ接続"
    assert found.entities == (Span(0, 0, "ARTIFACT"),)


@pytest.mark.parametrize(
    ("morphemes", "head"),
    [
        ("地域/名詞 活動/名詞 を/助詞", 1),
        ("「/特殊 お/接頭辞 茶/名詞 」/特殊 を/助詞", 2),
        ("行って/動詞 います/接尾辞", 0),
        ("の/助詞 。/特殊", 0),
        ("長期/名詞 的に/接尾辞/<文節主辞>", 1),
        ("化/名詞/<文節主辞> 市/名詞/<基本句-主辞>", 1),
    ],
)
def test_head_morphemes(morphemes: str, head: int) -> None:
    split = [f"{morpheme}//".split("/", 3)[:3] for morpheme in morphemes.split()]
    found = [Morpheme(word, tag=tag, marks=marks) for word, tag, marks in split]
    assert head_word(found, Phrase(0, len(found), None)) == head


def test_blanks_and_features() -> None:
    text = (
        "# S-ID:talk-1\n* 1D\n+ 1D\n船 船 船 名詞 6 * 0 * 0 * 0 <NE:SHIP:head>\n"
        "New\\ York New\\ York * 名詞 6 * 0 * 0 * 0 <NE:SHIP:tail>\n"
        "\\  \\  \\  特殊 1 空白 6 * 0 * 0\n"
        "* -1D\n+ -1D\n着く 着く 着く 動詞 2 * 0 子音動詞カ行 0 基本形 0 <Polite=Yes>\nEOS\n"
    )
    (found,) = read(text)
    assert found.words == ("船", "New York", "着く")
    assert found.text == "船New York 着く"
    assert found.lemma == ("船", "", "着く")
    assert found.features == ("", "", "Type=子音動詞カ行|Form=基本形|Polite=Yes")
    assert found.entities == (Span(0, 1, "SHIP"),)
    assert found.head is not None
    assert found.head.tolist() == [1, 2, 2]


def test_names_are_found_on_the_phrase_they_end_in() -> None:
    line = "{0} {0} {0} 名詞 6 普通名詞 1 * 0 * 0\n"
    text = "+ 1D\n" + line.format("京") + "+ -1D <NE:ORG:京都大>\n"
    (found,) = read(text + line.format("都") + line.format("大") + line.format("学") + "EOS\n")
    assert found.entities == (Span(0, 2, "ORG"),)
    (other,) = read(text.replace("京都大", "東大") + line.format("学") + "EOS\n")
    assert other.entities is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("港 みなと\nEOS\n", "text.knp:1: '港 みなと' is no morpheme, bunsetsu or EOS"),
        (
            "* 4D\nは は は 助詞 9 副助詞 2 * 0 * 0\nEOS\n",
            "text.knp:1: a phrase depends on phrase 4",
        ),
    ],
)
def test_errors_say_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(text)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("name", "known"),
    [("knp.knp", True), ("knp-juman.juman", True), ("knp-bunsetsu.knp", True), ("bio.bio", False)],
)
def test_recognises_juman(name: str, known: bool) -> None:
    assert Knp.recognises(Source("x", (SAMPLES / name).read_bytes())) is known
