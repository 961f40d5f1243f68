"""Named entities in columns: one word a line, its tag (`B-PER`, `I-PER`, `O`) last."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Span, Transcript
from caesura.formats.base import Source, TextFormat, counted
from caesura.formats.builder import Rows

logger = logging.getLogger("caesura")

OUTSIDE = ("O", "", "_")
"""Tags of words that belong to no entity."""

BEGINS = "BSU"
ENDS = "ESLU"
PREFIXES = frozenset("BIESLUM")


def _split_tag(tag: str) -> tuple[str, str]:
    """Return the prefix and the class of a tag; a bare class (scheme IO) counts as inside."""
    if tag[:1] in PREFIXES and tag[1:2] in ("-", ""):
        return tag[0], tag[2:]
    return "I", tag


def entities(tags: Sequence[str], first: int = 0) -> Iterator[Span]:
    """Yield the entities of one sentence whose first word has the index `first`.

    A word continues the entity before it unless its tag begins one, its class differs, or the tag
    before it ends the entity. This rule reads all the schemes.
    """
    begin, label = -1, ""
    for at, tag in enumerate([*tags, "O"], first):
        prefix, own = ("", "") if tag in OUTSIDE else _split_tag(tag)
        if begin >= 0 and (not prefix or prefix in BEGINS or own != label):
            yield Span(begin, at - 1, label)
            begin = -1
        if prefix and begin < 0:
            begin, label = at, own
        if prefix and prefix in ENDS:
            yield Span(begin, at, label)
            begin = -1


def iob2(spans: Iterable[Span], count: int, format: str) -> list[str]:
    """Return IOB2 tags of `count` words; of entities that overlap only the first is written."""
    tags = ["O"] * count
    lost = 0
    for first, last, label, _ in spans:
        if any(tag != "O" for tag in tags[first : last + 1]):
            lost += 1
            continue
        name = "_".join(label.split())
        tags[first : last + 1] = [f"B-{name}", *[f"I-{name}"] * (last - first)]
    if lost:
        overlapping = counted(lost, "entity overlaps", "entities overlap")
        logger.warning("%s others and cannot be written as %s", overlapping, format)
    return tags


DOCUMENT = "-DOCSTART-"
UNKNOWN = ("_", "-X-")
"""Cells between word and tag that are empty."""

_TAG = re.compile(rf"O|[{''.join(sorted(PREFIXES))}]-\S+")
_BLANKS = re.compile(r"[\t\n\r]")


@dataclass(frozen=True, repr=False)
class Bio(TextFormat):
    """Named entities in columns: one word a line, its tag (`B-PER`, `I-PER`, `O`) last.

    Columns are separated by TAB or blanks, and there is an empty line after each sentence.
    The schemes IOB1, IOB2, IO, BIOES and BILOU are read, IOB2 is written. Of three or four columns
    the second is the part of speech (`subtag`); of five, the second and third are lemma and part
    of speech. `-DOCSTART-` begins a recording. A row without a word is still a word, so that there
    are as many words as rows; `#` begins no comment.
    """

    name = "bio"
    may_be_empty = True
    suffixes = (".bio", ".iob", ".iob2", ".conll", ".tsv", ".txt")
    carries = frozenset({"entities", "subtag", "sentences"})
    holds = "many"

    @classmethod
    def recognises(cls, source: Source) -> bool:
        """Whether every row ends in an entity tag, and not all of them in O."""
        tags = {_fields(line)[-1] for _, line in source.lines() if line.strip()}
        return tags > {"O"} and all(map(_TAG.fullmatch, tags))

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Read row by row; empty lines end sentences."""
        documents = [_Document()]
        for number, line in source.lines():
            if not line.strip():
                documents[-1].end_sentence()
            elif line.startswith(DOCUMENT):
                documents.append(_Document())
            else:
                documents[-1].add(_fields(line), number, source)
        filled = [document for document in documents if document.tags]
        _check_tags(filled, source)
        for number, document in enumerate(filled, 1):
            numbered = f"{source.stem}-{number}" if source.stem else str(number)
            yield document.transcript(numbered if len(filled) > 1 else source.stem)

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Write IOB2, with -DOCSTART- between recordings."""
        for number, transcript in enumerate(transcripts):
            if number:
                yield f"{DOCUMENT}\tO\n\n" if transcript.subtag is None else f"{DOCUMENT}\t_\tO\n\n"
            yield from _rendered(transcript)


class _Document:
    """A recording while it is read."""

    def __init__(self) -> None:
        self.rows = Rows()
        self.rows.entities = []
        self.tags: list[str] = []
        self.first = 0

    def add(self, fields: list[str], number: int, source: Source) -> None:
        if len(fields) < 2:
            raise source.error(
                f"{fields[0]!r} has no tag", number, "a row has a word, then a TAB or blank, a tag"
            )
        width = len(fields)
        cells = {3: ("subtag",), 4: ("subtag",), 5: ("lemma", "subtag")}.get(width, ())
        known = {
            name: cell for name, cell in zip(cells, fields[1:], strict=False) if cell not in UNKNOWN
        }
        self.rows.add(fields[0].strip(), **known)
        self.tags.append(fields[-1].strip())

    def end_sentence(self) -> None:
        for span in entities(self.tags[self.first :], self.first):
            self.rows.entity(*span[:3])
        self.rows.end_sentence()
        self.first = len(self.tags)

    def transcript(self, id: str) -> Transcript:
        self.end_sentence()
        return self.rows.transcript(id)


def _fields(line: str) -> list[str]:
    return line.split("\t") if "\t" in line else [cell for cell in line.split(" ") if cell]


def _check_tags(documents: list[_Document], source: Source) -> None:
    """Refuse a file whose last column holds no tags: neither O nor a prefix anywhere."""
    tags = {tag for document in documents for tag in document.tags}
    if tags and tags.isdisjoint(OUTSIDE) and not any(map(_TAG.fullmatch, tags)):
        raise source.error(
            f"the last column holds no entity tags but {min(tags)!r} and the like",
            remedy="tags are O, B-PER, I-PER and so on",
        )


def _rendered(transcript: Transcript) -> Iterator[str]:
    tags = iob2(transcript.entities or (), len(transcript), "bio")
    whole = Segmentation.of_gaps(len(transcript), [])
    boundary = (transcript.sentences or whole).boundary.tolist()
    for at, word in enumerate(transcript.words):
        middle = "" if transcript.subtag is None else f"\t{_cell(transcript.subtag[at]) or '_'}"
        yield f"{_cell(word)}{middle}\t{tags[at]}\n" + "\n" * boundary[at]


def _cell(text: str) -> str:
    return _BLANKS.sub(" ", text)
