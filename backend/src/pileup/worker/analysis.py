"""Analysis of one incident: load the frames of its artifacts, place, analyse, store.

Everything is replaced as a whole; running it twice gives the same rows.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
import structlog
from celery.exceptions import SoftTimeLimitExceeded

from pileup.analysis import StallCorrection
from pileup.analysis.contract import Analysis
from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.evidence import bundle_of
from pileup.analysis.isolation import Request
from pileup.storage.artifacts.analysis_input import clock_overrides, describe_each
from pileup.storage.artifacts.artifacts import Artifact, Artifacts, folder_of
from pileup.storage.audit import MACHINE, record
from pileup.storage.database import Unit
from pileup.storage.errors import StorageError
from pileup.storage.incidents.analyses import Analyses
from pileup.storage.incidents.incidents import Incidents
from pileup.storage.incidents.search import replace_entries
from pileup.storage.incidents.stall_corrections import StallCorrections
from pileup.storage.incidents.webhooks import announce
from pileup.storage.lifecycle.samples import samples_in
from pileup.storage.queue.jobs import Job, Jobs
from pileup.storage.reasoning.pin_values import check_pins
from pileup.views.samples.case_file import read_case
from pileup.views.samples.record_case import is_recorded, record_case
from pileup.views.search_entries import search_entries
from pileup.worker.digest import compute_digest
from pileup.worker.isolated import READ, Member, isolated, name_culprits, read_again
from pileup.worker.runs import queue_runs
from pileup.worker.runtime import Runtime

log = structlog.get_logger()


def analyse_incident(runtime: Runtime, job: Job) -> None:
    """Analyse the incident's parsed artifacts, without excluded ones and runs; store the result."""
    started = time.monotonic()
    with runtime.database.unit() as unit:
        early = Jobs(unit).reading(job.incident_id)  # another analysis follows this one
    if not early:
        queue_runs(runtime, job.incident_id)
    artifacts, members = _members(runtime, job.incident_id)
    if read_again(runtime, job, artifacts):
        return
    if not members:
        _forget(runtime, job)
        return
    request = Request(
        overrides=clock_overrides(artifacts),
        corrections=_corrections(runtime, job.incident_id),
        interrupts=(SoftTimeLimitExceeded,),
    )
    result = isolated(runtime, job, members, request)
    evidence, document = result.evidence, result.document
    runtime.placed.replace(job.incident_id, evidence, result.first)
    digest = compute_digest(document, evidence)
    entries = search_entries(document, evidence)
    with runtime.database.unit() as unit:
        if not Jobs(unit).finish(job):
            if Incidents(unit).is_gone(job.incident_id):  # purged meanwhile, with its files
                runtime.placed.forget(job.incident_id)
            return  # or a newer attempt has the job
        elapsed_s = time.monotonic() - started
        Analyses(unit).replace(job.incident_id, msgspec.to_builtins(document), elapsed_s)
        replace_entries(unit, job.incident_id, entries)
        _place(unit, artifacts, document)
        name_culprits(unit, artifacts, result.left_out)
        Incidents(unit).digest(job.incident_id, digest)
        if not early:
            _record_case(runtime, unit, job.incident_id)
        # in the same transaction: nobody ever sees a new analysis with an unchecked pin
        check_pins(unit, runtime.placed, runtime.frames, job.incident_id)
        unit.notify(job.incident_id, "analysis")
        if not early:
            announce(unit, "analysis.finished", job.incident_id, state="done", error=None)
    if not early:
        queue_runs(runtime, job.incident_id)  # of a case that was recorded now


def _record_case(runtime: Runtime, unit: Unit, incident_id: str) -> None:
    """Record the work that a finished sample brings, once, with its first analysis.

    If that fails, the analysis stays, and the activity says why.
    """
    sample_id = Incidents(unit).get(incident_id).sample_id
    if sample_id is None or is_recorded(unit, incident_id):
        return
    folders = {each.id: each.folder for each in samples_in(runtime.settings.samples)}
    if sample_id not in folders:
        return  # of a folder of somebody's own, which has no case
    try:
        case = read_case(folders[sample_id])
        if case is not None:
            with unit.session.begin_nested():
                record_case(unit, runtime.stores, incident_id, case)
    except StorageError as error:
        log.error("sample.case_failed", incident_id=incident_id, why=str(error))
        record(unit, MACHINE, "sample.case_failed", incident_id=incident_id, why=str(error)[:2000])


def _members(runtime: Runtime, incident_id: str) -> tuple[list[Artifact], list[Member]]:
    """Return the included artifacts that were read, in the order of their arrival; and each content
    once, with its description.
    """
    with runtime.database.unit() as unit:
        artifacts = [
            artifact
            for artifact in Artifacts(unit).of_incident(incident_id)
            if artifact.state in READ and artifact.is_analysed
        ]
        problems = Artifacts(unit).problems(incident_id)
    artifacts.sort(key=lambda artifact: artifact.id)  # ids are in the order of time
    return artifacts, describe_each(artifacts, problems)


def _corrections(runtime: Runtime, incident_id: str) -> list[StallCorrection]:
    """Return people's corrections of stall times."""
    with runtime.database.unit() as unit:
        records = StallCorrections(unit).of_incident(incident_id)
    return [
        StallCorrection(
            host=record.host,
            computed_onset=_us(record.computed_onset),
            by=record.by,
            onset=_us(record.onset) if record.onset else None,
            end=_us(record.end) if record.end else None,
            baseline=Span(_us(record.baseline_start), _us(record.baseline_end))
            if record.baseline_start and record.baseline_end
            else None,
        )
        for record in records
    ]


def _us(moment: datetime) -> int:
    return int(moment.timestamp() * 1_000_000)


def _forget(runtime: Runtime, job: Job) -> None:
    runtime.placed.forget(job.incident_id)
    with runtime.database.unit() as unit:
        if Jobs(unit).finish(job):
            Analyses(unit).forget(job.incident_id)
            Incidents(unit).digest(job.incident_id, {})


def _place(unit: Unit, artifacts: Sequence[Artifact], document: Analysis) -> None:
    """Store host, range and clock of each artifact, as the analysis placed them."""
    placed = {artifact.sha256: artifact for artifact in document.artifacts}
    around: dict[str, set[str | None]] = {}
    for artifact in artifacts:
        if (placement := placed.get(artifact.sha256)) is not None and placement.host is not None:
            around.setdefault(folder_of(artifact.path), set()).add(placement.host)
    copies = Counter(artifact.sha256 for artifact in artifacts)
    for artifact in artifacts:
        placement = placed.get(artifact.sha256)
        if placement is None:
            continue
        host, bundle = placement.host, placement.bundle
        if copies[artifact.sha256] > 1:  # each copy has what lies around it
            here = around.get(folder_of(artifact.path), set())
            host = host or (next(iter(here)) if len(here) == 1 else None)
            bundle = bundle_of(artifact.path)
        clock: dict[str, Any] | None = (
            msgspec.to_builtins(placement.clock) if placement.clock else None
        )
        before = (artifact.host, artifact.first, artifact.last, artifact.clock, artifact.bundle)
        after = (
            host,
            _time(placement.first),
            _time(placement.last),
            clock,
            bundle,
        )
        if before != after:
            Artifacts(unit).place(
                artifact.id,
                host=host,
                first=_time(placement.first),
                last=_time(placement.last),
                clock=clock,
                bundle=bundle,
            )
            unit.notify(artifact.incident_id, "artifact", artifact.id)


def _time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text.replace("Z", "+00:00"))
