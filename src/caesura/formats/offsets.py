"""JSON with character offsets, as libraries that analyse text save it: spaCy, Stanza, one's own."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from caesura.formats.base import JsonFormat
from caesura.formats.offsets_page import Page
from caesura.formats.offsets_stanza import Sentences, has_offsets, is_sentences
from caesura.formats.offsets_text import Text, is_text, pair, placed
from caesura.formats.source import Source, string
from caesura.transcript import Transcript


@dataclass(frozen=True, repr=False)
class Offsets(JsonFormat):
    """A `text` with `tokens`, `sentences` and `entities` that tell where in it they lie.

    Tokens are words as they stand, or without them what stands between blanks; offsets count
    characters. What spaCy's `Doc.to_json()`
    and Stanza's `Document.to_dict()` give is read as it is; documents may stand in a list or
    one after another.
    """

    name = "offsets"
    carries = frozenset(
        "head blank opening mark tag subtag features lemma relation entities multiwords sentences "
        "id language".split()
    )
    tokenised = True
    holds = "many"
    expects = (
        "that has `text` and `tokens` or `sentences`, or sentences as lists of tokens with `text`"
    )

    @classmethod
    def matches(cls, document: Any) -> bool:
        """Whether it is a text told apart, a list of such, or a list of Stanza's sentences."""
        return all(is_text(one) or is_sentences(one) for one in _listed(document))

    @classmethod
    def recognises(cls, source: Source) -> bool:
        """Whether all tokens have whole numbers for offsets, and there are some."""
        documents = [one for document in source.documents for one in _listed(document)]
        if not all(map(cls.matches, documents)):
            return False
        texts = [document for document in documents if isinstance(document, dict)]
        told = all(_lies(each, text) for text in texts for each in placed(text))
        others = all(has_offsets(one) for one in documents if isinstance(one, list))
        return told and others and (len(texts) < len(documents) or any(map(placed, texts)))

    def convert(self, documents: list[Any], source: Source) -> Iterator[Transcript]:
        """Read each document as a recording."""
        found = [one for document in documents for one in _listed(document)]
        for n, document in enumerate(found):
            place = f"document {n + 1}: " if len(found) > 1 else ""
            id = source.numbered(n, len(found))
            if isinstance(document, dict):
                id = string(document.get("id")) or id
                yield Text(document, source, place).transcript(id)
            else:
                yield Sentences(document, source, place).rows.transcript(id)

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Write one object, or a list of several."""
        documents = [self.document(transcript) for transcript in transcripts]
        whole = documents[0] if len(documents) == 1 else documents
        yield json.dumps(whole, ensure_ascii=False, indent=1) + "\n"

    def document(self, transcript: Transcript) -> Any:
        """Give the text with its tokens."""
        return Page(transcript).document()


def _lies(value: Any, text: dict[str, Any]) -> bool:
    ends = pair(value)
    return ends is not None and 0 <= ends[0] <= ends[1] <= len(text["text"])


def _listed(document: Any) -> list[Any]:
    several = isinstance(document, list) and bool(document) and all(map(is_text, document))
    return document if several else [document]
