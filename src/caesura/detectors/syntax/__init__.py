"""Detectors that label words and parse them: `CRF`, `SVM` and `SDA` of Oba, Hori and Nakamura.

`chunking.py` is the base class of `CRF` and `SVM` (`crf_svm.py`), with their features.
`sda.py` finds boundaries and dependency arcs together, `sda_stream.py` while words arrive.
`dependency_parser.py` parses sentences that are given.

Not here: the models and the search (`ml/crf.py`, `ml/svm.py`, `ml/parsing/`). Start with
`chunking.py`.
"""
