"""Sidecar files of references: alternative transcriptions, and classes of entities.

Rev's `ID.norm.json` has, for the id of an entity, the ways in which it may be spoken, and
`ID.wer_tag.json` its class. A sidecar file has the name of the recording that it belongs to.
"""

from __future__ import annotations

import json
import logging
import re
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar

from caesura.core.arrays import Strings
from caesura.core.errors import FormatError, MismatchError
from caesura.core.transcript import Span, Transcript
from caesura.text.phonetics import read_aloud

logger = logging.getLogger("caesura")

Paths = str | Path | Sequence[str | Path]

OPTIONS = {".norm.json": "--alternatives", ".wer_tag.json": "--entity-classes"}
"""The option that takes files of a suffix."""

TRAILING_ZEROS = re.compile(r"(\d)\.0+(?!\d)|(?<=\d)(\.\d*[1-9])0+(?!\d)")
"""Zeros at the end of decimals."""


def with_sidecars(
    transcripts: Iterable[Transcript], alternatives: Paths = (), entity_classes: Paths = ()
) -> list[Transcript]:
    """Add the alternatives and the entity classes of sidecar files to references.

    Paths are files, or folders whose files all count. A file belongs to the recording of the
    same name.
    """
    kinds = (Alternatives(alternatives), EntityClasses(entity_classes))
    completed = []
    for transcript in transcripts:
        for sidecars in kinds:
            transcript = sidecars.add(transcript)
        completed.append(transcript)
    for sidecars in kinds:
        sidecars.check_all_used()
        sidecars.warn_of_recordings_without()
    return completed


class Sidecars(ABC):
    """Sidecar files of one kind."""

    suffix: ClassVar[str]
    what: ClassVar[str]
    shape: ClassVar[str]

    def __init__(self, paths: Paths) -> None:
        several = [paths] if isinstance(paths, (str, Path)) else paths
        self.paths = {str(path): list(self._expand(Path(path))) for path in several}
        self.files = self._by_id(chain.from_iterable(self.paths.values()))
        self.ids: set[str] = set()

    @abstractmethod
    def add(self, transcript: Transcript) -> Transcript:
        """Add to a recording what its file says."""

    def check_all_used(self) -> None:
        """Warn of files, and of folders as a whole, that belong to no recording seen so far.

        If no file belongs to one, that is an error.
        """
        unused = {file for id, file in self.files.items() if id not in self.ids}
        if self.files and len(unused) == len(self.files):
            raise MismatchError(
                f"no file of {self.what} is named after one of the recordings",
                where=str(min(unused)),
                remedy=f"a file is named after its recording, as in call{self.suffix} for call.nlp",
            )
        whole = sorted(path for path, files in self.paths.items() if unused.issuperset(files))
        what = "named after no recording"
        _warn_of_names(
            OPTIONS[self.suffix], "file or folder is", "files or folders are", what, whole
        )

    def warn_of_recordings_without(self) -> None:
        """Warn of recordings that have no file of this kind."""
        bare = sorted(self.ids - self.files.keys())
        if self.files:
            option = OPTIONS[self.suffix]
            _warn_of_names(option, "recording has", "recordings have", f"no {self.what}", bare)

    def _expand(self, path: Path) -> Iterator[Path]:
        """Yield the file of that path, or the files of the folder."""
        if path.is_dir():
            inside = sorted(file for file in path.rglob(f"*{self.suffix}"))
            if not inside:
                raise FormatError(f"the folder has no file *{self.suffix}", where=str(path))
            yield from inside
            return
        if not path.exists():
            raise FormatError("cannot be read: no such file or folder", where=str(path))
        if not path.name.endswith(self.suffix):
            other = next((OPTIONS[end] for end in OPTIONS if path.name.endswith(end)), "")
            raise FormatError(
                f"{self.what} are in files named ID{self.suffix}",
                where=str(path),
                remedy=f"give this file as {other}" if other else "",
            )
        yield path

    def _by_id(self, files: Iterable[Path]) -> dict[str, Path]:
        """Return the file of each recording by its id."""
        by_id: dict[str, Path] = {}
        for file in files:
            id = file.name.removesuffix(self.suffix)
            if by_id.setdefault(id, file) != file:
                raise MismatchError(
                    f"two files are named {file.name}: the other is {by_id[id]}",
                    where=str(file),
                    remedy="name the folder that is meant",
                )
        return by_id

    def _file_of(self, transcript: Transcript) -> Path | None:
        """Return the file of a recording, and remember that the recording was seen."""
        self.ids.add(transcript.id)
        return self.files.get(transcript.id)

    def _entries(self, file: Path) -> Iterator[tuple[str, Any]]:
        """Yield each entity id with its entry in a file, after checking it."""
        try:
            content = json.loads(file.read_bytes())
        except OSError as error:
            raise FormatError(f"cannot be read: {error.strerror}", where=str(file)) from error
        except (ValueError, RecursionError) as error:
            raise FormatError(f"is not JSON: {error}", where=str(file)) from error
        if not isinstance(content, dict):
            raise FormatError("is not an object of entities by their ids", where=str(file))
        for key, entry in content.items():
            if not (isinstance(entry, dict) and self._is_valid(entry)):
                raise FormatError(
                    f"entity {key!r} does not have the expected shape",
                    where=str(file),
                    remedy=self.shape,
                )
            yield key, entry

    @abstractmethod
    def _is_valid(self, entry: Mapping[str, Any]) -> bool:
        """Whether an entity is described as it should be."""


class Alternatives(Sidecars):
    """Alternative transcriptions of entities: other ways in which they may be spoken.

    An entity is known by its key and class, since the two columns of an .nlp file may give one
    key to two of them.
    """

    suffix = ".norm.json"
    what = "alternatives"
    shape = 'an entity has {"candidates": [{"verbalization": ["word", …]}, …], "class": …}'

    def add(self, transcript: Transcript) -> Transcript:
        """Add the alternatives of its file to a recording."""
        file = self._file_of(transcript)
        if file is None:
            return transcript
        spans = (*(transcript.alternatives or ()), *self._spans(transcript, file))
        return transcript.replace(alternatives=spans)

    def _spans(self, transcript: Transcript, file: Path) -> list[Span]:
        """Return the alternatives of a file, each over the words of its entity."""
        entities: dict[str, list[Span]] = defaultdict(list)
        for span in transcript.entities or ():
            entities[span.key].append(span)
        alternatives: dict[Span, None] = {}
        lost = []
        for key, entry in self._entries(file):
            label = entry.get("class")
            entity = _only_one(entities.get(key, []), label if isinstance(label, str) else "")
            if entity is None:
                lost.append(key)
                continue
            written = " ".join(transcript.words[entity.first : entity.last + 1])
            spoken = _spoken_forms(entry)
            ended = transcript.mark is not None and transcript.mark[entity.last][:1] == "."
            for text in (*spoken, *_repaired_digits(written, spoken, ended)):
                if text != written:
                    alternatives[Span(entity.first, entity.last, text)] = None
        what = "missing in the reference, or in several pieces there"
        _warn_of_names(file, "entity is", "entities are", what, lost)
        return list(alternatives)

    def _is_valid(self, entry: Mapping[str, Any]) -> bool:
        candidates = entry.get("candidates")
        return isinstance(candidates, list) and all(
            isinstance(candidate, dict)
            and isinstance(candidate.get("verbalization"), list)
            and all(isinstance(word, str) for word in candidate["verbalization"])
            for candidate in candidates
        )


class EntityClasses(Sidecars):
    """Classes of entities that have none in the transcript."""

    suffix = ".wer_tag.json"
    what = "entity classes"
    shape = 'an entity has {"entity_type": …}'

    def __init__(self, paths: Paths) -> None:
        super().__init__(paths)
        self.labelled = 0

    def add(self, transcript: Transcript) -> Transcript:
        """Set the class of entities that have none to the one in the file."""
        file = self._file_of(transcript)
        if file is None or transcript.entities is None:
            return transcript
        classes = {key: entry["entity_type"] for key, entry in self._entries(file)}
        spans = tuple(
            span if span.label else span._replace(label=classes.get(span.key, ""))
            for span in transcript.entities
        )
        count = sum(span != before for span, before in zip(spans, transcript.entities, strict=True))
        self.labelled += count
        origin = transcript.origin and transcript.origin._replace(classed=count)
        return transcript.replace(entities=spans, origin=origin)

    def warn_if_none_labelled(self) -> None:
        """Warn if no entity has its class from a file."""
        if self.files and not self.labelled:
            logger.warning(
                "--entity-classes: no entity has its class from there: those of Rev's wer_tags "
                "are read with --format \"nlp(entities='both')\""
            )

    def _is_valid(self, entry: Mapping[str, Any]) -> bool:
        return isinstance(entry.get("entity_type"), str)


def _warn_of_names(where: object, one: str, many: str, what: str, names: Sequence[str]) -> None:
    """Warn of names, if there are any: `one` and `many` say what they are."""
    if names:
        shown = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
        number = f"{len(names)} {one if len(names) == 1 else many}"
        logger.warning("%s: %s %s: %s", where, number, what, shown)


def _only_one(entities: Sequence[Span], label: str) -> Span | None:
    """Return the entity of that class if there is exactly one, in one piece."""
    fitting = [span for span in entities if span.label == label or not label]
    return fitting[0] if len(fitting) == 1 else None


def _spoken_forms(entry: Mapping[str, Any]) -> list[str]:
    """Return the ways in which an entity may be spoken."""
    forms = (
        " ".join(" ".join(candidate["verbalization"]).split()) for candidate in entry["candidates"]
    )
    return list(dict.fromkeys(forms))


def _repaired_digits(written: str, spoken: Sequence[str], ended: bool) -> Iterator[str]:
    """Yield other digits than those written that are spoken like this.

    A number before the dot of a sentence may have lost its last digit (`202` for `2020.`), and
    decimals may have zeros that are not spoken (`7.40%`).
    """
    for other in completed(written, ended):
        if " ".join(read_aloud(other)) in spoken and " ".join(read_aloud(written)) not in spoken:
            yield other


def completed(written: str, ended: bool = True) -> Strings:
    """Return digits that may have been meant: one more if a sentence `ended`, or fewer zeros."""
    if not any(map(str.isdecimal, written)):
        return ()
    longer = (written + digit for digit in "0123456789" if ended and written.isdecimal())
    return (*longer, TRAILING_ZEROS.sub(r"\1\2", written))
