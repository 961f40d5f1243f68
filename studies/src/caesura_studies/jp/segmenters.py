"""Tools that segment texts into sentences, most of them also into tokens.

All of them are optional: a tool that is not installed, or whose data are missing, is listed with
the reason. Nothing is downloaded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from caesura.formats.base import Source
from caesura.formats.plain import Text
from caesura_studies.jp.treebanks import LANGUAGES

SegmentFunction = Callable[[str], list[list[str]]]
"""Segments a paragraph into sentences, and these into tokens."""

LOAD_ERRORS = (ImportError, LookupError, OSError, RuntimeError, ValueError)
"""What tools raise if data are missing or they do not know a language."""


@dataclass(frozen=True)
class Segmenter:
    """A tool: how it is loaded for a language, and whether it finds tokens."""

    name: str
    make: Callable[[str], SegmentFunction]
    tokens: bool = True
    package: str = ""
    note: str = ""

    @property
    def version(self) -> str:
        """The installed version."""
        return version(self.package) if self.package else ""

    def load(self, language: str) -> SegmentFunction | str:
        """Return the function that segments texts of a language, or say why there is none."""
        if self.package and find_spec(self.package) is None:
            return "not installed"
        try:
            return self.make(language)
        except LOAD_ERRORS as error:
            return " ".join(str(error).split())


def _split_tokens(sentences: Iterable[str]) -> list[list[str]]:
    return [sentence.split() for sentence in sentences]


def _caesura(language: str) -> SegmentFunction:
    del language

    def cut(text: str) -> list[list[str]]:
        read = Text().parse(Source("text", text.encode()))
        return _split_tokens(each.text for whole in read for each in whole.iter_sentences())

    return cut


def _nltk(language: str) -> SegmentFunction:
    nltk: Any = import_module("nltk")
    names = {code: name for name, code in LANGUAGES.items()}
    name = names.get(language, language)
    try:
        nltk.sent_tokenize("One. Two.", language=name)
    except LookupError as error:
        raise LookupError("no Punkt data for the language") from error

    def cut(text: str) -> list[list[str]]:
        sentences = nltk.sent_tokenize(text, language=name)
        return [nltk.word_tokenize(each, name, preserve_line=True) for each in sentences]

    return cut


def _spacy(language: str) -> SegmentFunction:
    pipeline: Any = import_module("spacy").blank(language)
    pipeline.add_pipe("sentencizer")
    return lambda text: [
        [token.text for token in sentence if not token.is_space]
        for sentence in pipeline(text).sents
    ]


def _stanza(language: str) -> SegmentFunction:
    stanza: Any = import_module("stanza")
    options = {"processors": "tokenize", "download_method": None, "verbose": False}
    pipeline = stanza.Pipeline(language, **options)
    return lambda text: [
        [token.text for token in sentence.tokens] for sentence in pipeline(text).sentences
    ]


def _pysbd(language: str) -> SegmentFunction:
    if language not in import_module("pysbd.languages").LANGUAGE_CODES:
        raise LookupError(f"it does not know the language {language}")
    segmenter: Any = import_module("pysbd").Segmenter(language=language, clean=False)
    return lambda text: _split_tokens(segmenter.segment(text))


def _sentencex(language: str) -> SegmentFunction:
    segment: Any = import_module("sentencex").segment
    return lambda text: _split_tokens(segment(language, text))


def _blingfire(language: str) -> SegmentFunction:
    del language
    blingfire: Any = import_module("blingfire")
    return lambda text: [
        blingfire.text_to_words(sentence).split()
        for sentence in blingfire.text_to_sentences(text).split("\n")
    ]


def _syntok(language: str) -> SegmentFunction:
    del language
    syntok: Any = import_module("syntok.segmenter")
    return lambda text: [
        [token.value for token in sentence]
        for paragraph in syntok.process(text)
        for sentence in paragraph
    ]


MODEL = "sat-3l-sm"


def _wtpsplit(language: str) -> SegmentFunction:
    del language
    hub: Any = import_module("huggingface_hub")
    for place in (f"segment-any-text/{MODEL}", "facebookAI/xlm-roberta-base"):
        if not isinstance(hub.try_to_load_from_cache(place, "config.json"), str):
            raise LookupError(f"its model {place} is not there")
    model: Any = import_module("wtpsplit").SaT(MODEL)
    return lambda text: _split_tokens(model.split(text))


_OURS = (
    "sentences end at the marks that the format `text` knows; it drops a paragraph without words"
)
_QUOTING = (
    "ends no sentence between brackets or quotes; one without its partner can swallow a paragraph"
)

SEGMENTERS: Sequence[Segmenter] = (
    Segmenter("caesura text", _caesura, False, note=_OURS),
    Segmenter("nltk", _nltk, package="nltk", note="Punkt and its word tokeniser"),
    Segmenter("spaCy", _spacy, package="spacy", note="blank pipeline with `sentencizer`"),
    Segmenter("stanza", _stanza, package="stanza"),
    Segmenter("pysbd", _pysbd, False, "pysbd"),
    Segmenter("sentencex", _sentencex, False, "sentencex", _QUOTING),
    Segmenter("blingfire", _blingfire, package="blingfire", note="one rule set for all languages"),
    Segmenter("syntok", _syntok, package="syntok", note="made for English, German and Spanish"),
    Segmenter("wtpsplit", _wtpsplit, False, "wtpsplit", f"SaT, {MODEL}"),
)
