"""Metrics: compare a hypothesis with one or more references. One file a metric.

What they share (counting by gap, averaging over references, the cache of results) is in `base`;
open it first, then `boundary` for a metric in its simplest form. `windowdiff` holds Pk and
WindowDiff, `majority` also KolarLamel. Larger metrics have files for their parts: `joint_*`,
`entity_*`, `atene_risks`.

Not here: alignment and matching of texts (`text`), confidence intervals, tests and signatures
(`evaluation`). The contract of a metric is `core.protocols.Metric`; names are in `core.registry`.
"""
