"""Training of detectors, taggers and entity models, and tuning of their settings.

Open `run.py` first: its `train` is what `caesura train` calls. `data.py` reads and checks the
training and development recordings, `search.py` tries settings on the development set, and
`tasks.py` does the same for taggers and entity models. How a model is fitted is written where
it lives: in `caesura.detectors`, on top of `caesura.ml`.
"""
