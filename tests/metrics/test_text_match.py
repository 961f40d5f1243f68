"""Texts that share few words cause a remark, with every metric of words."""

import pytest

from caesura.core.protocols import Metric
from caesura.core.transcript import Transcript
from caesura.metrics.entities import Entities
from caesura.metrics.words import Words
from metrics.margins import metric as atene
from metrics.margins import spoken

pytest.importorskip("scipy")

SAID = spoken("we met mrs [anna PER] in [new york LOC] today")


@pytest.mark.parametrize("metric", [Words(), Entities(), atene()], ids=lambda each: each.name)
def test_few_shared_words_raise_a_doubt(metric: Metric) -> None:
    other = Transcript(tuple("we trafen gestern keine alten freunde aus oslo".split()))
    doubt = (
        "the hypothesis shares 12% of the words of reference 2: are they the same recordings, in "
        "the same language, with the same normalisation?"
    )
    counts = metric.count(other, [SAID.replace(words=other.words), SAID])
    assert doubt in metric.remarks(counts)
    assert not any("of reference 1" in each for each in metric.remarks(counts))
    assert not any("same recordings" in each for each in metric.remarks(metric.count(SAID, [SAID])))
    assert not any(name.startswith("text_") for name in metric.values(counts))
