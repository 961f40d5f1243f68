"""The best matching of two texts: comparison with its definition, and known counts."""

import json
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import LCSseq

from caesura.core.errors import MismatchError
from caesura.text.charmatch import forced_runs
from caesura.text.charmatch.forced_runs import forced_columns
from caesura.text.charmatch.matching import Matching, align_texts, match
from caesura.text.charmatch.units import Units

Sentences = list[list[str]]
Pairs = list[tuple[int, int]]


def units(sentences: Sentences) -> Units:
    ends = np.cumsum([len(sentence) for sentence in sentences], dtype=np.int64) - 1
    return Units.of([token for sentence in sentences for token in sentence], ends)


def said(text: str) -> Units:
    """Tokens are separated by blanks, sentences by slashes."""
    return units([sentence.split() for sentence in text.split("/")])


def triple(found: Matching) -> tuple[int, int, int]:
    return found.characters, len(found.tokens), len(found.sentences)


def uncut(gold: Units, system: Units) -> Matching:
    """Match with one lattice of the whole texts."""
    return align_texts(gold, system, np.array([(0, 0, 0), (len(gold.text), len(system.text), 0)]))


def spans(ends: list[int]) -> list[tuple[int, int]]:
    return list(zip([0, *ends], ends, strict=False))


def counted(gold: Units, system: Units, pairs: Pairs) -> tuple[Pairs, Pairs]:
    """Count the correct tokens and sentences of a matching, by definition."""
    partner = dict(pairs)
    begins = {start: (n, end) for n, (start, end) in enumerate(spans(system.tokens.tolist()))}
    tokens = []
    for number, (start, end) in enumerate(spans(gold.tokens.tolist())):
        other, stop = begins.get(partner.get(start, -1), (-1, -1))
        shift = partner.get(start, 0) - start
        if stop == end + shift and all(partner.get(k) == k + shift for k in range(start, end)):
            tokens.append((number, other))
    owners = [
        [
            n
            for n, (start, end) in enumerate(spans(side.sentences.tolist()))
            for _ in range(start, end)
        ]
        for side in (gold, system)
    ]
    met: dict[tuple[int, int], int] = {}
    for p, q in pairs:
        both = owners[0][p], owners[1][q]
        met[both] = met.get(both, 0) + 1
    sentences = [
        (k, m)
        for (k, m), matched in sorted(met.items())
        if sum(k == other for other, _ in met) == 1 == sum(m == other for _, other in met)
        and 2 * matched >= max(owners[0].count(k), owners[1].count(m))
    ]
    return tokens, sentences


def best_by_trying_all(gold: Units, system: Units) -> tuple[int, int, int]:
    """Try all matchings with the most characters."""

    @cache
    def most(i: int, j: int) -> int:
        if i == len(gold.text) or j == len(system.text):
            return 0
        here = gold.text[i] == system.text[j] and 1 + most(i + 1, j + 1)
        return max(most(i + 1, j), most(i, j + 1), int(here))

    def matchings(i: int, j: int) -> Iterator[Pairs]:
        if not most(i, j):
            yield []
            return
        for p in range(i, len(gold.text)):
            for q in range(j, len(system.text)):
                if gold.text[p] == system.text[q] and 1 + most(p + 1, q + 1) == most(i, j):
                    for rest in matchings(p + 1, q + 1):
                        yield [(p, q), *rest]

    def value(pairs: Pairs) -> tuple[int, int, int]:
        tokens, sentences = counted(gold, system, pairs)
        return len(pairs), len(tokens), len(sentences)

    return max(value(pairs) for pairs in matchings(0, 0))


def check(gold: Units, system: Units, found: Matching) -> None:
    """Assert that the result is a matching with the tokens and sentences it claims."""
    pairs: Pairs = []
    last = (-1, -1)
    for p, q, length in found.runs.tolist():
        assert length > 0
        assert p >= last[0]
        assert q >= last[1]
        assert (p, q) != last
        last = p + length, q + length
        assert gold.text[p : last[0]] == system.text[q : last[1]]
        pairs += zip(range(p, last[0]), range(q, last[1]), strict=True)
    assert found.characters == len(pairs)
    tokens, sentences = counted(gold, system, pairs)
    assert [tuple(pair) for pair in found.tokens.tolist()] == tokens
    assert [tuple(pair) for pair in found.sentences.tolist()] == sentences


@st.composite
def cut_texts(draw: st.DrawFn, longest: int, letters: str = "aab.") -> Sentences:
    """Draw a few letters, split anywhere into tokens and sentences."""
    text = draw(st.text(st.sampled_from(letters), max_size=longest))
    sentences: Sentences = [[""]]
    for letter in text:
        sentences[-1][-1] += letter
        kind = draw(st.integers(0, 3))
        if kind == 1:
            sentences[-1].append("")
        elif kind == 2:
            sentences.append([""])
    return sentences


@settings(max_examples=400)
@given(cut_texts(7), cut_texts(7))
def test_is_the_best_of_all_matchings(gold: Sentences, system: Sentences) -> None:
    ours, theirs = units(gold), units(system)
    found = align_texts(ours, theirs)
    assert triple(found) == best_by_trying_all(ours, theirs)
    check(ours, theirs, found)


@settings(max_examples=200)
@given(cut_texts(20, "abc"), cut_texts(20, "abc"))
def test_is_a_matching_and_symmetric(gold: Sentences, system: Sentences) -> None:
    ours, theirs = units(gold), units(system)
    found = match(ours, theirs)
    check(ours, theirs, found)
    assert triple(match(theirs, ours)) == triple(found)


@given(st.data(), cut_texts(30, "ab.我"))
def test_equal_characters_are_a_matter_of_spans(data: st.DataObject, gold: Sentences) -> None:
    ours = units(gold)
    ends = [n for n in range(1, len(ours.text)) if data.draw(st.booleans())]
    ends += [len(ours.text)] if ours.text else []
    inner = [end for end in ends if end == len(ours.text) or data.draw(st.booleans())]
    letters = [ours.text[start:end] for start, end in spans(ends)]
    theirs = Units.of(letters, [ends.index(end) for end in inner])
    found = match(ours, theirs)
    for kind, pairs in (("tokens", found.tokens), ("sentences", found.sentences)):
        one, other = (spans(getattr(side, kind).tolist()) for side in (ours, theirs))
        expected = [(one.index(span), other.index(span)) for span in one if span in other]
        assert [tuple(pair) for pair in pairs.tolist()] == expected
    assert found.characters == len(ours.text)
    if ours.text:
        assert uncut(ours, theirs) == found
        assert align_texts(ours, theirs) == found


WORDS = "the of and a to in is I that it for was on you he be with as by at".split()
HAN = "我們明天去北京好的是了在有人不這中大來上個國の行きます"


def sentence(chance: random.Random, kind: str) -> list[str]:
    count = chance.randint(1, 12)
    if kind == "repeats":
        return [chance.choice([*WORDS[:6], "." * chance.randint(1, 4)]) for _ in range(count)]
    if kind == "no blanks":
        return ["".join(chance.choices(HAN, k=chance.randint(1, 3))) for _ in range(count)] + ["。"]
    rare = ["".join(chance.choices("etaoinshrdlu", k=6)) for _ in range(count)]
    return [*(chance.choice([*WORDS, word]) for word in rare), "."]


def disturbed(chance: random.Random, sentences: Sentences, rate: float, recut: float) -> Sentences:
    """Change characters, drop tokens, and split tokens and sentences differently."""
    new: Sentences = [[]]
    for old in sentences:
        for token in old:
            letters = [
                chance.choice(["", letter + "e", "a", "我"]) if chance.random() < rate else letter
                for letter in token
            ]
            form = "" if chance.random() < rate / 2 else "".join(letters)
            cut = chance.randrange(len(form)) if form and chance.random() < recut else 0
            new[-1] += [form[:cut], form[cut:]]
            if chance.random() < recut / 4:
                new.append([])
        if chance.random() >= recut:
            new.append([])
    return new


@pytest.mark.parametrize("kind", ["words", "repeats", "no blanks"])
@pytest.mark.parametrize("rate", [0.001, 0.01, 0.03, 0.1, 0.3])
@pytest.mark.parametrize("recut", [0, 0.1, 1])
@pytest.mark.parametrize("by", ["anchors", "rows"])
def test_cutting_changes_nothing(
    kind: str, rate: float, recut: float, by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both ways of cutting are made to cut much smaller parts than they would."""
    monkeypatch.setattr(forced_runs, "MIN_BOX", 4)
    if by == "rows":
        monkeypatch.setattr(forced_runs, "ANCHOR_LENGTHS", ())
        monkeypatch.setattr(forced_runs, "MIN_CELLS", 0)
        monkeypatch.setattr(forced_runs, "ROW_SPACING", 9)
    chance = random.Random(f"{kind} {rate} {recut}")
    for _ in range(2):
        sentences = [sentence(chance, kind) for _ in range(chance.randint(5, 25))]
        gold, system = units(sentences), units(disturbed(chance, sentences, rate, recut))
        found, whole = align_texts(gold, system), uncut(gold, system)
        check(gold, system, found)
        check(gold, system, whole)
        assert triple(found) == triple(whole) == triple(align_texts(system, gold))


@pytest.mark.parametrize("by", ["anchors", "rows"])
def test_texts_that_differ_here_and_there_are_cut(by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if by == "rows":
        monkeypatch.setattr(forced_runs, "ANCHOR_LENGTHS", ())
        monkeypatch.setattr(forced_runs, "MIN_CELLS", 0)
    chance = random.Random(8)
    sentences = [sentence(chance, "words") for _ in range(60)]
    gold, system = units(sentences), units(disturbed(chance, sentences, 0.01, 0.1))
    sides = [
        forced_runs.MarkedText.of(side.text, side.tokens, side.sentences) for side in (gold, system)
    ]
    runs = forced_runs.forced_runs(*sides)
    assert len(runs) > 5
    assert all(gold.text[p : p + n] == system.text[q : q + n] for p, q, n in runs.tolist())


@settings(max_examples=300)
@given(cut_texts(12), cut_texts(12), st.data())
def test_rows_are_crossed_where_all_best_paths_do(
    gold: Sentences, system: Sentences, data: st.DataObject
) -> None:
    ours, theirs = units(gold).text, units(system).text
    codes = [np.array([ord(letter) for letter in text], np.int32) for text in (ours, theirs)]

    def most(one: str, other: str) -> int:
        return LCSseq.similarity(one, other)

    matched = most(ours, theirs)
    band = len(ours) - matched, len(theirs) - matched
    places = [n for n in range(len(ours) + 1) if data.draw(st.booleans())]
    found = forced_columns(codes[0], codes[1], band, matched, places)
    for place, column in zip(places, found.tolist(), strict=True):
        crossed = [
            j
            for j in range(len(theirs) + 1)
            if most(ours[:place], theirs[:j]) + most(ours[place:], theirs[j:]) == matched
        ]
        assert column == (crossed[0] if len(crossed) == 1 else -1)


def test_rows_of_many_blocks_are_crossed_on_the_diagonal() -> None:
    chance = random.Random(9)
    text = "".join(chance.choices("abcdefgh", k=3000))
    codes = np.array([ord(letter) for letter in text], np.int32)
    places = list(range(0, 3001, 100))
    changed = codes.copy()
    changed[[50, 1550]] = 1
    assert forced_columns(codes, changed, (2, 2), 2998, places).tolist() == places


@pytest.mark.parametrize("end", [".", ""])
def test_sentences_whose_stops_were_lost_are_found(end: str) -> None:
    """Every sentence ends next to an edit, so that there is no cut between them."""
    chance = random.Random(4)
    sentences = [sentence(chance, "words") for _ in range(300)]
    system = units([[*old[:-1], end] for old in sentences])
    found = match(units(sentences), system)
    assert len(found.sentences) == 300
    assert len(found.tokens) == sum(map(len, sentences)) - (0 if end else 300)


EXAMPLES = [
    # gold, system, characters, tokens, sentences
    ("Click here To view it .", "Click here / To view it .", 18, 6, 0),
    ("When No. 1 Is n't the Best", "When No. 1 Isn 't the Best", 20, 5, 1),
    ("B H CL FL HM H NEIM", "B CL FL HM HNEIM", 12, 4, 1),
    ("I can not go . / We will .", "I ca n't go . / We will .", 15, 6, 2),
    ('" Yes , " he said .', "`` Yes , '' he said .", 13, 7, 1),
    ("A b . / C d .", "A b / C d .", 5, 5, 2),
    ("A b . / C d .", "A b C d .", 5, 5, 0),
    ("This is a rather long sentence . / Ok", "This / Ok", 6, 2, 1),
    ("abcd / x", "ab / x", 3, 1, 2),
    ("abcde / x", "ab / x", 3, 1, 1),
    ("the cat sat", "the big cat sat", 9, 3, 1),
    ("a b", "b a", 1, 1, 1),
    ("a ab", "ab", 2, 1, 1),
    ("No . / No . / No .", "No . / No .", 6, 4, 2),
    ("a / b / c", "a / c", 2, 2, 2),
    ("abc", "xyz", 0, 0, 0),
    ("a b c", "c d e", 1, 1, 0),
    # where the printed pseudo-code fails (sentences as tokens)
    ("ab", "a b", 2, 0, 1),
    ("a aa a", "aa aa", 4, 0, 1),
    ("X K K Y Z", "XK K Y Z", 5, 3, 1),
    ("a a a b", "aa a b", 4, 2, 1),
    (".. . . x", ". .. . x", 5, 2, 1),
    ("a bc d", "ab c", 3, 0, 1),
    ("a c b", "a b", 2, 2, 1),
    ("the big cat sat down", "the cat sat down", 13, 4, 1),
    ('" Hi "', "`` Hi ``", 4, 3, 1),
    ("I can not go .", "I ca n't go .", 8, 3, 1),
    ("search - engine found it", "search-engine found it", 20, 2, 1),
    ("X / K / K / Y / Z", "X K / K / Y / Z", 5, 5, 3),
]


@pytest.mark.parametrize(("gold", "system", "characters", "tokens", "sentences"), EXAMPLES)
def test_examples(gold: str, system: str, characters: int, tokens: int, sentences: int) -> None:
    found = match(said(gold), said(system))
    assert triple(found) == (characters, tokens, sentences)
    assert triple(match(said(system), said(gold))) == (characters, tokens, sentences)


def test_figures_of_the_paper() -> None:
    rest = "He makes some good observations on a few of the picture 's ."
    gold = said(f"Click here To view it . / {rest}")
    assert triple(match(gold, said(f"Click here / To view it . / {rest}")))[1:] == (19, 1)
    gold = said("Mike McConnell / 07-06-2000 14:57 / John , Hello from South America .")
    system = said("Mike McConnell 07-06-2000 14:57 John , Hello from South America .")
    assert triple(match(gold, system))[1:] == (11, 0)


ODD = [
    ([], [], (0, 0, 0)),
    ([["a", "b"]], [], (0, 0, 0)),
    ([], [["", " "]], (0, 0, 0)),
    ([["a"]], [[" "], ["b"]], (0, 0, 0)),
    ([[], ["a", " ", "b"], []], [["a"], [], ["b", ""]], (2, 2, 0)),
    ([["de", "1 000", "mètres"]], [["de", "1", "000", "mètres"]], (12, 2, 1)),
    ([["e", "\u0301", "x"]], [["e\u0301", "x"]], (3, 1, 1)),
    ([["cafe\u0301", "x"]], [["café", "y"]], (4, 1, 1)),
    ([["''", "x"]], [["'", "'", "x"]], (3, 1, 1)),
    ([["ב", "ה", "צל", "של", "הם", "ה", "נעים"]], [["ב", "צל", "של", "הם", "הנעים"]], (12, 4, 1)),
    ([["😀", "👍🏽", "!"]], [["😀👍🏽", "!"]], (4, 1, 1)),
    ([["😀", "👍🏽", "!"]], [["😀", "👍", "!"]], (3, 2, 1)),
    ([["a\u2028b", "c"]], [["ab", "c"]], (3, 2, 1)),
    ([["a\u200b", "c"]], [["a", "c"]], (2, 1, 1)),
    ([["a\udc80", "c"]], [["a", "c"]], (2, 1, 1)),
    (
        [["我們", "明天", "去", "北京", "。"], ["好", "。"]],
        [["我們", "明天去", "北京", "。", "好", "。"]],
        (10, 5, 0),
    ),
    ([["我們", "去", "。"], ["好", "。"]], [["我們", "去"], ["好", "。"]], (5, 4, 2)),
]


@pytest.mark.parametrize(("gold", "system", "expected"), ODD)
def test_odd_texts(gold: Sentences, system: Sentences, expected: tuple[int, int, int]) -> None:
    assert triple(match(units(gold), units(system))) == expected
    assert triple(match(units(system), units(gold))) == expected


def test_indices_are_those_of_the_kept() -> None:
    gold, system = units([[" ", "a"], [], ["b", "c"]]), units([["a"], ["b", "", "x"]])
    found = match(gold, system)
    assert found.tokens.tolist() == [[0, 0], [1, 1]]
    assert gold.kept_tokens[found.tokens[:, 0]].tolist() == [1, 2]
    assert system.kept_tokens[found.tokens[:, 1]].tolist() == [0, 1]
    assert gold.kept_sentences[found.sentences[:, 0]].tolist() == [0, 2]
    assert found.runs.tolist() == [[0, 0, 2]]


def test_runs_are_of_the_rewritten_texts() -> None:
    found = match(said("`` Hi '' he"), said('" Hi " she'), ())
    assert (found.gold.text, found.system.text) == ('"Hi"he', '"Hi"she')
    assert found.runs.tolist() == [[0, 0, 4], [4, 5, 2]]
    curly = match(said("“ Hi ”"), said('" Hi " '), ("curly",))
    assert triple(curly) == (4, 3, 1)
    assert triple(match(said("“ Hi ”"), said('" Hi "'))) == (2, 1, 1)


def test_texts_that_have_little_in_common_are_refused() -> None:
    chance = random.Random(2)
    gold, system = ([sentence(chance, "words") for _ in range(6000)] for _ in range(2))
    with pytest.raises(MismatchError, match=r"differ too much.*same recording"):
        match(units(gold), units(system))


def test_a_long_repeat_is_refused_or_matched_but_does_not_hang() -> None:
    gold, system = units([["."] * 300_000]), units([["."] * 299_000])
    with pytest.raises(MismatchError, match="differ too much"):
        match(gold, system)
    assert triple(match(units([["."] * 3000]), units([["."] * 2990]))) == (2990, 2990, 1)


def test_known_cases(corpora: Path) -> None:
    expected = json.loads((corpora / "jp-table1/expected.json").read_text("utf-8"))
    assert len(expected["cases"]) == 285
    for case in expected["cases"]:
        gold, system = units(case["gold"]), units(case["system"])
        known = case["matched"], case["tok"][0], case["sent"][0]
        assert triple(match(gold, system)) == known, case["name"]
        assert triple(match(system, gold)) == known, case["name"]
        assert len(system.tokens) - known[1] == case["tok"][1], case["name"]
        assert len(gold.sentences) - known[2] == case["sent"][2], case["name"]


@pytest.mark.parametrize("name", ["GUM", "ParTUT", "EWT", "PUD", "LinES", "Pronouns"])
def test_known_corpora(corpora: Path, name: str) -> None:
    folder = corpora / "jp-table1"
    expected = json.loads((folder / "expected.json").read_text("utf-8"))["corpora"][name]
    gold = []
    for block in (folder / name / "gold.conllu").read_text("utf-8").split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if line[:1].isdigit()]
        gold.append([row[1] for row in rows if row[0].isdigit()])
    lines = (folder / name / "nltk.txt").read_bytes().decode("utf-8").split("\n")
    ours, theirs = units(gold), units([line.split(" ") for line in lines])
    found = match(ours, theirs)
    assert found.characters == expected["characters"]["matched"]
    for kind, pairs in (("tok", found.tokens), ("sent", found.sentences)):
        tp, fp, fn = expected["oracle"][kind]
        sizes = [len(side.tokens if kind == "tok" else side.sentences) for side in (ours, theirs)]
        assert (len(pairs), sizes[1] - len(pairs), sizes[0] - len(pairs)) == (tp, fp, fn)
    check(found.gold, found.system, found)


@pytest.mark.parametrize("left", [slice(0, 70), slice(30, 100)])
def test_a_text_that_lacks_a_part_can_be_matched_either_way(left: slice) -> None:
    chance = random.Random(5)
    sentences = [
        ["".join(chance.choices("abcdefgh", k=chance.randint(1, 7))) for _ in range(60)]
        for _ in range(100)
    ]

    def units(part: list[list[str]]) -> Units:
        tokens = [token for sentence in part for token in sentence]
        return Units.of(tokens, np.cumsum([len(sentence) for sentence in part]) - 1)

    whole, short = units(sentences), units(sentences[left])
    one, other = match(whole, short), match(short, whole)
    assert one.characters == other.characters == len(short.text)
    assert len(one.sentences) == len(other.sentences) == 70
    assert np.array_equal(one.tokens, other.tokens[:, ::-1])
