"""Which format a file has: one table of suffixes, JSON keys and first lines of all formats.

The table rules out formats without importing their modules: what stands there is *necessary*
for a file of the format. The class of a format that is left is imported and asked
(`Format.recognises`), so reading a Whisper file loads no other recogniser's module. Formats of
other packages are not in the table; their classes are always asked. `choose_format` takes the
one that is left, and refuses a file of which the content does not tell the format.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, Protocol

from caesura.core import registry
from caesura.core.arrays import Strings
from caesura.core.errors import AmbiguousFormat, CaesuraError
from caesura.core.protocols import Format
from caesura.formats.base import Source

logger = logging.getLogger("caesura")

KEYS_SHOWN = 5
"""Keys that an error names of a JSON file of no known format."""

MARKUP = re.compile(r"[{<]|\[\s*([\[{\"\d\]]|$)|WEBVTT|File type = |-DOCSTART-|#!|# ")
"""How a first line begins that is no plain text."""


class Test(Protocol):
    """Something that is true of every file of a format."""

    def holds(self, source: Source) -> bool:
        """Whether it is true of this file."""


class Keys:
    """Distinctive keys of a JSON file: one of several patterns must be found.

    A pattern is one or more paths, separated by blanks, that must all be there (`!path`: must
    not be there). A path is made of keys: `results.items`; `key[]` is a list, and `key[].inner`
    looks into its objects; `a|b` is either key; `**` is any number of objects inside one another;
    `=x|y` at the end asks for the value, `=number` for any number. Keys are compared without
    case and underscores. A list at the top of the file counts as its elements.
    """

    def __init__(self, *patterns: str, damaged: bytes = b"") -> None:
        """`damaged`: what to look for in a file that is not clean UTF-8, if it is still read."""
        self.patterns = [pattern.split() for pattern in patterns]
        self.damaged = damaged

    def holds(self, source: Source) -> bool:
        """Whether one of the patterns is found."""
        try:
            documents = source.documents
        except CaesuraError:
            return bool(self.damaged) and self.damaged in source.data
        parts = [part for one in documents for part in (one if isinstance(one, list) else [one])]
        return any(
            all(_found(parts, path.lstrip("!")) != path.startswith("!") for path in pattern)
            for pattern in self.patterns
        )


def _found(nodes: Sequence[Any], path: str) -> bool:
    """Whether any of these JSON values has what is at the end of the path."""
    path, _, wanted = path.partition("=")
    steps = [step for step in path.replace("[]", ".[]").split(".") if step]
    for place, step in enumerate(steps):
        if step == "[]":
            nodes = [node for node in nodes if isinstance(node, list)]
            if place < len(steps) - 1 or wanted:
                nodes = [inner for node in nodes for inner in node]
        elif step == "**":
            nodes = _nested(nodes)
        else:
            nodes = _values(nodes, step.split("|"))
        if not nodes:
            return False
    if wanted == "number":
        return any(type(node) in (int, float) for node in nodes)
    return not wanted or any(node in wanted.split("|") for node in nodes if isinstance(node, str))


def _values(nodes: Iterable[Any], wanted: Sequence[str]) -> list[Any]:
    """Return the values of these keys, in any spelling: `startTime`, `start_time`, `StartTime`."""
    objects = [node for node in nodes if isinstance(node, dict)]
    plain = {key.lower() for key in wanted}
    spelt = [key for key in set().union(*objects) if key.replace("_", "").lower() in plain]
    return [node[key] for key in spelt for node in objects if key in node]


def _nested(nodes: Iterable[Any]) -> list[Any]:
    """Return the objects among these values, and all objects directly inside objects."""
    objects = [node for node in nodes if isinstance(node, dict)]
    for node in objects:
        objects += [inner for inner in node.values() if isinstance(inner, dict)]
    return objects


class FirstRow:
    """A pattern that the first line must match which is neither blank nor a comment."""

    def __init__(self, pattern: str, comment: str = "") -> None:
        self.pattern = re.compile(pattern)
        self.comment = comment

    def holds(self, source: Source) -> bool:
        """Whether it matches."""
        for _, line in source.lines():
            bare = line.lstrip()
            if bare and not (self.comment and bare.startswith(self.comment)):
                return self.pattern.match(line) is not None
        return False


class PlainText:
    """No mark-up at the start of the file."""

    def holds(self, source: Source) -> bool:
        """Whether the first line that is not blank could be text."""
        first = next((line for _, line in source.lines() if line.strip()), "")
        return MARKUP.match(first.lstrip("\ufeff \t")) is None


class Contains:
    """A pattern that must be found somewhere in the bytes, zeros of UTF-16 left out."""

    def __init__(self, pattern: bytes, within: int | None = None) -> None:
        self.pattern = re.compile(pattern)
        self.within = within

    def holds(self, source: Source) -> bool:
        """Whether it is found within the first bytes."""
        return self.pattern.search(source.data[: self.within].replace(b"\0", b"")) is not None


class FileName:
    """A name that the file must have."""

    def __init__(self, name: str) -> None:
        self.name = name

    def holds(self, source: Source) -> bool:
        """Whether it has the name."""
        return PurePath(source.name).name == self.name


@dataclass(frozen=True)
class Entry:
    """What is known of a format before its module is imported."""

    suffixes: Strings
    """As `Format.suffixes`."""

    test: Test | None = None
    """What every file of the format has; None if a file never shows its format."""

    writable: bool = True
    """As `Format.writable`."""


JSON = (".json",)
TEXT = (".txt",)
NIST_COMMENT = ";;"
TIME = r"(?:\d+(?:\.\d*)?|\*)"
NUMBER = r"(?=[-+.eE_]*\d)[-+.\deE_]++\**"
WRAPPERS = "response|inlineresult|transcript|results"

TABLE: dict[str, Entry] = {
    "lines": Entry(TEXT, PlainText()),
    "text": Entry(TEXT, PlainText()),
    "turns": Entry(TEXT),
    "tokens": Entry(TEXT),
    "utterances": Entry(TEXT),
    "jsonl": Entry((".jsonl", ".ndjson"), FirstRow(r"\{.*(?:\"words\"|\\u)")),
    "tsv": Entry((".tsv",), FirstRow(r"(?i)(?=.*text).*\t")),
    "ctm": Entry(
        (".ctm",),
        FirstRow(rf"\s*\S+\s+\S+\s+{TIME}\s+{TIME}(?:\s+\S+){{1,4}}\s*$", NIST_COMMENT),
    ),
    "stm": Entry(
        (".stm",),
        FirstRow(
            rf"\s*\S+\s+\S+\s+(?!{NUMBER}\s)\S+\s+{NUMBER}\s+{NUMBER}(?![^\s<])", NIST_COMMENT
        ),
    ),
    "trn": Entry((".trn", *TEXT), FirstRow(r".*\((?=[^\s()\d]*\d)[^\s()]++\)\s*$", NIST_COMMENT)),
    "kaldi": Entry((*TEXT, ".kaldi"), FileName("text")),
    "rttm": Entry(
        (".rttm",),
        FirstRow(
            r"\s*(?:SEGMENT|NOSCORE|NO_RT_METADATA|LEXEME|NON-LEX|NON-SPEECH|FILLER|EDIT|SU|IP|CB"
            r"|A/P|SPEAKER|SPKR-INFO)(?!\S)",
            NIST_COMMENT,
        ),
    ),
    "whisper": Entry(
        JSON,
        Keys(
            "segments[] text",
            "segments[] language",
            "segments[].text",
            "segments[].words[].word",
            "segments[][]=number",
            "chunks[] text",
            "chunks[] language",
            "chunks[].timestamp",
            "words[].word !content",
            "text start end",
            "word",
            "[]=number",
            "oridict",
            "result.segments|chunks|words|text",
        ),
    ),
    "whispercpp": Entry(JSON, Keys("transcription[]", damaged=b'"transcription"'), writable=False),
    "vosk": Entry(JSON, Keys("result[]", "alternatives[].text", "content words[]"), writable=False),
    "nlp": Entry((".nlp",), FirstRow(r"(?=.*token)(?=.*punctuation).*\|"), writable=False),
    "rev": Entry(JSON, Keys("monologues[].spans[]", "monologues[] speakers[]"), writable=False),
    "revai": Entry(JSON, Keys("monologues[]", "type=final|partial|connected"), writable=False),
    "amberscript": Entry(
        JSON,
        Keys(
            "segments[] speakers[].spkid",
            "segments[].words[].pristine",
            "segments[] startTimeOffset",
        ),
        writable=False,
    ),
    "coraal": Entry(TEXT, FirstRow(r"(?=.*Spkr)(?=.*StTime)(?=.*Content).*\t"), writable=False),
    "aws": Entry(JSON, Keys("results.items[]", "transcript[].participantrole"), writable=False),
    "google": Entry(
        JSON,
        Keys(
            "@type",
            "metadata|response.@type",
            "alternatives[].transcript|words",
            f"**.{WRAPPERS}[].alternatives[].transcript|words",
        ),
        writable=False,
    ),
    "azure": Entry(
        JSON,
        Keys(
            "recognizedPhrases[]",
            "audioFileResults[]",
            "phrases[] combinedPhrases[]",
            "recognitionStatus",
            "privResult",
            "privJson",
        ),
        writable=False,
    ),
    "deepgram": Entry(
        JSON,
        Keys("results.channels[]", "type=Results|Metadata|UtteranceEnd|SpeechStarted|Finalize"),
        writable=False,
    ),
    "assemblyai": Entry(
        JSON,
        Keys(
            "status audioUrl|audioSrcUrl|acousticModel",
            "text|audioDuration words[].text words[].confidence",
            "text|audioDuration sentences|paragraphs[].words[].confidence",
            "transcript.status transcript.audioUrl|audioSrcUrl|acousticModel",
            "transcript.text|audioDuration transcript.words[].text transcript.words[].confidence",
            "transcript.text|audioDuration transcript.sentences|paragraphs[].words[].confidence",
            "type=Turn|Begin|Termination",
            "messageType",
        ),
        writable=False,
    ),
    "speechmatics": Entry(
        JSON,
        Keys(
            "results[].type=word|punctuation|entity|speaker_change",
            "results[] format metadata",
            "message",
        ),
        writable=False,
    ),
    "srt": Entry((".srt",), FirstRow(r"\s*[0-9]+\s*$|.*--\s?>")),
    "vtt": Entry((".vtt",), FirstRow(r"WEBVTT(?!\S)")),
    "ttml": Entry((".ttml", ".dfxp", ".itt"), Contains(rb"<(?:[^\s<>/]+:)?tt[\s/>]")),
    "textgrid": Entry((".textgrid",), Contains(b"ooTextFile", within=1000)),
    "eaf": Entry((".eaf",), Contains(b"ANNOTATION_DOCUMENT")),
    "conllu": Entry(
        (".conllu", ".conllup", ".conll"), FirstRow(r"(?:1|1-[0-9]+|0\.1)\t", comment="#")
    ),
    "knp": Entry(
        (".knp", ".juman", ".jumanpp", ".cabocha"),
        Contains(rb"[\r\n]EOS(?:[\r\n]|$)"),
        writable=False,
    ),
    "bio": Entry(
        (".bio", ".iob", ".iob2", ".conll", ".tsv", *TEXT),
        FirstRow(r"(?:.*[\t ])?(?:O|[BEILMSU]-\S+) *$"),
    ),
    "offsets": Entry(
        JSON,
        Keys(
            "text tokens|sentences|sents[][]",
            "text tokens|sentences|sents[].start|startChar",
            "[].text",
        ),
        writable=False,
    ),
    "iwslt": Entry((".tsv", ".iwslt", *TEXT), FirstRow(r"[^\t]*\t[A-Z_]+$")),
}
"""All built-in formats, by their names."""


def plugin_formats() -> list[type[Format]]:
    """List the formats of plug-ins, which are imported only where no built-in format fits."""
    return [entry.registered_class for entry in registry.plugin_entries("format")]


def with_suffix(file: str | Path) -> list[str]:
    """List the names of the formats that have the suffix of a file."""
    suffix = Path(file).suffix.lower()
    names = [name for name, entry in TABLE.items() if suffix in entry.suffixes]
    if names or not suffix:
        return names
    return [format.name for format in plugin_formats() if suffix in format.suffixes]


def is_writable(name: str) -> bool:
    """Whether a format can be written."""
    return TABLE[name].writable if name in TABLE else registry.find("format", name).writable


def writable() -> list[str]:
    """List the names of the formats that can be written."""
    names = [*TABLE, *(format.name for format in plugin_formats())]
    return [name for name in names if is_writable(name)]


def known_suffixes(wanted: Set[str]) -> set[str]:
    """Return those of the wanted suffixes that some format has."""
    known = {suffix for entry in TABLE.values() for suffix in entry.suffixes}
    if not wanted <= known:
        known |= {suffix for format in plugin_formats() for suffix in format.suffixes}
    return known & wanted


def candidates(source: Source, names: Iterable[str]) -> list[str]:
    """Leave out the built-in formats that a file cannot have."""
    return [name for name in names if _possible(TABLE[name].test, source)]


def _possible(test: Test | None, source: Source) -> bool:
    with suppress(CaesuraError):
        return test is not None and test.holds(source)
    return False


def recognized(source: Source, sharing: Sequence[str] = ()) -> list[type[Format]]:
    """Return the formats that the content can only belong to; plain text only if no other.

    `sharing` are the formats that have the suffix of the file, if any has. Formats of plug-ins
    are asked only if no built-in one but plain text fits.
    """
    names = [name for name in sharing or TABLE if name in TABLE]
    certain = [registry.find("format", name) for name in names if recognizes(name, source)]
    if all(format.plain for format in certain):
        suffix = Path(source.name).suffix.lower()
        certain += [
            format
            for format in plugin_formats()
            if (not sharing or suffix in format.suffixes) and recognizes(format.name, source)
        ]
    return [format for format in certain if not format.plain] or certain


def recognizes(name: str, source: Source) -> bool:
    """Whether the content of a file can only belong to this format."""
    if name in TABLE and not _possible(TABLE[name].test, source):
        return False
    try:
        return registry.find("format", name).recognises(source)
    except CaesuraError:
        return False
    except Exception as error:
        if name in TABLE:
            raise
        logger.warning("the plug-in format %s failed on %s: %s", name, source.name, error)
        return False


def choose_format(source: Source) -> Format:
    """Choose the format of a file by its suffix or, if several share it, by its content."""
    sharing = with_suffix(source.name)
    if len(sharing) == 1:
        return registry.find("format", sharing[0])()
    certain = recognized(source, sharing)
    if len(certain) == 1:
        logger.info("%s: read as %s", source.name, certain[0].name)
        if certain[0].plain:
            _warn_of_ids(source)
        return certain[0]()
    if sharing and all(name in TABLE and TABLE[name].suffixes == (".json",) for name in sharing):
        _ = source.documents
    _ = source.text
    if not certain and _is_json(source):
        first = source.documents[0]
        raise AmbiguousFormat(
            f"this is JSON of no known kind{_described_keys(first)}",
            where=source.name,
            remedy=ONE_WORD if is_word(first) else f"known are {', '.join(_json_formats())}",
        )
    names = [format.name for format in certain] or sharing or registry.names("format")
    raise AmbiguousFormat(
        "the content does not tell the format",
        where=source.name,
        remedy=f"choose one with format= (--format): {', '.join(names)}",
    )


ONE_WORD = "if each line is one word, read it with caesura stream"


def is_word(document: Any) -> bool:
    """Whether a JSON value is one word, as recognisers send them to `caesura stream`."""
    return isinstance(document, dict) and isinstance(document.get("word"), str)


def _warn_of_ids(source: Source) -> None:
    """Warn of a text whose lines begin with ids, as Kaldi's do."""
    from caesura.formats.nist.trn import has_ids

    if has_ids(source):
        logger.warning(
            "%s: each line begins with an id, which counts as a word: if it is a Kaldi text, "
            "add --format kaldi",
            source.name,
        )


def _is_json(source: Source) -> bool:
    """Whether the content is JSON: an object or a list first."""
    with suppress(CaesuraError):
        return isinstance(source.documents[0], (dict, list))
    return False


def _json_formats() -> list[str]:
    """List the names of the formats that are JSON, those of plug-ins too."""
    built_in = [name for name, entry in TABLE.items() if entry.suffixes == JSON]
    return built_in + [format.name for format in plugin_formats() if ".json" in format.suffixes]


def _described_keys(top: Any) -> str:
    """Name the keys at the top of a JSON value; '' if there are none."""
    is_list = isinstance(top, list)
    first = next(iter(top), None) if is_list else top
    if not isinstance(first, dict) or not first:
        return ""
    keys = ", ".join([str(key) for key in first][:KEYS_SHOWN])
    more = ", …" if len(first) > KEYS_SHOWN else ""
    return f": {'a list of objects' if is_list else 'an object'} with the keys {keys}{more}"
