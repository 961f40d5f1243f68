"""`caesura models`: which models there are, and what is known of one."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import caesura as package
from caesura import api
from caesura.core.errors import ModelError
from caesura.models import store
from caesura.models.store import Card
from cli.running import Program
from tiny import register, trained_tiny

FULL = Card(
    about="Pauses and words of calls about earnings, from two corpora of spoken English",
    language="en",
    licence="CC BY-SA 4.0",
    data=(
        {"name": "calls", "purpose": "train", "recordings": 12, "words": 90000, "sentences": 5100},
        {"name": "speeches", "purpose": "dev", "recordings": 3, "words": 800, "sentences": 41},
    ),
    scores={"goal": "f1", "precision": 0.75, "recall": 0.6, "f1": 2 / 3, "ser": None},
    curve=(
        {"lm.order": 2, "bias": 0.25, "f1": 0.6, **{f"setting number {i}": i for i in range(9)}},
        {"lm.order": 3, "bias": -1.5, "f1": 2 / 3},
    ),
    notes="words normalised before training: case\nand \x1b[31mcoloured",
)


@pytest.fixture(autouse=True)
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    register(monkeypatch)
    monkeypatch.setattr(store, "files", lambda _: tmp_path)
    store.save(tmp_path / "models" / "en", trained_tiny(), FULL)
    store.save(tmp_path / "models" / "an-enormously-long-name", trained_tiny(), Card())
    return tmp_path


def test_a_line_for_each_model_that_ships(caesura: Program) -> None:
    done = caesura("models")
    assert done.code == 0
    head, rule, second, first, *more = done.out.splitlines()
    assert head.split() == "model for detector size F1 licence what it is".split()
    assert set(rule) == {"─", " "}
    assert second.split() == ["an-enormously…", *"– Tiny 451 B – – –".split()]
    assert first.startswith("en              en   Tiny      451 B  0.667  CC BY-SA 4.0  Pauses")
    about = [first.partition("4.0  ")[2], *map(str.strip, more)]
    assert " ".join(about) == FULL.about
    assert max(map(len, done.out.splitlines())) <= 80


def test_the_whole_card_of_one(caesura: Program, house: Path) -> None:
    by_name = caesura("models", "en")
    assert by_name == caesura("models", house / "models" / "en")
    lines = by_name.out.splitlines()
    assert lines[0] == "model      en"
    assert f"detector   {trained_tiny()!r}" in lines
    assert "size       451 B" in lines
    shown = api.list_models("en")[0].checksum[:12]
    assert f"checksum   {shown}, the model= of signatures" in lines
    assert "notes      words normalised before training: case and �[31mcoloured" in lines
    assert "calls     train            12  90000       5100" in lines
    assert "f1       0.7500  0.6000  0.6667    –" in lines
    tried = [line.split() for line in lines if line.startswith(("2 ", "3 "))]
    assert tried[:2] == [["2", "0.2500", "0.6000", *"0123"], ["3", "-1.5000", "0.6667", *"––––"]]
    assert tried[2:] == [["2", *"45678"], ["3", *"–––––"]]
    assert max(map(len, lines)) <= 80
    assert "\x1b" not in by_name.out


def test_the_list_has_the_short_name_of_a_licence(caesura: Program, house: Path) -> None:
    licence = "CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/); learnt from calls"
    store.save(house / "models" / "free", trained_tiny(), replace(FULL, licence=licence))
    assert " CC BY 4.0  " in caesura("models").out
    assert "…" not in caesura("models", "free", house / "models" / "free").out
    assert "by/4.0/" in caesura("models", "free").out


def test_scores_too_wide_for_a_row_stand_under_each_other(caesura: Program, house: Path) -> None:
    scores = {"precision": 0.75, **{f"f1_of_corpus_{i}": 0.5 for i in range(6)}}
    store.save(house / "models" / "wide", trained_tiny(), replace(FULL, scores=scores, curve=()))
    shown = caesura("models", "wide").out
    rows = shown.partition("On development recordings\n\n")[2].splitlines()
    assert [line.split() for line in rows[2:]] == [
        [name, f"{value:.4f}"] for name, value in scores.items()
    ]


def test_a_bare_card_is_short(caesura: Program) -> None:
    lines = caesura("models", "an-enormously-long-name").out.splitlines()
    assert lines[0] == "model      an-enormously-long-name"
    assert lines[1] == "what it is –"
    assert lines[-1] == "notes      –"


def test_json_is_the_cards_as_they_are(caesura: Program, house: Path) -> None:
    found = json.loads(caesura("models", "--json").out)
    files = [house / "models" / name / "card.json" for name in ("an-enormously-long-name", "en")]
    assert found == [json.loads(file.read_text()) for file in files]
    assert json.loads(caesura("models", "en", "--json").out) == found[1:]


def test_several_are_a_line_each(caesura: Program, house: Path) -> None:
    done = caesura("models", "en", house / "models" / "en")
    assert [line.split()[0] for line in done.out.splitlines()].count("en") == 2


def test_without_models_the_list_is_empty(
    caesura: Program, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(store, "files", lambda _: tmp_path / "elsewhere")
    assert caesura("models").out == "There are no models.\n"
    assert caesura("models", "--json").out == "[]\n"


def test_problems_are_reported_in_one_line(caesura: Program, house: Path) -> None:
    done = caesura("models", "fr")
    known = "an-enormously-long-name, en"
    assert (done.code, done.out) == (1, "")
    assert done.err == (
        "caesura: fr: there is no such model; name a model folder, "
        f"or a model that ships: {known}\n"
    )
    card = house / "models" / "en" / "card.json"
    card.write_bytes(card.read_bytes().replace(b"earnings", b"Earnings"))
    for arguments in (["models"], ["models", "en", "--json"], ["models", "en"]):
        done = caesura(*arguments)
        assert (done.code, done.out) == (1, "")
        assert done.err == (
            f"caesura: {card}: the card is damaged: its checksum is wrong; "
            "copy it again from where it came, or train it anew\n"
        )


def test_a_damaged_model_does_not_segment(caesura: Program, house: Path) -> None:
    (house / "talk.txt").write_text("we know the words of this small talk\n")
    assert caesura("segment", house / "talk.txt", "--detector", "en", "--format", "text").code == 0
    other = store.save(house / "other", trained_tiny().adjusted(bias=1.0), Card())
    (other / "arrays.safetensors").write_bytes(b"")
    done = caesura("segment", house / "talk.txt", "--detector", other, "--format", "text")
    assert (done.code, done.out) == (1, "")
    assert "arrays.safetensors: the arrays are damaged" in done.err
    assert len(done.err.splitlines()) == 1


def test_the_function_takes_one_or_several(house: Path) -> None:
    assert package.list_models is api.list_models
    (card,) = api.list_models("en")
    assert api.list_models(house / "models" / "en") == [card]
    assert api.list_models(["en"]) == api.list_models()[1:] == [card]
    with pytest.raises(ModelError, match="no such model"):
        api.list_models("fr")


RELIABILITY = ({"low": 0.0, "high": 0.1, "gaps": 90, "predicted": 0.05, "observed": 0.02},)


def test_a_card_shows_how_far_probabilities_can_be_trusted(caesura: Program, house: Path) -> None:
    measured = replace(FULL, reliability=RELIABILITY, scores={**FULL.scores, "ece": 0.0312})
    store.save(house / "models" / "sure", trained_tiny(), measured)
    out = caesura("models", "sure").out
    assert "Probabilities and the share of boundaries" in out
    assert "0.0312" in out
    assert max(map(len, out.splitlines())) <= 80
    assert store.read_card(house / "models" / "sure").reliability == RELIABILITY
    assert "reliability" not in FULL.to_document()


def test_reliability_is_drawn(caesura: Program, house: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    store.save(house / "models" / "sure", trained_tiny(), replace(FULL, reliability=RELIABILITY))
    plot = tmp_path / "plot.svg"
    assert caesura("models", "sure", "--reliability", plot).code == 0
    assert plot.read_bytes().startswith(b"<?xml")
    assert caesura("models", "--reliability", plot).code == 2
    refused = caesura("models", "en", "--reliability", plot)
    assert refused.code == 1
    assert "train the model with --dev" in refused.err
