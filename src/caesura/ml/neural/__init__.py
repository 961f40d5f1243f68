"""Neural nets: torch trains them, numpy runs them. Files here know nothing of transcripts.

`transformer.py` runs an encoder, `onnx_graph.py` too but with onnxruntime; `wordpiece.py` splits
words. `layers.py` has further layers in numpy, and `torch_training.py` fits their weights.

Not here: the detectors made of them (`detectors/neural/`). Start with `transformer.py`.
"""
