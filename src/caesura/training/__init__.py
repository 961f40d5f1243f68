"""Training of detectors, taggers and entity models, and tuning of their settings.

Open `run.py` first: its `train` is what `caesura train` calls. `data.py` reads and checks the
training and development recordings, and `search.py` tries settings on the development set. How a
model is fitted is written where it lives: in `caesura.detectors`, on top of `caesura.ml`.
"""
