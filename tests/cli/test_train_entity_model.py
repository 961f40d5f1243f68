"""`caesura train` of an entity model, and ATENE with it, as a shell sees them."""

import json
from pathlib import Path

import pytest

import caesura as package
from caesura.core.transcript import Span, Transcript
from caesura.models import store
from cli.running import Program
from detectors.toy_entities import entity_text

pytest.importorskip("scipy")

SHORT = ("train", "Margins(affixes=False)", "--train", "train.bio", "--output", "model")
SCORE = ("score", "heard.jsonl", "--reference", "said.bio", "--metric", "ATENE(model='model')")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    package.write([entity_text(1), entity_text(2)], output="train.bio")
    package.write([entity_text(3)], output="dev.bio")
    Path("bare.txt").write_text("So it goes. And so on.")
    said = entity_text(4)
    heard = tuple("rum" if word == "Rome" else word.lower() for word in said.words)
    package.write([said], output="said.bio")
    package.write([Transcript(heard, id="said")], output="heard.jsonl")


def test_trains_tunes_and_writes_a_model(caesura: Program) -> None:
    done = caesura(*SHORT, "--dev", "dev.bio", "--tune", "ridge=1,1000000")
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[0].startswith("Margins on the development recordings, tuned for f1")
    assert lines[2].split() == "ridge precision recall f1 log_loss choice".split()
    assert lines[4].split()[-1] == "best"
    stored = store.load("model")
    assert stored.card.scores["f1"] > 0.9
    assert stored.entity_model.settings["ridge"] == 1
    assert "classes: LOC PER" in stored.card.notes


def test_a_model_that_finds_no_entity_is_reported_at_once(caesura: Program) -> None:
    package.write(
        [Transcript(("Then", "Xu", "met"), entities=(Span(1, 1, "PER"),))], output="xu.bio"
    )
    asked = ("train", "Margins(ridge=1000000)", "--train", "train.bio", "--output", "model")
    done = caesura(*asked, "--dev", "xu.bio")
    assert done.code == 0, done.err
    assert "none of the names of the development recordings is found" in done.err
    assert done.out.splitlines()[2].split() == "precision recall f1 log_loss".split()
    assert "none of the names" not in caesura(*SHORT, "--dev", "dev.bio").err


def test_signatures_have_the_checksum_that_models_prints(caesura: Program) -> None:
    caesura(*SHORT)
    checksum = caesura("models", "model").out.partition("checksum")[2].split(",")[0].strip()
    assert f"|model={checksum}|" in caesura(*SCORE).out


def test_a_tagger_may_be_trained_on_other_texts(caesura: Program) -> None:
    from detectors.toy_tags import tagged_text

    package.write([tagged_text(1)], output="tags.conllu")
    asked = ("train", "Margins(tagger=Tagger())", "--train", "train.bio", "--output", "model")
    done = caesura(*asked, "--text", "tags.conllu")
    assert done.code == 0, done.err
    assert any(name.startswith("tagger.") for name in store.load("model").learner.state())


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--train", "bare.txt"], "of 3 recordings to train on 1 has no entities, such as bare"),
        (["--dev", "bare.txt"], "of 1 recording to tune on 1 has no entities"),
        (["--dev", "dev.bio", "--tune", "bias=1"], "Margins has no setting 'bias'"),
    ],
)
def test_wrong_uses_get_one_clear_line(caesura: Program, more: list[str], message: str) -> None:
    done = caesura(*SHORT, *more)
    assert done.code == 1
    assert message in done.err.splitlines()[-1]
    assert not Path("model").exists()


def test_an_entity_model_segments_nothing(caesura: Program) -> None:
    assert caesura(*SHORT).code == 0
    for model in ("model", "atene"):
        done = caesura("segment", "bare.txt", "--detector", model)
        assert done.code == 1
        assert f"the model {model} is a Margins, and a detector is wanted" in done.err


def test_entity_models_are_listed(caesura: Program) -> None:
    assert "Margins" in caesura("list", "entity-models").out
    assert "atene" in caesura("models").out


def test_the_most_harmful_errors_come_first(caesura: Program) -> None:
    assert caesura(*SHORT).code == 0
    done = caesura(*SCORE)
    assert done.code == 0, done.err
    assert "Names that became harder to find, the most harmful first" in done.out
    assert "the loss is the sum over all occurrences" in done.out
    table = done.out.partition("Names that became")[2].splitlines()
    first = next(line for line in table if line.startswith("LOC"))
    assert first.split()[:3] == ["LOC", "rome", "rum"]
    assert "|model=" in done.out


def test_json_has_the_losses(caesura: Program) -> None:
    assert caesura(*SHORT).code == 0
    found = json.loads(caesura(*SCORE, "--json").out)["scores"][0]
    assert found["values"]["atene"] > 0
    losses = [each["loss"] for each in found["disagreements"]]
    assert losses == sorted(losses, reverse=True)
    assert found["disagreements"][0]["reference"] == "rome"


NLP = (
    "token|speaker|ts|endTs|punctuation|case|tags|wer_tags\n"
    + "then|0||||LC|[]|[]\nRome|0||||UC|[]|['1']\nfell|0|||.|LC|[]|[]\n" * 9
    + "in|0||||LC|[]|[]\n9|0|||.|N/A|['2:CARDINAL']|[]\n" * 3
)
CLASSES = ("train", "Margins", "--train", "calls", "--format", "nlp(entities='both')")


@pytest.fixture
def _calls() -> None:
    for name in ("calls", "beside"):
        Path(name).mkdir()
    Path("calls/one.nlp").write_text(NLP, "utf-8")
    for name in ("one", "other"):
        Path(f"beside/{name}.wer_tag.json").write_text('{"1": {"entity_type": "GPE"}}', "utf-8")


@pytest.mark.usefixtures("_calls")
def test_classes_may_be_in_sidecar_files(caesura: Program) -> None:
    done = caesura(*CLASSES, "--entity-classes", "beside", "--output", "model")
    assert done.code == 0, done.err
    assert store.load("model").entity_model.classes == ("CARDINAL", "GPE")
    assert "no class" not in done.err
    assert "after no recording" not in done.err


@pytest.mark.usefixtures("_calls")
def test_entities_without_a_class_are_reported(caesura: Program) -> None:
    done = caesura(*CLASSES, "--output", "model")
    assert done.code == 0, done.err
    assert store.load("model").entity_model.classes == ("CARDINAL",)
    (line,) = (line for line in done.err.splitlines() if "no class" in line)
    assert "9 entities have no class and are left out" in line
    assert "--entity-classes wer_tags/" in line


@pytest.mark.usefixtures("_calls")
def test_classes_of_no_recording_are_reported(caesura: Program) -> None:
    plain = ("train", "Margins", "--train", "calls", "--output", "model", "--entity-classes")
    done = caesura(*plain, "beside", "--entity-classes", "beside/other.wer_tag.json")
    assert done.code == 0, done.err
    assert "no entity has its class from there" in done.err
    assert "1 file or folder is named after no recording: beside/other.wer_tag.json" in done.err
    done = caesura(*plain, "beside/other.wer_tag.json")
    assert done.code == 1
    last = done.err.splitlines()[-1]
    assert "no file of entity classes is named after one of the recordings" in last


@pytest.mark.usefixtures("_calls")
def test_classes_are_written_in_other_formats(caesura: Program) -> None:
    asked = ("convert", "calls", "--format", "nlp(entities='both')", "--to", "bio")
    assert "B-GPE" in caesura(*asked, "--entity-classes", "beside").out
    assert "B-GPE" not in caesura(*asked).out
