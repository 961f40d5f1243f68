"""Score systems with the same options: what `score`, `compare` and `agree` have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from caesura.core import registry
from caesura.core.arrays import Strings
from caesura.core.config import parse_setting
from caesura.core.errors import UnknownName
from caesura.core.protocols import Metric
from caesura.core.transcript import Transcript
from caesura.evaluation.document import ScoringSettings
from caesura.evaluation.pairing import Pair, pair_recordings
from caesura.evaluation.resampling import RESAMPLES, SEED, Resampling
from caesura.evaluation.scores import Scores, Sweep, score_pairs
from caesura.text.normalization.steps import LADDER, Normalizer, describe, fewest_steps

LEAST = "least"
"""The value of `normalize` that asks for the fewest steps that make the words equal."""


@dataclass(frozen=True, kw_only=True)
class EvaluationOptions:
    """What to measure and how; `score`, `compare` and `agree` share these options.

    The first fields are what users write. They are checked and parsed once, when the object is
    made; the parsed values are `metrics`, `sweeps`, `steps` and `resampling`.
    """

    metric: str | Metric | Sequence[str | Metric] = "Boundary"
    """One metric or several: instances, or texts such as `WiSeBE(window_gap=3)`."""

    sweep: str | Sequence[str] = ()
    """Ranges of a metric's setting to score too, such as `window_gap=0:20`."""

    normalize: str | Sequence[str] = LEAST
    """Steps before words are compared: a list, joined with `+`, `none` or `least`."""

    align: bool = False
    """Whether words that differ are aligned, and the references' boundaries carried over."""

    resamples: int = RESAMPLES
    """Bootstrap draws for confidence intervals and tests; 0 for none."""

    seed: int = SEED
    """Seed of the draws."""

    metrics: tuple[Metric, ...] = field(init=False, repr=False, compare=False)
    sweeps: tuple[tuple[str, tuple[Any, ...]], ...] = field(init=False, repr=False, compare=False)
    steps: Strings = field(init=False, repr=False, compare=False)
    resampling: Resampling = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        one_only = isinstance(self.metric, str) or not isinstance(self.metric, Iterable)
        asked: Any = [self.metric] if one_only else self.metric
        metrics = dict.fromkeys(map(_as_metric, asked))
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
            "sweeps": tuple(map(parse_setting, ranges)),
            "steps": steps,
            "resampling": resampling,
        }
        for name, value in parsed.items():
            object.__setattr__(self, name, value)

    def scoring_settings(
        self, systems: Sequence[Sequence[Pair]], normalizer: Normalizer
    ) -> ScoringSettings:
        """Choose the normalisation, the same for all systems."""
        steps, explicit = self.steps, self.steps != (LEAST,)
        if not explicit:
            words_must_agree = any(metric.same_words for metric in self.metrics)
            steps = (
                LADDER[-1]
                if not words_must_agree
                else fewest_steps(
                    ([ours, *theirs] for pairs in systems for ours, theirs in pairs), normalizer
                )
            )
        return ScoringSettings(steps, self.align, self.resampling, explicit=explicit)

    def swept_metrics(self) -> list[tuple[str, tuple[Any, ...], list[Metric]]]:
        """Return each sweep: the setting, its values, and the metric with each of them."""
        sweeps = []
        for setting, values in self.sweeps:
            swept = [metric for metric in self.metrics if setting in metric.settings]
            if not swept:
                names = ", ".join(metric.name for metric in self.metrics)
                raise UnknownName(
                    f"no metric has a setting {setting!r} to sweep", remedy=f"asked for: {names}"
                )
            sweeps += [
                (setting, values, [_with_setting(m, setting, v) for v in values]) for m in swept
            ]
        return sweeps


def evaluate_systems(
    systems: Sequence[Sequence[Transcript]],
    references: Sequence[Sequence[Transcript]],
    options: EvaluationOptions,
    reference_names: Strings = (),
    system_names: Strings = (),
) -> tuple[Scores, ...]:
    """Score each system against the references, sweeps included.

    Error messages call the systems by `system_names`.
    """
    sweeps, normalizer = options.swept_metrics(), Normalizer()
    paired_systems = [
        pair_recordings(system, references, system_names[number : number + 1])
        for number, system in enumerate(systems)
    ]
    settings = options.scoring_settings(paired_systems, normalizer)
    metrics = [*options.metrics, *(metric for _, _, swept in sweeps for metric in swept)]
    scored = []
    for number, pairs in enumerate(paired_systems):
        sides = system_names[number : number + 1]
        counted = score_pairs(pairs, len(references), metrics, settings, sides, normalizer)
        whole = replace(counted, reference_names=reference_names)
        first = len(options.metrics)
        swept_scores = []
        for setting, values, swept in sweeps:
            part = whole.with_metrics(slice(first, first + len(swept)))
            swept_scores.append(Sweep(setting, values, part))
            first += len(swept)
        main = whole.with_metrics(slice(len(options.metrics)))
        scored.append(replace(main, sweeps=tuple(swept_scores)))
    return tuple(scored)


def _as_metric(given: str | Metric) -> Metric:
    """Return the metric that was given, or that a text describes."""
    registry.check_given(given, "metric")
    return registry.parse("metric", given) if isinstance(given, str) else given


def _with_setting(metric: Metric, setting: str, value: Any) -> Metric:
    if setting not in metric.settings:
        raise UnknownName(f"{metric.name} has no setting {setting!r}", remedy="take another metric")
    try:
        return replace(metric, **{setting: value})  # type: ignore[type-var]
    except (TypeError, ValueError) as error:
        raise UnknownName(f"{metric.name}: {error}", remedy="take other values") from error


def normalization_steps(normalize: str | Sequence[str]) -> Strings:
    """Split a text such as `case+dots` into steps; `none`, also in a list, has no steps."""
    if not isinstance(normalize, (str, Sequence)):
        raise TypeError(f"normalize is a text, as in 'case+dots', or a list, not {normalize!r}")
    steps = tuple(normalize.split("+") if isinstance(normalize, str) else normalize)
    return () if steps == ("none",) else steps
