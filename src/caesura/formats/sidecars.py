"""What lies beside references: how their words may also be read, and the classes of entities.

Rev's `ID.norm.json` has, for the id of an entity, the ways in which it may be spoken, and
`ID.wer_tag.json` its class.
"""

from __future__ import annotations

import json
import logging
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from caesura.core.arrays import Strings
from caesura.core.errors import FormatError, MismatchError
from caesura.core.transcript import Span, Transcript
from caesura.text.normalization.numerals import spelt

logger = logging.getLogger("caesura")

Paths = str | Path | Sequence[str | Path]

ALTERNATIVES, CLASSES = ".norm.json", ".wer_tag.json"
KINDS = (ALTERNATIVES, CLASSES)

ZEROS = re.compile(r"(\d)\.0+(?!\d)|(?<=\d)(\.\d*[1-9])0+(?!\d)")
"""Zeros at the end of decimals."""

SHAPES = {
    ALTERNATIVES: 'an entity has {"candidates": [{"verbalization": ["word", …]}, …], "class": …}',
    CLASSES: 'an entity has {"entity_type": …}',
}


class Beside:
    """Files that lie beside recordings, each beside the one that it is named after."""

    def __init__(self, paths: Paths) -> None:
        several = [paths] if isinstance(paths, (str, Path)) else paths
        self.paths = {str(path): list(_files(Path(path))) for path in several}
        self.found = _found(chain.from_iterable(self.paths.values()))
        self.ids: set[str] = set()
        self.classed = 0

    def read(self, transcript: Transcript) -> Transcript:
        """Give a recording its alternatives, and its entities their classes."""
        alternatives = self.found.get((transcript.id, ALTERNATIVES))
        if alternatives is not None:
            spans = _readings(transcript, alternatives)
            transcript = transcript.replace(alternatives=(*(transcript.alternatives or ()), *spans))
        return self.named(transcript)

    def named(self, transcript: Transcript) -> Transcript:
        """Give entities of a recording that have no class the one that a file tells."""
        self.ids.add(transcript.id)
        file = self.found.get((transcript.id, CLASSES))
        if file is None or transcript.entities is None:
            return transcript
        classes = {key: _text(entry, "entity_type") for key, entry in _entries(file, CLASSES)}
        told = tuple(
            span if span.label else span._replace(label=classes.get(span.key, ""))
            for span in transcript.entities
        )
        count = sum(span != before for span, before in zip(told, transcript.entities, strict=True))
        self.classed += count
        origin = transcript.origin and transcript.origin._replace(classed=count)
        return transcript.replace(entities=told, origin=origin)

    def tell_strangers(self) -> None:
        """Warn of files, and of folders as a whole, that are of no recording seen so far.

        If all are, that is an error.
        """
        strangers = {file for (id, _), file in self.found.items() if id not in self.ids}
        if self.found and len(strangers) == len(self.found):
            raise MismatchError(
                "no file of alternatives is of a recording that is given",
                where=str(min(strangers)),
                remedy="a file is named after its recording, as in call.norm.json for call.nlp",
            )
        alone = sorted(path for path, files in self.paths.items() if strangers.issuperset(files))
        _tell(
            "--alternatives", "file or folder is", "files or folders are", "of no recording", alone
        )

    def tell_bare(self) -> None:
        """Warn of recordings that have no file."""
        bare = sorted(id for id in self.ids if not any((id, kind) in self.found for kind in KINDS))
        if self.found:
            _tell("--alternatives", "recording has", "recordings have", "no alternatives", bare)

    def tell_idle(self) -> None:
        """Warn if no entity has its class from a file, where nothing but classes is asked for."""
        if self.found and not self.classed:
            logger.warning(
                "--alternatives: no entity has its class from there: those of Rev's wer_tags are "
                "read with --format \"nlp(entities='both')\""
            )


def with_alternatives(transcripts: Iterable[Transcript], paths: Paths) -> list[Transcript]:
    """Give references the alternatives of files (or all in folders) named as they are.

    An entity is known by its key and class, since the two columns of an .nlp file may give one
    key to two of them. Entities without a class get that of a file of classes.
    """
    beside = Beside(paths)
    found = [beside.read(each) for each in transcripts]
    beside.tell_strangers()
    beside.tell_bare()
    return found


def _tell(where: object, one: str, many: str, what: str, names: Sequence[str]) -> None:
    """Warn of names, if there are any: `one` and `many` are what they are."""
    if names:
        shown = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
        number = f"{len(names)} {one if len(names) == 1 else many}"
        logger.warning("%s: %s %s: %s", where, number, what, shown)


def _found(files: Iterable[Path]) -> dict[tuple[str, str], Path]:
    """Find each recording's files by its id and their kind."""
    found: dict[tuple[str, str], Path] = {}
    for file in files:
        kind = next(kind for kind in KINDS if file.name.endswith(kind))
        key = (file.name.removesuffix(kind), kind)
        if key in found and found[key] != file:
            raise MismatchError(
                f"there are two files of the name {file.name}: {found[key]} is another",
                where=str(file),
                remedy="name the folder that is meant",
            )
        found[key] = file
    return found


def _files(path: Path) -> Iterator[Path]:
    """Give the file of that path, or those of the folder."""
    if not path.is_dir():
        if not path.exists():
            raise FormatError("cannot be read: no such file or folder", where=str(path))
        if not path.name.endswith(KINDS):
            raise FormatError(
                "alternatives are in files named ID.norm.json or ID.wer_tag.json", where=str(path)
            )
        yield path
        return
    inside = sorted(file for file in path.rglob("*.json") if file.name.endswith(KINDS))
    if not inside:
        raise FormatError("the folder has no .norm.json or .wer_tag.json", where=str(path))
    yield from inside


def _readings(transcript: Transcript, file: Path) -> list[Span]:
    """Give the alternatives of a file, each where its entity is."""
    entities: dict[str, list[Span]] = defaultdict(list)
    for span in transcript.entities or ():
        entities[span.key].append(span)
    made: dict[Span, None] = {}
    lost = []
    for key, entry in _entries(file, ALTERNATIVES):
        covered = _named(entities.get(key, []), _text(entry, "class"))
        if covered is None:
            lost.append(key)
            continue
        written = " ".join(transcript.words[covered.first : covered.last + 1])
        spoken = _spoken(entry)
        ended = transcript.mark is not None and transcript.mark[covered.last][:1] == "."
        for label in (*spoken, *_meant(written, spoken, ended)):
            if label != written:
                made[Span(covered.first, covered.last, label)] = None
    _tell(file, "entity is", "entities are", "not, or not in one piece, in the reference", lost)
    return list(made)


def _named(entities: Sequence[Span], label: str) -> Span | None:
    """Give the entity meant, if there is one and it is in one piece."""
    meant = [span for span in entities if span.label == label or not label]
    return meant[0] if len(meant) == 1 else None


def _entries(file: Path, kind: str) -> Iterator[tuple[str, Any]]:
    """Give what a file says of each entity, checked."""
    try:
        content = json.loads(file.read_bytes())
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", where=str(file)) from error
    except (ValueError, RecursionError) as error:
        raise FormatError(f"is not JSON: {error}", where=str(file)) from error
    if not isinstance(content, dict):
        raise FormatError("is not an object of entities by their ids", where=str(file))
    for key, entry in content.items():
        if not _fits(entry, kind):
            raise FormatError(
                f"entity {key!r} is not described as it should be",
                where=str(file),
                remedy=SHAPES[kind],
            )
        yield key, entry


def _fits(entry: Any, kind: str) -> bool:
    if not isinstance(entry, dict):
        return False
    if kind == CLASSES:
        return isinstance(entry.get("entity_type"), str)
    candidates = entry.get("candidates")
    return isinstance(candidates, list) and all(
        isinstance(each, dict)
        and isinstance(each.get("verbalization"), list)
        and all(isinstance(word, str) for word in each["verbalization"])
        for each in candidates
    )


def _text(entry: Mapping[str, Any], name: str) -> str:
    value = entry.get(name, "")
    return value if isinstance(value, str) else ""


def _spoken(entry: Mapping[str, Any]) -> list[str]:
    """Give the ways in which an entity may be spoken."""
    ways = (" ".join(" ".join(each["verbalization"]).split()) for each in entry["candidates"])
    return list(dict.fromkeys(ways))


def _meant(written: str, spoken: Sequence[str], ended: bool) -> Iterator[str]:
    """Give other digits than those written that are spoken so.

    A number before the dot of a sentence may have lost its last digit (`202` for `2020.`), and
    decimals may have zeros that are not spoken (`7.40%`).
    """
    for other in completed(written, ended):
        if " ".join(spelt(other)) in spoken and " ".join(spelt(written)) not in spoken:
            yield other


def completed(written: str, ended: bool = True) -> Strings:
    """Give the digits that may have been meant: one more if a sentence `ended`, or fewer zeros."""
    if not any(map(str.isdecimal, written)):
        return ()
    longer = (written + digit for digit in "0123456789" if ended and written.isdecimal())
    return (*longer, ZEROS.sub(r"\1\2", written))
