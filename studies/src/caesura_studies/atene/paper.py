"""Printed numbers: Ben Jannet et al. 2015, and Rev's own word error rates of these calls."""

from __future__ import annotations

TABLE_2 = {
    "WER": "0.49",
    "NE-WER": "0.61",
    "ATENE": "0.69",
    "ATENE, affixes": "0.71",
    "ATENE, POS": "0.69",
    "ATENE, affixes, POS": "0.71",
    "ATENE, capitals": "0.60",
    "ATENE, affixes, capitals": "0.66",
    "ATENE, POS, capitals": "0.59",
    "ATENE, affixes, POS, capitals": "0.65",
}
"""Mean correlation with ETER: six recognisers, seven taggers, fifteen shows of French radio."""

RECOGNISERS = (
    *("google", "amazon", "microsoft", "speechmatics"),
    *("rev-kaldi", "rev-espnet", "kaldi-librispeech"),
)
"""The order of the columns below."""

CALLS = 44
"""The number of calls in Rev's rates."""

WER = (17.8, 17.0, 15.8, 16.0, 13.2, 12.8, 48.8)
"""Of all calls, by fstalign with all alternatives (Rev, earnings21/transcripts/README.md)."""

CLASS_WER = {
    "CARDINAL": (17.8, 18.3, 7.4, 11.1, 4.4, 3.9, 22.9),
    "DATE": (9.8, 7.8, 5.0, 6.5, 5.5, 5.1, 30.8),
    "EVENT": (12.2, 66.2, 20.9, 17.6, 7.7, 4.6, 62.9),
    "FAC": (40.7, 40.0, 34.8, 44.1, 36.1, 46.2, 60.2),
    "GPE": (22.5, 21.1, 25.6, 26.8, 26.1, 22.8, 54.9),
    "LAW": (27.0, 22.2, 14.9, 30.2, 11.6, 12.1, 39.4),
    "LOC": (8.8, 8.0, 9.6, 9.5, 12.8, 14.3, 33.3),
    "MONEY": (23.7, 18.4, 11.9, 12.2, 6.0, 6.7, 26.9),
    "NORP": (21.3, 19.6, 20.4, 23.4, 23.8, 28.1, 46.0),
    "ORDINAL": (7.3, 8.3, 7.6, 8.6, 8.2, 5.0, 33.4),
    "ORG": (35.9, 39.9, 35.6, 44.3, 32.5, 36.0, 68.8),
    "PERCENT": (49.7, 13.3, 11.5, 26.1, 3.3, 2.8, 42.6),
    "PERSON": (48.2, 46.6, 45.2, 51.7, 46.8, 50.1, 75.5),
    "PRODUCT": (40.5, 42.8, 32.7, 53.0, 34.9, 40.3, 61.5),
    "QUANTITY": (19.0, 19.6, 15.2, 14.6, 10.6, 13.1, 40.2),
    "TIME": (10.0, 7.9, 6.5, 9.0, 10.0, 6.0, 39.3),
    "WORK_OF_ART": (27.2, 28.4, 21.4, 28.4, 23.5, 31.8, 51.8),
    "YEAR": (21.6, 19.9, 3.2, 16.4, 1.6, 1.9, 13.5),
}
"""The same by class, per cent."""
