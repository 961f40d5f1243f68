"""Tags as a tagger will give them later: guessed for recordings that it has not learnt from."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise

from caesura.contracts import Learning, Tagging
from caesura.text.normalize import standing
from caesura.transcript import Strings, Transcript

FOLDS = 4
"""Parts of the recordings, each tagged by what the others teach."""


def guessed(tagger: Tagging, recordings: Sequence[Transcript]) -> tuple[Tagging, list[Transcript]]:
    """Teach a tagger that has not learnt yet, and give it with the recordings as it tags them.

    Recordings that it learns from are tagged by what the others teach, so that tags are as wrong
    as they will be later. Sub-tags are left out: a tagger gives none.
    """
    bare = [each.replace(subtag=None) for each in recordings]
    if not isinstance(tagger, Learning) or tagger.has_learnt:
        return tagger, tagger.tag_all(bare)
    taught = tagger.train(bare)
    found = taught.tag_all(bare)
    own = [at for at, each in enumerate(bare) if _teaches(each)]
    seen = [[bare[at]] for at in own] if len(own) > 1 else [_cut(bare[at]) for at in own]
    tags = iter(_unseen(tagger, taught, [piece for each in seen for piece in each]))
    for at, pieces in zip(own, seen, strict=True):
        joined = chain.from_iterable(next(tags) for _ in pieces)
        found[at] = bare[at].replace(tag=tuple(joined))
    return taught, found


def _unseen(tagger: Tagging, taught: Tagging, pieces: Sequence[Transcript]) -> list[Strings]:
    """Tag each piece by what those of the other folds teach, if they teach anything."""
    found: list[Strings] = [()] * len(pieces)
    for fold in range(min(FOLDS, len(pieces))):
        others = [each for at, each in enumerate(pieces) if at % FOLDS != fold]
        away = tagger.train(others) if any(map(_teaches, others)) else taught
        found[fold::FOLDS] = [each.tag or () for each in away.tag_all(pieces[fold::FOLDS])]
    return found


def _teaches(transcript: Transcript) -> bool:
    """Whether a word that is no punctuation has a tag."""
    tags = zip(transcript.tag or (), standing(transcript).tolist(), strict=False)
    return any(tag and not alone for tag, alone in tags)


def _cut(transcript: Transcript) -> list[Transcript]:
    """Cut a recording into a piece for each fold."""
    stops = [len(transcript) * fold // FOLDS for fold in range(FOLDS + 1)]
    return [transcript[first:stop] for first, stop in pairwise(stops)]
