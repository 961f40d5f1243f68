"""TTML and DFXP files, and XML that must not do harm."""

import io
import logging
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pysubs2
import pytest

from caesura.core.errors import FormatError
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.formats.base import Source
from caesura.formats.captions.ttml import Ttml
from caesura.formats.safe_xml import tree
from formats.cells import known

SAMPLES = Path(__file__).parent / "samples"


def read_all(data: str | bytes | Path) -> list[Transcript]:
    path = data if isinstance(data, Path) else Path("some.ttml")
    content = data.read_bytes() if isinstance(data, Path) else data
    content = content.encode() if isinstance(content, str) else content
    return list(Ttml().parse(Source(str(path), content)))


def read(data: str | bytes | Path) -> Transcript:
    (found,) = read_all(data)
    return found


def timed(body: str, parameters: str = "") -> Transcript:
    return read(
        '<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttp="http://www.w3.org/ns/ttml#parameter" '
        f"{parameters}><body>{body}</body></tt>"
    )


def written(transcript: Transcript) -> str:
    file = io.BytesIO()
    Ttml().write([transcript], file)
    return file.getvalue().decode()


def test_reads_paragraphs_spans_agents_and_times_within_times() -> None:
    found = read(SAMPLES / "ttml.ttml")
    assert found.language == "en"
    assert found.text == "The harbour was quiet, & the boats rested. Who told you?"
    assert found.speaker == ("Ann Lee",) * 8 + ("",) * 3
    assert known(found.start) == {0: 11.5, 8: 14.0, 9: 14.5}
    assert known(found.end) == {7: 14.0, 8: 14.5, 10: 15.5}


def test_reads_frames_ticks_and_one_after_another_in_two_languages() -> None:
    unnamed, french = read_all(SAMPLES / "ttml-frames.dfxp")
    assert (unnamed.text, unnamed.language) == ("One two three four five", "")
    assert known(unnamed.start) == {0: 0.0, 1: 3.0, 3: 4.2, 4: 4.7}
    assert known(unnamed.end) == {0: 2.0, 2: 4.2, 3: 4.7, 4: 5.1}
    assert (french.text, french.language) == ("Après, rien", "fr")
    assert known(french.start) == {0: 5.1, 1: 35.1}
    assert known(french.end) == {0: 35.1, 1: 3635.1}


def test_a_clock_that_drops_frames_keeps_up_with_time() -> None:
    found = read(SAMPLES / "ttml-smpte.itt")
    # 60 s are 1800 frames; the minute's first two have no number; 30000/1001 frames a second
    frames = [1802 - 2, 18000 - 18, 108000 - 108, 108030 + 15 + 1 - 108]
    times = [round(count * 1001 / 30000, 6) for count in frames]
    assert known(found.start) == {0: times[0], 2: times[2]}
    assert known(found.end) == {1: times[1], 3: times[3]}


def test_a_clock_may_drop_frames_as_in_brazil() -> None:
    pal = 'ttp:timeBase="smpte" ttp:frameRateMultiplier="1000 1001" ttp:dropMode="dropPAL"'
    found = timed('<p begin="00:20:00:00" end="00:21:00:00">um dois</p>', pal)
    # every second minute but the 20th lacks its first four numbers
    times = [round(count * 1001 / 30000, 6) for count in (36000 - 4 * 9, 37800 - 4 * 9)]
    assert (known(found.start), known(found.end)) == ({0: times[0]}, {1: times[1]})


@pytest.mark.parametrize(
    ("time", "parameters", "seconds"),
    [
        ("00:01:02", "", 62.0),
        ("00:01:02.5", "", 62.5),
        ("00:01:02,250", "", 62.25),
        ("100:00:00.001", "", 360000.001),
        ("00:00:01:15", "", 1.5),
        ("00:00:01:12", 'ttp:frameRate="24"', 1.5),
        ("00:00:01:12.1", 'ttp:frameRate="24" ttp:subFrameRate="2"', 1.520833),
        ("00:00:02:00", 'ttp:frameRate="24" ttp:frameRateMultiplier="1000 1001"', 2.0),
        ("360f", 'ttp:frameRate="24" ttp:frameRateMultiplier="1000 1001"', 15.015),
        ("360f", 'ttp:frameRate="24" ttp:frameRateMultiplier="1000:1001"', 15.015),
        (
            "00:00:02:00",
            'ttp:timeBase="smpte" ttp:frameRate="24" ttp:frameRateMultiplier="1000 1001"',
            2.002,
        ),
        ("15s", "", 15.0),
        ("250ms", "", 0.25),
        ("1.5m", "", 90.0),
        ("0.5h", "", 1800.0),
        ("75t", 'ttp:tickRate="50"', 1.5),
        ("75t", 'ttp:frameRate="25" ttp:subFrameRate="2"', 1.5),
        ("3t", "", 3.0),
        ("1000000000s", "", 1e9),
        ("00:00:02:12", 'ttp:frameRate="24" ttp:frameRateMultiplier="1000 1001"', 2.5005),
        ("00:00:02.5", 'ttp:timeBase="smpte"', 2.5),
    ],
)
def test_reads_times_in_every_way_of_writing_them(
    time: str, parameters: str, seconds: float
) -> None:
    found = timed(f'<div><p begin="{time}">hello</p></div>', parameters)
    assert known(found.start) == {0: seconds}


def test_spans_may_have_the_times_and_paragraphs_none() -> None:
    body = '<div><p><span begin="1s" end="2s">Top</span> <span begin="2s" end="3s">left</span></p>'
    found = timed(body + "<p>never</p></div>")
    assert found.words == ("Top", "left", "never")
    assert known(found.start) == {0: 1.0, 1: 2.0}
    assert known(found.end) == {0: 2.0, 1: 3.0}


def test_words_of_a_span_have_its_times_and_not_those_of_the_paragraph() -> None:
    found = timed('<p begin="1s" end="9s"><span begin="1s" end="3s">one two</span></p>')
    assert (known(found.start), known(found.end)) == ({0: 2.0}, {1: 4.0})


def test_a_span_may_have_only_an_end_or_a_duration() -> None:
    spans = '<span end="1s">one</span> two <span dur="3s">three</span> four'
    found = timed(f'<p begin="1s">{spans}</p>')
    assert (known(found.start), known(found.end)) == ({0: 1.0, 2: 1.0}, {0: 2.0, 2: 4.0})


def test_a_span_may_end_when_it_begins(caplog: pytest.LogCaptureFixture) -> None:
    found = timed('<p><span begin="2s" end="2s">one</span></p>')
    assert (known(found.start), known(found.end)) == ({0: 2.0}, {0: 2.0})
    assert not caplog.messages


def test_a_paragraph_begins_with_its_first_span() -> None:
    later, sooner = (f'<p><span begin="{time}s">{time}</span></p>' for time in (5, 1))
    assert timed(later + sooner).words == ("1", "5")


def test_a_span_of_blanks_gives_no_times() -> None:
    spans = '<span begin="1s" end="2s">one</span><span begin="2s" end="3s"> </span>'
    found = timed(f'<p>{spans}<span begin="4s" end="5s">two</span></p>')
    assert (known(found.start), known(found.end)) == ({0: 1.0, 1: 4.0}, {0: 2.0, 1: 5.0})


def test_paragraphs_without_times_come_first_if_others_have_to_be_sorted() -> None:
    found = timed('<p begin="2s">two</p><p begin="0.5s">one</p><p>never</p>')
    assert found.words == ("never", "one", "two")


def test_times_that_could_never_be_shown_count_from_zero() -> None:
    inner = '<p>one</p><p begin="2.4s" end="5s">two</p>'
    found = timed(f'<div begin="1.4s" end="2.4s">{inner}</div>')
    assert known(found.start) == {0: 1.4, 1: 2.4}
    assert known(found.end) == {0: 2.4, 1: 5.0}
    found = timed('<div begin="0.25s" end="0.75s"><p begin="0.5s" dur="0.5s">one</p></div>')
    assert (known(found.start), known(found.end)) == ({0: 0.5}, {0: 1.0})


def test_a_break_as_in_html_and_a_prefix_that_is_not_declared_do_no_harm() -> None:
    head = "<head><metadata><ttm:title>x</ttm:title></metadata></head>"
    body = '<body><div><p begin="1s" end="2s">one<br/>two<br>three<br />four</p></div></body>'
    text = f'<tt xmlns="http://www.w3.org/ns/ttml">{head}{body}</tt>'
    assert read(text).words == ("one", "two", "three", "four")
    assert timed('<p begin="1s">one<br></br>two</p>').words == ("one", "two")


def test_speakers_are_named_in_full_if_their_names_are_known() -> None:
    ann = '<ttm:agent xml:id="a"><ttm:name>Ann <b>Lee</b></ttm:name></ttm:agent>'
    metadata = f'{ann}<ttm:agent xml:id="bob"/>'
    body = '<p ttm:agent="bob">One <span ttm:agent="a">two</span> three</p>'
    body += '<p ttm:agent="eve">four</p><p>five</p>'
    found = read(f"<tt><head><metadata>{metadata}</metadata></head><body>{body}</body></tt>")
    assert found.speaker == ("bob", "Ann Lee", "bob", "eve", "")


def test_ruby_annotations_are_left_out() -> None:
    ruby = '<span tts:ruby="container"><span tts:ruby="base">漢</span><span tts:ruby="text">kan'
    body = f'<div><p begin="1s">{ruby}</span></span>字</p></div>'
    styling = 'xmlns:tts="http://www.w3.org/ns/ttml#styling"'
    assert timed(body, styling).words == ("漢字",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "some.ttml:1: not XML: no element found"),
        ("<tt><body></tt>", "some.ttml:1: not XML: mismatched tag"),
        ("<html/>", "some.ttml: this is not TTML; its first element has to be <tt>"),
        (
            f'<tt><body><p begin="{"soon " * 9}">x</p></body></tt>',
            f"some.ttml: '{'soon ' * 8}' is not a time; write it as 00:00:01.500 or 1.5s",
        ),
        (
            '<tt><body><p begin="1000000001s">x</p></body></tt>',
            "some.ttml: '1000000001s' is not a time; write it as 00:00:01.500 or 1.5s",
        ),
        (
            '<tt frameRate="0"><body/></tt>',
            "some.ttml: '0' is not a frameRate; write a number above 0",
        ),
        (
            '<tt subFrameRate="no"><body/></tt>',
            "some.ttml: 'no' is not a subFrameRate; write a number above 0",
        ),
        (
            '<tt timeBase="smpte"><documentStartOfProgramme>noon</documentStartOfProgramme></tt>',
            "some.ttml: 'noon' is not a time; write it as 00:00:01.500 or 1.5s",
        ),
        (
            f'<tt frameRateMultiplier="{"1000 " * 9}"><body/></tt>',
            f"some.ttml: '{'1000 ' * 8}' is not a frameRateMultiplier; write a number above 0",
        ),
        (
            '<tt tickRate="1:0"><body/></tt>',
            "some.ttml: '1:0' is not a tickRate; write a number above 0",
        ),
        (
            "<tt><body>" + "<div>" * 101 + "</div>" * 101 + "</body></tt>",
            "some.ttml: elements are nested more than 100 deep",
        ),
        (
            '<?xml version="1.0" encoding="x-none"?><tt/>',
            "some.ttml: not XML in an encoding that can be read; save the file as UTF-8",
        ),
    ],
)
def test_says_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=f"^{re.escape(message)}$"):
        read_all(text)


def test_a_hundred_levels_are_read() -> None:
    assert timed("<div>" * 99 + "<p>deep</p>" + "</div>" * 99).words == ("deep",)


BOMB = (
    '<!DOCTYPE tt [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    "<tt><body><div><p>&b;</p></div></body></tt>"
)
FILES = '<!DOCTYPE tt [<!ENTITY f SYSTEM "file:///etc/hostname">]><tt><body>&f;</body></tt>'


@pytest.mark.parametrize("text", [BOMB, FILES, "<!DOCTYPE tt><tt/>"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_refuses_a_document_type(text: str, encoding: str) -> None:
    with pytest.raises(FormatError, match="has a document type"):
        tree(Source("some.xml", text.encode(encoding)))


def test_an_entity_without_a_document_type_is_an_error() -> None:
    with pytest.raises(FormatError, match="not XML: undefined entity"):
        tree(Source("some.xml", b"<tt>&nbsp;</tt>"))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1", "utf-8-sig"])
def test_reads_xml_in_its_encoding(encoding: str) -> None:
    declared = encoding.removesuffix("-sig")
    text = f'<?xml version="1.0" encoding="{declared}"?><tt>é</tt>'
    assert tree(Source("some.xml", text.encode(encoding))).text == "é"


def spoken() -> Transcript:
    words = "the <boats> & sails had been tied up since Tuesday".split()
    times = np.arange(len(words) * 6.0) * 0.4
    return Transcript(
        tuple(words * 6),
        language="en",
        speaker=("Ann",) * (3 * len(words)) + ('Bob "&" Lee',) * (3 * len(words)),
        start=times,
        end=times + 0.35,
        sentences=Segmentation.of_gaps(len(words) * 6, range(11, len(words) * 6, 12)),
    )


def test_writes_paragraphs_and_agents() -> None:
    hello = Transcript(
        ("Hello", "<b>", "Oh"),
        start=np.array([1.0, 2.0, 4.0]),
        end=np.array([2.0, 3.5, 5.0]),
        speaker=("A&B", "A&B", ""),
    )
    assert written(hello) == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<tt xmlns="http://www.w3.org/ns/ttml" '
        'xmlns:ttm="http://www.w3.org/ns/ttml#metadata" xml:lang="">\n'
        " <head>\n  <metadata>\n"
        '   <ttm:agent type="person" xml:id="speaker1">'
        '<ttm:name type="full">A&amp;B</ttm:name></ttm:agent>\n'
        "  </metadata>\n </head>\n"
        " <body>\n  <div>\n"
        '   <p begin="00:00:01.000" end="00:00:03.500" ttm:agent="speaker1">Hello &lt;b&gt;</p>\n'
        '   <p begin="00:00:04.000" end="00:00:05.000">Oh</p>\n'
        "  </div>\n </body>\n</tt>\n"
    )


def test_what_xml_cannot_hold_is_left_out() -> None:
    odd = Transcript(
        ("a\x01b", "\ufffe"), start=np.arange(2.0), end=np.arange(2.0), speaker=("\x02x",) * 2
    )
    root = ElementTree.fromstring(written(odd.replace(language="e\x0bn")))
    assert "".join(root.itertext()).split() == ["x", "a", "b"]


def test_no_words_give_a_file_without_paragraphs() -> None:
    assert len(read(written(Transcript(())))) == 0


def test_pysubs2_reads_what_is_written() -> None:
    cues = Ttml().cues(spoken())
    peer = pysubs2.SSAFile.from_string(written(spoken()), "ttml")
    assert [event.plaintext for event in peer] == cues.text
    assert [event.start for event in peer] == cues.start.tolist()
    assert [event.end for event in peer] == cues.end.tolist()
    back = read(written(spoken()))
    assert back.speaker == spoken().speaker
    assert back.words == spoken().words


def test_real_files(corpora: Path) -> None:
    mixed = read(corpora / "formats/ttml/mantas_mixed_times.ttml")
    assert mixed.text == "First line. Second line. Third line."
    assert known(mixed.start) == {0: 0.0, 2: 11.2, 4: 15.0}
    assert known(mixed.end) == {1: 10.0, 3: 13.3, 5: 18.0}
    assert mixed.language == "en"
    ticks = read(corpora / "formats/ttml/mantas_ticks.dfxp")
    assert len(ticks) == 11
    assert known(ticks.start) == {0: 137.4, 8: 3740.5}
    assert known(ticks.end) == {7: 140.4, 10: 3742.5}


def test_times_count_from_the_start_of_the_programme(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "caesura"):
        found = read(SAMPLES / "ttml-programme.ttml")
    assert found.text == "The boats left again."
    assert known(found.start) == {0: 1.0, 2: 3.0, 3: 4.0}
    assert known(found.end) == {1: 2.2, 3: 5.0}
    name = SAMPLES / "ttml-programme.ttml"
    assert caplog.messages == [f"{name}: a span at 36003 s ends before it begins"]


def test_only_a_clock_of_frames_counts_from_the_start_of_the_programme() -> None:
    start = "<documentStartOfProgramme>00:00:01</documentStartOfProgramme>"
    text = f'<tt>{start}<body><p begin="3s">one</p></body></tt>'
    assert known(read(text).start) == {0: 3.0}
    assert known(read(text.replace("<tt>", '<tt timeBase="smpte">')).start) == {0: 2.0}


def test_elements_without_end_are_refused_early() -> None:
    with pytest.raises(FormatError, match="nested over 500 deep"):
        list(Ttml().read(io.BytesIO(b"<tt>" + b"<div>" * 2000)))


@pytest.mark.parametrize(
    ("data", "is_ttml"),
    [
        (b"<tt/>", True),
        (b'\xef\xbb\xbf\n\n<x:tt xmlns:x="a"/>', True),
        (b"<html/>", False),
        (b"words before <tt/>", False),
    ],
)
def test_is_known_by_its_first_element(data: bytes, is_ttml: bool) -> None:
    assert Ttml.recognises(Source("", data)) is is_ttml
