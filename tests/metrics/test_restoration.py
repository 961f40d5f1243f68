"""Restoration against values by hand and slow, obvious code."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.core.values import Undefined
from caesura.metrics.restoration import Restoration, mark_class

METRIC = Restoration()


def written(text: str) -> Transcript:
    (found,) = caesura.read(caesura.Text(text))
    return found


def values(hypothesis: str, *references: str) -> dict[str, object]:
    counts = METRIC.count(written(hypothesis), [written(one) for one in references])
    return dict(METRIC.values(counts))


REFERENCE = "We met Ann in Berlin, Ohio. Was she well? Yes! But she left."


def test_values_by_hand() -> None:
    found = values("We met ann in Berlin, ohio. was She well. Yes. But, she left", REFERENCE)
    # Right: the comma, the full stop after Ohio, `!` as a full stop. Spurious: `.` after well and
    # the second comma. Missing: `?` and the last full stop.
    assert (found["right"], found["spurious"], found["missing"]) == (3, 2, 2)
    assert (found["precision"], found["recall"], found["f1"]) == (3 / 5, 3 / 5, 3 / 5)
    assert (found["comma_precision"], found["comma_recall"]) == (1 / 2, 1)
    assert found["comma_f1"] == pytest.approx(2 / 3)
    # Without `!` as a full stop, the one after Yes is spurious.
    assert (found["period_precision"], found["period_recall"]) == (1 / 3, 1 / 2)
    assert isinstance(found["question_precision"], Undefined)
    assert found["question_recall"] == found["exclamation_recall"] == 0
    # Of 13 words, `ann`, `ohio`, `was` and `She` are wrong.
    assert (found["case_right"], found["case_wrong"], found["case_accuracy"]) == (9, 4, 9 / 13)
    # Inside sentences: Berlin is right, ann and ohio are missing, She is spurious.
    assert (found["capitals_precision"], found["capitals_recall"]) == (1 / 2, 1 / 3)
    assert found["capitals_f1"] == pytest.approx(0.4)
    assert found["inner_capitals_f1"] == pytest.approx(0.4)


def test_the_mean_over_references() -> None:
    both = values("We left.", "We left.", "we left,")
    assert (both["f1_1"], both["f1_2"], both["f1"]) == (1, 0, 0.5)
    assert (both["case_accuracy_1"], both["case_accuracy_2"]) == (1, 0.5)


def test_marks_follow_the_words_they_are_aligned_with() -> None:
    inserted = values("So, um we left. Bye.", "So, we left. Bye.")
    assert (inserted["f1"], inserted["case_right"]) == (1, 4)
    deleted = values("So left. Bye.", "So, we left? Bye.")
    assert (deleted["right"], deleted["missing"], deleted["spurious"]) == (1, 2, 1)
    # Both marks of the reference fall on one gap, where one of them is right.
    merged = values("So, Bye.", "So, we left. Bye.")
    assert (merged["right"], merged["missing"], merged["spurious"]) == (2, 1, 0)
    before = values("Bye.", "So. Bye.")
    assert (before["right"], before["missing"]) == (1, 1)
    nothing = METRIC.count(Transcript(()), [written("So. Bye.")])
    assert nothing["missing_1"] == 2


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        (("", '"', ")", "’"), ""),
        ((",", "，", "、", "،", ":", "—", "--", " -", ",”"), ","),
        ((".", ";", "…", "...", "..", "。", "।", ".”", ";—"), "."),
        (("?", "？", "؟", "?!", "...?", "?”"), "?"),
        (("!", "!”", "!?"), "!"),
    ],
)
def test_marks_of_many_kinds_are_of_four_classes(marks: tuple[str, ...], expected: str) -> None:
    assert {mark_class(mark) for mark in marks} == {expected}


def test_tokens_of_punctuation_are_marks_too() -> None:
    tokens = Transcript(("We", "left", ",", "Ann", "and", "I", "."), sentences=[(0, 6)])
    counts = METRIC.count(tokens, [written("We left, Ann and I.")])
    found = METRIC.values(counts)
    assert {name: found[name] for name in ("f1", "case_accuracy", "capitals_f1")} == {
        "f1": 1,
        "case_accuracy": 1,
        "capitals_f1": 1,
    }
    columns = dict(METRIC.per_gap_counts(tokens, [written("We left, Ann and I.")]))
    assert columns["comma_right_1"].tolist() == [0, 1, 0, 0, 0, 0, 0]


def test_abbreviations_apostrophes_and_sentences_that_are_not_known() -> None:
    plain = Transcript(("we", "don't", "see", "Mr", "X"), mark=("", "", "", "", "."))
    other = Transcript(("We", "don’t", "see", "Mr.", "X"), mark=("", "", "", "", "."))
    found = METRIC.values(METRIC.count(plain, [other]))
    assert (found["case_right"], found["case_wrong"], found["capitals_f1"]) == (4, 1, 1)


def test_values_without_meaning_say_why() -> None:
    found = values("so it goes", "so it goes")
    assert found["f1"] == Undefined("no mark in the hypothesis")
    assert found["comma_recall"] == Undefined("no comma in the reference")
    assert found["question_recall"] == Undefined("no question mark in the reference")
    assert found["capitals_f1"] == Undefined("no capital inside a sentence in the hypothesis")
    assert found["case_accuracy"] == 1
    digits = values("1 2 3", "1 2 3")
    assert isinstance(digits["case_accuracy"], Undefined)


def test_disagreements_and_remarks() -> None:
    ours, theirs = written("we, met Ann. left"), written("We met ann, left.")
    found = list(METRIC.disagreements(ours, [theirs]))
    assert [(d.level, d.kind, d.reference, d.hypothesis, d.place) for d in found] == [
        ("mark", "added", "", ",", 0),
        ("word", "case", "We", "we", 0),
        ("mark", "changed", ",", ".", 2),
        ("word", "case", "ann", "Ann", 2),
        ("mark", "missed", ".", "", 3),
    ]
    assert (found[2].before, found[2].after) == ("we met Ann", "left")
    assert METRIC.remarks(METRIC.count(ours, [theirs])) == []
    (remark,) = METRIC.remarks(METRIC.count(ours, [written("something else entirely")]))
    assert "shares 0% of the words" in remark


def slow_counts(ours: list[tuple[str, str]], theirs: list[tuple[str, str]]) -> Counter[str]:
    """Count marks of texts with the same words, one gap after another."""
    found: Counter[str] = Counter()
    names = {",": "comma", ".": "period", "?": "question", "!": "exclamation"}
    for (word, mark), (beside, wanted) in zip(ours, theirs, strict=True):
        for class_ in names:
            here, there = mark == class_, wanted == class_
            found[f"{names[class_]}_right"] += here and there
            found[f"{names[class_]}_spurious"] += here and not there
            found[f"{names[class_]}_missing"] += there and not here
        for class_ in (",", ".", "?"):
            here = mark == class_ or (class_ == "." and mark == "!")
            there = wanted == class_ or (class_ == "." and wanted == "!")
            found["right"] += here and there
            found["spurious"] += here and not there
            found["missing"] += there and not here
        found["case_right"] += word == beside
        found["case_wrong"] += word != beside
    first = own_first = True
    for (word, mark), (beside, wanted) in zip(ours, theirs, strict=True):
        own = [name for name, skip in (("", False), ("inner_", own_first)) if not first | skip]
        for name in own:
            found[f"{name}capitals_right"] += word.istitle() and beside.istitle()
            found[f"{name}capitals_spurious"] += word.istitle() and not beside.istitle()
            found[f"{name}capitals_missing"] += beside.istitle() and not word.istitle()
        first, own_first = wanted in (".", "?", "!"), mark in (".", "?", "!")
    return found


WORD = st.sampled_from(["Ann", "ann", "We", "we"])
MARK = st.sampled_from(["", "", ",", ".", "?", "!"])
CELL = st.tuples(WORD, MARK, st.sampled_from(["", "", ",", ".", "?", "!"]), st.booleans())


@given(st.lists(CELL, max_size=12))
def test_counts_are_those_of_slow_code(cells: list[tuple[str, str, str, bool]]) -> None:
    ours = [(word, mark) for word, mark, _, _ in cells]
    theirs = [
        (word.swapcase().title() if other else word.lower(), mark) for word, _, mark, other in cells
    ]
    made = [Transcript([w for w, _ in text], mark=[m for _, m in text]) for text in (ours, theirs)]
    counts = METRIC.count(made[0], made[1:])
    expected = {f"{name}_1": number for name, number in slow_counts(ours, theirs).items()}
    assert {name: counts[name] for name in expected} == expected


def test_restored_texts_are_compared_as_they_are_shown() -> None:
    ends = np.array([False, False, True, False, True])
    words = ("So", "it", "goes", "We", "left")
    reference = Transcript(words, mark=("", "", ".", "", "."), sentences=Segmentation(ends))
    bare = Transcript([word.lower() for word in words], sentences=Segmentation(ends))
    found = caesura.restore(bare)
    scores = caesura.score(found, reference=reference, metric=["Restoration", "Boundary"])
    assert scores["Restoration"]["f1"] == scores["Restoration"]["case_accuracy"] == 1
    assert scores["Boundary"]["f1"] == 1
    lower = caesura.score(found, reference=reference, metric="Restoration", normalize="case")
    assert lower["Restoration"]["case_accuracy"] == lower["Restoration"]["f1"] == 1
    assert isinstance(lower["Restoration"]["capitals_f1"], Undefined)
