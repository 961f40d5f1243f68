"""The studies that `caesura reproduce` runs: papers' numbers computed again, on more data.

Each package is one paper; its `run(data, out)` is registered as an entry point of the group
`caesura.studies`. Open a package's `__init__` first: it lists the steps of that study.
"""
