"""SubRip files."""

import io
import logging
import re
from pathlib import Path

import numpy as np
import pysubs2
import pytest

from caesura.core.errors import FormatError, OutputError
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.formats.base import Source
from caesura.formats.captions.srt import Srt
from formats.cells import known

SAMPLES = Path(__file__).parent / "samples"


def read(data: str | Path) -> Transcript:
    path = data if isinstance(data, Path) else Path("some.srt")
    content = data.read_bytes() if isinstance(data, Path) else data.encode()
    (found,) = Srt().parse(Source(str(path), content))
    return found


def written(transcript: Transcript, format: Srt | None = None) -> str:
    file = io.BytesIO()
    (format or Srt()).write([transcript], file)
    return file.getvalue().decode()


def test_reads_words_marks_and_the_times_of_cues() -> None:
    found = read(SAMPLES / "srt.srt")
    assert found.id == "srt"
    assert found.language == ""
    assert " ".join(found.words) == (
        "The harbour was quiet and the boats had been tied up since Tuesday "
        "Who told you My brother did Nobody answered"
    )
    assert found.text == (
        'The harbour was quiet, and the boats had been tied up since "Tuesday". '
        "- Who told you? - My brother did. Nobody answered…"
    )
    assert known(found.start) == {0: 1.0, 13: 3.5, 19: 60.04}
    assert known(found.end) == {12: 3.5, 18: 5.25, 20: 62.0}
    assert found.sentences is None


def test_leaves_out_tags_codes_and_positions() -> None:
    found = read(SAMPLES / "srt-tags.srt")
    assert found.text == (
        "hidden We met at the red door. Closed tags go, <unk> and 2<3>1 stay. "
        "two words next line {kept} ♪ La la la ♪"
    )
    assert known(found.start) == {0: 0.0, 1: 1.0, 7: 3.0, 19: 360000.0}
    assert known(found.end) == {0: 0.0, 6: 3.0, 18: 5.5, 21: 360001.0}
    assert found.words[-3:] == ("La", "la", "la")


@pytest.mark.parametrize(
    ("cue", "text"),
    [
        ("one<br />two<BR>three", "one two three"),
        ("one<br\\h/>two", "one two"),
        ("<c.red>La</c> mer</u>", "La mer"),
        ("{\\an8}two\\hwords", "two words"),
        ("C:\\TEST {x}", "C:\\TEST {x}"),
    ],
)
def test_reads_what_a_cue_says(cue: str, text: str) -> None:
    assert read(f"1\n00:00:01,000 --> 00:00:02,000\n{cue}\n").text == text


def test_each_line_may_begin_with_a_dash_also_beside_tags() -> None:
    found = read("1\n00:00:01,000 --> 00:00:02,000\n<i>- One.</i>\n- Two.\n")
    assert found.opening == ("- ", "- ")


def test_a_dash_on_a_line_of_its_own_belongs_to_the_word_before() -> None:
    found = read("1\n00:00:01,000 --> 00:00:02,000\nOne\n-\nTwo\n")
    assert (found.mark, found.opening) == ((" -", ""), None)


@pytest.mark.parametrize(
    ("text", "is_srt"),
    [
        ("1\n00:00:01,000 --> 00:00:02,000\nhello\n", True),
        ("\n00:01 --> 00:02\n", True),
        ("\n12\n\n00:01 --> 00:02", True),
        ("1\n2\n00:00:01,000 --> 00:00:02,000\n", False),
        ("hello\n00:00:01,000 --> 00:00:02,000\n", False),
        ("7\n", False),
        ("", False),
    ],
)
def test_is_known_by_the_times_at_its_beginning(text: str, is_srt: bool) -> None:
    assert Srt.recognises(Source("", text.encode())) is is_srt


def test_reads_files_without_numbers_blank_lines_and_order(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING, "caesura"):
        found = read(SAMPLES / "srt-bare.srt")
    assert found.text == (
        "no numbers here 7 -Nor blank lines. Out of order It ends before it begins."
    )
    assert found.words[4] == "Nor"
    assert known(found.start) == {0: 1.0, 4: 2.0, 7: 3.5, 10: 4.0}
    assert known(found.end) == {3: 2.0, 6: 3.0, 9: 3.9}
    name = SAMPLES / "srt-bare.srt"
    assert caplog.messages == [
        f"{name}: cues are not in the order of their times and were sorted",
        f"{name}: a cue at 4 s ends before it begins",
    ]


def test_cues_that_begin_at_the_same_time_stay_in_their_order(
    caplog: pytest.LogCaptureFixture,
) -> None:
    same = "00:00:01 --> 00:00:03\none\n\n00:00:01 --> 00:00:02\ntwo\n\n"
    assert read(same).words == ("one", "two")
    assert not caplog.messages
    assert read("00:00:02 --> 00:00:03\nthree\n\n" + same).words == ("one", "two", "three")


def test_reads_utf16_and_lines_of_scripts_without_blanks() -> None:
    found = read(SAMPLES / "srt-wide.srt")
    assert found.words == ("昨日は雨でした", "今日は晴れです", "明日は")
    assert found.text == "昨日は雨でした。今日は晴れです。明日は？"


def test_lines_go_on_without_a_blank_only_between_scripts_that_have_none() -> None:
    found = read("1\n00:00:01,000 --> 00:00:02,000\n雨が\nOK\n雨\n降\n")
    assert found.text == "雨が OK 雨降"


def test_lines_that_roll_up_are_read_once() -> None:
    found = read(SAMPLES / "srt-rolling.srt")
    assert found.words == ("one", "two", "three", "four", "five")
    assert known(found.start) == {0: 1.0, 2: 3.0, 4: 5.0}
    assert known(found.end) == {1: 2.99, 3: 4.99, 4: 7.0}


def test_lines_roll_up_if_half_of_the_cues_begin_with_those_before(
    caplog: pytest.LogCaptureFixture,
) -> None:
    cues = ("one", "one\ntwo", "two\nthree", "four", "five")
    with caplog.at_level(logging.INFO, "caesura"):
        assert repeated(*cues).text == "one two three four five"
        assert caplog.messages == ["some.srt: lines that roll up were read once"]
        caplog.clear()
        assert repeated(*cues, "six").text == "one one two two three four five six"
        assert not caplog.messages


def test_a_line_that_stays_after_a_pause_is_read_once_if_more_follows() -> None:
    found = read(
        "00:00:01 --> 00:00:02\none\n\n00:00:02 --> 00:00:03\none\ntwo\n\n"
        "00:00:10 --> 00:00:11\ntwo\nthree\n\n00:00:20 --> 00:00:21\ntwo\nthree\n"
    )
    assert found.text == "one two three two three"
    assert known(found.start) == {0: 1.0, 1: 2.0, 2: 10.0, 3: 20.0}


def test_what_is_said_twice_is_read_twice() -> None:
    again = "1\n00:00:01,000 --> 00:00:02,000\nNo.\n\n2\n00:00:02,000 --> 00:00:03,000\nNo.\n"
    assert read(again).words == ("No", "No")


def test_captions_repeated_to_highlight_each_word_are_read_once() -> None:
    found = read(SAMPLES / "srt-words.srt")
    assert found.text == "The boats left. No. No. Said twice. Said twice."
    assert known(found.start) == {0: 1.0, 1: 1.4, 2: 1.9, 3: 2.2, 4: 2.6, 5: 4.0, 7: 4.5}
    assert known(found.end) == {0: 1.3, 1: 1.9, 2: 2.2, 3: 2.6, 4: 3.0, 6: 4.5, 8: 5.0}
    colours = (SAMPLES / "srt-words.srt").read_text().replace("<u>", '<font color="#0f0">')
    assert read(colours.replace("</u>", "</font>")).replace(id="") == found.replace(id="")


WHITE, GREEN, END = '<font color="#fff">', '<font color="#0f0">', "</font>"


def repeated(*texts: str) -> Transcript:
    """Read cues of one second each that follow without a pause."""
    cues = [f"00:00:{at:02} --> 00:00:{at + 1:02}\n{text}\n" for at, text in enumerate(texts)]
    return read("\n".join(cues))


@pytest.mark.parametrize(
    "texts",
    [
        (f"{WHITE}<u>The</u> boats left{END}", f"{WHITE}The <u>boats</u> left{END}"),
        (f"{WHITE}{GREEN}The{END} boats left{END}", f"{WHITE}The {GREEN}boats{END} left{END}"),
        (
            f"{GREEN}The{END} {WHITE}boats left{END}",
            f"{WHITE}The{END} {GREEN}boats{END} {WHITE}left{END}",
        ),
    ],
)
def test_a_colour_of_the_whole_caption_is_no_highlight(texts: tuple[str, str]) -> None:
    found = repeated(*texts)
    assert found.words == ("The", "boats", "left")
    assert known(found.start) == {0: 0.0, 1: 1.0}


@pytest.mark.parametrize(
    "texts",
    [
        ("<i>No</i> means no.", "No <i>means</i> no."),
        ("<b>No</b> means no.", "No <b>means</b> no."),
        (f"{WHITE}No means no.{END}", f"{WHITE}No means no.{END}"),
        (f"{WHITE}No{END} means no.", f"{WHITE}No{END} means no."),
        ("No <u>means</u> no.", "<u>No</u> means no."),
        (f"{WHITE}No{END} means no.", f"No {GREEN}means{END} no."),
        ("<u>No</u> <u>means</u> no.", "No means <u>no.</u>"),
        ("<u>No\nmeans</u> no.", "No\nmeans <u>no.</u>"),
        ("No means<u> no.</u>", "<u>No means </u>no."),
    ],
)
def test_other_tags_in_text_that_is_said_twice_are_no_highlight(texts: tuple[str, str]) -> None:
    assert repeated(*texts).words == ("No", "means", "no") * 2


def test_a_highlight_moves_on_through_the_lines_of_a_caption() -> None:
    found = repeated(
        "Well,",
        "<u>The</u> old\nboats\nhave left\n",
        "The old\n<u>boats</u>\nhave left",
        "The old\nboats\n<u>have</u> left",
        "again.",
    )
    assert found.words == ("Well", "The", "old", "boats", "have", "left", "again")
    assert known(found.start) == {0: 0.0, 1: 1.0, 3: 2.0, 4: 3.0, 6: 4.0}
    assert known(found.end) == {0: 1.0, 1: 2.0, 3: 3.0, 4: 4.0, 5: 4.0, 6: 5.0}


def test_a_highlight_stays_in_the_same_text() -> None:
    assert repeated("<u>No</u> way.", "Never <u>again.</u>").text == "No way. Never again."


def test_emphasis_does_not_move_a_highlight() -> None:
    found = repeated("The <b>old</b> <u>boats</u> left", "The <b>old</b> boats <u>left</u>")
    assert found.words == ("The", "old", "boats", "left")
    assert known(found.start) == {0: 0.0, 2: 0.0, 3: 1.0}


def test_of_two_marks_that_move_the_first_is_the_highlight() -> None:
    found = repeated(f"<u>The</u> {GREEN}boats{END} left", f"The <u>boats</u> {GREEN}left{END}")
    assert found.words == ("The", "boats", "left")
    assert known(found.start) == {0: 0.0, 1: 1.0}


def test_tags_may_end_in_any_order() -> None:
    found = repeated(f"<u>{GREEN}The</u> boats{END} left", f"The boats <u>{GREEN}left{END}</u>")
    assert found.words == ("The", "boats", "left")
    assert (known(found.start), known(found.end)) == ({0: 0.0, 2: 1.0}, {0: 1.0, 2: 2.0})


def test_marked_pieces_of_one_word_give_it_a_start_and_an_end() -> None:
    found = read(
        "1\n00:00:01,000 --> 00:00:02,000\n<u>昨日</u>は\n\n"
        "2\n00:00:02,000 --> 00:00:03,000\n昨日<u>は</u>\n"
    )
    assert found.words == ("昨日は",)
    assert (known(found.start), known(found.end)) == ({0: 1.0}, {0: 3.0})


def test_names_before_the_words_are_speakers() -> None:
    found = read(SAMPLES / "srt-names.srt")
    assert found.text == ("The harbour was quiet. let's go: now. >> Wait, not yet. >> Who spoke?")
    assert found.speaker == ("Jane Doe",) * 7 + ("ANN",) + ("Jane Doe",) * 2 + ("",) * 2
    assert known(found.start) == {0: 1.0, 4: 2.0, 8: 3.0, 10: 4.0}


def test_numbered_speakers_are_speakers_anywhere() -> None:
    found = read(SAMPLES / "srt-speakers.srt")
    assert found.text == "Nobody told: me. 's here Who? Go on."
    assert found.speaker == ("SPEAKER_00",) * 3 + ("1", "1", "", "Speaker_2", "Speaker_2")
    noted = read("00:01 --> 00:02\nSPEAKER_1: Hi.\n\n00:02 --> 00:03\nSPEAKER_1: Oh.\nNote: no.\n")
    assert noted.text == "Hi. Oh. Note: no."


@pytest.mark.parametrize(
    "lines",
    [
        ["Note: one label is none.", "More text."],
        ["London: one.", "Two.", "Paris: three.", "Four."],
        ["Ann: one.", "Ann: two.", "Bob: three.", *["More."] * 8],
        ["Ann: one.", "Bob: two.", "Eve: three.", *["More."] * 7],
        ["the boats: one.", "the boats: two."],
        ["Jane:", "Jane:"],
    ],
)
def test_a_colon_makes_no_speaker(lines: list[str]) -> None:
    found = repeated(*lines)
    assert found.text == " ".join(lines)
    assert found.speaker is None


def test_names_are_speakers_if_one_comes_again_and_three_in_ten_cues_have_one() -> None:
    found = repeated("Well.", "Ann: one.", "Bob: two.", "More.", "Ann: three.", *["More."] * 5)
    assert found.text == "Well. one. two. More. three." + " More." * 5
    assert found.speaker == ("", "Ann", "Bob", "Bob", *["Ann"] * 6)


def test_pieces_of_words_are_put_together() -> None:
    found = read(SAMPLES / "srt-pieces.srt")
    assert found.text == "You're at the harbour, now"
    assert known(found.start) == {0: 1.0, 1: 3.0, 2: 4.0, 3: 5.0, 4: 8.0}
    assert known(found.end) == {0: 2.9, 1: 3.9, 2: 4.9, 3: 6.9, 4: 8.9}


def test_words_are_in_pieces_if_nearly_all_cues_have_one_token_and_some_begin_with_a_blank() -> (
    None
):
    pieces = (
        "_an ti qua ted _in_the _har b our _un be lie va ble _yes ter day _a gain st all".split()
    )
    found = repeated(*(piece.replace("_", " ") for piece in pieces))
    assert found.text == "antiquated in the harbour unbelievable yesterday againstall"
    assert known(found.start) == {0: 0.0, 1: 4.0, 3: 5.0, 4: 8.0, 5: 13.0, 6: 16.0}
    assert known(found.end) == {0: 4.0, 2: 5.0, 3: 8.0, 4: 13.0, 5: 16.0, 6: 20.0}


def test_a_stray_blank_joins_no_words() -> None:
    assert repeated("a", " b", "c", "d").words == tuple("abcd")


@pytest.mark.parametrize(
    ("line", "start", "end"),
    [
        ("00:00:01,500 --> 00:00:02,000", 1.5, 2.0),
        ("0:0:1.5 --> 0:0:2", 1.5, 2.0),
        ("00:01,5 --> 00:02,0", 1.5, 2.0),
        ("  00:00:01:500-->00:00:02:000  X1:1", 1.5, 2.0),
        ("00:00:01,500 -- > 00:00:02,000", 1.5, 2.0),
        ("1000:00:00,123 --> 1000:00:01,000", 3600000.123, 3600001.0),
        ("00:01,1234567 --> 00:02,0000004", 1.123457, 2.0),
    ],
)
def test_reads_times_as_people_write_them(line: str, start: float, end: float) -> None:
    found = read(f"1\n{line}\nhello\n")
    assert known(found.start) == {0: start}
    assert known(found.end) == {0: end}


def test_a_cue_may_be_a_number() -> None:
    found = read("1\n00:00:01,000 --> 00:00:02,000\n42\n\n2\n00:00:03,000 --> 00:00:04,000\n7\n")
    assert found.words == ("42", "7")


def test_text_stays_where_the_next_cue_has_no_number() -> None:
    cues = "1\n00:00:01,000 --> 00:00:02,000\none\n00:00:02,000 --> 00:00:03,000\n"
    assert read(cues + "00:00:03,000 --> 00:00:04,000\ntwo\n").words == ("one", "two")


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_the_number_in_the_last_cue_is_text_with_and_without_a_final_line_end(end: str) -> None:
    cues = "1\n00:00:01,000 --> 00:00:02,000\nHow many?\n\n2\n00:00:03,000 --> 00:00:04,000\n7"
    assert read(cues + end).words == ("How", "many", "7")
    assert read("1\n00:00:01,000 --> 00:00:02,000\n7" + end).words == ("7",)


def test_text_before_the_first_cue_is_left_out_with_a_word(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING, "caesura"):
        assert read("title\n\n1\n00:00:01 --> 00:00:10\nhello\n").words == ("hello",)
    assert caplog.messages == ["some.srt: text before the first cue is left out"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "just text\n",
            "some.srt: no line has the times of a cue; "
            "a cue begins with a line such as 00:00:01,000 --> 00:00:02,000",
        ),
        (
            "1\n  0:00:0x,000 --> 0:00:02,000 X1:117 X2:203\nhi\n",
            "some.srt:2: '0:00:0x,000 --> 0:00:02,000 X1:117 X2:20' are not the times of a cue; "
            "write them as 00:00:01,000 --> 00:00:02,000",
        ),
    ],
)
def test_says_what_is_wrong_and_where(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=f"{re.escape(message)}$"):
        read(text)


def test_an_empty_file_has_no_words_and_no_words_give_an_empty_file() -> None:
    assert len(read("")) == 0
    assert written(Transcript(())) == ""


def test_writes_numbered_cues() -> None:
    spoken = Transcript(
        ("Who", "told", "you", "Nobody"),
        mark=("", "", "?", "."),
        start=np.array([1.0, 1.2, 1.5, 3723.0004]),
        end=np.array([1.2, 1.5, 2.25, 3724.5]),
        sentences=Segmentation.of_gaps(4, [2, 3]),
    )
    assert written(spoken) == (
        "1\n00:00:01,000 --> 00:00:02,250\nWho told you?\n\n"
        "2\n01:02:03,000 --> 01:02:04,500\nNobody.\n\n"
    )


def test_a_file_holds_one_recording() -> None:
    with pytest.raises(OutputError, match="srt holds one recording in a file"):
        Srt().write([Transcript(()), Transcript(())], io.BytesIO())


def spoken_text() -> Transcript:
    words = "the boats had been tied up since Tuesday and nobody had seen them leave again".split()
    times = np.arange(len(words) * 9.0) * 0.4
    return Transcript(
        tuple(words * 9),
        start=times,
        end=times + 0.35,
        sentences=Segmentation.of_gaps(len(words) * 9, range(20, len(words) * 9, 21)),
    )


def test_pysubs2_reads_what_is_written() -> None:
    cues = Srt().cues(spoken_text())
    peer = pysubs2.SSAFile.from_string(written(spoken_text()), "srt")
    assert [event.plaintext for event in peer] == cues.text
    assert [event.start for event in peer] == cues.start.tolist()
    assert [event.end for event in peer] == cues.end.tolist()


COUNTS = {
    "linto_words.srt": 1,
    "pysrt_bom_utf16le.srt": 7,
    "pysrt_capability_tester_bom_crlf.srt": 37,
    "pysrt_no_indexes.srt": 7,
    "videogrep_manifesto.srt": 37,
}
"""Cues of the real files."""


@pytest.mark.parametrize("name", COUNTS)
def test_real_files_agree_with_pysubs2(corpora: Path, name: str) -> None:
    path = corpora / "formats" / "srt" / name
    found = read(path)
    encoding = "utf-16" if "utf16" in name else "utf-8-sig"
    peer = pysubs2.load(str(path), encoding=encoding, format_="srt")
    assert len(peer) == COUNTS[name]
    starts = [event.start / 1000 for event in peer if event.plaintext.strip()]
    assert list(known(found.start).values()) == starts
    assert list(known(found.end).values()) == [
        event.end / 1000 for event in peer if event.plaintext.strip()
    ]
    if "capability" not in name:
        assert found.text.split() == " ".join(event.plaintext for event in peer).split()


def test_the_capability_tester_is_shown_as_it_asks(corpora: Path) -> None:
    text = read(corpora / "formats/srt/pysrt_capability_tester_bom_crlf.srt").text
    assert "This could be the most difficult thing to implement" in text
    assert "middle and horizontally at the left" in text
    assert "Hide these tags: also hide these tags: but show this: {normal text}" in text
    assert "to hide invalid html tags that are closed and show the text in them" in text
    assert "<invalid_tag_unclosed>but show un-closed invalid html tags" in text
    assert "Show this: \\TEST and this: \\-)" in text
    assert "also: 2<3,5>1,4<6 This" in text
