"""Systems measured side by side: made comparable under the same terms, and scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from caesura.core import registry
from caesura.core.arrays import Strings
from caesura.core.config import points
from caesura.core.errors import UnknownName
from caesura.core.protocols import Metric
from caesura.core.transcript import Transcript
from caesura.evaluation.document import Terms
from caesura.evaluation.pairing import Pair, paired
from caesura.evaluation.resampling import Resampling
from caesura.evaluation.scores import Scores, Sweep, score_pairs
from caesura.text.normalization.steps import LADDER, Normalizer, describe, fewest_steps

LEAST = "least"
"""The normalisation that does no more than make words equal."""


@dataclass(frozen=True)
class Plan:
    """What to measure, over which settings, after which normalisation, and how often to draw."""

    metrics: tuple[Metric, ...]
    sweeps: tuple[tuple[str, tuple[Any, ...]], ...]
    normalize: Strings
    align: bool
    resampling: Resampling

    @classmethod
    def of(
        cls,
        metric: str | Metric | Sequence[str | Metric],
        sweep: str | Sequence[str],
        normalize: str | Sequence[str],
        align: bool,
        resamples: int,
        seed: int,
    ) -> Plan:
        """Understand what users write."""
        wanted = [metric] if isinstance(metric, (str, Metric)) else metric
        metrics = dict.fromkeys(
            registry.parse("metric", m) if isinstance(m, str) else m for m in wanted
        )
        if not metrics:
            raise UnknownName("there is no metric to measure with", remedy="caesura list metrics")
        ranges = [sweep] if isinstance(sweep, str) else sweep
        steps = steps_of(normalize)
        if steps != (LEAST,):
            describe(steps)
        try:
            resampling = Resampling(resamples, seed)
        except ValueError as error:
            raise UnknownName(str(error)) from error
        return cls(tuple(metrics), tuple(map(points, ranges)), steps, align, resampling)

    def terms(self, systems: Sequence[Sequence[Pair]], normalizer: Normalizer) -> Terms:
        """Settle the normalisation, the same for all systems."""
        steps, asked = self.normalize, self.normalize != (LEAST,)
        if not asked:
            alike = any(metric.same_words for metric in self.metrics)
            steps = (
                LADDER[-1]
                if not alike
                else fewest_steps(
                    ([ours, *theirs] for pairs in systems for ours, theirs in pairs), normalizer
                )
            )
        return Terms(steps, self.align, self.resampling, asked=asked)

    def variants(self) -> list[tuple[str, tuple[Any, ...], list[Metric]]]:
        """Give each sweep with the metrics it goes through."""
        found = []
        for setting, values in self.sweeps:
            swept = [metric for metric in self.metrics if setting in metric.settings]
            if not swept:
                names = ", ".join(metric.name for metric in self.metrics)
                raise UnknownName(
                    f"no metric has a setting {setting!r} to sweep", remedy=f"asked for: {names}"
                )
            found += [(setting, values, [_with(m, setting, v) for v in values]) for m in swept]
        return found


def evaluated(
    systems: Sequence[Sequence[Transcript]],
    references: Sequence[Sequence[Transcript]],
    plan: Plan,
    names: Strings = (),
    called: Strings = (),
) -> tuple[Scores, ...]:
    """Score each system, sweeps included.

    `names` are those of the references; `called` is what errors call the systems.
    """
    variants, normalizer = plan.variants(), Normalizer()
    paired_systems = [
        paired(system, references, called[number : number + 1])
        for number, system in enumerate(systems)
    ]
    terms = plan.terms(paired_systems, normalizer)
    metrics = [*plan.metrics, *(metric for _, _, swept in variants for metric in swept)]
    found = []
    for number, pairs in enumerate(paired_systems):
        sides = called[number : number + 1]
        counted = score_pairs(pairs, len(references), metrics, terms, sides, normalizer)
        whole = replace(counted, reference_names=names)
        first = len(plan.metrics)
        sweeps = []
        for setting, values, swept in variants:
            chosen = whole.chosen(slice(first, first + len(swept)))
            sweeps.append(Sweep(setting, values, chosen))
            first += len(swept)
        found.append(replace(whole.chosen(slice(len(plan.metrics))), sweeps=tuple(sweeps)))
    return tuple(found)


def _with(metric: Metric, setting: str, value: Any) -> Metric:
    if setting not in metric.settings:
        raise UnknownName(f"{metric.name} has no setting {setting!r}", remedy="take another metric")
    try:
        return replace(metric, **{setting: value})  # type: ignore[type-var]
    except (TypeError, ValueError) as error:
        raise UnknownName(f"{metric.name}: {error}", remedy="take other values") from error


def steps_of(normalize: str | Sequence[str]) -> Strings:
    """Take the steps of a normalisation apart; 'none' has none."""
    steps = normalize.split("+") if isinstance(normalize, str) else normalize
    return () if steps == ["none"] else tuple(steps)
