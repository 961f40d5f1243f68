"""The studies that `caesura reproduce` runs: they compute the numbers of papers again.

Each package is one paper. Its `run(data, out)` is registered as an entry point of the group
`caesura.studies`. Open the `__init__` of a package first: it lists the steps of the study. Shared
by all: `report` writes the report, `claims` tests the claims of papers, `model_cache` stores
trained models, and `lexical` is a baseline detector. Metrics and detectors are not here but in
`caesura`.
"""
