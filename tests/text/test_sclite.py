"""Alignment with sclite's weights: comparison with a full table, and with sclite."""

import random
import re
import shutil
import subprocess
from array import array
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.text.alignment import sclite as weighted
from caesura.text.alignment.word_alignment import Alignment, align, align_parts

SCLITE = shutil.which("sctk")
TEXTS = st.sampled_from(["ab", "abc", "abcdefgh"]).flatmap(
    lambda words: st.lists(st.sampled_from(words), max_size=24)
)
PARTS = st.lists(st.tuples(TEXTS, TEXTS), max_size=6)


def weight(found: Alignment) -> int:
    return 4 * found.substitutions + 3 * (found.insertions + found.deletions)


def lightest(source: list[str], target: list[str]) -> tuple[int, list[int]]:
    """Align with the textbook table; from its end a pair, else an insertion, else a deletion."""
    table = {(i, 0): 3 * i for i in range(len(source) + 1)}
    table |= {(0, j): 3 * j for j in range(len(target) + 1)}
    for i, ours in enumerate(source, 1):
        for j, theirs in enumerate(target, 1):
            pair = table[i - 1, j - 1] + 4 * (ours != theirs)
            table[i, j] = min(pair, table[i, j - 1] + 3, table[i - 1, j] + 3)
    i, j = len(source), len(target)
    place = [-1] * j
    while i and j:
        if table[i, j] == table[i - 1, j - 1] + 4 * (source[i - 1] != target[j - 1]):
            i, j = i - 1, j - 1
            place[j] = i
        elif table[i, j] == table[i, j - 1] + 3:
            j -= 1
        else:
            i -= 1
    return table[len(source), len(target)], place


def spoilt(words: int, vocabulary: int, seed: int) -> tuple[list[str], list[str]]:
    """Make a text, and a copy with a third of its words replaced, deleted or followed by others."""
    chance = random.Random(seed)
    source = [f"w{chance.randrange(vocabulary)}" for _ in range(words)]
    target: list[str] = []
    for word in source:
        draw, other = chance.random(), f"w{chance.randrange(vocabulary)}"
        target += [other] if draw < 0.15 else [] if draw < 0.25 else [word]
        target += [other] if draw > 0.9 else []
    return source, target


@given(TEXTS, TEXTS)
def test_is_the_lightest_and_breaks_ties_as_described(source: list[str], target: list[str]) -> None:
    found = align(source, target, "sclite")
    least, place = lightest(source, target)
    assert weight(found) == least
    assert found.source.tolist() == place
    assert found.equal.tolist() == [
        at >= 0 and source[at] == word for at, word in zip(place, target, strict=True)
    ]


@given(TEXTS, TEXTS, st.integers(1, 9))
def test_does_not_depend_on_the_steps_that_are_kept(
    source: list[str], target: list[str], block: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(weighted, "MAX_MOVES", 1)
        patch.setattr(weighted, "MIN_BLOCK", block)
        found = align(source, target, "sclite")
    assert found.source.tolist() == lightest(source, target)[1]


@given(PARTS, st.sampled_from([1, 500, weighted.MAX_MOVES]))
def test_parts_are_aligned_each_for_itself(
    parts: list[tuple[list[str], list[str]]], most: int
) -> None:
    source, target = ([word for part in parts for word in part[side]] for side in (0, 1))
    stops = [np.cumsum([len(part[side]) for part in parts], dtype=int) for side in (0, 1)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(weighted, "MAX_MOVES", most)
        found = align_parts(source, target, stops[0], stops[1], "sclite")
    expected: list[int] = []
    begin = 0
    for ours, theirs in parts:
        expected += [at + begin if at >= 0 else -1 for at in lightest(ours, theirs)[1]]
        begin += len(ours)
    assert found.source.tolist() == expected


@pytest.mark.parametrize("vocabulary", [3, 30, 3000])
def test_long_texts(vocabulary: int) -> None:
    source, target = spoilt(400, vocabulary, seed=vocabulary)
    assert align(source, target, "sclite").source.tolist() == lightest(source, target)[1]
    other = spoilt(300, vocabulary, seed=1)[0]
    assert align(source, other, "sclite").source.tolist() == lightest(source, other)[1]


def test_parts_on_both_sides_of_the_diagonal_are_aligned_together() -> None:
    """One word is paired with the last of ten; both parts have 11 steps and equally wide bands."""
    one, ten = ["a"], [*"bcdefghij", "a"]
    found = align_parts(one + ten, ten + one, [1, 11], [10, 11], "sclite")
    assert found.source.tolist() == [*[-1] * 9, 0, 10]
    assert found.hits == 2


def test_only_diagonals_that_can_be_touched_are_looked_at() -> None:
    """Five parts with 3, 3, 0, 2 and 1 hits, and 3, 4, 4, 2 and 3 pairs, of the fewest edits.

    The first two need no search: a lightest alignment pairs all words. One of the third, which has
    2 words in common, has at least 4 / 3 pairs, rounded up to 2: of 8 words 4 may be alone, 2 on
    each side. In the last two the words of the shorter side are all paired, since they have all
    the hits that there can be, 2 and 1.
    """
    source = "a b c|a b c d|x y a b|a b|p q r p".split("|")
    target = "a b c|a x c d|a b p q|a x y z b|p x y".split("|")
    number = {word: at for at, word in enumerate("abcdxyzpqr")}
    words = [
        array("Q", [number[word] for part in side for word in part.split()])
        for side in (source, target)
    ]
    stops = [np.cumsum([len(part.split()) for part in side]) for side in (source, target)]
    texts = weighted.NumberedTexts(words[0], words[1], stops[0], stops[1])
    found = weighted._bands(texts, np.array([3, 3, 0, 2, 1]), np.array([3, 4, 4, 2, 3]))
    assert (found.source.tolist(), found.target.tolist()) == ([7, 11, 13], [7, 11, 16])
    assert (found.rows.tolist(), found.columns.tolist()) == ([4, 2, 4], [4, 5, 3])
    assert (found.low.tolist(), found.high.tolist()) == ([-2, 0, -1], [2, 3, 0])


@pytest.mark.parametrize(
    ("most", "expected"), [(144, [[1, 0, 2], [3], [4]]), (48, [[1, 0], [2], [3], [4]]), (47, None)]
)
def test_parts_of_similar_length_and_width_are_aligned_together(
    most: int, expected: list[list[int]] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two parts of 3 diagonals in up to 8 steps count as 2 * 3 * 8 moves; one may be twice as wide.

    The fourth is wider than that, and the fifth has more than 8 steps.
    """
    monkeypatch.setattr(weighted, "MAX_MOVES", most)
    steps, width = np.array([8, 7, 5, 8, 9]), np.array([3, 3, 6, 7, 3])
    none, names = np.zeros(5, np.int64), np.arange(5)
    bands = weighted.Bands(names, names, steps, none, none, width - 1)
    found = [batch.source.tolist() for batch in weighted._batches(bands)]
    assert found == (expected or [[1], [0], [2], [3], [4]])


@pytest.mark.parametrize("most", [2**15, 1])
def test_a_long_text_takes_little_memory(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Values are kept up to a limit, or as many as there are moves of one block near the path."""
    kept, moves = weighted._Frame._kept, weighted._Frame._moves
    values: list[int] = []
    codes: list[int] = []

    def watched_kept(frame: Any, *steps: int) -> Any:
        made = kept(frame, *steps)
        values.extend(side.nbytes for pair in made.values() for side in pair)
        return made

    def watched_moves(frame: Any, *where: Any) -> Any:
        made = moves(frame, *where)
        codes.append(made.codes.nbytes)
        return made

    for name, value in (("MAX_MOVES", 1000), ("MIN_BLOCK", 1), ("MAX_KEPT_BYTES", most)):
        monkeypatch.setattr(weighted, name, value)
    monkeypatch.setattr(weighted._Frame, "_kept", watched_kept)
    monkeypatch.setattr(weighted._Frame, "_moves", watched_moves)
    align(spoilt(400, 30, seed=1)[0], spoilt(400, 30, seed=2)[0], "sclite")
    assert sum(values) == pytest.approx(max(most, 4 * max(codes)), rel=0.1)


def test_the_lightest_can_have_more_edits() -> None:
    source, target = "x y z a b".split(), "a b p q r".split()
    few, light = align(source, target), align(source, target, "sclite")
    assert (few.substitutions, few.edits, weight(few)) == (5, 5, 20)
    assert (light.hits, light.edits, weight(light)) == (2, 6, 18)


def sclite(folder: Path, source: list[list[str]], target: list[list[str]]) -> list[list[int]]:
    """Run sclite on utterances; return the source word aligned with each target word."""
    for name, texts in (("source", source), ("target", target)):
        lines = (f"{' '.join(words)} (s-{at:06d})\n" for at, words in enumerate(texts))
        (folder / name).write_text("".join(lines))
    files = ["-r", "source", "trn", "-h", "target", "trn"]
    command = [
        str(SCLITE),
        "sclite",
        *files,
        "-i",
        "rm",
        "-s",
        "-l",
        "1000000",
        "-o",
        "pra",
        "stdout",
    ]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    shown = re.findall(
        r"id: \(s-(\d+)\)\nScores: .*\nAttributes: .*\nREF: (.*)\nHYP: (.*)\n", done.stdout
    )
    assert [int(at) for at, _, _ in shown] == list(range(len(source)))
    places = []
    for _, *lines in shown:
        ours, theirs = (np.array([set(word) != {"*"} for word in line.split()]) for line in lines)
        places.append(np.where(ours, np.cumsum(ours) - 1, -1)[theirs].tolist())
    return places


@pytest.mark.skipif(not SCLITE, reason="needs sclite (Debian package sctk)")
@pytest.mark.parametrize(("words", "vocabulary"), [(8, 2), (25, 3), (40, 9), (40, 300)])
def test_is_the_alignment_of_sclite(words: int, vocabulary: int, tmp_path: Path) -> None:
    pairs = [spoilt(1 + seed % words, vocabulary, seed) for seed in range(800)]
    pairs.append(spoilt(700, vocabulary, seed=1))
    source, target = ([pair[side] for pair in pairs] for side in (0, 1))
    stops = [np.cumsum([len(part) for part in side]) for side in (source, target)]
    found = align_parts(list(chain(*source)), list(chain(*target)), stops[0], stops[1], "sclite")
    begin = np.repeat(np.append(0, stops[0][:-1]), [len(part) for part in target])
    expected = list(chain(*sclite(tmp_path, source, target)))
    assert np.where(found.source < 0, -1, found.source - begin).tolist() == expected
