"""Input that is no file: the same transcripts as from files, and clear errors."""

import io
import json
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura
from caesura.core.errors import CaesuraError, FormatError, UnknownName
from caesura.formats.files import open_pooled
from caesura.formats.in_memory import table_columns

ROOT = Path(__file__).parent.parent
WHISPER = ROOT / "examples" / "interview.whisper.json"
TEXT = "So it goes. We tied it shut, then left."
SENTENCES = ["So it goes.", "We tied it shut, then left."]


def one(given: Any, **asked: Any) -> caesura.Transcript:
    (found,) = caesura.read(given, **asked)
    return found


def texts(transcript: caesura.Transcript) -> list[str]:
    return [sentence.text for sentence in transcript.iter_sentences()]


def streamed(given: Any) -> list[str]:
    return [sentence.text for sentence in caesura.stream(given, detector="Pause")]


def test_text_has_its_sentences_and_punctuation() -> None:
    found = one(caesura.Text(TEXT, id="talk", language="en"))
    assert texts(found) == SENTENCES
    assert found.words[:4] == ("So", "it", "goes", "We")
    assert (found.id, found.language) == ("talk", "en")


def test_sentences_may_have_no_punctuation() -> None:
    found = one(caesura.Sentences(["so it\n goes", "", "we tied it shut"]))
    assert texts(found) == [
        "so it goes",
        "we tied it shut",
    ]


def test_words_lose_their_punctuation_to_a_layer() -> None:
    found = one(caesura.Words(TEXT.split()))
    assert found.text == TEXT
    assert found.words[2] == "goes"
    assert found.mark is not None
    assert found.mark[2] == "."
    (segmented,) = caesura.segment(caesura.Words(TEXT.split()))
    assert texts(segmented) == SENTENCES


@given(st.lists(st.from_regex(r"[a-z]{1,6}[.,?]?", fullmatch=True), max_size=12))
def test_words_and_text_agree(words: list[str]) -> None:
    found = one(caesura.Words(words))
    assert found.words == one(caesura.Text(" ".join(words))).words
    assert found.text == " ".join(words)


SHAPES: dict[str, list[dict[str, Any]]] = {
    "whisper": [
        {"word": " So", "start": 0.5, "end": 0.8, "probability": 0.9},
        {"word": " it", "start": np.float64(1.0), "end": 1.25, "probability": 0.8},
    ],
    "deepgram": [
        {"word": "so", "punctuated_word": "So", "start": 0.5, "end": 0.8, "confidence": 0.9},
        {"word": "it", "punctuated_word": "it", "start": 1.0, "end": 1.25, "confidence": 0.8},
    ],
    "aws": [
        {
            "start_time": "0.5",
            "end_time": "0.8",
            "type": "pronunciation",
            "alternatives": [{"content": "So", "confidence": "0.9"}],
        },
        {
            "start_time": "1.0",
            "end_time": "1.25",
            "type": "pronunciation",
            "alternatives": [{"content": "it", "confidence": "0.8"}],
        },
    ],
    "google": [
        {"word": "So", "startTime": "0.500s", "endTime": "0.800s", "confidence": 0.9},
        {"word": "it", "startTime": "1s", "endTime": "1.250s", "confidence": 0.8},
    ],
    "azure": [
        {"Word": "So", "Offset": 5000000, "Duration": 3000000, "Confidence": 0.9},
        {"Word": "it", "Offset": 10000000, "Duration": 2500000, "Confidence": 0.8},
    ],
    "milliseconds": [
        {"text": "So", "startMs": 500, "endMs": 800, "score": 0.9},
        {"text": "it", "start_ms": 1000, "duration_ms": 250, "score": 0.8},
    ],
    "vosk": [
        {"word": "So", "start": 0.5, "end": 0.8, "conf": 0.9},
        {"word": "it", "start": 1.0, "end": 1.25, "conf": 0.8},
    ],
    "pipeline": [
        {"text": " So", "timestamp": (0.5, 0.8), "confidence": 0.9},
        {"text": " it", "timestamp": [1.0, 1.25], "confidence": 0.8},
    ],
    "rev": [
        {"type": "text", "value": "So", "ts": 0.5, "end_ts": 0.8, "confidence": 0.9},
        {"type": "text", "value": "it", "ts": 1.0, "end_ts": 1.25, "confidence": 0.8},
    ],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_words_of_any_recogniser(shape: str) -> None:
    found = one(caesura.Words(SHAPES[shape]))
    assert found.words == ("So", "it")
    assert found.start is not None
    assert found.end is not None
    assert found.confidence is not None
    assert found.start.tolist() == [0.5, 1.0]
    assert found.end.tolist() == pytest.approx([0.8, 1.25])
    assert found.confidence.tolist() == [0.9, 0.8]


def test_items_of_punctuation_belong_to_the_word_before() -> None:
    comma = {"value": ",", "type": "punct"}
    words: list[Any] = [{"value": "So", "type": "text"}, comma, "it", {"word": "is."}]
    found = one(caesura.Words(words))
    assert found.text == "So, it is."


def test_speakers_of_words() -> None:
    words: list[Any] = [{"word": "so", "speakerTag": 1}, {"word": "it", "speaker": "B"}, "is"]
    assert one(caesura.Words(words)).speaker == ("1", "B", "")


def test_milliseconds_are_not_taken_for_seconds() -> None:
    words = [{"text": "so", "start": 500, "end": 800}, {"text": "it", "start": 900, "end": 990}]
    with pytest.raises(FormatError, match=r"unit='ms'"):
        one(caesura.Words(words))
    found = one(caesura.Words(words, unit="ms"))
    assert found.start is not None
    assert found.start.tolist() == [0.5, 0.9]


@pytest.mark.parametrize(
    "times",
    [
        {"start": "00:00:01"},
        {"start": -0.5, "end": 1.0},
        {"start": 0.5, "end": "soon"},
        {"start": 0.5, "end": float("inf")},
        {"start": [1, 2]},
        {"start": np.array([1.0, 2.0])},
        {"start": 0.5, "duration": -1},
        {"timestamp": (0.5, "x")},
    ],
)
def test_times_that_cannot_be_read_are_an_error_with_the_word(times: dict[str, Any]) -> None:
    words = [{"word": "so", "start": 0.0, "end": 0.1}, {"word": "it", **times}]
    with pytest.raises(FormatError, match=r"^words\[1\]: the time under '.*' cannot be read: "):
        one(caesura.Words(words))


def test_times_may_be_left_out() -> None:
    missing: list[dict[str, Any]] = [{}, {"start": None}, {"start": float("nan"), "end": " "}]
    missing += [{"timestamp": (None, None)}, {"start": None, "ts": None, "duration": None}]
    words = [{"word": "so", "start": 0.0, "end": 0.1}]
    found = one(caesura.Words([*words, *({"word": "it", **times} for times in missing)]))
    assert found.start is not None
    assert found.start[0] == 0.0


@pytest.mark.parametrize(
    ("times", "unit", "expected"),
    [
        ({"offset": 1.5, "duration": 0.25}, "s", (1.5, 1.75)),
        ({"offset": 2, "duration": 1}, "s", (2.0, 3.0)),
        ({"offset": 12000.0, "duration": 0.5}, "s", (12000.0, 12000.5)),
        ({"offset": 0, "duration": 3000000}, "s", (0.0, 0.3)),
        ({"offset": 10000, "duration": 5000}, "s", (0.001, 0.0015)),
        ({"offset": np.int64(5000000), "duration": np.int64(3000000)}, "s", (0.5, 0.8)),
        ({"offset": 12000, "duration": 300}, "ms", (12.0, 12.3)),
        ({"start": 12000, "duration": 11000}, "ms", (12.0, 23.0)),
        ({"start_ms": 500, "duration": 300}, "s", (0.5, 0.8)),
        ({"offset": "PT0.5S", "offsetInTicks": 5000000, "end": 0.8}, "s", (0.5, 0.8)),
    ],
)
def test_only_large_whole_numbers_are_ticks_of_azure(
    times: dict[str, Any], unit: str, expected: tuple[float, float]
) -> None:
    found = one(caesura.Words([{"word": "so", **times}], unit=unit))
    assert found.start is not None
    assert found.end is not None
    assert (found.start[0], found.end[0]) == pytest.approx(expected)


def test_a_dict_is_no_list_of_words() -> None:
    with pytest.raises(TypeError, match=r"takes a list, not dict; .*caesura\.Words\(\[\{"):
        caesura.Words({"word": "a"})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"caesura\.Sentences takes a list, not dict"):
        caesura.Sentences({"text": "a"})  # type: ignore[arg-type]


def test_results_are_recognised_like_files() -> None:
    document = json.loads(WHISPER.read_text("utf-8"))
    expected = one(WHISPER).replace(id="")
    assert one(document) == expected
    assert one(document, format="whisper") == expected
    assert one(SimpleNamespace(model_dump=lambda: document)) == expected
    deepgram = {"results": {"channels": [{"alternatives": [{"words": SHAPES["deepgram"]}]}]}}
    assert one(deepgram).words == ("So", "it")


def test_results_may_hold_numbers_of_numpy() -> None:
    words = [{"word": " So", "start": np.float32(0.5), "end": np.float64(1), "probability": 1.0}]
    segments = [{"id": np.int64(0), "text": " So", "start": 0.5, "end": 1.0, "words": words}]
    found = one({"text": " So", "segments": segments, "language": "en"})
    assert found.start is not None
    assert found.start.tolist() == [0.5]


def test_a_dict_that_is_no_result_is_refused() -> None:
    with pytest.raises(FormatError, match=r"keys are word, start.*caesura\.Words"):
        one({"word": "so", "start": 0.1})


def test_open_files_and_strings_as_files() -> None:
    content = WHISPER.read_bytes()
    expected = one(WHISPER)
    with WHISPER.open("rb") as file:
        assert one(file) == expected
    with WHISPER.open(encoding="utf-8") as text:
        assert one(text) == expected
    assert one(io.BytesIO(content)) == expected.replace(id="")
    assert one(io.StringIO(content.decode())) == expected.replace(id="")
    srt = "1\n00:00:01,000 --> 00:00:02,000\nSo it goes.\n"
    assert one(io.StringIO(srt), format="srt").words == ("So", "it", "goes")


COLUMNS: dict[str, list[Any]] = {
    "word": ["So", "it", "goes.", "Yes"],
    "Start": [0.0, 0.5, float("nan"), 2.0],
    "end": [0.4, 0.7, 1.0, 2.5],
    "speaker": ["A", "A", "A", None],
    "sentence": [1, 1, 1, 2],
}


class Frame:
    """A table that looks like one of pandas."""

    def __init__(self, columns: dict[str, list[Any]]) -> None:
        self.columns = list(columns)
        self.shape = (len(next(iter(columns.values()))), len(columns))
        self._columns = columns

    def __getitem__(self, name: str) -> Any:
        return SimpleNamespace(tolist=lambda: self._columns[name])


class ArrowTable:
    """A table that looks like one of Arrow."""

    def __init__(self, columns: dict[str, list[Any]]) -> None:
        self.column_names = list(columns)
        self.shape = (len(next(iter(columns.values()))), len(columns))
        self._columns = columns

    def __getitem__(self, name: str) -> Any:
        return self.column(name)

    def column(self, name: str) -> Any:
        return SimpleNamespace(to_pylist=lambda: self._columns[name])


@pytest.mark.parametrize("make", [Frame, ArrowTable])
def test_tables_of_words(make: Any) -> None:
    found = one(make(COLUMNS))
    assert found.words == ("So", "it", "goes", "Yes")
    assert found.speaker == ("A", "A", "A", "")
    assert found.start is not None
    np.testing.assert_array_equal(found.start, [0.0, 0.5, np.nan, 2.0])
    assert texts(found) == ["So it goes.", "Yes"]


@pytest.mark.parametrize("backend", ["", "numpy_nullable", "pyarrow"])
def test_tables_of_pandas(backend: str) -> None:
    if backend == "pyarrow":
        import_module("pyarrow")
    table = import_module("pandas").DataFrame(COLUMNS)
    if backend:
        table = table.convert_dtypes(dtype_backend=backend)
    assert one(table) == one(Frame(COLUMNS))
    assert list(table_columns(table)) == list(COLUMNS)


def test_tables_of_arrow() -> None:
    table = import_module("pyarrow").table(COLUMNS)
    assert one(table) == one(Frame(COLUMNS))
    assert list(table_columns(table)) == list(COLUMNS)


def test_tables_of_sentences_and_of_several_recordings() -> None:
    columns: dict[str, list[Any]] = {
        "recording": ["a", "a", "b"],
        "text": ["So it goes.", "Yes", "no"],
        "start": [0.0, 2.0, 0.0],
        "end": [1.0, 2.5, 1.0],
    }
    first, second = caesura.read(Frame(columns))
    assert (first.id, second.id) == ("a", "b")
    assert texts(first) == ["So it goes.", "Yes"]
    assert first.start is not None
    assert first.start[[0, 3]].tolist() == [0.0, 2.0]
    with pytest.raises(FormatError, match="no column of words; its columns are a"):
        one(Frame({"a": [1]}))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"word": ["so", "it"], "start": [0.5]},
            "differ in their number of cells: word has 2, start has 1; give as many",
        ),
        (
            {"word": ["so"], "vector": [np.zeros(3)]},
            "the column 'vector' of the table has arrays in its cells; leave the column out",
        ),
        ({"text": [["so", "it"]]}, "row 0: the column 'text' has a list where a text is expected"),
        (
            {"recording": ["a", "b"], "word": ["so", "it"], "start": [0.0, -1.0]},
            "row 1: the time under 'start' cannot be read: -1.0; give times",
        ),
        (
            {"sentence": [1, 2], "word": ["so", "it"], "start": [0.0, "00:01"]},
            "row 1: the time under 'start' cannot be read: '00:01'",
        ),
    ],
)
def test_tables_that_cannot_be_read_say_why(columns: dict[str, list[Any]], message: str) -> None:
    for make in (Frame, ArrowTable):
        with pytest.raises(FormatError, match=message):
            list(caesura.read(make(columns)))


def test_a_column_of_an_unknown_type_is_refused() -> None:
    class Unknown(Frame):
        def __getitem__(self, name: str) -> Any:
            return SimpleNamespace()

    message = "the column 'word' of the table cannot be read: it is a SimpleNamespace; give"
    with pytest.raises(FormatError, match=message):
        one(Unknown({"word": ["so"]}))


@pytest.mark.parametrize(
    "given",
    [
        "So it goes. We tied it shut.",
        "hello",
        "two\nlines",
        "word " * 2000,
        ["so", "it"],
        ["So it goes.", "We tied it shut."],
    ],
    ids=["text", "word", "lines", "long", "words", "sentences"],
)
def test_strings_are_paths_and_the_error_says_so(given: Any) -> None:
    with pytest.raises(CaesuraError, match=r"if this is text: caesura\.Text\(\.\.\.\)"):
        list(caesura.read(given))
    with pytest.raises(CaesuraError, match=r"caesura\.Text"):
        caesura.score(given, reference=given)
    with pytest.raises(CaesuraError, match=r"caesura\.Text"):
        caesura.score(caesura.Text("a"), reference=given, format="text")


def test_names_of_missing_files_are_no_text() -> None:
    for name in ("talk.json", "folder/talk", "my talk.srt"):
        with pytest.raises(FormatError) as caught:
            list(caesura.read(name))
        assert "caesura.Text" not in str(caught.value)


def test_wrong_types_are_refused() -> None:
    with pytest.raises(TypeError, match=r"takes a list, not str; running text"):
        caesura.Words("so it goes")
    with pytest.raises(TypeError, match="takes a list, not str"):
        caesura.Sentences("so it goes")
    with pytest.raises(TypeError, match="takes a string, not list"):
        caesura.Text(["so"])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a sentence is a string, not int"):
        caesura.Sentences([1])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="unit is 's' or 'ms'"):
        caesura.Words(["so"], unit="h")
    with pytest.raises(TypeError, match="a word is a string or a dict, not int"):
        one(caesura.Words([1]))  # type: ignore[list-item]
    with pytest.raises(FormatError, match="a word has no text"):
        one(caesura.Words([{"start": 1.0}]))
    with pytest.raises(TypeError, match="an input is a path, a Transcript"):
        list(caesura.read([3]))  # type: ignore[list-item]


def test_every_function_takes_input_in_memory(tmp_path: Path) -> None:
    heard = caesura.Words("so it goes we tied it shut then left".split())
    said = caesura.Text(TEXT)
    scores = caesura.score(caesura.Sentences(SENTENCES), reference=said, resamples=0)
    assert scores.values[0]["f1"] == 1
    whole = caesura.Text("So it goes we tied it shut then left")
    found = caesura.compare([said, whole], reference=said, resamples=0)
    assert len(found.scores) == 2
    assert caesura.agree([said, caesura.Sentences(SENTENCES)], resamples=0).values
    (aligned,) = caesura.align(heard, script=said)
    assert aligned.sentences is not None
    assert aligned.sentences.gaps.tolist() == [2, 8]
    assert streamed(said) == SENTENCES
    caesura.convert(said, output=tmp_path / "said.txt", to="lines")
    assert (tmp_path / "said.txt").read_text() == "\n".join(SENTENCES) + "\n"
    trained = caesura.train("LM(order=2)", train=[said], output=tmp_path / "model")
    assert trained.detector.name == "LM"


def test_tables_are_correlated() -> None:
    rows = [
        (system, show, value, 2 * value + number)
        for show in ("x", "y", "z")
        for number, (system, value) in enumerate((("a", 0.1), ("b", 0.2), ("c", 0.4)))
    ]
    columns = dict(
        zip(("system", "show", "wer", "eter"), map(list, zip(*rows, strict=True)), strict=True)
    )
    records = [dict(zip(columns, row, strict=True)) for row in rows]
    text = "\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows)])
    asked: dict[str, Any] = {"metric": "wer", "result": "eter", "resamples": 0}
    expected = caesura.correlate(records, **asked).to_dict()
    for table in (Frame(columns), ArrowTable(columns), io.StringIO(text), [Frame(columns)]):
        assert caesura.correlate(table, **asked).to_dict() == expected


def test_streams_are_read_from_open_files() -> None:
    lines = "".join(json.dumps({"word": word}) + "\n" for word in TEXT.split())
    for file in (io.StringIO(lines), io.BytesIO(lines.encode()), caesura.Words(TEXT.split())):
        assert streamed(file) == SENTENCES


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([{"word": "so", "start": 0, "end": 1}], r"this list has .* word, start, end; .*\.Words\("),
        ([{"text": "So it goes.", "start": 0, "end": 1}], r"this list .*format='whisper'"),
        ({"horse": 1}, r"this dict is no .* horse; name its format with format="),
        ("and/or what", r"No such file.*caesura\.Text"),
        (["so it", "goes"], r"2 of 2 files could not be read: No such file .*caesura\.Text"),
    ],
)
def test_what_cannot_be_read_gets_fitting_advice(given: Any, message: str) -> None:
    with pytest.raises(CaesuraError, match=message):
        list(caesura.segment(given))


def test_the_advice_for_segments_works() -> None:
    segments = [{"text": "So it goes.", "start": 0, "end": 1}]
    (found,) = caesura.segment({"segments": segments}, format="whisper")
    assert found.words == ("So", "it", "goes")


@pytest.mark.parametrize(("given", "name"), [(None, "NoneType"), (b"abc", "bytes"), (5, "int")])
def test_errors_name_the_type_that_was_given(given: Any, name: str) -> None:
    with pytest.raises(TypeError, match=f"not {name}$"):
        list(caesura.segment(given))


def test_a_row_number_is_no_recording_and_short_texts_are_sentences() -> None:
    segments: dict[str, list[Any]] = {"id": [0, 1, 2], "text": ["Yes.", "No.", "Okay."]}
    assert texts(one(Frame(segments))) == ["Yes.", "No.", "Okay."]


def test_half_characters_end_no_sentence() -> None:
    assert texts(one(caesura.Text("we saw \ud800 it there"))) == ["we saw \ufffd it there"]


def test_the_format_of_input_in_memory_is_not_ignored() -> None:
    with pytest.raises(UnknownName, match="bogus"):
        open_pooled([io.StringIO("so it goes")], "bogus")
