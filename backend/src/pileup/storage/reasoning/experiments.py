"""Experiment log: changes, predictions and observations.

planned -> started -> finished. Starting locks the prediction; finishing needs an observation and a
verdict. An experiment that missed stays like one that matched.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import delete, select

from pileup.storage.audit import Actor, record
from pileup.storage.database import Unit, clean, clean_json
from pileup.storage.errors import Conflict, NotFound, Refused, StaleRevision
from pileup.storage.incidents.webhooks import announce
from pileup.storage.models import (
    Artifact,
    Experiment,
    ExperimentArtifact,
    ExperimentPin,
    Hypothesis,
    User,
)
from pileup.storage.numbering import next_number
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
    artifacts: tuple[AttachedArtifact, ...]
    pins: tuple[PinRecord, ...]
    started_at: datetime | None
    finished_at: datetime | None
    by: str | None
    revision: int


class Experiments:
    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._session = unit.session

    def create(self, incident_id: str, values: dict[str, Any], *, by: Actor) -> ExperimentRecord:
        """Create a planned experiment with the next number of its incident."""
        self._check_hypothesis(incident_id, values.get("hypothesis_id"))
        number = next_number(self._session, incident_id, Experiment)
        row = Experiment(incident_id=incident_id, number=number, by_id=by.id, **_cleaned(values))
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
        for name, value in _cleaned(changes).items():
            setattr(row, name, value)
        self._touch(row)
        if "conclusion" in changes:
            self._conclude(row, by)
        return self._publish(row, by, "experiment.edited", fields=sorted(changes))

    def start(self, experiment_id: str, *, by: Actor) -> ExperimentRecord:
        row = self._row(experiment_id)
        if row.state != "planned":
            raise Conflict(f"This experiment is already {row.state}.")
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
        verdict: str,
        failed_same_way: str | None,
        conclusion: str,
        by: Actor,
        computed: dict[str, Any] | None = None,
        overruled_because: str = "",
    ) -> ExperimentRecord:
        row = self._row(experiment_id)
        if row.state != "started":
            raise Conflict(
                "Start the experiment first, so that its prediction is locked."
                if row.state == "planned"
                else "This experiment is already finished."
            )
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
        """Replace the attached artifacts; all must belong to the same incident."""
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
            .order_by(Artifact.path)
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
        return [
            ExperimentRecord(
                id=row.id,
                incident_id=row.incident_id,
                number=row.number,
                title=row.title,
                hypothesis_id=row.hypothesis_id,
                change=row.change,
                prediction=row.prediction,
                state=row.state,
                locked_at=row.locked_at,
                observation=row.observation,
                failed_same_way=row.failed_same_way,
                verdict=row.verdict,
                conclusion=row.conclusion,
                risk=row.risk,
                sweep=row.sweep,
                parameters=row.parameters,
                computed=row.computed,
                overruled_because=row.overruled_because,
                artifacts=tuple(artifacts[row.id]),
                pins=tuple(pins[row.id]),
                started_at=row.started_at,
                finished_at=row.finished_at,
                by=people.get(row.by_id) if row.by_id else None,
                revision=row.revision,
            )
            for row in rows
        ]


def _check_prediction(prediction: dict[str, Any]) -> None:
    """Check a prediction before it is locked: words or a number, and a complete number."""
    metric, op = prediction.get("metric"), prediction.get("op")
    if not str(prediction.get("text", "")).strip() and not metric:
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
        name: clean(value) if isinstance(value, str) else clean_json(value)
        for name, value in values.items()
    }
