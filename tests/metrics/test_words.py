"""Words: comparison with direct definitions, worked examples and jiwer."""

import math
from collections import Counter
from functools import cache
from pathlib import Path

import jiwer
import pytest
from hypothesis import given

from caesura import api
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Undefined
from caesura.metrics.words import COUNT_NAMES, Words
from caesura.text.alignment.word_alignment import Alignment
from metrics.wording import said, text, texts, values


def cheapest(x: list[str], y: list[str], costs: tuple[int, int, int]) -> int:
    """Return the least cost of an alignment, by definition."""
    exchange, delete, insert = costs

    @cache
    def cost(i: int, j: int) -> int:
        if i == 0 or j == 0:
            return i * delete + j * insert
        return min(
            cost(i - 1, j - 1) + (x[i - 1] != y[j - 1]) * exchange,
            cost(i - 1, j) + delete,
            cost(i, j - 1) + insert,
        )

    return cost(len(x), len(y))


def pairs_of(found: Alignment, x: list[str], y: list[str]) -> list[tuple[str | None, str | None]]:
    """Return the aligned pairs, with None for no word."""
    places = found.source.tolist()
    beside = [(x[i] if i >= 0 else None, word) for i, word in zip(places, y, strict=True)]
    return [*beside, *((x[i], None) for i in range(len(x)) if i not in places)]


def entropy(numbers: Counter[object]) -> float:
    total = sum(numbers.values())
    return -sum(n / total * math.log(n / total) for n in numbers.values())


@pytest.mark.parametrize(
    ("weights", "costs"), [("edits", (1, 1, 1)), ("sclite", (4, 3, 3))], ids=["edits", "sclite"]
)
@given(texts, texts)
def test_counts_and_rates_are_those_of_the_definition(
    weights: str, costs: tuple[int, int, int], x: list[str], y: list[str]
) -> None:
    metric = Words(weights=weights)
    found = metric.aligned(text(y), text(x)).alignment
    pairs = pairs_of(found, x, y)
    told = values(text(x), text(y), metric)
    hits = sum(a == b for a, b in pairs)
    deleted = sum(b is None for _, b in pairs)
    inserted = sum(a is None for a, _ in pairs)
    exchanged = len(pairs) - hits - deleted - inserted
    assert [told[name] for name in COUNT_NAMES] == [hits, exchanged, deleted, inserted]
    assert hits + exchanged + deleted == len(x)
    assert hits + exchanged + inserted == len(y)
    cost = exchanged * costs[0] + deleted * costs[1] + inserted * costs[2]
    assert cost == cheapest(x, y, costs)
    errors = exchanged + deleted + inserted
    assert told["wer"] == (errors / len(x) if x else Undefined("no word in the reference"))
    assert told["mer"] == (errors / len(pairs) if pairs else Undefined("no word on either side"))
    if x and y:
        assert told["wil"] == 1 - hits / len(x) * (hits / len(y))
    elif x:
        assert told["wil"] == 1
    else:
        assert isinstance(told["wil"], Undefined)


@given(texts, texts)
def test_information_lost_is_the_ratio_of_entropies(x: list[str], y: list[str]) -> None:
    pairs = pairs_of(Words().aligned(text(y), text(x)).alignment, x, y)
    told = values(text(x), text(y))["ril"]
    found = Counter(b for _, b in pairs)
    if len(found) < 2:
        assert isinstance(told, Undefined)
        assert told.reason
        return
    # H(Y|X) = H(X, Y) - H(X)
    given_x = entropy(Counter(pairs)) - entropy(Counter(a for a, _ in pairs))
    assert told == pytest.approx(given_x / entropy(found), abs=1e-12)  # type: ignore[arg-type]


@given(said, texts)
def test_jiwer_has_the_same_numbers(x: list[str], y: list[str]) -> None:
    peer = jiwer.process_words(" ".join(x), " ".join(y))
    told = values(text(x), text(y))
    counts = (peer.hits, peer.substitutions, peer.deletions, peer.insertions)
    assert tuple(told[name] for name in COUNT_NAMES) == counts
    assert [told[name] for name in ("wer", "mer", "wil")] == pytest.approx(
        [peer.wer, peer.mer, peer.wil]
    )


EXAMPLES = {
    "a b c d|a x d": ((2, 1, 1, 0), (2 / 4, 2 / 4, 2 / 3)),
    "a b|b a": ((1, 0, 1, 1), (1, 2 / 3, 3 / 4)),
    "a a b b|c c d d": ((0, 4, 0, 0), (1, 1, 1)),
    "a b|": ((0, 0, 2, 0), (1, 1, 1)),
    "ما اسمك|ما اسمه": ((1, 1, 0, 0), (1 / 2, 1 / 2, 3 / 4)),
}


@pytest.mark.parametrize("example", EXAMPLES)
def test_small_exact_examples(example: str) -> None:
    x, y = example.split("|")
    told = values(text(x), text(y))
    counts, rates = EXAMPLES[example]
    assert tuple(told[name] for name in COUNT_NAMES) == counts
    assert tuple(told[name] for name in ("wer", "mer", "wil")) == pytest.approx(rates)


def test_a_systematic_exchange_of_words_loses_no_information() -> None:
    told = values(text("a a b b"), text("c c d d"))
    assert (told["wer"], told["ril"]) == (1, 0)
    assert values(text("a a b b"), text("c d c d"))["ril"] == 1


def test_pairs_of_words_add_over_documents() -> None:
    """Each document has consistent errors, but not the same ones."""
    metric = Words()
    one, two = (metric.count(text(y), [text("a b")]) for y in ("c d", "d c"))
    assert metric.values(one)["ril"] == metric.values(two)["ril"] == 0
    assert metric.values(one + two)["ril"] == 1
    assert metric.values(Counts.total([one, two])) == metric.values(one + two)


@pytest.mark.parametrize("word", ["", "x_1", "a b", "a\tb", "\n", "pair", "_2"])
def test_any_word_can_be_paired(word: str) -> None:
    metric, other = Words(), Transcript(("b", "c"))
    odd = Transcript((word, "c"))
    counts = metric.count(odd, [odd, other])
    assert metric.values(counts)["ril_1"] == 0
    assert metric.values(counts)["ril_2"] == 0
    assert metric.values(counts)["wer"] == 1 / 4


@pytest.mark.parametrize(
    ("empty", "wanted"),
    [("undefined", [None, 1, None]), ("one", [1, 1, 1]), ("insertions", [2, 1, 1])],
    ids=["undefined", "one", "insertions"],
)
def test_what_an_empty_reference_means_is_declared(empty: str, wanted: list[float | None]) -> None:
    metric = Words(empty=empty)
    told = [values(text(""), text("a b"), metric)[name] for name in ("wer", "mer", "wil")]
    assert [None if isinstance(each, Undefined) else each for each in told] == wanted
    nothing = [values(text(""), text(""), metric)[name] for name in ("wer", "mer", "wil")]
    if empty == "undefined":
        assert all(isinstance(each, Undefined) for each in nothing)
    else:
        assert nothing == [0, 0, 0]
    # Counts add whatever the policy: two insertions for four words that were said.
    both = metric.count(text("a b"), [text("")]) + metric.count(text("a b c d"), [text("a b c d")])
    assert metric.values(both)["wer"] == 1 / 2


def test_insertions_where_nothing_was_said_are_counted_as_jiwer_does() -> None:
    for y in ("", "a", "a b c"):
        peer = jiwer.process_words("", y)
        told = values(text(""), text(y), Words(empty="insertions"))
        assert [told[n] for n in ("wer", "mer", "wil")] == [peer.wer, peer.mer, peer.wil]


def test_several_references_are_averaged() -> None:
    metric = Words()
    told = metric.values(metric.count(text("a b"), [text("a c"), text("a b")]))
    assert (told["wer"], told["wer_1"], told["wer_2"], told["hits"]) == (1 / 4, 1 / 2, 0, 3)


def test_settings_are_checked() -> None:
    for setting in ("weights", "unit", "empty"):
        with pytest.raises(ValueError, match=setting):
            Words(**{setting: "nothing"})


def test_line_ends_of_any_kind_are_read(tmp_path: Path) -> None:
    for name, end in (("ref", "\r\n"), ("hyp", "\n")):
        lines = ["The cat sat.", f"It {'slept' if name == 'ref' else 'leapt'}!"]
        (tmp_path / f"{name}.txt").write_bytes("".join(line + end for line in lines).encode())
    found = api.score(
        tmp_path / "hyp.txt",
        reference=tmp_path / "ref.txt",
        metric=["Words", "Words(unit='sentence')"],
        format="lines",
        resamples=0,
    )
    assert [told["wer"] for told in found.values] == [1 / 5, 1 / 5]
