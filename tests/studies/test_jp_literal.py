"""The printed algorithms run as the paper prints them, wrong and endless as they may be."""

import tomllib
from collections.abc import Iterator
from importlib import import_module
from itertools import accumulate, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Undefined
from caesura.text.charmatch.units import QUOTE_FORMS
from caesura_studies.jp.literal import (
    ENDLESS,
    PrintedJoint,
    run_algorithm_1,
    run_algorithm_1_in_sentences,
    run_algorithm_3,
)

PIECES = st.lists(st.text("ab", min_size=1, max_size=3), max_size=7)
PATIENCE = 1000


class Marked(list[str]):
    """A list that has a mark without characters wherever one reads past its end."""

    def __getitem__(self, at: int) -> str:  # type: ignore[override]
        return super().__getitem__(at) if at < len(self) else ""


@given(PIECES, PIECES)
def test_does_what_the_print_says(left: list[str], right: list[str]) -> None:
    assert counted(left, right) == as_printed(Marked(left), Marked(right))


def counted(left: list[str], right: list[str]) -> int | None:
    found = run_algorithm_1(left, right)
    return found.found if found.terminates else None


def as_printed(ours: Marked, theirs: Marked) -> int | None:
    """Line by line; None if it goes on and on."""
    found = i = j = steps = 0
    while i < len(ours) and j < len(theirs):
        if ours[i] == theirs[j]:
            found += 1
        else:
            left, right = ours[i], theirs[j]
            while ours[i + 1] != theirs[j + 1]:
                if len(left) > len(right):
                    j += 1
                    right += theirs[j]
                else:
                    i += 1
                    left += ours[i]
                steps += 1
                if steps > PATIENCE:
                    return None
        i += 1
        j += 1
    return found


@pytest.mark.parametrize(
    ("left", "right", "found"),
    [
        ("a b", "ab", 0),
        ("aa aa", "a aa a", 1),
        ("XK K Y Z", "X K K Y Z", None),
        ("aa a b", "a a a b", None),
        ("a a a b", "aa a b", 1),
        (". .. . x", ".. . . x", None),
        ("ab c", "a bc d", None),
        ("a b", "a c b", None),
        ("the cat sat down", "the big cat sat down", 1),
        ("`` Hi ``", '" Hi "', 1),
        ("B CL FL HM HNEIM", "B H CL FL HM H NEIM", 3),
        ("", "", 0),
        ("a", "", 0),
    ],
)
def test_known_faults(left: str, right: str, found: int | None) -> None:
    assert counted(left.split(), right.split()) == found


def cuts(letters: str) -> Iterator[list[str]]:
    """All ways to cut letters into pieces."""
    if not letters:
        yield []
    for stop in range(1, len(letters) + 1):
        for rest in cuts(letters[stop:]):
            yield [letters[:stop], *rest]


def spans(pieces: list[str]) -> set[tuple[int, int]]:
    ends = list(accumulate(map(len, pieces)))
    return set(zip([0, *ends], ends, strict=False))


def test_how_often_it_is_wrong() -> None:
    """All pairs of ways to cut the words of seven letters that begin with a."""
    right = high = low = endless = 0
    for letters in product("a", *["ab"] * 6):
        every = [(pieces, spans(pieces)) for pieces in cuts("".join(letters))]
        for (left, ours), (other, theirs) in product(every, every):
            found, true = counted(left, other), len(ours & theirs)
            endless += found is None
            right += found == true
            high += found is not None and found > true
            low += found is not None and found < true
    assert (right, high, low, endless) == (209_070, 35_294, 4_198, 13_582)


def test_a_treebank(corpora: Path) -> None:
    """Right would be 1084 sentences and 24,242 tokens."""
    folder = corpora / "jp-table1/EWT"
    gold = []
    for block in (folder / "gold.conllu").read_text("utf-8").split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if line[:1].isdigit()]
        gold.append([row[1] for row in rows if row[0].isdigit()])
    lines = (folder / "nltk.txt").read_bytes().decode("utf-8").split("\n")
    texts = [
        [[QUOTE_FORMS.get(token, token) for token in sentence] for sentence in text if sentence]
        for text in (gold, [line.split(" ") for line in lines if line])
    ]
    for (left, right), known in (
        ((texts[1], texts[0]), (1078, 24092)),
        ((texts[0], texts[1]), (1081, 24165)),
    ):
        sentences, tokens = run_algorithm_1_in_sentences(left, right)
        assert (sentences.found, sum(each.found for each in tokens)) == known
        assert sentences.terminates
        assert sum(not each.terminates for each in tokens) == 2


def test_groups_are_what_was_equal_or_merged() -> None:
    found = run_algorithm_1(["a", "bc", "d", "e"], ["a", "b", "c", "d", "e"])
    assert found.groups == (
        (slice(0, 1), slice(0, 1)),
        (slice(1, 2), slice(1, 3)),
        (slice(2, 3), slice(3, 4)),
        (slice(3, 4), slice(4, 5)),
    )
    assert run_algorithm_1(["a", "b"], ["a", "c", "b"]).groups == ((slice(0, 1), slice(0, 1)),)


def test_tokens_are_aligned_within_sentences() -> None:
    left, right = [["a", "b"], ["c"], ["d"]], [["ab"], ["c", "d"]]
    sentences, tokens = run_algorithm_1_in_sentences(left, right)
    assert (sentences.found, [each.found for each in tokens]) == (1, [0, 2])


@pytest.mark.parametrize(
    ("left", "right", "sentences", "tokens", "ends"),
    [
        # figure 2: the loop adds sentences and moves no index
        (
            "Click here / To view it . / He goes .",
            "Click here To view it . / He goes .",
            0,
            0,
            False,
        ),
        ("I ca n't go . / We will .", "I can not go . / We will .", 1, 3, True),
        ("search-engine found it", "search - engine found it", 1, 0, True),
        ("A b / C d", "A b / C d", 2, 4, True),
        ("A b / C", "A b", 1, 2, True),
    ],
)
def test_algorithm_3_compares_tokens_at_equal_places(
    left: str, right: str, sentences: int, tokens: int, ends: bool
) -> None:
    ours, theirs = ([part.split() for part in text.split(" / ")] for text in (left, right))
    printed, found = run_algorithm_3(ours, theirs)
    assert (printed.found, found, printed.terminates) == (sentences, tokens, ends)


def text(line: str) -> Transcript:
    """Make a transcript: tokens separated by blanks, sentences by slashes."""
    sentences = [part.split() for part in line.split(" / ")]
    ends = list(accumulate(map(len, sentences)))
    words = tuple(token for sentence in sentences for token in sentence)
    return Transcript(words, sentences=Segmentation.of_gaps(len(words), [e - 1 for e in ends]))


def score(gold: str, system: str, metric: PrintedJoint) -> Counts:
    return metric.count(text(system), [text(gold)])


def of(counts: Counts, unit: str) -> tuple[float, ...]:
    return tuple(counts[f"{unit}_{kind}_1"] for kind in ("tp", "fp", "fn"))


def test_the_metric_counts_tokens_and_sentences() -> None:
    metric = PrintedJoint()
    counts = score("B H CL FL HM H NEIM", "B CL FL HM HNEIM", metric)
    assert of(counts, "token") == (3, 2, 4)
    assert of(counts, "sentence") == (0, 1, 1)
    values = metric.values(counts)
    assert values["token_recall"] == 3 / 7
    assert not [name for name in values if name.startswith("word")]
    counts = score('" a "', "`` a ''", metric)
    assert of(counts, "token") == (3, 0, 0)


def test_algorithm_3_is_a_setting() -> None:
    gold, system = "search - engine found it", "search-engine found it"
    assert of(score(gold, system, PrintedJoint(algorithm=3)), "token") == (0, 3, 5)
    assert of(score(gold, system, PrintedJoint()), "token") == (2, 1, 3)


def test_what_does_not_terminate_has_no_value() -> None:
    metric = PrintedJoint()
    endless = score("a / c / b", "a / b", metric)
    fine = score("a / b", "a / b", metric)
    for counts in (endless, endless + fine):
        values = metric.values(counts)
        for unit in ("sentence", "token"):
            for kind in ("precision", "recall", "f1", "tp", "fp", "fn"):
                assert values[f"{unit}_{kind}"] == Undefined(ENDLESS)
    values = metric.values(score(".. . . x / y", ". .. . x / y", metric))
    assert values["sentence_f1"] == 1
    assert values["token_tp"] == values["token_f1"] == Undefined(ENDLESS)
    assert metric.values(fine)["token_f1"] == 1


@pytest.mark.parametrize("wrong", [{"algorithm": 2}, {"multiwords": "x"}, {"tables": ("quotes",)}])
def test_wrong_settings(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        PrintedJoint(**wrong)  # type: ignore[arg-type]


def test_the_entry_point_names_the_metric() -> None:
    path = Path(__file__).parents[2] / "studies/pyproject.toml"
    points = tomllib.loads(path.read_text("utf-8"))["project"]["entry-points"]["caesura.metrics"]
    for name, place in points.items():
        module, _, attribute = place.partition(":")
        assert getattr(import_module(module), attribute).name == name
    assert "PrintedJoint" in points
