"""Metrics of texts as they were read: no normalisation unless asked for, files as wholes."""

import json
import random
from pathlib import Path

import pytest

from caesura import api
from caesura.core.errors import MismatchError
from caesura.core.values import Undefined
from caesura.formats import files

GOLD = """\
# newdoc id = one
1	Hello	hello	INTJ	_	_	0	root	_	_
2	.	.	PUNCT	_	_	1	punct	_	_

# newdoc id = two
1	Bye	bye	INTJ	_	_	0	root	_	_
2	.	.	PUNCT	_	_	1	punct	_	_

"""


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.conllu"
    path.write_text(GOLD)
    return path


@pytest.fixture
def system(tmp_path: Path) -> Path:
    path = tmp_path / "system.txt"
    path.write_text("Hello .\nBye .\n")
    return path


def test_case_and_punctuation_count_unless_taken_away(tmp_path: Path, gold: Path) -> None:
    lower = tmp_path / "lower.txt"
    lower.write_text("hello .\nBye .\n")
    found = api.score(lower, reference=gold, metric="Joint", format="tokens")
    assert (found.values[0]["token_tp"], found.values[0]["token_fn"]) == (3, 1)
    assert "|normalize=none|" in found.signatures[0]
    folded = api.score(lower, reference=gold, metric="Joint", format="tokens", normalize="case")
    assert folded.values[0]["token_tp"] == 4
    assert "|normalize=case|" in folded.signatures[0]


def test_raw_and_other_metrics_go_together(gold: Path, system: Path) -> None:
    found = api.score(system, reference=gold, metric=["Joint", "Boundary"], format="tokens")
    assert found.values[0]["token_tp"] == 4
    assert found.values[1]["f1"] == 1
    assert "|normalize=none|" in found.signatures[0]
    assert "|normalize=case|" in found.signatures[1]


def test_documents_of_a_file_are_one_if_the_other_side_is(gold: Path, system: Path) -> None:
    found = api.score(system, reference=gold, metric="Joint", format="tokens")
    assert [each.id for each in found.documents] == ["system"]
    turned = api.score(gold, reference=system, metric="Joint", reference_format="tokens")
    assert turned.values[0]["sentence_tp"] == 2
    apart = api.score(gold, reference=gold, metric="Joint")
    assert len(apart.documents) == 2


def test_the_format_of_the_hypothesis_is_that_of_references_it_fits(
    gold: Path, system: Path
) -> None:
    assert files.fits(system, "tokens")
    assert not files.fits(gold, "tokens")
    assert files.fits(gold, "conllu")
    assert files.fits(gold.with_suffix(".xyz"), "tokens")
    assert not files.fits(gold, None)


def test_names_that_come_again_are_of_parts(gold: Path, tmp_path: Path) -> None:
    twice = tmp_path / "twice.conllu"
    twice.write_text(GOLD * 2)
    found = api.score(twice, reference=twice, metric="Joint")
    assert len(found.documents) == 1
    assert found.values[0]["token_tp"] == 8


@pytest.mark.parametrize("suffix", ["conllu", "txt"])
@pytest.mark.parametrize("content", ["", "\n\n"])
def test_a_file_without_content_is_a_text_without_words(
    gold: Path, tmp_path: Path, suffix: str, content: str
) -> None:
    empty = tmp_path / f"empty.{suffix}"
    empty.write_text(content)
    format = "tokens" if suffix == "txt" else None
    values = api.score(empty, reference=gold, metric="Joint", format=format).values[0]
    assert [values[f"token_{kind}"] for kind in ("tp", "fp", "fn")] == [0, 0, 4]
    turned = api.score(gold, reference=empty, metric="Joint", reference_format=format).values[0]
    assert [turned[f"sentence_{kind}"] for kind in ("tp", "fp", "fn")] == [0, 2, 0]
    both = api.score(empty, reference=empty, metric="Joint", format=format).values[0]
    assert both["token_f1"] == Undefined("no token anywhere")


def test_text_outside_the_tokens_of_a_system_is_no_token(tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.txt", tmp_path / "system.json"
    gold.write_text("I can not go .\nWe will .\n")
    tokens = [[0, 1], [2, 5], [6, 9], [10, 12], [14, 16], [17, 21]]
    sentences = [[0, 13], [14, 22]]
    system.write_text(
        json.dumps({"text": "I can not go. We will.", "tokens": tokens, "sentences": sentences})
    )
    values = api.score(system, reference=gold, metric="Joint", reference_format="tokens").values[0]
    assert [values[f"token_{kind}"] for kind in ("tp", "fp", "fn")] == [6, 0, 2]


def test_the_recording_that_cannot_be_aligned_is_named(tmp_path: Path) -> None:
    chance = random.Random(1)
    for side in "ab":
        (tmp_path / side).mkdir()
        (tmp_path / side / "x.txt").write_text("so it is .\n")
        other = "abcde" if side == "a" else "vwxyz"
        words = ["".join(chance.choices(other, k=4)) for _ in range(40_000)]
        (tmp_path / side / "y.txt").write_text(" ".join(words) + "\n")
    with pytest.raises(MismatchError, match=r"^y: hypothesis and reference differ too much"):
        api.score(tmp_path / "a", reference=tmp_path / "b", metric="Joint", format="tokens")
