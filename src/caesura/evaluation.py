"""Systems measured side by side: made comparable under the same terms, and scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from caesura import registry
from caesura.contracts import Metric
from caesura.errors import UnknownName
from caesura.numeric.stats import Resampling
from caesura.pairing import paired
from caesura.scores import Scores, Sweep, scored
from caesura.scoring import Terms
from caesura.text.normalize import LADDER, describe, least
from caesura.transcript import Strings, Transcript

LEAST = "least"
"""The normalisation that does no more than make words equal."""

MOST_POINTS = 1000


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
        metrics = [registry.parse("metric", m) if isinstance(m, str) else m for m in wanted]
        ranges = [sweep] if isinstance(sweep, str) else sweep
        steps = normalize.split("+") if isinstance(normalize, str) else normalize
        steps = () if steps == ["none"] else tuple(steps)
        if steps != (LEAST,):
            describe(steps)
        try:
            resampling = Resampling(resamples, seed)
        except ValueError as error:
            raise UnknownName(str(error)) from error
        return cls(tuple(metrics), tuple(map(points, ranges)), steps, align, resampling)

    def terms(
        self, systems: Sequence[Sequence[Transcript]], references: Sequence[Sequence[Transcript]]
    ) -> Terms:
        """Settle the normalisation, the same for all systems."""
        steps = self.normalize
        if steps == (LEAST,):
            needed = not self.align and any(metric.same_words for metric in self.metrics)
            groups = (
                [ours, *theirs] for system in systems for ours, theirs in paired(system, references)
            )
            steps = least(groups) if needed else LADDER[-1]
        return Terms(steps, self.align, self.resampling)

    def variants(self) -> list[tuple[str, tuple[Any, ...], list[Metric]]]:
        """Give each sweep with the metrics it goes through."""
        found = []
        for setting, values in self.sweeps:
            swept = [m for m in self.metrics if setting in {field.name for field in fields(m)}]  # type: ignore[arg-type]
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
) -> tuple[Scores, ...]:
    """Score each system, sweeps included; `names` are those of the references."""
    terms, variants = plan.terms(systems, references), plan.variants()
    metrics = [*plan.metrics, *(metric for _, _, swept in variants for metric in swept)]
    found = []
    for system in systems:
        whole = replace(scored(system, references, metrics, terms), reference_names=names)
        first = len(plan.metrics)
        sweeps = []
        for setting, values, swept in variants:
            chosen = whole.chosen(slice(first, first + len(swept)))
            sweeps.append(Sweep(setting, values, chosen))
            first += len(swept)
        found.append(replace(whole.chosen(slice(len(plan.metrics))), sweeps=tuple(sweeps)))
    return tuple(found)


def points(text: str) -> tuple[str, tuple[Any, ...]]:
    """Read `window_gap=0:20`, `words=0:10:2` or `k=2,5,10`: a setting and its values."""
    setting, equals, values = text.partition("=")
    try:
        found = _listed(values) if "," in values else _range(values)
    except ValueError as error:
        raise _not_a_sweep(text) from error
    if not equals or not found:
        raise _not_a_sweep(text)
    if len(found) > MOST_POINTS:
        raise UnknownName(
            f"{text!r} has {len(found)} points", remedy=f"sweep through {MOST_POINTS} at most"
        )
    return setting.strip(), found


def _not_a_sweep(text: str) -> UnknownName:
    return UnknownName(
        f"{text!r} is not a sweep", remedy="write setting=first:last, as in window_gap=0:20"
    )


def _listed(values: str) -> tuple[Any, ...]:
    return tuple(map(_number, values.split(",")))


def _range(values: str) -> tuple[Any, ...]:
    parts = [_number(each) for each in values.split(":")]
    first, last, step = {1: (*parts * 2, 1), 2: (*parts, 1), 3: tuple(parts)}.get(
        len(parts), (0, 0, 0)
    )
    if step <= 0 or (last - first) / step > MOST_POINTS * 10:
        raise ValueError(values)
    # A millionth of a step makes up for what floats lack.
    count = int((last - first) / step + 1e-6) + 1 if last >= first else 0
    return tuple(_number(repr(round(first + i * step, 9))) for i in range(count))


def _number(text: str) -> int | float:
    value = float(text)
    return int(text) if text.strip().lstrip("+-").isdecimal() else value


def _with(metric: Metric, setting: str, value: Any) -> Metric:
    try:
        return replace(metric, **{setting: value})  # type: ignore[type-var]
    except (TypeError, ValueError) as error:
        raise UnknownName(f"{metric.name}: {error}", remedy="sweep through other values") from error


def called(inputs: Sequence[object]) -> Strings:
    """Name inputs as briefly as tells them apart: by file name, by path, or by number."""
    paths = [
        Path(each.id)
        if isinstance(each, Transcript)
        else Path(str(each))
        if isinstance(each, (str, Path))
        else Path()
        for each in inputs
    ]
    for short in ([path.stem for path in paths], [str(path) for path in paths]):
        if all(short) and len(set(short)) == len(short):
            return tuple(short)
    return tuple(map(str, range(1, len(inputs) + 1)))
