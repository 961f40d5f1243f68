"""Parts of neural nets: they run with numpy; torch is needed only to train them.

Files here know arrays and words, and nothing of transcripts; `detectors/neural/` does. Start with
`transformer.py`.
"""
