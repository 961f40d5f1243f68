"""`CNN` and `BiRNN` without torch: the numpy side, with random weights."""

import sys
from collections.abc import Callable

import numpy as np
import pytest

from caesura.core import registry
from caesura.core.errors import CaesuraError, LayerError, ModelError
from caesura.core.protocols import Detector
from caesura.core.transcript import Transcript
from caesura.detectors.gaps import NO_GAP, ends_sentence
from caesura.detectors.neural.birnn import BiRNN
from caesura.detectors.neural.cnn import CNN
from caesura.detectors.neural.net_detector import NetDetector
from caesura.detectors.window_stream import Lookahead
from caesura.testing.detector_laws import DETECTOR_LAWS, made_up_recording
from caesura.training.search import train_and_tune
from detectors.slow_nets import random_net, slow_log_odds, slow_scores

KNOWN = ("stop", "now", "we", "go", "on", "7")
SMALL = [
    "CNN(vector=3, before=4, after=3, filters=4, hidden=3)",
    "CNN(classes=('.', ','), vector=2, before=3, after=6, filters=3, hidden=2, bias=0.5)",
    "BiRNN(vector=3, context=5, hidden=2, attention=3)",
    "BiRNN(classes=(), vector=2, context=1, hidden=3, attention=2, bias=-0.5)",
]
nets = pytest.mark.parametrize("text", SMALL)


def recording(count: int, seed: int = 0) -> Transcript:
    """Words that a net knows, unknown ones, numbers, and punctuation as words."""
    chance = np.random.default_rng(seed)
    words = [*KNOWN[:-1], "12", "3.5", "Unheard", "We", ".", ","]
    return Transcript(tuple(words[k] for k in chance.integers(0, len(words), count)))


@nets
@pytest.mark.parametrize("count", [1, 2, 9, 64, 150])
def test_log_odds_are_those_of_the_equations(text: str, count: int) -> None:
    net, given = random_net(text, KNOWN), recording(count)
    numbers = net.model.vocabulary.numbers(given.words)
    spoken = [number for number in numbers.tolist() if number >= 0]
    ends = ends_sentence(net.classes).tolist()
    expected = [slow_log_odds(slow_scores(net, spoken, g), ends) for g in range(len(spoken))]
    found = net.log_odds(given)
    assert found[found != NO_GAP] == pytest.approx(np.array(expected) + net.bias, abs=1e-4)
    assert (found == NO_GAP).sum() == count - len(spoken)


@nets
def test_labels_are_the_likeliest_that_agree_with_the_decision(text: str) -> None:
    net = random_net(text, KNOWN)
    given = Transcript(made_up_recording(3).words)
    found = net.detect(given)
    assert net.label(given) == found.label
    assert found.log_odds is not None
    assert found.boundary[:-1].tolist() == (found.log_odds > 0)[:-1].tolist()
    if not net.classes:
        assert found.label is None
        return
    assert found.label is not None
    numbers = net.model.vocabulary.numbers(given.words).tolist()
    for gap, label in enumerate(found.label):
        scores = dict(zip(("", *net.classes), slow_scores(net, numbers, gap), strict=True))
        agreeing = {
            name: score
            for name, score in scores.items()
            if (name not in ("", ",")) == found.boundary[gap]
        }
        assert scores[label] == pytest.approx(max(agreeing.values()), abs=1e-4)


@nets
@pytest.mark.parametrize("law", DETECTOR_LAWS, ids=lambda law: law.__name__)
def test_laws(text: str, law: Callable[[Detector, int, int], None]) -> None:
    law(random_net(text, KNOWN), 10, 400)


@nets
def test_rows_have_the_same_bits_in_any_batch(text: str) -> None:
    net = random_net(text, KNOWN)
    rows = np.random.default_rng(1).integers(0, 8, (37, net.windows.width))
    together = net.scores(net.model.weights, rows)
    for at in range(len(rows)):
        alone = net.scores(net.model.weights, rows[at : at + 1])
        assert alone[0].tobytes() == together[at].tobytes()
    assert net.scores(net.model.weights, rows[::-1]).tobytes() == together[::-1].tobytes()


@nets
def test_case_numbers_and_unknown_words_are_handled(text: str) -> None:
    net = random_net(text, KNOWN)
    one = net.log_odds(Transcript(("We", "go", "12", "uhm", "on")))
    other = net.log_odds(Transcript(("we", "GO", "7", "er", "on")))
    assert one.tolist() == other.tolist()
    assert net.coverage(Transcript(("we", "go", "12", "uhm", "."))) == 0.75
    assert net.lacks(Transcript(("uhm", "er"))) == "no word that the model knows"
    assert not net.lacks(Transcript(("uhm", "go")))


@pytest.mark.parametrize("text", SMALL[:2])
def test_a_stream_of_a_cnn_waits_for_its_window_alone(text: str) -> None:
    net = random_net(text, KNOWN)
    assert isinstance(net, CNN)
    given = Transcript(made_up_recording(2, 100).words)
    expected = net.detect(given)
    stream = net.stream()
    sentences = [each for at in range(100) for each in stream.push(given[at : at + 1])]
    delays = {float(each.evidence["delay_words"][-1]) for each in sentences if each.evidence}
    assert delays == {float(net.after)}
    sentences += stream.close()
    assert [len(each) for each in sentences] == np.diff([-1, *expected.gaps]).tolist()
    found = np.concatenate([s.sentences.log_odds for s in sentences if s.sentences is not None])
    assert found == pytest.approx(expected.log_odds, abs=1e-5)


@pytest.mark.parametrize("text", SMALL[2:])
def test_a_stream_of_a_birnn_sees_its_context(text: str) -> None:
    net = random_net(text, KNOWN)
    assert isinstance(net, BiRNN)
    given = Transcript(made_up_recording(2, 90).words)
    stream = net.stream()
    sentences = [each for at in range(90) for each in stream.push(given[at : at + 1])]
    assert sum(map(len, [*sentences, *stream.close()])) == 90
    assert net.reach == net.context
    assert Lookahead(net, words=3).detect(given) == net.detect(given)


@nets
def test_arrays_that_do_not_fit_are_one_clear_error(text: str) -> None:
    net = random_net(text, KNOWN)
    state = dict(net.state())
    weight = state["classes.weight"]
    for wrong, message in (
        ({**state, "more": weight}, "it has the arrays"),
        ({**state, "classes.weight": weight[1:]}, "classes.weight are not"),
        ({**state, "classes.weight": weight.astype(np.float32)}, "classes.weight are not"),
        ({**state, "classes.weight": np.full_like(weight, np.nan)}, "numbers up to 1000"),
        ({**state, "classes.weight": np.full_like(weight, 2000)}, "numbers up to 1000"),
        ({**state, "vocabulary": state["vocabulary"][::-1]}, "ascending order"),
        ({**state, "vocabulary": state["vocabulary"].astype(np.int64)}, "ascending order"),
    ):
        with pytest.raises(ModelError, match=message):
            net.from_state(wrong)


def test_largest_weights_give_finite_numbers() -> None:
    for text in SMALL:
        net = random_net(text, KNOWN)
        state = {
            name: np.full_like(array, 1000) if array.dtype == np.float16 else array
            for name, array in net.state().items()
        }
        assert np.isfinite(net.from_state(state).log_odds(recording(80))).all()


def test_the_card_tells_the_size_of_the_net() -> None:
    net = random_net("CNN(vector=3, filters=4, hidden=3, before=3, after=3)", KNOWN)
    # 8 word numbers, two convolutions, one pool, two classes.
    assert 8 * 3 + (9 * 4 + 4) + (12 * 4 + 4) + (4 * 3 + 3) + (3 * 2 + 2) == 139
    assert net.describe() == "A net of 139 weights that knows 6 words."


@pytest.mark.parametrize(
    "text",
    [
        "CNN(before=2)",
        "CNN(after=0)",
        "CNN(filters=0)",
        "CNN(classes=(',',))",
        "CNN(rate=0)",
        "CNN(dropout=1)",
        "CNN(seed=-1)",
        "CNN(epochs=0)",
        "CNN(vector=0)",
        "CNN(cutoff=0)",
        "CNN(bias='x')",
        "BiRNN(context=0)",
        "BiRNN(hidden=0)",
        "BiRNN(attention=1.5)",
    ],
)
def test_wrong_settings_are_refused(text: str) -> None:
    with pytest.raises(CaesuraError, match=text.split("(")[1].split("=")[0]):
        registry.parse("detector", text)


@pytest.mark.parametrize("name", ["CNN", "BiRNN"])
def test_training_without_torch_is_one_clear_error(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    detector = registry.parse("detector", name)
    message = rf"training {name} needs torch, .*pip install 'caesura\[neural\]'"
    with pytest.raises(CaesuraError, match=message):
        detector.train([made_up_recording(1)])
    with pytest.raises(CaesuraError, match=message):
        train_and_tune(detector, [made_up_recording(1)])


def test_an_untrained_net_says_how_to_train_it() -> None:
    with pytest.raises(ModelError, match="caesura train CNN"):
        CNN().detect(Transcript(("we",)))


# With torch

NEEDS = "needs torch: caesura[neural]"
EPOCHS = 30
SIZES = f"vector=8, epochs={EPOCHS}, rate=0.03, dropout=0"
TRAINED = [
    f"CNN({SIZES}, filters=8, hidden=8, before=3, after=3)",
    f"BiRNN({SIZES}, context=4, hidden=8, attention=4)",
]


def trained(text: str) -> NetDetector:
    pytest.importorskip("torch", reason=NEEDS)
    found = registry.parse("detector", text).train([made_up_recording(seed) for seed in range(6)])
    assert isinstance(found, NetDetector)
    return found


@pytest.mark.parametrize("text", TRAINED)
def test_training_gives_the_same_weights_twice(text: str, caplog: pytest.LogCaptureFixture) -> None:
    torch = pytest.importorskip("torch", reason=NEEDS)
    threads, numbers = torch.get_num_threads(), torch.random.get_rng_state()
    with caplog.at_level("INFO", "caesura"):
        one, other = trained(text), trained(text)
    assert {name: array.tobytes() for name, array in one.state().items()} == {
        name: array.tobytes() for name, array in other.state().items()
    }
    losses = [float(each.message.split()[-1]) for each in caplog.records[:EPOCHS]]
    assert caplog.records[EPOCHS - 1].message.startswith(f"  epoch {EPOCHS} of {EPOCHS}: loss ")
    assert losses[-1] < losses[0] / 2
    assert torch.get_num_threads() == threads
    assert (torch.random.get_rng_state() == numbers).all()
    seeded = trained(text.replace(SIZES, f"{SIZES}, seed=2"))
    assert not np.array_equal(seeded.state()["classes.weight"], one.state()["classes.weight"])


@pytest.mark.parametrize("text", TRAINED)
def test_sentences_are_learnt(text: str) -> None:
    """In made-up recordings sentences end in 'stop' and 'now', one word in five."""
    net, given = trained(text), made_up_recording(20, 300)
    assert given.sentences is not None
    found = net.detect(Transcript(given.words))
    assert (found.boundary != given.sentences.boundary).mean() < 0.05
    assert found.label is None or set(found.label) <= {"", *net.classes}


@pytest.mark.parametrize("text", SMALL)
def test_torch_computes_what_numpy_computes(text: str) -> None:
    torch = pytest.importorskip("torch", reason=NEEDS)

    net = random_net(text, KNOWN)
    rows = np.random.default_rng(2).integers(0, 8, (5, net.windows.width))
    other = net.make_net(torch, 8)
    other.load_state_dict({name: torch.from_numpy(one) for name, one in net.model.weights.items()})
    other.eval()
    expected = net.torch_scores(torch, other, torch.from_numpy(rows)).detach().numpy()
    assert net.scores(net.model.weights, rows) == pytest.approx(expected, abs=1e-5)


def test_text_is_learnt_from_too_and_bare_words_teach_nothing() -> None:
    pytest.importorskip("torch", reason=NEEDS)
    detector = registry.parse("detector", TRAINED[0])
    speech = Transcript(("uhm", "er"))
    net = detector.train([speech], (), [made_up_recording(1)])
    assert net.coverage(made_up_recording(2)) == 1
    assert net.coverage(speech) == 0
    with pytest.raises(LayerError, match="none of 1 recordings has sentences"):
        detector.train([speech])


def test_a_loss_that_is_no_number_is_one_clear_error() -> None:
    torch = pytest.importorskip("torch", reason=NEEDS)
    from caesura.ml.neural.torch_training import Schedule, fit

    rows, labels = np.zeros((2, 3), np.int64), np.zeros((2, 3), np.int64)
    with pytest.raises(CaesuraError, match="lower the rate"):
        fit(
            torch,
            lambda: torch.nn.ModuleDict({"words": torch.nn.Embedding(1, 2)}),
            lambda net, batch: net["words"](batch) * float("nan"),
            rows,
            labels,
            Schedule(1, 0.1, 2, 1),
        )
