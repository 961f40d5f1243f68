"""One file a family of metrics."""
