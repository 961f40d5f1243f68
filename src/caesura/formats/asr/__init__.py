"""Results of speech recognisers and transcription services, one module for each vendor.

Nearly all are JSON that is only read; `whisper` is also written. `segments` turns segments of
text with timed words into a transcript; `whisper`, `whispercpp` and `vosk` use it. CTM, which many
recognisers write, is in `caesura.formats.nist`. Open `vosk` first: it is short.
"""
