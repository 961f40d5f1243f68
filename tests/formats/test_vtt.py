"""WebVTT files."""

import io
import re
from pathlib import Path

import numpy as np
import pysubs2
import pytest
import webvtt

from caesura.core.errors import FormatError
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.formats.base import Source
from caesura.formats.captions.vtt import Vtt
from formats.cells import known

SAMPLES = Path(__file__).parent / "samples"


def read(data: str | Path) -> Transcript:
    path = data if isinstance(data, Path) else Path("some.vtt")
    content = data.read_bytes() if isinstance(data, Path) else data.encode()
    (found,) = Vtt().parse(Source(str(path), content))
    return found


def written(transcript: Transcript) -> str:
    file = io.BytesIO()
    Vtt().write([transcript], file)
    return file.getvalue().decode()


def test_reads_voices_and_language_and_leaves_out_comments() -> None:
    found = read(SAMPLES / "vtt.vtt")
    assert found.language == "en-GB"
    assert found.text == (
        "The harbour was quiet, & the boats had been tied up. >> Who told you? My brother did. "
        "Nobody <answered>."
    )
    assert found.speaker is not None
    assert found.speaker == ("Ann Lee",) * 11 + ("Bob",) * 3 + ("Ann Lee",) * 3 + ("",) * 2
    assert known(found.start) == {0: 1.0, 11: 3.5, 17: 360000.0}
    assert known(found.end) == {10: 3.5, 16: 5.25, 18: 360001.0}
    assert found.words[11] == "Who"


def test_lines_that_roll_up_are_read_once_with_their_inline_times() -> None:
    found = read(SAMPLES / "vtt-rolling.vtt")
    assert found.words == ("the", "boats", "are", "tied", "up", "up", "today")
    starts = [1.0, 1.4, 1.9, 3.0, 3.3, 4.0, 5.0]
    assert known(found.start) == dict(enumerate(starts))
    assert known(found.end) == {2: 2.99, 5: 4.99, 6: 7.0}


def test_reads_a_style_in_the_header_cues_without_blank_lines_and_ruby() -> None:
    found = read(SAMPLES / "vtt-style.vtt")
    assert found.words == ("yes", "all", "of", "it", "漢字")
    assert known(found.start) == {0: 1.0, 1: 2.0, 2: 2.5}
    assert known(found.end) == {0: 2.0, 4: 3.5}


@pytest.mark.parametrize(
    ("cue", "text"),
    [
        ("<i.foreign><lang en>playground</lang></i>, here", "playground, here"),
        ("AT&amp;T &#39;til&nbsp;&lt;b&gt; R&D", "AT&T 'til <b> R&D"),
        ("2 < 3 > 1", "2 < 3 > 1"),
        ("re<c.red>d</c> door", "red door"),
        ("&lrm;one &lrm; two", "one two"),
        ("- One.\n-Two.\n- 3", "- One. -Two. - 3"),
        ("<ruby>漢<rt.small>k<b>an</b></rt>字<rt>ji</rt></ruby>", "漢字"),
        ("Never</u> again.", "Never again."),
    ],
)
def test_reads_what_a_cue_says(cue: str, text: str) -> None:
    assert read(f"WEBVTT\n\n00:01.000 --> 00:02.000\n{cue}\n").text == text


def test_dashes_and_arrows_of_a_new_speaker_are_no_words() -> None:
    found = read("WEBVTT\n\n00:01.000 --> 00:02.000\n- One.\n-Two.\n&gt;&gt; Three\n")
    assert found.words == ("One", "Two", "Three")
    assert found.opening == ("- ", "-", ">> ")


def test_a_time_inside_a_word_is_not_its_start() -> None:
    found = read("WEBVTT\n\n00:01.000 --> 00:02.000\nka<00:01.200>ra<00:01.500> oke\n")
    assert found.words == ("kara", "oke")
    assert known(found.start) == {0: 1.0, 1: 1.5}


def test_a_time_belongs_to_the_next_word_only() -> None:
    cue = "one<00:01.200> <b>two</b> <i>three</i>"
    found = read(f"WEBVTT\n\n00:01.000 --> 00:02.000\n{cue}\n")
    assert found.words == ("one", "two", "three")
    assert known(found.start) == {0: 1.0, 1: 1.2}


def test_a_voice_ends_with_its_tag() -> None:
    found = read("WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ann>One</v> two <v>three\n")
    assert found.speaker == ("Ann", "", "")


def test_two_words_that_are_marked_at_once_are_no_highlight() -> None:
    cues = "00:01.000 --> 00:02.000\n<u>No</u> <u>means</u> no.\n\n"
    cues += "00:02.000 --> 00:03.000\nNo means <u>no.</u>\n"
    assert read(f"WEBVTT\n\n{cues}").words == ("No", "means", "no") * 2


def test_the_last_line_needs_no_line_end_and_the_header_no_language() -> None:
    found = read("WEBVTT\n\n00:01.000 --> 00:02.000\nhello")
    assert found.words == ("hello",)
    assert found.language == ""


def test_text_after_a_blank_line_still_belongs_to_its_cue() -> None:
    found = read(
        "WEBVTT\n\n00:00.000 --> 00:01.000\n\none\n\ntwo\n\nid\n00:02.000 --> 00:03.000\n3\n\n"
        "4\nid\n00:04.000 --> 00:05.000\n5\n"
    )
    assert found.words == ("one", "two", "3", "4", "5")
    assert known(found.end) == {1: 1.0, 3: 3.0, 4: 5.0}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("This is no cue.\n", "some.vtt:1: this is not WebVTT; it has to begin with WEBVTT"),
        (
            "WEBVTT\n\n00:00:07.000 --> 00:00:1d.890\nhi\n",
            "some.vtt:3: '00:00:07.000 --> 00:00:1d.890' "
            "are not the times of a cue; write them as 00:00:01,000 --> 00:00:02,000",
        ),
    ],
)
def test_says_what_is_wrong_and_where(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=f"{re.escape(message)}$"):
        read(text)


def test_writes_voices_and_escapes_text() -> None:
    spoken = Transcript(
        ("A<b>", "&c", "-->", '{"d"}'),
        language="en\n\n-GB",
        speaker=("Ann {Lee}", "Ann {Lee}", "", "R&D <x>"),
        start=np.arange(4.0) * 2,
        end=np.arange(4.0) * 2 + 1.5,
    )
    assert written(spoken) == (
        "WEBVTT\nLanguage: en-GB\n\n"
        "00:00:00.000 --> 00:00:03.500\n<v Ann {Lee}>A&lt;b&gt; &amp;c</v>\n\n"
        "00:00:04.000 --> 00:00:05.500\n--&gt;\n\n"
        '00:00:06.000 --> 00:00:07.500\n<v R&amp;D &lt;x&gt;>{"d"}</v>\n'
    )
    back = read(written(spoken))
    assert back.text == 'A<b> &c --> {"d"}'
    assert back.speaker == spoken.speaker
    assert written(Transcript(())) == "WEBVTT\n"
    assert len(read("WEBVTT\n")) == 0


def test_peers_read_what_is_written() -> None:
    words = "the boats had been tied up since Tuesday and nobody had seen them leave again".split()
    times = np.arange(len(words) * 6.0) * 0.4
    spoken = Transcript(
        tuple(words * 6),
        language="en",
        speaker=("Ann",) * (3 * len(words)) + ("Bob Lee",) * (3 * len(words)),
        start=times,
        end=times + 0.35,
        sentences=Segmentation.of_gaps(len(words) * 6, range(8, len(words) * 6, 9)),
    )
    cues = Vtt().cues(spoken)
    peer = webvtt.from_string(written(spoken)).captions
    assert [caption.text for caption in peer] == cues.text
    assert [caption.voice for caption in peer] == cues.speaker
    assert [round(caption.start_in_seconds * 1000) // 1000 for caption in peer] == [
        start // 1000 for start in cues.start.tolist()
    ]
    other = pysubs2.SSAFile.from_string(written(spoken), "vtt")
    assert [event.start for event in other] == cues.start.tolist()
    assert [event.end for event in other] == cues.end.tolist()


WORDS = {
    "boldvideo_chapters.vtt": 122,
    "mantas_voice_complex.vtt": 20,
    "webvttpy_bom.vtt": 12,
    "webvttpy_comments.vtt": 20,
    "webvttpy_cue_tags.vtt": 13,
    "webvttpy_styles.vtt": 2,
}


@pytest.mark.parametrize("name", WORDS)
def test_real_files_agree_with_webvtt(corpora: Path, name: str) -> None:
    path = corpora / "formats" / "vtt" / name
    found = read(path)
    peer = webvtt.read(str(path)).captions
    lines = [line for caption in peer for line in caption.text.split("\n")]
    assert found.text.split() == " ".join(lines).split()
    assert len(found) == WORDS[name] == sum(len(line.removeprefix("- ").split()) for line in lines)
    times = known(found.start).values()
    assert {caption.start for caption in peer} <= {
        f"{int(time // 3600):02}:{int(time // 60 % 60):02}:{time % 60:06.3f}" for time in times
    }


def test_each_word_of_youtube_captions_is_read_once(corpora: Path) -> None:
    path = corpora / "formats/vtt/videogrep_youtube_rolling.vtt"
    found = read(path)
    stamped = re.findall(r"<(\d\d):(\d\d):([\d.]+)><c> ?([^<]+)</c>", path.read_text())
    starts = known(found.start)
    assert len(found) == 206
    assert len(starts) == 206
    assert len(stamped) + 37 == 206
    later = {(round(int(m) * 60 + float(s), 3), word.strip()) for _, m, s, word in stamped}
    assert later <= {(t, found.words[at]) for at, t in starts.items()}
    plain = (corpora / "formats/srt/videogrep_manifesto.srt").read_text()
    lines = [line for line in plain.split("\n") if line and "-->" not in line]
    assert list(found.words) == " ".join(line for line in lines if not line.isdigit()).split()
    assert found.language == "en"


def test_a_file_of_youtube_dl(corpora: Path) -> None:
    found = read(corpora / "formats/vtt/webvttpy_youtube_dl.vtt")
    assert found.text == "yeah what this will happen is I'm telling"
    assert known(found.start)[3] == 304.199


def test_voices_of_a_real_file(corpora: Path) -> None:
    found = read(corpora / "formats/vtt/mantas_voice_complex.vtt")
    assert found.speaker is not None
    assert [found.speaker[at] for at in range(0, 20, 2)] == [
        *("speaker1", "", "speaker1", "speaker2", "", "", "speaker1", "", "", "speaker2")
    ]


def test_captions_repeated_to_highlight_each_word_are_read_once() -> None:
    found = read(SAMPLES / "vtt-words.vtt")
    assert found.text == "The boats left. No. No. Said twice. Said twice."
    assert known(found.start) == {0: 1.0, 1: 1.4, 2: 1.9, 3: 2.2, 4: 2.6, 5: 4.0, 7: 4.5}


def test_a_highlight_does_not_change_the_speaker() -> None:
    cues = "00:01.000 --> 00:02.000\n<v Ann><u>The</u> boats\n</v>\n\n"
    cues += "00:02.000 --> 00:03.000\n<v Ann>The <u>boats</u>\n</v>\n"
    found = read(f"WEBVTT\n\n{cues}")
    assert found.words == ("The", "boats")
    assert found.speaker == ("Ann", "Ann")


def test_names_are_speakers_unless_there_are_voices() -> None:
    named = "WEBVTT\n\n00:01.000 --> 00:02.000\n<b>Jane:</b> Hi.\n\n00:02.000 --> 00:03.000\n"
    assert read(named + "John Smith: Hello.\n").speaker == ("Jane", "John Smith")
    assert read(named + "John Smith: Hello.\n").text == "Hi. Hello."
    styled = read(named + "John Smith: <b>Good morning to you</b> <i>all</i>.\n")
    assert styled.text == "Hi. Good morning to you all."
    voiced = read(named + "<v Ann>John: Hello.\n")
    assert voiced.words == ("Jane", "Hi", "John", "Hello")
    assert voiced.speaker == ("", "", "Ann", "Ann")


def test_a_voice_counts_more_than_a_label() -> None:
    found = read("WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ann>Speaker 1: Hello.\n")
    assert (found.text, found.speaker) == ("Hello.", ("Ann",))


def test_times_of_a_live_stream_count_from_its_map() -> None:
    found = read(SAMPLES / "vtt-live.vtt")
    assert known(found.start) == {0: 1.0, 1: 1.5, 2: 3.0}
    assert known(found.end) == {1: 2.0, 3: 4.0}
    assert found.speaker is None
    early = (SAMPLES / "vtt-live.vtt").read_text().replace("LOCAL:00:10", "LOCAL:00:11")
    assert known(read(early).start) == {0: 601.0, 1: 601.5, 2: 603.0}


def test_times_count_from_the_map_if_no_cue_is_earlier() -> None:
    live = "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:10:00.000\n\n"
    live += "10:00.000 --> 10:00.100\none\n\n10:01.300 --> 10:02.700\ntwo\n"
    found = read(live)
    assert (known(found.start), known(found.end)) == ({0: 0.0, 1: 1.3}, {0: 0.1, 1: 2.7})
    early = live.replace("LOCAL:00:10:00.000", "LOCAL:00:10:00.001")
    assert known(read(early).start) == {0: 600.0, 1: 601.3}
