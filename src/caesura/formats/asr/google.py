"""JSON of Google Cloud Speech-to-Text: answers, operations and batches of versions 1 and 2."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from caesura.core.transcript import Transcript
from caesura.formats.base import JsonFormat
from caesura.formats.builder import Rows, piece_ends
from caesura.formats.source import (
    Source,
    items,
    number,
    recording_id,
    seconds,
    share,
    string,
    with_plain_keys,
)

TYPE = "type.googleapis.com/google.cloud.speech"
"""How the `@type` of everything from this service begins."""

WRAPPERS = ("response", "inlineresult", "transcript", "results")
"""Keys on the way from an operation or a batch to its list of results, outermost first."""

Results = list[dict[str, Any]]


@dataclass(frozen=True, repr=False)
class Google(JsonFormat):
    """The first alternative of each result; keys in any spelling, times in any form.

    With speakers told apart, later results repeat the words of the earlier ones: these count
    once, with the speakers of the later. Several channels are several recordings.
    """

    name = "google"
    carries = frozenset("start end confidence speaker opening mark blank id language".split())
    expects = "Google has 'results' with 'alternatives' that have a 'transcript' or 'words'"

    @classmethod
    def matches(cls, document: Any) -> bool:
        """Whether there are results of this service, or what it says of itself."""
        outer = with_plain_keys(document)
        parts = (
            outer,
            with_plain_keys(outer.get("metadata")),
            with_plain_keys(outer.get("response")),
        )
        if any(string(part.get("@type")).startswith(TYPE) for part in parts):
            return True
        return any(_is_result(result) for _, results in _files(document) for result in results)

    def convert(self, documents: list[Any], source: Source) -> Iterator[Transcript]:
        """Yield each audio file's channels."""
        files: dict[str, Results] = {}
        for document in documents:
            _check(document, source)
            for id, results in _files(document):
                files.setdefault(id or source.stem, []).extend(results)
        for id, results in files.items():
            channels: dict[str, Results] = {}
            for result in map(with_plain_keys, results):
                if result.get("isfinal", "stability" not in result):
                    channel = string(result.get("channeltag")) or "0"
                    channels.setdefault(channel, []).append(result)
            for channel, part in (channels or {"0": []}).items():
                yield _transcript(part, f"{id}.{channel}" if len(channels) > 1 else id)


def _check(document: Any, source: Source) -> None:
    """Stop at what has failed, is under way or lies elsewhere: it is no empty recording."""
    operation = with_plain_keys(document)
    response = with_plain_keys(operation.get("response")) or operation
    files = response.get("results")
    for part in (
        operation,
        *(map(with_plain_keys, files.values()) if isinstance(files, dict) else ()),
    ):
        failure = with_plain_keys(part.get("error"))
        if failure:
            raise source.error(f"the recogniser failed: {string(failure.get('message'))!r}")
        stored = with_plain_keys(part.get("cloudstorageresult"))
        place = string(stored.get("uri")) or string(part.get("uri"))
        if place and "inlineresult" not in part and "transcript" not in part:
            raise source.error(f"the words are in another file, {place!r}", remedy="read that one")
    if "name" in operation and "response" not in operation and "results" not in operation:
        raise source.error("the operation has no response yet", remedy="fetch it when it is done")


def _files(document: Any) -> list[tuple[str, Results]]:
    """Give the results of each audio file, with the name of the file where that is known."""
    if isinstance(document, list):
        if any("alternatives" in part for part in items(document)):
            return [("", list(items(document)))]
        return [file for part in items(document) for file in _files(part)]
    outer = with_plain_keys(document)
    metadata = with_plain_keys(outer.get("metadata"))
    id = recording_id(string(metadata.get("uri"))) or recording_id(string(outer.get("name")))
    inner = with_plain_keys(outer["response"]) if "response" in outer else outer
    results = inner.get("results")
    if isinstance(results, dict):
        return [
            (recording_id(uri), list(items(_unwrapped(file))))
            for uri, file in results.items()
            if isinstance(file, dict)
        ]
    return [(id, list(items(_unwrapped(inner))))]


def _unwrapped(value: Any) -> Any:
    while isinstance(value, dict):
        inner = with_plain_keys(value)
        value = next((inner[key] for key in WRAPPERS if key in inner), None)
    return value


def _is_result(result: dict[str, Any]) -> bool:
    """Whether this is Google's result; IBM's has the same shape but other keys."""
    best = next(iter(items(result.get("alternatives"))), {})
    is_own = isinstance(best.get("transcript"), str) or isinstance(best.get("words"), list)
    return is_own and "timestamps" not in best and "final" not in result


@dataclass
class _Spoken:
    """The words of one channel so far."""

    words: list[dict[str, Any]] = field(default_factory=list)
    keys: dict[tuple[str, float, float], str] = field(default_factory=dict)
    """The speaker of each word known so far."""

    def add(self, words: list[dict[str, Any]]) -> None:
        """Add the words of a result, or let them replace those they repeat."""
        keys = {_key(word): _speaker(word) for word in words}
        if not self._repeated(keys):
            self.words = self.words + words
        elif len(words) >= len(self.words):
            self.words = words
        else:
            self.words = [
                word | {"speakerlabel": keys.get(_key(word)) or _speaker(word)}
                for word in self.words
            ]
        self.keys |= keys

    def _repeated(self, keys: dict[tuple[str, float, float], str]) -> bool:
        """Whether most of the words so far come again.

        Words without times may well come again when speakers are not told apart.
        """
        again = sum(key in keys for key in self.keys)
        timed = any(end >= 0 for _, _, end in self.keys)
        told_apart = any(keys.values()) and not any(self.keys.values())
        return 2 * again > len(self.keys) and (timed or told_apart)


def _key(word: dict[str, Any]) -> tuple[str, float, float]:
    start, end = _times(word)
    return string(word.get("word")), start if start >= 0 else -1, end if end >= 0 else -1


def _times(word: dict[str, Any]) -> tuple[float, float]:
    start = _moment(word.get("starttime", word.get("startoffset")))
    return start, _moment(word.get("endtime", word.get("endoffset")))


def _moment(value: Any) -> float:
    """Read `"1.500s"`, `{"seconds": "1", "nanos": 500000000}` or a number of seconds."""
    if isinstance(value, dict):
        whole = value.get("seconds", 0)
        if isinstance(whole, dict):  # how JavaScript writes out 64 bits
            whole = whole.get("low")
        return seconds(number(whole) + number(value.get("nanos", 0)) * 1e-9)
    return seconds(value.removesuffix("s") if isinstance(value, str) else value)


def _speaker(word: dict[str, Any]) -> str:
    """Give the speaker; the tag 0 says that none is known."""
    tag = string(word.get("speakertag"))
    return string(word.get("speakerlabel")) or (tag if tag != "0" else "")


def _transcript(results: Results, id: str) -> Transcript:
    spoken = _Spoken()
    running: list[str] = []
    sure = False
    for result in results:
        best = with_plain_keys(next(iter(items(result.get("alternatives"))), {}))
        running += string(best.get("transcript")).split()
        sure = sure or number(best.get("confidence")) > 0
        words = [with_plain_keys(word) for word in items(best.get("words"))]
        spoken.add(words or [{"word": word} for word in string(best.get("transcript")).split()])
    rows = Rows()
    _add(rows, spoken.words, running)
    if sure and not any(cell > 0 for cell in rows.columns.get("confidence", ())):
        # Clients that write out every field give 0 for what the recogniser left out.
        rows.columns.pop("confidence", None)
    languages = Counter(string(result.get("languagecode")) for result in results)
    del languages[""]
    return rows.transcript(id, languages.most_common(1)[0][0] if languages else "")


def _add(rows: Rows, words: list[dict[str, Any]], running: list[str]) -> None:
    surfaces = [string(word.get("word")) for word in words]
    if not any("|" in piece for piece in running):
        # Japanese words bring their reading along: 今日|キョウ.
        surfaces = [surface.partition("|")[0] for surface in surfaces]
    blanks = piece_ends(surfaces, running) or [True] * len(words)
    for word, surface, blank in zip(words, surfaces, blanks, strict=True):
        start, end = _times(word)
        if not len(rows) and "endoffset" in word and "startoffset" not in word:
            start = 0.0  # Version 2 leaves out a start of zero.
        rows.phrase(
            surface,
            start,
            end,
            confidence=share(word.get("confidence")),
            speaker=_speaker(word) or None,
        )
        if not blank:
            rows.glue()
