"""What neural detectors see of a transcript."""

import numpy as np
import pytest

from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.detectors.gaps import marked_words
from caesura.detectors.neural import evidence as ev


def seen(transcript: Transcript) -> ev.Evidence:
    return ev.evidence_of(transcript, marked_words(transcript))


def test_nothing_is_known_of_bare_words() -> None:
    found = seen(Transcript(("so", "it", "goes")))
    assert np.isnan(found.pause).all()
    assert np.isnan(found.length).all()
    for column in found[2:]:
        assert column.tolist() == [ev.UNKNOWN] * 3


def test_pauses_turns_marks_and_case_are_columns() -> None:
    talk = Transcript(
        ("So", "it", "goes", "US", "iPhone"),
        start=np.array([0, 1, 2, 3, 4.0]),
        end=np.array([0.5, 1.5, 2.25, 3.5, 4.5]),
        speaker=("A", "A", "B", "", "B"),
        mark=(",", "", ".", "?”", "--"),
        opening=("", "(", "", "", ""),
    )
    found = seen(talk)
    assert found.pause[:-1].tolist() == [0.5, 0.5, 0.75, 0.5]
    assert np.isnan(found.pause[-1])
    assert found.length.tolist() == pytest.approx([0.5 / 4, 0.5 / 4, 0.25 / 6, 0.5 / 4, 0.5 / 8])
    assert found.turn.tolist() == [1, 2, 0, 0, 0]
    marks = [ev.COMMA, ev.NO_MARK, ev.PERIOD, ev.QUESTION, ev.DASH]
    assert found.mark.tolist() == marks
    assert found.case.tolist() == [ev.CAPITALISED, ev.LOWER, ev.LOWER, ev.UPPER, ev.MIXED]
    assert found.opening.tolist() == [1, 2, 1, 1, 1]


def test_marks_that_open_nothing_are_as_if_there_were_none() -> None:
    """Readers give such a layer as soon as a text has a mark at all; `as_read` gives none."""
    talk = Transcript(("So", "it", "goes"), mark=("", "", "."))
    assert not seen(talk).opening.any()
    assert not seen(talk.replace(opening=("", "", ""))).opening.any()


def test_punctuation_that_is_a_word_is_a_mark_of_the_word_before() -> None:
    talk = Transcript(("so", ",", "it", "goes", "."), start=np.arange(5.0), end=np.arange(5) + 0.5)
    found = seen(talk)
    assert found.mark.tolist() == [ev.COMMA, ev.NO_MARK, ev.PERIOD]
    assert found.pause[:2].tolist() == [1.5, 0.5]


def test_marks_without_any_sentence_end_leave_the_rest_open() -> None:
    found = seen(Transcript(("so", "it", "goes"), mark=(",", "", "")))
    assert found.mark.tolist() == [ev.COMMA, ev.HIDDEN_MARK, ev.HIDDEN_MARK]


def test_text_in_one_case_has_none() -> None:
    assert seen(Transcript(("SO", "IT"))).case.tolist() == [ev.HIDDEN_CASE] * 2
    # Letters and numbers do not show that a text has both cases.
    assert not seen(Transcript(("AT", "10", "A", "M", "IT", "IS", "I"))).case.any()
    assert not seen(Transcript(("at", "10", "A", "m", "I", "go"))).case.any()
    assert seen(Transcript(("So", "it", "goes"))).case.all()


@pytest.mark.parametrize(
    ("word", "case"),
    [
        ("king", ev.LOWER),
        ("King", ev.CAPITALISED),
        ("I", ev.CAPITALISED),
        ("I'm", ev.CAPITALISED),
        ("NASA", ev.UPPER),
        ("NASA's", ev.MIXED),
        ("iPhone", ev.MIXED),
        ("7", ev.LOWER),
    ],
)
def test_case_of_a_word(word: str, case: int) -> None:
    assert ev.case_class(word) == case


@pytest.mark.parametrize(
    ("mark", "found"),
    [
        ("", ev.NO_MARK),
        (" ", ev.NO_MARK),
        ("),", ev.COMMA),
        (".”", ev.PERIOD),
        ("?!", ev.QUESTION),
        (":", ev.COLON),
        (";", ev.COLON),
        ("–", ev.DASH),
        ("-----", ev.RULE),
        (": ******", ev.RULE),
        ("...", ev.ELLIPSIS),
        ("…", ev.ELLIPSIS),
        (":-)", ev.OTHER_MARK),
        (")", ev.OTHER_MARK),
    ],
)
def test_class_of_a_mark(mark: str, found: int) -> None:
    assert ev.mark_class(mark) == found


def test_a_rank_is_the_share_of_shorter_pauses() -> None:
    pauses = np.array([0.0] * 15 + [0.2, 0.4, np.nan, 0.4, 0.6, 0.8])
    ranks = ev.ranks_of(pauses)
    assert ranks[:15].tolist() == [0.0] * 15
    assert ranks[15:].tolist() == pytest.approx([0.75, 0.8, np.nan, 0.8, 0.9, 0.95], nan_ok=True)
    assert np.isnan(ev.ranks_of(pauses[:10])).all()


def test_each_word_is_told_of_the_gaps_before_and_after_it() -> None:
    talk = Transcript(
        ("a", "b", "c"),
        start=np.array([0, 1, 2.0]),
        end=np.array([0.9, 1.0, 2.1]),
        mark=("", ".", ""),
    )
    found = seen(talk)
    columns = ev.columns_of_words(found)
    table = dict(zip(ev.COLUMNS, columns.T.tolist(), strict=True))
    assert table["seconds before"] == [0, *table["seconds"][:-1]]
    assert table["mark before"] == [0, ev.NO_MARK, ev.PERIOD]
    assert table["seconds"][1] > table["seconds"][0] > table["seconds"][2] == ev.UNKNOWN
    for name, cells in table.items():
        assert max(cells) < ev.SIZES[name.removesuffix(" before")]


def test_every_pause_has_a_bin() -> None:
    pauses = np.array([-5, 0, 0.01, 0.3, 4, 1e6, np.nan])
    found = ev.Evidence(pauses, pauses, *np.zeros((4, 7), np.int64))
    bins = ev.columns_of_words(found)[:, 0]
    assert bins.tolist() == [1, 1, 2, 9, len(ev.SECONDS), ev.SIZES["seconds"] - 1, 0]


def test_drawn_out_words_are_known_by_their_rank() -> None:
    lengths = np.append(np.linspace(0.05, 0.1, 30), np.nan)
    found = ev.Evidence(np.full(31, np.nan), lengths, *np.zeros((4, 31), np.int64))
    bins = ev.columns_of_words(found)[:, ev.COLUMNS.index("length")]
    assert bins[-1] == ev.UNKNOWN
    assert (np.diff(bins[:-1]) >= 0).all()
    assert (bins[0], bins[29]) == (1, len(ev.LENGTHS))


def test_targets_of_speech_are_its_marks() -> None:
    talk = Transcript(
        ("a", "b", "c", "d", "e", "f"),
        mark=(",", ".", "", "?", "--", "!"),
        sentences=Segmentation.of_gaps(6, [1, 2, 3, 4, 5]),
    )
    assert ev.targets_of(talk).tolist() == [1, 2, -1, 3, 0, 4]
    assert ev.targets_of(talk, spoken=False).tolist() == [1, 2, 2, 3, 2, 4]


def test_the_dot_of_an_abbreviation_is_no_end() -> None:
    talk = Transcript(("a", "b"), mark=(".", "."), sentences=Segmentation.of_gaps(2, [1]))
    assert ev.targets_of(talk).tolist() == [0, 2]


def test_marks_are_lost_in_long_passages_without_any() -> None:
    marks = [".", *[""] * 10, ",", *[""] * 26, "."]
    found = ev.lost_marks(seen(Transcript(("so",) * len(marks), mark=tuple(marks))))
    assert np.flatnonzero(found).tolist() == list(range(12, 38))
    assert not ev.lost_marks(seen(Transcript(("so",) * 40))).any()


def test_marks_and_capitals_can_be_hidden() -> None:
    talk = Transcript(("So", "it", "goes"), mark=("", "", "."), start=np.arange(3.0))
    bare = seen(talk).without_marks()
    for column in (bare.mark, bare.case, bare.opening):
        assert column.tolist() == [0, 0, 0]
    assert bare.turn.tolist() == seen(talk).turn.tolist()
