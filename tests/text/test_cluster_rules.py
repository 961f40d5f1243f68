"""Clusters and their arcs, on small trees and on treebanks of four languages."""

from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.text import cluster_rules
from caesura.text.cluster_rules import JOINING_RELATIONS, ROOT, UNKNOWN
from caesura.text.punctuation import punctuation_flags


def tree(rows: str) -> Transcript:
    """Read words as `form/TAG/relation/head`; heads count from 1, 0 is the root."""
    cells = [row.split("/") for row in rows.split()]
    head = [int(cell[3]) - 1 if cell[3] != "0" else at for at, cell in enumerate(cells)]
    form, tag, relation = ([cell[part] for cell in cells] for part in range(3))
    return Transcript(
        tuple(form), tag=tuple(tag), relation=tuple(relation), head=np.array(head, np.int64)
    )


ENGLISH = tree(
    "and/CCONJ/cc/5 the/DET/det/3 dog/NOUN/nsubj/5 has/AUX/aux/5 given/VERB/root/0 "
    "up/ADP/compound:prt/5 on/ADP/case/10 my/PRON/nmod:poss/10 old/ADJ/amod/10 shoe/NOUN/obl/5"
)
FRENCH = tree(
    "il/PRON/nsubj/4 y/PRON/expl/4 a/AUX/aux:tense/4 eu/VERB/root/0 du/ADP/case/6 bruit/NOUN/obj/4"
)
NAIJA = tree(
    "dem/PRON/nsubj/3 don/AUX/aux/3 see/VERB/root/0 di/DET/det/5 man/NOUN/obj/3 sha/PART/advmod/3"
)


def shown(text: Transcript) -> list[str]:
    begun = cluster_rules.cluster_starts(text)
    assert begun is not None
    edges = [*np.flatnonzero(begun).tolist(), len(text)]
    return [" ".join(text.words[first:stop]) for first, stop in pairwise(edges)]


def test_function_words_join_their_head_if_nothing_else_lies_between() -> None:
    assert shown(ENGLISH) == ["and", "the dog", "has given up", "on", "my", "old", "shoe"]
    assert shown(FRENCH) == ["il", "y", "a eu", "du bruit"]
    assert shown(NAIJA) == ["dem", "don see", "di man", "sha"]


def test_bunsetsu_are_taken_as_they_are_marked() -> None:
    marked = Transcript(("彼", "は", "本", "を"), cluster=np.array([True, False, True, False]))
    assert shown(marked) == ["彼 は", "本 を"]
    assert shown(marked.replace(head=np.array([2, 0, 2, 2]), relation=("a", "b", "root", "c"))) == [
        "彼 は",
        "本 を",
    ]


def test_a_word_may_lie_between_if_it_belongs_to_the_cluster() -> None:
    nested = tree("in/ADP/case/3 the/DET/det/3 end/NOUN/root/0")
    assert shown(nested) == ["in the end"]
    apart = tree("in/ADP/case/3 sheer/ADJ/amod/3 end/NOUN/root/0")
    assert shown(apart) == ["in", "sheer", "end"]


def test_without_tree_and_layer_there_are_none() -> None:
    assert cluster_rules.cluster_starts(Transcript(("a", "b"))) is None
    assert cluster_rules.cluster_tree(Transcript(("a", "b"))).first.tolist() == [0, 1]


def test_a_sentence_begins_a_cluster() -> None:
    text = tree("the/DET/det/2 end/NOUN/root/0").replace(sentences=Segmentation.of_gaps(2, [0, 1]))
    assert shown(text) == ["the", "end"]


def test_units_have_the_content_word_as_head_and_link_to_units() -> None:
    units = cluster_rules.cluster_tree(ENGLISH)
    assert units.first.tolist() == [0, 1, 3, 6, 7, 8, 9]
    assert units.head.tolist() == [0, 2, 4, 6, 7, 8, 9]
    assert units.link.tolist() == [2, 2, ROOT, 6, 6, 6, 2]


def test_without_a_tree_the_last_content_word_is_the_head_and_links_are_unknown() -> None:
    words = Transcript(
        ("go", "up", "for", "the"),
        tag=("VERB", "ADP", "ADP", "DET"),
        cluster=np.array([True, False, True, False]),
    )
    units = cluster_rules.cluster_tree(words)
    assert units.head.tolist() == [0, 3]
    assert units.link.tolist() == [UNKNOWN, UNKNOWN]


def test_heads_that_are_unknown_or_go_in_circles_give_no_link() -> None:
    text = Transcript(
        ("a", "b", "c"), head=np.array([-1, 2, 1]), cluster=np.array([True, True, False])
    )
    assert cluster_rules.cluster_tree(text).link.tolist() == [UNKNOWN, UNKNOWN]
    empty = cluster_rules.cluster_tree(Transcript((), head=np.zeros(0, np.int64)))
    assert [len(column) for column in empty] == [0, 0, 0]


def by_hand(head: list[int], relation: list[str]) -> list[bool]:
    """Apply the nucleus rule directly: join clusters as sets, from the shortest arc on."""
    own = [{at} for at in range(len(head))]
    links = sorted((abs(up - at), at) for at, up in enumerate(head) if up >= 0)
    for _, at in links:
        up = head[at]
        joins = relation[at].split(":")[0] in JOINING_RELATIONS or relation[at] == "compound:prt"
        between = set(range(min(at, up) + 1, max(at, up)))
        if joins and between <= own[at] | own[up]:
            both = own[at] | own[up]
            for each in both:
                own[each] = both
    return [at == 0 or own[at] is not own[at - 1] for at in range(len(head))]


@given(st.integers(0, 10**6), st.integers(1, 14))
def test_equals_the_rule_in_sets_on_any_tree(seed: int, count: int) -> None:
    chance = Random(seed)
    head = [chance.randrange(-1, count) for _ in range(count)]
    relation = [chance.choice(["det", "case", "aux:pass", "nsubj", "compound:prt"]) for _ in head]
    text = Transcript(("w",) * count, head=np.array(head), relation=tuple(relation))
    begun = cluster_rules.cluster_starts(text)
    assert begun is not None
    assert begun.tolist() == by_hand(head, relation)


@pytest.mark.parametrize(
    ("name", "words", "each"),
    [
        ("naija", 1.27, 8.2),
        ("french-rhapsodie", 1.34, 7.0),
        ("japanese-gsd", 2.64, 8.2),
        ("english-ewt", 1.26, 8.8),
    ],
)
def test_on_treebanks(corpora: Path, name: str, words: float, each: float) -> None:
    total = begun = sentences = roots = 0
    for transcript in caesura.read(corpora / "ud" / name / "dev.conllu"):
        spoken = transcript.take(~punctuation_flags(transcript))
        units = cluster_rules.cluster_tree(spoken)
        assert spoken.sentences is not None
        assert (units.link != UNKNOWN).all()
        total += len(spoken)
        begun += len(units.first)
        sentences += int(spoken.sentences.boundary.sum())
        roots += int((units.link == ROOT).sum())
    assert total / begun == pytest.approx(words, abs=0.01)
    assert begun / sentences == pytest.approx(each, abs=0.1)
    assert roots == sentences


SENTENCES = {
    "naija": {
        "I | con dey | dere | con dey | help | am": [1, ROOT, 1, 1, 3, 4],
        "den | ending | of di year | de | go con dey pay | us | our | money": [
            4, 4, 1, 4, ROOT, 4, 7, 4
        ],
    },
    "french-rhapsodie": {
        "c' | est | plus | à le niveau | de la fac": [1, ROOT, 3, 1, 3],
        "ben | c' | est moi | qui | les | ai payés": [2, 2, ROOT, 5, 5, 2],
    },
    "english-ewt": {
        "It | is rumored | that | North | Korea | has | at least | a couple | nuclear | weapons": [
            1, ROOT, 5, 4, 5, 1, 7, 9, 9, 5
        ],
        "When | they | saw | a cartoon | of | their | prophet | people | had | to die": [
            2, 2, 8, 2, 6, 6, 3, 8, ROOT, 8
        ],
    },
    "japanese-gsd": {
        "姉 と | 同じ | 先生 だっ た の で | 話 やすかっ た です": [1, 2, 3, ROOT],
        "久し ぶり に | うまい | コーヒー が | 飲め まし た": [3, 2, 3, ROOT],
    },
}  # fmt: skip
"""Sentences of treebanks, cut into clusters, and the cluster that each links to."""


@pytest.mark.parametrize("name", SENTENCES)
def test_clusters_of_real_sentences(corpora: Path, name: str) -> None:
    wanted = {text.replace(" | ", " "): text for text in SENTENCES[name]}
    found = {}
    for transcript in caesura.read(corpora / "ud" / name / "dev.conllu"):
        for sentence in transcript.split_sentences():
            spoken = sentence.take(~punctuation_flags(sentence))
            if " ".join(spoken.words) in wanted:
                found[" | ".join(shown(spoken))] = cluster_rules.cluster_tree(spoken).link.tolist()
    assert found == SENTENCES[name]
