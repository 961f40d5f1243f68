"""The detector `Encoder`, with small random weights."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core.errors import ModelError
from caesura.core.transcript import Transcript
from caesura.detectors.decision import Decision
from caesura.detectors.fusion import Fusion
from caesura.detectors.gaps import NO_GAP, marked_words
from caesura.detectors.neural import encoder
from caesura.detectors.neural.encoder import (
    AFTER,
    BEFORE,
    CAPITALISED,
    LIKELY_END,
    LOOKAHEADS,
    LOWER,
    MIXED,
    UPPER,
    Encoder,
    WindowPlace,
    cut_windows,
    word_list,
)
from caesura.detectors.pause import Pause
from caesura.detectors.window_stream import Lookahead, WindowStream
from caesura.ml.neural.wordpiece import MOST_PIECES
from caesura.testing.detector_laws import DETECTOR_LAWS, made_up_recording
from caesura.text.punctuation import SENTENCE_STARTERS
from detectors.small_encoder import SHAPE, small_encoder
from detectors.small_fast_net import small_fast_net

WORDS = Transcript(tuple("so the king is reading it all again".split()))


@pytest.mark.parametrize("law", DETECTOR_LAWS, ids=lambda law: law.__name__)
def test_law(law: Any) -> None:
    law(small_encoder(), 15, 400)


def test_onnxruntime_decides_as_numpy_does() -> None:
    pytest.importorskip("onnxruntime")
    talk = made_up_recording(4, 300)
    ours, theirs = (small_encoder(runtime=name).detect(talk) for name in ("numpy", "onnxruntime"))
    assert theirs.boundary.tolist() == ours.boundary.tolist()
    assert theirs.label == ours.label
    assert theirs.log_odds == pytest.approx(ours.log_odds, abs=1e-4)
    chosen = small_encoder(runtime="auto").detect(talk)
    assert chosen == theirs


def test_without_onnxruntime_numpy_runs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "has_onnxruntime", lambda: False)
    assert small_encoder(runtime="auto").detect(WORDS) == small_encoder().detect(WORDS)
    with pytest.raises(ModelError, match="pip install 'caesura\\[fast\\]'"):
        small_encoder(runtime="onnxruntime").detect(WORDS)


def test_an_onnxruntime_that_is_broken_is_a_warning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(name: str) -> None:
        raise ImportError(f"cannot load {name}")

    monkeypatch.setattr(encoder, "find_spec", lambda name: True)
    monkeypatch.setattr(encoder, "import_module", broken)
    encoder.has_onnxruntime.cache_clear()
    assert small_encoder(runtime="auto").detect(WORDS) == small_encoder().detect(WORDS)
    encoder.has_onnxruntime.cache_clear()
    assert "onnxruntime cannot be imported (cannot load onnxruntime)" in caplog.text


def test_scores_are_log_probabilities() -> None:
    scores = small_encoder().scores(WORDS, marked_words(WORDS))
    assert np.exp(scores.gap).sum(axis=1) == pytest.approx(1, abs=1e-5)
    assert np.exp(scores.case).sum(axis=1) == pytest.approx(1, abs=1e-5)


def test_log_odds_are_of_the_classes_that_end_a_sentence() -> None:
    detector = small_encoder(bias=0.5)
    gap = np.exp(small_encoder().scores(WORDS, marked_words(WORDS)).gap.astype(float))
    expected = np.log(gap[:, 2:].sum(axis=1) / gap[:, :2].sum(axis=1)) + 0.5
    assert detector.log_odds(WORDS) == pytest.approx(expected, abs=1e-4)


def test_the_bias_decides() -> None:
    odds = small_encoder().log_odds(WORDS)
    found = small_encoder(bias=-float(np.median(odds))).detect(WORDS)
    assert found.boundary[:-1].tolist() == (odds > np.median(odds))[:-1].tolist()
    assert found.boundary[-1]


def test_labels_agree_with_the_boundaries() -> None:
    found = small_encoder().detect(made_up_recording(3, 200).replace(mark=None))
    assert found.label is not None
    ends = [label in (".", "?", "!") for label in found.label]
    assert ends[:-1] == found.boundary[:-1].tolist()


def test_punctuation_that_is_a_word_has_no_gap_before_it() -> None:
    text = Transcript(("so", "the", "king", ",", "is", "."))
    found = small_encoder().detect(text)
    assert found.log_odds is not None
    assert (found.log_odds == NO_GAP).tolist() == [False, False, True, False, True, False]


@pytest.mark.parametrize(
    ("word", "case", "written"),
    [
        ("king", LOWER, "king"),
        ("king", CAPITALISED, "King"),
        ("éa", CAPITALISED, "Éa"),
        ("i'm", CAPITALISED, "I'm"),
        ("nasa", UPPER, "NASA"),
        ("iphone", MIXED, "iPhone"),
        ("iphone", CAPITALISED, "iPhone"),
        ("iphone", UPPER, "iPhone"),
        ("iphone", LOWER, "iphone"),
        ("ebay", MIXED, "Ebay"),
        ("maria-laura", MIXED, "Maria-Laura"),
        ("mcdonnell", MIXED, "McDonnell"),
        ("o'brien", MIXED, "O'Brien"),
        ("o'", MIXED, "O'"),
        ("ptcs", MIXED, "PTCs"),
        ("edpr's", MIXED, "EDPR's"),
        ("s", MIXED, "S"),
        ("eBay", LOWER, "eBay"),
        ("7", CAPITALISED, "7"),
    ],
)
def test_words_are_written_in_their_case(word: str, case: int, written: str) -> None:
    assert small_encoder()._written(word, case) == written


def test_each_word_gets_its_written_form() -> None:
    found = small_encoder(seed=5).detect(WORDS).written
    assert found is not None
    assert [word.lower() for word in found] == list(WORDS.words)
    assert any(word != word.lower() for word in found)


@given(st.lists(st.integers(1, MOST_PIECES), min_size=1, max_size=300), st.integers(62, 200))
def test_windows_decide_every_word_once(sizes: list[int], room: int) -> None:
    stops = np.concatenate([[0], np.cumsum(sizes)])
    windows = list(cut_windows(stops, room))
    decided = [word for each in windows for word in range(each.keep, each.keep_stop)]
    assert decided == list(range(len(sizes)))
    for each in windows:
        assert each.first <= each.keep < each.keep_stop <= each.stop
        assert stops[each.stop] - stops[each.first] <= room


def test_windows_overlap_so_that_words_have_others_around_them() -> None:
    stops = np.arange(1001)
    windows = list(cut_windows(stops, 190))
    assert windows[0] == WindowPlace(0, 190, 0, 190 - AFTER)
    first = 190 - AFTER - BEFORE
    assert windows[1] == WindowPlace(first, first + 190, 190 - AFTER, first + 190 - AFTER)


def test_a_stream_decides_by_the_words_it_has() -> None:
    """Each gap is decided from a window that ends `ahead` words after it, by the head for that."""
    talk = made_up_recording(5, 90).replace(sentences=None, head=None, relation=None)
    middle = float(np.median(small_encoder().log_odds(talk)))
    decided = []
    for ahead in LOOKAHEADS:
        detector = small_encoder(ahead=ahead, bias=-middle)
        stream = detector.stream()
        sentences = [each for at in range(len(talk)) for each in stream.push(talk[at : at + 1])]
        sentences += stream.close()
        assert [w for each in sentences for w in each.words] == list(talk.words)
        at_once = detector.stream()
        assert [len(each) for each in [*at_once.push(talk), *at_once.close()]] == [
            len(each) for each in sentences
        ]
        ends = set((np.cumsum([len(each) for each in sentences]) - 1).tolist())
        for gap in range(15, 25):
            alone = detector._segmentation(talk[: gap + ahead + 1], goes_on=True).log_odds
            assert alone is not None
            decided.append(alone[gap] > 0)
            assert (gap in ends) == decided[-1]
    assert 0 < sum(decided) < len(decided)


def test_a_short_look_ahead_keeps_the_words_before() -> None:
    stream = Lookahead(small_encoder(), words=3).stream()
    assert isinstance(stream, WindowStream)
    assert (stream.ahead, stream.behind) == (3, 32)
    plain = Lookahead(Pause(), words=3).stream()
    assert isinstance(plain, WindowStream)
    assert (plain.ahead, plain.behind) == (3, 3)


def test_detectors_around_it_know_that_words_are_missing() -> None:
    detector, talk = small_encoder(), made_up_recording(4, 30)
    (alone,) = detector.detect_unfinished([talk])
    assert alone.log_odds is not None
    assert alone.log_odds.tolist() != detector.log_odds(talk).tolist()
    fused = Fusion((detector, Pause()), weights=(1.0, 0.0))
    for around in (Lookahead(detector, words=3), fused, Decision(detector, longest=500)):
        (found,) = around.detect_unfinished([talk])
        assert found.log_odds is not None
        assert found.log_odds == pytest.approx(alone.log_odds)


def test_the_head_depends_on_how_many_words_follow() -> None:
    detector = small_encoder()
    whole = detector._segmentation(WORDS, goes_on=False).log_odds
    begun = detector._segmentation(WORDS, goes_on=True).log_odds
    assert whole is not None
    assert begun is not None
    assert not np.allclose(whole, begun)


def test_state_gives_the_encoder_back() -> None:
    detector = small_encoder()
    again = Encoder(window=64, layers=2, runtime="numpy").from_state(detector.state())
    assert again.log_odds(WORDS).tobytes() == detector.log_odds(WORDS).tobytes()
    assert again.model.forms == {"iphone": "iPhone"}


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("vocabulary", np.zeros(3, np.int8)),
        ("vocabulary", np.frombuffer(b"a\nb", np.uint8)),
        ("forms", np.frombuffer(b"a b c", np.uint8)),
        ("sizes", np.zeros(3, np.int64)),
        ("sizes", np.zeros(10)),
        ("sizes", np.array([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])),
        ("sizes", np.array(SHAPE._replace(heads=0))),
        ("sizes", np.array(SHAPE._replace(heads=7))),
        ("sizes", np.array(SHAPE._replace(positions=63))),
        ("sizes", np.array(SHAPE._replace(gap_heads=5))),
        ("sizes", np.array(SHAPE._replace(gap_classes=4))),
        ("sizes", np.array(SHAPE._replace(case_classes=3))),
        ("sizes", np.array(SHAPE._replace(layers=10**9))),
        ("norm.weight", np.full(SHAPE.hidden, 3e38, np.float32)),
        ("pieces.weight.scale", np.full(SHAPE.pieces, np.inf, np.float32)),
        ("vocabulary", None),
    ],
)
def test_damaged_state_is_one_clear_error(name: str, array: Any) -> None:
    state: dict[str, Any] = {**small_encoder().state(), name: array}
    with pytest.raises(ModelError, match="train it again"):
        Encoder(window=64, layers=2).from_state({k: v for k, v in state.items() if v is not None})


@pytest.mark.parametrize(
    "settings",
    [
        {"window": 10},
        {"bias": "a"},
        {"steps": 0},
        {"base": 3},
        {"ahead": 4},
        {"runtime": "x"},
    ],
)
def test_settings_are_checked(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(settings))):
        Encoder(**settings)


def test_where_marks_are_lost_those_elsewhere_do_not_count() -> None:
    words = ("so", "the", "king", "is", "reading") * 9
    talk = Transcript(words, mark=("", "", "", "", ".", *[""] * 39, "."))
    marked = marked_words(talk)
    found = small_encoder().scores(talk, marked)
    bare = small_encoder().scores(talk.replace(mark=None), marked_words(talk.replace(mark=None)))
    assert found.gap[6:43].tolist() == bare.gap[6:43].tolist()
    assert found.gap[4].tolist() != bare.gap[4].tolist()


@pytest.mark.parametrize("make", [small_encoder, small_fast_net])
def test_a_text_in_capitals_is_written_as_one_in_lower_case(make: Any) -> None:
    detector, lower = make(), ("so", "the", "iphone", "is", "reading", "it")
    upper = tuple(map(str.upper, lower))
    assert detector.written_words(Transcript(upper)) == detector.written_words(Transcript(lower))
    assert detector.written_words(Transcript((*upper, "now")))[1] == "THE"
    assert detector.written_words(Transcript(("NASA",))) == ("NASA",)


def test_the_first_word_of_a_sentence_is_written_as_it_usually_is() -> None:
    """Its capital may come from a boundary that another detector takes back."""
    state = dict(small_encoder().state())
    state["case.bias"] = np.eye(4, dtype=np.float32)[CAPITALISED] * 500
    state["forms"] = word_list(["ann Ann"])
    detector = small_encoder().from_state(state)
    words = (*made_up_recording(6, 40).words, "ann", "so", "ann")
    usual = float(np.median(detector.log_odds(Transcript(words))[:-1]))
    found = detector.adjusted(bias=LIKELY_END - usual).detect(Transcript(words))
    assert found.log_odds is not None
    assert found.written is not None
    starts = np.append(True, found.log_odds[:-1] > LIKELY_END)
    assert 0 < starts.sum() < len(starts)
    assert found.label is not None
    unmarked = [False, *(label == "" for label in found.label[:-1])]
    pairs = zip(unmarked, words, strict=True)
    assert any(is_free and word in SENTENCE_STARTERS for is_free, word in pairs)
    for at, (word, form) in enumerate(zip(words, found.written, strict=True)):
        # A word that often starts sentences has no capital without any mark before it.
        is_usual = starts[at] or (unmarked[at] and word in SENTENCE_STARTERS)
        assert form == (word if is_usual and word != "ann" else word.title())


def test_words_without_an_end_have_no_times() -> None:
    detector = small_encoder(lone_bias=5.0)
    start = np.arange(len(WORDS), dtype=np.float64)
    unknown = np.full(len(WORDS), np.nan)
    bare = detector.log_odds(WORDS).tolist()
    assert detector.log_odds(WORDS.replace(start=start, end=unknown)).tolist() == bare
    assert detector.log_odds(WORDS.replace(start=start)).tolist() == bare
