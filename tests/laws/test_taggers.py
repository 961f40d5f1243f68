"""What every registered tagger promises."""

import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core import registry
from caesura.core.protocols import WordTagger
from caesura.core.transcript import Transcript
from caesura.models import store
from caesura.models.card import Card
from caesura.text.normalization.steps import standing
from detectors.toy_tags import tagged_text
from laws.strategies import transcripts

pytest.importorskip("scipy")

STORED = tempfile.TemporaryDirectory()
TAGGERS = [
    "Tagger",
    "Tagger(size=30, cutoff=1, ridge=2)",
    f"Tagged({str(Path(STORED.name, 'toy'))!r})",
]
UNSEEN = [
    tagged_text(8).only(()),
    tagged_text(9, 1).only(()),
    Transcript(()),
    Transcript((".", "so")),
]


@cache
def trained(text: str) -> WordTagger:
    """The tagger with what it can learn from a few made-up recordings."""
    if text.startswith("Tagged"):
        store.save(Path(STORED.name, "toy"), trained("Tagger"), Card())
    return registry.parse("tagger", text).train([tagged_text(seed) for seed in range(3)])


def test_all_registered_taggers_are_held_to_the_laws() -> None:
    assert {text.split("(")[0] for text in TAGGERS} == set(registry.names("tagger"))


@pytest.mark.parametrize("name", TAGGERS, ids=["usual", "small", "stored"])
def test_repr_parses_back(name: str) -> None:
    tagger = registry.parse("tagger", name)
    assert registry.parse("tagger", repr(tagger)) == tagger
    assert trained(name) == tagger
    assert repr(trained(name)) == repr(tagger)


@pytest.mark.parametrize("name", TAGGERS, ids=["usual", "small", "stored"])
@given(st.data())
def test_tags_every_word_of_any_transcript_and_changes_nothing_else(
    name: str, data: st.DataObject
) -> None:
    layers = data.draw(st.sets(st.sampled_from(["start", "mark", "sentences", "tag"])))
    transcript = data.draw(transcripts(layers, smallest=0))
    found = trained(name).tag(transcript)
    assert found.tag is not None
    assert found.replace(tag=None) == transcript.replace(tag=None)
    marks = standing(transcript).tolist()
    assert [tag == "PUNCT" for tag in found.tag] == marks
    assert all(found.tag)


@pytest.mark.parametrize("name", TAGGERS, ids=["usual", "small", "stored"])
def test_many_recordings_at_once_are_tagged_as_one_by_one(name: str) -> None:
    tagger = trained(name)
    assert tagger.tag_all([]) == []
    assert tagger.tag_all(UNSEEN) == [tagger.tag(each) for each in UNSEEN]


@pytest.mark.parametrize("name", TAGGERS, ids=["usual", "small", "stored"])
def test_capitals_and_punctuation_play_no_part(name: str) -> None:
    tagger, given = trained(name), tagged_text(8).only(())
    bare = given.take(~standing(given))
    lower = bare.replace(words=tuple(word.lower() for word in bare.words))
    marked = tagger.tag(given)
    assert tagger.tag(lower).tag == tagger.tag(bare).tag == marked.take(~standing(given)).tag


@pytest.mark.parametrize("name", TAGGERS, ids=["usual", "small", "stored"])
def test_saved_and_loaded_it_says_the_same_bit_by_bit(name: str, tmp_path: Path) -> None:
    teacher = trained(name)
    pupil = store.load(store.save(tmp_path / "model", teacher, Card())).tagger
    assert pupil == teacher
    assert pupil.tag_all(UNSEEN) == teacher.tag_all(UNSEEN)
    for key, array in teacher.state().items():
        assert np.array_equal(pupil.state()[key], array)
