"""Detectors: they give each gap between words log-odds of a sentence end, and decide.

One file a detector, or a family of them: `pause.py` (`Pause`, rules without training, and
`PauseModel`), `lm.py` (`LM` for words, `Combination` for words and pauses), `column.py`,
`fusion.py`, `stored_model.py` (`Model`, a model that ships or your own, `Auto`, the model of a
recording's language, and choosing a detector by name), in `syntax/` `CRF`, `SVM` and `SDA`, and in
`neural/` `Encoder`, `FastNet`, `CNN` and `BiRNN`. `tagging/` has the taggers that they need.
`gaps.py` describes gaps. `decision.py` adds preferences and limits to any detector,
`explanation.py` says what spoke for each boundary. `window_stream.py` makes a stream of any
detector; `streaming.py` reads words that arrive and saves the state of a stream.

Not here: the numerical methods (`ml/`), what a detector must promise (`core/protocols.py`), and
training on files (`training/`). Start with `pause.py`.
"""
