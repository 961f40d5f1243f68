"""Joint: known counts, unusual texts, and inputs of all kinds."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core import registry
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Span, Transcript
from caesura.core.values import Counts, Undefined
from caesura.metrics.joint import Joint
from metrics.treebank import transcript

Sentences = list[list[str]]


def said(sentences: Sentences) -> Transcript:
    """Make a transcript of tokens; sentences without tokens are dropped."""
    words = tuple(token for sentence in sentences for token in sentence)
    ends = np.cumsum([len(sentence) for sentence in sentences if sentence], dtype=np.int64) - 1
    return Transcript(words, sentences=Segmentation.of_gaps(len(words), ends.tolist()))


def text(line: str) -> Transcript:
    """Tokens are separated by blanks, sentences by slashes; `_` is a blank inside a token."""
    parts = [sentence.split() for sentence in line.split(" / ")]
    return said([[token.replace("_", " ") for token in sentence] for sentence in parts])


def of(counts: Counts, unit: str) -> tuple[float, ...]:
    return tuple(counts[f"{unit}_{kind}_1"] for kind in ("tp", "fp", "fn"))


def score(gold: Transcript, system: Transcript, metric: Joint | None = None) -> Counts:
    return (metric or Joint()).count(system, [gold])


WORKED = {
    "figure 1": ("Click here To view it .", "Click here / To view it .", "0/2/1", "6/0/0"),
    "figure 2": (
        "Click here To view it . / He makes some good observations on a few of the picture 's .",
        "Click here / To view it . / He makes some good observations on a few of the picture 's .",
        "1/2/1",
        "19/0/0",
    ),
    "figure 4": ("When No. 1 Is n't the Best", "When No. 1 Isn 't the Best", "1/0/0", "5/2/2"),
    "Hebrew": ("B H CL FL HM H NEIM", "B CL FL HM HNEIM", "1/0/0", "4/1/3"),
    "can not": ("I can not go . / We will .", "I ca n't go . / We will .", "2/0/0", "6/2/2"),
    "quotes": ('" Yes , " he said .', "`` Yes , '' he said .", "1/0/0", "7/0/0"),
    "blank inside": ("de 1_000 mètres", "de 1 000 mètres", "1/0/0", "2/2/1"),
    "stop lost": ("A b . / C d .", "A b / C d .", "2/0/0", "5/0/1"),
    "stop and boundary lost": ("A b . / C d .", "A b C d .", "0/1/2", "5/0/1"),
    "half": ("This is a rather long sentence . / Ok", "This / Ok", "1/1/1", "2/0/6"),
    "just half": ("abcd / x", "ab / x", "2/0/0", "1/1/1"),
    "less than half": ("abcde / x", "ab / x", "1/1/1", "1/1/1"),
    "word put in": ("the cat sat", "the big cat sat", "1/0/0", "3/1/0"),
    "exchange": ("a b", "b a", "1/0/0", "1/1/1"),
    "tie": ("a ab", "ab", "1/0/0", "1/0/1"),
    "repeats": ("No . / No . / No .", "No . / No .", "2/0/1", "4/0/2"),
    "nothing shared": ("abc", "xyz", "0/1/1", "0/1/1"),
    "two apostrophes": ("'' x", "' ' x", "1/0/0", "1/2/1"),
    "combining": ("e \u0301 x", "e\u0301 x", "1/0/0", "1/1/2"),
    "composed": ("e\u0301 x", "\u00e9 x", "1/0/0", "2/0/0"),
    "right to left": ("ב ה צל ה נעים", "ב צל הנעים", "1/0/0", "2/1/3"),
    "Japanese": ("今日 は 晴れ 。 / 行く", "今 日 は 晴れ。 / 行く", "2/0/0", "2/3/3"),
    "Chinese": ("我 是 学生 。 / 你 呢 ？", "我 是 学 生 。 你 呢 ？", "0/1/2", "6/2/1"),
    "emoji": ("👩\u200d👩\u200d👧 ok 👍🏽", "👩 \u200d👩\u200d👧 ok 👍🏽", "1/0/0", "2/2/1"),
    "invisible": ("\ufeff a\u200b b", "a b", "1/0/0", "1/1/2"),
}


@pytest.mark.parametrize("case", WORKED)
def test_worked_examples(case: str) -> None:
    gold, system, sentences, tokens = WORKED[case]
    counts, swapped = score(text(gold), text(system)), score(text(system), text(gold))
    for unit, known in (("sentence", sentences), ("token", tokens), ("word", tokens)):
        right, wrong, missing = map(int, known.split("/"))
        assert of(counts, unit) == (right, wrong, missing)
        assert of(swapped, unit) == (right, missing, wrong)


def test_hebrew_as_the_paper_has_it() -> None:
    metric = Joint()
    values = metric.values(score(text("B H CL FL HM H NEIM"), text("B CL FL HM HNEIM")))
    assert (values["token_precision"], values["token_recall"]) == (4 / 5, 4 / 7)
    assert values["token_f1"] == 2 * 4 / 12


def by_word(gold: Transcript, system: Transcript) -> dict[str, list[int]]:
    """Return what each word of the system adds to each count."""
    columns = Joint().per_gap_counts(system, [gold])
    assert columns is not None
    return {name.removesuffix("_1"): column.tolist() for name, column in columns}


def test_each_word_adds_its_part_to_every_count() -> None:
    """What is missing stands at the last correct token before it."""
    gold = text("A b . / C d / e .").replace(tag=tuple("DN.VNV."))
    system = text("A b / C xx d e . zz").replace(tag=tuple("DVVXNV.X"))
    columns = by_word(gold, system)
    assert columns == {
        "token_tp":           [1, 1, 1, 0, 1, 1, 1, 0],
        "token_fp":           [0, 0, 0, 1, 0, 0, 0, 1],
        "token_fn":           [0, 1, 0, 0, 0, 0, 0, 0],
        "sentence_tp":        [0, 1, 0, 0, 0, 0, 0, 0],
        "sentence_fp":        [0, 0, 0, 0, 0, 0, 0, 1],
        "sentence_fn":        [0, 0, 0, 0, 1, 0, 1, 0],
        "word_tp":            [1, 1, 1, 0, 1, 1, 1, 0],
        "word_fp":            [0, 0, 0, 1, 0, 0, 0, 1],
        "word_fn":            [0, 1, 0, 0, 0, 0, 0, 0],
        "characters":         [1, 2, 1, 0, 1, 1, 1, 0],
        "characters_found":   [1, 1, 1, 2, 1, 1, 1, 2],
        "characters_matched": [1, 1, 1, 0, 1, 1, 1, 0],
        "upos_correct":       [1, 0, 1, 0, 1, 1, 1, 0],
        "upos_aligned":       [1, 1, 1, 0, 1, 1, 1, 0],
        "upos_words":         [2, 3, 2, 1, 2, 2, 2, 1],
    }  # fmt: skip
    counts = score(gold, system)
    assert {name: sum(column) for name, column in columns.items()} == {
        name.removesuffix("_1"): count for name, count in counts.items()
    }


def test_what_is_missing_before_any_correct_token_stands_at_the_first_word() -> None:
    columns = by_word(text("Zz a"), text("q a"))
    assert (columns["token_tp"], columns["token_fn"]) == ([0, 1], [1, 0])
    assert columns["characters"] == [2, 1]
    nothing_shared = by_word(text("abc"), text("xyz w"))
    assert (nothing_shared["token_fn"], nothing_shared["token_tp"]) == ([1, 0], [0, 0])
    assert nothing_shared["characters_matched"] == [0, 0]
    assert Joint().per_gap_counts(Transcript(()), [text("a b")]) is None


CASES = Path(__file__).parent / "joint_cases.json"


def test_the_paper_s_examples_and_small_cases() -> None:
    check_cases(json.loads(CASES.read_text("utf-8")))


def test_known_cases(corpora: Path) -> None:
    check_cases(json.loads((corpora / "jp-table1/expected.json").read_text("utf-8"))["cases"])


def check_cases(cases: list[dict[str, Any]]) -> None:
    assert cases
    for case in cases:
        counts = score(said(case["gold"]), said(case["system"]))
        assert of(counts, "sentence") == tuple(case["sent"]), case["name"]
        assert of(counts, "token") == of(counts, "word") == tuple(case["tok"]), case["name"]
        assert counts["characters_matched_1"] == case["matched"]


@pytest.mark.parametrize("name", "GUM ParTUT EWT PUD LinES Pronouns".split())
def test_the_paper_s_table(corpora: Path, name: str) -> None:
    """Counts on files as they are read; the paper's table counts words."""
    folder = corpora / "jp-table1"
    known = json.loads((folder / "expected.json").read_text("utf-8"))["corpora"][name]["oracle"]
    rows = (folder / name / "gold.conllu").read_text("utf-8").split("\n")
    gold = transcript("\n".join(row for row in rows if row[:1] != "#"))
    tokens = registry.parse("format", "tokens")
    (system,) = tokens.read(io.BytesIO((folder / name / "nltk.txt").read_bytes()))
    counts = score(gold, system, Joint(multiwords="split"))
    assert of(counts, "sentence") == tuple(known["sent"])
    assert of(counts, "token") == of(counts, "word") == tuple(known["tok"])


@pytest.mark.parametrize(
    ("gold", "system", "sentences", "tokens"),
    [
        ([], [], (0, 0, 0), (0, 0, 0)),
        ([["a", "b"], ["c"]], [], (0, 0, 2), (0, 0, 3)),
        ([], [["a", "b"], ["c"]], (0, 2, 0), (0, 3, 0)),
        ([[" "], ["a"]], [["a", "\u3000"]], (1, 0, 0), (1, 0, 0)),
        ([["\u00a0", " "]], [["a"]], (0, 1, 0), (0, 1, 0)),
        ([["", ""]], [[""]], (0, 0, 0), (0, 0, 0)),
    ],
)
def test_hardly_anything(
    gold: Sentences, system: Sentences, sentences: tuple[int, ...], tokens: tuple[int, ...]
) -> None:
    counts = score(said(gold), said(system))
    assert of(counts, "sentence") == sentences
    assert of(counts, "token") == of(counts, "word") == tokens
    for name, value in Joint().values(counts).items():
        assert not isinstance(value, Undefined) or value.reason, name


def test_undefined_where_nothing_is() -> None:
    metric = Joint()
    values = metric.values(score(text("a b"), said([])))
    assert values["token_precision"] == Undefined("no token in the hypothesis")
    assert (values["token_recall"], values["token_f1"]) == (0, 0)
    assert values["sentence_tp"] == 0


WORDS = st.lists(
    st.lists(st.text(st.sampled_from("aAb é\u0301。"), max_size=3), max_size=4), max_size=4
)


@st.composite
def texts(draw: st.DrawFn) -> Transcript:
    """Draw a text with multiword tokens, some written differently from their words."""
    made = said(draw(WORDS))
    spans = []
    first = 0
    while first < len(made):
        last = draw(st.integers(first, min(first + 2, len(made) - 1)))
        if draw(st.booleans()):
            form = draw(st.sampled_from(["", "a", "ab", " ", "é"]))
            spans.append(Span(first, last, form))
        first = last + 1
    return made.replace(multiwords=tuple(spans), tag=tuple("x" for _ in made.words))


@given(texts(), texts())
def test_any_texts_can_be_scored(gold: Transcript, system: Transcript) -> None:
    """Exchanging the texts exchanges fp and fn; words of multiword tokens may align differently."""
    for metric in (Joint(), Joint(multiwords="split")):
        counts, swapped = score(gold, system, metric), score(system, gold, metric)
        for unit in ("sentence", "token", "word"):
            right, wrong, missing = of(counts, unit)
            assert min(right, wrong, missing) >= 0
            if unit != "word" or metric.multiwords == "split":
                assert of(swapped, unit) == (right, missing, wrong)
            else:
                assert sum(of(swapped, unit)) + of(swapped, unit)[0] == 2 * right + wrong + missing
        if counts["upos_aligned_1"]:
            assert counts["upos_correct_1"] == counts["word_tp_1"]
        metric.values(counts)


@given(texts())
def test_a_text_agrees_with_itself(gold: Transcript) -> None:
    counts = score(gold, gold)
    assert of(counts, "word")[1:] == of(counts, "token")[1:] == (0, 0)
    assert of(counts, "sentence")[1:] == (0, 0)


CONLLU = "".join(
    f"{n}\t{form}" + "\t_" * 8 + "\n" + end
    for n, form, end in [
        (1, "Click", ""),
        (2, "here", ""),
        (3, ".", "\n"),
        (1, "It", ""),
        (2, "works", ""),
        (3, "!", "\n"),
    ]
)
SAME = {
    "conllu": CONLLU,
    "tokens": "Click here .\nIt works !\n",
    "lines": "Click here .\nIt works !\n",
    "text": "Click here . It works !\n",
    "turns": "Click here . It works !\n",
    "bio": "Click O\nhere O\n. O\n\nIt B-X\nworks O\n! O\n",
    "offsets": json.dumps(
        {
            "text": "Click here. It works!",
            "tokens": [
                {"start": a, "end": b}
                for a, b in [(0, 5), (6, 10), (10, 11), (12, 14), (15, 20), (20, 21)]
            ],
            "sentences": [{"start": 0, "end": 11}, {"start": 12, "end": 21}],
        }
    ),
}


def read(format: str, page: str) -> Transcript:
    (found,) = registry.parse("format", format).read(io.BytesIO(page.encode()))
    return found


@pytest.mark.parametrize("gold", SAME)
@pytest.mark.parametrize("system", SAME)
def test_inputs_of_all_kinds_may_be_mixed(gold: str, system: str) -> None:
    counts = score(read(gold, SAME[gold]), read(system, SAME[system]))
    assert of(counts, "sentence") == (2, 0, 0)
    assert of(counts, "token") == of(counts, "word") == (6, 0, 0)


def test_written_text_has_punctuation_on_its_tokens() -> None:
    counts = score(read("conllu", CONLLU), read("text", "Click here. It works!\n"))
    assert of(counts, "sentence") == (2, 0, 0)
    assert of(counts, "token") == of(counts, "word") == (2, 2, 4)


def test_further_tables() -> None:
    gold, system = text("( “ a ” )"), text('-LRB- " a " -RRB-')
    assert of(score(gold, system), "token") == (1, 4, 4)
    assert of(score(gold, system, Joint(tables=("curly", "brackets"))), "token") == (5, 0, 0)


@pytest.mark.parametrize(
    "wrong", [{"multiwords": "some"}, {"tables": ("quotes",)}, {"tables": "quotes"}]
)
def test_wrong_settings(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Joint(**wrong)  # type: ignore[arg-type]


def test_several_references_of_which_some_have_tags() -> None:
    gold = text("a b")
    tagged = gold.replace(tag=("x", "y"))
    metric = Joint()
    values = metric.values(metric.count(tagged, [gold, tagged]))
    assert values["upos_f1_2"] == values["upos_accuracy_2"] == 1
    assert isinstance(values["upos_f1_1"], Undefined)
    assert isinstance(values["upos_f1"], Undefined)
    assert values["word_f1"] == 1


def test_what_is_said_of_some_documents_only_is_measured_on_them() -> None:
    gold, system = text("a b").replace(tag=("x", "y")), text("a b").replace(tag=("x", "z"))
    bare = text("c d e")
    values = Joint().values(score(gold, system) + score(bare, bare))
    assert values["upos_f1"] == values["upos_accuracy"] == 0.5
    assert values["word_tp"] == 5


def test_a_single_table_may_be_named_without_a_list() -> None:
    assert Joint(tables="curly") == Joint(tables=("curly",))  # type: ignore[arg-type]
    assert repr(Joint(tables="curly")) == repr(Joint(tables=("curly",)))  # type: ignore[arg-type]
