"""Captions: SubRip, WebVTT and TTML.

`srt`, `vtt` and `ttml` read and write the syntax of each format. `line_breaks` decides how a
transcript becomes captions: line breaks, cue breaks and times. `cue_text` turns the cues of a
file into a transcript.
"""
