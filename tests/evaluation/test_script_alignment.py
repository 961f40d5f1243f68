"""Recognised words with the layers of their scripts, from Python."""

import logging
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura
from caesura.core.errors import CaesuraError, LayerError, MismatchError, UnknownName
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Span, Transcript
from caesura.core.values import Counts, Undefined

WORDS = st.lists(st.sampled_from("abcde"), min_size=1, max_size=9)


def script(text: str, **layers: object) -> Transcript:
    """`good morning. hello, you?`: marks, and a sentence with its label after each."""
    pieces = text.split()
    marks = tuple(piece[-1] if piece[-1] in ".?," else "" for piece in pieces)
    ends = np.array([mark in (".", "?") for mark in marks], dtype=np.bool_)
    label = tuple(mark if mark in (".", "?") else "" for mark in marks)
    words = tuple(piece.rstrip(".?,") for piece in pieces)
    made = Transcript(words, mark=marks, sentences=Segmentation(ends, label))
    return made.replace(**layers)


def said(text: str, **layers: object) -> Transcript:
    return Transcript(tuple(text.split())).replace(**layers)


def carried(ours: Transcript, theirs: Transcript, **asked: object) -> caesura.ScriptAlignment:
    (found,) = caesura.align_to_script(ours, script=theirs, **asked)  # type: ignore[arg-type]
    return found


def ends(transcript: Transcript) -> list[int]:
    assert transcript.sentences is not None
    return list(map(int, transcript.sentences.gaps))


def labels(transcript: Transcript) -> tuple[str, ...]:
    assert transcript.sentences is not None
    assert transcript.sentences.label is not None
    return transcript.sentences.label


def test_a_boundary_belongs_to_the_word_before_it() -> None:
    (found,) = caesura.align(said("yes we can"), script=script("Yes. We can."))
    assert ends(found) == [0, 2]
    assert labels(found) == (".", "", ".")


@pytest.mark.parametrize(
    ("recognised", "text", "expected", "marks", "lost"),
    [
        # the word before the boundary is lacking: the nearest kept word before it
        ("a c d", "a b. c d.", [0, 2], [".", "", "."], 0),
        # words that the script lacks come after the boundary
        ("a b um uh c", "a b. c.", [1, 4], [".", "."], 0),
        # two boundaries that fall together
        ("a d", "a. b? d.", [0, 1], [".", "."], 1),
        # no word before the boundary
        ("b c", "a. b c.", [1], ["."], 1),
        # onto the last word
        ("a b", "a b. c.", [1], ["."], 1),
        # what replaces a word is as long as it
        ("in twenty twenty this", "in 2020. This.", [2, 3], [".", "."], 0),
        # commas are labels of gaps that are no boundaries
        ("a b c", "a, b? c.", [1, 2], [",", "?", "."], 0),
        # a boundary is stronger than a comma
        ("a c", "a, b? c.", [0, 1], ["?", "."], 0),
    ],
)
def test_boundaries_and_labels(
    recognised: str, text: str, expected: list[int], marks: list[str], lost: int
) -> None:
    found = carried(said(recognised), script(text))
    assert ends(found.transcript) == expected
    assert [mark for mark in labels(found.transcript) if mark] == [m for m in marks if m]
    assert found.values["lost"] == lost


def test_recognised_words_stay_as_they_are() -> None:
    ours = Transcript(
        ("GOOD", "morning,", "—", "U.S"),
        id="talk",
        start=np.array([0.0, 0.5, 1.0, 1.5]),
        end=np.array([0.4, 0.9, 1.1, 2.0]),
        confidence=np.array([0.9, 0.8, 0.7, 0.6]),
        pause=("", "<sil>", "", ""),
        mark=("", ".", "", "!"),
        sentences=Segmentation.of_gaps(4, [0, 3]),
    )
    found = carried(ours, script("Good morning. U.S. people."))
    assert found.transcript.only(ours.only([]).layers) == ours.only([])
    kept = [name for name in ours.layers if name != "sentences"]
    assert found.transcript.only(kept) == ours.only(kept)
    # The dash has no part in the comparison, and stays with the word before it.
    assert ends(found.transcript) == [2, 3]
    assert found.counts == Counts(words=3, script=4, equal=3, edits=1, boundaries=2, carried=1)


def test_no_normalisation_compares_what_is_written() -> None:
    theirs = script("Good morning. Hello you.")
    assert carried(said("good morning hello you"), theirs).values["matched"] == 1
    assert (
        carried(said("good morning hello you"), theirs, normalize="none").values["matched"] == 0.5
    )
    found = carried(said("good um morning hello you"), theirs, normalize="case+fillers")
    assert found.values["word_error_rate"] == 0
    assert len(found.transcript) == 5
    with pytest.raises(UnknownName, match="no normalisation step is named 'nothing'"):
        carried(said("a"), script("a."), normalize="nothing")


def test_other_layers_are_carried() -> None:
    theirs = script(
        "Ann spoke. Ben left.",
        speaker=("1", "1", "2", "2"),
        entities=(Span(0, 0, "PERSON"), Span(2, 2, "PERSON")),
    )
    ours = said("anne spoke uh ben left", speaker=("x",) * 5)
    found = carried(ours, theirs).transcript
    assert found.speaker == ("1", "1", "1", "2", "2")
    assert found.entities is None
    found = carried(ours, theirs, layers="entities").transcript
    assert found.speaker == ("x",) * 5
    assert found.sentences is None
    assert found.entities == (Span(0, 0, "PERSON"), Span(3, 3, "PERSON"))
    with pytest.raises(LayerError, match="no layer is named 'speakers'"):
        carried(ours, theirs, layers=["speakers"])


def test_a_layer_that_the_script_does_not_have_is_reported(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.INFO, "caesura"):
        found = carried(said("a b", speaker=("x", "y")), script("a b."))
    assert found.transcript.speaker == ("x", "y")
    assert "the script has no speaker: the recordings keep what they have" in caplog.text


def test_a_script_without_sentences_is_refused() -> None:
    with pytest.raises(LayerError, match=r"^talk: the script has no sentences; give one with"):
        carried(said("a b"), said("a b", id="talk"))


def test_texts_with_little_in_common_are_doubted(caplog: pytest.LogCaptureFixture) -> None:
    carried(said("a b c d", id="talk"), script("a w x y."))
    assert not caplog.records
    carried(said("a b c d e", id="talk"), script("a v w x y."))
    assert [record.getMessage() for record in caplog.records] == [
        "talk: only 20% of its words are in the script: is it that of another recording?"
    ]


def test_recordings_are_paired_by_name() -> None:
    ours = [said("a b", id="one"), said("c d", id="two")]
    theirs = [script("c. d.", id="two"), script("a. b.", id="one")]
    found = list(caesura.align(ours, script=theirs))
    assert [(each.id, each.words, ends(each)) for each in found] == [
        ("one", ("a", "b"), [0, 1]),
        ("two", ("c", "d"), [0, 1]),
    ]
    with pytest.raises(MismatchError) as caught:
        list(caesura.align(ours, script=[*theirs, script("e.", id="three")]))
    assert str(caught.value) == (
        "1 recording is not in the recognised files: 'three'; give both sides the same "
        "recordings, paired by name"
    )
    with pytest.raises(MismatchError, match="1 recording is not in the script: 'two'"):
        list(caesura.align(ours, script=theirs[1:]))
    with pytest.raises(MismatchError, match="the script has two recordings named 'one'"):
        list(caesura.align(ours, script=[theirs[1], theirs[1]]))


def test_nothing_has_no_rates() -> None:
    found = carried(Transcript(()), script("a. b."))
    assert ends(found.transcript) == []
    assert found.values == {
        "words": 0,
        "matched": Undefined("no words in the recording"),
        "word_error_rate": 1.0,
        "boundaries": 1,
        "carried": 0,
        "lost": 1,
    }
    empty = Transcript((), sentences=Segmentation.of_gaps(0, []))
    found = carried(said("a b"), empty)
    assert ends(found.transcript) == [1]
    assert found.values["word_error_rate"] == Undefined("no words in the script")


@given(WORDS, st.data())
def test_equal_texts_carry_everything(words: list[str], data: st.DataObject) -> None:
    marks = data.draw(
        st.lists(st.sampled_from(["", ",", ".", "?"]), min_size=len(words), max_size=len(words))
    )
    theirs = script(" ".join(map(str.__add__, words, marks)))
    found = carried(said(" ".join(words)), theirs)
    assert found.transcript.sentences is not None
    assert theirs.sentences is not None
    assert (found.transcript.sentences.boundary == theirs.sentences.boundary).all()
    assert labels(found.transcript) == tuple(marks)
    assert found.values["lost"] == found.values["word_error_rate"] == 0


@given(WORDS, WORDS, st.data())
def test_boundaries_are_carried_or_lost(
    ours: list[str], theirs: list[str], data: st.DataObject
) -> None:
    marks = data.draw(
        st.lists(st.sampled_from(["", "."]), min_size=len(theirs), max_size=len(theirs))
    )
    found = carried(said(" ".join(ours)), script(" ".join(map(str.__add__, theirs, marks))))
    assert found.transcript.words == tuple(ours)
    inside = [end for end in ends(found.transcript) if end < len(ours) - 1]
    assert found.values["carried"] == len(inside)
    assert found.values["boundaries"] == sum(map(bool, marks[:-1]))
    assert 0 <= found.counts["carried"] <= found.counts["boundaries"]


MEASURED = {
    "amazon": (0.863, 0.190, 0.989),
    "google": (0.867, 0.195, 0.979),
    "microsoft": (0.851, 0.202, 0.989),
    "speechmatics": (0.871, 0.193, 0.983),
    "rev-kaldi": (0.866, 0.184, 0.968),
    "rev-espnet": (0.847, 0.183, 0.994),
    "kaldi-librispeech": (0.517, 0.548, 0.992),
}
"""Share of the words with a counterpart, word error rate, share of the boundaries carried."""


@pytest.fixture(scope="module")
def scripts(corpora: Path) -> list[Transcript]:
    return list(caesura.read(corpora / "earnings21" / "references"))


@pytest.mark.parametrize("recogniser", MEASURED)
def test_recognisers_of_earnings_calls(
    corpora: Path, scripts: list[Transcript], recogniser: str
) -> None:
    recordings = list(caesura.read(corpora / "earnings21" / "recognisers" / recogniser))
    found = list(caesura.align_to_script(recordings, script=scripts))
    assert len(found) == 33
    counts = sum((each.counts for each in found), Counts())
    shares = (
        counts["equal"] / counts["words"],
        counts["edits"] / counts["script"],
        counts["carried"] / counts["boundaries"],
    )
    assert shares == pytest.approx(MEASURED[recogniser], abs=0.0006)
    assert counts["boundaries"] == 13942
    assert all(each.transcript.words == r.words for each, r in zip(found, recordings, strict=True))


def test_own_punctuation_agrees_with_the_carried_boundaries(
    corpora: Path, scripts: list[Transcript]
) -> None:
    """A recogniser that punctuates well ends sentences where the script does.

    If gaps in replaced stretches did not go by characters, it would be .723.
    """
    own = list(caesura.read(corpora / "earnings21" / "recognisers" / "speechmatics"))
    moved = list(caesura.align(own, script=scripts))
    f1 = caesura.score(own, reference=[moved], resamples=0).values[0]["f1"]
    assert f1 == pytest.approx(0.728, abs=0.002)


def test_problems_are_of_one_kind(tmp_path: Path) -> None:
    missing = tmp_path / "none.txt"
    with pytest.raises(CaesuraError, match=r"none\.txt"):
        list(caesura.align(said("a"), script=missing))
