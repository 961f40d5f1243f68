"""One file a namer: what tells how likely names begin, end and go on in a text."""
