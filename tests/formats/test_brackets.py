"""Words in round brackets in references of NIST: words like others, as sclite has them."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from caesura import api
from caesura.formats.base import Source
from caesura.formats.nist.stm import Stm
from caesura.formats.nist.trn import Trn

SCLITE = shutil.which("sctk")
Cases = list[tuple[str, str, tuple[int, int, int, int]]]

COUNTS = ("hits", "substitutions", "deletions", "insertions")

MISSING: Cases = [
    ("a (uh) b", "a b", (2, 0, 1, 0)),
    ("a (uh) b", "a x b", (2, 1, 0, 0)),
    ("(uh)", "", (0, 0, 1, 0)),
    ("a (%hesitation) b", "a b", (2, 0, 1, 0)),
    ("a (%hesitation) b", "a uh b", (2, 1, 0, 0)),
    ("a (th-) the b", "a the b", (3, 0, 1, 0)),
    ("a (th-) the b", "a this the b", (3, 1, 0, 0)),
    ("a th- the b", "a the b", (3, 0, 1, 0)),
    ("a (uh um) b", "a b", (2, 0, 2, 0)),
    ("a ((unclear words)) b", "a b", (2, 0, 2, 0)),
    ("a [noise] b", "a b", (2, 0, 1, 0)),
    ("a (uh) b", "a (uh) b", (3, 0, 0, 0)),
    ("a { uh / @ } b", "a b", (2, 0, 0, 0)),
    ("a { uh / @ } b", "a uh b", (3, 0, 0, 0)),
    ("a { (uh) / @ } b", "a b", (2, 0, 0, 0)),
]
"""A reference, a hypothesis, and the counts that sclite has too."""

WITHOUT: Cases = [
    ("a (uh) b", "a uh b", (3, 0, 0, 0)),
    ("a (th-) the b", "a th- the b", (4, 0, 0, 0)),
    ("a ((unclear words)) b", "a unclear words b", (4, 0, 0, 0)),
]
"""The same, where sclite takes the brackets for letters and counts substitutions."""


def files(folder: Path, cases: Cases) -> tuple[Path, Path]:
    """Write references and hypotheses as TRN."""
    paths = folder / "ref.trn", folder / "hyp.trn"
    for side, path in enumerate(paths):
        lines = [f"{case[side]} (s-{at:03d})\n" for at, case in enumerate(cases)]
        path.write_text("".join(lines))
    return paths


def test_counts_of_words_in_brackets(tmp_path: Path) -> None:
    reference, hypothesis = files(tmp_path, MISSING + WITHOUT)
    found = api.score(
        hypothesis, reference=reference, metric="Words(weights='sclite')", resamples=0
    )
    counts = [tuple(each.counts[0][f"{name}_1"] for name in COUNTS) for each in found.documents]
    assert counts == [case[2] for case in MISSING + WITHOUT]


@pytest.mark.skipif(not SCLITE, reason="needs sclite (Debian package sctk)")
def test_sclite_counts_them_so(tmp_path: Path) -> None:
    files(tmp_path, MISSING + WITHOUT)
    names = ["-r", "ref.trn", "trn", "-h", "hyp.trn", "trn"]
    command = [str(SCLITE), "sclite", *names, "-i", "rm", "-o", "pra", "stdout"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    shown = re.findall(r"id: \(s-(\d+)\)\nScores: \(#C #S #D #I\) (.*)\n", done.stdout)
    theirs = {int(at): tuple(map(int, counts.split())) for at, counts in shown}
    assert [theirs[at] for at in range(len(MISSING))] == [case[2] for case in MISSING]
    for at, (_, _, ours) in enumerate(WITHOUT, len(MISSING)):
        hits, substitutions, *others = theirs[at]
        assert substitutions > 0
        assert (hits + substitutions, others) == (ours[0], [0, 0])


def test_only_the_last_brackets_are_the_id() -> None:
    (found,) = Trn().parse(Source("a.trn", b"a (uh) (x-1)\n"))
    assert (found.id, found.words, found.alternatives) == ("x-1", ("a", "uh"), None)


def test_brackets_in_stm_are_no_alternatives_either() -> None:
    (found,) = Stm().parse(Source("a.stm", b"talk 1 Ana 0 1 a (uh) { (um) / @ } (th-)\n"))
    assert found.words == ("a", "uh", "um", "th-")
    assert [reading[:3] for reading in found.alternatives or ()] == [(2, 2, "")]


def test_alternatives_of_a_hypothesis_do_not_count(tmp_path: Path) -> None:
    (tmp_path / "ref.trn").write_text("a b (x1)\na uh b (x2)\n")
    (tmp_path / "hyp.trn").write_text("a { uh / @ } b (x1)\na { x / uh } b (x2)\n")
    found = api.score(
        tmp_path / "hyp.trn", reference=tmp_path / "ref.trn", metric="Words", resamples=0
    )
    values = found.values[0]
    assert tuple(values[name] for name in COUNTS) == (4, 1, 0, 1)
