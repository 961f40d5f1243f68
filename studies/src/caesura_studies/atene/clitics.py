"""What treebanks cut off words, and recognisers write as a part of them: `it` and `'s`."""

from __future__ import annotations

import re
from itertools import pairwise

from caesura.core.transcript import Span, Transcript
from caesura.text.normalization.token_edits import rewritten

CLITIC = re.compile(r"n't|['’](s|re|ve|ll|d|m)", re.IGNORECASE)


def glued(transcript: Transcript) -> Transcript:
    """Join `it` and `'s`, `do` and `n't`; an entity of one part has the whole word then.

    Layers follow as with `rewritten`: tags and the like of joined words are not known.
    """
    joined: list[Span] = []
    for at, (before, word) in enumerate(pairwise(transcript.words)):
        if CLITIC.fullmatch(word) and before[-1:].isalpha():
            chained = bool(joined) and joined[-1].last == at
            whole = joined.pop() if chained else Span(at, at, before)
            joined.append(whole._replace(last=at + 1, label=whole.label + word))
    return rewritten(transcript, joined)
