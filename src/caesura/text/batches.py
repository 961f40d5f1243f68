"""Recordings taken together, as many at a time as fit into memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from caesura.transcript import Transcript


def batches(transcripts: Sequence[Transcript], words: int) -> Iterator[list[Transcript]]:
    """Give recordings in order, together no more than so many words; one alone may have more."""
    batch: list[Transcript] = []
    held = 0
    for transcript in transcripts:
        if batch and held + len(transcript) > words:
            yield batch
            batch, held = [], 0
        batch.append(transcript)
        held += len(transcript)
    if batch:
        yield batch
