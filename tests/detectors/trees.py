"""Made-up talks with trees, and detectors with random weights."""

from functools import cache
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple

import numpy as np

from caesura.core.arrays import Flags
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.detectors.syntax.chunking import ChunkerModel, hashes_of
from caesura.detectors.syntax.crf_svm import CRF
from caesura.detectors.syntax.dependency_parser import gap_numbers
from caesura.detectors.syntax.sda import SDA
from caesura.ml.crf import Chain, Weights
from caesura.ml.features import Hashes
from caesura.ml.parsing.arcs import UnitFeatures
from caesura.text import cluster_rules
from caesura.text.punctuation import punctuation_flags
from ml.parses import is_tree
from ml.units import random_model

NOUNS, VERBS = ("cat", "dog", "bird"), ("sees", "hears", "finds")
SMALL = SDA(crf=CRF(c2=0.1, iterations=60), bits=12, ridge=0.1)


class Row(NamedTuple):
    """A word of a talk; its head is counted from the first word of the sentence."""

    word: str
    tag: str
    relation: str
    head: int


def sentence(chance: Random) -> list[Row]:
    """`so the cat of the dog sees the bird`: an adverb, at times, and the verb as root."""
    rows: list[Row] = []
    before = chance.randrange(1, 3)
    if chance.random() < 0.3:
        rows.append(Row("so", "ADV", "advmod", -1))
    owner = len(rows) + 1
    for at in range(before):
        if at:
            rows.append(Row("of", "ADP", "case", len(rows) + 2))
        head = owner if at else -1
        rows.append(Row("the", "DET", "det", len(rows) + 1))
        rows.append(Row(chance.choice(NOUNS), "NOUN", "nmod" if at else "nsubj", head))
    verb = len(rows)
    rows.append(Row(chance.choice(VERBS), "VERB", "root", verb))
    if chance.random() < 0.6:
        rows.append(Row("the", "DET", "det", len(rows) + 1))
        rows.append(Row(chance.choice(NOUNS), "NOUN", "obj", verb))
    return [row._replace(head=verb) if row.head < 0 else row for row in rows]


def talk(seed: int, count: int = 12, *, timed: bool = False, mark: str = "") -> Transcript:
    """Return `count` sentences with trees; if `timed` with pauses, with a `mark` at each end."""
    chance = Random(seed)
    rows: list[Row] = []
    ends: list[int] = []
    for _ in range(count):
        begin = len(rows)
        rows += [row._replace(head=row.head + begin) for row in sentence(chance)]
        if mark:
            root = next(at for at in range(begin, len(rows)) if rows[at].relation == "root")
            rows.append(Row(mark, "PUNCT", "punct", root))
        ends.append(len(rows) - 1)
    steps = [
        chance.choice([0.3, 0.3, 0.6] if at in ends else [0.0, 0.0, 0.0, 0.25])
        for at in range(len(rows))
    ]
    start = np.cumsum([0.0, *(step + 0.25 for step in steps[:-1])])[: len(rows)].round(3)
    word, tag, relation, head = zip(*rows, strict=True) if rows else ((), (), (), ())
    return Transcript(
        word,
        tag=tag,
        relation=relation,
        head=np.array(head, np.int64),
        start=start if timed else None,
        end=start + 0.25 if timed else None,
        sentences=Segmentation.of_gaps(len(rows), ends),
    )


def detector_input(given: Transcript, *more: str) -> Transcript:
    """Return the layers that a detector may use."""
    return given.only(["tag", "start", "end", "speaker", *more])


@cache
def trained(timed: bool = False) -> SDA:
    return SMALL.train([talk(seed, 20, timed=timed) for seed in range(6)])


def scrambled(seed: int, **settings: Any) -> SDA:
    """Return a detector with random weights of labels and arcs."""
    sda = trained()
    chance = np.random.default_rng(seed)
    scorer, subtags = sda.crf.model.scorer, sda.crf.model.subtags
    rows = chance.normal(0, 0.6, scorer.weights.rows.shape)
    chain = Chain(Weights(scorer.weights.keys, rows), chance.normal(0, 1, scorer.transitions.shape))
    crf = sda.crf.with_model(ChunkerModel(chain, subtags))
    return sda.adjusted(crf=crf, **settings).with_model(random_model(seed, 10, 0.01))


def gibberish(seed: int, count: int, *, marks: bool = True) -> Transcript:
    """Return random words of talks, with times that may be missing, and punctuation."""
    chance = Random(seed)
    tags = {"so": "ADV", "of": "ADP", "the": "DET", ".": "PUNCT", "--": "PUNCT"}
    known = [*NOUNS, *VERBS, "so", "of", "the", "the"]
    words = [chance.choice([*known, ".", "--"] if marks else known) for _ in range(count)]
    tag = [tags.get(word, "NOUN" if word in NOUNS else "VERB") for word in words]
    steps = [chance.choice([0.25, 0.25, 0.3, 0.5, 1.0, 0.2]) for _ in words]
    start = np.cumsum(np.array(steps, np.float64)).round(3)
    start[[at for at in range(count) if chance.random() < 0.1]] = np.nan
    given = Transcript(
        tuple(words),
        tag=tuple(tag),
        start=start,
        end=start + 0.25,
        speaker=tuple(str(at // 7) for at in range(count)),
    )
    return given.only([name for name in given.layers if chance.random() < 0.8])


def check_links(found: Transcript) -> None:
    """Check that each sentence has one root, and that no arc leaves it or crosses another."""
    assert found.sentences is not None
    units = cluster_rules.cluster_tree(found.take(words_of(found)))
    ends = found.take(words_of(found)).sentences
    assert ends is not None
    for first, last in ends.sentences:
        here = np.flatnonzero((units.first >= first) & (units.first <= last))
        assert units.first[here[0]] == first
        links = units.link[here]
        heads = tuple(int(link - here[0]) if link >= 0 else -1 for link in links.tolist())
        assert (links >= cluster_rules.ROOT).all()
        assert all(-1 <= head < len(here) for head in heads)
        assert heads.count(-1) == 1
        assert is_tree(heads)


def ends_of(given: Transcript) -> list[bool]:
    """Return after which words sentences end."""
    assert given.sentences is not None
    found: list[bool] = given.sentences.boundary.tolist()
    return found


def words_of(given: Transcript) -> Flags:
    """Return which words are no punctuation."""
    found: Flags = ~punctuation_flags(given)
    return found


def features_of(spoken: Transcript, first: list[int], subtags: Hashes) -> UnitFeatures:
    """Return the features of clusters, computed one by one: content, first and last word."""
    words = hashes_of(spoken, subtags)
    tags = spoken.tag or ("",) * len(spoken)
    places = []
    for begin, stop in pairwise([*first, len(spoken)]):
        own = [at for at in range(begin, stop) if tags[at] not in cluster_rules.FUNCTION_TAGS]
        places.append(((own or [stop - 1])[-1], begin, stop - 1))
    columns = {}
    for name in ("word", "tag") if spoken.tag else ("word",):
        behind = "" if name == "word" else f"_{name}"
        for at, column in enumerate((name, f"first{behind}", f"last{behind}")):
            columns[column] = words[name][[place[at] for place in places]]
    return UnitFeatures(columns, gap_numbers(spoken)[first])
