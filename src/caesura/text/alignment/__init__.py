"""Align the words of two texts, and transfer layers along the alignment.

Open `word_alignment` first: `align` (fewest edits, or the weights of sclite), and rows for showing
both texts side by side. `sclite` holds the algorithm for sclite's weights; `transfer` moves
sentences, times, speakers and entities from one text to the words of another. Matching of
characters is in `text.charmatch`.
"""
