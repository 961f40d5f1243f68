"""The chapter of the WiSeBE study on the paper's systems, with small nets on synthetic corpora."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from caesura.core.errors import FormatError
from caesura.core.transcript import Transcript
from caesura.detectors.neural.birnn import BiRNN
from caesura.detectors.neural.cnn import CNN
from caesura.evaluation.resampling import Resampling
from caesura.formats.files import read_file
from caesura.models import store
from caesura_studies.report import Outcome
from caesura_studies.wisebe import MODELS, chapter_agreement, chapter_claims, chapter_video, run
from caesura_studies.wisebe.neural_systems import NetPlan, trained_nets, training_texts
from studies import synthetic
from studies.written import report, results

PLAN = NetPlan(
    {
        "S1": CNN(vector=8, filters=8, hidden=8, before=3, after=3, epochs=20, rate=0.02),
        "S2": BiRNN(vector=8, hidden=8, attention=4, context=4, epochs=2, rate=0.02),
    },
    words=1000,
)
HELP = (
    "- Left out: The paper's systems, trained again "
    "(training them needs torch: pip install 'caesura[neural]')."
)


@pytest.fixture(scope="module", autouse=True)
def fewer_resamples() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for module in (chapter_agreement, chapter_claims, chapter_video):
            patch.setattr(module, "RESAMPLING", Resampling(100))
        yield


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return synthetic.corpora(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("study")


@pytest.fixture(scope="module")
def outcome(data: Path, out: Path) -> Outcome:
    pytest.importorskip("torch", reason="needs torch: caesura[neural]")
    return run(data, out, PLAN)


def test_training_texts_are_an_even_sample_with_some_held_out(data: Path) -> None:
    train, held_out = training_texts(data, 500)
    assert sum(map(len, [*train, *held_out])) == 1000
    assert len(held_out) == 1
    assert all(each.sentences is not None and each.speaker is None for each in train)
    assert any("." in (each.mark or ()) for each in train)


def test_doubtful_text_is_left_out(data: Path, tmp_path: Path) -> None:
    synthetic.put(tmp_path / "text-en" / "bitcoin_talks.txt", "we see it.\n" * 2000)
    nets, reason = trained_nets(tmp_path, tmp_path / "models", PLAN)
    assert not nets
    assert reason == "to train them there is no text-en/*.txt and no earnings22/references/*.nlp"


def test_too_little_text_is_one_clear_error(tmp_path: Path) -> None:
    synthetic.put(tmp_path / "text-en" / "scotus.txt", "we see it.\n")
    with pytest.raises(FormatError, match="it takes more text to train the nets"):
        trained_nets(tmp_path, tmp_path / "models", PLAN)


def test_without_torch_one_line_says_how_to_get_it(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    found = run(data, tmp_path, PLAN)
    assert HELP in found.text.splitlines()
    assert found.text.count("Left out") == 1
    assert "### Every two systems" in report(found)


def test_stored_nets_need_no_torch_and_give_the_same_report(
    data: Path, out: Path, outcome: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {file.name: file.read_bytes() for file in outcome.files}
    monkeypatch.setitem(sys.modules, "torch", None)
    again = run(data, out, PLAN)
    assert {file.name: file.read_bytes() for file in again.files} == before


def test_tables_have_the_form_of_the_papers(outcome: Outcome) -> None:
    text = report(outcome)
    chapter = text[text.index("The paper's systems, trained again\n") :]
    assert "Left out" not in outcome.text
    assert re.search(r"\n\| v6, paper +\| S2 +\| +\.500 \| +\.469 \| +\.484 \|", chapter)
    for title in ("(Tables 2 and 3)", "(Table 4)", "(Table 5)"):
        assert chapter.count(title) == 2
    assert chapter.count("| mean of rates |") == 4
    assert outcome.text.count("The paper's systems trained again, on ") == 2


def test_a_net_is_scored_as_counting_by_hand_gives(data: Path, out: Path, outcome: Outcome) -> None:
    found = results(outcome)["nets"]
    for system in ("S1", "S2"):
        net = store.load(out / MODELS / system).detector
        right = total = 0
        for file in sorted((data / "coraal-multi" / "rev" / "nlp").glob("*.nlp")):
            (text,) = read_file(file)
            assert text.sentences is not None
            ours = set(net.detect(Transcript(text.words)).gaps.tolist()) - {len(text) - 1}
            theirs = set(text.sentences.gaps.tolist()) - {len(text) - 1}
            right, total = right + len(ours & theirs), total + len(ours) + len(theirs)
        rows = found["coraal-multi"]["recordings"]
        (over_all,) = (
            each for each in rows if each["recording"] == "all" and each["system"] == system
        )
        (boundary,) = (over_all[key] for key in over_all if key.startswith("Boundary"))
        assert boundary["f1_3"] == pytest.approx(2 * right / total, abs=1e-12)
    assert [each["recording"] for each in found["v6"]["recordings"]] == ["v6", "v6"]


def test_a_net_learns_what_the_texts_teach(outcome: Outcome) -> None:
    """The transcribers blur one end in four; the first net should find most of the others."""
    rows = results(outcome)["nets"]["coraal-multi"]["recordings"]
    (over_all,) = (e for e in rows if (e["recording"], e["system"]) == ("all", "S1"))
    (boundary,) = (over_all[key] for key in over_all if key.startswith("Boundary"))
    assert boundary["f1"] > 0.5
