"""The detector `Model`: a stored model, used for recordings in its language."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from caesura.core import registry
from caesura.core.arrays import Floats, Strings
from caesura.core.errors import ModelError, UnknownName, same_name
from caesura.core.protocols import Detector, Stream
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.detectors.pause import Pause
from caesura.models.store import (
    StoredModel,
    find_folder,
    load,
    model_kind,
    read_card,
    shipped_models,
)
from caesura.text.languages import LANGUAGES, language_code, languages_differ

logger = logging.getLogger("caesura")

HEAD, LEAST, KNOWN = 50, 20, 0.5
"""Of the first HEAD words, if there are at least LEAST, a model must know the share KNOWN."""


@dataclass(frozen=True, repr=False)
class Model(Detector):
    """A stored model: the name of one that ships with Caesura, or a model folder.

    A recording in another language, or of whose first words the model knows less than half, is
    segmented by `Pause` instead, with a warning in the log.
    """

    model: str

    name = "Model"

    def __post_init__(self) -> None:
        if not isinstance(self.model, str) or not self.model or "\0" in self.model:
            raise ValueError(f"model is the name or the folder of a model, not {self.model!r}")

    @cached_property
    def stored(self) -> StoredModel:
        """The card and the detector, loaded when they are first needed."""
        return _load(self.model, ())

    @property
    def checksum(self) -> str:
        """The checksums of the model and of the models that it refers to."""
        own = self.stored.card.checksum
        return own + "".join(part.checksum for part in self.stored.detector.parts())

    @property
    def behind(self) -> int:
        """How many words before a gap a stream keeps."""
        return int(getattr(self.stored.detector, "behind", 0))

    def log_odds(self, transcript: Transcript) -> Floats:
        """Return the log-odds of the stored detector."""
        return self._detector_for(transcript).log_odds(transcript)

    def label(self, transcript: Transcript) -> Strings | None:
        """Return the labels of the stored detector."""
        return self._detector_for(transcript).label(transcript)

    def written_words(self, transcript: Transcript) -> Strings | None:
        """Return the written words of the stored detector."""
        return self._detector_for(transcript).written_words(transcript)

    def language(self, transcript: Transcript) -> str:
        """Return the language of the recording; if it does not say, of a model that fits."""
        if language_code(transcript.language) or self.misfit(transcript):
            return transcript.language
        return self.stored.card.language

    def detect(self, transcript: Transcript) -> Segmentation:
        """Segment as the stored detector does."""
        return self._detector_for(transcript).detect(transcript)

    def detect_all(self, transcripts: Sequence[Transcript]) -> list[Segmentation]:
        """Segment many recordings: those that fit the model at once, the others by `Pause`."""
        detectors = [self._detector_for(transcript) for transcript in transcripts]
        own = self.stored.detector
        pairs = list(zip(transcripts, detectors, strict=True))
        found = iter(own.detect_all([each for each, detector in pairs if detector is own]))
        return [next(found) if by is own else by.detect(each) for each, by in pairs]

    def detect_unfinished(self, transcripts: Sequence[Transcript]) -> list[Segmentation]:
        """Segment words after which more will come, as the stored detector does."""
        return [self._detector_for(each).detect_unfinished([each])[0] for each in transcripts]

    def annotate(self, transcript: Transcript) -> Transcript:
        """Annotate as the stored detector does."""
        return self._detector_for(transcript).annotate(transcript)

    def coverage(self, transcript: Transcript) -> float:
        """Return the coverage of the stored detector."""
        return self.stored.detector.coverage(transcript)

    def lacks(self, transcript: Transcript) -> str:
        """Return what the detector that decides lacks."""
        return self._detector_for(transcript).lacks(transcript)

    def adjusted(self, **settings: Any) -> Model:
        """Return another model; the settings inside a stored model cannot be changed."""
        for name in settings.keys() - {"model"}:
            raise UnknownName(
                f"a stored model has no setting {name!r}", remedy="train one with that setting"
            )
        return replace(self, **settings)

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        """Return a stream; if the language is unknown, it waits for the first words."""
        return ModelStream(self, state)

    def misfit(self, transcript: Transcript) -> str:
        """Return why the model does not fit a recording, or '' if it fits."""
        ours, theirs = language_code(self.stored.card.language), language_code(transcript.language)
        if ours and theirs:
            why = f"in {_language_name(theirs)}, and the model {self.model} is for "
            return why + _language_name(ours) if languages_differ(ours, theirs) else ""
        head = transcript[:HEAD]
        if len(head) < LEAST or self.coverage(head) >= KNOWN:
            return ""
        return f"the model {self.model} knows less than half of its words"

    def can_judge(self, head: Transcript) -> bool:
        """Whether the first words are enough to say if the model fits a recording."""
        declared = language_code(self.stored.card.language) and language_code(head.language)
        has_coverage = type(self.stored.detector).coverage is not Detector.coverage
        return bool(declared) or not has_coverage or len(head) >= HEAD

    def warn(self, transcript: Transcript, misfit: str) -> None:
        """Log, once for each recording, that the model is not used."""
        note = (transcript.id, misfit)
        if note not in self._warned:
            self._warned.add(note)
            id = transcript.id or "a recording"
            others = " or ".join(models_for(transcript.language))
            hint = f" (there is the model {others})" if others else ""
            logger.warning("%s: %s; pauses and marks decide alone%s", id, misfit, hint)

    @cached_property
    def _warned(self) -> set[tuple[str, str]]:
        return set()

    def _detector_for(self, transcript: Transcript) -> Detector:
        """Return the stored detector, or `Pause` if the model does not fit."""
        misfit = self.misfit(transcript)
        if misfit:
            self.warn(transcript, misfit)
        return Pause() if misfit else self.stored.detector


class ModelStream(Stream):
    """A stream that holds the first words until they show whether the model fits.

    `around` makes, of the detector that is chosen, the one whose stream goes on.
    """

    def __init__(
        self,
        model: Model,
        state: Mapping[str, Any] | None,
        around: Callable[[Detector], Detector] = lambda chosen: chosen,
    ) -> None:
        from caesura.core.serialize import from_document

        saved = state or {"held": {"words": []}, "by": "", "stream": None}
        self.model, self.around = model, around
        self.held = from_document(saved["held"])
        self.by = str(saved["by"])
        self.inner = self._open(saved["stream"]) if self.by else None

    def push(self, words: Transcript) -> list[Transcript]:
        """Add words and return the sentences that are final now."""
        if self.inner is not None:
            return self.inner.push(words)
        # No more words are held than the choice needs, so that it does not matter how they arrive.
        known = self.held if len(self.held) else words[:1]
        wanted = (1 if self.model.can_judge(known) else HEAD) - len(self.held)
        first, rest = words[:wanted], words[wanted:]
        self.held = Transcript.join([self.held, first]) if len(self.held) else first
        if not self.model.can_judge(self.held):
            return []
        found = self._choose()
        return [*found, *self.push(rest)] if len(rest) else found

    def close(self) -> list[Transcript]:
        """Decide the gaps that are left."""
        first = self._choose() if len(self.held) else []
        return [*first, *(self.inner.close() if self.inner is not None else ())]

    def state(self) -> Mapping[str, Any]:
        """Return the words that are held, or the state of the stream that was chosen."""
        from caesura.core.serialize import to_document

        return {
            "held": to_document(self.held),
            "by": self.by,
            "stream": None if self.inner is None else self.inner.state(),
        }

    def language(self, sentence: Transcript) -> str:
        """Return the language of the words; if they do not say, of a model that fits."""
        said = sentence.language
        return (
            said if language_code(said) or self.by != "model" else self.model.stored.card.language
        )

    def _choose(self) -> list[Transcript]:
        from caesura.detectors.window_stream import with_delay_after

        misfit = self.model.misfit(self.held)
        if misfit:
            self.model.warn(self.held, misfit)
        self.by = "pause" if misfit else "model"
        self.inner = self._open(None)
        held, self.held = self.held, Transcript(())
        return with_delay_after(self.inner.push(held), held)

    def _open(self, state: Mapping[str, Any] | None) -> Stream:
        chosen = Pause() if self.by == "pause" else self.model.stored.detector
        return self.around(chosen).stream(state)


def models_for(language: str) -> list[str]:
    """Return the names of the models that ship for a language; none if it is unknown."""
    wanted = language_code(language)
    names = shipped_models("detector")
    return [
        name
        for name in names
        if wanted and language_code(read_card(find_folder(name)).language) == wanted
    ]


def get_detector(
    detector: str | Path | Detector,
    prefer: str = "f1",
    shortest: int | str | None = None,
    longest: int | str | None = None,
) -> Detector:
    """Return the detector of a name: a registered one, a model that ships, or a model folder.

    With a preference or limits of sentence length, it is inside a `Decision`.
    """
    found = _named_detector(detector)
    if prefer == "f1" and shortest is None and longest is None:
        return found
    from caesura.detectors.decision import with_decision

    return with_decision(found, prefer, shortest, longest)


def _named_detector(detector: str | Path | Detector) -> Detector:
    if isinstance(detector, Path):
        detector = str(detector)
    registry.check_given(detector, "detector")
    if isinstance(detector, Detector):
        return detector
    name = detector.partition("(")[0].strip()
    built_in = name in registry.names("detector")
    if not built_in and (detector in shipped_models() or _is_folder(detector)):
        _refuse_other_kinds(detector)
        return Model(detector)
    try:
        return registry.parse("detector", detector)
    except UnknownName as error:
        if registry.is_known("detector", name):
            raise
        if name in shipped_models():
            raise UnknownName(
                f"the model {name} takes no settings", remedy="train one with those settings"
            ) from error
        models = ", ".join(shipped_models("detector"))
        meant = same_name(name, shipped_models("detector"))
        if meant:
            raise UnknownName(
                f"no model is named {name!r}", remedy=f"did you mean {meant!r}?"
            ) from error
        if name and name == detector.strip() and not name.isidentifier():
            raise UnknownName(
                f"there is no model folder and no detector {name!r}",
                remedy=f"name a folder that is there{f', or a model: {models}' if models else ''}",
            ) from error
        also = (
            f"models are {models}, or name a model folder" if models else "or name a model folder"
        )
        raise UnknownName(error.what, remedy=f"{error.remedy}; {also}") from error


def _refuse_other_kinds(model: str) -> None:
    folder = find_folder(model)
    if model_kind(folder) != "detector":
        made = read_card(folder).detector.split("(")[0]
        raise ModelError(
            f"the model {model} is a {made}, and a detector is wanted",
            remedy="name another model, or train a detector",
        )


def _is_folder(name: str) -> bool:
    try:
        return bool(name) and Path(name).is_dir()
    except OSError:
        return False


def _load(model: str, within: tuple[Path, ...]) -> StoredModel:
    """Load a model and the models that it refers to; none may refer back to one of `within`."""
    folder = find_folder(model).resolve()
    if folder in within:
        raise ModelError("the model refers to itself", where=str(folder), remedy="train it again")
    found = _load_cached(str(folder), read_card(folder).checksum)
    for inner in found.detector.parts():
        if isinstance(inner, Model):
            _load(inner.model, (*within, folder))
    return found


@lru_cache(maxsize=8)
def _load_cached(folder: str, checksum: str) -> StoredModel:  # noqa: ARG001 - another checksum, another model
    return load(folder)


def _language_name(language: str) -> str:
    names = [name for name in LANGUAGES.get(language, "").split() if len(name) > 3]
    return names[0].capitalize() if names else language
