"""Dependency parsing together with sentence boundaries.

`arcs.py` scores which unit is the head of which, `chart.py` the trees of short spans, and
`boundary_search.py` finds the best boundaries and trees, also while units arrive.

Not here: how words become units (`detectors/syntax/`). Start with `arcs.py`.
"""
