"""Formats of NIST's scoring tools: CTM, STM, RTTM and TRN, and Kaldi's `text`.

`ctm` has one word a line, `stm` one segment of speech, `trn` one utterance (both NIST's and
Kaldi's), `rttm` words, speakers and sentence units. `nist_fields` has what they share: rows of
fields, names of recordings and channels, alternatives in braces. The scoring itself is in
`caesura.metrics`, the alignment of sclite in `caesura.text.alignment`.
"""
