"""Tags, lemmas, heads and relations of aligned words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core.arrays import Strings
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.metrics.joint import Joint
from caesura.metrics.joint_words import count_correct

SAME = np.array([(0, 0), (1, 1), (2, 2)])
PART = np.array([(0, 0), (2, 1)])


def text(words: str, **layers: object) -> Transcript:
    tokens = tuple(words.split())
    ends = Segmentation.of_gaps(len(tokens), [len(tokens) - 1])
    return Transcript(tokens, sentences=ends).replace(**layers)


def test_nothing_is_said_of_layers_that_one_text_lacks() -> None:
    gold = text("a b c", tag=("x",) * 3, relation=("r",) * 3, head=np.array([0, 0, 0]))
    assert count_correct(gold, text("a b c"), SAME) == {}
    assert count_correct(gold, text("a b c", tag=("x", "y", "x")), SAME) == {"upos": 2}
    assert count_correct(gold, text("a b c", head=np.array([0, 0, 1])), SAME) == {"uas": 2}


def test_any_lemma_is_right_where_the_reference_has_none() -> None:
    gold, system = text("a b c", lemma=("", "_", "c")), text("a b c", lemma=("x", "y", ""))
    assert count_correct(gold, system, SAME) == {"lemma": 2}
    assert count_correct(system, gold, SAME) == {"lemma": 1}


def test_subtypes_of_relations_do_not_count() -> None:
    head = np.array([0, 0, 0])
    gold = text("a b c", head=head, relation=("root", "nsubj:pass", "obl"))
    system = text("a b c", head=head, relation=("root", "nsubj", "obj"))
    assert count_correct(gold, system, SAME) == {"uas": 3, "las": 2}


@pytest.mark.parametrize(
    ("gold", "system", "right"),
    [
        ([0, 0, 0], [0, 0, 0], 3),
        ([0, 0, 0], [1, 1, 1], 0),
        ([0, 0, 1], [0, 0, 0], 2),
        ([0, -1, 0], [0, -1, 0], 2),
        ([-1, -1, -1], [-1, -1, -1], 0),
        ([1, 2, 2], [1, 2, -1], 2),
    ],
)
def test_heads(gold: list[int], system: list[int], right: int) -> None:
    """A root is its own head; unknown heads are never correct."""
    pair = text("a b c", head=np.array(gold)), text("a b c", head=np.array(system))
    assert count_correct(*pair, SAME) == {"uas": right}


def test_heads_are_words_that_belong_together() -> None:
    gold, system = text("a b c", head=np.array([2, 2, 2])), text("a c", head=np.array([1, 1]))
    assert count_correct(gold, system, PART) == {"uas": 2}
    # The head of the first word has no partner.
    assert count_correct(text("a b c", head=np.array([1, 1, 1])), system, PART) == {"uas": 0}


def test_a_parser_is_scored_on_its_own_tokens_even_if_characters_differ() -> None:
    gold = text(
        "I ca n't go there .",
        tag=("PRON", "AUX", "PART", "VERB", "ADV", "PUNCT"),
        head=np.array([3, 3, 3, 3, 3, 3]),
        relation=("nsubj", "aux", "advmod", "root", "advmod", "punct"),
    )
    system = text(
        "I can not go ther .",
        tag=("PRON", "AUX", "PART", "NOUN", "ADV", "PUNCT"),
        head=np.array([3, 3, 3, 3, 3, 0]),
        relation=("nsubj", "aux", "advmod", "root", "advmod", "punct"),
    )
    metric = Joint()
    values = metric.values(metric.count(system, [gold]))
    assert (values["word_tp"], values["word_fp"], values["word_fn"]) == (3, 3, 3)
    assert (values["upos_accuracy"], values["upos_f1"]) == (2 / 3, 2 / 6)
    assert (values["uas_accuracy"], values["uas_f1"]) == (2 / 3, 2 / 6)
    assert values["las_f1"] == 2 / 6


def cells(count: int) -> st.SearchStrategy[Strings]:
    return st.lists(
        st.sampled_from(["", "_", "a", "a:x", "b"]), min_size=count, max_size=count
    ).map(tuple)


@st.composite
def texts(draw: st.DrawFn) -> Transcript:
    count = draw(st.integers(0, 6))
    head = draw(st.lists(st.integers(-1, count - 1), min_size=count, max_size=count))
    layers = {name: draw(cells(count)) for name in ("tag", "subtag", "lemma", "relation")}
    return Transcript(("w",) * count, head=np.array(head, np.int64), **layers)  # type: ignore[arg-type]


@given(texts(), texts(), st.data())
def test_word_by_word(gold: Transcript, system: Transcript, data: st.DataObject) -> None:
    size = data.draw(st.integers(0, min(len(gold), len(system))))
    columns = [
        sorted(data.draw(st.permutations(range(len(side))))[:size]) for side in (gold, system)
    ]
    partner = dict(zip(*columns, strict=True))
    known = {"upos": 0, "xpos": 0, "lemma": 0, "uas": 0, "las": 0}
    for a, b in partner.items():
        known["upos"] += gold.tag[a] == system.tag[b]  # type: ignore[index]
        known["xpos"] += gold.subtag[a] == system.subtag[b]  # type: ignore[index]
        lemma = gold.lemma[a]  # type: ignore[index]
        known["lemma"] += lemma in ("", "_", system.lemma[b])  # type: ignore[index]
        ours, theirs = int(gold.head[a]), int(system.head[b])  # type: ignore[index]
        if a == ours or b == theirs:
            headed = a == ours and b == theirs
        else:
            headed = partner.get(ours) == theirs
        known["uas"] += headed
        relations = gold.relation[a], system.relation[b]  # type: ignore[index]
        known["las"] += headed and len({each.split(":")[0] for each in relations}) == 1
    pairs = np.array(columns, np.int64).T.reshape(-1, 2)
    assert count_correct(gold, system, pairs) == known
