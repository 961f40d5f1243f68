"""Rev's .nlp files."""

import logging
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from caesura.core import registry
from caesura.core.errors import FormatError, UnknownName
from caesura.core.transcript import Span, Transcript
from caesura.formats.asr.rev_nlp import Nlp
from caesura.formats.base import Source

SAMPLES = Path(__file__).parent / "samples"
HEADER = "token|speaker|ts|endTs|punctuation|case|tags|wer_tags\n"


def read(path: Path, format: Nlp | None = None) -> Transcript:
    (found,) = (format or Nlp()).parse(Source(str(path), path.read_bytes()))
    return found


def test_reads_words_speakers_marks_and_sentence_ends() -> None:
    found = read(SAMPLES / "nlp.nlp")
    assert found.id == "nlp"
    assert " ".join(found.words) == (
        "Good morning Anna <laugh> Is the first quarter 2031 done The U.S. team th-"
    )
    assert found.text == (
        "Good morning, Anna. <laugh> Is the first quarter 2031 done? The U.S. team th-…"
    )
    assert found.speaker is not None
    assert "".join(found.speaker) == "00011111110000"
    assert found.start is None
    assert found.sentences is not None
    assert found.sentences.sentences == [(0, 2), (3, 9), (10, 13)]
    assert found.sentences.label is not None
    assert [found.sentences.label[gap] for gap in (2, 9, 13)] == [".", "?", ""]


def test_entities_are_runs_of_words_with_the_same_tag() -> None:
    found = read(SAMPLES / "nlp.nlp")
    assert found.entities == (
        Span(2, 2, "PERSON", "5"),
        Span(5, 7, "DATE", "6"),
        Span(8, 8, "YEAR", "7"),
        Span(11, 11, "ABBREVIATION", "8"),
    )


def test_the_other_column_has_more_entities() -> None:
    found = read(SAMPLES / "nlp.nlp", Nlp(entities="wer_tags"))
    assert found.entities == (
        Span(1, 1, "", "4"),
        Span(2, 2, "PERSON", "5"),
        Span(5, 8, "DATE", "6"),
        Span(7, 8, "YEAR", "7"),
        Span(11, 11, "ABBREVIATION", "8"),
    )


def test_both_columns_together_have_all_entities_once() -> None:
    found = read(SAMPLES / "nlp.nlp", Nlp(entities="both"))
    assert found.entities == (
        Span(1, 1, "", "4"),
        Span(2, 2, "PERSON", "5"),
        Span(5, 7, "DATE", "6"),
        Span(5, 8, "", "6"),
        Span(7, 8, "", "7"),
        Span(8, 8, "YEAR", "7"),
        Span(11, 11, "ABBREVIATION", "8"),
    )


def test_an_id_that_names_other_words_in_the_other_column_gives_no_class() -> None:
    rows = "a|0||||LC|['1:PERSON']|[]\nb|0||||LC|[]|['1']\n"
    (found,) = Nlp(entities="wer_tags").parse(Source("x.nlp", (HEADER + rows).encode()))
    assert found.entities == (Span(1, 1, "", "1"),)


def test_refuses_another_column_for_entities() -> None:
    with pytest.raises(UnknownName, match="entities is one of tags, wer_tags, both, not 'case'"):
        registry.parse("format", "nlp(entities='case')")


def test_reads_times_and_columns_in_another_order() -> None:
    found = read(SAMPLES / "nlp-aligned.nlp")
    nan = np.nan
    assert found.start is not None
    assert found.end is not None
    np.testing.assert_array_equal(found.start, [0.51, 0.73, 1.1, nan, 1.9, nan])
    np.testing.assert_array_equal(found.end, [0.7301, 1.1, 1.4, nan, 2.2, nan])
    assert found.text == "So, twenty thirty was “fine. Inaudible!"
    assert found.entities == (Span(1, 2, "YEAR", "1"),)


def test_a_percent_sign_in_the_punctuation_belongs_to_the_word() -> None:
    found = read(SAMPLES / "nlp-recogniser.nlp")
    assert found.text == "We grew 5% or 6%, not 7%."
    assert found.words[2] == "5%"
    assert found.mark == ("", "", "", "", ",", "", ".")
    assert found.sentences is not None
    assert found.sentences.label == ("", "", "", "", "", "", ".")


def test_without_punctuation_there_are_no_sentences() -> None:
    assert read(SAMPLES / "nlp-bare.nlp").layers == ()


def test_odd_rows_are_read_as_far_as_they_go_and_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "caesura"):
        found = read(SAMPLES / "nlp-odd.nlp")
    assert found.words == ("plants.", "Measure", "burden", "short", "long")
    assert found.mark == ("", ".", "", "", "!")
    assert found.speaker == ("3", "3", "3", "4", "4")
    assert found.end is None
    assert found.entities == (Span(1, 1, "LAW", "1"),)
    np.testing.assert_array_equal(found.confidence, [0.5, 0.25, np.nan, np.nan, 0.75])
    told = [message.split("nlp-odd.nlp")[1] for message in caplog.messages]
    assert told == [
        ":7: a row does not have 10 cells (2 rows are so)",
        ":5: a row has no token",
        ":2: a row has '.' as endTs",
        ":6: a row has '1.5' as confidence",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a.nlp:1: the first row does not name a column 'token'; an .nlp file begins with"),
        ("word|speaker\na|1\n", "a.nlp:1: the first row does not name a column 'token'"),
        (HEADER + "a|0||||LC|[]|[]\nb\n", "a.nlp:3: a row has one cell where 8 are named"),
    ],
)
def test_refuses_what_is_no_nlp_file(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        list(Nlp().parse(Source("a.nlp", text.encode())))
    assert str(caught.value).startswith(message)


def spoken(token: str) -> bool:
    """Whether a token is a word as the corpora's totals count them."""
    tag = token.startswith("<") and token.endswith(">")
    return not tag and any(char.isalnum() for char in token)


def totals(folder: Path) -> tuple[int, int, int, int, int]:
    """Recordings, words, words with times, sentence ends and speaker changes."""
    sums = np.zeros(5, dtype=np.int64)
    for path in sorted(folder.glob("*.nlp")):
        found = read(path)
        kept = found.take(np.array([spoken(word) for word in found.words]))
        timed = 0
        if kept.start is not None and kept.end is not None:
            timed = int((~np.isnan(kept.start) & ~np.isnan(kept.end)).sum())
        labels = found.sentences.label if found.sentences is not None else ()
        speakers = kept.speaker or ()
        changes = sum(a != b for a, b in pairwise(speakers))
        sums += np.array([1, len(kept), timed, sum(map(bool, labels or ())), changes])
    return tuple(sums.tolist())  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("earnings22/references", (100, 811_202, 601_900, 44_539, 6_378)),
        ("earnings21/references", (33, 265_356, 0, 13_973, 2_175)),
        ("rev16/verbatim", (10, 123_376, 0, 9_207, 5_687)),
        ("rev16/nonverbatim", (10, 115_560, 0, 9_941, 4_121)),
        ("coraal-multi/amberscript/nlp", (18, 65_059, 0, 7_156, 3_186)),
        ("coraal-multi/coraal/nlp", (18, 68_634, 0, 8_206, 3_797)),
        ("coraal-multi/rev/nlp", (18, 67_781, 0, 8_030, 3_805)),
        ("coraal-multi/rev_aa/nlp", (18, 68_087, 0, 8_561, 3_847)),
        ("earnings21/recognisers/amazon", (33, 257_706, 257_706, 15_891, 1_722)),
        ("earnings21/recognisers/google", (33, 255_446, 255_446, 11_940, 0)),
        # 4,178 ends are exactly `.`, `?` or `!`, and 30 more stand behind a percent sign.
        ("earnings21/recognisers/microsoft", (33, 262_814, 0, 4_178 + 30, 0)),
        ("earnings21/recognisers/speechmatics", (33, 256_044, 256_044, 13_354, 0)),
        ("earnings21/recognisers/rev-espnet", (33, 272_745, 0, 0, 0)),
    ],
)
def test_the_corpora_have_the_totals_they_should(
    corpora: Path, folder: str, expected: tuple[int, ...]
) -> None:
    assert totals(corpora / folder) == expected


def test_entities_of_a_corpus_are_those_that_slow_reading_finds(corpora: Path) -> None:
    for path in sorted((corpora / "earnings21" / "references").glob("*.nlp")):
        found = read(path)
        assert found.entities is not None
        rows = [line.split("|") for line in path.read_text("utf-8").split("\n")[1:] if line]
        tagged = [row[6].strip("[]'") for row in rows if row[0].strip()]
        runs = [
            tag for tag, before in zip(tagged, ["", *tagged], strict=False) if tag and tag != before
        ]
        assert [f"{span.key}:{span.label}" for span in found.entities] == runs
