"""The tagger, against a slow one written out, and against damage."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import caesura
from caesura.core.errors import CaesuraError, LayerError, ModelError
from caesura.core.protocols import WordTagger
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Span, Transcript
from caesura.detectors.tagging import tag_features, tagger
from caesura.detectors.tagging.stored_tagger import Tagged
from caesura.detectors.tagging.tag_weights import joined
from caesura.detectors.tagging.tagger import Tagger
from caesura.models import store
from caesura.models.card import Card
from caesura.text.vocabulary import hashed
from caesura.training.tasks import accuracy
from detectors.toy import lesson

pytest.importorskip("scipy")

ALL = (1 << 64) - 1


@pytest.fixture(scope="module")
def taught() -> Tagger:
    return Tagger(cutoff=1).train([lesson(seed) for seed in range(4)])


def mixed(number: int) -> int:
    """SplitMix64 on one number."""
    number = (number + 0x9E3779B97F4A7C15) & ALL
    number = ((number ^ (number >> 30)) * 0xBF58476D1CE4E5B9) & ALL
    number = ((number ^ (number >> 27)) * 0x94D049BB133111EB) & ALL
    return number ^ (number >> 31)


def clue(words: list[str], tags: list[int], kind: int, at: int) -> int:
    """What is seen at one place; 0 if there is nothing to be seen."""
    inside = 0 <= at < len(words)
    if kind == tag_features.TAG:
        return tags[at] + 1 if inside else 1
    word = words[at] if inside else ""
    if kind == tag_features.WORD:
        return hashed(word if inside else "\n")
    if not inside:
        return 0
    if kind == tag_features.SHAPE:
        kinds = {"0" if c.isdigit() else "a" if c.isalpha() else c for c in word}
        return hashed("".join(sorted(kinds)) + f" {min(len(word), 3)}")
    size = (kind - 1) % 4 + 1
    if len(word) <= size:
        return 0
    return hashed(word[:size] if kind < tag_features.SUFFIX else word[-size:])


def slow(tagger: Tagger, words: list[str]) -> list[str]:
    """Tag words one after another from a dictionary of weights."""
    model = tagger.model
    rows = zip(model.keys.tolist(), model.weights.tolist(), model.scales.tolist(), strict=True)
    known = {key: np.array(steps, np.float64) * scale for key, steps, scale in rows}
    scores = [np.zeros(len(model.tags)) for _ in words]
    tags: list[int] = []
    for templates in (tag_features.FIRST, tag_features.SECOND):
        for at in range(len(words)):
            for template in templates:
                key = mixed(tag_features.NUMBERS[template])
                seen = [clue(words, tags, kind, at + place) for kind, place in template]
                for each in seen:
                    key = mixed(key ^ each)
                if all(seen):
                    scores[at] = scores[at] + known.get(key >> 32, 0.0)
        tags = [int(s.argmax()) + 1 for s in scores]
    return [model.tags[tag - 1] for tag in tags]


def test_says_the_same_as_a_slow_one(taught: Tagger) -> None:
    for seed in (11, 12):
        given = tagger._spoken(lesson(seed))
        words = list(tagger.spelt(given.words))
        assert list(taught.tag(given).tag or ()) == slow(taught, words)
    odd = "the walk will walk 7 x-ray's ly zzz ness 12 the will".split()
    assert list(taught.tag(Transcript(tuple(odd))).tag or ()) == slow(
        taught, list(tagger.spelt(odd))
    )


def test_learns_words_endings_and_neighbours(taught: Tagger) -> None:
    unseen = lesson(99)
    assert accuracy([taught.tag(unseen)], [unseen]) == 1.0
    words = ("the", "walk", "will", "walk", "qqqly", "77", "qqqness")
    expected = ("DET", "NOUN", "AUX", "VERB", "ADV", "NUM", "NOUN")
    assert taught.tag(Transcript(words)).tag == expected


def test_punctuation_is_neither_learnt_nor_tagged_by_guess(taught: Tagger) -> None:
    assert "PUNCT" not in taught.model.tags
    found = taught.tag(Transcript(("#", "cat", "."), tag=("PUNCT", "X", "X")))
    assert found.tag is not None
    assert (found.tag[0], found.tag[2]) == ("PUNCT", "PUNCT")
    assert found.tag[1] != "X"


def test_no_more_clues_than_asked_for_and_unknown_tags_teach_nothing() -> None:
    given = lesson(1)
    assert given.tag is not None
    holes = given.replace(tag=tuple("" if t == "ADV" else t for t in given.tag))
    small = Tagger(size=20).train([holes])
    assert len(small.model.keys) <= 20 + 5
    assert len(Tagger(size=1).train([holes]).model.keys) == 1
    assert "ADV" not in small.model.tags
    assert "" not in small.model.tags


def test_tokens_written_as_one_word_are_known_as_such() -> None:
    rows = [("we", "PRON"), ("do", "AUX"), ("n't", "PART"), ("see", "VERB"), (".", "PUNCT")] * 12
    words, tags = zip(*rows, strict=True)
    spans = tuple(Span(at + 1, at + 2, "don't") for at in range(0, len(rows), 5))
    ends = Segmentation.of_gaps(len(rows), range(4, len(rows), 5))
    given = Transcript(words, tag=tags, multiwords=spans, sentences=ends)
    written = list(tagger._written(given))
    assert [each.words for each in written] == [("we", "don't", "see")] * 12
    assert [each.tag for each in written] == [("PRON", "AUX", "VERB")] * 12
    made = Tagger().train([given])
    assert made.tag(Transcript(("we", "don't", "see"))).tag == ("PRON", "AUX", "VERB")
    assert made.tag(Transcript(("we", "do", "n't"))).tag == ("PRON", "AUX", "PART")
    assert list(tagger._written(given.replace(multiwords=None))) == []


def test_batches_of_any_size_are_the_same(taught: Tagger, monkeypatch: pytest.MonkeyPatch) -> None:
    several = [lesson(seed, 3).only(()) for seed in range(9)]
    whole = taught.tag_all(several)
    monkeypatch.setattr(tagger, "AT_ONCE", 60)
    assert taught.tag_all(several) == whole


def test_other_settings_keep_what_was_learnt(taught: Tagger) -> None:
    other = taught.adjusted(ridge=3.0)
    assert other.ridge == 3.0
    assert other.model is taught.model


def test_untrained_and_untagged_get_one_clear_line() -> None:
    with pytest.raises(ModelError, match="has to be trained before"):
        Tagger().tag(lesson(1))
    with pytest.raises(LayerError, match="none of 1 recordings has tags"):
        Tagger().train([lesson(1).only(())])


def test_weights_are_kept_in_steps_that_are_small_enough() -> None:
    weights = np.array([[3.0, -1.0, 0.01], [1e-9, 0, 0], [-5e-3, 2e-3, 0]])
    found = joined(("A", "B", "C"), [(np.array([7, 5, 9]), weights)])
    assert found.keys.tolist() == [5, 7, 9]
    steps = found.weights * found.scales.astype(np.float64)[:, None]
    bound = np.maximum(abs(weights).max(axis=1) / 127, 1e-6)[[1, 0, 2]]
    assert (abs(steps - weights[[1, 0, 2]]).max(axis=1) <= bound * 0.6).all()


Damage = Callable[[dict[str, NDArray[Any]]], Any]
DAMAGES: dict[str, Damage] = {
    "it has the arrays keys, scales, tags": lambda a: a.pop("weights"),
    "keys are no ascending": lambda a: a.update(keys=a["keys"][::-1]),
    "keys are no ascending numbers": lambda a: a.update(keys=a["keys"].astype(np.float64)),
    "weights have another": lambda a: a.update(weights=a["weights"][:-1]),
    "weights have another shape": lambda a: a.update(weights=a["weights"].astype(np.float32)),
    "scales are not all": lambda a: a.update(scales=a["scales"] * np.float16(np.nan)),
    "scales have another": lambda a: a.update(scales=a["scales"][:-1]),
    "scales have another shape": lambda a: a.update(scales=a["scales"].astype(np.float32)),
    "tags are no bytes": lambda a: a.update(tags=a["tags"].astype(np.int64)),
    "tags are no JSON": lambda a: a.update(tags=a["tags"][:-1]),
    "tags are no list of": lambda a: a.update(tags=np.frombuffer(b'["B", "A"]', np.uint8)),
    "tags are no list": lambda a: a.update(tags=np.frombuffer(b"[]", np.uint8)),
}


@pytest.mark.parametrize("told", DAMAGES)
def test_damaged_arrays_are_refused(taught: Tagger, told: str) -> None:
    arrays = dict(taught.state())
    DAMAGES[told](arrays)
    with np.errstate(invalid="ignore"), pytest.raises(ModelError, match=told):
        taught.from_state(arrays)


def test_a_stored_tagger_is_found_by_its_folder(taught: Tagger, tmp_path: Path) -> None:
    folder = str(store.save(tmp_path / "toy", taught, Card()))
    given = lesson(5).only(())
    assert Tagged(folder).tag(given) == taught.tag(given)
    again = store.save(tmp_path / "again", Tagged(folder), Card())
    with pytest.raises(ModelError, match="the model refers to another"):
        Tagged(str(again)).tag(given)


def test_a_detector_is_no_tagger_and_a_tagger_no_detector(taught: Tagger, tmp_path: Path) -> None:
    from caesura.detectors.pause import Pause
    from caesura.detectors.stored_model import chosen

    pause = str(store.save(tmp_path / "pause", Pause(), Card()))
    folder = str(store.save(tmp_path / "toy", taught, Card()))
    with pytest.raises(ModelError, match="pause is a Pause, and a tagger is wanted"):
        Tagged(pause).tag(lesson(1))
    with pytest.raises(ModelError, match="toy is a Tagger, and a detector is wanted"):
        chosen(folder)
    with pytest.raises(CaesuraError, match="Tagger is a tagger, and a detector is wanted"):
        chosen("Tagger")


@pytest.mark.parametrize(("treebank", "least"), [("naija", 0.95), ("french-rhapsodie", 0.92)])
def test_speech_is_tagged_well(corpora: Path, treebank: str, least: float) -> None:
    train, dev = (
        list(caesura.read(corpora / "ud" / treebank / f"{p}.conllu")) for p in ("train", "dev")
    )
    made: WordTagger = Tagger().train(train)
    found = accuracy(made.tag_all([each.only(["tag"]) for each in dev]), dev)
    assert isinstance(found, float)
    assert found >= least
    assert sum(array.nbytes for array in made.state().values()) <= 600_000
