"""List what was measured in a run, each value with its source: computed, typed or imported."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pileup.analysis.reasoning.run_outcome import Statistic, statistic_of
from pileup.knowledge.series_titles import typed_title
from pileup.numerals import grouped
from pileup.storage.database import Unit
from pileup.storage.errors import Refused
from pileup.storage.files.frames import FrameStore
from pileup.storage.reasoning.experiments import ExperimentRecord
from pileup.storage.reasoning.measurements import NewMeasurement, Source
from pileup.views.reasoning.run_evidence import run_evidence

TYPED_NAME = "observed value"
"""Name of a typed value whose prediction names no series."""


@dataclass(frozen=True, slots=True)
class Measure:
    name: str
    value: float
    unit: str
    source: Source
    """computed: from the run's artifacts, by Pileup; typed and imported: given by a person."""
    basis: str
    """What it comes from: '`median` of 300 samples', 'row 3 of a pasted table'; may be empty."""
    id: str | None
    """Of a value that can be removed; None: part of the recorded result."""
    by: str | None
    recorded_at: datetime | None


def measures_of(experiment: ExperimentRecord) -> list[Measure]:
    """List the values of the result first, then the further measurements."""
    return [*_result(experiment), *(_further(experiment))]


def computed_measurement(
    unit: Unit,
    frames: FrameStore,
    experiment: ExperimentRecord,
    *,
    series: str,
    statistic: Statistic,
    window_s: float | None,
    named: str,
    value_unit: str,
) -> NewMeasurement:
    """Compute a value from the run's artifacts.

    Raises:
        NothingToCompare: no artifact of the run was parsed.
        Refused: they have no sample of the series.
    """
    evidence = run_evidence(unit, frames, experiment)
    name = typed_title(series.partition("@")[0])
    found = statistic_of(evidence, series, statistic, window_s)
    if found is None:
        raise Refused(
            f"The artifacts of experiment {experiment.number} have no samples of {name}.", "series"
        )
    value, points = found
    window = f" in the first {window_s:g} s" if window_s else ""
    samples = "sample" if points == 1 else "samples"
    basis = f"{statistic} of {grouped(points)} {samples} of {name}{window}"
    return NewMeasurement(named or name, value, value_unit, basis)


def _result(experiment: ExperimentRecord) -> list[Measure]:
    """List the predicted number as computed, and as a person typed it."""
    prediction = experiment.prediction
    name = typed_title(str(prediction.get("metric") or "")) or TYPED_NAME
    measured = (experiment.computed or {}).get("measured") or {}
    computed, typed = measured.get("value"), (experiment.observation or {}).get("value")
    found: list[Measure] = []
    if computed is not None:
        points = measured.get("points") or 0
        basis = f"{prediction.get('statistic') or 'median'} of {grouped(points)} samples"
        found.append(_of_result(experiment, name, computed, "computed", basis))
    if typed is not None and typed != computed:
        found.append(_of_result(experiment, name, typed, "typed", ""))
    return found


def _of_result(
    experiment: ExperimentRecord,
    name: str,
    value: float,
    source: Literal["computed", "typed"],
    basis: str,
) -> Measure:
    return Measure(name, value, "", source, basis, None, experiment.by, experiment.finished_at)


def _further(experiment: ExperimentRecord) -> list[Measure]:
    return [
        Measure(
            name=item.name,
            value=item.value,
            unit=item.unit,
            source=item.source,
            basis=item.basis,
            id=item.id,
            by=item.by,
            recorded_at=item.recorded_at,
        )
        for item in experiment.measurements
    ]
