"""Pairing recordings, and the errors about those that do not belong together."""

import pytest

from caesura.core.errors import MismatchError
from caesura.core.transcript import Origin, Transcript
from caesura.evaluation.pairing import join_parts, pair_recordings, require_same_words


def texts(*ids: str) -> list[Transcript]:
    return [Transcript(("a", "b"), id=id) for id in ids]


def test_recordings_are_paired_by_name() -> None:
    found = pair_recordings(texts("a", "b"), [texts("b", "a"), texts("a", "b")])
    assert [(ours.id, [one.id for one in theirs]) for ours, theirs in found] == [
        ("a", ["a", "a"]),
        ("b", ["b", "b"]),
    ]


def test_single_recordings_need_no_name() -> None:
    ((ours, theirs),) = pair_recordings(texts("x"), [texts("y"), texts("")])
    assert (ours.id, [one.id for one in theirs]) == ("x", ["y", ""])
    assert pair_recordings([], [[], []]) == []


@pytest.mark.parametrize(
    ("hypothesis", "reference", "message"),
    [
        ("aa", "ab", "the hypothesis has two recordings named 'a'"),
        ("ab", "aa", "reference 1 has two recordings named 'a'"),
        ("ab", "ac", "1 recording is not in reference 1: 'b'"),
        ("a", "ab", "1 recording is not in the hypothesis: 'b'"),
        ("abcdefgh", "a", "7 recordings are not in reference 1: 'b', 'c', 'd', 'e', 'f', …"),
    ],
)
def test_recordings_that_do_not_pair_are_named(
    hypothesis: str, reference: str, message: str
) -> None:
    with pytest.raises(MismatchError, match=message):
        pair_recordings(texts(*hypothesis), [texts(*reference)])


def test_several_systems_and_references_are_told_apart() -> None:
    several = r"own \(a -r before each reference; caesura compare for several systems\)$"
    with pytest.raises(MismatchError, match=several):
        pair_recordings(texts("a", "b", "a"), [texts("a", "b")])
    with pytest.raises(MismatchError, match=r"^google has two recordings named 'a'; .* own$"):
        pair_recordings(texts("a", "b", "a"), [texts("a", "b")], ["google"])


def test_a_system_without_some_recordings_is_named() -> None:
    with pytest.raises(MismatchError, match=r"1 recording is not in google: 'c'; .* by name$"):
        pair_recordings(texts("a", "b"), [texts("a", "b", "c")], ["google"])
    with pytest.raises(MismatchError, match="1 recording is not in reference 2: 'b'"):
        pair_recordings(texts("a", "b"), [texts("a", "b"), texts("a", "c")], ["google"])


@pytest.mark.parametrize(
    ("ours", "theirs", "message"),
    [
        ("a b c", "a x c", "word 2 is 'b' in the hypothesis and 'x' in reference 1"),
        ("a b", "a b c", r"word 3 is the end of the text .* and 'c' in reference 1 \(2 and 3"),
        ("a", "", "word 1 is 'a' in the hypothesis and the end of the text in reference 1"),
    ],
)
def test_the_first_word_that_differs_is_reported(ours: str, theirs: str, message: str) -> None:
    with pytest.raises(
        MismatchError,
        match=rf"{message}.*align=True \(--align\).*metric='Words' \(--metric Words\)",
    ):
        require_same_words(
            Transcript(tuple(ours.split())), Transcript(tuple(theirs.split())), "reference 1"
        )
    require_same_words(Transcript(("a",)), Transcript(("a",), id="b"), "reference 1")


def parts(*ids: str, file: str = "x.jsonl") -> list[Transcript]:
    return [each.replace(origin=Origin(file)) for each in texts(*ids)]


def test_one_of_several_recordings_is_not_all_of_them() -> None:
    with pytest.raises(MismatchError, match="2 recordings are not in the hypothesis: 'b', 'c'"):
        pair_recordings(parts("a"), [parts("a", "b", "c")])
    ((_, (theirs,)),) = pair_recordings(parts("x"), [parts("a", "b", "c")])
    assert len(theirs) == 6


def test_parts_of_a_recording_that_follow_each_other_are_joined() -> None:
    found = pair_recordings(parts("a", "a", "b", "b", "b"), [texts("b", "a")])
    assert [(ours.id, len(ours)) for ours, _ in found] == [("a", 4), ("b", 6)]
    assert [len(each) for each in join_parts(parts("a", "b", "a"))] == [2, 2, 2]
    assert [len(each) for each in join_parts(parts("a") + parts("a", file="y.jsonl"))] == [2, 2]
    assert [len(each) for each in join_parts(texts("a", "a"))] == [2, 2]
