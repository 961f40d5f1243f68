"""How ATENE finds names in the hypothesis: by time, by sound, by alignment."""

import numpy as np
import pytest

from caesura.core.transcript import Span, Transcript
from caesura.metrics.atene import ATENE
from metrics.margins import entity_model, metric, spoken

pytest.importorskip("scipy")


def timed(text: str, *start: float) -> Transcript:
    """Give words these start times; one second each by default."""
    said = spoken(text)
    edges = np.array(start) if start else np.arange(len(said) + 1.0)
    return said.replace(start=edges[:-1], end=edges[1:])


def placed(judge: ATENE, hypothesis: Transcript, reference: Transcript) -> list[tuple[str, str]]:
    """Return how each name was found, and its words."""
    told = judge.contributions(hypothesis, reference)
    return [(each.by, each.hypothesis) for each in told if each.level == "name"]


def test_words_with_times_are_found_by_them() -> None:
    times = np.arange(4.0)
    reference = spoken("we met [anna PER] today").replace(start=times, end=times + 0.9)
    hypothesis = Transcript(("we", "met", "hannah", "so"), start=times, end=times + 0.9)
    told = metric().contributions(hypothesis, reference)
    (name,) = [each for each in told if each.level == "name"]
    assert (name.by, name.hypothesis) == ("time", "hannah")


def test_names_are_looked_for_as_far_as_the_collar() -> None:
    reference = timed("we met [anna PER] today")
    hypothesis = timed("we met hannah uh today", 0, 1, 1.3, 1.7, 3, 4)
    near, far = ATENE(entity_model(), collar=0.25), ATENE(entity_model(), collar=0.5)
    assert placed(near, hypothesis, reference) == [("time", "uh")]
    assert placed(far, hypothesis, reference) == [("time", "hannah")]
    assert near.count(hypothesis, [reference]) != far.count(hypothesis, [reference])


def test_names_sound_as_their_letters_or_as_a_dictionary_says() -> None:
    pytest.importorskip("gruut_lang_en")
    reference = timed("we met [colonel PER] today")
    hypothesis = timed("we met colony kernel today", 0, 1, 2, 2.5, 3, 4)
    letters, dictionary = (
        ATENE(entity_model(), phones=source) for source in ("letters", "dictionary")
    )
    assert placed(letters, hypothesis, reference) == [("time", "colony")]
    assert placed(dictionary, hypothesis, reference) == [("time", "kernel")]
    assert letters.count(hypothesis, [reference]) != dictionary.count(hypothesis, [reference])


def test_of_two_names_that_claim_a_word_the_first_has_it() -> None:
    reference = timed("we met [anna PER] [hannah PER] today")
    hypothesis = timed("we met hanna today", 0, 1, 2, 4, 5)
    assert placed(metric(), hypothesis, reference) == [("time", "hanna"), ("lost", "")]
    values = metric().values(metric().count(hypothesis, [reference]))
    assert (values["entities"], values["lost"]) == (2, 1)


def test_times_that_differ_too_much_are_reported() -> None:
    reference = timed("we met [anna PER] today")
    late = timed("we met hanna today", 9, 10, 11, 12, 13)
    judge = metric()
    assert placed(judge, late, reference) == [("alignment", "hanna")]
    remark = "in 1 of 1 recordings the times of hypothesis and reference differ too much"
    assert any(remark in one for one in judge.remarks(judge.count(late, [reference])))
    fine = judge.count(timed("we met hanna today"), [reference])
    assert not any(remark in one for one in judge.remarks(fine))
    assert "apart" not in judge.values(fine)


def test_what_looks_the_same_is_the_same() -> None:
    reference = spoken("we met [zoë PER] today")
    decomposed = Transcript(tuple("we met zoe\u0308 today".split()))
    values = metric().values(metric().count(decomposed, [reference]))
    assert (values["atene"], values["lost"]) == (0, 0)


def test_names_are_the_same_for_all_systems() -> None:
    """A longer alternative does not make another name the longest."""
    reference = Transcript(
        ("a", "b", "c"),
        entities=(Span(0, 1, "PER"), Span(1, 2, "LOC")),
        alternatives=(Span(2, 2, "c d e"),),
    )
    for heard in ("a b c", "a b c d e"):
        told = metric().contributions(Transcript(tuple(heard.split())), reference)
        assert [each.label for each in told if each.level == "name"] == ["PER"]
