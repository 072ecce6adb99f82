"""Artifacts: the files of an incident, their state, and the results of parsing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from sqlalchemy import any_, bindparam, delete, exists, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert

from pileup.analysis.evidence.evidence import bundle_of
from pileup.records import Problem
from pileup.storage import models
from pileup.storage.audit import Actor, record
from pileup.storage.database import Unit, clean, clean_json, to_record
from pileup.storage.errors import NotFound, Refused
from pileup.storage.files.blobs import Blob
from pileup.storage.queue.jobs import Jobs
from pileup.storage.row_security import WRITE
from pileup.storage.visibility import find_visible

MAX_STORED_PROBLEMS = 1000
_PATH_MAX = 1024
OF_RUN = "\n"
"""Between folder and run in the folder of a run's copy; no path has it."""


@dataclass(frozen=True, slots=True)
class Given:
    """Time and host of the evidence, as a person says."""

    at: datetime | None = None
    within_s: float | None = None
    """How far ``at`` may be off, in seconds."""
    host: str | None = None

    def columns(self) -> dict[str, Any]:
        """Return the values of the columns that hold it."""
        return {
            "given_at": self.at.astimezone(UTC) if self.at else None,
            "given_within_s": self.within_s if self.at else None,
            "given_host": clean(self.host) if self.host else None,
        }


_NOTHING_GIVEN = Given()
_SETTABLE = frozenset({"format_given", "zone", "offset_s", "excluded", *_NOTHING_GIVEN.columns()})
"""Fields of an artifact that people may set."""
_COPIED = ("sha256", "bytes", *(_SETTABLE - {"excluded"}))
"""Fields that a run's copy takes over."""


@dataclass(frozen=True, slots=True)
class Artifact:
    id: str
    incident_id: str
    parent_id: str | None
    depth: int
    within: tuple[str, ...]
    """Ids of the archives around it, the outermost first."""
    folder: str
    path: str
    also_at: tuple[str, ...]
    sha256: str
    bytes: int
    state: str
    excluded: bool
    run_id: str | None
    """The experiment that it, or the archive around it, is attached to: it belongs to that run."""
    progress: float | None
    error: str | None
    format: str | None
    format_given: str | None
    confidence: float | None
    why: str | None
    candidates: tuple[str, ...]
    parser_version: int | None
    zone: str | None
    offset_s: float | None
    given_at: datetime | None
    given_within_s: float | None
    given_host: str | None
    bundle: str | None
    host: str | None
    first: datetime | None
    last: datetime | None
    clock: dict[str, Any] | None
    records: dict[str, int]
    problems: int
    coverage: float | None
    lines: int | None
    table_key: str | None
    uploaded_by: str | None
    uploaded_at: datetime

    @property
    def is_analysed(self) -> bool:
        """Return whether the incident's analysis uses it: not excluded, and no part of a run."""
        return not self.excluded and self.run_id is None

    @property
    def given(self) -> Given:
        """Return the time and host that a person gave."""
        return Given(self.given_at, self.given_within_s, self.given_host)

    @property
    def name(self) -> str:
        """Return the last part of the path."""
        return self.path.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class Reading:
    """Result of parsing one artifact."""

    state: str
    """done, done_with_problems, unknown_format or failed."""
    error: str | None
    format: str | None
    parser_version: int | None
    confidence: float | None
    why: str | None
    candidates: tuple[str, ...]
    records: dict[str, int]
    coverage: float | None
    lines: int | None
    receipt: dict[str, Any] | None
    sections: list[dict[str, Any]]
    line_index: list[int]
    problems: Sequence[Problem]
    table_key: str | None = None
    """For a table: the key of its column mapping."""


@dataclass(frozen=True, slots=True)
class Detail:
    """The long parts of an artifact, for the artifact page."""

    receipt: dict[str, Any] | None
    sections: list[dict[str, Any]]
    problems: list[Problem]


@dataclass(frozen=True, slots=True)
class Expanded:
    """What came out of an uploaded archive, all levels of it."""

    uploaded_bytes: int
    """Size of the outermost archive."""
    members: int
    """Without those that ``own_members`` counts."""
    bytes: int
    own_members: int
    """Members of the archive in question, which an earlier part of its expansion stored."""
    own_bytes: int


class Artifacts:
    """Repository of artifacts."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._db = unit.session

    # ---- intake

    def add(
        self,
        incident_id: str,
        path: str,
        blob: Blob,
        by: Actor,
        *,
        parent: Artifact | None = None,
        bundle: str | None = None,
        excluded: bool = False,
        given: Given = _NOTHING_GIVEN,
        requester: str | None = None,
    ) -> tuple[Artifact, str | None]:
        """Add the blob as an artifact; return it, and the id of its job when it is new.

        Bytes that the folder already has only gain another name; in another folder, or in another
        pt-stalk capture, they are an artifact of their own, because they belong to what lies there.
        given: ignored for a member of an archive, which takes the archive's. requester: whose
        turn its parsing takes, unless the uploader's.
        """
        path = clean_path(path)
        artifact_id = self._db.scalar(
            insert(models.Artifact)
            .values(
                incident_id=incident_id,
                parent_id=parent.id if parent else None,
                depth=parent.depth + 1 if parent else 0,
                within=[*parent.within, parent.id] if parent else [],
                path=path,
                folder=_folder_within(path, parent),
                sha256=blob.sha256,
                bytes=blob.bytes,
                state="queued",
                bundle=bundle,
                excluded=excluded,
                uploaded_by_id=by.id,
                **(parent.given if parent else given).columns(),
            )
            .on_conflict_do_nothing(
                index_elements=["incident_id", "sha256", "folder"],
                index_where=models.Artifact.deleted_at.is_(None),
            )
            .returning(models.Artifact.id)
        )
        if artifact_id is None:
            return self._known(incident_id, path, blob, parent), None
        if parent is None:
            record(
                self._unit,
                by,
                "artifact.uploaded",
                incident_id=incident_id,
                target=artifact_id,
                path=path,
                bytes=blob.bytes,
                sha256=blob.sha256,
            )
        job_id = Jobs(self._unit).enqueue("artifact", artifact_id, incident_id, requester=requester)
        self._unit.notify(incident_id, "artifact", artifact_id)
        return self.get(artifact_id), job_id

    def for_run(self, artifact_id: str, run_id: str, planned: datetime, by: Actor) -> str:
        """Return the id of the file to attach to a run: the artifact, or the run's copy of it.

        A file that was sent again after the run was planned, or under another name, is the
        incident's and the run's: the run gets an artifact of its own, and the incident keeps its.
        """
        row = self._visible_row(artifact_id)
        folder = row.folder + OF_RUN + run_id
        copy = self._db.scalar(
            select(models.Artifact.id).where(
                models.Artifact.incident_id == row.incident_id,
                models.Artifact.sha256 == row.sha256,
                models.Artifact.folder == folder,
                models.Artifact.deleted_at.is_(None),
            )
        )
        if copy is not None:
            return copy
        sent_for_it = row.sent_again_at is not None and (
            bool(row.also_at) or row.uploaded_at < planned <= row.sent_again_at
        )
        if not sent_for_it or row.parent_id is not None:
            return artifact_id
        *others, path = [*row.also_at] or [row.path]
        made = models.Artifact(
            incident_id=row.incident_id,
            path=path,
            folder=folder,
            state="queued",
            uploaded_by_id=by.id,
            **{name: getattr(row, name) for name in _COPIED},
        )
        row.also_at, row.sent_again_at = others, None
        self._db.add(made)
        self._db.flush()
        Jobs(self._unit).enqueue("artifact", made.id, row.incident_id)
        self._unit.notify(row.incident_id, "artifact", row.id)
        self._unit.notify(row.incident_id, "artifact", made.id)
        return made.id

    def reparse(self, artifact_id: str) -> str:
        """Queue the artifact for another parse; return the job id."""
        row = self._visible_row(artifact_id)
        row.state = "queued"
        row.progress = None
        row.error = None
        self._db.flush()
        self._unit.notify(row.incident_id, "artifact", artifact_id)
        return Jobs(self._unit).enqueue("artifact", artifact_id, row.incident_id)

    def change(self, by: Actor, artifact_id: str, changes: dict[str, Any]) -> Artifact:
        """Set fields that people may set (``_SETTABLE``)."""
        row = self._visible_row(artifact_id)
        for name, value in changes.items():
            if name not in _SETTABLE:
                raise Refused(f"{name} cannot be set", name)
            setattr(row, name, value)
        self._db.flush()
        record(
            self._unit,
            by,
            "artifact.changed",
            incident_id=row.incident_id,
            target=artifact_id,
            path=row.path,
            **{
                name: value.isoformat() if isinstance(value, datetime) else value
                for name, value in changes.items()
            },
        )
        self._unit.notify(row.incident_id, "artifact", artifact_id)
        return self.get(artifact_id)

    def delete(self, by: Actor, artifact_id: str) -> str:
        """Delete the artifact and its members, with their jobs; the bytes stay for 30 days."""
        row = self._visible_row(artifact_id)
        ids = [artifact_id]
        frontier = [artifact_id]
        while frontier:
            frontier = list(
                self._db.scalars(
                    select(models.Artifact.id).where(models.Artifact.parent_id.in_(frontier))
                )
            )
            ids += frontier
        Jobs(self._unit).cancel_artifacts(ids)  # first, as workers lock a job, then its artifact
        self._db.execute(
            update(models.Artifact)
            .where(models.Artifact.id.in_(ids), models.Artifact.deleted_at.is_(None))
            .values(deleted_at=func.now())
        )
        record(
            self._unit,
            by,
            "artifact.deleted",
            incident_id=row.incident_id,
            target=artifact_id,
            path=row.path,
            members=len(ids) - 1,
        )
        for gone in ids:
            self._unit.notify(row.incident_id, "artifact", gone)
        return row.incident_id

    # ---- queries

    def of_incident(self, incident_id: str) -> list[Artifact]:
        """List the artifacts that are not deleted, by path."""
        rows = self._db.execute(
            _SELECT.where(
                models.Artifact.incident_id == incident_id, models.Artifact.deleted_at.is_(None)
            ).order_by(models.Artifact.path, models.Artifact.id)
        )
        return [_record(*row) for row in rows]

    def get(self, artifact_id: str) -> Artifact:
        """Return one artifact; raise NotFound when it or its incident is missing or deleted."""
        row = self._db.execute(_ONE, {"artifact_id": artifact_id}).one_or_none()
        if row is None:
            raise NotFound("there is no such artifact, or it was deleted")
        return _record(*row)

    def detail(self, artifact_id: str) -> Detail:
        """Return receipt, sections and problems of one artifact."""
        row = self._visible_row(artifact_id)
        problems = self._db.scalars(
            select(models.Problem)
            .where(models.Problem.artifact_id == artifact_id)
            .order_by(models.Problem.ordinal)
        )
        return Detail(
            row.receipt,
            cast(list[dict[str, Any]], row.sections),
            [to_record(Problem, problem) for problem in problems],
        )

    def sections(self, artifact_id: str) -> list[dict[str, Any]]:
        """Return the outline of one artifact without its other details; empty when it is gone."""
        sections = self._db.scalar(
            select(models.Artifact.sections).where(
                models.Artifact.id == artifact_id, models.Artifact.deleted_at.is_(None)
            )
        )
        return cast(list[dict[str, Any]], sections or [])

    def problems(self, incident_id: str) -> dict[str, list[Problem]]:
        """List the problems of every artifact of an incident, by artifact id."""
        rows = self._db.scalars(
            select(models.Problem)
            .join(models.Artifact, models.Artifact.id == models.Problem.artifact_id)
            .where(models.Artifact.incident_id == incident_id, models.Artifact.deleted_at.is_(None))
            .order_by(models.Problem.artifact_id, models.Problem.ordinal)
        )
        problems: dict[str, list[Problem]] = {}
        for row in rows:
            problems.setdefault(row.artifact_id, []).append(to_record(Problem, row))
        return problems

    def of_table(self, table_key: str, *, to_change: bool = False) -> list[Artifact]:
        """List the artifacts, of any incident, whose column mapping is stored under this key.

        to_change: only of incidents that the unit may change.
        """
        query = _SELECT.where(
            models.Artifact.table_key == table_key, models.Artifact.deleted_at.is_(None)
        )
        if to_change:
            query = query.where(func.pileup_rank(models.Artifact.incident_id) >= WRITE)
        return [_record(*row) for row in self._db.execute(query.order_by(models.Artifact.id))]

    def line_index(self, artifact_id: str) -> list[int]:
        """Return the byte offset of every 256th line."""
        index = self._db.scalar(
            select(models.Artifact.line_index).where(
                models.Artifact.id == artifact_id, models.Artifact.deleted_at.is_(None)
            )
        )
        return list(index or [])

    # ---- the worker

    def progress(self, artifact_id: str, state: str, progress: float | None) -> None:
        """Set the live state and progress (0 to 1) while a task works on the artifact."""
        incident_id = self._db.scalar(
            update(models.Artifact)
            .where(models.Artifact.id == artifact_id)
            .values(state=state, progress=progress)
            .returning(models.Artifact.incident_id)
        )
        if incident_id:
            self._unit.notify(incident_id, "artifact", artifact_id)

    def store_reading(self, artifact_id: str, reading: Reading) -> None:
        """Replace the stored parse result of the artifact."""
        incident_id = self._db.scalar(
            update(models.Artifact)
            .where(models.Artifact.id == artifact_id, models.Artifact.deleted_at.is_(None))
            .values(
                state=reading.state,
                progress=None,
                error=clean(reading.error) if reading.error else None,
                format=reading.format,
                parser_version=reading.parser_version,
                confidence=reading.confidence,
                why=clean(reading.why) if reading.why else None,
                candidates=list(reading.candidates),
                records=reading.records,
                coverage=reading.coverage,
                lines=reading.lines,
                receipt=clean_json(reading.receipt),
                sections=clean_json(reading.sections),
                line_index=reading.line_index,
                table_key=reading.table_key,
                problems=len(reading.problems),
            )
            .returning(models.Artifact.incident_id)
        )
        if incident_id is None:
            raise NotFound("there is no such artifact, or it was deleted")
        self._store_problems(artifact_id, reading.problems)
        self._unit.notify(incident_id, "artifact", artifact_id)

    def store_expansion(
        self, artifact_id: str, format_name: str, why: str, problems: Sequence[Problem]
    ) -> None:
        """Mark an archive as expanded; its members are artifacts themselves."""
        row = self._row(artifact_id)
        row.state = "expanded"
        row.progress = None
        row.error = None
        row.format = format_name
        row.confidence = 1.0
        row.why = why
        row.problems = len(problems)
        self._store_problems(artifact_id, problems)
        self._db.flush()
        self._unit.notify(row.incident_id, "artifact", artifact_id)

    def fail(self, artifact_id: str, error: str) -> None:
        """Set the state failed, with a sentence that says why."""
        row = self._db.get(models.Artifact, artifact_id)
        if row is None:
            return
        row.state = "failed"
        row.progress = None
        row.error = clean(error)
        self._db.flush()
        self._unit.notify(row.incident_id, "artifact", artifact_id)

    def place(
        self,
        artifact_id: str,
        *,
        host: str | None,
        first: datetime | None,
        last: datetime | None,
        clock: dict[str, Any] | None,
        bundle: str | None,
    ) -> None:
        """Store the host, time range and clock that the analysis determined for the artifact."""
        self._db.execute(
            update(models.Artifact)
            .where(models.Artifact.id == artifact_id)
            .values(
                host=clean(host) if host else None,
                first=first,
                last=last,
                clock=clean_json(clock),
                bundle=bundle,
            )
        )

    def expanded_size(self, artifact: Artifact) -> Expanded:
        """Return what came out of the outermost archive of ``artifact`` so far, on all levels."""
        root = self.get(artifact.within[0]) if artifact.within else artifact
        member = models.Artifact
        own = func.coalesce(member.parent_id == artifact.id, False).label("own")
        rows = self._db.execute(
            select(own, func.count(), func.coalesce(func.sum(member.bytes), 0))
            .where(member.incident_id == root.incident_id, member.within[1] == root.id)
            .group_by("own")
        )
        sizes = {row[0]: (int(row[1]), int(row[2])) for row in rows}
        return Expanded(root.bytes, *sizes.get(False, (0, 0)), *sizes.get(True, (0, 0)))

    def _known(self, incident_id: str, path: str, blob: Blob, parent: Artifact | None) -> Artifact:
        row = self._db.scalar(
            select(models.Artifact)
            .where(
                models.Artifact.incident_id == incident_id,
                models.Artifact.sha256 == blob.sha256,
                models.Artifact.folder == _folder_within(path, parent),
                models.Artifact.deleted_at.is_(None),
            )
            .with_for_update()
        )
        if row is None:  # deleted between the two statements
            raise NotFound("the artifact was deleted this moment; send it again")
        row.sent_again_at = func.now()
        if path != row.path and path not in row.also_at and len(row.also_at) < 100:
            row.also_at = [*row.also_at, path]
        self._db.flush()
        return self.get(row.id)

    def _store_problems(self, artifact_id: str, problems: Sequence[Problem]) -> None:
        self._db.execute(
            delete(models.Problem).where(models.Problem.artifact_id == artifact_id),
            execution_options={"synchronize_session": False},
        )
        self._db.add_all(
            models.Problem(
                artifact_id=artifact_id,
                ordinal=ordinal,
                line=problem.line,
                message=clean(problem.message),
                expected=clean(problem.expected) if problem.expected else None,
                found=clean(problem.found) if problem.found else None,
                severity=problem.severity,
            )
            for ordinal, problem in enumerate(problems[:MAX_STORED_PROBLEMS])
        )

    def _row(self, artifact_id: str) -> models.Artifact:
        """Return the row, also of an incident in the bin: a worker that reads it continues."""
        row = self._db.scalar(
            select(models.Artifact).where(
                models.Artifact.id == artifact_id, models.Artifact.deleted_at.is_(None)
            )
        )
        if row is None:
            raise NotFound("there is no such artifact, or it was deleted")
        return row

    def _visible_row(self, artifact_id: str) -> models.Artifact:
        """Return the row for a change by a person: neither it nor its incident is deleted."""
        row = find_visible(self._db, models.Artifact, artifact_id)
        if row is None:
            raise NotFound("there is no such artifact, or it was deleted")
        return row


def clean_path(path: str) -> str:
    """Normalize a path for display: forward slashes, no empty, '.' or '..' parts, printable."""
    parts = [
        "".join(c if c.isprintable() else "�" for c in part).strip()
        for part in clean(path).replace("\\", "/").split("/")
    ]
    text = "/".join(part for part in parts if part not in ("", ".", ".."))
    return (text[:200] + "…" + text[-(_PATH_MAX - 201) :] if len(text) > _PATH_MAX else text) or (
        "unnamed"
    )


def folder_of(path: str) -> str:
    """Return what a file shares with the files of its capture: the folder, or folder and stamp."""
    return bundle_of(path) or path.rpartition("/")[0]


def _folder_within(path: str, parent: Artifact | None) -> str:
    """Return the folder of a file; the member of a run's copy is the run's too."""
    _, separator, run = parent.folder.partition(OF_RUN) if parent else ("", "", "")
    return folder_of(path) + separator + run


RUN_OF_ARTIFACT = (
    select(func.min(models.Experiment.id))
    .join(
        models.ExperimentArtifact,
        models.ExperimentArtifact.experiment_id == models.Experiment.id,
    )
    .where(
        models.Experiment.deleted_at.is_(None),
        or_(
            models.ExperimentArtifact.artifact_id == models.Artifact.id,
            models.ExperimentArtifact.artifact_id == any_(models.Artifact.within),
        ),
    )
    .correlate(models.Artifact)
    .scalar_subquery()
)
"""The experiment that an artifact, or an archive around it, is attached to."""
_SELECT = select(models.Artifact, models.User.name, RUN_OF_ARTIFACT).outerjoin(
    models.User, models.User.id == models.Artifact.uploaded_by_id
)
_ONE = _SELECT.where(
    models.Artifact.id == bindparam("artifact_id"),
    models.Artifact.deleted_at.is_(None),
    ~exists().where(
        models.Incident.id == models.Artifact.incident_id, models.Incident.deleted_at.is_not(None)
    ),
)


def _record(row: models.Artifact, uploaded_by: str | None, run_id: str | None) -> Artifact:
    return to_record(
        Artifact,
        row,
        run_id=run_id,
        uploaded_by=uploaded_by,
        also_at=tuple(row.also_at),
        within=tuple(row.within),
        candidates=tuple(row.candidates),
    )
