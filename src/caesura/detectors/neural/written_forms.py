"""How words that usually have capitals are written, learnt from text: Berlin, NATO, iPhone.

These lists are the only text inside a trained net. They hold words alone: no addresses, and no
numbers of documents or telephones.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from caesura.detectors.neural.encoder import CAPITALISED, UPPER
from caesura.detectors.neural.evidence import MIXED, case_class
from caesura.detectors.neural.training_windows import IGNORED, Source

USUAL, FEWEST = 0.7, 8
"""The least share of a word's occurrences inside sentences with its form, and their number."""

FEWEST_MIXED = 5
"""The least number of a word's occurrences in mixed case."""

WORD = re.compile(r"[^\W_]+(?:[.'’&-][^\W_]+)*\.?")
MOST_DIGITS = 2


def written_forms(
    sources: Sequence[Source], words: Sequence[str], counts: Counter[str]
) -> dict[str, str]:
    """Return how words are written that usually have capitals, by their lower case.

    `words` are those of the lexicon of the sources; `counts` says how often each word occurs as it
    is written, from which those in mixed case are learnt.
    """
    found = {**usual_forms(sources, words), **mixed_forms(counts)}
    return {lower: form for lower, form in found.items() if is_word(form)}


def is_word(form: str) -> bool:
    """Whether a form is a word, and not an address or a long number."""
    return bool(WORD.fullmatch(form)) and sum(map(str.isdigit, form)) <= MOST_DIGITS


def mixed_forms(counts: Mapping[str, int]) -> dict[str, str]:
    """Return how words are written that are usually in mixed case, such as iPhone."""
    forms: dict[str, Counter[str]] = {}
    for word, count in counts.items():
        forms.setdefault(word.lower(), Counter())[word] += count
    found = {}
    for lower, own in forms.items():
        form, count = own.most_common(1)[0]
        if count >= FEWEST_MIXED and case_class(form) == MIXED and " " not in form:
            found[lower] = form
    return found


def usual_forms(sources: Sequence[Source], words: Sequence[str]) -> dict[str, str]:
    """Return how words are written that usually have capitals, also inside sentences."""
    counts = np.zeros((len(words), 4), np.int64)
    for source in sources:
        inside = np.append(False, np.isin(source.target[:-1], (0, 1)))
        known = inside & (source.case != IGNORED)
        np.add.at(counts, (source.words[known], source.case[known]), 1)
    total = counts.sum(axis=1)
    found = {}
    for case in (CAPITALISED, UPPER):
        enough = (total >= FEWEST) & (counts[:, case] >= USUAL * total)
        for at in np.flatnonzero(enough).tolist():
            word = words[at]
            form = word.upper() if case == UPPER else word[:1].upper() + word[1:]
            if form != word and form.lower() == word and " " not in word:
                found[word] = form
    return found
