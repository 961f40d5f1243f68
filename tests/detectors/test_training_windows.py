"""Windows to train on: what they show, hide and alter."""

from dataclasses import replace

import numpy as np
import pytest

from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.detectors.neural import evidence as ev
from caesura.detectors.neural.encoder import ENOUGH, LOOKAHEADS
from caesura.detectors.neural.mishearing import Mishearing
from caesura.detectors.neural.training_windows import (
    IGNORED,
    Hiding,
    Lexicon,
    PieceTable,
    Sampler,
    Source,
    Window,
    compile_source,
    moved_targets,
)
from caesura.ml.neural.wordpiece import BEGIN, END, SPECIAL
from caesura.testing.detector_laws import made_up_recording
from detectors.small_encoder import PIECES

TALKS = [made_up_recording(seed, 150) for seed in range(4)]
EVERYTHING = Hiding(
    confused=0,
    pauses=1,
    turns=1,
    marks=1,
    some_marks=0,
    case_with_marks=1,
    altered_pauses=0,
    lengths=1,
    line_turns=1,
)
NOTHING = Hiding(
    confused=0,
    pauses=0,
    drawn_pauses=0,
    turns=0,
    marks=0,
    some_marks=0,
    case_without_marks=0,
    line_turns=0,
)


LEXICON = Lexicon()


def source(talks: list[Transcript], name: str = "talks") -> Source:
    return compile_source(name, 1.0, talks, LEXICON)


def sampler(
    sources: list[Source],
    hiding: Hiding | None = None,
    mishearing: Mishearing | None = None,
    length: int = 80,
    seed: int = 7,
) -> Sampler:
    return Sampler(sources, LEXICON, PIECES, length, seed, hiding, mishearing)


def windows(hiding: Hiding, count: int = 40, talks: list[Transcript] = TALKS) -> list[Window]:
    drawn = sampler([source(talks)], hiding)
    return [drawn.window(number) for number in range(count)]


def test_a_source_has_all_words_of_all_recordings() -> None:
    found = source(TALKS)
    assert found.first.tolist() == [0, 150, 300, 450, 600]
    words = [word.lower() for talk in TALKS for word in talk.words]
    assert [LEXICON.words[number] for number in found.words.tolist()] == words


def test_words_have_the_pieces_of_the_vocabulary() -> None:
    words = ["so", "king", "the", "ing"]
    table = PieceTable(words, PIECES)
    pieces, starts = table.pieces_of(np.array([1, 0, 1, 2]))
    wanted = [PIECES.split(words[number]) for number in (1, 0, 1, 2)]
    assert pieces.tolist() == [number for word in wanted for number in word]
    assert starts.tolist() == np.cumsum([0, *map(len, wanted[:-1])]).tolist()


def test_a_window_depends_on_the_seed_and_its_number_alone() -> None:
    first, again = windows(Hiding()), windows(Hiding())
    for one, other in zip(first, again, strict=True):
        for column, same in zip(one, other, strict=True):
            assert column.tolist() == same.tolist()
    other_seed = sampler([source(TALKS)], Hiding(), seed=8).window(0)
    assert other_seed.pieces.tolist() != first[0].pieces.tolist()


def test_windows_are_parts_of_recordings() -> None:
    pieces = [PIECES.split(word) for talk in TALKS for word in talk.words]
    text = " ".join(str(number) for word in pieces for number in word)
    for window in windows(Hiding(confused=0)):
        assert window.pieces[0] == SPECIAL.index(BEGIN)
        assert len(window.pieces) <= 80
        own = window.pieces[1:]
        if own[-1] == SPECIAL.index(END):
            own = own[:-1]
            assert window.target[-1] == IGNORED
            assert (window.head == len(LOOKAHEADS)).all()
        assert " ".join(map(str, own.tolist())) in text
        assert len({len(column) for column in window[1:]}) == 1
        spelt = [PIECES.split(LEXICON.words[number]) for number in window.words.tolist()]
        assert own.tolist() == [number for word in spelt for number in word]
        assert (np.diff(window.word_at) > 0).all()


def test_heads_are_those_for_the_words_that_follow() -> None:
    long = [w for w in windows(Hiding()) if len(w.head) > 20 and w.pieces[-1] != SPECIAL.index(END)]
    assert long
    for window in long:
        left = range(len(window.head) - 1, -1, -1)
        for words, head in zip(left, window.head.tolist(), strict=True):
            if words >= ENOUGH:
                assert head == len(LOOKAHEADS)
            else:
                assert LOOKAHEADS[head] <= words
                assert head + 1 == len(LOOKAHEADS) or words < LOOKAHEADS[head + 1]


def test_everything_can_be_shown_and_hidden() -> None:
    columns = np.concatenate([window.columns for window in windows(NOTHING)])
    assert (columns == ev.UNKNOWN).all()
    shown = np.concatenate([window.columns for window in windows(EVERYTHING)])
    table = dict(zip(ev.COLUMNS, shown.T, strict=True))
    for name in ("seconds", "rank", "length", "turn", "mark"):
        assert (table[name] != ev.UNKNOWN).mean() > 0.8, name


def test_some_marks_are_lost() -> None:
    some = replace(EVERYTHING, marks=0, some_marks=1)
    found = np.concatenate([window.columns for window in windows(some)])
    marks = found[:, ev.COLUMNS.index("mark")]
    targets = np.concatenate([window.target for window in windows(some)])
    ends = targets == 2
    assert 0.2 < (marks[ends] == ev.NO_MARK).mean() < 0.8
    assert (marks[ends] == ev.PERIOD).any()


def test_text_gets_pauses_of_speech_at_gaps_of_the_same_class() -> None:
    bare = [talk.replace(start=None, end=None) for talk in TALKS]
    hiding = replace(NOTHING, drawn_pauses=1)
    drawn = sampler([source(TALKS), replace(source(bare), weight=1e9)], hiding)
    found = [drawn.window(number) for number in range(40)]
    seconds = np.concatenate([w.columns[:, ev.COLUMNS.index("seconds")] for w in found])
    targets = np.concatenate([w.target for w in found])
    assert (seconds != ev.UNKNOWN).mean() > 0.9
    assert seconds[targets == 2].mean() > seconds[targets == 0].mean() + 1


def test_written_text_is_shown_with_its_marks_more_often() -> None:
    hiding = replace(NOTHING, written_marks=1)
    spoken, written = (
        sampler([compile_source("talks", 1.0, TALKS, LEXICON, is_spoken=spoken)], hiding).window(1)
        for spoken in (True, False)
    )
    column = ev.COLUMNS.index("mark")
    assert (spoken.columns[:, column] == ev.HIDDEN_MARK).all()
    assert (written.columns[:, column] != ev.HIDDEN_MARK).all()


def test_punctuation_that_is_a_word_is_no_word_of_a_source() -> None:
    talk = Transcript(
        ("so", ",", "it", "goes", "."),
        start=np.arange(5.0),
        end=np.arange(5) + 0.5,
        sentences=Segmentation.of_gaps(5, [4]),
    )
    found = source([talk, talk])
    assert found.first.tolist() == [0, 3, 6]
    for column in (found.words, found.target, found.case, *found.evidence):
        assert len(column) == 6
    assert found.evidence.pause[[0, 3]].tolist() == [1.5, 1.5]


def test_sources_are_drawn_by_their_weight() -> None:
    first = source([Transcript(("so",) * 60)], "a")
    second = replace(source([Transcript(("the",) * 60)], "b"), weight=3.0)
    by_weight = sampler([first, second], length=40)
    drawn = [int(by_weight.window(number).pieces[1]) for number in range(400)]
    share = np.mean(np.array(drawn) == PIECES.split("the")[0])
    assert share == pytest.approx(0.75, abs=0.08)


def test_some_words_are_misheard() -> None:
    found = windows(replace(EVERYTHING, confused=1))
    same = windows(EVERYTHING)
    assert any(len(one.target) < len(other.target) for one, other in zip(found, same, strict=True))
    for window in found:
        assert len(window.pieces) <= 80
        assert len({len(column) for column in window[1:]}) == 1


def test_what_was_heard_fits_into_the_window() -> None:
    long = Mishearing(
        words=("abcdefgh",),
        told=tuple({word.lower() for talk in TALKS for word in talk.words}),
        first=np.arange(len({word.lower() for talk in TALKS for word in talk.words}) + 1),
        outcome=np.zeros(1000, np.int64),
        error=np.full(1000, 0.9),
        insertion=0.2,
        inserted=np.zeros(1, np.int64),
    )
    drawn = sampler([source(TALKS)], replace(EVERYTHING, confused=1), long)
    for number in range(40):
        window = drawn.window(number)
        assert len(window.pieces) <= 80
        assert len({len(column) for column in window[1:]}) == 1
        assert window.word_at[-1] < len(window.pieces)


def test_what_was_recognised_is_not_misheard_again() -> None:
    hiding = replace(EVERYTHING, confused=1)
    plain = sampler([source(TALKS)], EVERYTHING)
    recognised = sampler([replace(source(TALKS), is_recognised=True)], hiding)
    for number in range(20):
        pieces = recognised.window(number).pieces.tolist()
        assert pieces == plain.window(number).pieces.tolist()


def test_the_mark_of_a_lost_word_goes_to_the_word_before() -> None:
    target = np.array([0, 2, 1, 0, IGNORED, 3])
    none = np.zeros(3, np.bool_)
    assert moved_targets(target, np.array([0, 2, 3]), none).tolist() == [2, 1, 3]


def test_the_mark_before_an_inserted_word_goes_to_that_word() -> None:
    place, inserted = np.array([0, 0, 1, 1]), np.array([False, True, False, True])
    assert moved_targets(np.array([2, 3]), place, inserted).tolist() == [0, 2, 0, 3]
