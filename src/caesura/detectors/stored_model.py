"""The detectors `Model`, a stored model, and `Auto`, the model of each recording's language.

Both leave each recording to another detector, which the language that it states or its first words
decide: `ChoosingDetector` does this for whole recordings, `ChoiceStream` in streams.
"""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from caesura.core import registry
from caesura.core.arrays import Floats, Strings
from caesura.core.config import check_one_of
from caesura.core.errors import ModelError, UnknownName, same_name
from caesura.core.protocols import Detector, Stream
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.detectors.pause import Pause
from caesura.models.store import (
    Card,
    StoredModel,
    find_folder,
    load,
    model_kind,
    read_card,
    shipped_models,
)
from caesura.text.languages import (
    guess_language,
    language_code,
    language_name,
    languages_differ,
)
from caesura.text.punctuation import strip_punctuation

logger = logging.getLogger("caesura.detectors")

HEAD, LEAST, KNOWN = 50, 20, 0.5
"""Of the first HEAD words, if there are at least LEAST, a model must know the share KNOWN."""

FEW = 3
"""Of so many words, or more, a model must know at least one."""

PAUSE = ""
"""What `choose` returns, in place of the name of a model, if `Pause` decides."""

AUTO = ("auto", "Auto")
"""What users type for the model of each recording's language."""

PURPOSES = ("segment", "stream")
"""What a model is chosen for: whole recordings, or words that arrive over time."""

MODELS = {
    "en": ("en", "en-fast"),
    "fr": ("fr", "fr"),
    "ja": ("ja", "ja"),
    "pcm": ("pcm", "pcm"),
}
"""For each language, the models that `Auto` chooses: one for each of `PURPOSES`."""

USUAL = "en"
"""The language whose model is tried if the language is unknown or has no model."""

WITHOUT_MARKS = frozenset({"fr", "ja", "pcm"})
"""Models in `MODELS` that do not look at sentence marks; `Auto` adds the evidence of marks."""

MARKS_WEIGHT = 10.0
"""The weight of marks beside such a model: its log-odds are large, so marks need a large weight."""


class ChoosingDetector(Detector):
    """A detector that leaves each recording to one of several others."""

    @abstractmethod
    def choose(self, transcript: Transcript) -> str:
        """Return the model that decides a recording, or `PAUSE`, and log what users should know.

        It depends on the language that the recording states and on its first HEAD words alone.
        """

    @abstractmethod
    def can_choose(self, head: Transcript) -> bool:
        """Whether the first words of a recording are enough to choose."""

    @abstractmethod
    def chosen(self, model: str) -> Detector:
        """Return the detector that stands for what `choose` returned."""

    def log_odds(self, transcript: Transcript) -> Floats:
        """Return the log-odds of the chosen detector."""
        return self._detector_for(transcript).log_odds(transcript)

    def label(self, transcript: Transcript) -> Strings | None:
        """Return the labels of the chosen detector."""
        return self._detector_for(transcript).label(transcript)

    def detect(self, transcript: Transcript) -> Segmentation:
        """Segment as the chosen detector does."""
        return self._detector_for(transcript).detect(transcript)

    def detect_all(self, transcripts: Sequence[Transcript]) -> list[Segmentation]:
        """Segment many recordings: all that are left to the same detector at once."""
        models = [self.choose(transcript) for transcript in transcripts]
        pairs = list(zip(transcripts, models, strict=True))
        found = {
            model: iter(self.chosen(model).detect_all([each for each, by in pairs if by == model]))
            for model in dict.fromkeys(models)
        }
        return [next(found[model]) for model in models]

    def detect_unfinished(self, transcripts: Sequence[Transcript]) -> list[Segmentation]:
        """Segment words after which more will come, as the chosen detectors do."""
        return [self._detector_for(each).detect_unfinished([each])[0] for each in transcripts]

    def written_words(self, transcript: Transcript) -> Strings | None:
        """Return the written words of the chosen detector."""
        return self._detector_for(transcript).written_words(transcript)

    def language(self, transcript: Transcript) -> str:
        """Return the language of the recording; if it does not say, of the chosen model."""
        return _language(transcript, self.choose(transcript), _guess(transcript))

    def calibration(self, transcript: Transcript) -> tuple[float, float] | None:
        """Return the scale and bias on the card of the chosen model."""
        return self.calibration_by(self.choose(transcript), transcript)

    @abstractmethod
    def calibration_by(self, model: str, transcript: Transcript) -> tuple[float, float] | None:
        """Return the scale and bias for the log-odds of what `choose` returned."""

    def annotate(self, transcript: Transcript) -> Transcript:
        """Annotate as the chosen detector does."""
        return self._detector_for(transcript).annotate(transcript)

    def lacks(self, transcript: Transcript) -> str:
        """Return what the chosen detector lacks."""
        return self._detector_for(transcript).lacks(transcript)

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        """Return a stream; if the language is unknown, it waits for the first words."""
        return ChoiceStream(self, state)

    def _detector_for(self, transcript: Transcript) -> Detector:
        return self.chosen(self.choose(transcript))


@dataclass(frozen=True, repr=False)
class Model(ChoosingDetector):
    """A stored model: the name of one that ships with Caesura, or a model folder.

    A recording in another language, or of whose first words the model knows less than half (or
    none, if they are few), is segmented by `Pause` instead, with a warning in the log.
    """

    model: str

    name = "Model"

    def __post_init__(self) -> None:
        if not isinstance(self.model, str) or not self.model or "\0" in self.model:
            raise ValueError(f"model is the name or the folder of a model, not {self.model!r}")

    @cached_property
    def card(self) -> Card:
        """The card, which is read without the arrays."""
        return read_card(find_folder(self.model))

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
        """How many words before a gap the stored detector looks at in any stream."""
        return int(getattr(self.stored.detector, "behind", 0))

    def coverage(self, transcript: Transcript) -> float:
        """Return the coverage of the stored detector."""
        return self.stored.detector.coverage(transcript)

    def adjusted(self, **settings: Any) -> Model:
        """Return another model; the settings inside a stored model cannot be changed."""
        for name in settings.keys() - {"model"}:
            raise UnknownName(
                f"a stored model has no setting {name!r}", remedy="train one with that setting"
            )
        return replace(self, **settings)

    def choose(self, transcript: Transcript) -> str:
        """Return the model itself, or `PAUSE` with a warning if it does not fit."""
        misfit = self.misfit(transcript)
        if misfit:
            self._warn(transcript, misfit)
        return PAUSE if misfit else self.model

    def can_choose(self, head: Transcript) -> bool:
        """Whether the first words are enough to say if the model fits a recording."""
        if language_code(self.card.language) and language_code(head.language):
            return True
        has_coverage = type(self.stored.detector).coverage is not Detector.coverage
        return not has_coverage or len(head) >= HEAD

    def chosen(self, model: str) -> Detector:
        """Return the stored detector, or `Pause`."""
        return Pause() if model == PAUSE else self.stored.detector

    def calibration_by(
        self,
        model: str,
        transcript: Transcript,  # noqa: ARG002 - that of `Auto` depends on it
    ) -> tuple[float, float] | None:
        """Return the scale and bias on the card; `Pause` has none."""
        return None if model == PAUSE else self.card.calibration

    def misfit(self, transcript: Transcript) -> str:
        """Return why the model does not fit a recording, or '' if it fits."""
        ours, theirs = self.card.language, transcript.language
        if language_code(ours) and language_code(theirs):
            why = f"in {language_name(theirs)}, and the model {self.model} is for "
            return why + language_name(ours) if languages_differ(ours, theirs) else ""
        head = transcript[:HEAD]
        known = self.coverage(head) if len(head) >= FEW else 1.0
        if len(head) < LEAST:
            return "" if known else f"the model {self.model} knows none of its words"
        return "" if known >= KNOWN else f"the model {self.model} knows less than half of its words"

    def _warn(self, transcript: Transcript, misfit: str) -> None:
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


@dataclass(frozen=True, repr=False)
class Auto(ChoosingDetector):
    """The model of each recording's language, with sentence marks where the text has them.

    The language is the one that the recording states, or else the one of its first words; where no
    model fits, `Pause` decides. The `purpose` is 'segment' for whole recordings, or 'stream'.
    """

    purpose: str = "segment"

    name = "Auto"

    def __post_init__(self) -> None:
        check_one_of("purpose", self.purpose, PURPOSES)

    @property
    def checksum(self) -> str:
        """The checksums of the models to choose from."""
        names = {names[PURPOSES.index(self.purpose)] for names in MODELS.values()}
        return "".join(self._model(name).card.checksum for name in sorted(names))

    def coverage(self, transcript: Transcript) -> float:
        """Return the coverage of the chosen detector."""
        return self._detector_for(transcript).coverage(transcript)

    def choose(self, transcript: Transcript) -> str:
        """Return the model of the language, or `PAUSE`; log, once for each reason, which it is."""
        stated = language_code(transcript.language)
        guessed = "" if stated else _guess(transcript)
        language = stated or guessed
        if language and language not in MODELS:
            why = "as stated" if stated else "probably, by the first words"
            self._tell_of_none(transcript, f"{language_name(language)} ({why})")
            return PAUSE
        names = MODELS[language or USUAL]
        chosen = self._model(names[PURPOSES.index(self.purpose)]).choose(transcript)
        if chosen != PAUSE and len(transcript):
            self._tell(chosen, stated, guessed)
        return chosen

    def can_choose(self, head: Transcript) -> bool:
        """Whether the first words tell the language."""
        return bool(language_code(head.language)) or len(head) >= HEAD

    def chosen(self, model: str) -> Detector:
        """Return the detector of a model, with marks as evidence if it ignores them, or `Pause`."""
        if model == PAUSE:
            return Pause()
        stored = self._model(model).stored.detector
        return _with_marks(stored) if model in WITHOUT_MARKS else stored

    def calibration_by(self, model: str, transcript: Transcript) -> tuple[float, float] | None:
        """Return the scale and bias on the card; none for marks that were added to a model."""
        with_marks = model in WITHOUT_MARKS and transcript.mark is not None
        return None if model == PAUSE or with_marks else self._model(model).card.calibration

    def _tell(self, model: str, stated: str, guessed: str) -> None:
        reason = "the language is not known"
        if stated:
            reason = f"{language_name(stated)}, as stated"
        elif guessed:
            reason = f"{language_name(guessed)}, by the first words"
        if (model, reason) not in self._told:
            self._told.add((model, reason))
            logger.info("the model %s finds the sentences (%s)", model, reason)

    def _tell_of_none(self, transcript: Transcript, language: str) -> None:
        """Log, once for each recording, that there is no model for its language."""
        if (transcript.id, language) not in self._told:
            self._told.add((transcript.id, language))
            name = transcript.id or "a recording"
            text = "%s: there is no model for %s; pauses and marks decide alone"
            logger.warning(text, name, language)

    def _model(self, name: str) -> Model:
        return self._models.setdefault(name, Model(name))

    @cached_property
    def _models(self) -> dict[str, Model]:
        return {}

    @cached_property
    def _told(self) -> set[tuple[str, str]]:
        return set()


def in_language(transcript: Transcript, language: str) -> Transcript:
    """Return a transcript in a language if it does not state its own; warn if they differ."""
    if not language_code(transcript.language):
        return transcript.replace(language=language) if language else transcript
    if languages_differ(transcript.language, language):
        name = transcript.id or "a recording"
        text = "%s states the language %s, so that %s is not used"
        logger.warning(text, name, transcript.language, language)
    return transcript


def _language(words: Transcript, model: str, guessed: str) -> str:
    """Return the language that words state, or else that of the model that decides them.

    Where no model decides, it is the one that was guessed from the first words.
    """
    if language_code(words.language):
        return words.language
    return guessed if model == PAUSE else read_card(find_folder(model)).language


def _guess(transcript: Transcript) -> str:
    """Return the language of the first words; '' if there are too few of them."""
    head = [word for word in transcript.words[:HEAD] if strip_punctuation(word)]
    return guess_language(head) if len(head) >= LEAST else ""


def _with_marks(detector: Detector) -> Detector:
    """Add the evidence of sentence marks; without marks it adds 0."""
    from caesura.detectors.fusion import Fusion

    marks = Pause(evidence=("marks",))
    return Fusion((marks, detector), weights=(MARKS_WEIGHT, 1.0), bias=MARKS_WEIGHT)


NOT_CHOSEN: dict[str, Any] = {"held": {"words": []}, "by": None, "guessed": "", "stream": None}
"""The state of a stream before its first word."""


class ChoiceStream(Stream):
    """A stream that holds the first words until they show which detector decides.

    `around` makes, of the detector that is chosen, the one whose stream goes on.
    """

    def __init__(
        self,
        choosing: ChoosingDetector,
        state: Mapping[str, Any] | None,
        around: Callable[[Detector], Detector] = lambda chosen: chosen,
    ) -> None:
        from caesura.core.serialize import from_document

        saved = state or NOT_CHOSEN
        self.choosing, self.around = choosing, around
        self.held = from_document(saved["held"])
        self.by: str | None = saved["by"]
        self.guessed: str = saved["guessed"]
        self._is_sure = self.by is not None
        self.inner = None if self.by is None else self._open(self.by, saved["stream"])

    def push(self, words: Transcript) -> list[Transcript]:
        """Add words and return the sentences that are final now."""
        if self.inner is not None:
            return self.inner.push(words)
        # No more words are held than the choice needs, so that it does not matter how they arrive.
        known = self.held if len(self.held) else words[:1]
        wanted = (1 if self.choosing.can_choose(known) else HEAD) - len(self.held)
        first, rest = words[:wanted], words[wanted:]
        self.held = Transcript.join([self.held, first]) if len(self.held) else first
        if not self.choosing.can_choose(self.held):
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
            "guessed": self.guessed,
            "stream": None if self.inner is None else self.inner.state(),
        }

    def next_state(self) -> Mapping[str, Any] | None:
        """Return the choice, if it was made by enough words: it holds for the whole recording."""
        return NOT_CHOSEN | {"by": self.by, "guessed": self.guessed} if self._is_sure else None

    def language(self, sentence: Transcript) -> str:
        """Return the language of the words; if they do not say, of the model that decides."""
        return _language(sentence, self.by or PAUSE, self.guessed)

    def _choose(self) -> list[Transcript]:
        from caesura.detectors.window_stream import with_delay_after

        self.by, self._is_sure = (
            self.choosing.choose(self.held),
            self.choosing.can_choose(self.held),
        )
        self.guessed = _guess(self.held)
        self.inner = self._open(self.by, None)
        held, self.held = self.held, Transcript(())
        return with_delay_after(self.inner.push(held), held)

    def _open(self, by: str, state: Mapping[str, Any] | None) -> Stream:
        return self.around(self.choosing.chosen(by)).stream(state)


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
    purpose: str = "segment",
) -> Detector:
    """Return the detector of a name: a registered one, a model that ships, or a model folder.

    'auto' is the model of each recording's language that suits the `purpose`. With a preference
    or limits of sentence length, the detector is inside a `Decision`.
    """
    found = _named_detector(detector, purpose)
    if prefer == "f1" and shortest is None and longest is None:
        return found
    from caesura.detectors.decision import with_decision

    return with_decision(found, prefer, shortest, longest)


def _named_detector(detector: str | Path | Detector, purpose: str) -> Detector:
    if isinstance(detector, Path):
        detector = str(detector)
    registry.check_given(detector, "detector")
    if isinstance(detector, Detector):
        return detector
    if detector.strip() in AUTO:
        return Auto(purpose)
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
