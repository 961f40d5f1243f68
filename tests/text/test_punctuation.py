"""Punctuation glued to words that are given in Python."""

import caesura
from caesura.core.transcript import Origin, Transcript
from caesura.text.punctuation import detach_marks


def test_words_made_in_python_lose_their_marks_as_on_reading() -> None:
    talk = Transcript("So it goes. “We tied it shut,” said Mr. Lee of the U.S.".split())
    found = detach_marks(talk)
    assert found.words == tuple("So it goes We tied it shut said Mr. Lee of the U.S.".split())
    assert found.text == talk.text
    assert found.mark is not None
    assert found.mark[2:8] == (".", "", "", "", ",”", "")
    assert found.opening is not None
    assert found.opening[3] == "“"


def test_tokens_and_transcripts_that_were_read_stay() -> None:
    tokens = Transcript(["It", "goes", ".", "...", "3.5", "'s", "—"])
    assert detach_marks(tokens) is tokens
    read = Transcript(["goes."], origin=Origin("talk.txt"))
    assert detach_marks(read) is read
    marked = Transcript(["goes."], mark=["!"])
    assert detach_marks(marked) is marked
    assert detach_marks(Transcript([])) == Transcript([])


def test_sentences_of_words_given_in_python_end_at_their_marks() -> None:
    talk = Transcript("So it goes. We tied it shut.".split())
    for detector in ("Pause", "en"):
        (found,) = caesura.segment(talk, detector=detector)
        assert [s.text for s in found.iter_sentences()] == ["So it goes.", "We tied it shut."]
    streamed = list(caesura.stream([talk], detector="Pause"))
    assert [sentence.text for sentence in streamed] == ["So it goes.", "We tied it shut."]
    (scores,) = caesura.score(talk.replace(sentences=[(0, 2), (3, 6)]), reference=found).values
    assert scores["f1"] == 1.0
