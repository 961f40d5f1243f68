"""Values in one line: as jiwer, nltk and the metric classes compute them."""

import math
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import jiwer
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.metrics.segmentation import pk as nltk_pk
from nltk.metrics.segmentation import windowdiff as nltk_windowdiff

import caesura
from caesura.core.errors import CaesuraError, MismatchError
from caesura.evaluation import quick

TEXT = st.lists(st.sampled_from(["a", "b", "B", "c.", "d"]), min_size=1, max_size=8).map(" ".join)
WORDS = ["wer", "mer", "wil", "cer"]


def value(name: str, reference: Any, hypothesis: Any, **asked: Any) -> float:
    found: float = getattr(caesura, name)(reference, hypothesis, **asked)
    return found


def test_the_reference_comes_first_or_is_named() -> None:
    assert caesura.wer("a b c", "a x c") == pytest.approx(1 / 3)
    assert caesura.wer("a b c d", "a b") == 0.5
    assert caesura.wer(hypothesis="a b", reference="a b c d") == 0.5
    assert caesura.recall("So it goes. We left.", "So it goes we left.") == 0


@pytest.mark.parametrize("name", WORDS)
@given(reference=TEXT, hypothesis=TEXT)
def test_error_rates_are_jiwers(name: str, reference: str, hypothesis: str) -> None:
    expected = getattr(jiwer, name)(reference, hypothesis)
    assert value(name, reference, hypothesis) == pytest.approx(expected)


@pytest.mark.parametrize("name", WORDS)
@given(pairs=st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=4))
def test_lists_are_utterances_as_for_jiwer(name: str, pairs: list[tuple[str, str]]) -> None:
    reference, hypothesis = (list(side) for side in zip(*pairs, strict=True))
    expected = getattr(jiwer, name)(reference, hypothesis)
    assert value(name, reference, hypothesis) == pytest.approx(expected)


@given(reference=TEXT, hypothesis=TEXT)
def test_normalised_rates_are_those_of_score(reference: str, hypothesis: str) -> None:
    for normalize in ("least", "case", "none"):
        scores = caesura.score(
            caesura.Text(hypothesis),
            reference=caesura.Text(reference),
            metric="Words",
            normalize=normalize,
            resamples=0,
        )
        if normalize == "none":
            found = caesura.wer(caesura.Text(reference), caesura.Text(hypothesis))
        else:
            found = caesura.wer(reference, hypothesis, normalize=normalize)
        assert found == scores["Words"]["wer"]


class Column:
    """A column that can become a dict, as that of pandas can."""

    def __init__(self, texts: list[str]) -> None:
        self._texts = texts

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def to_dict(self) -> dict[int, str]:
        return dict(enumerate(self._texts))


@pytest.mark.parametrize(
    "make",
    [
        iter,
        lambda texts: (text for text in texts),
        np.array,
        lambda texts: np.array(texts, dtype=object),
        lambda texts: dict(enumerate(texts)).values(),
        Column,
        lambda texts: import_module("pandas").Series(texts),
        lambda texts: import_module("pandas").Series(texts, dtype="category"),
        lambda texts: import_module("pyarrow").array(texts),
        lambda texts: import_module("pyarrow").table({"text": texts})["text"],
    ],
)
def test_any_iterable_of_strings_is_a_list_of_utterances(make: Any) -> None:
    said, found = ["so it goes", "we tied it"], ["so it went", "we tied it"]
    assert caesura.wer(make(said), make(found)) == caesura.wer(said, found)
    assert caesura.cer(said, make(found)) == caesura.cer(said, found)
    halves = ["so it goes", "we tied", "it"]
    assert caesura.f1(make(said), make(halves)) == caesura.f1(said, halves) == pytest.approx(2 / 3)
    assert caesura.wisebe([make(said), make(said)], make(said)) == 1
    (transcript,) = caesura.read(caesura.Sentences(said))
    assert value("wer", iter([transcript]), [transcript]) == 0


def test_strings_of_an_iterable_are_no_paths(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("So it goes.\n")
    for named in (np.array([str(file)]), iter([str(file)])):
        with pytest.raises(CaesuraError, match="names a file"):
            caesura.wer(named, "So it goes.")


def test_strings_are_compared_as_written_unless_steps_are_named() -> None:
    said, found = "So it goes.", "so it goes"
    assert caesura.wer(said, found) == pytest.approx(2 / 3)
    assert caesura.wer(said, found, normalize="case+punctuation") == 0
    assert caesura.wer(said, found, normalize="least") == 0
    for least in (("least",), ["least"]):
        assert caesura.wer(said, found, normalize=least) == 0
    for none in (("none",), ["none"]):
        assert caesura.wer(said, found, normalize=none) == pytest.approx(2 / 3)
    assert caesura.cer(said, found) == pytest.approx(2 / 11)
    assert caesura.cer(said, found, normalize="least") == 0
    steps = "case+dots+punctuation"
    assert caesura.wer([said, "yes"], [found, "no"], normalize=steps) == 0.25


def test_settings_and_undefined_values() -> None:
    assert math.isnan(caesura.wer("", "a"))
    assert caesura.wer("", "a b", empty="insertions") == 2
    assert math.isnan(caesura.f1(["a b c"], ["a b c"]))
    with pytest.raises(MismatchError, match="2 utterances in the reference and 1 in"):
        caesura.wer(["a", "b"], ["a"])
    with pytest.raises(CaesuraError, match="cass"):
        caesura.wer("a", "a", normalize="cass")
    with pytest.raises(TypeError, match="wisebe takes a list of references"):
        caesura.wisebe("a", "a")


def sentences(count: int, ends: set[int]) -> list[str]:
    found, words = [], []
    for at in range(count):
        words.append(f"w{at}")
        if at in ends or at == count - 1:
            found.append(" ".join(words))
            words = []
    return found


COUNT = 12
ENDS = st.sets(st.integers(0, COUNT - 2))


@given(reference=ENDS, hypothesis=ENDS, k=st.integers(2, 5))
def test_windows_are_nltks(reference: set[int], hypothesis: set[int], k: int) -> None:
    ours, theirs = (sentences(COUNT, ends) for ends in (hypothesis, reference))
    gaps = [
        "".join("01"[at in ends] for at in range(COUNT - 1)) for ends in (reference, hypothesis)
    ]
    assert caesura.windowdiff(theirs, ours, k=k) == pytest.approx(nltk_windowdiff(*gaps, k))
    assert caesura.pk(theirs, ours, k=k) == pytest.approx(nltk_pk(*gaps, k))


@given(reference=ENDS, hypothesis=ENDS)
def test_boundary_values_are_the_metrics(reference: set[int], hypothesis: set[int]) -> None:
    ours, theirs = (sentences(COUNT, ends) for ends in (hypothesis, reference))
    metrics = ["Boundary", "Pk", "WindowDiff", "BoundarySimilarity"]
    scores = caesura.score(
        caesura.Sentences(ours), reference=caesura.Sentences(theirs), metric=metrics, resamples=0
    )
    for metric, name, function in (
        ("Boundary", "precision", "precision"),
        ("Boundary", "recall", "recall"),
        ("Boundary", "f1", "f1"),
        ("Boundary", "ser", "ser"),
        ("Pk", "pk", "pk"),
        ("WindowDiff", "window_diff", "windowdiff"),
        ("BoundarySimilarity", "similarity", "boundary_similarity"),
    ):
        found, expected = value(function, theirs, ours), scores[metric][name]
        if isinstance(expected, caesura.Undefined):
            assert math.isnan(found)
        else:
            assert found == expected


def test_f1_by_hand_and_wisebe_of_several_references(tmp_path: Path) -> None:
    reference = "So it goes. We tied it shut. Then we left."
    hypothesis = ["so it goes", "we tied it shut then we left"]
    assert caesura.precision(reference, hypothesis) == 1
    assert caesura.recall(reference, hypothesis) == 0.5
    assert caesura.f1(reference, hypothesis) == pytest.approx(2 / 3)
    assert caesura.ser(reference, hypothesis) == 0.5
    assert caesura.wisebe([reference, reference], reference) == 1
    file = tmp_path / "said.txt"
    file.write_text(reference)
    assert caesura.f1(file, hypothesis) == pytest.approx(2 / 3)
    (transcript,) = caesura.read(file)
    assert caesura.f1(transcript, hypothesis) == pytest.approx(2 / 3)
    other = ["so it went", "we tied it shut then we left"]
    assert caesura.f1(reference, other, align=True) == pytest.approx(2 / 3)


def test_all_one_liners_are_exported() -> None:
    functions = [
        name
        for name, each in vars(quick).items()
        if getattr(each, "__module__", "") == quick.__name__ and not name.startswith("_")
    ]
    for name in functions:
        assert getattr(caesura, name) is getattr(quick, name)
    assert set(WORDS) < set(functions)


@pytest.mark.parametrize("name", ["wer", "cer", "f1"])
def test_a_string_that_names_a_file_is_an_error(name: str, tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("So it goes.\n")
    for named in (str(file), [str(file)]):
        for sides in ((named, "So it goes."), ("So it goes.", named)):
            with pytest.raises(CaesuraError, match=r"names a file.*pathlib\.Path.*caesura\.Text"):
                value(name, *sides)
    assert value("wer", file, caesura.Text("So it goes.")) == 0
    assert value("wer", "a" * 5000, "a\0b") == 1
    assert value("wer", [str(file), "so"], [str(file), "so"]) == 0


@pytest.mark.parametrize("name", [*WORDS, "f1", "windowdiff", "boundary_similarity"])
def test_an_unknown_option_is_named_with_the_function(name: str) -> None:
    with pytest.raises(CaesuraError) as caught:
        value(name, "a b", "a c", normalise="case")
    assert str(caught.value) == f"{name} has no option 'normalise'; did you mean 'normalize'?"


def test_only_the_named_steps_change_words() -> None:
    assert caesura.wer("Hello, world.", "Hello world") == 1.0
    assert caesura.wer("Hello, world.", "hello world", normalize="case") == 1.0
    assert caesura.wer("Hello, world.", "hello world", normalize="case+dots+punctuation") == 0.0
    assert caesura.wer("Hello, world.", caesura.Transcript(("Hello", "world"))) == 1.0
