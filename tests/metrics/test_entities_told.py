"""What Entities tells besides its values, and the order of these."""

import pytest

from caesura.contracts import Undefined
from caesura.metrics.entities import Entities
from caesura.transcript import Span
from metrics.margins import spoken

REFERENCE = spoken("[it's CONTRACTION] [anna PERSON] of [kodak ORG] on [monday DATE] [acme ORG]")


def told(metric: Entities) -> list[str]:
    return metric.remarks(metric.count(REFERENCE, [REFERENCE]))


@pytest.mark.parametrize(
    ("metric", "label", "rest"),
    [
        (Entities(without=("CONTRACTON",)), "CONTRACTON", "did you mean 'CONTRACTION'?"),
        (Entities(classes=("PERSON", "ORGG")), "ORGG", "did you mean 'ORG'?"),
        (Entities(classes=("PERSON", "org")), "org", "did you mean 'ORG'?"),
        (Entities(without=("LAW",)), "LAW", "(there are ORG, CONTRACTION, DATE, PERSON)"),
    ],
)
def test_classes_that_no_entity_has_are_told(metric: Entities, label: str, rest: str) -> None:
    *_, last = told(metric)
    assert last.startswith(f"no entity in the reference is of class {label} (there are ")
    assert last.endswith(rest)


def test_classes_that_are_there_or_tell_of_spelling_are_no_surprise() -> None:
    assert told(Entities(without=("CONTRACTION", "TWITTER"))) == []
    assert told(Entities(classes=("PERSON", "ORG"))) == []
    inside = REFERENCE.replace(entities=(Span(1, 3, "ORG"), Span(1, 1, "PERSON")))
    metric = Entities(classes=("PERSON", "ORG"))
    assert metric.remarks(metric.count(inside, [inside])) == []


def test_a_class_that_is_not_there_has_no_value_and_a_reason() -> None:
    metric = Entities(classes=("PERSON", "LAW"))
    values = metric.values(metric.count(REFERENCE, [REFERENCE]))
    assert values["ne_wer_LAW"] == Undefined("no entity in the reference is of class LAW")


def test_classes_stand_in_order_whichever_recording_has_them() -> None:
    one, two = spoken("[anna PERSON] of [kodak ORG]"), spoken("[treaty LAW] [anna PERSON]")
    metric = Entities()
    names = list(metric.values(metric.count(one, [one]) + metric.count(two, [two])))
    counts = names[names.index("ne_hits") :]
    labels = [name.removeprefix("ne_words_") for name in counts if name.startswith("ne_words_")]
    assert labels == ["LAW", "ORG", "PERSON"]
    assert counts[4:6] == ["ne_words_LAW", "ne_errors_LAW"]
    assert counts[10:12] == ["entities", "lost"]
    assert not any(name.startswith(("counted_", "left_out_")) for name in names)
