"""Exact matching of the characters of two texts; the basis of the metric `Joint`.

Open `matching` first: `match` pairs equal characters in order and says which tokens and sentences
are correct. Its input, a text as characters with the ends of tokens and sentences, is in `units`.
How it stays fast: `forced_runs` cuts both texts where every best matching must pass, found with
`anchors` (substrings that occur once in both); `lattice` solves the boxes between the cuts by
dynamic programming, and `sentence_matching` those in which sentences start or end.

Throughout, *gold* is the reference and *system* the hypothesis. A *run* (gold, system, length) is
a sequence of matched characters; a *box* (gold start, system start, gold end, system end) is the
part of both texts between two runs. Metrics are not here, but in `metrics.joint`.
"""
