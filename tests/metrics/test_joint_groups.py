"""Groups of differing tokens and sentence ends, checked against their definition."""

import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.metrics.joint_differences import Group, sentence_end_differences, token_groups
from caesura.text.charmatch.matching import Matching, match
from caesura.text.charmatch.units import Units


def said(text: str) -> Units:
    """Tokens are separated by blanks, sentences by slashes."""
    sentences = [sentence.split() for sentence in text.split("/")]
    last = np.cumsum([len(sentence) for sentence in sentences], dtype=np.int64) - 1
    return Units.of([token for sentence in sentences for token in sentence], last)


def groups_of(gold: str, system: str) -> list[str]:
    """Return groups as `kind: gold tokens | system tokens`."""
    found = match(said(gold), said(system))
    ours, theirs = found.gold.forms, found.system.forms
    return [
        f"{each.kind}: {' '.join(ours[slice(*each.gold)])} | "
        f"{' '.join(theirs[slice(*each.system)])}"
        for each in token_groups(found)
    ]


@pytest.mark.parametrize(
    ("gold", "system", "expected"),
    [
        ("I can not go .", "I ca n't go .", ["changed: can not | ca n't"]),
        ("I can not go .", "I cannot go .", ["m:1: can not | cannot"]),
        ("a search-engine it", "a search - engine it", ["1:n: search-engine | search - engine"]),
        ("No. 1 Is n't the", "No. 1 Isn 't the", ["m:n: Is n't | Isn 't"]),
        ("If you do not see", "If you do n't see", ["changed: not | n't"]),
        ("nobody is not happy", "nobody ai n't happy", ["changed: is | ai", "changed: not | n't"]),
        ("the big cat", "the cat", ["missing: big | "]),
        ("the cat", "the big bad cat", ["added:  | big", "added:  | bad"]),
        ("B H CL FL HM H NEIM", "B CL FL HM HNEIM", ["missing: H | ", "m:1: H NEIM | HNEIM"]),
        ("a ab", "ab", ["missing: a | "]),
        ("very big", "bigger", ["missing: very | ", "changed: big | bigger"]),
        ("cat dog", "catX big dog", ["changed: cat | catX", "added:  | big"]),
        (
            "colours fulls x",
            "colour full x",
            ["changed: colours | colour", "changed: fulls | full"],
        ),
        ("abc", "xyz", ["changed: abc | xyz"]),
        ("a b c", "a b c", []),
        ("a b", "", ["missing: a | ", "missing: b | "]),
        ("", "a", ["added:  | a"]),
        ("", "", []),
        ("コロナ 禍", "コロナ禍", ["m:1: コロナ 禍 | コロナ禍"]),
    ],
)
def test_kinds(gold: str, system: str, expected: list[str]) -> None:
    assert groups_of(gold, system) == expected


def test_a_group_is_not_split_where_another_matching_would_not() -> None:
    """The n of n't may match that of can or that of not, which changes the shared characters."""
    for front, back in (("", ""), ("x x ", " y"), ("n n ", " n t")):
        found = groups_of(f"{front}can not{back}", f"{front}ca n't{back}")
        assert found == ["changed: can not | ca n't"]


def noisy(seed: int) -> Matching:
    """Make a text of few letters, and a copy with other splits and some changed letters."""
    dice = random.Random(seed)
    size = dice.randint(0, 60)
    letters = [dice.choice("abc" if seed % 2 else "abcdefgh") for _ in range(size)]
    copy = [
        dice.choice(["", char + "a", "b"]) if dice.random() < seed % 5 / 20 else char
        for char in letters
    ]

    def cut(chars: list[str]) -> Units:
        text = "".join(f"{char}{dice.choice(['', '', ' ', ' / '])}" for char in chars)
        return said(text)

    return match(cut(letters), cut(copy))


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 10**6))
def test_every_token_that_is_not_right_is_in_one_group(seed: int) -> None:
    found = noisy(seed)
    made = list(token_groups(found))
    for side, units, span in (
        (0, found.gold, [each.gold for each in made]),
        (1, found.system, [each.system for each in made]),
    ):
        inside = [at for first, beyond in span for at in range(first, beyond)]
        right = set(found.tokens[:, side].tolist())
        assert inside == [at for at in range(len(units.tokens)) if at not in right]


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 10**6))
def test_tokens_that_share_a_character_are_in_one_group(seed: int) -> None:
    found = noisy(seed)
    home: tuple[dict[int, int], dict[int, int]] = {}, {}
    for number, each in enumerate(token_groups(found)):
        for side, span in enumerate((each.gold, each.system)):
            home[side].update(dict.fromkeys(range(*span), number))
    for first, second, length in found.runs.tolist():
        for k in range(length):
            ours = int(np.searchsorted(found.gold.tokens, first + k, side="right"))
            theirs = int(np.searchsorted(found.system.tokens, second + k, side="right"))
            assert home[0].get(ours) == home[1].get(theirs)


def kind(gold: list[str], system: list[str]) -> str:
    if not gold or not system:
        return "missing" if gold else "added"
    if "".join(gold) != "".join(system):
        return "changed"
    return f"{'1' if len(gold) == 1 else 'm'}:{'1' if len(system) == 1 else 'n'}"


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**6))
def test_kinds_say_what_the_tokens_are(seed: int) -> None:
    found = noisy(seed)
    for each in token_groups(found):
        ours = found.gold.forms[slice(*each.gold)]
        theirs = found.system.forms[slice(*each.system)]
        assert each.kind == kind(ours, theirs) != "1:1"


cuts = st.lists(st.sampled_from(["", " ", "/"]), min_size=12, max_size=12)


@given(cuts, cuts)
def test_on_equal_characters_groups_lie_between_common_ends(
    left: list[str], right: list[str]
) -> None:
    gold, system = (
        said("".join(a + b for a, b in zip("aabbabaabbab", s, strict=True))) for s in (left, right)
    )
    places = [[0, *units.tokens.tolist()] for units in (gold, system)]
    common = sorted(set(places[0]) & set(places[1]))
    expected = []
    for begin, end in pairwise(common):
        a, b = ((p.index(begin), p.index(end)) for p in places)
        if (a[1] - a[0], b[1] - b[0]) != (1, 1):
            expected.append(Group(kind(gold.forms[slice(*a)], system.forms[slice(*b)]), a, b))
    found = match(gold, system)
    assert list(token_groups(found)) == expected
    missed, added = (set(x.sentences.tolist()) for x in (gold, system))
    apart = sentence_end_differences(found)
    assert apart.missed.tolist() == [[place, place] for place in sorted(missed - added)]
    assert apart.added.tolist() == [[place, place] for place in sorted(added - missed)]
    assert apart.changed.tolist() == []


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 10**6))
def test_ends_account_for_all_sentences_that_are_not_right(seed: int) -> None:
    found = noisy(seed)
    apart = sentence_end_differences(found)
    wrong = [len(u.sentences) - len(found.sentences) for u in (found.gold, found.system)]
    assert len(apart.missed) - len(apart.added) == wrong[0] - wrong[1]
    assert bool(sum(wrong)) == bool(len(apart.missed) + len(apart.added) + len(apart.changed))
    assert set(apart.missed[:, 0].tolist()) <= set(found.gold.sentences.tolist())
    assert set(apart.added[:, 1].tolist()) <= set(found.system.sentences.tolist())
    for places, units in ((apart.added[:, 0], found.gold), (apart.missed[:, 1], found.system)):
        assert all(0 <= place <= len(units.text) for place in places.tolist())


@pytest.mark.parametrize(
    ("gold", "system", "missed", "added", "changed"),
    [
        ("A b . / C d .", "A b C d .", [[3, 2]], [], []),
        ("A b . / C d .", "A b / C d .", [], [], []),
        ("A b C d .", "A b / C d .", [], [[2, 2]], []),
        ("This is a rather long sentence . / Ok", "This / Ok", [], [], [[0, 0]]),
        ("a / b", "", [[1, 0], [2, 0]], [], []),
        ("", "a / b", [], [[0, 1], [0, 2]], []),
    ],
)
def test_ends(
    gold: str,
    system: str,
    missed: list[list[int]],
    added: list[list[int]],
    changed: list[list[int]],
) -> None:
    found = sentence_end_differences(match(said(gold), said(system)))
    assert found.missed.tolist() == missed
    assert found.added.tolist() == added
    assert found.changed.tolist() == changed


def test_of_equal_sentences_one_is_missed() -> None:
    found = match(said("No . / No . / No ."), said("No . / No ."))
    apart = sentence_end_differences(found)
    assert apart.missed.tolist() in ([[3, 0]], [[6, 3]], [[9, 6]])
    assert not len(apart.added)
