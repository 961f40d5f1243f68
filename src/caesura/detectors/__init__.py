"""One file a detector."""
