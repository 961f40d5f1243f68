"""Counting disagreements over documents."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from caesura import api
from caesura.core.protocols import Disagreement
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.evaluation.scores import DisagreementSummary


def one(text: str, level: str = "token", place: int = 0) -> Disagreement:
    return Disagreement(level, "m:1", text, text.upper(), "before", "after", place)


@given(
    st.lists(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["token", "sentence"]))))
)
def test_the_same_are_counted_together(given_: list[list[tuple[str, str]]]) -> None:
    digest = DisagreementSummary.of([[one(*each) for each in document] for document in given_])
    expected = Counter(each for document in given_ for each in document)
    assert {(each.reference, each.level): each.count for each in digest.recurring} == expected
    counts = [each.count for each in digest.recurring]
    assert counts == sorted(counts, reverse=True)
    for each in digest.recurring:
        assert len(each.examples) == min(each.count, 5)
    levels = Counter(level for document in given_ for _, level in document)
    assert digest.kinds == {level: {"m:1": count} for level, count in levels.items()}


def test_examples_are_the_first_and_know_their_document() -> None:
    digest = DisagreementSummary.of(
        [[one("b", place=k) for k in range(2)], [one("a"), one("b", place=9)]]
    )
    first, second = digest.recurring
    assert (first.reference, first.count, second.reference) == ("b", 3, "a")
    assert [(number, each.place) for number, each in first.examples] == [(0, 0), (0, 1), (1, 9)]


def test_each_level_has_its_place_among_the_most_frequent() -> None:
    tokens = [one(f"t{k}") for k in range(300) for _ in range(3)]
    digest = DisagreementSummary.of([[*tokens, one("s", "sentence"), one("r", "sentence")]])
    reported = digest.to_dict(["doc"])
    assert len(reported) == 102
    assert [each["reference"] for each in reported[-2:]] == ["s", "r"]
    assert reported[0] == {
        "level": "token",
        "kind": "m:1",
        "reference": "t0",
        "hypothesis": "T0",
        "count": 3,
        "example": {
            "document": "doc",
            "reference": 1,
            "place": 0,
            "before": "before",
            "after": "after",
        },
    }


def text(words: str, id: str) -> Transcript:
    split = tuple(words.split())
    return Transcript(split, id=id, sentences=Segmentation.of_gaps(len(split), []))


def test_scores_tell_them_in_json() -> None:
    ours = [text("we do nt know", "x"), text("they do nt", "y")]
    theirs = [text("we dont know", "x"), text("they dont", "y")]
    reported = api.score(ours, reference=[theirs], metric="Joint", resamples=0).to_dict()
    (score,) = reported["scores"]
    assert score["disagreement_kinds"] == {"token": {"1:n": 2}}
    (found,) = score["disagreements"]
    assert (found["reference"], found["hypothesis"], found["count"]) == ("dont", "do nt", 2)
    assert found["example"] == {
        "document": "x", "reference": 1, "place": 1, "before": "we", "after": "know",
    }  # fmt: skip
