"""Which classes of entities count, and the names of their values."""

import pytest

from caesura.core.transcript import Span
from caesura.core.values import Undefined
from caesura.metrics.base import split_name
from caesura.metrics.entities import Entities
from metrics.named import measured, text


def test_classes_that_are_there_are_reported_if_none_counts() -> None:
    reference = text("a b c d", (0, 0, "X"), (1, 1, "LEVEL_1"), (2, 3, "X"))
    hypothesis = text("a b c d", (0, 0, "PERSON"))
    reason = "no entity in the reference has a class that counts: there are X, LEVEL_1"
    for metric in (Entities(classes=("PERSON",)), Entities(without=("X", "LEVEL_1"))):
        counts = metric.count(hypothesis, [reference])
        values = metric.values(counts)
        for name in ("ne_wer", "ser", "eter", "strict_recall"):
            assert values[name] == Undefined(reason)
        assert not any(name.startswith("left_out") for name in values)
        assert metric.remarks(counts) == []
    other = measured(hypothesis, reference, metric=Entities(classes=("X",)))
    assert other["ne_wer"] == 0
    assert other["strict_precision"] == Undefined(
        "no entity in the hypothesis has a class that counts"
    )
    many = text("a " * 12, *((i, i, f"C{i:02}") for i in range(12)))
    told = measured(many, many, metric=Entities(classes=("X",)))["ne_wer"]
    assert isinstance(told, Undefined)
    assert told.reason.endswith("C06, C07 and 4 more")


def test_if_only_spellings_are_there_the_way_to_names_is_reported() -> None:
    reference = text("we're off", (0, 0, "CONTRACTION"))
    metric = Entities(classes=("PERSON",))
    (told,) = metric.remarks(metric.count(text("were off"), [reference]))
    assert "--reference-format \"nlp(entities='both')\"" in told
    both = reference.replace(entities=(*(reference.entities or ()), Span(1, 1, "PERSON")))
    assert metric.remarks(metric.count(text("were off"), [both])) == []


def test_classes_that_count() -> None:
    reference = text("a b c", (0, 2, "X"), (1, 1, "Y"))
    hypothesis = text("a d c", (0, 2, "X"), (1, 1, "Y"))
    assert measured(hypothesis, reference)["ne_wer"] == 1 / 3
    only = measured(hypothesis, reference, metric=Entities(classes=("Y", "Z")))
    assert (only["ne_wer"], only["ne_wer_Y"], only["ser"]) == (1, 1, 0)
    assert isinstance(only.pop("ne_wer_Z"), Undefined)
    rest = measured(hypothesis, reference, metric=Entities(without=("X",)))
    alone = measured(text("a d c", (1, 1, "Y")), text("a b c", (1, 1, "Y")))
    assert only == rest == alone


@pytest.mark.parametrize(
    ("label", "stem"),
    [
        ("PERSON", "PERSON"),
        ("A1", "A1"),
        ("A_", "A_"),
        ("", "unnamed"),
        ("1", "1_"),
        ("A_1", "A_1_"),
        ("1_", "1__"),
        ("_2", "_2_"),
        ("A_1_2", "A_1_2_"),
        ("A_٣", "A_٣"),
        ("A\nB", "A\nB"),
    ],
)
def test_any_name_of_a_class_survives_the_number_of_the_reference(label: str, stem: str) -> None:
    reference = text("a b", (0, 0, label))
    values = measured(text("c b"), reference, reference)
    name = f"ne_wer_{stem}"
    assert values[name] == values[f"{name}_1"] == values[f"{name}_2"] == 1
    assert split_name(name) == (name, ())
    assert split_name(f"{name}_2") == (name, (2,))


def test_classes_with_like_names_stay_apart() -> None:
    reference = text("a b c", (0, 0, "1"), (1, 1, "1_"), (2, 2, "1__"))
    values = measured(text("a b d"), reference)
    assert [values[f"ne_wer_1{'_' * more}"] for more in (1, 2, 3)] == [0, 0, 1]
