"""The detector Column: values of another system are read as they are, or refused."""

import json
from math import log
from pathlib import Path

import numpy as np
import pytest

from caesura import api
from caesura.core.errors import LayerError
from caesura.core.transcript import Transcript
from caesura.detectors.column import LEAST, Column


def with_column(*cells: float, name: str = "bert") -> Transcript:
    words = tuple(chr(ord("a") + i) for i in range(len(cells)))
    return Transcript(words, id="talk", evidence={name: np.array(cells)})


def test_log_odds_are_taken_as_they_are() -> None:
    found = Column("bert", bias=0.5).detect(with_column(-1, 0, 0.25, -3))
    assert found.log_odds is not None
    assert found.log_odds.tolist() == [-0.5, 0.5, 0.75, -2.5]
    assert found.gaps.tolist() == [1, 2, 3]


def test_probabilities_become_log_odds() -> None:
    found = Column("bert", scale="probability").log_odds(with_column(0.5, 0.8, 0.1, 0.2))
    np.testing.assert_allclose(found, [0, log(4), -log(9), -log(4)], rtol=1e-12)


def test_certain_probabilities_are_clipped() -> None:
    most = log((1 - LEAST) / LEAST)
    found = Column("bert", scale="probability").log_odds(with_column(0, 1, 1e-12, 1 - 1e-12))
    np.testing.assert_allclose(found, [-most, most, -most, most], rtol=1e-9)


@pytest.mark.parametrize("scale", ["log_odds", "probability"])
def test_a_missing_value_has_log_odds_0(scale: str) -> None:
    found = Column("bert", scale=scale, bias=-0.25).log_odds(with_column(np.nan, np.nan))
    assert found.tolist() == [-0.25, -0.25]


@pytest.mark.parametrize(("value", "shown"), [(1.5, "1.5"), (-0.1, "-0.1"), (1e300, "1e+300")])
def test_a_value_that_is_no_probability_is_named(value: float, shown: str) -> None:
    with pytest.raises(LayerError) as caught:
        Column("bert", scale="probability").log_odds(with_column(0.1, np.nan, value, 7))
    assert f"talk: {shown} after word 3, 'c', is no probability; " in str(caught.value)


def test_a_missing_column_is_named_with_those_that_are_there() -> None:
    given = with_column(1, 2, name="prosody")
    assert Column("bert").lacks(given) == "there is no column of evidence 'bert', only 'prosody'"
    with pytest.raises(
        LayerError, match=r"^talk: there is no column of evidence 'bert', only 'pro"
    ):
        Column("bert").detect(given)
    with pytest.raises(LayerError, match="no column of evidence 'bert', and no other; name"):
        Column("bert").detect(Transcript(("a",)))
    assert Column("prosody").lacks(given) == ""


def test_a_recording_without_words_lacks_nothing() -> None:
    assert len(Column("bert").detect(Transcript(()))) == 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"column": ""}, "column is the name"),
        ({"column": 3}, "column is the name"),
        ({"column": "x", "scale": "percent"}, "scale is one of"),
        ({"column": "x", "bias": np.inf}, "bias is a number"),
        ({"column": "x", "bias": "1"}, "bias is a number"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Column(**settings)  # type: ignore[arg-type]


def test_segments_a_file_with_such_a_column(tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    line = {
        "id": "talk",
        "words": ["so", "it", "goes", "next", "please"],
        "evidence": {"bert": [0.1, None, 0.9, 0.4, 0.99]},
    }
    file.write_text(json.dumps(line), encoding="utf-8")
    (found,) = api.segment(file, detector="Column('bert', scale='probability')")
    assert [s.text for s in found.iter_sentences()] == ["So it goes.", "Next please."]
