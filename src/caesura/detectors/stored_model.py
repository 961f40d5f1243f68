"""Stored models as detectors, for the language that they are made for."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from caesura.core import registry
from caesura.core.arrays import Floats, Strings
from caesura.core.errors import ModelError, UnknownName
from caesura.core.protocols import Detector, Stream
from caesura.core.segmentation import Segmentation
from caesura.core.serialize import from_document, to_document
from caesura.core.transcript import Transcript
from caesura.detectors.pause import Pause
from caesura.detectors.window_stream import decided_after
from caesura.models.store import Stored, card, find, kind_of, load, shipped
from caesura.text.languages import LANGUAGES, code, differ

logger = logging.getLogger("caesura")

HEAD, LEAST, KNOWN = 50, 20, 0.5
"""Of the first words of a recording, if there are at least so many, the model knows this share."""


@dataclass(frozen=True, repr=False)
class Model(Detector):
    """A stored model: the name of one that ships with Caesura, or a model folder.

    A recording in another language than the model's, or of whose first words the model knows
    less than half, is left to pauses, speakers and marks; the log says so.
    """

    model: str

    name = "Model"

    def __post_init__(self) -> None:
        if not isinstance(self.model, str) or not self.model or "\0" in self.model:
            raise ValueError(f"model is the name or the folder of a model, not {self.model!r}")

    @cached_property
    def stored(self) -> Stored:
        """The card and the detector, read when they are first needed."""
        return _opened(self.model, ())

    @property
    def checksum(self) -> str:
        """The checksums of the model and of those that it refers to."""
        own = self.stored.card.checksum
        return own + "".join(part.checksum for part in self.stored.detector.parts())

    def log_odds(self, transcript: Transcript) -> Floats:
        """Say what the stored detector says."""
        return self._for(transcript).log_odds(transcript)

    def label(self, transcript: Transcript) -> Strings | None:
        """Label as the stored detector does."""
        return self._for(transcript).label(transcript)

    def detect(self, transcript: Transcript) -> Segmentation:
        """Decide as the stored detector does."""
        return self._for(transcript).detect(transcript)

    def detect_all(self, transcripts: Sequence[Transcript]) -> list[Segmentation]:
        """Let the stored detector decide for all recordings that it can judge at once."""
        deciding = [self._for(transcript) for transcript in transcripts]
        own = self.stored.detector
        pairs = list(zip(transcripts, deciding, strict=True))
        found = iter(own.detect_all([each for each, detector in pairs if detector is own]))
        return [next(found) if by is own else by.detect(each) for each, by in pairs]

    def annotate(self, transcript: Transcript) -> Transcript:
        """Find what the one that decides finds."""
        return self._for(transcript).annotate(transcript)

    def coverage(self, transcript: Transcript) -> float:
        """Know what the stored detector knows."""
        return self.stored.detector.coverage(transcript)

    def lacks(self, transcript: Transcript) -> str:
        """Lack what the one that decides lacks."""
        return self._for(transcript).lacks(transcript)

    def adjusted(self, **settings: Any) -> Model:
        """Give another model; what is inside a model stays as it was stored."""
        for name in settings.keys() - {"model"}:
            raise UnknownName(
                f"a stored model has no setting {name!r}", remedy="train one with that setting"
            )
        return replace(self, **settings)

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        """Hold the first words until they tell who decides, if the language is not known."""
        return ModelStream(self, state)

    def misfit(self, transcript: Transcript) -> str:
        """Say why the model is not made for a recording, or '' if it is."""
        ours, theirs = code(self.stored.card.language), code(transcript.language)
        if ours and theirs:
            told = f"in {_named(theirs)}, and the model {self.model} is for {_named(ours)}"
            return told if differ(ours, theirs) else ""
        head = transcript[:HEAD]
        if len(head) < LEAST or self.coverage(head) >= KNOWN:
            return ""
        return f"the model {self.model} knows less than half of its words"

    def judges(self, head: Transcript) -> bool:
        """Whether the first words suffice to say if the model is made for a recording."""
        declared = code(self.stored.card.language) and code(head.language)
        counts = type(self.stored.detector).coverage is not Detector.coverage
        return bool(declared) or not counts or len(head) >= HEAD

    def tell(self, transcript: Transcript, misfit: str) -> None:
        """Log, once for each recording, that the model does not decide."""
        note = (transcript.id, misfit)
        if note not in self._told:
            self._told.add(note)
            id = transcript.id or "a recording"
            others = " or ".join(made_for(transcript.language))
            hint = f" (there is the model {others})" if others else ""
            logger.warning("%s: %s; pauses and marks decide alone%s", id, misfit, hint)

    @cached_property
    def _told(self) -> set[tuple[str, str]]:
        return set()

    def _for(self, transcript: Transcript) -> Detector:
        """Choose who decides: the stored detector, or pauses alone."""
        misfit = self.misfit(transcript)
        if misfit:
            self.tell(transcript, misfit)
        return Pause() if misfit else self.stored.detector


class ModelStream(Stream):
    """The stream of a stored detector or of pauses, as soon as it is clear whose."""

    def __init__(self, model: Model, state: Mapping[str, Any] | None) -> None:
        saved = state or {"held": {"words": []}, "by": "", "stream": None}
        self.model = model
        self.held = from_document(saved["held"])
        self.by = str(saved["by"])
        self.inner = self._begun(saved["stream"]) if self.by else None

    def push(self, words: Transcript) -> list[Transcript]:
        """Take words; give the sentences that are final now."""
        if self.inner is not None:
            return self.inner.push(words)
        # No more words are held than tell who decides, so that it does not matter how they arrive.
        known = self.held if len(self.held) else words[:1]
        wanted = (1 if self.model.judges(known) else HEAD) - len(self.held)
        first, rest = words[:wanted], words[wanted:]
        self.held = Transcript.join([self.held, first]) if len(self.held) else first
        if not self.model.judges(self.held):
            return []
        begun = self._decide()
        return [*begun, *self.push(rest)] if len(rest) else begun

    def close(self) -> list[Transcript]:
        """Decide what is left."""
        first = self._decide() if len(self.held) else []
        return [*first, *(self.inner.close() if self.inner is not None else ())]

    def state(self) -> Mapping[str, Any]:
        """Give the words that are held, or the state of the stream that has begun."""
        return {
            "held": to_document(self.held),
            "by": self.by,
            "stream": None if self.inner is None else self.inner.state(),
        }

    def _decide(self) -> list[Transcript]:
        misfit = self.model.misfit(self.held)
        if misfit:
            self.model.tell(self.held, misfit)
        self.by = "pause" if misfit else "model"
        self.inner = self._begun(None)
        held, self.held = self.held, Transcript(())
        return decided_after(self.inner.push(held), held)

    def _begun(self, state: Mapping[str, Any] | None) -> Stream:
        return (Pause() if self.by == "pause" else self.model.stored.detector).stream(state)


def made_for(language: str) -> list[str]:
    """Name the models that ship for a language, if it is known."""
    wanted = code(language)
    names = shipped("detector")
    return [name for name in names if wanted and code(card(find(name)).language) == wanted]


def chosen(detector: str | Detector) -> Detector:
    """Give the detector that a text names: a registered one, a model that ships, or a folder."""
    if isinstance(detector, Detector):
        return detector
    name = detector.partition("(")[0].strip()
    built_in = name in registry.names("detector")
    if not built_in and (detector in shipped() or _is_folder(detector)):
        _refuse_others(detector)
        return Model(detector)
    try:
        return registry.parse("detector", detector)
    except UnknownName as error:
        if registry.is_known("detector", name):
            raise
        if name in shipped():
            raise UnknownName(
                f"the model {name} takes no settings", remedy="train one with those settings"
            ) from error
        models = ", ".join(shipped("detector"))
        also = (
            f"models are {models}, or name a model folder" if models else "or name a model folder"
        )
        raise UnknownName(error.what, remedy=f"{error.remedy}; {also}") from error


def _refuse_others(model: str) -> None:
    folder = find(model)
    if kind_of(folder) != "detector":
        made = card(folder).detector.split("(")[0]
        raise ModelError(
            f"the model {model} is a {made}, and a detector is wanted",
            remedy="name another model, or train a detector",
        )


def _is_folder(name: str) -> bool:
    try:
        return bool(name) and Path(name).is_dir()
    except OSError:
        return False


def _opened(model: str, within: tuple[Path, ...]) -> Stored:
    """Read a model and those that it refers to, of which none may be one that it is within."""
    folder = find(model).resolve()
    if folder in within:
        raise ModelError("the model refers to itself", where=str(folder), remedy="train it anew")
    found = _kept(str(folder), card(folder).checksum)
    for inner in found.detector.parts():
        if isinstance(inner, Model):
            _opened(inner.model, (*within, folder))
    return found


@lru_cache(maxsize=8)
def _kept(folder: str, checksum: str) -> Stored:  # noqa: ARG001 - another checksum, another model
    return load(folder)


def _named(language: str) -> str:
    names = [name for name in LANGUAGES.get(language, "").split() if len(name) > 3]
    return names[0].capitalize() if names else language
