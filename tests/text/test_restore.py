"""Capitals and marks are restored where they are missing, and what was read is kept."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Span, Transcript
from caesura.testing.strategies import transcripts
from caesura.text.punctuation import split_marks
from caesura.text.restore import as_read, capitalized, differ_in_case_only, restore


def talk(text: str, labels: str = "", written: str = "", language: str = "en") -> Transcript:
    """Make a recording of written words; | ends a sentence; labels and written words by index."""
    surfaces = text.replace("|", " ").split()
    pieces = [split_marks(surface) for surface in surfaces]
    sizes = [len(part.split()) for part in text.split("|")]
    gaps = (np.cumsum(sizes) - 1).tolist()
    label = [""] * len(pieces)
    for at, mark in zip(gaps, labels, strict=False):
        label[at] = mark
    words = tuple(piece.word for piece in pieces)
    return Transcript(
        words,
        language=language,
        opening=tuple(piece.opening for piece in pieces),
        mark=tuple(piece.mark for piece in pieces),
        sentences=Segmentation(
            Segmentation.of_gaps(len(words), gaps).boundary,
            tuple(label),
            None,
            tuple(written.split()) if written else None,
        ),
    )


def shown(text: str, labels: str = "", written: str = "", language: str = "en") -> str:
    found = restore(talk(text, labels, written, language))
    return " | ".join(sentence.text for sentence in found.iter_sentences())


BARE = [
    ("so it goes | was anyone hurt | stop", ".?!", "So it goes. | Was anyone hurt? | Stop!"),
    ("so it goes | and i'm sure i'll see i", "", "So it goes. | And I'm sure I'll see I."),
    ("'tis the season | 3d prints | $4.5 more", "", "'Tis the season. | 3d prints. | $4.5 more."),
    ("iPhone sales rose | eBay too", "", "iPhone sales rose. | eBay too."),
    ("we saw mr.| at 5 p.m. | why etc.", "..?", "We saw mr. | At 5 p.m. | Why etc.?"),
]
MARKED = [
    ("He went. | was it so? | we did", "...", "He went. | Was it so? | We did."),
    ("he went… | he— | and so: | but; | well,", "", "He went… | He— | And so: | But; | Well,"),
    ("so I th- | we had--", "", "So I th- | We had--"),
    ("“we left” | he said “no” | (she too)", "", "“We left.” | He said “no”. | (She too.)"),
    ('"why" | he asked "why"', "??", '"Why?" | He asked "why"?'),
]


@pytest.mark.parametrize(("text", "labels", "expected"), [*BARE, *MARKED])
def test_sentences_get_the_capitals_and_marks_that_they_lack(
    text: str, labels: str, expected: str
) -> None:
    assert shown(text, labels) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("well we left “here” and came", "Well, we, left, “here”, and, came."),
        ("well we left; and came", "Well we left; and came."),
        ("Well we left and came!", "Well we left and came!"),
        # Some recognisers write full stops, but neither capitals nor commas.
        ("well we left and came!", "Well, we, left, and, came!"),
        ("well we l- left", "Well, we, l- left."),
    ],
)
def test_commas_stand_where_a_label_says_so_in_sentences_without_marks(
    text: str, expected: str
) -> None:
    given = talk(text)
    assert given.sentences is not None
    commas = Segmentation(given.sentences.boundary, (",",) * len(given))
    assert restore(given.replace(sentences=commas)).text == expected


def test_words_are_written_as_the_detector_says_where_the_input_has_no_case() -> None:
    names = "ann met Nato In Berlin"
    assert shown("ann met nato in berlin", written=names) == "Ann met Nato In Berlin."
    assert shown("ANN MET NATO IN BERLIN", written=names) == "Ann met Nato In Berlin."
    assert shown("ANN MET NATO IN BERLIN") == "ANN MET NATO IN BERLIN."
    assert shown("ann met Nato in berlin", written="Ann Met NATO in Berlin") == (
        "Ann met Nato in berlin."
    )
    assert shown("we met anne", written="We met Anna") == "We met anne."
    # Some recognisers write I with a capital and nothing else.
    assert shown("and I'm sure I met ann", written="and I'm sure I met Ann") == (
        "And I'm sure I met Ann."
    )


@pytest.mark.parametrize(
    ("language", "text", "labels", "expected"),
    [
        (
            "ja",
            "今日 は 晴れ | 本当 | iphone です",
            ".?.",
            "今日 は 晴れ。 | 本当？ | iphone です。",
        ),
        ("", "今日は | 晴れ", "", "今日は。 | 晴れ。"),
        ("ja", "OK", "", "OK."),
        ("zh", "我们 走", "?", "我们 走？"),
        ("hi", "मैं ठीक हूँ | क्या OK है", ".?", "मैं ठीक हूँ। | क्या OK है?"),
        ("mr", "मी ठीक आहे", "", "मी ठीक आहे."),
        ("ar", "كيف حالك | نعم", "?.", "كيف حالك؟ | نعم."),
        ("ur", "ہاں", "", "ہاں۔"),
        ("el", "τι ώρα είναι | ναι", "?.", "Τι ώρα είναι; | Ναι."),
        ("th", "สวัสดี", "", "สวัสดี"),
        ("es", "qué hora es | son las tres", "?.", "¿Qué hora es? | Son las tres."),
        ("es", "¿qué hora es", "?", "¿Qué hora es?"),
        ("ru", "google сказал", "", "Google сказал."),
        ("tr", "istanbul güzel | ışık", "", "İstanbul güzel. | Işık."),
        ("nl", "ijs is koud", "", "IJs is koud."),
        ("de", "i think so", "", "I think so."),
        ("sv", "vi bor i lund", "", "Vi bor i lund."),
        ("", "vi bor i lund", "", "Vi bor i lund."),
        ("ka", "კარგი დღე", "", "კარგი დღე."),
    ],
)
def test_marks_and_capitals_are_those_of_the_language(
    language: str, text: str, labels: str, expected: str
) -> None:
    assert shown(text, labels, language=language) == expected
    assert as_read(restore(talk(text, labels, language=language))).text == talk(text).text


def test_capitals_of_single_words() -> None:
    words = {
        "ǆ": "ǅ",
        "ß": "ß",
        "ﬁn": "ﬁn",
        "élan": "Élan",
        "X": "X",
        "": "",
        "'": "'",
        "4th": "4th",
    }
    assert {word: capitalized(word) for word in words} == words
    assert differ_in_case_only("İzmir", "izmir")
    assert differ_in_case_only("STRASSE", "straße")
    assert not differ_in_case_only("anna", "anne")


@pytest.mark.parametrize(
    ("text", "written", "expected"),
    [
        ("p.m. we left | e.g. now", "p.M. we Left e.G. now", "p.m. we Left. | e.g. now."),
        ("we u.s. people | o.k", "we U.s. people o.k", "We U.S. people. | O.K."),
        ("www.me.org is mine | me@me.org", "", "www.me.org is mine. | me@me.org."),
        ("see http://a.org now", "see http://a.Org now", "See http://a.org now."),
    ],
)
def test_abbreviations_and_addresses_have_a_case_of_their_own(
    text: str, written: str, expected: str
) -> None:
    assert shown(text, written=written) == expected


def test_abbreviations_of_a_text_in_capitals() -> None:
    written = "at 5 P.M. in the U.S. e.G."
    assert shown("AT 5 P.M. IN THE U.S. E.G.", written=written) == "At 5 p.m. in the U.S. e.g."


@pytest.mark.parametrize(
    ("language", "word", "expected"),
    [("de", "d.h.", "D.h."), ("tr", "i.ö.", "İ.ö."), ("", "o.k.", "O.K."), ("en", "u.s", "U.S")],
)
def test_letters_with_dots_are_all_capitals_in_english(
    language: str, word: str, expected: str
) -> None:
    assert capitalized(word, language) == expected


def test_events_and_signs_get_no_full_stop() -> None:
    """A recogniser's `[Music]` stands among its words, as do ♪ and emoji."""
    assert shown("so it goes | [Music] | ♪ | 🎉 | [Music] 🎉 | we went") == (
        "So it goes. | [Music] | ♪ | 🎉 | [Music] 🎉 | We went."
    )


def test_sentences_with_brackets_get_their_marks() -> None:
    given = "did you go [yesterday] | we left [laughs] | [we left the room]"
    assert (
        shown(given, "?..") == "Did you go [yesterday]? | We left [laughs]. | [We left the room.]"
    )


def test_tokens_of_punctuation_are_marks() -> None:
    tokens = Transcript(("``", "we", "left", ".", "so", ",", "they", "too"))
    labels = ("", ",", "", "", "", "", ",", "")
    ends = np.isin(np.arange(8), (3, 7))
    found = restore(tokens.replace(sentences=Segmentation(ends, labels)))
    assert found.words == ("``", "We", "left", ".", "So", ",", "they", "too")
    assert found.mark == ("",) * 7 + (".",)


def test_the_language_of_a_detector_counts_where_the_recording_has_none() -> None:
    unknown = talk("so am i", language="")
    assert restore(unknown).text == "So am i."
    assert restore(unknown, language="en").text == "So am I."
    assert restore(unknown.replace(language="fr"), language="en").text == "So am i."


def test_multiword_tokens_get_the_capital_of_their_first_word() -> None:
    for first, label, text in (("de", "du", "Du vin."), ("à", "au", "Au vin.")):
        given = Transcript(
            (first, "le", "vin"), multiwords=(Span(0, 1, label),), sentences=[(0, 2)]
        )
        found = restore(given)
        assert found.text == text
        assert as_read(found) == given


@pytest.mark.parametrize(
    ("text", "written", "expected"),
    [
        ("in the u s a now", "in the U s A now", "In the U S A now."),
        ("i b m is big", "I b m is big", "I b m is big."),
        ("i i saw a u s a", "i i saw a u S a", "I I saw A U S A."),
        ("plan b i say", "plan B i say", "Plan B I say."),
        ("a a big m and a", "a a big M and a", "A a big M and a."),
        ("So u s a", "So U s a", "So u s a."),
        ("at 8 a m or 9 p m", "at 8 a M or 9 P m", "At 8 A M or 9 P M."),
        ("at 8 a m", "at 8 A m", "At 8 a m."),
    ],
)
def test_letters_that_are_spelled_out_have_one_case(text: str, written: str, expected: str) -> None:
    assert shown(text, written=written) == expected


def test_what_is_restored_again_keeps_its_capitals() -> None:
    given = talk("ann met nato | may i come", ".?", "Ann met NATO may i come", "")
    found = restore(given, language="en")
    assert found.text == "Ann met NATO. May I come?"
    assert restore(found) == found


def test_what_was_read_is_kept_beside_what_is_shown() -> None:
    given = talk("“so it goes” | We left.", "??")
    found = restore(given)
    assert found.read == ("“so", "", "goes”", "", "")
    assert found.mark == ("", "", "?”", "", ".")
    assert as_read(found).surface() == given.surface()
    assert restore(found) == found
    assert restore(talk("We left.")).read is None
    bare = Transcript(("so",))
    assert restore(bare) is bare
    assert restore(Transcript((), sentences=[])) == Transcript((), sentences=[])


def test_words_that_were_changed_since_are_split_anew() -> None:
    changed = Transcript(("came",), read=("“went!”",))
    assert as_read(changed) == Transcript(("went",), opening=("“",), mark=("!”",))


LAYERS = ["opening", "mark", "blank", "sentences", "labels", "written", "multiwords", "language"]


@given(st.data())
def test_restoration_can_be_undone_and_needs_one_sentence_alone(data: st.DataObject) -> None:
    drawn = data.draw(transcripts(data.draw(st.sets(st.sampled_from(LAYERS))), smallest=0))
    found = restore(drawn)
    assert restore(found) == found
    assert as_read(found).surface() == drawn.surface()
    assert as_read(found).words == drawn.words
    assert [word.lower() for word in found.words] == [word.lower() for word in drawn.words]
    parts = [restore(part) for part in drawn.split_sentences()]
    assert [part.text for part in parts] == [part.text for part in found.split_sentences()]
