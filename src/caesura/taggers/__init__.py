"""One file a tagger: what gives words their parts of speech."""
