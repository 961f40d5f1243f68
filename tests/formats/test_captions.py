"""How captions are laid out: conventions, laws, and an oracle for the best breaks."""

import io
import math
import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core import registry
from caesura.core.arrays import Floats, Indices
from caesura.core.errors import OutputError, UnknownName
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.formats.captions import line_breaks
from caesura.formats.captions.line_breaks import (
    BreakOptimizer,
    Captions,
    Cues,
    Limit,
    Pieces,
    break_costs,
    make_pieces,
)
from caesura.formats.captions.srt import Srt
from caesura.testing.strategies import transcripts
from caesura.text import display_width
from caesura.text.punctuation import split_marks


def said(text: str, pace: float = 0.3, pauses: dict[int, float] | None = None) -> Transcript:
    """Words of `pace` seconds without pauses but for those named; `|` ends a sentence."""
    sentences = [part.split() for part in text.split("|")]
    tokens = [split_marks(token) for sentence in sentences for token in sentence]
    lasts = np.cumsum([len(sentence) for sentence in sentences]) - 1
    silence = np.zeros(len(tokens))
    for word, seconds in (pauses or {}).items():
        silence[word] = seconds
    end = np.cumsum(pace + silence) - silence
    return Transcript(
        words=tuple(token.word for token in tokens),
        mark=tuple(token.mark for token in tokens),
        start=end - pace,
        end=end,
        sentences=Segmentation.of_gaps(len(tokens), lasts.tolist()),
    )


def texts(transcript: Transcript, **settings: float) -> list[str]:
    return Srt(**settings).cues(transcript).text  # type: ignore[arg-type]


def columns(line: str) -> int:
    return sum(map(display_width.char_width, line))


def test_each_sentence_is_a_cue_with_its_times() -> None:
    cues = Srt().cues(said("The harbour was quiet. | Nobody answered the phone.", 0.5))
    assert cues.text == ["The harbour was quiet.", "Nobody answered the phone."]
    assert cues.start.tolist() == [0, 2000]
    assert cues.end.tolist() == [2000, 4000]
    assert cues.speaker == ["", ""]


def test_text_without_sentences_is_broken_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    talk = said("We left early. | " + "and then we went on and on " * 5).replace(id="talk")
    texts(talk)
    texts(said("We left early.").replace(sentences=None))
    assert not caplog.messages
    texts(talk.replace(sentences=None))
    (message,) = caplog.messages
    assert message.startswith("talk: no sentences are known, so cues break the running text")
    assert "caesura segment" in message


def test_times_are_written_in_hours_minutes_seconds_and_milliseconds() -> None:
    start, end = np.array([0, 3_599_999]), np.array([3_600_000, 359_999_999])
    assert Cues(start, end, ["a", "b"], ["", ""]).timestamps(",") == (
        ["00:00:00,000", "00:59:59,999"],
        ["01:00:00,000", "99:59:59,999"],
    )


def test_a_long_line_breaks_after_punctuation_if_the_lines_stay_about_even() -> None:
    assert texts(said("When the boats were tied up, nobody in the whole harbour was awake.")) == [
        "When the boats were tied up,\nnobody in the whole harbour was awake."
    ]
    assert texts(said("Yes, the boats were tied up before we came to the harbour.")) == [
        "Yes, the boats were tied up\nbefore we came to the harbour."
    ]


def test_lines_are_no_wider_than_asked_for_and_few() -> None:
    sentence = said("one two three four five six seven eight nine ten eleven twelve twenty.", 0.2)
    assert texts(sentence, characters=37) == [
        "one two three four five six seven\neight nine ten eleven twelve twenty."
    ]
    assert texts(sentence, characters=37, lines=1) == [
        "one two three four five six seven",
        "eight nine ten eleven twelve twenty.",
    ]
    assert all(len(cue) <= 20 for cue in texts(sentence, characters=20, lines=1))


def test_few_lines_come_before_breaks_at_pauses() -> None:
    slow = said("one two three four five.", 0.3, {1: 2.4, 3: 2.4})
    assert texts(slow, characters=20, lines=3) == ["one two\nthree four five."]


def test_blanks_count_but_not_at_the_end_of_a_line() -> None:
    assert texts(said("12345 1234567890."), characters=17) == ["12345 1234567890."]
    assert texts(said("12345 1234567890."), characters=16) == ["12345\n1234567890."]


def test_a_long_sentence_breaks_at_a_pause() -> None:
    words = "so the first boat left the old harbour before anybody had seen it go away and then "
    words += "the second one came back to us in the night."
    cut = texts(said(words, 0.2, {14: 0.6}))
    assert [" ".join(cue.split()) for cue in cut] == [
        "so the first boat left the old harbour before anybody had seen it go away",
        "and then the second one came back to us in the night.",
    ]


def test_no_cue_is_a_single_word_if_that_can_be_helped() -> None:
    for count in range(12, 60):
        cut = texts(said(" ".join(["harbour"] * count) + "."))
        assert all(len(cue.split()) > 2 for cue in cut), cut


def test_a_cue_lasts_no_longer_than_asked_for() -> None:
    slow = said("We waited for a very long time there.", 1.5)
    cues = Srt(longest=5).cues(slow)
    assert cues.text == ["We waited", "for a very", "long time there."]
    assert (cues.end - cues.start).tolist() == [3000, 4500, 4500]
    held = said("Gooooal!", 20.0)
    assert (Srt().cues(held).end - Srt().cues(held).start).tolist() == [7000]


def test_a_short_cue_stays_until_it_can_be_read_or_the_next_one_comes() -> None:
    cues = Srt(merge=0).cues(said("No. | Never. | Not once.", 0.2, {0: 3.0, 1: 0.3}))
    assert cues.start.tolist() == [0, 3200, 3700]
    assert cues.end.tolist() == [1000, 3700, 4700]


def test_very_short_sentences_share_a_cue_with_a_close_neighbour() -> None:
    answer = said("No. | Never. | I have not been there in all my life.", 0.3, {0: 0.2, 1: 2.0})
    assert texts(answer) == ["No. Never.", "I have not been there in all my life."]
    assert texts(answer, merge=0) == ["No.", "Never.", "I have not been there in all my life."]
    assert texts(answer, shortest=0) == texts(answer, merge=0)
    two = answer.replace(speaker=("a", *["b"] * 10))
    assert texts(two)[0] == "No."
    assert texts(answer.replace(speaker=("a",) * 11)) == texts(answer)


def test_a_sentence_is_short_below_shortest_and_close_below_merge() -> None:
    answer = said("No way. | Never have I been there.", 0.5, {1: 0.5})
    one, two = ["No way. Never have I been there."], ["No way.", "Never have I been there."]
    assert texts(answer, shortest=1.001, merge=0.501) == one
    assert texts(answer, shortest=1.0, merge=0.501) == two
    assert texts(answer, shortest=1.001, merge=0.5) == two


def test_short_sentences_share_a_cue_as_long_as_they_fit() -> None:
    yes = said("Yes. | Yes. | Yes. | Yes. | Yes.")
    assert texts(yes, characters=10, lines=1) == ["Yes. Yes.", "Yes. Yes.", "Yes."]
    assert texts(yes, characters=14, lines=1) == ["Yes. Yes. Yes.", "Yes. Yes."]
    assert texts(yes, shortest=0.9, longest=0.9) == ["Yes. Yes. Yes.", "Yes. Yes."]
    assert texts(yes) == ["Yes. Yes. Yes. Yes. Yes."]
    assert texts(yes.replace(speaker=tuple("aabba"))) == ["Yes. Yes.", "Yes. Yes.", "Yes."]
    middle = said("We have been there. | No. | Not at all today.", 0.3, {3: 1.0})
    assert texts(middle) == ["We have been there.", "No. Not at all today."]


def test_a_cue_lasts_until_its_last_word_is_over() -> None:
    at_once = said("Well, well").replace(start=np.array([0.0, 1.0]), end=np.array([3.0, 2.5]))
    cues = Srt().cues(at_once)
    assert (cues.start.tolist(), cues.end.tolist()) == ([0], [3000])


def test_a_change_of_speaker_ends_a_cue() -> None:
    cues = Srt().cues(said("Are you sure I am").replace(speaker=("A", "A", "A", "B", "B")))
    assert cues.text == ["Are you sure", "I am"]
    assert cues.speaker == ["A", "B"]


def test_a_word_wider_than_a_line_is_cut() -> None:
    address = "https://example.org/" + "abcdefghij" * 9
    lines = "\n".join(texts(said(f"See {address} now", 1.0))).split("\n")
    assert [len(line) for line in lines] == [3, 42, 42, 30]
    assert "".join(lines) == f"See{address} now"


def test_wide_characters_take_two_columns_and_marks_none() -> None:
    word = "昨日は雨でしたが、今日は晴れています。明日はまた雨が降るでしょう。"
    alone = Transcript((word,), start=np.array([0.0]), end=np.array([6.0]))
    assert texts(alone) == ["昨日は雨でしたが、今日は晴れています。\n明日はまた雨が降るでしょう。"]
    assert columns("e\u0301") == 1


def test_words_of_scripts_without_blanks_stay_with_their_marks() -> None:
    tokens = ["私", "は", "本", "を", "読み", "まし", "た", "。", "「", "はい", "」", "と", "答え"]
    count = len(tokens)
    japanese = Transcript(
        tuple(tokens),
        blank=np.zeros(count, np.bool_),
        start=np.arange(count) / 10,
        end=np.arange(1, count + 1) / 10,
    )
    for characters in range(8, 20):
        for line in "\n".join(texts(japanese, characters=characters)).split("\n"):
            assert line[0] not in "。」"
            assert line[-1] != "「"


def test_words_that_are_written_together_stay_together() -> None:
    tokens = ("I", "do", "n't", "know", "what", "you", "'re", "doing")
    glued = Transcript(
        tokens,
        blank=np.array([True, False, True, True, True, False, True, True]),
        start=np.arange(8.0),
        end=np.arange(8.0) + 1,
    )
    for characters in range(8, 20):
        shown = " ".join("\n".join(texts(glued, characters=characters)).split())
        assert shown == "I don't know what you're doing"


def test_without_sentences_all_is_one_that_breaks_at_final_marks_first() -> None:
    spoken = said(
        "It rained all day long in the harbour. Nobody was out there but old Dr. Lee, I think."
    )
    whole = spoken.replace(sentences=None)
    assert texts(whole, longest=5) == [
        "It rained all day long in the harbour.",
        "Nobody was out there but\nold Dr. Lee, I think.",
    ]


def test_a_word_that_seems_to_last_for_years_does_not_spoil_the_other_breaks() -> None:
    words = "and the boats had been tied up since Tuesday but nobody had seen them leave " * 3
    rest = said(words)
    assert rest.start is not None
    assert rest.end is not None
    years = 9e8
    whole = said("Oh " + words).replace(
        start=np.append(0, rest.start + years), end=np.append(years, rest.end + years)
    )
    assert len(texts(rest)) == 3
    assert texts(whole) == ["Oh", *texts(rest)]


def test_the_size_of_batches_changes_no_break(monkeypatch: pytest.MonkeyPatch) -> None:
    spoken = said(" | ".join(" ".join(["harbour", "a", "sea"] * count) for count in range(12, 24)))
    found = texts(spoken)
    monkeypatch.setattr(line_breaks, "BATCH_CELLS", 40)
    assert texts(spoken) == found


def test_a_sentence_of_very_many_words_is_cut_first() -> None:
    cues = Srt().cues(said(" ".join(["harbour", "boat", "sea"] * 700)))
    assert " ".join(" ".join(cues.text).split()) == " ".join(["harbour", "boat", "sea"] * 700)
    assert min(len(cue.split()) for cue in cues.text) > 3


@pytest.mark.parametrize(
    ("count", "cheap", "ends"),
    [
        (300, {}, [299]),
        (301, {}, [150, 300]),
        (1000, {299: 0.1}, [299, 450, 601, 752, 999]),
        (1000, {149: 0.1, 300: 0.1}, [150, 301, 452, 603, 754, 999]),
        (320, {243: 0.1}, [243, 319]),
        (320, {244: 0.1}, [150, 319]),
    ],
)
def test_very_long_sentences_are_cut_where_a_break_costs_least(
    count: int, cheap: dict[int, float], ends: list[int]
) -> None:
    sentence = said("a " * count)
    cost = np.full(count, 0.25)
    cost[list(cheap)] = list(cheap.values())
    layout = line_breaks._Layout(pieces_of(sentence), cost, Srt())
    found = layout._cut_very_long(line_breaks._sentence_ends(sentence))
    assert np.flatnonzero(found).tolist() == ends


def pieces_of(transcript: Transcript, columns: int = 42, ends: Sequence[int] = ()) -> Pieces:
    """The pieces of a text; none goes on after the words `ends`."""
    end = np.zeros(len(transcript), np.bool_)
    end[list(ends)] = True
    return make_pieces(transcript, end, columns, "srt")


def table(pieces: Pieces) -> list[tuple[str, int, int, int]]:
    """Text, start, end and last word of each piece."""
    bounds = zip(pieces.left.tolist(), pieces.right.tolist(), strict=True)
    shown = [pieces.text[left:right] for left, right in bounds]
    columns = (pieces.start.tolist(), pieces.end.tolist(), pieces.word.tolist())
    return list(zip(shown, *columns, strict=True))


def test_words_written_together_are_one_piece_unless_a_sentence_ends_between() -> None:
    tokens = Transcript(
        ("I", "do", "n't", "know"),
        blank=np.array([True, False, True, True]),
        start=np.arange(4.0),
        end=np.arange(4.0) + 0.9,
    )
    assert table(pieces_of(tokens)) == [
        ("I", 0, 900, 0),
        ("don't", 1000, 2900, 2),
        ("know", 3000, 3900, 3),
    ]
    assert table(pieces_of(tokens, ends=[1])) == [
        ("I", 0, 900, 0),
        ("do", 1000, 1900, 1),
        ("n't", 2000, 2900, 2),
        ("know", 3000, 3900, 3),
    ]


def test_pieces_of_scripts_without_blanks_keep_their_marks() -> None:
    tokens = Transcript(
        ("私は", "。", "「", "はい", "」", "と"),
        blank=np.zeros(6, np.bool_),
        start=np.arange(6.0),
        end=np.arange(6.0) + 1,
    )
    assert table(pieces_of(tokens)) == [
        ("私は。", 0, 2000, 1),
        ("「はい」", 2000, 5000, 4),
        ("と", 5000, 6000, 5),
    ]
    assert [row[0] for row in table(pieces_of(said("雨 昨日"), columns=4))] == ["雨", "昨日"]


def test_words_without_text_have_no_width() -> None:
    spoken = Transcript(
        ("a", "", "", "b"),
        blank=np.array([True, True, False, True]),
        start=np.arange(4.0),
        end=np.arange(4.0) + 1,
    )
    assert table(pieces_of(spoken)) == [
        ("a", 0, 1000, 0),
        ("", 1000, 2000, 1),
        ("b", 2000, 4000, 3),
    ]


def test_no_time_is_later_than_is_believed() -> None:
    late = said("one two").replace(start=np.array([0.0, 3e9]), end=np.array([1.0, 4e9]))
    assert table(pieces_of(late)) == [("one", 0, 1000, 0), ("two", 10**12, 10**12, 1)]


def test_parts_of_a_wide_word_share_its_time() -> None:
    spoken = Transcript(
        ("a", "harbour", "go", "downtown"),
        start=np.array([0.0, 1.0, 3.5, 4.0]),
        end=np.array([1.0, 3.0, 4.0, 6.0]),
    )
    pieces = pieces_of(spoken, columns=4)
    assert table(pieces) == [
        ("a", 0, 1000, 0),
        ("harb", 1000, 2142, 1),
        ("our", 2142, 3000, 1),
        ("go", 3500, 4000, 2),
        ("down", 4000, 5000, 3),
        ("town", 5000, 6000, 3),
    ]
    assert pieces.pauses().tolist() == [0, 0, 500, 0, 0]
    after = pieces.after_words(np.array([True, True, False, True]))
    assert after.tolist() == [True, False, True, False, False, True]
    # columns: a 0-1, harb 2-6, our 6-9, go 10-12, down 13-17, town 17-21
    assert pieces.reach(4).tolist() == [1, 2, 3, 4, 5, 6]
    assert pieces.reach(6).tolist() == [2, 2, 4, 4, 5, 6]
    assert pieces.reach(2).tolist() == [1, 2, 3, 4, 5, 6]


def test_the_cost_of_a_break_depends_on_marks_and_pauses() -> None:
    marked = said('He said: Stop!" (twice) to Dr. Lee, 9:5 left." now')
    expected = [0.25, 0.05, 0.0, 0.25, 0.25, 0.5, 0.05, 0.25, 0.0, 0.25]
    assert break_costs(pieces_of(marked), marked.mark) == pytest.approx(expected)
    expected[8] = 0.5
    assert break_costs(pieces_of(marked), None) == pytest.approx(expected)
    named = Transcript(("Yahoo!", "now"), mark=("", ""), start=np.zeros(2), end=np.zeros(2))
    assert break_costs(pieces_of(named), named.mark).tolist() == [0.0, 0.25]
    for token, cost in (('"', 0.25), ("?", 0.0)):
        blank = np.array([True, False])
        tokens = Transcript((token, "go."), blank=blank, start=np.zeros(2), end=np.zeros(2))
        assert break_costs(pieces_of(tokens), None).tolist() == [cost, 0.5]
    silent = said("one two, three four five six", 0.3, {0: 0.25, 1: 0.25, 2: 0.5, 3: 1.5, 4: 9.0})
    expected = [0.15, 0.03, 0.05, -0.45, -0.95, 0.25]
    assert break_costs(pieces_of(silent), silent.mark) == pytest.approx(expected)


def test_a_break_inside_a_word_costs_most_unless_its_script_has_no_blanks() -> None:
    latin = said("a harbour go")
    assert break_costs(pieces_of(latin, columns=4), latin.mark).tolist() == [0.25, 2.0, 0.25, 0.25]
    wide = said("雨が、 降る")
    pieces = pieces_of(wide, columns=2)
    assert [row[0] for row in table(pieces)] == ["雨", "が", "、", "降", "る"]
    assert break_costs(pieces, wide.mark).tolist() == [0.25, 2.0, 0.05, 0.25, 0.25]


def test_words_without_times_are_shown_between_their_neighbours() -> None:
    spoken = said("It was 60 | or 70 of them.", 1.0)
    start, end = np.array(spoken.start), np.array(spoken.end)
    start[[2, 3, 4]] = end[[2, 3, 4]] = np.nan
    cues = Srt().cues(spoken.replace(start=start, end=end))
    assert cues.text == ["It was 60", "or 70 of them."]
    assert cues.start.tolist() == [0, 3000]


def test_no_times_at_all_is_an_error() -> None:
    with pytest.raises(OutputError, match="has no times, and srt needs them"):
        texts(Transcript(("hello",)))


def test_nothing_to_show_gives_no_cue() -> None:
    zero = np.zeros(2)
    assert texts(Transcript(())) == []
    assert texts(Transcript(("", ""), start=zero, end=zero, blank=zero > 0)) == []
    blank = Srt().cues(Transcript(("\n", " "), start=zero, end=zero))
    assert (blank.start.tolist(), blank.end.tolist(), blank.text) == ([], [], [])


def test_line_ends_inside_words_become_blanks() -> None:
    odd = Transcript(("a\n\nb", "c\u2028d\x00e"), start=np.arange(2.0), end=np.arange(2.0) + 1)
    assert texts(odd) == ["a  b c d e"]


def test_cues_of_the_same_time_share_it() -> None:
    same = said("One. | Two. | Three. | Four.", 1.0).replace(
        start=np.array([1.0, 1.0, 1.0, 9.0]), end=np.array([4.0, 4.0, 4.0, 10.0])
    )
    cues = Srt(merge=0).cues(same)
    assert cues.start.tolist() == [1000, 2000, 3000, 9000]
    assert cues.end.tolist() == [2000, 3000, 4000, 10000]


def test_cues_of_the_same_time_make_room_for_the_next() -> None:
    same = said("One. | Two. | Three. | Four. | Five. | Six. | Seven.").replace(
        start=np.array([0.001, 0.001, 0.4, 0.4, 5.0, 5.0, 5.0]),
        end=np.array([3.0, 3.0, 0.6, 0.6, 5.2, 5.3, 5.4]),
    )
    cues = Srt(merge=0).cues(same)
    assert cues.start.tolist() == [1, 200, 400, 1400, 5000, 6000, 7000]
    assert cues.end.tolist() == [200, 400, 1400, 2400, 6000, 7000, 8000]


def test_of_two_people_who_begin_at_once_the_first_is_shown_first() -> None:
    words = [f"{who}{at}" for who in "ab" for at in range(30)]
    times = np.tile(np.arange(30.0), 2)
    both = said(" | ".join(words)).replace(
        start=times, end=times + 1, speaker=("a",) * 30 + ("b",) * 30
    )
    assert texts(both) == [f"{who}{at}" for at in range(30) for who in "ab"]


def test_cues_of_people_who_talk_at_once_are_in_the_order_of_time() -> None:
    at_once = said("I was going to say this | Well", 1.0).replace(
        start=np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 2.5]),
        end=np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 3.5]),
        speaker=("A",) * 6 + ("B",),
    )
    cues = Srt().cues(at_once)
    assert cues.speaker == ["A", "B"]
    assert cues.start.tolist() == [0, 2500]
    assert cues.end.tolist() == [2500, 3500]


@pytest.mark.parametrize(
    "text",
    """srt(lines=0) srt(characters=0) srt(characters=3.5) srt(lines='two') srt(merge='x')
    vtt(shortest=8) vtt(longest=0,shortest=0) vtt(longest=1e999) ttml(merge=-1)""".split(),
)
def test_invalid_settings_are_refused(text: str) -> None:
    with pytest.raises(UnknownName):
        registry.parse("format", text)


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"lines": 11}, "lines is a whole number from 1 to 10, not 11"),
        ({"characters": 1001}, "characters is a whole number from 1 to 1000, not 1001"),
        (
            {"shortest": 2, "longest": 1},
            "shortest and longest are seconds, the first not above the second",
        ),
        (
            {"shortest": 0, "longest": 0.0009},
            "shortest and longest are seconds, the first not above the second",
        ),
        (
            {"longest": math.inf},
            "shortest and longest are seconds, the first not above the second",
        ),
        ({"merge": math.inf}, "merge is a number of seconds, not below 0"),
    ],
)
def test_says_what_settings_may_be(chosen: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        Srt(**chosen)  # type: ignore[arg-type]


def test_the_least_and_the_most_of_each_setting_are_valid() -> None:
    Srt(lines=1, characters=1, shortest=0, longest=0.001, merge=0)
    Srt(lines=10, characters=1000, shortest=3, longest=3)


settings = st.builds(
    Srt,
    lines=st.integers(1, 3),
    characters=st.integers(4, 50),
    shortest=st.sampled_from([0.0, 0.3, 1.0]),
    longest=st.sampled_from([1.0, 2.5, 7.0]),
    merge=st.sampled_from([0.0, 0.5, 5.0]),
)
LAYERS = ("start", "end", "opening", "mark", "blank", "speaker", "sentences")


@st.composite
def spoken(draw: st.DrawFn) -> Transcript:
    """A recording with times; the other layers may be known or not."""
    more = draw(st.sets(st.sampled_from(LAYERS[2:])))
    parts = draw(st.lists(transcripts({"start", "end", *more}), min_size=1, max_size=5))
    shifts = np.cumsum([0.0, *(part.end[-1] for part in parts if part.end is not None)])
    return Transcript.join(
        part.replace(start=part.start + shift, end=part.end + shift)
        for part, shift in zip(parts, shifts, strict=False)
    )


def bare(text: str) -> str:
    return re.sub(r"\s", "", text)


@given(spoken(), settings)
def test_every_word_is_shown_once_and_in_order(transcript: Transcript, format: Captions) -> None:
    assert bare("".join(format.cues(transcript).text)) == bare(transcript.text)


@given(spoken(), settings)
def test_lines_are_few_and_narrow(transcript: Transcript, format: Captions) -> None:
    for text in format.cues(transcript).text:
        lines = text.split("\n")
        assert len(lines) <= format.lines
        assert all(0 < columns(line) <= format.characters for line in lines)


@given(spoken(), settings)
def test_cues_follow_one_another_for_no_longer_than_allowed(
    transcript: Transcript, format: Captions
) -> None:
    cues = format.cues(transcript)
    start, end = cues.start, cues.end
    assert (start >= 0).all()
    assert (end >= start).all()
    assert (end[:-1] <= start[1:]).all()
    assert (end - start <= round(format.longest * 1000)).all()
    short = end - start < round(format.shortest * 1000)
    assert not short[-1]
    assert (end[:-1] == start[1:])[short[:-1]].all()


@given(spoken(), settings)
def test_a_cue_has_one_speaker_and_without_merging_one_sentence(
    transcript: Transcript, format: Captions
) -> None:
    cues = format.cues(transcript)
    surface = [bare(word) for word in transcript.surface()]
    speakers = transcript.speaker or ("",) * len(surface)
    ends = transcript.sentences.boundary if transcript.sentences else np.zeros(len(surface))
    owners = [at for at, word in enumerate(surface) for _ in word]
    done = 0
    for text, speaker in zip(cues.text, cues.speaker, strict=True):
        words = sorted(set(owners[done : done + len(bare(text))]))
        done += len(bare(text))
        assert {speakers[word] for word in words} == {speaker}
        assert format.merge or not any(ends[word] for word in words[:-1])


# The oracle: for each sentence, the cheapest way to break it, found by plain means.


def slow_lines(words: Sequence[str], room: int) -> int:
    """Lines that words take when each line is filled as far as it goes."""
    count, used = 1, len(words[0])
    for word in words[1:]:
        used += 1 + len(word)
        if used > room:
            count, used = count + 1, len(word)
    return count


def slow_break_cost(mark: str, pause: float) -> float:
    cost = {"": 0.25, ",": 0.05, ":": 0.05}.get(mark, 0.0)
    cost *= 1 - 0.8 * min(pause / 0.5, 1)
    return cost - 0.5 * min(max(pause - 0.5, 0), 2)


def slow_part(sentence: Transcript, first: int, last: int, format: Captions) -> float:
    """Cost of a cue, infinite if it does not fit."""
    words = [word.rstrip() for word in sentence.surface()[first : last + 1]]
    assert sentence.start is not None
    assert sentence.end is not None
    lasts = float(sentence.end[last] - sentence.start[first])
    fill = max(len(" ".join(words)) / (format.lines * format.characters), lasts / format.longest)
    if first == last:
        return (1 - min(fill, 1)) ** 2
    if slow_lines(words, format.characters) > format.lines or fill > 1 + 1e-9:
        return math.inf
    return (1 - fill) ** 2


def slow_cost(sentence: Transcript, ends: Sequence[int], format: Captions) -> float:
    """Cost of cues that end at these words."""
    assert sentence.mark is not None
    pauses = np.maximum(np.nan_to_num(sentence.pauses()), 0)
    firsts = [0, *(end + 1 for end in ends[:-1])]
    parts = sum(slow_part(sentence, a, b, format) for a, b in zip(firsts, ends, strict=True))
    return parts + sum(slow_break_cost(sentence.mark[end], float(pauses[end])) for end in ends[:-1])


def slow_best(sentence: Transcript, format: Captions) -> float:
    """Lowest cost of all ways to break a sentence."""
    assert sentence.mark is not None
    pauses = np.maximum(np.nan_to_num(sentence.pauses()), 0)
    best = [0.0]
    for last in range(len(sentence)):
        ways = (best[first] + slow_part(sentence, first, last, format) for first in range(last + 1))
        break_cost = slow_break_cost(sentence.mark[last], float(pauses[last]))
        best.append(min(ways) + (break_cost if last + 1 < len(sentence) else 0))
    return best[-1]


def ends_of(cues: Cues) -> list[int]:
    counts = np.cumsum([len(text.split()) for text in cues.text])
    return [int(count) - 1 for count in counts]


@st.composite
def long_sentences(draw: st.DrawFn) -> Transcript:
    count = draw(st.integers(1, 40))
    words = draw(
        st.lists(
            st.sampled_from("a of the boat harbour afterwards".split()),
            min_size=count,
            max_size=count,
        )
    )
    marks = draw(
        st.lists(st.sampled_from(["", "", "", ",", ":", "?"]), min_size=count, max_size=count)
    )
    steps = draw(st.lists(st.integers(1, 900), min_size=2 * count, max_size=2 * count))
    silent = draw(st.lists(st.booleans(), min_size=count, max_size=count))
    times = np.array(steps) / 1000
    times[0::2] *= silent
    times = np.cumsum(times)
    return Transcript(
        tuple(words), mark=tuple(marks), start=times[0::2], end=times[1::2],
        sentences=Segmentation.of_gaps(count, [count - 1]),
    )  # fmt: skip


@given(long_sentences(), settings.filter(lambda chosen: chosen.characters > 12))
def test_sentences_break_at_the_lowest_cost(sentence: Transcript, format: Captions) -> None:
    fits = slow_part(sentence, 0, len(sentence) - 1, format) < math.inf
    ends = ends_of(format.cues(sentence))
    assert ends[-1] == len(sentence) - 1
    if fits:
        assert len(ends) == 1
    else:
        assert slow_cost(sentence, ends, format) == pytest.approx(slow_best(sentence, format))


@given(st.lists(long_sentences(), min_size=2, max_size=6))
def test_a_sentence_layout_does_not_depend_on_its_neighbours(parts: list[Transcript]) -> None:
    format = Srt(merge=0, characters=30)
    shifts = np.cumsum([0.0, *(float(part.end[-1]) + 20 for part in parts)])  # type: ignore[index]
    whole = Transcript.join(
        part.replace(start=part.start + shift, end=part.end + shift)
        for part, shift in zip(parts, shifts, strict=False)
    )
    assert format.cues(whole).text == [text for part in parts for text in format.cues(part).text]


@given(st.data())
def test_breaks_of_many_segments_are_those_of_plain_dynamic_programming(
    data: st.DataObject,
) -> None:
    sizes = data.draw(st.lists(st.integers(1, 30), min_size=1, max_size=12))
    count = sum(sizes)
    chance = np.random.default_rng(data.draw(st.integers(0, 1 << 30)))
    finish = np.cumsum(chance.integers(1, 9, count))
    begin = np.append(0, finish[:-1])
    most = np.minimum(chance.integers(1, 9, count), np.arange(1, count + 1))
    break_cost = chance.random(count)
    last = np.cumsum(sizes) - 1
    first = last - np.array(sizes) + 1
    optimizer = BreakOptimizer((Limit(begin, finish, 20),), most, break_cost, 0.1)
    found = set(optimizer.breaks(first, last).tolist())
    assert found <= set(range(count)) - set(last.tolist())
    for a, z in zip(first.tolist(), last.tolist(), strict=True):
        cuts = [a - 1, *sorted(gap for gap in found if a <= gap < z), z]
        costs = [plain(b + 1, e, optimizer) for b, e in pairwise(cuts)]
        total = sum(costs) + sum(break_cost[gap] for gap in cuts[1:-1])
        best = {a: 0.0}
        for e in range(a, z + 1):
            ways = [best[b] + plain(b, e, optimizer) for b in range(a, e + 1)]
            best[e + 1] = min(ways) + (break_cost[e] if e < z else 0)
        assert total == pytest.approx(best[z + 1])


def plain(first: int, last: int, optimizer: BreakOptimizer) -> float:
    (limit,) = optimizer.limits
    fill = int(limit.finish[last] - limit.begin[first]) / limit.most
    if first == last:
        return (1 - min(fill, 1)) ** 2 + optimizer.part_cost
    allowed = fill <= 1 and last - first + 1 <= optimizer.max_pieces[last]
    return (1 - fill) ** 2 + optimizer.part_cost if allowed else math.inf


def test_many_sentences_are_broken_in_few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Segments of about the same length are broken together, so that arrays pay."""
    steps: list[int] = []

    def counted(finish: list[Floats], begins: list[Floats], max_pieces: Indices) -> Floats:
        steps.append(len(max_pieces))
        return part_costs(finish, begins, max_pieces)

    part_costs = line_breaks._part_costs
    monkeypatch.setattr(line_breaks, "_part_costs", counted)
    chance = np.random.default_rng(1)
    lengths = chance.integers(2, 30, 6000)
    words = ["harbour", "boat", "a", "sea", "afterwards", "of"]
    text = " | ".join(" ".join(words[i] for i in chance.integers(0, 6, n)) for n in lengths)
    Srt().write([said(text)], io.BytesIO())
    assert sum(steps) > 50_000
    assert len(steps) < 1000
