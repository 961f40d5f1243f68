"""Numerical methods without any file or detector: words or arrays go in, arrays come out.

Decoding (`viterbi.py`, also forward-backward, and `semi_markov.py`), sequence models (`crf.py`,
`svm.py`), class n-grams and their vocabulary (`ngram.py`, `ngram_counts.py`), maximum entropy
(`maxent.py`), hashed features and their lookup (`features.py`), dependency parsing (`parsing/`) and
neural nets (`neural/`).

Not here: how a transcript becomes arrays (`detectors/`). Start with `viterbi.py`.
"""
