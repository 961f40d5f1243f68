"""JSON of Google Cloud Speech-to-Text v1 and v2: responses, operations, batches and streams."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from caesura.core.transcript import Transcript
from caesura.formats.base import (
    JsonFormat,
    Source,
    items,
    number,
    recording_id,
    seconds,
    share,
    string,
    with_plain_keys,
)
from caesura.formats.builder import Rows, piece_ends

TYPE = "type.googleapis.com/google.cloud.speech"
"""The beginning of `@type` in everything from this service."""

WRAPPERS = ("response", "inlineresult", "transcript", "results")
"""Keys on the way from an operation or a batch to its list of results, outermost first."""

Results = list[dict[str, Any]]


@dataclass(frozen=True, repr=False)
class Google(JsonFormat):
    """Google Cloud Speech-to-Text v1 and v2 (JSON): responses, operations, batches and streams.

    Of each result the first alternative is read; keys and times may have any spelling of the
    clients.
    With speaker diarisation the last result repeats all words with their speakers: each word is
    read once. Several channels are several recordings.
    """

    name = "google"
    carries = frozenset("start end confidence speaker opening mark blank id language".split())
    expects = "Google has 'results' with 'alternatives' that have a 'transcript' or 'words'"

    @classmethod
    def matches(cls, document: Any) -> bool:
        """Whether there are results of this service, or its `@type`."""
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
        """Yield the channels of each audio file."""
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
    """Raise an error if recognition failed or is not finished, or the words are in another file."""
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
    """Return the results of each audio file, with its name if known."""
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
    """Whether this is a result of Google; those of IBM look alike but have other keys."""
    best = next(iter(items(result.get("alternatives"))), {})
    is_own = isinstance(best.get("transcript"), str) or isinstance(best.get("words"), list)
    return is_own and "timestamps" not in best and "final" not in result


@dataclass
class _Channel:
    """The words of one channel so far."""

    words: list[dict[str, Any]] = field(default_factory=list)
    keys: dict[tuple[str, float, float], str] = field(default_factory=dict)
    """The speaker of each word so far."""

    def add(self, words: list[dict[str, Any]]) -> None:
        """Add the words of a result; words that repeat earlier ones replace them."""
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
        """Whether most of the words so far are repeated.

        Words without times may be said again; then only new speakers show a repetition.
        """
        repeated = sum(key in keys for key in self.keys)
        timed = any(end >= 0 for _, _, end in self.keys)
        new_speakers = any(keys.values()) and not any(self.keys.values())
        return 2 * repeated > len(self.keys) and (timed or new_speakers)


def _key(word: dict[str, Any]) -> tuple[str, float, float]:
    start, end = _times(word)
    return string(word.get("word")), start if start >= 0 else -1, end if end >= 0 else -1


def _times(word: dict[str, Any]) -> tuple[float, float]:
    start = _seconds(word.get("starttime", word.get("startoffset")))
    return start, _seconds(word.get("endtime", word.get("endoffset")))


def _seconds(value: Any) -> float:
    """Return the seconds of `"1.500s"`, `{"seconds": "1", "nanos": 500000000}` or a number."""
    if isinstance(value, dict):
        whole = value.get("seconds", 0)
        if isinstance(whole, dict):  # how JavaScript writes out 64 bits
            whole = whole.get("low")
        return seconds(number(whole) + number(value.get("nanos", 0)) * 1e-9)
    return seconds(value.removesuffix("s") if isinstance(value, str) else value)


def _speaker(word: dict[str, Any]) -> str:
    """Return the speaker; the tag 0 means that it is unknown."""
    tag = string(word.get("speakertag"))
    return string(word.get("speakerlabel")) or (tag if tag != "0" else "")


def _transcript(results: Results, id: str) -> Transcript:
    spoken = _Channel()
    running: list[str] = []
    has_confidence = False
    for result in results:
        best = with_plain_keys(next(iter(items(result.get("alternatives"))), {}))
        running += string(best.get("transcript")).split()
        has_confidence = has_confidence or number(best.get("confidence")) > 0
        words = [with_plain_keys(word) for word in items(best.get("words"))]
        spoken.add(words or [{"word": word} for word in string(best.get("transcript")).split()])
    rows = Rows()
    _add(rows, spoken.words, running)
    if has_confidence and not any(cell > 0 for cell in rows.columns.get("confidence", ())):
        # Clients that write out every field give 0 for what the recogniser left out.
        rows.columns.pop("confidence", None)
    languages = Counter(string(result.get("languagecode")) for result in results)
    del languages[""]
    return rows.transcript(id, languages.most_common(1)[0][0] if languages else "")


def _add(rows: Rows, words: list[dict[str, Any]], running: list[str]) -> None:
    surfaces = [string(word.get("word")) for word in words]
    if not any("|" in piece for piece in running):
        # Japanese words have their pronunciation after a bar: 今日|キョウ.
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
