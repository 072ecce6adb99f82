"""Experiment log: changes, predictions and observations.

planned -> started -> finished. Starting locks the prediction; finishing needs an observation and a
verdict. An experiment that missed stays like one that matched. A run that is logged afterwards has
the time at which it really ran, and its prediction is then not one that was locked before it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from sqlalchemy import delete, select

from pileup.storage.artifacts.artifacts import Artifacts
from pileup.storage.audit import Actor, record
from pileup.storage.database import Unit, clean, clean_json, to_record
from pileup.storage.errors import Conflict, NotFound, Refused, StaleRevision
from pileup.storage.happened import (
    Happened,
    Precision,
    PredictionStanding,
    checked,
    prediction_standing,
)
from pileup.storage.incidents.webhooks import announce
from pileup.storage.models import (
    Artifact,
    Experiment,
    ExperimentArtifact,
    ExperimentPin,
    Hypothesis,
    Measurement,
    User,
)
from pileup.storage.numbering import next_number
from pileup.storage.reasoning.measurements import (
    MeasurementRecord,
    NewMeasurement,
    Source,
    add_measurements,
    measurements_of,
)
from pileup.storage.reasoning.pins import PinRecord, Pins
from pileup.storage.texts.live_texts import Texts
from pileup.storage.visibility import find_visible


@dataclass(frozen=True, slots=True)
class AttachedArtifact:
    id: str
    path: str


@dataclass(frozen=True, slots=True)
class ExperimentRecord:
    id: str
    incident_id: str
    number: int
    title: str
    hypothesis_id: str | None
    change: str
    prediction: dict[str, Any]
    state: str
    locked_at: datetime | None
    observation: dict[str, Any] | None
    failed_same_way: str | None
    verdict: str | None
    conclusion: str
    risk: str
    sweep: str
    parameters: dict[str, str]
    computed: dict[str, Any] | None
    overruled_because: str
    measurements: tuple[MeasurementRecord, ...]
    """In the order in which they were recorded."""
    artifacts: tuple[AttachedArtifact, ...]
    pins: tuple[PinRecord, ...]
    predicted_at: datetime | None
    """When the prediction was last recorded."""
    started_at: datetime | None
    """When the start was recorded."""
    finished_at: datetime | None
    """When the result was recorded."""
    ran_from: datetime | None
    """When the run really began, as a person gives it; None: when the start was recorded."""
    ran_to: datetime | None
    ran_precision: Precision
    host: str
    build: str
    cores: str
    dataset: str
    by: str | None
    revision: int

    @property
    def began(self) -> datetime | None:
        """When the run began, as far as people say; None before, and where nobody says it."""
        return self.ran_from or (None if self._was_over else self.started_at)

    @property
    def ended(self) -> datetime | None:
        """When the run ended, as far as people say; None before.

        A run that began before its start was recorded ended at a time that only people know.
        """
        is_recorded = self.ran_from is None and not self._was_over
        return self.ran_to or (self.finished_at if is_recorded else None)

    @property
    def _was_over(self) -> bool:
        """Whether start and result were recorded at once, as of a row of a pasted table."""
        return self.started_at is not None and self.started_at == self.finished_at

    @property
    def prediction_standing(self) -> PredictionStanding:
        """Whether the prediction was recorded before the run."""
        written = any(self.prediction.get(name) for name in ("text", "metric"))
        return prediction_standing(
            written=written,
            recorded=self.predicted_at or self.locked_at,
            began=(self.ran_from or self.started_at) if self.state != "planned" else None,
        )


class Experiments:
    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._session = unit.session

    def create(self, incident_id: str, values: dict[str, Any], *, by: Actor) -> ExperimentRecord:
        """Create a planned experiment with the next number of its incident."""
        self._check_hypothesis(incident_id, values.get("hypothesis_id"))
        number = next_number(self._session, incident_id, Experiment)
        row = Experiment(incident_id=incident_id, number=number, by_id=by.id)
        self._set(row, values)
        self._session.add(row)
        self._session.flush()
        return self._publish(row, by, "experiment.planned")

    def of_incident(self, incident_id: str) -> list[ExperimentRecord]:
        rows = self._session.scalars(
            select(Experiment)
            .where(Experiment.incident_id == incident_id, Experiment.deleted_at.is_(None))
            .order_by(Experiment.number)
        )
        return self._records(list(rows))

    def get(self, experiment_id: str) -> ExperimentRecord:
        return self._records([self._row(experiment_id)])[0]

    def edit(
        self, experiment_id: str, changes: dict[str, Any], *, revision: int, by: Actor
    ) -> ExperimentRecord:
        row = self._row(experiment_id)
        self._fresh(row, revision)
        locked = {"prediction", "change", "parameters"} & changes.keys()
        if row.locked_at is not None and any(
            _comparable(clean_json(changes[name])) != _comparable(getattr(row, name))
            for name in locked
        ):
            raise Conflict(
                "The change, its parameters and its prediction were locked when the experiment "
                "started. "
                "Log a second experiment for another prediction."
            )
        self._check_hypothesis(row.incident_id, changes.get("hypothesis_id"))
        self._set(row, changes)
        self._touch(row)
        if "conclusion" in changes:
            self._conclude(row, by)
        return self._publish(row, by, "experiment.edited", fields=sorted(changes))

    def start(
        self, experiment_id: str, *, by: Actor, happened: Happened | None = None
    ) -> ExperimentRecord:
        """Start the experiment now, or record that it began at the time that ``happened`` gives.

        Both lock the prediction. One that began before needs none: a prediction made afterwards
        proves nothing.
        """
        row = self._row(experiment_id)
        if row.state != "planned":
            raise Conflict(f"This experiment is already {row.state}.")
        if happened is not None and happened.at is not None:
            self._set(row, {"ran_from": happened.at, "ran_precision": happened.precision})
        if row.ran_from is None or _is_written(row.prediction):
            _check_prediction(row.prediction)
        row.state = "started"
        row.started_at = row.locked_at = datetime.now(UTC)
        self._touch(row)
        return self._publish(row, by, "experiment.started")

    def finish(
        self,
        experiment_id: str,
        *,
        observation: dict[str, Any],
        verdict: str | None,
        failed_same_way: str | None,
        conclusion: str,
        by: Actor,
        computed: dict[str, Any] | None = None,
        overruled_because: str = "",
        ran_to: datetime | None = None,
    ) -> ExperimentRecord:
        """Record the result; ``ran_to`` is when the run really ended, if not now."""
        row = self._row(experiment_id)
        if row.state != "started":
            raise Conflict(
                "Start the experiment first, so that its prediction is locked."
                if row.state == "planned"
                else "This experiment is already finished."
            )
        if ran_to is not None:
            self._set(row, {"ran_to": ran_to})
        row.state = "finished"
        row.finished_at = datetime.now(UTC)
        row.observation = clean_json(observation)
        row.verdict, row.failed_same_way = verdict, failed_same_way
        row.computed = None if computed is None else clean_json(computed)
        row.overruled_because = clean(overruled_because)
        if conclusion:
            row.conclusion = clean(conclusion)
        self._touch(row)
        if conclusion:
            self._conclude(row, by)
        announce(
            self._unit,
            "experiment.finished",
            row.incident_id,
            id=row.id,
            number=row.number,
            title=row.title,
            verdict=verdict,
        )
        return self._publish(row, by, "experiment.finished", verdict=verdict)

    def attach_artifacts(
        self, experiment_id: str, artifact_ids: list[str], *, by: Actor
    ) -> ExperimentRecord:
        """Replace the attached artifacts; all must belong to the same incident.

        Of a file that the incident and the run both brought, the run gets a copy.
        """
        row = self._row(experiment_id)
        wanted = list(dict.fromkeys(artifact_ids))
        if row.computed is not None and set(wanted) != self._attached(row.id):
            raise Conflict(
                "This experiment finished with what these artifacts showed, so they stay. "
                "Run it again with the others."
            )
        known = set(
            self._session.scalars(
                select(Artifact.id).where(
                    Artifact.id.in_(wanted),
                    Artifact.incident_id == row.incident_id,
                    Artifact.deleted_at.is_(None),
                )
            )
        )
        if len(known) != len(wanted):
            raise Refused("One of these artifacts is not part of this incident.", "artifact_ids")
        attached = self._attached(row.id)
        wanted = [
            artifact_id
            if artifact_id in attached
            else Artifacts(self._unit).for_run(artifact_id, row.id, row.created_at, by)
            for artifact_id in wanted
        ]
        self._session.execute(
            delete(ExperimentArtifact).where(ExperimentArtifact.experiment_id == row.id)
        )
        self._session.add_all(
            ExperimentArtifact(experiment_id=row.id, artifact_id=artifact_id)
            for artifact_id in wanted
        )
        self._touch(row)
        return self._publish(row, by, "experiment.artifacts_attached", files=len(wanted))

    def attach_pin(self, experiment_id: str, pin_id: str, *, by: Actor) -> ExperimentRecord:
        row = self._row(experiment_id)
        pin = Pins(self._unit).get(pin_id)
        if pin.incident_id != row.incident_id:
            raise Refused("That pin belongs to another incident.", "pin_id")
        if self._session.get(ExperimentPin, (row.id, pin_id)) is None:
            self._session.add(ExperimentPin(experiment_id=row.id, pin_id=pin_id))
            self._session.flush()
        return self._publish(row, by, "experiment.pin_attached", evidence=pin.label)

    def measure(
        self,
        experiment_id: str,
        values: Sequence[NewMeasurement],
        source: Source,
        *,
        revision: int,
        by: Actor,
    ) -> ExperimentRecord:
        """Add measurements of one source to the run."""
        row = self._row(experiment_id)
        self._fresh(row, revision)
        add_measurements(self._session, row.id, values, source, by)
        self._touch(row)
        named = ", ".join(value.name for value in values)
        return self._publish(row, by, "experiment.measured", names=named[:500], source=source)

    def remove_measurement(
        self, experiment_id: str, measurement_id: str, *, by: Actor
    ) -> ExperimentRecord:
        """Delete a measurement; ``restore_measurement`` brings it back."""
        moment = datetime.now(UTC)
        return self._move(experiment_id, measurement_id, moment, by, "measurement_removed")

    def restore_measurement(
        self, experiment_id: str, measurement_id: str, *, by: Actor
    ) -> ExperimentRecord:
        """Undo a deletion: the value has its source, its author and its time as before."""
        return self._move(experiment_id, measurement_id, None, by, "measurement_restored")

    def _move(
        self,
        experiment_id: str,
        measurement_id: str,
        deleted: datetime | None,
        by: Actor,
        what: str,
    ) -> ExperimentRecord:
        row = self._row(experiment_id)
        found = self._session.get(Measurement, measurement_id)
        if (
            found is None
            or found.experiment_id != row.id
            or (found.deleted_at is None) == (deleted is None)
        ):
            raise NotFound("There is no such measurement in this run.")
        found.deleted_at = deleted
        detail = {"name": found.name, "value": found.value, "source": found.source}
        self._touch(row)
        return self._publish(row, by, f"experiment.{what}", **detail)

    def record_run(
        self,
        incident_id: str,
        fields: dict[str, Any],
        values: Sequence[NewMeasurement],
        *,
        failed_same_way: str | None,
        by: Actor,
    ) -> ExperimentRecord:
        """Record a run of a pasted table, as finished: it has no prediction and no verdict."""
        self._check_hypothesis(incident_id, fields.get("hypothesis_id"))
        number = next_number(self._session, incident_id, Experiment)
        row = Experiment(incident_id=incident_id, number=number, by_id=by.id, prediction={})
        self._set(row, fields)
        row.state = "finished"
        row.started_at = row.finished_at = datetime.now(UTC)
        row.failed_same_way = failed_same_way
        self._session.add(row)
        self._session.flush()
        add_measurements(self._session, row.id, values, "imported", by)
        return self._publish(row, by, "experiment.imported")

    def _set(self, row: Experiment, values: dict[str, Any]) -> None:
        """Set fields, check the times of the run, and note when the prediction was recorded."""
        predicted = {"prediction", "change", "parameters"} & values.keys()
        differs = any(
            _comparable(clean_json(values[name])) != _comparable(getattr(row, name))
            for name in predicted
        )
        for name, value in _cleaned(values).items():
            setattr(row, name, value)
        if differs or (row.predicted_at is None and row.state in (None, "planned")):
            row.predicted_at = datetime.now(UTC)
        if _RAN & values.keys():
            _check_times(row)

    def _attached(self, experiment_id: str) -> set[str]:
        table = ExperimentArtifact
        return set(
            self._session.scalars(
                select(table.artifact_id).where(table.experiment_id == experiment_id)
            )
        )

    def _conclude(self, row: Experiment, by: Actor) -> None:
        key = f"experiment/{row.id}/conclusion"
        Texts(self._unit).follow(row.incident_id, key, row.conclusion, by)

    def delete(self, experiment_id: str, *, by: Actor) -> None:
        """Move the experiment to the bin; its number stays taken."""
        row = self._row(experiment_id)
        row.deleted_at = datetime.now(UTC)
        self._session.flush()
        record(
            self._unit,
            by,
            "experiment.deleted",
            incident_id=row.incident_id,
            target=row.id,
            title=row.title,
        )
        self._unit.notify(row.incident_id, "experiments", row.id)

    def _row(self, experiment_id: str) -> Experiment:
        row = find_visible(self._session, Experiment, experiment_id)
        if row is None:
            raise NotFound("There is no such experiment.")
        return row

    def _fresh(self, row: Experiment, revision: int) -> None:
        if row.revision != revision:
            raise StaleRevision(
                "Somebody changed this experiment after you opened it. Your text is kept on your "
                "screen: compare and save again.",
                self._records([row])[0],
            )

    def _check_hypothesis(self, incident_id: str, hypothesis_id: str | None) -> None:
        if hypothesis_id is None:
            return
        row = self._session.get(Hypothesis, hypothesis_id)
        if row is None or row.deleted_at is not None or row.incident_id != incident_id:
            raise Refused("That hypothesis is not part of this incident.", "hypothesis_id")

    def _touch(self, row: Experiment) -> None:
        row.revision += 1
        row.updated_at = datetime.now(UTC)
        self._session.flush()

    def _publish(self, row: Experiment, by: Actor, action: str, **detail: Any) -> ExperimentRecord:
        record(self._unit, by, action, incident_id=row.incident_id, target=row.id, **detail)
        self._unit.notify(row.incident_id, "experiments", row.id)
        return self._records([row])[0]

    def _records(self, rows: list[Experiment]) -> list[ExperimentRecord]:
        ids = [row.id for row in rows]
        session = self._session
        artifacts: defaultdict[str, list[AttachedArtifact]] = defaultdict(list)
        for experiment_id, artifact_id, path in session.execute(
            select(ExperimentArtifact.experiment_id, Artifact.id, Artifact.path)
            .join(Artifact, Artifact.id == ExperimentArtifact.artifact_id)
            .where(ExperimentArtifact.experiment_id.in_(ids))
            .order_by(Artifact.path, Artifact.id)
        ):
            artifacts[experiment_id].append(AttachedArtifact(artifact_id, path))
        links = session.execute(
            select(ExperimentPin.experiment_id, ExperimentPin.pin_id)
            .where(ExperimentPin.experiment_id.in_(ids))
            .order_by(ExperimentPin.pin_id)
        ).all()
        known = Pins(self._unit).by_ids({pin_id for _, pin_id in links})
        pins: defaultdict[str, list[PinRecord]] = defaultdict(list)
        for experiment_id, pin_id in links:
            if pin_id in known:
                pins[experiment_id].append(known[pin_id])
        people = {
            person.id: person.name
            for person in session.execute(
                select(User.id, User.name).where(User.id.in_({row.by_id for row in rows}))
            )
        }
        measured = measurements_of(session, ids)
        return [
            to_record(
                ExperimentRecord,
                row,
                measurements=tuple(measured[row.id]),
                artifacts=tuple(artifacts[row.id]),
                pins=tuple(pins[row.id]),
                by=people.get(row.by_id) if row.by_id else None,
            )
            for row in rows
        ]


_RAN = frozenset({"ran_from", "ran_to", "ran_precision"})


def _check_times(row: Experiment) -> None:
    """Bring the times of a run to their precision; refuse an end before the beginning."""
    precision = cast("Precision", row.ran_precision or "exact")
    for name in ("ran_from", "ran_to"):
        setattr(row, name, checked(Happened(getattr(row, name), precision), name).at)
    if row.ran_from is not None and row.ran_to is not None and row.ran_to < row.ran_from:
        raise Refused("The run ends before it begins.", "ran_to")


def _is_written(prediction: dict[str, Any]) -> bool:
    return bool(str(prediction.get("text") or "").strip() or prediction.get("metric"))


def _check_prediction(prediction: dict[str, Any]) -> None:
    """Check a prediction before it is locked: words or a number, and a complete number."""
    metric, op = prediction.get("metric"), prediction.get("op")
    if not _is_written(prediction):
        raise Refused(
            "Write down what you expect to see before you start: a prediction made "
            "afterwards proves nothing.",
            "prediction",
        )
    if not metric:
        return
    if not op or (op not in ("falls", "rises") and prediction.get("value") is None):
        raise Refused(
            f"The prediction about {metric} is incomplete: give a sign and a value, or say that it "
            "falls or rises.",
            "prediction",
        )
    if (prediction.get("falsifier_op") is None) != (prediction.get("falsifier_value") is None):
        raise Refused("What falsifies the prediction needs a sign and a value.", "prediction")


def _comparable(value: Any) -> Any:
    """Drop empty fields, as a field left out, an empty one and null are equal."""
    if isinstance(value, dict):
        return {name: item for name, item in value.items() if item not in (None, "", [])}
    return value


def _cleaned(values: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value if isinstance(value, datetime) else clean_json(value)
        for name, value in values.items()
    }
