"""Values in one line: `caesura.wer("a b c", "a x c")`, `caesura.f1(reference, hypothesis)`.

**The reference always comes first**, as in jiwer and nltk; both can be named instead:
`wer(hypothesis=..., reference=...)`. In these functions a string is text, never a path (a file is
given as a `pathlib.Path`; a string that names a file is an error). Lists, arrays and generators of
strings are utterances for error rates of words and characters, and sentences for the values of
boundaries. Transcripts and other input in memory are taken too.

The numbers are those of the metric classes, whose settings can be given by name:
`pk(reference, hypothesis, k=5)`. A value that is undefined, such as the word error rate of an
empty reference, is NaN. For confidence intervals, several recordings, tables and reports there
is `caesura.score`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from caesura.core import registry
from caesura.core.errors import FormatError, MismatchError, UnknownName, advice
from caesura.core.protocols import Metric
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Undefined, Value
from caesura.evaluation.evaluate import (
    LEAST,
    EvaluationOptions,
    evaluate_systems,
    normalization_steps,
)
from caesura.formats.files import read
from caesura.formats.in_memory import InMemory, Readable, Sentences, Text, Words, is_table
from caesura.text.normalization.steps import LADDER, describe
from caesura.text.normalization.steps import normalize as normalize_words

Given = str | Iterable[str] | Transcript | Path | InMemory
"""Text, a list of utterances or sentences, a transcript, a file, or other input in memory."""


def wer(
    reference: Given, hypothesis: Given, *, normalize: str | Sequence[str] = "none", **settings: Any
) -> float:
    """Return the word error rate: edits divided by the words of the reference, which comes first.

    Lists are utterances, each paired with the one at the same place; their errors are added up.
    Strings are split at blanks and compared as they are, case and punctuation included, unless
    steps of `normalize` are named ('case+dots+punctuation', or 'least' for all steps that
    `caesura.score` may take); nothing but these steps changes words. `settings`
    are those of the metric `Words`.
    """
    return _word_value("wer", reference, hypothesis, normalize, settings)


def mer(
    reference: Given, hypothesis: Given, *, normalize: str | Sequence[str] = "none", **settings: Any
) -> float:
    """Return the match error rate: edits divided by all aligned words. See `wer`."""
    return _word_value("mer", reference, hypothesis, normalize, settings)


def wil(
    reference: Given, hypothesis: Given, *, normalize: str | Sequence[str] = "none", **settings: Any
) -> float:
    """Return the word information lost. See `wer`."""
    return _word_value("wil", reference, hypothesis, normalize, settings)


def cer(
    reference: Given, hypothesis: Given, *, normalize: str | Sequence[str] = "none", **settings: Any
) -> float:
    """Return the character error rate; blanks between words count. See `wer`."""
    return _word_value("wer", reference, hypothesis, normalize, settings, characters=True)


def precision(
    reference: Given, hypothesis: Given, *, normalize: str | Sequence[str] = LEAST, **settings: Any
) -> float:
    """Return the share of the hypothesis' sentence boundaries that are right. See `f1`."""
    return _boundary_value("Boundary", "precision", [reference], hypothesis, normalize, settings)


def recall(
    reference: Given, hypothesis: Given, *, normalize: str | Sequence[str] = LEAST, **settings: Any
) -> float:
    """Return the share of the reference's sentence boundaries that were found. See `f1`."""
    return _boundary_value("Boundary", "recall", [reference], hypothesis, normalize, settings)


def f1(
    reference: Given, hypothesis: Given, *, normalize: str | Sequence[str] = LEAST, **settings: Any
) -> float:
    """Return the F1 of sentence boundaries; the reference comes first.

    Text has its sentences from its punctuation; a list is a list of sentences. Words must be the
    same on both sides after `normalize` ('least' does no more than needed; `align=True` carries
    boundaries over where words differ). `settings` are those of the metric `Boundary`.
    """
    return _boundary_value("Boundary", "f1", [reference], hypothesis, normalize, settings)


def ser(
    reference: Given, hypothesis: Given, *, normalize: str | Sequence[str] = LEAST, **settings: Any
) -> float:
    """Return the slot error rate of sentence boundaries: missed and wrong ones. See `f1`."""
    return _boundary_value("Boundary", "ser", [reference], hypothesis, normalize, settings)


def pk(
    reference: Given, hypothesis: Given, *, normalize: str | Sequence[str] = LEAST, **settings: Any
) -> float:
    """Return Pk, the error of windows of `k` words (Beeferman et al., 1999). See `f1`."""
    return _boundary_value("Pk", "pk", [reference], hypothesis, normalize, settings)


def windowdiff(
    reference: Given, hypothesis: Given, *, normalize: str | Sequence[str] = LEAST, **settings: Any
) -> float:
    """Return WindowDiff over windows of `k` words (Pevzner and Hearst, 2002). See `f1`."""
    sides = [reference], hypothesis, normalize, settings
    return _boundary_value("WindowDiff", "window_diff", *sides)


def boundary_similarity(
    reference: Given, hypothesis: Given, *, normalize: str | Sequence[str] = LEAST, **settings: Any
) -> float:
    """Return the boundary similarity (Fournier, 2013). See `f1`."""
    sides = [reference], hypothesis, normalize, settings
    return _boundary_value("BoundarySimilarity", "similarity", *sides)


def wisebe(
    references: Sequence[Given],
    hypothesis: Given,
    *,
    normalize: str | Sequence[str] = LEAST,
    **settings: Any,
) -> float:
    """Return WiSeBE, the score against several references: a list of them comes first. See `f1`."""
    if isinstance(references, (str, Path, Transcript)) or not isinstance(references, Sequence):
        raise TypeError("wisebe takes a list of references: wisebe([first, second], hypothesis)")
    return _boundary_value("WiSeBE", "wisebe", references, hypothesis, normalize, settings)


def _word_value(
    name: str,
    reference: Given,
    hypothesis: Given,
    normalize: str | Sequence[str],
    settings: dict[str, Any],
    characters: bool = False,
) -> float:
    """Measure words, or characters as if each was a word."""
    metric = _metric("Words", "cer" if characters else name, settings)
    reference, hypothesis = _listed(reference), _listed(hypothesis)
    for given in (reference, hypothesis):
        _refuse_file_names(given)
    steps = normalization_steps(normalize)
    steps = LADDER[-1] if steps == (LEAST,) else steps
    describe(steps)
    references, hypotheses = _utterances(reference), _utterances(hypothesis)
    if len(references) != len(hypotheses):
        raise MismatchError(
            f"there are {len(references)} utterances in the reference and {len(hypotheses)} in the "
            "hypothesis",
            remedy="give as many on both sides",
        )
    total = Counts()
    for pair in zip(hypotheses, references, strict=True):
        ours, theirs = (normalize_words(one, steps) for one in pair)
        if characters:
            ours, theirs = (Transcript(tuple(" ".join(one.words))) for one in (ours, theirs))
        total += metric.count(ours, [theirs])
    return _number(metric.values(total)[name])


def _boundary_value(
    metric: str,
    name: str,
    references: Sequence[Given],
    hypothesis: Given,
    normalize: str | Sequence[str],
    settings: dict[str, Any],
) -> float:
    """Measure boundaries against one reference or several."""
    align = settings.pop("align", False)
    made = _metric(metric, FUNCTIONS.get(name, name), settings, ("align",))
    references, hypothesis = [_listed(one) for one in references], _listed(hypothesis)
    for given in (*references, hypothesis):
        _refuse_file_names(given)
    options = EvaluationOptions(metric=made, normalize=normalize, align=align, resamples=0)
    theirs = [_with_sentences(reference) for reference in references]
    (scores,) = evaluate_systems([_with_sentences(hypothesis)], theirs, options)
    return _number(scores.values[0][name])


FUNCTIONS = {"window_diff": "windowdiff", "similarity": "boundary_similarity"}
"""Functions that are not named like the value that they return."""


def _metric(
    name: str, function: str, settings: dict[str, Any], options: Sequence[str] = ()
) -> Metric:
    """Make the metric of a function, or raise an error that names an unknown option."""
    metric_class: Any = registry.find("metric", name)
    known = ["normalize", *options, *(field.name for field in fields(metric_class))]
    for option in settings:
        if option not in known:
            hint = advice(option, known, "it has")
            raise UnknownName(f"{function} has no option {option!r}", remedy=hint)
    made: Metric = metric_class(**settings)
    return made


def _refuse_file_names(given: Given) -> None:
    """Raise an error for a string, or a list of strings only, that names existing files."""
    if not _is_text(given) or not given:
        return
    texts: Any = [given] if isinstance(given, str) else given
    if all(map(_names_file, texts)):
        raise FormatError(
            "this string names a file, and would be scored as text",
            where=texts[0],
            remedy="pass pathlib.Path(...) to read it, or caesura.Text(...) if it is text",
        )


def _names_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        return False


def _number(value: Value) -> float:
    """Give a value as a number, NaN if it is undefined."""
    return math.nan if isinstance(value, Undefined) else float(value)


def _listed(given: Given) -> Given:
    """Make a list of a generator, an array, a column or another iterable of strings."""
    if isinstance(given, (str, bytes, bytearray, Path, Transcript, Mapping, list, tuple)):
        return given
    if isinstance(given, (Text, Sentences, Words, Readable)) or is_table(given):
        return given
    if not isinstance(given, Iterable):
        return given
    to_list = getattr(given, "to_pylist", None)  # of a column of Arrow, whose items are objects
    items: list[Any] = to_list() if callable(to_list) else list(given)
    # An iterator has given away its items; anything else without strings is for `read`.
    taken = isinstance(given, Iterator) or all(isinstance(item, str) for item in items)
    return items if taken else given


def _is_text(given: Given) -> bool:
    """Whether this is a string or a list of strings."""
    if isinstance(given, (list, tuple)):
        return all(isinstance(one, str) for one in given)
    return isinstance(given, str)


def _utterances(given: Given) -> list[Transcript]:
    """Give the utterances of one side; strings are split at blanks, and words stay as written."""
    if not _is_text(given):
        return list(read(given))
    texts: Any = [given] if isinstance(given, str) else given
    return [Transcript(tuple(text.split())) for text in texts]


def _with_sentences(given: Given) -> list[Transcript]:
    """Give the recordings of one side; a string is text, and a list of strings is sentences."""
    if isinstance(given, str):
        return [Text(given).transcript()]
    if _is_text(given):
        sentences: Any = given
        return [Sentences(sentences).transcript()]
    return list(read(given))
