"""The pause model against counts kept in dictionaries and probabilities kept as fractions."""

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core.errors import LayerError, ModelError
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.detectors.pause import MODEL_EVIDENCE, PauseModel, Way

NAN = float("nan")


def spoken(
    *pauses: float, ends: tuple[int, ...] | None = (), label: object = None, **layers: object
) -> Transcript:
    """Words of a second each with these pauses between them, and sentence ends after `ends`."""
    start = np.concatenate([[0.0], np.cumsum(np.nan_to_num([1 + pause for pause in pauses]))])
    start += max(0.0, -start.min())  # times are seconds from 0 on, also where words overlap
    end = start + 1
    end[:-1][np.isnan(pauses)] = NAN
    count = len(start)
    sentences = None
    if ends is not None:
        boundary = Segmentation.of_gaps(count, ends).boundary
        sentences = Segmentation(boundary, label)  # type: ignore[arg-type]
    layers = {"start": start, "end": end} | layers
    return Transcript(("w",) * count, sentences=sentences, **layers)  # type: ignore[arg-type]


def odds(model: PauseModel, transcript: Transcript) -> list[float]:
    found: list[float] = model.log_odds(transcript).tolist()
    return found


def test_what_follows_a_word_belongs_to_it() -> None:
    #   a  (1 s)  b  c      the sentence ends after a, where the pause is
    example = spoken(1.0, 0.0, ends=(0,))
    model = PauseModel(evidence=("pause",)).train([example])
    seen = {(p.seconds, p.gaps, p.boundaries) for p in model.curve() if p.gaps}
    assert seen == {(1.0, 1, 1), (0.0, 1, 0)}
    first, second, last = odds(model, example)
    assert first > last > second
    assert last == pytest.approx(0)
    a, b, c = model.emissions(example, "A")
    assert a[1] > a[0]
    assert b[0] > b[1]
    assert c.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("pause", "bin"),
    [
        (-3.0, 0.0),
        (0.0, 0.0),
        (0.0494, 0.0),
        (0.0496, 0.1),
        (0.1499, 0.2),
        (0.149, 0.1),
        (0.3, 0.3),
        (0.1 + 0.2, 0.3),
        (1.949, 1.9),
        (1.95, 2.0),
        (500.0, 2.0),
        (NAN, None),
    ],
)
def test_pauses_fall_into_the_nearest_bin(pause: float, bin: float | None) -> None:
    model = PauseModel(evidence=("pause",)).train([spoken(pause)])
    assert [p.seconds for p in model.curve() if p.gaps] == [bin]


def test_other_steps() -> None:
    model = PauseModel(step=0.07, longest=0.2).train([spoken(0.104, 0.105, 0.2, 9.0)])
    assert [(p.seconds, p.gaps) for p in model.curve()] == [
        (0.0, 0),
        (0.07, 1),
        (0.14, 1),
        (0.21, 2),
        (None, 0),
    ]


CELLS = st.tuples(
    st.sampled_from([NAN, -0.2, 0.0, 0.1, 0.3, 2.5]),
    st.sampled_from(["", "<sil>", "<s>"]),
    st.sampled_from(["", "A", "B"]),
    st.sampled_from(["", ".", "?"]),
)


@st.composite
def recordings(draw: st.DrawFn) -> Transcript:
    """Draw a recording with labelled sentences and some of the evidence."""
    cells = draw(st.lists(CELLS, min_size=1, max_size=12))
    pauses, markers, speakers, labels = zip(*cells, strict=True)
    gaps = tuple(at for at, mark in enumerate(labels) if mark)
    whole = spoken(*pauses[:-1], ends=gaps, label=labels, pause=markers, speaker=speakers)
    kept = draw(st.sets(st.sampled_from(MODEL_EVIDENCE)))
    names = {"pause": ["start", "end"], "marker": ["pause"], "speaker": ["speaker"]}
    return whole.only(["sentences", *(layer for name in kept for layer in names[name])])


def has(transcript: Transcript) -> list[str]:
    layers = {"pause": "start", "marker": "pause", "speaker": "speaker"}
    return [name for name, layer in layers.items() if getattr(transcript, layer) is not None]


def feature(transcript: Transcript, at: int, names: list[str], markers: set[str]) -> object:
    """Return the value of f after word `at`."""
    told: list[object] = []
    if "pause" in names:
        pause = float(transcript.pauses()[at])
        told.append("?" if pause != pause else min(max(round(pause * 10), 0), 20))
    if "marker" in names and transcript.pause is not None:
        told.append(transcript.pause[at] if transcript.pause[at] in markers else "")
    if "speaker" in names and transcript.speaker is not None:
        now, then = transcript.speaker[at : at + 2]
        told.append("?" if not now or not then else now == then)
    return tuple(told)


def oracle(
    training: list[Transcript], asked: Transcript, classes: tuple[str, ...]
) -> list[list[tuple[Fraction, Fraction]]]:
    """p(f | e) and p(e | f) of each word and class, with `smooth` 1."""
    markers = {m for one in training for m in (one.pause or ())[:-1]}
    sizes = {"pause": 22, "marker": len(markers | {""}), "speaker": 3}
    width = max(len(classes), 1) + 1

    def counted(names: list[str]) -> Counter[tuple[object, int]]:
        seen: Counter[tuple[object, int]] = Counter()
        for one in training:
            assert one.sentences is not None
            assert one.sentences.label is not None
            for at, label in enumerate(
                one.sentences.label[:-1] if set(names) <= set(has(one)) else ()
            ):
                e = classes.index(label) + 1 if label in classes else int(label != "")
                seen[feature(one, at, names, markers), e] += 1
        return seen

    def rows(names: list[str], f: object) -> list[tuple[Fraction, Fraction]]:
        seen = counted(names)
        kinds = int(np.prod([sizes[name] for name in names]))
        by_class = [sum(n for (_, c), n in seen.items() if c == e) for e in range(width)]
        share = [Fraction(n + 1, sum(by_class) + width) for n in by_class]
        here = sum(seen[f, e] for e in range(width))
        return [
            (
                (seen[f, e] + share[e]) / (by_class[e] + kinds * share[e]),
                (seen[f, e] + share[e]) / (here + 1),
            )
            for e in range(width)
        ]

    ways = [["pause", "marker", "speaker"], ["pause", "marker"], ["pause", "speaker"]]
    ways += [["marker", "speaker"], ["pause"], ["marker"], ["speaker"], []]
    names = next((n for n in ways if set(n) <= set(has(asked)) and counted(n)), [])
    known = [rows(names, feature(asked, at, names, markers)) for at in range(len(asked) - 1)]
    return [*known, rows([], ())]


@pytest.mark.parametrize("classes", [(), (".", "?"), ("?",)])
@given(training=st.lists(recordings(), min_size=1, max_size=4), asked=recordings())
def test_equals_exact_fractions(
    classes: tuple[str, ...], training: list[Transcript], asked: Transcript
) -> None:
    model = PauseModel(classes=classes, timed=0).train(training)
    expected = oracle(training, asked, classes)
    for way, at in (("A", 0), ("B", 1)):
        exact = [[float(cell[at]) for cell in row] for row in expected]
        np.testing.assert_allclose(np.exp(model.emissions(asked, way)), exact, rtol=1e-12)  # type: ignore[arg-type]
    none = [row[0][1] for row in expected]
    exact_odds = [float(np.log(float((1 - p) / p))) for p in none]
    np.testing.assert_allclose(odds(model, asked), exact_odds, rtol=1e-9, atol=1e-12)


@given(st.data())
def test_both_distributions_sum_to_one_whatever_was_counted(data: st.DataObject) -> None:
    smooth = data.draw(st.floats(1e-9, 1e9))
    model = PauseModel(longest=0.2, evidence=("pause",), classes=("a", "b"), smooth=smooth)
    few = st.lists(st.integers(0, 10**6), min_size=3, max_size=3)
    table = np.array(data.draw(st.lists(few, min_size=4, max_size=4)))
    table[data.draw(st.integers(0, 3)), 1] += 1
    whole = table.sum(axis=0, keepdims=True)
    known = model.from_state({"markers": BYTES, "counts": whole, "counts.pause": table})
    every = spoken(0.0, 0.1, 0.2, NAN)
    a, b = (np.exp(known.emissions(every, way)[:-1]) for way in ways())
    assert (a > 0).all()
    assert (b > 0).all()
    assert a.sum(axis=0) == pytest.approx(1)
    assert b.sum(axis=1) == pytest.approx(1)
    assert np.isfinite(known.log_odds(every)).all()


BYTES = np.frombuffer(b"[]", np.uint8)


def ways() -> tuple[Way, Way]:
    return "A", "B"


TRAINING = [
    spoken(1.0, 0.0, 0.5, 0.0, NAN, ends=(0, 2), speaker=("A", "B", "B", "B", "", "")),
    spoken(0.0, 0.7, 0.0, ends=(1,), pause=("", "<s>", "<sil>", "</s>")),
]


def test_a_value_never_seen_favours_no_class() -> None:
    example = spoken(*[0.0] * 950, *[1.0] * 50, ends=tuple(range(950, 1000)))
    model = PauseModel(evidence=("pause",), timed=0).train([example])
    none, boundary = model.emissions(spoken(0.5), "A")[0]
    assert none == pytest.approx(boundary, abs=0.02)
    assert odds(model, spoken(0.5)) == pytest.approx([np.log(50 / 950)] * 2, abs=0.02)


def test_an_unknown_pause_is_not_a_short_one() -> None:
    model = PauseModel(evidence=("pause",), timed=0).train(
        [spoken(0, 0, 0, NAN, NAN, 1, ends=(3, 4, 5))]
    )
    unknown, none, _ = odds(model, spoken(NAN, 0.0))
    assert unknown > 0 > none


def test_overlapping_speakers_leave_no_pause() -> None:
    model = PauseModel(evidence=("pause",)).train(TRAINING)
    overlap = spoken(-5.0, 0.0)
    assert odds(model, overlap)[0] == odds(model, overlap)[1]


def test_missing_layers_give_no_evidence() -> None:
    model = PauseModel().train(TRAINING)
    bare = Transcript(("a", "b", "c"))
    assert model.emissions(bare, "A").tolist() == [[0, 0]] * 3
    assert np.exp(model.emissions(bare, "B")).sum(axis=1) == pytest.approx(1)
    assert len(set(odds(model, bare))) == 1
    timed = spoken(1.0, 0.0)
    alone = PauseModel(evidence=("pause",)).train(TRAINING)
    assert odds(model, timed) == odds(alone, timed)


def test_a_layer_that_training_never_had_is_left_out() -> None:
    model = PauseModel().train([TRAINING[0].replace(speaker=None)])
    marked = spoken(1.0, 0.0, pause=("<sil>", "", ""), speaker=("A", "B", "B"))
    assert odds(model, marked) == odds(model, marked.only(["start", "end"]))


def test_a_marker_never_seen_counts_as_none() -> None:
    model = PauseModel().train(TRAINING)
    strange = spoken(0.7, pause=("<breath>", ""))
    assert odds(model, strange) == odds(model, spoken(0.7, pause=("", "")))
    assert odds(model, strange) != odds(model, spoken(0.7, pause=("<s>", "")))


def test_the_gap_after_the_last_word_is_neither_counted_nor_scored() -> None:
    model = PauseModel().train(TRAINING)
    assert "</s>" not in {point.marker for point in model.curve()}
    (end,) = odds(model, spoken(pause=("<s>",), speaker=("A",)))
    assert end == odds(model, Transcript(("a",)))[0]


def test_one_word_and_no_word() -> None:
    model = PauseModel().train([*TRAINING, Transcript((), sentences=Segmentation.of_gaps(0, []))])
    assert model.detect(spoken()).gaps.tolist() == [0]
    assert model.emissions(Transcript(()), "B").shape == (0, 2)
    assert model.detect(Transcript(())).gaps.tolist() == []
    untaught = PauseModel().train([spoken()])
    assert odds(untaught, spoken(1.0)) == pytest.approx([0, 0])


def test_classes_are_distinguished() -> None:
    example = spoken(1, 0, 0.5, 0, 1, 0, ends=(0, 2, 4), label=(".", "", "?", "", ".", "!", "."))
    model = PauseModel(classes=(".", "?"), smooth=0.01).train([example])
    found = model.detect(spoken(0.5, 0.0, 1.0))
    assert found.label == ("?", "", ".", ".")
    assert found.gaps.tolist() == [0, 2, 3]
    assert PauseModel().train([example]).label(example) is None


def test_a_comma_ends_no_sentence() -> None:
    marks = (",", "", "", ".")
    example = spoken(1, 0, 0.5, ends=(2,), mark=marks, label=("", "", ".", "."))
    model = PauseModel(classes=(".", ","), smooth=0.01).train([example])
    found = model.detect(spoken(0.5, 0.0, 1.0))
    assert found.label == (".", "", ",", ".")
    assert found.gaps.tolist() == [0, 3]


def test_scattered_times_are_not_used_in_training() -> None:
    sparse = spoken(1.0, NAN, NAN, 1.0, NAN, NAN, ends=(0, 3))
    assert sparse.end is not None
    assert 0.1 < np.mean(~np.isnan(sparse.end)) < 0.8
    curve = PauseModel(evidence=("pause",)).train([*TRAINING, sparse]).curve()
    assert curve == PauseModel(evidence=("pause",)).train(TRAINING).curve()
    curve = PauseModel(evidence=("pause",), timed=0.1).train([*TRAINING, sparse]).curve()
    assert sum(p.gaps for p in curve if p.seconds == 1.0) >= 2


def test_bias_and_smoothing_need_no_new_training() -> None:
    model = PauseModel().train(TRAINING)
    asked = spoken(1.0, 0.0)
    assert odds(model.adjusted(bias=2.5), asked) == [odd + 2.5 for odd in odds(model, asked)]
    assert model.adjusted(smooth=9.0).curve() == PauseModel(smooth=9.0).train(TRAINING).curve()
    assert model.retrain_settings == {"step", "longest", "timed", "evidence", "classes"}


def test_only_recordings_with_sentences_are_used_in_training() -> None:
    without = spoken(1.0, ends=None)
    assert PauseModel().train([*TRAINING, without]).curve() == PauseModel().train(TRAINING).curve()
    with pytest.raises(LayerError, match="none of 1 recordings has sentences; train on"):
        PauseModel().train([without])

    with pytest.raises(ModelError, match="PauseModel has to be trained"):
        PauseModel().detect(without)


@pytest.mark.parametrize(
    ("evidence", "lacking"),
    [
        (MODEL_EVIDENCE, "no word times and no pause markers and no speakers to go by"),
        (("speaker",), "no speakers to go by"),
    ],
)
def test_missing_evidence_is_reported(evidence: tuple[str, ...], lacking: str) -> None:
    model = PauseModel(evidence=evidence).train(TRAINING)
    assert model.lacks(Transcript(("a", "b"))) == lacking
    assert model.lacks(Transcript(("a",))) == ""
    assert model.lacks(Transcript(("a", "b"), speaker=("A", "B"))) == ""
    assert bool(model.lacks(spoken(1.0))) == ("pause" not in evidence)
    assert model.lacks(spoken(NAN, NAN)) == lacking


@pytest.mark.parametrize(
    "settings",
    [
        {"step": 0},
        {"step": 0.0001},
        {"step": True},
        {"step": NAN},
        {"longest": 0.05},
        {"longest": 1e9},
        {"smooth": 0},
        {"bias": float("inf")},
        {"evidence": ("marks",)},
        {"classes": (".", ".")},
        {"classes": ("",)},
        {"classes": "."},
    ],
)
def test_settings_are_checked(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(settings))):
        PauseModel(**settings)
    with pytest.raises(ValueError, match="way is 'A' or 'B'"):
        PauseModel().train(TRAINING).emissions(TRAINING[0], "C")  # type: ignore[arg-type]


def test_saved_counts_give_equal_log_odds() -> None:
    odd = TRAINING[1].replace(pause=("", "a\nb", "\ud800", ""))
    model = PauseModel().train([*TRAINING, odd])
    again = PauseModel().from_state({name: array.copy() for name, array in model.state().items()})
    assert again.curve() == model.curve()
    assert {"a\nb", "\ud800", "<s>"} <= {point.marker for point in again.curve()}
    for asked in (*TRAINING, odd, Transcript(("a",))):
        assert again.log_odds(asked).tobytes() == model.log_odds(asked).tobytes()


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("counts.pause", None),
        ("counts.pause", np.zeros((22, 2))),
        ("counts.pause", np.zeros((22, 3), np.int64)),
        ("counts.pause", np.zeros(44, np.int64)),
        ("counts.pause", np.full((22, 2), -1)),
        ("counts.pause", np.full((22, 2), 1 << 60)),
        ("counts.pause", np.full((22, 2), 1)),
        ("counts", np.zeros((1, 2), np.int64)),
        ("strange", np.zeros(1)),
        ("markers", np.zeros(3)),
        ("markers", np.frombuffer(b"\xff\xff", np.uint8)),
        ("markers", np.frombuffer(b"[" * 99_999, np.uint8)),
        ("markers", np.frombuffer(b'{"<s>": 1}', np.uint8)),
        ("markers", np.frombuffer(b'["<s>", 1]', np.uint8)),
        ("markers", np.frombuffer(b'["<sil>", "<s>"]', np.uint8)),
        ("markers", np.frombuffer(b'["<s>", "<s>"]', np.uint8)),
        ("markers", np.frombuffer(b'["<s>", "<sil>", "<x>"]', np.uint8)),
        ("markers", np.frombuffer(b'["", "<s>"]', np.uint8)),
    ],
)
def test_damaged_arrays_are_refused(name: str, array: Any) -> None:
    state = dict(PauseModel().train(TRAINING).state())
    state[name] = array
    if array is None:
        del state[name]
    with pytest.raises(ModelError, match="does not fit the settings of PauseModel"):
        PauseModel().from_state(state)


def test_arrays_of_other_settings_are_refused() -> None:
    state = PauseModel().train(TRAINING).state()
    for other in (PauseModel(step=0.2), PauseModel(classes=(".", "?"))):
        with pytest.raises(ModelError, match="not int64"):
            other.from_state(state)
    with pytest.raises(ModelError, match="it has the arrays"):
        PauseModel(evidence=("pause",)).from_state(state)
