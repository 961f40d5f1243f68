"""Pure functions on words: marks, normalisation, alignment."""
