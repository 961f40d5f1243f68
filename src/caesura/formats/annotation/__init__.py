"""Transcripts that people make: TextGrid (Praat), EAF (ELAN) and the files of CORAAL.

Praat and ELAN have tiers: `tiers` decides which of them hold words, sentences or something else,
and makes tiers for writing; `textgrid` and `eaf` have the syntax. Files of transcription services
are in `caesura.formats.asr`, also where people made them (Rev, Amberscript).
"""
