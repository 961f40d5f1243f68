"""Neural detectors. They run with numpy; training needs torch, the extra `neural`.

`encoder.py` is a transformer that sees all evidence (`evidence.py`), `fast_net.py` a small net that
sees the same; their training is beside them. `pretrained.py` is what an encoder starts from.
`training_windows.py` draws what both nets learn from, with words misheard (`mishearing.py`) and
times as other recognisers give them (`aligner_times.py`).

`cnn.py` and `birnn.py` are the systems S1 and S2 of the WiSeBE paper, each net twice: for torch,
which trains, and for numpy; `net_detector.py` is their base class.

Not here: layers and training loops as such (`ml/neural/`). Start with `encoder.py`.
"""
