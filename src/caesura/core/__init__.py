"""The foundation: data types, protocols and the registry. Everything else imports from here.

Open `transcript.py` first: a `Transcript` is what formats read, detectors segment and metrics
compare. `segmentation.py` has its sentences and `arrays.py` the columns both are made of;
`values.py` what metrics count and return. `protocols.py` is the contract of formats, metrics,
detectors and others, with `config.py` for settings and training. `registry.py` finds classes by
name, `plugins.py` those of other packages. `errors.py` has every error, `serialize.py` the JSON
form of a transcript, `atomic.py` output that is complete or not there.

No algorithm lives here, and nothing about a single format, metric or detector.
"""
