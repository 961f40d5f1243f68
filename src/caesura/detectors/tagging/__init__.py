"""Labels of words that detectors and metrics rest on: parts of speech and named entities.

Both models are one linear classifier, `linear.py`: hashed features of words and neighbours,
maximum-entropy training, weights in 8 bits. Open `pos_tagger.py` for parts of speech (`Tagger`,
`Tagged`), and `entity_model.py` for named entities (`Margins`) and their classes. Detectors of
sentence ends are in `caesura.detectors`, the optimiser in `caesura.ml.maxent`, and tuning of
settings in `caesura.training`.
"""
