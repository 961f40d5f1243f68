"""Rows of aligned words, side by side."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from caesura.text.alignment.word_alignment import KINDS, align, side_by_side

texts = st.lists(st.sampled_from("abc"), max_size=10).map("".join)


def rows_of(source: str, target: str) -> list[tuple[str, str, str]]:
    rows = side_by_side(align(source, target))
    return [
        (KINDS[kind], source[i] if i >= 0 else "", target[j] if j >= 0 else "")
        for kind, i, j in zip(rows.kind, rows.source, rows.target, strict=True)
    ]


def test_rows_are_in_the_order_of_both_texts() -> None:
    assert rows_of("abcd", "axd") == [
        ("equal", "a", "a"),
        ("substituted", "b", "x"),
        ("deleted", "c", ""),
        ("equal", "d", "d"),
    ]
    assert rows_of("ab", "ba") == [("inserted", "", "b"), ("equal", "a", "a"), ("deleted", "b", "")]
    assert rows_of("", "") == []


def test_a_word_without_a_counterpart_has_minus_one_beside_it() -> None:
    rows = side_by_side(align("abc", "bcd"))
    assert rows.source.tolist() == [0, 1, 2, -1]
    assert rows.target.tolist() == [-1, 0, 1, 2]
    assert rows.part.tolist() == [0, 0, 0, 0]


@given(texts, texts)
def test_each_side_can_be_read_off(source: str, target: str) -> None:
    rows = rows_of(source, target)
    assert "".join(word for _, word, _ in rows) == source
    assert "".join(word for _, _, word in rows) == target
    for kind, ours, theirs in rows:
        assert (kind == "equal") == (ours == theirs)
        assert (kind == "deleted") == (theirs == "")
        assert (kind == "inserted") == (ours == "")
    wrong = side_by_side(align(source, target)).wrong
    assert [rows[at][0] for at in wrong] == [kind for kind, *_ in rows if kind != "equal"]


def test_parts_follow_each_other() -> None:
    """Deletions at the end of a part come before insertions in the next."""
    found = align("ab", "ac")
    alone = type(found)(np.array([0, -1]), np.array([True, False]), 2)
    rows = side_by_side(alone, np.array([0, 0]), np.array([0, 1]))
    assert [KINDS[kind] for kind in rows.kind] == ["equal", "deleted", "inserted"]
    assert rows.part.tolist() == [0, 0, 1]
    other = side_by_side(alone, np.array([0, 1]), np.array([0, 0]))
    assert [KINDS[kind] for kind in other.kind] == ["equal", "inserted", "deleted"]
