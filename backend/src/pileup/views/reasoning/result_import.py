"""Preview and import a pasted table of results as runs of a sweep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pileup.storage.audit import Actor
from pileup.storage.database import Unit
from pileup.storage.errors import Refused
from pileup.storage.reasoning.experiments import ExperimentRecord, Experiments
from pileup.storage.reasoning.measurements import NewMeasurement
from pileup.views.reasoning.result_table import (
    Column,
    TableRun,
    cells_of,
    guessed_columns,
    guessed_failures,
    runs_of,
)

_MOST_RUNS = 200


@dataclass(frozen=True, slots=True)
class PreviewedRun:
    run: TableRun
    updates: int | None
    """Number of the experiment that gets the values; None: a new one."""


@dataclass(frozen=True, slots=True)
class TablePreview:
    columns: list[Column]
    outcomes: list[str]
    """The different cells of the outcome columns."""
    failures: list[str]
    """Those that mean that the run failed."""
    runs: list[PreviewedRun]
    problems: list[str]
    """What is left out, and why."""


def preview_table(
    known: Sequence[ExperimentRecord],
    text: str,
    columns: Sequence[Column] | None,
    failures: Sequence[str] | None,
    sweep: str,
) -> TablePreview:
    """Read a pasted table; raises Refused when it is none.

    A row whose parameters are those of exactly one run of the sweep updates that run.
    """
    cells = cells_of(text)
    chosen = list(columns) if columns is not None else guessed_columns(cells)
    failing = list(failures) if failures is not None else guessed_failures(cells, chosen)
    runs, problems = runs_of(cells, chosen, failing)
    if len(runs) > _MOST_RUNS:
        raise Refused(f"A table of at most {_MOST_RUNS} runs can be imported at once.", "text")
    same = [run for run in known if sweep and run.sweep == sweep]
    outcomes = dict.fromkeys(
        row[at]
        for at, column in enumerate(chosen)
        if column.role == "outcome"
        for row in cells.rows
        if row[at]
    )
    previewed = []
    for run in runs:
        was = _updates(run, same)
        if was is not None:
            run, kept = _new_to(run, was)
            problems += kept
        previewed.append(PreviewedRun(run, was.number if was else None))
    return TablePreview(
        columns=chosen,
        outcomes=list(outcomes),
        failures=failing,
        runs=previewed,
        problems=[*cells.problems, *problems],
    )


def _new_to(run: TableRun, was: ExperimentRecord) -> tuple[TableRun, list[str]]:
    """Return a row without what its run has already, and what is left out of it."""
    known = {(value.name, value.unit, value.value) for value in was.measurements}
    new = [value for value in run.values if (value.name, value.unit, value.value) not in known]
    problems = []
    if count := len(run.values) - len(new):
        words = "a value is" if count == 1 else f"{count} values are"
        problems.append(f"Line {run.line}: {words} in run {was.number} already.")
    if run.outcome and run.outcome != (was.observation or {}).get("text"):
        problems.append(
            f"Line {run.line}: “{run.outcome[:40]}” is left out: values are added to run "
            f"{was.number}, and no outcome. Open the run to write it there."
        )
    return replace(run, values=new), problems


@dataclass(frozen=True, slots=True)
class AddedValue:
    """A value that an import added to a run that was there."""

    experiment_id: str
    measurement_id: str


@dataclass(frozen=True, slots=True)
class ImportedRuns:
    created: list[str]
    """Ids of new experiments."""
    added: list[AddedValue]


def import_runs(
    unit: Unit,
    incident_id: str,
    preview: TablePreview,
    *,
    title: str,
    sweep: str,
    fields: dict[str, Any],
    by: Actor,
) -> ImportedRuns:
    """Record the runs of a preview."""
    store = Experiments(unit)
    by_number = {run.number: run for run in store.of_incident(incident_id)}
    created: list[str] = []
    added: list[AddedValue] = []
    for previewed in preview.runs:
        run = previewed.run
        basis = f"line {run.line} of a pasted table"
        values = [
            NewMeasurement(value.name, value.value, value.unit, basis) for value in run.values
        ]
        if previewed.updates is not None:
            if not values:
                continue
            was = by_number[previewed.updates]
            revision = store.get(was.id).revision
            now = store.measure(was.id, values, "imported", revision=revision, by=by)
            new = now.measurements[len(now.measurements) - len(values) :]
            added += [AddedValue(was.id, value.id) for value in new]
            continue
        named = ": ".join(part for part in (title, run.title) if part) or "Imported run"
        made = store.record_run(
            incident_id,
            fields
            | {
                "title": named[:500],
                "sweep": sweep,
                "parameters": run.parameters,
                "observation": {"text": run.outcome, "value": None},
            },
            values,
            failed_same_way=_same_way(run.failed),
            by=by,
        )
        created.append(made.id)
    return ImportedRuns(created, added)


def _updates(run: TableRun, same: Sequence[ExperimentRecord]) -> ExperimentRecord | None:
    found = [known for known in same if known.parameters == run.parameters]
    return found[0] if len(found) == 1 and run.parameters else None


def _same_way(failed: bool | None) -> str | None:
    """A table says that a run failed, and not in which way."""
    return None if failed is None else "failed" if failed else "not_failed"
