"""Systems measured side by side: made comparable under the same settings, and scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from caesura.core import registry
from caesura.core.arrays import Strings
from caesura.core.config import points
from caesura.core.errors import UnknownName
from caesura.core.protocols import Metric
from caesura.core.transcript import Transcript
from caesura.evaluation.document import ScoringSettings
from caesura.evaluation.pairing import Pair, pair_recordings
from caesura.evaluation.resampling import RESAMPLES, SEED, Resampling
from caesura.evaluation.scores import Scores, Sweep, score_pairs
from caesura.text.normalization.steps import LADDER, Normalizer, describe, fewest_steps

LEAST = "least"
"""The normalisation that does no more than make words equal."""


@dataclass(frozen=True, kw_only=True)
class EvaluationOptions:
    """What to measure and how; `score`, `compare` and `agree` share these options.

    The first fields are what users write. They are checked once, when the object is made, and
    stand parsed in the other fields.
    """

    metric: str | Metric | Sequence[str | Metric] = "Boundary"
    """One metric or several: instances, or texts such as `WiSeBE(window_gap=3)`."""

    sweep: str | Sequence[str] = ()
    """Ranges of a metric's setting to score too, such as `window_gap=0:20`."""

    normalize: str | Sequence[str] = LEAST
    """Steps before words are compared: a list, joined with `+`, `none` or `least`."""

    align: bool = False
    """Whether layers of references are carried over by alignment where words differ."""

    resamples: int = RESAMPLES
    """Bootstrap draws for confidence intervals and tests; 0 for none."""

    seed: int = SEED
    """Seed of the draws."""

    metrics: tuple[Metric, ...] = field(init=False, repr=False, compare=False)
    sweeps: tuple[tuple[str, tuple[Any, ...]], ...] = field(init=False, repr=False, compare=False)
    steps: Strings = field(init=False, repr=False, compare=False)
    resampling: Resampling = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        asked = [self.metric] if isinstance(self.metric, (str, Metric)) else self.metric
        metrics = dict.fromkeys(
            registry.parse("metric", one) if isinstance(one, str) else one for one in asked
        )
        if not metrics:
            raise UnknownName("there is no metric to measure with", remedy="caesura list metrics")
        ranges = [self.sweep] if isinstance(self.sweep, str) else self.sweep
        steps = normalization_steps(self.normalize)
        if steps != (LEAST,):
            describe(steps)
        try:
            resampling = Resampling(self.resamples, self.seed)
        except ValueError as error:
            raise UnknownName(str(error)) from error
        parsed = {
            "metrics": tuple(metrics),
            "sweeps": tuple(map(points, ranges)),
            "steps": steps,
            "resampling": resampling,
        }
        for name, value in parsed.items():
            object.__setattr__(self, name, value)

    def scoring_settings(
        self, systems: Sequence[Sequence[Pair]], normalizer: Normalizer
    ) -> ScoringSettings:
        """Settle the normalisation, the same for all systems."""
        steps, asked = self.steps, self.steps != (LEAST,)
        if not asked:
            alike = any(metric.same_words for metric in self.metrics)
            steps = (
                LADDER[-1]
                if not alike
                else fewest_steps(
                    ([ours, *theirs] for pairs in systems for ours, theirs in pairs), normalizer
                )
            )
        return ScoringSettings(steps, self.align, self.resampling, asked=asked)

    def swept_metrics(self) -> list[tuple[str, tuple[Any, ...], list[Metric]]]:
        """Give each sweep with the metrics it goes through."""
        found = []
        for setting, values in self.sweeps:
            swept = [metric for metric in self.metrics if setting in metric.settings]
            if not swept:
                names = ", ".join(metric.name for metric in self.metrics)
                raise UnknownName(
                    f"no metric has a setting {setting!r} to sweep", remedy=f"asked for: {names}"
                )
            found += [
                (setting, values, [_with_setting(m, setting, v) for v in values]) for m in swept
            ]
        return found


def evaluate_systems(
    systems: Sequence[Sequence[Transcript]],
    references: Sequence[Sequence[Transcript]],
    options: EvaluationOptions,
    names: Strings = (),
    called: Strings = (),
) -> tuple[Scores, ...]:
    """Score each system, sweeps included.

    `names` are those of the references; `called` is what errors call the systems.
    """
    variants, normalizer = options.swept_metrics(), Normalizer()
    paired_systems = [
        pair_recordings(system, references, called[number : number + 1])
        for number, system in enumerate(systems)
    ]
    settings = options.scoring_settings(paired_systems, normalizer)
    metrics = [*options.metrics, *(metric for _, _, swept in variants for metric in swept)]
    found = []
    for number, pairs in enumerate(paired_systems):
        sides = called[number : number + 1]
        counted = score_pairs(pairs, len(references), metrics, settings, sides, normalizer)
        whole = replace(counted, reference_names=names)
        first = len(options.metrics)
        sweeps = []
        for setting, values, swept in variants:
            chosen = whole.chosen(slice(first, first + len(swept)))
            sweeps.append(Sweep(setting, values, chosen))
            first += len(swept)
        found.append(replace(whole.chosen(slice(len(options.metrics))), sweeps=tuple(sweeps)))
    return tuple(found)


def _with_setting(metric: Metric, setting: str, value: Any) -> Metric:
    if setting not in metric.settings:
        raise UnknownName(f"{metric.name} has no setting {setting!r}", remedy="take another metric")
    try:
        return replace(metric, **{setting: value})  # type: ignore[type-var]
    except (TypeError, ValueError) as error:
        raise UnknownName(f"{metric.name}: {error}", remedy="take other values") from error


def normalization_steps(normalize: str | Sequence[str]) -> Strings:
    """Take the steps of a normalisation apart; 'none' has none."""
    steps = normalize.split("+") if isinstance(normalize, str) else normalize
    return () if steps == ["none"] else tuple(steps)
