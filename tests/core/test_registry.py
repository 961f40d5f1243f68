"""Registered names, settings in brackets, and texts that are neither."""

import sys
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core import registry
from caesura.core.config import Configured
from caesura.core.errors import CaesuraError, UnknownName
from caesura.detectors.column import Column
from caesura.detectors.fusion import Fusion
from caesura.detectors.pause import Pause
from caesura.detectors.tagging.pos_tagger import Tagged, Tagger
from caesura.detectors.window_stream import Lookahead
from caesura.metrics.boundary import Boundary


def test_a_name_alone_has_the_defaults() -> None:
    assert registry.parse("detector", "Pause") == Pause()
    assert registry.parse("metric", " Boundary() ") == Boundary()


def test_an_unknown_kind_is_answered_with_the_kinds() -> None:
    message = "no kind is named 'metrics'; kinds are format, detector, tagger, entity-model, metric"
    kind: Any = "metrics"
    with pytest.raises(UnknownName, match=message):
        registry.parse(kind, "Boundary")
    with pytest.raises(UnknownName, match=message):
        registry.find(kind, "Boundary")


def test_settings_by_name_and_by_position() -> None:
    assert registry.parse("detector", "Pause(0.7)") == Pause(threshold=0.7)
    made = registry.parse("metric", "Boundary(count_end=True, classes=('.', '?'))")
    assert made == Boundary(count_end=True, classes=(".", "?"))


def test_a_setting_may_be_a_registered_object() -> None:
    made = registry.parse("detector", "Lookahead(Pause(threshold=1.0), words=3)")
    assert made == Lookahead(Pause(threshold=1.0), words=3)
    assert registry.parse("detector", repr(made)) == made


def test_a_setting_may_be_a_list_of_registered_objects() -> None:
    made = registry.parse("detector", "Fusion((Pause(evidence=('pause',)), Column('bert')))")
    assert made == Fusion((Pause(evidence=("pause",)), Column("bert")))
    assert registry.parse("detector", repr(made)) == made
    nested = Fusion((made, Lookahead(Fusion((Pause(),), weights=(-0.5,)))), weights=(1e-9, 2.0))
    assert registry.parse("detector", repr(nested)) == nested
    assert registry.parse("detector", "Fusion([Pause, Column('x')])") == Fusion(
        (Pause(), Column("x"))
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Paus", "no detector is named 'Paus'; did you mean 'Pause'?"),
        ("zzzzzz", "no detector is named 'zzzzzz'; known are Pause, "),
        ("Pause(treshold=1)", "Pause has no setting 'treshold'; did you mean 'threshold'?"),
        ("Pause(zzz=1)", "Pause has no setting 'zzz'; it has threshold, evidence"),
        ("Pause(lambda=1)", "Pause has no setting 'lambda'; it has threshold, evidence"),
        ("LM(class = 1)", "LM has no setting 'class'; did you mean 'classes'?"),
        ("Fusion((Pause(), LM(for=1)))", "LM has no setting 'for'; it has order, "),
        ("Pause(None=1)", "Pause has no setting 'None'; it has threshold, evidence"),
        ("Pause(threshold=class)", "is not a detector; write a name"),
        ("Pause(class=", "is not a detector: a bracket is not closed; write a name"),
        ("Pause(1, 2, 3, 4)", "Pause takes at most 3 settings, not 4"),
        ("Pause(1, threshold=2)", "Pause is given 'threshold' twice"),
        ("Pause(threshold=-1)", "Pause: threshold is a number of seconds, not -1"),
        ("Pause(evidence='pause')", "Pause: evidence is a tuple of texts, not 'pause'"),
        ("Pause(threshold=open('x'))", "no detector is named 'open'"),
        ("Pause(threshold=a.b)", "is not a plain value"),
        ("Pause(**{})", "is not a detector; write a name"),
        ("Pause(", "is not a detector: a bracket is not closed; write a name"),
        ("", "is not a detector; write a name"),
        ("Lookahead", "Lookahead needs a setting 'detector'"),
        ("Fusion((Pause, Paus))", "'Paus' in 'Fusion((Pause, Paus))' is not a plain value"),
        ("Fusion((Pause(), open('x')))", "no detector is named 'open'"),
        ("Fusion((*Pause(),))", "'*Pause()' in 'Fusion((*Pause(),))' is not a plain value"),
        ("Fusion({Pause()})", "is not a plain value"),
        ("Fusion(())", "Fusion: detectors is a tuple of detectors, not ()"),
        ("Fusion((Pause(), 3))", "Fusion: detectors is a tuple of detectors"),
        ("Lookahead(3)", "Lookahead: detector is a detector, not 3"),
    ],
)
def test_a_wrong_text_is_an_error_of_one_line(text: str, message: str) -> None:
    with pytest.raises(UnknownName) as caught:
        registry.parse("detector", text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_names_are_unique_over_kinds() -> None:
    every = [name for kind in registry.NAMES for name in registry.names(kind)]
    assert len(set(every)) == len(every)


@dataclass(frozen=True, repr=False)
class Reader(Configured):
    """A metric with settings that are objects of other kinds."""

    tagger: object = None
    others: tuple[object, ...] = ()

    name = "Reader"


def test_settings_may_be_of_another_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    place = f"{Reader.__module__}:{Reader.__name__}"
    monkeypatch.setitem(sys.modules, Reader.__module__, sys.modules[__name__])
    monkeypatch.setitem(registry.NAMES["metric"], "Reader", place)
    made: object = Reader(Tagger(size=7), (Pause(), Tagged("x")))
    text = "Reader(Tagger(size=7), others=(Pause, Tagged('x')))"
    assert made == registry.parse("metric", text)
    assert made == registry.parse("metric", repr(made))


def test_an_object_of_another_kind_is_refused() -> None:
    for text in ("Tagger", "Tagger(size=3)"):
        with pytest.raises(UnknownName, match="Tagger is a tagger, and a detector is wanted"):
            registry.parse("detector", text)
    with pytest.raises(UnknownName, match="Lookahead: detector is a detector, not Tagger"):
        registry.parse("detector", "Lookahead(Tagger)")
    assert registry.learner("Tagger(size=3)") == Tagger(size=3)
    assert registry.learner("Pause(1)") == Pause(1)


@given(st.text(max_size=40))
def test_any_text_is_an_object_or_an_error(text: str) -> None:
    try:
        made = registry.parse("metric", text)
    except CaesuraError as error:
        assert "\n" not in str(error)
    else:
        assert registry.parse("metric", repr(made)) == made


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "WER",
            "no metric is named 'WER'; wer is a value of Words: metric='Words' (--metric Words)",
        ),
        (
            "eter",
            "no metric is named 'eter'; "
            "eter is a value of Entities: metric='Entities' (--metric Entities)",
        ),
        (
            "NE-WER",
            "'NE-WER' is not a metric; "
            "ne_wer is a value of Entities: metric='Entities' (--metric Entities)",
        ),
        ("ATENE_ds()", "atene_ds is a value of ATENE: metric='ATENE' (--metric ATENE)"),
        ("f1", "f1 is a value of Boundary, WiSeBE, "),
        ("f1", ": metric='Boundary' (--metric Boundary), or another of these"),
        ("atene", "did you mean 'ATENE'?"),
        ("Wrods", "did you mean 'Words'?"),
        (
            "Words,Entities",
            "'Words,Entities' is not a metric; give a list of them (--metric once for each)",
        ),
        ("zzz", "no metric is named 'zzz'; known are Boundary, "),
        ("Entities('PERSON')", "classes is a tuple of texts, not 'PERSON': write classes=('PERS"),
    ],
)
def test_an_unknown_metric_gets_a_suggestion(text: str, message: str) -> None:
    with pytest.raises(UnknownName) as caught:
        registry.parse("metric", text)
    assert message in str(caught.value)


def test_the_name_of_a_value_suggests_its_metric() -> None:
    for name in registry.names("metric"):
        found = registry.find("metric", name)
        for value in (*found.best, found.main):
            assert name in registry.value_hint(value.upper())
    assert registry.value_hint("nothing") == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("margins", "did you mean 'Margins'?"),
        ("tagger(rounds=3)", "did you mean 'Tagger'?"),
        ("pausemodel", "did you mean 'PauseModel'?"),
        ("zzz", "no detector, tagger or entity model is named 'zzz'; known are Pause, "),
        ("zzz", ", Tagger, Tagged, Margins"),
        ("Words", "Words is a metric, and a detector is wanted"),
    ],
)
def test_an_unknown_learner_gets_a_suggestion(text: str, message: str) -> None:
    with pytest.raises(UnknownName) as caught:
        registry.learner(text)
    assert message in str(caught.value)
