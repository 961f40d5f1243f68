"""Aligned words of Joint: those of the CoNLL 2018 evaluator if characters are equal."""

import os
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.core.errors import MismatchError
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Span, Transcript
from caesura.metrics.joint import Joint
from caesura.metrics.joint_words import common_subsequence, shared_positions
from caesura.text.charmatch.matching import match
from caesura.text.charmatch.units import Units
from metrics.treebank import (
    Recut,
    Text,
    Token,
    Word,
    bare,
    by_joint,
    differences,
    load,
    written,
)
from work import work

USUAL = [
    *(f"ud/{name}/test" for name in ("french-gsd", "hebrew-htb")),
    *(f"ud/{name}/dev" for name in ("french-rhapsodie", "japanese-gsd")),
    *(f"jp-table1/{n}/gold" for n in "ParTUT Pronouns".split()),
]
THOROUGH = [
    *(f"ud/{name}" for name in ("english-ewt/dev", "english-ewt/test", "german-gsd/test")),
    *("ud/naija/dev", *(f"jp-table1/{n}/gold" for n in "EWT GUM LinES PUD".split())),
]
FILES = USUAL + THOROUGH if os.environ.get("CAESURA_TESTS") == "thorough" else USUAL
"""Treebanks that are compared; the large ones only when `CAESURA_TESTS` is thorough."""


@pytest.mark.parametrize("name", FILES)
def test_treebanks_score_as_the_evaluator_has_it(corpora: Path, name: str) -> None:
    text = load(corpora / f"{name}.conllu")
    gold = written(text)
    assert not differences(gold, gold)
    few, many = (written(Recut(Random(1), rate).of(text)) for rate in (0.02, 0.15))
    assert not differences(gold, few)
    assert not differences(many, gold)


@st.composite
def small(draw: st.DrawFn, characters: str) -> Text:
    """Draw a small treebank with many multiword tokens."""
    text: Text = [[]]
    begun = 0
    while begun < len(characters):
        stop = draw(st.integers(begun + 1, min(len(characters), begun + 4)))
        form, begun = characters[begun:stop], stop
        if draw(st.booleans()):
            forms = draw(st.lists(st.sampled_from(["a", "b", "A", "ab", form]), max_size=3))
            text[-1].append(Token(form, [Word(each) for each in forms or [form]], True))
        else:
            text[-1].append(bare(form))
        if not draw(st.integers(0, 4)):
            text.append([])
    for sentence in (sentence for sentence in text if sentence):
        words = [word for token in sentence for word in token.words]
        for at, word in enumerate(words):
            word.lemma = draw(st.sampled_from("xy_"))
            word.upos, word.xpos = draw(st.sampled_from("NV")), draw(st.sampled_from("nv"))
            word.relation = draw(st.sampled_from(["dep", "dep:a", "obj"]))
            word.head = words[draw(st.integers(0, at - 1))] if at else None
    return [sentence for sentence in text if sentence]


@settings(max_examples=1000)
@given(st.text(st.sampled_from("aab"), min_size=1, max_size=14), st.data())
def test_small_treebanks_score_as_the_evaluator_has_it(
    characters: str, data: st.DataObject
) -> None:
    gold, system = (written(data.draw(small(characters))) for _ in range(2))
    assert not differences(gold, system)


def test_a_word_before_the_multiword_token_is_let_in_as_the_evaluator_does() -> None:
    """Its b is aligned with the token b, because only the start of the region is skipped."""
    gold = [[bare("aab"), Token("ab", [Word("b"), Word("x")], True)]]
    system = [[bare("a"), bare("a"), bare("b"), Token("ab", [Word("x"), Word("y")], True)]]
    pages = written(gold), written(system)
    assert not differences(*pages)
    assert by_joint(*pages)["Words"] == (2, 3, 5)


def text(line: str) -> Transcript:
    """Tokens are separated by blanks; `don't=do+n't` is a multiword token with its words."""
    words: list[str] = []
    spans = []
    for token in line.split():
        form, _, inside = token.partition("=")
        if inside:
            spans.append(Span(len(words), len(words) + inside.count("+"), form))
        words += inside.split("+") if inside else [form]
    ends = Segmentation.of_gaps(len(words), [len(words) - 1] if words else [])
    return Transcript(tuple(words), multiwords=tuple(spans), sentences=ends)


def pairs(gold: str, system: str) -> str:
    ours, theirs = text(gold), text(system)
    found = Joint().match(theirs, ours).words.tolist()
    assert found == sorted(found)
    return " ".join(f"{ours.words[a]}:{theirs.words[b]}" for a, b in found)


@pytest.mark.parametrize(
    ("gold", "system", "found"),
    [
        ("I don't=do+n't go", "I don't=do+n't go", "I:I do:do n't:n't go:go"),
        ("I don't=do+n't go", "I dont=do+nt go", "I:I do:do go:go"),
        ("I don't=do+n't go", "I do n't go", "I:I do:do n't:n't go:go"),
        ("I don't=do+n't go", "I dont go", "I:I go:go"),
        ("I don't=do+n't go", "I DON'T=DO+N'T go", "I:I do:DO n't:N'T go:go"),
        ("vámonos=vamos+nos", "vamonos=vamos+nos", "vamos:vamos nos:nos"),
        ("va al=a+el mar", "va a el mar", "va:va a:a el:el mar:mar"),
        ("va x al=a+el", "va al=a+el", "va:va a:a el:el"),
        ("BCL=B+H+CL FL HM HNEIM=H+NEIM", "BCL=B+CL FL HM HNEIM", "B:B CL:CL FL:FL HM:HM"),
        ("a x=a+a", "a b a", "a:a"),
        ("q=a+b", "r=a+b", "a:a b:b"),
        ("q=a", "r", ""),
        ("q=a", "r=a", "a:a"),
        ("q=a+b", "", ""),
    ],
)
def test_words_where_characters_differ(gold: str, system: str, found: str) -> None:
    assert pairs(gold, system) == found
    swapped = " ".join(":".join(pair.split(":")[::-1]) for pair in found.split())
    assert pairs(system, gold) == swapped


SHORT = st.lists(st.text(st.sampled_from("abc"), min_size=1, max_size=3), min_size=1, max_size=6)


@given(SHORT, SHORT)
def test_matched_characters_lie_together_and_others_side_by_side(
    gold: list[str], system: list[str]
) -> None:
    found = match(Units.of(gold, [len(gold) - 1]), Units.of(system, [len(system) - 1]))
    ours, theirs = (each.tolist() for each in shared_positions(found))
    partner = {a + k: b + k for a, b, length in found.runs.tolist() for k in range(length)}
    at = i = j = 0
    while i < len(ours) or j < len(theirs):
        if i in partner and partner[i] == j:
            assert ours[i] == theirs[j] == at
            i, j = i + 1, j + 1
        else:
            free = i < len(ours) and i not in partner, j not in partner.values() and j < len(theirs)
            assert not free[0] or ours[i] == at
            assert not free[1] or theirs[j] == at
            i, j = i + free[0], j + free[1]
        at += 1


FORMS = st.lists(st.sampled_from("abc"), max_size=6)


@given(FORMS, FORMS)
def test_common_forms_are_as_many_as_can_be(ours: list[str], theirs: list[str]) -> None:
    def most(a: int, b: int) -> int:
        if a == len(ours) or b == len(theirs):
            return 0
        same = ours[a] == theirs[b] and 1 + most(a + 1, b + 1)
        return max(most(a + 1, b), most(a, b + 1), int(same))

    found = common_subsequence(ours, theirs)
    assert len(found) == most(0, 0)
    assert all(ours[a] == theirs[b] for a, b in found)
    assert all(a < c and b < d for (a, b), (c, d) in pairwise(found))


def test_tokens_of_endless_words_are_refused_in_time() -> None:
    many = 40_000
    words = ["a", "b"] * many

    def refuse() -> None:
        with pytest.raises(MismatchError, match="differ too much"):
            common_subsequence(words, words[1:])

    assert len(common_subsequence(words, words)) == 2 * many
    assert work(refuse) < len(words)
