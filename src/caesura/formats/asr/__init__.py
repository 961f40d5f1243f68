"""Results of speech recognisers and transcription services, one module for each vendor.

Nearly all are JSON that is only read; `whisper` is also written. `whisper`, `whispercpp` and `vosk`
have segments of text with timed words, of which `formats/builder.py` makes a transcript. CTM, which
many recognisers write, is in `caesura.formats.nist`. Open `vosk` first: it is short.
"""
