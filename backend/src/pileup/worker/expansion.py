"""Expand an archive into separate artifacts, in parts, so that others have their turns between.

Members are stored in batches: an archive's files appear, and are parsed, while it is still being
read. After some seconds the job ends, and another one goes on where it stopped, behind the members
that were stored. Each part counts what the parts before it, and the other levels of the same
upload, gave: all share one budget. A part that runs twice stores nothing twice.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from typing import Any

from pileup.formats.errors import ArchiveError
from pileup.formats.reading import archive
from pileup.records import Problem
from pileup.storage.artifacts.artifacts import MAX_STORED_PROBLEMS, Artifact, Artifacts
from pileup.storage.artifacts.blob_holds import hold_blobs
from pileup.storage.artifacts.quotas import Quotas, rooms
from pileup.storage.audit import Actor
from pileup.storage.database import clean_json
from pileup.storage.errors import TooLarge
from pileup.storage.files.blobs import Blob
from pileup.storage.queue.jobs import Job, Jobs
from pileup.worker.runtime import Runtime

_BATCH = 25
"""Members per transaction."""
PART_S = 2.0
"""After this time others have their turns; never before a part took as long as it needed to come
back to where the last one stopped, so that coming back is half of the work at most."""

_KIND_TITLES = {"zip": "a zip archive", "tar": "a tar archive", "compressed": "a compressed file"}


@dataclass(slots=True)
class _Progress:
    """How far the parts of an expansion have come."""

    position: archive.Position = field(default_factory=archive.Position)
    refusals: list[archive.Refusal] = field(default_factory=list)
    stored: int = 0

    @classmethod
    def of(cls, job: Job) -> _Progress:
        if job.resume_from is None:
            return cls()
        return cls(
            archive.Position(**job.resume_from["position"]),
            [archive.Refusal(**refusal) for refusal in job.resume_from["refusals"]],
            job.resume_from["stored"],
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "position": asdict(self.position),
            "refusals": [asdict(refusal) for refusal in self.refusals[:MAX_STORED_PROBLEMS]],
            "stored": self.stored,
        }


def expand(runtime: Runtime, job: Job, artifact: Artifact, kind: str, began: float) -> None:
    """Store the members of an archive: all of them, or a part.

    kind: as ``archive.detect_container`` says; began: when this part did, on the monotonic clock.
    """
    if artifact.depth >= runtime.settings.max_archive_depth:
        why = (
            f"it is an archive inside {artifact.depth} others, and only "
            f"{runtime.settings.max_archive_depth} levels are opened (PILEUP_MAX_ARCHIVE_DEPTH). "
            "Unpack it yourself and upload what you need"
        )
        _refuse(runtime, job, why)
        return
    progress = _Progress.of(job)
    if not _store_members(runtime, job, artifact, progress, began):
        with runtime.database.unit() as unit:
            Jobs(unit).go_on(job, clean_json(progress.to_json()))
        return
    problems = [_problem(refusal) for refusal in progress.refusals]
    if not progress.stored:
        why = problems[0].message if problems else "it holds no files"
        _refuse(runtime, job, f"nothing in this archive could be read: {why}", problems)
        return
    with runtime.database.unit() as unit:
        if Jobs(unit).finish(job):
            Artifacts(unit).store_expansion(
                artifact.id, "archive", f"its content is {_KIND_TITLES[kind]}", problems
            )
            Jobs(unit).request_analysis(job.incident_id, runtime.settings.analysis_debounce_s)


def _store_members(
    runtime: Runtime, job: Job, artifact: Artifact, progress: _Progress, began: float
) -> bool:
    """Store members until the archive or the time of this part ends; return whether all are."""
    source = runtime.blobs.path(artifact.sha256)
    limits = _limits(runtime, job, artifact)
    until: float | None = None
    batch: list[tuple[str, Blob]] = []
    # A single compressed file has no name inside, and the blob's name is its hash.
    for member in archive.members(
        source, limits, progress.refusals, artifact.name, progress.position
    ):
        now = time.monotonic()
        if until is None:
            until = now + max(PART_S, now - began)
        elif now > until:
            progress.position = member.position
            _add(runtime, job, artifact, batch)
            return False
        blob = _stored(runtime, member, limits, progress.refusals)
        if blob is None:
            continue
        progress.stored += 1
        batch.append((f"{artifact.path}/{member.path}", blob))
        if len(batch) == _BATCH:
            _add(runtime, job, artifact, batch)
            batch = []
    _add(runtime, job, artifact, batch)
    return True


def _limits(runtime: Runtime, job: Job, artifact: Artifact) -> archive.Limits:
    """Return what this archive may give; quotas count what earlier parts of it gave as kept."""
    settings = runtime.settings
    with runtime.database.unit() as unit:
        expanded = Artifacts(unit).expanded_size(artifact)
        left = rooms(unit, Quotas.of(settings), job.requester, job.incident_id)
    size = expanded.bytes + expanded.own_bytes
    members = expanded.members + expanded.own_members
    return archive.Limits(
        total_bytes=_least(settings.max_expanded_bytes, [size + room.bytes for room in left]),
        member_bytes=settings.max_upload_bytes,
        members=_least(settings.max_members, [members + room.files for room in left]),
        depth=settings.max_archive_depth,
        uploaded_bytes=expanded.uploaded_bytes,
        given_bytes=expanded.bytes,
        given_members=expanded.members,
    )


def _least(limit: int, others: list[float]) -> int:
    """Return the smallest limit, which is at least 1."""
    return max(int(min([limit, *others])), 1)


def _stored(
    runtime: Runtime,
    member: archive.Member,
    limits: archive.Limits,
    refusals: list[archive.Refusal],
) -> Blob | None:
    """Store a member; None for litter, and for one that is refused, which joins ``refusals``."""
    if _is_litter(member.path):
        return None
    try:
        runtime.blobs.check_space(member.size or 0)
        with closing(member.open()) as stream:
            return runtime.blobs.store(stream, limits.member_bytes)
    except (ArchiveError, TooLarge) as error:
        why = str(error).removeprefix(f"{member.path} ")
        refusals.append(archive.Refusal(member.path, why))
        return None


def _is_litter(path: str) -> bool:
    """Return whether the file is one that macOS adds to archives."""
    name = path.rpartition("/")[2]
    return path.startswith("__MACOSX/") or name == ".DS_Store" or name.startswith("._")


def _add(runtime: Runtime, job: Job, parent: Artifact, members: Sequence[tuple[str, Blob]]) -> None:
    """Store members as artifacts: each batch is a separate transaction."""
    with runtime.database.unit() as unit:
        row = Artifacts(unit).get(parent.id)  # NotFound: deleted meanwhile, the job ends
        hold_blobs(unit, runtime.blobs, [blob.sha256 for _, blob in members])
        by = Actor(None, "pileup")
        for path, blob in members:
            Artifacts(unit).add(
                row.incident_id,
                path,
                blob,
                by,
                parent=row,
                excluded=row.excluded,
                requester=job.requester,
            )


def _problem(refusal: archive.Refusal) -> Problem:
    if refusal.path:
        return Problem(None, f"{refusal.path}: {refusal.why}", severity="warning")
    return Problem(None, refusal.why, severity="error")


def _refuse(runtime: Runtime, job: Job, why: str, problems: Sequence[Problem] = ()) -> None:
    with runtime.database.unit() as unit:
        if not Jobs(unit).finish(job):
            return
        artifacts = Artifacts(unit)
        if problems:
            artifacts.store_expansion(job.target, "archive", "its content is an archive", problems)
        artifacts.fail(job.target, why)
        Jobs(unit).request_analysis(job.incident_id, runtime.settings.analysis_debounce_s)
