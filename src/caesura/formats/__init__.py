"""File formats: how transcripts are read and written.

`files` reads and writes what users name; `recognize` is the table by which formats are told apart.
A format derives from `base.TextFormat` or `base.JsonFormat`, gets a `base.Source` (text, lines,
JSON values) and fills a `builder.Rows`. Plain text, `jsonl` and `tsv` are here; the other formats
are in `asr` (recognisers), `nist`, `captions`, `annotation` and `linguistic`. `in_memory` reads
what users give in Python, `live_words` words that arrive one by one, `sidecars` files beside
references.

Not here: how text is normalised (`caesura.text`), and what is done with transcripts.
Open `files` first to follow a file, or `asr/vosk` for a short format.
"""
