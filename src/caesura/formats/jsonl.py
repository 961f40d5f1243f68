"""JSONL, Caesura's own format: one recording a line with all its layers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from caesura.core.errors import FormatError, LayerError
from caesura.core.serialize import KEYS, SHAPE, from_document, is_recording, to_document
from caesura.core.transcript import CARRIED, Transcript
from caesura.formats.base import Source, TextFormat, without_lone_surrogates
from caesura.formats.recognize import ONE_WORD, is_word, recognized


@dataclass(frozen=True, repr=False)
class Jsonl(TextFormat):
    """Caesura's own JSON Lines: one recording a line with all its layers.

    Layers are lists as long as the words, unknown cells are null.
    """

    name = "jsonl"
    suffixes = (".jsonl", ".ndjson")
    carries = frozenset(CARRIED)
    holds = "many"

    @classmethod
    def recognises(cls, source: Source) -> bool:
        """Whether the first line is an object with words and with no unknown key."""
        first = next((line for _, line in source.lines() if line.strip()), "")
        try:
            document = json.loads(first) if first.startswith("{") else None
        except (ValueError, RecursionError):
            return False
        return isinstance(document, dict) and is_recording(document) and document.keys() <= KEYS

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Read each line as a recording."""
        for number, line in source.lines():
            if not line.strip():
                continue
            try:
                document = json.loads(without_lone_surrogates(line))
            except (json.JSONDecodeError, RecursionError, ValueError) as error:
                raise source.error(f"not a JSON line: {error}", number, _advice(source)) from error
            if not is_recording(document):
                advice = ONE_WORD if is_word(document) else _advice(source)
                raise source.error(SHAPE, number, advice)
            try:
                yield from_document(document)
            except LayerError as error:
                raise source.error(error.what, number) from error
            except FormatError as error:
                raise source.error(error.what, number, error.remedy) from error

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Write each recording as a line."""
        for transcript in transcripts:
            yield json.dumps(to_document(transcript), ensure_ascii=False, allow_nan=False) + "\n"


def _advice(source: Source) -> str:
    """Say which formats recognise a file that does not begin like JSONL."""
    if Jsonl.recognises(source):
        return ""
    fitting = [format.name for format in recognized(source) if not format.plain]
    advice = "if it is of another format, name it with format= (--format)"
    return f"{advice}: it looks like {' or '.join(fitting)}" if fitting else advice
