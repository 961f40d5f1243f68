"""Stored taggers, as settings of others and for users."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from caesura.core.errors import ModelError
from caesura.core.protocols import WordTagger
from caesura.core.transcript import Transcript
from caesura.models.store import card, find, load


@dataclass(frozen=True, repr=False)
class Tagged(WordTagger):
    """A stored tagger: the name of one that ships with Caesura, or a model folder."""

    model: str

    name = "Tagged"

    def __post_init__(self) -> None:
        if not isinstance(self.model, str) or not self.model or "\0" in self.model:
            raise ValueError(f"model is the name or the folder of a tagger, not {self.model!r}")

    @cached_property
    def stored(self) -> WordTagger:
        """The tagger, read when it is first needed."""
        folder = find(self.model)
        found = _kept(str(folder.resolve()), card(folder).checksum)
        if isinstance(found, Tagged):
            raise ModelError(
                f"the model refers to another, {found.model}",
                where=str(folder),
                remedy="name that one",
            )
        return found

    @property
    def checksum(self) -> str:
        """The checksum of the stored tagger's card."""
        return card(find(self.model)).checksum

    def tag(self, transcript: Transcript) -> Transcript:
        """Tag as the stored tagger does."""
        return self.stored.tag(transcript)

    def tag_all(self, transcripts: Sequence[Transcript]) -> list[Transcript]:
        """Tag as the stored tagger does."""
        return self.stored.tag_all(transcripts)


@lru_cache(maxsize=8)
def _kept(folder: str, checksum: str) -> WordTagger:  # noqa: ARG001 - another checksum, another model
    return load(folder).tagger
