"""The part-of-speech tagger, compared with a slow one, and with damaged arrays."""

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
from caesura.detectors.tagging import pos_tagger
from caesura.detectors.tagging.pos_tagger import Tagged, Tagger, TaggerModel
from caesura.ml.features import hash_spelling
from caesura.models import store
from caesura.models.store import Card
from caesura.training.run import tag_accuracy
from detectors.toy_tags import tagged_text

pytest.importorskip("scipy")

ALL = (1 << 64) - 1


@pytest.fixture(scope="module")
def trained() -> Tagger:
    return Tagger(cutoff=1).train([tagged_text(seed) for seed in range(4)])


def mixed(number: int) -> int:
    """SplitMix64 on one number."""
    number = (number + 0x9E3779B97F4A7C15) & ALL
    number = ((number ^ (number >> 30)) * 0xBF58476D1CE4E5B9) & ALL
    number = ((number ^ (number >> 27)) * 0x94D049BB133111EB) & ALL
    return number ^ (number >> 31)


def value(words: list[str], tags: list[int], name: str, at: int) -> int:
    """Return the hash of one column at a position; 0 is a missing one."""
    inside = 0 <= at < len(words)
    if name == "tag":
        return tags[at] + 1 if inside else 1
    word = words[at] if inside else ""
    if name == "word":
        return hash_spelling(word if inside else "\n")
    if not inside:
        return 0
    if name == "shape":
        kinds = {"0" if c.isdigit() else "a" if c.isalpha() else c for c in word}
        return hash_spelling("".join(sorted(kinds)) + f" {min(len(word), 3)}")
    size = int(name[-1])
    if len(word) <= size:
        return 0
    return hash_spelling(word[:size] if name.startswith("prefix") else word[-size:])


def slow(tagger: Tagger, words: list[str]) -> list[str]:
    """Tag words one after another from a dictionary of weights."""
    model = tagger.model
    rows = zip(model.keys.tolist(), model.weights.tolist(), model.scales.tolist(), strict=True)
    known = {key: np.array(steps, np.float64) * scale for key, steps, scale in rows}
    scores = [np.zeros(len(model.labels)) for _ in words]
    tags: list[int] = []
    for templates in (pos_tagger.FIRST_STAGE, pos_tagger.SECOND_STAGE):
        for at in range(len(words)):
            for template in templates:
                key = mixed(pos_tagger.NUMBERS[template])
                values = [value(words, tags, name, at + offset) for name, offset in template]
                for each in values:
                    key = mixed(key ^ each)
                if all(values):
                    scores[at] = scores[at] + known.get(key >> 32, 0.0)
        tags = [int(s.argmax()) + 1 for s in scores]
    return [model.labels[tag - 1] for tag in tags]


def test_tags_are_those_of_the_slow_tagger(trained: Tagger) -> None:
    for seed in (11, 12):
        given = pos_tagger.without_punctuation(tagged_text(seed))
        words = list(pos_tagger.spelt(given.words))
        assert list(trained.tag(given).tag or ()) == slow(trained, words)
    odd = "the walk will walk 7 x-ray's ly zzz ness 12 the will".split()
    assert list(trained.tag(Transcript(tuple(odd))).tag or ()) == slow(
        trained, list(pos_tagger.spelt(odd))
    )


def test_learns_words_endings_and_neighbours(trained: Tagger) -> None:
    unseen = tagged_text(99)
    assert tag_accuracy([trained.tag(unseen)], [unseen]) == 1.0
    words = ("the", "walk", "will", "walk", "qqqly", "77", "qqqness")
    expected = ("DET", "NOUN", "AUX", "VERB", "ADV", "NUM", "NOUN")
    assert trained.tag(Transcript(words)).tag == expected


def test_punctuation_is_not_trained_on_and_always_tagged_punct(trained: Tagger) -> None:
    assert "PUNCT" not in trained.model.labels
    found = trained.tag(Transcript(("#", "cat", "."), tag=("PUNCT", "X", "X")))
    assert found.tag is not None
    assert (found.tag[0], found.tag[2]) == ("PUNCT", "PUNCT")
    assert found.tag[1] != "X"


def test_size_limits_the_features_and_unknown_tags_are_ignored() -> None:
    given = tagged_text(1)
    assert given.tag is not None
    holes = given.replace(tag=tuple("" if t == "ADV" else t for t in given.tag))
    small = Tagger(size=20).train([holes])
    assert len(small.model.keys) <= 20 + 5
    assert len(Tagger(size=1).train([holes]).model.keys) == 1
    assert "ADV" not in small.model.labels
    assert "" not in small.model.labels


def test_multiword_tokens_are_also_trained_on_as_one_word() -> None:
    rows = [("we", "PRON"), ("do", "AUX"), ("n't", "PART"), ("see", "VERB"), (".", "PUNCT")] * 12
    words, tags = zip(*rows, strict=True)
    spans = tuple(Span(at + 1, at + 2, "don't") for at in range(0, len(rows), 5))
    ends = Segmentation.of_gaps(len(rows), range(4, len(rows), 5))
    given = Transcript(words, tag=tags, multiwords=spans, sentences=ends)
    written = list(pos_tagger.multiword_sentences(given))
    assert [each.words for each in written] == [("we", "don't", "see")] * 12
    assert [each.tag for each in written] == [("PRON", "AUX", "VERB")] * 12
    made = Tagger().train([given])
    assert made.tag(Transcript(("we", "don't", "see"))).tag == ("PRON", "AUX", "VERB")
    assert made.tag(Transcript(("we", "do", "n't"))).tag == ("PRON", "AUX", "PART")
    assert list(pos_tagger.multiword_sentences(given.replace(multiwords=None))) == []


def test_batch_size_does_not_change_tags(trained: Tagger, monkeypatch: pytest.MonkeyPatch) -> None:
    several = [tagged_text(seed, 3).only(()) for seed in range(9)]
    whole = trained.tag_all(several)
    monkeypatch.setattr(pos_tagger, "AT_ONCE", 60)
    assert trained.tag_all(several) == whole


def test_other_settings_keep_the_model(trained: Tagger) -> None:
    other = trained.adjusted(ridge=3.0)
    assert other.ridge == 3.0
    assert other.model is trained.model


def test_untrained_tagger_and_untagged_text_are_refused() -> None:
    with pytest.raises(ModelError, match="has to be trained first"):
        Tagger().tag(tagged_text(1))
    with pytest.raises(LayerError, match="none of 1 recordings has tags"):
        Tagger().train([tagged_text(1).only(())])


def test_tags_that_could_not_be_loaded_are_not_trained() -> None:
    many = Transcript(("a",) * 1001, tag=tuple(f"X{n:04}" for n in range(1001)))
    with pytest.raises(LayerError, match="there are 1001 tags, and there can be 1000"):
        Tagger().train([many])
    with pytest.raises(LayerError, match="one of the tags cannot be printed"):
        Tagger().train([Transcript(("a",), tag=("\x07",))])


def test_weights_are_sorted_by_key_and_quantised() -> None:
    weights = np.array([[3.0, -1.0, 0.01], [1e-9, 0, 0], [-5e-3, 2e-3, 0]])
    found = TaggerModel.quantised(("A", "B", "C"), np.array([7, 5, 9]), weights)
    assert found.keys.tolist() == [5, 7, 9]
    steps = found.weights * found.scales.astype(np.float64)[:, None]
    bound = np.maximum(abs(weights).max(axis=1) / 127, 1e-6)[[1, 0, 2]]
    assert (abs(steps - weights[[1, 0, 2]]).max(axis=1) <= bound * 0.6).all()


Damage = Callable[[dict[str, NDArray[Any]]], Any]
DAMAGES: dict[str, Damage] = {
    "it has the arrays keys, scales, tags": lambda a: a.pop("weights"),
    "the keys are not whole numbers in ascending": lambda a: a.update(keys=a["keys"][::-1]),
    "the keys are not whole numbers": lambda a: a.update(keys=a["keys"].astype(np.float64)),
    "the weights do not fit": lambda a: a.update(weights=a["weights"][:-1]),
    "the weights do not": lambda a: a.update(weights=a["weights"].astype(np.float32)),
    "the scales are not all": lambda a: a.update(scales=a["scales"] * np.float16(np.nan)),
    "the scales do not fit": lambda a: a.update(scales=a["scales"][:-1]),
    "the scales do not": lambda a: a.update(scales=a["scales"].astype(np.float32)),
    "the tags are not stored as bytes": lambda a: a.update(tags=a["tags"].astype(np.int64)),
    "the tags are not JSON": lambda a: a.update(tags=a["tags"][:-1]),
    "the tags are not sorted": lambda a: a.update(tags=np.frombuffer(b'["B", "A"]', np.uint8)),
    "the tags are not all texts": lambda a: a.update(tags=np.frombuffer(b'["", "A"]', np.uint8)),
    "the tags are not a list": lambda a: a.update(tags=np.frombuffer(b"[]", np.uint8)),
}


@pytest.mark.parametrize("problem", DAMAGES)
def test_damaged_arrays_are_refused(trained: Tagger, problem: str) -> None:
    arrays = dict(trained.state())
    DAMAGES[problem](arrays)
    with np.errstate(invalid="ignore"), pytest.raises(ModelError, match=problem):
        trained.from_state(arrays)


def test_a_stored_tagger_is_loaded_from_its_folder(trained: Tagger, tmp_path: Path) -> None:
    folder = str(store.save(tmp_path / "toy", trained, Card()))
    given = tagged_text(5).only(())
    assert Tagged(folder).tag(given) == trained.tag(given)
    again = store.save(tmp_path / "again", Tagged(folder), Card())
    with pytest.raises(ModelError, match="the model refers to another"):
        Tagged(str(again)).tag(given)


def test_a_detector_is_no_tagger_and_a_tagger_no_detector(trained: Tagger, tmp_path: Path) -> None:
    from caesura.detectors.pause import Pause
    from caesura.detectors.stored_model import get_detector

    pause = str(store.save(tmp_path / "pause", Pause(), Card()))
    folder = str(store.save(tmp_path / "toy", trained, Card()))
    with pytest.raises(ModelError, match="pause is a Pause, and a tagger is wanted"):
        Tagged(pause).tag(tagged_text(1))
    with pytest.raises(ModelError, match="toy is a Tagger, and a detector is wanted"):
        get_detector(folder)
    with pytest.raises(CaesuraError, match="Tagger is a tagger, and a detector is wanted"):
        get_detector("Tagger")


@pytest.mark.parametrize(("treebank", "least"), [("naija", 0.95), ("french-rhapsodie", 0.92)])
def test_speech_is_tagged_well(corpora: Path, treebank: str, least: float) -> None:
    train, dev = (
        list(caesura.read(corpora / "ud" / treebank / f"{p}.conllu")) for p in ("train", "dev")
    )
    made: WordTagger = Tagger().train(train)
    found = tag_accuracy(made.tag_all([each.only(["tag"]) for each in dev]), dev)
    assert isinstance(found, float)
    assert found >= least
    assert sum(array.nbytes for array in made.state().values()) <= 600_000
