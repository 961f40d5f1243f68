"""Normalisation, step by step."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.core.errors import UnknownName
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import CARRIED, Span, Transcript
from caesura.testing.strategies import transcripts
from caesura.text.normalization.nonspeech import MAX_EVENT_WORDS, WrittenText
from caesura.text.normalization.steps import STEPS, Normalizer, describe, fewest_steps, normalize
from text.recorded import recorded_steps
from work import work

NOISE = st.one_of(
    st.sampled_from(
        "um Uh, er. ER hmm— so, Right. [Music] (laughs) (I think) <laugh> </s> ♪ ♪la ( ) [ ] < > "
        "[soft music] laughs) . , ?! … “ ” -- - ' & % 5% U.S. Mr. (Mr.) ¿qué? 'tis dogs' //".split()
    ),
    st.text("aB.,'’\"()[]<>♪-um ", min_size=1, max_size=5),
    st.text("e\u0301\u0323\u00e9\u00ad\u200b\u200d.", min_size=1, max_size=5),
    st.text(max_size=3),
)


@st.composite
def noisy(draw: st.DrawFn) -> Transcript:
    """Draw a transcript with words that steps change."""
    layers = draw(st.sets(st.sampled_from(CARRIED)))
    drawn = draw(transcripts(layers - {"multiwords"}))
    words = [draw(NOISE) if draw(st.booleans()) else word for word in drawn.words]
    return drawn.replace(words=tuple(words))


def said(text: str, language: str = "") -> Transcript:
    """Make a transcript as formats do: `[so,` has the opening `[` and the mark `,`."""
    pieces = [word.rpartition("_") for word in text.split()]
    surfaces = [(front, *_tail(rest)) for front, _, rest in pieces]
    opening, words, mark = zip(*surfaces, strict=True) if surfaces else ((), (), ())
    return Transcript(words, opening=opening, mark=mark, language=language)


def _tail(rest: str) -> tuple[str, str]:
    word = rest.rstrip('.,?!"]) ')
    return word, rest[len(word) :]


def bare(text: str, **layers: object) -> Transcript:
    return Transcript(tuple(text.split(" ")), **layers)  # type: ignore[arg-type]


@settings(max_examples=60)
@pytest.mark.parametrize("step", [step for step in STEPS if step != "whisper"])
@given(transcript=noisy())
def test_twice_is_once(step: str, transcript: Transcript) -> None:
    once = normalize(transcript, [step])
    assert normalize(once, [step]) == once


@settings(max_examples=60)
@given(transcript=noisy())
def test_marks_keep_the_written_text(transcript: Transcript) -> None:
    found = normalize(transcript, ["marks"])
    if len(found):
        assert found.text.rstrip() == transcript.text.rstrip()


def test_steps_are_applied_in_order_and_described() -> None:
    transcript = bare("Um, Right. (LAUGHS) uh")
    assert normalize(transcript, ["case", "punctuation", "fillers"]).words == ("right", "laughs")
    assert normalize(transcript, ["events", "fillers", "punctuation"]).words == ("Right",)
    assert normalize(transcript, []) is transcript
    assert describe(["case", "punctuation"]) == "case+punctuation"
    assert describe([]) == "none"


def test_unknown_steps_are_named() -> None:
    with pytest.raises(UnknownName) as caught:
        normalize(bare("a"), ["case", "stem"])
    assert str(caught.value) == (
        "no normalisation step is named 'stem'; "
        "known are unicode, case, dots, punctuation, marks, fillers, events, hyphens, whisper"
    )


@pytest.mark.parametrize(
    ("steps", "advice"),
    [
        ("Case", "did you mean 'case'?"),
        ("case+fillrs", "did you mean 'fillers'?"),
        ("case,dots", "steps are joined with + and nothing else, as in case+dots"),
        ("Case + fillers", "steps are joined with + and nothing else, as in case+fillers"),
        ("punctuation stem", "steps are joined with + and nothing else, as in case+dots"),
        (" ", "steps are joined with + and nothing else, as in case+dots"),
    ],
)
def test_what_was_meant_by_steps_is_guessed(steps: str, advice: str) -> None:
    with pytest.raises(UnknownName) as caught:
        describe(steps.split("+"))
    assert caught.value.remedy == advice


def test_unicode() -> None:
    given = Transcript(
        ("cafe\u0301", "co\u00adop\u200b", "\ufeff", "e\u00ad\u0301", "नि\u200dक", "ﬁ"),
        mark=("", ",", ".", "", "", ""),
        multiwords=(Span(3, 4, "e\u0301x"),),
        alternatives=(Span(0, 0, "e\u0301te\u0301 \u200b"),),
    )
    found = normalize(given, ["unicode"])
    assert found.words == ("caf\u00e9", "coop", "\u00e9", "नि\u200dक", "ﬁ")
    assert found.mark == ("", ".", "", "", "")
    assert found.multiwords == (Span(2, 3, "\u00e9x"),)
    assert found.alternatives == (Span(0, 0, "\u00e9t\u00e9"),)


def test_dots() -> None:
    found = normalize(bare("Mr. U.S. etc... so . ... 3.5"), ["dots"])
    assert found.words == ("Mr", "U.S", "etc", "so", ".", "...", "3.5")


@pytest.mark.parametrize(
    ("texts", "steps"),
    [
        (["So it is", "so IT is"], ("case",)),
        (["Mr. A - b", "mr A - b"], ("case", "dots")),
        (["a - b", "a b"], ("case", "dots", "punctuation")),
        (["caf\u00e9 - b", "cafe\u0301 b"], ("unicode", "case", "dots", "punctuation")),
        (["a b", "c d"], ("unicode", "case", "dots", "punctuation")),
        (["a b"], ("case",)),
    ],
)
def test_the_fewest_steps_are_found(texts: list[str], steps: tuple[str, ...]) -> None:
    assert fewest_steps([[bare(text) for text in texts]], Normalizer()) == steps
    groups = [[bare("x"), bare("X")], [bare(text) for text in texts]]
    assert fewest_steps(groups, Normalizer()) == steps


def test_a_normalizer_continues_where_it_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    done = recorded_steps(monkeypatch)
    text, normalizer = bare("Mr. A - b"), Normalizer()
    for steps in (("case",), ("case", "dots"), ("case", "dots"), ("case", "dots", "punctuation")):
        assert normalizer(text, steps) == normalize(bare("Mr. A - b"), steps)
    assert [step for step, given in done if given is text] == ["case"]
    done.clear()
    assert normalizer(text, ("dots",)).words == ("Mr", "A", "-", "b")
    assert normalizer(text, ()) is text
    assert [step for step, _ in done] == ["dots"]


def test_case() -> None:
    given = bare("Straße STRASSE İZMİR ΟΔΟΣ", multiwords=(Span(0, 1, "DasAuto"),))
    found = normalize(given, ["case"])
    assert found.words == ("straße", "strasse", "i̇zmi̇r", "οδος")
    assert found.multiwords == (Span(0, 1, "dasauto"),)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("well, that's “it”.", "well that's it"),
        ("U.S. Mr. (Smith) dogs' 'tis", "U.S. Mr. Smith dogs' 'tis"),
        ("5% R & D @ 9/11 $4.5 well-known", "5% R & D @ 9/11 $4.5 well-known"),
        ("a - b -- c … ' # * / `` '' d", "a b c d"),
        ("今日 、 は 。", "今日 は"),
        ("- . ,", ""),
    ],
)
def test_punctuation(text: str, words: str) -> None:
    assert normalize(bare(text), ["punctuation"]).words == tuple(words.split())


def test_punctuation_of_a_treebank() -> None:
    transcript = bare(
        "We ca n't wait , //= she said .",
        tag=("PRON", "AUX", "PART", "VERB", "PUNCT", "PUNCT", "PRON", "VERB", "PUNCT"),
        blank=np.array([1, 0, 1, 0, 1, 1, 1, 0, 1], np.bool_),
        head=np.array([3, 3, 3, 7, 3, 4, 7, 7, 7]),
        multiwords=(Span(1, 2, "can't"),),
        sentences=Segmentation.of_gaps(9, [5]),
    )
    found = normalize(transcript, ["punctuation"])
    assert found.text == "We can't wait she said"
    assert found.sentences is not None
    assert found.sentences.gaps.tolist() == [3, 5]
    assert found.head is not None
    assert found.head.tolist() == [3, 3, 3, 5, 5, 5]


def test_punctuation_takes_the_layers_away() -> None:
    found = normalize(said("so, “_yes.”"), ["punctuation"])
    assert (found.opening, found.mark) == (None, None)


def test_marks() -> None:
    found = normalize(bare("so, ( yes ) . “no”"), ["marks"])
    assert found.words == ("so", "yes", "no")
    assert found.opening == ("", "( ", "“")
    assert found.mark == (",", " ) .", "”")
    tight = bare("¿ qué ?", blank=np.array([False, False, True]))
    assert normalize(tight, ["marks"]).text == "¿qué?"
    assert normalize(bare("no marks here"), ["marks"]).mark is None


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("so uh. Then", "so. Then"),
        ("Right. Um, I", "Right. I"),
        ("so, uh. Then", "so. Then"),
        ("so, um, then", "so, then"),
        ("Um. Uh, hmm mm mhm mm-hmm erm er um- ummm go", "go"),
        ("well um? uh. now", "well? now"),
        ("the ER was full", "the ER was full"),
        ("humming umbrella her them", "humming umbrella her them"),
    ],
)
def test_fillers(text: str, left: str) -> None:
    assert normalize(said(text), ["fillers"]).text == left
    assert normalize(bare(text), ["fillers", "marks"]).text.replace(",.", ".") == left


@pytest.mark.parametrize(
    ("language", "text", "left"),
    [
        ("fr", "euh oui heu um", "oui um"),
        ("de", "äh er geht ähm um neun", "er geht um neun"),
        ("German", "er öhm kommt", "er kommt"),
        ("en-GB", "er um euh", "euh"),
        ("pt", "um dia hmm uh", "um dia"),
        ("ja", "えーと 今日 あのー は", "今日 は"),
        ("jpn", "えーと 今日", "今日"),
        ("Japanese", "えーと 今日", "今日"),
        ("eng", "er so", "so"),
        ("English", "er so", "so"),
        ("en-US", "er so", "so"),
        ("en_US", "er so", "so"),
        ("", "er so", "so"),
        ("es", "eh em sí", "sí"),
        ("spa", "eh em sí", "sí"),
        ("et", "eh em hmm jah", "eh em jah"),
        ("est", "eh em hmm jah", "eh em jah"),
        ("Estonian", "eh em hmm jah", "eh em jah"),
        ("deu", "er äh geht", "er geht"),
        ("frisian", "euh ja", "euh ja"),
    ],
)
def test_fillers_of_languages(language: str, text: str, left: str) -> None:
    assert normalize(bare(text, language=language), ["fillers"]).text == left


def test_dropped_words_leave_their_sentence_end() -> None:
    transcript = bare("so uh then", sentences=Segmentation.of_gaps(3, [1]))
    found = normalize(transcript, ["fillers"])
    assert found.sentences is not None
    assert found.sentences.gaps.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("so <laugh> then", "so then"),
        ("[_Music] hello", "hello"),
        ("so (_laughs). Then", "so. Then"),
        ("so [_laughs.] then", "so then"),
        ("one [_speaking a foreign language] two", "one two"),
        ("one [_two three", "one [two three"),
        ("one (_two [_laughs] three", "one (two three"),
        ("one [_a [_b] c] two", "one two"),
        ("he (_I think) came", "he (I think) came"),
        ("he (_the music industry) knows", "he (the music industry) knows"),
        ("he (_audience laughs) knows (_clears throat)", "he knows"),
        ("[_ " + " ".join("abcdefghijklmn") + "] end", "[ " + " ".join("abcdefghijklmn") + "] end"),
        ("♪ la ♪ lala♫ end", "la lala end"),
        ("di time < I dey > go", "di time < I dey > go"),
        ("<unk> </s> {breath} <clears throat> x", "x"),
        ("i <3 you -> all", "i <3 you -> all"),
        ("( laughs ) ok [ noise ]", "ok"),
        ("he (_laughs [_x]) left", "he left"),
        ("he (_I think [_x]). So", "he (I think). So"),
        ("he ([_laughs]). So", "he. So"),
        ("he ([_x] laughs) left", "he left"),
        ("[_ a b c d e f [_1 2 3] g h i j k] end", "end"),
    ],
)
def test_events(text: str, left: str) -> None:
    assert normalize(said(text), ["events"]).text == left


@pytest.mark.parametrize(
    ("words", "left"),
    [
        (("[a",) * 20_000 + ("b]",) * 20_000, 0),
        (("(laughs",) * 20_000 + ("laughs)",) * 20_000, 0),
        (("[a",) * 20_000, 20_000),
        (("a]",) * 20_000, 20_000),
        (("[a",) * 20_000 + ("b)",) * 20_000, 40_000),
        (("(a", "[b") * 10_000 + ("c)",) * 20_000, 40_000),
    ],
    ids=["nested", "round", "open", "closed", "of two kinds", "crossed"],
)
def test_many_brackets_are_walked_over_once(
    words: tuple[str, ...], left: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at = 0
    is_event = WrittenText.is_event

    def counted(self: WrittenText, bracket: str, inside: Sequence[int]) -> bool:
        nonlocal looked_at
        looked_at += len(inside)
        return is_event(self, bracket, inside)

    monkeypatch.setattr(WrittenText, "is_event", counted)
    assert len(normalize(Transcript(words), ["events"])) == left
    assert looked_at <= MAX_EVENT_WORDS * len(words)


def test_many_brackets_around_one_word() -> None:
    given = Transcript(("so", "x"), opening=("", "[" * 20_000), mark=("", "]" * 20_000 + "."))
    assert normalize(given, ["events"]).text == "so."


def test_the_cost_grows_with_the_number_of_words() -> None:
    words = ("So,", "um", "the", "ship", "(laughs)", "left", "the", "Harbour", "today.", "—")
    steps = ["events", "fillers", "marks", "case", "punctuation"]
    some, more = Transcript(words * 1_000), Transcript(words * 4_000)
    assert work(lambda: normalize(more, steps)) < 5 * work(lambda: normalize(some, steps))
    found = normalize(some, steps)
    assert found.words[:7] == ("so", "the", "ship", "left", "the", "harbour", "today")


@pytest.mark.parametrize(
    ("steps", "words", "alternatives"),
    [
        ("case", "um , the u.s. um", (Span(0, 1, "uh (two-fold)"), Span(2, 3, "u.s."))),
        ("dots", "Um , the U.S um", (Span(0, 1, "Uh (two-fold)"), Span(2, 3, "U.S"))),
        ("punctuation", "Um the U.S. um", (Span(0, 0, "Uh two-fold"), Span(1, 2, "U.S."))),
        ("fillers", ", the U.S.", (Span(0, 0, "(two-fold)"), Span(1, 2, "U.S."))),
        ("fillers+punctuation", "the U.S.", (Span(0, 1, "U.S."),)),
        ("hyphens", "Um , the U.S. um", (Span(0, 1, "Uh (two fold)"), Span(2, 3, "U.S."))),
    ],
    ids=["case", "dots", "punctuation", "fillers", "both", "hyphens"],
)
def test_the_words_of_alternatives_are_treated_as_words_are(
    steps: str, words: str, alternatives: tuple[Span, ...]
) -> None:
    spans = (Span(0, 1, "Uh (two-fold)"), Span(2, 3, "U.S."))
    given = Transcript(("Um", ",", "the", "U.S.", "um"), language="en", alternatives=spans)
    found = normalize(given, steps)
    assert " ".join(found.words) == words
    assert found.alternatives == alternatives
