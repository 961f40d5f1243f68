"""Make transcripts comparable: normalisation steps and alternative transcriptions.

Open `steps` first: all steps by name, `normalize` and `fewest_steps`. `nonspeech` finds noted
sounds such as `[Music]`, `token_edits` replaces or drops words while all layers follow, and
`alternatives` chooses the alternative transcription that is closest to a hypothesis. Alignment of
words is in `text.alignment`.
"""
