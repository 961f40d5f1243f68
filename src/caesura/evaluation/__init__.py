"""Evaluate systems: pair recordings, score them, compare scores, and report the results.

Open `evaluate.py` first: the options of `score`, `compare` and `agree`, and how systems are
scored. It pairs recordings (`pairing`), makes their texts comparable and counts (`document`), and
returns `scores`, which `comparison` tests. Confidence intervals and tests draw in `resampling`.
`calibration` measures probabilities. `correlation` asks whether metrics predict the results of a
task. `script_alignment` and `project_entities` carry annotations over to recognised words. `quick`
has values in one line. `reports` lays results out.

What a metric counts is in `caesura.metrics`; reading and writing files is in `caesura.formats`.
"""
