"""The sweeps of an incident: their runs in order of load, and where they turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pileup.analysis.reasoning.sweeps import SweepLine, SweepRun, lines_of, most_varied
from pileup.storage.reasoning.experiments import ExperimentRecord
from pileup.storage.reasoning.measurements import Source
from pileup.views.reasoning.measures import measures_of

_FAILED = {"yes": True, "no": True, "failed": True, "not_failed": False}
"""Whether a run failed at all, by how it failed."""


@dataclass(frozen=True, slots=True)
class SweepValue:
    name: str
    """With its unit: 'inserts (1/s)'."""
    value: float
    source: Source


@dataclass(frozen=True, slots=True)
class SweepPoint:
    experiment_id: str
    number: int
    load: float
    failed: bool | None
    """None: nobody says."""
    matched: bool | None
    """Whether it matched its prediction; None without a verdict, or with one in between."""
    values: list[SweepValue]


@dataclass(frozen=True, slots=True)
class SweepSeries:
    """Runs that agree in all parameters but the load."""

    label: str
    """The other parameters: 'build=original'; empty when there are none."""
    points: list[SweepPoint]
    """The smallest load first."""
    below: float | None
    """The threshold lies between these two loads; None when there is none."""
    above: float | None
    text: str
    """The threshold as a sentence, or why there is none; may be empty."""


@dataclass(frozen=True, slots=True)
class Sweep:
    name: str
    axis: str
    """The parameter that is the load."""
    charted: str
    """The value that differs most between the runs; empty when they have none."""
    series: list[SweepSeries]


def sweeps_of(experiments: Sequence[ExperimentRecord]) -> list[Sweep]:
    """List the sweeps with a load, by name; a sweep without one is a table alone."""
    found: list[Sweep] = []
    for name in sorted({experiment.sweep for experiment in experiments if experiment.sweep}):
        runs = {item.number: item for item in experiments if item.sweep == name}
        sweep_runs = [sweep_run(item) for item in runs.values()]
        if lines := lines_of(sweep_runs):
            series = [_series(line, runs) for line in lines]
            found.append(Sweep(name, lines[0].axis, most_varied(sweep_runs), series))
    return found


def sweep_run(experiment: ExperimentRecord) -> SweepRun:
    """Return what the analysis needs to know of a run."""
    failed = _FAILED.get(experiment.failed_same_way or "")
    matched = {"match": True, "miss": False}.get(experiment.verdict or "")
    values = {_named(item.name, item.unit): item.value for item in measures_of(experiment)}
    return SweepRun(experiment.number, experiment.parameters, failed, matched, values)


def _series(line: SweepLine, runs: dict[int, ExperimentRecord]) -> SweepSeries:
    return SweepSeries(
        label=", ".join(f"{name}={value}" for name, value in line.fixed.items()),
        points=[
            SweepPoint(
                experiment_id=runs[run.number].id,
                number=run.number,
                load=load,
                failed=run.failed,
                matched=run.matched,
                values=[
                    SweepValue(_named(item.name, item.unit), item.value, item.source)
                    for item in measures_of(runs[run.number])
                ],
            )
            for load, run in line.runs
        ],
        below=line.threshold.below if line.threshold else None,
        above=line.threshold.above if line.threshold else None,
        text=line.text,
    )


def _named(name: str, unit: str) -> str:
    return f"{name} ({unit})" if unit else name
