"""All measurements of the study: texts are prepared, tagged and scored."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from caesura.core.transcript import Transcript
from caesura.core.values import Counts
from caesura_studies.atene import paper, scoring
from caesura_studies.atene.corpora import REFERENCES, Calls, Half, flattened, lower
from caesura_studies.atene.correlations import Table
from caesura_studies.atene.model_cache import ModelCache, fingerprint
from caesura_studies.atene.plan import MAIN, Features, Plan
from caesura_studies.atene.scoring import (
    Column,
    ComparedCall,
    Comparisons,
    Costs,
    Key,
    Risk,
    as_float,
    score_entities,
    score_reference,
)
from caesura_studies.atene.taggers import Spans
from caesura_studies.atene.text_preparation import ALL, NAMES, THREE, Preparation, View
from caesura_studies.model_cache import cache_key

logger = logging.getLogger("caesura.studies")

REFERENCE = "reference"
"""The name in place of a recogniser where taggers see the reference itself."""

APART, SHARED, TAGGERS_FROM_WRITTEN, ATENE_FROM_WRITTEN = (
    "apart",
    "shared",
    "taggers away",
    "ATENE away",
)
TRAINED = {
    APART: "taggers and ATENE from different calls",
    SHARED: "taggers and ATENE from the same calls",
    TAGGERS_FROM_WRITTEN: "taggers from written text, ATENE from calls",
    ATENE_FROM_WRITTEN: "taggers from calls, ATENE from written text",
}
"""The training data of taggers and ATENE."""


@dataclass
class Trial:
    """The texts and all measurements on them; each number is computed when first needed."""

    calls: Calls
    written: Sequence[Transcript]
    cache: ModelCache
    plan: Plan
    _entity_costs: dict[tuple[str, bool], dict[str, dict[Key, Costs]]] = field(default_factory=dict)
    _projected: dict[str, scoring.Places] = field(default_factory=dict)
    _risks: dict[tuple[str, str, str], dict[Key, Risk]] = field(default_factory=dict)

    def prepared(self, preparation: Preparation) -> Trial:
        """Return a trial of texts with another preparation, with a cache of its own."""
        calls = Calls.of(self.calls.read, preparation)
        return Trial(calls, self.written, self.cache.subfolder(preparation.key), self.plan)

    @cached_property
    def compared(self) -> Comparisons:
        """All calls by recogniser, with their references."""
        logger.info("choosing alternatives")
        return {
            (name, id): ComparedCall.of(recognised[id], reference)
            for id, reference in self.calls.references.items()
            for name, recognised in self.calls.recognised.items()
        }

    @cached_property
    def plain(self) -> dict[str, Transcript]:
        """The references as they are written, in lower case."""
        return {
            id: lower(flattened(each).replace(alternatives=None))
            for id, each in self.calls.references.items()
        }

    @cached_property
    def words(self) -> tuple[dict[str, Column], dict[Key, Counts]]:
        """WER, WIL and RIL, and the counts behind them."""
        logger.info("counting word errors")
        return scoring.word_rates(self.compared)

    def as_read(self, name: str) -> scoring.Sampled:
        """Return the WER of a recogniser on texts that are only made lower case."""
        read = self.calls.read
        references = list(read[REFERENCES].values())
        alternatives = [each.alternatives for each in references]
        key = cache_key(fingerprint([*references, *read[name].values()]), alternatives)
        found = self.cache.load_or_compute(
            f"errors-{name}", key, lambda: scoring.errors_as_read(read, name)
        )
        return scoring.Sampled.of([scoring.Errors(*each) for each in found], paper.CALLS)

    @cached_property
    def entities_found(self) -> dict[str, dict[Key, Spans]]:
        """The entities that each tagger, trained on calls, finds in each text."""
        made: dict[str, dict[Key, Spans]] = {}
        for half in self.calls.halves:
            examples = [lower(each) for each in self.calls.training_examples(half.taggers)]
            for name, each in self._tag(f"calls-{half.taggers}", examples, half.ids).items():
                made.setdefault(name, {}).update(each)
        return made

    @cached_property
    def entities_found_by_written(self) -> dict[str, dict[Key, Spans]]:
        """The entities that each tagger, trained on written text, finds in each text."""
        examples = [lower(each) for each in self.written]
        return self._tag("written", examples, tuple(self.calls.references))

    def _tag(
        self, name: str, examples: Sequence[Transcript], ids: Sequence[str]
    ) -> dict[str, dict[Key, Spans]]:
        keys = [
            (recogniser, id) for recogniser in (*self.calls.recognised, REFERENCE) for id in ids
        ]
        texts = {" ".join(key): self._text(key).words for key in keys}
        made = {}
        for tagger in self.plan.taggers:
            found = self.cache.tagged(name, tagger, examples, texts)
            made[tagger.name] = {key: found[" ".join(key)] for key in keys}
        return made

    def _text(self, key: Key) -> Transcript:
        return self.plain[key[1]] if key[0] == REFERENCE else self.compared[key].hypothesis

    def entity_costs(self, view: View, by_written: bool = False) -> dict[str, dict[Key, Costs]]:
        """Return the costs of what each tagger found, also in the references."""
        if (view.key, by_written) not in self._entity_costs:
            self._entity_costs[view.key, by_written] = {
                name: {key: self._costs(key, spans, view) for key, spans in each.items()}
                for name, each in (
                    self.entities_found_by_written if by_written else self.entities_found
                ).items()
            }
        return self._entity_costs[view.key, by_written]

    def _costs(self, key: Key, spans: Spans, view: View) -> Costs:
        if key[0] == REFERENCE:
            return score_reference(self.plain[key[1]], spans, view)
        return score_entities(self.compared[key], spans, view)

    def atene(
        self, view: View, features: Mapping[str, Features], trained: str = APART
    ) -> dict[str, Column]:
        """Return ATENE and its parts for all choices of features."""
        made: dict[str, Column] = {}
        for title, seen in features.items():
            made |= scoring.columns(title, self.risks(view, title, seen, trained))
        return made

    def risks(
        self, view: View, title: str, seen: Features, trained: str = APART
    ) -> dict[Key, Risk]:
        """Return ATENE of each call and the margin losses of its entities, from the cache."""
        asked = (view.key, title, trained)
        if asked not in self._risks:
            logger.info("%s, %s, %s", title, view.title, TRAINED[trained])
            found: dict[Key, Risk] = {}
            for half in self.calls.halves:
                name, examples = self._training_examples(half, view, trained)
                folder = f"{name}-{view.key}-{title.replace(', ', '-')}"
                model = self.cache.margins(folder, scoring.make_entity_model(seen), examples)
                here = {key: both for key, both in self.compared.items() if key[1] in half.ids}
                found |= scoring.compute_risks(here, self.projected(view), model)
            self._risks[asked] = found
        return self._risks[asked]

    def projected(self, view: View) -> scoring.Places:
        """Project the entities of references onto the recognised words."""
        if view.key not in self._projected:
            self._projected[view.key] = scoring.project_entities(self.compared, view)
        return self._projected[view.key]

    def _training_examples(
        self, half: Half, view: View, trained: str
    ) -> tuple[str, list[Transcript]]:
        if trained == ATENE_FROM_WRITTEN:
            return "written", list(self.written)
        part = half.taggers if trained == SHARED else half.atene
        return f"calls-{part}", [view.of(each) for each in self.calls.training_examples(part)]

    def table(self, view: View, features: Mapping[str, Features], trained: str = APART) -> Table:
        """Return a table of all measures and the ETER of all taggers."""
        columns, _ = self.words
        found = self.entity_costs(view, trained == TAGGERS_FROM_WRITTEN)
        eter = {
            name: {key: as_float(each.eter) for key, each in cells.items() if key[0] != REFERENCE}
            for name, cells in found.items()
        }
        entities = scoring.ne_wer(self.compared, self.plain, view)
        measures = {**columns, **entities, **self.atene(view, features, trained)}
        return Table(measures, eter, self.plan.resampling)

    @cached_property
    def tables(self) -> dict[tuple[str, str], Table]:
        """All tables, by classes and training data."""
        main = {MAIN: self.plan.features[MAIN]}
        made = {
            (ALL.key, APART): self.table(ALL, self.plan.features),
            (NAMES.key, APART): self.table(NAMES, self.plan.names),
            (ALL.key, SHARED): self.table(ALL, main, SHARED),
            (NAMES.key, SHARED): self.table(NAMES, main, SHARED),
        }
        if self.written:
            made[THREE.key, APART] = self.table(THREE, main)
            made[THREE.key, TAGGERS_FROM_WRITTEN] = self.table(THREE, main, TAGGERS_FROM_WRITTEN)
            made[THREE.key, ATENE_FROM_WRITTEN] = self.table(THREE, main, ATENE_FROM_WRITTEN)
        return made
