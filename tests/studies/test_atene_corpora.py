"""Reading written text for the ATENE study."""

from pathlib import Path

from caesura.core.transcript import Span
from caesura_studies.atene.corpora import read_written

TEXT = "It O\n's O\nAnna B-person\n'S O\ndog O\n. O\n"


def test_words_are_cut_as_in_calls(tmp_path: Path) -> None:
    folder = tmp_path / "ner" / "wikigold"
    folder.mkdir(parents=True)
    (folder / "wikigold.conll.txt").write_text(TEXT, "utf-8")
    (found,) = read_written(tmp_path)
    assert found.words == ("It's", "Anna'S", "dog")
    assert found.entities == (Span(1, 1, "PER"),)
