"""Lay results out: tables for terminal, Markdown and LaTeX, figures, and the HTML page.

Open `write.py` first: it writes what `score`, `compare`, `agree` and `correlate` return to a
file, of the kind that its suffix says. `score_tables`, `disagreement_tables` and
`correlation_tables` say which tables there are; `table` is one table before it
is laid out, `render` lays it out; `figures` draws with matplotlib; `page` makes the HTML page from
`assets`; `alignment_view` shows words side by side.

Nothing is computed here that is not in the scores.
"""
