"""Praat's TextGrids."""

import io
import logging
from pathlib import Path

import numpy as np
import pytest
from praatio import textgrid as praatio

from caesura.core.errors import FormatError
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.formats.annotation.textgrid import TextGrid
from caesura.formats.base import Source

SAMPLES = Path(__file__).parent / "samples"
NAN = np.nan


def read(path: Path, format: TextGrid | None = None) -> Transcript:
    (found,) = (format or TextGrid()).parse(Source(str(path), path.read_bytes()))
    return found


def parsed(text: str, format: TextGrid | None = None) -> Transcript:
    (found,) = (format or TextGrid()).parse(Source("a.TextGrid", text.encode()))
    return found


def written(transcript: Transcript) -> str:
    file = io.BytesIO()
    TextGrid().write([transcript], file)
    return file.getvalue().decode()


def grid(*tiers: tuple[str, list[tuple[float, float, str]]]) -> str:
    """A short TextGrid."""
    lines = ['"ooTextFile" "TextGrid" 0 9 <exists>', str(len(tiers))]
    for name, intervals in tiers:
        lines.append(f'"IntervalTier" "{name}" 0 9 {len(intervals)}')
        lines += [f'{start} {end} "{text}"' for start, end, text in intervals]
    return "\n".join(lines)


def test_reads_words_pauses_and_sentences() -> None:
    found = read(SAMPLES / "textgrid.TextGrid")
    assert found.id == "textgrid"
    assert found.text == '"Hi," there. New York'
    assert found.words == ("Hi", "there", "New", "York")
    assert found.pause == ("sp", "", "", "<p:>")
    np.testing.assert_array_equal(found.start, [0.25, 1, 1.5, NAN])
    np.testing.assert_array_equal(found.end, [0.5, 1.5, NAN, 2])
    assert found.sentences is not None
    assert found.sentences.sentences == [(0, 1), (2, 3)]
    assert found.speaker is None


@pytest.mark.parametrize("name", ["textgrid-short.TextGrid", "textgrid-utf16.TextGrid"])
def test_reads_the_short_form_comments_and_tiers_of_speakers(name: str) -> None:
    found = read(SAMPLES / name)
    assert found.words == ("well", "näh", "so")
    assert found.speaker == ("Ana", "Ben", "Ana")
    np.testing.assert_array_equal(found.start, [0, 0.25, 1.5])
    np.testing.assert_array_equal(found.end, [0.5, 1.75, 2])
    assert found.sentences is None


def test_reads_old_files_of_praat_in_latin_1(caplog: pytest.LogCaptureFixture) -> None:
    data = grid(("word", [(0, 1, "für")])).encode("latin-1")
    (found,) = TextGrid().parse(Source("a.TextGrid", data))
    assert found.words == ("für",)
    assert caplog.messages == ["a.TextGrid: not UTF-8, so it is read as Latin-1"]


def test_reads_tiers_of_running_speech_as_speakers() -> None:
    found = read(SAMPLES / "textgrid-elan.TextGrid")
    assert found.text == 'What did you "say"? Nothing at all.'
    assert found.speaker == ("Ana",) * 4 + ("Ben",) * 3
    np.testing.assert_array_equal(found.start, [0, NAN, NAN, NAN, 1.25, NAN, NAN])
    np.testing.assert_array_equal(found.end, [NAN, NAN, NAN, 1.5, NAN, NAN, 3])
    assert found.sentences is None


@pytest.mark.parametrize(
    ("name", "speaker"),
    [
        ("word", None),
        ("ORT-MAU", None),
        ("TokensAlign", None),
        ("Ana - words", "Ana"),
        ("Ana_word", "Ana"),
        ("word@Ana", "Ana"),
        ("words (Ana B.)", "Ana B."),
        ("x-y - words (overlap)", "x-y"),
    ],
)
def test_finds_the_words_by_the_name_of_their_tier(name: str, speaker: str | None) -> None:
    found = parsed(grid(("phones", [(0, 9, "h")]), (name, [(0, 1, "yes")]), ("x", [(0, 9, "b")])))
    assert found.words == ("yes",)
    assert found.speaker == (None if speaker is None else (speaker,))


def test_of_two_word_tiers_the_fuller_one_is_read(caplog: pytest.LogCaptureFixture) -> None:
    text = grid(("tokens", [(0, 2, "a b")]), ("words", [(0, 1, "a"), (1, 2, "b")]))
    with caplog.at_level(logging.WARNING, "caesura"):
        assert parsed(text).start is not None
    assert caplog.messages == [
        "a.TextGrid: tier 'words' is read and 'tokens' is not; another can be chosen with "
        "textgrid(tier='name')"
    ]


def test_sentences_without_words_are_the_text() -> None:
    found = parsed(grid(("utterance", [(0, 1, "So it is."), (1, 2, ""), (2, 3, "Is it?")])))
    assert found.text == "So it is. Is it?"
    assert found.sentences is not None
    assert found.sentences.sentences == [(0, 2), (3, 4)]


def test_a_tier_can_be_chosen_by_name_or_number() -> None:
    text = grid(("Mary", [(0, 1, "yes")]), ("Mary", [(1, 2, "no")]), ("John", [(2, 3, "well")]))
    listed = "there are 1 'Mary', 2 'Mary', 3 'John'"
    with pytest.raises(FormatError, match=f"not clear which tier holds the words; {listed}"):
        parsed(text)
    with pytest.raises(FormatError, match=f"2 tiers are named 'Mary'; {listed}"):
        parsed(text, TextGrid(tier="Mary"))
    with pytest.raises(FormatError, match=f"no tier is named 'Eve'; {listed}"):
        parsed(text, TextGrid(tier="Eve"))
    assert parsed(text, TextGrid(tier="john")).words == ("well",)
    assert parsed(text, TextGrid(tier=2)).words == ("no",)
    both = parsed(text, TextGrid(tier=(1, "John")))
    assert (both.words, both.speaker) == (("yes", "well"), ("Mary", "John"))


def test_a_translation_is_not_taken_for_a_speaker() -> None:
    text = grid(("a", [(0, 1, "il pleut"), (1, 2, "")]), ("b", [(0, 1, "it rains"), (1, 2, "")]))
    with pytest.raises(FormatError, match="not clear which tier"):
        parsed(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello", "a.TextGrid:1: this is not a TextGrid; it has to begin with File type"),
        (grid(("w", [(0, 1, "a")]))[:-4], "a.TextGrid:4: the TextGrid has no text where there "),
        (grid(("w", [(2, 1, "a")])), "a.TextGrid:4: an interval ends before it begins"),
        (grid(("w", [(0, 1e30, "a")])), "a.TextGrid:4: 1e+30 is not a time in seconds"),
        (grid().replace("\n0", "\n999"), "a.TextGrid:2: 999 is not a count"),
    ],
)
def test_refuses_what_is_no_textgrid(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        parsed(text)
    assert str(caught.value).startswith(message)


def test_writes_intervals_without_gaps() -> None:
    transcript = Transcript(
        ("sp", 'say "no"', "now"),
        start=np.array([0.5, 1, 1]),
        end=np.array([1, 1, 2]),
        sentences=Segmentation.of_gaps(3, [1]),
    )
    lines = [line.strip() for line in written(transcript).split("\n")]
    values = [line.partition(" = ")[2] for line in lines if line.startswith(("xm", "text", "name"))]
    assert " ".join(values) == (
        '0 2 "words" 0 2 0 0.5 "" 0.5 1 " sp" 1 1.000000001 "say ""no""" 1.000000001 2 "now" '
        '"sentences" 0 2 0 0.5 "" 0.5 1.000000001 "sp say ""no""" 1.000000001 2 "now"'
    )


def test_words_that_overlap_go_to_a_further_tier(caplog: pytest.LogCaptureFixture) -> None:
    transcript = Transcript(
        ("a", "b", "c", "d"),
        start=np.array([0, 0.999, 1.5, 2]),
        end=np.array([1, 2, 2.5, 3]),
        sentences=Segmentation.of_gaps(4, [1]),
    )
    with caplog.at_level(logging.WARNING, "caesura"):
        text = written(transcript)
    assert caplog.messages == ["a recording: shortened 1 interval that ran a little into the next"]
    tiers = [line.split('"')[1] for line in text.split("\n") if "name" in line]
    assert tiers == ["words", "words (overlap)", "sentences", "sentences (overlap)"]
    back = parsed(text)
    assert back.words == transcript.words
    assert back.sentences == transcript.sentences
    np.testing.assert_array_equal(back.end, [0.999, 2, 2.5, 3])


def test_praatio_reads_what_is_written(tmp_path: Path) -> None:
    transcript = Transcript(
        ("So", "it", "is", "yes"),
        start=np.array([0.25, 0.5, 0.5, 0.75]),
        end=np.array([0.5, 0.5, 1, 1.25]),
        mark=("", "", ".", "!"),
        speaker=("Ana", "Ana", "Ana", "Ben"),
        sentences=Segmentation.of_gaps(4, [2]),
    )
    path = tmp_path / "a.TextGrid"
    path.write_text(written(transcript), "utf-8")
    peer = praatio.openTextgrid(str(path), includeEmptyIntervals=False)
    assert peer.tierNames == ("Ana - words", "Ben - words", "Ana - sentences", "Ben - sentences")
    words = [(e.start, e.end, e.label) for e in peer.getTier("Ana - words").entries]
    assert [label for *_, label in words] == ["So", "it", "is."]
    np.testing.assert_allclose(words[1][:2], (0.5, 0.5), atol=1e-8)
    assert [e.label for e in peer.getTier("Ana - sentences").entries] == ["So it is."]
    assert read(path).replace(id="") == transcript.replace(opening=None)


def test_real_files_read_as_praatio_reads_them(corpora: Path) -> None:
    words = {}
    for path in sorted((corpora / "formats" / "textgrid").iterdir()):
        peer = praatio.openTextgrid(str(path), False, duplicateNamesMode="rename")
        name = next((n for n in peer.tierNames if n.strip('"') in ("word", "words")), "Mary")
        found = read(path, TextGrid(tier=1) if name == "Mary" else None)
        entries = peer.getTier(name).entries
        assert found.start is not None
        assert found.end is not None
        starts, ends = (t[~np.isnan(t)].tolist() for t in (found.start, found.end))
        assert starts == [round(entry.start, 6) for entry in entries]
        assert ends == [round(entry.end, 6) for entry in entries]
        assert found.text == " ".join(" ".join(entry.label.split()) for entry in entries)
        words[path.name] = found.text
    assert words == {
        "praatio_damon_set.TextGrid": "damon fried the omelet",
        "praatio_mary_long.TextGrid": "mary rolled the barrel",
        "praatio_mary_short.TextGrid": "mary rolled the barrel",
        "praatio_newlines_long_elan.TextGrid": (
            '"""BOBBY""" Noun RIPPED Verb THE Determiner LEDGER Noun'
        ),
        "praatio_same_tier_names.TextGrid": "Mary",
    }
