"""Neural detectors. They run with numpy; training needs torch, the extra `neural`.

Start with `encoder.py`, the detector behind the model `en`; `evidence.py` says what it sees of a
transcript besides the words. Nets as such are in `ml/neural/`.
"""
