"""Training the detector `Encoder`, where torch is installed."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from caesura.core.errors import LayerError, ModelError
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.detectors.neural.encoder import VALUES, Encoder
from caesura.detectors.neural.mishearing import Mishearing
from caesura.detectors.neural.training_windows import (
    Lexicon,
    Sampler,
    compile_source,
    known_sources,
)
from caesura.ml.neural.transformer import Shape
from caesura.ml.neural.wordpiece import SPECIAL
from caesura.testing.detector_laws import made_up_recording

pytest.importorskip("torch", reason="needs torch: caesura[neural]")

from caesura.detectors.neural import encoder_training as training
from caesura.detectors.neural import pretrained
from caesura.detectors.neural.training_windows import is_word, mixed_forms

TALKS = [made_up_recording(seed, 300) for seed in range(6)]
SMALL = Encoder(layers=1, pieces=300, window=64, steps=60, batch=8, rate=5e-3, runtime="numpy")


def arrays(detector: Encoder) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in detector.state().items()}


def test_it_learns_where_sentences_end() -> None:
    found = SMALL.train(TALKS[1:])
    unseen = TALKS[0].replace(mark=None)
    right = found.detect(unseen).boundary == TALKS[0].sentences.boundary  # type: ignore[union-attr]
    assert right[:-1].mean() > 0.9


def test_training_twice_gives_the_same_weights() -> None:
    short = replace(SMALL, steps=5)
    assert arrays(short.train(TALKS[:2])) == arrays(short.train(TALKS[:2]))


def test_training_that_was_interrupted_goes_on_to_the_same_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base, sampler = small_sampler()
    plan = training.Plan(steps=3, batch=2, rate=1e-3, threads=1, later_steps=3)
    whole = training.train_encoder(base, sampler, plan)
    checkpoint = tmp_path / "state.safetensors"

    class Interrupted(Sampler):
        def window(self, number: int) -> Any:
            if number >= 8:
                raise KeyboardInterrupt
            return super().window(number)

    begun = replace(plan, checkpoint=checkpoint)
    _, part = small_sampler(Interrupted)
    monkeypatch.setattr(training, "SAVE_SECONDS", -1)
    with pytest.raises(KeyboardInterrupt):
        training.train_encoder(base, part, begun)
    again = training.train_encoder(base, sampler, begun)
    for name, array in whole.transformer.arrays.items():
        assert again.transformer.arrays[name].tobytes() == array.tobytes(), name


def small_sampler(kind: type[Sampler] = Sampler) -> tuple[pretrained.Base, Sampler]:
    words = Counter(word for each in TALKS for word in each.words)
    base = pretrained.scratch_base(words, SMALL)
    lexicon = Lexicon()
    sources = [compile_source("talks", 1.0, TALKS, lexicon)]
    return base, kind(sources, lexicon, base.vocabulary, 64, 1)


def test_a_checkpoint_of_another_training_is_refused(tmp_path: Path) -> None:
    base, sampler = small_sampler()
    checkpoint = tmp_path / "state.safetensors"
    plan = training.Plan(steps=2, batch=2, rate=1e-3, threads=1, checkpoint=checkpoint)
    training.train_encoder(base, sampler, plan)
    with pytest.raises(ModelError, match="of another training"):
        training.train_encoder(base, sampler, replace(plan, steps=3))
    other = base._replace(weights={"norm.bias": np.ones(base.shape.hidden, np.float32)})
    with pytest.raises(ModelError, match="of another training"):
        training.train_encoder(other, sampler, plan)
    sampler.mishearing = Mishearing(error=np.full(1, 0.5))
    with pytest.raises(ModelError, match="of another training"):
        training.train_encoder(base, sampler, plan)
    sampler.mishearing = Mishearing()
    checkpoint.write_bytes(checkpoint.read_bytes()[:1000])
    with pytest.raises(ModelError, match="damaged"):
        training.train_encoder(base, sampler, plan)


def test_training_leaves_the_settings_of_torch_as_they_are() -> None:
    torch = pytest.importorskip("torch")
    threads = torch.get_num_threads()
    torch.manual_seed(7)
    expected = torch.rand(1)
    torch.manual_seed(7)
    base, sampler = small_sampler()
    training.train_encoder(base, sampler, training.Plan(steps=1, batch=1, threads=threads + 1))
    assert torch.get_num_threads() == threads
    assert torch.rand(1) == expected


def test_sentences_without_marks_are_learnt() -> None:
    lexicon = Lexicon()
    ends = [each.sentences.boundary for each in TALKS[:2]]  # type: ignore[union-attr]
    bare = [
        each.replace(mark=None, sentences=Segmentation(end))
        for each, end in zip(TALKS[:2], ends, strict=True)
    ]
    sources = known_sources([*bare, TALKS[2]], bare[:1], lexicon)
    assert [(one.name, one.is_spoken) for one in sources] == [
        ("speech", True),
        ("speech", False),
        ("text", False),
    ]
    assert (sources[1].target == 2).tolist() == np.concatenate(ends).tolist()


def test_the_rate_grows_falls_and_falls_once_more() -> None:
    plan = training.Plan(steps=100, rate=1e-3, later_steps=50, later_rate=2e-4)
    shares = [plan.rate_at(step) for step in range(150)]
    assert shares[:10] == sorted(shares[:10])
    assert shares[9:100] == sorted(shares[9:100], reverse=True)
    assert shares[99] == pytest.approx(0.01)
    assert shares[100] == pytest.approx(0.2)
    assert shares[125] == pytest.approx(0.1)
    assert shares[149] == pytest.approx(0.2 / 50)


@pytest.mark.parametrize(
    "empty", [Transcript(("so", "it", "goes")), Transcript((".", "?"), sentences=[(0, 0), (1, 1)])]
)
def test_recordings_without_sentences_are_refused(empty: Transcript) -> None:
    with pytest.raises(LayerError, match="none of 1 recordings has sentences"):
        SMALL.train([empty])


def test_words_in_mixed_case_are_listed() -> None:
    words = ["iPhone"] * 6 + ["IPHONE"] + ["eBay"] * 2 + ["King"] * 9
    words += ["REGs"] * 6 + ["regs"] * 5
    assert mixed_forms(Counter(words)) == {"iphone": "iPhone"}


def test_lists_of_forms_hold_words_alone() -> None:
    assert all(map(is_word, ("Berlin", "iPhone", "O'Brien", "U.S.", "COVID-19", "Node.js", "AT&T")))
    assert not any(
        map(
            is_word,
            ("github.com/Go", "@Go", "POL00118219", "WITN123", "a_b", "-A", "Gov.UK", "A.com", ""),
        )
    )


PIECES = ["[PAD]", "[unused0]", "[UNK]", "[CLS]", "[SEP]", *"abcde", *(f"##{c}" for c in "abcde")]


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A folder with a small BERT."""
    hidden, inner, layers = 8, 12, 2
    config = {
        "model_type": "bert",
        "hidden_size": hidden,
        "num_hidden_layers": layers,
        "num_attention_heads": 2,
        "intermediate_size": inner,
        "max_position_embeddings": 70,
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "vocab.txt").write_text("\n".join(PIECES) + "\n")
    save_file(_bert(hidden, inner, layers), tmp_path / "model.safetensors")
    return tmp_path


def _bert(hidden: int, inner: int, layers: int) -> dict[str, NDArray[Any]]:
    draw = np.random.default_rng(1)
    sizes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(PIECES), hidden),
        "embeddings.token_type_embeddings.weight": (2, hidden),
        "embeddings.position_embeddings.weight": (70, hidden),
    }
    linear = {f"attention.self.{name}": (hidden, hidden) for name in ("query", "key", "value")}
    linear |= {"attention.output.dense": (hidden, hidden), "intermediate.dense": (inner, hidden)}
    linear["output.dense"] = (hidden, inner)
    norms = ["embeddings.LayerNorm"]
    for layer in range(layers):
        for name, size in linear.items():
            sizes[f"encoder.layer.{layer}.{name}.weight"] = size
            sizes[f"encoder.layer.{layer}.{name}.bias"] = size[:1]
        norms += [f"encoder.layer.{layer}.{n}.LayerNorm" for n in ("attention.output", "output")]
    sizes |= {f"{norm}.{part}": (hidden,) for norm in norms for part in ("weight", "bias")}
    return {f"bert.{name}": draw.normal(0, 0.1, size).astype("f4") for name, size in sizes.items()}


def test_a_base_is_read_and_cut(base: Path) -> None:
    found = pretrained.read_base(base, 1)
    assert found.vocabulary.pieces == (*SPECIAL, "[unused0]", *PIECES[5:])
    assert found.shape == Shape(15, VALUES, hidden=8, layers=1, heads=2, inner=12, positions=70)
    wanted = {name for name, _ in found.shape.arrays()}
    assert wanted - set(found.weights) == {
        "values.weight",
        *(f"{name}.{part}" for name in ("gap", "case") for part in ("weight", "bias")),
    }
    smaller = pretrained.smaller_base(found, Counter({"abc": 3}), 10, 64)
    assert smaller.shape.positions == 64
    at = found.vocabulary.pieces.index("##c")
    row = smaller.weights["pieces.weight"][smaller.vocabulary.pieces.index("##c")]
    assert row.tolist() == found.weights["pieces.weight"][at].tolist()


DISTILBERT_NAMES = {
    "encoder.layer": "transformer.layer",
    "attention.self.query": "attention.q_lin",
    "attention.self.key": "attention.k_lin",
    "attention.self.value": "attention.v_lin",
    "attention.output.dense": "attention.out_lin",
    "attention.output.LayerNorm": "sa_layer_norm",
    "intermediate.dense": "ffn.lin1",
    "output.dense": "ffn.lin2",
    "output.LayerNorm": "output_layer_norm",
}


def test_a_distilbert_with_the_weights_of_a_bert_is_the_same_base(base: Path) -> None:
    given = load_file(base / "model.safetensors")
    given["bert.embeddings.token_type_embeddings.weight"][:] = 0
    save_file(given, base / "model.safetensors")
    wanted = pretrained.read_base(base, 2)
    arrays = {}
    for own, array in given.items():
        name = own.replace("bert.", "distilbert.", 1)
        for theirs, other in DISTILBERT_NAMES.items():
            name = name.replace(theirs, other)
        if "token_type" not in name:
            arrays[name] = array
    save_file(arrays, base / "model.safetensors")
    sizes = {"dim": 8, "n_layers": 2, "n_heads": 2, "hidden_dim": 12}
    config = {"model_type": "distilbert", "max_position_embeddings": 70, **sizes}
    (base / "config.json").write_text(json.dumps(config))
    found = pretrained.read_base(base, 2)
    assert found.shape == wanted.shape
    assert found.vocabulary.pieces == wanted.vocabulary.pieces
    assert set(found.weights) == set(wanted.weights)
    for name, array in wanted.weights.items():
        assert found.weights[name].tolist() == array.tolist(), name


def test_a_roberta_has_its_first_word_at_the_third_position(base: Path) -> None:
    """Its pieces are those of a BERT with other marks, and its weights in two files."""
    given = load_file(base / "model.safetensors")
    wanted = pretrained.read_base(base, 2)
    begun = {"[PAD]": "<pad>", "[UNK]": "<unk>", "[CLS]": "<s>", "[SEP]": "</s>"}
    numbers = {}
    for at, piece in enumerate(PIECES):
        text = piece.removeprefix("##") if piece.startswith("##") else f"Ġ{piece}"
        numbers[begun.get(piece, text)] = at
    (base / "tokenizer.json").write_text(json.dumps({"model": {"vocab": numbers}}))
    (base / "vocab.txt").unlink()
    config = json.loads((base / "config.json").read_text())
    config |= {"model_type": "roberta", "max_position_embeddings": 72}
    (base / "config.json").write_text(json.dumps(config))
    arrays = {name.replace("bert.", "roberta.", 1): array for name, array in given.items()}
    places = arrays["roberta.embeddings.position_embeddings.weight"]
    arrays["roberta.embeddings.position_embeddings.weight"] = np.concatenate(
        [np.full((2, 8), 9, np.float32), places]
    )
    arrays["roberta.embeddings.position_ids"] = np.arange(72)[None]
    (base / "model.safetensors").unlink()
    names = sorted(arrays)
    save_file({name: arrays[name] for name in names[::2]}, base / "model-1-of-2.safetensors")
    save_file({name: arrays[name] for name in names[1::2]}, base / "model-2-of-2.safetensors")
    found = pretrained.read_base(base, 2)
    assert found.shape == wanted.shape
    assert found.vocabulary.pieces == wanted.vocabulary.pieces
    for name, array in wanted.weights.items():
        assert found.weights[name].tolist() == array.tolist(), name


def test_weights_of_16_bits_are_read(base: Path) -> None:
    torch = pytest.importorskip("torch")
    from safetensors.torch import save_file as save_tensors

    wanted = pretrained.read_base(base, 1)
    tensors = {
        name: torch.from_numpy(array).bfloat16()
        for name, array in load_file(base / "model.safetensors").items()
    }
    save_tensors(tensors, base / "model.safetensors")
    found = pretrained.read_base(base, 1)
    for name, array in wanted.weights.items():
        assert found.weights[name].dtype == np.float32
        assert found.weights[name] == pytest.approx(array, rel=0.01, abs=2e-3), name


def test_weights_that_are_no_numbers_are_refused(base: Path) -> None:
    arrays = load_file(base / "model.safetensors")
    arrays["bert.encoder.layer.0.output.dense.bias"][0] = np.nan
    save_file(arrays, base / "model.safetensors")
    with pytest.raises(ModelError, match=r"layers\.0\.outer\.bias are not all numbers"):
        pretrained.read_base(base, 1)


def test_an_encoder_can_be_trained_further() -> None:
    trained = replace(SMALL, steps=5).train(TALKS[:2])
    further = pretrained.trained_base(trained)
    model = trained.model
    assert (further.vocabulary, further.shape) == (model.vocabulary, model.transformer.shape)
    lexicon = Lexicon()
    sampler = Sampler(known_sources(TALKS, (), lexicon), lexicon, further.vocabulary, 64, 2)
    slow = training.Plan(steps=1, batch=2, rate=1e-7, threads=1)
    found = training.train_encoder(further, sampler, slow).transformer.arrays
    for name, array in further.weights.items():
        scale = found[f"{name}.scale"][:, None] if f"{name}.scale" in found else 1.0
        assert found[name] * scale == pytest.approx(array, abs=2e-3), name


def test_training_starts_from_the_base(base: Path) -> None:
    short = replace(SMALL, base=str(base), steps=1, rate=1e-7)
    found = short.train(TALKS[:1]).model.transformer
    given = pretrained.read_base(base, 1).weights["layers.0.out.weight"]
    scale = found.arrays["layers.0.out.weight.scale"][:, None]
    assert found.arrays["layers.0.out.weight"] * scale == pytest.approx(given, abs=2e-3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model_type": "gpt2"}, "it is of the kind gpt2, not bert, electra, distilbert, roberta"),
        ({"model_type": []}, r"it is of the kind \[\]"),
        ({"num_attention_heads": 3}, "hidden_size is no multiple of num_attention_heads"),
        ({"hidden_act": "relu"}, "its activation is relu, not gelu"),
        ({"position_embedding_type": "relative_key"}, "its positions are relative_key"),
        ({"num_hidden_layers": 0}, "num_hidden_layers is 0, and no number above 0"),
        ({"embedding_size": 4}, "vectors of another size than its layers"),
        ({"num_hidden_layers": "2"}, "num_hidden_layers is '2', and no number above 0"),
        ({"hidden_size": 16}, "differ in number or size"),
        ({"intermediate_size": 13}, r"inner.weight is \(12, 8\), and not \(13, 8\)"),
    ],
)
def test_another_base_is_refused(base: Path, change: Mapping[str, Any], message: str) -> None:
    config = json.loads((base / "config.json").read_text()) | change
    (base / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelError, match=message):
        pretrained.read_base(base, 1)


def test_a_base_that_cannot_be_read_is_one_clear_error(base: Path) -> None:
    (base / "model.safetensors").write_bytes(b"nothing")
    with pytest.raises(ModelError, match="the base cannot be read"):
        pretrained.read_base(base, 1)
    (base / "model.safetensors").unlink()
    with pytest.raises(ModelError, match=r"no model\.safetensors; weights in other files may"):
        pretrained.read_base(base, 1)
    for name in ("no such", "__main__"):
        with pytest.raises(ModelError, match=f"there is no base model '{name}'"):
            pretrained.find_base(name)


def test_a_base_that_does_not_fit_is_one_clear_error(base: Path) -> None:
    found = pretrained.read_base(base, 1)
    with pytest.raises(ModelError, match="70 positions, and a window 71"):
        pretrained.smaller_base(found, Counter({"abc": 3}), 10, 71)
    arrays = load_file(base / "model.safetensors")
    del arrays["bert.encoder.layer.0.output.dense.bias"]
    save_file(arrays, base / "model.safetensors")
    with pytest.raises(ModelError, match=r"lacks 'encoder\.layer\.0\.output\.dense\.bias'"):
        pretrained.read_base(base, 1)
    (base / "vocab.txt").write_text("\n".join([*PIECES, "more"]))
    with pytest.raises(ModelError, match="differ in number or size"):
        pretrained.read_base(base, 1)
    (base / "config.json").write_text("[]")
    with pytest.raises(ModelError, match="it is of the kind None"):
        pretrained.read_base(base, 1)
    (base / "config.json").write_text(json.dumps({"model_type": "bert"}))
    with pytest.raises(ModelError, match="the base lacks 'num_hidden_layers'"):
        pretrained.read_base(base, 1)


def test_a_vocabulary_without_special_pieces_is_one_clear_error(base: Path) -> None:
    (base / "vocab.txt").write_text("[PAD]\na\n")
    with pytest.raises(ModelError, match=r"vocab\.txt has no \[UNK\]"):
        pretrained.read_base(base, 1)
