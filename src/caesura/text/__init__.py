"""Functions on words and characters: no files, no models, no metrics.

- `punctuation`: split text into words, take punctuation off them; find sentence ends by
  punctuation. Open it first.
- `normalization`: named steps that make transcripts comparable; alternative transcriptions.
- `alignment`: align words; transfer layers (sentences, times, entities) along an alignment.
- `charmatch`: exact matching of the characters of two texts, for the metric `Joint`.
- `phonetics`: phones of words and their distance; numbers as they are read aloud.
- `entity_projection`: find the entities of a reference in recognised words.
- `cluster_rules`: clusters (bunsetsu) and the dependency arcs between them.
- `languages`, `display_width`: language codes, width of characters.

Transcripts themselves are defined in `core.transcript`.
"""
