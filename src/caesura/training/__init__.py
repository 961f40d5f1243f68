"""Training of detectors, taggers and entity models, tuning of their settings, and adapting them.

Open `run.py` first: its `train` is what `caesura train` calls. `data.py` reads and checks the
training and development recordings, and `search.py` tries settings on the development set.
`adapt.py` fits a stored model to a few sentences and compares it with what it was. How a model is
fitted is written where it lives: in `caesura.detectors`, on top of `caesura.ml`.
"""
