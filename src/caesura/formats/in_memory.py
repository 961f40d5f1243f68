"""Input that is no file: text, sentences, words, recognisers' results, tables, open files.

`Text`, `Sentences` and `Words` say what a string or a list means, because a plain `str` is
always a path. A recogniser's result is recognised by its keys, as a file would be. Tables are
those of pandas, Polars or Arrow; none of these packages is imported. Open `files.py` for how
files and such input are read together.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from numbers import Integral
from typing import Any, NamedTuple, Protocol, runtime_checkable

from caesura.core.errors import AmbiguousFormat, FormatError
from caesura.core.protocols import Format
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.formats.asr.azure import TICK
from caesura.formats.base import Source, items, number, seconds, share, string, with_plain_keys

TEXT_KEYS = ("punctuatedword", "displaytext", "word", "text", "token", "content", "value", "symbol")
"""Keys of a word's text, the one with punctuation first; `punctuated_word` is the same key."""

START_KEYS = {
    **dict.fromkeys(("start", "starttime", "startsec", "startts", "begin", "from", "ts"), 1.0),
    **dict.fromkeys(("startms", "startmilliseconds", "offsetms", "offsetmilliseconds"), 1e-3),
    **dict.fromkeys(("offset",), 1.0),
    **dict.fromkeys(("offsetinticks",), TICK),
}
END_KEYS = {
    **dict.fromkeys(("end", "endtime", "endsec", "endts", "stop", "to"), 1.0),
    **dict.fromkeys(("endms", "endmilliseconds"), 1e-3),
}
DURATION_KEYS = {
    **dict.fromkeys(("duration", "dur"), 1.0),
    **dict.fromkeys(("durationms", "durationmilliseconds"), 1e-3),
    **dict.fromkeys(("durationinticks",), TICK),
}
"""Keys of times and what they are counted in, in seconds."""

AZURE_KEYS = ("offset", "duration")
"""Keys that Azure counts in ticks without saying so; others give seconds under the same keys."""

FEWEST_TICKS = 10_000
"""Whole numbers from here on (1 ms) are ticks under `AZURE_KEYS`; smaller ones are seconds."""

CONFIDENCE_KEYS = ("confidence", "probability", "conf", "score")
SPEAKER_KEYS = ("speaker", "speakerid", "speakerlabel", "speakertag", "spk")
RECORDING_KEYS = ("recording", "recordingid", "file", "document")
SENTENCE_KEYS = ("sentence", "sentenceid")

PUNCTUATION = frozenset(("punctuation", "punct"))
"""Types of a recogniser's items that are no words but belong to the word before."""

LONG_WORD = 20
"""Seconds. If half of the words are longer than this, the times are not in seconds."""

UNITS = {"s": 1.0, "ms": 1e-3}


@runtime_checkable
class Readable(Protocol):
    """An open file, `io.StringIO` or `io.BytesIO`."""

    def read(self) -> Any:
        """Read all of it."""


@dataclass(frozen=True)
class Text:
    """Running text, as in `caesura.segment(caesura.Text("So it goes. We tied it shut."))`."""

    text: str
    id: str = ""
    language: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise TypeError(f"caesura.Text takes a string, not {type(self.text).__name__}")

    def transcript(self) -> Transcript:
        """Read the text; its sentences end at punctuation and at empty lines."""
        from caesura.formats.plain import Text as TextFormat

        (transcript,) = TextFormat().parse(_source_of(self.text))
        return transcript.replace(id=self.id, language=self.language)


@dataclass(frozen=True)
class Sentences:
    """A list of sentences, as in `caesura.Sentences(["So it goes.", "We tied it shut."])`."""

    sentences: Sequence[str]
    id: str = ""
    language: str = ""

    def __post_init__(self) -> None:
        _refuse_other_than_list(self.sentences, "caesura.Sentences", "caesura.Text")
        object.__setattr__(self, "sentences", tuple(self.sentences))
        for sentence in self.sentences:
            if not isinstance(sentence, str):
                raise TypeError(f"a sentence is a string, not {type(sentence).__name__}")

    def transcript(self) -> Transcript:
        """Read the sentences; those without words are left out."""
        from caesura.formats.plain import Lines

        lines = (" ".join(sentence.split()) for sentence in self.sentences)
        (transcript,) = Lines().parse(_source_of("\n".join(lines)))
        return transcript.replace(id=self.id, language=self.language)


@dataclass(frozen=True)
class Words:
    """A list of words: strings, or dicts in any recogniser's shape.

    Keys are `word`, `text` or `punctuated_word`, `start`, `end` (in seconds; `start_ms` in
    milliseconds), `speaker`, `confidence` and their like in other spellings. With `unit="ms"`,
    `start` and `end` are in milliseconds. Times may be left out or None; those that cannot be read
    are a `FormatError`. Punctuation glued to words is taken off.

    This is input. The metric of that name, the word error rate, is `metric="Words"`.
    """

    words: Sequence[str | Mapping[str, Any]]
    id: str = ""
    language: str = ""
    unit: str = "s"

    def __post_init__(self) -> None:
        _refuse_other_than_list(self.words, "caesura.Words", "caesura.Text")
        object.__setattr__(self, "words", tuple(self.words))
        if self.unit not in UNITS:
            raise ValueError(f"unit is 's' or 'ms', not {self.unit!r}")

    def transcript(self) -> Transcript:
        """Read the words; there are no sentences yet."""
        words = [(f"words[{index}]", word) for index, word in enumerate(self.words)]
        return _transcript_of_words(words, self.id, self.language, UNITS[self.unit])


class Table(Protocol):
    """A table of pandas, Polars or Arrow."""

    @property
    def shape(self) -> Any:
        """The numbers of rows and columns."""

    def __getitem__(self, name: Any, /) -> Any:
        """Give a column."""


InMemory = Text | Sentences | Words | Mapping[str, Any] | Readable | Table
"""Input that is neither a path nor a transcript."""


def is_in_memory(given: object) -> bool:
    """Whether this is one input that is no path: text, words, a result, a table, an open file."""
    return (
        isinstance(given, (Text, Sentences, Words, Readable)) or is_table(given) or is_result(given)
    )


def is_table(given: object) -> bool:
    """Whether this is a table of pandas, Polars or Arrow."""
    return hasattr(given, "column_names") or (
        hasattr(given, "columns") and hasattr(given, "__getitem__") and hasattr(given, "shape")
    )


def is_result(given: object) -> bool:
    """Whether this may be a recogniser's result: a dict, or an object that can become one."""
    return isinstance(given, Mapping) or (
        not isinstance(given, type)
        and any(callable(getattr(given, name, None)) for name in ("model_dump", "to_dict"))
    )


def read(given: Any, format: Format | None = None, in_list: bool = False) -> Iterator[Transcript]:
    """Read the recordings of one input that is no path; `in_list` is for error messages."""
    if isinstance(given, (Text, Sentences, Words)):
        yield given.transcript()
    elif isinstance(given, Readable):
        yield from _read_open_file(given, format)
    elif is_table(given):
        yield from _read_table(given)
    elif is_result(given):
        yield from _read_result(given, format, in_list)
    else:
        raise TypeError(
            f"an input is a path, a Transcript, caesura.Text, Sentences or Words, a recogniser's "
            f"result, a table or an open file, not {type(given).__name__}"
        )


def _read_open_file(file: Readable, format: Format | None) -> Iterator[Transcript]:
    from caesura.formats.files import read_source

    yield from read_source(open_file_source(file), format)


def _read_result(given: Any, format: Format | None, in_list: bool) -> Iterator[Transcript]:
    """Read a recogniser's result as its JSON file would be read."""
    from caesura.formats.files import read_source

    document = _plain(given)
    data = json.dumps(document, default=_plain).encode()
    try:
        for transcript in read_source(Source("<result>", data), format):
            yield transcript.replace(origin=None)
    except AmbiguousFormat as error:
        raise _unknown_result(document, in_list) from error


def _unknown_result(document: Any, in_list: bool) -> FormatError:
    """Make the error for a dict of no known format; it may be one word or one segment."""
    known = ", ".join(map(str, document)) if isinstance(document, dict) else ""
    what = f"this dict is no recogniser's result that Caesura knows; its keys are {known}"
    if in_list:
        what = f"this list has a dict that is no recogniser's result; its keys are {known}"
    keys = with_plain_keys(document) if isinstance(document, dict) else {}
    text = next((string(keys[key]) for key in TEXT_KEYS if key in keys), "")
    remedy = "name its format with format=; words are given as caesura.Words([...])"
    if "words" in keys or len(text.split()) > 1:
        remedy = "a list of segments is given as {'segments': [...]} with format='whisper'"
    elif text:
        remedy = "a list of words is given as caesura.Words([...])"
    return FormatError(what, remedy=remedy)


def _plain(given: Any) -> Any:
    """Give what JSON can hold: dicts of result objects, numbers of numpy, lists of arrays."""
    if isinstance(given, Mapping):
        return dict(given)
    for name in ("model_dump", "to_dict", "tolist", "isoformat"):
        convert = getattr(given, name, None)
        if callable(convert):
            return convert()
    if isinstance(given, Iterable):
        return list(given)
    return str(given)


class Row(NamedTuple):
    """A row of a table, and what to call it in errors."""

    place: str
    cells: dict[str, Any]


def _read_table(table: Any) -> Iterator[Transcript]:
    """Read a table with a row for each word, or for each sentence.

    A column `recording` holds the recording of each row; a change in the column `sentence` begins
    a sentence. A column `text` has one sentence a row.
    """
    columns = {name.replace("_", "").lower(): cells for name, cells in table_columns(table).items()}
    text_key = next((key for key in (*TEXT_KEYS, *SENTENCE_KEYS) if key in columns), "")
    if not text_key:
        raise FormatError(
            f"the table has no column of words; its columns are {', '.join(columns) or 'none'}",
            remedy="name it word (one word a row) or text (one sentence a row)",
        )
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    of_words = text_key not in ("text", *SENTENCE_KEYS)
    recording_key = next((key for key in RECORDING_KEYS if key in columns), "")
    recordings: dict[str, list[Row]] = {}
    for index, cells in enumerate(rows):
        row = Row(f"row {index}", cells)
        recordings.setdefault(string(cells.get(recording_key)), []).append(row)
    make = _transcript_of_word_rows if of_words else _transcript_of_sentence_rows
    for id, own_rows in recordings.items():
        yield make(own_rows, text_key, id)
    if not rows:
        yield Transcript((), sentences=Segmentation.of_gaps(0, []))


def table_columns(table: Any) -> dict[str, list[Any]]:
    """Give the columns of a table as lists; cells that are not known are None."""
    names = list(getattr(table, "column_names", None) or table.columns)
    columns: dict[str, list[Any]] = {}
    for name in names:
        column = table.column(name) if hasattr(table, "column_names") else table[name]
        cells = _cells_of(column, name)
        if any(map(_is_array, cells)):
            raise FormatError(
                f"the column {str(name)!r} of the table has arrays in its cells",
                remedy="leave the column out, or give one value in each cell",
            )
        columns[str(name)] = [None if _is_missing(cell) else cell for cell in cells]
    if len(set(map(len, columns.values()))) > 1:
        lengths = ", ".join(f"{name} has {len(cells)}" for name, cells in columns.items())
        raise FormatError(
            f"the columns of the table differ in their number of cells: {lengths}",
            remedy="give as many in each column, None for what is not known",
        )
    return columns


def _cells_of(column: Any, name: object) -> list[Any]:
    for method in ("to_pylist", "to_list", "tolist"):
        convert = getattr(column, method, None)
        if callable(convert):
            return list(convert())
    raise FormatError(
        f"the column {str(name)!r} of the table cannot be read: it is a {type(column).__name__}",
        remedy="give a table of pandas, Polars or Arrow whose columns have different names",
    )


def table_rows(table: Any) -> list[dict[str, Any]]:
    """Give the rows of a table as dicts."""
    columns = table_columns(table)
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]


def open_file_source(file: Readable) -> Source:
    """Read all of an open file, of bytes or of text."""
    content = file.read()
    name = getattr(file, "name", "")
    data = _encoded(content) if isinstance(content, str) else bytes(content)
    return Source(name if isinstance(name, str) and name else "<open file>", data)


def _is_array(cell: Any) -> bool:
    """Whether this is an array, a series or a table, rather than one value."""
    return bool(getattr(cell, "shape", ()))


def _is_missing(cell: Any) -> bool:
    """Whether a value is None, NaN or pandas' NA."""
    if _is_array(cell):
        return False
    return cell is None or type(cell).__name__ == "NAType" or bool(cell != cell)


def _transcript_of_word_rows(rows: list[Row], text_key: str, id: str) -> Transcript:
    """Make a transcript of rows that are words."""
    columns = rows[0].cells
    sentence_key = next((key for key in SENTENCE_KEYS if key in columns and key != text_key), "")
    if not sentence_key:
        return _transcript_of_words(rows, id)
    parts = [
        _as_one_sentence(_transcript_of_words(list(part), id))
        for _, part in groupby(rows, lambda row: row.cells[sentence_key])
    ]
    return Transcript.join(parts)


def _transcript_of_sentence_rows(rows: list[Row], text_key: str, id: str) -> Transcript:
    """Make a transcript of rows that are sentences, with or without times."""
    from caesura.formats.builder import Segment, transcript_of_segments

    parts = []
    for place, cells in rows:
        text = cells[text_key]
        if isinstance(text, (list, tuple, Mapping)):
            raise FormatError(
                f"the column {text_key!r} has a {type(text).__name__} where a text is expected",
                where=place,
                remedy="give one text in each cell, or one word a row in a column word",
            )
        start, end = _times(cells, 1.0, place)
        segment = Segment(string(text), (), start, end, _first(cells, SPEAKER_KEYS))
        parts.append(_as_one_sentence(transcript_of_segments([segment], "<table>", id)))
    return Transcript.join(parts)


def _as_one_sentence(transcript: Transcript) -> Transcript:
    last = [len(transcript) - 1] if len(transcript) else []
    return transcript.replace(sentences=Segmentation.of_gaps(len(transcript), last))


def _transcript_of_words(
    words: Sequence[tuple[str, Any]], id: str = "", language: str = "", unit: float = 1.0
) -> Transcript:
    """Make a transcript of words that are strings or dicts, each with its place for errors."""
    from caesura.formats.builder import Segment, TimedText, transcript_of_segments

    spoken: list[TimedText] = []
    for place, word in words:
        if isinstance(word, str):
            spoken.append(TimedText(word))
            continue
        if not isinstance(word, Mapping):
            raise TypeError(f"a word is a string or a dict, not {type(word).__name__}")
        cells = with_plain_keys(dict(word))
        best = next(iter(items(cells.get("alternatives"))), None)
        cells = {**cells, **with_plain_keys(best)} if best is not None else cells
        text = _text_of(cells, word)
        if string(cells.get("type")).lower() in PUNCTUATION and spoken:
            spoken[-1] = spoken[-1]._replace(text=spoken[-1].text + text)
            continue
        confidence = next((share(cells[key]) for key in CONFIDENCE_KEYS if key in cells), math.nan)
        times = _times(cells, unit, place)
        spoken.append(TimedText(text, *times, confidence, _first(cells, SPEAKER_KEYS)))
    _refuse_milliseconds([word.end - word.start for word in spoken])
    return transcript_of_segments([Segment("", spoken)], "<words>", id, language)


def _text_of(cells: Mapping[str, Any], word: Mapping[str, Any]) -> str:
    for key in TEXT_KEYS:
        if isinstance(cells.get(key), (str, int, float)):
            return string(cells[key])
    raise FormatError(
        f"a word has no text: {dict(word)!r}",
        remedy="give it under the key word, text or punctuated_word",
    )


def _first(cells: Mapping[str, Any], keys: Iterable[str]) -> str:
    """Give the first of these cells that is known, as a text."""
    return next((text for key in keys if (text := string(cells.get(key)))), "")


def _times(cells: Mapping[str, Any], unit: float, place: str) -> tuple[float, float]:
    """Give start and end of a word in seconds, NaN where they are not given."""
    pair = cells.get("timestamp")
    if isinstance(pair, (list, tuple)) and len(pair) == 2:
        cells = {"start": pair[0], "end": pair[1]}
    start, scale = _time(cells, START_KEYS, unit, place)
    end, _ = _time(cells, END_KEYS, unit, place)
    if math.isnan(end):
        # A duration whose key names no unit is counted like the start.
        duration, _ = _time(cells, DURATION_KEYS, scale, place)
        end = seconds(start + duration)
    return start, end


def _time(
    cells: Mapping[str, Any], keys: Mapping[str, float], unit: float, place: str
) -> tuple[float, float]:
    """Give the first time that can be read, and what it is counted in; NaN if none is given."""
    unreadable = [key for key in keys if key in cells and _is_given(cells[key])]
    for key in unreadable:
        scale = unit if keys[key] == 1.0 else keys[key]
        if key in AZURE_KEYS and unit == 1.0 and _are_ticks(cells[key]):
            scale = TICK
        time = seconds(_number(cells[key]), scale)
        if not math.isnan(time):
            return time, scale
    if unreadable:
        raise FormatError(
            f"the time under {unreadable[0]!r} cannot be read: {cells[unreadable[0]]!r}",
            where=place,
            remedy="give times as numbers of seconds from 0 on, or leave out what is not known",
        )
    return math.nan, unit


def _is_given(value: Any) -> bool:
    return not _is_missing(value) and not (isinstance(value, str) and not value.strip())


def _are_ticks(value: Any) -> bool:
    """Whether this is a whole number, so large that it must count ticks."""
    is_whole = isinstance(value, Integral) or (isinstance(value, str) and value.isdecimal())
    return is_whole and int(value) >= FEWEST_TICKS


def _encoded(text: str) -> bytes:
    """Encode text; half characters become U+FFFD, not `?`, which would end a sentence."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def _number(value: Any) -> float:
    """Read a number, also one of numpy, or with the letter s after it as Google writes it."""
    if isinstance(value, str):
        return number(value.removesuffix("s"))
    try:
        return number(float(value))
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _refuse_milliseconds(lengths: Iterable[float]) -> None:
    """Raise an error for words that would last minutes."""
    known = sorted(length for length in lengths if not math.isnan(length))
    if known and known[len(known) // 2] > LONG_WORD:
        raise FormatError(
            f"half of the words last longer than {LONG_WORD} seconds",
            remedy="if their times are in milliseconds: caesura.Words([...], unit='ms')",
        )


def _refuse_other_than_list(given: object, taker: str, other: str) -> None:
    if isinstance(given, Mapping):
        raise TypeError(
            f"{taker} takes a list, not {type(given).__name__}; one word is given as "
            "caesura.Words([{...}]), and a recogniser's result as it is"
        )
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        what = f"a list, not {type(given).__name__}"
        raise TypeError(f"{taker} takes {what}; running text is given as {other}(...)")


def _source_of(text: str) -> Source:
    data = _encoded(text.replace("\0", "\ufffd"))
    return Source("<text>", data)
