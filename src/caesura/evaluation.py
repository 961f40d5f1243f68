"""Systems measured side by side: made comparable under the same terms, and scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from caesura import registry
from caesura.contracts import Metric
from caesura.errors import UnknownName
from caesura.numeric.ranges import points
from caesura.numeric.stats import Resampling
from caesura.pairing import paired
from caesura.scores import Scores, Sweep, scored
from caesura.scoring import Terms
from caesura.text.normalize import LADDER, describe, least
from caesura.transcript import Strings, Transcript

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
        literal: bool = False,
    ) -> Plan:
        """Understand what users write."""
        wanted = [metric] if isinstance(metric, (str, Metric)) else metric
        metrics = dict.fromkeys(
            registry.parse("metric", m) if isinstance(m, str) else m for m in wanted
        )
        if literal:
            metrics = dict.fromkeys(_with(metric, "literal", 1) for metric in metrics)
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

    def terms(
        self,
        systems: Sequence[Sequence[Transcript]],
        references: Sequence[Sequence[Transcript]],
        called: Strings = (),
    ) -> Terms:
        """Settle the normalisation, the same for all systems."""
        steps, asked = self.normalize, self.normalize != (LEAST,)
        if not asked:
            alike = any(metric.same_words for metric in self.metrics)
            steps = (
                LADDER[-1]
                if not alike
                else least(
                    [ours, *theirs]
                    for number, system in enumerate(systems)
                    for ours, theirs in paired(system, references, called[number : number + 1])
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
    terms, variants = plan.terms(systems, references, called), plan.variants()
    metrics = [*plan.metrics, *(metric for _, _, swept in variants for metric in swept)]
    found = []
    for number, system in enumerate(systems):
        counted = scored(system, references, metrics, terms, called[number : number + 1])
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


def called(inputs: Sequence[object]) -> Strings:
    """Name inputs as briefly as tells them apart: by file, by folders they do not share, or both.

    The same input twice has its number too.
    """
    names = [
        each.id if isinstance(each, Transcript) else str(each) if _is_path(each) else ""
        for each in inputs
    ]
    paths = [Path(name) for name in names]
    stems = [path.stem for path in paths]
    for short in (stems, _apart([path.parts for path in paths])):
        if all(short) and len(set(short)) == len(short):
            return tuple(short)
    return tuple(f"{stem} {number}".strip() for number, stem in enumerate(stems, 1))


def _is_path(given: object) -> bool:
    return isinstance(given, (str, Path))


def _apart(paths: Sequence[Strings]) -> list[str]:
    """Leave out the folders that all paths begin or end with."""
    shortest = min(map(len, paths), default=0)
    front = next((i for i in range(shortest) if len({p[i] for p in paths}) > 1), 0)
    back = next((i for i in range(1, shortest + 1) if len({p[-i] for p in paths}) > 1), 1)
    return ["/".join(path[front : len(path) - back + 1]) for path in paths]
