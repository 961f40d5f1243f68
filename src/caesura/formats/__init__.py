"""One file a format; `files` is the front door."""
