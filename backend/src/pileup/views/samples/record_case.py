"""Record the case of a finished sample by the services that people's requests use.

Everything passes the same checks and leaves the same audit trail; what happened when comes from the
file, and what was recorded when is now. A prediction is therefore one that was recorded afterwards.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlencode

from pileup.storage.artifacts.artifacts import Artifact, Artifacts
from pileup.storage.audit import Actor, Filter, entries, record
from pileup.storage.database import Unit
from pileup.storage.errors import NotFound
from pileup.storage.happened import Happened
from pileup.storage.incidents.annotations import Annotations
from pileup.storage.incidents.incidents import Incidents
from pileup.storage.lifecycle.samples import RUNS
from pileup.storage.reasoning.experiments import Experiments
from pileup.storage.reasoning.findings import Findings
from pileup.storage.reasoning.hypotheses import Hypotheses
from pileup.storage.reasoning.measurements import NewMeasurement
from pileup.storage.reasoning.pins import Pins
from pileup.storage.reasoning.symptoms import Symptoms
from pileup.storage.reports.actions import Actions
from pileup.storage.reports.releases import Releases
from pileup.storage.reports.reports import Reports
from pileup.views.reasoning.experiment_outcome import compute, judge, stored_form
from pileup.views.reasoning.measures import computed_measurement
from pileup.views.reasoning.pin_places import Placer
from pileup.views.reasoning.result_import import import_runs, preview_table
from pileup.views.reports.screen import known_section, known_template
from pileup.views.samples.case_file import (
    CaseExperiment,
    CaseFile,
    CaseHypothesis,
    CasePin,
    CaseRun,
    CaseTable,
)
from pileup.views.stores import Stores

_RECORDED = "sample.case_recorded"
_SOURCE = re.compile(r"\[\^pin-([\w-]+)\]")


def is_recorded(unit: Unit, incident_id: str) -> bool:
    """Return whether the incident has its case already."""
    kept = entries(unit, incident_id, 500, Filter(kind="sample"))
    return any(entry.action == _RECORDED for entry in kept)


def record_case(unit: Unit, stores: Stores, incident_id: str, case: CaseFile) -> None:
    """Record the case of an analysed incident; raises StorageError as a request would."""
    _Recorder(unit, stores, incident_id, Actor(None, case.by)).record(case)


@dataclass
class _Recorder:
    unit: Unit
    stores: Stores
    incident_id: str
    by: Actor
    ids: dict[str, str] = field(default_factory=dict)
    """Key in the file to id."""

    def record(self, case: CaseFile) -> None:
        artifacts = {a.path: a for a in Artifacts(self.unit).of_incident(self.incident_id)}
        self._pins(case, artifacts)
        for symptom in case.symptoms:
            made = Symptoms(self.unit).create(
                self.incident_id, symptom.predicate.model_dump(), by=self.by, happened=symptom.at
            )
            self.ids[symptom.key] = made.id
        for hypothesis in case.hypotheses:
            self._hypothesis(hypothesis)
        for run in case.experiments:
            if isinstance(run, CaseTable):
                self._table(run)
            else:
                self._experiment(run, artifacts)
        for hypothesis in case.hypotheses:
            self._decisions(hypothesis)
        self._notes_and_actions(case)
        self._report(case)
        incident = Incidents(self.unit).get(self.incident_id)
        changes = {"status": case.status}
        Incidents(self.unit).change(self.by, self.incident_id, incident.revision, changes)
        record(self.unit, self.by, _RECORDED, incident_id=self.incident_id, target=self.incident_id)

    def _pins(self, case: CaseFile, artifacts: dict[str, Artifact]) -> None:
        stores = self.stores
        placer = Placer(self.unit, stores.placed, stores.frames, stores.blobs, self.incident_id)
        for pin in case.pins:
            kind, evidence_kind, locator, view = self._pointer(pin, artifacts)
            placed = placer.place(kind, evidence_kind, locator, view)
            made = Pins(self.unit).create(
                self.incident_id,
                kind=kind,
                evidence_kind=evidence_kind,
                title=pin.title,
                locator=placed.locator,
                view=view,
                excerpt=placed.excerpt or pin.words,
                value=placed.value,
                by=self.by,
            )
            self.ids[pin.key] = made.id

    def _pointer(
        self, pin: CasePin, artifacts: dict[str, Artifact]
    ) -> tuple[str, str, dict[str, Any], str]:
        """Return kind, kind of evidence, locator and view of a pin."""
        base = f"/incidents/{self.incident_id}"
        if pin.file is not None and pin.lines is not None:
            artifact = artifacts.get(pin.file)
            if artifact is None or (artifact.lines or 0) < pin.lines[1]:
                raise NotFound(f"The pin {pin.key} names lines that {pin.file} does not have.")
            first, last = pin.lines
            query = urlencode({"artifact": artifact.id, "line": first, "to": last})
            locator = {
                "artifact": artifact.sha256,
                "path": artifact.path,
                "line_first": first,
                "line_last": last,
            }
            return "lines", "observation", locator, f"{base}/artifacts?{query}"
        if pin.series:
            window = {
                name: at.at.isoformat()
                for name, at in (("start", pin.start), ("end", pin.end))
                if at is not None and at.at is not None
            }
            query = urlencode([("series", name) for name in pin.series] + list(window.items()))
            return (
                "series",
                "observation",
                {"series": pin.series} | window,
                f"{base}/timeline?{query}",
            )
        return "statement", "testimony", {}, f"{base}/overview"

    def _hypothesis(self, hypothesis: CaseHypothesis) -> None:
        store = Hypotheses(self.unit)
        made = store.create(
            self.incident_id,
            statement=hypothesis.statement,
            falsifier=hypothesis.falsifier,
            confidence=None,
            finding_id=hypothesis.finding,
            by=self.by,
            mechanisms=hypothesis.mechanisms,
            happened=hypothesis.proposed,
        )
        self.ids[hypothesis.key] = made.id
        if hypothesis.finding is not None:
            finding = hypothesis.finding
            Findings(self.unit).judge(self.incident_id, finding, "accepted", None, by=self.by)
        for step in hypothesis.steps:
            if step.confidence is not None:
                store.set_confidence(
                    made.id,
                    confidence=step.confidence,
                    reason=step.why,
                    pin_id=self._id(step.pin),
                    by=self.by,
                    happened=step.at,
                )
        for evidence in hypothesis.evidence:
            store.add_evidence(
                made.id,
                pin_id=self.ids[evidence.pin],
                side=evidence.side,
                note=evidence.note,
                by=self.by,
            )

    def _decisions(self, hypothesis: CaseHypothesis) -> None:
        """Record the changes of status, after the experiments that they rest on."""
        store = Hypotheses(self.unit)
        for step in hypothesis.steps:
            if step.status is None:
                continue
            now = store.get(self.ids[hypothesis.key])
            changes = {
                "status": step.status,
                "reason": step.why,
                "pin_id": self._id(step.pin),
                "happened": step.at,
            }
            store.edit(now.id, changes, revision=now.revision, by=self.by)

    def _experiment(self, run: CaseExperiment, artifacts: dict[str, Artifact]) -> None:
        store, stores = Experiments(self.unit), self.stores
        fields = self._run_fields(run) | {
            "title": run.title,
            "prediction": asdict(run.prediction),
            "risk": run.risk,
            "parameters": run.parameters,
        }
        made = store.create(self.incident_id, fields, by=self.by)
        self.ids[run.key] = made.id
        if run.files is not None:
            self._attach(made.id, run.files, artifacts)
        started = store.start(made.id, by=self.by, happened=run.ran_from)
        for answer in run.symptoms:
            symptom = self.ids[answer.symptom]
            Symptoms(self.unit).answer(symptom, made.id, answer.holds, answer.note, by=self.by)
        typed = [NewMeasurement(v.name, v.value, v.unit, v.basis) for v in run.values]
        if typed:
            started = store.measure(made.id, typed, "typed", revision=started.revision, by=self.by)
        measured = [
            computed_measurement(
                self.unit,
                stores.frames,
                started,
                series=value.series,
                statistic=value.statistic,
                window_s=value.window_s,
                named=value.name,
                value_unit=value.unit,
            )
            for value in run.computed
        ]
        if measured:
            started = store.measure(
                made.id, measured, "computed", revision=started.revision, by=self.by
            )
        computed = compute(self.unit, stores.placed, stores.frames, started)
        verdict, why = judge(started, computed, run.verdict, run.overruled_because)
        store.finish(
            made.id,
            observation={"text": run.observed, "value": run.value},
            verdict=verdict,
            failed_same_way=run.failed_same_way,
            conclusion=run.conclusion,
            by=self.by,
            computed=stored_form(computed) if computed else None,
            overruled_because=why,
        )

    def _table(self, table: CaseTable) -> None:
        known = Experiments(self.unit).of_incident(self.incident_id)
        import_runs(
            self.unit,
            self.incident_id,
            preview_table(known, table.table, None, None, table.sweep),
            title=table.title,
            sweep=table.sweep,
            fields=self._run_fields(table),
            by=self.by,
        )

    def _run_fields(self, run: CaseRun) -> dict[str, Any]:
        return {
            "hypothesis_id": self._id(run.hypothesis),
            "change": run.change,
            "sweep": run.sweep,
            "ran_from": run.ran_from.at,
            "ran_to": run.ran_to.at if run.ran_to else None,
            "ran_precision": run.ran_from.precision,
            "host": run.host,
            "build": run.build,
            "cores": run.cores,
            "dataset": run.dataset,
        }

    def _attach(self, run_id: str, folder: str, artifacts: dict[str, Artifact]) -> None:
        """Move the files of a run to it; until now they were only excluded."""
        within = PurePosixPath(RUNS, folder)
        files = [
            artifact
            for path, artifact in artifacts.items()
            if PurePosixPath(path).is_relative_to(within)
        ]
        if not files:
            raise NotFound(f"The sample has no files in {within}.")
        roots = [artifact.id for artifact in files if artifact.parent_id is None]
        Experiments(self.unit).attach_artifacts(run_id, roots, by=self.by)
        for artifact in files:
            Artifacts(self.unit).change(self.by, artifact.id, {"excluded": False})

    def _notes_and_actions(self, case: CaseFile) -> None:
        for note in case.notes:
            start, end = _moment(note.at), note.end.at if note.end else None
            Annotations(self.unit).create(
                self.incident_id,
                start,
                end,
                note.text,
                by=self.by,
                kind=note.kind,
                precision=note.at.precision,
            )
        for action in case.actions:
            fields = action.model_dump(exclude_none=True, exclude={"experiment"})
            fields["experiment_id"] = self._id(action.experiment)
            Actions(self.unit).create(self.incident_id, fields, by=self.by)

    def _report(self, case: CaseFile) -> None:
        if case.report.template is not None:
            revision = Releases(self.unit).choice(self.incident_id).revision
            Releases(self.unit).choose_template(
                self.incident_id,
                known_template(case.report.template),
                revision=revision,
                by=self.by,
            )
        for key, text in case.report.sections.items():
            Reports(self.unit).save(
                self.incident_id,
                known_section(key),
                self._with_sources(text),
                revision=0,
                by=self.by,
            )

    def _with_sources(self, text: str) -> str:
        """Replace the keys of pins in source notes by their ids."""
        return _SOURCE.sub(lambda found: f"[^pin-{self.ids[found[1]].replace('-', '')}]", text)

    def _id(self, key: str | None) -> str | None:
        return None if key is None else self.ids[key]


def _moment(at: Happened) -> Any:
    assert at.at is not None  # every time of the file is one
    return at.at
