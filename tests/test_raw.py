"""Metrics of texts as they were read: no normalisation unless asked for, files as wholes."""

from pathlib import Path

import pytest

from caesura import api
from caesura.errors import UnknownName
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


def test_printed_algorithms_are_run_by_metrics_that_have_one(gold: Path, system: Path) -> None:
    found = api.score(system, reference=gold, metric="Joint", format="tokens", literal=True)
    assert found.metrics[0].settings["literal"]
    assert found.values[0]["sentence_tp"] == 2
    with pytest.raises(UnknownName, match="Boundary has no setting 'literal'"):
        api.score(system, reference=gold, format="tokens", literal=True)


def test_names_that_come_again_are_of_parts(gold: Path, tmp_path: Path) -> None:
    twice = tmp_path / "twice.conllu"
    twice.write_text(GOLD * 2)
    found = api.score(twice, reference=twice, metric="Joint")
    assert len(found.documents) == 1
    assert found.values[0]["token_tp"] == 8
