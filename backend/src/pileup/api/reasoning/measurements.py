"""Routes for what was measured: the values of a run, tables of results, and sweeps."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, status
from pydantic import Field, StringConstraints

from pileup.analysis.reasoning.run_outcome import Statistic
from pileup.api.auth import Caller
from pileup.api.deps import IncidentDep, RevisionDep, ServicesDep, UnitDep
from pileup.api.reasoning.experiment_bodies import RunFields, Sweep
from pileup.api.reasoning.experiments import Experiment, experiment_out, fields_of_run
from pileup.api.schema import In, Out
from pileup.api.versioned import by_version
from pileup.storage.reasoning.experiments import Experiments
from pileup.storage.reasoning.measurements import NewMeasurement
from pileup.views.reasoning.experiment_outcome import Long, SeriesId
from pileup.views.reasoning.measures import computed_measurement
from pileup.views.reasoning.result_import import (
    AddedValue,
    TablePreview,
    import_runs,
    preview_table,
)
from pileup.views.reasoning.result_table import Column
from pileup.views.reasoning.sweeps import Sweep as SweepOut
from pileup.views.reasoning.sweeps import sweeps_of

router = APIRouter(tags=["measurements"])

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
UnitName = Annotated[str, StringConstraints(strip_whitespace=True, max_length=40)]


class TypedValue(In):
    name: Name
    value: Annotated[float, Field(allow_inf_nan=False)]
    unit: UnitName | None = None
    basis: Annotated[str, StringConstraints(strip_whitespace=True, max_length=500)] | None = None
    """Where the person has it from: 'dashboard at 18:42'."""


class TypedValues(In):
    values: list[TypedValue] = Field(min_length=1, max_length=50)


class ValueToCompute(In):
    series: SeriesId
    statistic: Statistic = "median"
    window_s: Annotated[float, Field(gt=0)] | None = None
    """The first seconds of the run; null: all of it."""
    name: Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)] | None = None
    """Null: the name of the series."""
    unit: UnitName | None = None


class PastedTable(In):
    text: Annotated[str, StringConstraints(min_length=1, max_length=200_000)]
    columns: list[Column] | None = None
    """The role of each column; null: guessed."""
    failures: list[Annotated[str, Field(max_length=500)]] | None = Field(None, max_length=500)
    """The outcomes that mean that a run failed; null: guessed."""
    sweep: Sweep | None = None


class ImportedTable(PastedTable, RunFields):
    title: Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)] | None = None
    """Put before the title of each run."""
    change: Long | None = None
    hypothesis_id: str | None = None


class Imported(Out):
    created: int
    updated: int
    """Runs of the sweep with the same parameters, which got the values."""
    experiment_ids: list[str]
    created_ids: list[str]
    """New runs: delete them to undo the import."""
    added: list[AddedValue]
    """Values of runs that were there: delete them to undo the import."""


@router.post("/experiments/{experiment_id}/measurements")
def add_measurements(
    experiment_id: str, body: TypedValues, unit: UnitDep, caller: Caller, revision: RevisionDep
) -> Experiment:
    """Add values that a person typed; they stay marked as typed."""
    values = [NewMeasurement(v.name, v.value, v.unit or "", v.basis or "") for v in body.values]
    return experiment_out(
        Experiments(unit).measure(
            experiment_id, values, "typed", revision=revision, by=caller.actor
        )
    )


@router.post("/experiments/{experiment_id}/measurements/computed")
def compute_measurement(
    experiment_id: str,
    body: ValueToCompute,
    services: ServicesDep,
    unit: UnitDep,
    caller: Caller,
    revision: RevisionDep,
) -> Experiment:
    """Compute a value from the run's own artifacts, and add it as computed."""
    store = Experiments(unit)
    value = computed_measurement(
        unit,
        services.frames,
        store.get(experiment_id),
        series=body.series,
        statistic=body.statistic,
        window_s=body.window_s,
        named=body.name or "",
        value_unit=body.unit or "",
    )
    return experiment_out(
        store.measure(experiment_id, [value], "computed", revision=revision, by=caller.actor)
    )


@router.delete("/experiments/{experiment_id}/measurements/{measurement_id}")
def remove_measurement(
    experiment_id: str, measurement_id: str, unit: UnitDep, caller: Caller
) -> Experiment:
    """Delete a value; it can be restored."""
    return experiment_out(
        Experiments(unit).remove_measurement(experiment_id, measurement_id, by=caller.actor)
    )


@router.post("/experiments/{experiment_id}/measurements/{measurement_id}/restore")
def restore_measurement(
    experiment_id: str, measurement_id: str, unit: UnitDep, caller: Caller
) -> Experiment:
    """Restore a deleted value with the source it had: imported stays imported."""
    return experiment_out(
        Experiments(unit).restore_measurement(experiment_id, measurement_id, by=caller.actor)
    )


@router.post("/incidents/{incident_id}/experiments/table-preview")
def preview_result_table(incident: IncidentDep, body: PastedTable, unit: UnitDep) -> TablePreview:
    """Read a pasted table of results and return the runs that it would become; stores nothing."""
    known = Experiments(unit).of_incident(incident.id)
    return preview_table(known, body.text, body.columns, body.failures, body.sweep or "")


@router.post("/incidents/{incident_id}/experiments/table", status_code=status.HTTP_201_CREATED)
def import_result_table(
    incident: IncidentDep, body: ImportedTable, unit: UnitDep, caller: Caller
) -> Imported:
    """Record a run for each row of a pasted table, or add its values to the run of the sweep."""
    own = {"change", "hypothesis_id", *RunFields.model_fields}
    fields = fields_of_run(body.model_dump(include=own)) | {"change": body.change or ""}
    done = import_runs(
        unit,
        incident.id,
        preview_table(
            Experiments(unit).of_incident(incident.id),
            body.text,
            body.columns,
            body.failures,
            body.sweep or "",
        ),
        title=body.title or "",
        sweep=body.sweep or "",
        fields=fields,
        by=caller.actor,
    )
    updated = list(dict.fromkeys(value.experiment_id for value in done.added))
    return Imported(
        created=len(done.created),
        updated=len(updated),
        experiment_ids=[*done.created, *updated],
        created_ids=done.created,
        added=done.added,
    )


@router.get("/incidents/{incident_id}/sweeps")
@by_version()
def list_sweeps(incident: IncidentDep, unit: UnitDep) -> list[SweepOut]:
    """List the sweeps that have a load, with the threshold between two loads."""
    return sweeps_of(Experiments(unit).of_incident(incident.id))
